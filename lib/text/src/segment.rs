//! Segmentation of text into words.
//!
//! A text is split into runs of letters with the same rule ([`SCRIPTS`](crate::scripts::SCRIPTS)),
//! and each run into words by its rule. Words of scripts without blanks have the spelling of the
//! lexicons, all others that of the text; `fold.rs` makes terms of them.

use crate::address::addresses;
use crate::fold::{fold_unspaced, is_invisible, is_typed_apostrophe};
use crate::lexicon::built_in;
use crate::normalise::normalise;
use crate::scripts::{Delimitation, contains_unspaced_script, delimitation_of, is_unspaced};
use crate::syllables::is_boundary;
use crate::unicode_words::for_each_unicode_word;
use memchr::memchr3_iter;
use unicode_segmentation::UnicodeSegmentation;

/// Returns the number of words of a text in any normal form, as [`for_each_word`] finds them.
pub fn count_words(text: &str) -> u64 {
    let mut words = 0;
    for_each_word(&normalise(text), |_| words += 1);
    words
}

/// Calls `emit` with each word of `text`, which must be in NFC, in order.
///
/// A word contains a letter or a digit, and is outside of [`addresses`]. In scripts with blanks it
/// is a word by UAX 29; in others the text is segmented by a lexicon or into syllables
/// (`docs/guide/words.md`). Runs in O(`text.len()`).
pub fn for_each_word(text: &str, mut emit: impl FnMut(&str)) {
    let mut end = 0;
    for address in addresses(text) {
        segment(&text[end..address.start], &mut emit);
        end = address.end;
    }
    segment(&text[end..], &mut emit);
}

/// Calls `emit` with each word of a text without addresses.
fn segment(text: &str, emit: &mut impl FnMut(&str)) {
    for_each_run(text, |run, delimitation| {
        segment_run(run, delimitation, emit);
    });
}

/// Calls `emit` with each run of a text that is delimited by one rule.
pub(crate) fn for_each_run<'a>(text: &'a str, mut emit: impl FnMut(&'a str, Delimitation)) {
    if !contains_unspaced_script(text) {
        emit(text, Delimitation::Blanks);
        return;
    }
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let delimitation = run_delimitation(first);
        let length = rest
            .find(|c| !is_invisible(c) && run_delimitation(c) != delimitation)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(length);
        emit(run, delimitation);
        rest = after;
    }
}

/// Calls `emit` with the words of UAX 29, with three corrections: a narrow no-break space (U+202F),
/// which UAX 29 has inside numbers, ends a word, and so it separates the suffixes of Mongolian;
/// blanks or punctuation that UAX 29 joins to a following combining mark belong to no word; and a
/// sign that is typed for an apostrophe joins two letters.
fn for_each_corrected_word(text: &str, emit: &mut impl FnMut(&str)) {
    if !has_typed_apostrophe(text) {
        for_each_unicode_word(text, |word| emit_unicode_word(word, emit));
        return;
    }
    let mut words = text.unicode_word_indices().peekable();
    while let Some((start, word)) = words.next() {
        let mut end = start + word.len();
        while let Some((next, word)) = words.next_if(|(next, _)| is_apostrophe_at(text, end, *next))
        {
            end = next + word.len();
        }
        emit_unicode_word(&text[start..end], emit);
    }
}

/// Returns `true` if the text has a sign of [`is_typed_apostrophe`]: few texts have one.
fn has_typed_apostrophe(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The last bytes of the three signs in UTF-8, and what is before them.
    memchr3_iter(b'`', 0xb4, 0xb2, bytes).any(|index| match bytes[index] {
        b'`' => true,
        0xb4 => bytes[..index].ends_with(&[0xc2]),
        _ => bytes[..index].ends_with(&[0xe2, 0x80]),
    })
}

fn emit_unicode_word(word: &str, emit: &mut impl FnMut(&str)) {
    if word.is_ascii() {
        emit(word);
        return;
    }
    for part in word.split('\u{202f}') {
        let part = part.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if !part.is_empty() {
            emit(part);
        }
    }
}

/// Returns `true` if the bytes `start` to `end` are one sign that is typed for an apostrophe,
/// between two letters.
fn is_apostrophe_at(text: &str, start: usize, end: usize) -> bool {
    let mut between = text[start..end].chars();
    between.next().is_some_and(is_typed_apostrophe)
        && between.next().is_none()
        && text[..start].ends_with(char::is_alphabetic)
        && text[end..].starts_with(char::is_alphabetic)
}

/// Returns how the run that contains `c` is delimited; by blanks if `c` is no letter.
fn run_delimitation(c: char) -> Delimitation {
    if is_unspaced(c) {
        delimitation_of(c)
    } else {
        Delimitation::Blanks
    }
}

/// Calls `emit` with the words of a run of letters with the same rule.
pub(crate) fn segment_run(run: &str, delimitation: Delimitation, emit: &mut impl FnMut(&str)) {
    match delimitation {
        Delimitation::Blanks => for_each_corrected_word(run, emit),
        Delimitation::Runs => emit(&fold_unspaced(run)),
        Delimitation::Lexicon(name) => {
            let run = fold_unspaced(run);
            match built_in(name) {
                Some(lexicon) => lexicon.for_each_word(&run, emit),
                None => for_each_syllable(&run, emit),
            }
        }
        Delimitation::Syllables => for_each_syllable(&fold_unspaced(run), emit),
    }
}

