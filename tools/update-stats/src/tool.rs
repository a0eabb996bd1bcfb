//! update-stats: count finished records into the term statistics and the journal.

use crate::args::Args;
use crate::run_messages::{format_event, format_figures, tally_outcome};
use crate::{count_initial_documents, read_initial_documents};
use anyhow::Context;
use forage_cli::{
    CommitOrder, Io, Messages, Output, Stage, Tool, UsedRecords, format_count, why_no_document,
};
use forage_query::{
    Statistics, StatisticsError, build_report, merge_statistics, open_ledger, rebuild_if_earlier,
    rebuild_ledger, turn_on_ascii_folding,
};
use forage_record::{BadField, Dedup, ErrorKind, Hit, Query, Record, Step, field};
use forage_run::{Event, Ledger, TakenDownList, tombstone};
use forage_state::check_file;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    #[cfg(feature = "pages")]
    {
        if args.read_pdf {
            return read_pdf(io);
        }
        // Without the path of this program, PDFs are read in this process.
        if let Ok(program) = std::env::current_exe() {
            forage_page::set_pdf_reader(vec![program.into(), "--read-pdf".into()]);
        }
    }
    if let (Some(stats), [_, ..]) = (&args.stats, &*args.merge) {
        return merge(stats, &args.merge, &io.messages);
    }
    let initial = read_initial_documents(&args.init, args.seed_rounds())?;
    match &args.stats {
        Some(stats) => update_statistics(stats, &initial, &args, io),
        None => {
            initial
                .iter()
                .for_each(|record| io.out.write_record(record));
            Ok(())
        }
    }
}

/// Merges statistics.
fn merge(stats: &Path, files: &[PathBuf], messages: &Messages) -> anyhow::Result<()> {
    let merged = merge_statistics(stats, files)?;
    messages.info(format_args!(
        "{}: {}, without {} that several files have; the run history (queries, steps, rewards) is \
         left out",
        stats.display(),
        format_count(merged.documents, "document"),
        merged.shared
    ));
    Ok(())
}

/// Counts records, or reports on what was counted.
fn update_statistics(
    stats: &Path,
    initial: &[Record],
    args: &Args,
    io: &mut Io,
) -> anyhow::Result<()> {
    if args.report && args.journal.is_none() && args.rebuild.is_none() && args.init.is_empty() {
        let statistics = Statistics::open_read_only(stats)?;
        return write_report(&statistics, args.target.as_deref(), io);
    }
    check_input(args)?;
    if args.next_step {
        // A run starts: its steps read only a part of the file.
        check_file(stats)?;
    }
    let mut ledger = match &args.rebuild {
        Some(journal) => rebuild(stats, journal, args.counting.ascii_folding, io)?,
        None => {
            if args.counting.ascii_folding {
                turn_on_ascii_folding(stats)?;
            }
            // The number after the last one removes no complete step, but the incomplete step of a
            // killed run.
            let from_step = args.from_step.or(args.next_step.then_some(u64::MAX));
            open_or_rebuild(
                stats,
                args.journal.as_deref(),
                from_step,
                args.counting.ascii_folding,
                io,
            )?
        }
    };
    count_initial_documents(initial, &mut ledger)?;
    if args.next_step {
        write_tally(&ledger, "none", &mut io.out);
    } else if args.report {
        let statistics = Statistics::from_ledger(&ledger);
        write_report(&statistics, args.target.as_deref(), io)?;
    } else if args.init.is_empty() && args.rebuild.is_none() {
        return count_input(ledger, args, io);
    }
    if args.from_step.is_none() {
        ledger.merge_wal()?;
    }
    Ok(())
}

/// Writes the text of the PDF on standard input, as the sandboxed subprocess of this program.
#[cfg(feature = "pages")]
fn read_pdf(io: &mut Io) -> anyhow::Result<()> {
    let mut body = Vec::new();
    io.copy_stdin(&mut body).context("standard input")?;
    io.out.write_line(&forage_page::read_pdf(&body)?);
    Ok(())
}

/// Checks that the input is not the journal: the records that are appended would be read again.
fn check_input(args: &Args) -> anyhow::Result<()> {
    let journal = args.journal.as_deref();
    match journal.and_then(|journal| args.input.find_file(journal)) {
        Some(name) => anyhow::bail!(
            "{name}: the input is also the journal; to count a journal again, give --rebuild"
        ),
        None => Ok(()),
    }
}

/// Counts the records of the input.
fn count_input(ledger: Ledger, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut stage = CountingStage {
        ledger,
        step_records: Vec::new(),
        last_outcome: "none".into(),
        taken_down: TakenDownList::beside(args.journal.as_deref())?,
        used: UsedRecords::default(),
        messages: io.messages.clone(),
        args,
    };
    let counted = io.run_stage(&args.input, &mut stage);
    // The WAL is merged even if the output failed: all that was committed before is complete. The
    // error of the output is then reported.
    let merged = if args.from_step.is_some() {
        Ok(())
    } else {
        stage.ledger.merge_wal()
    };
    counted?;
    Ok(merged?)
}

/// Opens the statistics and the journal. Rebuilds statistics with terms of an earlier segmentation
/// version from the journal, so that a run can be continued after an update of the tools.
fn open_or_rebuild(
    stats: &Path,
    journal: Option<&Path>,
    from_step: Option<u64>,
    ascii_folding: bool,
    io: &Io,
) -> anyhow::Result<Ledger> {
    let open = || open_ledger(stats, journal, from_step);
    let ledger = open();
    if let (Err(StatisticsError::OtherSegmentation { .. }), Some(journal)) = (&ledger, journal)
        && let Some(version) = rebuild_if_earlier(stats, journal, ascii_folding)?
    {
        io.messages.warn(format_args!(
            "{}: had terms of segmentation version {version}; rebuilt from {}",
            stats.display(),
            journal.display()
        ));
        return Ok(open()?);
    }
    Ok(ledger?)
}

