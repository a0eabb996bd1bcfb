//! Sequences of letters and marks that are read as another one: letters of Indic scripts made of
//! parts, and the marks of South-East Asian scripts in another order than that of Unicode.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Two characters, and the letter that is written for them: the vowel letters of The Unicode
/// Standard, chapter 12, tables "Vowel Letters" (*do not use*), as in Lucene's `IndicNormalizer`;
/// the vowel signs of Khmer in two parts, and its subscript DA, which looks as TA; Burmese vowel
/// letters in two parts; the Lao digraphs of section 16.2; Malayalam NTA (section 12.9); and
/// Persian ۀ.
const SEQUENCES: &str = "\
    अॆ ऄ अा आ अॉ ऑ अॊ ऒ अो ओ अौ औ आॅ ऑ आॆ ऒ आे ओ आै औ उु ऊ एॅ ऍ एॆ ऎ एे ऐ \
    অা আ ঋৃ ৠ ঌৢ ৡ \
    ਅਾ ਆ ੲਿ ਇ ੲੀ ਈ ੳੁ ਉ ੳੂ ਊ ੲੇ ਏ ਅੈ ਐ ੳੋ ਓ ਅੌ ਔ \
    અા આ અૅ ઍ અે એ અૈ ઐ અૉ ઑ અો ઓ અૌ ઔ આૅ ઑ આે ઓ આૈ ઔ ૅા ૉ \
    ଅା ଆ ଏୗ ଐ ଓୗ ଔ \
    ఒౕ ఓ ఒౌ ఔ \
    ಉಾ ಊ ಒೌ ಔ ಋಾ ೠ \
    ഇൗ ഈ ഉൗ ഊ എെ ഐ ഒാ ഓ ഒൗ ഔ ൻ\u{d4d} ന\u{d4d} ൻറ ന\u{d4d}റ \
    අා ආ අැ ඇ අෑ ඈ උෟ ඌ ඍෘ ඎ ඏෟ ඐ එ් ඒ එෙ ඓ ඔෟ ඖ \
    េី ើ េា ោ ឣ\u{17b6} ឤ ဥ် ဉ် ဥာ ဉာ သြ ဩ စျ ဈ ຫນ ໜ ຫມ ໝ ຫລ ຫຼ \
    ្ដ ្ត ه\u{654} ۀ";

/// Three characters that end with a joiner, and what is written for them: Malayalam consonants
/// without a vowel (section 12.9), Bengali khanda ta (section 12.2), and the eyelash form of
/// Devanagari ra (section 12.1, rule R5a).
const WITH_JOINER: [(&str, &str); 8] = [
    ("ണ\u{d4d}\u{200d}", "ൺ"),
    ("ന\u{d4d}\u{200d}", "ൻ"),
    ("ര\u{d4d}\u{200d}", "ർ"),
    ("ല\u{d4d}\u{200d}", "ൽ"),
    ("ള\u{d4d}\u{200d}", "ൾ"),
    ("ക\u{d4d}\u{200d}", "ൿ"),
    ("ত\u{9cd}\u{200d}", "ৎ"),
    ("र\u{94d}\u{200d}", "ऱ\u{94d}"),
];

/// The sign before a Khmer subscript.
const COENG: char = '\u{17d2}';

static LETTERS: LazyLock<HashMap<[char; 2], &'static str>> = LazyLock::new(|| {
    let mut parts = SEQUENCES.split_whitespace();
    let mut letters = HashMap::new();
    while let (Some(sequence), Some(letter)) = (parts.next(), parts.next()) {
        let mut characters = sequence.chars();
        if let (Some(first), Some(second)) = (characters.next(), characters.next()) {
            letters.insert([first, second], letter);
        }
    }
    letters
});

