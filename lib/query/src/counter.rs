//! Counts labelled documents into the term statistics.
//!
//! Counts are collected in memory and written at the end of the transaction. Terms that are not in
//! memory are looked up together then, in the order of the index: in a large file, one lookup after
//! the other reads other pages each time. Until then they have a negative number, in the order of
//! first occurrence. Ids are assigned in the order of the journal, so the file does not depend on
//! how the journal is split into transactions.
//!
//! `term_tables.rs` has the tables and their cached rows. `statistics.rs` describes the tables from
//! the reader's side.

use crate::document_keys::{DocumentKey, DocumentKeys, WordCounts};
use crate::spelling::SpellingCounter;
use crate::term_list::pack_terms;
use crate::term_tables::{
    CachedClass, CachedCount, CachedCounts, CachedTerm, CountLookup, DROP_INDEXES, INDEXES,
    PendingDocument, RowChange, next_id,
};
use crate::waiting_documents::WaitingDocuments;
use foldhash::fast::FixedState;
use forage_run::{Event, StoredProjection};
use forage_state::{StateFile, read_count};
use forage_text::{Terms, document_key, terms_as_typed};
use std::collections::HashMap;

type Map<K, V> = HashMap<K, V, FixedState>;

/// Maximum number of rows that stay cached after a write.
const MAX_CACHED_ROWS: usize = 400_000;
/// Number of cached rows of `count` after which they should be written: about 250 MB, with those of
/// `term`.
const WRITE_AFTER_ROWS: usize = 1_500_000;
/// Number of terms of all documents after which the documents are written, before their transaction
/// ends: 16 MB.
const WRITE_AFTER_TERMS: usize = 1_000_000;
/// Number of terms of a document that are counted before the cache is checked for its size.
const PART_TERMS: usize = 4096;
/// Number of documents that a term has if its rows stay cached longer than others.
const FREQUENT_DF: i64 = 16;
/// Number of rows for which an empty file is written without indexes, which are made later.
const INDEX_LAST_ROWS: usize = 20_000;

/// The projection of the term statistics: a write-back cache of the tables.
#[derive(Debug, Default)]
pub(crate) struct TermCounter {
    /// By name.
    classes: Map<String, CachedClass>,
    /// By text.
    terms: Map<Box<str>, CachedTerm>,
    /// By class id and term id.
    counts: Map<(i64, i64), CachedCount>,
    /// Number of terms that were not looked up yet.
    unknown_terms: i64,
    /// Number of rows of `counts` that were not looked up yet.
    unknown_counts: i64,
    /// Documents to be inserted.
    documents: Vec<PendingDocument>,
    /// Number of their terms.
    document_terms: usize,
    /// Their keys.
    keys: DocumentKeys,
    /// The highest term id; `None` until the first new term.
    last_term: Option<i64>,
    /// The highest class id; `None` until the first new class.
    last_class: Option<i64>,
    /// Initial documents of later steps.
    waiting: WaitingDocuments,
    /// The spellings of terms.
    spellings: SpellingCounter,
}

impl StoredProjection for TermCounter {
    /// Counts a labelled document, unless it is a duplicate. A document that is judged again is
    /// counted again only if it is accepted, so it then has both labels. An initial document of a
    /// later step is counted when all earlier steps are complete.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()> {
        match &event.label {
            Some(label) if event.counted_from() > 1 => self.waiting.add(store, event, label)?,
            Some(label) if !event.is_duplicate() && (!event.is_retry || event.is_relevant()) => {
                let (url, text) = (event.final_url().unwrap_or_default(), event.text());
                let (key, terms) = (document_key(&url, &text), terms_as_typed(&text));
                let words = word_frequencies(&terms);
                self.count_words(store, label, event.step_number(), key, words)?;
            }
            _ => {}
        }
        for (class, text) in self.waiting.take_due(store, event)? {
            // The URL of an initial document is not kept, and few have one.
            let (key, terms) = (document_key("", &text), terms_as_typed(&text));
            self.count_words(store, &class, 0, key, word_frequencies(&terms))?;
        }
        Ok(())
    }

    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        self.write_term_rows(store)?;
        self.write_classes(store)?;
        self.write_documents(store)
    }

    fn is_full(&self) -> bool {
        self.counts.len() > WRITE_AFTER_ROWS
    }
}

