//! Reading the index.
//!
//! Segments are opened by themselves rather than by Tantivy's `IndexReader`, which takes a lock file in the folder
//! (so that a read-only one can't be read) and starts a thread that watches it.

use super::schema::{Fields, schema};
use super::{IndexError, boolean, like, ranking};
use crate::{Abilities, Counts, Document, Engine, EngineError, Exclusion, Page, PageHit, SignedTerms};
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use tantivy::columnar::StrColumn;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption, Schema, Value};
use tantivy::store::StoreReader;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, TantivyDocument, TantivyError, Term};

/// How often opening is tried when segments vanish under us, because a writer merged them meanwhile.
const TRIES: usize = 5;

/// Blocks of the document store (16 kB each) that are kept unpacked, by segment.
const STORE_BLOCKS: usize = 8;

/// What the embedded index can express.
pub(crate) const ABILITIES: Abilities = Abilities {
    exclusion: Exclusion::Exact,
    needs_inclusion: false,
    like: true,
    page_size: Some(u32::MAX),
    ..Abilities::COMMON
};

/// An index, opened to be searched: as it was when it was opened.
pub struct Index {
    folder: PathBuf,
    schema: Schema,
    fields: Fields,
    pub(super) segments: Vec<Segment>,
}

/// One part of an index.
pub(super) struct Segment {
    pub reader: SegmentReader,
    /// Document lengths in terms, rounded.
    pub lengths: FieldNormReader,
    pub urls: StrColumn,
    total_length: OnceCell<u64>,
    store: StoreReader,
}

impl Index {
    /// Opens the index in `folder`. Takes about a millisecond a segment; nothing is read that is not asked for.
    ///
    /// # Errors
    /// When there is no such folder, or it holds no index of ours.
    pub fn open(folder: &Path) -> Result<Index, IndexError> {
        let (schema, fields) = schema();
        let mut tries = 0;
        let segments = loop {
            tries += 1;
            match open_segments(&open_folder(folder)?, fields.text) {
                Err(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))) if tries < TRIES => {}
                other => break other.map_err(|e| failed(folder, &e))?,
            }
        };
        Ok(Index { folder: folder.into(), schema, fields, segments })
    }

    fn read(&self, url: &str) -> tantivy::Result<Option<Document>> {
        let term = Term::from_field_text(self.fields.url, url);
        for segment in &self.segments {
            if let Some(at) = segment.find(&term)? {
                return Ok(Some(self.document_at(&segment.store.get(at)?)));
            }
        }
        Ok(None)
    }

    /// The words by which documents are like the one that a query names.
    fn like(&self, terms: &SignedTerms) -> Result<Option<Vec<Term>>, EngineError> {
        let Some(url) = terms.like() else { return Ok(None) };
        let document = self.read(url).map_err(|e| self.down(&e))?.ok_or_else(|| {
            let why = format!("{url}: is not in {}, which can tell only what is like a page of its own", self.name());
            EngineError::Refused(why)
        })?;
        like::words(&self.segments, self.fields.text, &document.text).map(Some).map_err(|e| self.down(&e))
    }

    fn name(&self) -> String {
        format!("index:{}", self.folder.display())
    }

    fn document_at(&self, stored: &TantivyDocument) -> Document {
        let text_of = |field| stored.get_first(field).and_then(|value| value.as_str()).map(String::from);
        Document {
            id: text_of(self.fields.id).unwrap_or_default(),
            title: text_of(self.fields.title),
            text: text_of(self.fields.text).unwrap_or_default(),
        }
    }

    fn down(&self, cause: &TantivyError) -> EngineError {
        EngineError::Down(failed(&self.folder, cause).to_string())
    }
}

impl Engine for Index {
    fn abilities(&self) -> Abilities {
        ABILITIES
    }

