//! The labels of the texts that the codes of an identifier stand for.

use forage_langid::{LanguageCode, macrolanguage_members};
use std::collections::{BTreeMap, BTreeSet};

/// ISO 639-1 codes of macrolanguages that forage-langid takes for their main member.
const SHORT_CODES: [(&str, &str); 6] = [
    ("az", "aze"),
    ("et", "est"),
    ("ku", "kur"),
    ("lv", "lav"),
    ("ms", "msa"),
    ("no", "nor"),
];

/// Codes that stand for several languages, or for another one than in ISO 639.
const OTHER_CODES: [(&str, &[&str]); 4] = [
    // Bihari, a group.
    ("bh", &["bho", "mag", "mai"]),
    // Serbo-Croatian is right for each of its standards, also if the identifier knows Croatian: it
    // names the language that they have in common.
    ("sh", &["bos", "hbs", "hrv", "srp"]),
    ("hbs", &["bos", "hbs", "hrv", "srp"]),
    ("jw", &["jav"]),
];

/// The labels that each code of an identifier stands for.
pub struct CodeLabels {
    /// All labels for which a code is right.
    labels: BTreeMap<String, BTreeSet<LanguageCode>>,
    /// The labels that each code stands for by itself, without those of related languages.
    main: Vec<BTreeSet<LanguageCode>>,
}

impl CodeLabels {
    /// Returns the labels of an identifier's codes: ISO 639-1 or 639-3, a suffix as in `zh-Hant` is
    /// ignored.
    ///
    /// The code of a macrolanguage stands for each member without a code of its own: `no` for
    /// Bokmål and Nynorsk, or for Bokmål alone if the identifier also has `nn`. The code of a
    /// member stands for the macrolanguage, unless that has a code of its own.
    pub fn new<'a>(codes: impl Iterator<Item = &'a str>) -> Self {
        let codes: BTreeSet<&str> = codes.collect();
        let main: Vec<BTreeSet<LanguageCode>> =
            codes.iter().map(|code| main_labels(code)).collect();
        let own: BTreeSet<LanguageCode> = main.iter().flatten().copied().collect();
        let all_labels = |code: &str| -> BTreeSet<LanguageCode> {
            let mut labels = main_labels(code);
            let relatives: Vec<LanguageCode> = labels
                .iter()
                .flat_map(|label| relatives(code, *label))
                .filter(|relative| !own.contains(relative))
                .collect();
            labels.extend(relatives);
            labels
        };
        let labels = codes
            .iter()
            .map(|code| ((*code).to_owned(), all_labels(code)));
        Self {
            labels: labels.collect(),
            main,
        }
    }

    /// Returns `true` if `code`, an answer of the identifier, stands for `label`.
    pub fn has_label(&self, code: &str, label: LanguageCode) -> bool {
        self.labels
            .get(code)
            .is_some_and(|labels| labels.contains(&label))
    }

    /// Returns `true` if the identifier does not distinguish two labels: they are equal, or a code
    /// stands for both and not each has a code that excludes the other.
    pub fn unites(&self, a: LanguageCode, b: LanguageCode) -> bool {
        let has_own_code = |label, other| {
            let excludes = |main: &BTreeSet<_>| main.contains(&label) && !main.contains(&other);
            self.main.iter().any(excludes)
        };
        let has_both = |labels: &BTreeSet<_>| labels.contains(&a) && labels.contains(&b);
        a == b || self.labels.values().any(has_both) && !(has_own_code(a, b) && has_own_code(b, a))
    }

    /// Returns the languages of the identifier. A member of a macrolanguage is one only if it has a
    /// code or is the main member: an identifier with Malay and Indonesian cannot be expected to
    /// take Banjarese for Malay, although that would be right.
    pub fn languages(&self) -> BTreeSet<LanguageCode> {
        self.main.iter().flatten().copied().collect()
    }

    /// Returns the number of languages that the identifier distinguishes.
    pub fn language_count(&self) -> usize {
        let named = self.main.iter().filter(|main| !main.is_empty());
        named.collect::<BTreeSet<_>>().len()
    }
}

