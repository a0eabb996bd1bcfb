//! Documents that were taken down: the list of a run, and the tombstones in its journal.
//!
//! A document is recognised by a URL of its page, by its host, by its id, or by the digest of its
//! text, so that neither the page nor a copy of the text comes back. The list is
//! `taken-down.jsonl` in the folder of the run, beside the state files of the tools, which read it
//! there.

use crate::event::Event;
use forage_record::{Hit, Record, field};
use forage_text::{comparison_form, document_key};
use forage_web::page_url::{host_of, url_key};
use serde::{Deserialize, Serialize};
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

/// A document, a page or a host that was taken down: a line of the list, and the tombstone of a
/// record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenDown {
    /// The URL of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A host all of whose pages, and those of its subdomains, were taken down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The `id` of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The digest of the text ([`text_digest`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The reason, as the user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The time of the request, as in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Returns the digest by which a text is recognised: 32 hex digits, which texts share that read the
/// same, as those that `dedup` calls exact duplicates.
pub fn text_digest(text: &str) -> String {
    let key = document_key("", &comparison_form(text));
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was taken down, to be looked up.
#[derive(Debug, Default)]
pub struct TakenDownList {
    entries: Vec<TakenDown>,
    urls: HashMap<String, usize>,
    hosts: HashMap<String, usize>,
    ids: HashMap<String, usize>,
    digests: HashMap<String, usize>,
}

impl TakenDownList {
    /// Reads a list; an empty one if there is no file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or a line is no entry. The message names file and line.
    pub fn read(path: &Path) -> io::Result<TakenDownList> {
        let mut list = TakenDownList::default();
        let error = |kind, cause: &dyn std::fmt::Display, line: &str| {
            io::Error::new(kind, format!("{}:{line} {cause}", path.display()))
        };
        let text = match std::fs::read_to_string(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(list),
            text => text.map_err(|e| error(e.kind(), &e, ""))?,
        };
        for (line, number) in text.lines().zip(1..) {
            let entry = serde_json::from_str(line);
            let invalid = |e| error(io::ErrorKind::InvalidData, &e, &format!("{number}:"));
            list.add(entry.map_err(invalid)?);
        }
        Ok(list)
    }

    /// Reads the list of the run that a state file or archive is in the folder of; an empty list if
    /// there is no such file.
    ///
    /// # Errors
    /// As [`TakenDownList::read`].
    pub fn beside(file: Option<&Path>) -> io::Result<TakenDownList> {
        match file {
            Some(file) => TakenDownList::read(&file.with_file_name(TAKEN_DOWN)),
            None => Ok(TakenDownList::default()),
        }
    }

    /// Adds an entry, unless the list has all that it names. Returns `true` if it was added.
    pub fn add(&mut self, entry: TakenDown) -> bool {
        let number = self.entries.len();
        let keys = [
            (&mut self.urls, entry.url.as_deref().map(url_key)),
            (&mut self.hosts, entry.host.clone()),
            (&mut self.ids, entry.id.clone()),
            (&mut self.digests, entry.digest.clone()),
        ];
        let mut is_new = false;
        for (map, key) in keys {
            if let Some(key) = key {
                is_new |= *map.entry(key).or_insert(number) == number;
            }
        }
        if is_new {
            self.entries.push(entry);
        }
        is_new
    }

    /// Returns the entries in their order.
    pub fn entries(&self) -> &[TakenDown] {
        &self.entries
    }

    /// Returns the content of the file of the list.
    pub fn to_lines(&self) -> String {
        // Strings can always be serialized.
        let lines = self.entries.iter().flat_map(serde_json::to_string);
        lines.map(|line| line + "\n").collect()
    }

    /// Returns `true` if nothing was taken down.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of a page, or of its host.
    pub fn find_url(&self, url: &str) -> Option<&TakenDown> {
        if self.is_empty() {
            return None;
        }
        let of_url = self.urls.get(&url_key(url)).copied();
        let number = of_url.or_else(|| {
            let host = host_of(url).filter(|_| !self.hosts.is_empty())?;
            let dots = host.match_indices('.').map(|(at, _)| at + 1);
            let mut domains = std::iter::once(0).chain(dots).map(|at| &host[at..]);
            domains.find_map(|domain| self.hosts.get(domain).copied())
        });
        number.map(|number| &self.entries[number])
    }

    /// Returns the entry of a document with this id.
    pub fn find_id(&self, id: &str) -> Option<&TakenDown> {
        self.ids.get(id).map(|&number| &self.entries[number])
    }

    /// Returns the entry of a text.
    pub fn find_text(&self, text: &str) -> Option<&TakenDown> {
        if self.digests.is_empty() {
            return None;
        }
        let number = self.digests.get(&text_digest(text));
        number.map(|&number| &self.entries[number])
    }

    /// Returns the entry of a record: of one of its URLs, its id, or its text.
    pub fn find(&self, event: &Event) -> Option<&TakenDown> {
        if self.is_empty() {
            return None;
        }
        let urls = [event.url(), event.final_url()];
        let of_url = urls.iter().flatten().find_map(|url| self.find_url(url));
        of_url
            .or_else(|| self.find_id(&event.id()?))
            .or_else(|| self.find_text(&event.record().text().ok().flatten()?))
    }
}

/// The fields of a record that its tombstone has.
const KEPT: [&str; 6] = [
    field::STEP,
    field::QUERY,
    field::FRONTIER,
    field::RETRY,
    field::FROM_STEP,
    field::ERROR,
];

/// Returns the record that takes the place of one that was taken down: what a run needs of it, its
/// step, its query and the cost of its hit, and `taken_down`, with the reason and time of `entry`.
pub fn tombstone(event: &Event, entry: &TakenDown) -> Record {
    let record = event.record();
    let mut kept = Record::new();
    for key in KEPT {
        if let Some(json) = record.raw_json(key) {
            kept.set_raw(key, json);
        }
    }
    if event.step.is_some()
        && let Some(url) = event.url()
    {
        // A URL without a step would be a seed.
        kept.set(field::URL, &url);
    }
    if let Some(hit) = &event.hit {
        let hit = Hit {
            title: None,
            snippet: None,
            ..hit.clone()
        };
        kept.set(field::HIT, &hit);
    }
    kept.set(field::TAKEN_DOWN, &describe_taken_down(event, entry));
    kept
}

/// Returns the entry of a document, with the reason and time of another one.
pub fn describe_taken_down(event: &Event, entry: &TakenDown) -> TakenDown {
    let text = event.record().text().ok().flatten();
    TakenDown {
        url: event.url().map(Into::into),
        host: None,
        id: event.id().map(Into::into),
        digest: text.map(|text| text_digest(&text)),
        reason: entry.reason.clone(),
        at: entry.at.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_event<T>(json: &str, check: impl FnOnce(&Event) -> T) -> T {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        check(&Event::from_record(&record))
    }

    fn list(entry: TakenDown) -> TakenDownList {
        let mut list = TakenDownList::default();
        list.add(entry);
        list
    }

    #[test]
    fn a_document_is_found_by_url_host_id_and_text() {
        let found =
            |list: &TakenDownList, json: &str| with_event(json, |event| list.find(event).is_some());
        let by_url = list(TakenDown {
            url: Some("http://a.test/%7Ejoe".into()),
            ..TakenDown::default()
        });
        assert!(found(&by_url, r#"{"url":"http://a.test/~joe#x"}"#));
        assert!(found(
            &by_url,
            r#"{"url":"http://b.test/","fetch":{"url":"http://a.test/~joe"}}"#
        ));
        assert!(!found(&by_url, r#"{"url":"http://a.test/"}"#));
        let by_host = list(TakenDown {
            host: Some("a.test".into()),
            ..TakenDown::default()
        });
        assert!(found(&by_host, r#"{"url":"http://a.test/x"}"#));
        assert!(found(&by_host, r#"{"url":"https://www.a.test/x"}"#));
        assert!(!found(&by_host, r#"{"url":"http://ba.test/"}"#));
        let by_text = list(TakenDown {
            digest: Some(text_digest("Dober  dan")),
            id: Some("i".into()),
            ..TakenDown::default()
        });
        assert!(found(&by_text, r#"{"text":"dober dan"}"#) && found(&by_text, r#"{"id":"i"}"#));
        assert!(!found(&by_text, r#"{"text":"dober dan!","id":"j"}"#));
    }

    #[test]
    fn a_tombstone_has_what_a_run_counts_and_no_text() {
        let json = r#"{"step":{"number":2,"target":"slv","last":true},"query":{"id":"q"},"url":"http://a.test/","hit":{"engine":"e","title":"T","snippet":"S","calls":1,"outcome":"hit"},"text":"Dober dan","label":"slv","mine":"Dober"}"#;
        let entry = TakenDown {
            reason: Some("R".into()),
            ..TakenDown::default()
        };
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
        assert!(TakenDownList::read(&path).unwrap().is_empty());
        std::fs::write(&path, "{\"url\":\"u\"}\nnone\n").unwrap();
        let error = TakenDownList::beside(Some(&dir.path().join("x.db"))).unwrap_err();
        assert!(error.to_string().contains("taken-down.jsonl:2: "));
    }
}
