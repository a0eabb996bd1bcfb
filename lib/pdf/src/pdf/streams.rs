//! The streams of a PDF, also those that the crate cannot read or decode: with a wrong length, without
//! an end, and with other filters, or spellings of filters, than it knows.

use super::pages::find_objects;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};
use std::io::Read;

/// Maximum size of a decoded stream.
const MAX_BYTES: u64 = 256 << 20;
/// Filters, their abbreviations, and whether the crate supports them.
const FILTERS: [(&[u8], &[u8], bool); 5] = [
    (b"FlateDecode", b"Fl", true),
    (b"LZWDecode", b"LZW", true),
    (b"ASCII85Decode", b"A85", true),
    (b"ASCIIHexDecode", b"AHx", false),
    (b"RunLengthDecode", b"RL", false),
];

/// Adds to the streams of a document that is not encrypted the data that the crate has not found by
/// their length: what is before `endstream`.
pub(super) fn find_lost_data(document: &mut Document, body: &[u8]) {
    for (number, found) in find_objects(body) {
        let Some(range) = found.stream else {
            continue;
        };
        let object = document.objects.get_mut(&(number, found.generation));
        match object {
            Some(Object::Stream(stream)) if stream.content.is_empty() => {
                stream.content = stream_data(&body[range]).to_vec();
            }
            Some(object @ Object::Dictionary(_)) => {
                let dictionary = object.as_dict().cloned().unwrap_or_default();
                *object = Stream::new(dictionary, stream_data(&body[range]).to_vec()).into();
            }
            _ => {}
        }
    }
}

/// Returns the data of a stream without the line breaks around it.
fn stream_data(data: &[u8]) -> &[u8] {
    let data = data
        .strip_prefix(b"\r\n")
        .or_else(|| data.strip_prefix(b"\n"))
        .or_else(|| data.strip_prefix(b"\r"))
        .unwrap_or(data);
    data.strip_suffix(b"\r\n")
        .or_else(|| data.strip_suffix(b"\n"))
        .or_else(|| data.strip_suffix(b"\r"))
        .unwrap_or(data)
}

/// Decodes the streams that the crate cannot decode, except for pictures.
pub(super) fn decode_streams(document: &mut Document) {
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(Object::Stream(stream)) = document.objects.get(&id) else {
            continue;
        };
        let is_picture =
            stream.dict.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Image");
        let Some(filters) = filters_of(document, &stream.dict).filter(|_| !is_picture) else {
            continue;
        };
        if is_supported(stream, &filters) {
            continue;
        }
        if let Some(content) = decode(stream, &filters)
            && let Some(Object::Stream(stream)) = document.objects.get_mut(&id)
        {
            stream.set_plain_content(content);
        }
    }
}

/// Returns `true` if a page has content that cannot be read: its streams are lost, or nothing of
/// them can be decoded.
pub(super) fn is_content_lost(document: &Document, page: ObjectId) -> bool {
    let Ok(page) = document.get_dictionary(page) else {
        return false;
    };
    let Ok(contents) = page.get_deref(b"Contents", document) else {
        return page.has(b"Contents");
    };
    let streams = match contents {
        Object::Array(streams) => streams.as_slice(),
        stream => std::slice::from_ref(stream),
    };
    let is_lost = |stream: &Object| {
        let stream = document.dereference(stream).map(|(_, stream)| stream);
        stream.and_then(Object::as_stream).map_or(true, |stream| {
            let plain = stream.get_plain_content().unwrap_or_default();
            !stream.content.trim_ascii().is_empty() && plain.is_empty()
        })
    };
    !streams.is_empty() && streams.iter().all(is_lost)
}

/// Returns the names of the filters of a stream; `None` if it has no such entry.
fn filters_of(document: &Document, dictionary: &Dictionary) -> Option<Vec<Vec<u8>>> {
    let filter = dictionary
        .get_deref(b"Filter", document)
        .or_else(|_| dictionary.get_deref(b"F", document))
        .ok()?;
    let names = match filter {
        Object::Array(names) => names.as_slice(),
        Object::Null => &[],
        name => std::slice::from_ref(name),
    };
    let names = names.iter().filter_map(|name| {
        let (_, name) = document.dereference(name).ok()?;
        name.as_name().ok().map(<[u8]>::to_vec)
    });
    Some(names.collect())
}

/// Returns `true` if the crate decodes a stream.
fn is_supported(stream: &Stream, filters: &[Vec<u8>]) -> bool {
    let is_known = |filter: &Vec<u8>| {
        FILTERS
            .iter()
            .any(|(name, _, known)| *known && name == filter)
    };
    let begins_well = filters.first().is_none_or(|filter| filter != FILTERS[0].0)
        || has_zlib_header(&stream.content);
    let is_plain = stream
        .filters()
        .is_ok_and(|names| names.len() == filters.len());
    is_plain && !filters.is_empty() && filters.iter().all(is_known) && begins_well
}

