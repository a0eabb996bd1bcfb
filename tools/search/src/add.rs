//! From records to documents of the embedded index.

use forage_cli::{Messages, Output, Stage};
use forage_engines::Document;
use forage_engines::index::{Writer, is_addable};
use forage_record::{BadField, Record, field};

/// Adds documents, and counts the records that are none.
pub struct Adding {
    /// Given up when it is finished.
    writer: Option<Writer>,
    skipped: u64,
    messages: Messages,
}

impl Adding {
    pub fn new(writer: Writer, messages: Messages) -> Self {
        Adding {
            writer: Some(writer),
            skipped: 0,
            messages,
        }
    }
}

impl Stage for Adding {
    fn process_record(&mut self, record: Record, _out: &mut Output) -> anyhow::Result<()> {
        match (document(&record), &mut self.writer) {
            (Ok(Some((url, document))), Some(writer)) => writer.add(&url, &document)?,
            _ => self.skipped += 1,
        }
        Ok(())
    }

    /// Nothing is written that rests on what was added, so the writer commits when it is worth it.
    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _out: &mut Output) -> anyhow::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        if self.skipped > 0 {
            self.messages.warn(format_args!(
                "{} records without `url` or `text` were skipped",
                self.skipped
            ));
        }
        Ok(())
    }
}

/// The document of a record with a URL and a text, unless something failed with it.
fn document(record: &Record) -> Result<Option<(String, Document)>, BadField> {
    let (Some(url), Some(text)) = (record.string(field::URL)?, record.text()?) else {
        return Ok(None);
    };
    if record.has_error() || !is_addable(&url) {
        return Ok(None);
    }
    let title = record.string(field::TITLE)?.map(Into::into);
    let id = match record.string(field::ID)? {
        Some(id) => id.into(),
        None => forage_text::document_id(&url, &text),
    };
    Ok(Some((
        url.into(),
        Document {
            id,
            title,
            text: text.into(),
        },
    )))
}
