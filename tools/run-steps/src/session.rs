//! The loop: starts or resumes a run, repeats its steps until a limit is reached, and ends it.

mod failures;
mod kind;
mod page_queue;
mod preparation;
mod trial;

pub use kind::{Loop, Schedule, TriedEngine};
pub use page_queue::{ListedPage, host_of};
pub use trial::read_initial_records;

use crate::child::{finish_after_interruption, is_interrupted, is_interrupted_after_failure};
use crate::exit_code::{COULD_NOT_RUN, STOPPED};
use crate::folder::{Folder, remove};
use crate::run::{Outcome, Phase, PhaseOutput, Run};
use crate::tools::{self, Reported};
use crate::totals::{Progress, Totals, reached_limit, resolve_limits};
use anyhow::{Result, bail, ensure};
use forage_run::PENDING_TAKE_DOWN;
use page_queue::PageQueue;
use std::process::ExitCode;

/// The run has to stop, and can be resumed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Stop(pub String);

/// Why a run has ended.
enum End {
    Limit(&'static str),
    /// The next step needs more calls than are left.
    Budget,
    Exhausted,
}

/// A run and its loop.
pub struct Session {
    pub run: Run,
    pub totals: Totals,
    folder: Option<Folder>,
    progress: Progress,
    /// The pages that are asked for besides those of queries.
    queue: PageQueue,
    /// The first step of this session.
    first_step: u64,
    /// Whether the run has begun: from then on, it writes its results when it stops.
    has_begun: bool,
}

/// Runs a pipeline.
///
/// # Errors
/// Fails if the run could not begin.
pub fn run(run: Run, mut kind: Box<dyn Loop>) -> Result<ExitCode> {
    let mut session = Session::new(run);
    let exit = session.prepare(kind.as_mut()).and_then(|exit| match exit {
        Some(exit) => Ok(exit),
        None => session.execute(kind.as_mut()),
    });
    exit.or_else(|error| session.stop(kind.as_mut(), error))
}

/// Derives the state files and the results of a run from its journal again.
///
/// # Errors
/// Fails if the run could not be resumed, or a file cannot be written.
pub fn rebuild(run: Run, mut kind: Box<dyn Loop>) -> Result<()> {
    let mut session = Session::new(run);
    session.prepare(kind.as_mut())?;
    session.read_totals()?;
    if session.totals.step > 0 {
        session.settle(kind.as_ref())?;
        if kind.schedule().is_some() {
            session.learn(kind.as_mut(), false)?;
        }
        session.write_results(kind.as_mut())?;
    }
    remove(&session.run.path(PENDING_TAKE_DOWN));
    Ok(())
}

impl Session {
    fn new(run: Run) -> Session {
        let totals = Totals::default();
        Session {
            run,
            progress: Progress::new(&totals),
            totals,
            folder: None,
            queue: PageQueue::default(),
            first_step: 0,
            has_begun: false,
        }
    }

