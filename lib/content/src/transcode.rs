//! Conversion of text in any encoding to UTF-8 while it is read.

use crate::ByteReader;
use crate::media::foreign_encoding;
use encoding_rs::Decoder;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

/// Bytes per read, of which the first that are not ASCII determine the encoding.
const CHUNK_BYTES: usize = 64 << 10;

/// The name of the encoding of a text, if it is known already and not UTF-8.
#[derive(Debug, Clone, Default)]
pub struct TextEncoding(Arc<OnceLock<&'static str>>);

impl TextEncoding {
    /// Returns the name.
    pub fn name(&self) -> Option<&'static str> {
        self.0.get().copied()
    }
}

/// A reader of a text as UTF-8.
///
/// A text in UTF-8 is not changed, even if bytes are broken. The encoding is detected from the
/// first chunk that is not plain ASCII.
pub(crate) struct TextReader {
    text: ByteReader,
    state: DecodingState,
    encoding: TextEncoding,
    /// Converted bytes that have not been read yet.
    converted: VecDeque<u8>,
}

enum DecodingState {
    /// All bytes so far are ASCII.
    Undecided,
    Utf8,
    Foreign(Box<Decoder>),
}

impl TextReader {
    pub(crate) fn new(text: ByteReader, encoding: TextEncoding) -> TextReader {
        TextReader {
            text,
            state: DecodingState::Undecided,
            encoding,
            converted: VecDeque::new(),
        }
    }

    /// Determines the encoding, if the chunk is not plain ASCII.
    fn examine(&mut self, chunk: &[u8]) {
        let is_plain = |byte: &u8| byte.is_ascii() && !matches!(byte, 0 | 0x1B);
        if chunk.iter().all(is_plain) {
            return;
        }
        self.state = match foreign_encoding(chunk) {
            None => DecodingState::Utf8,
            Some(encoding) => {
                // Only this reader sets the name, and only once.
                let _ = self.encoding.0.set(encoding.name());
                DecodingState::Foreign(Box::new(encoding.new_decoder_with_bom_removal()))
            }
        };
    }

    /// Converts a chunk, the last one if it is empty.
    fn convert(&mut self, chunk: &[u8]) {
        let DecodingState::Foreign(decoder) = &mut self.state else {
            self.converted.extend(chunk);
            return;
        };
        let capacity = decoder.max_utf8_buffer_length(chunk.len());
        let mut text = String::with_capacity(capacity.unwrap_or(4 * chunk.len()));
        let _ = decoder.decode_to_string(chunk, &mut text, chunk.is_empty());
        self.converted.extend(text.as_bytes());
    }
}

impl Read for TextReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if matches!(self.state, DecodingState::Utf8) && self.converted.is_empty() {
            return self.text.read(to);
        }
        while self.converted.is_empty() {
            let mut chunk = vec![0; CHUNK_BYTES];
            let bytes = self.text.read(&mut chunk)?;
            chunk.truncate(bytes);
            if matches!(self.state, DecodingState::Undecided) {
                self.examine(&chunk);
            }
            self.convert(&chunk);
            if bytes == 0 {
                // The decoder has finished.
                self.state = DecodingState::Utf8;
                break;
            }
        }
        self.converted.read(to)
    }
}
