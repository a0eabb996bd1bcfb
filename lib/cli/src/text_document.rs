//! A file of plain text, or of a format of texts with markup, as the record of a document.

use forage_content::media::decode_plain_text;
use forage_content::{ByteReader, Content, read_text};
use forage_record::{Record, field};
use std::io::{Cursor, Read};

/// Returns a reader of the record of a text, whose id is the name of its file. Records after a
/// damaged first line are read as they are.
///
/// # Errors
/// Fails if the text cannot be read, is longer than `max_bytes`, or in a format that is not read.
/// The message does not name the file.
pub(crate) fn open_as_document(
    name: &str,
    content: Content,
    max_bytes: usize,
) -> anyhow::Result<ByteReader> {
    let mut reader = content.into_bytes();
    let mut body = Vec::new();
    // One byte more shows that the file is longer.
    let limit = (max_bytes as u64).saturating_add(1);
    (&mut reader).take(limit).read_to_end(&mut body)?;
    let mut lines = body.split(|byte| *byte == b'\n');
    if lines.any(|line| line.trim_ascii_start().starts_with(b"{\"")) {
        return Ok(Box::new(Cursor::new(body).chain(reader)));
    }
    anyhow::ensure!(
        body.len() <= max_bytes,
        "is a text longer than --max-line {max_bytes}; raise --max-line"
    );
    let text = read_text(&decode_plain_text(&body).0)?;
    let mut line = Vec::new();
    if !text.trim().is_empty() {
        let mut record = Record::new();
        record.set(field::ID, &name);
        record.set(field::TEXT, &text.trim());
        record.write(&mut line);
    }
    Ok(Box::new(Cursor::new(line)))
}
