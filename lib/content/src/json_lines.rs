//! Conversion of JSON values to JSON lines while they are read: of the elements of an array, and of
//! values over several lines.

use crate::ByteReader;
use std::collections::VecDeque;
use std::io::{self, Read};

/// Bytes per read.
const CHUNK_BYTES: usize = 64 << 10;

/// A reader of JSON values as lines: one line per element of an array at the top level, or per
/// other value.
///
/// It finds the ends of values by brackets and strings. A damaged value is a line that is not JSON,
/// and costs no other value, unless it has unbalanced brackets or quotes.
pub(crate) struct JsonValueReader {
    json: ByteReader,
    scanner: ValueScanner,
    converted: VecDeque<u8>,
}

/// A position in JSON text.
#[derive(Debug, Default)]
struct ValueScanner {
    /// The number of open brackets.
    depth: usize,
    /// True within an array at the top level.
    is_in_array: bool,
    is_in_string: bool,
    /// True after a backslash in a string.
    is_escaped: bool,
}

impl ValueScanner {
    /// Appends a byte of JSON text to `lines`.
    fn push(&mut self, byte: u8, lines: &mut VecDeque<u8>) {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            // No string has a line feed: the value is damaged.
            let is_end = byte == b'\n';
            self.is_in_string &= !is_end;
            lines.push_back(if is_end { b' ' } else { byte });
            return;
        }
        let outer = usize::from(self.is_in_array);
        match byte {
            b'[' if self.depth == 0 => {
                (self.depth, self.is_in_array) = (1, true);
                return;
            }
            b']' if self.is_in_array && self.depth == 1 => {
                (self.depth, self.is_in_array) = (0, false);
                lines.push_back(b'\n');
                return;
            }
            b',' if self.is_in_array && self.depth == 1 => {
                lines.push_back(b'\n');
                return;
            }
            b'"' => self.is_in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1).max(outer),
            _ => {}
        }
        let is_line_end = matches!(byte, b'\n' | b'\r');
        // Blanks between values belong to none, nor do the separators of a sequence (RFC 7464).
        let is_separator = byte == b'\x1e';
        if self.depth > outer || !is_separator && !byte.is_ascii_whitespace() {
            lines.push_back(if is_line_end { b' ' } else { byte });
        }
        if byte == b'}' && self.depth == 0 {
            lines.push_back(b'\n');
        }
    }
}

/// Returns `true` if an object follows another one on `line`, as it is written by programs that omit
/// the line feed between them.
pub(crate) fn has_several_values(line: &[u8]) -> bool {
    let (mut scanner, mut values) = (ValueScanner::default(), VecDeque::new());
    line.iter().enumerate().any(|(index, byte)| {
        scanner.push(*byte, &mut values);
        values.clear();
        let rest = || line[index + 1..].trim_ascii_start();
        *byte == b'}' && scanner.depth == 0 && !scanner.is_in_string && rest().starts_with(b"{")
    })
}

impl JsonValueReader {
    pub(crate) fn new(json: ByteReader) -> JsonValueReader {
        JsonValueReader {
            json,
            scanner: ValueScanner::default(),
            converted: VecDeque::new(),
        }
    }
}

impl Read for JsonValueReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.converted.is_empty() {
            let mut chunk = [0; CHUNK_BYTES];
            let bytes = self.json.read(&mut chunk)?;
            for byte in &chunk[..bytes] {
                self.scanner.push(*byte, &mut self.converted);
            }
            if bytes == 0 {
                break;
            }
        }
        self.converted.read(to)
    }
}
