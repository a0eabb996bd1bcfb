//! `stats.db`: the term statistics, to read.
//!
//! For each term the file knows its counts over all classes (`term`) and in each class that has it (`count`). Terms
//! are numbered in the order in which they were first met, over all (`term.id`) and in each class (`count.n`): common
//! words come early and lie together, so that a document touches few pages, and a uniform draw is one look-up.
//!
//! `octave` is ⌊log2 tf⌋, NULL where that is 0: half of all terms occur once, and are in no index. Ranking walks the octaves from above and stops when no lower one can reach the best found;
//! an index over the exact counts would have to move with every occurrence.

use forage_record::Offsets;
use forage_state::{Kind, State, StateError, application_id, describe};
use rusqlite::OptionalExtension;
use std::path::Path;

/// The file's form.
const KIND: Kind = Kind {
    application_id: application_id(*b"FgSt"),
    version: 5,
    name: "term statistics (update-stats)",
    schema: "
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
    octave INTEGER,              -- floor(log2(tf)), NULL for 0
    class INTEGER                -- the only class that has it, or NULL
);
CREATE INDEX term_octave ON term (octave) WHERE octave IS NOT NULL;
CREATE INDEX term_only ON term (class, octave) WHERE class IS NOT NULL AND octave IS NOT NULL;
CREATE TABLE count (
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... in the order of first occurrence in the class
    term INTEGER NOT NULL,
    tf INTEGER NOT NULL,
    df INTEGER NOT NULL,
    octave INTEGER,
    PRIMARY KEY (class, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX count_term ON count (class, term);
CREATE INDEX count_octave ON count (class, octave) WHERE octave IS NOT NULL;
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,          -- 1, 2, ... in its class
    start INTEGER NOT NULL,      -- tokens of the class before this document
    step INTEGER NOT NULL,
    query INTEGER,               -- the query that brought it, where that is in `asked`
    terms BLOB NOT NULL          -- pairs of LEB128 numbers: gap to the previous term id, tf
);
CREATE UNIQUE INDEX document_start ON document (class, start);
CREATE UNIQUE INDEX document_n ON document (class, n);
CREATE TABLE asked (             -- queries of gen-query --learn auto, probes, and what came of them
    n INTEGER PRIMARY KEY,       -- 1, 2, ... in the order in which they were first asked
    id TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    path TEXT NOT NULL,          -- signed words between blanks
    kind INTEGER NOT NULL,       -- 0: asks for a region; 1: scouts; 2: probes
    calls INTEGER NOT NULL,
    left INTEGER NOT NULL,       -- unseen hits that are paid for
    more INTEGER NOT NULL,       -- 1: the engine has further pages; 2: it has, but shows no more; 0: neither
    new INTEGER NOT NULL,        -- relevant new documents since the last call
    bad INTEGER NOT NULL,        -- documents of other classes since then
    known INTEGER NOT NULL,      -- documents of the target when it was first asked
    came INTEGER NOT NULL,       -- hits that came
    rank INTEGER NOT NULL,       -- the lowest rank of these
    found INTEGER NOT NULL,      -- relevant new documents in all
    chance REAL NOT NULL         -- with what probability the region of a probe was drawn
);
CREATE INDEX asked_target ON asked (target);
CREATE TABLE last_asked (target TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE learner (           -- what learners of methods and lengths draw from
    learner TEXT NOT NULL,       -- as in query.learner
    target TEXT NOT NULL,
    parameter TEXT NOT NULL,     -- include-method, exclude-length ...
    name TEXT NOT NULL,          -- of the number: p or, successes 3, gained 0, sum ...
    number REAL NOT NULL,
    PRIMARY KEY (learner, target, parameter, name)
) WITHOUT ROWID;
CREATE TABLE similar (           -- gen-query --learn like: relevant documents, in the order in which they came
    n INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    url TEXT NOT NULL,
    is_asked INTEGER NOT NULL,   -- whether pages like it were asked for to their end
    UNIQUE (target, url)
);
CREATE INDEX similar_waiting ON similar (target, n) WHERE NOT is_asked;
CREATE TABLE seed_term (         -- gen-query --learn seedfinder: terms of collected documents
    target TEXT NOT NULL,
    term TEXT NOT NULL,
    score REAL NOT NULL,
    is_used INTEGER NOT NULL,    -- whether a query had it
    PRIMARY KEY (target, term)
) WITHOUT ROWID;
CREATE INDEX seed_term_score ON seed_term (target, score DESC, term);
CREATE TABLE seed_query (        -- its last query, and what that brought, in all and since the last call
    target TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    include TEXT NOT NULL,       -- its terms, one a line
    documents INTEGER NOT NULL,
    relevant INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    page_documents INTEGER NOT NULL,
    page_relevant INTEGER NOT NULL,
    is_over INTEGER NOT NULL,    -- whether nothing more is asked of it
    length INTEGER NOT NULL      -- of the next query
) WITHOUT ROWID;
CREATE TABLE tally (             -- counts of the run, by target
    target TEXT NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (target, name)
) WITHOUT ROWID;
CREATE TABLE query (id TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID;  -- distinct queries that were sent
CREATE TABLE target (            -- where each target's recovery stands
    name TEXT PRIMARY KEY,
    include_offset INTEGER NOT NULL,
    exclude_offset INTEGER NOT NULL,
    shorter INTEGER NOT NULL,    -- by so many inclusion terms
    outcome TEXT NOT NULL        -- of the last query: hit, nothing, or error of the engine
) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;  -- how far the journal is folded in
",
};

/// All tables of the schema.
const TABLES: [&str; 14] = [
    "class",
    "term",
    "count",
    "document",
    "asked",
    "last_asked",
    "learner",
    "similar",
    "seed_term",
    "seed_query",
    "tally",
    "query",
    "target",
    "meta",
];

/// Why the statistics could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The file could not be opened.
    #[error(transparent)]
    State(#[from] StateError),
    /// SQLite failed.
    #[error("{path}: {}", describe(.source))]
    Sql {
        /// The file.
        path: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A class that the statistics don't have.
    #[error("{path}: has no documents of class `{class}`; {known}")]
    UnknownClass {
        /// The file.
        path: String,
        /// The class that was named.
        class: String,
        /// Those that there are.
        known: String,
    },
}

/// The term statistics of a run.
#[derive(Debug)]
pub struct Statistics {
    pub(crate) db: State,
    path: String,
}

/// A class and what was counted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    pub(crate) id: i64,
    /// Its name: the label of its documents.
    pub name: String,
    /// Documents: N_c.
    pub documents: u64,
    /// Occurrences of terms.
    pub tokens: u64,
    /// Different terms.
    pub terms: u64,
}

impl Statistics {
    /// Opens the file to read and write, or makes an empty one.
    ///
    /// # Errors
    /// When it is another kind of file, or can't be opened.
    pub fn open(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics { db: forage_state::open(path, &KIND)?, path: path.display().to_string() })
    }

    /// Opens the file to read.
    ///
    /// # Errors
    /// As [`Statistics::open`], and when there is no such file.
    pub fn open_to_read(path: &Path) -> Result<Self, StatisticsError> {
        Ok(Statistics { db: forage_state::open_to_read(path, &KIND)?, path: path.display().to_string() })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        &self.path
    }

    /// Names the file in an error of SQLite's.
    pub(crate) fn named(&self, source: rusqlite::Error) -> StatisticsError {
        StatisticsError::Sql { path: self.path.clone(), source }
    }

    /// Empties the file, within the caller's transaction.
    pub(crate) fn clear(&self) -> rusqlite::Result<()> {
        for table in TABLES {
            self.db.execute(&format!("DELETE FROM {table}"), [])?;
        }
        Ok(())
    }

    /// All classes, in the order in which they were first met.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn classes(&self) -> Result<Vec<ClassCounts>, StatisticsError> {
        let read = || {
            let mut rows =
                self.db.prepare_cached("SELECT id, name, documents, tokens, terms FROM class ORDER BY id")?;
            rows.query_map([], |row| {
                let (id, name) = (row.get(0)?, row.get(1)?);
                Ok(ClassCounts { id, name, documents: row.get(2)?, tokens: row.get(3)?, terms: row.get(4)? })
            })?
            .collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|e| self.named(e))
    }

    /// The class of that name among `classes`.
    pub(crate) fn class<'a>(&self, classes: &'a [ClassCounts], name: &str) -> Result<&'a ClassCounts, StatisticsError> {
        classes.iter().find(|class| class.name == name).ok_or_else(|| {
            let known: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            let known =
                if known.is_empty() { "it has none at all".into() } else { format!("it has {}", known.join(", ")) };
            StatisticsError::UnknownClass { path: self.path.clone(), class: name.into(), known }
        })
    }

    /// Where the recovery of `target` stands: the last query's offsets, and what it brought.
    pub(crate) fn recovery(&self, target: &str) -> rusqlite::Result<Option<(Offsets, String)>> {
        let read = |row: &rusqlite::Row| {
            Ok((Offsets { include: row.get(0)?, exclude: row.get(1)?, shorter: row.get(2)? }, row.get(3)?))
        };
        self.db
            .prepare_cached("SELECT include_offset, exclude_offset, shorter, outcome FROM target WHERE name = ?1")?
            .query_row([target], read)
            .optional()
    }

    /// A count of the run for one target.
    pub(crate) fn tally(&self, target: &str, name: &str) -> rusqlite::Result<u64> {
        let mut value = self.db.prepare_cached("SELECT value FROM tally WHERE target = ?1 AND name = ?2")?;
        Ok(value.query_row((target, name), |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// A value that the ledger keeps.
    pub(crate) fn meta<T: rusqlite::types::FromSql>(&self, key: &str) -> rusqlite::Result<Option<T>> {
        self.db.prepare_cached("SELECT value FROM meta WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()
    }

    pub(crate) fn set_meta(&self, key: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
        self.db
            .prepare_cached("INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")?
            .execute((key, value))
            .map(|_| ())
    }
}