impl TermCounter {
    /// Counts one document of distinct words, with their frequencies.
    pub(crate) fn count_words(
        &mut self,
        store: &StateFile,
        class: &str,
        step: u64,
        key: DocumentKey,
        words: WordCounts,
    ) -> rusqlite::Result<()> {
        let mut spelled_words = Vec::new();
        let row = self.load_class(store, class)?;
        self.documents.push(PendingDocument {
            class: row.id,
            n: row.documents + 1,
            start: row.tokens,
            step,
            terms: Vec::with_capacity(words.len()),
        });
        let mut tokens = 0;
        let mut folded = self.spellings.fold(store, words)?.peekable();
        // In parts, because a document may have millions of terms.
        while folded.peek().is_some() {
            let mut part = Vec::with_capacity(PART_TERMS);
            for term in folded.by_ref().take(PART_TERMS) {
                let id = self.count_term(&term.text, row.id, term.tf);
                spelled_words.extend(&term.spellings);
                self.spellings.count(id, row.id, term.spellings);
                tokens += term.tf;
                part.push((id, term.tf));
            }
            // A loop of its own: lookups that do not depend on each other wait for memory together.
            for &(id, tf) in &part {
                self.count_in_class(row.id, id, tf);
            }
            self.document_terms += part.len();
            if let Some(document) = self.documents.last_mut() {
                document.terms.extend(part);
            }
            if self.is_full() {
                self.write_term_rows(store)?;
            }
        }
        if tokens == 0 {
            self.documents.pop();
        }
        self.keys
            .add(row.id, key, row.documents + 1, &spelled_words);
        if let Some(row) = self.classes.get_mut(class) {
            row.documents += 1;
            row.tokens += tokens;
            row.change = row.change.max(RowChange::Counts);
        }
        if self.document_terms > WRITE_AFTER_TERMS {
            self.look_up_terms(store)?;
            self.write_documents(store)?;
        }
        Ok(())
    }

    /// Returns the row of a class with the counts so far; a new one if there is none.
    fn load_class(&mut self, store: &StateFile, name: &str) -> rusqlite::Result<CachedClass> {
        if let Some(class) = self.classes.get(name) {
            return Ok(*class);
        }
        let stored = store.find_row(
            "SELECT id, documents, tokens, terms FROM class WHERE name = ?1",
            [name],
            |row| {
                Ok(CachedClass {
                    id: read_count(row, 0)?,
                    documents: read_count(row, 1)?,
                    tokens: read_count(row, 2)?,
                    terms: read_count(row, 3)?,
                    change: RowChange::None,
                })
            },
        )?;
        let class = match stored {
            Some(class) => class,
            None => CachedClass {
                id: next_id(&mut self.last_class, store, "class")?,
                documents: 0,
                tokens: 0,
                terms: 0,
                change: RowChange::New,
            },
        };
        // Cached immediately: a new class is not in the table before the next write.
        self.classes.insert(name.into(), class);
        Ok(class)
    }

    /// Counts one more document with `tf` occurrences of a term over all classes. Returns the id of
    /// the term, or its negative number if it was not looked up yet.
    fn count_term(&mut self, text: &str, class: i64, tf: i64) -> i64 {
        if let Some(term) = self.terms.get_mut(text) {
            term.count_document(class, tf);
            return term.id;
        }
        self.unknown_terms += 1;
        let mut term = CachedTerm {
            id: -self.unknown_terms,
            counts: CachedCounts::NEW,
            class: Some(class),
        };
        term.count_document(class, tf);
        self.terms.insert(text.into(), term);
        term.id
    }

    /// Counts one more document with `tf` occurrences of a term in a class.
    fn count_in_class(&mut self, class: i64, term: i64, tf: i64) {
        let count = self.counts.entry((class, term)).or_insert_with(|| {
            self.unknown_counts += 1;
            CachedCount {
                n: -self.unknown_counts,
                counts: CachedCounts::NEW,
            }
        });
        count.counts.count_document(tf);
    }

