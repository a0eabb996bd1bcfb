//! Macrolanguages: groups of languages that ISO 639-3 also gives one common code, as `zho` for the
//! Chinese languages.

use crate::code::LanguageCode;

/// Lines of `macrolanguage<TAB>member`, sorted.
const MEMBERS: &str = include_str!("../model/macrolanguages.tsv");

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
