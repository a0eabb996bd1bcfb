//! Conversion of JSON values to JSON lines while they are read: of the elements of an array, of
//! values over several lines, and of several on one line.

use crate::ByteReader;
use std::collections::VecDeque;
use std::io::{self, Read};

/// Bytes per read.
const CHUNK_BYTES: usize = 64 << 10;
/// The byte before each value of a JSON text sequence (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1E;

/// A reader of JSON values as lines: one line per element of an array at the top level, or per
/// other value.
///
/// It finds the ends of values by brackets and strings. A damaged value is a line that is not JSON,
/// and costs no other value, unless it has unbalanced brackets or quotes. An array without an end
/// is followed by the line `[`, which is no record either, so that what is missing is not
/// overlooked.
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
    /// True if the last line has no end yet.
    has_open_line: bool,
    /// The last byte of the value outside of strings and blanks.
    last: u8,
}

impl ValueScanner {
    /// Appends a byte of JSON text to `lines`.
    fn push(&mut self, byte: u8, lines: &mut VecDeque<u8>) {
        let is_line_end = matches!(byte, b'\n' | b'\r');
        if byte == RECORD_SEPARATOR {
            self.end_line(lines);
            *self = ValueScanner::default();
        } else if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            // No string has a line end: the value is damaged.
            self.is_in_string &= !is_line_end;
            self.add(if is_line_end { b' ' } else { byte }, lines);
        } else if byte.is_ascii_whitespace() {
            if self.depth > self.outer_depth() {
                self.add(if is_line_end { b' ' } else { byte }, lines);
            } else if is_line_end {
                self.end_line(lines);
            }
        } else {
            self.push_mark(byte, lines);
            self.last = byte;
        }
    }

    /// Appends a byte outside of strings and blanks.
    fn push_mark(&mut self, byte: u8, lines: &mut VecDeque<u8>) {
        let outer = self.outer_depth();
        let is_outside = self.depth == outer;
        match byte {
            b'[' if self.depth == 0 => {
                self.end_line(lines);
                (self.depth, self.is_in_array) = (1, true);
                return;
            }
            b']' if self.is_in_array && is_outside => {
                self.end_line(lines);
                (self.depth, self.is_in_array) = (0, false);
                return;
            }
            // Also between objects without an array, as if they were cut out of one.
            b',' if is_outside => return self.end_line(lines),
            // An object begins only before all else of a value, or after these: that before it is
            // damaged.
            b'{' if !is_outside && !matches!(self.last, b'[' | b',' | b':') => {
                self.end_line(lines);
                self.depth = outer + 1;
            }
            b'"' => self.is_in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1).max(outer),
            _ => {}
        }
        self.add(byte, lines);
        if byte == b'}' && self.depth == outer {
            self.end_line(lines);
        }
    }

    /// The number of open brackets between values.
    fn outer_depth(&self) -> usize {
        usize::from(self.is_in_array)
    }

    fn add(&mut self, byte: u8, lines: &mut VecDeque<u8>) {
        lines.push_back(byte);
        self.has_open_line = true;
    }

    fn end_line(&mut self, lines: &mut VecDeque<u8>) {
        if std::mem::take(&mut self.has_open_line) {
            lines.push_back(b'\n');
        }
    }

    /// Appends what stands for a missing end of an array, unless the cut value before it shows
    /// that.
    fn finish(&mut self, lines: &mut VecDeque<u8>) {
        if self.is_in_array && !self.has_open_line {
            lines.extend(b"[\n");
        }
        *self = ValueScanner::default();
    }
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
                self.scanner.finish(&mut self.converted);
                break;
            }
        }
        self.converted.read(to)
    }
}

/// Returns `true` if a text begins like an object, whole or damaged, whose first key is on the same
/// line.
pub(crate) fn begins_like_record(text: &[u8]) -> bool {
    let Some(rest) = text.trim_ascii_start().strip_prefix(b"{") else {
        return false;
    };
    let first = rest.trim_ascii_start().first();
    matches!(first, Some(b'"' | b'}'))
}

/// Returns `true` if a text begins with values that are not one per line: an array of objects, an
/// object over several lines, several on one line, or a sequence with record separators.
pub(crate) fn begins_like_long_values(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    if let Some(rest) = text.strip_prefix(&[RECORD_SEPARATOR]) {
        return begins_like_record(rest) || rest.trim_ascii_start().starts_with(b"{");
    }
    if let Some(rest) = text.strip_prefix(b"[") {
        return rest.trim_ascii_start().starts_with(b"{") || rest.trim_ascii() == b"]";
    }
    if !begins_like_record(text) {
        return false;
    }
    let line_end = text.iter().position(|byte| *byte == b'\n');
    let first_line = text[..line_end.unwrap_or(text.len())].trim_ascii_end();
    match rest_after_object(first_line) {
        Some(rest) => {
            let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
            matches!(rest.first(), Some(b'{' | &RECORD_SEPARATOR))
        }
        None => {
            line_end.is_some()
                && (first_line == b"{" || first_line.ends_with(b",") || first_line.ends_with(b"["))
        }
    }
}

/// Returns what follows the object that a line begins with, without blanks; `None` if the object
/// has no end there.
fn rest_after_object(line: &[u8]) -> Option<&[u8]> {
    let mut scanner = ValueScanner::default();
    let mut lines = VecDeque::new();
    let end = line.iter().position(|byte| {
        scanner.push(*byte, &mut lines);
        lines.back() == Some(&b'\n')
    })?;
    Some(line[end + 1..].trim_ascii_start())
}
