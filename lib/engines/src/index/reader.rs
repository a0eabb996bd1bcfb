//! Reading the index.
//!
//! Segments are opened by themselves rather than by Tantivy's `IndexReader`, which takes a lock
//! file in the folder (so that a read-only one can't be read) and starts a thread that watches it.

use super::schema::{Fields, schema};
use super::segment::{Segment, open_segments};
use super::{IndexError, boolean, like, ranking};
use crate::{
    Abilities, Counts, Document, Engine, EngineError, Exclusion, Page, PageHit, SignedTerms,
};
use std::fs;
use std::path::{Path, PathBuf};
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};
use tantivy::schema::{Schema, Value};
use tantivy::{TantivyDocument, TantivyError, Term};

/// How often opening is tried when segments vanish under us, because a writer merged them
/// meanwhile.
const TRIES: usize = 5;

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

impl Index {
    /// Opens the index in `folder`. Takes about a millisecond a segment; nothing is read that is
    /// not asked for.
    ///
    /// # Errors
    /// When there is no such folder, or it holds no index of ours.
    pub fn open(folder: &Path) -> Result<Index, IndexError> {
        let (schema, fields) = schema();
        let mut tries = 0;
        let segments = loop {
            tries += 1;
            match open_segments(&open_folder(folder)?, fields.text) {
                Err(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)))
                    if tries < TRIES => {}
                other => break other.map_err(|e| failed(folder, &e))?,
            }
        };
        Ok(Index {
            folder: folder.into(),
            schema,
            fields,
            segments,
        })
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
        let Some(url) = terms.like() else {
            return Ok(None);
        };
        let document = self.read(url).map_err(|e| self.down(&e))?.ok_or_else(|| {
            let why = format!(
                "{url}: is not in {}, which can tell only what is like a page of its own",
                self.name()
            );
            EngineError::Refused(why)
        })?;
        like::words(&self.segments, self.fields.text, &document.text)
            .map(Some)
            .map_err(|e| self.down(&e))
    }

    fn name(&self) -> String {
        format!("index:{}", self.folder.display())
    }

    fn document_at(&self, stored: &TantivyDocument) -> Document {
        let text_of = |field| {
            stored
                .get_first(field)
                .and_then(|value| value.as_str())
                .map(String::from)
        };
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
        // One more than is shown tells whether there is a further page; another is the document
        // itself.
        let limit = number
            .saturating_mul(size)
            .saturating_add(if terms.like().is_some() { 2 } else { 1 });
        let mut ranked = ranking::best(&self.segments, &self.schema, text, &matching, limit)
            .map_err(|e| self.down(&e))?
            .into_iter()
            .filter(|url| terms.like() != Some(url))
            .skip((number - 1).saturating_mul(size));
        let hits = ranked
            .by_ref()
            .take(size)
            .map(|url| PageHit {
                url,
                title: None,
                snippet: None,
            })
            .collect();
        Ok(Page {
            hits,
            more: ranked.next().is_some(),
            counts: Counts::default(),
        })
    }

    fn document(&mut self, url: &str) -> Result<Option<Document>, EngineError> {
        self.read(url).map_err(|e| self.down(&e))
    }
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
    if index.schema() == schema().0 {
        Ok(index)
    } else {
        Err(IndexError::Foreign(folder.into()))
    }
}

/// Whether nothing is in the folder but, at most, what a writer that was killed at once left
/// behind.
pub(super) fn is_empty(folder: &Path) -> bool {
    let hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| hidden(&entry)))
}

pub(super) fn failed(folder: &Path, cause: &TantivyError) -> IndexError {
    IndexError::Failed(folder.into(), cause.to_string())
}
