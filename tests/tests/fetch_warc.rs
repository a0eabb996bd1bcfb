//! fetch-extract and its WARC archives: they give the same records as the fetch, and other tools
//! can read them.

use forage_tests::archives::{extract_archive, run_python};
use forage_tests::server::{HostResponse, HostServer, broken, html, ok, redirect, status};
use forage_tests::{CoProcess, gzip, run_bash, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

fn page_html(path: &str) -> String {
    format!(
        "<html lang=sl><title>Potok</title>\
         <p>Stran {path} pripoveduje o potoku, ki teče skozi vas.</p>"
    )
}

/// Returns pages, redirects and errors. All paths that start with `/same` have the same page.
fn respond(_: &str, path: &str) -> HostResponse {
    match path {
        "/robots.txt" => status(404),
        "/moved" => redirect("/other#part"),
        "/other" => redirect("http://b.test/there?utm_source=x&a=b"),
        "/gone" => status(410),
        "/round" => redirect("/again"),
        "/again" => redirect("/round"),
        "/nowhere" => HostResponse::Complete(302, String::new(), Vec::new()),
        "/pdf" => ok("application/x-unknown", b"\x00\x01"),
        "/gzip" => {
            let headers = "Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\
                           X-Robots-Tag: noai\r\n";
            HostResponse::Complete(
                200,
                headers.into(),
                gzip::stored(page_html(path).as_bytes()),
            )
        }
        // The same bytes with a right and a wrong Content-Encoding.
        "/coded" | "/miscoded" => {
            let coding = if path == "/coded" { "gzip" } else { "br" };
            let headers = format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n");
            HostResponse::Complete(
                200,
                headers,
                gzip::stored(page_html(&"coded ".repeat(100)).as_bytes()),
            )
        }
        same if same.starts_with("/same") => html(page_html(&"same ".repeat(100))),
        path => html(page_html(path)),
    }
}

fn input_lines() -> String {
    let urls = [
        "http://a.test/1#part",
        "http://user:secret@a.test/2?utm_medium=mail",
        "http://a.test/moved",
        "http://a.test/gone",
        "http://a.test/round",
        "http://a.test/nowhere",
        "http://a.test/pdf",
        "http://a.test/gzip",
        "http://a.test/same1",
        "http://c.test/same2",
        "http://a.test/coded",
        "http://a.test/miscoded",
        "http://čebela.test/Č",
    ];
    urls.iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect()
}

fn sort_by_url(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_key(|record| record["url"].to_string());
    records
}

fn fetch_to_archive(folder: &Path, args: &[&str]) -> (PathBuf, Vec<Value>) {
    let archive = folder.join("pages.warc.gz");
    let server = HostServer::start(respond);
    let mut all_args = vec!["--links", "--warc", archive.to_str().unwrap()];
    all_args.extend(args);
    let records = server
        .fetch(&all_args, input_lines())
        .expect_exit(0)
        .records();
    (archive, records)
}

#[test]
fn an_archive_gives_the_same_records_as_the_fetch() {
    let dir = temp_folder();
    let (archive, fetched) = fetch_to_archive(dir.path(), &[]);
    let archive_output = extract_archive(&archive, &["--links"]).expect_exit(0);
    // The archive does not contain the password.
    let without_password = |record: &Value| {
        record
            .to_string()
            .replace("user:secret@", "")
            .parse::<Value>()
            .unwrap()
    };
    assert_eq!(
        sort_by_url(fetched.iter().map(without_password).collect()),
        sort_by_url(archive_output.records())
    );
    let fetched_record = |url: &str| fetched.iter().find(|record| record["url"] == url).unwrap();
    // The first bytes tell the coding.
    assert_eq!(
        fetched_record("http://a.test/miscoded")["text"],
        fetched_record("http://a.test/coded")["text"]
    );
    for (url, final_url) in [
        ("http://a.test/round", "http://a.test/again"),
        ("http://a.test/nowhere", "http://a.test/nowhere"),
    ] {
        let record = fetched_record(url);
        assert_eq!(
            (&record["error"]["kind"], &record["fetch"]["status"]),
            (&json!("redirect"), &json!(302))
        );
        assert_eq!(record["fetch"]["url"], final_url);
    }
    let moved = fetched_record("http://a.test/moved");
    assert_eq!(moved["fetch"]["url"], "http://b.test/there?a=b");
    assert_eq!(moved["fetch"]["warc"]["file"], archive.to_str().unwrap());
}

#[test]
fn a_payload_in_the_archive_is_stored_as_a_revisit() {
    let dir = temp_folder();
    let (archive, _) = fetch_to_archive(dir.path(), &[]);
    let text = run_python(UNPACK, &archive);
    assert_eq!(text.matches("WARC-Type: revisit").count(), 2);
    assert_eq!(
        text.matches("Stran same").count(),
        1,
        "the payload of the duplicate is stored once"
    );
    assert!(!text.contains("Cookie") && text.contains("GET /gzip HTTP/1.1"));
}

#[test]
fn other_tools_can_read_the_archive() {
    let dir = temp_folder();
    let (archive, _) = fetch_to_archive(dir.path(), &[]);
    let check_output = run_python(CHECK, &archive);
    assert!(
        check_output.contains("digest pass") && !check_output.contains("fail"),
        "{check_output}"
    );
}

/// Prints the content of an archive.
const UNPACK: &str =
    "import gzip, sys; sys.stdout.write(gzip.open(sys.argv[1]).read().decode('latin-1'))";
/// Checks the digests in an archive.
const CHECK: &str = "import sys; from warcio.cli import main; main(['check', '-v', sys.argv[1]])";

#[test]
fn pages_with_respected_reservations_are_not_archived() {
    let dir = temp_folder();
    let (archive, records) = fetch_to_archive(dir.path(), &["--respect-optout"]);
    let skipped: Vec<&Value> = records
        .iter()
        .filter(|record| record["error"]["kind"] == "opt-out")
        .collect();
    assert_eq!(
        skipped
            .iter()
            .map(|record| &record["url"])
            .collect::<Vec<_>>(),
        ["http://a.test/gzip"]
    );
    let archive_records = extract_archive(&archive, &[]).expect_exit(0).records();
    assert!(
        archive_records
            .iter()
            .all(|record| record["url"] != "http://a.test/gzip")
    );
}

#[test]
fn a_page_of_an_earlier_archive_is_requested_conditionally() {
    let dir = temp_folder();
    let [first, second] = ["first.warc.gz", "second.warc.gz"].map(|name| dir.path().join(name));
    let page_requests = AtomicU32::new(0);
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        path if page_requests.fetch_add(1, Ordering::Relaxed) == 0 => {
            let headers = "Content-Type: text/html; charset=utf-8\r\nETag: \"v1\"\r\n";
            HostResponse::Complete(200, headers.into(), page_html(path).into_bytes())
        }
        _ => HostResponse::Complete(304, "ETag: \"v1\"\r\n".into(), Vec::new()),
    });
    let [first, second] = [&first, &second].map(|path| path.to_str().unwrap());
    let before = server.fetch_record(&["--warc", first], "http://a.test/x");
    let after = server.fetch_record(&["--warc", second, "--earlier", first], "http://a.test/x");
    assert!(
        server
            .requests()
            .pop()
            .unwrap()
            .header_block
            .to_lowercase()
            .contains("if-none-match: \"v1\"")
    );
    assert_eq!(
        (&after["text"], &after["id"]),
        (&before["text"], &before["id"])
    );
    assert_eq!(
        (
            before["fetch"].get("unchanged"),
            &after["fetch"]["unchanged"]
        ),
        (None, &Value::Bool(true))
    );
    let archive_records = run_tool("fetch-extract", ["--from-warc", first, second], "")
        .expect_exit(0)
        .records();
    assert_eq!(archive_records, [before, after]);
    // Without the earlier archive, the payload is missing.
    let alone = run_tool("fetch-extract", ["--from-warc", second], "")
        .expect_exit(0)
        .records();
    assert_eq!(alone[0]["error"]["kind"], "bad-body");
    run_tool("fetch-extract", ["--earlier", "/none"], "").expect_exit(2);
}

