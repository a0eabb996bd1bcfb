//! The segments of an index, and the counts over all of them.

use std::cell::OnceCell;
use tantivy::columnar::StrColumn;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::store::StoreReader;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, TantivyError, Term};

/// Number of decompressed blocks of the document store (16 kB each) that are cached per segment.
const CACHED_STORE_BLOCKS: usize = 8;

/// A segment of an index, opened for reading.
pub(super) struct IndexSegment {
    pub reader: SegmentReader,
    /// Document lengths in terms, quantised to one byte by Tantivy.
    pub lengths: FieldNormReader,
    pub urls: StrColumn,
    total_length: OnceCell<u64>,
    pub store: StoreReader,
}

/// Returns the number of documents. Includes replaced documents, until the merge after a commit of
/// `--add` removes them.
pub(super) fn count_documents(segments: &[IndexSegment]) -> u64 {
    segments
        .iter()
        .map(|segment| u64::from(segment.reader.max_doc()))
        .sum()
}

/// Returns the number of documents that contain a term, including replaced ones.
pub(super) fn document_frequency(segments: &[IndexSegment], term: &Term) -> tantivy::Result<u64> {
    let mut df = 0;
    for segment in segments {
        df += u64::from(
            segment
                .reader
                .inverted_index(term.field())?
                .doc_freq(term)?,
        );
    }
    Ok(df)
}

/// Returns `true` if a document, or a replaced one, has a term in a field.
pub(super) fn has_terms(segments: &[IndexSegment], field: Field) -> tantivy::Result<bool> {
    for segment in segments {
        if segment.reader.inverted_index(field)?.terms().num_terms() > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

impl IndexSegment {
    fn open(reader: SegmentReader, text: Field) -> tantivy::Result<IndexSegment> {
        let urls = reader
            .fast_fields()
            .str("url")?
            .ok_or_else(|| TantivyError::FieldNotFound("url".into()))?;
        Ok(IndexSegment {
            lengths: reader.get_fieldnorms_reader(text)?,
            urls,
            total_length: OnceCell::new(),
            store: reader.get_store_reader(CACHED_STORE_BLOCKS)?,
            reader,
        })
    }

    /// Returns the sum of the quantised document lengths. Tantivy's own total is not used, because
    /// it depends on how the segment was built.
    pub fn total_length(&self) -> u64 {
        let documents = 0..self.reader.max_doc();
        *self.total_length.get_or_init(|| {
            documents
                .map(|document| u64::from(self.lengths.fieldnorm(document)))
                .sum()
        })
    }

    /// Returns the URL with the given ordinal in `urls`.
    pub fn url(&self, ordinal: u64) -> tantivy::Result<String> {
        let mut url = String::new();
        self.urls.ord_to_str(ordinal, &mut url)?;
        Ok(url)
    }

    /// Returns the document whose URL is `url`, if it is in the segment and was not replaced.
    pub fn find_document(&self, url: &Term) -> tantivy::Result<Option<DocId>> {
        let index = self.reader.inverted_index(url.field())?;
        let Some(mut postings) = index.read_postings(url, IndexRecordOption::Basic)? else {
            return Ok(None);
        };
        while postings.doc() != TERMINATED {
            if !self.reader.is_deleted(postings.doc()) {
                return Ok(Some(postings.doc()));
            }
            postings.advance();
        }
        Ok(None)
    }
}

/// Opens all segments of an index. `text` is the field that is searched.
pub(super) fn open_segments(
    index: &tantivy::Index,
    text: Field,
) -> tantivy::Result<Vec<IndexSegment>> {
    index
        .searchable_segments()?
        .iter()
        .map(|segment| IndexSegment::open(SegmentReader::open(segment)?, text))
        .collect()
}
