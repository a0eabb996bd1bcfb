//! fetch-extract and its archives: what is kept gives the same records again, and other tools can
//! read it.

use forage_tests::archives::{extract_archive, run_python};
use forage_tests::server::{HostRequest, HostResponse, HostServer, html, ok, redirect, status};
use forage_tests::{gzip, run_bash, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

fn page(path: &str) -> String {
    format!(
        "<html lang=sl><title>Potok</title><p>Stran {path} pripoveduje o potoku, ki teče skozi vas.</p>"
    )
}

/// Pages, redirects, and what is none; `/same…` are twins.
fn answer(_: &str, path: &str) -> HostResponse {
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
            let headers = "Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\nX-Robots-Tag: noai\r\n";
            HostResponse::Complete(200, headers.into(), gzip::stored(page(path).as_bytes()))
        }
        // The same bytes, said to be coded in another way.
        "/coded" | "/miscoded" => {
            let coding = if path == "/coded" { "gzip" } else { "br" };
            let headers = format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n");
            HostResponse::Complete(
                200,
                headers,
                gzip::stored(page(&"coded ".repeat(100)).as_bytes()),
            )
        }
        same if same.starts_with("/same") => html(page(&"same ".repeat(100))),
        path => html(page(path)),
    }
}

fn lines() -> String {
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

fn sorted(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_key(|record| record["url"].to_string());
    records
}

fn archived(folder: &Path, args: &[&str]) -> (PathBuf, Vec<Value>) {
    let archive = folder.join("pages.warc.gz");
    let server = HostServer::start(answer);
    let mut all = vec!["--links", "--warc", archive.to_str().unwrap()];
    all.extend(args);
    let records = server.fetch(&all, lines()).expect_exit(0).records();
    (archive, records)
}

#[test]
fn an_archive_gives_the_same_records_as_the_fetch() {
    let dir = temp_folder();
    let (archive, fetched) = archived(dir.path(), &[]);
    let kept = extract_archive(&archive, &["--links"]).expect_exit(0);
    // A password is nobody's business.
    let public = |record: &Value| {
        record
            .to_string()
            .replace("user:secret@", "")
            .parse::<Value>()
            .unwrap()
    };
    assert_eq!(
        sorted(fetched.iter().map(public).collect()),
        sorted(kept.records())
    );
    let of = |url: &str| fetched.iter().find(|record| record["url"] == url).unwrap();
    assert_eq!(of("http://a.test/miscoded")["error"]["kind"], "bad-body");
    for (url, last) in [
        ("http://a.test/round", "http://a.test/again"),
        ("http://a.test/nowhere", "http://a.test/nowhere"),
    ] {
        let record = of(url);
        assert_eq!(
            (&record["error"]["kind"], &record["fetch"]["status"]),
            (&json!("redirect"), &json!(302))
        );
        assert_eq!(record["fetch"]["url"], last);
    }
    let moved = of("http://a.test/moved");
    assert_eq!(moved["fetch"]["url"], "http://b.test/there?a=b");
    assert_eq!(moved["fetch"]["warc"]["file"], archive.to_str().unwrap());
}

#[test]
fn a_payload_that_is_there_is_kept_as_a_revisit() {
    let dir = temp_folder();
    let (archive, _) = archived(dir.path(), &[]);
    let text = run_python(UNPACK, &archive);
    assert_eq!(text.matches("WARC-Type: revisit").count(), 2);
    assert_eq!(
        text.matches("Stran same").count(),
        1,
        "the twin's payload is kept once"
    );
    assert!(!text.contains("Cookie") && text.contains("GET /gzip HTTP/1.1"));
}

#[test]
fn other_tools_read_it() {
    let dir = temp_folder();
    let (archive, _) = archived(dir.path(), &[]);
    let told = run_python(CHECK, &archive);
    assert!(
        told.contains("digest pass") && !told.contains("fail"),
        "{told}"
    );
}

/// Prints what is in an archive.
const UNPACK: &str =
    "import gzip, sys; sys.stdout.write(gzip.open(sys.argv[1]).read().decode('latin-1'))";
/// Says whether the digests in an archive are right.
const CHECK: &str = "import sys; from warcio.cli import main; main(['check', '-v', sys.argv[1]])";

#[test]
fn what_reserves_itself_is_skipped_and_not_kept_when_that_is_respected() {
    let dir = temp_folder();
    let (archive, records) = archived(dir.path(), &["--respect-optout"]);
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
    let kept = extract_archive(&archive, &[]).expect_exit(0).records();
    assert!(
        kept.iter()
            .all(|record| record["url"] != "http://a.test/gzip")
    );
}

#[test]
fn a_page_of_an_earlier_archive_is_sent_again_only_if_it_has_changed() {
    let dir = temp_folder();
    let [first, second] = ["first.warc.gz", "second.warc.gz"].map(|name| dir.path().join(name));
    let asked = AtomicU32::new(0);
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        path if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
            let headers = "Content-Type: text/html; charset=utf-8\r\nETag: \"v1\"\r\n";
            HostResponse::Complete(200, headers.into(), page(path).into_bytes())
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
    let kept = run_tool("fetch-extract", ["--from-warc", first, second], "")
        .expect_exit(0)
        .records();
    assert_eq!(kept, [before, after]);
    // Without the archive that has the payload there is none.
    let alone = run_tool("fetch-extract", ["--from-warc", second], "")
        .expect_exit(0)
        .records();
    assert_eq!(alone[0]["error"]["kind"], "bad-body");
    run_tool("fetch-extract", ["--earlier", "/none"], "").expect_exit(2);
}

/// Answers that break off, each in its way, and a sound one behind a redirect.
fn broken(_: &str, path: &str) -> HostResponse {
    const HEAD: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>Potok";
    match path {
        "/robots.txt" => status(404),
        "/short" => HostResponse::Broken,
        "/slow" => HostResponse::Drip(HEAD),
        "/large" => html("<p>potok</p>".repeat(20_000)),
        "/to-short" => redirect("/short"),
        path => html(page(path)),
    }
}

#[test]
fn answers_that_break_off_are_kept_as_far_as_they_came() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(broken);
    // The time for a request is that of the defaults, which a busy machine keeps, too; the slow
    // page is given up sooner.
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
    assert_eq!(
        kinds,
        ["connect", "timeout", "too-large", "connect", "text"]
    );
    let kept = extract_archive(&archive, &["--max-bytes", "100000"])
        .expect_exit(0)
        .records();
    assert_eq!(sorted(fetched), sorted(kept));
    let text = run_python(UNPACK, &archive);
    for (reason, times) in [("disconnect", 2), ("time", 1), ("length", 1)] {
        assert_eq!(
            text.matches(&format!("WARC-Truncated: {reason}\r\n"))
                .count(),
            times,
            "{reason}"
        );
    }
    assert!(
        text.contains("\r\n\r\n<p>Potok<<"),
        "what came of the slow page is there"
    );
    assert!(
        text.len() < 80_000,
        "of a large body only the beginning is kept"
    );
    let told = run_python(CHECK, &archive);
    assert!(
        told.contains("digest pass") && !told.contains("fail"),
        "{told}"
    );
}

