//! Identification paragraph by paragraph: the share of each language in a text, by letters.

use crate::code::LanguageCode;
use crate::evidence::tokenizer::WordTokenizer;
use crate::identify::{Identification, Identifier, MAX_CANDIDATES, Scratch};
use crate::script::Script;
use forage_text::is_line_end;
use std::collections::BTreeMap;

/// Minimum number of letters of a paragraph that is identified on its own; shorter ones have too
/// little evidence. Set by judgement, not measured.
const MIN_LETTERS: u64 = 30;

/// Minimum share of the letters for a language that is the result for a text that as a whole
/// resembles no language. Set by judgement, not measured.
const MAJORITY_SHARE: f64 = 0.5;

impl Identifier {
    /// Identifies the whole of `text`, without windows, and also returns the share of each
    /// language, 0 to 1, by letters.
    ///
    /// Paragraphs are lines, however they end. One with fewer than 30 letters is joined with the
    /// following paragraphs, or else with the preceding ones, as long as they have the same script.
    /// Parts that resemble no language count as `und`. A text without letters has no shares.
    ///
    /// A page in several languages may resemble none of them as a whole. In this case the result
    /// follows from the shares: `top` holds the largest, `score` and `margin` are computed from
    /// them, and `code` is the language with at least half of the text, or `und`. If the shares
    /// have no language either, `top` has the languages nearest to the whole.
    pub fn identify_paragraphs(
        &self,
        scratch: &mut Scratch,
        text: &str,
    ) -> (Identification, BTreeMap<LanguageCode, f64>) {
        let whole = self.identify_whole(scratch, text);
        let shares = self.language_shares(scratch, text);
        let identification = if whole.code == LanguageCode::UNDETERMINED && whole.font.is_none() {
            identify_by_shares(whole, &shares)
        } else {
            whole
        };
        (identification, shares)
    }

    fn language_shares(&self, scratch: &mut Scratch, text: &str) -> BTreeMap<LanguageCode, f64> {
        let mut letters: BTreeMap<LanguageCode, u64> = BTreeMap::new();
        for part in split_parts(&mut scratch.tokenizer, text) {
            let code = self.identify_whole(scratch, part.text).code;
            *letters.entry(code).or_default() += part.letters;
        }
        let total: u64 = letters.values().sum();
        let letters = letters.into_iter().filter(|(_, n)| *n > 0);
        letters
            .map(|(code, n)| (code, n as f64 / total as f64))
            .collect()
    }
}

/// Returns the result for a text that as a whole resembles no language.
fn identify_by_shares(
    whole: Identification,
    shares: &BTreeMap<LanguageCode, f64>,
) -> Identification {
    let top = shares.iter().map(|(code, share)| (*code, *share));
    let top = top.filter(|(code, _)| *code != LanguageCode::UNDETERMINED);
    let mut top: Vec<(LanguageCode, f64)> = top.collect();
    top.sort_by(|a, b| b.1.total_cmp(&a.1));
    top.truncate(MAX_CANDIDATES);
    if top.is_empty() {
        return whole;
    }
    let second = top.get(1).map_or(0.0, |(_, share)| *share);
    let (code, score, margin) = match top.first() {
        Some((code, share)) if *share >= MAJORITY_SHARE => (*code, *share, 1.0 - second / share),
        _ => (LanguageCode::UNDETERMINED, 0.0, 0.0),
    };
    Identification {
        code,
        score,
        margin,
        top,
        ..whole
    }
}

/// One or more consecutive paragraphs that are identified together.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TextPart<'a> {
    text: &'a str,
    letters: u64,
    script: Script,
}

impl TextPart<'_> {
    /// Returns `true` if both parts have the same script. A part without letters matches any
    /// script.
    fn has_compatible_script(&self, other: &Self) -> bool {
        self.letters == 0 || other.letters == 0 || self.script.is_compatible_with(other.script)
    }
}

/// Splits a text into paragraphs and joins short ones with their neighbours.
fn split_parts<'a>(tokenizer: &mut WordTokenizer, text: &'a str) -> Vec<TextPart<'a>> {
    let paragraphs = text.split_inclusive(is_line_end).map(|text| {
        tokenizer.count_letters(text);
        TextPart {
            text,
            letters: tokenizer.number_of_letters(),
            script: tokenizer.script(),
        }
    });
    let joined = join_parts(text, paragraphs, |last, next| {
        next.letters == 0 || last.letters < MIN_LETTERS
    });
    // A part that is still short has no successor in its script.
    join_parts(text, joined.into_iter(), |_, next| {
        next.letters < MIN_LETTERS
    })
}