/// Returns several kinds of incomplete responses, and a redirect to one.
fn respond_incompletely(_: &str, path: &str) -> HostResponse {
    const HEAD: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>Potok";
    match path {
        "/robots.txt" => status(404),
        "/short" => broken(),
        "/slow" => HostResponse::Drip(HEAD),
        "/large" => html("<p>potok</p>".repeat(20_000)),
        "/to-short" => redirect("/short"),
        path => html(page_html(path)),
    }
}

#[test]
fn incomplete_responses_are_archived_as_far_as_they_were_received() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(respond_incompletely);
    // The default timeout is long enough for a busy machine. The slow page is given up earlier.
    let args = [
        "--retries",
        "0",
        "--max-bytes",
        "100000",
        "--warc",
        archive.to_str().unwrap(),
    ];
    let paths = [
        "a.test/short",
        "b.test/slow",
        "c.test/large",
        "d.test/to-short",
        "e.test/whole",
    ];
    let lines: String = paths
        .iter()
        .map(|path| format!("{{\"url\":\"http://{path}\"}}\n"))
        .collect();
    let fetched = server.fetch(&args, lines).expect_exit(0).records();
    let kinds: Vec<&str> = fetched
        .iter()
        .map(|record| record["error"]["kind"].as_str().unwrap_or("text"))
        .collect();
    assert_eq!(kinds, ["text", "timeout", "too-large", "text", "text"]);
    let is_truncated = |record: &Value| record["fetch"]["truncated"] == true;
    let truncated: Vec<bool> = fetched.iter().map(is_truncated).collect();
    assert_eq!(truncated, [true, false, false, true, false]);
    let archive_records = extract_archive(&archive, &["--max-bytes", "100000"])
        .expect_exit(0)
        .records();
    assert_eq!(sort_by_url(fetched), sort_by_url(archive_records));
    let text = run_python(UNPACK, &archive);
    for (reason, count) in [("disconnect", 2), ("time", 1), ("length", 1)] {
        assert_eq!(
            text.matches(&format!("WARC-Truncated: {reason}\r\n"))
                .count(),
            count,
            "{reason}"
        );
    }
    assert!(
        text.contains("\r\n\r\n<p>Potok<<"),
        "the received part of the slow page is stored"
    );
    assert!(
        text.len() < 80_000,
        "only the beginning of a large body is stored"
    );
    let check_output = run_python(CHECK, &archive);
    assert!(
        check_output.contains("digest pass") && !check_output.contains("fail"),
        "{check_output}"
    );
}

