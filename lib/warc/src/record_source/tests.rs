use super::{ArchiveDamage, RecordDefects, RecordSource};
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

type Compress = fn(&[u8]) -> Vec<u8>;
const COMPRESSIONS: [Compress; 3] = [plain, gzip, zstd];

fn plain(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn record(name: &str) -> Vec<u8> {
    let block = format!("<p>{name} {}", "potok teče ".repeat(30));
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nN: {name}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

/// Returns the names of the records of a file, and its damage.
fn read(bytes: &[u8]) -> std::io::Result<(String, Vec<ArchiveDamage>)> {
    read_with_defects(bytes).map(|(names, damage, _)| (names, damage))
}

fn read_with_defects(bytes: &[u8]) -> std::io::Result<(String, Vec<ArchiveDamage>, RecordDefects)> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut source = RecordSource::open(file.path(), 9999)?;
    let mut names = String::new();
    let mut damage = Vec::new();
    while let Some((record, position)) = source.next_record(&mut damage)? {
        let name = record.field("N").unwrap_or("?");
        let is_complete = record
            .block
            .as_ref()
            .unwrap()
            .starts_with(format!("<p>{name} ").as_bytes());
        assert!(is_complete || !["a", "c"].contains(&name));
        if !record.is_cut {
            let again = RecordSource::read_record_at(file.path(), position, 9999);
            assert_eq!(
                again.ok().flatten(),
                Some(record.clone()),
                "the record is found at its position"
            );
        }
        names.push_str(name);
    }
    Ok((names, damage, source.defects()))
}

fn messages(damage: &[ArchiveDamage]) -> Vec<String> {
    damage.iter().map(ToString::to_string).collect()
}

#[test]
fn reads_records_in_all_compressions() {
    for compress in COMPRESSIONS {
        let [a, b, c] = ["a", "b", "c"].map(|name| compress(&record(name)));
        let all = [a.as_slice(), b"\r\n", &b, &compress(b""), &c, &[0; 5000]].concat();
        assert_eq!(
            read(&all).unwrap(),
            ("abc".into(), Vec::new()),
            "one per member, with padding between them"
        );
        let whole = compress(&["a", "b", "c"].map(record).concat());
        assert_eq!(
            read(&whole).unwrap(),
            ("abc".into(), Vec::new()),
            "all in one member"
        );
    }
    let mixed = [
        record("a"),
        gzip(&record("b")),
        zstd(&record("c")),
        record("d"),
    ]
    .concat();
    assert_eq!(read(&mixed).unwrap(), ("abcd".into(), Vec::new()));
    assert_eq!(read(b"").unwrap(), (String::new(), Vec::new()));
}

#[test]
fn a_damaged_record_does_not_affect_others() {
    for compress in COMPRESSIONS {
        let [a, b, c] = ["a", "b", "c"].map(|name| compress(&record(name)));
        for index in 0..b.len() {
            let mut damaged = b.clone();
            damaged[index] ^= 0x55;
            let (names, damage) = read(&[a.as_slice(), &damaged, &c].concat()).unwrap();
            let is_lost = names == "ac" && damage.len() == 1;
            // A changed byte may be undetectable in plain records, or without effect.
            let is_undetected =
                names.starts_with('a') && names.ends_with('c') && compress(b"").is_empty();
            assert!(
                is_lost || (is_undetected || names == "abc") && damage.len() <= 1,
                "{index}: {names}, {damage:?}"
            );
        }
        let is_data = |byte: &u8| !byte.is_ascii_whitespace() && *byte != 0;
        let cut = 25 + b[25..].iter().position(is_data).unwrap();
        let (names, damage) = read(&[a.as_slice(), &b[cut..], &c].concat()).unwrap();
        assert_eq!((names.as_str(), damage.len()), ("ac", 1), "{damage:?}");
        assert!(
            messages(&damage)[0].starts_with(&format!("no WARC record at byte {}", a.len())),
            "{damage:?}"
        );
        assert!(messages(&damage)[0].ends_with(&format!("; {} bytes were skipped", b.len() - cut)));
    }
}

#[test]
fn reads_a_truncated_file_up_to_its_end() {
    for compress in COMPRESSIONS {
        let [a, b] = ["a", "b"].map(|name| compress(&record(name)));
        let both = [a.as_slice(), &b].concat();
        for length in a.len() + 1..both.len() {
            let (names, damage) = read(&both[..length]).unwrap();
            let is_lost = names == "a" && damage.len() == 1;
            let is_read = names == "ab" && damage.is_empty();
            let is_begun = length < a.len() + 5 && names == "a";
            assert!(
                is_lost || is_read || is_begun,
                "{length} of {}: {names}, {damage:?}",
                both.len()
            );
            let has_block = length > a.len() + record("b").len() / 4;
            let is_plain = compress(b"").is_empty();
            assert!(is_read || !(has_block && is_plain), "{length}");
        }
    }
    let mut whole = gzip(&["a", "b"].map(record).concat());
    let (names, damage, defects) = read_with_defects(&whole[..whole.len() - 5]).unwrap();
    assert_eq!((names.as_str(), damage.len(), defects.cut), ("ab", 0, 1));
    let checksum = whole.len() - 6;
    whole[checksum] ^= 1;
    let message = read(&whole).unwrap().1[0].to_string();
    assert!(
        message.contains("checksum")
            && message.ends_with("and the part that was read may be damaged"),
        "{message}"
    );
}

#[test]
fn a_record_with_a_wrong_length_is_read_up_to_the_next_one() {
    let with_length = |length: &str| {
        let text = String::from_utf8(record("b")).unwrap();
        let (before, rest) = text.split_once("Content-Length: ").unwrap();
        format!("{before}{length}\r\n{}", rest.split_once("\r\n").unwrap().1).into_bytes()
    };
    let block_length = record("b")
        .split(|byte| *byte == b'<')
        .next_back()
        .unwrap()
        .len()
        + 1
        - 4;
    let invalid = ["", "x", "-1", "99999999999", "9999999999999999999999"].map(str::to_owned);
    // A length up to the end of the file cannot be told from a right one.
    let to_end = block_length + 4 + record("c").len();
    let lengths = (0..1100_usize)
        .filter(|length| !(to_end - 5..=to_end).contains(length))
        .map(|length| length.to_string());
    for length in invalid.into_iter().chain(lengths) {
        for compress in COMPRESSIONS {
            let parts = [
                record("a"),
                with_length(&format!("Content-Length: {length}")),
                record("c"),
            ];
            for bytes in [
                parts.clone().map(|part| compress(&part)).concat(),
                compress(&parts.concat()),
            ] {
                let (names, damage, defects) = read_with_defects(&bytes).unwrap();
                assert_eq!((names.as_str(), damage.len()), ("abc", 0), "{length}");
                let is_right = length.parse() == Ok(block_length);
                assert!(!is_right || defects == RecordDefects::default(), "{length}");
            }
        }
    }
    assert_eq!(read(&with_length("X: 1")).unwrap().0, "b");
}

#[test]
fn line_ends_that_were_converted_affect_no_other_record() {
    let archive: String = (0..50)
        .map(|number| {
            let block = format!("HTTP/1.1 200 OK\r\n\r\n<p>{number}\r\n\r\nWARC/1.0\n{number}</p>");
            let length = block.len() + number % 7;
            format!(
                "WARC/0.18\r\nN: {}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n",
                number % 10
            )
        })
        .collect();
    let converted = archive.replace("\r\n", "\n");
    for compress in COMPRESSIONS {
        let (names, damage) = read(&compress(converted.as_bytes())).unwrap();
        assert_eq!((names, damage), ("0123456789".repeat(5), Vec::new()));
    }
}

#[test]
fn a_wrong_length_beyond_the_limit_is_read_within_it() {
    let long = format!(
        "WARC/1.0\r\nN: l\r\nContent-Length: 7\r\n\r\n{}\r\n\r\n",
        "x".repeat(100_000)
    );
    for compress in COMPRESSIONS {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let parts = [record("a"), long.clone().into_bytes(), record("c")];
        file.write_all(&parts.map(|part| compress(&part)).concat())
            .unwrap();
        let mut source = RecordSource::open(file.path(), 9999).unwrap();
        let mut damage = Vec::new();
        let mut sizes = Vec::new();
        while let Some((record, _)) = source.next_record(&mut damage).unwrap() {
            sizes.push(record.block.map(|block| block.len()));
        }
        assert_eq!((sizes.len(), sizes[1], damage.len()), (3, None, 0));
    }
}

#[test]
fn a_cut_member_between_others_is_read_to_its_end() {
    let numbers: String = (0..1200)
        .map(|number: u32| format!("{} ", number * number))
        .collect();
    let long = format!(
        "WARC/1.0\r\nN: b\r\nContent-Length: {}\r\n\r\n{numbers}",
        numbers.len()
    );
    let [a, b, c] = [
        record("a"),
        [long.as_bytes(), b"\r\n\r\n"].concat(),
        record("c"),
    ]
    .map(|record| gzip(&record));
    for length in (200..b.len()).step_by(7) {
        let (names, damage, defects) =
            read_with_defects(&[a.as_slice(), &b[..length], &c].concat()).unwrap();
        let is_read = names == "abc" && damage.is_empty() && defects.cut == 1;
        // Nothing of a block of compressed data can be read before its table.
        let is_lost = names == "ac" && damage.len() == 1;
        assert!(
            is_read || is_lost && length < 600,
            "{length}: {names} {damage:?}"
        );
    }
}

#[test]
fn reports_data_after_the_last_record_once() {
    for compress in COMPRESSIONS {
        let a = compress(&record("a"));
        let (names, damage) = read(&[a.as_slice(), b"junk\n<html>\r\n\r\njunk"].concat()).unwrap();
        let messages = messages(&damage);
        assert!(
            names == "a" && messages.len() == 1 && messages[0].ends_with("; 19 bytes were skipped"),
            "{messages:?}"
        );
    }
}

#[test]
fn reports_why_a_file_is_not_an_archive() {
    for (bytes, cause) in [
        (&b"notes\n"[..], "does not begin with WARC/"),
        (
            b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA",
            "an ARC file",
        ),
        (
            &gzip(b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA"),
            "an ARC file",
        ),
        (b"PK\x03\x04\x14\0\0\0", "if it is a WACZ"),
        (&gzip(b"<html>"), "does not begin with WARC/"),
    ] {
        let e = read(bytes).unwrap_err().to_string();
        assert!(e.contains(cause), "{e}");
    }
}

#[test]
fn finds_a_record_after_many_beginnings_of_records() {
    let beginnings = "WARC/1.0\r\n".repeat(200_000);
    let file = [beginnings.as_bytes(), b"\r\n", &record("c")].concat();
    let (names, damage) = read(&file).unwrap();
    assert_eq!((names.as_str(), damage.len()), ("c", 1));
}

#[test]
fn a_record_continues_in_further_members() {
    // RFC 1952, section 2.2: members one after another are one file, as bgzip writes them.
    let bytes = [record("a"), record("b"), record("c")].concat();
    for size in [90, 250, 400, 600] {
        let blocked: Vec<u8> = bytes.chunks(size).flat_map(gzip).collect();
        let (names, damage) = read(&blocked).unwrap();
        assert_eq!((names.as_str(), damage.len()), ("abc", 0), "{size}");
    }
    // The boundary may be within the first word of a record.
    let records = [record("b"), record("c")].concat();
    for split in 1..6 {
        let (first, rest) = records.split_at(split);
        let members = [record("a").as_slice(), first, rest].map(gzip).concat();
        let (names, damage) = read(&members).unwrap();
        assert_eq!((names.as_str(), damage.len()), ("abc", 0), "{split}");
    }
}
