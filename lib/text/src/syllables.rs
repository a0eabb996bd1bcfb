//! Boundaries of orthographic syllables in scripts without blanks.
//!
//! An orthographic syllable is a consonant with its vowel signs, tone marks and stacked consonants.
//! A word never ends inside one. In Burmese, a consonant that ends a syllable (with asat) belongs
//! to the syllable before it.

use unicode_normalization::char::is_combining_mark;

/// Returns `true` if a word may end at byte `index` of `text`: at the end of the text, or between
/// two syllables.
pub(crate) fn is_boundary(text: &str, index: usize) -> bool {
    if !text.is_char_boundary(index) {
        return false;
    }
    let mut following = text[index..].chars();
    let Some(next) = following.next() else {
        return true;
    };
    let Some(previous) = text[..index].chars().next_back() else {
        return true;
    };
    // Kana and Chinese characters.
    if matches!(next, '\u{3041}'..='\u{3098}' | '\u{309f}'..='\u{30fb}' | '\u{3400}'..='\u{9fff}') {
        return true;
    }
    !continues_syllable(next)
        && !expects_consonant(previous)
        && !is_closing_consonant(next, following)
}

/// Returns `true` if `c` belongs to the syllable of the character before it.
fn continues_syllable(c: char) -> bool {
    match c {
        // Thai ะ า ำ ๅ and Lao ະ າ ຳ ຽ are vowel letters that follow their consonant.
        '\u{e30}' | '\u{e32}' | '\u{e33}' | '\u{e45}' => true,
        '\u{eb0}' | '\u{eb2}' | '\u{eb3}' | '\u{ebd}' => true,
        // New Tai Lue vowels that follow, final consonants and tones.
        '\u{19b0}'..='\u{19b4}' | '\u{19b8}' | '\u{19b9}' | '\u{19bb}'..='\u{19c9}' => true,
        // Tai Le vowels and tones.
        '\u{1963}'..='\u{1974}' => true,
        // Prolonged sound mark and iteration marks of kana.
        '\u{30fc}'..='\u{30fe}' | '\u{309d}' | '\u{309e}' => true,
        _ => is_combining_mark(c),
    }
}

/// Returns `true` if `c` is written before the consonant of its syllable, or joins it to the next
/// consonant.
fn expects_consonant(c: char) -> bool {
    match c {
        // Vowels written first: Thai เ แ โ ใ ไ, Lao ເ ແ ໂ ໃ ໄ, New Tai Lue.
        '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}' => true,
        '\u{19b5}'..='\u{19b7}' | '\u{19ba}' => true,
        // Signs that stack the next consonant: Burmese, Khmer, Tai Tham, Balinese, Javanese, Kawi.
        '\u{1039}' | '\u{17d2}' | '\u{1a60}' | '\u{1b44}' | '\u{a9c0}' | '\u{11f42}' => true,
        _ => false,
    }
}

/// Returns `true` if `c` is a Burmese consonant that ends a syllable: asat or a stacked consonant
/// follows, possibly after a dot below or the tone marks of other languages.
fn is_closing_consonant(c: char, mut following: std::str::Chars) -> bool {
    let is_consonant = matches!(c, '\u{1000}'..='\u{1021}' | '\u{103f}' | '\u{1075}'..='\u{1081}' | '\u{108e}' | '\u{aa60}'..='\u{aa73}');
    is_consonant
        && matches!(
            following.find(|&mark| mark != '\u{1037}'),
            Some('\u{1039}' | '\u{103a}')
        )
}
