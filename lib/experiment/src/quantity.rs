//! The quantities that are measured of a run.

use crate::cost_axis::CostAxis;
use crate::measured_run::MeasuredRun;
use crate::snapshot::RunSnapshot;
use std::str::FromStr;

/// A quantity that is measured of a run (`docs/algorithms.md`, "Measures"). A document is relevant
/// by its true class if that is known, else by the filter's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Relevant documents.
    Relevant,
    /// Relevant documents per document, query or call: PosDocs, PosQueries, PosCalls.
    RelevantPer(CostAxis),
    /// Relevant documents per document of the target on the closed web.
    Recall,
    /// Documents, queries or calls.
    Cost(CostAxis),
    /// The share of the queries that had no hit.
    Empty,
    /// The share of the filter's positives that are true positives.
    Precision,
    /// The share of the filter's negatives that are true negatives.
    NegativePredictiveValue,
}

/// All quantities with their names in findings and their descriptions in headings.
const QUANTITIES: [(Quantity, &str, &str); 11] = [
    (Quantity::Relevant, "relevant", "Relevant documents"),
    (
        Quantity::RelevantPer(CostAxis::Documents),
        "PosDocs",
        "Relevant documents per document (PosDocs)",
    ),
    (
        Quantity::RelevantPer(CostAxis::Queries),
        "PosQueries",
        "Relevant documents per query (PosQueries)",
    ),
    (
        Quantity::RelevantPer(CostAxis::Calls),
        "PosCalls",
        "Relevant documents per call (PosCalls)",
    ),
    (
        Quantity::Recall,
        "recall",
        "Relevant documents per document of the target that exists (recall)",
    ),
    (
        Quantity::Cost(CostAxis::Documents),
        "documents",
        "Documents retrieved",
    ),
    (
        Quantity::Cost(CostAxis::Queries),
        "queries",
        "Distinct queries",
    ),
    (
        Quantity::Cost(CostAxis::Calls),
        "calls",
        "Calls to the engine",
    ),
    (
        Quantity::Empty,
        "empty",
        "Share of the queries that had no hit (empty)",
    ),
    (
        Quantity::Precision,
        "precision",
        "Share of the filter's positives that are true positives",
    ),
    (
        Quantity::NegativePredictiveValue,
        "negative-predictive-value",
        "Share of the filter's negatives that are true negatives",
    ),
];

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        QUANTITIES
            .iter()
            .find(|(_, name, _)| *name == text)
            .map(|(quantity, ..)| *quantity)
            .ok_or_else(|| {
                let names = QUANTITIES.map(|(_, name, _)| name).join(", ");
                format!("`{text}` is not a quantity; use one of {names}")
            })
    }
}

impl Quantity {
    /// Returns the description for the heading of a table.
    pub fn description(self) -> &'static str {
        QUANTITIES
            .iter()
            .find(|(quantity, ..)| *quantity == self)
            .map_or("", |(.., description)| description)
    }

    /// Returns the quantity of a run at a snapshot; `None` if it is unknown, or if it is a ratio
    /// whose denominator is 0.
    pub fn measure(self, run: &MeasuredRun, snapshot: &RunSnapshot) -> Option<f64> {
        let has_true_classes = run.reachable.is_some();
        let relevant = if has_true_classes {
            snapshot.correct
        } else {
            snapshot.relevant
        };
        match self {
            Quantity::Relevant => Some(relevant as f64),
            Quantity::Cost(axis) => Some(axis.cost(snapshot) as f64),
            Quantity::RelevantPer(axis) => ratio(relevant, axis.cost(snapshot)),
            Quantity::Recall => ratio(relevant, run.reachable?),
            Quantity::Empty => ratio(snapshot.empty, snapshot.queries),
            Quantity::Precision if has_true_classes => ratio(snapshot.both, snapshot.relevant),
            Quantity::NegativePredictiveValue if has_true_classes => {
                let negatives = snapshot.documents.saturating_sub(snapshot.relevant);
                let false_negatives = snapshot.correct.saturating_sub(snapshot.both);
                ratio(negatives.saturating_sub(false_negatives), negatives)
            }
            Quantity::Precision | Quantity::NegativePredictiveValue => None,
        }
    }

    /// Formats a number of this quantity: counts without decimals, relevant documents per query or
    /// call with two, all other ratios with three.
    pub fn format(self, number: f64) -> String {
        match self {
            Quantity::Relevant | Quantity::Cost(_) => group_thousands(number),
            Quantity::RelevantPer(CostAxis::Queries | CostAxis::Calls) => format!("{number:.2}"),
            _ => format!("{number:.3}"),
        }
    }
}

/// Formats a number without decimals, with commas between thousands.
fn group_thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups = digits.as_bytes().rchunks(3).rev();
    groups
        .map(String::from_utf8_lossy)
        .collect::<Vec<_>>()
        .join(",")
}

/// Returns `part / whole`; `None` if `whole` is 0.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::{CostAxis, QUANTITIES, Quantity, group_thousands};

    #[test]
    fn quantities_are_parsed_by_name() {
        assert_eq!(
            "PosCalls".parse(),
            Ok(Quantity::RelevantPer(CostAxis::Calls))
        );
        assert!(
            QUANTITIES
                .iter()
                .all(|(quantity, name, _)| name.parse() == Ok(*quantity))
        );
        assert!(
            "posdocs"
                .parse::<Quantity>()
                .unwrap_err()
                .contains("PosDocs")
        );
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        assert_eq!(
            [7.0, 999.6, 12_345.0, 1_234_567.0].map(group_thousands),
            ["7", "1,000", "12,345", "1,234,567"]
        );
    }
}
