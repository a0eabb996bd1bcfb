//! A reader that can look ahead and knows where it is: to find records, one must see bytes before
//! taking them.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// Reads from something else, by way of what it has looked at.
#[derive(Debug)]
pub(crate) struct Window<R> {
    from: R,
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    position: u64,
}

/// What can be looked ahead in.
pub(crate) trait Look: BufRead {
    /// The bytes that come next: at least `least` of them, unless there are no more or the window
    /// is smaller.
    ///
    /// # Errors
    /// When reading fails before.
    fn peek(&mut self, least: usize) -> io::Result<&[u8]>;

    /// How many bytes were taken so far; of a file, where the next one is.
    fn position(&self) -> u64;

    /// Whether nothing more comes.
    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.peek(1)?.is_empty())
    }

    /// Takes line ends, and zeros, with which some systems fill files up.
    fn skip_padding(&mut self) -> io::Result<()> {
        loop {
            let there = self.peek(1)?;
            let padding = there
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace() || **byte == 0)
                .count();
            let is_over = padding == 0 || padding < there.len();
            self.consume(padding);
            if is_over {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Window<R> {
    /// A window of `size` bytes.
    pub fn new(from: R, size: usize) -> Self {
        Window {
            from,
            bytes: vec![0; size].into(),
            start: 0,
            end: 0,
            position: 0,
        }
    }

    pub fn get_ref(&self) -> &R {
        &self.from
    }

    /// What is read from; what was looked at and not taken is lost.
    pub fn into_inner(self) -> R {
        self.from
    }
}

impl<R: Read> Look for Window<R> {
    fn peek(&mut self, least: usize) -> io::Result<&[u8]> {
        let least = least.min(self.bytes.len());
        if self.end - self.start < least && self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < least {
            match self.from.read(&mut self.bytes[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(&self.bytes[self.start..self.end])
    }

    fn position(&self) -> u64 {
        self.position
    }
}

impl<R: Read + Seek> Window<R> {
    /// Goes on at another place. Where that can't be done, all stays as it is.
    pub fn seek(&mut self, position: u64) -> io::Result<()> {
        self.position = self.from.seek(SeekFrom::Start(position))?;
        (self.start, self.end) = (0, 0);
        Ok(())
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = if self.start == self.end && to.len() >= self.bytes.len() {
            self.from.read(to)?
        } else {
            let mut there = self.peek(1)?;
            let read = there.read(to)?;
            self.start += read;
            read
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: Read> BufRead for Window<R> {
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
    use super::{Look, Window};
    use std::io::{BufRead, Cursor, Read};

    /// A window of eight bytes upon what comes in pieces of three.
    fn window(text: &'static str) -> Window<impl Read> {
        let pieces = text.as_bytes().chunks(3).map(Cursor::new);
        let none: Box<dyn Read> = Box::new(std::io::empty());
        Window::new(
            pieces.fold(none, |all, piece| {
                Box::new(all.chain(piece)) as Box<dyn Read>
            }),
            8,
        )
    }

    #[test]
    fn what_was_looked_at_is_read_all_the_same() {
        let mut window = window("0123456789abcdef");
        assert_eq!(window.peek(5).unwrap(), b"012345");
        window.consume(4);
        assert_eq!(window.peek(usize::MAX).unwrap(), b"456789ab");
        assert_eq!(window.position(), 4);
        let mut rest = String::new();
        window.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), window.position()), ("456789abcdef", 16));
        assert!(window.is_at_end().unwrap());
    }

    #[test]
    fn a_place_can_be_gone_back_to() {
        let mut window = Window::new(Cursor::new(b"0123456789"), 4);
        window.read_exact(&mut [0; 7]).unwrap();
        window.seek(2).unwrap();
        assert_eq!(window.peek(usize::MAX).unwrap(), b"2345");
        assert_eq!(window.position(), 2);
        window.read_exact(&mut [0; 8]).unwrap();
        assert!(window.is_at_end().unwrap());
    }
}
