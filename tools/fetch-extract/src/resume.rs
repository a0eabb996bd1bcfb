//! What an earlier run has written, so that it is not done again.
//!
//! Records come out in the order in which they came in, each with its `url` as it was. So the first
//! records of the input with a URL, as often as that stands in the earlier output, are those that
//! are done; of records without a URL, the first ones. Pages that wait for a slow host before them
//! are archived, though, and not written yet.

use anyhow::Context;
use forage_cli::Io;
use forage_http::time::format_rfc3339;
use forage_record::{Fetch, Record, field};
use forage_warc::{ArchiveWriter, RecoveredPages, RevisitIndex};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// What an earlier run has written.
#[derive(Debug, Default)]
pub struct Written {
    /// Its records, by the hash of their URL.
    left: HashMap<[u8; 16], u32>,
    records: u64,
    /// Where their pages are in the archive.
    places: HashSet<u64>,
    /// When it began, as far as that can be told (RFC 3339 in UTC).
    begun: Option<String>,
}

impl Written {
    /// Reads the output of an earlier run. A line at its end that is not whole is cut off. Where
    /// there is no file, nothing is written yet.
    pub fn read(path: &Path, io: &Io) -> anyhow::Result<Written> {
        let mut written = Written::default();
        if !path.exists() {
            io.messages.info(format_args!(
                "{}: there is no such file yet; all is to be done",
                path.display()
            ));
            return Ok(written);
        }
        let name = || path.display().to_string();
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .with_context(name)?;
        // Not every file system knows.
        written.begun = file
            .metadata()
            .and_then(|data| data.created())
            .ok()
            .map(format_rfc3339);
        written.take_lines(&file).with_context(name)?;
        io.messages.debug(format_args!(
            "{}: {} records are done",
            path.display(),
            written.records
        ));
        Ok(written)
    }

    /// Pages of this archive that came in that run, and whose records were not written.
    pub fn unwritten(
        &self,
        archive: &ArchiveWriter,
        max_bytes: u64,
        revisits: &RevisitIndex,
        io: &Io,
    ) -> anyhow::Result<Option<RecoveredPages>> {
        let path = archive.path();
        let Some(begun) = self.begun.as_ref() else {
            return Ok(None);
        };
        let read = RecoveredPages::from_archive(path, begun, &self.places, max_bytes, revisits);
        let recovered = read.with_context(|| path.display().to_string())?;
        for damage in recovered.take_damage() {
            io.messages
                .warn(format_args!("{}: {damage}", path.display()));
        }
        let pages = recovered.unwritten_pages();
        io.messages.debug(format_args!(
            "{}: {pages} pages are there, and are not fetched again",
            path.display()
        ));
        Ok(Some(recovered))
    }

    fn take_lines(&mut self, mut file: &File) -> anyhow::Result<()> {
        let mut lines = BufReader::new(file);
        let (mut line, mut end) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = lines.read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            let is_whole = line.pop_if(|last| *last == b'\n').is_some();
            // After a power failure zeros may stand for what had no time to get to the disk.
            let is_torn = line.first() == Some(&b'{')
                || (self.records > 0 && line.iter().all(|byte| *byte == 0));
            let number = self.records + 1;
            match Record::parse(std::mem::take(&mut line)) {
                Ok(record) => {
                    anyhow::ensure!(
                        is_answer(&record),
                        "line {number} is a record, but has neither text nor error: {ASK}"
                    );
                    self.add(&record);
                    if !is_whole {
                        return Ok(file.write_all(b"\n")?);
                    }
                }
                // What is not whole was never seen by anybody as a record.
                Err(_) if !is_whole && is_torn => return Ok(file.set_len(end)?),
                Err(_) => anyhow::bail!("line {number} is no record: {ASK}"),
            }
            end += length as u64;
        }
    }

    fn add(&mut self, record: &Record) {
        *self.left.entry(key(record)).or_default() += 1;
        self.records += 1;
        let Some(fetch) = record.view::<Fetch>(field::FETCH).ok().flatten() else {
            return;
        };
        self.places.extend(fetch.warc.map(|place| place.offset));
        // A copy of the file is younger than what is in it.
        if let (Some(begun), Some(at)) = (&mut self.begun, fetch.at)
            && at < *begun
        {
            *begun = at;
        }
    }

    /// Whether the record on a line is done; each is told of once.
    pub fn takes(&mut self, line: &[u8]) -> bool {
        if self.left.is_empty() {
            return false;
        }
        let Ok(record) = Record::parse(line.to_vec()) else {
            return false;
        };
        let key = key(&record);
        let Some(left) = self.left.get_mut(&key) else {
            return false;
        };
        *left -= 1;
        if *left == 0 {
            self.left.remove(&key);
        }
        true
    }
}

const ASK: &str =
    "is this what fetch-extract wrote? If so, take the line out; its page is asked for again";

/// Whether a record may have been written: one that has a URL has also what came of it.
fn is_answer(record: &Record) -> bool {
    !record.has_field(field::URL) || record.has_field(field::TEXT) || record.has_error()
}

/// The hash of a record's URL as it is written.
fn key(record: &Record) -> [u8; 16] {
    let hash = blake3::hash(record.raw_json(field::URL).unwrap_or_default().as_bytes());
    hash.as_bytes().as_chunks().0[0]
}

#[cfg(test)]
mod tests {
    use super::Written;
    use std::io::{Read, Seek, Write};

    /// What is taken from a file of this text, and what is in it then.
    fn written(text: &str) -> (anyhow::Result<Written>, String) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut written = Written::default();
        let taken = written.take_lines(&file);
        let mut left = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut left).unwrap();
        (taken.map(|()| written), left)
    }

    #[test]
    fn a_record_is_passed_over_as_often_as_it_is_written() {
        let (written, _) =
            written("{\"url\":\"a\",\"text\":\"x\"}\n{\"n\":1}\n{\"url\":\"a\",\"error\":{}}\n");
        let mut written = written.unwrap();
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
            lines.map(|line| written.takes(line.as_bytes())),
            [true, true, false, true, false, false, false]
        );
    }

    #[test]
    fn a_line_that_is_not_whole_is_cut_off() {
        let first = "{\"url\":\"a\",\"text\":\"x\"}\n";
        for torn in [
            "",
            "\0\0\0",
            "{\"url\":\"b\0\0",
            "{\"url\":\"b",
            "{\"url\":\"b\",\"text\":\"x\"",
        ] {
            let (written, left) = written(&format!("{first}{torn}"));
            assert_eq!(
                (left.as_str(), written.unwrap().takes(br#"{"url":"b"}"#)),
                (first, false)
            );
        }
    }

    #[test]
    fn a_record_that_lacks_its_line_feed_gets_one() {
        let (written, left) = written(r#"{"url":"b","text":"x"}"#);
        assert_eq!(left, "{\"url\":\"b\",\"text\":\"x\"}\n");
        assert!(written.unwrap().takes(br#"{"url":"b"}"#));
    }

    #[test]
    fn what_this_tool_did_not_write_stays_as_it_is() {
        for other in [
            "a note",
            "\0",
            "\0\n",
            "{\"url\":\"a\"}\n{\"url\":\"b",
            "{\"url\":\"a\",\"text\":\"x\"}\nnote",
        ] {
            let (written, left) = written(other);
            assert!(written.is_err() && left == other, "{other}");
        }
    }
}
