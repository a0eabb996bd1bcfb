//! The records of archived pages (`--from-warc`), from archives of this tool and of others.

use crate::annotate::ResultWriter;
use crate::args::Args;
use anyhow::Context;
use forage_cli::{Io, Messages, format_count};
use forage_http::page_url::strip_credentials;
use forage_record::{Record, field};
use forage_warc::{ArchiveReader, ArchivedPage, RecordDefects};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The path that stands for standard input.
const STDIN_PATH: &str = "-";

/// Writes the record of each archived page, as of the time when it was fetched. Reports damaged
/// parts and skips them.
pub fn write_records(
    paths: &[PathBuf],
    args: &Args,
    jobs: usize,
    results: &ResultWriter,
    io: &mut Io,
) -> anyhow::Result<()> {
    let reads_stdin = paths.iter().any(|path| path == Path::new(STDIN_PATH));
    let mut archives = Archives {
        reader: ArchiveReader::new(results.max_bytes),
        paths: paths.iter(),
        name: String::new(),
        stdin_copy: reads_stdin
            .then(|| copy_stdin_to_file(io))
            .transpose()
            .context("standard input")?,
        pages: 0,
        damaged_parts: 0,
        strict: args.input.strict,
        messages: io.messages.clone(),
    };
    io.produce_records(
        jobs,
        || archives.next_page(),
        |archived| new_record(archived, results),
    )?;
    if archives.damaged_parts > 0 {
        io.fail_check();
    }
    Ok(())
}

/// Copies standard input to a temporary file, since records refer to earlier ones by offset. The
/// file is deleted at the end of the process.
fn copy_stdin_to_file(io: &Io) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    io.copy_stdin(&mut file)?;
    Ok(file)
}

fn new_record(archived: ArchivedPage, results: &ResultWriter) -> anyhow::Result<Record> {
    let mut record = Record::new();
    record.set(field::URL, &strip_credentials(&archived.url));
    results.write_archived_page(&mut record, archived)?;
    Ok(record)
}

/// The archives of the command line, read one after the other.
struct Archives<'a> {
    reader: ArchiveReader,
    paths: std::slice::Iter<'a, PathBuf>,
    /// A copy of standard input, if it is one of the archives.
    stdin_copy: Option<NamedTempFile>,
    /// Name of the current archive.
    name: String,
    /// Pages read from the current archive.
    pages: u64,
    /// Unreadable parts of all archives so far.
    damaged_parts: u64,
    strict: bool,
    messages: Messages,
}

impl Archives<'_> {
    fn next_page(&mut self) -> anyhow::Result<Option<ArchivedPage>> {
        loop {
            let page = self.reader.next_page();
            self.report_damage()?;
            let has_defect = self.reader.record_defects() != RecordDefects::default();
            anyhow::ensure!(
                !(self.strict && has_defect),
                "{}: a record is not as long as it states, or is cut",
                self.name
            );
            if let Some(mut archived) = page.with_context(|| self.name.clone())? {
                self.pages += 1;
                // The name of the copy of standard input means nothing outside this process.
                archived.location.file.clone_from(&self.name);
                return Ok(Some(archived));
            }
            self.report_other_records();
            self.report_defects();
            let Some(path) = self.paths.next() else {
                return Ok(None);
            };
            self.open_archive(path)?;
        }
    }

    fn open_archive(&mut self, path: &Path) -> anyhow::Result<()> {
        self.name = path.display().to_string();
        self.pages = 0;
        let copy = self
            .stdin_copy
            .as_ref()
            .filter(|_| path == Path::new(STDIN_PATH));
        self.reader
            .open_archive(copy.map_or(path, NamedTempFile::path))
            .with_context(|| self.name.clone())
    }

    fn report_damage(&mut self) -> anyhow::Result<()> {
        for damage in self.reader.take_damage() {
            anyhow::ensure!(!self.strict, "{}: {damage}", self.name);
            self.messages.warn(format_args!("{}: {damage}", self.name));
            self.damaged_parts += 1;
        }
        Ok(())
    }

    /// Reports the records that are not as they state. They were read, those with a wrong length up
    /// to the next record, so that nothing of these is lost.
    fn report_defects(&mut self) {
        let RecordDefects { wrong_lengths, cut } = self.reader.record_defects();
        if wrong_lengths > 0 {
            self.messages.warn(format_args!(
                "{}: {} not as long as stated; read up to the next record",
                self.name,
                format_count(wrong_lengths, "record")
            ));
        }
        if cut > 0 {
            self.messages.warn(format_args!(
                "{}: {} cut; read as far as it goes",
                self.name,
                format_count(cut, "record")
            ));
            self.damaged_parts += cut;
        }
    }

    /// Reports the records that are not pages: a warning if the archive has no others, and for
    /// continuation records.
    fn report_other_records(&self) {
        let others = self.reader.other_record_counts();
        if let Some(&count) = others.get("continuation") {
            self.messages.warn(format_args!(
                "{}: {} skipped; the records that they continue are read without them",
                self.name,
                format_count(count, "continuation record")
            ));
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
                "{}: {}; other records: {list}",
                self.name,
                format_count(self.pages, "page")
            ));
        }
    }
}
