//! What runs are measured against: documents retrieved, queries issued, calls made.

use crate::point::Point;
use std::fmt;
use std::str::FromStr;

/// A cost of a run (ALGORITHMS §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Documents retrieved.
    Documents,
    /// Distinct queries sent.
    Queries,
    /// Calls to the engine.
    Calls,
}

impl Axis {
    /// All of them.
    pub const ALL: [Axis; 3] = [Axis::Documents, Axis::Queries, Axis::Calls];

    /// The count of a point.
    pub fn of(self, point: &Point) -> u64 {
        match self {
            Axis::Documents => point.documents,
            Axis::Queries => point.queries,
            Axis::Calls => point.calls,
        }
    }

    /// As the axis of a figure is labelled.
    pub fn label(self) -> &'static str {
        match self {
            Axis::Documents => "documents retrieved",
            Axis::Queries => "queries issued",
            Axis::Calls => "calls to the engine",
        }
    }
}

impl fmt::Display for Axis {
    /// Writes its name in `results.jsonl` and in findings.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Axis::Documents => "documents",
            Axis::Queries => "queries",
            Axis::Calls => "calls",
        })
    }
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Axis::ALL.into_iter().find(|axis| axis.to_string() == name);
        found.ok_or_else(|| format!("`{name}`: there are documents, queries and calls"))
    }
}

/// The first checkpoint that is not under a number.
pub(crate) fn checkpoint_from(number: u64) -> u64 {
    checkpoints()
        .find(|&checkpoint| checkpoint >= number)
        .unwrap_or(u64::MAX)
}

/// The checkpoints up to a number, and the number.
pub(crate) fn checkpoints_to(most: u64) -> impl Iterator<Item = u64> {
    checkpoints()
        .take_while(move |&checkpoint| checkpoint < most)
        .chain([most])
}

/// Where the counts of a run are noted: dense enough for a curve, and all that ALGORITHMS §6
/// reports at.
///
/// 10, 25, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900 and from 1,000 on the same ten
/// times as large, and so on.
fn checkpoints() -> impl Iterator<Item = u64> {
    const FIRST: [u64; 3] = [10, 25, 50];
    const DECADE: [u64; 10] = [100, 150, 200, 300, 400, 500, 600, 700, 800, 900];
    let decade = |power: u32| DECADE.into_iter().map(move |n| n * 10_u64.pow(power));
    FIRST.into_iter().chain((0..12).flat_map(decade))
}

#[cfg(test)]
mod tests {
    use super::checkpoints;

    #[test]
    fn checkpoints_rise_and_hold_those_that_are_reported() {
        let all: Vec<u64> = checkpoints().collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!([100, 300, 600, 1000, 3000].iter().all(|n| all.contains(n)));
    }
}
