//! The words that probes are drawn from.

use crate::counter::unpack;
use crate::statistics::{ClassCounts, Statistics};
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::HashMap;

/// In how many of the target's documents a word of the pool is: often enough to be no misspelling, seldom enough that
/// an engine shows all that have it.
const LEAST: u64 = 3;
const MOST: u64 = 10;

/// Documents of the target for each of another class, at least.
const PURE: u64 = 10;

/// By how much more than the collection the documents of a word may have grown since it was in the pool.
const GROWTH: u64 = 3;

/// A word of the pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub id: i64,
    pub text: String,
}

/// Looks words up.
pub(super) struct Pool<'a> {
    class: &'a ClassCounts,
    by_number: CachedStatement<'a>,
}

impl<'a> Pool<'a> {
    pub fn new(from: &'a Statistics, class: &'a ClassCounts) -> rusqlite::Result<Self> {
        let sql = "SELECT term.id, term.text, count.df, term.df FROM count JOIN term ON term.id = count.term
                   WHERE count.class = ?1 AND count.n = ?2";
        Ok(Pool { class, by_number: from.db.prepare_cached(sql)? })
    }

    /// The word of that number in the class, if it is one of the pool.
    pub fn word(&mut self, number: u64) -> rusqlite::Result<Option<Word>> {
        let row = |row: &rusqlite::Row| {
            let word = Word { id: row.get(0)?, text: row.get(1)? };
            Ok(is_of_pool(row.get(2)?, row.get(3)?).then_some(word))
        };
        Ok(self.by_number.query_row((self.class.id, number), row).optional()?.flatten())
    }
}

/// The pool as it was at any time: it changes while documents come.
pub(super) struct Timeline {
    /// For each word that was ever in the pool, the numbers of the documents that have it, rising.
    documents: HashMap<u32, Vec<u32>>,
}

impl Timeline {
    /// Reads the class's documents: of those words that can have been in the pool since `known` documents were.
    pub fn read(from: &Statistics, class: &ClassCounts, known: u64) -> rusqlite::Result<Self> {
        let most = MOST * GROWTH * class.documents.div_ceil(known.max(1));
        let sql = "SELECT count.term, count.df, term.df FROM count JOIN term ON term.id = count.term
                   WHERE count.class = ?1 AND count.df BETWEEN ?2 AND ?3";
        let mut words = from.db.prepare_cached(sql)?;
        let mut words = words.query((class.id, LEAST, most))?;
        let mut documents = HashMap::new();
        while let Some(row) = words.next()? {
            if is_pure(row.get(1)?, row.get(2)?) {
                documents.insert(row.get(0)?, Vec::new());
            }
        }
        let mut every = from.db.prepare_cached("SELECT n, terms FROM document WHERE class = ?1 ORDER BY n")?;
        let mut every = every.query([class.id])?;
        while let Some(row) = every.next()? {
            let n = row.get(0)?;
            for (term, _) in unpack(row.get_ref(1)?.as_blob()?) {
                if let Some(having) = documents.get_mut(&(term as u32)) {
                    having.push(n);
                }
            }
        }
        Ok(Timeline { documents })
    }

    /// Words in the pool when `known` documents were.
    pub fn size(&self, known: u64) -> f64 {
        self.documents.values().filter(|having| was_of_pool(having, known)).count() as f64
    }

    /// How many of a document's words were in the pool then.
    pub fn count(&self, terms: &[i64], known: u64) -> usize {
        let having = terms.iter().filter_map(|&term| self.documents.get(&(term as u32)));
        having.filter(|having| was_of_pool(having, known)).count()
    }
}

fn was_of_pool(having: &[u32], known: u64) -> bool {
    let df = having.partition_point(|&n| u64::from(n) <= known);
    (LEAST..=MOST).contains(&(df as u64))
}

/// Whether a word is in the pool that is in `df` of the target's documents and in `all` of all classes.
fn is_of_pool(df: u64, all: u64) -> bool {
    (LEAST..=MOST).contains(&df) && is_pure(df, all)
}

fn is_pure(df: u64, all: u64) -> bool {
    all.saturating_sub(df) * PURE <= df
}

#[cfg(test)]
mod tests {
    use super::is_of_pool;

    #[test]
    fn a_word_of_the_pool_is_middling_rare_and_the_targets_own() {
        assert!(is_of_pool(3, 3) && is_of_pool(10, 11));
        assert!(!is_of_pool(2, 2) && !is_of_pool(11, 11) && !is_of_pool(9, 10));
    }
}
