//! fetch-extract and WARC archives: what the standards of HTTP and WARC say of partial, unchanged
//! and repeated responses.

use forage_tests::archives::{extract_archive, run_python, warc_page, warc_record};
use forage_tests::server::{HostResponse, HostServer, status};
use forage_tests::{gzip, temp_folder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const ORIGINAL: &str = "<html lang=sl><p>Stran pripoveduje o potoku, ki teče skozi vas.";
/// The SHA-1 digest of [`ORIGINAL`], by `sha1sum`, in hexadecimal and base 32.
const HEX: &str = "35d7282a5665419b6e63ed184d6fb6334b2aee60";
const BASE32: &str = "GXLSQKSWMVAZW3TD5UME235WGNFSV3TA";
const URL: &str = "http://a.test/original";

fn write_archive(folder: &Path, name: &str, records: &[Vec<u8>]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, records.concat()).unwrap();
    path
}

fn original(digest: &str) -> Vec<u8> {
    let lines =
        format!("WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http\r\n{digest}");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: \"a\"\r\n\r\n";
    let block = format!("{head}{ORIGINAL}");
    warc_record("response", URL, &lines, block.as_bytes())
}

fn revisit(profile: &str, lines: &str, status: &str) -> Vec<u8> {
    let lines = format!(
        "Content-Type: application/http\r\n\
         WARC-Profile: http://netpreserve.org/warc/1.1/revisit/{profile}\r\n{lines}"
    );
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n");
    warc_record("revisit", URL, &lines, head.as_bytes())
}

/// WARC 1.1, sections 5.8, 5.9 and 6.7.
#[test]
fn a_revisit_finds_its_original_by_each_of_its_names() {
    let dir = temp_folder();
    let by_date = "WARC-Refers-To-Target-URI: <http://a.test/original>\r\n\
                   WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\nWARC-Truncated: length\r\n";
    let other = warc_page("http://a.test/other", "", b"<p>Druga stran");
    let digest = |value: &str| format!("WARC-Payload-Digest: {value}\r\n");
    let base32 = digest(&format!("sha1:{BASE32}"));
    for (stated, names) in [
        ("", "WARC-Refers-To: <urn:uuid:1>\r\n".to_owned()),
        ("", "WARC-Refers-To: URN:UUID:1\r\n".to_owned()),
        ("", by_date.to_owned()),
        (&base32, digest(&format!("SHA1:{BASE32}"))),
        (&base32, digest(&format!("sha-1:{}", BASE32.to_lowercase()))),
        (&base32, digest(HEX)),
        (&digest(&HEX.to_uppercase()), digest(BASE32)),
        // The original states none.
        ("", digest(&format!("sha1:{HEX}"))),
    ] {
        for (profile, line) in [
            ("identical-payload-digest", "200 OK"),
            ("uri-agnostic-identical-payload-digest/", "200 OK"),
            ("server-not-modified", "304 Not Modified"),
        ] {
            let records = [
                other.clone(),
                original(stated),
                revisit(profile, &names, line),
            ];
            let archive = write_archive(dir.path(), "a.warc", &records);
            let records = extract_archive(&archive, &[]).expect_exit(0).records();
            let fetch = &records[2]["fetch"];
            assert_eq!(
                records[2]["text"], records[1]["text"],
                "{stated} {names} {line}"
            );
            assert_eq!(
                (&fetch["status"], fetch.get("truncated")),
                (&json!(200), None)
            );
            // An original that is later, in the archive or in another one, is read ahead.
            let before = revisit(profile, &names, line);
            let both = write_archive(dir.path(), "a.warc", &[before.clone(), original(stated)]);
            let first = write_archive(dir.path(), "b.warc", &[before]);
            let first = first.to_str().unwrap();
            for found in [
                extract_archive(&both, &[]),
                extract_archive(&both, &["--from-warc", first]),
            ] {
                let found = found.expect_exit(0).records();
                assert_eq!(
                    found[0]["text"], records[1]["text"],
                    "{stated} {names} {line}"
                );
            }
        }
    }
    // Two versions of a page within a second: the digest says which.
    let old = warc_page(URL, "", b"<p>Stara stran.");
    let names = by_date.to_owned() + &base32;
    let same = revisit("identical-payload-digest", &names, "200 OK");
    let archive = write_archive(dir.path(), "a.warc", &[old, original(""), same]);
    let records = extract_archive(&archive, &[]).expect_exit(0).records();
    assert_eq!(records[2]["text"], records[1]["text"]);
}

