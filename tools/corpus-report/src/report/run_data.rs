//! The figures of a run, computed from the records of its journal in one pass.

use crate::report::count::{BoundedCounts, Share, Tally, hash_of};
use crate::report::rows::{Row, Rows, shown_url};
use crate::report::texts::TextFolder;
use crate::report::timeline::Timeline;
use crate::report::vocabulary::Vocabularies;
use forage_record::{DedupStatus, Fetch, LangId, LanguageScore, Topic, field};
use forage_run::{Event, without_folders};
use forage_web::page_url::directory_of;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;

/// Number of bins of margins, which are between 0 and 1.
pub(crate) const MARGIN_BINS: usize = 20;
/// Number of bins of lengths, whose ends are half powers of 2. The last one is open.
pub(crate) const LENGTH_BINS: usize = 32;

/// What the journal and the settings of a run say.
#[derive(Debug, Default)]
pub struct RunData {
    /// The name: that of the folder.
    pub name: String,
    /// The options of the run that are set, in the order of `run.conf`.
    pub settings: Vec<(String, String)>,
    /// The classes that the run looks for.
    pub targets: BTreeSet<String>,
    /// The report of `update-stats`; null if there is none.
    pub statistics: serde_json::Value,
    /// Number of lines of the journal that are not records.
    pub skipped_lines: u64,
    /// Files of the run that could not be read, with the cause of each.
    pub damaged_files: Vec<String>,
    /// Number of records by their fields of the wrong type, which count as absent.
    pub damaged_fields: BTreeMap<&'static str, u64>,
    /// Number of documents in `corpus/`, if the run has written it.
    pub corpus_size: Option<u64>,
    /// The documents to read.
    pub rows: Rows,
    /// True if the texts of `rows` are in files beside the page.
    pub has_texts: bool,
    pub(crate) total: Timeline,
    pub(crate) by_target: BTreeMap<String, Timeline>,
    pub(crate) initial: BTreeMap<String, u64>,
    pub(crate) from_other_targets: BTreeMap<String, u64>,
    pub(crate) duplicates: BTreeMap<&'static str, u64>,
    pub(crate) errors: BTreeMap<(String, String), u64>,
    pub(crate) last_step: u64,
    pub(crate) attempts: u64,
    /// By target and label, separated by a tab.
    pub(crate) labels: BoundedCounts<LabelTally>,
    /// True if the margins are scores of a topic, which are no margins of a language.
    pub(crate) has_topic_scores: bool,
    /// Relevant and other documents by margin.
    pub(crate) margins: [[u64; 2]; MARGIN_BINS],
    pub(crate) vocabularies: Vocabularies,
    /// Relevant documents by length.
    pub(crate) lengths: [u64; LENGTH_BINS],
    pub(crate) hosts: BoundedCounts<Share>,
    /// Documents by top-level domain, which of a country is one in which its language is sought.
    pub(crate) domains: BoundedCounts<Share>,
    pub(crate) directories: BoundedCounts<Share>,
    /// Links from one host to another, separated by a tab.
    pub(crate) host_links: BoundedCounts<u64>,
    /// Days of publication; documents without one have an empty key.
    pub(crate) dates: BoundedCounts<Share>,
    pub(crate) licences: BoundedCounts<Share>,
    pub(crate) optouts: BoundedCounts<Share>,
    pub(crate) terms: BoundedCounts<TermTally>,
    pub(crate) strategies: BoundedCounts<TermTally>,
    /// Documents by the engine that returned them.
    pub(crate) engines: BoundedCounts<Share>,
    /// Documents by the sample article with which they were compared.
    pub(crate) collections: BoundedCounts<Share>,
    pub(crate) is_crawl: bool,
    queries: HashSet<u64, foldhash::quality::FixedState>,
}

/// The documents with a label.
#[derive(Debug, Default)]
pub(crate) struct LabelTally {
    pub documents: u64,
    pub margin_sum: f64,
    pub with_margin: u64,
    /// The second-best languages.
    pub runners_up: BTreeMap<String, u64>,
}

impl Tally for LabelTally {
    fn size(&self) -> u64 {
        self.documents
    }
}

/// The queries with a term or of a strategy, and what they brought.
#[derive(Debug, Default)]
pub(crate) struct TermTally {
    pub queries: u64,
    pub documents: u64,
    pub relevant: u64,
}

