//! Lexical rules: they tag words that the lexicon lacks by their letters and neighbours.
//!
//! The rules are those of E. Brill (see [`super::contextual`]). A rule about a neighbour looks at
//! the neighbour in the text; Brill's looked at all pairs of words of a large corpus.

use super::lexicon::Lexicon;
use super::tags::{NOUN, PROPER_NOUN, Tag, parse_tag};

const RULES: &str = include_str!("../../../model/lexical-rules.txt");

/// A property of a word on which a rule depends.
#[derive(Debug, Clone, Copy)]
enum Condition {
    HasPrefix(&'static str),
    HasSuffix(&'static str),
    HasCharacters(&'static str),
    /// The word without this prefix is known.
    IsKnownWithoutPrefix(&'static str),
    /// The word without this suffix is known.
    IsKnownWithoutSuffix(&'static str),
    /// The word with this suffix is known.
    IsKnownWithSuffix(&'static str),
    Follows(&'static str),
    Precedes(&'static str),
}

#[derive(Debug)]
struct LexicalRule {
    /// The tag that the rule changes; any if `None`.
    from: Option<Tag>,
    to: Tag,
    condition: Condition,
}

/// All lexical rules, in the order in which they are applied.
#[derive(Debug)]
pub(crate) struct LexicalRules(Vec<LexicalRule>);

impl LexicalRules {
    /// Returns the built-in rules.
    pub(crate) fn builtin() -> Self {
        LexicalRules(RULES.lines().filter_map(parse_rule).collect())
    }

    /// Returns the tag of an unknown word between two others, which are empty at the ends of a
    /// sentence.
    pub(crate) fn guess_tag(&self, lexicon: &Lexicon, [left, word, right]: [&str; 3]) -> Tag {
        let mut tag = if word.starts_with(char::is_uppercase) {
            PROPER_NOUN
        } else {
            NOUN
        };
        let mut buffer = String::new();
        for rule in &self.0 {
            if rule.to == tag || rule.from.is_some_and(|from| from != tag) {
                continue;
            }
            let holds = match rule.condition {
                Condition::HasPrefix(prefix) => word.starts_with(prefix),
                Condition::HasSuffix(suffix) => word.ends_with(suffix),
                Condition::HasCharacters(characters) => word.contains(characters),
                Condition::IsKnownWithoutPrefix(prefix) => word
                    .strip_prefix(prefix)
                    .is_some_and(|rest| lexicon.contains(rest)),
                Condition::IsKnownWithoutSuffix(suffix) => word
                    .strip_suffix(suffix)
                    .is_some_and(|rest| lexicon.contains(rest)),
                Condition::IsKnownWithSuffix(suffix) => {
                    buffer.clear();
                    buffer.extend([word, suffix]);
                    lexicon.contains(&buffer)
                }
                Condition::Follows(neighbour) => left == neighbour,
                Condition::Precedes(neighbour) => right == neighbour,
            };
            if holds {
                tag = rule.to;
            }
        }
        tag
    }
}

/// Parses a rule: the tag that it changes if the name of the condition begins with "f", the string
/// of the condition, its name, its length if it is an affix, and the new tag.
fn parse_rule(line: &'static str) -> Option<LexicalRule> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (from, string, name, rest) = match fields.as_slice() {
        [from, string, name, rest @ ..] if name.starts_with('f') => {
            (Some(parse_tag(from)?), *string, &name[1..], rest)
        }
        [string, name, rest @ ..] => (None, *string, *name, rest),
        _ => return None,
    };
    let condition = match name {
        "haspref" => Condition::HasPrefix(string),
        "hassuf" => Condition::HasSuffix(string),
        "char" => Condition::HasCharacters(string),
        "deletepref" => Condition::IsKnownWithoutPrefix(string),
        "deletesuf" => Condition::IsKnownWithoutSuffix(string),
        "addsuf" => Condition::IsKnownWithSuffix(string),
        "goodright" => Condition::Follows(string),
        "goodleft" => Condition::Precedes(string),
        _ => return None,
    };
    let to = rest.iter().find_map(|name| parse_tag(name))?;
    Some(LexicalRule {
        from,
        to,
        condition,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyphrases::english::tags;

    #[test]
    fn all_rules_are_understood() {
        assert_eq!(LexicalRules::builtin().0.len(), RULES.lines().count());
    }

    #[test]
    fn unknown_words_are_tagged_by_their_letters() {
        let (rules, lexicon) = (LexicalRules::builtin(), Lexicon::builtin());
        let guess = |word| rules.guess_tag(&lexicon, ["", word, ""]);
        assert_eq!(guess("Gorblax"), tags::PROPER_NOUN);
        assert_eq!(guess("gorblax"), tags::NOUN);
        assert_eq!(Some(guess("gorblaxes")), parse_tag("NNS"));
        assert_eq!(Some(guess("gorblaxable")), parse_tag("JJ"));
        assert_eq!(Some(guess("gorblaxly")), parse_tag("RB"));
        assert_eq!(guess("12b"), tags::NUMBER);
    }
}
