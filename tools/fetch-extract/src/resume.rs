//! What an earlier run has written, so that it is not done again.
//!
//! Records come out in the order in which they came in, each with its `url` as it was. So the first records of the
//! input with a URL, as often as that stands in the earlier output, are those that are done; of records without a URL,
//! the first ones.

use anyhow::Context;
use forage_cli::Io;
use forage_record::{Record, field};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Records of an earlier run, by the hash of their URL.
#[derive(Debug, Default)]
pub struct Written {
    left: HashMap<[u8; 16], u32>,
    records: u64,
}

impl Written {
    /// Reads the output of an earlier run. A line at its end that is not whole is cut off. Where there is no file,
    /// nothing is written yet.
    pub fn read(path: &Path, io: &Io) -> anyhow::Result<Written> {
        let mut written = Written::default();
        if !path.exists() {
            return Ok(written);
        }
        let name = || path.display().to_string();
        let file = OpenOptions::new().read(true).write(true).open(path).with_context(name)?;
        written.take_lines(&file).with_context(name)?;
        io.say.note(format_args!("{}: {} records are done", path.display(), written.records));
        Ok(written)
    }

    fn take_lines(&mut self, file: &File) -> anyhow::Result<()> {
        let mut lines = BufReader::new(file);
        let (mut line, mut end) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = lines.read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            let is_whole = line.pop_if(|last| *last == b'\n').is_some();
            match Record::parse(std::mem::take(&mut line)) {
                Ok(record) if is_whole => self.add(&record),
                // What is not whole was never seen by anybody as a record.
                _ if !is_whole => return Ok(file.set_len(end)?),
                _ => anyhow::bail!("record {}: is no record; is this what fetch-extract wrote?", self.records + 1),
            }
            end += length as u64;
        }
    }

    fn add(&mut self, record: &Record) {
        *self.left.entry(key(record)).or_default() += 1;
        self.records += 1;
    }

    /// Whether the record on a line is done; each is told of once.
    pub fn takes(&mut self, line: &[u8]) -> bool {
        if self.left.is_empty() {
            return false;
        }
        let Ok(record) = Record::parse(line.to_vec()) else { return false };
        let key = key(&record);
        let Some(left) = self.left.get_mut(&key) else { return false };
        *left -= 1;
        if *left == 0 {
            self.left.remove(&key);
        }
        true
    }
}

/// The hash of a record's URL as it is written.
fn key(record: &Record) -> [u8; 16] {
    let mut key = [0; 16];
    let hash = blake3::hash(record.raw(field::URL).unwrap_or_default().as_bytes());
    key.copy_from_slice(&hash.as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::Written;
    use std::io::{Read, Seek, Write};

    fn written(text: &str) -> (Written, String) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut written = Written::default();
        written.take_lines(&file).unwrap();
        let mut left = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut left).unwrap();
        (written, left)
    }

    #[test]
    fn a_record_is_passed_over_as_often_as_it_is_written() {
        let (mut written, _) = written("{\"url\":\"a\",\"text\":\"x\"}\n{\"n\":1}\n{\"url\":\"a\",\"error\":{}}\n");
        let lines =
            [r#"{"url":"a"}"#, r#"{"n":1}"#, r#"{"url":"b"}"#, r#"{"q":1,"url":"a"}"#, r#"{"url":"a"}"#, "{}", "x"];
        assert_eq!(lines.map(|line| written.takes(line.as_bytes())), [true, true, false, true, false, false, false]);
    }

    #[test]
    fn a_line_that_is_not_whole_is_cut_off() {
        for torn in ["", "{\"url\":\"b", "{\"url\":\"b\"}"] {
            let (mut written, left) = written(&format!("{{\"url\":\"a\"}}\n{torn}"));
            assert_eq!((left.as_str(), written.takes(br#"{"url":"b"}"#)), ("{\"url\":\"a\"}\n", false));
        }
    }
}
