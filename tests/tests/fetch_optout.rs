//! fetch-extract and pages that reserve themselves against text mining: what is recorded, and what
//! is skipped.

use forage_tests::server::{HostResponse, HostServer, html, ok, status};
use forage_tests::temp_folder;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const FILE: &[u8] =
    br#"[{"location": "/open/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]"#;
const TDM: &str = "/.well-known/tdmrep.json";

fn answer(host: &str, path: &str) -> HostResponse {
    let tagged = |header: &str, meta: &str| {
        let headers = format!("Content-Type: text/html; charset=utf-8\r\n{header}");
        let page = format!(
            "<head><meta name=tdm-reservation content='{meta}'></head><p>Potok teče skozi vas."
        );
        HostResponse::Complete(200, headers, page.into_bytes())
    };
    match (host, path) {
        ("closed.test", "/robots.txt") => {
            ok("text/plain", b"User-agent: *\nDisallow: /.well-known\n")
        }
        (_, "/robots.txt") => status(404),
        ("file.test" | "closed.test", TDM) => ok("application/json", FILE),
        ("down.test", TDM) => status(500),
        (_, TDM) => status(404),
        (_, "/header") => tagged("TDM-Reservation: 1\r\n", ""),
        (_, "/header0") => tagged("TDM-Reservation: 0\r\n", ""),
        (_, "/meta") => tagged("", "1"),
        (_, "/meta0") => tagged("TDM-Reservation: 1\r\n", "0"),
        _ => html("<p>Potok teče skozi vas."),
    }
}

fn fetched(server: &HostServer, args: &[&str], urls: &[&str]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    server.fetch(args, lines).expect_exit(0).records()
}

/// How often a path was asked for.
fn asked(server: &HostServer, path: &str) -> usize {
    server
        .requests()
        .iter()
        .filter(|seen| seen.path == path)
        .count()
}

#[test]
fn reservations_are_recorded_and_the_page_itself_has_the_last_word() {
    let server = HostServer::start(answer);
    let pages = ["header", "meta", "header0", "meta0", "plain"]
        .map(|page| format!("http://file.test/{page}"));
    let records = fetched(&server, &[], &pages.each_ref().map(String::as_str));
    let noted: Vec<bool> = records
        .iter()
        .map(|it| it["fetch"]["optout"] == json!(["tdm-reservation"]))
        .collect();
    assert_eq!(noted, [true, true, false, false, false]);
    assert_eq!(
        asked(&server, TDM),
        0,
        "one request more for each host is made only where the answer counts"
    );
}

#[test]
fn where_it_is_respected_the_file_of_the_host_is_asked_once_and_obeyed() {
    let server = HostServer::start(answer);
    let urls = [
        "http://file.test/a",
        "http://file.test/b",
        "http://file.test/open/a",
        "http://file.test/meta0",
        "http://file.test/header0",
        "http://down.test/a",
        "http://other.test/a",
    ];
    let records = fetched(&server, &["--respect-optout"], &urls);
    let kinds: Vec<&str> = records
        .iter()
        .map(|it| it["error"]["kind"].as_str().unwrap_or("text"))
        .collect();
    assert_eq!(
        kinds,
        ["opt-out", "opt-out", "text", "text", "text", "text", "text"]
    );
    assert!(
        records[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("tdm-reservation"),
        "{}",
        records[0]
    );
    assert_eq!(asked(&server, TDM), 3, "once for each host");
}

#[test]
fn the_file_is_not_asked_for_where_robots_txt_forbids_it() {
    let server = HostServer::start(answer);
    let records = fetched(&server, &["--respect-optout"], &["http://closed.test/a"]);
    assert_eq!(
        (records[0]["text"].is_string(), asked(&server, TDM)),
        (true, 0)
    );
}

#[test]
fn the_file_is_asked_for_in_the_hosts_turn_and_remembered_for_the_next_run() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let hosts = dir.path().join("hosts.db");
    let args = [
        "--respect-optout",
        "--delay",
        "0.2",
        "--hosts",
        hosts.to_str().unwrap(),
    ];
    for _ in 0..2 {
        let records = fetched(
            &server,
            &args,
            &["http://file.test/a", "http://file.test/open/a"],
        );
        assert_eq!(
            (&records[0]["error"]["kind"], records[1]["text"].is_string()),
            (&json!("opt-out"), true)
        );
    }
    assert_eq!((asked(&server, TDM), asked(&server, "/robots.txt")), (1, 1));
    // From one run to the next times are kept to the millisecond.
    let least = server.shortest_pause("file.test");
    assert!(least.as_millis() >= 195, "{least:?}");
}

#[test]
fn a_page_that_has_not_changed_but_reserves_itself_now_is_obeyed() {
    let asked = AtomicUsize::new(0);
    // The second time the page has not changed, and its headers have.
    let server =
        HostServer::start(
            move |_, path| match (path, asked.fetch_add(1, Ordering::SeqCst)) {
                ("/robots.txt", _) => status(404),
                (_, 0..4) => HostResponse::Complete(
                    200,
                    "Content-Type: text/html\r\nETag: \"x\"\r\n".into(),
                    format!("<p>Stran {path}: {}", "potok teče skozi vas. ".repeat(20))
                        .into_bytes(),
                ),
                ("/noai", _) => HostResponse::Complete(
                    304,
                    "ETag: \"x\"\r\nX-Robots-Tag: noindex, forage: noai\r\n".into(),
                    Vec::new(),
                ),
                (_, _) => HostResponse::Complete(
                    304,
                    "ETag: \"x\"\r\nTDM-Reservation: 1\r\n".into(),
                    Vec::new(),
                ),
            },
        );
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let urls = ["http://a.test/noai", "http://b.test/tdm"];
    let first = fetched(&server, &["--warc", archive.to_str().unwrap()], &urls);
    assert!(
        first.iter().all(|record| record["text"].is_string()),
        "{first:?}"
    );
    let second = fetched(&server, &["--earlier", archive.to_str().unwrap()], &urls);
    let noted: Vec<&Value> = second
        .iter()
        .map(|record| &record["fetch"]["optout"])
        .collect();
    assert_eq!(noted, [&json!(["noai"]), &json!(["tdm-reservation"])]);
    let third = fetched(
        &server,
        &["--earlier", archive.to_str().unwrap(), "--respect-optout"],
        &urls,
    );
    assert!(
        third
            .iter()
            .all(|record| record["error"]["kind"] == "opt-out"),
        "{third:?}"
    );
}
