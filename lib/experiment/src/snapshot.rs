//! The counts of a run at one moment.

use serde::{Deserialize, Serialize};

/// The counts of a run at one moment. In `results.jsonl` it is a list of numbers, in the order of
/// `SNAPSHOT_COLUMNS`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct RunSnapshot {
    /// Number of steps.
    pub steps: u64,
    /// Number of documents retrieved, of any class, including duplicates.
    pub documents: u64,
    /// Number of distinct queries sent to the engine.
    pub queries: u64,
    /// Number of distinct queries for which the engine had no hit.
    pub empty: u64,
    /// Number of calls to the engine.
    pub calls: u64,
    /// Number of relevant documents by the filter, without duplicates.
    pub relevant: u64,
    /// Number of relevant documents by true class, without duplicates; 0 if true classes are
    /// unknown.
    pub correct: u64,
    /// Number of documents that are relevant both by the filter and by true class.
    pub both: u64,
    /// Number of finished steps that retrieved no document although the engine answered, because
    /// the query was empty or exhausted, or because no page could be fetched; `None` if an earlier
    /// version measured the run.
    pub no_document: Option<u64>,
}

/// The names of the numbers of a snapshot, in order.
pub(crate) const SNAPSHOT_COLUMNS: [&str; 9] = [
    "steps",
    "documents",
    "queries",
    "empty",
    "calls",
    "relevant",
    "true",
    "both",
    "no-document",
];

/// Number of columns that all versions have measured.
pub(crate) const COLUMNS_OF_ALL_VERSIONS: usize = 8;

impl TryFrom<Vec<u64>> for RunSnapshot {
    type Error = String;

    fn try_from(numbers: Vec<u64>) -> Result<Self, String> {
        let (common, added) = numbers
            .split_first_chunk::<COLUMNS_OF_ALL_VERSIONS>()
            .filter(|_| numbers.len() <= SNAPSHOT_COLUMNS.len())
            .ok_or_else(|| {
                format!(
                    "a snapshot has {} numbers; {COLUMNS_OF_ALL_VERSIONS} or {} are expected",
                    numbers.len(),
                    SNAPSHOT_COLUMNS.len()
                )
            })?;
        let [
            steps,
            documents,
            queries,
            empty,
            calls,
            relevant,
            correct,
            both,
        ] = *common;
        Ok(RunSnapshot {
            steps,
            documents,
            queries,
            empty,
            calls,
            relevant,
            correct,
            both,
            no_document: added.first().copied(),
        })
    }
}

impl From<RunSnapshot> for Vec<u64> {
    fn from(snapshot: RunSnapshot) -> Self {
        let mut numbers = vec![
            snapshot.steps,
            snapshot.documents,
            snapshot.queries,
            snapshot.empty,
            snapshot.calls,
            snapshot.relevant,
            snapshot.correct,
            snapshot.both,
        ];
        numbers.extend(snapshot.no_document);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::RunSnapshot;

    #[test]
    fn a_snapshot_of_an_earlier_version_lacks_the_last_number() {
        let parse = |text| serde_json::from_str::<RunSnapshot>(text);
        let text = "[1,2,3,4,5,6,7,8]";
        assert_eq!(parse(text).unwrap().no_document, None);
        assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), text);
        let text = "[1,2,3,4,5,6,7,8,9]";
        assert_eq!(parse(text).unwrap().no_document, Some(9));
        assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), text);
        assert!(parse("[1,2,3,4,5,6,7]").is_err() && parse("[0,0,0,0,0,0,0,0,0,0]").is_err());
    }
}