impl Tally for TermTally {
    fn size(&self) -> u64 {
        self.queries + self.documents
    }
}

/// Settings that say nothing of the run, or that a page should not publish.
const PRIVATE_SETTINGS: [&str; 4] = ["contact", "connect-to", "folder", "init"];

impl RunData {
    /// Creates the data of a run from its name and the content of its `run.conf`, which may be
    /// empty.
    pub fn new(name: &str, run_conf: &str) -> Self {
        let settings: Vec<(String, String)> = run_conf
            .lines()
            .filter_map(|line| line.split_once('='))
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let targets = settings.iter().filter(|(key, _)| key == "target");
        let targets = targets.flat_map(|(_, value)| value.split(','));
        RunData {
            name: name.to_owned(),
            targets: targets.map(str::to_owned).collect(),
            settings: settings
                .into_iter()
                .filter(|(key, _)| !PRIVATE_SETTINGS.contains(&key.as_str()))
                .map(|(key, value)| (key, without_folders(&value)))
                .collect(),
            ..RunData::default()
        }
    }

    /// Counts a record of the journal. `texts` gets the text of a document.
    ///
    /// # Errors
    /// Fails if a text cannot be written.
    pub fn add(&mut self, event: &Event, texts: Option<&mut TextFolder>) -> io::Result<()> {
        self.note_damaged_fields(event);
        if let Some(error) = &event.error {
            let kind = serde_json::to_value(error.kind).unwrap_or_default();
            let kind = kind.as_str().unwrap_or_default().to_owned();
            *self.errors.entry((error.tool.clone(), kind)).or_default() += 1;
        }
        if event.step.is_none() {
            if event.is_document {
                let label = event.label.as_deref().unwrap_or_default();
                *self.initial.entry(label.to_owned()).or_default() += 1;
                if !self.targets.contains(label) {
                    self.vocabularies.add(label, false, &event.text());
                }
            }
            return Ok(());
        }
        self.last_step = self.last_step.max(event.step_number());
        self.attempts += u64::from(event.is_attempt());
        if !self.targets.contains(event.target()) {
            self.targets.insert(event.target().to_owned());
        }
        self.count_query(event);
        if event.is_document {
            self.add_document(event, texts)?;
        }
        self.update_timelines(event, |timeline| timeline.mark());
        Ok(())
    }

    /// Counts the fields that [`Event`] could not read.
    fn note_damaged_fields(&mut self, event: &Event) {
        for (key, is_read) in [
            (field::STEP, event.step.is_some()),
            (field::QUERY, event.query.is_some()),
            (field::HIT, event.hit.is_some()),
            (field::DEDUP, event.dedup.is_some()),
            (field::LABEL, event.label.is_some() || !event.is_document),
            (field::TEXT, event.has_text),
            (field::URL, event.url().is_some()),
            (field::TITLE, event.title().is_some()),
        ] {
            if !is_read && event.record().has_value(key) {
                self.note_damaged_field(key);
            }
        }
    }

    fn note_damaged_field(&mut self, key: &'static str) {
        *self.damaged_fields.entry(key).or_default() += 1;
    }

    /// Returns a field; `None` if it is absent or damaged, which is counted.
    fn view<T: DeserializeOwned>(&mut self, event: &Event, key: &'static str) -> Option<T> {
        let value = event.record().view(key).ok().flatten();
        if value.is_none() && event.record().has_value(key) {
            self.note_damaged_field(key);
        }
        value
    }

    fn update_timelines(&mut self, event: &Event, update: impl Fn(&mut Timeline)) {
        update(&mut self.total);
        match self.by_target.get_mut(event.target()) {
            Some(timeline) => update(timeline),
            None => update(self.by_target.entry(event.target().to_owned()).or_default()),
        }
    }

    /// Counts the calls of a record, and its query if it is new.
    fn count_query(&mut self, event: &Event) {
        let is_request = event.record().has_value(field::FRONTIER);
        self.is_crawl |= is_request;
        let calls = event.hit.as_ref().map_or(0, |hit| hit.calls);
        let id = event.query_id().filter(|_| !event.is_unanswered());
        let is_new = id.is_some_and(|id| {
            let hash = hash_of(&id);
            self.queries.insert(hash)
        });
        self.update_timelines(event, |timeline| {
            timeline.now.requests += u64::from(is_request);
            timeline.now.calls = timeline.now.calls.saturating_add(calls);
            timeline.now.queries += u64::from(is_new);
        });
        if is_new {
            self.update_query_tallies(event, |tally| tally.queries += 1);
        }
    }

