//! The stream that records are read from: a file, or a gzip member or zstd frame in it that is
//! decompressed; and the search for the next record in it.

use crate::peek_reader::{Peek, PeekReader};
use crate::record;
use crate::repair;
use crate::zstd_frame::ZstdFrame;
use flate2::bufread::GzDecoder;
use forage_content::{GZIP_MAGIC, ZSTD_MAGIC};
use memchr::memmem;
use ruzstd::decoding::FrameDecoder;
use std::fs::File;
use std::io;

/// Size of the buffer of a decompressed member, in bytes.
const MEMBER_BUFFER_BYTES: usize = 1 << 14;

/// A file, or the compressed member (gzip member or zstd frame) of it that is open.
pub(crate) enum RecordStream {
    Plain(PeekReader<File>),
    /// Boxed, as the decoder is much larger than the others.
    Gzip(Box<PeekReader<GzDecoder<PeekReader<File>>>>),
    Zstd(PeekReader<ZstdFrame>),
}

/// The compression of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordCompression {
    Plain,
    Gzip,
    Zstd,
}

impl RecordCompression {
    /// All compressions.
    const ALL: [RecordCompression; 3] = [
        RecordCompression::Plain,
        RecordCompression::Gzip,
        RecordCompression::Zstd,
    ];

    /// Returns the compression of data that begins with these bytes.
    pub fn from_magic(start: &[u8]) -> RecordCompression {
        match start {
            start if start.starts_with(&GZIP_MAGIC) => RecordCompression::Gzip,
            start if start.starts_with(&ZSTD_MAGIC) => RecordCompression::Zstd,
            _ => RecordCompression::Plain,
        }
    }

    /// Returns the index of the first record in `bytes` with this compression.
    pub fn find_record(self, bytes: &[u8]) -> Option<usize> {
        match self {
            RecordCompression::Plain => memmem::find_iter(bytes, record::MAGIC)
                .find(|&index| is_header_start(&bytes[index + record::MAGIC.len()..])),
            RecordCompression::Gzip => memmem::find_iter(bytes, &GZIP_MAGIC)
                .find(|&index| repair::begins_gzip_record(&bytes[index..])),
            RecordCompression::Zstd => memmem::find(bytes, &ZSTD_MAGIC),
        }
    }
}

/// Returns `true` if a line begins with a version and nothing else, and the next one with the name
/// of a field, unlike "WARC/" in running text.
fn is_header_start(bytes: &[u8]) -> bool {
    let mut lines = bytes
        .splitn(3, |byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let version = lines.next().filter(|line| (1..8).contains(&line.len()));
    let is_version = |line: &[u8]| {
        line.iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    let is_name = |name: &[u8]| {
        let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        !name.is_empty() && name.iter().all(is_name_byte)
    };
    let field_name = lines.next().and_then(|line| {
        let end = memchr::memchr(b':', line)?;
        Some(line[..end].trim_ascii_end())
    });
    version.is_some_and(is_version) && field_name.is_some_and(is_name)
}

impl RecordStream {
    /// Opens the member at the position of `file`.
    pub fn open(
        file: PeekReader<File>,
        compression: RecordCompression,
        zstd_decoder: &mut Option<Box<FrameDecoder>>,
    ) -> RecordStream {
        match compression {
            RecordCompression::Plain => RecordStream::Plain(file),
            RecordCompression::Gzip => {
                let decoder = GzDecoder::new(file);
                RecordStream::Gzip(Box::new(PeekReader::new(decoder, MEMBER_BUFFER_BYTES)))
            }
            RecordCompression::Zstd => RecordStream::Zstd(PeekReader::new(
                ZstdFrame::new(file, zstd_decoder.take().unwrap_or_default()),
                MEMBER_BUFFER_BYTES,
            )),
        }
    }

    /// Closes the member and returns the file. Its position is after the member if that was read to
    /// its end.
    pub fn close(self, zstd_decoder: &mut Option<Box<FrameDecoder>>) -> PeekReader<File> {
        match self {
            RecordStream::Plain(file) => file,
            RecordStream::Gzip(member) => member.into_inner().into_inner(),
            RecordStream::Zstd(frame) => {
                let (file, decoder) = frame.into_inner().into_parts();
                *zstd_decoder = Some(decoder);
                file
            }
        }
    }

    /// Returns the reader of the decompressed data.
    pub fn reader(&mut self) -> &mut dyn Peek {
        match self {
            RecordStream::Plain(file) => file,
            RecordStream::Gzip(member) => member.as_mut(),
            RecordStream::Zstd(frame) => frame,
        }
    }

    pub fn compression(&self) -> RecordCompression {
        match self {
            RecordStream::Plain(_) => RecordCompression::Plain,
            RecordStream::Gzip(_) => RecordCompression::Gzip,
            RecordStream::Zstd(_) => RecordCompression::Zstd,
        }
    }
}

/// Skips to the next position that looks like the beginning of a record with a compression, or with
/// any if that is `None`. Passes the bytes before it to `skip`. Returns `false` if there is none;
/// the reader is at its end then.
pub(crate) fn skip_to_record(
    reader: &mut dyn Peek,
    compression: Option<RecordCompression>,
    skip: &mut dyn FnMut(&[u8]),
) -> io::Result<bool> {
    let compressions = compression
        .as_ref()
        .map_or(RecordCompression::ALL.as_slice(), std::slice::from_ref);
    loop {
        let bytes = reader.peek(usize::MAX)?;
        if let Some(index) = compressions
            .iter()
            .filter_map(|compression| compression.find_record(bytes))
            .min()
        {
            skip(&bytes[..index]);
            reader.consume(index);
            return Ok(true);
        }
        let length = bytes.len();
        if length <= repair::RECORD_START_BYTES {
            skip(bytes);
            reader.consume(length);
            return Ok(false);
        }
        // The last bytes are searched again, together with those that follow.
        let searched = length - repair::RECORD_START_BYTES;
        skip(&bytes[..searched]);
        reader.consume(searched);
    }
}
