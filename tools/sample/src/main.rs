//! sample: draw documents for people to judge, and pass on what their judgements accept.

mod args;

use anyhow::Context;
use args::Args;
use forage_cli::{Input, Io, SecondPass, UsedRecords, format_count, why_no_document};
use forage_record::{Sample, field};
use forage_review::{
    AcceptanceRule, ChosenRecord, DocumentKey, Group, Judgements, Population, ReviewReport,
    SampleShares,
};
use forage_run::Event;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let judgements = args
        .judgements
        .as_deref()
        .map(|file| read_judgements(file, io))
        .transpose()?;
    let (population, input) = read_population(&args, io)?;
    match judgements {
        None => write_sample(&args, &population, input, io),
        Some(judgements) => {
            let rule = AcceptanceRule { limit: args.limit };
            warn_of_unjudged(&population, &judgements, io);
            if args.report {
                let report = ReviewReport::new(&population, &judgements, rule);
                io.out.write_line(&serde_json::to_string(&report)?);
                return Ok(());
            }
            let accepted = population.accepted_records(&judgements, rule);
            io.read_second_pass(input, accepted, |record, out| out.write_record(&record))
        }
    }
}

/// Reads the judgements. A malformed line stops the tool, because it may be about any document.
fn read_judgements(file: &Path, io: &mut Io) -> anyhow::Result<Judgements> {
    let mut judgements = Judgements::new();
    let input = Input {
        strict: true,
        ..Input::from_files(vec![file.into()])
    };
    io.for_each_line(&input, |line, _| judgements.add_line(&line))
        .context("--judgements")?;
    Ok(judgements)
}

/// Reads all documents into a population. Returns the input for the second pass.
fn read_population<'a>(
    args: &'a Args,
    io: &mut Io,
) -> anyhow::Result<(Population, SecondPass<'a>)> {
    let mut population = Population::new(args.by.clone());
    let mut used = UsedRecords::default();
    let mut wrong_types = 0;
    let mut example = None;
    let input = io.read_first_pass(&args.input, |number, record| {
        let event = if args.journal {
            Event::from_journal(record)?
        } else {
            Event::from_record(record)
        };
        if args.journal && event.step.is_none() {
            return Ok(());
        }
        used.count(why_no_document(record));
        if let Err(e) = population.add_record(number, &event) {
            wrong_types += 1;
            example.get_or_insert(e);
        }
        Ok(())
    })?;
    used.report("drawn from", &io.messages);
    if let Some(e) = example {
        let records = format_count(wrong_types, "record");
        io.messages.warn(format_args!("{records} left out: {e}"));
    }
    population.keep_last_records();
    warn_if_all_rejected(&population, args, io);
    Ok((population, input))
}

/// Warns if no document has the field of the grouping: nothing can be drawn or accepted.
fn warn_if_all_rejected(population: &Population, args: &Args, io: &Io) {
    if !population.is_empty() && population.group_size(&Group::Rejected) == population.len() as u64
    {
        let field = args.by.field();
        io.messages.warn(format_args!(
            "no document has a value in `{field}`, so all are in the group `rejected`"
        ));
    }
}

fn write_sample(
    args: &Args,
    population: &Population,
    input: SecondPass<'_>,
    io: &mut Io,
) -> anyhow::Result<()> {
    let share = args.share.unwrap_or_default();
    let shares = SampleShares {
        groups: share,
        undoubted: if args.all_groups { share } else { 0.0 },
        rejected: args.rejected.unwrap_or_default(),
    };
    let drawn = population.draw(&shares, args.seed);
    io.messages.debug(format_args!(
        "{} of {} drawn, seed {}",
        drawn.len(),
        format_count(population.len() as u64, "document"),
        args.seed
    ));
    let numbers: Vec<u64> = drawn.iter().map(|chosen| chosen.number).collect();
    let mut drawn = drawn.into_iter();
    io.read_second_pass(input, numbers, |mut record, out| {
        if let Some(ChosenRecord { group, size, .. }) = drawn.next() {
            let sample = Sample {
                id: DocumentKey::identity_of(&Event::from_record(&record)),
                group: group.name().into(),
                size,
                drawn: true,
            };
            record.set(field::SAMPLE, &sample);
            out.write_record(&record);
        }
    })
}

/// Warns of groups that nobody has judged, and of judgements without a document.
fn warn_of_unjudged(population: &Population, judgements: &Judgements, io: &Io) {
    for (group, tally) in population.tallies(judgements) {
        if matches!(group, Group::Judged(_)) && tally.judged == 0 {
            io.messages.warn(format_args!(
                "{}: none of {} is judged, so none is accepted",
                group.name(),
                format_count(tally.documents, "document")
            ));
        }
    }
    let unknown = judgements.len() - population.judged(judgements);
    if unknown > 0 {
        io.messages.warn(format_args!(
            "{} without a document in the input",
            format_count(unknown as u64, "judgement")
        ));
    }
}
