//! Sentences of a paragraph.
//!
//! Sentences are those of UAX 29, which are ICU's without a dictionary of abbreviations, with
//! corrections: no sentence ends inside a web address, after an initial or two consonants (`dr. J.
//! Novak`), after a quote that a small letter follows, or without a letter (`1.` before an item of
//! a list).
//!
//! Signs of some scripts end sentences, too: the Greek question mark, which NFC makes a semicolon
//! (ICU's rules for `el`), and the signs that are typed for a danda (`|`), an Armenian full stop
//! (`:`) and an Ethiopic one (`::`, `፡፡`). A full stop belongs to an abbreviation in Thai, which
//! has no other use for it (Royal Society of Thailand, "หลักเกณฑ์การใช้เครื่องหมายวรรคตอน"), and in
//! Lao and Khmer after a letter that stands alone.

use crate::address::addresses;
use crate::ascii_form::ascii_form;
use crate::char_cache::CharCache;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Returns the sentences of a paragraph without blanks at their ends.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut web = addresses(paragraph).peekable();
    let mut sentences: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut ends: Vec<usize> = unicode_ends(paragraph)
        .map(|end| before_opening(&paragraph[..end]))
        .chain(ends_of_scripts(paragraph))
        .collect();
    ends.sort_unstable();
    ends.dedup();
    for end in ends {
        while web.next_if(|address| address.end <= end).is_some() {}
        let is_in_address = web.peek().is_some_and(|address| address.start < end);
        let sentence = &paragraph[start..end];
        if is_in_address || !ends_sentence(sentence) || is_quote_in_sentence(paragraph, end) {
            continue;
        }
        sentences.push(sentence.trim());
        start = end;
    }
    let rest = paragraph[start..].trim();
    if has_letter(rest) || sentences.is_empty() {
        sentences.push(rest);
    } else if let Some(last) = sentences.last_mut().filter(|_| !rest.is_empty()) {
        // What has no letter belongs to the sentence before it.
        let first = paragraph[..start].trim_end().len() - last.len();
        *last = paragraph[first..].trim();
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Returns the ends of sentences by UAX 29, without the end of the text.
fn unicode_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let terminator = start + text[start..].find(is_terminator)?;
        // No rule depends on what is before the word of the terminator.
        let word = text[start..terminator].rfind(' ').unwrap_or(0);
        let part = text[start + word..].split_sentence_bounds().next()?;
        start += word + part.len();
        Some(start)
    })
}

/// Returns `true` for the characters after which a sentence may end by UAX 29.
fn is_terminator(c: char) -> bool {
    /// 2 for terminators, 1 for others.
    static CACHE: CharCache = CharCache::new();
    let find = |c| format!("{c} A").split_sentence_bounds().count().min(2) as u8;
    CACHE.look_up(c, find) == 2
}

/// Returns the end of a part without the marks at its end that open the next one: where no blank is
/// between sentences, as in Chinese and Japanese, UAX 29 takes them for closing ones (rule SB9).
fn before_opening(part: &str) -> usize {
    let before = part.trim_end_matches(['「', '『', '（', '《', '〈', '【', '〔', '｢', '“', '‘']);
    let closing = ['」', '』', '）', '》', '〉', '】', '〕', '｣', '”', '’'];
    match before
        .trim_end_matches(closing)
        .ends_with(['。', '！', '？', '｡', '．'])
    {
        true => before.len(),
        false => part.len(),
    }
}

