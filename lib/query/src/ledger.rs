//! The fold of the journal: what each finished record means for the statistics (DESIGN, "Counting").
//!
//! Lines go to the journal first and to the statistics after it, in one transaction that also notes how far the
//! journal is folded in. A run killed in between is made whole when the ledger is opened again: lines that the
//! statistics lack are folded, and those of a step that did not come to its end are cut off.

use crate::asked::{self, AskedQueries};
use crate::baselines::Baselines;
use crate::compose::{like_id, query_id};
use crate::counter::Counter;
use crate::event::Event;
use crate::journal::{Journal, JournalError};
use crate::learn::Learners;
use crate::recognise::{marks, may_be_torn, recognise};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Hit, NotARecord, Offsets, Outcome, Query, Record, field};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// Why the ledger could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The statistics failed.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A line of the journal is not a record.
    #[error("{journal}: byte {at}: {why}")]
    BadLine {
        /// The journal.
        journal: String,
        /// Where the line begins.
        at: u64,
        /// What is wrong with it.
        why: NotARecord,
    },
    /// Steps would be forgotten of a journal that the statistics know nothing of.
    #[error(
        "{journal}: holds a run that {stats} knows nothing of, so nothing of it is forgotten; take it with --rebuild"
    )]
    UnknownJournal {
        /// The journal.
        journal: String,
        /// The statistics.
        stats: String,
    },
    /// The journal is empty, and the statistics are not.
    #[error("{journal}: is empty or was not there, but the statistics were made from a journal; put that back")]
    EmptyJournal {
        /// The journal.
        journal: String,
    },
    /// The statistics were made from another journal.
    #[error("{journal}: is not the journal that the statistics were made from; use --rebuild {journal} to take it")]
    OtherJournal {
        /// The journal.
        journal: String,
    },
}

/// Counts of a run, by target and name.
pub(crate) type Tallies = BTreeMap<(String, String), i64>;

/// The tally of new documents of a class that queries for other classes brought; kept for each class, as any may turn
/// out to be a target.
pub(crate) const FROM_OTHER_TARGETS: &str = "from other targets";

/// Running counts of one target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Query records.
    pub steps: i64,
    /// Distinct queries that were sent.
    pub queries: i64,
    /// Calls to the engine.
    pub calls: i64,
    /// Documents retrieved, of any label.
    pub documents: i64,
    /// Those whose label is the target and that are no twins.
    pub relevant: i64,
}

/// The statistics and the journal of a run, kept together.
#[derive(Debug)]
pub struct Ledger {
    statistics: Statistics,
    journal: Option<Journal>,
    counter: Counter,
    /// Lines that are not in the journal yet.
    lines: Vec<u8>,
    tallies: Tallies,
    /// Those of them that have changed since the last commit.
    changed_tallies: BTreeSet<(String, String)>,
    /// Queries met since the last commit.
    queries: HashSet<String>,
    new_queries: Vec<(String, String)>,
    recovery: BTreeMap<String, (Offsets, &'static str)>,
    asked: AskedQueries,
    learners: Learners,
    baselines: Baselines,
    last_step: u64,
    /// Whether the last step's last record has not come: only where steps are counted without `from_step`.
    is_step_open: bool,
    is_changed: bool,
    /// Where a journal that is only read ends in a line that is not whole.
    torn: Option<u64>,
}

impl Ledger {
    /// Opens the statistics and the journal, and makes them whole.
    ///
    /// With `from_step`, what belongs to that step or a later one is forgotten; so is a step without its last record.
    ///
    /// # Errors
    /// When a file can't be opened, or the journal is not the one that the statistics were made from.
    pub fn open(stats: &Path, journal: Option<&Path>, from_step: Option<u64>) -> Result<Self, LedgerError> {
        let statistics = Statistics::open(stats)?;
        let journal = journal.map(Journal::open).transpose()?;
        let mut ledger = Ledger {
            statistics,
            journal,
            counter: Counter::default(),
            lines: Vec::new(),
            tallies: Tallies::new(),
            changed_tallies: BTreeSet::new(),
            queries: HashSet::new(),
            new_queries: Vec::new(),
            recovery: BTreeMap::new(),
            asked: AskedQueries::default(),
            learners: Learners::default(),
            baselines: Baselines::default(),
            last_step: 0,
            is_step_open: false,
            is_changed: false,
            torn: None,
        };
        ledger.load()?;
        ledger.make_whole(from_step)?;
        Ok(ledger)
    }

