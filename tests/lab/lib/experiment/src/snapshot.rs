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
    /// The precision of the queries; `None` if an earlier version measured the run.
    pub query_precision: Option<QueryPrecision>,
    /// Number of documents that are duplicates; `None` if an earlier version measured the run.
    pub duplicates: Option<u64>,
    /// Number of documents of the target by true class, duplicates included; 0 if true classes are
    /// unknown, `None` if an earlier version measured the run.
    pub of_target: Option<u64>,
    /// Number of documents whose true class is another target of the run, duplicates included. They
    /// are counted from the first step for that target on. 0 and `None` as for `of_target`.
    pub of_other_targets: Option<u64>,
}

/// The precision of the distinct queries that retrieved documents: the share of the documents of a
/// query that are of the target, by true class if it is known, else by the filter. Duplicates count
/// like other documents (Dimalen & Roxas 2007, section 6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueryPrecision {
    /// Number of queries that retrieved documents.
    pub queries: u64,
    /// Sum of their precisions, in millionths.
    pub millionths: u64,
}

/// The names of the numbers of a snapshot, in order.
pub(crate) const SNAPSHOT_COLUMNS: [&str; 14] = [
    "steps",
    "documents",
    "queries",
    "empty",
    "calls",
    "relevant",
    "true",
    "both",
    "no-document",
    "queries-with-documents",
    "query-precision-sum",
    "duplicates",
    "of-target",
    "of-other-targets",
];

/// Number of columns that all versions have measured.
const COLUMNS_OF_ALL_VERSIONS: usize = 8;

/// The numbers of columns that this version and earlier ones have measured.
pub(crate) const COLUMN_NUMBERS: [usize; 6] = [
    COLUMNS_OF_ALL_VERSIONS,
    9,
    11,
    12,
    13,
    SNAPSHOT_COLUMNS.len(),
];

impl TryFrom<Vec<u64>> for RunSnapshot {
    type Error = String;

    fn try_from(numbers: Vec<u64>) -> Result<Self, String> {
        let (common, added) = numbers
            .split_first_chunk::<COLUMNS_OF_ALL_VERSIONS>()
            .filter(|_| COLUMN_NUMBERS.contains(&numbers.len()))
            .ok_or_else(|| {
                format!(
                    "a snapshot has {} numbers; {} are expected",
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
            query_precision: match *added {
                [_, queries, millionths, ..] => Some(QueryPrecision {
                    queries,
                    millionths,
                }),
                _ => None,
            },
            duplicates: added.get(3).copied(),
            of_target: added.get(4).copied(),
            of_other_targets: added.get(5).copied(),
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
        if let Some(QueryPrecision {
            queries,
            millionths,
        }) = snapshot.query_precision
        {
            numbers.extend([queries, millionths]);
        }
        numbers.extend(snapshot.duplicates);
        numbers.extend(snapshot.of_target);
        numbers.extend(snapshot.of_other_targets);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::{QueryPrecision, RunSnapshot};

    #[test]
    fn a_snapshot_of_an_earlier_version_lacks_the_last_numbers() {
        let parse = |text| serde_json::from_str::<RunSnapshot>(text);
        let precision = QueryPrecision {
            queries: 10,
            millionths: 11,
        };
        for (text, no_document, query_precision, last) in [
            ("[1,2,3,4,5,6,7,8]", None, None, [None; 3]),
            ("[1,2,3,4,5,6,7,8,9]", Some(9), None, [None; 3]),
            (
                "[1,2,3,4,5,6,7,8,9,10,11]",
                Some(9),
                Some(precision),
                [None; 3],
            ),
            (
                "[1,2,3,4,5,6,7,8,9,10,11,12]",
                Some(9),
                Some(precision),
                [Some(12), None, None],
            ),
            (
                "[1,2,3,4,5,6,7,8,9,10,11,12,13]",
                Some(9),
                Some(precision),
                [Some(12), Some(13), None],
            ),
            (
                "[1,2,3,4,5,6,7,8,9,10,11,12,13,14]",
                Some(9),
                Some(precision),
                [Some(12), Some(13), Some(14)],
            ),
        ] {
            let snapshot = parse(text).unwrap();
            assert_eq!(snapshot.no_document, no_document);
            assert_eq!(snapshot.query_precision, query_precision);
            let added = [
                snapshot.duplicates,
                snapshot.of_target,
                snapshot.of_other_targets,
            ];
            assert_eq!(added, last);
            assert_eq!(serde_json::to_string(&snapshot).unwrap(), text);
        }
        assert!(parse("[1,2,3,4,5,6,7]").is_err() && parse("[0,0,0,0,0,0,0,0,0,0]").is_err());
    }
}