#[test]
fn suspected_error_pages_are_marked_also_from_an_archive() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        "/moved/1" => redirect("/"),
        "/moved/2" => redirect("/news"),
        "/moved/3" => redirect("/gone/1"),
        "/gone/1" | "/gone/2" | "/gone/2/" | "/gone/3?x" => {
            html("<p>Te strani ni, poglejte drugam.")
        }
        path => html(page_html(path)),
    });
    let paths = [
        "moved/1", "moved/2", "gone/1", "moved/3", "gone/2", "gone/2/", "gone/3?x", "other",
    ];
    let lines: String = paths
        .iter()
        .map(|path| format!("{{\"url\":\"http://a.test/{path}\"}}\n"))
        .collect();
    let other = "{\"url\":\"http://b.test/gone/1\"}\n";
    let records = server
        .fetch(&["--warc", archive.to_str().unwrap()], lines + other)
        .expect_exit(0)
        .records();
    let soft_404: Vec<&Value> = records
        .iter()
        .map(|record| &record["fetch"]["soft_404"])
        .collect();
    let root = json!("root-redirect");
    let same = json!("same-body");
    let none = Value::Null;
    assert_eq!(
        soft_404,
        [
            &root, &none, &none, &none, &same, &same, &same, &none, &none
        ]
    );
    assert!(
        records.iter().all(|record| record["text"].is_string()),
        "no page is dropped"
    );
    let archive_records = extract_archive(&archive, &[]).expect_exit(0).records();
    let sorted_by_offset = |mut records: Vec<Value>| {
        records.sort_by_key(|record| record["fetch"]["warc"]["offset"].as_u64());
        records
    };
    assert_eq!(sorted_by_offset(archive_records), sorted_by_offset(records));
}

