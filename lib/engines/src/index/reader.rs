//! Reading the embedded index.
//!
//! Segments are opened directly and not with Tantivy's `IndexReader`. That takes a lock file in the
//! folder, so that a read-only folder cannot be read, and starts a thread that watches the folder.

use super::failure::{denied_error, index_error};
use super::schema::{SchemaFields, fields_of, segmentation_version};
use super::segment::{IndexSegment, has_terms, open_segments};
use super::{EmbeddedIndexError, boolean, more_like_this, ranking};
use crate::{
    Engine, EngineCapabilities, EngineDocument, EngineError, EngineHit, EngineQuery, EngineResult,
    ExclusionSupport, HitPage,
};
use forage_text::SEGMENTATION_VERSION;
use forage_web::page_url::page_key;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};
use tantivy::schema::{Field, Schema, Value};
use tantivy::{TantivyDocument, TantivyError, Term};

/// Number of attempts to open the index. Opening fails if a writer merges segments meanwhile, so
/// that their files vanish.
const OPEN_ATTEMPTS: usize = 5;

/// Capabilities of the embedded index.
pub(crate) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Exact,
    needs_inclusion_term: false,
    supports_variants: true,
    supports_more_like_this: true,
    supports_in_links: true,
    max_page_size: Some(u32::MAX),
    ..EngineCapabilities::COMMON
};

/// An index that is open for reading: a snapshot of the time when it was opened.
pub struct EmbeddedIndex {
    folder: PathBuf,
    schema: Schema,
    fields: SchemaFields,
    pub(super) segments: Vec<IndexSegment>,
}

impl EmbeddedIndex {
    /// Opens the index in `folder`. Takes about a millisecond per segment, as data are read only
    /// when a query needs them.
    ///
    /// # Errors
    /// Fails if the folder does not exist, or holds no index of Forage, or one with terms of
    /// another segmentation version.
    pub fn open(folder: &Path) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        EmbeddedIndex::open_with(folder, open_folder)
    }

    /// Opens the index in `folder` to read its documents, whatever the segmentation version of its
    /// terms.
    ///
    /// # Errors
    /// Fails if the folder does not exist, or holds no index of Forage.
    pub fn open_for_documents(folder: &Path) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        EmbeddedIndex::open_with(folder, |folder| Ok(open_any_version(folder)?.0))
    }

    fn open_with(
        folder: &Path,
        open_folder: impl Fn(&Path) -> Result<tantivy::Index, EmbeddedIndexError>,
    ) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let index = open_folder(folder)?;
            let schema = index.schema();
            let fields = fields_of(&schema);
            let segments = match open_segments(&index, fields.text) {
                Err(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)))
                    if attempts < OPEN_ATTEMPTS =>
                {
                    continue;
                }
                result => result.map_err(|e| index_error(folder, &e))?,
            };
            return Ok(EmbeddedIndex {
                folder: folder.into(),
                schema,
                fields,
                segments,
            });
        }
    }

    /// Returns all documents with their URLs, in the order of the URLs. Keeps the URLs in memory.
    ///
    /// # Errors
    /// Fails if the index cannot be read, and so does each document.
    pub fn documents(
        &self,
    ) -> Result<
        impl Iterator<Item = Result<(String, EngineDocument), EmbeddedIndexError>>,
        EmbeddedIndexError,
    > {
        let to_error = |cause: TantivyError| index_error(&self.folder, &cause);
        let mut places = Vec::new();
        for segment in &self.segments {
            for document in segment.reader.doc_ids_alive() {
                if let Some(url) = segment.urls.term_ords(document).next() {
                    places.push((segment.url(url).map_err(to_error)?, segment, document));
                }
            }
        }
        places.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        Ok(places.into_iter().map(move |(url, segment, document)| {
            let stored = segment.store.get(document).map_err(to_error)?;
            Ok((url, self.to_document(&stored)))
        }))
    }

    fn read_document(&self, url: &str) -> tantivy::Result<Option<EngineDocument>> {
        let url = Term::from_field_text(self.fields.url, url);
        for segment in &self.segments {
            if let Some(document) = segment.find_document(&url)? {
                return Ok(Some(self.to_document(&segment.store.get(document)?)));
            }
        }
        Ok(None)
    }

    /// Returns the more-like-this terms of a query that names a document.
    fn similarity_terms(&self, query: &EngineQuery) -> EngineResult<Option<Vec<Term>>> {
        let Some(url) = query.like_url() else {
            return Ok(None);
        };
        let document = self
            .read_document(url)
            .map_err(|e| self.engine_error(&e))?
            .ok_or_else(|| {
                EngineError::Refused(format!(
                    "{url}: is not in index:{}; more-like-this needs a document of the index",
                    self.folder.display()
                ))
            })?;
        more_like_this::select_similarity_terms(&self.segments, self.fields.text, &document.text)
            .map(Some)
            .map_err(|e| self.engine_error(&e))
    }

    /// Returns the terms of which documents have one that link to the page of an in-link query: the
    /// key of its URL, or in indexes of earlier versions the URL as it is spelt.
    fn link_terms(&self, query: &EngineQuery) -> EngineResult<Vec<Term>> {
        let Some(url) = query.links_to() else {
            return Ok(Vec::new());
        };
        let field = self.links_field()?;
        let spellings = BTreeSet::from([page_key(url), url.to_owned()]);
        let to_term = |url: &String| Term::from_field_text(field, url);
        Ok(spellings.iter().map(to_term).collect())
    }

    /// Returns the field of links.
    fn links_field(&self) -> EngineResult<Field> {
        let refusal = |cause: &str| {
            EngineError::Refused(format!(
                "index:{}: {cause}; make a new index of records with `links` to find in-links: \
                 `fetch-extract --links | search --engine index:NEW --add`",
                self.folder.display()
            ))
        };
        let Some(links) = self.fields.links else {
            return Err(refusal("is of an earlier version, which indexed no links"));
        };
        match has_terms(&self.segments, links) {
            Ok(true) => Ok(links),
            Ok(false) => Err(refusal("has no document with links")),
            Err(e) => Err(self.engine_error(&e)),
        }
    }

    fn to_document(&self, stored: &TantivyDocument) -> EngineDocument {
        let field_text = |field| {
            stored
                .get_first(field)
                .and_then(|value| value.as_str())
                .map(String::from)
        };
        EngineDocument {
            id: field_text(self.fields.id).unwrap_or_default(),
            title: field_text(self.fields.title),
            text: field_text(self.fields.text).unwrap_or_default(),
        }
    }

    fn engine_error(&self, cause: &TantivyError) -> EngineError {
        EngineError::Down(index_error(&self.folder, cause).to_string())
    }
}

