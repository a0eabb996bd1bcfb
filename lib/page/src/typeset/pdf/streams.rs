//! The streams of a PDF, also those that the crate cannot read or decode: with a wrong length, without
//! an end, and with other filters, or spellings of filters, than it knows.
//!
//! All are decoded here, within a budget, and those without text are emptied: the crate would decode
//! a stream again at each use, whatever its size.

use super::budget::Budget;
use super::filters;
use super::pages::find_objects;
use pdf_extract::{Document, Object, ObjectId, Stream};
use std::collections::HashSet;

/// Greatest size of a decoded stream, or of the content of a page. Set by judgement.
const MAX_STREAM_BYTES: u64 = 64 << 20;
/// Types and subtypes of streams that have no text.
const WITHOUT_TEXT: [&[u8]; 5] = [b"Image", b"EmbeddedFile", b"Metadata", b"ObjStm", b"XRef"];

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

/// Decodes all streams but those of `page_contents`, and empties those that have no text or cannot be
/// decoded.
pub(super) fn decode_streams(
    document: &mut Document,
    page_contents: &HashSet<ObjectId>,
    budget: &mut Budget,
) {
    // The crate reads nothing of the outlines of TrueType fonts.
    let outlines = document.objects.values().filter_map(|object| {
        let descriptor = object.as_dict().ok()?;
        descriptor
            .get(b"FontFile2")
            .and_then(Object::as_reference)
            .ok()
    });
    let outlines: HashSet<ObjectId> = outlines.collect();
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(Object::Stream(stream)) = document.objects.get(&id) else {
            continue;
        };
        let is_name = |key: &[u8], names: &[&[u8]]| {
            let name = stream.dict.get(key).and_then(Object::as_name);
            name.is_ok_and(|name| names.contains(&name))
        };
        let content = if page_contents.contains(&id) {
            continue;
        } else if outlines.contains(&id)
            || is_name(b"Type", &WITHOUT_TEXT)
            || is_name(b"Subtype", &WITHOUT_TEXT)
        {
            Vec::new()
        } else {
            let decoded = budget.spend_part(MAX_STREAM_BYTES, |part| {
                filters::decode(document, stream, part)
            });
            decoded.unwrap_or_default()
        };
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id) {
            stream.set_plain_content(content);
        }
    }
}

/// Returns the streams of the contents of pages.
pub(super) fn list_page_contents(
    document: &Document,
    pages: &[ObjectId],
    budget: &mut Budget,
) -> HashSet<ObjectId> {
    let mut contents = HashSet::new();
    for page in pages {
        let ids = document.get_page_contents(*page);
        if !budget.spend(ids.len()) {
            break;
        }
        contents.extend(ids);
    }
    contents
}

/// The decoded content of a page.
pub(super) struct PageContent {
    pub bytes: Vec<u8>,
    /// True if all of its streams are missing, or nothing of them can be decoded.
    pub is_lost: bool,
}

/// Decodes the content of a page, as far as the budget allows.
pub(super) fn page_content(
    document: &Document,
    page: ObjectId,
    budget: &mut Budget,
) -> PageContent {
    budget.spend_part(MAX_STREAM_BYTES, |part| {
        decode_page_content(document, page, part)
    })
}

fn decode_page_content(document: &Document, page: ObjectId, budget: &mut Budget) -> PageContent {
    let ids = document.get_page_contents(page);
    let mut content = PageContent {
        bytes: Vec::new(),
        is_lost: !ids.is_empty(),
    };
    for id in ids {
        if !budget.spend(1) {
            break;
        }
        let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else {
            continue;
        };
        let decoded = filters::decode(document, stream, budget).unwrap_or_default();
        content.is_lost &= decoded.is_empty() && !stream.content.trim_ascii().is_empty();
        content.bytes.extend(decoded);
        content.bytes.push(b'\n');
    }
    content
}

#[cfg(test)]
mod tests {
    use crate::typeset::pdf::extract_pdf_text;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};
    use std::io::Write;

    const CONTENT: &[u8] = b"BT /F1 14 Tf 50 760 Td (Potok tece skozi vas) Tj ET";

    /// Returns the text of a PDF whose content is a stream with these entries, data and end.
    fn text_of(entries: &str, data: &[u8], end: &str) -> String {
        let text = extract_pdf_text(&pdf(entries, data, end)).map(|text| text.text);
        text.unwrap_or_else(|e| format!("{e} {end}"))
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
