//! Reads the evidence from the statistics and the query log.

use super::evidence::{Evidence, Literal, PastQuery, SampledDocument};
use super::sample_index::select_index_terms;
use crate::class_counts::ClassCounts;
use crate::query_log::{self, QueryLogRow, QueryPurpose};
use crate::select::{ClassContrast, PruneOptions, TermLookup};
use crate::statistics::{Result, Statistics};
use crate::strategy::QueryRequest;
use crate::term_list::unpack_terms;
use foldhash::fast::FixedState;
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::{HashMap, HashSet};

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Largest sample of relevant documents. Larger samples give more precise shares; the limit bounds
/// the time of a step in a large run.
const MAX_RELEVANT: u64 = 1_000;
/// Largest sample of nonrelevant documents, with the same effects.
const MAX_NONRELEVANT: u64 = 500;

/// Reads the evidence for a target. From large classes a systematic sample is taken: every k-th
/// document, in the order of arrival.
pub(crate) fn load_evidence(
    request: &QueryRequest,
    contrasts: [&ClassContrast; 2],
) -> Result<Evidence> {
    let statistics = request.statistics;
    let rows = query_log::read_all(&statistics.db, request.target)?;
    let step_queries = index_step_queries(statistics, &rows)?;
    let mut parser = QueryParser::prepare(statistics)?;
    let queries = rows.iter().map(|row| parser.parse_query(row));
    let queries = queries.collect::<Result<_>>()?;
    let [
        (relevant, relevant_weight),
        (nonrelevant, nonrelevant_weight),
    ] = sample_sides(statistics, contrasts, 0, &step_queries)?;
    let mut evidence = Evidence {
        relevant,
        relevant_weight,
        nonrelevant,
        nonrelevant_weight,
        queries,
        page_size: f64::from(request.result_window.page_size),
        max_pages: f64::from(request.result_window.max_pages),
        pruned_terms: HashSet::new(),
    };
    if request.prune != PruneOptions::default() {
        evidence.pruned_terms = find_pruned_terms(statistics, &evidence, contrasts[0])?;
    }
    Ok(evidence)
}

/// Reads the documents of the target and of the other classes, or systematic samples of them with
/// the first `initial` documents of the target. The `query` of a document is the position of its
/// query in the log, and `None` for an initial one.
pub(crate) fn load_documents(
    request: &QueryRequest,
    contrasts: [&ClassContrast; 2],
    initial: usize,
) -> Result<(Vec<SampledDocument>, Vec<SampledDocument>)> {
    let statistics = request.statistics;
    let rows = query_log::read_all(&statistics.db, request.target)?;
    let step_queries = index_step_queries(statistics, &rows)?;
    let [(relevant, _), (nonrelevant, _)] =
        sample_sides(statistics, contrasts, initial as u64, &step_queries)?;
    Ok((relevant, nonrelevant))
}

/// Indices of queries, by step or by number.
type StepQueries = HashMap<i64, usize, FixedState>;

/// Maps each step that sent one of these queries to the index of the query.
fn index_step_queries(statistics: &Statistics, rows: &[QueryLogRow]) -> Result<StepQueries> {
    let numbers = rows.iter().map(|row| row.number);
    let indices: StepQueries = numbers.zip(0..).collect();
    let step_queries = query_log::read_step_queries(&statistics.db)?.into_iter();
    let index_of = |(step, number)| Some((step, *indices.get(&number)?));
    Ok(step_queries.filter_map(index_of).collect())
}

/// Returns those of the terms to be indexed that are pruned.
fn find_pruned_terms(
    statistics: &Statistics,
    evidence: &Evidence,
    contrast: &ClassContrast,
) -> Result<HashSet<u32>> {
    let mut lookup = TermLookup::prepare(statistics, contrast)?;
    let mut pruned = HashSet::new();
    for term in select_index_terms(evidence) {
        let row = lookup.term_by_id(i64::from(term))?;
        if lookup.is_pruned(&row)? {
            pruned.insert(term);
        }
    }
    Ok(pruned)
}

/// Reads the last logged query for a target.
pub(super) fn load_last_query(request: &QueryRequest) -> Result<Option<PastQuery>> {
    let row = query_log::read_last(&request.statistics.db, request.target)?;
    row.map(|row| QueryParser::prepare(request.statistics)?.parse_query(&row))
        .transpose()
}

