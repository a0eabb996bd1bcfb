//! The costs that a run is measured by: documents retrieved, queries sent, calls made; and the
//! checkpoints along them.

use crate::snapshot::RunSnapshot;
use std::fmt;
use std::str::FromStr;

/// A cost of a run (`docs/algorithms.md`, "Measures").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostAxis {
    /// Documents retrieved.
    Documents,
    /// Distinct queries sent.
    Queries,
    /// Calls to the engine.
    Calls,
}

impl CostAxis {
    /// All axes.
    pub const ALL: [CostAxis; 3] = [CostAxis::Documents, CostAxis::Queries, CostAxis::Calls];

    /// Returns the cost of a run up to a snapshot.
    pub fn cost(self, snapshot: &RunSnapshot) -> u64 {
        match self {
            CostAxis::Documents => snapshot.documents,
            CostAxis::Queries => snapshot.queries,
            CostAxis::Calls => snapshot.calls,
        }
    }

    /// Returns the label of the x-axis of a figure.
    pub fn label(self) -> &'static str {
        match self {
            CostAxis::Documents => "documents retrieved",
            CostAxis::Queries => "queries issued",
            CostAxis::Calls => "calls to the engine",
        }
    }
}

impl fmt::Display for CostAxis {
    /// Writes the name in `results.jsonl` and in findings.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            CostAxis::Documents => "documents",
            CostAxis::Queries => "queries",
            CostAxis::Calls => "calls",
        })
    }
}

impl FromStr for CostAxis {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        CostAxis::ALL
            .into_iter()
            .find(|axis| axis.to_string() == name)
            .ok_or_else(|| format!("`{name}`: expected documents, queries or calls"))
    }
}

/// Returns the first checkpoint that is not below a number.
pub(crate) fn next_checkpoint(number: u64) -> u64 {
    checkpoints()
        .find(|&checkpoint| checkpoint >= number)
        .unwrap_or(u64::MAX)
}

/// Returns the checkpoints below `end`, and `end`.
pub(crate) fn checkpoints_up_to(end: u64) -> impl Iterator<Item = u64> {
    checkpoints()
        .take_while(move |&checkpoint| checkpoint < end)
        .chain([end])
}

/// Returns the numbers at which snapshots are taken: 10, 25, 50, 100, 150, 200, 300, 400, 500, 600,
/// 700, 800, 900, and then the numbers from 100 on times 10, times 100, and so on.
///
/// They are dense enough for a curve and include all numbers that are reported
/// (`docs/algorithms.md`, "Measures").
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
    fn checkpoints_increase_and_include_the_reported_numbers() {
        let all: Vec<u64> = checkpoints().collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!([100, 300, 600, 1000, 3000].iter().all(|n| all.contains(n)));
    }
}
