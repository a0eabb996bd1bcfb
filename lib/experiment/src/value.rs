//! Quantities, and their means over targets and seeds at one checkpoint.

use crate::axis::Axis;
use crate::point::Point;
use crate::results::Results;
use crate::run::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// A quantity that can be measured of a run (ALGORITHMS §6). A document is relevant by its true
/// label where that is known, else by the filter's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Relevant documents.
    Relevant,
    /// Relevant documents per document, query or call: PosDocs, PosQueries, PosCalls.
    Share(Axis),
    /// Relevant documents per document of the target that exists.
    Recall,
    /// Documents, queries or calls.
    Count(Axis),
    /// Share of the queries that had no hit.
    Empty,
    /// Share of the filter's positives that are true positives.
    Precision,
    /// Share of the filter's negatives that are true negatives.
    NegativePredictiveValue,
}

/// All quantities: as findings spell them, and as a heading describes them.
const QUANTITIES: [(Quantity, &str, &str); 11] = [
    (Quantity::Relevant, "relevant", "Relevant documents"),
    (
        Quantity::Share(Axis::Documents),
        "PosDocs",
        "Relevant documents per document (PosDocs)",
    ),
    (
        Quantity::Share(Axis::Queries),
        "PosQueries",
        "Relevant documents per query (PosQueries)",
    ),
    (
        Quantity::Share(Axis::Calls),
        "PosCalls",
        "Relevant documents per call (PosCalls)",
    ),
    (
        Quantity::Recall,
        "recall",
        "Relevant documents per document of the target that exists (recall)",
    ),
    (
        Quantity::Count(Axis::Documents),
        "documents",
        "Documents retrieved",
    ),
    (
        Quantity::Count(Axis::Queries),
        "queries",
        "Distinct queries",
    ),
    (Quantity::Count(Axis::Calls), "calls", "Calls to the engine"),
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
        let found = QUANTITIES
            .iter()
            .find(|(_, name, _)| *name == text)
            .map(|(quantity, ..)| *quantity);
        let names = || QUANTITIES.map(|(_, name, _)| name).join(", ");
        found.ok_or_else(|| format!("`{text}` is no quantity: there are {}", names()))
    }
}

impl Quantity {
    /// Returns what it is, as the heading of a table.
    pub fn description(self) -> &'static str {
        QUANTITIES
            .iter()
            .find(|(quantity, ..)| *quantity == self)
            .map_or("", |(.., description)| description)
    }

    /// Measures a run at a point; `None` where it is unknown, or a share of nothing.
    pub fn measure(self, run: &Run, point: &Point) -> Option<f64> {
        let relevant = if run.reachable.is_some() {
            point.correct
        } else {
            point.relevant
        };
        match self {
            Quantity::Relevant => Some(relevant as f64),
            Quantity::Count(axis) => Some(axis.of(point) as f64),
            Quantity::Share(axis) => share(relevant, axis.of(point)),
            Quantity::Recall => share(relevant, run.reachable?),
            Quantity::Empty => share(point.empty, point.queries),
            Quantity::Precision => run
                .reachable
                .and_then(|_| share(point.both, point.relevant)),
            Quantity::NegativePredictiveValue => {
                let negatives = point.documents.saturating_sub(point.relevant);
                let false_negatives = point.correct.saturating_sub(point.both);
                run.reachable
                    .and_then(|_| share(negatives.saturating_sub(false_negatives), negatives))
            }
        }
    }

    /// Formats a number of it: counts whole, documents per query or call with two decimals, shares
    /// with three.
    pub fn format(self, number: f64) -> String {
        match self {
            Quantity::Relevant | Quantity::Count(_) => group_thousands(number),
            Quantity::Share(Axis::Queries | Axis::Calls) => format!("{number:.2}"),
            _ => format!("{number:.3}"),
        }
    }
}

/// Formats a whole number with commas between thousands.
fn group_thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let threes = digits.as_bytes().rchunks(3).rev();
    let thousands: Vec<_> = threes.map(String::from_utf8_lossy).collect();
    thousands.join(",")
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// A quantity of a setting at a checkpoint: a cell of a table, or a side of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// The quantity.
    pub quantity: Quantity,
    /// The setting.
    pub setting: String,
    /// The checkpoint: a number of documents, queries or calls.
    pub at: (Axis, u64),
    /// The targets; all that the setting was run for where none is named.
    pub targets: Vec<String>,
}

