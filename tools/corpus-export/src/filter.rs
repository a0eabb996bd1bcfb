//! Documents that are left out on request, and paragraphs.

use crate::args::FilterArgs;
use crate::corpus_format::Document;
use forage_cli::{GivenLine, Input, Io, format_count};
use forage_dedup::RepeatedParagraphs;
use forage_record::{Dedup, Record, field};
use forage_run::Event;
use forage_text::lines;
use forage_web::page_url::url_key;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// The share of seen 5-grams above which a paragraph is repeated: that of `dedup --paragraphs`.
const REPEATED_SHARE: f64 = 0.5;

/// The documents to leave out.
#[derive(Debug, Default)]
struct RemovalLists {
    /// For each entry whether there is such a document, and why it was taken down; the latter is
    /// empty if the list does not say.
    entries: Vec<(bool, String)>,
    /// The entries by id, digest of the body, or key of the URL.
    names: HashMap<String, usize>,
}

/// The filters, and what they have left out.
#[derive(Debug)]
pub struct Filter<'a> {
    args: &'a FilterArgs,
    without: RemovalLists,
    paragraphs: Option<RepeatedParagraphs>,
    /// Documents by cause.
    left_out: BTreeMap<&'static str, u64>,
    removed_paragraphs: u64,
}

impl<'a> Filter<'a> {
    /// Creates the filters.
    ///
    /// # Errors
    /// Fails if a list cannot be read.
    pub fn new(args: &'a FilterArgs, io: &mut Io) -> anyhow::Result<Self> {
        let without = read_lists(&args.without, io)?;
        let paragraphs = args
            .dedup_paragraphs
            .then(|| RepeatedParagraphs::new(REPEATED_SHARE));
        Ok(Filter {
            args,
            without,
            paragraphs: paragraphs.transpose()?,
            left_out: BTreeMap::new(),
            removed_paragraphs: 0,
        })
    }

    /// Returns why a document is left out, and counts it; `None` if it is not.
    pub fn find_cause(&mut self, document: &Document, event: &Event) -> Option<String> {
        let args = self.args;
        // Also of a document that another filter leaves out.
        let listed = self.find_listed(document, event);
        let is_below = |least: f64| document.margin.is_none_or(|margin| margin < least);
        let is_other = args
            .licence
            .as_ref()
            .is_some_and(|licence| !licence.includes(document.licence()));
        let cause = if args.no_optout && !document.fetch.optout.is_empty() {
            "with an opt-out from text and data mining"
        } else if is_other {
            "with another licence, or without one"
        } else if args.min_margin.is_some_and(is_below) {
            "below the margin, or without one"
        } else {
            listed.as_ref().map(|_| "listed by --without")?
        };
        self.count(cause);
        Some(
            listed
                .filter(|reason| !reason.is_empty())
                .unwrap_or(cause.into()),
        )
    }

    /// Returns the reason of a list that has the id, the digest or a URL of a document.
    fn find_listed(&mut self, document: &Document, event: &Event) -> Option<String> {
        if self.without.names.is_empty() {
            return None;
        }
        let names = [event.url(), event.final_url(), event.id()];
        let names = names.into_iter().flatten().map(|name| url_key(&name));
        let own = [Some(&document.id), document.fetch.digest.as_ref()];
        let mut reason = None;
        for name in names.chain(own.into_iter().flatten().map(|name| url_key(name))) {
            if let Some(&entry) = self.without.names.get(&name) {
                let (is_found, why) = &mut self.without.entries[entry];
                *is_found = true;
                reason.get_or_insert_with(|| why.clone());
            }
        }
        reason
    }

    /// Counts a document that is left out.
    pub fn count(&mut self, cause: &'static str) {
        *self.left_out.entry(cause).or_default() += 1;
    }