/// Returns `true` if the character at byte `at` begins a sequence that [`resolve_sequences`]
/// changes, or is a joiner that ends one.
pub(super) fn is_irregular_at(text: &str, at: usize) -> bool {
    let mut following = text[at..].chars();
    let (Some(c), next) = (following.next(), following.next()) else {
        return false;
    };
    if c == '\u{200d}' {
        return text[..at].ends_with(['\u{d4d}', '\u{9cd}', '\u{94d}']);
    }
    if c == '\u{654}' {
        return text[..at].ends_with('ه');
    }
    let Some(next) = next else {
        return false;
    };
    let previous = || text[..at].chars().next_back();
    is_out_of_order(c, next)
        || c == 'រ' && next == COENG && previous() == Some(COENG)
        || spell_digit(previous(), c, Some(next)).is_some()
        || next >= '\u{900}' && LETTERS.contains_key(&[c, next])
}

/// Returns `true` if `next`, a mark that follows the mark `c`, is before it in Unicode's order, or
/// the same.
fn is_out_of_order(c: char, next: char) -> bool {
    match (rank(c), rank(next)) {
        (Some(rank), Some(next_rank)) => next_rank < rank || c == next,
        _ => false,
    }
}

/// Returns the place of a mark among those of its letter; `None` of other characters, at which an
/// order begins.
///
/// Khmer and Burmese: The Unicode Standard, sections 16.3 and 16.4, and Unicode Technical Note 11.
/// Thai and Lao: the vowel before the tone mark, as in PyThaiNLP's `normalize`; but the circle of
/// AM after it, as in the compatibility decomposition of AM, and so beside its AA.
fn rank(c: char) -> Option<u8> {
    Some(match c {
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}' => 1,
        '\u{e48}'..='\u{e4b}' => 2,
        '\u{e4c}' | '\u{e4d}' => 3,
        '\u{e33}' | '\u{eb3}' => 4,
        '\u{ebc}' => 0,
        '\u{eb1}' | '\u{eb4}'..='\u{eb9}' | '\u{ebb}' => 1,
        '\u{ec8}'..='\u{ecb}' => 2,
        '\u{ecc}' | '\u{ecd}' => 3,
        '\u{17c9}' | '\u{17ca}' | '\u{17cc}' => 0,
        '\u{17b6}'..='\u{17c5}' => 1,
        '\u{17c6}' | '\u{17cb}' | '\u{17cd}'..='\u{17d1}' | '\u{17dd}' => 2,
        '\u{17c7}' | '\u{17c8}' => 3,
        '\u{103b}'..='\u{103e}' => (c as u32 - 0x103b) as u8,
        '\u{1031}' => 4,
        '\u{102d}' | '\u{102e}' | '\u{1032}' => 5,
        '\u{102f}' | '\u{1030}' => 6,
        '\u{102b}' | '\u{102c}' => 7,
        '\u{1036}' => 8,
        '\u{1037}' => 9,
        '\u{1038}' => 10,
        _ => return None,
    })
}

/// Returns the Burmese letter for which a digit of the same shape was typed: a digit has no vowel
/// sign, and one alone before a letter is none. ၀ is typed for ဝ, ၇ for ရ, and ၄ for ၎.
fn spell_digit(previous: Option<char>, digit: char, next: Option<char>) -> Option<char> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| matches!(c, '\u{1040}'..='\u{1049}'));
    let is_sign = next.is_some_and(|c| matches!(c, '\u{102b}'..='\u{103e}'));
    let is_letter = next.is_some_and(|c| matches!(c, '\u{1000}'..='\u{1021}'));
    match digit {
        '၀' if is_sign || is_letter && !is_digit(previous) => Some('ဝ'),
        '၇' if is_sign => Some('ရ'),
        '၄' if next == Some('င') && !is_digit(previous) => Some('၎'),
        _ => None,
    }
}

