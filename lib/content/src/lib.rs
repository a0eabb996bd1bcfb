//! The content of files that users give: records, text or other documents, by their content, not by
//! their names.
//!
//! A [`Content`] decompresses gzip and zstd, and finds out whether a file has records (JSON lines,
//! JSON objects over several lines or several on one, or an array of them), text in any encoding,
//! or something else.
//! [`Content::into_lines`] reads records as JSON lines and text as lines in UTF-8. All of it works on
//! streams, in bounded memory.
//!
//! Nothing here opens a file, or interprets records.
//!
//! [`read_text`] has the text of a file in a format of another program, such as CoNLL-U, and joins
//! broken words, [`media`] is about bodies that may declare their type and encoding,
//! [`read_faulty_json`] about JSON that programs write without a library.

mod broken_words;
mod decompress;
mod faulty_json;
mod json_lines;
pub mod media;
mod text_format;
mod transcode;
mod zstd_frame;

pub use crate::media::{ContentKind, PageFormat};
use crate::media::{MARK, readable_beginning};
pub use broken_words::{BrokenWord, find_broken_word, rejoin_broken_words};
pub use decompress::{Compression, GZIP_MAGIC, ZSTD_MAGIC};
pub use faulty_json::{read_faulty_json, read_json_values};
use json_lines::{JsonValueReader, begins_like_long_values};
use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read};
pub use text_format::{UnreadFormat, read_text};
pub use transcode::TextEncoding;
use transcode::TextReader;
pub use zstd_frame::{read_zstd_frame, zstd_damage, zstd_error};

/// A reader of bytes.
pub type ByteReader = Box<dyn Read + Send>;

/// Bytes of a regular file from which its kind is determined.
const HEAD_BYTES: usize = 64 << 10;
/// Compressions within one another that are opened.
const MAX_COMPRESSIONS: usize = 2;

/// A content that has been opened: decompressed, and of a known kind.
pub struct Content {
    kind: ContentKind,
    reader: ByteReader,
    /// True if records are not one per line.
    has_long_values: bool,
    /// True if records are not in UTF-8.
    is_utf16: bool,
    unread_compression: Option<(&'static str, &'static str)>,
    encoding: TextEncoding,
}

impl Content {
    /// Opens a content. Reads no more than it has to if `reader` gives few bytes at a time, as a
    /// pipe does.
    ///
    /// # Errors
    /// Fails if `reader` cannot be read, or is compressed and damaged at its beginning.
    pub fn open(mut reader: ByteReader) -> io::Result<Content> {
        let mut head = Vec::new();
        read_head(&mut head, &mut reader)?;
        let unread_compression = decompress::unread_compression(&head);
        for _ in 0..MAX_COMPRESSIONS {
            let Some(compression) = Compression::detect(&head) else {
                break;
            };
            let compressed = rejoin(std::mem::take(&mut head), reader);
            reader = compression.decompress(BufReader::new(compressed));
            read_head(&mut head, &mut reader)?;
        }
        let kind = ContentKind::detect(&head);
        let text = readable_beginning(&head);
        let has_long_values = kind == ContentKind::Records && begins_like_long_values(&text);
        let is_utf16 = matches!(text, Cow::Owned(_));
        if kind == ContentKind::Records && head.starts_with(MARK) {
            head.drain(..MARK.len());
        }
        Ok(Content {
            kind,
            has_long_values,
            is_utf16,
            unread_compression,
            reader: rejoin(head, reader),
            encoding: TextEncoding::default(),
        })
    }

    /// The kind of the content.
    pub fn kind(&self) -> ContentKind {
        self.kind
    }

    /// The encoding of a text, which is known after it has been read by [`Content::into_lines`].
    pub fn encoding(&self) -> TextEncoding {
        self.encoding.clone()
    }

    /// The name of the compression of the content that is not read here, and the command that
    /// unpacks it.
    pub fn unread_compression(&self) -> Option<(&'static str, &'static str)> {
        self.unread_compression
    }

    /// Returns a reader of the decompressed bytes.
    pub fn into_bytes(self) -> ByteReader {
        self.reader
    }

    /// Returns a reader of the text in UTF-8.
    pub fn into_text(self) -> ByteReader {
        Box::new(TextReader::new(self.reader, self.encoding))
    }

    /// Returns a reader of the text in UTF-8, without the markup of the format of another program
    /// ([`read_text`]).
    ///
    /// # Errors
    /// Fails if the beginning cannot be read, or is that of a format that is not read.
    pub fn into_sample(self) -> io::Result<ByteReader> {
        text_format::open_sample(self.into_text())
    }

    /// Returns a reader of the decompressed bytes, in UTF-8 if they are in UTF-16: for lists in
    /// which no letters outside ASCII are expected, so that no other encoding can be detected.
    pub fn into_unicode(self) -> ByteReader {
        match self.is_utf16 {
            true => self.into_text(),
            false => self.reader,
        }
    }

    /// Returns a reader of lines: of records as JSON lines, and of text in UTF-8. Other content is
    /// not changed. Broken UTF-8 in records is not changed either.
    pub fn into_lines(self) -> ByteReader {
        match self.kind {
            ContentKind::Records => {
                let has_long_values = self.has_long_values;
                let json = self.into_unicode();
                match has_long_values {
                    true => Box::new(JsonValueReader::new(json)),
                    false => json,
                }
            }
            ContentKind::Text => self.into_text(),
            ContentKind::Document(_) | ContentKind::Unread(_) | ContentKind::Binary => self.reader,
        }
    }
}

fn rejoin(head: Vec<u8>, rest: ByteReader) -> ByteReader {
    Box::new(Cursor::new(head).chain(rest))
}

/// Reads the beginning of a content, until its kind can be told.
fn read_head(head: &mut Vec<u8>, reader: &mut ByteReader) -> io::Result<()> {
    while is_undecided(head) {
        let start = head.len();
        head.resize(start + HEAD_BYTES, 0);
        let read = reader.read(&mut head[start..]);
        head.truncate(start + *read.as_ref().unwrap_or(&0));
        match read {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) => return Ok(()),
            result => drop(result?),
        }
    }
    Ok(())
}

/// Returns `true` if the kind of a content that begins with `head` depends on the next bytes.
fn is_undecided(head: &[u8]) -> bool {
    let start = head.strip_prefix(MARK).unwrap_or(head).trim_ascii();
    head.len() < HEAD_BYTES
        && (matches!(start, b"" | b"[" | b"{" | b"\x1e") || Compression::is_undecided(head))
}

#[cfg(test)]
mod tests;
