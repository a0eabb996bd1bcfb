//! Content codings: gzip, deflate, brotli, zstd, one on top of the other if need be.
//!
//! The body is decoded after it has come, not on the fly: so both sizes can be limited, an archive can keep the bytes
//! as they were sent, and the work is done outside the event loop.

use crate::FetchError;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::borrow::Cow;
use std::io::Read;

/// What is offered to the server.
pub(super) const ACCEPTED: &str = "gzip, br, zstd, deflate";
/// Codings on top of each other that are undone; more than two is an attack.
const MAX_CODINGS: usize = 3;

/// Undoes `codings`, which are in the order in which they were applied.
///
/// # Errors
/// When a coding is unknown, the body is damaged, or the result of any of them is larger than `limit` bytes.
pub(super) fn decompress<'a>(codings: &[String], body: &'a [u8], limit: u64) -> Result<Cow<'a, [u8]>, FetchError> {
    let wrong = |cause: String| Err(FetchError::BadBody(cause));
    let codings: Vec<&str> = codings.iter().map(String::as_str).filter(|&c| !matches!(c, "" | "identity")).collect();
    if codings.len() > MAX_CODINGS {
        return wrong(format!("{} content codings", codings.len()));
    }
    let mut body = Cow::Borrowed(body);
    for &coding in codings.iter().rev() {
        // Servers name a coding in answers that have no body.
        if body.is_empty() {
            break;
        }
        let bytes = body.as_ref();
        if matches!(coding, "gzip" | "x-gzip") && gzip_size(bytes) > limit {
            return Err(FetchError::TooLarge(limit));
        }
        let decoded = match coding {
            "gzip" | "x-gzip" => read(MultiGzDecoder::new(bytes), limit),
            "deflate" if is_zlib(bytes) => read(ZlibDecoder::new(bytes), limit),
            "deflate" => read(DeflateDecoder::new(bytes), limit),
            "br" => read(brotli_decompressor::Decompressor::new(bytes, 4096), limit),
            "zstd" => zstd(bytes, limit),
            _ => return wrong(format!("unknown content coding {coding:?}")),
        };
        body = match decoded {
            Ok(decoded) => Cow::Owned(decoded),
            Err(e) => return wrong(format!("damaged {coding}: {e}")),
        };
        if body.len() as u64 > limit {
            return Err(FetchError::TooLarge(limit));
        }
    }
    Ok(body)
}

/// What the end of a gzip body says of its size (RFC 1952 §2.3.1); nothing where it can't be that. It is the least that
/// it may have: of several members it is that of the last, and multiples of 4 GB don't count. So a bomb that does not
/// lie is told by four bytes, and one that does when it is unpacked.
fn gzip_size(body: &[u8]) -> u64 {
    let size = body.last_chunk().map_or(0, |&size| u64::from(u32::from_le_bytes(size)));
    // Nothing is compressed more than a thousandfold: otherwise these are not the bytes of a size.
    let is_possible = body.starts_with(&[0x1f, 0x8b]) && size < body.len() as u64 * 1040;
    if is_possible { size } else { 0 }
}

/// Reads to the end, or one byte past the limit.
fn read(decoder: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut decoded = Vec::new();
    decoder.take(limit.saturating_add(1)).read_to_end(&mut decoded)?;
    Ok(decoded)
}

/// Undoes zstd frame by frame (RFC 8878 §3): a body may have several, and some that hold no content.
fn zstd(mut body: &[u8], limit: u64) -> std::io::Result<Vec<u8>> {
    let mut decoded = Vec::new();
    while !body.is_empty() && decoded.len() as u64 <= limit {
        match StreamingDecoder::new(&mut body) {
            Ok(decoder) => {
                let left = (limit - decoded.len() as u64).saturating_add(1);
                decoder.take(left).read_to_end(&mut decoded)?;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                body = body.get(length as usize..).unwrap_or_default();
            }
            Err(e) => return Err(std::io::Error::other(e)),
        }
    }
    Ok(decoded)
}

/// Whether the body of a `deflate` is in the zlib format, as the standard says, and not bare, as some servers send it.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [a, b, ..] if a & 0x0F == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::decompress;
    use crate::FetchError;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn undo(codings: &[&str], body: Vec<u8>, limit: u64) -> Result<Vec<u8>, FetchError> {
        let codings: Vec<String> = codings.iter().map(|&coding| coding.to_owned()).collect();
        decompress(&codings, &body, limit).map(|body| body.into_owned())
    }

    #[test]
    fn undoes_each_coding() {
        let text = b"potok potok potok".to_vec();
        assert_eq!(undo(&["gzip"], gzip(&text), 99).unwrap(), text);
        assert_eq!(undo(&["identity", "gzip", "gzip"], gzip(&gzip(&text)), 99).unwrap(), text);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        assert_eq!(undo(&["deflate"], zlib.finish().unwrap(), 99).unwrap(), text);
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(&text).unwrap();
        assert_eq!(undo(&["deflate"], bare.finish().unwrap(), 99).unwrap(), text);
        let zstd = ruzstd::encoding::compress_to_vec(text.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        assert_eq!(undo(&["zstd"], zstd.clone(), 99).unwrap(), text);
        // A frame that is passed over, two bytes long, and another one (RFC 8878 §3.1.2).
        let frames = [&zstd, &[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 1][..], &zstd].concat();
        assert_eq!(undo(&["zstd"], frames.clone(), 99).unwrap(), text.repeat(2));
        assert_eq!(undo(&["zstd"], frames, 20), Err(FetchError::TooLarge(20)));
        let brotli = b"\x1b\x10\x00\xf8\x8d\x94\x6e\xde\xb4\x7c\x03\x81\xab\x35\xba\x80\x27\x0e\x70\x09";
        assert_eq!(undo(&["br"], brotli.to_vec(), 99).unwrap(), text);
    }

    #[test]
    fn stops_a_bomb_at_the_limit() {
        let bomb = gzip(&vec![0; 10 << 20]);
        assert!(bomb.len() < 20_000);
        let mut lying = bomb.clone();
        lying.extend(gzip(b"small"));
        for bomb in [bomb, lying] {
            assert_eq!(undo(&["gzip"], bomb, 100_000), Err(FetchError::TooLarge(100_000)));
        }
    }

    #[test]
    fn a_damaged_or_unknown_body_is_told() {
        let mut cut = gzip(b"potok potok");
        cut.truncate(cut.len() - 6);
        for (coding, body) in [("gzip", cut), ("br", vec![0xFF; 9]), ("zstd", vec![1; 9]), ("rot13", vec![1])] {
            assert!(matches!(undo(&[coding], body, 99), Err(FetchError::BadBody(_))), "{coding}");
        }
    }

    #[test]
    fn an_empty_body_has_nothing_to_undo() {
        assert_eq!(undo(&["gzip"], Vec::new(), 99).unwrap(), b"");
    }
}
