//! Tests of the lines of several files as one stream.

use super::{Line, LineSource, Lines};
use proptest::prelude::*;
use std::io::Write;

/// Returns the numbers and lines of files with these contents.
fn read_files(texts: &[&[u8]], max_line: usize) -> Vec<(u64, Line)> {
    let dir = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let path = dir.path().join(i.to_string());
        std::fs::File::create(&path)
            .unwrap()
            .write_all(text)
            .unwrap();
        files.push(LineSource::File(path));
    }
    let mut lines = Lines::new(files, max_line).unwrap();
    let mut numbered = Vec::new();
    while let Some((location, line)) = lines.next_line(&mut |_| Ok(())).unwrap() {
        numbered.push((location.line, line));
    }
    numbered
}

fn bytes(text: &[u8]) -> Line {
    Line::Bytes(text.to_vec())
}

#[test]
fn reads_several_files_as_one_stream() {
    assert_eq!(
        read_files(&[b"a\nb", b"", b"c\n"], 10),
        [(1, bytes(b"a")), (2, bytes(b"b")), (1, bytes(b"c"))]
    );
}

#[test]
fn skips_blank_lines_byte_order_marks_and_crs() {
    assert_eq!(
        read_files(&[b"\xef\xbb\xbfa\r\n\r\n  \nb\r\n"], 10),
        [(1, bytes(b"a")), (4, bytes(b"b"))]
    );
}

#[test]
fn reports_a_line_that_is_too_long_and_continues() {
    let long = b"x".repeat(700_000);
    let text = [b"a\n", long.as_slice(), b"\nb\n"].concat();
    assert_eq!(
        read_files(&[&text], 5),
        [
            (1, bytes(b"a")),
            (2, Line::TooLong(700_000)),
            (3, bytes(b"b"))
        ]
    );
}

#[test]
fn refuses_a_missing_file_and_a_folder() {
    let lines = |path: &str| Lines::new(vec![LineSource::File(path.into())], 9);
    assert!(lines("/no/such/file").is_err());
    assert!(lines("/").err().unwrap().to_string().contains("folder"));
}

#[test]
fn lists_are_converted_and_arguments_are_lines() {
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("list");
    std::fs::write(&list, "a\n\n#x\nb\r\nc\rd").unwrap();
    let convert = |line: Vec<u8>| Ok((line[0] != b'#').then(|| [line, b"!".to_vec()].concat()));
    let sources = vec![
        LineSource::Argument(b"first".to_vec()),
        LineSource::List(list, convert),
    ];
    let mut lines = Lines::new(sources, 9).unwrap();
    for (number, expected) in [(1, "first"), (1, "a!"), (4, "b!"), (5, "c!"), (6, "d!")] {
        let (location, line) = lines.next_line(&mut |_| Ok(())).unwrap().unwrap();
        assert_eq!((location.line, line), (number, bytes(expected.as_bytes())));
    }
    assert!(lines.next_line(&mut |_| Ok(())).unwrap().is_none());
}

proptest! {
    #[test]
    fn returns_each_line_once_in_order(
        texts in prop::collection::vec("[a-z]{1,9}", 0..50)
    ) {
        let lines: Vec<String> = read_files(&[texts.join("\n").as_bytes()], 100)
            .into_iter()
            .map(|(_, line)| match line {
                Line::Bytes(line) => String::from_utf8(line).unwrap(),
                _ => unreachable!(),
            })
            .collect();
        prop_assert_eq!(lines, texts);
    }

    #[test]
    fn reads_any_bytes_as_lines(
        text in prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(0xEF), Just(0xBB), Just(0xBF), any::<u8>()],
            0..200,
        ),
        max_line in 1..20_usize,
    ) {
        let breaks = text.iter().filter(|b| **b == b'\n').count();
        let lines = read_files(&[&text], max_line);
        prop_assert!(lines.len() <= breaks + 1);
        for (number, line) in lines {
            prop_assert!(number as usize <= breaks + 1);
            prop_assert!(!matches!(line, Line::Bytes(bytes) if bytes.len() > max_line));
        }
    }
}
