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
