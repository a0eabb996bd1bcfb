//! Adding documents to the statistics.
//!
//! Counts are gathered in memory and written when the transaction ends: a single document costs a
//! few look-ups for each of its terms, a thousand documents share them. Numbers are given in the
//! order of the stream, so the file is the same however the stream was cut into transactions.

use foldhash::fast::FixedState;
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use forage_text::terms;
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The tables of the term statistics.
pub(crate) const SCHEMA: &str = "
CREATE TABLE class (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    documents INTEGER NOT NULL,  -- documents counted: N_c
    tokens INTEGER NOT NULL,     -- occurrences of terms: the sum of tf
    terms INTEGER NOT NULL       -- different terms
);
CREATE TABLE term (
    id INTEGER PRIMARY KEY,      -- 1, 2, ... in the order of first occurrence
    text TEXT NOT NULL UNIQUE,
    tf INTEGER NOT NULL,         -- over all classes
    df INTEGER NOT NULL,
    tf_band INTEGER,              -- floor(log2(tf)), NULL for 0
    class INTEGER                -- the only class that has it, or NULL
);
CREATE INDEX term_tf_band ON term (tf_band) WHERE tf_band IS NOT NULL;
CREATE INDEX term_only ON term (class, tf_band) WHERE class IS NOT NULL AND tf_band IS NOT NULL;
CREATE TABLE count (
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... in the order of first occurrence in the class
    term INTEGER NOT NULL,
    tf INTEGER NOT NULL,
    df INTEGER NOT NULL,
    tf_band INTEGER,
    PRIMARY KEY (class, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX count_term ON count (class, term);
CREATE INDEX count_tf_band ON count (class, tf_band) WHERE tf_band IS NOT NULL;
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... in its class
    start INTEGER NOT NULL,      -- tokens of the class before this document
    step INTEGER NOT NULL,
    terms BLOB NOT NULL          -- pairs of LEB128 numbers: gap to the previous term id, tf
);
CREATE UNIQUE INDEX document_start ON document (class, start);
CREATE UNIQUE INDEX document_n ON document (class, n);
";

type Map<K, V> = HashMap<K, V, FixedState>;

/// Rows kept in memory after they were written; beyond it they are read anew.
const KEPT_ROWS: usize = 400_000;
/// Rows in memory at which they should be written.
const FULL_ROWS: usize = 500_000;

/// The term statistics as a projection: what was counted and is not written, and rows that were
/// read for it.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    classes: Map<String, Class>,
    terms: Map<Box<str>, Term>,
    counts: Map<(i64, i64), Count>,
    documents: Vec<Document>,
    /// The highest term id given, once it is known.
    last_term: Option<i64>,
    last_class: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
struct Class {
    id: i64,
    documents: i64,
    tokens: i64,
    terms: i64,
    row: Row,
}

#[derive(Debug, Clone, Copy)]
struct Term {
    id: i64,
    tf: i64,
    df: i64,
    tf_band: Option<u32>,
    class: Option<i64>,
    row: Row,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    n: i64,
    tf: i64,
    df: i64,
    tf_band: Option<u32>,
    row: Row,
}

/// What must be written of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Same,
    /// Only tf and df, which no index holds.
    Counts,
    /// A column that an index holds, too.
    Indexed,
    New,
}

#[derive(Debug)]
struct Document {
    class: i64,
    n: i64,
    start: i64,
    step: u64,
    terms: Vec<u8>,
}

impl StoredProjection for Counter {
    /// Counts a labelled document that is no duplicate.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        let label = event.label.as_ref().filter(|_| !event.is_duplicate());
        label.map_or(Ok(()), |label| {
            self.add(store, label, event.step_number(), &event.text())
        })
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        self.write_classes(store)?;
        self.write_terms(store)?;
        self.write_counts(store)?;
        let mut put =
            store.prepare_cached("INSERT INTO document VALUES (NULL, ?1, ?2, ?3, ?4, ?5)")?;
        for Document {
            class,
            n,
            start,
            step,
            terms,
        } in self.documents.drain(..)
        {
            put.execute((class, n, start, step, terms))?;
        }
        if self.counts.len() > KEPT_ROWS {
            self.terms.clear();
            self.counts.clear();
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.counts.len() > FULL_ROWS
    }
}

