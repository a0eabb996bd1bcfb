//! A figure of one setting at one point of the run, a mean over targets and seeds.

use crate::axis::Axis;
use crate::point::Point;
use crate::results::Results;
use crate::run::Run;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What can be measured of a run (ALGORITHMS §6). Relevant is what the true label says, where it is known, and else
/// what the filter says; with `/filter` always the latter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    kind: Kind,
    by_filter: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Relevant documents.
    Relevant,
    /// Relevant documents by documents, queries or calls.
    Share(Axis),
    /// Relevant documents by all that there are.
    Recall,
    /// Documents, queries or calls.
    Count(Axis),
    /// Queries without a hit by queries.
    Empty,
    /// Of what the filter calls relevant, the share that is.
    Precision,
    /// Of what the filter calls nonrelevant, the share that is.
    Rejection,
}

const KINDS: [(&str, Kind); 10] = [
    ("relevant", Kind::Relevant),
    ("PosDocs", Kind::Share(Axis::Documents)),
    ("PosQueries", Kind::Share(Axis::Queries)),
    ("PosCalls", Kind::Share(Axis::Calls)),
    ("recall", Kind::Recall),
    ("documents", Kind::Count(Axis::Documents)),
    ("queries", Kind::Count(Axis::Queries)),
    ("calls", Kind::Count(Axis::Calls)),
    ("empty", Kind::Empty),
    ("precision", Kind::Precision),
];
const REJECTION: &str = "rejection";

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, by_filter) = text.strip_suffix("/filter").map_or((text, false), |name| (name, true));
        let found = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let kind = found.or((name == REJECTION).then_some(Kind::Rejection));
        let names = || KINDS.map(|(name, _)| name).join(", ");
        Ok(Quantity { kind: kind.ok_or_else(|| format!("`{text}`: there are {}, {REJECTION}", names()))?, by_filter })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or(REJECTION, |(name, _)| name);
        f.write_str(name)?;
        if self.by_filter { f.write_str("/filter") } else { Ok(()) }
    }
}

impl Quantity {
    /// PosDocs, PosQueries or PosCalls.
    pub fn share(axis: Axis) -> Self {
        Quantity { kind: Kind::Share(axis), by_filter: false }
    }

    /// Relevant documents.
    pub fn relevant() -> Self {
        Quantity { kind: Kind::Relevant, by_filter: false }
    }

    /// Of a run at a point; `None` where it is not known, or a share of nothing.
    pub fn of(self, run: &Run, point: &Point) -> Option<f64> {
        let relevant = match run.reachable {
            Some(_) if !self.by_filter => point.correct,
            _ => point.relevant,
        };
        match self.kind {
            Kind::Relevant => Some(relevant as f64),
            Kind::Count(axis) => Some(axis.of(point) as f64),
            Kind::Share(axis) => share(relevant, axis.of(point)),
            Kind::Recall => share(relevant, run.reachable?),
            Kind::Empty => share(point.empty, point.queries),
            Kind::Precision => run.reachable.and_then(|_| share(point.both, point.relevant)),
            Kind::Rejection => {
                let rejected = point.documents.saturating_sub(point.relevant);
                let missed = point.correct.saturating_sub(point.both);
                run.reachable.and_then(|_| share(rejected.saturating_sub(missed), rejected))
            }
        }
    }

    /// A number as it is written: counts whole, what is at most 1 with three digits, others with two.
    pub fn format(self, number: f64) -> String {
        match self.kind {
            Kind::Relevant | Kind::Count(_) => grouped(number),
            Kind::Share(Axis::Queries | Axis::Calls) => format!("{number:.2}"),
            _ => format!("{number:.3}"),
        }
    }
}

/// A whole number with commas between thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// Which figure is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What.
    pub quantity: Quantity,
    /// Of which setting.
    pub setting: String,
    /// After how many documents, queries or calls.
    pub at: (Axis, u64),
    /// For which targets; all that there are where none is named.
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
    /// How many runs.
    pub runs: usize,
}

/// A figure of each run: by target and seed.
pub(crate) type Cells = BTreeMap<(String, u64), f64>;

impl Value {
    /// The figure of each run; none where a run did not come so far, so that no mean is of other runs than it seems.
    pub(crate) fn cells(&self, results: &Results) -> Cells {
        let (axis, number) = self.at;
        let cell = |run: &Run| {
            let figure = run.at(axis, number).and_then(|point| self.quantity.of(run, &point))?;
            Some(((run.target.clone(), run.seed), figure))
        };
        let cells: Option<Cells> = results.of(&self.setting, &self.targets).map(cell).collect();
        cells.unwrap_or_default()
    }

    /// The mean over the runs; `None` where there is none, or one that did not come so far.
    pub fn mean(&self, results: &Results) -> Option<Mean> {
        mean(&self.cells(results))
    }

    /// The mean as it is written, or a dash.
    pub fn written(&self, results: &Results) -> String {
        self.mean(results).map_or("–".into(), |mean| self.quantity.format(mean.mean))
    }
}

/// The mean of all figures, and the range of the seeds' means.
pub(crate) fn mean(cells: &Cells) -> Option<Mean> {
    let mut by_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for ((_, seed), figure) in cells {
        by_seed.entry(*seed).or_default().push(*figure);
    }
    let of = |figures: &Vec<f64>| figures.iter().sum::<f64>() / figures.len() as f64;
    let seeds: Vec<f64> = by_seed.values().map(of).collect();
    let least = seeds.iter().copied().reduce(f64::min)?;
    let greatest = seeds.iter().copied().reduce(f64::max)?;
    let mean = cells.values().sum::<f64>() / cells.len() as f64;
    Some(Mean { mean, low: least, high: greatest, runs: cells.len() })
}

#[cfg(test)]
mod tests {
    use super::{Axis, Quantity, Value, grouped};
    use crate::results::tests::results;

    fn value(quantity: &str, setting: &str, calls: u64, targets: &[&str]) -> Value {
        let targets = targets.iter().map(|target| target.to_string()).collect();
        Value { quantity: quantity.parse().unwrap(), setting: setting.into(), at: (Axis::Calls, calls), targets }
    }

    #[test]
    fn a_mean_is_over_targets_and_seeds_and_its_range_over_seeds() {
        let mean = value("PosCalls", "a", 100, &[]).mean(&results()).unwrap();
        assert_eq!((mean.mean, mean.low, mean.high, mean.runs), (5.5, 4.5, 6.5, 4));
        assert_eq!(value("PosCalls", "a", 100, &["slv"]).written(&results()), "5.00");
        assert_eq!(value("relevant", "a", 50, &["slv"]).written(&results()), "250");
    }

    #[test]
    fn there_is_no_mean_where_a_run_did_not_come_so_far() {
        assert_eq!(value("PosCalls", "a", 101, &[]).written(&results()), "–");
        assert_eq!(value("PosCalls", "c", 100, &[]).written(&results()), "–");
    }

    #[test]
    fn quantities_are_spelt_in_one_way() {
        for name in ["relevant", "PosDocs", "PosQueries/filter", "recall", "empty", "precision", "rejection"] {
            assert_eq!(name.parse::<Quantity>().unwrap().to_string(), name);
        }
        assert!("posdocs".parse::<Quantity>().unwrap_err().contains("PosDocs"));
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([7.0, 999.6, 12_345.0, 1_234_567.0].map(grouped), ["7", "1,000", "12,345", "1,234,567"]);
    }
}
