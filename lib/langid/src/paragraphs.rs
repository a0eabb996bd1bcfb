//! The languages of a text paragraph by paragraph, as shares of its letters.

use crate::code::LanguageCode;
use crate::evidence::tokens::Tokens;
use crate::identify::{Identification, Identifier, Scratch, TOP};
use crate::script::Script;
use std::collections::BTreeMap;

/// Letters of a paragraph that is judged by itself; fewer say too little of their language.
const LETTERS: u64 = 30;

/// The share from which a text that resembles no language as a whole is in the language that has
/// it.
const MOST: f64 = 0.5;

impl Identifier {
    /// [`Identifier::identify_with`], and the share of each language in `text`, 0 to 1, by letters.
    ///
    /// Paragraphs end at a line feed. One with fewer than 30 letters is joined with those after it,
    /// or else before it, where they are in its script. Parts that resemble no language count as
    /// `und`; a text without letters has no shares.
    ///
    /// A page in several languages may resemble none as a whole. Then the shares are the answer:
    /// `top` holds the greatest, `score` and `margin` are made from them, and `code` is the
    /// language that has half of the text.
    pub fn identify_paragraphs(
        &self,
        scratch: &mut Scratch,
        text: &str,
    ) -> (Identification, BTreeMap<LanguageCode, f64>) {
        let found = self.identify_with(scratch, text);
        let shares = self.shares(scratch, text);
        let found = if found.code == LanguageCode::UNDETERMINED {
            by_shares(found.script, &shares)
        } else {
            found
        };
        (found, shares)
    }

    fn shares(&self, scratch: &mut Scratch, text: &str) -> BTreeMap<LanguageCode, f64> {
        let mut letters: BTreeMap<LanguageCode, u64> = BTreeMap::new();
        for part in parts(&mut scratch.tokens, text) {
            *letters
                .entry(self.identify_with(scratch, part.text).code)
                .or_default() += part.letters;
        }
        let all: u64 = letters.values().sum();
        letters
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(code, n)| (code, n as f64 / all as f64))
            .collect()
    }
}

/// The answer for a text that resembles no language as a whole.
fn by_shares(script: Script, shares: &BTreeMap<LanguageCode, f64>) -> Identification {
    let known = shares
        .iter()
        .filter(|(code, _)| **code != LanguageCode::UNDETERMINED);
    let mut top: Vec<(LanguageCode, f64)> = known.map(|(code, share)| (*code, *share)).collect();
    top.sort_by(|a, b| b.1.total_cmp(&a.1));
    top.truncate(TOP);
    let second = top.get(1).map_or(0.0, |(_, share)| *share);
    let (code, score, margin) = match top.first() {
        Some((code, share)) if *share >= MOST => (*code, *share, 1.0 - second / share),
        _ => (LanguageCode::UNDETERMINED, 0.0, 0.0),
    };
    Identification {
        code,
        script,
        score,
        margin,
        top,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Part<'a> {
    text: &'a str,
    letters: u64,
    script: Script,
}

impl Part<'_> {
    /// Whether both are one script's; what has no letters is any's.
    fn is_like(&self, other: &Self) -> bool {
        self.letters == 0 || other.letters == 0 || self.script.is_like(other.script)
    }
}

/// Paragraphs, short ones joined with their neighbours.
fn parts<'a>(tokens: &mut Tokens, text: &'a str) -> Vec<Part<'a>> {
    let paragraphs = text.split_inclusive('\n').map(|text| {
        tokens.count(text);
        Part {
            text,
            letters: tokens.number_of_letters(),
            script: tokens.script(),
        }
    });
    let joined = join(text, paragraphs, |last, next| {
        next.letters == 0 || last.letters < LETTERS
    });
    // What is still short had nothing of its script behind it.
    join(text, joined.into_iter(), |_, next| next.letters < LETTERS)
}

/// Joins the parts of `text` with those before them where these are in the same script and
/// `is_joined` says so.
fn join<'a>(
    text: &'a str,
    parts: impl Iterator<Item = Part<'a>>,
    is_joined: impl Fn(&Part<'a>, &Part<'a>) -> bool,
) -> Vec<Part<'a>> {
    let mut joined: Vec<Part<'a>> = Vec::new();
    let mut end = 0;
    for next in parts {
        end += next.text.len();
        match joined.last_mut() {
            Some(last) if last.is_like(&next) && is_joined(last, &next) => {
                last.script = if last.letters < next.letters {
                    next.script
                } else {
                    last.script
                };
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

    const SLOVENIAN: &str =
        "Danes je lep dan, zato bomo šli na sprehod do jezera in se vrnili domov po stari poti.";
    const ENGLISH: &str =
        "Today is a fine day, so we shall walk to the lake and come back home by the old road.";

    fn lengths(text: &str) -> Vec<u64> {
        let parts = parts(&mut Tokens::default(), text);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
        parts.into_iter().map(|part| part.letters).collect()
    }

    #[test]
    fn short_paragraphs_are_joined() {
        let long = "a".repeat(40);
        assert_eq!(lengths(&format!("b\n{long}\n1\n{long}\n\nc\n")), [41, 41]);
        assert_eq!(lengths("a\nb"), [2]);
        assert_eq!(lengths(&"abcdefghij\n".repeat(7)), [30, 40]);
        assert_eq!(lengths("1\n2"), [0]);
        assert_eq!(lengths(""), []);
    }

    #[test]
    fn scripts_are_never_joined() {
        let long = "a".repeat(40);
        assert_eq!(
            lengths(&format!("да\n{long}\nда\n1\nб\n{long}\n日\n本に")),
            [2, 40, 3, 40, 3]
        );
        assert_eq!(lengths(&format!("\n\n{long}\nb\nда\n")), [41, 2]);
    }

    fn identify(text: &str) -> (Identification, Vec<String>) {
        let scratch = &mut Scratch::default();
        let (found, shares) = Identifier::builtin().identify_paragraphs(scratch, text);
        assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-9);
        (found, shares.keys().map(LanguageCode::to_string).collect())
    }

    #[test]
    fn each_language_has_its_share() {
        let (found, codes) = identify(&format!("{SLOVENIAN}\n{ENGLISH}\n123\n"));
        assert_eq!(codes, ["eng", "slv"]);
        assert!(found.top.len() >= 2);
    }

    #[test]
    fn short_paragraphs_of_five_languages_are_told_apart() {
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
    fn where_the_whole_resembles_none_the_shares_decide() {
        let script = Script::new("Latn").unwrap();
        let shares = |all: &[(&str, f64)]| {
            all.iter()
                .map(|(code, share)| (code.parse().unwrap(), *share))
                .collect()
        };
        let found = by_shares(script, &shares(&[("slv", 0.5), ("eng", 0.2), ("und", 0.3)]));
        assert_eq!(
            (found.code.as_str(), found.score, found.margin),
            ("slv", 0.5, 0.6)
        );
        assert_eq!(
            found
                .top
                .iter()
                .map(|(code, _)| code.as_str())
                .collect::<Vec<_>>(),
            ["slv", "eng"]
        );
        let found = by_shares(script, &shares(&[("eng", 0.1), ("slv", 0.3), ("und", 0.6)]));
        assert_eq!(
            (found.code, found.score, found.margin),
            (LanguageCode::UNDETERMINED, 0.0, 0.0)
        );
        assert_eq!(
            found
                .top
                .iter()
                .map(|(code, _)| code.as_str())
                .collect::<Vec<_>>(),
            ["slv", "eng"]
        );
    }
}