    /// Makes the statistics anew from a journal, which is only read.
    ///
    /// # Errors
    /// When a file can't be read or written, or a line of the journal is not a record.
    pub fn rebuild(stats: &Path, journal: &Path) -> Result<Self, LedgerError> {
        let journal = Journal::open_to_read(journal)?;
        let mut ledger = Ledger::open(stats, None, None)?;
        ledger.journal = Some(journal);
        ledger.fold_from_start(u64::MAX, false)?;
        Ok(ledger)
    }

    /// The step after the last one that came to its end; 0 where there is none, so that the run has to be initialised.
    pub fn next_step(&self) -> u64 {
        if self.last_step == 0 { 0 } else { self.last_step + 1 }
    }

    /// The byte at which a line begins that was left out, as it is not whole: only with [`Ledger::rebuild`].
    pub fn torn(&self) -> Option<u64> {
        self.torn
    }

    /// Running counts of a target.
    pub fn tally(&self, target: &str) -> Tally {
        let count = |name: &str| self.tallies.get(&(target.into(), name.into())).copied().unwrap_or(0);
        Tally {
            steps: count("steps"),
            queries: count("queries"),
            calls: count("calls"),
            documents: count("documents"),
            relevant: count("relevant"),
        }
    }

    /// Running counts of all targets together.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        for ((_, name), value) in &self.tallies {
            match name.as_str() {
                "steps" => total.steps += value,
                "queries" => total.queries += value,
                "calls" => total.calls += value,
                "documents" => total.documents += value,
                "relevant" => total.relevant += value,
                _ => {}
            }
        }
        total
    }

    /// Takes a finished record: counts it, and notes it for the journal.
    ///
    /// # Errors
    /// When the statistics can't be read.
    pub fn take(&mut self, record: &Record) -> Result<Event, LedgerError> {
        if self.journal.is_some() {
            record.write(&mut self.lines);
        }
        self.fold(record)
    }

    /// Makes what was taken durable: the journal first, then the statistics.
    ///
    /// # Errors
    /// When a file can't be written; then nothing since the last commit counts.
    pub fn commit(&mut self) -> Result<(), LedgerError> {
        let before = self.journal.as_ref().map_or(0, Journal::length);
        if let Some(journal) = &mut self.journal {
            journal.append(&self.lines)?;
            self.lines.clear();
        }
        if !self.is_changed {
            return Ok(());
        }
        self.write_statistics().inspect_err(|_| {
            // The same input will be given again.
            let _ = self.journal.as_mut().map(|journal| journal.cut(before));
        })
    }

    /// Leaves all that was committed in the one file of the statistics, for a tool that ends.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn settle(&self) -> Result<(), LedgerError> {
        self.statistics.db.settle().map_err(|e| self.statistics.named(e).into())
    }

    /// Bytes and rows that wait in memory for a commit are many.
    pub fn is_full(&self) -> bool {
        self.lines.len() > 16 << 20 || self.counter.rows() > 500_000
    }

    /// The statistics.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn load(&mut self) -> Result<(), StatisticsError> {
        let from = &self.statistics;
        let read = || {
            let mut rows = from.db.prepare("SELECT target, name, value FROM tally")?;
            let tallies = rows.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
            let is_open = from.meta("step_open")?.unwrap_or(false);
            Ok((tallies.collect::<Result<_, _>>()?, from.meta("last_step")?.unwrap_or(0), is_open))
        };
        (self.tallies, self.last_step, self.is_step_open) = read().map_err(|e| from.named(e))?;
        Ok(())
    }

    /// Brings statistics and journal to the same place.
    fn make_whole(&mut self, from_step: Option<u64>) -> Result<(), LedgerError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let folded = self.folded()?;
        recognise(&self.statistics, journal, folded, from_step)?;
        let goes_back = |step: u64| step == 0 || self.last_step >= step || self.is_step_open;
        if folded > journal.length() || from_step.is_some_and(goes_back) {
            self.fold_from_start(from_step.unwrap_or(u64::MAX), from_step.is_some())
        } else if folded < journal.length() {
            self.fold_journal(folded, from_step.unwrap_or(u64::MAX), from_step.is_some())
        } else {
            Ok(())
        }
    }

    /// Bytes of the journal that the statistics hold.
    fn folded(&self) -> Result<u64, LedgerError> {
        let bytes = self.statistics.meta("journal_bytes").map_err(|e| self.statistics.named(e))?;
        Ok(bytes.unwrap_or(0))
    }

    fn fold_from_start(&mut self, before_step: u64, whole_steps: bool) -> Result<(), LedgerError> {
        self.counter.discard();
        self.asked.discard();
        self.learners.discard();
        self.baselines.discard();
        self.tallies.clear();
        self.changed_tallies.clear();
        self.queries.clear();
        self.new_queries.clear();
        self.recovery.clear();
        self.last_step = 0;
        self.is_step_open = false;
        self.is_changed = true;
        let clear = || {
            self.statistics.db.begin()?;
            self.statistics.clear()?;
            self.statistics.db.commit()
        };
        clear().map_err(|e| self.statistics.named(e))?;
        self.fold_journal(0, before_step, whole_steps)
    }

    /// Folds the journal from `start` bytes on, up to the first record of `before_step`; cuts off the rest, a line
    /// that is not whole, and with `whole_steps` a step without its last record.
    fn fold_journal(&mut self, start: u64, before_step: u64, whole_steps: bool) -> Result<(), LedgerError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let (name, is_writable) = (journal.name(), journal.is_writable());
        let mut kept = start;
        let mut waiting = Vec::new();
        // An editor may have left out the last line feed.
        let mut unended = false;
        for line in journal.lines(start)? {
            let line = line?;
            if !line.is_whole && !is_writable {
                self.torn = Some(line.start);
                break;
            }
            if line.bytes.trim_ascii().is_empty() {
                kept = if waiting.is_empty() { line.end } else { kept };
                continue;
            }
            let (at, is_torn) = (line.start, !line.is_whole && (kept > 0 || whole_steps && may_be_torn(&line.bytes)));
            let record = match Record::parse(line.bytes) {
                Ok(record) => record,
                // The run was killed while it wrote this line. In a file of which nothing was recognised it may be
                // anything.
                Err(_) if is_torn => break,
                Err((why, _)) => return Err(LedgerError::BadLine { journal: name, at, why }),
            };
            let step = step_of(&record);
            if step >= before_step {
                break;
            }
            let ends_step =
                step == 0 || record.view::<Hit>(field::HIT).is_ok_and(|hit| hit.is_some_and(|hit| hit.last));
            waiting.push(record);
            if ends_step || !whole_steps {
                for record in waiting.drain(..) {
                    self.fold(&record)?;
                }
                kept = line.end;
            }
            if !line.is_whole {
                unended = true;
            }
            if self.is_full() {
                self.write_statistics_at(Some(kept))?;
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.cut(kept)?;
            if unended && kept == journal.length() && kept > start {
                journal.append(b"\n")?;
            }
        }
        self.is_changed = true;
        self.write_statistics()
    }

    /// Counts one record.
    fn fold(&mut self, record: &Record) -> Result<Event, LedgerError> {
        self.is_changed = true;
        let event = Event::of(record);
        let target = event.query.as_ref().map_or(String::new(), |query| query.target.clone());
        let asked = match &event.query {
            Some(query) => self.fold_query(query, &event, record)?,
            None => None,
        };
        if let Some(label) = &event.label {
            let text = record.text().ok().flatten().unwrap_or_default();
            if !event.is_twin {
                let step = event.query.as_ref().map_or(0, |query| query.step);
                let counted = self.counter.add(&self.statistics, label, (step, asked), &text);
                counted.map_err(|e| self.statistics.named(e))?;
            }
            if event.query.is_none() {
                self.count(&target, "initial", 1);
            }
        }
        // One that the filter left without a label is retrieved all the same: it was paid for.
        if event.is_document && event.query.is_some() {
            self.count(&target, "documents", 1);
            self.count(&target, "twins", i64::from(event.is_twin));
            self.count(&target, "relevant", i64::from(event.is_relevant()));
        }
        if let Some(label) = event.retrieved_label().filter(|label| *label != target) {
            self.count(label, FROM_OTHER_TARGETS, 1);
        }
        if let Some(error) = &event.error {
            let kind = serde_json::to_value(error.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
            self.count(&target, &format!("error {}", kind.unwrap_or_default()), 1);
        }
        Ok(event)
    }

    /// Gives the query's number, where it is kept in `asked`.
    fn fold_query(&mut self, query: &Query, event: &Event, record: &Record) -> Result<Option<i64>, LedgerError> {
        let target = &query.target;
        if query.step > self.last_step {
            self.last_step = query.step;
            self.count(target, "steps", 1);
        }
        let hit = record.view::<Hit>(field::HIT).ok().flatten();
        self.is_step_open = hit.as_ref().is_some_and(|hit| !hit.last);
        self.count(target, "calls", hit.as_ref().map_or(0, |hit| hit.calls as i64));
        let asked = self.fold_asked(query, hit.as_ref(), event).map_err(|e| self.statistics.named(e))?;
        let learned = self.learners.fold(&self.statistics, query, hit.as_ref(), event);
        learned.map_err(|e| self.statistics.named(e))?;
        let folded = self.baselines.fold(&self.statistics, query, hit.as_ref(), event, record);
        folded.map_err(|e| self.statistics.named(e))?;
        if !event.is_unanswered() {
            self.count_query(query)?;
        }
        match event.outcome {
            Some(Outcome::Empty) => self.count(target, "empty", 1),
            Some(Outcome::Exhausted) => self.count(target, "exhausted", 1),
            _ => {}
        }
        let state = match event.outcome {
            // A query that did not select from a ranking says nothing of where that is.
            _ if query.like.is_some() => "hit",
            Some(Outcome::Empty | Outcome::Exhausted) => "nothing",
            _ if event.is_unanswered() => "error",
            _ => "hit",
        };
        // A probe is no part of the walk down a ranking.
        if !asked::is_probe(query) {
            self.recovery.insert(target.clone(), (query.offset.unwrap_or_default(), state));
        }
        Ok(asked)
    }

    /// Gives the query's number in `asked`.
    fn fold_asked(&mut self, query: &Query, hit: Option<&Hit>, event: &Event) -> rusqlite::Result<Option<i64>> {
        if !AskedQueries::is_of(query) {
            return Ok(None);
        }
        let known = self.counter.documents(&self.statistics, &query.target)?;
        self.asked.fold(&self.statistics, query, hit, event, known)
    }

    /// Counts a query unless it was sent before.
    fn count_query(&mut self, query: &Query) -> Result<(), LedgerError> {
        let id = match &query.like {
            _ if !query.id.is_empty() => query.id.clone(),
            Some(url) => like_id(url),
            None => query_id(&query.include, &query.exclude),
        };
        let is_known = || {
            let mut known = self.statistics.db.prepare_cached("SELECT 1 FROM query WHERE id = ?1")?;
            known.exists([&id])
        };
        if self.queries.contains(&id) || is_known().map_err(|e| self.statistics.named(e))? {
            return Ok(());
        }
        self.count(&query.target, "queries", 1);
        self.queries.insert(id.clone());
        self.new_queries.push((id, query.target.clone()));
        Ok(())
    }

    fn count(&mut self, target: &str, name: &str, more: i64) {
        if more != 0 {
            let key = (target.to_owned(), name.to_owned());
            self.changed_tallies.insert(key.clone());
            let count = self.tallies.entry(key).or_default();
            *count = count.saturating_add(more);
        }
    }

    fn write_statistics(&mut self) -> Result<(), LedgerError> {
        self.write_statistics_at(None)
    }

    /// Writes all that was counted in one transaction, with the place in the journal that it reaches to.
    fn write_statistics_at(&mut self, folded: Option<u64>) -> Result<(), LedgerError> {
        let folded = match &self.journal {
            Some(journal) => {
                let end = folded.unwrap_or(journal.length());
                Some((end, marks(journal, end)?))
            }
            None => None,
        };
        let written = self.write_in_transaction(folded);
        written.map_err(|e| {
            self.statistics.db.roll_back();
            self.statistics.named(e)
        })?;
        self.changed_tallies.clear();
        self.new_queries.clear();
        self.queries.clear();
        self.recovery.clear();
        self.is_changed = false;
        Ok(())
    }

    fn write_in_transaction(&mut self, folded: Option<(u64, [String; 2])>) -> rusqlite::Result<()> {
        let to = &self.statistics;
        to.db.begin()?;
        self.counter.write(to)?;
        self.asked.write(to)?;
        self.learners.write(to)?;
        self.baselines.write(to)?;
        let mut tally = to.db.prepare_cached("INSERT OR REPLACE INTO tally VALUES (?1, ?2, ?3)")?;
        for key @ (target, name) in &self.changed_tallies {
            tally.execute((target, name, self.tallies.get(key)))?;
        }
        let mut query = to.db.prepare_cached("INSERT OR IGNORE INTO query VALUES (?1, ?2)")?;
        for (id, target) in &self.new_queries {
            query.execute((id, target))?;
        }
        let mut recovery = to.db.prepare_cached("INSERT OR REPLACE INTO target VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (target, (Offsets { include, exclude, shorter }, state)) in &self.recovery {
            recovery.execute((target, include, exclude, shorter, state))?;
        }
        to.set_meta("last_step", self.last_step)?;
        to.set_meta("step_open", self.is_step_open)?;
        if let Some((bytes, [mark, head])) = folded {
            to.set_meta("journal_bytes", bytes)?;
            to.set_meta("journal_mark", mark)?;
            to.set_meta("journal_head", head)?;
        }
        to.db.commit()
    }
}

pub(crate) fn step_of(record: &Record) -> u64 {
    record.view::<Query>(field::QUERY).ok().flatten().map_or(0, |query| query.step)
}
