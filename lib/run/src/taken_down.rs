//! Documents that were taken down: the list of a run, and the tombstones in its journal.
//!
//! A document is recognised by a URL of its page, by its host, by its id, or by the digest of its
//! text, so that neither the page nor a copy of the text comes back. The list is
//! `taken-down.jsonl` in the folder of the run, beside the state files of the tools, which read it
//! there. An entry is a record with some of the fields `url`, `host`, `id` and `digest`, and
//! `reason` and `at`, the time of the request.

use crate::event::Event;
use forage_record::Record;
use forage_record::field::{self, ERROR, FROM_STEP, FRONTIER, QUERY, RETRY, STEP};
use forage_text::{comparison_form, document_key};
use forage_web::page_url::{host_of, page_key};
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// The name of the list in the folder of a run.
pub const TAKEN_DOWN: &str = "taken-down.jsonl";

/// The request of a take-down that is not finished, in the folder of a run. It is empty once the
/// documents are removed, and only the state is to be derived again.
pub const PENDING_TAKE_DOWN: &str = "take-down.pending";

/// Returns `true` if files of a run may still have documents that are to be removed.
pub fn has_pending_take_down(run: &Path) -> bool {
    std::fs::metadata(run.join(PENDING_TAKE_DOWN)).is_ok_and(|file| file.len() > 0)
}

/// What was taken down, to be looked up.
#[derive(Debug, Default)]
pub struct TakenDownList {
    entries: Vec<Record>,
    /// The numbers of the entries, by the kind and the value of what they name.
    numbers: HashMap<(&'static str, String), usize>,
}

impl TakenDownList {
    /// Adds the entries of a file, if it is there.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or a line is no record. The message names file and line.
    pub fn read(&mut self, path: &Path) -> io::Result<()> {
        let error = |kind, cause: &dyn std::fmt::Display, line: &str| {
            io::Error::new(kind, format!("{}:{line} {cause}", path.display()))
        };
        let text = match std::fs::read_to_string(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            text => text.map_err(|e| error(e.kind(), &e, ""))?,
        };
        for (line, number) in text.lines().zip(1..) {
            let entry = Record::parse(line.into());
            let kind = io::ErrorKind::InvalidData;
            self.add(entry.map_err(|(e, _)| error(kind, &e, &format!("{number}:")))?);
        }
        Ok(())
    }

    /// Reads the list of the run that a state file or archive is in the folder of; an empty list if
    /// there is no such file.
    ///
    /// # Errors
    /// As [`TakenDownList::read`].
    pub fn beside(file: Option<&Path>) -> io::Result<TakenDownList> {
        let mut list = TakenDownList::default();
        if let Some(file) = file {
            list.read(&file.with_file_name(TAKEN_DOWN))?;
        }
        Ok(list)
    }

    /// Adds an entry, unless the list has all that it names. Returns `true` if it was added.
    pub fn add(&mut self, entry: Record) -> bool {
        let number = self.entries.len();
        let mut is_new = false;
        for key in ["url", "host", "id", "digest"] {
            if let Some(value) = entry.scalar(key) {
                let value = if key == "url" {
                    page_key(&value)
                } else {
                    value.into()
                };
                is_new |= *self.numbers.entry((key, value)).or_insert(number) == number;
            }
        }
        if is_new {
            self.entries.push(entry);
        }
        is_new
    }

    /// Returns the entries in their order.
    pub fn entries(&self) -> &[Record] {
        &self.entries
    }

    /// Returns the content of the file of the list.
    pub fn to_lines(&self) -> String {
        self.entries
            .iter()
            .map(|entry| entry.to_json() + "\n")
            .collect()
    }

    /// Returns the entry that names a value.
    fn get(&self, key: &'static str, value: String) -> Option<&Record> {
        self.numbers
            .get(&(key, value))
            .map(|&number| &self.entries[number])
    }

    /// Returns the entry of a page, or of its host.
    pub fn find_url(&self, url: &str) -> Option<&Record> {
        if self.entries.is_empty() {
            return None;
        }
        self.get("url", page_key(url)).or_else(|| {
            let host = host_of(url)?;
            let dots = host.match_indices('.').map(|(at, _)| at + 1);
            let mut domains = std::iter::once(0)
                .chain(dots)
                .map(|at| host[at..].to_owned());
            domains.find_map(|domain| self.get("host", domain))
        })
    }

    /// Returns the entry of a document with this id.
    pub fn find_id(&self, id: &str) -> Option<&Record> {
        self.get("id", id.into())
    }

    /// Returns the entry of a text.
    pub fn find_text(&self, text: &str) -> Option<&Record> {
        let is_empty = self.entries.is_empty();
        if is_empty {
            None
        } else {
            self.get("digest", digest(text))
        }
    }

