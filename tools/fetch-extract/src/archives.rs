//! The records of archived pages (`--from-warc`), from archives of this tool and of others.

use crate::annotate::ResultWriter;
use crate::args::Args;
use crate::resume::EarlierOutput;
use anyhow::Context;
use forage_cli::{Input, Io, ItemSource, Messages, OnPause, format_count};
use forage_http::page_url::strip_credentials;
use forage_record::{Record, field};
use forage_warc::{ArchiveReader, ArchivedPage, RecordDefects};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The path that stands for standard input.
const STDIN_PATH: &str = "-";

/// Writes the record of each archived page, as of the time when it was fetched. Reports damaged
/// parts and skips them, and reports archives that cannot be read and reads the others.
///
/// # Errors
/// Fails if no archive can be read, or with --strict one cannot.
pub fn write_records(
    input: &Input,
    args: &Args,
    jobs: usize,
    results: &ResultWriter,
    io: &mut Io,
) -> anyhow::Result<()> {
    let paths = &input.files;
    let earlier_output = EarlierOutput::from_option(args.resume.as_deref(), io)?;
    let reads_stdin = paths.iter().any(|path| path == Path::new(STDIN_PATH));
    let archives = Archives {
        reader: ArchiveReader::new(results.max_bytes).with_archives(paths.clone()),
        paths: paths.clone().into_iter(),
        earlier_output,
        name: String::new(),
        stdin_copy: reads_stdin
            .then(|| copy_stdin_to_file(io))
            .transpose()
            .context("standard input")?,
        bytes_before: 0,
        bytes: 0,
        bytes_read: 0,
        pages: 0,
        had_damage: false,
        damaged_parts: 0,
        failures: 0,
        stops_at_failure: input.strict || paths.len() == 1,
        strict: input.strict,
        messages: io.messages.clone(),
    };
    let archives = io.produce_records(input, archives, jobs, |page| new_record(page, results))?;
    let (failures, is_incomplete) = (archives.failures, archives.damaged_parts > 0);
    if failures > 0 {
        anyhow::ensure!(failures < paths.len(), "no archive could be read");
        io.messages.warn(format_args!(
            "{failures} of {} not read to the end",
            format_count(paths.len() as u64, "archive")
        ));
    }
    if failures > 0 || is_incomplete {
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
struct Archives {
    reader: ArchiveReader,
    paths: std::vec::IntoIter<PathBuf>,
    /// The records that need not be written again.
    earlier_output: EarlierOutput,
    /// A copy of standard input, if it is one of the archives.
    stdin_copy: Option<NamedTempFile>,
    /// Name of the current archive.
    name: String,
    /// Bytes of the archives before the current one.
    bytes_before: u64,
    /// Size of the current archive in bytes.
    bytes: u64,
    /// Bytes of all archives that were read so far.
    bytes_read: u64,
    /// Pages read from the current archive.
    pages: u64,
    /// True if the current archive has a damaged part.
    had_damage: bool,
    /// Unreadable parts of all archives so far.
    damaged_parts: u64,
    /// Archives so far that could not be read to the end.
    failures: usize,
    stops_at_failure: bool,
    strict: bool,
    messages: Messages,
}

impl ItemSource for Archives {
    type Item = ArchivedPage;

    fn next_item(&mut self, _: &mut OnPause<'_>) -> anyhow::Result<Option<ArchivedPage>> {
        loop {
            match self.next_page()? {
                Some(page) if self.earlier_output.match_url(&page.url) => {}
                next => return Ok(next),
            }
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }
}

impl Archives {
    fn next_page(&mut self) -> anyhow::Result<Option<ArchivedPage>> {
        loop {
            let page = self.reader.next_page();
            self.report_damage()?;
            self.report_wrong_lengths();
            let has_defect = self.reader.record_defects() != RecordDefects::default();
            anyhow::ensure!(
                !(self.strict && has_defect),
                "{}: a record is not as long as it states, or is cut",
                self.name
            );
            match page {
                Ok(Some(mut archived)) => {
                    self.pages += 1;
                    self.bytes_read = self.bytes_before + archived.location.offset;
                    // The name of the copy of standard input means nothing outside this process.
                    archived.location.file.clone_from(&self.name);
                    return Ok(Some(archived));
                }
                Ok(None) => self.report_archive()?,
                Err(e) => self.report_failure(e)?,
            }
            let Some(path) = self.paths.next() else {
                self.bytes_read = self.bytes_before + self.bytes;
                return Ok(None);
            };
            if let Err(e) = self.open_archive(&path) {
                self.report_failure(e)?;
            }
        }
    }

    fn open_archive(&mut self, path: &Path) -> std::io::Result<()> {
        self.name = path.display().to_string();
        self.pages = 0;
        self.had_damage = false;
        let copy = self
            .stdin_copy
            .as_ref()
            .filter(|_| path == Path::new(STDIN_PATH));
        let path = copy.map_or(path, NamedTempFile::path);
        self.bytes_before += std::mem::replace(&mut self.bytes, path.metadata()?.len());
        self.bytes_read = self.bytes_before;
        self.reader.open_archive(path)
    }

    /// Reports that the current archive cannot be read any further.
    ///
    /// # Errors
    /// Fails if there is no other archive, or with --strict.
    fn report_failure(&mut self, e: std::io::Error) -> anyhow::Result<()> {
        self.reader.close_archive();
        if self.stops_at_failure {
            return Err(e).with_context(|| self.name.clone());
        }
        self.messages.error(format_args!("{}: {e}", self.name));
        self.name.clear();
        self.failures += 1;
        Ok(())
    }

    /// Reports what was not read of an archive, at its end.
    fn report_archive(&mut self) -> anyhow::Result<()> {
        if self.name.is_empty() {
            return Ok(());
        }
        self.report_other_records();
        self.report_unreadable_records()?;
        self.report_defects();
        let has_records = self.pages > 0
            || self.had_damage
            || !self.reader.other_record_counts().is_empty()
            || !self.reader.unreadable_record_counts().is_empty();
        if !has_records {
            self.warn("is empty: it has no records");
        }
        Ok(())
    }

    fn warn(&self, message: impl Display) {
        self.messages.warn(format_args!("{}: {message}", self.name));
    }

    fn report_damage(&mut self) -> anyhow::Result<()> {
        for damage in self.reader.take_damage() {
            anyhow::ensure!(!self.strict, "{}: {damage}", self.name);
            self.warn(damage);
            self.damaged_parts += 1;
            self.had_damage = true;
        }
        Ok(())
    }

    /// Names the records with a wrong length, of which there may be many, with -v.
    fn report_wrong_lengths(&mut self) {
        for offset in self.reader.take_wrong_lengths() {
            self.messages.debug(format_args!(
                "{}: the record at byte {offset} is not as long as stated",
                self.name
            ));
        }
    }

    /// Reports the records that may be pages and cannot be read, by cause.
    fn report_unreadable_records(&mut self) -> anyhow::Result<()> {
        let counts = self.reader.unreadable_record_counts();
        let records = counts.values().sum::<u64>();
        if records == 0 {
            return Ok(());
        }
        let causes: Vec<String> = counts
            .iter()
            .map(|(cause, count)| format!("{count} {cause}"))
            .collect();
        let message = format!(
            "{}: {} not read: {}",
            self.name,
            format_count(records, "record"),
            causes.join(", ")
        );
        anyhow::ensure!(!self.strict, message);
        self.messages.warn(message);
        self.damaged_parts += records;
        Ok(())
    }

    /// Reports the records that are not as they state. They were read, those with a wrong length up
    /// to the next record, so that nothing of these is lost.
    fn report_defects(&mut self) {
        let RecordDefects { wrong_lengths, cut } = self.reader.record_defects();
        if wrong_lengths > 0 {
            let records = format_count(wrong_lengths, "record");
            self.warn(format_args!(
                "{records} not as long as stated; read up to the next record"
            ));
        }
        if cut > 0 {
            let records = format_count(cut, "record");
            self.warn(format_args!("{records} cut; read as far as it goes"));
            self.damaged_parts += cut;
        }
    }

    /// Reports the records that are not pages: a warning if the archive has no others, and for
    /// continuation records.
    fn report_other_records(&self) {
        let others = self.reader.other_record_counts();
        if let Some(&count) = others.get("continuation") {
            let records = format_count(count, "continuation record");
            self.warn(format_args!(
                "{records} skipped; the records that they continue are read without them"
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
        let has_page_records = !self.reader.unreadable_record_counts().is_empty();
        if self.pages == 0 && !has_page_records {
            self.warn(format_args!("no pages, but records of other types: {list}"));
        } else {
            self.messages.debug(format_args!(
                "{}: {}; other records: {list}",
                self.name,
                format_count(self.pages, "page")
            ));
        }
    }
}