/// A mean over targets and seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean of all runs.
    pub mean: f64,
    /// The least of the seeds' means over targets.
    pub low: f64,
    /// The greatest of them.
    pub high: f64,
    /// Number of targets.
    pub targets: usize,
    /// Number of seeds.
    pub seeds: usize,
}

/// A number for each run: by target and seed.
pub(crate) type Cells = BTreeMap<(String, u64), f64>;

impl Value {
    /// Returns the number of each run; none at all where one run did not reach the checkpoint, so
    /// that no mean is over other runs than it seems.
    pub(crate) fn cells(&self, results: &Results) -> Cells {
        let (axis, number) = self.at;
        let cell = |run: &Run| {
            let measured = run
                .at(axis, number)
                .and_then(|point| self.quantity.measure(run, &point))?;
            Some(((run.target.clone(), run.seed), measured))
        };
        let cells: Option<Cells> = results.of(&self.setting, &self.targets).map(cell).collect();
        cells.unwrap_or_default()
    }

    /// Returns the mean over the runs; `None` where there is no run, or one did not reach the
    /// checkpoint.
    pub fn mean(&self, results: &Results) -> Option<Mean> {
        mean(&self.cells(results))
    }

    /// Formats the mean, with the range of the seeds where they differ; a dash where there is none.
    pub fn written(&self, results: &Results) -> String {
        let Some(mean) = self.mean(results) else {
            return "–".into();
        };
        let [low, middle, high] =
            [mean.low, mean.mean, mean.high].map(|number| self.quantity.format(number));
        if low == high {
            middle
        } else {
            format!("{middle} ({low}–{high})")
        }
    }
}

/// Returns the mean of all cells, and the range of the seeds' means.
pub(crate) fn mean(cells: &Cells) -> Option<Mean> {
    let mut by_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for ((_, seed), number) in cells {
        by_seed.entry(*seed).or_default().push(*number);
    }
    let of = |numbers: &Vec<f64>| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let seeds: Vec<f64> = by_seed.values().map(of).collect();
    let low = seeds.iter().copied().reduce(f64::min)?;
    let high = seeds.iter().copied().reduce(f64::max)?;
    let targets: BTreeSet<&String> = cells.keys().map(|(target, _)| target).collect();
    let mean = cells.values().sum::<f64>() / cells.len() as f64;
    Some(Mean {
        mean,
        low,
        high,
        targets: targets.len(),
        seeds: seeds.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Axis, QUANTITIES, Quantity, Value, group_thousands};
    use crate::results::tests::results;

    fn value(quantity: &str, setting: &str, calls: u64, targets: &[&str]) -> Value {
        let targets = targets.iter().map(|target| target.to_string()).collect();
        Value {
            quantity: quantity.parse().unwrap(),
            setting: setting.into(),
            at: (Axis::Calls, calls),
            targets,
        }
    }

    #[test]
    fn a_mean_is_over_targets_and_seeds_and_its_range_over_seeds() {
        let mean = value("PosCalls", "a", 100, &[]).mean(&results()).unwrap();
        assert_eq!(
            (mean.mean, mean.low, mean.high, mean.targets, mean.seeds),
            (5.5, 4.5, 6.5, 2, 2)
        );
        assert_eq!(
            value("PosCalls", "a", 100, &["slv"]).written(&results()),
            "5.00 (4.00–6.00)"
        );
        assert_eq!(
            value("relevant", "b", 50, &["tgl"]).written(&results()),
            "100"
        );
    }

    #[test]
    fn there_is_no_mean_where_a_run_did_not_reach_the_checkpoint() {
        assert_eq!(value("PosCalls", "a", 101, &[]).written(&results()), "–");
        assert_eq!(value("PosCalls", "c", 100, &[]).written(&results()), "–");
    }

    #[test]
    fn quantities_are_read_by_their_names() {
        assert_eq!("PosCalls".parse(), Ok(Quantity::Share(Axis::Calls)));
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
    fn thousands_are_grouped() {
        assert_eq!(
            [7.0, 999.6, 12_345.0, 1_234_567.0].map(group_thousands),
            ["7", "1,000", "12,345", "1,234,567"]
        );
    }
}