/// Returns `word` with the sequences replaced by what is written for them, and its marks in order.
pub(super) fn resolve_sequences(word: &str) -> String {
    let mut word = Cow::Borrowed(word);
    if word.contains('\u{200d}') {
        for (sequence, letters) in WITH_JOINER {
            word = Cow::Owned(word.replace(sequence, letters));
        }
    }
    let mut letters: Vec<char> = Vec::with_capacity(word.len() / 3);
    let mut characters = word.chars().peekable();
    while let Some(c) = characters.next() {
        let c = spell_digit(letters.last().copied(), c, characters.peek().copied()).unwrap_or(c);
        let letter = letters.last().and_then(|last| LETTERS.get(&[*last, c]));
        if let Some(letter) = letter {
            letters.pop();
            letters.extend(letter.chars());
        } else if let Some(place) = place_of_mark(&letters, c) {
            if place == letters.len() || letters[place] != c {
                letters.insert(place, c);
            }
        } else if letters.ends_with(&[COENG, 'រ', COENG]) {
            // The subscript of ro is the last one.
            letters.truncate(letters.len() - 2);
            letters.extend([c, COENG, 'រ']);
        } else {
            letters.push(c);
        }
    }
    String::from_iter(letters)
}

/// Returns the place of a mark among those at the end of `letters`: before the first that comes
/// after it, or at an equal one; `None` if its order does not matter.
fn place_of_mark(letters: &[char], mark: char) -> Option<usize> {
    let of_mark = rank(mark)?;
    let is_after = |c: &char| rank(*c).is_some_and(|rank| rank > of_mark || *c == mark);
    let after = letters.iter().rev().take_while(|c| is_after(c)).count();
    Some(letters.len() - after)
}

#[cfg(test)]
mod tests {
    use super::{is_irregular_at, resolve_sequences};

    #[test]
    fn a_letter_is_written_for_its_parts_and_marks_are_in_order() {
        for (spelling, expected) in [
            ("अाम", "आम"),
            ("ਅਾਮ", "ਆਮ"),
            ("അവന്\u{200d}", "അവൻ"),
            ("উত্\u{200d}সব", "উৎসব"),
            ("ខ្ញំុ", "ខ្ញុំ"),
            ("េី", "ើ"),
            ("ဥပမာ ၀န်ကြီး ၄င်း", "ဥပမာ ဝန်ကြီး ၎င်း"),
            ("၁၀ခု ၂၀၁၇", "၁၀ခု ၂၀၁၇"),
            ("ယံု", "ယုံ"),
            ("ที\u{e48}\u{e48} ท\u{e48}ี", "ที\u{e48} ที\u{e48}"),
            ("น\u{e4d}\u{e49}า", "น\u{e49}\u{e4d}า"),
            ("ນ\u{ecd}\u{ec9}າ", "ນ\u{ec9}\u{ecd}າ"),
            ("ຫມາ", "ໝາ"),
            ("ຫລາຍ", "ຫຼາຍ"),
            ("น\u{e33}\u{e49}", "น\u{e49}\u{e33}"),
            ("ນ\u{eb3}\u{ec9}", "ນ\u{ec9}\u{eb3}"),
            ("ស្រ្តី", "ស្ត្រី"),
            ("ភក្ដិ", "ភក្តិ"),
            ("သြဇာ", "ဩဇာ"),
            ("दर्\u{200d}या", "दऱ्या"),
            ("എൻ്റെ എന്\u{200d}റെ എൻറെ", "എന്റെ എന്റെ എന്റെ"),
            ("خانه\u{654}", "خانۀ"),
        ] {
            assert_eq!(resolve_sequences(spelling), expected, "{spelling}");
            let is_irregular =
                |text: &str| text.char_indices().any(|(at, _)| is_irregular_at(text, at));
            assert!(is_irregular(spelling) || spelling == expected, "{spelling}");
            assert!(!is_irregular(expected), "{expected}");
        }
    }

    #[test]
    fn regular_words_are_kept() {
        for word in [
            "हिन्दी",
            "অসমীয়া",
            "ယောက်ျား",
            "ទៅម៉្យាង",
            "น้ำ",
            "ຫຼາຍ",
            "මම",
            "க்ஷ",
            "မြန်မာ",
        ] {
            assert_eq!(resolve_sequences(word), word);
        }
    }
}
