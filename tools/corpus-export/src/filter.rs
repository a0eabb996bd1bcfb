//! Documents that are left out on request, and paragraphs.

use crate::args::FilterArgs;
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

/// The filters, and what they have left out.
#[derive(Debug)]
pub struct Filter<'a> {
    args: &'a FilterArgs,
    /// Ids and keys of URLs of documents to leave out, with true if there was such a document.
    without: HashMap<String, bool>,
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

    /// Returns `true` if a document is left out, and counts it.
    pub fn leaves_out(&mut self, document: &crate::corpus_format::Document, event: &Event) -> bool {
        let args = self.args;
        // Also of a document that another filter leaves out.
        let is_listed = self.is_listed(document, event);
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
        } else if is_listed {
            "listed by --without"
        } else {
            return false;
        };
        self.count(cause);
        true
    }

    /// Returns `true` if a list has the id or a URL of a document.
    fn is_listed(&mut self, document: &crate::corpus_format::Document, event: &Event) -> bool {
        if self.without.is_empty() {
            return false;
        }
        let names = [event.url(), event.final_url(), event.id()];
        let names = names.into_iter().flatten().map(|name| url_key(&name));
        let mut is_listed = false;
        for name in names.chain([url_key(&document.id)]) {
            if let Some(is_found) = self.without.get_mut(&name) {
                (*is_found, is_listed) = (true, true);
            }
        }
        is_listed
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
        let missing = self.without.values().filter(|is_found| !**is_found).count();
        if missing > 0 {
            let entries = format_count(self.without.len() as u64, "entry");
            lines.push(format!("nothing for {missing} of {entries} of --without"));
        }
        lines
    }
}

/// Reads the ids and URLs of lists: a line each, or records with them.
fn read_lists(paths: &[PathBuf], io: &mut Io) -> anyhow::Result<HashMap<String, bool>> {
    let mut names = HashMap::new();
    if paths.is_empty() {
        return Ok(names);
    }
    let input = Input::from_files(paths.to_vec());
    io.for_each_given(&input, "jq -r .url", |line| {
        let line = match line {
            // A list may mix names and records.
            GivenLine::Text(text) if text.starts_with('{') => {
                let record = Record::parse(text.into_bytes()).map_err(|(e, _)| e.to_string())?;
                GivenLine::Record(record)
            }
            line => line,
        };
        let name = match line {
            GivenLine::Text(name) => name.trim().to_owned(),
            GivenLine::Record(record) => {
                let id = record.id().map(|id| id.into_owned());
                let url = record.string(field::URL).ok().flatten();
                // The URL of a document that has no id of its own.
                let id = id.filter(|id| !id.is_empty());
                let name = id.or_else(|| url.map(|url| url.into_owned()));
                name.ok_or("has neither `id` nor `url`")?
            }
        };
        if !name.is_empty() {
            names.insert(url_key(&name), false);
        }
        Ok(())
    })?;
    Ok(names)
}
