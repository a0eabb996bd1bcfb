//! The tagger of English: E. Brill's, with its lexicon and rules, which were learned from the Penn
//! Treebank and the Brown corpus (`lib/topic/model/README.md`).
//!
//! Each word first gets its most frequent tag, or by lexical rules a likely one if it is unknown;
//! contextual rules then correct tags by the words and tags around them.

mod contextual;
mod lexical;
mod lexicon;
mod stop_words;
mod tags;
mod tokens;

use super::porter;
use super::tagger::{PartOfSpeech, TaggedWord, Tagger};
use contextual::{ContextualRules, TaggedSentence};
use lexical::LexicalRules;
use lexicon::{LexicalTags, Lexicon};
use std::borrow::Cow;
use std::cell::RefCell;
pub(crate) use stop_words::is_stop_word;
use tags::{Tag, TagSet};
use tokens::{Token, TokenKind, for_each_sentence};

/// Maximum length of a word, in bytes. Longer ones are data, such as base64.
const MAX_WORD_BYTES: usize = 100;

/// Minimum number of words by which the capital letters of a sentence are taken for those of a
/// headline. Set by judgement, not measured.
const MIN_HEADLINE_WORDS: usize = 3;

/// The tagger of English.
#[derive(Debug)]
pub struct EnglishTagger {
    lexicon: Lexicon,
    lexical: LexicalRules,
    contextual: ContextualRules,
}

impl Default for EnglishTagger {
    fn default() -> Self {
        Self {
            lexicon: Lexicon::builtin(),
            lexical: LexicalRules::builtin(),
            contextual: ContextualRules::builtin(),
        }
    }
}

impl Tagger for EnglishTagger {
    fn tag_words(&self, text: &str, visit: &mut dyn FnMut(TaggedWord<'_>)) {
        thread_local! {
            /// Buffers, which one thread reuses from text to text.
            static SENTENCE: RefCell<TaggedSentence> = RefCell::default();
        }
        SENTENCE.with_borrow_mut(|sentence| {
            for_each_sentence(text, &self.lexicon, |tokens| {
                self.tag_sentence(text, tokens, sentence);
                let tags = &sentence.tags[contextual::PADDING..];
                for (token, tag) in tokens.iter().zip(tags) {
                    visit(to_word(text, token, *tag));
                }
            });
        });
    }
}

impl EnglishTagger {
    fn tag_sentence(&self, text: &str, tokens: &[Token], sentence: &mut TaggedSentence) {
        let case = LetterCase::of_sentence(text, tokens);
        let mut is_first = true;
        sentence.clear();
        for (index, token) in tokens.iter().enumerate() {
            let word = &text[token.range.clone()];
            let (tag, permitted) = match token.kind {
                TokenKind::Word => {
                    let neighbour = |index: Option<usize>| {
                        let token = index.and_then(|index| tokens.get(index));
                        token.map_or("", |token| &text[token.range.clone()])
                    };
                    let around = [
                        neighbour(index.checked_sub(1)),
                        word,
                        neighbour(index.checked_add(1)),
                    ];
                    self.initial_tag(around, case, std::mem::take(&mut is_first))
                }
                TokenKind::Number => fixed(tags::NUMBER),
                TokenKind::Clitic => fixed(clitic_tag(word)),
                TokenKind::Punctuation => fixed(punctuation_tag(word)),
                TokenKind::Address => fixed(tags::SYMBOL),
            };
            sentence.push(tag, permitted, self.contextual.word_number(word));
        }
        sentence.pad();
        self.contextual.apply(sentence);
    }

    /// Returns the tag of a word without regard to the tags around it, and the tags that contextual
    /// rules may give it.
    fn initial_tag(
        &self,
        [left, word, right]: [&str; 3],
        case: LetterCase,
        is_first: bool,
    ) -> (Tag, Option<TagSet>) {
        if word.len() > MAX_WORD_BYTES {
            return fixed(tags::SYMBOL);
        }
        let lower = || -> Option<LexicalTags> {
            word.contains(char::is_uppercase)
                .then(|| self.lexicon.look_up(&word.to_lowercase()))?
        };
        let known = match case {
            LetterCase::Headline => lower().or_else(|| self.lexicon.look_up(word)),
            LetterCase::Mixed => self
                .lexicon
                .look_up(word)
                .or_else(|| if is_first { lower() } else { None }),
        };
        match known {
            Some(LexicalTags { first, all }) => (first, Some(all)),
            None => (
                self.lexical.guess_tag(&self.lexicon, [left, word, right]),
                None,
            ),
        }
    }
}

/// What the capital letters of a sentence mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterCase {
    /// Nothing: all longer words begin with one, as in a headline.
    Headline,
    /// A name, or the first word.
    Mixed,
}

impl LetterCase {
    fn of_sentence(text: &str, tokens: &[Token]) -> Self {
        let mut words = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word && token.range.len() > 3)
            .map(|token| &text[token.range.clone()]);
        let mut count = 0;
        let all_have_capitals = words.all(|word| {
            count += 1;
            word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        });
        if all_have_capitals && count >= MIN_HEADLINE_WORDS {
            LetterCase::Headline
        } else {
            LetterCase::Mixed
        }
    }
}

