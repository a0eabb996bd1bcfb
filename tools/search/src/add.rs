//! Adds the documents of records to the embedded index.

use forage_cli::{Messages, Output, Stage, format_count};
use forage_engines::EngineDocument;
use forage_engines::index::{EmbeddedIndexWriter, is_indexable_url};
use forage_record::{BadField, Record, field};

/// Adds documents to the index, and counts the records that are not documents.
pub struct IndexingStage {
    /// The writer; `None` after it has finished.
    writer: Option<EmbeddedIndexWriter>,
    skipped_records: u64,
    messages: Messages,
}

impl IndexingStage {
    pub fn new(writer: EmbeddedIndexWriter, messages: Messages) -> Self {
        IndexingStage {
            writer: Some(writer),
            skipped_records: 0,
            messages,
        }
    }
}

impl Stage for IndexingStage {
    fn process_record(&mut self, record: Record, _out: &mut Output) -> anyhow::Result<()> {
        match (to_document(&record), &mut self.writer) {
            (Ok(Some((url, document))), Some(writer)) => writer.add(&url, &document)?,
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
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
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

/// Returns the URL and the document of a record; `None` if it has no text, no URL that can be
/// indexed, or an error.
fn to_document(record: &Record) -> Result<Option<(String, EngineDocument)>, BadField> {
    let (Some(url), Some(text)) = (record.string(field::URL)?, record.text()?) else {
        return Ok(None);
    };
    if record.has_error() || !is_indexable_url(&url) {
        return Ok(None);
    }
    let title = record.string(field::TITLE)?.map(Into::into);
    let id = match record.string(field::ID)? {
        Some(id) => id.into(),
        None => forage_text::document_id(&url, &text),
    };
    let document = EngineDocument {
        id,
        title,
        text: text.into(),
    };
    Ok(Some((url.into(), document)))
}
