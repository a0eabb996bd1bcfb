//! What is known, from the statistics.

use super::sample::{Asked, Document, Known, Rest, Signed};
use crate::counter::unpack;
use crate::select::{Direction, Sides};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

/// Most documents that are looked at, of the target and of other classes: a step must not take longer in a large run.
const TARGET: u64 = 1_000;
const OTHER: u64 = 500;

/// What the engine shows of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Hits on a page.
    pub page_size: u32,
    /// Pages of a query.
    pub pages: u32,
}

/// Reads what is known of `target` against `versus` (all others where `None`).
///
/// Of large classes a sample is read, taken at equal distances.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn known(
    from: &Statistics,
    target: &str,
    versus: Option<&[String]>,
    shown: Shown,
) -> Result<Known, StatisticsError> {
    let classes = from.classes()?;
    let include = Sides::new(from, &classes, target, versus, Direction::Include)?;
    let exclude = Sides::new(from, &classes, target, versus, Direction::Exclude)?;
    read(from, target, &include, &exclude, shown).map_err(|e| from.named(e))
}

fn read(from: &Statistics, target: &str, include: &Sides, exclude: &Sides, shown: Shown) -> rusqlite::Result<Known> {
    let (asked, places) = asked(from, target)?;
    let (target_documents, weight) = documents(from, &include.own, TARGET, &places)?;
    let (other_documents, other_weight) = documents(from, &exclude.own, OTHER, &places)?;
    let sql = "SELECT n FROM last_asked WHERE target = ?1";
    let last = from.db.prepare_cached(sql)?.query_row([target], |row| row.get(0)).optional()?;
    Ok(Known {
        target: target_documents,
        weight,
        other: other_documents,
        other_weight,
        asked,
        last: last.and_then(|n: i64| places.get(&n).copied()),
        page_size: f64::from(shown.page_size),
        pages: f64::from(shown.pages),
    })
}

/// The target's queries in the order in which they were asked, and the place of each by its number.
fn asked(from: &Statistics, target: &str) -> rusqlite::Result<(Vec<Asked>, HashMap<i64, usize>)> {
    let mut by_text = from.db.prepare_cached("SELECT id FROM term WHERE text = ?1")?;
    let mut numbers: HashMap<String, Option<u32>> = HashMap::new();
    let mut number = |text: &str| -> rusqlite::Result<Option<u32>> {
        if let Some(known) = numbers.get(text) {
            return Ok(*known);
        }
        let found = by_text.query_row([text], |row| row.get(0)).optional()?;
        numbers.insert(text.into(), found);
        Ok(found)
    };
    let sql = "SELECT n, path, is_scout, calls, left, more, new, bad FROM asked WHERE target = ?1 ORDER BY n";
    let mut rows = from.db.prepare_cached(sql)?;
    let mut rows = rows.query([target])?;
    let (mut asked, mut places) = (Vec::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let mut path = Vec::new();
        for signed in row.get_ref(1)?.as_str()?.split_ascii_whitespace() {
            let (sign, text) = signed.split_at(1);
            if let Some(term) = number(text)? {
                path.push(Signed { term, is_included: sign == "+" });
            }
        }
        let rest = match row.get(5)? {
            1 => Rest::Pages,
            2 => Rest::Hidden,
            _ => Rest::Nothing,
        };
        places.insert(row.get(0)?, asked.len());
        let (is_scout, calls, left, new, bad) = (row.get(2)?, row.get(3)?, row.get(4)?, row.get(6)?, row.get(7)?);
        asked.push(Asked { path, is_scout, rest, calls, left, new, bad });
    }
    Ok((asked, places))
}

/// At most about `most` documents of some classes, and how many documents one of them stands for.
fn documents(
    from: &Statistics,
    classes: &[ClassCounts],
    most: u64,
    places: &HashMap<i64, usize>,
) -> rusqlite::Result<(Vec<Document>, f64)> {
    let all: u64 = classes.iter().map(|class| class.documents).sum();
    let step = all.div_ceil(most).max(1);
    let every = "SELECT terms, query FROM document WHERE class = ?1 ORDER BY n";
    let one = "SELECT terms, query FROM document WHERE class = ?1 AND n = ?2";
    let (mut every, mut one) = (from.db.prepare_cached(every)?, from.db.prepare_cached(one)?);
    let read = |row: &rusqlite::Row| {
        let packed = unpack(row.get_ref(0)?.as_blob()?);
        let (terms, frequencies) = packed.map(|(id, tf)| (id as u32, tf as u32)).unzip();
        let query: Option<i64> = row.get(1)?;
        Ok(Document { terms, frequencies, query: query.and_then(|n| places.get(&n).copied()) })
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
