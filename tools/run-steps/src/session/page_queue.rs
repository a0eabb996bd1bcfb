//! The pages that a run asks for besides those of its queries: known ones again (`--refresh`), and
//! those that sites list.
//!
//! What is known of a page is in the journal: the version that the corpus has, and when the page
//! was asked for. A record that asks for it again has that in `previous`, so that each tool of the
//! step can do its part: fetch-extract asks conditionally, dedup does not take a changed version
//! for a duplicate of the one before, and update-stats counts one of them.

use super::Loop;
use crate::run::Run;
use crate::totals::Totals;
use anyhow::{Context, Result};
use forage_record::time::{format_rfc3339, now, now_rfc3339, parse_range, parse_rfc3339};
use forage_record::{ErrorKind, Fetch, Previous, Record, Step, field};
use forage_run::{Event, Presence};
use forage_text::{count_words, document_key};
use forage_web::page_url::url_key;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Pages of a step that asks for known pages again. Set by judgement, not measured.
const REFRESH_BATCH: usize = 100;

/// A page that a site lists.
pub struct ListedPage {
    pub url: String,
    /// The time of its last change, as the site writes it.
    pub modified: Option<String>,
}

/// Pages to be asked for, in batches.
#[derive(Default)]
pub struct PageQueue {
    journal: PathBuf,
    /// True if the run begins to ask its queries again.
    begins_refresh: bool,
    due: VecDeque<KnownPage>,
    new: VecDeque<String>,
}

/// What the journal knows of a page.
#[derive(Default)]
struct KnownPage {
    /// The offset of the record with the version that the corpus has, or else of the last one.
    offset: u64,
    has_version: bool,
    /// True if the page is asked for again.
    is_wanted: bool,
    /// The time of the last request; `None` if it is unknown.
    at: Option<SystemTime>,
    /// The time since which the page is away.
    away: Option<String>,
}

/// The pages of a journal by the keys of their URLs, and when the run began to ask its queries.
#[derive(Default)]
struct KnownPages {
    pages: HashMap<[u8; 16], KnownPage>,
    began: Option<SystemTime>,
    by_host: HashMap<String, u64>,
}

impl PageQueue {
    /// Finds the pages that are due, and those that the sites of the run list and that are new.
    pub fn new(run: &Run, kind: &dyn Loop) -> Result<PageQueue> {
        let sites = kind.list_pages(run)?;
        let is_fetching = kind.fetch(run).is_some();
        let mut queue = PageQueue {
            journal: run.journal(),
            ..PageQueue::default()
        };
        if run.refresh.is_none() && sites.is_empty() {
            return Ok(queue);
        }
        // A crawl also finds links on pages that are in no corpus.
        let targets = kind.engine().map(|_| kind.targets(run));
        let mut known = KnownPages::read(&queue.journal, targets.as_deref())?;
        queue.add_listed(&sites, run.settings.number("per-host"), &mut known);
        if let Some(before) = run.refresh {
            let is_old = |time: Option<SystemTime>| time.is_none_or(|time| time < before);
            queue.begins_refresh = kind.engine().is_some() && is_old(known.began);
            let due = known.pages.into_values();
            let due = due.filter(|page| is_fetching && page.is_wanted && is_old(page.at));
            let mut due: Vec<KnownPage> = due.collect();
            due.sort_by_key(|page| page.offset);
            queue.due = due.into();
            let count = forage_cli::format_count(queue.due.len() as u64, "page");
            run.console
                .inform(format_args!("--refresh: asks for {count} again"));
        }
        Ok(queue)
    }

    /// Adds listed pages that are not known, of each site in turn. A known page that has not
    /// changed since it was asked for, by what its site says, is not asked for again.
    fn add_listed(
        &mut self,
        sites: &[Vec<ListedPage>],
        per_host: Option<u64>,
        known: &mut KnownPages,
    ) {
        let longest = sites.iter().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..longest).flat_map(|n| sites.iter().filter_map(move |site| site.get(n)));
        for listed in in_turn {
            if let Some(page) = known.pages.get_mut(&key_of(&listed.url)) {
                let modified = listed.modified.as_deref().and_then(parse_range);
                let is_unchanged = |at| modified.is_some_and(|modified| modified.end <= at);
                // One that was gone is back.
                page.is_wanted = !page.at.is_some_and(is_unchanged);
            } else if known.count_new(&listed.url, per_host) {
                self.new.push_back(listed.url.clone());
            }
        }
    }

    /// Returns records that ask for known pages again; none if no page is due.
    pub fn next_due(&mut self, totals: &Totals, target: &str) -> Result<Vec<u8>> {
        let mut records = Vec::new();
        if std::mem::take(&mut self.begins_refresh) {
            let mut record = Record::new();
            record.set(field::REFRESH, &now_rfc3339());
            records.push(record);
        }
        if !self.due.is_empty() {
            let context = || self.journal.display().to_string();
            let mut journal = BufReader::new(File::open(&self.journal).with_context(context)?);
            for page in self.due.drain(..self.due.len().min(REFRESH_BATCH)) {
                records.push(page.to_request(&mut journal).with_context(context)?);
            }
        }
        Ok(to_step(records, totals, target))
    }

    /// Returns records that ask for up to `count` pages that sites list.
    pub fn next_new(&mut self, count: u64, totals: &Totals, target: &str) -> Vec<u8> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let urls = self.new.drain(..self.new.len().min(count));
        let records = urls.map(|url| {
            let mut record = Record::new();
            record.set(field::URL, &url);
            record
        });
        to_step(records.collect(), totals, target)
    }
}

