//! What the probes of a run brought, from the statistics.

use super::estimate::{Coverage, Probe, estimate};
use super::pool::Timeline;
use crate::asked::{self, Row};
use crate::counter::unpack;
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use rusqlite::OptionalExtension;

/// Probes that are looked at: the last ones. Early ones say little.
const PROBES: usize = 60;

/// Documents after the beginning of a probe among which those that it brought are looked for.
const WITHIN: u64 = 400;

/// Documents from which it is told how many of the pool's words one has.
const TYPICAL: u64 = 50;

/// How much of the target is collected; `None` while there are too few probes to say, or none of its documents.
///
/// # Errors
/// When the statistics can't be read.
pub fn coverage(from: &Statistics, target: &str) -> Result<Option<Coverage>, StatisticsError> {
    let classes = from.classes()?;
    let Some(class) = classes.iter().find(|class| class.name == target) else { return Ok(None) };
    read(from, class).map_err(|e| from.named(e))
}

fn read(from: &Statistics, class: &ClassCounts) -> rusqlite::Result<Option<Coverage>> {
    let rows = ended(&asked::probes(from, &class.name)?);
    if rows.len() < super::estimate::LEAST_PROBES || !repeats(&rows) {
        return Ok(None);
    }
    let rows = &rows[rows.len().saturating_sub(PROBES)..];
    let initial = initial(from, class)?;
    let pool = Timeline::read(from, class, rows[0].known)?;
    let mut probes = Vec::new();
    for row in rows {
        let weigh = |words: &Vec<i64>| 1.0 / pool.count(words, row.known).max(1) as f64;
        let weights = new_documents(from, class, row)?.iter().map(weigh).collect();
        let known = row.known.saturating_sub(initial) as f64;
        probes.push(Probe { known, pool: pool.size(row.known), weights });
    }
    let collected = class.documents - initial.min(class.documents);
    Ok(estimate(collected, typical(from, class, &pool)?, &probes))
}

/// The probes that were asked to their end: of the others nobody knows what they would have brought.
fn ended(rows: &[Row]) -> Vec<Row> {
    rows.iter().filter(|row| row.more.is_none() && row.left == 0).cloned().collect()
}

/// Whether the engine showed any hit again. The words of the pool are in documents that were found before: an engine
/// that shows none of these shows anything but what was asked for.
pub(super) fn repeats(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.rank > row.came) || rows.iter().all(|row| row.came == 0)
}

/// Documents of the class that the run began with: they stand first.
fn initial(from: &Statistics, class: &ClassCounts) -> rusqlite::Result<u64> {
    let sql = "SELECT n FROM document WHERE class = ?1 AND step > 0 ORDER BY n LIMIT 1";
    let first: Option<u64> = from.db.prepare_cached(sql)?.query_row([class.id], |row| row.get(0)).optional()?;
    Ok(first.map_or(class.documents, |first| first.saturating_sub(1)))
}

/// The words of each document of the class that a probe brought.
fn new_documents(from: &Statistics, class: &ClassCounts, probe: &Row) -> rusqlite::Result<Vec<Vec<i64>>> {
    let sql = "SELECT terms FROM document WHERE class = ?1 AND n > ?2 AND n <= ?3 AND query = ?4";
    let mut found = from.db.prepare_cached(sql)?;
    let words = |row: &rusqlite::Row| Ok(unpack(row.get_ref(0)?.as_blob()?).map(|(id, _)| id).collect());
    found.query_map((class.id, probe.known, probe.known + WITHIN, probe.n), words)?.collect()
}

/// One over the pool's words that a document has, as a mean over a sample of the class.
fn typical(from: &Statistics, class: &ClassCounts, pool: &Timeline) -> rusqlite::Result<f64> {
    let mut one = from.db.prepare_cached("SELECT terms FROM document WHERE class = ?1 AND n = ?2")?;
    let (mut sum, mut n) = (0.0, 0.0_f64);
    for number in (1..=class.documents).step_by(class.documents.div_ceil(TYPICAL).max(1) as usize) {
        let packed: Option<Vec<u8>> = one.query_row((class.id, number), |row| row.get(0)).optional()?;
        if let Some(packed) = packed {
            let words: Vec<i64> = unpack(&packed).map(|(id, _)| id).collect();
            sum += 1.0 / pool.count(&words, class.documents).max(1) as f64;
            n += 1.0;
        }
    }
    Ok(sum / n.max(1.0))
}
