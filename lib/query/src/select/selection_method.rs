//! The methods of term selection.

use std::str::FromStr;

/// A method of term selection (Ghani et al. 2001; `co` is ours).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectionMethod {
    /// Draws uniformly from the vocabulary of the class.
    Un,
    /// Ranks by term frequency.
    Tf,
    /// Draws with probability proportional to the term frequency.
    Ptf,
    /// Ranks by tf · log(N/df).
    Rtfidf,
    /// Ranks by odds ratio.
    Or,
    /// Draws terms with a positive log odds ratio, with probability proportional to it.
    Por,
    /// As `Por`, over the half of those terms with the highest odds ratios (Jones & Ghani 2000).
    Porh,
    /// Draws terms of one document of the class, so that they co-occur.
    Co,
}

impl SelectionMethod {
    /// All methods with their names in options and records.
    pub const ALL: [(&'static str, SelectionMethod); 8] = [
        ("un", SelectionMethod::Un),
        ("tf", SelectionMethod::Tf),
        ("ptf", SelectionMethod::Ptf),
        ("rtfidf", SelectionMethod::Rtfidf),
        ("or", SelectionMethod::Or),
        ("por", SelectionMethod::Por),
        ("porh", SelectionMethod::Porh),
        ("co", SelectionMethod::Co),
    ];

    /// Returns `true` if the method selects the same terms while the statistics do not change.
    /// After a query that returns nothing new, a deterministic method needs an offset to continue.
    pub fn is_deterministic(self) -> bool {
        matches!(
            self,
            SelectionMethod::Tf | SelectionMethod::Rtfidf | SelectionMethod::Or
        )
    }

    /// Returns the name in options and records.
    pub fn name(self) -> &'static str {
        let mut all = SelectionMethod::ALL.iter();
        let found = all.find(|(_, method)| *method == self);
        found.map_or("", |(name, _)| name)
    }
}

impl FromStr for SelectionMethod {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut all = SelectionMethod::ALL.iter();
        let found = all.find(|(known, _)| *known == name);
        found.map(|(_, method)| *method).ok_or_else(|| {
            let names = SelectionMethod::ALL.map(|(name, _)| name).join(", ");
            format!("no selection method `{name}`; use one of {names}")
        })
    }
}
