//! The output of an interrupted run (`--resume`), so that its records are not processed again.
//!
//! Records leave in the order of the input, each with its `url`, without credentials. So, if a URL
//! occurs n times in the earlier output, the first n records of the input with that URL are done.
//! The same holds for records without a URL. Pages that waited for the page of a slow host before
//! them may be archived but not written yet.

use anyhow::Context;
use forage_cli::{Io, format_count};
use forage_http::page_url::strip_credentials;
use forage_record::time::format_rfc3339;
use forage_record::{Fetch, Record, field};
use forage_warc::{ArchiveWriter, RecoveredPages, RevisitIndex};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The records that an earlier run has written.
#[derive(Debug, Default)]
pub struct EarlierOutput {
    /// Number of records per URL, by its hash, that the input has not repeated yet.
    unmatched: HashMap<[u8; 16], u32>,
    records: u64,
    /// Offsets of their pages in the archive.
    archive_offsets: HashSet<u64>,
    /// Start of the earlier run (RFC 3339 in UTC), if it can be determined.
    started_at: Option<String>,
}

impl EarlierOutput {
    /// Reads the output of an earlier run, if there is one.
    pub fn from_option(path: Option<&Path>, io: &Io) -> anyhow::Result<EarlierOutput> {
        path.map_or_else(
            || Ok(EarlierOutput::default()),
            |path| EarlierOutput::from_file(path, io),
        )
    }

    /// Reads the output of an earlier run, and removes an incomplete line at its end from the file.
    /// If the file does not exist, the output is empty.
    pub fn from_file(path: &Path, io: &Io) -> anyhow::Result<EarlierOutput> {
        let mut output = EarlierOutput::default();
        if !path.exists() {
            io.messages.info(format_args!(
                "{}: does not exist yet; all records will be processed",
                path.display()
            ));
            return Ok(output);
        }
        let name = || path.display().to_string();
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .with_context(name)?;
        // Some file systems do not record the time of creation.
        output.started_at = file
            .metadata()
            .and_then(|data| data.created())
            .ok()
            .map(format_rfc3339);
        output.read_lines(&file).with_context(name)?;
        io.messages.debug(format_args!(
            "{}: {} already written",
            path.display(),
            format_count(output.records, "record")
        ));
        Ok(output)
    }

    /// Returns the pages that the earlier run archived, but whose records it did not write.
    pub fn recover_pages(
        &self,
        archive: &ArchiveWriter,
        max_bytes: u64,
        revisits: &RevisitIndex,
        io: &Io,
    ) -> anyhow::Result<Option<RecoveredPages>> {
        let path = archive.path();
        let Some(started_at) = self.started_at.as_ref() else {
            return Ok(None);
        };
        let recovered = RecoveredPages::from_archive(
            path,
            started_at,
            &self.archive_offsets,
            max_bytes,
            revisits,
        )
        .with_context(|| path.display().to_string())?;
        for damage in recovered.take_damage() {
            io.messages
                .warn(format_args!("{}: {damage}", path.display()));
        }
        io.messages.debug(format_args!(
            "{}: {} archived but not written; not fetched again",
            path.display(),
            format_count(recovered.unwritten_pages(), "page")
        ));
        Ok(Some(recovered))
    }

    fn read_lines(&mut self, mut file: &File) -> anyhow::Result<()> {
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        let mut end = 0;
        loop {
            line.clear();
            let length = lines.read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            let is_complete = line.pop_if(|last| *last == b'\n').is_some();
            // After a power failure, zeros may replace data that was not yet on the disk.
            let is_truncated_record = line.first() == Some(&b'{')
                || (self.records > 0 && line.iter().all(|byte| *byte == 0));
            let number = self.records + 1;
            match Record::parse(std::mem::take(&mut line)) {
                Ok(record) => {
                    anyhow::ensure!(
                        is_output_record(&record),
                        "line {number} has neither text nor error; {ADVICE}"
                    );
                    self.add_record(&record);
                    if !is_complete {
                        return Ok(file.write_all(b"\n")?);
                    }
                }
                // No reader can have taken an incomplete line for a record.
                Err(_) if !is_complete && is_truncated_record => return Ok(file.set_len(end)?),
                Err(_) => anyhow::bail!("line {number} is not a record; {ADVICE}"),
            }
            end += length as u64;
        }
    }

