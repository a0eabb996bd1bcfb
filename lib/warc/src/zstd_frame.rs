//! Frames of zstd (RFC 8878), and the dictionary of an archive (IIPC, "Zstandard Compression for
//! WARC Files").
//!
//! The dictionary is in a skippable frame at the beginning of the file, and may itself be
//! compressed.

use crate::peek_reader::{Peek, PeekReader};
use forage_content::{ZSTD_MAGIC, read_zstd_frame, zstd_damage, zstd_error};
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{Dictionary, FrameDecoder, StreamingDecoder};
use std::fs::File;
use std::io::{self, BufRead, Read, copy, sink};

/// The magic number of a skippable frame, without its last four bits (RFC 8878, section 3.1.2).
const SKIPPABLE_MAGIC: u32 = 0x184D_2A50;
/// The magic number of the skippable frame with the dictionary.
const DICTIONARY_MAGIC: u32 = 0x184D_2A5D;
/// Maximum size of a dictionary, in bytes.
const MAX_DICTIONARY_BYTES: u64 = 16 << 20;

/// A reader of the decompressed data of one frame.
pub(crate) struct ZstdFrame {
    file: PeekReader<File>,
    decoder: Box<FrameDecoder>,
    /// The result of reading the frame header; an error is returned by the first read.
    header: Result<(), FrameDecoderError>,
}

impl ZstdFrame {
    /// Returns a reader of the frame at the position of `file`.
    pub fn new(mut file: PeekReader<File>, mut decoder: Box<FrameDecoder>) -> ZstdFrame {
        let header = decoder.init(&mut file);
        ZstdFrame {
            file,
            decoder,
            header,
        }
    }

    pub fn into_parts(self) -> (PeekReader<File>, Box<FrameDecoder>) {
        (self.file, self.decoder)
    }
}

impl Read for ZstdFrame {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.header.as_ref().map_err(zstd_error)?;
        read_zstd_frame(&mut self.decoder, &mut self.file, to)
    }
}

/// Skips the skippable frame at the position of `file`, and returns `false` if there is none. A
/// dictionary in it is added to the decoder.
pub(crate) fn skip_frame(
    file: &mut PeekReader<File>,
    decoder: &mut Option<Box<FrameDecoder>>,
) -> io::Result<bool> {
    let Some((magic, rest)) = file.peek(8)?.split_first_chunk() else {
        return Ok(false);
    };
    let magic = u32::from_le_bytes(*magic);
    let Some(length) = rest
        .first_chunk()
        .filter(|_| magic & !0xF == SKIPPABLE_MAGIC)
    else {
        return Ok(false);
    };
    let length = u64::from(u32::from_le_bytes(*length));
    let is_first = file.position() == 0;
    file.consume(8);
    if magic == DICTIONARY_MAGIC && is_first {
        let mut bytes = Vec::new();
        file.take(length.min(MAX_DICTIONARY_BYTES))
            .read_to_end(&mut bytes)?;
        let dictionary = Dictionary::decode_dict(&decompress_dictionary(bytes)?)
            .map_err(|e| zstd_damage(&e.to_string()))?;
        decoder
            .get_or_insert_default()
            .add_dict(dictionary)
            .map_err(|e| zstd_error(&e))?;
    } else {
        copy(&mut file.take(length), &mut sink())?;
    }
    Ok(true)
}

/// Decompresses a dictionary if it is a frame itself.
fn decompress_dictionary(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return Ok(bytes);
    }
    let decoder = StreamingDecoder::new(bytes.as_slice()).map_err(|e| zstd_error(&e))?;
    let mut dictionary = Vec::new();
    decoder
        .take(MAX_DICTIONARY_BYTES)
        .read_to_end(&mut dictionary)?;
    Ok(dictionary)
}