    /// Looks up the terms that have only a number, in the order of their texts, and gives ids to
    /// those that are new.
    fn look_up_terms(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        if self.unknown_terms == 0 {
            return Ok(());
        }
        let terms = self.terms.iter_mut().filter(|(_, term)| term.id < 0);
        let mut unknown: Vec<_> = terms.collect();
        let mut lookup = CountLookup::prepare(store)?;
        if lookup.last_term > 0 {
            unknown.sort_unstable_by_key(|(text, _)| *text);
        }
        let mut ids = vec![0; unknown.len()];
        let mut new = Vec::new();
        for (text, term) in unknown {
            let number = term.id.unsigned_abs() as usize - 1;
            match lookup.find_term(text)? {
                Some(stored) => {
                    term.add_stored(stored);
                    ids[number] = term.id;
                }
                None => new.push(term),
            }
        }
        new.sort_unstable_by_key(|term| -term.id);
        for term in new {
            let number = term.id.unsigned_abs() as usize - 1;
            term.id = next_id(&mut self.last_term, store, "term")?;
            ids[number] = term.id;
        }
        let id_of = |id: i64| match id {
            ..0 => ids[id.unsigned_abs() as usize - 1],
            _ => id,
        };
        let renumbered = self.counts.extract_if(|(_, term), _| *term < 0);
        let renumbered = renumbered.map(|((class, term), count)| ((class, id_of(term)), count));
        let renumbered: Vec<_> = renumbered.collect();
        self.counts.extend(renumbered);
        for (term, _) in self.documents.iter_mut().flat_map(|d| &mut d.terms) {
            *term = id_of(*term);
        }
        self.spellings.renumber(id_of);
        self.unknown_terms = 0;
        Ok(())
    }

    /// Looks up the counts in classes that have only a number, in the order of the index, and gives
    /// numbers within the class to those that are new. The terms have ids.
    fn look_up_counts(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let counts = self.counts.iter_mut().filter(|(_, count)| count.n < 0);
        let mut unknown: Vec<_> = counts.collect();
        unknown.sort_unstable_by_key(|(key, _)| **key);
        let mut lookup = CountLookup::prepare(store)?;
        let mut new = Vec::new();
        for ((class, term), count) in unknown {
            match lookup.find_count(*class, *term)? {
                Some(stored) => {
                    count.n = stored.n;
                    count.counts.add_stored(stored.counts);
                }
                None => new.push((*class, count)),
            }
        }
        new.sort_unstable_by_key(|(_, count)| -count.n);
        let classes = self.classes.values_mut().map(|row| (row.id, row));
        let mut classes: Map<i64, &mut CachedClass> = classes.collect();
        for (class, count) in new {
            if let Some(row) = classes.get_mut(&class) {
                row.terms += 1;
                row.change = row.change.max(RowChange::Counts);
                count.n = row.terms;
            }
        }
        self.unknown_counts = 0;
        Ok(())
    }

    /// Inserts the documents, whose terms have ids, within a transaction.
    fn write_documents(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut insert =
            store.prepare_cached("INSERT INTO document VALUES (NULL, ?1, ?2, ?3, ?4, ?5)")?;
        for document in self.documents.drain(..) {
            let (class, n, start) = (document.class, document.n, document.start);
            insert.execute((class, n, start, document.step, pack_terms(document.terms)))?;
        }
        self.document_terms = 0;
        self.keys.write(store)
    }

    /// Writes the changed rows of terms, within a transaction, and removes most of the cache if it
    /// is large.
    fn write_term_rows(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        self.look_up_terms(store)?;
        self.look_up_counts(store)?;
        let is_first = self.counts.len() > INDEX_LAST_ROWS
            && !store.prepare("SELECT 1 FROM count")?.exists([])?;
        if is_first {
            store.execute_batch(DROP_INDEXES)?;
        }
        self.write_terms(store)?;
        self.write_counts(store)?;
        if is_first {
            store.execute_batch(INDEXES)?;
        }
        self.spellings.write(store)?;
        if self.counts.len() > MAX_CACHED_ROWS {
            self.terms.retain(|_, term| term.counts.df >= FREQUENT_DF);
            self.counts
                .retain(|_, count| count.counts.df >= FREQUENT_DF);
            if self.counts.len() > MAX_CACHED_ROWS {
                self.terms.clear();
                self.counts.clear();
            }
            self.terms.shrink_to_fit();
            self.counts.shrink_to_fit();
        }
        Ok(())
    }

