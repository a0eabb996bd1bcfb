//! What is known, from the statistics.

use super::sample::{Asked, Document, Known, Signed, frequent};
use crate::counter::unpack_terms;
use crate::query_log::{self, QueryLogRow, QueryPurpose};
use crate::select::{ClassContrast, PruneOptions, TermLookup};
use crate::statistics::{ClassCounts, Statistics};
use crate::strategy::QueryRequest;
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::{HashMap, HashSet};

/// Most documents that are looked at, of the target and of other classes: a step must not take
/// longer in a large run.
const TARGET: u64 = 1_000;
const OTHER: u64 = 500;

/// Reads what is known of the target, from either side.
///
/// Of large classes a sample is read, taken at equal distances.
pub(crate) fn known(
    from: &Statistics,
    request: &QueryRequest,
    sides: [&ClassContrast; 2],
) -> rusqlite::Result<Known> {
    let QueryRequest {
        target,
        result_window,
        prune,
        ..
    } = *request;
    let rows = query_log::read_all(&from.db, target)?;
    let place_of: HashMap<i64, usize> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| (row.number, place))
        .collect();
    let steps = query_log::read_step_queries(&from.db)?.into_iter();
    let places = steps
        .filter_map(|(step, n)| Some((step, *place_of.get(&n)?)))
        .collect();
    let mut paths = Paths::new(from)?;
    let asked = rows
        .iter()
        .map(|row| paths.asked(row))
        .collect::<rusqlite::Result<_>>()?;
    let (target, weight) = documents(from, &sides[0].own, TARGET, &places)?;
    let (other, other_weight) = documents(from, &sides[1].own, OTHER, &places)?;
    let (page_size, pages) = (
        f64::from(result_window.page_size),
        f64::from(result_window.max_pages),
    );
    let mut known = Known {
        target,
        weight,
        other,
        other_weight,
        asked,
        page_size,
        pages,
        avoid: HashSet::new(),
    };
    if prune != PruneOptions::default() {
        known.avoid = pruned(from, &known, sides[0])?;
    }
    Ok(known)
}

/// Those of the words that regions may be cut by which are pruned.
fn pruned(
    from: &Statistics,
    known: &Known,
    sides: &ClassContrast,
) -> rusqlite::Result<HashSet<u32>> {
    let mut reads = TermLookup::prepare(from, sides)?;
    let mut avoid = HashSet::new();
    for term in frequent(known) {
        let row = reads.term_by_id(i64::from(term))?;
        if reads.is_pruned(&row)? {
            avoid.insert(term);
        }
    }
    Ok(avoid)
}

/// The query that was asked last.
pub(super) fn last(from: &Statistics, target: &str) -> rusqlite::Result<Option<Asked>> {
    let row = query_log::read_last(&from.db, target)?;
    row.map(|row| Paths::new(from)?.asked(&row)).transpose()
}

/// The signed words of a query that was asked.
pub(crate) fn path(from: &Statistics, row: &QueryLogRow) -> rusqlite::Result<Vec<Signed>> {
    Ok(Paths::new(from)?.asked(row)?.path)
}

/// Reads paths: most words stand in many of them.
struct Paths<'a> {
    by_text: CachedStatement<'a>,
    numbers: HashMap<String, Option<u32>>,
}

impl<'a> Paths<'a> {
    fn new(from: &'a Statistics) -> rusqlite::Result<Self> {
        let by_text = from
            .db
            .prepare_cached("SELECT id FROM term WHERE text = ?1")?;
        Ok(Paths {
            by_text,
            numbers: HashMap::new(),
        })
    }

    fn asked(&mut self, row: &QueryLogRow) -> rusqlite::Result<Asked> {
        let mut path = Vec::new();
        for signed in row.literals.split_ascii_whitespace() {
            let (text, is_included) = match signed.strip_prefix('-') {
                Some(text) => (text, false),
                None => (signed.strip_prefix('+').unwrap_or(signed), true),
            };
            if let Some(term) = self.number(text)? {
                path.push(Signed { term, is_included });
            }
        }
        let QueryLogRow {
            purpose,
            calls,
            unseen_hits: left,
            more,
            page_relevant: new,
            page_nonrelevant: bad,
            ..
        } = *row;
        let is_exploration = purpose != QueryPurpose::Region;
        Ok(Asked {
            path,
            is_exploration,
            more,
            calls,
            left,
            new,
            bad,
        })
    }

    fn number(&mut self, text: &str) -> rusqlite::Result<Option<u32>> {
        if let Some(known) = self.numbers.get(text) {
            return Ok(*known);
        }
        let found = self
            .by_text
            .query_row([text], |row| row.get(0))
            .optional()?;
        self.numbers.insert(text.into(), found);
        Ok(found)
    }
}

/// At most about `most` documents of some classes, and how many documents one of them stands for.
/// `places` has the place in [`Known::asked`] of each step's query.
fn documents(
    from: &Statistics,
    classes: &[ClassCounts],
    most: u64,
    places: &HashMap<i64, usize>,
) -> rusqlite::Result<(Vec<Document>, f64)> {
    let all: u64 = classes.iter().map(|class| class.documents).sum();
    let step = all.div_ceil(most).max(1);
    let every = "SELECT terms, step FROM document WHERE class = ?1 ORDER BY n";
    let one = "SELECT terms, step FROM document WHERE class = ?1 AND n = ?2";
    let (mut every, mut one) = (from.db.prepare_cached(every)?, from.db.prepare_cached(one)?);
    let read = |row: &rusqlite::Row| {
        let packed = unpack_terms(row.get_ref(0)?.as_blob()?);
        let (terms, frequencies) = packed.map(|(id, tf)| (id as u32, tf as u32)).unzip();
        let query = places.get(&row.get(1)?).copied();
        Ok(Document {
            terms,
            frequencies,
            query,
        })
    };
    let mut documents = Vec::new();
    for class in classes {
        if step == 1 {
            for document in every.query_map([class.id], read)? {
                documents.push(document?);
            }
        } else {
            for n in (1..=class.documents).step_by(step as usize) {
                documents.extend(one.query_row((class.id, n), read).optional()?);
            }
        }
    }
    Ok((documents, step as f64))
}
