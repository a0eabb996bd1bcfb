//! Adding documents to the statistics.
//!
//! Counts are gathered in memory and written when the transaction ends: a single document costs a few look-ups for
//! each of its terms, a thousand documents share them. Numbers are given in the order of the stream, so the file is
//! the same however the stream was cut into transactions.

use crate::statistics::Statistics;
use foldhash::fast::FixedState;
use forage_text::terms;
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

type Map<K, V> = HashMap<K, V, FixedState>;

/// Rows kept in memory after they were written; beyond it they are read anew.
const KEPT_ROWS: usize = 400_000;

/// Documents on their way into the statistics.
#[derive(Debug, Default)]
pub struct Counter {
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
    octave: Option<u32>,
    class: Option<i64>,
    row: Row,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    n: i64,
    tf: i64,
    df: i64,
    octave: Option<u32>,
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
    query: Option<i64>,
    terms: Vec<u8>,
}

impl Counter {
    /// Adds one document of `class`, which came at `step` by a query of that number in `asked`.
    pub(crate) fn add(
        &mut self,
        to: &Statistics,
        class: &str,
        (step, query): (u64, Option<i64>),
        text: &str,
    ) -> rusqlite::Result<()> {
        let mut found = Occurrences::of(text);
        let mut counts = self.class(to, class)?;
        let mut reads = Reads::prepare(to)?;
        for (term, tf) in &found.terms {
            let id = self.term(&mut reads, to, term, counts.id, *tf)?;
            counts.terms += i64::from(self.count(&mut reads, counts.id, id, *tf, counts.terms + 1)?);
            found.ids.push((id, *tf));
        }
        let tokens = found.ids.iter().map(|(_, tf)| tf).sum::<i64>();
        if tokens > 0 {
            let (class, n, start) = (counts.id, counts.documents + 1, counts.tokens);
            self.documents.push(Document { class, n, start, step, query, terms: found.packed() });
        }
        counts.documents += 1;
        counts.tokens += tokens;
        counts.row = counts.row.max(Row::Counts);
        self.classes.insert(class.into(), counts);
        Ok(())
    }

