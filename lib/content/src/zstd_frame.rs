//! The data of one frame of zstd (RFC 8878), for readers of files and of archives.

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, Read};

/// Reads data of the frame that `decoder` was started with, from `compressed`, like [`Read::read`]:
/// returns 0 at the end of the frame.
///
/// # Errors
/// Fails if the frame is damaged or truncated, or its checksum does not match.
pub fn read_zstd_frame(
    decoder: &mut FrameDecoder,
    compressed: &mut impl Read,
    to: &mut [u8],
) -> io::Result<usize> {
    while decoder.can_collect() == 0 {
        if decoder.is_finished() {
            return verify_checksum(decoder).map(|()| 0);
        }
        decoder
            .decode_blocks(&mut *compressed, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(|e| zstd_error(&e))?;
    }
    decoder.read(to)
}

/// Checks the decompressed data by the checksum of the frame, if it has one.
fn verify_checksum(decoder: &FrameDecoder) -> io::Result<()> {
    let expected = decoder.get_checksum_from_data();
    let actual = decoder.get_calculated_checksum();
    match (expected, actual) {
        (Some(expected), Some(actual)) if expected != actual => {
            Err(zstd_damage("its checksum does not match"))
        }
        _ => Ok(()),
    }
}

/// Returns the error for a frame that cannot be decoded. That of a frame which needs more memory
/// than is given to it is of the kind [`io::ErrorKind::Unsupported`].
pub fn zstd_error(e: &FrameDecoderError) -> io::Error {
    match e {
        FrameDecoderError::DictNotProvided { dict_id } => zstd_damage(&format!(
            "it needs dictionary {dict_id}, which is not in the file"
        )),
        FrameDecoderError::WindowSizeTooBig { requested, max } => io::Error::new(
            io::ErrorKind::Unsupported,
            format!(
                "a window of zstd of {} MiB is not read, only up to {} MiB; repack the file with \
                 `zstd -dc --long=31 | zstd`",
                requested >> 20,
                max >> 20
            ),
        ),
        // The details of these are of use only to writers of decoders.
        FrameDecoderError::FailedToReadBlockHeader(_)
        | FrameDecoderError::FailedToReadBlockBody(_) => {
            zstd_damage("a block is damaged or truncated")
        }
        e => zstd_damage(&e.to_string()),
    }
}

/// Returns an error of the kind that flate2 uses for damaged data.
pub fn zstd_damage(cause: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("damaged zstd: {cause}"),
    )
}
