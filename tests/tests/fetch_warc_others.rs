//! fetch-extract and WARC archives of other tools, in various forms and with damage.

use forage_tests::archives::{extract_archive, run_python, warc_page, warc_record};
use forage_tests::{ToolOutput, gzip, run_bash, run_tool, temp_folder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the text of a page, which is so long that a few pages exceed the read buffer.
fn page_text(name: &str) -> String {
    format!(
        "Stran {name} pripoveduje o potoku, ki teče skozi vas in naprej. {}",
        name.repeat(3000)
    )
}

fn page_records(names: &[&str]) -> Vec<Vec<u8>> {
    let page = |name: &&str| {
        warc_page(
            &format!("http://a.test/{name}"),
            "",
            format!("<p>{}</p>", page_text(name)).as_bytes(),
        )
    };
    names.iter().map(page).collect()
}

/// Returns the concatenated names of the output pages, and asserts their texts.
fn page_names(output: &ToolOutput) -> String {
    let name = |record: &Value| {
        let name = record["url"]
            .as_str()
            .unwrap()
            .strip_prefix("http://a.test/")
            .unwrap()
            .to_owned();
        assert_eq!(record["text"], page_text(&name));
        name
    };
    output.records().iter().map(name).collect()
}

fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Runs a command with these bytes as standard input, and returns its standard output.
fn pipe_through(command: &[&str], bytes: &[u8]) -> Vec<u8> {
    let folder = temp_folder();
    let input = write_file(folder.path(), "input", bytes);
    let output = folder.path().join("output");
    let mut child = Command::new(command[0]);
    child
        .args(&command[1..])
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(std::fs::File::create(&output).unwrap());
    assert!(child.status().unwrap().success(), "{command:?}");
    std::fs::read(output).unwrap()
}

/// Returns the record of an archive with one response.
fn extract_one(block: &str) -> Value {
    let dir = temp_folder();
    let bytes = warc_record("response", "http://a.test/", "", block.as_bytes());
    extract_archive(&write_file(dir.path(), "one.warc", &bytes), &[])
        .expect_exit(0)
        .records()
        .remove(0)
}

#[test]
fn archives_of_other_tools_are_read() {
    let dir = temp_folder();
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n\
                   5\r\n<p>Po\r\n3\r\ntok\r\n0\r\n\r\n";
    let archive_records = [
        warc_record("warcinfo", "", "", b"software: other\r\n"),
        warc_record(
            "response",
            "dns:a.test",
            "",
            b"20200101000000\na.test. 1 IN A 192.0.2.1\n",
        ),
        warc_record("response", "http://a.test/", "", chunked.as_bytes()),
        warc_record("metadata", "http://a.test/", "", b"fetchTimeMs: 1\r\n"),
    ];
    let archive = write_file(dir.path(), "others.warc", &archive_records.concat());
    let output = extract_archive(&archive, &["-v"]).expect_exit(0);
    let summary = "others.warc: 1 page; other records: 1 metadata, 1 response, 1 warcinfo";
    assert!(output.stderr.contains(summary), "{}", output.stderr);
    let records = output.records();
    let fetch = &records[0]["fetch"];
    assert_eq!(
        (records.len(), &records[0]["text"], &fetch["at"]),
        (1, &json!("Potok"), &json!("2020-01-01T00:00:00Z"))
    );
    assert_eq!(
        extract_archive(&archive, &[]).expect_exit(0).stderr,
        "",
        "regular records are not reported"
    );
}

#[test]
fn unusual_forms_of_http_header_blocks_are_read() {
    for head in [
        "HTTP/2 200\r\ncontent-type: text/html\r\n\r\n",
        "HTTP/2.0 200 \nContent-Type: text/html\n\n",
    ] {
        let record = extract_one(&format!("{head}<p>Potok"));
        assert_eq!(
            (&record["text"], &record["fetch"]["status"]),
            (&json!("Potok"), &json!(200)),
            "{head}"
        );
        assert_eq!(record["fetch"]["media_type"], "text/html", "{head}");
    }
}

#[test]
fn an_already_decoded_body_is_read() {
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n");
        let record = extract_one(&format!(
            "{head}Transfer-Encoding: chunked\r\n\r\n<p>Potok teče skozi vas."
        ));
        assert_eq!(record["text"], "Potok teče skozi vas.", "{coding}");
    }
}

