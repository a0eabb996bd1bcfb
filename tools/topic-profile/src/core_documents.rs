//! The documents of the core.

use crate::args::Args;
use forage_cli::{Io, TextUse};
use forage_langid::{Identifier, LanguageCode};
use forage_record::LangId;
use forage_run::final_url;
use forage_topic::profile::CoreStatistics;
use forage_web::page_url::host_of;
use std::collections::BTreeMap;

/// Number of characters of each document by which the language of the core is identified, if its
/// records do not name it. Set by judgement, not measured.
const IDENTIFIED_CHARACTERS: usize = 2000;

/// A document of the core.
struct CoreDocument {
    /// Host of its URL; empty if it is unknown.
    host: String,
    text: String,
    /// Its language, if the record names it.
    language: Option<LanguageCode>,
}

/// The documents of the core, in the order of the input.
pub(crate) struct CoreDocuments {
    documents: Vec<CoreDocument>,
}

impl CoreDocuments {
    /// Reads the core: the records of the input that have a text and no error, and files of text.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(crate) fn read(args: &Args, io: &mut Io) -> anyhow::Result<CoreDocuments> {
        let mut documents = Vec::new();
        let input = args.input.with_text_use(TextUse::Document);
        io.for_each_record(&input, |record| {
            if !record.has_error()
                && let Ok(Some(text)) = record.text()
                && !text.trim().is_empty()
            {
                documents.push(CoreDocument {
                    host: final_url(&record)
                        .and_then(|url| host_of(&url))
                        .unwrap_or_default(),
                    language: LangId::code_of(&record).and_then(|code| code.parse().ok()),
                    text: text.into_owned(),
                });
            }
            Ok(())
        })?;
        anyhow::ensure!(
            !documents.is_empty(),
            "the core has no document; it is made of records with `text`"
        );
        Ok(CoreDocuments { documents })
    }

    /// Returns the language of the core: that of `--lang`, or that of most records, or else of most
    /// texts.
    pub(crate) fn language(&self, args: &Args) -> anyhow::Result<LanguageCode> {
        if let Some(code) = args.language.lang {
            return Ok(code);
        }
        let recorded = || {
            self.documents
                .iter()
                .filter_map(|document| document.language)
        };
        let identified = || {
            let identifier = Identifier::builtin();
            self.documents
                .iter()
                .map(|document| {
                    let text = start_of(&document.text, IDENTIFIED_CHARACTERS);
                    identifier.identify(text).code
                })
                .collect::<Vec<_>>()
        };
        let code = most_frequent(recorded()).or_else(|| most_frequent(identified().into_iter()));
        code.ok_or_else(|| {
            anyhow::anyhow!(
                "the language of the core is unknown; name it with --lang, or --lang und"
            )
        })
    }

    /// Adds the documents to the statistics. A document without a URL counts as from a host of its
    /// own.
    pub(crate) fn add_to(&self, core: &mut CoreStatistics) {
        for (document, number) in self.documents.iter().zip(1..) {
            if document.host.is_empty() {
                core.add_document(&format!("document {number}"), &document.text);
            } else {
                core.add_document(&document.host, &document.text);
            }
        }
    }
}

/// Returns the language that occurs most often, other than the undetermined one.
fn most_frequent(codes: impl Iterator<Item = LanguageCode>) -> Option<LanguageCode> {
    let mut counts: BTreeMap<LanguageCode, usize> = BTreeMap::new();
    for code in codes.filter(|code| *code != LanguageCode::UNDETERMINED) {
        *counts.entry(code).or_default() += 1;
    }
    let best = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    best.map(|(code, _)| code)
}

/// Returns the first `count` characters of a text.
fn start_of(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count);
    end.map_or(text, |(end, _)| &text[..end])
}