#[test]
fn pages_that_may_be_none_are_noted_and_the_archive_tells_the_same() {
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
        path => html(page(path)),
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
    let noted: Vec<&Value> = records
        .iter()
        .map(|record| &record["fetch"]["soft_404"])
        .collect();
    let (root, same) = (json!("root-redirect"), json!("same-body"));
    let none = Value::Null;
    assert_eq!(
        noted,
        [
            &root, &none, &none, &none, &same, &same, &same, &none, &none
        ]
    );
    assert!(
        records.iter().all(|record| record["text"].is_string()),
        "nothing is dropped"
    );
    let kept = extract_archive(&archive, &[]).expect_exit(0).records();
    let ordered = |mut records: Vec<Value>| {
        records.sort_by_key(|record| record["fetch"]["warc"]["offset"].as_u64());
        records
    };
    assert_eq!(ordered(kept), ordered(records));
}

#[test]
fn an_archive_that_cannot_grow_stops_the_run_and_loses_no_url() {
    let dir = temp_folder();
    let [archive, out, urls] =
        ["pages.warc.gz", "out.jsonl", "urls.jsonl"].map(|name| dir.path().join(name));
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        path => html(format!("{}<p>{}", page(path), path.repeat(300))),
    });
    let lines: String = (0..40)
        .map(|n| format!("{{\"url\":\"http://h{n}.test/{n}\"}}\n"))
        .collect();
    std::fs::write(&urls, &lines).unwrap();
    // A limit for the size of files stands for a disk that is full; the shell ignores the signal
    // that comes with it.
    let go = |limit: &str| {
        let paths = [&archive, &out, &urls].map(|path| path.display().to_string());
        let [archive, out, urls] = paths.each_ref().map(String::as_str);
        let to = format!(
            "--connect-to {} --delay 0 --warc {archive} --resume {out}",
            server.address
        );
        run_bash(
            &format!("trap '' XFSZ; ({limit}; fetch-extract {to} < {urls}) | cat >> {out}"),
            "",
        )
    };
    let stopped = go("ulimit -f 8").expect_exit(2);
    assert!(
        stopped.stderr.contains("the archive can't be written"),
        "{}",
        stopped.stderr
    );
    go("true").expect_exit(0);
    let text = std::fs::read_to_string(&out).unwrap();
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        records.len() == 40 && records.iter().all(|record| record["text"].is_string()),
        "{text}"
    );
    assert!(
        extract_archive(&archive, &[])
            .expect_exit(0)
            .records()
            .len()
            >= 40
    );
}