    /// Updates the tallies of the terms and of the strategy of a query.
    fn update_query_tallies(&mut self, event: &Event, update: impl Fn(&mut TermTally)) {
        let Some(query) = &event.query else { return };
        for term in &query.include {
            self.terms.update(term, &update);
        }
        if let Some(strategy) = &query.strategy {
            let method = strategy.method.as_ref();
            let method = method.map(|m| format!(" {} −{}", m.include, m.exclude));
            let name = format!("{}{}", strategy.name, method.unwrap_or_default());
            self.strategies.update(&name, &update);
        }
    }

    fn add_document(&mut self, event: &Event, texts: Option<&mut TextFolder>) -> io::Result<()> {
        let is_relevant = event.is_relevant();
        let label = event.label.clone().unwrap_or_default();
        let text = event.text();
        let mut words = 0;
        if event.retrieved_label().is_some() {
            let is_target = self.targets.contains(&label);
            words = self.vocabularies.add(&label, is_target, &text);
            if is_target {
                self.total.now.tokens += words;
                let class = self.by_target.entry(label.clone()).or_default();
                class.now.tokens += words;
                if let Some(vocabulary) = self.vocabularies.get(&label) {
                    class.now.types = vocabulary.types.count();
                }
            }
            if is_target && label != event.target() && !event.is_retry {
                *self.from_other_targets.entry(label.clone()).or_default() += 1;
            }
        }
        self.update_timelines(event, |timeline| {
            timeline.now.documents += u64::from(!event.is_retry);
            timeline.now.relevant += u64::from(is_relevant);
        });
        if event.is_retry && !is_relevant {
            return Ok(());
        }
        self.update_query_tallies(event, |tally| {
            tally.documents += u64::from(!event.is_retry);
            tally.relevant += u64::from(is_relevant);
        });
        if let Some(hit) = &event.hit {
            let engine = without_folders(&hit.engine);
            self.engines.count(&engine, is_relevant);
        }
        if let Some(status) = event.dedup.filter(|_| event.is_duplicate()) {
            *self.duplicates.entry(status_name(status)).or_default() += 1;
        }
        let margin = self.count_margin(event, &label, is_relevant);
        if is_relevant {
            let bin = (2.0 * libm::log2(words.max(1) as f64)) as usize;
            self.lengths[bin.min(LENGTH_BINS - 1)] += 1;
        }
        let date = self.count_page(event, is_relevant);
        if let Some(key) = self.rows.draw(event) {
            let place = texts.map(|texts| texts.add(&text)).transpose()?;
            self.rows
                .push(Row::new(event, key, margin, words, date, place));
        }
        Ok(())
    }

    /// Counts the label of a document and the margin of the filter, and returns the margin.
    fn count_margin(&mut self, event: &Event, label: &str, is_relevant: bool) -> Option<f64> {
        let langid: Option<LangId> = self.view(event, field::LANGID);
        let topic: Option<Topic> = self.view(event, field::TOPIC);
        let score = topic.and_then(|topic| {
            if let Some(sample) = &topic.sample {
                self.collections.count(sample, is_relevant);
            }
            topic.score
        });
        self.has_topic_scores |= score.is_some();
        let margin = score.or(langid.as_ref().map(|langid| langid.margin));
        if event.is_duplicate() {
            return margin;
        }
        self.labels
            .update(&format!("{}\t{label}", event.target()), |tally| {
                tally.documents += 1;
                if let Some(margin) = margin {
                    tally.with_margin += 1;
                    tally.margin_sum += margin;
                }
                let runner_up = langid.as_ref().and_then(|langid| {
                    let mut top = langid.top.iter();
                    top.find(|language| language.code != langid.code)
                });
                if let Some(LanguageScore { code, .. }) = runner_up {
                    *tally.runners_up.entry(code.clone()).or_default() += 1;
                }
            });
        if let Some(margin) = margin {
            let bin = (margin * MARGIN_BINS as f64) as usize;
            self.margins[bin.min(MARGIN_BINS - 1)][usize::from(!is_relevant)] += 1;
        }
        margin
    }

