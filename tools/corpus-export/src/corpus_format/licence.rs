//! Licences of documents by name.
//!
//! Pages name their licence by a link, mostly to Creative Commons, so links are given the names of
//! SPDX: `https://creativecommons.org/licenses/by-sa/4.0/deed.sl` is `CC-BY-SA-4.0`.

/// A choice of licences: `CC0, CC-BY OR CC-BY-SA-4.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenceFilter {
    alternatives: Vec<Alternative>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Alternative {
    /// No licence.
    None,
    /// Any licence.
    Any,
    /// A name in capital letters. One without a version stands for all versions.
    Name(String),
    /// The start of a name or address in capital letters.
    Start(String),
}

impl LicenceFilter {
    /// Parses alternatives that are separated by commas or `OR`: the name of a licence, with a
    /// version or for all versions; the start of a name or an address, followed by `*`; `any`, or
    /// `none`.
    ///
    /// # Errors
    /// Fails if there is no alternative, or one is empty.
    pub fn parse(expression: &str) -> Result<Self, String> {
        let expression = expression.to_uppercase().replace(" OR ", ",");
        let alternative = |text: &str| match text.trim() {
            "" => Err("has an empty alternative".to_owned()),
            "NONE" => Ok(Alternative::None),
            "ANY" | "*" => Ok(Alternative::Any),
            text => Ok(match text.strip_suffix('*') {
                Some(start) => Alternative::Start(start.into()),
                None => Alternative::Name(spdx_name(text).unwrap_or_else(|| text.into())),
            }),
        };
        let alternatives = expression.split(',').map(alternative);
        Ok(LicenceFilter {
            alternatives: alternatives.collect::<Result<_, _>>()?,
        })
    }

    /// Returns `true` if a licence is one of those chosen. It is empty if a document has none.
    pub fn includes(&self, licence: &str) -> bool {
        let address = licence.trim().to_uppercase();
        let name = licence_name(licence);
        self.alternatives
            .iter()
            .any(|alternative| match alternative {
                Alternative::None => address.is_empty(),
                Alternative::Any => !address.is_empty(),
                Alternative::Name(wanted) => {
                    let version = name.strip_prefix(wanted.as_str());
                    version.is_some_and(|version| {
                        let digits = version.strip_prefix('-').unwrap_or("x");
                        version.is_empty() || digits.starts_with(|c: char| c.is_ascii_digit())
                    }) || address == *wanted
                }
                Alternative::Start(start) => name.starts_with(start) || address.starts_with(start),
            })
    }
}

/// Returns the name of a licence in capital letters: that of SPDX for an address of Creative
/// Commons.
pub(crate) fn licence_name(licence: &str) -> String {
    let address = licence.trim().to_uppercase();
    spdx_name(&address).unwrap_or_else(|| address.replace(' ', "-"))
}

/// Returns the name of the licence at an address of Creative Commons in capital letters; `None` for
/// another one.
fn spdx_name(address: &str) -> Option<String> {
    let (_, path) = address.split_once("CREATIVECOMMONS.ORG/")?;
    let mut parts = path.split(['/', '?', '#']).filter(|part| !part.is_empty());
    let name = match (parts.next()?, parts.next()?) {
        ("LICENSES", name) => format!("CC-{name}"),
        ("PUBLICDOMAIN", "ZERO") => "CC0".into(),
        ("PUBLICDOMAIN", "MARK") => "PDM".into(),
        _ => return None,
    };
    let version = parts
        .next()
        .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    Some(match version {
        Some(version) => format!("{name}-{version}"),
        None => name,
    })
}

#[cfg(test)]
mod tests {
    use super::LicenceFilter;

    #[test]
    fn licences_are_chosen_by_name_or_address() {
        let by_sa = "https://creativecommons.org/licenses/by-sa/4.0/deed.sl";
        let zero = "http://creativecommons.org/publicdomain/zero/1.0/";
        for (expression, licence, expected) in [
            ("CC-BY-SA", by_sa, true),
            ("cc-by-sa-4.0", by_sa, true),
            ("CC-BY-SA-3.0", by_sa, false),
            ("CC-BY", by_sa, false),
            ("CC-BY*", by_sa, true),
            ("CC-BY OR cc-by-sa", by_sa, true),
            ("cc0, cc-by", zero, true),
            (zero, zero, true),
            ("any", by_sa, true),
            ("any", "", false),
            ("none", "", true),
            ("CC-BY, none", by_sa, false),
            ("CC-BY-4.0", "CC BY 4.0", true),
            ("https://l.test/*", "https://l.test/a", true),
            ("https://l.test/", "https://l.test/a", false),
            ("https://l.test/a", "https://l.test/A", true),
        ] {
            let filter = LicenceFilter::parse(expression).unwrap();
            assert_eq!(filter.includes(licence), expected, "{expression} {licence}");
        }
        assert!(LicenceFilter::parse("").is_err() && LicenceFilter::parse("a,,b").is_err());
    }
}
