//! Content codings (RFC 9110, section 8.4): gzip, deflate, brotli and zstd, also several in
//! sequence.
//!
//! A body is decoded when it is complete, not as a stream. So the sizes before and after decoding
//! are both limited, an archive can keep the bytes as sent, and the work is done outside the event
//! loop.

use crate::FetchError;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use forage_content::Compression;
use std::borrow::Cow;
use std::io::{ErrorKind, Read};

/// The value of `Accept-Encoding`.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";
/// Maximum number of codings of one body; a longer sequence is taken for an attack.
const MAX_CODINGS: usize = 3;
/// Codings of IANA's HTTP Content Coding Registry that are not supported here.
const UNSUPPORTED_CODINGS: [&str; 7] = [
    "aes128gcm",
    "compress",
    "x-compress",
    "dcb",
    "dcz",
    "exi",
    "pack200-gzip",
];
/// Bytes of a body that show if it is compressed. Set by judgement, not measured.
const SAMPLE_BYTES: usize = 1024;
/// The first bytes of formats that contain binary data and are not compressed as a whole: PDF,
/// PostScript, ZIP.
const UNCOMPRESSED_MAGICS: [&[u8]; 3] = [b"%PDF-", b"%!PS", b"PK\x03\x04"];

/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodedBody<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// True if the encoded data are cut or damaged: the bytes are those before that place, or fail
    /// the check at the end.
    pub is_damaged: bool,
}

/// Decodes a body with `codings`, which are in the order of their application.
///
/// A coding that is not registered is ignored, as in browsers: some servers send `none` or a
/// charset. A coding is also ignored if the body is not encoded with it: some writers of archives
/// decode the body but keep the header field, and some servers do not apply the coding.
///
/// # Errors
/// Fails if a coding is not supported, nothing of the body can be decoded, or the result of any
/// coding is larger than `limit` bytes.
pub(crate) fn decompress<'a>(
    codings: &[String],
    body: &'a [u8],
    limit: u64,
) -> Result<DecodedBody<'a>, FetchError> {
    let mut decoded = DecodedBody {
        bytes: Cow::Borrowed(body),
        is_damaged: false,
    };
    for coding in supported_codings(codings)?.into_iter().rev() {
        // Servers also state a coding for responses without a body.
        if decoded.bytes.is_empty() {
            break;
        }
        let (bytes, result) = decode(coding, &decoded.bytes, limit);
        if let Err(e) = result {
            if looks_uncompressed(&decoded.bytes) {
                continue;
            }
            // Of noise, the first bytes may be decoded, too.
            if bytes.is_empty() || !looks_uncompressed(&bytes) {
                return Err(damage_of(coding, &e));
            }
            decoded.is_damaged = true;
        }
        if bytes.len() as u64 > limit {
            return Err(FetchError::TooLarge(limit));
        }
        decoded.bytes = Cow::Owned(bytes);
    }
    Ok(decoded)
}

/// Decodes the first `limit` bytes of a body. A body that `is_truncated` is decoded as far as
/// possible. Codings that are not registered, or not applied, are ignored as in [`decompress`].
///
/// # Errors
/// Fails if a coding is not supported, nothing can be decoded, or the body is cut although it is
/// not truncated.
pub(crate) fn decompress_prefix(
    codings: &[String],
    body: &[u8],
    limit: u64,
    mut is_truncated: bool,
) -> Result<Vec<u8>, FetchError> {
    let mut body = Cow::Borrowed(body);
    for coding in supported_codings(codings)?.into_iter().rev() {
        if body.is_empty() {
            break;
        }
        let (mut bytes, result) = decode(coding, &body, limit);
        if result.is_err() && looks_uncompressed(&body) {
            continue;
        }
        // A server that writes a wrong checksum does so in all responses.
        if let Err(e) = result
            && !is_truncated
            && (bytes.is_empty() || e.kind() == ErrorKind::UnexpectedEof)
        {
            return Err(damage_of(coding, &e));
        }
        is_truncated |= bytes.len() as u64 > limit;
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        body = Cow::Owned(bytes);
    }
    Ok(body.into_owned())
}

