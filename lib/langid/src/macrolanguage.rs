//! Macrolanguages: groups of languages that ISO 639-3 also gives one common code, as `zho` for the
//! Chinese languages, and the larger groups that ISO 639-5 gives codes of three letters, too, as
//! `wen` for the Sorbian languages.

use crate::code::LanguageCode;

/// Lines of `macrolanguage<TAB>member`, sorted.
const MEMBERS: &str = include_str!("../model/macrolanguages.tsv");

/// Lines of a code of ISO 639-2 for a group of languages, a tab, and the codes of its languages;
/// none for a group of many.
const COLLECTIONS: &str = include_str!("../model/collections.tsv");

/// Lines of a retired code of ISO 639-3 whose language was split, a tab, and the codes of the
/// languages that it was split into.
const SPLITS: &str = include_str!("../model/splits.tsv");

/// Returns the languages of a group that has a collective code, empty for a group of many, or
/// those that the language of a retired code was split into; `None` if the code is neither.
pub fn collection_members(code: LanguageCode) -> Option<Vec<LanguageCode>> {
    let lines = COLLECTIONS.lines().chain(SPLITS.lines());
    let mut lines = lines.filter_map(|line| line.split_once('\t'));
    let (_, members) = lines.find(|(collection, _)| *collection == code.as_str())?;
    let members = members.split(' ').filter_map(LanguageCode::from_canonical);
    Some(members.collect())
}

/// Returns each macrolanguage of ISO 639-3 with each of its members, sorted. No language is a
/// member of two. Aliases are not resolved: `fas` has the member `prs`, an alias of `fas`.
pub fn macrolanguage_members() -> impl Iterator<Item = (LanguageCode, LanguageCode)> {
    MEMBERS.lines().filter_map(|line| {
        let (macrolanguage, member) = line.split_once('\t')?;
        Some((
            LanguageCode::from_canonical(macrolanguage)?,
            LanguageCode::from_canonical(member)?,
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_language_is_a_member_of_at_most_one_macrolanguage() {
        let members: Vec<LanguageCode> = macrolanguage_members().map(|(_, m)| m).collect();
        assert!(members.len() > 400);
        assert_eq!(members.iter().collect::<BTreeSet<_>>().len(), members.len());
    }

    #[test]
    fn a_collective_code_is_no_language_and_its_members_are() {
        let codes = COLLECTIONS.lines().filter_map(|line| line.split_once('\t'));
        let codes: Vec<LanguageCode> = codes.map(|(code, _)| code.parse().unwrap()).collect();
        assert!(codes.len() > 50 && codes.is_sorted());
        for code in &codes {
            let members = collection_members(*code).unwrap();
            assert!(
                members.iter().all(|member| !codes.contains(member)),
                "{code}"
            );
        }
        let wen = collection_members("wen".parse().unwrap()).unwrap();
        assert_eq!(wen, ["dsb", "hsb"].map(|code| code.parse().unwrap()));
        assert_eq!(collection_members("slv".parse().unwrap()), None);
    }

    #[test]
    fn an_alias_of_a_member_is_in_the_same_macrolanguage() {
        for (macrolanguage, member) in macrolanguage_members() {
            let canonical: LanguageCode = member.as_str().parse().unwrap();
            assert!(
                canonical == member
                    || canonical == macrolanguage
                    || macrolanguage_members().any(|pair| pair == (macrolanguage, canonical)),
                "{member} is an alias of {canonical}, which is not in {macrolanguage}"
            );
        }
    }
}