#[test]
fn a_body_that_an_earlier_archive_keeps_is_kept_as_a_revisit_though_it_is_sent_again() {
    let dir = temp_folder();
    let [first, second] = ["first.warc.gz", "second.warc.gz"].map(|name| dir.path().join(name));
    let [one, two] = [&first, &second].map(|path| path.to_str().unwrap());
    let server = HostServer::start(answer);
    let before = server.fetch_record(&["--warc", one], "http://a.test/same1");
    let after = server.fetch_record(&["--warc", two, "--earlier", one], "http://b.test/same2");
    assert_eq!(
        run_python(UNPACK, &second)
            .matches("WARC-Type: revisit")
            .count(),
        1
    );
    let kept = run_tool("fetch-extract", ["--from-warc", one, two], "")
        .expect_exit(0)
        .records();
    assert_eq!(kept, [before.clone(), after]);
    let alone = extract_archive(&second, &[]).expect_exit(0).records();
    let told = alone[0]["error"]["message"].as_str().unwrap();
    assert!(
        told.contains("the archive lacks the page's body")
            && told.contains("http://a.test/same1 at "),
        "{told}"
    );

    // The archive that is added to may be the earlier one, and not be there the first time.
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
    // The same body from another address is not the same page.
    assert_eq!(
        records.map(|record| record["fetch"]["unchanged"] == true),
        [false, true, false]
    );
    let told = run_python(CHECK, &both);
    assert!(
        told.contains("digest pass") && !told.contains("fail"),
        "{told}"
    );
}