/// WARC 1.1, section 6.7.1.
#[test]
fn a_revisit_of_an_unknown_profile_is_an_error() {
    let dir = temp_folder();
    let names = "WARC-Refers-To: <urn:uuid:1>\r\n";
    for profile in ["diff", "near-identical-payload-digest"] {
        let records = [original(""), revisit(profile, names, "200 OK")];
        let archive = write_archive(dir.path(), "a.warc", &records);
        let records = extract_archive(&archive, &[]).expect_exit(0).records();
        let message = records[1]["error"]["message"].as_str().unwrap();
        let expected = format!("/revisit/{profile} is not known");
        assert!(message.contains(&expected), "{message}");
    }
}

/// RFC 9110, sections 14.4 and 15.3.7; RFC 9112, section 8; WARC 1.1, section 7.
#[test]
fn a_part_of_a_page_is_marked() {
    let dir = temp_folder();
    let part = "<p>Stran pripoveduje o potoku.";
    let page = |head: &str, body: &str| {
        let block = format!("HTTP/1.1 {head}\r\nContent-Type: text/html\r\n\r\n{body}");
        let lines = "Content-Type: application/http\r\n";
        warc_record("response", URL, lines, block.as_bytes())
    };
    let length = part.len();
    let range = |first: usize| {
        let fields = format!("Content-Range: bytes {first}-{}/{length}", length - 1);
        page(&format!("206 Partial Content\r\n{fields}"), part)
    };
    let segment = "Content-Type: application/http\r\nWARC-Segment-Number: 1\r\n";
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{part}");
    let chunked = "200 OK\r\nTransfer-Encoding: chunked";
    for (record, is_truncated) in [
        (range(0), false),
        (range(9), true),
        (page("206 Partial Content", part), true),
        (
            page(&format!("200 OK\r\nContent-Length: {length}"), part),
            false,
        ),
        (page("200 OK\r\nContent-Length: 999", part), true),
        (
            page(chunked, &format!("{length:x}\r\n{part}\r\n0\r\n\r\n")),
            false,
        ),
        (page(chunked, &format!("{length:x}\r\n{part}\r\n")), true),
        (page(chunked, &format!("999\r\n{part}")), true),
        (
            warc_record("response", URL, segment, block.as_bytes()),
            true,
        ),
    ] {
        let archive = write_archive(dir.path(), "a.warc", std::slice::from_ref(&record));
        let records = extract_archive(&archive, &[]).expect_exit(0).records();
        let head = String::from_utf8_lossy(&record);
        assert_eq!(records[0]["text"], "Stran pripoveduje o potoku.", "{head}");
        assert_eq!(
            records[0]["fetch"]["truncated"] == true,
            is_truncated,
            "{head}"
        );
    }
}

/// RFC 9111, section 3.3.
#[test]
fn a_page_that_is_cut_is_requested_without_a_condition() {
    let dir = temp_folder();
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        _ => forage_tests::server::html(ORIGINAL),
    });
    let packed = gzip::stored(ORIGINAL.as_bytes());
    for (name, fields, body) in [
        ("whole", "", ORIGINAL.as_bytes()),
        ("length", "Content-Length: 999\r\n", ORIGINAL.as_bytes()),
        (
            "chunks",
            "Transfer-Encoding: chunked\r\n",
            b"20\r\n<p>Stran",
        ),
        (
            "coding",
            "Content-Encoding: gzip\r\n",
            &packed[..packed.len() - 12],
        ),
    ] {
        let fields = format!("{fields}ETag: \"a\"\r\n");
        let page = warc_page("http://a.test/x", &fields, body);
        let archive = write_archive(dir.path(), name, &[page]);
        let args = ["--earlier", archive.to_str().unwrap()];
        let record = server.fetch_record(&args, "http://a.test/x");
        assert_eq!(record["fetch"].get("truncated"), None, "{name}");
        let head = server.requests().pop().unwrap().header_block.to_lowercase();
        assert_eq!(head.contains("if-none-match"), name == "whole", "{name}");
    }
}