    /// Returns the entry of a record: of one of its URLs, its id, or its text.
    pub fn find(&self, event: &Event) -> Option<&Record> {
        if self.entries.is_empty() {
            return None;
        }
        let mut urls = [event.url(), event.final_url()].into_iter().flatten();
        urls.find_map(|url| self.find_url(&url))
            .or_else(|| self.find_id(&event.id()?))
            .or_else(|| self.find_text(&event.record().text().ok()??))
    }
}

/// Returns the digest by which a text is recognised: 32 hex digits, which texts share that read the
/// same, as those that `dedup` calls exact duplicates.
fn digest(text: &str) -> String {
    let key = document_key("", &comparison_form(text));
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the record that takes the place of one that was taken down: what a run needs of it, its
/// step, its query and the cost of its hit, and `taken_down`, with the reason and time of `entry`.
pub fn tombstone(event: &Event, entry: &Record) -> Record {
    let record = event.record();
    let mut kept = Record::new();
    for key in [STEP, QUERY, FRONTIER, RETRY, FROM_STEP, ERROR] {
        if let Some(json) = record.raw_json(key) {
            kept.set_raw(key, json);
        }
    }
    // A URL without a step would be a seed.
    if let Some(url) = event.url().filter(|_| event.step.is_some()) {
        kept.set(field::URL, &url);
    }
    if let Some(mut hit) = event.hit.clone() {
        (hit.title, hit.snippet) = (None, None);
        kept.set(field::HIT, &hit);
    }
    kept.set_raw(field::TAKEN_DOWN, &taken_down_entry(event, entry).to_json());
    kept
}

/// Returns the entry of a document, with the reason and time of another one.
pub fn taken_down_entry(event: &Event, entry: &Record) -> Record {
    let text = event.record().text().ok().flatten();
    let values = [
        ("url", event.url()),
        ("id", event.id()),
        ("digest", text.map(|text| digest(&text).into())),
        ("reason", entry.scalar("reason")),
        ("at", entry.scalar("at")),
    ];
    let mut described = Record::new();
    for (key, value) in values {
        if let Some(value) = value {
            described.set(key, &value);
        }
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_event<T>(json: &str, check: impl FnOnce(&Event) -> T) -> T {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        check(&Event::from_record(&record))
    }

    fn list(entry: &str) -> TakenDownList {
        let mut list = TakenDownList::default();
        list.add(Record::parse(entry.into()).unwrap());
        list
    }

    #[test]
    fn a_document_is_found_by_url_host_id_and_text() {
        let found =
            |list: &TakenDownList, json: &str| with_event(json, |event| list.find(event).is_some());
        let by_url = list(r#"{"url":"http://a.test/%7Ejoe"}"#);
        assert!(found(&by_url, r#"{"url":"http://a.test/~joe#x"}"#));
        assert!(found(
            &by_url,
            r#"{"url":"http://b.test/","fetch":{"url":"http://a.test/~joe"}}"#
        ));
        assert!(!found(&by_url, r#"{"url":"http://a.test/"}"#));
        let by_host = list(r#"{"host":"a.test"}"#);
        assert!(found(&by_host, r#"{"url":"http://a.test/x"}"#));
        assert!(found(&by_host, r#"{"url":"https://www.a.test/x"}"#));
        assert!(!found(&by_host, r#"{"url":"http://ba.test/"}"#));
        let by_text = list(&format!(
            r#"{{"id":"i","digest":"{}"}}"#,
            digest("Dober  dan")
        ));
        assert!(found(&by_text, r#"{"text":"dober dan"}"#) && found(&by_text, r#"{"id":"i"}"#));
        assert!(!found(&by_text, r#"{"text":"dober dan!","id":"j"}"#));
    }

    #[test]
    fn a_tombstone_has_what_a_run_counts_and_no_text() {
        let json = r#"{"step":{"number":2,"target":"slv","last":true},"query":{"id":"q"},"url":"http://a.test/","hit":{"engine":"e","title":"T","snippet":"S","calls":1,"outcome":"hit"},"text":"Dober dan","label":"slv","mine":"Dober"}"#;
        let entry = Record::parse(br#"{"reason":"R"}"#.to_vec()).unwrap();
        let tombstone = with_event(json, |event| tombstone(event, &entry));
        let line = tombstone.to_json();
        assert!(!line.contains("Dober") && !line.contains('S') && !line.contains("\"T\""));
        let event = Event::from_record(&tombstone);
        assert!(!event.is_document && event.ends_step() && event.step_number() == 2);
        assert!(event.hit.is_some_and(|hit| hit.calls == 1));
        assert!(line.contains(r#""reason":"R""#) && line.contains("digest"));
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TAKEN_DOWN);
        TakenDownList::default().read(&path).unwrap();
        std::fs::write(&path, "{\"url\":\"u\"}\nnone\n").unwrap();
        let error = TakenDownList::beside(Some(&dir.path().join("x.db"))).unwrap_err();
        assert!(error.to_string().contains("taken-down.jsonl:2: "));
    }
}