#[test]
fn a_page_that_is_archived_is_not_fetched_again_be_it_kept_before_or_named_twice() {
    let dir = temp_folder();
    let [first, second, out] =
        ["first.warc.gz", "second.warc.gz", "out.jsonl"].map(|name| dir.path().join(name));
    let [one, two, so_far] = [&first, &second, &out].map(|path| path.to_str().unwrap());
    let server = HostServer::start(|host, path| match answer(host, path) {
        HostResponse::Complete(200, headers, body) => {
            HostResponse::Complete(200, headers + "ETag: \"v1\"\r\n", body)
        }
        other => other,
    });
    let urls = [
        "http://a.test/1",
        "http://a.test/same1",
        "http://c.test/same2",
        "http://a.test/1",
    ];
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    server.fetch(&["--warc", one], lines.clone()).expect_exit(0);
    // It has to be older than what the run brings.
    std::fs::write(&out, "").unwrap();
    let args = ["--earlier", one, "--warc", two];
    let done = server.fetch(&args, lines.clone()).expect_exit(0);
    let records = done.records();
    assert!(
        records
            .iter()
            .all(|record| record["fetch"]["unchanged"] == true),
        "{records:?}"
    );
    let asked = server.requests();
    let is_conditional = |seen: &&HostRequest| {
        seen.header_block
            .to_lowercase()
            .contains("if-none-match: \"v1\"")
    };
    assert_eq!(
        asked.iter().filter(is_conditional).count(),
        3,
        "of what refers to another page as well"
    );

    // As if it had been killed after its first record.
    std::fs::write(&out, done.stdout.split_inclusive('\n').next().unwrap()).unwrap();
    let resumed = server
        .fetch(&[&args[..], &["--resume", so_far]].concat(), lines)
        .expect_exit(0);
    assert_eq!(server.requests().len(), asked.len());
    assert_eq!(resumed.records(), records[1..]);
}

#[test]
fn what_is_no_archive_is_neither_read_nor_written_over() {
    let dir = temp_folder();
    let file = dir.path().join("notes.txt");
    std::fs::write(&file, "no archive\n").unwrap();
    let done = run_tool("fetch-extract", ["--warc".as_ref(), file.as_os_str()], "").expect_exit(2);
    assert!(done.stderr.contains("notes.txt"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "no archive\n");
    extract_archive(&file, &[]).expect_exit(2);
    extract_archive(&dir.path().join("none"), &[]).expect_exit(2);
}

#[test]
fn what_failed_is_asked_for_again_though_it_is_archived() {
    let dir = temp_folder();
    let [archive, out] = ["pages.warc.gz", "out.jsonl"].map(|name| dir.path().join(name));
    let asked = AtomicU32::new(0);
    let server = HostServer::start(move |_: &str, path: &str| match path {
        "/robots.txt" => status(404),
        "/busy" if asked.fetch_add(1, Ordering::SeqCst) == 0 => status(503),
        path => html(page(path)),
    });
    let lines = "{\"url\":\"http://a.test/1\"}\n{\"url\":\"http://b.test/busy\"}\n";
    let args = ["--retries", "0", "--warc", archive.to_str().unwrap()];
    let records = server.fetch(&args, lines).expect_exit(0).records();
    assert_eq!(records[1]["error"]["kind"], "http-status");
    // The failures are taken out, to be tried again.
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
fn an_archive_of_a_run_that_brought_nothing_is_one() {
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
    let kept = extract_archive(&archive, &[]).expect_exit(0);
    assert!(
        kept.stdout.is_empty()
            && kept
                .stderr
                .contains("no pages, but records of other types: 1 warcinfo")
    );
}

#[test]
fn an_archive_may_be_standard_input() {
    let dir = temp_folder();
    let (archive, fetched) = archived(dir.path(), &[]);
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
fn two_processes_do_not_write_one_archive() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(answer);
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
    let mut first = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (
        first.stdin.take().unwrap(),
        BufReader::new(first.stdout.take().unwrap()),
    );
    let mut fetch = |url: &str| {
        writeln!(to, "{{\"url\":\"{url}\"}}").unwrap();
        from.read_line(&mut String::new()).unwrap();
    };
    // It has the archive from its first page until its input ends.
    fetch("http://a.test/1");
    let second = server
        .fetch(
            &["--warc", archive.to_str().unwrap()],
            r#"{"url":"http://a.test/2"}"#,
        )
        .expect_exit(2);
    assert!(
        second.stderr.contains("another process is writing it"),
        "{}",
        second.stderr
    );
    fetch("http://a.test/3");
    drop(to);
    assert!(first.wait().unwrap().success());
    assert_eq!(
        extract_archive(&archive, &[])
            .expect_exit(0)
            .records()
            .len(),
        2
    );
}