/// RFC 9111, section 4.3.4.
#[test]
fn a_304_response_about_another_version_confirms_nothing() {
    for (fields, is_other) in [
        ("ETag: \"a\"\r\n", false),
        ("ETag: W/\"a\"\r\n", false),
        ("", false),
        ("ETag: \"b\"\r\n", true),
        ("Last-Modified: Tue, 05 Mar 2024 10:00:00 GMT\r\n", true),
    ] {
        let dir = temp_folder();
        let requests = AtomicU32::new(0);
        let server = HostServer::start(move |_, path| match path {
            "/robots.txt" => status(404),
            _ if requests.fetch_add(1, Ordering::Relaxed) == 0 => {
                HostResponse::Complete(304, fields.into(), Vec::new())
            }
            _ => forage_tests::server::html("<p>Stran ima novo besedilo."),
        });
        let archive = write_archive(dir.path(), "a.warc", &[original("")]);
        let record = server.fetch_record(&["--earlier", archive.to_str().unwrap()], URL);
        let is_new = record["text"] == "Stran ima novo besedilo.";
        assert_eq!(is_new, is_other, "{fields}");
        assert_eq!(record["fetch"]["unchanged"] == true, !is_other, "{fields}");
    }
}

/// WARC 1.1, sections 5.2 and 6.7.3.
#[test]
fn a_304_response_is_archived_as_it_was_with_an_id_of_its_own() {
    let dir = temp_folder();
    let requests = AtomicU32::new(0);
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        _ if requests.fetch_add(1, Ordering::Relaxed) == 0 => {
            let fields = "Content-Type: text/html; charset=utf-8\r\nETag: \"a\"\r\n";
            HostResponse::Complete(200, fields.into(), ORIGINAL.into())
        }
        _ => HostResponse::Complete(304, "ETag: \"a\"\r\nX-A: b\r\n".into(), Vec::new()),
    });
    let [one, two, three] =
        ["1", "2", "3"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
    let fetch = |earlier: &str, archive: &str| {
        server.fetch_record(&["--earlier", earlier, "--warc", archive], URL)
    };
    std::fs::write(&one, "").unwrap();
    let records = [fetch(&one, &one), fetch(&one, &two), fetch(&two, &three)];
    const PRINT: &str = "import gzip, sys; print(gzip.open(sys.argv[1]).read().decode('latin-1'))";
    let texts = [&one, &two].map(|path| run_python(PRINT, Path::new(path)));
    for expected in [
        "/revisit/server-not-modified\r\n",
        "HTTP/1.1 304 Not Modified\r\n",
        "x-a: b\r\n",
        "WARC-Refers-To-Target-URI: http://a.test/original\r\n",
    ] {
        assert!(texts[1].contains(expected), "{expected}: {}", texts[1]);
    }
    assert!(!texts[1].contains("HTTP/1.1 200"));
    // Both visits may be in the same second.
    let ids = texts.map(|text| {
        let (_, id) = text
            .split_once("response\r\nWARC-Record-ID: ")
            .or_else(|| text.split_once("revisit\r\nWARC-Record-ID: "))?;
        id.lines().next().map(str::to_owned)
    });
    assert!(ids[0].is_some() && ids[0] != ids[1], "{ids:?}");
    let args = ["--from-warc", &one, &two].map(str::to_owned);
    let read = forage_tests::run_tool("fetch-extract", args, "")
        .expect_exit(0)
        .records();
    assert_eq!(read, records[..2]);
    let texts: Vec<&Value> = records.iter().map(|record| &record["text"]).collect();
    assert!(texts[0].is_string() && texts[0] == texts[1]);
}
