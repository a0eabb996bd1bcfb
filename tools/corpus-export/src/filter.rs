//! Documents that are left out on request, and paragraphs.

use crate::args::FilterArgs;
use forage_cli::{GivenLine, Input, Io, format_count};
use forage_dedup::RepeatedParagraphs;
use forage_record::{Dedup, Record, field};
use forage_run::Event;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// The share of seen 5-grams above which a paragraph is repeated: that of `dedup --paragraphs`.
const REPEATED_SHARE: f64 = 0.5;

/// The filters, and what they have left out.
#[derive(Debug)]
pub struct Filter<'a> {
    args: &'a FilterArgs,
    /// Ids and URLs of documents to leave out.
    without: HashSet<String>,
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
    pub fn leaves_out(&mut self, document: &forage_export::Document, event: &Event) -> bool {
        let args = self.args;
        let is_listed = || {
            let urls = [event.url(), event.final_url(), event.id()];
            self.without.contains(&document.id)
                || urls
                    .into_iter()
                    .flatten()
                    .any(|name| self.without.contains(&*name))
        };
        let is_below = |least: f64| document.margin.is_none_or(|margin| margin < least);
        let is_other = args
            .licence
            .as_ref()
            .is_some_and(|licence| !licence.includes(document.licence()));
        let cause = if args.no_optout && !document.fetch.optout.is_empty() {
            "that opt out of text and data mining"
        } else if is_other {
            "with another licence"
        } else if args.min_margin.is_some_and(is_below) {
            "below the margin, or without one"
        } else if !self.without.is_empty() && is_listed() {
            "listed by --without"
        } else {
            return false;
        };
        self.count(cause);
        true
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
        let kept = text.split('\n').enumerate();
        let kept = kept.filter(|(paragraph, _)| !repeated.contains(paragraph));
        let kept: Vec<&str> = kept.map(|(_, paragraph)| paragraph).collect();
        self.removed_paragraphs += repeated.len() as u64;
        let mut record = event.record().clone();
        record.set(field::TEXT, &kept.join("\n"));
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
        lines
    }
}

/// Reads the ids and URLs of lists: a line each, or records with them.
fn read_lists(paths: &[PathBuf], io: &mut Io) -> anyhow::Result<HashSet<String>> {
    let mut names = HashSet::new();
    if paths.is_empty() {
        return Ok(names);
    }
    let input = Input::from_files(paths.to_vec());
    io.for_each_given(&input, "jq -r .url", |line| {
        let name = match line {
            GivenLine::Text(name) => Some(name.trim().to_owned()),
            GivenLine::Record(record) => {
                let id = record.id().map(|id| id.into_owned());
                let url = record.string(field::URL).ok().flatten();
                // The URL of a document that has no id of its own.
                let id = id.filter(|id| !id.is_empty());
                let name = id.or_else(|| url.map(|url| url.into_owned()));
                Some(name.ok_or("has neither `id` nor `url`")?)
            }
        };
        names.extend(name.filter(|name| !name.is_empty()));
        Ok(())
    })?;
    Ok(names)
}