    /// Counts what a page says of itself and where it is, and returns its date.
    fn count_page(&mut self, event: &Event, is_relevant: bool) -> Option<String> {
        let fetch: Option<Fetch> = self.view(event, field::FETCH);
        let url = event.final_url();
        let host = url.as_deref().and_then(host_in);
        if let Some(host) = &host {
            self.hosts.count(host, is_relevant);
            self.domains.count(top_level_domain(host), is_relevant);
        }
        if self.is_crawl {
            if let Some(directory) = url.as_deref().and_then(directory_of) {
                self.directories.count(shown_url(directory), is_relevant);
            }
            if let Some(host) = &host {
                self.count_links(event, host);
            }
        }
        let fetch = fetch?;
        let licence = fetch.licence.as_deref().unwrap_or_default();
        self.licences.count(licence, is_relevant);
        for optout in &fetch.optout {
            self.optouts.count(optout, is_relevant);
        }
        let date = fetch.published.as_deref().and_then(day_of);
        self.dates.count(date.unwrap_or_default(), is_relevant);
        date.map(str::to_owned)
    }

    fn count_links(&mut self, event: &Event, host: &str) {
        let links = event.record().out_links().ok().flatten();
        for link in links.into_iter().flatten() {
            if let Some(to) = host_in(&link.url).filter(|to| to != host) {
                self.host_links
                    .update(&format!("{host}\t{to}"), |count| *count += 1);
            }
        }
    }

    /// Returns the fields of the wrong type, with the numbers of records; `None` if there are none.
    pub fn describe_damaged_fields(&self) -> Option<String> {
        let fields = self.damaged_fields.iter();
        let fields: Vec<String> = fields
            .map(|(key, records)| format!("{key} of {records}"))
            .collect();
        (!fields.is_empty()).then(|| format!("{} records", fields.join(", ")))
    }

    /// Returns the steps, documents, queries, calls and relevant documents that the report of
    /// `update-stats` was made from, if they differ from those of the journal.
    pub(crate) fn is_statistics_current(&self) -> bool {
        ["documents", "relevant", "calls"]
            .into_iter()
            .zip([
                self.total.now.documents,
                self.total.now.relevant,
                self.total.now.calls,
            ])
            .all(|(name, count)| self.statistics[name].as_u64() == Some(count))
    }
}

/// Returns the host of a URL in lower case, with its port.
fn host_in(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// Returns the day of a date or time in RFC 3339; `None` if it is none.
fn day_of(time: &str) -> Option<&str> {
    let day = time.get(..10)?;
    let is_day = day.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_day.then_some(day)
}

fn status_name(status: DedupStatus) -> &'static str {
    match status {
        DedupStatus::New => "new",
        DedupStatus::Exact => "exact",
        DedupStatus::Near => "near",
        DedupStatus::Title => "same title",
    }
}

/// Returns the last part of a host's name; nothing for an address.
fn top_level_domain(host: &str) -> &str {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_name = last.starts_with(char::is_alphabetic);
    if is_name { last } else { "" }
}

#[cfg(test)]
mod tests {
    use super::{RunData, day_of, host_in, top_level_domain};

    #[test]
    fn hosts_and_days_are_read_as_they_are_written() {
        assert_eq!(
            host_in("HTTPS://u@A.Test:81/x").as_deref(),
            Some("a.test:81")
        );
        assert_eq!(host_in("javascript:alert(1)"), None);
        let hosts = ["www.a.si:81", "a.co.uk", "localhost", "127.0.0.1"];
        assert_eq!(hosts.map(top_level_domain), ["si", "uk", "localhost", ""]);
        assert_eq!(day_of("2024-05-06T10:00:00Z"), Some("2024-05-06"));
        assert_eq!((day_of("May 6, 2024"), day_of("2024")), (None, None));
    }

    #[test]
    fn settings_that_only_concern_the_user_are_not_shown() {
        let run = RunData::new("run", "engine=index:/srv/web\ninit=slv=/a/b\n");
        assert_eq!(run.settings, [("engine".into(), "index:web".into())]);
    }
}
