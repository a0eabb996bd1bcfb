//! The records of pages that archives keep, ours and others'.

use crate::annotate::ResultWriter;
use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, Messages};
use forage_record::{Record, field};
use forage_warc::{ArchiveReader, ArchivedPage};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What stands for standard input.
const INPUT: &str = "-";

/// Writes the record of each page, as it was when the page was fetched. What is damaged is told of
/// and left out.
pub fn read(
    paths: &[PathBuf],
    args: &Args,
    jobs: usize,
    results: &ResultWriter,
    io: &mut Io,
) -> anyhow::Result<()> {
    let has_input = paths.iter().any(|path| path == Path::new(INPUT));
    let mut archives = Archives {
        reader: ArchiveReader::new(results.max_bytes),
        paths: paths.iter(),
        name: String::new(),
        input: has_input
            .then(|| copy_of_input(io))
            .transpose()
            .context("standard input")?,
        pages: 0,
        damaged: 0,
        strict: args.input.strict,
        messages: io.messages.clone(),
    };
    io.produce_records(jobs, || archives.next(), |kept| record(kept, results))?;
    if archives.damaged > 0 {
        io.fail_check();
    }
    Ok(())
}

/// Standard input in a file of its own, as what comes later refers to what came before; it goes
/// with the process.
fn copy_of_input(io: &Io) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    io.copy_stdin(&mut file)?;
    Ok(file)
}

fn record(kept: ArchivedPage, results: &ResultWriter) -> Record {
    let mut record = Record::new();
    record.set(field::URL, &kept.url);
    results.put_kept(&mut record, kept);
    record
}

struct Archives<'a> {
    reader: ArchiveReader,
    paths: std::slice::Iter<'a, PathBuf>,
    /// A copy of standard input, where that is one.
    input: Option<NamedTempFile>,
    /// The one that is read, and its pages so far.
    name: String,
    pages: u64,
    /// Parts of all that could not be read.
    damaged: u64,
    strict: bool,
    messages: Messages,
}

impl Archives<'_> {
    fn next(&mut self) -> anyhow::Result<Option<ArchivedPage>> {
        loop {
            let page = self.reader.next_page();
            self.tell_damage()?;
            if let Some(mut kept) = page.with_context(|| self.name.clone())? {
                self.pages += 1;
                // A copy has another name, which nobody else knows.
                kept.location.file.clone_from(&self.name);
                return Ok(Some(kept));
            }
            self.tell_others();
            let Some(path) = self.paths.next() else {
                return Ok(None);
            };
            self.open(path)?;
        }
    }

    fn open(&mut self, path: &Path) -> anyhow::Result<()> {
        self.name = path.display().to_string();
        self.pages = 0;
        let copy = self.input.as_ref().filter(|_| path == Path::new(INPUT));
        self.reader
            .open_archive(copy.map_or(path, NamedTempFile::path))
            .with_context(|| self.name.clone())
    }

    fn tell_damage(&mut self) -> anyhow::Result<()> {
        for damage in self.reader.take_damage() {
            anyhow::ensure!(!self.strict, "{}: {damage}", self.name);
            self.messages.warn(format_args!("{}: {damage}", self.name));
            self.damaged += 1;
        }
        Ok(())
    }

    /// Tells what the archive has beside pages. Where it has nothing else, that is not what was
    /// expected of it.
    fn tell_others(&self) {
        let others = self.reader.other_record_counts();
        if let Some(count) = others.get("continuation") {
            let told =
                "continuation records were passed over; what they go on with is read without them";
            self.messages
                .warn(format_args!("{}: {count} {told}", self.name));
        }
        let list: Vec<String> = others
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        if list.is_empty() {
            return;
        }
        let list = list.join(", ");
        if self.pages == 0 {
            self.messages.warn(format_args!(
                "{}: no pages, but records of other types: {list}",
                self.name
            ));
        } else {
            self.messages.debug(format_args!(
                "{}: {} pages; other records: {list}",
                self.name, self.pages
            ));
        }
    }
}
