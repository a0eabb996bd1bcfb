//! Content codings: gzip, deflate, brotli, zstd, one on top of the other if need be.
//!
//! The body is decoded after it has come, not on the fly: so both sizes can be limited, an archive
//! can keep the bytes as they were sent, and the work is done outside the event loop.

use crate::FetchError;
use flate2::bufread::GzDecoder;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::borrow::Cow;
use std::io::Read;

/// What is offered to the server.
pub(crate) const ACCEPTED: &str = "gzip, br, zstd, deflate";
/// Codings on top of each other that are undone; more than two is an attack.
const MAX_CODINGS: usize = 3;
/// Codings that there are (IANA's registry of HTTP content codings) and that are not undone here.
const NOT_READ: [&str; 7] = [
    "aes128gcm",
    "compress",
    "x-compress",
    "dcb",
    "dcz",
    "exi",
    "pack200-gzip",
];
/// What a gzip member begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What bodies begin with that may hold any bytes and are not compressed as a whole.
const OPEN: [&[u8]; 3] = [b"%PDF-", b"%!PS", b"PK\x03\x04"];

/// Undoes `codings`, which are in the order in which they were applied. What is no coding that
/// there is has none undone, as in browsers: some servers say `none`, or a charset. Nor has a body
/// that is not in the coding: some writers of archives undo it and leave the header, and some
/// servers forget to apply it.
///
/// # Errors
/// When a coding is one that is not read, the body is damaged, or the result of any of them is
/// larger than `limit` bytes.
pub(crate) fn decompress<'a>(
    codings: &[String],
    body: &'a [u8],
    limit: u64,
) -> Result<Cow<'a, [u8]>, FetchError> {
    let mut body = Cow::Borrowed(body);
    for coding in applied(codings)?.into_iter().rev() {
        // Servers name a coding in answers that have no body.
        if body.is_empty() {
            break;
        }
        if coding == "gzip" && gzip_size(&body) > limit {
            return Err(FetchError::TooLarge(limit));
        }
        let (bytes, end) = decode(coding, &body, limit);
        if end.is_err() && is_open(&body) {
            continue;
        }
        end.map_err(|e| FetchError::BadBody(format!("damaged {coding}: {e}")))?;
        if bytes.len() as u64 > limit {
            return Err(FetchError::TooLarge(limit));
        }
        body = Cow::Owned(bytes);
    }
    Ok(body)
}

/// As [`decompress`], but only the first `limit` bytes; of a body that `is_cut` what can be read of
/// it.
///
/// # Errors
/// As there, save for the size.
pub(crate) fn beginning(
    codings: &[String],
    body: &[u8],
    limit: u64,
    mut is_cut: bool,
) -> Result<Vec<u8>, FetchError> {
    let mut body = Cow::Borrowed(body);
    for coding in applied(codings)?.into_iter().rev() {
        if body.is_empty() {
            break;
        }
        let (mut bytes, end) = decode(coding, &body, limit);
        if let Err(e) = end
            && !is_cut
        {
            return Err(FetchError::BadBody(format!("damaged {coding}: {e}")));
        }
        is_cut |= bytes.len() as u64 > limit;
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        body = Cow::Owned(bytes);
    }
    Ok(body.into_owned())
}

/// The codings that are to be undone.
fn applied(codings: &[String]) -> Result<Vec<&str>, FetchError> {
    let mut applied = Vec::new();
    for coding in codings {
        match coding.as_str() {
            "gzip" | "x-gzip" => applied.push("gzip"),
            coding @ ("deflate" | "br" | "zstd") => applied.push(coding),
            coding if NOT_READ.contains(&coding) => {
                return Err(FetchError::BadBody(format!(
                    "unknown content coding {coding:?}"
                )));
            }
            _ => {}
        }
    }
    if applied.len() > MAX_CODINGS {
        return Err(FetchError::BadBody(format!(
            "{} content codings",
            applied.len()
        )));
    }
    Ok(applied)
}

