//! The stream that records are read from: a file, or a gzip member or zstd frame in it that is
//! decompressed; and the search for the next record in it.

use crate::peek_reader::{Peek, PeekReader};
use crate::record;
use crate::repair;
use crate::zstd_frame::{self, ZstdFrame};
use flate2::bufread::GzDecoder;
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
            start if start.starts_with(&repair::GZIP_MAGIC) => RecordCompression::Gzip,
            start if start.starts_with(&zstd_frame::MAGIC) => RecordCompression::Zstd,
            _ => RecordCompression::Plain,
        }
    }

    /// Returns the index of the first record in `bytes` with this compression.
    fn find_record(self, bytes: &[u8]) -> Option<usize> {
        match self {
            RecordCompression::Plain => memmem::find_iter(bytes, record::MAGIC)
                .find(|&index| begins_with_version(&bytes[index + record::MAGIC.len()..])),
            RecordCompression::Gzip => memmem::find_iter(bytes, &repair::GZIP_MAGIC)
                .find(|&index| repair::begins_gzip_record(&bytes[index..])),
            RecordCompression::Zstd => memmem::find(bytes, &zstd_frame::MAGIC),
        }
    }
}

/// Returns `true` if a line begins with a version and nothing else, unlike "WARC/" in running text.
fn begins_with_version(bytes: &[u8]) -> bool {
    let line = bytes
        .iter()
        .take(8)
        .position(|byte| *byte == b'\n')
        .map(|end| bytes[..end].trim_ascii_end());
    line.is_some_and(|line| {
        !line.is_empty()
            && line
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    })
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
/// any if that is `None`. Returns `false` if there is none; the reader is at its end then.
pub(crate) fn skip_to_record(
    reader: &mut dyn Peek,
    compression: Option<RecordCompression>,
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
            reader.consume(index);
            return Ok(true);
        }
        let length = bytes.len();
        if length <= repair::RECORD_START_BYTES {
            reader.consume(length);
            return Ok(false);
        }
        // The last bytes are searched again, together with those that follow.
        reader.consume(length - repair::RECORD_START_BYTES);
    }
}
