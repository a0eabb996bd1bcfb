//! What a kind of pipeline adds to the loop.

use super::{ListedPage, Session};
use crate::run::Run;
use crate::tools::Line;
use crate::totals::Totals;
use anyhow::Result;

/// An engine that a trial asks.
pub struct TriedEngine {
    /// The option that names it.
    pub option: &'static str,
    /// The engine as the user gave it.
    pub given: String,
    /// `search` with the engine.
    pub command: Line,
    /// A word that has hits; none for a common word.
    pub word: Option<String>,
}

/// A kind of pipeline.
pub trait Loop {
    /// Checks and completes the settings, before anything is written.
    fn check(&mut self, run: &mut Run) -> Result<()>;

    /// Writes what a new run needs into its folder.
    fn start(&mut self, run: &mut Run) -> Result<()>;

    /// Sets up what a new and a resumed run have in common, and writes `args`.
    fn set_up(&mut self, run: &mut Run) -> Result<()>;

    /// Describes what the run starts from, for a trial.
    fn describe(&self, run: &Run) -> Result<String>;

    /// The engines that a trial asks, and the commands that ask them.
    fn engines(&self, run: &Run) -> Vec<TriedEngine>;

    /// The command that fetches pages; none if the engines have the texts.
    fn fetch(&self, run: &Run) -> Option<Line>;

    /// Records on which a trial tests the filter of the user; a crawl fetches them from its seeds.
    fn try_pages(&self, session: &Session) -> Result<String> {
        super::read_initial_records(&session.run)
    }

    /// Arguments of the phase `init`, before the initial documents.
    fn init_options(&self, _run: &Run) -> Line {
        Line::new()
    }

    /// Tries the commands of a step, before run.conf is written.
    fn try_step(&self, session: &Session) -> Result<()>;

    /// The classes whose documents are collected; they take turns.
    fn targets(&self, run: &Run) -> Vec<String>;

    /// The number of documents, or of URLs, of the next step.
    fn step_size(&self, run: &Run, totals: &Totals) -> u64;

    /// Whether the filter has a state file, which is told the step.
    fn has_stateful_filter(&self) -> bool {
        false
    }

    /// When the filter learns.
    fn schedule(&mut self) -> Option<&mut Schedule> {
        None
    }

    /// A message before the filter learns.
    fn learning_message(&self, _totals: &Totals) -> Option<String> {
        None
    }

    /// Uses the profiles that the filter has learned.
    fn use_profiles(&mut self, _run: &Run, _profiles: Vec<String>, _is_final: bool) -> Result<()> {
        Ok(())
    }

    /// Whether the filter learns once more for the corpus.
    fn learns_finally(&self) -> bool {
        false
    }

    /// The command that asks the engine, without the options of a step; none for a crawl.
    fn engine(&self) -> Option<Line>;

    /// The number of URLs that a crawl has fetched so far.
    fn count_pages(&self, _run: &Run) -> Result<u64> {
        Ok(0)
    }

    /// The pages that each site of the run lists.
    fn list_pages(&self, _run: &Run) -> Result<Vec<Vec<ListedPage>>> {
        Ok(Vec::new())
    }

    /// What may bring more when no query is left.
    fn advice(&self, run: &Run) -> String;

    /// Reports what the user may want to know at the end.
    fn report_end(&self, _run: &Run, _totals: &Totals) {}
}

/// When a filter learns from the documents of the run.
pub enum Schedule {
    /// Whenever the number of documents has doubled, from this number.
    Doubling(u64),
    /// After every so many relevant documents; the second number is the next one.
    Every(u64, u64),
}

impl Schedule {
    /// Returns whether the filter learns now.
    pub fn is_due(&self, totals: &Totals) -> bool {
        match self {
            Schedule::Doubling(next) => totals.docs >= *next,
            Schedule::Every(_, next) => totals.relevant >= *next,
        }
    }

    /// Sets when the filter learns the next time.
    pub fn advance(&mut self, totals: &Totals) {
        match self {
            Schedule::Doubling(next) => {
                while totals.docs >= *next && *next < u64::MAX {
                    *next = next.saturating_mul(2);
                }
            }
            Schedule::Every(interval, next) => {
                *next = (totals.relevant / *interval + 1).saturating_mul(*interval);
            }
        }
    }
}