    fn page(&mut self, terms: &SignedTerms, number: u32, size: u32) -> Result<Page, EngineError> {
        let text = self.fields.text;
        let matching = boolean::build(terms, self.like(terms)?, text)?;
        let (number, size) = (number.max(1) as usize, size as usize);
        // One more than is shown tells whether there is a further page; another is the document itself.
        let limit = number.saturating_mul(size).saturating_add(if terms.like().is_some() { 2 } else { 1 });
        let mut ranked = ranking::best(&self.segments, &self.schema, text, &matching, limit)
            .map_err(|e| self.down(&e))?
            .into_iter()
            .filter(|url| terms.like() != Some(url))
            .skip((number - 1).saturating_mul(size));
        let hits = ranked.by_ref().take(size).map(|url| PageHit { url, title: None, snippet: None }).collect();
        Ok(Page { hits, more: ranked.next().is_some(), counts: Counts::default() })
    }

    fn document(&mut self, url: &str) -> Result<Option<Document>, EngineError> {
        self.read(url).map_err(|e| self.down(&e))
    }
}

/// Number of documents that were added, with those that were replaced since; `--add` leaves none.
pub(super) fn documents(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.reader.max_doc())).sum()
}

/// Number of them that hold a term.
pub(super) fn document_frequency(segments: &[Segment], term: &Term) -> tantivy::Result<u64> {
    let mut df = 0;
    for segment in segments {
        df += u64::from(segment.reader.inverted_index(term.field())?.doc_freq(term)?);
    }
    Ok(df)
}

impl Segment {
    fn open(reader: SegmentReader, text: Field) -> tantivy::Result<Segment> {
        let urls = reader.fast_fields().str("url")?.ok_or_else(|| TantivyError::FieldNotFound("url".into()))?;
        Ok(Segment {
            lengths: reader.get_fieldnorms_reader(text)?,
            urls,
            total_length: OnceCell::new(),
            store: reader.get_store_reader(STORE_BLOCKS)?,
            reader,
        })
    }

    /// Sum of the documents' lengths. It is taken from the rounded lengths, as Tantivy's own total depends on how the
    /// segment came about.
    pub fn total_length(&self) -> u64 {
        let documents = 0..self.reader.max_doc();
        *self.total_length.get_or_init(|| documents.map(|at| u64::from(self.lengths.fieldnorm(at))).sum())
    }

    /// The URL of an ordinal of `urls`.
    pub fn url(&self, ordinal: u64) -> tantivy::Result<String> {
        let mut url = String::new();
        self.urls.ord_to_str(ordinal, &mut url)?;
        Ok(url)
    }

    /// The document with this URL.
    fn find(&self, url: &Term) -> tantivy::Result<Option<DocId>> {
        let index = self.reader.inverted_index(url.field())?;
        let Some(mut postings) = index.read_postings(url, IndexRecordOption::Basic)? else { return Ok(None) };
        while postings.doc() != TERMINATED {
            if !self.reader.is_deleted(postings.doc()) {
                return Ok(Some(postings.doc()));
            }
            postings.advance();
        }
        Ok(None)
    }
}

fn open_segments(index: &tantivy::Index, text: Field) -> tantivy::Result<Vec<Segment>> {
    index.searchable_segments()?.iter().map(|segment| Segment::open(SegmentReader::open(segment)?, text)).collect()
}

/// Opens the folder as an index of ours, without reading its segments.
pub(super) fn open_folder(folder: &Path) -> Result<tantivy::Index, IndexError> {
    if !folder.exists() {
        return Err(IndexError::Missing(folder.into()));
    }
    let index = tantivy::Index::open_in_dir(folder).map_err(|e| match e {
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)) if is_empty(folder) => {
            IndexError::Missing(folder.into())
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))
        | TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_))
        | TantivyError::DataCorruption(_) => IndexError::Foreign(folder.into()),
        e => failed(folder, &e),
    })?;
    if index.schema() == schema().0 { Ok(index) } else { Err(IndexError::Foreign(folder.into())) }
}

/// Whether nothing is in the folder but, at most, what a writer that was killed at once left behind.
pub(super) fn is_empty(folder: &Path) -> bool {
    let hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| hidden(&entry)))
}

pub(super) fn failed(folder: &Path, cause: &TantivyError) -> IndexError {
    IndexError::Failed(folder.into(), cause.to_string())
}