    /// Removes repeated paragraphs. Returns the changed record; `None` if nothing was removed.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub fn remove_paragraphs(&mut self, event: &Event) -> anyhow::Result<Option<Record>> {
        let Some(seen) = &mut self.paragraphs else {
            return Ok(None);
        };
        let text = event.text();
        let mut dedup: Option<Dedup> = event.record().view(field::DEDUP).ok().flatten();
        let marked = dedup.as_mut().and_then(|dedup| dedup.repeated.take());
        let repeated = match marked {
            Some(marked) => marked,
            None => seen.check_and_add(&text)?,
        };
        if repeated.is_empty() {
            return Ok(None);
        }
        let repeated: HashSet<usize> = repeated.iter().map(|mark| mark.paragraph).collect();
        let kept = lines(&text).enumerate();
        let kept = kept.filter(|(paragraph, _)| !repeated.contains(paragraph));
        let kept: Vec<&str> = kept.map(|(_, paragraph)| paragraph).collect();
        self.removed_paragraphs += repeated.len() as u64;
        let mut record = event.record().clone();
        record.set(field::TEXT, &kept.join("\n"));
        // Its places are those of the whole text.
        record.remove(field::STRUCTURE);
        if let Some(dedup) = dedup {
            // Its marks were numbers of paragraphs of the whole text.
            record.set(field::DEDUP, &dedup);
        }
        Ok(Some(record))
    }

    /// Returns what was left out, for the user.
    pub fn describe(&self) -> Vec<String> {
        let documents = self.left_out.iter();
        let documents =
            documents.map(|(cause, &n)| format!("{} {cause}", format_count(n, "document")));
        let mut lines: Vec<String> = documents.collect();
        if self.removed_paragraphs > 0 {
            let count = format_count(self.removed_paragraphs, "paragraph");
            lines.push(format!("{count} that repeat earlier text"));
        }
        let missing = self
            .without
            .entries
            .iter()
            .filter(|(is_found, _)| !is_found)
            .count();
        if missing > 0 {
            let entries = format_count(self.without.entries.len() as u64, "entry");
            lines.push(format!("nothing for {missing} of {entries} of --without"));
        }
        lines
    }
}

/// Reads lists of documents: a name each, or records with `id` or `url`. A record with `reason` is
/// a document that was taken down, whose other versions go as well.
fn read_lists(paths: &[PathBuf], io: &mut Io) -> anyhow::Result<RemovalLists> {
    let mut lists = RemovalLists::default();
    if paths.is_empty() {
        return Ok(lists);
    }
    let input = Input::from_files(paths.to_vec());
    io.for_each_given(&input, "jq -r .url", |line| {
        let record = match line {
            // A list may mix names and records.
            GivenLine::Text(text) if text.starts_with('{') => {
                Record::parse(text.into_bytes()).map_err(|(e, _)| e.to_string())?
            }
            GivenLine::Text(name) => {
                lists.add([&*name], String::new());
                return Ok(());
            }
            GivenLine::Record(record) => record,
        };
        let string = |field| record.string(field).ok().flatten().unwrap_or_default();
        let id = record.id().map(|id| id.into_owned()).unwrap_or_default();
        let (url, digest, reason) = (string(field::URL), string("digest"), string("reason"));
        // The URL of a document that has no id of its own.
        match reason.is_empty() {
            false => lists.add([&*id, &*url, &*digest], reason.into_owned()),
            true if !id.is_empty() => lists.add([&*id], String::new()),
            true if !url.is_empty() => lists.add([&*url], String::new()),
            true => return Err("has neither `id` nor `url`".into()),
        }
        Ok(())
    })?;
    Ok(lists)
}

impl RemovalLists {
    /// Adds a document by all of its names that are not empty.
    fn add<const N: usize>(&mut self, names: [&str; N], reason: String) {
        let names = names.map(str::trim).into_iter();
        let mut names = names
            .filter(|name| !name.is_empty())
            .map(url_key)
            .peekable();
        if names.peek().is_some() {
            let entry = self.entries.len();
            self.names.extend(names.map(|name| (name, entry)));
            self.entries.push((false, reason));
        }
    }
}