/// Parses the literals of a logged query.
pub(crate) fn parse_literals(statistics: &Statistics, row: &QueryLogRow) -> Result<Vec<Literal>> {
    Ok(QueryParser::prepare(statistics)?.parse_query(row)?.literals)
}

/// Parses logged queries. Caches term ids, because most terms occur in many queries.
struct QueryParser<'a> {
    select_id: CachedStatement<'a>,
    ids: HashMap<String, Option<u32>, FixedState>,
}

impl<'a> QueryParser<'a> {
    fn prepare(statistics: &'a Statistics) -> Result<Self> {
        let sql = "SELECT id FROM term WHERE text = ?1";
        Ok(QueryParser {
            select_id: statistics.db.prepare_cached(sql)?,
            ids: HashMap::default(),
        })
    }

    /// Parses a row of the query log. Terms that are in no document are left out.
    fn parse_query(&mut self, row: &QueryLogRow) -> Result<PastQuery> {
        let mut literals = Vec::new();
        for literal in row.literals.split_ascii_whitespace() {
            let (text, is_included) = match literal.strip_prefix('-') {
                Some(text) => (text, false),
                None => (literal.strip_prefix('+').unwrap_or(literal), true),
            };
            if let Some(term) = self.term_id(text)? {
                literals.push(Literal { term, is_included });
            }
        }
        Ok(PastQuery {
            literals,
            is_exploration: row.purpose != QueryPurpose::Region,
            more: row.more,
            calls: row.calls,
            unseen_hits: row.unseen_hits,
            page_relevant: row.page_relevant,
            page_nonrelevant: row.page_nonrelevant,
        })
    }

    fn term_id(&mut self, text: &str) -> Result<Option<u32>> {
        if let Some(id) = self.ids.get(text) {
            return Ok(*id);
        }
        let id = self.select_id.query_row([text], |row| row.get(0));
        let id = id.optional()?;
        self.ids.insert(text.into(), id);
        Ok(id)
    }
}

/// Reads [`sample_documents`] of both sides of a contrast, the target with its first `initial`
/// ones.
fn sample_sides(
    statistics: &Statistics,
    contrasts: [&ClassContrast; 2],
    initial: u64,
    step_queries: &StepQueries,
) -> Result<[(Vec<SampledDocument>, f64); 2]> {
    let sample = |side: usize, max_documents, first| {
        let classes = &contrasts[side].own;
        sample_documents(statistics, classes, max_documents, first, step_queries)
    };
    Ok([
        sample(0, MAX_RELEVANT, initial)?,
        sample(1, MAX_NONRELEVANT, 0)?,
    ])
}

/// Reads a systematic sample of about `max_documents` documents of some classes, and the first
/// `first` of each class. Returns it with the number of documents that each sampled one represents.
///
/// `step_queries` maps steps to indices of [`Evidence::queries`].
fn sample_documents(
    statistics: &Statistics,
    classes: &[ClassCounts],
    max_documents: u64,
    first: u64,
    step_queries: &StepQueries,
) -> Result<(Vec<SampledDocument>, f64)> {
    let documents: u64 = classes.iter().map(|class| class.documents).sum();
    let interval = documents.div_ceil(max_documents).max(1);
    let db = &statistics.db;
    let all = "SELECT terms, step FROM document WHERE class = ?1 ORDER BY n";
    let one = "SELECT terms, step FROM document WHERE class = ?1 AND n = ?2";
    let parse = |row: &rusqlite::Row| {
        let packed = row.get_ref(0)?.as_blob()?;
        let (mut terms, mut frequencies) = (Vec::new(), Vec::new());
        // A pair has two bytes or more.
        terms.reserve(packed.len() / 2);
        frequencies.reserve(packed.len() / 2);
        for (id, tf) in unpack_terms(packed) {
            terms.push(id as u32);
            frequencies.push(tf as u32);
        }
        let query = step_queries.get(&row.get(1)?).copied();
        Ok(SampledDocument {
            terms,
            frequencies,
            query,
        })
    };
    let mut sample = Vec::new();
    for class in classes {
        if interval == 1 {
            sample.extend(db.read_rows(all, [class.id], parse)?);
        } else {
            let is_sampled = |n: &u64| *n <= first || (n - 1).is_multiple_of(interval);
            for n in (1..=class.documents).filter(is_sampled) {
                sample.extend(db.find_row(one, (class.id, n), parse)?);
            }
        }
    }
    Ok((sample, interval as f64))
}