fn without_suffix(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}

/// Returns the labels that a code stands for by itself.
fn main_labels(code: &str) -> BTreeSet<LanguageCode> {
    let code = without_suffix(code);
    let other = OTHER_CODES.iter().find(|(other, _)| *other == code);
    let codes = other.map_or_else(|| vec![code], |(_, codes)| codes.to_vec());
    codes.iter().filter_map(|code| code.parse().ok()).collect()
}

/// Returns the members of the macrolanguage that `code` is, and the macrolanguage of which `label`
/// is a member.
fn relatives(code: &str, label: LanguageCode) -> Vec<LanguageCode> {
    let code = without_suffix(code);
    let short = SHORT_CODES.iter().find(|(short, _)| *short == code);
    let whole = short.map_or(code, |(_, whole)| *whole);
    let resolve = |code: LanguageCode| code.as_str().parse().ok();
    macrolanguage_members()
        .filter_map(|(macrolanguage, member)| {
            if [whole, label.as_str()].contains(&macrolanguage.as_str()) {
                resolve(member)
            } else if member == label {
                resolve(macrolanguage)
            } else {
                None
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands_for(codes: &[&str], code: &str, label: &str) -> bool {
        CodeLabels::new(codes.iter().copied()).has_label(code, label.parse().unwrap())
    }

    #[test]
    fn a_macrolanguage_is_right_for_members_without_a_code() {
        assert!(stands_for(&["no"], "no", "nob") && stands_for(&["no"], "no", "nno"));
        assert!(stands_for(&["no", "nn"], "no", "nob") && !stands_for(&["no", "nn"], "no", "nno"));
        assert!(stands_for(&["zh"], "zh", "yue") && !stands_for(&["zh", "yue"], "zh", "yue"));
        assert!(stands_for(&["ms", "id"], "ms", "zsm") && !stands_for(&["ms", "id"], "ms", "ind"));
        assert!(stands_for(&["hr", "sh"], "sh", "hrv") && stands_for(&["hr", "sh"], "sh", "srp"));
    }

    #[test]
    fn a_member_is_right_for_its_macrolanguage() {
        assert!(stands_for(&["cmn"], "cmn", "zho") && stands_for(&["lvs"], "lvs", "lav"));
        assert!(stands_for(&["arb"], "arb", "ara") && stands_for(&["est"], "est", "ekk"));
        assert!(!stands_for(&["nb", "nn"], "nb", "nno"));
    }

    #[test]
    fn labels_without_codes_of_their_own_are_united() {
        let [nob, nno, dan] = ["nob", "nno", "dan"].map(|code| code.parse().unwrap());
        let unites = |codes: &[&str], a, b| CodeLabels::new(codes.iter().copied()).unites(a, b);
        assert!(unites(&["no", "da"], nob, nno) && !unites(&["no", "nn"], nob, nno));
        let [hrv, srp] = ["hrv", "srp"].map(|code| code.parse().unwrap());
        assert!(unites(&["sh"], hrv, srp) && !unites(&["sh", "hr", "sr"], hrv, srp));
        assert!(unites(&[], dan, dan) && !unites(&["no", "da"], nob, dan));
    }

    #[test]
    fn other_forms_of_codes_are_resolved() {
        assert!(stands_for(&["zh-Hant"], "zh-Hant", "zho") && stands_for(&["iw"], "iw", "heb"));
        assert!(stands_for(&["jw"], "jw", "jav") && stands_for(&["bh", "mai"], "bh", "bho"));
        assert!(!stands_for(&["un"], "un", "eng") && !stands_for(&["en"], "", "eng"));
    }

    #[test]
    fn variants_of_a_language_count_once() {
        let codes = CodeLabels::new(["zh-cn", "zh-tw", "no", "un"].into_iter());
        assert_eq!(codes.language_count(), 2);
    }
}
