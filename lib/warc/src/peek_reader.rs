//! A buffered reader that can peek at the next bytes and knows its position, as records must be
//! recognised before they are read.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// A reader with a buffer of fixed size.
#[derive(Debug)]
pub(crate) struct PeekReader<R> {
    inner: R,
    buffer: Box<[u8]>,
    /// The unread bytes of the buffer are `start..end`.
    start: usize,
    end: usize,
    position: u64,
}

/// A reader that can peek at the next bytes.
pub(crate) trait Peek: BufRead {
    /// Returns the next bytes without consuming them: at least `min_bytes`, unless the input ends
    /// before or the buffer is smaller.
    ///
    /// # Errors
    /// Fails if reading fails before there are as many.
    fn peek(&mut self, min_bytes: usize) -> io::Result<&[u8]>;

    /// Returns the number of consumed bytes; for a file, the offset of the next one.
    fn position(&self) -> u64;

    /// Puts back the bytes that were consumed last. The buffer grows if they do not fit.
    fn unread(&mut self, bytes: &[u8]);

    /// Returns `true` if there are no more bytes.
    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.peek(1)?.is_empty())
    }

    /// Consumes whitespace, and zeros, with which some systems pad files.
    fn skip_padding(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.peek(1)?;
            let padding = bytes
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace() || **byte == 0)
                .count();
            let is_end_of_padding = padding == 0 || padding < bytes.len();
            self.consume(padding);
            if is_end_of_padding {
                return Ok(());
            }
        }
    }
}

impl<R: Read> PeekReader<R> {
    /// Returns a reader with a buffer of `size` bytes.
    pub fn new(inner: R, size: usize) -> Self {
        PeekReader {
            inner,
            buffer: vec![0; size].into(),
            start: 0,
            end: 0,
            position: 0,
        }
    }

    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns the inner reader; unread bytes of the buffer are lost.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Peek for PeekReader<R> {
    fn peek(&mut self, min_bytes: usize) -> io::Result<&[u8]> {
        let min_bytes = min_bytes.min(self.buffer.len());
        if self.end - self.start < min_bytes && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        while self.end - self.start < min_bytes {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn unread(&mut self, bytes: &[u8]) {
        let unread = &self.buffer[self.start..self.end];
        let length = bytes.len() + unread.len();
        let mut buffer = vec![0; length.max(self.buffer.len())];
        buffer[..bytes.len()].copy_from_slice(bytes);
        buffer[bytes.len()..length].copy_from_slice(unread);
        self.buffer = buffer.into();
        self.start = 0;
        self.end = length;
        self.position -= bytes.len() as u64;
    }
}

impl<R: Read + Seek> PeekReader<R> {
    /// Continues at another position. If seeking fails, the reader is unchanged. Bytes that the
    /// buffer still has are not read again.
    pub fn seek(&mut self, position: u64) -> io::Result<()> {
        let buffer_position = self.position - self.start as u64;
        let in_buffer = position
            .checked_sub(buffer_position)
            .and_then(|index| usize::try_from(index).ok());
        if let Some(index) = in_buffer.filter(|index| *index <= self.end) {
            self.start = index;
            self.position = position;
            return Ok(());
        }
        self.position = self.inner.seek(SeekFrom::Start(position))?;
        self.start = 0;
        self.end = 0;
        Ok(())
    }
}

impl<R: Read> Read for PeekReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = if self.start == self.end && to.len() >= self.buffer.len() {
            // The buffer no longer has the bytes before the position.
            self.start = 0;
            self.end = 0;
            self.inner.read(to)?
        } else {
            let mut bytes = self.peek(1)?;
            let read = bytes.read(to)?;
            self.start += read;
            read
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: Read> BufRead for PeekReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.peek(1)
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.position += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::{Peek, PeekReader};
    use std::io::{BufRead, Cursor, Read};

    /// A reader with a buffer of eight bytes over pieces of three bytes.
    fn peek_reader(text: &'static str) -> PeekReader<impl Read> {
        let pieces = text.as_bytes().chunks(3).map(Cursor::new);
        let empty: Box<dyn Read> = Box::new(std::io::empty());
        PeekReader::new(
            pieces.fold(empty, |all, piece| {
                Box::new(all.chain(piece)) as Box<dyn Read>
            }),
            8,
        )
    }

    #[test]
    fn reads_bytes_that_were_peeked_at() {
        let mut reader = peek_reader("0123456789abcdef");
        assert_eq!(reader.peek(5).unwrap(), b"012345");
        reader.consume(4);
        assert_eq!(reader.peek(usize::MAX).unwrap(), b"456789ab");
        assert_eq!(reader.position(), 4);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), reader.position()), ("456789abcdef", 16));
        assert!(reader.is_at_end().unwrap());
    }

    #[test]
    fn puts_bytes_back() {
        let mut reader = peek_reader("0123456789abcdef");
        let mut read = [0; 12];
        reader.read_exact(&mut read).unwrap();
        reader.unread(&read);
        assert_eq!((reader.position(), reader.peek(1).unwrap()[0]), (0, b'0'));
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), reader.position()), ("0123456789abcdef", 16));
    }

    #[test]
    fn seeks_back() {
        let mut reader = PeekReader::new(Cursor::new(b"0123456789"), 4);
        reader.read_exact(&mut [0; 7]).unwrap();
        reader.seek(2).unwrap();
        assert_eq!(reader.peek(usize::MAX).unwrap(), b"2345");
        assert_eq!(reader.position(), 2);
        reader.read_exact(&mut [0; 8]).unwrap();
        assert!(reader.is_at_end().unwrap());
    }

    #[test]
    fn seeks_within_and_beyond_the_buffer() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in [1, 3, 4, 9, 50] {
            let mut reader = PeekReader::new(Cursor::new(&bytes), 8);
            for target in [2, 9, 8, 60, 3, 0, 7, 99, 50] {
                reader.seek(target).unwrap();
                let mut read = vec![0; length.min(100 - target as usize)];
                reader.read_exact(&mut read).unwrap();
                assert_eq!(read[0], target as u8);
                assert_eq!(reader.position(), target + read.len() as u64);
            }
        }
    }
}