impl Counter {
    /// Adds one document of `class`, which came at `step`.
    fn add(
        &mut self,
        store: &StateFile,
        class: &str,
        step: u64,
        text: &str,
    ) -> rusqlite::Result<()> {
        let found = occurrences(text);
        let mut ids = Vec::with_capacity(found.len());
        let mut counts = self.class(store, class)?;
        let mut reads = Reads::prepare(store)?;
        for (term, tf) in &found {
            let id = self.term(&mut reads, store, term, counts.id, *tf)?;
            counts.terms +=
                i64::from(self.count(&mut reads, counts.id, id, *tf, counts.terms + 1)?);
            ids.push((id, *tf));
        }
        let tokens = ids.iter().map(|(_, tf)| tf).sum::<i64>();
        if tokens > 0 {
            let (class, n, start) = (counts.id, counts.documents + 1, counts.tokens);
            self.documents.push(Document {
                class,
                n,
                start,
                step,
                terms: packed(ids),
            });
        }
        counts.documents += 1;
        counts.tokens += tokens;
        counts.row = counts.row.max(Row::Counts);
        self.classes.insert(class.into(), counts);
        Ok(())
    }

    /// A class as it is counted so far; a new one where there is none.
    fn class(&mut self, store: &StateFile, name: &str) -> rusqlite::Result<Class> {
        if let Some(class) = self.classes.get(name) {
            return Ok(*class);
        }
        let known = store
            .prepare_cached("SELECT id, documents, tokens, terms FROM class WHERE name = ?1")?
            .query_row([name], |row| {
                let (id, documents, tokens, terms) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok(Class {
                    id,
                    documents,
                    tokens,
                    terms,
                    row: Row::Same,
                })
            })
            .optional()?;
        let class = match known {
            Some(class) => class,
            None => {
                let id = next_id(&mut self.last_class, store, "class")?;
                Class {
                    id,
                    documents: 0,
                    tokens: 0,
                    terms: 0,
                    row: Row::New,
                }
            }
        };
        // A second new class in the same transaction must find the first one's id taken.
        self.classes.insert(name.into(), class);
        Ok(class)
    }

    /// Counts `tf` more occurrences of a term over all classes; gives its id.
    fn term(
        &mut self,
        reads: &mut Reads,
        store: &StateFile,
        text: &str,
        class: i64,
        tf: i64,
    ) -> rusqlite::Result<i64> {
        if !self.terms.contains_key(text) {
            let term = match reads.term(text)? {
                Some(term) => term,
                None => {
                    let id = next_id(&mut self.last_term, store, "term")?;
                    Term {
                        id,
                        tf: 0,
                        df: 0,
                        tf_band: None,
                        class: Some(class),
                        row: Row::New,
                    }
                }
            };
            self.terms.insert(text.into(), term);
        }
        let Some(term) = self.terms.get_mut(text) else {
            return Ok(0);
        };
        term.tf += tf;
        term.df += 1;
        term.row = term.row.max(Row::Counts);
        if tf_band(term.tf) != term.tf_band || (term.class.is_some() && term.class != Some(class)) {
            term.tf_band = tf_band(term.tf);
            term.class = term.class.filter(|&only| only == class);
            term.row = term.row.max(Row::Indexed);
        }
        Ok(term.id)
    }

    /// Counts `tf` more occurrences of a term in a class; says whether the class had not had it, so
    /// that it now has the number `next`.
    fn count(
        &mut self,
        reads: &mut Reads,
        class: i64,
        term: i64,
        tf: i64,
        next: i64,
    ) -> rusqlite::Result<bool> {
        let (count, is_new) = match self.counts.entry((class, term)) {
            Entry::Occupied(known) => (known.into_mut(), false),
            Entry::Vacant(place) => {
                let known = reads.count(class, term)?;
                let is_new = known.is_none();
                let new = Count {
                    n: next,
                    tf: 0,
                    df: 0,
                    tf_band: None,
                    row: Row::New,
                };
                (place.insert(known.unwrap_or(new)), is_new)
            }
        };
        count.tf += tf;
        count.df += 1;
        count.row = count.row.max(Row::Counts);
        if tf_band(count.tf) != count.tf_band {
            count.tf_band = tf_band(count.tf);
            count.row = count.row.max(Row::Indexed);
        }
        Ok(is_new)
    }

    fn write_classes(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut put = store.prepare_cached(
            "INSERT INTO class VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET documents = ?3, tokens = ?4, terms = ?5",
        )?;
        for (name, class) in self
            .classes
            .iter_mut()
            .filter(|(_, class)| class.row != Row::Same)
        {
            put.execute((class.id, name, class.documents, class.tokens, class.terms))?;
            class.row = Row::Same;
        }
        Ok(())
    }

