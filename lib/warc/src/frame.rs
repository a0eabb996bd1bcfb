//! Frames of zstd (RFC 8878), and the dictionary that an archive of such may begin with (IIPC's
//! "WARC-ZSTD"): a frame that others skip, with the dictionary in it, which may itself be
//! compressed.

use crate::window::{Look, Window};
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, Read, copy, sink};

/// What a frame begins with.
pub(crate) const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// What a frame begins with that is skipped; its last four bits are free.
const SKIPPED: u32 = 0x184D_2A50;
/// That of the frame that holds the dictionary.
const DICTIONARY: u32 = 0x184D_2A5D;
/// Bytes of a dictionary, at most.
const MOST_DICTIONARY: u64 = 16 << 20;

/// The frame that a file stands at, unpacked. What is wrong with its head is told by reading it.
pub(crate) struct ZstdFrame {
    from: Window<File>,
    decoder: Box<FrameDecoder>,
    begun: Result<(), FrameDecoderError>,
}

impl ZstdFrame {
    pub fn new(mut from: Window<File>, mut decoder: Box<FrameDecoder>) -> ZstdFrame {
        let begun = decoder.init(&mut from);
        ZstdFrame {
            from,
            decoder,
            begun,
        }
    }

    pub fn into_parts(self) -> (Window<File>, Box<FrameDecoder>) {
        (self.from, self.decoder)
    }

    /// Whether the bytes that were read are those that were packed.
    fn check(&self) -> io::Result<()> {
        match (
            self.decoder.get_checksum_from_data(),
            self.decoder.get_calculated_checksum(),
        ) {
            (Some(told), Some(found)) if told != found => Err(damaged("its checksum is another")),
            _ => Ok(()),
        }
    }
}

impl Read for ZstdFrame {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.begun.as_ref().map_err(explained)?;
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                return self.check().map(|()| 0);
            }
            let decoded = self
                .decoder
                .decode_blocks(&mut self.from, BlockDecodingStrategy::UptoBlocks(1));
            decoded.map_err(|e| explained(&e))?;
        }
        self.decoder.read(to)
    }
}

/// Passes over a frame that is to be skipped, if the file stands at one; the decoder takes a
/// dictionary from it.
pub(crate) fn skip(
    file: &mut Window<File>,
    decoder: &mut Option<Box<FrameDecoder>>,
) -> io::Result<bool> {
    let Some((magic, rest)) = file.peek(8)?.split_first_chunk() else {
        return Ok(false);
    };
    let magic = u32::from_le_bytes(*magic);
    let Some(length) = rest.first_chunk().filter(|_| magic & !0xF == SKIPPED) else {
        return Ok(false);
    };
    let length = u64::from(u32::from_le_bytes(*length));
    let is_first = file.position() == 0;
    file.consume(8);
    if magic == DICTIONARY && is_first {
        let mut bytes = Vec::new();
        file.take(length.min(MOST_DICTIONARY))
            .read_to_end(&mut bytes)?;
        let dictionary =
            Dictionary::decode_dict(&unpacked(bytes)?).map_err(|e| damaged(&e.to_string()))?;
        decoder
            .get_or_insert_default()
            .add_dict(dictionary)
            .map_err(|e| explained(&e))?;
    } else {
        copy(&mut file.take(length), &mut sink())?;
    }
    Ok(true)
}

/// A dictionary, which may be a frame itself.
fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(bytes);
    }
    let decoder =
        ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).map_err(|e| explained(&e))?;
    let mut unpacked = Vec::new();
    decoder.take(MOST_DICTIONARY).read_to_end(&mut unpacked)?;
    Ok(unpacked)
}

fn explained(e: &FrameDecoderError) -> io::Error {
    match e {
        FrameDecoderError::DictNotProvided { dict_id } => damaged(&format!(
            "it needs dictionary {dict_id}, which is not in the archive"
        )),
        // What they say further is of use to those who write such decoders.
        FrameDecoderError::FailedToReadBlockHeader(_)
        | FrameDecoderError::FailedToReadBlockBody(_) => {
            damaged("a block can't be read, or is cut off")
        }
        e => damaged(&e.to_string()),
    }
}

/// A failure of the kind that flate2 gives damaged data.
fn damaged(cause: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("damaged zstd: {cause}"),
    )
}