    fn add_record(&mut self, record: &Record) {
        *self.unmatched.entry(url_key(record)).or_default() += 1;
        self.records += 1;
        let Some(fetch) = record.view::<Fetch>(field::FETCH).ok().flatten() else {
            return;
        };
        self.archive_offsets
            .extend(fetch.warc.map(|location| location.offset));
        // If the file is a copy, it was created after its records were.
        if let (Some(started_at), Some(fetched_at)) = (&mut self.started_at, fetch.at)
            && fetched_at < *started_at
        {
            *started_at = fetched_at;
        }
    }

    /// Returns `true` if the earlier run has written the record of an input line. Counts each
    /// written record once.
    pub fn match_line(&mut self, line: &[u8]) -> bool {
        if self.unmatched.is_empty() {
            return false;
        }
        Record::parse(line.to_vec()).is_ok_and(|record| self.match_key(url_key(&record)))
    }

    /// Returns `true` if the earlier run has written the record of a page of an archive, as
    /// [`EarlierOutput::match_line`] does.
    pub fn match_url(&mut self, url: &str) -> bool {
        !self.unmatched.is_empty() && self.match_key(hash_url(url))
    }

    fn match_key(&mut self, key: [u8; 16]) -> bool {
        let Some(count) = self.unmatched.get_mut(&key) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.unmatched.remove(&key);
        }
        true
    }
}

const ADVICE: &str =
    "if fetch-extract wrote this file, remove the line, and its page is fetched again";

/// Returns `true` if the tool may have written the record: a record with a URL then has a text or
/// an error.
fn is_output_record(record: &Record) -> bool {
    !record.has_field(field::URL) || record.has_field(field::TEXT) || record.has_error()
}

/// Returns the hash of a record's URL without credentials, which no output has; of a value that is
/// no string, of its JSON.
fn url_key(record: &Record) -> [u8; 16] {
    match record.string(field::URL) {
        Ok(Some(url)) => hash_url(&url),
        _ => hash(record.raw_json(field::URL).unwrap_or_default()),
    }
}

fn hash_url(url: &str) -> [u8; 16] {
    hash(&strip_credentials(url))
}

fn hash(text: &str) -> [u8; 16] {
    blake3::hash(text.as_bytes()).as_bytes().as_chunks().0[0]
}

#[cfg(test)]
mod tests {
    use super::EarlierOutput;
    use std::io::{Read, Seek, Write};

    /// Reads a file with this content. Returns the result and the content afterwards.
    fn read_file(text: &str) -> (anyhow::Result<EarlierOutput>, String) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut output = EarlierOutput::default();
        let result = output.read_lines(&file);
        let mut content = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut content).unwrap();
        (result.map(|()| output), content)
    }

    #[test]
    fn matches_a_record_as_often_as_it_was_written() {
        let (output, _) = read_file(
            "{\"url\":\"a\",\"text\":\"x\"}\n{\"n\":1}\n{\"url\":\"a\",\"error\":{\"tool\":\"x\",\"kind\":\"dns\"}}\n",
        );
        let mut output = output.unwrap();
        let lines = [
            r#"{"url":"a"}"#,
            r#"{"n":1}"#,
            r#"{"url":"b"}"#,
            r#"{"q":1,"url":"a"}"#,
            r#"{"url":"a"}"#,
            "{}",
            "x",
        ];
        assert_eq!(
            lines.map(|line| output.match_line(line.as_bytes())),
            [true, true, false, true, false, false, false]
        );
    }

    #[test]
    fn removes_an_incomplete_line() {
        let first = "{\"url\":\"a\",\"text\":\"x\"}\n";
        for incomplete in [
            "",
            "\0\0\0",
            "{\"url\":\"b\0\0",
            "{\"url\":\"b",
            "{\"url\":\"b\",\"text\":\"x\"",
        ] {
            let (output, content) = read_file(&format!("{first}{incomplete}"));
            assert_eq!(
                (
                    content.as_str(),
                    output.unwrap().match_line(br#"{"url":"b"}"#)
                ),
                (first, false)
            );
        }
    }

    #[test]
    fn adds_a_missing_line_feed_to_a_complete_record() {
        let (output, content) = read_file(r#"{"url":"b","text":"x"}"#);
        assert_eq!(content, "{\"url\":\"b\",\"text\":\"x\"}\n");
        assert!(output.unwrap().match_line(br#"{"url":"b"}"#));
    }

    #[test]
    fn keeps_a_file_that_this_tool_did_not_write() {
        for other in [
            "a note",
            "\0",
            "\0\n",
            "{\"url\":\"a\"}\n{\"url\":\"b",
            "{\"url\":\"a\",\"text\":\"x\"}\nnote",
        ] {
            let (output, content) = read_file(other);
            assert!(output.is_err() && content == other, "{other}");
        }
    }
}