    /// Sorted by id, so that each page is met once.
    fn write_terms(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut changed: Vec<_> = self
            .terms
            .iter_mut()
            .filter(|(_, term)| term.row != Row::Same)
            .collect();
        changed.sort_unstable_by_key(|(_, term)| term.id);
        let mut add = store.prepare_cached("INSERT INTO term VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut change = store.prepare_cached("UPDATE term SET tf = ?2, df = ?3 WHERE id = ?1")?;
        let mut move_ = store.prepare_cached(
            "UPDATE term SET tf = ?2, df = ?3, tf_band = ?4, class = ?5 WHERE id = ?1",
        )?;
        for (text, term) in changed {
            match term.row {
                Row::New => {
                    add.execute((term.id, text, term.tf, term.df, term.tf_band, term.class))?
                }
                Row::Indexed => {
                    move_.execute((term.id, term.tf, term.df, term.tf_band, term.class))?
                }
                Row::Counts | Row::Same => change.execute((term.id, term.tf, term.df))?,
            };
            term.row = Row::Same;
        }
        Ok(())
    }

    fn write_counts(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut changed: Vec<_> = self
            .counts
            .iter_mut()
            .filter(|(_, count)| count.row != Row::Same)
            .collect();
        changed.sort_unstable_by_key(|((class, _), count)| (*class, count.n));
        let mut add = store.prepare_cached("INSERT INTO count VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut change = store
            .prepare_cached("UPDATE count SET tf = ?3, df = ?4 WHERE class = ?1 AND n = ?2")?;
        let mut move_ = store.prepare_cached(
            "UPDATE count SET tf = ?3, df = ?4, tf_band = ?5 WHERE class = ?1 AND n = ?2",
        )?;
        for (&(class, term), count) in changed {
            match count.row {
                Row::New => {
                    add.execute((class, count.n, term, count.tf, count.df, count.tf_band))?
                }
                Row::Indexed => {
                    move_.execute((class, count.n, count.tf, count.df, count.tf_band))?
                }
                Row::Counts | Row::Same => change.execute((class, count.n, count.tf, count.df))?,
            };
            count.row = Row::Same;
        }
        Ok(())
    }
}

/// The look-ups of one document.
struct Reads<'a> {
    term: CachedStatement<'a>,
    count: CachedStatement<'a>,
}

impl<'a> Reads<'a> {
    fn prepare(store: &'a StateFile) -> rusqlite::Result<Self> {
        Ok(Reads {
            term: store
                .prepare_cached("SELECT id, tf, df, tf_band, class FROM term WHERE text = ?1")?,
            count: store.prepare_cached(
                "SELECT n, tf, df, tf_band FROM count WHERE class = ?1 AND term = ?2",
            )?,
        })
    }

    fn term(&mut self, text: &str) -> rusqlite::Result<Option<Term>> {
        let read = |row: &rusqlite::Row| {
            let (id, tf, df, tf_band, class) = (
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            );
            Ok(Term {
                id,
                tf,
                df,
                tf_band,
                class,
                row: Row::Same,
            })
        };
        self.term.query_row([text], read).optional()
    }