fn damage_of(coding: &str, e: &std::io::Error) -> FetchError {
    let cause = e.to_string();
    let cause = cause.strip_prefix("damaged zstd: ").unwrap_or(&cause);
    FetchError::BadBody(format!("damaged {coding}: {cause}"))
}

/// Returns the supported codings in their order, without unregistered ones.
///
/// # Errors
/// Fails for a registered coding that is not supported, and for more than [`MAX_CODINGS`].
fn supported_codings(codings: &[String]) -> Result<Vec<&str>, FetchError> {
    let mut supported = Vec::new();
    for coding in codings {
        match coding.as_str() {
            "gzip" | "x-gzip" => supported.push("gzip"),
            coding @ ("deflate" | "br" | "zstd") => supported.push(coding),
            coding if UNSUPPORTED_CODINGS.contains(&coding) => {
                return Err(FetchError::BadBody(format!(
                    "unsupported content coding {coding:?}"
                )));
            }
            _ => {}
        }
    }
    if supported.len() > MAX_CODINGS {
        return Err(FetchError::BadBody(format!(
            "{} content codings, more than {MAX_CODINGS}",
            supported.len()
        )));
    }
    Ok(supported)
}

/// Decodes one coding, or another one that the body begins with. Returns at most `limit + 1` bytes,
/// also of a body that is damaged later.
fn decode(coding: &str, body: &[u8], limit: u64) -> (Vec<u8>, std::io::Result<()>) {
    let found = match Compression::detect(body) {
        Some(Compression::Gzip) => "gzip",
        Some(Compression::Zstd) => "zstd",
        None if coding == "gzip" && is_zlib(body) => "deflate",
        None => coding,
    };
    let decoded = decode_as(found, body, limit);
    // The first bytes may be those of another format by chance.
    if found != coding && decoded.0.is_empty() {
        return decode_as(coding, body, limit);
    }
    decoded
}

fn decode_as(coding: &str, body: &[u8], limit: u64) -> (Vec<u8>, std::io::Result<()>) {
    let mut bytes = Vec::new();
    let result = match coding {
        "gzip" => read_to_limit(Compression::Gzip.decompress(body), limit, &mut bytes),
        "deflate" if is_zlib(body) => read_to_limit(ZlibDecoder::new(body), limit, &mut bytes),
        "deflate" => read_to_limit(DeflateDecoder::new(body), limit, &mut bytes),
        "br" => read_to_limit(
            brotli_decompressor::Decompressor::new(body, 4096),
            limit,
            &mut bytes,
        ),
        _ => read_to_limit(Compression::Zstd.decompress(body), limit, &mut bytes),
    };
    (bytes, result)
}

/// Returns `true` if a body does not look compressed: it is of a known format, or text without
/// control characters, which a compressed body almost always contains.
fn looks_uncompressed(body: &[u8]) -> bool {
    let sample = &body[..body.len().min(SAMPLE_BYTES)];
    let is_text_byte = |byte: &u8| {
        !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | 0x1b)
    };
    // The sample may end within a character.
    let is_utf8 = str::from_utf8(sample)
        .err()
        .is_none_or(|e| e.error_len().is_none());
    let ascii_bytes = sample.iter().filter(|byte| byte.is_ascii()).count();
    let is_text = is_utf8 || ascii_bytes * 2 > sample.len();
    UNCOMPRESSED_MAGICS
        .iter()
        .any(|magic| body.starts_with(magic))
        || is_text && sample.iter().all(is_text_byte)
}

/// Reads to the end, or until `to` has one byte more than the limit.
fn read_to_limit(decoder: impl Read, limit: u64, to: &mut Vec<u8>) -> std::io::Result<()> {
    decoder
        .take(limit.saturating_add(1))
        .read_to_end(to)
        .map(|_| ())
}

