//! Checkpoints: the moments of a run at which its quantities are compared.

use crate::cost_axis::CostAxis;
use std::fmt;
use std::str::FromStr;

/// A moment of a run (`docs/algorithms.md`, "Measures").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    /// A number of documents, queries or calls.
    Cost(CostAxis, u64),
    /// The end of the step in which the run reaches a recall level.
    Recall(RecallLevel),
}

impl fmt::Display for Checkpoint {
    /// Writes the heading of a column, as in `300 calls` or `recall 0.5`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Checkpoint::Cost(axis, number) => write!(f, "{number} {axis}"),
            Checkpoint::Recall(level) => write!(f, "recall {level}"),
        }
    }
}

impl FromStr for Checkpoint {
    type Err = String;

    /// Parses a checkpoint in a finding, such as `calls=300` or `recall=0.5`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is not a checkpoint such as calls=300"))?;
        if name == "recall" {
            return Ok(Checkpoint::Recall(number.parse()?));
        }
        let axis = name
            .parse()
            .map_err(|_| format!("`{name}`: expected documents, queries, calls or recall"))?;
        let number = number
            .parse()
            .map_err(|_| format!("`{number}` is not a number of {axis}"))?;
        Ok(Checkpoint::Cost(axis, number))
    }
}

/// A recall level: a number of tenths of the documents of the target that exist. Documents count
/// whether they are duplicates or not, because those that exist do so, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecallLevel {
    /// Tenths, from 1 to 10.
    tenths: u64,
}

impl RecallLevel {
    /// Returns the levels 0.1 to 1.0, at which measures of information retrieval are reported.
    pub fn all() -> impl Iterator<Item = RecallLevel> {
        (1..=10).map(|tenths| RecallLevel { tenths })
    }

    /// Returns `true` if the level is reached by `found` of `existing` documents.
    pub(crate) fn is_reached(self, found: u64, existing: u64) -> bool {
        let [found, existing] = [found, existing].map(u128::from);
        found > 0 && 10 * found >= u128::from(self.tenths) * existing
    }

    /// Returns the highest level that is reached by `found` of `existing` documents.
    pub(crate) fn highest(found: u64, existing: u64) -> Option<RecallLevel> {
        RecallLevel::all()
            .take_while(|level| level.is_reached(found, existing))
            .last()
    }
}

impl fmt::Display for RecallLevel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.tenths / 10, self.tenths % 10)
    }
}

impl FromStr for RecallLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number: Option<f64> = text.parse().ok();
        RecallLevel::all()
            .find(|level| number == Some(level.tenths as f64 / 10.0))
            .ok_or_else(|| format!("`{text}` is not a recall level; use 0.1, 0.2, ... or 1.0"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, CostAxis, RecallLevel};

    #[test]
    fn checkpoints_are_parsed_as_in_findings_and_written_as_headings() {
        let parse = |text: &str| text.parse::<Checkpoint>();
        assert_eq!(
            parse("calls=300"),
            Ok(Checkpoint::Cost(CostAxis::Calls, 300))
        );
        assert_eq!(
            ["queries=50", "recall=0.3", "recall=1"].map(|text| parse(text).unwrap().to_string()),
            ["50 queries", "recall 0.3", "recall 1.0"]
        );
        for text in ["recall=0", "recall=0.25", "recall=1.1", "recall=x"] {
            assert!(parse(text).unwrap_err().contains("is not a recall level"));
        }
        assert!(parse("call=3").unwrap_err().contains("calls or recall"));
        assert!(parse("calls=x").unwrap_err().contains("not a number"));
        assert!(parse("calls").unwrap_err().contains("such as calls=300"));
    }

    #[test]
    fn a_level_is_reached_by_its_share_of_the_existing_documents() {
        let highest = |found| RecallLevel::highest(found, 250).map(|level| level.to_string());
        assert_eq!(highest(24), None);
        assert_eq!(highest(25), Some("0.1".into()));
        assert_eq!(highest(249), Some("0.9".into()));
        assert_eq!(highest(250), Some("1.0".into()));
        assert_eq!(RecallLevel::highest(0, 0), None);
        assert_eq!(RecallLevel::highest(9, u64::MAX), None);
    }
}