/// What came of a body: to its end, one byte past the limit, or as far as it could be read.
fn decode(coding: &str, body: &[u8], limit: u64) -> (Vec<u8>, std::io::Result<()>) {
    let mut bytes = Vec::new();
    let end = match coding {
        "gzip" => gzip(body, limit, &mut bytes),
        "deflate" if is_zlib(body) => read(ZlibDecoder::new(body), limit, &mut bytes),
        "deflate" => read(DeflateDecoder::new(body), limit, &mut bytes),
        "br" => read(
            brotli_decompressor::Decompressor::new(body, 4096),
            limit,
            &mut bytes,
        ),
        _ => zstd(body, limit, &mut bytes),
    };
    (bytes, end)
}

/// What the end of a gzip body says of its size (RFC 1952 §2.3.1); nothing where it can't be that.
/// It is the least that it may have: of several members it is that of the last, and multiples of 4
/// GB don't count. So a bomb that does not lie is told by four bytes, and one that does when it is
/// unpacked.
fn gzip_size(body: &[u8]) -> u64 {
    let size = body
        .last_chunk()
        .map_or(0, |&size| u64::from(u32::from_le_bytes(size)));
    // Nothing is compressed more than a thousandfold: otherwise these are not the bytes of a size.
    let is_possible = body.starts_with(&GZIP) && size < body.len() as u64 * 1040;
    if is_possible { size } else { 0 }
}

/// Whether a body looks as if it were not compressed: in that there are few stretches without
/// control characters.
fn is_open(body: &[u8]) -> bool {
    let head = &body[..body.len().min(1024)];
    let is_shown = |byte: &u8| {
        !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | 0x1b)
    };
    // The last letter may be cut.
    let is_unicode = str::from_utf8(head)
        .err()
        .is_none_or(|e| e.error_len().is_none());
    let is_text = is_unicode || head.iter().filter(|byte| byte.is_ascii()).count() * 2 > head.len();
    OPEN.iter().any(|magic| body.starts_with(magic)) || is_text && head.iter().all(is_shown)
}

/// Reads to the end, or until there is one byte more than the limit.
fn read(decoder: impl Read, limit: u64, to: &mut Vec<u8>) -> std::io::Result<()> {
    let left = limit.saturating_add(1).saturating_sub(to.len() as u64);
    decoder.take(left).read_to_end(to).map(|_| ())
}

/// Undoes gzip member by member (RFC 1952 §2.2). What stands behind one and is none is passed over,
/// as gzip(1) does.
fn gzip(mut body: &[u8], limit: u64, to: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        let mut decoder = GzDecoder::new(body);
        read(&mut decoder, limit, to)?;
        body = decoder.into_inner();
        if !body.starts_with(&GZIP) || to.len() as u64 > limit {
            return Ok(());
        }
    }
}

/// Undoes zstd frame by frame (RFC 8878 §3): a body may have several, and some that hold no
/// content.
fn zstd(mut body: &[u8], limit: u64, to: &mut Vec<u8>) -> std::io::Result<()> {
    while !body.is_empty() && to.len() as u64 <= limit {
        match StreamingDecoder::new(&mut body) {
            Ok(decoder) => read(decoder, limit, to)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                body = body.get(length as usize..).unwrap_or_default();
            }
            Err(e) => return Err(std::io::Error::other(e)),
        }
    }
    Ok(())
}

