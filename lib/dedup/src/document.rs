//! Documents as they are compared, and the result of a comparison.

use crate::banding::MinHashBanding;
use crate::digest::TextDigest;
use crate::paragraphs::ParagraphShingles;
use crate::shingles::ShingleSet;
use crate::store::Entry;
use crate::title::TitleKey;
use forage_state::sqlite_step;
use forage_text::{comparison_form_of_read, has_other_paragraph_words, read};
use std::borrow::Cow;

/// A document to check or to add.
#[derive(Debug, Clone, Copy, Default)]
pub struct DedupDocument<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its `id`, which its duplicates refer to.
    pub id: Option<&'a str>,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// The step that retrieved it; 0 for an initial document.
    pub step: u64,
}

/// The result of checking a document: new, or a duplicate of an indexed document.
#[derive(Debug, Clone, PartialEq)]
pub enum DuplicateStatus {
    /// No indexed document reaches the threshold.
    New,
    /// An indexed document has the same text.
    Exact {
        /// The `id` of the indexed document, if it has one.
        of: Option<String>,
    },
    /// The resemblance to an indexed document reaches the threshold.
    Near {
        /// The `id` of the document with the highest resemblance, if it has one. Of several, the
        /// earliest.
        of: Option<String>,
        /// The resemblance of the two documents, 0 to 1.
        resemblance: f64,
    },
    /// An indexed document has the same title. Only if titles are compared.
    Title {
        /// The `id` of the indexed document, if it has one. Of several, the earliest.
        of: Option<String>,
    },
}

/// Computes the properties of documents that are compared, for one index. Any thread may have one.
#[derive(Debug, Clone, Copy)]
pub struct DocumentComparer {
    pub(crate) banding: MinHashBanding,
    /// True if paragraphs are compared.
    pub(crate) has_paragraphs: bool,
    /// True if the index may be used to compare paragraphs later.
    pub(crate) keeps_words: bool,
}

impl DocumentComparer {
    /// Returns the properties of a document.
    pub fn prepare(&self, document: &DedupDocument) -> PreparedDocument {
        let text = read(document.text);
        let form = comparison_form_of_read(&text);
        let shingles = ShingleSet::from_comparison_form(&form);
        let keeps_words =
            (self.has_paragraphs || self.keeps_words) && has_other_paragraph_words(&text);
        let paragraphs =
            (self.has_paragraphs || keeps_words).then(|| ParagraphShingles::from_text(&text));
        let words = paragraphs.as_ref().filter(|_| keeps_words);
        PreparedDocument {
            words: words.map(ParagraphShingles::to_set),
            entry: Entry {
                step: sqlite_step(document.step),
                digest: TextDigest::from_comparison_form(&form),
                id: document.id.map(str::to_owned),
                title: document.title.and_then(TitleKey::from_title),
            },
            keys: self.banding.keys(&shingles),
            banding: self.banding,
            shingles,
            paragraphs: paragraphs.filter(|_| self.has_paragraphs),
        }
    }
}

/// The properties of a document that are compared with an index.
#[derive(Debug, Clone)]
pub struct PreparedDocument {
    pub(crate) entry: Entry,
    pub(crate) shingles: ShingleSet,
    /// The keys of the shingles under `banding`.
    pub(crate) keys: Vec<u64>,
    banding: MinHashBanding,
    /// The 5-grams of segmented words, by which paragraphs are compared, if they are not the
    /// shingles.
    pub(crate) words: Option<ShingleSet>,
    /// The 5-grams by paragraph, if paragraphs are compared.
    pub(crate) paragraphs: Option<ParagraphShingles>,
}

impl PreparedDocument {
    /// Returns the properties of a document that is in an index.
    pub(crate) fn from_entry(
        entry: Entry,
        shingles: ShingleSet,
        words: Option<ShingleSet>,
        banding: MinHashBanding,
    ) -> PreparedDocument {
        PreparedDocument {
            words,
            keys: banding.keys(&shingles),
            entry,
            shingles,
            banding,
            paragraphs: None,
        }
    }

    /// Returns the same document with keys under `banding`.
    pub(crate) fn with_banding(&self, banding: MinHashBanding) -> Cow<'_, Self> {
        if banding == self.banding {
            return Cow::Borrowed(self);
        }
        Cow::Owned(PreparedDocument::from_entry(
            self.entry.clone(),
            self.shingles.clone(),
            self.words.clone(),
            banding,
        ))
    }
}
