//! The segments of an index, and what is counted over all of them.

use std::cell::OnceCell;
use tantivy::columnar::StrColumn;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::store::StoreReader;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, TantivyError, Term};

/// Blocks of the document store (16 kB each) that are kept unpacked, by segment.
const STORE_BLOCKS: usize = 8;

/// One part of an index.
pub(super) struct Segment {
    pub reader: SegmentReader,
    /// Document lengths in terms, rounded.
    pub lengths: FieldNormReader,
    pub urls: StrColumn,
    total_length: OnceCell<u64>,
    pub store: StoreReader,
}

/// Number of documents that were added, with those that were replaced since; `--add` leaves none.
pub(super) fn documents(segments: &[Segment]) -> u64 {
    segments
        .iter()
        .map(|segment| u64::from(segment.reader.max_doc()))
        .sum()
}

/// Number of them that hold a term.
pub(super) fn document_frequency(segments: &[Segment], term: &Term) -> tantivy::Result<u64> {
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

impl Segment {
    fn open(reader: SegmentReader, text: Field) -> tantivy::Result<Segment> {
        let urls = reader
            .fast_fields()
            .str("url")?
            .ok_or_else(|| TantivyError::FieldNotFound("url".into()))?;
        Ok(Segment {
            lengths: reader.get_fieldnorms_reader(text)?,
            urls,
            total_length: OnceCell::new(),
            store: reader.get_store_reader(STORE_BLOCKS)?,
            reader,
        })
    }

    /// Sum of the documents' lengths. It is taken from the rounded lengths, as Tantivy's own total
    /// depends on how the segment came about.
    pub fn total_length(&self) -> u64 {
        let documents = 0..self.reader.max_doc();
        *self.total_length.get_or_init(|| {
            documents
                .map(|at| u64::from(self.lengths.fieldnorm(at)))
                .sum()
        })
    }

    /// The URL of an ordinal of `urls`.
    pub fn url(&self, ordinal: u64) -> tantivy::Result<String> {
        let mut url = String::new();
        self.urls.ord_to_str(ordinal, &mut url)?;
        Ok(url)
    }

    /// The document with this URL.
    pub fn find(&self, url: &Term) -> tantivy::Result<Option<DocId>> {
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

pub(super) fn open_segments(index: &tantivy::Index, text: Field) -> tantivy::Result<Vec<Segment>> {
    index
        .searchable_segments()?
        .iter()
        .map(|segment| Segment::open(SegmentReader::open(segment)?, text))
        .collect()
}