impl Engine for EmbeddedIndex {
    fn capabilities(&self) -> EngineCapabilities {
        CAPABILITIES
    }

    fn check_in_links(&self) -> EngineResult<()> {
        self.links_field().map(drop)
    }

    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        size: u32,
    ) -> EngineResult<HitPage> {
        let text = self.fields.text;
        let match_query = boolean::build_match_query(
            query,
            self.similarity_terms(query)?,
            self.link_terms(query)?,
            text,
        )?;
        let number = number.max(1) as usize;
        let size = size as usize;
        // One document more than is returned shows whether there is a further page. A second one
        // replaces the document that hits are similar to.
        let limit = number
            .saturating_mul(size)
            .saturating_add(if query.like_url().is_some() { 2 } else { 1 });
        let mut ranked =
            ranking::rank_documents(&self.segments, &self.schema, text, &match_query, limit)
                .map_err(|e| self.engine_error(&e))?
                .into_iter()
                .filter(|url| query.like_url() != Some(url))
                .skip((number - 1).saturating_mul(size));
        let hits = ranked
            .by_ref()
            .take(size)
            .map(|url| EngineHit {
                url,
                ..EngineHit::default()
            })
            .collect();
        Ok(HitPage {
            hits,
            has_more: ranked.next().is_some(),
            ..HitPage::default()
        })
    }

    fn document(&mut self, url: &str) -> EngineResult<Option<EngineDocument>> {
        self.read_document(url).map_err(|e| self.engine_error(&e))
    }
}

/// Opens the index in a folder without reading its segments.
pub(super) fn open_folder(folder: &Path) -> Result<tantivy::Index, EmbeddedIndexError> {
    match open_any_version(folder)? {
        (index, SEGMENTATION_VERSION) => Ok(index),
        (_, version) => Err(EmbeddedIndexError::OtherSegmentation(
            folder.into(),
            version,
        )),
    }
}

/// Opens the index in a folder without reading its segments, and returns the segmentation version
/// of its terms.
fn open_any_version(folder: &Path) -> Result<(tantivy::Index, u32), EmbeddedIndexError> {
    match folder.try_exists() {
        Ok(true) => {}
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            return Err(denied_error(folder, None, "read"));
        }
        _ => return Err(EmbeddedIndexError::Missing(folder.into())),
    }
    let index = tantivy::Index::open_in_dir(folder).map_err(|e| match e {
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))
            if is_empty_folder(folder) =>
        {
            EmbeddedIndexError::Missing(folder.into())
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))
        | TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_))
        | TantivyError::DataCorruption(_) => EmbeddedIndexError::Foreign(folder.into()),
        e => index_error(folder, &e),
    })?;
    match segmentation_version(&index.schema()) {
        Some(version) => Ok((index, version)),
        None => Err(EmbeddedIndexError::Foreign(folder.into())),
    }
}

/// Returns `true` if a folder is empty, except for the hidden files that a writer leaves if it is
/// killed right after its start.
pub(super) fn is_empty_folder(folder: &Path) -> bool {
    let is_hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| is_hidden(&entry)))
}