    /// Executes the steps, and ends the run.
    fn execute(&mut self, kind: &mut dyn Loop) -> Result<ExitCode> {
        self.begin(kind)?;
        self.queue = PageQueue::new(&self.run, kind)?;
        let end = self.repeat_steps(kind);
        self.run.console.show_status("");
        let end = end?;
        if matches!(end, End::Exhausted) {
            failures::check_exhausted(self, kind)?;
        }
        self.write_results(kind)?;
        failures::check_fruits(self, kind, matches!(end, End::Exhausted))?;
        kind.report_end(&self.run, &self.totals);
        self.report_end(kind, &end)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Starts or resumes the run.
    fn begin(&mut self, kind: &mut dyn Loop) -> Result<()> {
        let failure = match self.run.line.is_resumed {
            true => failures::prepare_resumption(self)?,
            false => None,
        };
        match self.totals.step {
            0 => self.initialise(kind)?,
            _ => {
                self.settle(kind)?;
                remove(&self.run.path(PENDING_TAKE_DOWN));
                // What stops it now leaves the results of the steps so far.
                self.has_begun = true;
            }
        }
        if failure.as_deref() == Some("no-hits") {
            failures::repeat_unanswered_steps(self, kind)?;
        }
        if let Some(schedule) = kind.schedule() {
            schedule.advance(&self.totals);
            self.learn(kind, false)?;
        }
        self.totals.pages = kind.count_pages(&self.run)?;
        resolve_limits(&self.totals, &mut self.run.settings);
        self.first_step = self.totals.step;
        self.run.settings.write(&self.run.path("run.conf"))?;
        self.run.needs_trust = self.run.is_refused_without_trust();
        if let Some(folder) = &mut self.folder {
            folder.keep();
        }
        self.progress = Progress::new(&self.totals);
        self.has_begun = true;
        Ok(())
    }

    /// Counts the initial documents, which are the first records of the journal. run.conf is
    /// written later, when all settings have proved to work, so that a run that fails before can be
    /// fixed and started again.
    pub fn initialise(&mut self, kind: &mut dyn Loop) -> Result<()> {
        let mut args = kind.init_options(&self.run);
        for init in self.run.settings.list("init") {
            let (class, file) = init.split_once('=').unwrap_or((init, ""));
            args.extend(["--init".into(), format!("{class}={}", self.run.file(file))]);
        }
        let phase = Phase {
            output: PhaseOutput::Dropped,
            args,
            ..self.phase(kind, "init")
        };
        let outcome = self.run.call(&phase, b"")?;
        ensure!(
            outcome.code != 1,
            "the initial documents cannot be counted: a line is not a record, or has no text"
        );
        ensure_success(&outcome)?;
        self.totals = Totals {
            step: 1,
            ..Totals::default()
        };
        kind.try_step(self)
    }

    /// Makes the state files agree with the journal: rebuilds a file that lacks steps, for example
    /// a copy without its WAL, and removes an incomplete step.
    pub fn settle(&mut self, kind: &dyn Loop) -> Result<()> {
        let phase = Phase {
            output: PhaseOutput::Dropped,
            ..self.phase(kind, "settle")
        };
        ensure_success(&self.run.call(&phase, b"")?)
    }

    /// A call of a function of the script with the variables of this step.
    fn phase(&self, kind: &dyn Loop, name: &'static str) -> Phase {
        let (run, totals) = (&self.run, &self.totals);
        let targets = kind.targets(run);
        let stateful = if kind.has_stateful_filter() { "1" } else { "" };
        let calls_left = totals.left("calls", &run.settings);
        Phase {
            variables: vec![
                ("STEP", totals.step.to_string()),
                ("TARGETS", targets.join(",")),
                ("TARGET", targets.first().cloned().unwrap_or_default()),
                ("DOCS", totals.docs.to_string()),
                ("NEXT", kind.step_size(run, totals).to_string()),
                ("CALLS_LEFT", calls_left.to_string()),
                ("STATEFUL", stateful.into()),
            ],
            name,
            ..Phase::default()
        }
    }

    /// Repairs journal and statistics, and reads the totals.
    pub fn read_totals(&mut self) -> Result<()> {
        let mut stats = self.run.stats();
        stats.push("--next-step".into());
        self.totals.read_tally(&tools::output(&stats)?)
    }

    /// Removes a step and later ones from journal and statistics.
    pub fn remove_steps(&mut self, from: u64) -> Result<()> {
        let mut stats = self.run.stats();
        stats.extend(["--from-step".into(), from.to_string()]);
        tools::output(&stats).map(drop)
    }

    /// The call that writes the query of this step for a target. They take turns by the number of
    /// the step.
    pub fn query_phase(&self, kind: &dyn Loop, turn: usize) -> Phase {
        let targets = kind.targets(&self.run);
        let number = usize::try_from(self.totals.step)
            .unwrap_or_default()
            .saturating_sub(1);
        let target = targets[(number + turn) % targets.len()].clone();
        let mut phase = self.phase(kind, "query");
        phase.variables.push(("TARGET", target));
        phase
    }

    /// Tries the first query, and `search` without one, before a run begins. Messages about an
    /// exhausted target are dropped here; the loop repeats them.
    pub fn try_query(&self, kind: &dyn Loop, search: &[String]) -> Result<()> {
        let (outcome, messages) = self.run.call_silently(&self.query_phase(kind, 0))?;
        if !outcome.is_success() {
            crate::console::print_error_text(&messages);
        }
        ensure_success(&outcome)?;
        tools::output(search).map(drop)
    }

    /// Writes the query of this step; an exhausted target is skipped.
    fn next_query(&self, kind: &dyn Loop) -> Result<Vec<u8>> {
        for turn in 0..kind.targets(&self.run).len() {
            let outcome = self.run.call(&self.query_phase(kind, turn), b"")?;
            self.ensure_complete(&outcome)?;
            if !outcome.output.trim_ascii().is_empty() {
                return Ok(outcome.output);
            }
        }
        Ok(Vec::new())
    }

    fn repeat_steps(&mut self, kind: &mut dyn Loop) -> Result<End> {
        let mut awaits_document = self.totals.docs == 0;
        loop {
            ensure!(!is_interrupted(), Reported);
            let target = kind.targets(&self.run).swap_remove(0);
            let due = self.queue.next_due(&self.totals, &target)?;
            if !due.is_empty() {
                let finished = self.take_step(kind, &due)?;
                failures::check_step(self, finished)?;
                continue;
            }
            if let Some(limit) = reached_limit(&self.totals, &self.run.settings) {
                return Ok(End::Limit(limit));
            }
            let (totals, settings) = (&self.totals, &self.run.settings);
            self.progress
                .show_status(totals, settings, &self.run.console);
            self.learn_if_due(kind)?;
            let count = kind.step_size(&self.run, &self.totals);
            let mut query = self.queue.next_new(count, &self.totals, &target);
            if query.is_empty() {
                query = self.next_query(kind)?;
            }
            if query.is_empty() {
                return Ok(End::Exhausted);
            }
            let finished = self.take_step(kind, &query)?;
            let lines = query
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            self.totals.pages += lines.count() as u64;
            if self.totals.outcome == "budget" {
                // The step is repeated when the run is resumed with more calls.
                self.remove_steps(finished)?;
                return Ok(End::Budget);
            }
            failures::check_step(self, finished)?;
            if awaits_document && self.totals.docs > 0 {
                awaits_document = false;
                if failures::remove_unreached_steps(self, kind, finished)? {
                    self.queue = PageQueue::new(&self.run, kind)?;
                    continue;
                }
            }
            self.progress
                .report(&self.totals, &self.run.settings, &self.run.console);
        }
    }

    /// Takes a step with these records, and returns its number.
    fn take_step(&mut self, kind: &dyn Loop, records: &[u8]) -> Result<u64> {
        let outcome = self.run.call(&self.phase(kind, "step"), records)?;
        self.ensure_complete(&outcome)?;
        let finished = self.totals.step;
        self.totals
            .read_tally(&outcome.text())
            .map_err(|e| Stop(format!("step {finished}: {e}")))?;
        Ok(finished)
    }

    fn learn_if_due(&mut self, kind: &mut dyn Loop) -> Result<()> {
        if let Some(schedule) = kind.schedule()
            && schedule.is_due(&self.totals)
        {
            schedule.advance(&self.totals);
            self.learn(kind, false)?;
        }
        Ok(())
    }

    /// Lets the filter learn, and uses the profiles that the phase `learn` writes.
    fn learn(&mut self, kind: &mut dyn Loop, is_final: bool) -> Result<()> {
        if let Some(message) = kind.learning_message(&self.totals) {
            self.run.console.inform(message);
        }
        let mut phase = self.phase(kind, "learn");
        phase.args.extend(is_final.then(|| "--final".into()));
        let outcome = self.run.call(&phase, b"")?;
        if !outcome.is_success() && self.has_begun && !is_final {
            let message = "the filter could not learn; when the cause is removed, continue with";
            bail!(Stop(format!("{message} {}", self.run.resumption())));
        }
        ensure_success(&outcome)?;
        let profiles = outcome.text().lines().map(str::to_owned).collect();
        kind.use_profiles(&self.run, profiles, is_final)
    }

    /// Fails if a tool has failed, which has printed the cause.
    fn ensure_complete(&self, outcome: &Outcome) -> Result<()> {
        let (step, resumption) = (self.totals.step, self.run.resumption());
        ensure!(
            outcome.is_success(),
            Stop(format!(
                "step {step} is not complete; when the cause is removed, continue with {resumption}"
            ))
        );
        Ok(())
    }

    /// Writes corpus/ and report.json.
    fn write_results(&mut self, kind: &mut dyn Loop) -> Result<()> {
        self.read_totals()?;
        if self.run.refresh.is_some() && self.has_results() {
            return self.settle(kind);
        }
        if kind.learns_finally() && kind.schedule().is_some() {
            self.learn(kind, true)?;
        } else {
            self.learn_if_due(kind)?;
        }
        let outcome = self.run.call(&self.phase(kind, "results"), b"")?;
        ensure_success(&outcome)?;
        // A script may also write the file itself.
        if !outcome.output.is_empty() {
            crate::files::replace(&self.run.path("report.json"), &outcome.output)?;
        }
        self.settle(kind)
    }

    /// Returns whether the results are those of the journal.
    fn has_results(&self) -> bool {
        let changed = |name| {
            self.run
                .path(name)
                .metadata()
                .and_then(|file| file.modified())
        };
        let (report, journal) = (changed("report.json"), changed("journal.jsonl"));
        self.totals.step == self.first_step
            && matches!((report, journal), (Ok(report), Ok(journal)) if report > journal)
    }

    /// Reports why the run has ended, and what goes further.
    fn report_end(&self, kind: &dyn Loop, end: &End) -> Result<()> {
        let resume = format!("continue with {}", self.run.resumption());
        let settings = &self.run.settings;
        let (reason, further) = match end {
            End::Limit(limit) => (
                match self.totals.step > self.first_step {
                    true => format!("--{limit} {} is reached", settings.get(limit)),
                    false => format!(
                        "--{limit} {} was reached before, so that nothing was asked for",
                        settings.get(limit)
                    ),
                },
                format!("{resume} --{limit} N"),
            ),
            End::Budget => (
                format!(
                    "the next step needs more calls than --calls {} leaves",
                    settings.get("calls")
                ),
                format!("{resume} --calls N"),
            ),
            End::Exhausted if self.is_covered(kind)? => (
                match settings.get("until-coverage") {
                    "" => "few documents of the target are estimated to be left".into(),
                    share => format!("--until-coverage {share} is reached"),
                },
                format!("{resume} --until-coverage S"),
            ),
            End::Exhausted if kind.engine().is_none() => (
                format!("{} URLs fetched, no URL is left", self.totals.pages),
                kind.advice(&self.run),
            ),
            End::Exhausted => ("no query is left".into(), kind.advice(&self.run)),
        };
        let duration = self.progress.duration(&self.run.console);
        // A script need not write the page.
        let page = match self.run.path("report.html").exists() {
            true => format!("; report: {}", self.run.file("report.html")),
            false => String::new(),
        };
        self.run
            .console
            .say_timed(format_args!("ended{duration}: {reason}; {further}{page}"));
        Ok(())
    }

    /// Returns whether no query is left because the coverage is reached, which the strategy
    /// reports.
    fn is_covered(&self, kind: &dyn Loop) -> Result<bool> {
        let settings = &self.run.settings;
        if !settings.is_set("until-coverage") && settings.get("learn") != "auto" {
            return Ok(false);
        }
        for turn in 0..kind.targets(&self.run).len() {
            let (_, messages) = self.run.call_silently(&self.query_phase(kind, turn))?;
            if messages.contains("coverage reached") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stops a run that has failed or was interrupted. The reason is the last message.
    fn stop(&mut self, kind: &mut dyn Loop, error: anyhow::Error) -> Result<ExitCode> {
        let resumption = self.run.resumption();
        let is_interrupted = is_interrupted_after_failure();
        if !self.has_begun {
            if is_interrupted && self.folder.is_some() {
                self.run.console.say(if self.run.line.is_resumed {
                    format!("interrupted; continue with {resumption}")
                } else {
                    "interrupted before the first step; start again".into()
                });
            }
            return match is_interrupted {
                true => Ok(exit_code_of_stop(self.run.line.is_resumed)),
                false => Err(error),
            };
        }
        if is_interrupted {
            finish_after_interruption();
            self.run.console.say(format_args!(
                "interrupted; writing the documents collected so far to {}",
                self.run.file("corpus")
            ));
        } else if !error.is::<Stop>() {
            // The results, or a message, could not be written.
            return self.stop_unfinished(&error);
        }
        if let Err(error) = self.write_results(kind) {
            return self.stop_unfinished(&error);
        }
        self.run.console.say_timed(if is_interrupted {
            format!("interrupted; continue with {resumption}")
        } else {
            error.to_string()
        });
        let has_run = is_interrupted || self.totals.docs > 0;
        Ok(exit_code_of_stop(has_run))
    }

    /// Ends a run whose results could not be written.
    fn stop_unfinished(&self, error: &anyhow::Error) -> Result<ExitCode> {
        if let Some(failed) = error.downcast_ref::<failures::Fruitless>() {
            self.run.console.say(failed);
            return Ok(ExitCode::from(1));
        }
        if !error.is::<Reported>() {
            self.run.console.say(format_args!("{error:#}"));
        }
        self.run.console.say(format_args!(
            "stopped; continue with {}, which also writes the results",
            self.run.resumption()
        ));
        Ok(exit_code_of_stop(self.totals.docs > 0))
    }
}

/// Returns the exit code of a run that stopped before its end, by whether it can be called one.
fn exit_code_of_stop(has_run: bool) -> ExitCode {
    ExitCode::from(if has_run { STOPPED } else { COULD_NOT_RUN })
}

/// Fails if a phase has failed, which has printed the cause.
pub fn ensure_success(outcome: &Outcome) -> Result<()> {
    ensure!(outcome.is_success(), Reported);
    Ok(())
}
