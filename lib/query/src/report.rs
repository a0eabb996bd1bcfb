//! The report of `update-stats --report`: cost and yield of a run by target, statistics by class.
//!
//! The report has no times and no paths, so that equal runs have equal reports.

use crate::class_counts::ClassCounts;
use crate::coverage::{Coverage, MIN_PROBES, estimate_coverage};
use crate::query_log::read_probes;
use crate::statistics::{Result, Statistics};
use crate::strategy::learned::{LearnerReport, report_learners};
use crate::term_tables::{IS_INDEXED, IS_UNINDEXED, MIN_INDEXED_BAND, read_highest_band};
use forage_run::{FROM_OTHER_TARGETS, WORDS, read_totals};
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of the most frequent terms that are reported for each class. Set by judgement.
const TOP_TERMS: u32 = 10;

/// The figures of a run (`docs/algorithms.md`, "Measures").
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The sums over all targets.
    #[serde(flatten)]
    pub total: RunFigures,
    /// The figures by target.
    pub targets: BTreeMap<String, RunFigures>,
    /// By target: the estimated coverage of the documents that the engine can reach, of targets
    /// with probes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub coverage: BTreeMap<String, CoverageReport>,
    /// The term statistics by class.
    pub classes: BTreeMap<String, ClassReport>,
    /// By target and learner: the probability of each value of each parameter, rounded to four
    /// decimals.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub learners: BTreeMap<String, LearnerReport>,
}

/// The estimated coverage of a target, or the reason why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CoverageReport {
    /// The estimate.
    Estimated(Coverage),
    /// There is no estimate: a limit has ended the run before enough probes were sent, or the
    /// engine has returned none of their hits before.
    NotEstimated {
        /// The number of probes.
        probes: usize,
        /// The smallest number of probes for an estimate.
        probes_needed: usize,
    },
}

/// The cost and the yield of a run, or of one target of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunFigures {
    /// Number of steps, attempts not counted.
    pub steps: i64,
    /// Number of attempts of query recovery, which returned no URL.
    pub attempts: i64,
    /// Number of distinct queries that were sent.
    pub queries: i64,
    /// Number of calls to the engine.
    pub calls: i64,
    /// Number of documents retrieved, including duplicates.
    pub documents: i64,
    /// Number of relevant documents: of the target class, and not duplicates.
    pub relevant: i64,
    /// Number of new documents of the target that queries for other targets retrieved. They are in
    /// the corpus of the target, but in none of its other figures.
    pub from_other_targets: i64,
    /// Number of words in the corpus: in the relevant documents and those of `from_other_targets`.
    pub words: i64,
    /// Number of duplicates of earlier documents.
    pub duplicates: i64,
    /// Number of records of queries without any hit.
    pub empty: i64,
    /// Number of records of queries whose hits had all been seen before.
    pub exhausted: i64,
    /// Number of records with an error, by kind of error.
    pub errors: BTreeMap<String, i64>,
    /// Relevant documents per document retrieved, rounded to four decimals; `None` for 0 documents.
    #[serde(rename = "PosDocs")]
    pub pos_docs: Option<f64>,
    /// Relevant documents per distinct query, likewise.
    #[serde(rename = "PosQueries")]
    pub pos_queries: Option<f64>,
    /// Relevant documents per call, likewise.
    #[serde(rename = "PosCalls")]
    pub pos_calls: Option<f64>,
}

/// The term statistics of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// Numbers of documents, including initial ones, of tokens and of terms.
    #[serde(flatten)]
    pub counts: ClassCounts,
    /// The most frequent terms, in descending order of tf.
    pub top_terms: Vec<TermFrequency>,
}

/// A term and its number of occurrences in a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermFrequency {
    /// The term.
    pub term: String,
    /// The number of its occurrences.
    pub tf: u64,
}

/// Builds the report of a run. It has the targets of all queries, and also those in
/// `extra_targets`, for which there may not have been a query yet.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn build_report(statistics: &Statistics, extra_targets: &[String]) -> Result<RunReport> {
    statistics.with_path(|| collect_report(statistics, extra_targets))
}

