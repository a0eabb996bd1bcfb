//! Documents of the shards of a corpus, compared in several processes by `dedup-at-scale`:
//! signatures of a shard, groups of documents, results of signatures, records with results.
//!
//! The number of a document is that of its shard times [`MAX_RECORDS`], plus that of its record in
//! the shard. So the order of numbers is that of the documents.

use crate::args::Args;
use crate::stage::{CheckedDocument, Preparation, is_duplicate};
use anyhow::{Context, bail, ensure};
use forage_cli::{Io, Messages, Output, Stage, Tool, format_count};
use forage_dedup::{DocumentGroups, DuplicateIndex, DuplicateStatus, has_document};
use forage_record::{Dedup, ErrorKind, Record, field};
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;

/// Maximum number of records of a shard, plus one.
const MAX_RECORDS: u64 = 1_000_000_000;
/// Documents that are compared in one transaction, which bounds the WAL.
const COMPARED_PER_COMMIT: u64 = 4096;

/// Does the step of `dedup-at-scale` that the arguments name. Returns `false` if they name none.
///
/// # Errors
/// Fails if the input, the output or the index does.
pub fn run(args: &Args, io: &mut Io) -> anyhow::Result<bool> {
    let shards = &args.shards;
    if let Some(shard) = shards.signatures {
        write_signatures(args, shard, io)?;
    } else if shards.groups {
        write_groups(args, io)?;
    } else if shards.results {
        write_results(args, io)?;
    } else if let Some(path) = &shards.take_results {
        take_results(args, path, io)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Writes a line for each document: its number, its tags, its signature.
fn write_signatures(args: &Args, shard: u64, io: &mut Io) -> anyhow::Result<()> {
    struct Signatures {
        preparation: Preparation,
        /// The number of the last record.
        number: u64,
        last: u64,
    }
    impl Signatures {
        fn write(&mut self, document: CheckedDocument, out: &mut Output) -> anyhow::Result<()> {
            self.number += 1;
            ensure!(self.number < self.last, "the shard has too many records");
            // A field of the wrong type is reported when the record is written.
            if let Ok(Some(document)) = document {
                let tags = document.tags(self.preparation.titles);
                let tags: Vec<String> = tags.iter().map(|tag| format!("{tag:08x}")).collect();
                let (tags, signature) = (tags.join(" "), document.to_signature());
                out.write_line(&format!("{}\t{tags}\t{signature}", self.number));
            }
            Ok(())
        }
    }
    impl Stage for Signatures {
        fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()> {
            let document = self.preparation.prepare(&record);
            self.write(document, out)
        }

        fn commit(&mut self) -> anyhow::Result<()> {
            Ok(())
        }
    }
    let preparation = Preparation {
        comparer: DuplicateIndex::in_memory(args.comparison.threshold)?.comparer(),
        force: args.force,
        titles: args.comparison.titles,
    };
    let first = shard.checked_mul(MAX_RECORDS);
    let (number, last) = first
        .and_then(|first| Some((first, first.checked_add(MAX_RECORDS)?)))
        .context("--signatures: the number is too large")?;
    let mut stage = Signatures {
        preparation,
        number,
        last,
    };
    io.run_prepared_stage(
        &args.input,
        args.jobs.thread_count(),
        &mut stage,
        |record| preparation.prepare(record),
        |stage, _, document, out| stage.write(document, out),
    )
}

/// Connects the documents of consecutive lines with the same key, and writes a line for each
/// document that is connected with another: the first document of its group, and itself. This is
/// input of the same form, which connects the same documents.
fn write_groups(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut groups = DocumentGroups::default();
    let mut last: (Vec<u8>, u64) = (Vec::new(), 0);
    io.for_each_line(&args.input, |line, _| {
        let fields = str::from_utf8(&line).ok();
        let fields = fields.and_then(|line| line.split_once('\t'));
        let (key, number) = fields
            .and_then(|(key, number)| Some((key, number.parse().ok()?)))
            .ok_or("is not a key, a tab and a number")?;
        if last.0 == key.as_bytes() {
            groups.connect(last.1, number);
        } else {
            last = (key.into(), number);
        }
        Ok(())
    })?;
    for (first, number) in groups.into_members() {
        io.out.write_line(&format!("{first}\t{number}"));
        io.out.flush_if_full()?;
    }
    Ok(())
}

/// Compares the documents of signatures in their order, and writes a line for each duplicate: its
/// number and `dedup`.
fn write_results(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut index = crate::open_index(args)?;
    if args.comparison.titles {
        index.compare_titles();
    }
    let comparer = index.comparer();
    let mut documents = 0;
    let mut failed = None;
    let mut input = args.input.clone();
    // A signature has 16 bytes for 3 words, of which each has at least two bytes of text.
    input.max_line = input.max_line.saturating_mul(4);
    io.for_each_line(&input, |line, out| {
        let fields = str::from_utf8(&line).ok();
        let (number, document) = fields
            .and_then(|line| line.split_once('\t'))
            .and_then(|(number, rest)| {
                let number: u64 = number.parse().ok()?;
                Some((number, comparer.read_signature(rest.rsplit('\t').next()?)?))
            })
            .ok_or("is not a signature")?;
        let checked = index.check_and_add_prepared(&document);
        documents += 1;
        let checked = checked.and_then(|status| {
            if documents % COMPARED_PER_COMMIT == 0 {
                index.commit()?;
            }
            Ok(status)
        });
        match checked {
            Ok(DuplicateStatus::New) => {}
            Ok(status) => {
                let mut record = Record::new();
                record.set(field::DEDUP, &Dedup::from(status));
                let dedup = record.raw_json(field::DEDUP).unwrap_or_default();
                out.write_line(&format!("{number}\t{dedup}"));
            }
            Err(error) => failed = failed.take().or(Some(error)),
        }
        Ok(())
    })?;
    failed.map_or(Ok(()), Err)?;
    index.commit()?;
    Ok(index.merge_wal()?)
}

/// Adds `dedup` to records: that of a file, which is in the order of the records, or `new`.
struct TakingStage<'a> {
    args: &'a Args,
    path: &'a Path,
    results: Lines<BufReader<File>>,
    /// The next result: the number of its record in the shard, and `dedup`.
    next: Option<(u64, String)>,
    records: u64,
    dropped: u64,
    messages: Messages,
}

fn take_results(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut stage = TakingStage {
        args,
        path,
        results: BufReader::new(file).lines(),
        next: None,
        records: 0,
        dropped: 0,
        messages: io.messages.clone(),
    };
    stage.read_next()?;
    io.run_stage(&args.input, &mut stage)
}

impl TakingStage<'_> {
    fn read_next(&mut self) -> anyhow::Result<()> {
        let path = || self.path.display().to_string();
        let line = self.results.next().transpose().with_context(path)?;
        self.next = match line {
            None => None,
            Some(line) => {
                let fields = line.split_once('\t');
                let fields = fields.and_then(|(number, dedup)| {
                    let number: u64 = number.parse().ok()?;
                    Some((number % MAX_RECORDS, dedup.to_owned()))
                });
                Some(fields.with_context(|| format!("{}: is not a list of results", path()))?)
            }
        };
        Ok(())
    }
}

impl Stage for TakingStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        self.records += 1;
        let is_checked = match record.should_add(field::DEDUP, self.args.force) {
            true => has_document(&record, self.args.comparison.titles),
            false => Ok(false),
        };
        match (is_checked, self.next.take()) {
            (Ok(true), Some((number, dedup))) if number == self.records => {
                record.set_raw(field::DEDUP, &dedup);
                self.read_next()?;
            }
            (is_checked, next) => {
                self.next = next;
                match is_checked {
                    Ok(true) => record.set(field::DEDUP, &Dedup::from(DuplicateStatus::New)),
                    Ok(false) => {}
                    Err(bad) => record.set_error(Args::NAME, ErrorKind::BadField, bad),
                }
            }
        }
        if self.args.selection.drop && is_duplicate(&record) {
            self.dropped += 1;
        } else {
            out.write_record(&record);
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if let Some((number, _)) = self.next {
            let path = self.path.display();
            bail!("{path}: has a result of record {number}, which is not a document");
        }
        if self.args.selection.drop {
            let records = format_count(self.records, "record");
            self.messages
                .info(format_args!("{} of {records} left out", self.dropped));
        }
        Ok(())
    }
}
