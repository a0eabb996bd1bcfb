//! The text of a file while it is read, in bounded memory.

use super::{FormatReader, find_reader, read_lines};
use crate::ByteReader;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Bytes of the lines that are converted at once, more than those from which the format is
/// determined.
pub(super) const BLOCK_BYTES: usize = 1 << 20;

/// A reader of the text of a file, which is in UTF-8.
struct SampleReader {
    file: BufReader<ByteReader>,
    format: FormatReader,
    /// The end of the text so far, to which the next line may belong.
    end: String,
    text: Cursor<Vec<u8>>,
    is_at_end: bool,
}

/// Opens the text of a file.
///
/// # Errors
/// Fails if the beginning cannot be read, or is that of a format that is not read.
pub(crate) fn open_sample(file: ByteReader) -> io::Result<ByteReader> {
    let mut file = BufReader::new(file);
    let lines = read_block(&mut file)?;
    let lines = lines.trim_start_matches('\u{feff}');
    let mut reader = SampleReader {
        file,
        format: find_reader(lines).map_err(io::Error::other)?,
        end: String::new(),
        text: Cursor::default(),
        is_at_end: false,
    };
    reader.convert(lines);
    Ok(Box::new(reader))
}

/// Returns the next lines of a file. Only one that is longer than a block is cut.
fn read_block(file: &mut BufReader<ByteReader>) -> io::Result<String> {
    let mut block = Vec::new();
    loop {
        let line = &mut file.take(BLOCK_BYTES as u64);
        let is_at_end = line.read_until(b'\n', &mut block)? == 0;
        let ends_in_word = || {
            let is_cut = |e: std::str::Utf8Error| e.error_len().is_none();
            block.trim_ascii_end().ends_with(b"-") || std::str::from_utf8(&block).is_err_and(is_cut)
        };
        if is_at_end || block.len() >= BLOCK_BYTES && !ends_in_word() {
            return Ok(String::from_utf8_lossy(&block).into_owned());
        }
    }
}

impl SampleReader {
    fn convert(&mut self, lines: &str) {
        self.is_at_end = lines.is_empty();
        let mut text = std::mem::take(&mut self.end);
        read_lines(lines, &mut self.format, &mut text);
        if !self.is_at_end {
            let last = text.trim_end_matches(' ').char_indices().next_back();
            self.end = text.split_off(last.map_or(0, |(at, _)| at));
        }
        self.text = Cursor::new(text.into_bytes());
    }
}

impl Read for SampleReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(to)?;
            if read > 0 || self.is_at_end {
                return Ok(read);
            }
            let lines = read_block(&mut self.file)?;
            self.convert(&lines);
        }
    }
}