/// Returns the lines of the records of a step.
fn to_step(mut records: Vec<Record>, totals: &Totals, target: &str) -> Vec<u8> {
    let count = records.len();
    let mut lines = Vec::new();
    for (number, record) in records.iter_mut().enumerate() {
        let step = Step {
            number: totals.step,
            target: target.into(),
            last: (number + 1 == count).then_some(true),
        };
        record.set(field::STEP, &step);
        record.write(&mut lines);
    }
    lines
}

fn key_of(url: &str) -> [u8; 16] {
    document_key("", &url_key(url))
}

impl KnownPages {
    /// Reads a journal. Of the run of a corpus, pages of the targets are wanted; else all.
    fn read(journal: &Path, targets: Option<&[String]>) -> Result<KnownPages> {
        let mut known = KnownPages::default();
        let context = || journal.display().to_string();
        let mut lines = BufReader::new(File::open(journal).with_context(context)?);
        let (mut line, mut offset) = (Vec::new(), 0);
        loop {
            let length = lines.read_until(b'\n', &mut line).with_context(context)?;
            if length == 0 {
                return Ok(known);
            }
            if let Ok(record) = Record::parse(std::mem::take(&mut line)) {
                known.apply(&Event::from_record(&record), offset, targets);
            }
            offset += length as u64;
        }
    }

    fn apply(&mut self, event: &Event, offset: u64, targets: Option<&[String]>) {
        if event.begins_refresh {
            let began: Option<String> = event.record().get(field::REFRESH).ok().flatten();
            self.began = began.as_deref().and_then(parse_rfc3339);
        }
        let (Some(_), Some(url)) = (&event.step, event.url()) else {
            return;
        };
        let fetch: Option<Fetch> = event.record().view(field::FETCH).ok().flatten();
        let fetch = fetch.unwrap_or_default();
        let at = fetch.at.as_deref().and_then(parse_rfc3339);
        self.began = self.began.or(at);
        let key = key_of(&url);
        if !self.pages.contains_key(&key) {
            *self.by_host.entry(host_of(&url)).or_default() += 1;
        }
        let page = self.pages.entry(key).or_default();
        page.at = at.or(page.at);
        page.away = match (event.presence(), &event.previous) {
            (Presence::There, _) | (_, None) => None,
            (_, Some(previous)) => previous.away.clone().or(fetch.at),
        };
        let has_failed = event.error.as_ref().is_some_and(|error| match error.kind {
            ErrorKind::Timeout | ErrorKind::Connect | ErrorKind::Dns | ErrorKind::Tls => true,
            ErrorKind::HttpStatus => matches!(fetch.status, Some(429 | 500..)),
            // It may have links.
            ErrorKind::NoText => targets.is_none(),
            _ => false,
        });
        if event.label.is_some() && !event.is_duplicate() {
            page.has_version = true;
            page.offset = offset;
            let is_of_target =
                |targets: &[String]| targets.iter().any(|t| Some(t) == event.label.as_ref());
            page.is_wanted = targets.is_none_or(is_of_target);
        } else if event.presence() == Presence::Gone {
            *page = KnownPage {
                offset,
                at: page.at,
                ..KnownPage::default()
            };
        } else if !page.has_version {
            page.offset = offset;
            page.is_wanted = has_failed || targets.is_none() && event.is_document;
        }
    }

    /// Adds a page that a site lists; returns `false` if its host has as many as it may.
    fn count_new(&mut self, url: &str, per_host: Option<u64>) -> bool {
        let count = self.by_host.entry(host_of(url)).or_default();
        if per_host.is_some_and(|max| *count >= max) {
            return false;
        }
        *count += 1;
        let at = Some(now());
        let page = KnownPage {
            at,
            ..KnownPage::default()
        };
        self.pages.insert(key_of(url), page);
        true
    }
}

/// Returns the host of a URL, with its port.
pub fn host_of(url: &str) -> String {
    url.split('/').nth(2).unwrap_or_default().to_owned()
}

impl KnownPage {
    /// Returns the record that asks for the page again, with what its record in the journal says.
    fn to_request(&self, journal: &mut BufReader<File>) -> Result<Record> {
        journal.seek(SeekFrom::Start(self.offset))?;
        let mut line = Vec::new();
        journal.read_until(b'\n', &mut line)?;
        let record = Record::parse(line).map_err(|(e, _)| e)?;
        let event = Event::from_record(&record);
        let fetch: Option<Fetch> = record.view(field::FETCH)?;
        let mut previous = Previous {
            at: self.at.map(format_rfc3339),
            away: self.away.clone(),
            ..Previous::default()
        };
        if self.has_version {
            previous = Previous {
                id: event.id().map(|id| id.into_owned()),
                label: event.label.clone(),
                target: Some(event.target().to_owned()),
                words: count_words(&event.text()) as u64,
                warc: fetch.and_then(|fetch| fetch.warc),
                ..previous
            };
        }
        let mut request = Record::new();
        request.set(field::URL, &event.url());
        request.set(field::PREVIOUS, &previous);
        Ok(request)
    }
}
