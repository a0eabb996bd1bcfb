//! Adds the documents of records to the embedded index.

use forage_cli::{Messages, Output, Stage, format_count};
use forage_engines::EngineDocument;
use forage_engines::index::{EmbeddedIndexWriter, is_indexable_url, link_targets};
use forage_record::{BadField, Record, field};
use forage_run::final_url;

/// Adds documents to the index, and counts the records that are not documents.
pub struct IndexingStage {
    /// The writer; `None` after it has finished.
    writer: Option<EmbeddedIndexWriter>,
    skipped_records: u64,
    /// Records with links, which the index does not store if an earlier version created it.
    records_with_links: u64,
    messages: Messages,
}

impl IndexingStage {
    pub fn new(writer: EmbeddedIndexWriter, messages: Messages) -> Self {
        IndexingStage {
            writer: Some(writer),
            skipped_records: 0,
            records_with_links: 0,
            messages,
        }
    }
}

impl Stage for IndexingStage {
    fn process_record(&mut self, record: Record, _out: &mut Output) -> anyhow::Result<()> {
        match (to_document(&record), &mut self.writer) {
            (Ok(Some(added)), Some(writer)) => {
                self.records_with_links += u64::from(!added.links.is_empty());
                writer.add(&added.url, &added.document, &added.links)?;
            }
            _ => self.skipped_records += 1,
        }
        Ok(())
    }

    /// Does nothing: there is no output that depends on the index, so the writer chooses when to
    /// commit.
    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _out: &mut Output) -> anyhow::Result<()> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let has_links_field = writer.has_links_field();
        writer.finish()?;
        if self.records_with_links > 0 && !has_links_field {
            self.messages.warn(format_args!(
                "the links of {} were not indexed, because an earlier version created the index; \
                 to find in-links, make a new index of the records",
                format_count(self.records_with_links, "record")
            ));
        }
        if self.skipped_records > 0 {
            self.messages.warn(format_args!(
                "skipped {} without `url` or `text`",
                format_count(self.skipped_records, "record")
            ));
        }
        Ok(())
    }
}

/// A document with its URL, and the pages that it links to.
struct AddedDocument {
    url: String,
    document: EngineDocument,
    links: Vec<String>,
}

/// Returns the document of a record; `None` if it has no text, no URL that can be indexed, or an
/// error.
fn to_document(record: &Record) -> Result<Option<AddedDocument>, BadField> {
    let (Some(url), Some(text)) = (record.string(field::URL)?, record.text()?) else {
        return Ok(None);
    };
    if record.has_error() || !is_indexable_url(&url) {
        return Ok(None);
    }
    let title = record.string(field::TITLE)?.map(Into::into);
    let id = match record.id() {
        Some(id) => id.into(),
        None => forage_text::document_id(&url, &text),
    };
    let document = EngineDocument {
        id,
        title,
        text: text.into(),
    };
    // Links of the wrong type are no reason to leave the document out.
    let links = record.out_links().ok().flatten().unwrap_or_default();
    let own = [&*url, &*final_url(record).unwrap_or_default()];
    let links = link_targets(&own, links.iter().map(|link| &*link.url));
    Ok(Some(AddedDocument {
        url: url.into(),
        document,
        links,
    }))
}
