//! Contextual rules: they change the tag of a word by the words and tags around it.
//!
//! The rules and their templates are those of E. Brill, "Some advances in transformation-based part
//! of speech tagging" (AAAI-94). They are applied one after the other, each to the whole sentence.
//! A rule gives a known word only tags that it has in the lexicon.

use super::tags::{BOUNDARY, Tag, TagSet, parse_tag};
use foldhash::HashMap;

const RULES: &str = include_str!("../../../model/contextual-rules.txt");

/// Words before and after the sentence, so that no rule looks beyond it.
pub(crate) const PADDING: usize = 3;

/// The number of a word that no rule names.
const NO_WORD: u16 = 0;

/// Where a rule expects a tag or a word, relative to the word whose tag it changes.
#[derive(Debug, Clone, Copy)]
enum Test {
    /// The tag is at one of the positions from the first to the last.
    TagWithin(isize, isize, Tag),
    /// The word is at one of the positions from the first to the last.
    WordWithin(isize, isize, u16),
}

#[derive(Debug)]
struct ContextualRule {
    from: Tag,
    to: Tag,
    tests: Vec<Test>,
}

/// A sentence with its tags, padded by [`PADDING`] on either side.
#[derive(Debug, Default)]
pub(crate) struct TaggedSentence {
    pub(crate) tags: Vec<Tag>,
    /// The tags that each word may have; `None` for an unknown word, which may have all.
    pub(crate) permitted: Vec<Option<TagSet>>,
    /// Numbers of the words that rules name.
    words: Vec<u16>,
}

impl TaggedSentence {
    /// Removes all words.
    pub(crate) fn clear(&mut self) {
        self.tags.clear();
        self.permitted.clear();
        self.words.clear();
        self.pad();
    }

    /// Adds a word.
    pub(crate) fn push(&mut self, tag: Tag, permitted: Option<TagSet>, word: u16) {
        self.tags.push(tag);
        self.permitted.push(permitted);
        self.words.push(word);
    }

    /// Adds the words before or after the sentence.
    pub(crate) fn pad(&mut self) {
        for _ in 0..PADDING {
            self.push(BOUNDARY, Some(TagSet::default()), NO_WORD);
        }
    }

    fn satisfies(&self, position: usize, test: Test) -> bool {
        match test {
            Test::TagWithin(first, last, tag) => {
                window(&self.tags, position, first, last).is_some_and(|tags| tags.contains(&tag))
            }
            Test::WordWithin(first, last, word) => window(&self.words, position, first, last)
                .is_some_and(|words| words.contains(&word)),
        }
    }
}

/// Returns the items from `position + first` to `position + last`.
fn window<T>(items: &[T], position: usize, first: isize, last: isize) -> Option<&[T]> {
    items.get(position.checked_add_signed(first)?..=position.checked_add_signed(last)?)
}

/// All contextual rules, in the order in which they are applied.
#[derive(Debug)]
pub(crate) struct ContextualRules {
    rules: Vec<ContextualRule>,
    /// Numbers of the words that rules name, from 1.
    words: HashMap<&'static str, u16>,
}

impl ContextualRules {
    /// Returns the built-in rules.
    pub(crate) fn builtin() -> Self {
        let mut words = HashMap::default();
        let rules = RULES
            .lines()
            .filter_map(|line| parse_rule(line, &mut words))
            .collect();
        ContextualRules { rules, words }
    }

    /// Returns the number of a word for [`TaggedSentence::push`].
    pub(crate) fn word_number(&self, word: &str) -> u16 {
        self.words.get(word).copied().unwrap_or(NO_WORD)
    }

    /// Applies the rules to a sentence.
    pub(crate) fn apply(&self, sentence: &mut TaggedSentence) {
        for rule in &self.rules {
            let mut next = PADDING;
            while let Some(distance) = sentence
                .tags
                .get(next..)
                .and_then(|tags| memchr::memchr(rule.from, tags))
            {
                let position = next + distance;
                next = position + 1;
                let is_permitted =
                    sentence.permitted[position].is_none_or(|tags| tags.contains(rule.to));
                if is_permitted
                    && rule
                        .tests
                        .iter()
                        .all(|test| sentence.satisfies(position, *test))
                {
                    sentence.tags[position] = rule.to;
                }
            }
        }
    }
}

/// Parses a rule: the tag that it changes, the new tag, a template and its arguments.
fn parse_rule(
    line: &'static str,
    words: &mut HashMap<&'static str, u16>,
) -> Option<ContextualRule> {
    let mut fields = line.split_ascii_whitespace();
    let from = parse_tag(fields.next()?)?;
    let to = parse_tag(fields.next()?)?;
    let template = fields.next()?;
    let first = fields.next()?;
    let second = fields.next();
    let mut word = |name: Option<&'static str>, from: isize, to: isize| {
        let number = u16::try_from(words.len() + 1).ok()?;
        let number = *words.entry(name?).or_insert(number);
        Some(Test::WordWithin(from, to, number))
    };
    let tag = |name: Option<&str>, from, to| Some(Test::TagWithin(from, to, parse_tag(name?)?));
    let one = Some(first);
    let tests = match template {
        "PREVTAG" => vec![tag(one, -1, -1)?],
        "PREV2TAG" => vec![tag(one, -2, -2)?],
        "PREV1OR2TAG" => vec![tag(one, -2, -1)?],
        "PREV1OR2OR3TAG" => vec![tag(one, -3, -1)?],
        "NEXTTAG" => vec![tag(one, 1, 1)?],
        "NEXT2TAG" => vec![tag(one, 2, 2)?],
        "NEXT1OR2TAG" => vec![tag(one, 1, 2)?],
        "NEXT1OR2OR3TAG" => vec![tag(one, 1, 3)?],
        "PREVBIGRAM" => vec![tag(one, -2, -2)?, tag(second, -1, -1)?],
        "NEXTBIGRAM" => vec![tag(one, 1, 1)?, tag(second, 2, 2)?],
        "SURROUNDTAG" => vec![tag(one, -1, -1)?, tag(second, 1, 1)?],
        "CURWD" => vec![word(one, 0, 0)?],
        "PREVWD" => vec![word(one, -1, -1)?],
        "NEXTWD" => vec![word(one, 1, 1)?],
        "PREV1OR2WD" => vec![word(one, -2, -1)?],
        "NEXT1OR2WD" => vec![word(one, 1, 2)?],
        "LBIGRAM" => vec![word(one, -1, -1)?, word(second, 0, 0)?],
        "RBIGRAM" => vec![word(one, 0, 0)?, word(second, 1, 1)?],
        "WDPREVTAG" => vec![tag(one, -1, -1)?, word(second, 0, 0)?],
        "WDNEXTTAG" => vec![word(one, 0, 0)?, tag(second, 1, 1)?],
        "WDAND2AFT" => vec![word(one, 0, 0)?, word(second, 2, 2)?],
        "WDAND2TAGAFT" => vec![word(one, 0, 0)?, tag(second, 2, 2)?],
        "WDAND2TAGBFR" => vec![tag(one, -2, -2)?, word(second, 0, 0)?],
        _ => return None,
    };
    Some(ContextualRule { from, to, tests })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rules_are_understood_except_those_with_tags_of_no_word() {
        let rules = ContextualRules::builtin().rules.len();
        assert_eq!((rules, RULES.lines().count()), (284, 290));
    }
}
