//! `update-stats --report`: what a run has come to, without times and paths, so that equal runs
//! report equally.

use crate::coverage::{Coverage, estimate_coverage};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use crate::strategy::learned::{LearnedReport, learned};
use forage_run::{FROM_OTHER_TARGETS, read_totals};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most frequent terms that are reported of each class.
const TOP_TERMS: u32 = 10;

/// A run's figures (ALGORITHMS §6).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Of all targets together.
    #[serde(flatten)]
    pub total: RunFigures,
    /// By target.
    pub targets: BTreeMap<String, RunFigures>,
    /// By target: how much of what the engine can reach is collected, where probes say it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub coverage: BTreeMap<String, Coverage>,
    /// By class.
    pub classes: BTreeMap<String, ClassReport>,
    /// By target and learner: the probability of each value of each parameter, rounded to four
    /// digits; of bandits also how often it was tried and what it gained on average.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub learners: BTreeMap<String, LearnedReport>,
}

/// What was retrieved, and at what price.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunFigures {
    /// Steps.
    pub steps: i64,
    /// Distinct queries that were sent.
    pub queries: i64,
    /// Calls to the engine.
    pub calls: i64,
    /// Documents retrieved.
    pub documents: i64,
    /// Documents of the target class that are no duplicates.
    pub relevant: i64,
    /// New documents of the target that queries for other targets brought: they are in its corpus,
    /// and in none of the other figures of this target.
    pub from_other_targets: i64,
    /// Duplicates of earlier documents.
    pub duplicates: i64,
    /// Queries to which the engine had nothing.
    pub empty: i64,
    /// Queries whose hits had all been seen.
    pub exhausted: i64,
    /// Records that a tool could not serve, by kind.
    pub errors: BTreeMap<String, i64>,
    /// Relevant documents / documents retrieved.
    #[serde(rename = "PosDocs")]
    pub pos_docs: Option<f64>,
    /// Relevant documents / distinct queries.
    #[serde(rename = "PosQueries")]
    pub pos_queries: Option<f64>,
    /// Relevant documents / calls.
    #[serde(rename = "PosCalls")]
    pub pos_calls: Option<f64>,
}

/// What was counted of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// Documents, initial ones included, and terms.
    #[serde(flatten)]
    pub counts: ClassCounts,
    /// The most frequent terms, with their tf.
    pub top_terms: Vec<(String, u64)>,
}

/// Reads the figures of a run: of the targets that it asked for, and of those named, which no query
/// may have asked for yet.
///
/// # Errors
/// When the statistics can't be read.
pub fn build_report(from: &Statistics, named: &[String]) -> Result<RunReport, StatisticsError> {
    let totals = read_totals(&from.db).map_err(|e| from.sqlite_error(e))?;
    let mut total = RunFigures::default();
    let mut targets: BTreeMap<String, RunFigures> = named
        .iter()
        .map(|target| (target.clone(), RunFigures::default()))
        .collect();
    let is_target = |class: &str| {
        named.iter().any(|target| target == class)
            || totals.contains_key(&(class.to_owned(), "steps".to_owned()))
    };
    for ((target, name), value) in &totals {
        if name == FROM_OTHER_TARGETS && !is_target(target) {
            continue;
        }
        total.add(name, *value);
        if !target.is_empty() {
            targets.entry(target.clone()).or_default().add(name, *value);
        }
    }
    std::iter::once(&mut total)
        .chain(targets.values_mut())
        .for_each(RunFigures::divide);
    let mut classes = BTreeMap::new();
    for class in from.classes()? {
        let top_terms = top_terms(from, class.id).map_err(|e| from.sqlite_error(e))?;
        classes.insert(
            class.name.clone(),
            ClassReport {
                counts: class,
                top_terms,
            },
        );
    }
    let learners = learned(from).map_err(|e| from.sqlite_error(e))?;
    let mut covered = BTreeMap::new();
    for target in targets.keys() {
        if let Some(coverage) = estimate_coverage(from, target)? {
            covered.insert(target.clone(), coverage.rounded());
        }
    }
    Ok(RunReport {
        total,
        targets,
        coverage: covered,
        classes,
        learners,
    })
}

impl RunFigures {
    fn add(&mut self, name: &str, value: i64) {
        match name {
            "steps" => self.steps += value,
            "queries" => self.queries += value,
            "calls" => self.calls += value,
            "documents" => self.documents += value,
            "relevant" => self.relevant += value,
            FROM_OTHER_TARGETS => self.from_other_targets += value,
            "duplicates" => self.duplicates += value,
            "empty" => self.empty += value,
            "exhausted" => self.exhausted += value,
            other => {
                if let Some(kind) = other.strip_prefix("error ") {
                    *self.errors.entry(kind.into()).or_default() += value;
                }
            }
        }
    }

    fn divide(&mut self) {
        let share =
            |of: i64| (of > 0).then(|| (self.relevant as f64 / of as f64 * 1e4).round() / 1e4);
        (self.pos_docs, self.pos_queries, self.pos_calls) = (
            share(self.documents),
            share(self.queries),
            share(self.calls),
        );
    }
}

/// By log-frequency band from above, so that a class of a million terms is not sorted.
fn top_terms(from: &Statistics, class: i64) -> rusqlite::Result<Vec<(String, u64)>> {
    let highest =
        "SELECT coalesce(max(tf_band), 0) FROM count WHERE class = ?1 AND tf_band IS NOT NULL";
    let highest: u32 = from.db.query_row(highest, [class], |row| row.get(0))?;
    let sql = "SELECT text, count.tf FROM count JOIN term ON term.id = count.term
               WHERE count.class = ?1 AND count.tf_band IS ?2 ORDER BY count.tf DESC, text LIMIT ?3";
    let mut at = from.db.prepare(sql)?;
    let mut top: Vec<(String, u64)> = Vec::new();
    for tf_band in (0..=highest).rev() {
        let left = TOP_TERMS - top.len() as u32;
        for row in at.query_map((class, (tf_band > 0).then_some(tf_band), left), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })? {
            top.push(row?);
        }
        if top.len() as u32 == TOP_TERMS {
            break;
        }
    }
    Ok(top)
}
