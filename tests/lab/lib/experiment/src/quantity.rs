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
    /// The share of the steps that retrieved no document, whether their query was empty or
    /// exhausted.
    NoDocument,
    /// The share of the distinct queries that had no hit.
    Empty,
    /// The mean precision of the distinct queries that retrieved documents.
    QueryPrecision,
    /// The mean recall of the distinct queries that retrieved documents.
    QueryRecall,
    /// Documents of another target of the run, by true class.
    OfOtherTargets,
    /// The share of the filter's positives that are true positives.
    Precision,
    /// The share of the filter's negatives that are true negatives.
    NegativePredictiveValue,
}

/// Millionths in one.
const MILLION: u64 = 1_000_000;

/// All quantities with their names in findings and their descriptions in headings.
const QUANTITIES: [(Quantity, &str, &str); 15] = [
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
        Quantity::NoDocument,
        "no-document",
        "Share of the steps that retrieved no document (no-document)",
    ),
    (
        Quantity::Empty,
        "empty",
        "Share of the distinct queries that had no hit (empty)",
    ),
    (
        Quantity::QueryPrecision,
        "query-precision",
        "Mean precision of the queries that retrieved documents (query-precision)",
    ),
    (
        Quantity::QueryRecall,
        "query-recall",
        "Mean recall of the queries that retrieved documents (query-recall)",
    ),
    (
        Quantity::OfOtherTargets,
        "of-other-targets",
        "Documents of other targets of the run (of-other-targets)",
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
        Some(self.count(run, snapshot)?.value())
    }

    /// Returns the quantity of a run at a snapshot as a count and its denominator; `None` as for
    /// [`Quantity::measure`].
    pub(crate) fn count(self, run: &MeasuredRun, snapshot: &RunSnapshot) -> Option<CountRatio> {
        let has_true_classes = run.reachable.is_some();
        let relevant = if has_true_classes {
            snapshot.correct
        } else {
            snapshot.relevant
        };
        let (count, denominator) = match self {
            Quantity::Relevant => (relevant, 1),
            Quantity::Cost(axis) => (axis.cost(snapshot), 1),
            Quantity::RelevantPer(axis) => (relevant, axis.cost(snapshot)),
            Quantity::Recall => (relevant, run.reachable?),
            Quantity::NoDocument => (snapshot.no_document?, snapshot.steps),
            Quantity::Empty => (snapshot.empty, snapshot.queries),
            Quantity::QueryPrecision => {
                let precision = snapshot.query_precision?;
                (
                    precision.millionths,
                    precision.queries.saturating_mul(MILLION),
                )
            }
            Quantity::QueryRecall => {
                // Each document is one of one query, because a hit is returned once in a run.
                let queries = snapshot.query_precision?.queries;
                (snapshot.of_target?, queries.saturating_mul(run.reachable?))
            }
            Quantity::OfOtherTargets if has_true_classes => (snapshot.of_other_targets?, 1),
            Quantity::Precision if has_true_classes => (snapshot.both, snapshot.relevant),
            Quantity::NegativePredictiveValue if has_true_classes => {
                // Duplicates are neither: they are not relevant whatever their label.
                let judged = snapshot.documents.saturating_sub(snapshot.duplicates?);
                let negatives = judged.saturating_sub(snapshot.relevant);
                let false_negatives = snapshot.correct.saturating_sub(snapshot.both);
                (negatives.saturating_sub(false_negatives), negatives)
            }
            Quantity::OfOtherTargets | Quantity::Precision | Quantity::NegativePredictiveValue => {
                return None;
            }
        };
        (denominator > 0).then_some(CountRatio { count, denominator })
    }

    /// Returns `true` if the quantity is a share of 0 to 1; `false` if it is a count, or a count
    /// per query or call.
    pub(crate) fn is_share(self) -> bool {
        !matches!(
            self,
            Quantity::Relevant
                | Quantity::OfOtherTargets
                | Quantity::Cost(_)
                | Quantity::RelevantPer(CostAxis::Queries | CostAxis::Calls)
        )
    }

    /// Formats a number of this quantity: counts without decimals, relevant documents per query or
    /// call with two, all other ratios with three.
    pub fn format(self, number: f64) -> String {
        match self {
            Quantity::Relevant | Quantity::OfOtherTargets | Quantity::Cost(_) => {
                group_thousands(number)
            }
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

/// A count divided by a number that is not 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountRatio {
    count: u64,
    denominator: u64,
}

impl CountRatio {
    /// Returns the number.
    pub(crate) fn value(self) -> f64 {
        self.count as f64 / self.denominator as f64
    }

    /// Returns the natural logarithm. A count of 0 is taken as one half, as is usual for counts,
    /// so that the logarithm exists.
    pub(crate) fn log(self) -> f64 {
        libm::log((self.count as f64).max(0.5) / self.denominator as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{CostAxis, CountRatio, QUANTITIES, Quantity, group_thousands};
    use crate::experiment_results::tests::{run, run_of_an_earlier_version};

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

    #[test]
    fn steps_without_a_document_are_unknown_of_a_run_of_an_earlier_version() {
        let share = |run: crate::MeasuredRun| {
            let end = run.points.last().copied().unwrap();
            Quantity::NoDocument.measure(&run, &end)
        };
        assert_eq!(share(run("a", "slv", 1, 5, 8)), Some(0.7));
        assert_eq!(share(run_of_an_earlier_version("a", "slv", 1)), None);
    }

    #[test]
    fn the_recall_of_queries_is_their_share_of_the_existing_documents() {
        let run_of_500 = run("a", "slv", 1, 500, 800);
        let recall = |run: &crate::MeasuredRun| {
            let end = run.points.last().copied().unwrap();
            Quantity::QueryRecall.measure(run, &end)
        };
        // 50 queries retrieved 500 of 1,000 documents.
        assert_eq!(recall(&run_of_500), Some(0.01));
        assert_eq!(recall(&run_of_an_earlier_version("a", "slv", 1)), None);
        let unknown = crate::MeasuredRun {
            reachable: None,
            ..run_of_500
        };
        assert_eq!(recall(&unknown), None);
    }

    #[test]
    fn the_logarithm_of_no_document_is_that_of_half_a_document() {
        let count = |count| CountRatio {
            count,
            denominator: 10,
        };
        assert_eq!(count(0).value(), 0.0);
        assert_eq!(count(0).log(), libm::log(0.05));
        assert_eq!(count(10).log(), 0.0);
    }
}
