//! Sentences and tokens of a paragraph.
//!
//! Sentences are those of UAX 29, which are ICU's without a dictionary of abbreviations, with
//! corrections: no sentence ends inside a web address, after an initial or two consonants (`dr. J.
//! Novak`), after a quote that a small letter follows, or without a letter (`1.` before an item of
//! a list).

use forage_text::{addresses, ascii_form, for_each_token};
use unicode_segmentation::UnicodeSegmentation;

/// Returns the sentences of a paragraph without blanks at their ends.
pub(crate) fn sentences(paragraph: &str) -> Vec<&str> {
    let mut web = addresses(paragraph).peekable();
    let mut sentences: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, part) in paragraph.split_sentence_bound_indices() {
        let end = at + part.len();
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

/// Returns the tokens of a sentence. The second value is true if a token follows the one before it
/// without a blank.
pub(crate) fn tokens(sentence: &str) -> Vec<(&str, bool)> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for_each_token(sentence, |token| {
        let is_joined = !tokens.is_empty() && token.start == end;
        end = token.end;
        tokens.push((&sentence[token], is_joined));
    });
    tokens
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

/// Returns `true` if the last word of a text is an initial, or has two letters and no vowel (`dr`,
/// `Mr`, `st`, `št`), as hardly any word at the end of a sentence.
fn is_abbreviation(text: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && c != '\'';
    let word = text.rsplit(is_end).next().unwrap_or_default();
    let mut letters = word.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(initial), None, _) => initial.is_uppercase(),
        (Some(_), Some(_), None) => {
            let plain = ascii_form(word).to_lowercase();
            let is_consonant = |c: char| c.is_ascii_lowercase() && !"aeiouy".contains(c);
            plain.chars().all(is_consonant)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{sentences, tokens};
    use forage_text::paragraphs;
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
            ("यह एक गाँव है। नदी बहती है।", "यह एक गाँव है।|नदी बहती है।"),
            ("هل هذا كتاب؟ نعم.", "هل هذا كتاب؟|نعم."),
            ("12 34", "12 34"),
        ] {
            assert_eq!(sentences(text).join("|"), expected, "{text}");
        }
        assert!(sentences("").is_empty());
    }

    #[test]
    fn a_token_says_whether_a_blank_precedes_it() {
        let joined: Vec<_> = tokens("(Da, res.)")
            .into_iter()
            .map(|(_, joined)| joined)
            .collect();
        assert_eq!(joined, [false, true, true, false, true, true]);
    }

    proptest! {
        #[test]
        fn sentences_have_all_of_the_paragraph(text in r"([A-Za-z0-9 .!?»«()'\n।。]|https://a\.si/\?A){0,60}") {
            for paragraph in paragraphs(&text) {
                let all: String = sentences(paragraph).concat();
                let visible = |text: &str| text.split_whitespace().collect::<String>();
                prop_assert_eq!(visible(&all), visible(paragraph));
            }
        }
    }
}
