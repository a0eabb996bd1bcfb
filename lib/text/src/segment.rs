//! Segmentation of text into words.
//!
//! A text is split into runs of letters with the same rule ([`SCRIPTS`](crate::scripts::SCRIPTS)),
//! and each run into words by its rule. Words of scripts without blanks have the spelling of the
//! lexicons, all others that of the text; `fold.rs` makes terms of them.

use crate::fold::{fold_unspaced, is_invisible};
use crate::lexicon::built_in;
use crate::normalise::normalise;
use crate::scripts::{Delimitation, contains_unspaced_script, delimitation_of, is_unspaced};
use crate::syllables::is_boundary;
use unicode_segmentation::UnicodeSegmentation;

/// Returns the number of words of a text in any normal form, as [`for_each_word`] finds them.
pub fn count_words(text: &str) -> u64 {
    let mut words = 0;
    for_each_word(&normalise(text), |_| words += 1);
    words
}

/// Calls `emit` with each word of `text`, which must be in NFC, in order.
///
/// A word contains a letter or a digit. In scripts with blanks it is a word by UAX 29; in others
/// the text is segmented by a lexicon or into syllables (`docs/guide/words.md`). Runs in
/// O(`text.len()`).
pub fn for_each_word(text: &str, mut emit: impl FnMut(&str)) {
    if !contains_unspaced_script(text) {
        for_each_unicode_word(text, &mut emit);
        return;
    }
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let delimitation = run_delimitation(first);
        let length = rest
            .find(|c| !is_invisible(c) && run_delimitation(c) != delimitation)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(length);
        segment_run(run, delimitation, &mut emit);
        rest = after;
    }
}

/// Calls `emit` with the words of UAX 29, with two corrections: a narrow no-break space (U+202F),
/// which UAX 29 has inside numbers, ends a word, and blanks or punctuation that UAX 29 joins to a
/// following combining mark belong to no word.
fn for_each_unicode_word(text: &str, emit: &mut impl FnMut(&str)) {
    for word in text.unicode_words() {
        if word.is_ascii() {
            emit(word);
            continue;
        }
        for part in word.split('\u{202f}') {
            let part = part.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if !part.is_empty() {
                emit(part);
            }
        }
    }
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
fn segment_run(run: &str, delimitation: Delimitation, emit: &mut impl FnMut(&str)) {
    match delimitation {
        Delimitation::Blanks => for_each_unicode_word(run, emit),
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
    fn an_invisible_joiner_ends_no_word() {
        assert_eq!(words("ภา\u{2060}ษา"), "ภาษา");
        assert_eq!(words("ภา\u{200e}ษา"), "ภาษา");
        assert_eq!(words("葛\u{e0100}飾区"), words("葛飾区"));
        assert_eq!(words("ภาษา\u{200b}ไทย"), "ภาษา ไทย");
    }
}