fn has_zlib_header(content: &[u8]) -> bool {
    matches!(content, [method, flags, ..]
        if method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

/// Decodes a stream; `None` if it has another filter, such as that of a picture.
fn decode(stream: &Stream, filters: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut content = stream.content.clone();
    for filter in filters {
        let (name, ..) = FILTERS
            .iter()
            .find(|(name, abbreviation, _)| filter == name || filter == abbreviation)?;
        content = match *name {
            b"ASCIIHexDecode" => decode_hexadecimal(&content),
            b"RunLengthDecode" => decode_run_lengths(&content),
            b"FlateDecode" if !has_zlib_header(&content) => inflate(&content),
            name => {
                let mut dictionary =
                    Dictionary::from_iter([("Filter", Object::Name(name.to_vec()))]);
                if let Ok(parameters) = stream.dict.get(b"DecodeParms") {
                    dictionary.set("DecodeParms", parameters.clone());
                }
                Stream::new(dictionary, content)
                    .decompressed_content()
                    .ok()?
            }
        };
    }
    Some(content)
}

/// Decompresses what has no header at its beginning: white space may precede it, or it has none.
fn inflate(content: &[u8]) -> Vec<u8> {
    // What precedes an error counts.
    let read = |reader: &mut dyn Read| {
        let mut decoded = Vec::new();
        let _ = reader.take(MAX_BYTES).read_to_end(&mut decoded);
        decoded
    };
    let trimmed = content.trim_ascii_start();
    if has_zlib_header(trimmed) {
        return read(&mut ZlibDecoder::new(trimmed));
    }
    read(&mut DeflateDecoder::new(content))
}

fn decode_hexadecimal(content: &[u8]) -> Vec<u8> {
    let content = content
        .split(|byte| *byte == b'>')
        .next()
        .unwrap_or_default();
    let digits: Vec<u8> = content
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or_default())
        .collect()
}

fn decode_run_lengths(mut content: &[u8]) -> Vec<u8> {
    /// The length that ends the data.
    const END: u8 = 128;
    let mut decoded = Vec::new();
    while let [length, rest @ ..] = content
        && *length != END
    {
        let count = usize::from(*length);
        if *length < END {
            let (bytes, after) = rest.split_at((count + 1).min(rest.len()));
            decoded.extend(bytes);
            content = after;
        } else {
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            decoded.extend(std::iter::repeat_n(*byte, 257 - count));
            content = after;
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use crate::pdf::extract_pdf_text;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};
    use std::io::Write;

    const CONTENT: &[u8] = b"BT /F1 14 Tf 50 760 Td (Potok tece skozi vas) Tj ET";

    /// Returns the text of a PDF whose content is a stream with these entries, data and end.
    fn text_of(entries: &str, data: &[u8], end: &str) -> String {
        extract_pdf_text(&pdf(entries, data, end)).unwrap_or_else(|e| format!("{e} {end}"))
    }

    fn pdf(entries: &str, data: &[u8], end: &str) -> Vec<u8> {
        let start = format!(
            "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n\
             2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
             3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R\
             /Resources<</Font<</F1 5 0 R>>>>>>\nendobj\n4 0 obj\n<<{entries}>>\nstream\n"
        );
        let end = format!(
            "{end}\nendobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n\
             6 0 obj\n<</Length 3>>\nstream\nq Q\nendstream\nendobj\n\
             trailer\n<</Size 7/Root 1 0 R>>\nstartxref\n0\n%%EOF\n"
        );
        [start.as_bytes(), data, end.as_bytes()].concat()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn hexadecimal(data: &[u8]) -> Vec<u8> {
        data.iter()
            .flat_map(|byte| format!("{byte:02x}").into_bytes())
            .collect()
    }

    #[test]
    fn reads_streams_whatever_their_length_and_end() {
        let right = CONTENT.len();
        for (entries, end) in [
            (format!("/Length {right}"), "\nendstream"),
            (format!("/Length {}", right - 1), "\nendstream"),
            (format!("/Length {}", right + 2), "\nendstream"),
            ("/Length 0".into(), "\r\nendstream"),
            ("/Length 99999".into(), "endstream"),
            ("/Length -1".into(), "\nendstream"),
            ("/Length 77 0 R".into(), "\nendstream"),
            (String::new(), "\nendstream"),
            ("/Length 9".into(), ""),
            (format!("/Length {right}"), ""),
        ] {
            let text = text_of(&entries, CONTENT, end);
            assert!(
                text.contains("Potok tece skozi vas"),
                "{entries} {end} {text}"
            );
        }
    }

    #[test]
    fn decodes_streams_in_each_form() {
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(CONTENT).unwrap();
        let run = [&[CONTENT.len() as u8 - 1][..], CONTENT, &[128]].concat();
        for (filter, data) in [
            ("[]", CONTENT.to_vec()),
            ("null", CONTENT.to_vec()),
            (
                "/ASCIIHexDecode",
                [&hexadecimal(CONTENT)[..], b">"].concat(),
            ),
            ("/AHx", hexadecimal(CONTENT)),
            ("[/ASCIIHexDecode/FlateDecode]", hexadecimal(&zlib(CONTENT))),
            ("/FlateDecode", bare.finish().unwrap()),
            ("/FlateDecode", [b"\r\n", &zlib(CONTENT)[..]].concat()),
            ("/Fl", zlib(CONTENT)),
            ("[/Fl]", zlib(CONTENT)),
            ("/RunLengthDecode", run),
        ] {
            let entries = format!("/Filter {filter}/Length {}", data.len());
            let text = text_of(&entries, &data, "\nendstream");
            assert!(text.contains("Potok tece skozi vas"), "{filter} {text}");
        }
    }

    #[test]
    fn content_that_cannot_be_decoded_is_a_failure() {
        for (entries, data) in [
            ("/Filter/Unknown/Length 4", b"\xFF\xFE\x01\x02"),
            ("/Filter/FlateDecode/Length 4", b"\x78\x9c\xff\xff"),
        ] {
            let result = extract_pdf_text(&pdf(entries, data, "\nendstream"));
            assert!(result.is_err(), "{entries} {result:?}");
        }
        assert_eq!(text_of("/Length 3", b"q Q", "\nendstream").trim(), "");
    }
}
