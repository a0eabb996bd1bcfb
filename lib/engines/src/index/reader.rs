//! Reading the embedded index.

use super::combine::{MergedRows, prepare_documents};
use super::failure::{IndexResult, index_error};
use super::folder::{open_segments, read_current_manifest, read_manifest};
use super::segment::{Segment, read_document};
use super::{EmbeddedIndexError, boolean, more_like_this, ranking};
use crate::{
    Engine, EngineCapabilities, EngineDocument, EngineError, EngineHit, EngineQuery, EngineResult,
    ExclusionSupport, HitPage,
};
use forage_web::page_url::page_key;
use std::path::{Path, PathBuf};

/// Capabilities of the embedded index.
pub(crate) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Exact,
    needs_inclusion_term: false,
    supports_variants: true,
    folds_apostrophes: Some(true),
    meanings: &["embedded index|yes|yes|yes|yes|yes|no|yes|yes|yes"],
    supports_more_like_this: true,
    supports_in_links: true,
    max_page_size: Some(u32::MAX),
    ..EngineCapabilities::COMMON
};

/// An index that is open for reading: a snapshot of the time when it was opened.
pub struct EmbeddedIndex {
    folder: PathBuf,
    pub(super) segments: Vec<Segment>,
}

impl EmbeddedIndex {
    /// Opens the index in `folder`. Takes far less than a millisecond per segment, as data are read
    /// only when a query needs them.
    ///
    /// # Errors
    /// Fails if the folder does not exist, or holds no index of Forage, or one with terms of
    /// another segmentation version.
    pub fn open(folder: &Path) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        EmbeddedIndex::from_segments(folder, open_segments(folder, read_current_manifest))
    }

    /// Opens the index in `folder` to read its documents, whatever the segmentation version of its
    /// terms.
    ///
    /// # Errors
    /// Fails if the folder does not exist, or holds no index of Forage.
    pub fn open_for_documents(folder: &Path) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        EmbeddedIndex::from_segments(folder, open_segments(folder, read_manifest))
    }

    fn from_segments(
        folder: &Path,
        segments: IndexResult<Vec<Segment>>,
    ) -> Result<EmbeddedIndex, EmbeddedIndexError> {
        Ok(EmbeddedIndex {
            folder: folder.into(),
            segments: segments.map_err(index_error(folder, "read"))?,
        })
    }

    /// Calls `receive` with all documents and their URLs, in the order of the URLs, until it fails.
    ///
    /// # Errors
    /// Fails if the index cannot be read, or `receive` fails.
    pub fn for_each_document<E: From<EmbeddedIndexError>>(
        &self,
        mut receive: impl FnMut(&str, EngineDocument) -> Result<(), E>,
    ) -> Result<(), E> {
        let to_error = index_error(&self.folder, "read");
        let mut documents = prepare_documents(&self.segments).map_err(&to_error)?;
        let mut rows = MergedRows::new(&mut documents).map_err(&to_error)?;
        while let Some((_, row)) = rows.next().map_err(&to_error)? {
            let url: String = row.get(0).map_err(&to_error)?;
            receive(&url, read_document(row).map_err(&to_error)?)?;
        }
        Ok(())
    }

    fn read_document(&self, url: &str) -> rusqlite::Result<Option<EngineDocument>> {
        for segment in &self.segments {
            if let Some(document) = segment.find_document(url)? {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    /// Returns the more-like-this terms of a query that names a document.
    fn similarity_terms(&self, query: &EngineQuery) -> EngineResult<Option<Vec<String>>> {
        let Some(url) = query.like_url() else {
            return Ok(None);
        };
        let document = self
            .read_document(url)
            .map_err(|e| self.engine_error(e))?
            .ok_or_else(|| {
                EngineError::Refused(format!(
                    "{url}: is not in index:{}; more-like-this needs a document of the index",
                    self.folder.display()
                ))
            })?;
        more_like_this::select_similarity_terms(&self.segments, &document.text)
            .map(Some)
            .map_err(|e| self.engine_error(e))
    }

    /// Returns the key of the page of an in-link query.
    fn linked_page(&self, query: &EngineQuery) -> EngineResult<Option<String>> {
        if query.links_to().is_some() {
            self.check_in_links()?;
        }
        Ok(query.links_to().map(page_key))
    }

    fn engine_error(&self, cause: rusqlite::Error) -> EngineError {
        EngineError::Down(index_error(&self.folder, "read")(cause).to_string())
    }
}

impl Engine for EmbeddedIndex {
    fn capabilities(&self) -> EngineCapabilities {
        CAPABILITIES
    }

    fn check_in_links(&self) -> EngineResult<()> {
        for segment in &self.segments {
            if segment.has_links().map_err(|e| self.engine_error(e))? {
                return Ok(());
            }
        }
        Err(EngineError::Refused(format!(
            "index:{}: has no document with links; make a new index of records with `links` to find \
             in-links: `fetch-extract --links | search --engine index:NEW --add`",
            self.folder.display()
        )))
    }

    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        size: u32,
    ) -> EngineResult<HitPage> {
        let link = self.linked_page(query)?;
        let match_query =
            boolean::build_match_query(query, self.similarity_terms(query)?, link.as_deref())?;
        let number = number.max(1) as usize;
        let size = size as usize;
        // One document more than is returned shows whether there is a further page. A second one
        // replaces the document that hits are similar to.
        let limit = number
            .saturating_mul(size)
            .saturating_add(if query.like_url().is_some() { 2 } else { 1 });
        let mut ranked = ranking::rank_documents(&self.segments, &match_query, limit)
            .map_err(|e| self.engine_error(e))?
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
        self.read_document(url).map_err(|e| self.engine_error(e))
    }
}