/// Returns the ends of sentences by signs that are no terminators in UAX 29.
fn ends_of_scripts(paragraph: &str) -> impl Iterator<Item = usize> {
    let signs = paragraph.match_indices([';', '|', ':', '፡']);
    signs.filter_map(|(at, sign)| {
        let (before, after) = (&paragraph[..at], &paragraph[at + sign.len()..]);
        let last = before.chars().next_back();
        let is_at_end = after.is_empty() || after.starts_with(char::is_whitespace);
        let is_after = |range: std::ops::RangeInclusive<char>| {
            let letter = before
                .trim_end_matches([' ', '\u{a0}', '|', ':', '፡'])
                .chars()
                .next_back();
            letter.is_some_and(|c| range.contains(&c))
        };
        let next = || after.trim_start().chars().next();
        let ends = match sign {
            ";" => is_at_end && last.is_some_and(|c| matches!(c, '\u{370}'..='\u{3ff}')),
            "|" => is_at_end && is_after('\u{900}'..='\u{dff}'),
            "፡" => last == Some('፡') && !after.starts_with('፡'),
            _ if last == Some(':') => is_after('\u{1200}'..='\u{139f}'),
            _ => {
                let is_new = next().is_none_or(|c| matches!(c, '\u{531}'..='\u{556}'));
                is_at_end && is_new && last.is_some_and(|c| matches!(c, '\u{561}'..='\u{587}'))
            }
        };
        ends.then_some(at + sign.len())
    })
}

fn has_letter(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// Returns `true` if a quote ends at `end`, and its sentence goes on: `»Kaj?« je vprašal.`
fn is_quote_in_sentence(paragraph: &str, end: usize) -> bool {
    let (before, after) = paragraph.split_at(end);
    let ends_quote = |c: char| {
        matches!(
            c,
            '"' | '\'' | '»' | '«' | '”' | '“' | '’' | '‘' | '›' | '‹' | ')' | ']' | '」' | '』'
        )
    };
    before.trim_end().ends_with(ends_quote) && after.trim_start().starts_with(char::is_lowercase)
}

/// Returns `false` for a part that belongs to what follows it.
fn ends_sentence(part: &str) -> bool {
    let part = part.trim_end();
    if !has_letter(part) {
        return false;
    }
    let Some(before) = part.strip_suffix('.') else {
        return true;
    };
    !is_abbreviation(before)
}

/// Returns `true` if the last word of a text is an initial or a consonant, or has two letters and
/// no vowel (`dr`, `Mr`, `st`, `št`), as hardly any word at the end of a sentence; or if it is an
/// abbreviation of its script.
fn is_abbreviation(text: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && c != '\'' && !is_combining_mark(c);
    let word = text.rsplit(is_end).next().unwrap_or_default();
    let mut letters = word.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('\u{e01}'..='\u{e4e}'), ..) => true,
        (Some(only), None, _) => !(only.is_numeric() || only.is_lowercase() && is_vowel(only)),
        (Some(_), Some(_), None) => {
            let plain = ascii_form(word).to_lowercase();
            let is_consonant = |c: char| c.is_ascii_lowercase() && !is_vowel(c);
            plain.chars().all(is_consonant)
        }
        _ => false,
    }
}