/// Returns a tag that no contextual rule changes.
fn fixed(tag: Tag) -> (Tag, Option<TagSet>) {
    (tag, Some(TagSet::default()))
}

fn clitic_tag(clitic: &str) -> Tag {
    match clitic.as_bytes().last() {
        Some(b's' | b'S') => tags::POSSESSIVE,
        Some(b't' | b'T') => tags::ADVERB,
        Some(b'd' | b'D' | b'l' | b'L') => tags::MODAL,
        _ => tags::VERB_PRESENT,
    }
}

fn punctuation_tag(mark: &str) -> Tag {
    let name = match mark {
        "!" | "?" => ".",
        ";" | "-" | "–" | "—" | "…" => ":",
        "[" | "{" | "<" => "(",
        "]" | "}" | ">" => ")",
        "“" | "‘" => "``",
        "”" => "''",
        "'" | "’" => "POS",
        mark => mark,
    };
    tags::parse_tag(name).unwrap_or(tags::SYMBOL)
}

fn to_word<'a>(text: &'a str, token: &Token, tag: Tag) -> TaggedWord<'a> {
    let word = &text[token.range.clone()];
    let is_word = token.kind == TokenKind::Word && word.len() <= MAX_WORD_BYTES;
    let (part, stem, is_stop_word) = if is_word {
        let mut stem = fold_word(word);
        let is_stop_word = is_stop_word(&stem);
        porter::stem(&mut stem);
        (tags::part_of_speech(tag), Cow::Owned(stem), is_stop_word)
    } else {
        (PartOfSpeech::Other, Cow::Borrowed(""), false)
    };
    TaggedWord {
        range: token.range.clone(),
        stem,
        part,
        is_stop_word,
    }
}

/// Returns the word in small letters, with the apostrophe of ASCII and without the period of an
/// abbreviation, so that "U.S." and "U.S" are equal.
fn fold_word(word: &str) -> String {
    let mut folded = word.to_lowercase();
    if folded.contains('’') {
        folded = folded.replace('’', "'");
    }
    if folded.ends_with('.') {
        folded.pop();
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the nouns and adjectives of a text, as "word/N" and "word/A".
    fn tag(text: &str) -> String {
        let mut words = Vec::new();
        EnglishTagger::default().tag_words(text, &mut |word| {
            let mark = match word.part {
                PartOfSpeech::Noun => "N",
                PartOfSpeech::Adjective => "A",
                PartOfSpeech::Other => return,
            };
            words.push(format!("{}/{mark}", &text[word.range]));
        });
        words.join(" ")
    }

    #[test]
    fn words_are_tagged_in_context() {
        let cases = [
            (
                "The White House announced it on Monday.",
                "White/N House/N Monday/N",
            ),
            ("They plan to increase the price.", "price/N"),
            (
                "The increase in prices was steep.",
                "increase/N prices/N steep/A",
            ),
            ("Gold miners sold gold.", "Gold/N miners/N gold/N"),
            ("He went there and did it.", ""),
            ("1987 12.5 -- !!", ""),
            (
                "OIL PRICES RISE SHARPLY IN LONDON",
                "OIL/N PRICES/N LONDON/N",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(tag(text), expected, "{text}");
        }
    }

    #[test]
    fn stems_ignore_case_and_endings_and_the_period_of_abbreviations() {
        let stems = |text: &str| {
            let mut stems = Vec::new();
            EnglishTagger::default()
                .tag_words(text, &mut |word| stems.push(word.stem.into_owned()));
            stems.join(" ")
        };
        assert_eq!(stems("Prices U.S. corp."), "price u.s corp ");
        assert_eq!(stems(&"a".repeat(1000)), "");
    }

    /// Sentences written for this test and tagged by hand: "word/N" for nouns, "word/A" for
    /// adjectives, "word/O" for others.
    const SAMPLE: &str = include_str!("sample.txt");

    #[test]
    fn most_words_of_a_sample_tagged_by_hand_get_the_right_part_of_speech() {
        let tagger = EnglishTagger::default();
        let (mut right, mut wrong) = (0, Vec::new());
        for line in SAMPLE.lines() {
            let expected: Vec<(&str, &str)> = line
                .split(' ')
                .filter_map(|pair| pair.rsplit_once('/'))
                .collect();
            let words: Vec<&str> = expected.iter().map(|(word, _)| *word).collect();
            let text = words.join(" ");
            let mut expected = expected.into_iter();
            tagger.tag_words(&text, &mut |word| {
                let mark = match word.part {
                    PartOfSpeech::Noun => "N",
                    PartOfSpeech::Adjective => "A",
                    PartOfSpeech::Other => "O",
                };
                let (spelling, expected_mark) = expected.next().expect("as many words");
                assert_eq!(&text[word.range], spelling);
                if mark == expected_mark {
                    right += 1;
                } else {
                    wrong.push(format!("{spelling}/{mark}"));
                }
            });
        }
        let share = f64::from(right) / (f64::from(right) + wrong.len() as f64);
        assert!(share >= 0.95, "{share:.3}: {}", wrong.join(" "));
        println!(
            "{share:.3} of {right} and {}: {}",
            wrong.len(),
            wrong.join(" ")
        );
    }
}