#[test]
fn a_truncated_body_is_read() {
    let dir = temp_folder();
    let block =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999\r\n\r\n<p>Potok";
    let bytes = warc_record(
        "response",
        "http://a.test/",
        "WARC-Truncated: length\r\n",
        block,
    );
    let archive = write_file(dir.path(), "others.warc", &bytes);
    assert_eq!(
        extract_archive(&archive, &[]).expect_exit(0).records()[0]["text"],
        "Potok"
    );
}

#[test]
fn resource_and_conversion_records_are_pages() {
    let dir = temp_folder();
    let html = "Content-Type: text/html; charset=windows-1250\r\n";
    let plain = "Content-Type: text/plain\r\n";
    let archive_records = [
        warc_record(
            "resource",
            "http://a.test/file",
            html,
            b"<title>T</title><p>\x8Aola",
        ),
        warc_record("resource", "ftp://a.test/note.txt", plain, "Čas".as_bytes()),
        warc_record(
            "conversion",
            "http://a.test/wet",
            plain,
            "Prva vrstica.\nDruga š.\n".as_bytes(),
        ),
        warc_record(
            "conversion",
            "http://a.test/small",
            "Content-Type: image/png\r\n",
            b"\x89PNG",
        ),
        warc_record(
            "resource",
            "urn:text:http://a.test/file",
            plain,
            "Šola".as_bytes(),
        ),
        warc_record(
            "resource",
            "metadata://gnu.org/software/wget/warc/wget_arguments.txt",
            plain,
            b"-r",
        ),
    ];
    let output = extract_archive(
        &write_file(dir.path(), "files.warc", &archive_records.concat()),
        &["-v"],
    )
    .expect_exit(0);
    let records = output.records();
    let urls: Vec<&Value> = records.iter().map(|record| &record["url"]).collect();
    assert_eq!(
        urls,
        [
            "http://a.test/file",
            "ftp://a.test/note.txt",
            "http://a.test/wet"
        ]
    );
    let texts: Vec<&Value> = records.iter().map(|record| &record["text"]).collect();
    assert_eq!(texts, ["Šola", "Čas", "Prva vrstica.\nDruga š."]);
    let fetch = &records[0]["fetch"];
    assert_eq!(
        (&fetch["status"], &fetch["charset"]),
        (&Value::Null, &json!("windows-1250"))
    );
    assert!(
        output
            .stderr
            .contains("3 pages; other records: 1 conversion, 2 resource"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_content_of_an_archive_without_pages_is_reported() {
    let dir = temp_folder();
    let archive_records = [
        warc_record("warcinfo", "", "", b"x"),
        warc_record("metadata", "http://a.test/", "", b"{}"),
    ];
    let output = extract_archive(
        &write_file(dir.path(), "a.wat", &archive_records.concat()),
        &[],
    )
    .expect_exit(0);
    assert!(output.stdout.is_empty());
    assert!(
        output
            .stderr
            .contains("a.wat: no pages, but records of other types: 1 metadata, 1 warcinfo")
    );

    // A skipped continuation record is reported.
    let archive_records = [
        warc_page("http://a.test/", "", b"<p>Potok"),
        warc_record("continuation", "http://a.test/", "", b"teko"),
    ];
    let output = extract_archive(
        &write_file(dir.path(), "a.warc", &archive_records.concat()),
        &[],
    )
    .expect_exit(0);
    assert!(
        output.records()[0]["text"] == "Potok"
            && output
                .stderr
                .contains("a.warc: 1 continuation record skipped")
    );
}

#[test]
fn a_revisit_has_the_content_of_the_page_that_it_refers_to() {
    let dir = temp_folder();
    let mut first = warc_page(
        "http://a.test/a",
        "Content-Encoding: gzip\r\n",
        &gzip::stored("<p>Potok š.".as_bytes()),
    );
    let names = b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha1:X\r\n";
    first.splice(10..10, names.iter().copied());
    let revisit = |name: &str, lines: &str, block: &str| {
        warc_record(
            "revisit",
            &format!("http://a.test/{name}"),
            lines,
            block.as_bytes(),
        )
    };
    let digest = "WARC-Payload-Digest: sha1:X\r\n";
    let id = "WARC-Refers-To: <urn:uuid:1>\r\n";
    let archive_records = [
        first,
        revisit("b", digest, ""),
        revisit("c", id, ""),
        revisit(
            "d",
            digest,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n",
        ),
        revisit("e", id, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        revisit("f", "WARC-Payload-Digest: sha1:Y\r\n", ""),
        revisit("g", "", "HTTP/1.1 200 OK\r\n\r\n"),
    ];
    let records = extract_archive(
        &write_file(dir.path(), "a.warc", &archive_records.concat()),
        &[],
    )
    .expect_exit(0)
    .records();
    for (record, name) in records.iter().zip(["a", "b", "c", "d", "e"]) {
        assert_eq!(record["url"], format!("http://a.test/{name}"));
        let fetch = &record["fetch"];
        assert_eq!(
            (&record["text"], &fetch["status"]),
            (&json!("Potok š."), &json!(200)),
            "{name}"
        );
        assert_eq!(fetch["url"], record["url"]);
    }
    let messages: Vec<&str> = records[5..]
        .iter()
        .map(|record| record["error"]["message"].as_str().unwrap())
        .collect();
    assert!(
        messages.len() == 2
            && messages
                .iter()
                .all(|message| message.contains("the archive lacks the page's body")),
        "{messages:?}"
    );
}

#[test]
fn an_archive_of_warcio_is_read() {
    let dir = temp_folder();
    for (name, gzip) in [("w.warc.gz", "True"), ("w.warc", "False")] {
        let archive = dir.path().join(name);
        run_python(&WARCIO.replace("GZIP", gzip), &archive);
        let records = extract_archive(&archive, &[]).expect_exit(0).records();
        let texts: Vec<_> = records
            .iter()
            .map(|record| (record["url"].as_str().unwrap(), record["text"].as_str()))
            .collect();
        let potok = Some("Potok teče skozi vas.");
        let expected = [
            "http://a.test/",
            "http://a.test/again",
            "http://a.test/file",
        ]
        .map(|url| (url, potok));
        assert_eq!(texts, expected);
        assert_eq!(records[0]["fetch"]["at"], "2020-01-02T03:04:05Z");
        // The records before a truncated one are read, and that as far as it goes.
        let bytes = std::fs::read(&archive).unwrap();
        std::fs::write(&archive, &bytes[..bytes.len() - 9]).unwrap();
        let cut = extract_archive(&archive, &[]).expect_exit(1).records();
        assert_eq!(cut[..2], records[..2]);
        assert!(
            cut[2]["text"].as_str().unwrap().starts_with("Potok"),
            "{}",
            cut[2]
        );
    }
}

/// Writes a page, a revisit of it without a header block, and a resource.
const WARCIO: &str = "
import io, sys
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter
body = '<p>Potok teče skozi vas.'.encode()
with open(sys.argv[1], 'wb') as file:
    writer = WARCWriter(file, gzip=GZIP, warc_version='1.1')
    writer.write_record(writer.create_warcinfo_record('w.warc', {'software': 'warcio'}))
    head = StatusAndHeaders('200 OK', [('Content-Type', 'text/html; charset=utf-8')], protocol='HTTP/2')
    date = {'WARC-Date': '2020-01-02T03:04:05.678901Z'}
    page = writer.create_warc_record('http://a.test/', 'response', payload=io.BytesIO(body), http_headers=head, warc_headers_dict=date)
    writer.write_record(page)
    digest = page.rec_headers.get_header('WARC-Payload-Digest')
    writer.write_record(writer.create_revisit_record('http://a.test/again', digest, 'http://a.test/', date['WARC-Date']))
    writer.write_record(writer.create_warc_record('http://a.test/file', 'resource', payload=io.BytesIO(body), warc_content_type='text/html; charset=utf-8'))
";

#[test]
fn records_may_share_a_compressed_stream() {
    let dir = temp_folder();
    let archive_records = page_records(&["a", "b", "c", "d", "e", "f", "g", "h"]).concat();
    for (name, command) in [
        ("a.warc.gz", ["gzip", "-c"]),
        ("a.warc.zst", ["zstd", "-qc"]),
    ] {
        let archive = write_file(dir.path(), name, &pipe_through(&command, &archive_records));
        let output = extract_archive(&archive, &[]).expect_exit(0);
        assert_eq!(page_names(&output), "abcdefgh", "{name}");
        assert!(
            output
                .records()
                .iter()
                .all(|record| record["fetch"]["warc"]["offset"] == 0)
        );
    }
}

#[test]
fn zstd_frames_are_read_with_the_dictionary_of_the_archive() {
    let dir = temp_folder();
    let pages = page_records(&["a", "b", "c"]);
    for (number, page) in pages.iter().cycle().take(300).enumerate() {
        write_file(
            dir.path(),
            &format!("sample{number}"),
            &[&page[..400], &number.to_le_bytes().repeat(20)].concat(),
        );
    }
    let dictionary = dir.path().join("dictionary");
    let train = format!(
        "zstd -q --train --maxdict=4000 {0}/sample* -o {0}/dictionary",
        dir.path().display()
    );
    run_bash(&train, "").expect_exit(0);
    let raw = std::fs::read(&dictionary).unwrap();
    let frame = |content: &[u8]| {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        [&0x184D_2A5D_u32.to_le_bytes(), &length[..], content].concat()
    };
    let compress =
        |page: &Vec<u8>| pipe_through(&["zstd", "-qc", "-D", dictionary.to_str().unwrap()], page);
    let packed: Vec<Vec<u8>> = pages.iter().map(compress).collect();
    for content in [raw.clone(), pipe_through(&["zstd", "-qc"], &raw)] {
        let archive = write_file(
            dir.path(),
            "a.warc.zst",
            &[frame(&content), packed.concat()].concat(),
        );
        assert_eq!(
            page_names(&extract_archive(&archive, &[]).expect_exit(0)),
            "abc"
        );
    }
    let output = extract_archive(
        &write_file(dir.path(), "lost.warc.zst", &packed.concat()),
        &[],
    )
    .expect_exit(1);
    assert!(
        output.stderr.lines().count() == 1 && output.stderr.contains("which is not in the file"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_damaged_record_is_reported_once_and_the_others_are_read() {
    let dir = temp_folder();
    let [a, b, c] = <[Vec<u8>; 3]>::try_from(page_records(&["a", "b", "c"])).unwrap();
    for (name, command) in [
        ("a.warc", &["cat"][..]),
        ("a.warc.gz", &["gzip", "-c"]),
        ("a.warc.zst", &["zstd", "-qc"]),
    ] {
        let [a, b, c] = [&a, &b, &c].map(|page| pipe_through(command, page));
        let archive = write_file(
            dir.path(),
            name,
            &[a.as_slice(), &b[25..], &c, b"junk"].concat(),
        );
        let output = extract_archive(&archive, &[]).expect_exit(1);
        assert_eq!(page_names(&output), "ac", "{name}");
        let messages: Vec<&str> = output.stderr.lines().collect();
        let [first, second] = messages[..] else {
            panic!("{messages:?}")
        };
        let location = format!(
            "fetch-extract: {}: no WARC record at byte {}: ",
            archive.display(),
            a.len()
        );
        assert!(
            first.starts_with(&location)
                && first.ends_with(&format!("; {} bytes were skipped", b.len() - 25))
        );
        assert!(second.ends_with("; 4 bytes were skipped"), "{second}");
        let strict = extract_archive(&archive, &["--strict"]).expect_exit(2);
        assert_eq!(
            (page_names(&strict).as_str(), strict.stderr.lines().count()),
            ("a", 1)
        );

        // Later archives are read too, and so are pipes, which cannot be read twice.
        let path = archive.display().to_string();
        let output = run_tool("fetch-extract", ["--from-warc", &path, &path], "").expect_exit(1);
        assert_eq!(page_names(&output), "acac", "{name}");
        let pipe_output =
            run_bash(&format!("fetch-extract --from-warc <(cat {path})"), "").expect_exit(1);
        assert_eq!(page_names(&pipe_output), "ac", "{name}");
    }
}

#[test]
fn a_truncated_archive_is_read_to_its_end() {
    let dir = temp_folder();
    let archive_records = page_records(&["a", "b"]);
    let gzipped: Vec<u8> = archive_records
        .iter()
        .flat_map(|page| pipe_through(&["gzip", "-c"], page))
        .collect();
    for bytes in [&archive_records.concat(), &gzipped] {
        let archive = write_file(dir.path(), "a.warc", &bytes[..bytes.len() - 20]);
        let output = extract_archive(&archive, &[]).expect_exit(1);
        let texts: Vec<Value> = output
            .records()
            .into_iter()
            .map(|mut record| record["text"].take())
            .collect();
        let cut = texts[1].as_str().unwrap();
        assert_eq!((texts.len(), &texts[0]), (2, &json!(page_text("a"))));
        assert!(cut.len() > 1000 && page_text("b").starts_with(cut));
        let message = "a.warc: 1 record cut; read as far as it goes\n";
        assert!(output.stderr.ends_with(message), "{}", output.stderr);
        extract_archive(&archive, &["--strict"]).expect_exit(2);
        // Trailing zeros, as after a crash, are ignored.
        let archive = write_file(dir.path(), "a.warc", &[bytes, &[0; 5000][..]].concat());
        let output = extract_archive(&archive, &[]).expect_exit(0);
        assert_eq!(
            (page_names(&output).as_str(), output.stderr.as_str()),
            ("ab", "")
        );
    }
}

#[test]
fn records_with_a_wrong_length_are_read_up_to_the_next_one() {
    let dir = temp_folder();
    let pages = page_records(&["a", "b", "c", "d"]);
    // Characters instead of bytes, bytes with other line ends, and no number at all.
    let with_length = |page: &[u8], change: fn(usize) -> String| {
        let page = String::from_utf8(page.to_vec()).unwrap();
        let (before, after) = page.split_once("Content-Length: ").unwrap();
        let (length, after) = after.split_once("\r\n").unwrap();
        let length = change(length.parse().unwrap());
        format!("{before}Content-Length: {length}\r\n{after}").into_bytes()
    };
    let records = [
        with_length(&pages[0], |length| (length - 3).to_string()),
        with_length(&pages[1], |length| (length + 9).to_string()),
        with_length(&pages[2], |_| "many".to_owned()),
        pages[3].clone(),
    ];
    for (name, command) in [
        ("a.warc", &["cat"][..]),
        ("a.warc.gz", &["gzip", "-c"]),
        ("a.warc.zst", &["zstd", "-qc"]),
    ] {
        let members: Vec<u8> = records
            .iter()
            .flat_map(|record| pipe_through(command, record))
            .collect();
        let whole = pipe_through(command, &records.concat());
        for bytes in [members, whole] {
            let archive = write_file(dir.path(), name, &bytes);
            let output = extract_archive(&archive, &[]).expect_exit(0);
            assert_eq!(page_names(&output), "abcd", "{name}");
            let message = "3 records not as long as stated; read up to the next record\n";
            assert!(output.stderr.ends_with(message), "{}", output.stderr);
            assert_eq!(output.stderr.lines().count(), 1);
            let path = archive.display();
            let pipe = format!("fetch-extract --from-warc <(cat {path})");
            assert_eq!(page_names(&run_bash(&pipe, "").expect_exit(0)), "abcd");
            extract_archive(&archive, &["--strict"]).expect_exit(2);
        }
    }
}

#[test]
fn similar_formats_are_refused_by_name() {
    let dir = temp_folder();
    let arc = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 other\n";
    for (name, bytes, message) in [
        ("a.arc", arc.to_vec(), "this is an ARC file"),
        ("a.arc.gz", gzip::stored(arc), "this is an ARC file"),
        (
            "a.wacz",
            b"PK\x03\x04\x14\0\0\0\0\0".to_vec(),
            "if it is a WACZ",
        ),
    ] {
        let output = extract_archive(&write_file(dir.path(), name, &bytes), &[]).expect_exit(2);
        assert!(
            output.stderr.contains(&format!("{name}: ")) && output.stderr.contains(message),
            "{}",
            output.stderr
        );
    }
}