/// Returns `true` for the small letters of Latin, Greek and Cyrillic that are vowels.
fn is_vowel(c: char) -> bool {
    ascii_form(c.encode_utf8(&mut [0; 4])).starts_with(|c| "aeiouy".contains(c))
        || "αεηιουωάέήίόύώаеёиіїоуыэюяє".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{UnicodeSegmentation, sentences, unicode_ends};
    use proptest::prelude::*;

    #[test]
    fn sentences_are_those_of_uax_29_with_corrections() {
        for (text, expected) in [
            (
                "Danes je lep dan. Jutri bo dež! Res?",
                "Danes je lep dan.|Jutri bo dež!|Res?",
            ),
            (
                "Rekel je J. R. Novak. In šel.",
                "Rekel je J. R. Novak.|In šel.",
            ),
            (
                "npr. v vasi in 3.5 km od nje. Tam.",
                "npr. v vasi in 3.5 km od nje.|Tam.",
            ),
            (
                "Mr. Smith in dr. Ana, št. Ena. Na trg. Res. To.",
                "Mr. Smith in dr. Ana, št. Ena.|Na trg.|Res.|To.",
            ),
            ("1. Prva točka", "1. Prva točka"),
            ("Konec. ***", "Konec. ***"),
            ("»Kaj?« je vprašal. Nič.", "»Kaj?« je vprašal.|Nič."),
            (
                "Glej https://a.si/b?C=D!x in piši. Da.",
                "Glej https://a.si/b?C=D!x in piši.|Da.",
            ),
            (
                "这条小溪流过村庄。村庄里的人都喜欢小溪。",
                "这条小溪流过村庄。|村庄里的人都喜欢小溪。",
            ),
            (
                "晴れです。「行きますか？」「はい。」（笑）と言った。",
                "晴れです。|「行きますか？」|「はい。」|（笑）と言った。",
            ),
            ("他说：“好。”“走吧！”", "他说：“好。”|“走吧！”"),
            ("„Was?“ Er ging.", "„Was?“|Er ging."),
            ("यह एक गाँव है। नदी बहती है।", "यह एक गाँव है।|नदी बहती है।"),
            ("هل هذا كتاب؟ نعم.", "هل هذا كتاب؟|نعم."),
            ("12 34", "12 34"),
        ] {
            assert_eq!(sentences(text).join("|"), expected, "{text}");
        }
        assert!(sentences("").is_empty());
    }

    #[test]
    fn signs_of_scripts_end_sentences() {
        for (text, expected) in [
            (
                "Τι κάνεις; Καλά. Πού πας; Πάω.",
                "Τι κάνεις;|Καλά.|Πού πας;|Πάω.",
            ),
            (
                "यह एक गाँव है | नदी बहती है | हाँ |",
                "यह एक गाँव है ¦|नदी बहती है ¦|हाँ ¦",
            ),
            ("এটা গ্রাম| নদী বয়||", "এটা গ্রাম¦|নদী বয়¦¦"),
            (
                "Սա գյուղ է: Գետը հոսում է։ Այո:",
                "Սա գյուղ է:|Գետը հոսում է։|Այո:",
            ),
            ("Նա ասաց. «այո»: բայց", "Նա ասաց. «այո»: բայց"),
            ("ዛሬ ጥሩ ነው፡፡ ነገ ደግሞ:: እሺ።", "ዛሬ ጥሩ ነው፡፡|ነገ ደግሞ::|እሺ።"),
            (
                "Prvi; drugi; tretji | četrti.",
                "Prvi; drugi; tretji ¦ četrti.",
            ),
        ] {
            let text_signs = |text: &str| text.replace('|', "¦");
            let found: Vec<String> = sentences(text).into_iter().map(text_signs).collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }

    #[test]
    fn a_full_stop_of_an_abbreviation_ends_no_sentence() {
        for text in [
            "เปิดในเดือน ม.ค. ของปี พ.ศ. 2567 และมีนักเรียนมาก",
            "คุณยายอยู่ที่ กทม. กับหลานสามคน",
            "ໃນປີ ຄ.ສ. 2020 ນີ້",
            "в г. Москве и т. д. по с. 12",
            "ο κ. Παπαδόπουλος, π.χ. Ελλάδα",
            "ამ ე. წ. სახლში",
            "قال د. أحمد نعم",
        ] {
            assert_eq!(sentences(text), [text]);
        }
        assert_eq!(sentences("ບ້ານນີ້ດີ. ແມ່ນບໍ່").len(), 2);
        assert_eq!(sentences("Это я. Он ушёл.").len(), 2);
    }

    proptest! {
        #[test]
        fn ends_of_sentences_are_those_of_uax_29(
            text in "[aA1ก.!?…։。\u{301}\u{ad} \u{a0}\n\u{85}(\"»,;]{0,24}|\\PC{0,40}"
        ) {
            let ends: Vec<usize> = unicode_ends(&text).filter(|end| *end < text.len()).collect();
            let bounds = text.split_sentence_bound_indices().map(|(at, _)| at).skip(1);
            prop_assert_eq!(ends, bounds.collect::<Vec<_>>());
        }

        #[test]
        fn sentences_have_all_of_the_paragraph(text in r"([A-Za-z0-9 .!?|;:፡ғहα»«()'\n।。]|https://a\.si/\?A){0,60}") {
            for paragraph in text.lines().map(str::trim) {
                let all: String = sentences(paragraph).concat();
                let visible = |text: &str| text.split_whitespace().collect::<String>();
                prop_assert_eq!(visible(&all), visible(paragraph));
            }
        }
    }
}
