//! The languages of a text paragraph by paragraph, as shares of its letters.

use crate::code::Code;
use crate::identify::{Identifier, Scratch};
use std::collections::BTreeMap;

/// Paragraphs are joined until they have so many letters: fewer say too little of their language.
const LETTERS: usize = 100;

impl Identifier {
    /// The share of each language in `text`, 0 to 1, by letters.
    ///
    /// Paragraphs end at a line feed. One with fewer than 100 letters is joined with those after it, the last one with
    /// those before. Parts that resemble no language count as `und`; a text without letters has no shares.
    pub fn shares(&self, scratch: &mut Scratch, text: &str) -> BTreeMap<Code, f64> {
        let mut letters: BTreeMap<Code, usize> = BTreeMap::new();
        for (part, count) in parts(text) {
            *letters.entry(self.identify_with(scratch, part).code).or_default() += count;
        }
        let all: usize = letters.values().sum();
        letters.into_iter().filter(|(_, n)| *n > 0).map(|(code, n)| (code, n as f64 / all as f64)).collect()
    }
}

/// Runs of paragraphs with their number of letters.
fn parts(text: &str) -> Vec<(&str, usize)> {
    let mut parts: Vec<(&str, usize)> = Vec::new();
    let (mut start, mut end, mut letters) = (0, 0, 0);
    for paragraph in text.split_inclusive('\n') {
        end += paragraph.len();
        letters += paragraph.chars().filter(|c| c.is_alphabetic()).count();
        if letters >= LETTERS {
            parts.push((&text[start..end], letters));
            (start, letters) = (end, 0);
        }
    }
    match parts.last_mut() {
        Some(last) if letters > 0 => {
            let start = start - last.0.len();
            *last = (&text[start..], last.1 + letters);
        }
        None if letters > 0 => parts.push((text, letters)),
        _ => {}
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_paragraphs_are_joined() {
        let long = "a".repeat(120);
        let text = format!("b\n{long}\n{long}\n\nc\n");
        let lengths: Vec<usize> = parts(&text).into_iter().map(|(_, letters)| letters).collect();
        assert_eq!(lengths, [121, 121]);
        assert_eq!(parts("a\nb"), [("a\nb", 2)]);
        assert_eq!(parts("1\n2"), []);
    }

    #[test]
    fn each_language_has_its_share() {
        let slovenian =
            "Danes je lep dan, zato bomo šli na sprehod do jezera in se potem vrnili domov po stari poti. ".repeat(3);
        let english =
            "Today is a fine day, so we shall walk to the lake and then come back home by the old road. ".repeat(3);
        let shares = Identifier::builtin().shares(&mut Scratch::new(), &format!("{slovenian}\n{english}\n123\n"));
        let codes: Vec<_> = shares.keys().map(Code::as_str).collect();
        assert_eq!(codes, ["eng", "slv"]);
        assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(shares.values().all(|share| (0.4..0.6).contains(share)), "{shares:?}");
    }
}