/// Rebuilds the statistics from a journal. Reports an incomplete last line.
fn rebuild(
    stats: &Path,
    journal: &Path,
    ascii_folding: bool,
    io: &mut Io,
) -> anyhow::Result<Ledger> {
    let ledger = rebuild_ledger(stats, journal, ascii_folding)?;
    if let Some(offset) = ledger.incomplete_line_offset() {
        io.report_skipped(format_args!(
            "{}: byte {offset}: the last line is incomplete",
            journal.display()
        ));
    }
    Ok(ledger)
}

/// Writes the report of `--report`. `targets` are separated by commas.
fn write_report(statistics: &Statistics, targets: Option<&str>, io: &mut Io) -> anyhow::Result<()> {
    let extra_targets: Vec<String> = targets
        .into_iter()
        .flat_map(|targets| targets.split(','))
        .map(str::to_owned)
        .collect();
    let report = build_report(statistics, &extra_targets)?;
    io.out
        .write_line(&serde_json::to_string(&report).context("the report")?);
    if io.messages.is_verbose() {
        for (target, figures) in &report.targets {
            for line in format_figures(target, figures) {
                io.messages.info_unprefixed(line);
            }
        }
    }
    Ok(())
}

/// Writes the line of `--tally`: number of the next step, documents, calls, last outcome, relevant
/// documents, documents and words in the corpora of the targets, attempts of query recovery.
fn write_tally(ledger: &Ledger, last_outcome: &str, out: &mut Output) {
    let documents = ledger.totals().total("documents");
    let calls = ledger.totals().total("calls");
    let relevant = ledger.totals().total("relevant");
    let next_step = ledger.next_step();
    let (collected, words) = ledger.totals().corpus_size();
    let attempts = ledger.totals().total("attempts");
    out.write_line(&format!(
        "{next_step} {documents} {calls} {last_outcome} {relevant} {collected} {words} {attempts}"
    ));
}

/// Counts records and passes them on.
struct CountingStage<'a> {
    ledger: Ledger,
    /// With `--from-step`: the records of a step whose last record is still missing.
    step_records: Vec<Record>,
    /// The outcome of the last record, for `--tally`.
    last_outcome: String,
    /// Documents that never come back into the journal.
    taken_down: TakenDownList,
    used: UsedRecords,
    messages: Messages,
    args: &'a Args,
}

impl CountingStage<'_> {
    fn count_record(&mut self, record: &mut Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(bad_field) = check_fields(record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, bad_field);
        }
        if !self.taken_down.entries().is_empty() && !record.has_field(field::TAKEN_DOWN) {
            let event = Event::from_record(record);
            if let Some(entry) = self.taken_down.find(&event) {
                *record = tombstone(&event, entry);
            }
        }
        let event = self.ledger.apply(record)?;
        // A new error is reported with its message.
        if record.new_error().is_none() {
            let is_unlabelled = event.is_document && event.label.is_none();
            let cause = why_no_document(record);
            self.used
                .count(cause.or(is_unlabelled.then_some("without `label`")));
        }
        if self.messages.is_verbose()
            && let Some(query) = &event.query
        {
            self.messages
                .info_unprefixed(format_event(query, &event, self.ledger.totals()));
        }
        if self.args.tally {
            self.last_outcome = tally_outcome(&event);
        } else {
            out.write_record(record);
        }
        Ok(())
    }
}

/// Checks the types of the fields that records are counted by.
fn check_fields(record: &Record) -> Result<(), BadField> {
    record.text()?;
    record.view::<Step>(field::STEP)?;
    record.view::<Query>(field::QUERY)?;
    record.view::<Hit>(field::HIT)?;
    record.view::<Dedup>(field::DEDUP)?;
    if record.scalar(field::LABEL).is_none() {
        record.string(field::LABEL)?;
    }
    Ok(())
}

impl Stage for CountingStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if self.args.from_step.is_none() {
            self.count_record(&mut record, out)?;
        } else {
            let is_last = record
                .view::<Step>(field::STEP)
                .is_ok_and(|step| step.is_some_and(|step| step.is_last()));
            self.step_records.push(record);
            if is_last {
                for mut record in std::mem::take(&mut self.step_records) {
                    self.count_record(&mut record, out)?;
                }
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.ledger.commit()?)
    }

    /// Counts are kept in memory until they fill it, because a row of the statistics costs the same
    /// whether one document or thousands have changed it. The journal has the records meanwhile.
    fn commit_in_between(&mut self) -> anyhow::Result<()> {
        if self.is_full() || self.commit_order() == CommitOrder::BeforeOutput {
            return self.commit();
        }
        Ok(self.ledger.commit_journal()?)
    }

    /// Commits before the output if the step of a pipeline is repeated after a failure, and for a
    /// tally, which reports what the statistics contain.
    fn commit_order(&self) -> CommitOrder {
        if self.args.from_step.is_some() || self.args.tally {
            CommitOrder::BeforeOutput
        } else {
            CommitOrder::AfterOutput
        }
    }

    fn is_full(&self) -> bool {
        self.ledger.is_full()
    }

    fn finish(&mut self, out: &mut Output) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.step_records.is_empty(),
            "the input ended before the last record of its step (`step.last`); \
             the step was not counted"
        );
        if self.args.tally {
            write_tally(&self.ledger, &self.last_outcome, out);
        }
        self.used.report("counted", &self.messages);
        Ok(())
    }
}