/// Whether the body of a `deflate` is in the zlib format, as the standard says, and not bare, as
/// some servers send it.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [a, b, ..] if a & 0x0F == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::{beginning, decompress};
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
        assert_eq!(
            undo(&["identity", "gzip", "gzip"], gzip(&gzip(&text)), 99).unwrap(),
            text
        );
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        assert_eq!(
            undo(&["deflate"], zlib.finish().unwrap(), 99).unwrap(),
            text
        );
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(&text).unwrap();
        assert_eq!(
            undo(&["deflate"], bare.finish().unwrap(), 99).unwrap(),
            text
        );
        let zstd = ruzstd::encoding::compress_to_vec(
            text.as_slice(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert_eq!(undo(&["zstd"], zstd.clone(), 99).unwrap(), text);
        // A frame that is passed over, two bytes long, and another one (RFC 8878 §3.1.2).
        let frames = [
            &zstd,
            &[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 1][..],
            &zstd,
        ]
        .concat();
        assert_eq!(undo(&["zstd"], frames.clone(), 99).unwrap(), text.repeat(2));
        assert_eq!(undo(&["zstd"], frames, 20), Err(FetchError::TooLarge(20)));
        let brotli =
            b"\x1b\x10\x00\xf8\x8d\x94\x6e\xde\xb4\x7c\x03\x81\xab\x35\xba\x80\x27\x0e\x70\x09";
        assert_eq!(undo(&["br"], brotli.to_vec(), 99).unwrap(), text);
    }

    #[test]
    fn stops_a_bomb_at_the_limit() {
        let bomb = gzip(&vec![0; 10 << 20]);
        assert!(bomb.len() < 20_000);
        let mut lying = bomb.clone();
        lying.extend(gzip(b"small"));
        for bomb in [bomb, lying] {
            assert_eq!(
                undo(&["gzip"], bomb, 100_000),
                Err(FetchError::TooLarge(100_000))
            );
        }
    }

    #[test]
    fn a_damaged_or_unknown_body_is_told() {
        let mut cut = gzip(b"potok potok");
        cut.truncate(cut.len() - 6);
        for (coding, body) in [
            ("gzip", cut),
            ("br", vec![0xFF; 9]),
            ("zstd", vec![1; 9]),
            ("compress", vec![1]),
        ] {
            assert!(
                matches!(undo(&[coding], body, 99), Err(FetchError::BadBody(_))),
                "{coding}"
            );
        }
    }

    #[test]
    fn what_is_no_coding_is_not_undone_and_what_stands_behind_gzip_is_not_read() {
        let text = b"potok potok".to_vec();
        for coding in ["none", "utf-8", "identity", "", "text/html"] {
            assert_eq!(undo(&[coding], text.clone(), 99).unwrap(), text, "{coding}");
        }
        for behind in [&b"\0\0\0\0"[..], b"\n", b"<!-- served in 0.1 s -->"] {
            let body = [&gzip(&text), behind].concat();
            assert_eq!(undo(&["gzip"], body, 99).unwrap(), text, "{behind:?}");
        }
        let two = [gzip(&text), gzip(&text)].concat();
        assert_eq!(undo(&["x-gzip"], two, 99).unwrap(), text.repeat(2));
    }

    #[test]
    fn a_body_that_is_not_in_its_coding_stays() {
        for body in [
            "<!doctype html><p>potok".as_bytes(),
            "Šola\n\tje\r\n".as_bytes(),
            b"%PDF-1.4\n\0\x01\x02",
        ] {
            for coding in ["gzip", "deflate", "br", "zstd"] {
                assert_eq!(
                    undo(&[coding], body.to_vec(), 99).unwrap(),
                    body,
                    "{coding}"
                );
            }
            assert_eq!(undo(&["br", "gzip"], gzip(body), 99).unwrap(), body);
        }
    }

    #[test]
    fn the_beginning_is_read_of_what_is_too_large_or_cut() {
        let text: Vec<u8> = (0..9_999_u32)
            .flat_map(|n| blake3::hash(&n.to_le_bytes()).to_hex().as_bytes().to_vec())
            .collect();
        let (codings, sent) = (["gzip".to_owned()], gzip(&text));
        assert_eq!(
            beginning(&codings, &sent, 1000, false).unwrap(),
            text[..1000]
        );
        let some = beginning(&codings, &sent[..sent.len() / 2], 1 << 20, true).unwrap();
        assert!(some.len() > text.len() / 3 && text.starts_with(&some));
        assert!(beginning(&codings, &sent[..sent.len() / 2], 1 << 20, false).is_err());
        assert_eq!(
            beginning(&codings, &gzip(b"all"), 1000, false).unwrap(),
            b"all"
        );
    }

    #[test]
    fn an_empty_body_has_nothing_to_undo() {
        assert_eq!(undo(&["gzip"], Vec::new(), 99).unwrap(), b"");
    }
}
