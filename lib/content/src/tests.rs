//! Tests of kinds and lines of contents.

use crate::{Content, ContentKind, PageFormat};
use proptest::prelude::*;
use std::io::{Cursor, Read};

/// A reader that gives one byte at a time, as a slow pipe may.
struct SlowReader(Cursor<Vec<u8>>);

impl Read for SlowReader {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let end = to.len().min(1);
        self.0.read(&mut to[..end])
    }
}

fn read(bytes: &[u8]) -> (ContentKind, String) {
    let content = Content::open(Box::new(Cursor::new(bytes.to_vec()))).unwrap();
    let kind = content.kind();
    let mut lines = Vec::new();
    content.into_lines().read_to_end(&mut lines).unwrap();
    (kind, String::from_utf8_lossy(&lines).into_owned())
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The lines without blank ones.
fn filled(lines: &str) -> Vec<&str> {
    lines.lines().filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_kind_does_not_depend_on_a_name() {
    for (bytes, kind) in [
        (&b""[..], ContentKind::Text),
        (b"danes je lep dan", ContentKind::Text),
        (b"[1] danes", ContentKind::Text),
        (b"[danes]", ContentKind::Text),
        (b"{danes}", ContentKind::Text),
        (b"\xef\xbb\xbf{\"text\":\"a\"}\n", ContentKind::Records),
        (b"{\"text\":\"cut", ContentKind::Records),
        (b"\n [\n  {\n \"text\": \"a\"}]", ContentKind::Records),
        (
            b"<!doctype html><p>",
            ContentKind::Document(PageFormat::Html),
        ),
        (b"%PDF-1.7\n1 0 obj", ContentKind::Document(PageFormat::Pdf)),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0", ContentKind::Binary),
    ] {
        assert_eq!(read(bytes).0, kind, "{}", String::from_utf8_lossy(bytes));
        if !bytes.starts_with(b"<") && !bytes.starts_with(b"%") && kind != ContentKind::Binary {
            let wide = utf16(&String::from_utf8_lossy(bytes));
            assert!(wide.len() < 20 || read(&wide).0 == kind, "{wide:?}");
        }
    }
}

#[test]
fn text_becomes_utf8_and_broken_utf8_is_kept() {
    let text = "Čebela leti čez žito in išče šipek; življenje v gozdu je skrivnostno.\n";
    let latin2 = encoding_rs::ISO_8859_2.encode(text).0;
    // The first chunk may be ASCII.
    let late = [b"x".repeat(200_000), latin2.to_vec()].concat();
    for bytes in [
        text.as_bytes().to_vec(),
        latin2.to_vec(),
        utf16(text),
        [b"\xff\xfe".to_vec(), utf16(text)].concat(),
        late,
    ] {
        let (kind, lines) = read(&bytes);
        assert!(
            kind == ContentKind::Text && lines.ends_with(text),
            "{lines}"
        );
    }
    let broken = [text.as_bytes(), b"\xff"].concat();
    assert_eq!(read(&broken).1, format!("{text}\u{fffd}"));
}

#[test]
fn arrays_and_long_objects_become_lines() {
    for json in [
        "[{\"text\":\"a, ]}\\\"[\"},\r\n{\"n\":[1,{\"b\":2}]}]",
        "[\n  {\n    \"text\": \"a, ]}\\\"[\"\n  },\n  {\"n\":\n[1,{\"b\":2}]}\n]\n",
        "{\n  \"text\": \"a, ]}\\\"[\"\n}\n{\n\"n\":\n[1,{\"b\":2}]}",
        "{\"text\":\"a, ]}\\\"[\"}\n{\"n\":[1,{\"b\":2}]}\n",
    ] {
        for bytes in [json.as_bytes().to_vec(), utf16(json)] {
            let (kind, lines) = read(&bytes);
            let lines: Vec<String> = filled(&lines).iter().map(|l| l.replace(' ', "")).collect();
            assert_eq!(kind, ContentKind::Records);
            assert_eq!(
                lines,
                ["{\"text\":\"a,]}\\\"[\"}", "{\"n\":[1,{\"b\":2}]}"],
                "{json}"
            );
        }
    }
}

#[test]
fn a_damaged_element_costs_no_other() {
    let (_, lines) = read(b"[{\"a\":1},{\"b\":tru},{\"c\":\"x\n},{\"d\":4}]");
    let lines = filled(&lines);
    assert_eq!(
        (lines[0], lines[1], lines[3]),
        ("{\"a\":1}", "{\"b\":tru}", "{\"d\":4}")
    );
}

#[test]
fn objects_need_not_be_one_per_line() {
    for json in [
        "{\"a\":1}{\"b\":\"}{\"}\n{\"c\":3}\n",
        "{\"a\":1} {\"b\":\"}{\"}\n\n{\"c\":3}",
        "{\"a\":1}\r{\"b\":\"}{\"}\r{\"c\":3}\r",
        "\u{1e}{\"a\":1}\n\u{1e}{\"b\":\"}{\"}\n\u{1e}{\"c\":3}\n",
        "\u{1e}{\"a\":1}\u{1e}{\"b\":\"}{\"}\u{1e}{\"c\":3}",
        "{\"a\":1},{\"b\":\"}{\"},\n{\"c\":3},",
        "{\n\"a\":1},\n{\n\"b\":\"}{\"}\n,{\"c\":3}",
        "[{\"a\":1} {\"b\":\"}{\"},,{\"c\":3},]",
        "[{\"a\":1}]\n[{\"b\":\"}{\"}],[{\"c\":3}]",
        "[{\"a\":1}]{\"b\":\"}{\"}\n{\"c\":3}",
    ] {
        let (kind, lines) = read(json.as_bytes());
        let lines: Vec<String> = lines.lines().map(|line| line.replace(' ', "")).collect();
        assert_eq!(kind, ContentKind::Records);
        assert_eq!(
            lines,
            ["{\"a\":1}", "{\"b\":\"}{\"}", "{\"c\":3}"],
            "{json}"
        );
    }
}

#[test]
fn lines_with_commas_are_lines() {
    let lines = "{\"a\":1},\n{\"b\":{\"c\":2}},\n{\"d\":3}\n";
    assert_eq!(read(lines.as_bytes()), (ContentKind::Records, lines.into()));
}

#[test]
fn what_an_array_lacks_or_is_followed_by_is_a_line_that_is_no_record() {
    for (json, last) in [
        ("[{\"a\":1},", "["),
        ("[{\"a\":1}", "["),
        ("[{\"a\":1}\n\n", "["),
        ("[{\"a\":1},{", "{"),
        ("[{\"a\":1},{\"b\":\"x", "{\"b\":\"x"),
        ("[{\"a\":1}]\nand so on", "andsoon"),
        ("[{\"a\":1}]]", "]"),
        ("[{\"a\":1}],[{\"a\":1}", "["),
    ] {
        let (_, lines) = read(json.as_bytes());
        assert!(lines.lines().count() >= 2, "{json}: {lines}");
        assert!(
            lines.lines().last().unwrap().ends_with(last),
            "{json}: {lines}"
        );
    }
    for whole in ["[]", "[\n]\n", "[{\"a\":1}]", "[{\"a\":1},\n]\n"] {
        assert!(read(whole.as_bytes()).1.lines().count() <= 1, "{whole}");
    }
}

#[test]
fn a_cut_value_costs_no_later_one() {
    for json in [
        "{\"a\":1}{\"b\":2}\n{\"c\":\"cut\n{\"d\":4}\n{\"e\":5}",
        "\u{1e}{\"a\":1}\n\u{1e}{\"c\":[\"cut\u{1e}{\"d\":4}\n\u{1e}{\"e\":5}\n",
        "[{\"a\":1},\n{\"c\":\"cut\n{\"d\":4},\n{\"e\":5}]",
    ] {
        let (_, lines) = read(json.as_bytes());
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines.ends_with(&["{\"d\":4}", "{\"e\":5}"]), "{lines:?}");
    }
}

#[test]
fn a_slow_pipe_is_not_read_ahead() {
    for (bytes, kind) in [
        (&b"{\"text\":\"a\"}\n"[..], ContentKind::Records),
        (b"[ {\"text\":\"a\"}]\n", ContentKind::Records),
        (b"(danes\n", ContentKind::Text),
    ] {
        let content = Content::open(Box::new(SlowReader(Cursor::new(bytes.into()))));
        assert_eq!(content.unwrap().kind(), kind);
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_cause_a_panic(
        head in prop::sample::select(vec!["", "[{", "{\n\"", "\u{1f}", "(\u{b5}"]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [head.as_bytes(), &bytes].concat();
        if let Ok(content) = Content::open(Box::new(Cursor::new(bytes))) {
            let _ = content.into_lines().read_to_end(&mut Vec::new());
        }
    }

    #[test]
    fn records_are_the_elements_of_their_array(
        texts in prop::collection::vec("[a\"\\\\\\[\\]{},:č \\n]{0,12}", 1..6),
        is_pretty in any::<bool>(),
    ) {
        let escape = |text: &String| {
            text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
        };
        let separator = if is_pretty { "\n  " } else { "" };
        let elements: Vec<String> = texts
            .iter()
            .map(|text| format!("{{{separator}\"text\":\"{}\"{separator}}}", escape(text)))
            .collect();
        let json = format!("[{separator}{}]", elements.join(&format!(",{separator}")));
        let (kind, lines) = read(json.as_bytes());
        prop_assert_eq!(kind, ContentKind::Records);
        let expected: Vec<String> = elements.iter().map(|e| e.replace('\n', " ")).collect();
        prop_assert_eq!(filled(&lines), expected);
    }
}

#[test]
fn several_objects_on_one_line_and_json_sequences_are_records() {
    for (text, expected) in [
        (
            r#"{"a":1}{"b":"} {"} {"c":{}}"#,
            &[r#"{"a":1}"#, r#"{"b":"} {"}"#, r#"{"c":{}}"#][..],
        ),
        (
            "{\"a\":1}\t{\"b\":2}\n{\"c\":3}\n",
            &[r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#],
        ),
        (
            "\u{1e}{\"a\":1,\n \"b\":2}\n\u{1e}{\"c\":3}\n",
            &[r#"{"a":1,  "b":2}"#, r#"{"c":3}"#],
        ),
    ] {
        let (kind, lines) = read(text.as_bytes());
        assert_eq!(
            (kind, filled(&lines)),
            (ContentKind::Records, expected.to_vec()),
            "{text}"
        );
    }
    let nested = r#"{"a":[{"b":1} , {"c":2}]}"#;
    assert_eq!(read(nested.as_bytes()).1, nested);
}

#[test]
fn a_compression_that_is_not_read_is_named() {
    for (head, name) in [
        (&b"\xfd7zXZ\0\0\x04"[..], Some("xz")),
        (b"BZh91AY&SY\x12", Some("bzip2")),
        (b"BZh9 is a word", None),
        // May be a document of an office program.
        (b"PK\x03\x04\x14", None),
        (b"{\"a\":1}", None),
        (b"", None),
    ] {
        assert_eq!(
            crate::decompress::unread_compression(head).map(|(name, _)| name),
            name
        );
    }
}