#[test]
fn a_body_of_an_earlier_archive_is_stored_as_a_revisit_if_it_is_sent_again() {
    let dir = temp_folder();
    let [first, second] = ["first.warc.gz", "second.warc.gz"].map(|name| dir.path().join(name));
    let [one, two] = [&first, &second].map(|path| path.to_str().unwrap());
    let server = HostServer::start(respond);
    let before = server.fetch_record(&["--warc", one], "http://a.test/same1");
    let after = server.fetch_record(&["--warc", two, "--earlier", one], "http://b.test/same2");
    assert_eq!(
        run_python(UNPACK, &second)
            .matches("WARC-Type: revisit")
            .count(),
        1
    );
    let archive_records = run_tool("fetch-extract", ["--from-warc", one, two], "")
        .expect_exit(0)
        .records();
    assert_eq!(archive_records, [before.clone(), after]);
    let alone = extract_archive(&second, &[]).expect_exit(0).records();
    let message = alone[0]["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("the archive lacks the page's body")
            && message.contains("http://a.test/same1 at "),
        "{message}"
    );

    // --warc and --earlier may name the same archive, which need not exist at first.
    let both = dir.path().join("both.warc.gz");
    let args = [
        "--warc",
        both.to_str().unwrap(),
        "--earlier",
        both.to_str().unwrap(),
    ];
    let records = [
        "http://a.test/same1",
        "http://a.test/same1",
        "http://c.test/same3",
    ]
    .map(|url| server.fetch_record(&args, url));
    assert_eq!(
        run_python(UNPACK, &both)
            .matches("WARC-Type: revisit")
            .count(),
        2
    );
    assert_eq!(
        extract_archive(&both, &[]).expect_exit(0).records(),
        records
    );
    // The same body from another URL is not the same page.
    assert_eq!(
        records.map(|record| record["fetch"]["unchanged"] == true),
        [false, true, false]
    );
    let message = run_python(CHECK, &both);
    assert!(
        message.contains("digest pass") && !message.contains("fail"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_not_an_archive_is_neither_read_nor_overwritten() {
    let dir = temp_folder();
    let file = dir.path().join("notes.txt");
    std::fs::write(&file, "no archive\n").unwrap();
    let output =
        run_tool("fetch-extract", ["--warc".as_ref(), file.as_os_str()], "").expect_exit(2);
    assert!(output.stderr.contains("notes.txt"), "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "no archive\n");
    extract_archive(&file, &[]).expect_exit(2);
    let gzip = [b"\x1f\x8b\x08", &[b'x'; 5000][..]].concat();
    std::fs::write(&file, &gzip).unwrap();
    run_tool("fetch-extract", ["--warc".as_ref(), file.as_os_str()], "").expect_exit(2);
    assert_eq!(std::fs::read(&file).unwrap(), gzip);
    extract_archive(&dir.path().join("none"), &[]).expect_exit(2);
}

#[test]
fn archived_failures_are_fetched_again() {
    let dir = temp_folder();
    let [archive, out] = ["pages.warc.gz", "out.jsonl"].map(|name| dir.path().join(name));
    let busy_requests = AtomicU32::new(0);
    let server = HostServer::start(move |_: &str, path: &str| match path {
        "/robots.txt" => status(404),
        "/busy" if busy_requests.fetch_add(1, Ordering::SeqCst) == 0 => status(503),
        path => html(page_html(path)),
    });
    let lines = "{\"url\":\"http://a.test/1\"}\n{\"url\":\"http://b.test/busy\"}\n";
    let args = ["--retries", "0", "--warc", archive.to_str().unwrap()];
    let records = server.fetch(&args, lines).expect_exit(0).records();
    assert_eq!(records[1]["error"]["kind"], "http-status");
    // Failures are removed from the output, so that they are tried again.
    std::fs::write(&out, records[0].to_string() + "\n").unwrap();
    let again = server
        .fetch(
            &[&args[..], &["--resume", out.to_str().unwrap()]].concat(),
            lines,
        )
        .expect_exit(0)
        .records();
    assert_eq!(
        (again.len(), &again[0]["url"]),
        (1, &"http://b.test/busy".into())
    );
    assert!(
        again[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("/busy"))
    );
}

#[test]
fn a_run_without_pages_creates_a_valid_archive() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(|_: &str, _: &str| status(404));
    let line = "{\"n\":1}\n";
    assert_eq!(
        server
            .fetch(&["--warc", archive.to_str().unwrap()], line)
            .expect_exit(0)
            .stdout,
        line
    );
    let archive_output = extract_archive(&archive, &[]).expect_exit(0);
    assert!(
        archive_output.stdout.is_empty()
            && archive_output
                .stderr
                .contains("no pages, but records of other types: 1 warcinfo")
    );
}

#[test]
fn an_archive_may_be_standard_input() {
    let dir = temp_folder();
    let (archive, fetched) = fetch_to_archive(dir.path(), &[]);
    let count = |records: &[Value]| {
        records
            .iter()
            .filter(|record| record.get("text").is_some())
            .count()
    };
    let name = archive.display();
    let read = |script: &str| run_bash(script, "").expect_exit(0).records();
    assert_eq!(
        count(&read(&format!("fetch-extract --from-warc - < '{name}'"))),
        count(&fetched)
    );
    assert_eq!(
        count(&read(&format!(
            "cat '{name}' | fetch-extract --from-warc -"
        ))),
        count(&fetched)
    );
}

#[test]
fn two_processes_cannot_write_the_same_archive() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(respond);
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args([
            "--connect-to",
            &server.address.to_string(),
            "--delay",
            "0",
            "--warc",
        ])
        .arg(&archive);
    let mut first = CoProcess::start(command);
    let record = |url: &str| json!({ "url": url }).to_string();
    // The first process locks the archive from its first page to the end of its input.
    first.ask(&record("http://a.test/1"));
    let second = server
        .fetch(
            &["--warc", archive.to_str().unwrap()],
            r#"{"url":"http://a.test/2"}"#,
        )
        .expect_exit(2);
    assert!(
        second.stderr.contains(" is writing it; wait"),
        "{}",
        second.stderr
    );
    first.ask(&record("http://a.test/3"));
    first.end();
    assert_eq!(
        extract_archive(&archive, &[])
            .expect_exit(0)
            .records()
            .len(),
        2
    );
}
