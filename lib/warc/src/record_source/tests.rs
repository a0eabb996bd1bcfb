use super::{ArchiveDamage, RecordSource};
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
        "WARC/1.0\r\nN: {name}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

/// Returns the names of the records of a file, and its damage.
fn read(bytes: &[u8]) -> std::io::Result<(String, Vec<ArchiveDamage>)> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut source = RecordSource::open(file.path())?;
    let mut names = String::new();
    let mut damage = Vec::new();
    while let Some((record, position)) = source.next_record(9999, &mut damage)? {
        let name = record.field("N").unwrap_or("?");
        let is_complete = record
            .block
            .as_ref()
            .unwrap()
            .starts_with(format!("<p>{name} ").as_bytes());
        assert!(is_complete || !["a", "c"].contains(&name));
        let again = RecordSource::open_at(file.path(), position)
            .unwrap()
            .read_single_record(9999)
            .unwrap();
        assert_eq!(
            again,
            Some(record.clone()),
            "the record is found at its position"
        );
        names.push_str(name);
    }
    Ok((names, damage))
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
        let (names, damage) = read(&[a.as_slice(), &b[b.len() / 2..], &c].concat()).unwrap();
        assert_eq!((names.as_str(), damage.len()), ("ac", 1), "{damage:?}");
        assert!(
            messages(&damage)[0].starts_with(&format!("no WARC record at byte {}", a.len())),
            "{damage:?}"
        );
        assert!(
            messages(&damage)[0]
                .ends_with(&format!("; {} bytes were skipped", b.len() - b.len() / 2))
        );
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
            // The line ends after a record are not needed to read it.
            let is_complete = compress(b"").is_empty() && length > both.len() - 5 && names == "ab";
            let is_begun = length < a.len() + 5 && names == "a";
            assert!(
                is_lost || is_complete || is_begun,
                "{length} of {}: {names}, {damage:?}",
                both.len()
            );
        }
    }
    let mut whole = gzip(&["a", "b"].map(record).concat());
    let (names, damage) = read(&whole[..whole.len() - 5]).unwrap();
    let messages = messages(&damage);
    assert!(
        names == "a"
            && messages.len() == 1
            && messages[0].ends_with("; the rest of the compressed member was skipped"),
        "{messages:?}"
    );
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
fn a_wrong_length_affects_one_record() {
    let wrong = |length: &str| {
        let text = String::from_utf8(record("b")).unwrap();
        let (before, rest) = text.split_once("Content-Length: ").unwrap();
        format!("{before}{length}\r\n{}", rest.split_once("\r\n").unwrap().1).into_bytes()
    };
    for length in [
        "",
        "x",
        "-1",
        "9",
        "450",
        "99999999999",
        "9999999999999999999999",
    ] {
        let length = format!("Content-Length: {length}");
        for compress in COMPRESSIONS {
            let parts = [record("a"), wrong(&length), record("c")];
            for bytes in [
                parts.clone().map(|part| compress(&part)).concat(),
                compress(&parts.concat()),
            ] {
                let (names, damage) = read(&bytes).unwrap();
                assert_eq!(
                    (names.as_str(), damage.len()),
                    ("ac", 1),
                    "{length}: {damage:?}"
                );
            }
        }
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
