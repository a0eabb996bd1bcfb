//! The languages whose names resemble what a user typed instead of a code.

use forage_langid::Identifier;
use std::collections::BTreeMap;

/// Maximum number of languages that are named.
const MAX_NAMED: usize = 8;
/// Length of a string that is looked for within names; shorter ones are in too many.
const MIN_LETTERS: usize = 3;
/// Letters that a name and a string with another ending have in common, as Slovene and Slovenian.
const MIN_STEM: usize = 5;

/// Returns the codes and names of the languages whose names resemble `given`, as in
/// `dsb (Lower Sorbian), hsb (Upper Sorbian)`; empty if there are none.
pub(crate) fn describe_similar(given: &str, identifier: &Identifier) -> String {
    let given = given.to_lowercase();
    // A language is a class for each of its scripts.
    let names = identifier.classes().map(|class| (class.code, class.name));
    let names: BTreeMap<_, _> = names.collect();
    let ranked = |(code, name)| Some((rank(&given, &str::to_lowercase(name))?, name, code));
    let mut ranked: Vec<_> = names.into_iter().filter_map(ranked).collect();
    ranked.sort_unstable_by_key(|&(rank, name, _)| (rank, name));
    // Errors are looked for only if no name has what was given.
    let has_part = ranked.first().is_some_and(|&(rank, ..)| rank < MISSPELT);
    ranked.retain(|&(rank, ..)| rank < MISSPELT || !has_part);
    let named = ranked.iter().take(MAX_NAMED);
    let named = named.map(|(_, name, code)| format!("{code} ({name})"));
    let mut named: Vec<String> = named.collect();
    if ranked.len() > MAX_NAMED {
        named.push(format!("and {} more", ranked.len() - MAX_NAMED));
    }
    named.join(", ")
}

/// The rank of a name that is misspelt, or has another ending.
const MISSPELT: u8 = 2;

/// Returns 0 if a word of the name begins with what was given, 1 if the name contains it,
/// [`MISSPELT`] if one of its words is, and `None` otherwise. Both are in small letters.
fn rank(given: &str, name: &str) -> Option<u8> {
    let length = given.chars().count();
    if length < MIN_LETTERS {
        return None;
    }
    let words = || name.split(|c: char| !c.is_alphabetic());
    if name.starts_with(given) || words().any(|word| word.starts_with(given)) {
        return Some(0);
    }
    if name.contains(given) {
        return Some(1);
    }
    let stem_length = length.saturating_sub(2).max(MIN_STEM);
    let stem: String = given.chars().take(stem_length).collect();
    let has_stem = |word: &str| length >= MIN_STEM && word.starts_with(&stem);
    let is_misspelt = |word: &str| strsim::osa_distance(given, word) <= length / 4;
    (words().any(|word| has_stem(word) || is_misspelt(word)) || is_misspelt(name))
        .then_some(MISSPELT)
}

#[cfg(test)]
mod tests {
    use super::{describe_similar, rank};
    use forage_langid::Identifier;

    #[test]
    fn names_match_in_part_with_another_ending_or_an_error() {
        for (given, name, expected) in [
            ("sorbian", "lower sorbian", Some(0)),
            ("lower sor", "lower sorbian", Some(0)),
            ("orbian", "lower sorbian", Some(1)),
            ("slovene", "slovenian", Some(2)),
            ("slovenain", "slovenian", Some(2)),
            ("norwegain bokmål", "norwegian bokmål", Some(2)),
            ("sl", "slovenian", None),
            ("slovenian", "croatian", None),
            ("", "croatian", None),
        ] {
            assert_eq!(rank(given, name), expected, "{given}");
        }
    }

    #[test]
    fn languages_of_the_model_are_named_with_their_codes() {
        let identifier = Identifier::builtin();
        assert_eq!(
            describe_similar("Sorbian", &identifier),
            "dsb (Lower Sorbian), hsb (Upper Sorbian)"
        );
        assert_eq!(describe_similar("Qwertish", &identifier), "");
    }
}