/// Returns `true` if a body starts with a zlib header (RFC 1950, section 2.2). `deflate` requires
/// the zlib format (RFC 9110, section 8.4.1.2), but some servers send bare DEFLATE data.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [a, b, ..] if a & 0x0F == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::{decompress, decompress_prefix};
    use crate::FetchError;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(codings: &[&str], body: Vec<u8>, limit: u64) -> Result<Vec<u8>, FetchError> {
        let codings: Vec<String> = codings.iter().map(|&coding| coding.to_owned()).collect();
        decompress(&codings, &body, limit).map(|body| body.bytes.into_owned())
    }

    const TEXT: &[u8] = b"potok, potok, potok\n";

    fn text() -> Vec<u8> {
        TEXT.repeat(100)
    }

    fn zlib(body: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        compress_to_vec(body, CompressionLevel::Fastest)
    }

    #[test]
    fn decodes_each_coding() {
        let text = b"potok potok potok".to_vec();
        assert_eq!(decode(&["gzip"], gzip(&text), 99).unwrap(), text);
        assert_eq!(
            decode(&["identity", "gzip", "gzip"], gzip(&gzip(&text)), 99).unwrap(),
            text
        );
        assert_eq!(decode(&["deflate"], zlib(&text), 99).unwrap(), text);
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(&text).unwrap();
        assert_eq!(
            decode(&["deflate"], bare.finish().unwrap(), 99).unwrap(),
            text
        );
        let zstd = zstd(&text);
        assert_eq!(decode(&["zstd"], zstd.clone(), 99).unwrap(), text);
        // A skippable frame of two bytes between two others (RFC 8878, section 3.1.2).
        let frames = [
            &zstd,
            &[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 1][..],
            &zstd,
        ]
        .concat();
        assert_eq!(
            decode(&["zstd"], frames.clone(), 99).unwrap(),
            text.repeat(2)
        );
        assert_eq!(decode(&["zstd"], frames, 20), Err(FetchError::TooLarge(20)));
        let brotli =
            b"\x1b\x10\x00\xf8\x8d\x94\x6e\xde\xb4\x7c\x03\x81\xab\x35\xba\x80\x27\x0e\x70\x09";
        assert_eq!(decode(&["br"], brotli.to_vec(), 99).unwrap(), text);
    }

    #[test]
    fn rejects_a_decompression_bomb_at_the_limit() {
        let bomb = gzip(&vec![0; 10 << 20]);
        assert!(bomb.len() < 20_000);
        let mut forged = bomb.clone();
        forged.extend(gzip(b"small"));
        for bomb in [bomb, forged] {
            assert_eq!(
                decode(&["gzip"], bomb, 100_000),
                Err(FetchError::TooLarge(100_000))
            );
        }
    }

    #[test]
    fn reports_a_damaged_body_and_an_unsupported_coding() {
        for (coding, body) in [
            ("gzip", gzip(b"potok potok")[..10].to_vec()),
            ("gzip", b"\x1f\x8b\x08\x04\xff\xff and no gzip".to_vec()),
            ("br", vec![0xFF; 9]),
            ("zstd", vec![1; 9]),
            ("compress", vec![1]),
        ] {
            assert!(
                matches!(decode(&[coding], body, 99), Err(FetchError::BadBody(_))),
                "{coding}"
            );
        }
    }

    #[test]
    fn what_can_be_decoded_of_a_damaged_body_is_used() {
        let sound = gzip(&text());
        let (end, start) = (sound.len() - 8, sound[..sound.len() - 8].to_vec());
        let mut wrong_checksum = sound.clone();
        wrong_checksum[end] ^= 0xff;
        let mut wrong_size = sound.clone();
        wrong_size[end + 6] ^= 0xff;
        let mut adler = zlib(&text());
        adler.pop();
        for (coding, body) in [
            ("gzip", wrong_checksum),
            ("gzip", wrong_size),
            ("gzip", start.clone()),
            ("gzip", [&start[..], b"\xff\xff\xff"].concat()),
            ("deflate", adler),
        ] {
            let decoded = decompress(&[coding.to_owned()], &body, 1 << 20).unwrap();
            assert!(decoded.is_damaged && *decoded.bytes == text(), "{coding}");
        }
        let words: String = (0..9999)
            .map(|n: u32| format!("{} ", n.wrapping_mul(77) % 997))
            .collect();
        for (coding, mut body) in [
            ("gzip", gzip(words.as_bytes())),
            ("deflate", zlib(words.as_bytes())),
        ] {
            body.truncate(body.len() / 2);
            let decoded = decompress(&[coding.to_owned()], &body, 1 << 20).unwrap();
            assert!(
                decoded.is_damaged
                    && decoded.bytes.len() > 99
                    && words.as_bytes().starts_with(&decoded.bytes),
                "{coding}"
            );
        }
        let sound = decompress(&["gzip".to_owned()], &sound, 1 << 20).map(|body| body.is_damaged);
        assert_eq!(sound, Ok(false));
    }

    #[test]
    fn a_trailer_is_no_limit() {
        let mut large = gzip(&text());
        large.extend([0, 0, 0, 1]);
        large.drain(large.len() - 12..large.len() - 4);
        assert_eq!(decode(&["gzip"], large, 1 << 20).unwrap(), text());
    }

    #[test]
    fn the_first_bytes_overrule_the_label() {
        for (coding, body) in [
            ("br", gzip(&text())),
            ("deflate", gzip(&text())),
            ("zstd", gzip(&text())),
            ("gzip", zlib(&text())),
            ("gzip", zstd(&text())),
        ] {
            assert_eq!(
                decode(&[coding], body, 1 << 20).unwrap(),
                text(),
                "{coding}"
            );
        }
        assert_eq!(
            decode(&["gzip", "gzip"], gzip(&text()), 1 << 20).unwrap(),
            text(),
            "sent twice, applied once"
        );
    }

    #[test]
    fn ignores_unregistered_codings_and_data_after_a_gzip_member() {
        let text = b"potok potok".to_vec();
        for coding in ["none", "utf-8", "identity", "", "text/html"] {
            assert_eq!(
                decode(&[coding], text.clone(), 99).unwrap(),
                text,
                "{coding}"
            );
        }
        for trailing in [&b"\0\0\0\0"[..], b"\n", b"<!-- served in 0.1 s -->"] {
            let body = [&gzip(&text), trailing].concat();
            assert_eq!(decode(&["gzip"], body, 99).unwrap(), text, "{trailing:?}");
        }
        let two = [gzip(&text), gzip(&text)].concat();
        assert_eq!(decode(&["x-gzip"], two, 99).unwrap(), text.repeat(2));
    }

    #[test]
    fn returns_a_body_that_is_not_encoded_as_it_is() {
        for body in [
            "<!doctype html><p>potok".as_bytes(),
            "Šola\n\tje\r\n".as_bytes(),
            b"%PDF-1.4\n\0\x01\x02",
        ] {
            for coding in ["gzip", "deflate", "br", "zstd"] {
                assert_eq!(
                    decode(&[coding], body.to_vec(), 99).unwrap(),
                    body,
                    "{coding}"
                );
            }
            assert_eq!(decode(&["br", "gzip"], gzip(body), 99).unwrap(), body);
        }
    }

    #[test]
    fn decodes_the_beginning_of_a_large_or_truncated_body() {
        let text: Vec<u8> = (0..9_999_u32)
            .flat_map(|n| blake3::hash(&n.to_le_bytes()).to_hex().as_bytes().to_vec())
            .collect();
        let (codings, sent) = (["gzip".to_owned()], gzip(&text));
        assert_eq!(
            decompress_prefix(&codings, &sent, 1000, false).unwrap(),
            text[..1000]
        );
        let prefix = decompress_prefix(&codings, &sent[..sent.len() / 2], 1 << 20, true).unwrap();
        assert!(prefix.len() > text.len() / 3 && text.starts_with(&prefix));
        assert!(decompress_prefix(&codings, &sent[..sent.len() / 2], 1 << 20, false).is_err());
        assert_eq!(
            decompress_prefix(&codings, &gzip(b"all"), 1000, false).unwrap(),
            b"all"
        );
        let not_encoded = b"User-agent: *\nDisallow: /x\n";
        assert_eq!(
            decompress_prefix(&codings, not_encoded, 1000, false).unwrap(),
            not_encoded
        );
    }

    #[test]
    fn an_empty_body_stays_empty() {
        assert_eq!(decode(&["gzip"], Vec::new(), 99).unwrap(), b"");
    }
}