fn collect_report(statistics: &Statistics, extra_targets: &[String]) -> Result<RunReport> {
    let totals = read_totals(&statistics.db)?;
    let mut total = RunFigures::default();
    let figures = |target: &String| (target.clone(), RunFigures::default());
    let mut targets: BTreeMap<_, _> = extra_targets.iter().map(figures).collect();
    let is_target = |class: &str| {
        extra_targets.iter().any(|target| target == class)
            || totals.contains_key(&(class.to_owned(), "steps".to_owned()))
    };
    for ((target, name), value) in &totals {
        if [FROM_OTHER_TARGETS, WORDS].contains(&&**name) && !is_target(target) {
            continue;
        }
        total.add_count(name, *value);
        if !target.is_empty() {
            let figures = targets.entry(target.clone()).or_default();
            figures.add_count(name, *value);
        }
    }
    total.compute_ratios();
    targets.values_mut().for_each(RunFigures::compute_ratios);
    let mut classes = BTreeMap::new();
    for class in statistics.classes()? {
        let report = ClassReport {
            top_terms: top_terms(statistics, class.id)?,
            counts: class,
        };
        classes.insert(report.counts.name.clone(), report);
    }
    let mut coverage_by_target = BTreeMap::new();
    for target in targets.keys() {
        let probes = read_probes(&statistics.db, target)?.len();
        if probes > 0 {
            let estimate = estimate_coverage(statistics, target)?;
            let coverage = match estimate {
                Some(coverage) => CoverageReport::Estimated(coverage.rounded()),
                None => CoverageReport::NotEstimated {
                    probes,
                    probes_needed: MIN_PROBES,
                },
            };
            coverage_by_target.insert(target.clone(), coverage);
        }
    }
    Ok(RunReport {
        total,
        targets,
        coverage: coverage_by_target,
        classes,
        learners: report_learners(statistics)?,
    })
}

impl RunFigures {
    /// Adds a count of [`forage_run::RunTotals`] by its name.
    fn add_count(&mut self, name: &str, value: i64) {
        let sum = match name {
            "steps" => &mut self.steps,
            "attempts" => &mut self.attempts,
            "queries" => &mut self.queries,
            "calls" => &mut self.calls,
            "documents" => &mut self.documents,
            "relevant" => &mut self.relevant,
            FROM_OTHER_TARGETS => &mut self.from_other_targets,
            WORDS => &mut self.words,
            "duplicates" => &mut self.duplicates,
            "empty" => &mut self.empty,
            "exhausted" => &mut self.exhausted,
            other => match other.strip_prefix("error ") {
                Some(kind) => self.errors.entry(kind.into()).or_default(),
                None => return,
            },
        };
        *sum = sum.saturating_add(value);
    }

    fn compute_ratios(&mut self) {
        let relevant = self.relevant;
        self.pos_docs = rounded_ratio(relevant, self.documents);
        self.pos_queries = rounded_ratio(relevant, self.queries);
        self.pos_calls = rounded_ratio(relevant, self.calls);
    }
}

/// Returns `part / whole`, rounded to four decimals; `None` if `whole` is 0.
fn rounded_ratio(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1e4).round() / 1e4)
}

/// Returns the [`TOP_TERMS`] most frequent terms of a class. Walks the log-frequency
/// bands from the highest down, so that the terms of a large class need not be sorted.
fn top_terms(statistics: &Statistics, class: i64) -> Result<Vec<TermFrequency>> {
    let highest_band = statistics.db.query_row(
        &format!("SELECT max(tf_band) FROM count WHERE class = ?1 AND {IS_INDEXED}"),
        [class],
        read_highest_band,
    )?;
    let select = |condition| {
        statistics.db.prepare(&format!(
            "SELECT text, tf FROM (SELECT term, tf FROM count WHERE {condition} AND class = ?1)
             JOIN (SELECT id, text FROM term) ON id = term
             ORDER BY tf DESC, text LIMIT ?2"
        ))
    };
    let in_band = |band| format!("tf_band = {band} AND {IS_INDEXED}");
    let bands = (MIN_INDEXED_BAND..=highest_band).rev().map(in_band);
    let mut top = Vec::new();
    for condition in bands.chain([IS_UNINDEXED.into()]) {
        let missing = TOP_TERMS - top.len() as u32;
        let mut terms = select(condition)?;
        let read = |row: &rusqlite::Row| {
            let (term, tf) = (row.get(0)?, row.get(1)?);
            Ok(TermFrequency { term, tf })
        };
        for row in terms.query_map((class, missing), read)? {
            top.push(row?);
        }
        if top.len() as u32 == TOP_TERMS {
            break;
        }
    }
    Ok(top)
}
