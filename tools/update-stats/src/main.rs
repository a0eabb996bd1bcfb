//! update-stats: count finished records into the term statistics and the journal.

mod args;
mod initial;
mod tell;

use anyhow::Context;
use args::Args;
use forage_cli::{CommitOrder, Io, Messages, Output, Stage, Tool};
use forage_query::{Statistics, build_report, open_ledger, rebuild_ledger};
use forage_record::{BadField, Dedup, ErrorKind, Hit, Query, Record, Step, field};
use forage_run::Ledger;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let stats = &args.stats;
    if args.report && args.journal.is_none() && args.rebuild.is_none() && args.init.is_empty() {
        return write_report(
            &Statistics::open_read_only(stats)?,
            args.target.as_deref(),
            io,
        );
    }
    let mut ledger = match &args.rebuild {
        Some(journal) => rebuild(stats, journal, io)?,
        // What was going on when a run was killed is of no use to the next step.
        None => {
            let from_step = args.from_step.or(args.next_step.then_some(u64::MAX));
            open_ledger(stats, args.journal.as_deref(), from_step)?
        }
    };
    initial::count(&args.init, &mut ledger)?;
    if args.next_step {
        write_tally(&ledger, "none", &mut io.out);
    } else if args.report {
        write_report(
            &Statistics::from_ledger(&ledger),
            args.target.as_deref(),
            io,
        )?;
    } else if args.init.is_empty() && args.rebuild.is_none() {
        return count(ledger, &args, io);
    }
    if args.from_step.is_none() {
        ledger.merge_wal()?;
    }
    Ok(())
}

/// Counts the records of the input.
fn count(ledger: Ledger, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut counting = Counting {
        ledger,
        step: Vec::new(),
        last: "none".into(),
        messages: io.messages.clone(),
        args,
    };
    let counted = io.run_stage(&args.input, &mut counting);
    // Also where the output broke off, which is then what is reported: what was committed before is
    // complete.
    let settled = if args.from_step.is_some() {
        Ok(())
    } else {
        counting.ledger.merge_wal()
    };
    counted?;
    Ok(settled?)
}

/// Makes the statistics anew, and says so where the journal's last line is not whole.
fn rebuild(stats: &Path, journal: &Path, io: &mut Io) -> anyhow::Result<Ledger> {
    let ledger = rebuild_ledger(stats, journal)?;
    if let Some(at) = ledger.incomplete_line_offset() {
        io.report_skipped(format_args!(
            "{}: byte {at}: the last line is not whole",
            journal.display()
        ));
    }
    Ok(ledger)
}

fn write_report(from: &Statistics, targets: Option<&str>, io: &mut Io) -> anyhow::Result<()> {
    let named = targets
        .into_iter()
        .flat_map(|all| all.split(','))
        .map(str::to_owned);
    let report = build_report(from, &named.collect::<Vec<_>>())?;
    io.out
        .write_line(&serde_json::to_string(&report).context("the report")?);
    if io.messages.is_verbose() {
        for (target, figures) in &report.targets {
            tell::figures(target, figures)
                .iter()
                .for_each(|line| io.messages.info_unprefixed(line));
        }
    }
    Ok(())
}

/// For a pipeline: the number of the next step, documents, calls, and what came last.
fn write_tally(ledger: &Ledger, last: &str, out: &mut Output) {
    let (documents, calls) = (
        ledger.totals().total("documents"),
        ledger.totals().total("calls"),
    );
    out.write_line(&format!(
        "{} {documents} {calls} {last}",
        ledger.next_step()
    ));
}

/// Passes records on after counting them.
struct Counting<'a> {
    ledger: Ledger,
    /// With `--from-step`: records of a step whose last one has not come.
    step: Vec<Record>,
    /// What came last.
    last: String,
    messages: Messages,
    args: &'a Args,
}

impl Counting<'_> {
    fn count(&mut self, record: &mut Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(bad) = check(record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, bad);
        }
        let event = self.ledger.apply(record)?;
        if self.messages.is_verbose()
            && let Some(query) = &event.query
        {
            self.messages
                .info_unprefixed(tell::line(query, &event, self.ledger.totals()));
        }
        if self.args.tally {
            self.last = tell::outcome(&event);
        } else {
            out.write_record(record);
        }
        Ok(())
    }
}

/// Whether the fields that are counted by are what they should be.
fn check(record: &Record) -> Result<(), BadField> {
    record.text()?;
    record.string(field::LABEL)?;
    record.view::<Step>(field::STEP)?;
    record.view::<Query>(field::QUERY)?;
    record.view::<Hit>(field::HIT)?;
    record.view::<Dedup>(field::DEDUP)?;
    Ok(())
}

impl Stage for Counting<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if self.args.from_step.is_none() {
            self.count(&mut record, out)?;
        } else {
            let is_last = record
                .view::<Step>(field::STEP)
                .is_ok_and(|step| step.is_some_and(|step| step.is_last()));
            self.step.push(record);
            if is_last {
                for mut record in std::mem::take(&mut self.step) {
                    self.count(&mut record, out)?;
                }
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.ledger.commit()?)
    }

    /// A step of a pipeline is repeated when it breaks off; and a tally says what the statistics
    /// hold.
    fn commit_order(&self) -> CommitOrder {
        match self.args.from_step.is_some() || self.args.tally {
            true => CommitOrder::BeforeOutput,
            false => CommitOrder::AfterOutput,
        }
    }

    fn is_full(&self) -> bool {
        self.ledger.is_full()
    }

    fn finish(&mut self, out: &mut Output) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.step.is_empty(),
            "the input ended before the last record of its step (`step.last`); the step was not taken"
        );
        if self.args.tally {
            write_tally(&self.ledger, &self.last, out);
        }
        Ok(())
    }
}