    fn write_classes(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let mut upsert = store.prepare_cached(
            "INSERT INTO class VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET documents = ?3, tokens = ?4, terms = ?5",
        )?;
        let classes = self.classes.iter_mut();
        for (name, class) in classes.filter(|(_, class)| class.change != RowChange::None) {
            upsert.execute((class.id, name, class.documents, class.tokens, class.terms))?;
            class.change = RowChange::None;
        }
        Ok(())
    }

    /// Writes the changed rows of `term` in order of their ids, so that each page of the table is
    /// visited once.
    fn write_terms(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let terms = self.terms.iter_mut();
        let changed = terms.filter(|(_, term)| term.counts.change != RowChange::None);
        let mut changed: Vec<_> = changed.collect();
        changed.sort_unstable_by_key(|(_, term)| term.id);
        let mut insert =
            store.prepare_cached("INSERT INTO term VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut update_counts =
            store.prepare_cached("UPDATE term SET tf = ?2, df = ?3 WHERE id = ?1")?;
        let mut update_all = store.prepare_cached(
            "UPDATE term SET tf = ?2, df = ?3, tf_band = ?4, class = ?5 WHERE id = ?1",
        )?;
        for (text, CachedTerm { id, counts, class }) in changed {
            let CachedCounts {
                tf, df, tf_band, ..
            } = *counts;
            match counts.change {
                RowChange::New => insert.execute((*id, text, tf, df, tf_band, *class))?,
                RowChange::Indexed => update_all.execute((*id, tf, df, tf_band, *class))?,
                RowChange::Counts | RowChange::None => update_counts.execute((*id, tf, df))?,
            };
            counts.change = RowChange::None;
        }
        Ok(())
    }

    /// Writes the changed rows of `count` in order of their primary keys.
    fn write_counts(&mut self, store: &StateFile) -> rusqlite::Result<()> {
        let counts = self.counts.iter_mut();
        let changed = counts.filter(|(_, count)| count.counts.change != RowChange::None);
        let mut changed: Vec<_> = changed.collect();
        changed.sort_unstable_by_key(|((class, _), count)| (*class, count.n));
        let mut insert =
            store.prepare_cached("INSERT INTO count VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut update_counts = store
            .prepare_cached("UPDATE count SET tf = ?3, df = ?4 WHERE class = ?1 AND n = ?2")?;
        let mut update_all = store.prepare_cached(
            "UPDATE count SET tf = ?3, df = ?4, tf_band = ?5 WHERE class = ?1 AND n = ?2",
        )?;
        for (&(class, term), CachedCount { n, counts }) in changed {
            let CachedCounts {
                tf, df, tf_band, ..
            } = *counts;
            match counts.change {
                RowChange::New => insert.execute((class, *n, term, tf, df, tf_band))?,
                RowChange::Indexed => update_all.execute((class, *n, tf, df, tf_band))?,
                RowChange::Counts | RowChange::None => {
                    update_counts.execute((class, *n, tf, df))?
                }
            };
            counts.change = RowChange::None;
        }
        Ok(())
    }
}

/// Returns the distinct words of a text in order of first occurrence, with their frequencies.
fn word_frequencies(all: &Terms) -> WordCounts<'_> {
    let mut positions: Map<&str, usize> = Map::default();
    let mut frequencies: Vec<(&str, i64)> = Vec::new();
    for term in all.iter() {
        let next = frequencies.len();
        let position = *positions.entry(term).or_insert(next);
        if position == next {
            frequencies.push((term, 1));
        } else {
            frequencies[position].1 += 1;
        }
    }
    frequencies
}

#[cfg(test)]
pub(crate) mod tests;