    /// Documents of a class that were counted so far, those that are not written yet included.
    pub(crate) fn documents(&self, from: &Statistics, class: &str) -> rusqlite::Result<u64> {
        if let Some(class) = self.classes.get(class) {
            return Ok(class.documents as u64);
        }
        let mut documents = from.db.prepare_cached("SELECT documents FROM class WHERE name = ?1")?;
        Ok(documents.query_row([class], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// A class as it is counted so far; a new one where there is none.
    fn class(&mut self, to: &Statistics, name: &str) -> rusqlite::Result<Class> {
        if let Some(class) = self.classes.get(name) {
            return Ok(*class);
        }
        let known = to
            .db
            .prepare_cached("SELECT id, documents, tokens, terms FROM class WHERE name = ?1")?
            .query_row([name], |row| {
                let (id, documents, tokens, terms) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok(Class { id, documents, tokens, terms, row: Row::Same })
            })
            .optional()?;
        let class = match known {
            Some(class) => class,
            None => {
                let last = highest(&mut self.last_class, to, "class")?;
                *last += 1;
                Class { id: *last, documents: 0, tokens: 0, terms: 0, row: Row::New }
            }
        };
        // A second new class in the same transaction must find the first one's id taken.
        self.classes.insert(name.into(), class);
        Ok(class)
    }

    /// Counts `tf` more occurrences of a term over all classes; gives its id.
    fn term(&mut self, reads: &mut Reads, to: &Statistics, text: &str, class: i64, tf: i64) -> rusqlite::Result<i64> {
        if !self.terms.contains_key(text) {
            let known = reads.term(text)?;
            let term = match known {
                Some(term) => term,
                None => {
                    let last = highest(&mut self.last_term, to, "term")?;
                    *last += 1;
                    Term { id: *last, tf: 0, df: 0, octave: None, class: Some(class), row: Row::New }
                }
            };
            self.terms.insert(text.into(), term);
        }
        let Some(term) = self.terms.get_mut(text) else { return Ok(0) };
        term.tf += tf;
        term.df += 1;
        term.row = term.row.max(Row::Counts);
        if octave(term.tf) != term.octave || (term.class.is_some() && term.class != Some(class)) {
            term.octave = octave(term.tf);
            term.class = term.class.filter(|&only| only == class);
            term.row = term.row.max(Row::Indexed);
        }
        Ok(term.id)
    }

    /// Counts `tf` more occurrences of a term in a class; says whether the class had not had it, so that it now has
    /// the number `next`.
    fn count(&mut self, reads: &mut Reads, class: i64, term: i64, tf: i64, next: i64) -> rusqlite::Result<bool> {
        let (count, is_new) = match self.counts.entry((class, term)) {
            Entry::Occupied(known) => (known.into_mut(), false),
            Entry::Vacant(place) => {
                let known = reads.count(class, term)?;
                let is_new = known.is_none();
                let new = Count { n: next, tf: 0, df: 0, octave: None, row: Row::New };
                (place.insert(known.unwrap_or(new)), is_new)
            }
        };
        count.tf += tf;
        count.df += 1;
        count.row = count.row.max(Row::Counts);
        if octave(count.tf) != count.octave {
            count.octave = octave(count.tf);
            count.row = count.row.max(Row::Indexed);
        }
        Ok(is_new)
    }

    /// Forgets what is not written.
    pub(crate) fn discard(&mut self) {
        *self = Counter::default();
    }

    /// Rows that are kept in memory.
    pub(crate) fn rows(&self) -> usize {
        self.counts.len()
    }

    /// Writes what was counted, within the caller's transaction.
    pub(crate) fn write(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        self.write_classes(to)?;
        self.write_terms(to)?;
        self.write_counts(to)?;
        let mut put = to.db.prepare_cached("INSERT INTO document VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6)")?;
        for Document { class, n, start, step, query, terms } in self.documents.drain(..) {
            put.execute((class, n, start, step, query, terms))?;
        }
        if self.counts.len() > KEPT_ROWS {
            self.terms.clear();
            self.counts.clear();
        }
        Ok(())
    }

    fn write_classes(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        let mut put = to.db.prepare_cached(
            "INSERT INTO class VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET documents = ?3, tokens = ?4, terms = ?5",
        )?;
        for (name, class) in self.classes.iter_mut().filter(|(_, class)| class.row != Row::Same) {
            put.execute((class.id, name, class.documents, class.tokens, class.terms))?;
            class.row = Row::Same;
        }
        Ok(())
    }

    /// Sorted by id, so that each page is met once.
    fn write_terms(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        let mut changed: Vec<_> = self.terms.iter_mut().filter(|(_, term)| term.row != Row::Same).collect();
        changed.sort_unstable_by_key(|(_, term)| term.id);
        let mut add = to.db.prepare_cached("INSERT INTO term VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut change = to.db.prepare_cached("UPDATE term SET tf = ?2, df = ?3 WHERE id = ?1")?;
        let mut move_ =
            to.db.prepare_cached("UPDATE term SET tf = ?2, df = ?3, octave = ?4, class = ?5 WHERE id = ?1")?;
        for (text, term) in changed {
            match term.row {
                Row::New => add.execute((term.id, text, term.tf, term.df, term.octave, term.class))?,
                Row::Indexed => move_.execute((term.id, term.tf, term.df, term.octave, term.class))?,
                Row::Counts | Row::Same => change.execute((term.id, term.tf, term.df))?,
            };
            term.row = Row::Same;
        }
        Ok(())
    }

    fn write_counts(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        let mut changed: Vec<_> = self.counts.iter_mut().filter(|(_, count)| count.row != Row::Same).collect();
        changed.sort_unstable_by_key(|((class, _), count)| (*class, count.n));
        let mut add = to.db.prepare_cached("INSERT INTO count VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut change = to.db.prepare_cached("UPDATE count SET tf = ?3, df = ?4 WHERE class = ?1 AND n = ?2")?;
        let mut move_ =
            to.db.prepare_cached("UPDATE count SET tf = ?3, df = ?4, octave = ?5 WHERE class = ?1 AND n = ?2")?;
        for (&(class, term), count) in changed {
            match count.row {
                Row::New => add.execute((class, count.n, term, count.tf, count.df, count.octave))?,
                Row::Indexed => move_.execute((class, count.n, count.tf, count.df, count.octave))?,
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
    fn prepare(from: &'a Statistics) -> rusqlite::Result<Self> {
        Ok(Reads {
            term: from.db.prepare_cached("SELECT id, tf, df, octave, class FROM term WHERE text = ?1")?,
            count: from.db.prepare_cached("SELECT n, tf, df, octave FROM count WHERE class = ?1 AND term = ?2")?,
        })
    }

    fn term(&mut self, text: &str) -> rusqlite::Result<Option<Term>> {
        let read = |row: &rusqlite::Row| {
            let (id, tf, df, octave, class) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            Ok(Term { id, tf, df, octave, class, row: Row::Same })
        };
        self.term.query_row([text], read).optional()
    }

    fn count(&mut self, class: i64, term: i64) -> rusqlite::Result<Option<Count>> {
        let read = |row: &rusqlite::Row| {
            Ok(Count { n: row.get(0)?, tf: row.get(1)?, df: row.get(2)?, octave: row.get(3)?, row: Row::Same })
        };
        self.count.query_row([class, term], read).optional()
    }
}

/// The terms of one document in the order of first occurrence, with their frequencies.
struct Occurrences {
    terms: Vec<(Box<str>, i64)>,
    ids: Vec<(i64, i64)>,
}

impl Occurrences {
    fn of(text: &str) -> Self {
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
        let ids = Vec::with_capacity(found.len());
        Occurrences { terms: found, ids }
    }

    fn packed(&mut self) -> Vec<u8> {
        self.ids.sort_unstable();
        let mut packed = Vec::with_capacity(3 * self.ids.len());
        let mut before = 0;
        for (id, tf) in &self.ids {
            put_number(&mut packed, (id - before) as u64);
            put_number(&mut packed, *tf as u64);
            before = *id;
        }
        packed
    }
}

/// ⌊log2 tf⌋; `None` where that is 0.
fn octave(tf: i64) -> Option<u32> {
    Some(tf.max(1).ilog2()).filter(|&octave| octave > 0)
}

fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn highest<'a>(known: &'a mut Option<i64>, to: &Statistics, table: &str) -> rusqlite::Result<&'a mut i64> {
    if known.is_none() {
        let read = |row: &rusqlite::Row| row.get(0);
        *known = Some(to.db.query_row(&format!("SELECT coalesce(max(id), 0) FROM {table}"), [], read)?);
    }
    Ok(known.get_or_insert(0))
}

/// The terms of a packed document: pairs of term id and tf.
pub(crate) fn unpack(packed: &[u8]) -> impl Iterator<Item = (i64, i64)> {
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
mod tests {
    use super::{Counter, octave, unpack};
    use crate::statistics::Statistics;

    fn filled(texts: &[(&str, &str)], at_once: usize) -> (tempfile::TempDir, Statistics) {
        let dir = tempfile::tempdir().unwrap();
        let statistics = Statistics::open(&dir.path().join("stats.db")).unwrap();
        let mut counter = Counter::default();
        for some in texts.chunks(at_once) {
            for (class, text) in some {
                counter.add(&statistics, class, (1, None), text).unwrap();
            }
            counter.write(&statistics).unwrap();
            if at_once == 1 {
                counter.discard();
            }
        }
        (dir, statistics)
    }

    fn dump(statistics: &Statistics) -> Vec<String> {
        let mut all = Vec::new();
        for table in ["class", "term", "count", "document"] {
            let mut rows = statistics.db.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
            let columns = rows.column_count();
            let read = |row: &rusqlite::Row| {
                let values: Vec<String> = (0..columns).map(|i| format!("{:?}", row.get_ref(i).unwrap())).collect();
                Ok(format!("{table} {}", values.join(" ")))
            };
            all.extend(rows.query_map([], read).unwrap().map(Result::unwrap));
        }
        all
    }

    const TEXTS: [(&str, &str); 4] =
        [("slv", "je da je lep dan"), ("eng", "it is a day, da"), ("slv", "dan je dan"), ("hrv", "lijep dan je")];

    #[test]
    fn counts_by_class_and_over_all() {
        let (_dir, statistics) = filled(&TEXTS, 4);
        let row = |text: &str| -> (i64, i64, Option<i64>) {
            let sql = "SELECT tf, df, class FROM term WHERE text = ?1";
            statistics.db.query_row(sql, [text], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
        };
        assert_eq!(row("je"), (4, 3, None));
        assert_eq!(row("dan"), (4, 3, None));
        assert_eq!(row("da"), (2, 2, None));
        assert_eq!(row("lep"), (1, 1, Some(1)));
        let slv = &statistics.classes().unwrap()[0];
        assert_eq!((slv.name.as_str(), slv.documents, slv.tokens, slv.terms), ("slv", 2, 8, 4));
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
            let mut rows = statistics.db.prepare("SELECT terms FROM document ORDER BY id").unwrap();
            rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(unpack(&packed[0]).collect::<Vec<_>>(), [(1, 200), (2, 200)]);
        assert_eq!(unpack(&packed[1]).collect::<Vec<_>>(), [(2, 1), (3, 1)]);
    }

    #[test]
    fn octaves_are_powers_of_two() {
        assert_eq!([1, 2, 3, 4, 7, 8].map(octave), [None, Some(1), Some(1), Some(2), Some(2), Some(3)]);
    }
}