    fn count(&mut self, class: i64, term: i64) -> rusqlite::Result<Option<Count>> {
        let read = |row: &rusqlite::Row| {
            Ok(Count {
                n: row.get(0)?,
                tf: row.get(1)?,
                df: row.get(2)?,
                tf_band: row.get(3)?,
                row: Row::Same,
            })
        };
        self.count.query_row([class, term], read).optional()
    }
}

/// The terms of one document in the order of first occurrence, with their frequencies.
fn occurrences(text: &str) -> Vec<(Box<str>, i64)> {
    let all = terms(text);
    let mut at: Map<&str, usize> = Map::default();
    let mut found: Vec<(Box<str>, i64)> = Vec::new();
    for term in all.iter() {
        let next = found.len();
        let position = *at.entry(term).or_insert(next);
        if position == next {
            found.push((term.into(), 1));
        } else {
            found[position].1 += 1;
        }
    }
    found
}

/// Pairs of term id and tf, packed as [`unpack_terms`] takes them.
fn packed(mut terms: Vec<(i64, i64)>) -> Vec<u8> {
    terms.sort_unstable();
    let mut packed = Vec::with_capacity(3 * terms.len());
    let mut before = 0;
    for (id, tf) in terms {
        put_number(&mut packed, (id - before) as u64);
        put_number(&mut packed, tf as u64);
        before = id;
    }
    packed
}

/// ⌊log2 tf⌋; `None` where that is 0.
fn tf_band(tf: i64) -> Option<u32> {
    Some(tf.max(1).ilog2()).filter(|&tf_band| tf_band > 0)
}

fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// A new number for a row of a table; `last` is the last one given, once it is known.
pub(crate) fn next_id(
    last: &mut Option<i64>,
    store: &StateFile,
    table: &str,
) -> rusqlite::Result<i64> {
    let before = match *last {
        Some(last) => last,
        None => store.query_row(
            &format!("SELECT coalesce(max(rowid), 0) FROM {table}"),
            [],
            |row| row.get(0),
        )?,
    };
    *last = Some(before + 1);
    Ok(before + 1)
}

/// The terms of a packed document: pairs of term id and tf.
pub(crate) fn unpack_terms(packed: &[u8]) -> impl Iterator<Item = (i64, i64)> {
    let mut numbers = packed.iter().scan((0_u64, 0_u32), |(number, shift), byte| {
        *number |= u64::from(byte & 0x7F) << *shift;
        *shift += 7;
        let done = (byte & 0x80 == 0).then(|| std::mem::take(number));
        if done.is_some() {
            *shift = 0;
        }
        Some(done)
    });
    let mut id = 0;
    std::iter::from_fn(move || {
        let gap = numbers.by_ref().flatten().next()?;
        let tf = numbers.by_ref().flatten().next()?;
        id += gap as i64;
        Some((id, tf as i64))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Counter, tf_band, unpack_terms};
    use crate::statistics::Statistics;
    use forage_run::StoredProjection;

    /// Statistics of texts with their classes, written so many at once.
    pub(crate) fn filled(
        texts: &[(&str, &str)],
        at_once: usize,
    ) -> (tempfile::TempDir, Statistics) {
        let dir = tempfile::tempdir().unwrap();
        let statistics = Statistics::open(&dir.path().join("stats.db")).unwrap();
        let mut counter = Counter::default();
        for some in texts.chunks(at_once) {
            for (class, text) in some {
                counter.add(&statistics.db, class, 1, text).unwrap();
            }
            counter.write(&statistics.db).unwrap();
            if at_once == 1 {
                counter = Counter::default();
            }
        }
        (dir, statistics)
    }

    fn dump(statistics: &Statistics) -> Vec<String> {
        let mut all = Vec::new();
        for table in ["class", "term", "count", "document"] {
            let mut rows = statistics
                .db
                .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
                .unwrap();
            let columns = rows.column_count();
            let read = |row: &rusqlite::Row| {
                let values: Vec<String> = (0..columns)
                    .map(|i| format!("{:?}", row.get_ref(i).unwrap()))
                    .collect();
                Ok(format!("{table} {}", values.join(" ")))
            };
            all.extend(rows.query_map([], read).unwrap().map(Result::unwrap));
        }
        all
    }

    const TEXTS: [(&str, &str); 4] = [
        ("slv", "je da je lep dan"),
        ("eng", "it is a day, da"),
        ("slv", "dan je dan"),
        ("hrv", "lijep dan je"),
    ];

    #[test]
    fn counts_by_class_and_over_all() {
        let (_dir, statistics) = filled(&TEXTS, 4);
        let row = |text: &str| -> (i64, i64, Option<i64>) {
            let sql = "SELECT tf, df, class FROM term WHERE text = ?1";
            statistics
                .db
                .query_row(sql, [text], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })
                .unwrap()
        };
        assert_eq!(row("je"), (4, 3, None));
        assert_eq!(row("dan"), (4, 3, None));
        assert_eq!(row("da"), (2, 2, None));
        assert_eq!(row("lep"), (1, 1, Some(1)));
        let slv = &statistics.classes().unwrap()[0];
        assert_eq!(
            (slv.name.as_str(), slv.documents, slv.tokens, slv.terms),
            ("slv", 2, 8, 4)
        );
    }

    #[test]
    fn the_file_does_not_depend_on_how_the_stream_was_cut() {
        let (_a, one) = filled(&TEXTS, 1);
        let (_b, all) = filled(&TEXTS, 4);
        assert_eq!(dump(&one), dump(&all));
    }

    #[test]
    fn a_packed_document_gives_its_terms_back() {
        let (_dir, statistics) = filled(&[("x", &"ab cd ".repeat(200)), ("x", "ef cd")], 2);
        let packed: Vec<Vec<u8>> = {
            let mut rows = statistics
                .db
                .prepare("SELECT terms FROM document ORDER BY id")
                .unwrap();
            rows.query_map([], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .collect()
        };
        assert_eq!(
            unpack_terms(&packed[0]).collect::<Vec<_>>(),
            [(1, 200), (2, 200)]
        );
        assert_eq!(
            unpack_terms(&packed[1]).collect::<Vec<_>>(),
            [(2, 1), (3, 1)]
        );
    }

    #[test]
    fn tf_bands_are_powers_of_two() {
        assert_eq!(
            [1, 2, 3, 4, 7, 8].map(tf_band),
            [None, Some(1), Some(1), Some(2), Some(2), Some(3)]
        );
    }
}