fn for_each_syllable(run: &str, mut emit: impl FnMut(&str)) {
    let mut start = 0;
    for end in 1..=run.len() {
        if is_boundary(run, end) {
            emit(&run[start..end]);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::for_each_word;
    use crate::normalise;

    fn words(text: &str) -> String {
        let mut words = Vec::new();
        for_each_word(&normalise(text), |word| words.push(word.to_string()));
        words.join(" ")
    }

    /// Checks the words of a text, given as the text with words separated by blanks.
    fn check(segmented: &str) {
        assert_eq!(words(&segmented.replace(' ', "")), segmented);
    }

    #[test]
    fn chinese_japanese_and_their_mixture_with_other_scripts_are_segmented() {
        check("他 来到 北京大学 学习 中文");
        check("我們 在 臺灣 買 了 新 電腦");
        check("私 は 昨日 新しい カメラ を 買い まし た");
        check("東京都 は 今日 新しい 鉄道 計画 を 発表 し た");
        assert_eq!(words("2024年、JR東日本は…"), "2024 年 JR 東日本 は");
        assert_eq!(words("ﾃﾚﾋﾞ"), "テレビ");
    }

    #[test]
    fn south_east_asian_scripts_are_segmented() {
        check("ภาษา ไทย เป็น ภาษา ราชการ");
        check("ພາສາ ລາວ ແມ່ນ ພາສາ");
        check("ភាសា ខ្មែរ ជា ភាសា");
        check("မြန်မာနိုင်ငံ သည် အရှေ့တောင် အာ ရှ တွင် ရှိ");
        // An abbreviation, and a word that begins with a sign.
        assert_eq!(words("ข่าว กทม วันนี้ สพฐ."), "ข่าว กทม วันนี้ สพฐ");
        check("၎င်း တို့");
        // Sara am in two characters, and two sara e for sara ae.
        assert_eq!(words("น้ํา เเละ"), "น้ำ และ");
    }

    #[test]
    fn a_sequence_that_no_lexicon_contains_is_split_into_syllables() {
        // Shan, in the Burmese script.
        assert_eq!(words("ၵူၼ်းၼၼ်ႉ"), "ၵူၼ်း ၼၼ်ႉ");
        check("ꦗ ꦮ");
        check("ꆈ ꌠ");
        check("ᦺᦑ ᦟᦹᧉ");
    }

    #[test]
    fn syllables_of_tibetan_and_words_between_blanks_are_words() {
        assert_eq!(words("བོད་ཀྱི་སྐད་ཡིག།"), "བོད ཀྱི སྐད ཡིག");
        assert_eq!(words("ሰላም፡ለኢትዮጵያ።"), "ሰላም ለኢትዮጵያ");
        assert_eq!(words("Danes je 7. maj, l'home"), "Danes je 7 maj l'home");
        assert_eq!(
            words("vrai\u{202f}! 10\u{202f}km «\u{202f}oui\u{202f}»"),
            "vrai 10 km oui"
        );
        assert_eq!(words("한국어를 배우는 사람"), "한국어를 배우는 사람");
        assert_eq!(words("tiếng Việt"), "tiếng Việt");
        // Tai Dam.
        assert_eq!(words("ꪹꪜꪸꪙ ꪹꪊꪉ"), "ꪹꪜꪸꪙ ꪹꪊꪉ");
    }

    #[test]
    fn a_sign_that_is_typed_for_an_apostrophe_ends_no_word() {
        assert_eq!(
            words("o`zbek O´zbek gʻarb’lik bo′ladi"),
            "o`zbek O´zbek gʻarb’lik bo′ladi"
        );
        assert_eq!(
            words("a`b`c `citat` `x y` 5′ 6`a `"),
            "a`b`c citat x y 5 6 a"
        );
        assert_eq!(words("п`ять об´єкт"), "п`ять об´єкт");
    }

    #[test]
    fn addresses_are_no_words() {
        assert_eq!(
            words(
                "glej https://sl.wikipedia.org/wiki/Gora, piši na jane.doe@example.com ali example.org/pot."
            ),
            "glej piši na ali"
        );
        assert_eq!(
            words("今日https://t.co/abcは天気。example.jp へ"),
            "今日 は 天気 へ"
        );
        assert_eq!(words("a@b.si www.b.si c.com"), "");
    }

    #[test]
    fn armenian_and_mongolian_signs_end_no_word() {
        assert_eq!(words("Ի՞նչ գնա՛ ինչո՞ւ").split(' ').count(), 3);
        // A variation selector, a vowel separator, and a suffix after a narrow no-break space.
        assert_eq!(words("ᠪᠠᠢ\u{180b}ᠨᠠ ᠬᠠᠷ\u{180e}ᠠ").split(' ').count(), 2);
        assert_eq!(words("ᠮᠣᠩᠭᠣᠯ\u{202f}ᠤᠨ"), "ᠮᠣᠩᠭᠣᠯ ᠤᠨ");
    }

    #[test]
    fn an_invisible_joiner_ends_no_word() {
        assert_eq!(words("ภา\u{2060}ษา"), "ภาษา");
        assert_eq!(words("ภา\u{200e}ษา"), "ภาษา");
        assert_eq!(words("葛\u{e0100}飾区"), words("葛飾区"));
        assert_eq!(words("ภาษา\u{200b}ไทย"), "ภาษา ไทย");
    }
}