/// Joins each part of `text` with its predecessor if both have the same script and `should_join`
/// returns `true` for the two.
fn join_parts<'a>(
    text: &'a str,
    parts: impl Iterator<Item = TextPart<'a>>,
    should_join: impl Fn(&TextPart<'a>, &TextPart<'a>) -> bool,
) -> Vec<TextPart<'a>> {
    let mut joined: Vec<TextPart<'a>> = Vec::new();
    let mut end = 0;
    for next in parts {
        end += next.text.len();
        match joined.last_mut() {
            Some(last) if last.has_compatible_script(&next) && should_join(last, &next) => {
                if last.letters < next.letters {
                    last.script = next.script;
                }
                last.letters += next.letters;
                last.text = &text[end - next.text.len() - last.text.len()..end];
            }
            _ => joined.push(next),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify::undetermined;

    const SLOVENIAN: &str =
        "Danes je lep dan, zato bomo šli na sprehod do jezera in se vrnili domov po stari poti.";
    const ENGLISH: &str =
        "Today is a fine day, so we shall walk to the lake and come back home by the old road.";

    fn lengths(text: &str) -> Vec<u64> {
        let parts = split_parts(&mut WordTokenizer::default(), text);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
        parts.into_iter().map(|part| part.letters).collect()
    }

    #[test]
    fn short_paragraphs_are_joined_with_neighbours() {
        let long = "a".repeat(40);
        assert_eq!(lengths(&format!("b\n{long}\n1\n{long}\n\nc\n")), [41, 41]);
        assert_eq!(lengths("a\nb"), [2]);
        assert_eq!(lengths(&"abcdefghij\n".repeat(7)), [30, 40]);
        assert_eq!(lengths("1\n2"), [0]);
        assert_eq!(lengths(""), []);
    }

    #[test]
    fn paragraphs_in_different_scripts_are_not_joined() {
        let long = "a".repeat(40);
        assert_eq!(
            lengths(&format!("да\n{long}\nда\n1\nб\n{long}\n日\n本に")),
            [2, 40, 3, 40, 3]
        );
        assert_eq!(lengths(&format!("\n\n{long}\nb\nда\n")), [41, 2]);
    }

    fn identify(text: &str) -> (Identification, Vec<String>) {
        let scratch = &mut Scratch::default();
        let (identification, shares) = Identifier::builtin().identify_paragraphs(scratch, text);
        assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-9);
        (
            identification,
            shares.keys().map(LanguageCode::to_string).collect(),
        )
    }

    #[test]
    fn each_language_of_a_mixed_text_has_a_share() {
        let (identification, codes) = identify(&format!("{SLOVENIAN}\n{ENGLISH}\n123\n"));
        assert_eq!(codes, ["eng", "slv"]);
        assert!(identification.top.len() >= 2);
    }

    #[test]
    fn identifies_short_paragraphs_in_five_languages() {
        let lines = [
            "We walked to the lake and came back home in the evening.",
            "Wir gingen zum See und kamen am Abend wieder nach Hause.",
            "Nous avons marché jusqu'au lac et sommes rentrés le soir.",
            "Poszliśmy nad jezioro i wieczorem wróciliśmy do domu.",
            "Мы пошли на озеро и вечером вернулись домой.",
        ];
        let (_, codes) = identify(&lines.join("\n"));
        assert_eq!(codes, ["deu", "eng", "fra", "pol", "rus"]);
    }

    #[test]
    fn the_majority_language_is_the_answer_if_the_whole_resembles_none() {
        let script = Script::new("Latn").unwrap();
        let shares = |all: &[(&str, f64)]| {
            all.iter()
                .map(|(code, share)| (code.parse().unwrap(), *share))
                .collect()
        };
        let identification = identify_by_shares(
            undetermined(script),
            &shares(&[("slv", 0.5), ("eng", 0.2), ("und", 0.3)]),
        );
        assert_eq!(
            (
                identification.code.as_str(),
                identification.score,
                identification.margin
            ),
            ("slv", 0.5, 0.6)
        );
        assert_eq!(
            identification
                .top
                .iter()
                .map(|(code, _)| code.as_str())
                .collect::<Vec<_>>(),
            ["slv", "eng"]
        );
        let identification = identify_by_shares(
            undetermined(script),
            &shares(&[("eng", 0.1), ("slv", 0.3), ("und", 0.6)]),
        );
        assert_eq!(
            (
                identification.code,
                identification.score,
                identification.margin
            ),
            (LanguageCode::UNDETERMINED, 0.0, 0.0)
        );
        assert_eq!(
            identification
                .top
                .iter()
                .map(|(code, _)| code.as_str())
                .collect::<Vec<_>>(),
            ["slv", "eng"]
        );
    }
}
