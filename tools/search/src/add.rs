//! Adds the documents of records to the embedded index.

use forage_cli::{Messages, Output, Stage, UsedRecords, why_no_document};
use forage_engines::EngineDocument;
use forage_engines::index::{EmbeddedIndexWriter, is_indexable_url, link_targets};
use forage_record::{Record, field};
use forage_run::final_url;

/// Adds documents to the index, and counts the records that are not documents.
pub struct IndexingStage {
    /// The writer; `None` after it has finished.
    writer: Option<EmbeddedIndexWriter>,
    used: UsedRecords,
    messages: Messages,
}

impl IndexingStage {
    pub fn new(writer: EmbeddedIndexWriter, messages: Messages) -> Self {
        IndexingStage {
            writer: Some(writer),
            used: UsedRecords::default(),
            messages,
        }
    }
}

impl Stage for IndexingStage {
    fn process_record(&mut self, record: Record, _out: &mut Output) -> anyhow::Result<()> {
        let document = to_document(&record);
        self.used.count(document.as_ref().err().copied());
        if let (Ok(added), Some(writer)) = (document, &mut self.writer) {
            writer.add(&added.url, &added.document, &added.links)?;
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
        writer.finish()?;
        self.used.report("added", &self.messages);
        Ok(())
    }
}

/// A document with its URL, and the pages that it links to.
struct AddedDocument {
    url: String,
    document: EngineDocument,
    links: Vec<String>,
}

/// Returns the document of a record, or why it has none that can be indexed.
fn to_document(record: &Record) -> Result<AddedDocument, &'static str> {
    if let Some(cause) = why_no_document(record) {
        return Err(cause);
    }
    let Some(text) = record.text().ok().flatten() else {
        return Err("without `text`");
    };
    let url = match record.string(field::URL) {
        Ok(Some(url)) if is_indexable_url(&url) => url,
        Ok(None) => return Err("without `url`"),
        _ => return Err("with a `url` that cannot be indexed"),
    };
    let title = record.scalar(field::TITLE).map(Into::into);
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
    Ok(AddedDocument {
        url: url.into(),
        document,
        links,
    })
}
