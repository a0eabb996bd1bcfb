//! fetch-extract and reservations against text and data mining: recorded ones, and respected ones.

use forage_tests::server::{HostResponse, HostServer, html, ok, status};
use forage_tests::temp_folder;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const TDMREP_JSON: &[u8] =
    br#"[{"location": "/open/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]"#;
const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

fn respond(host: &str, path: &str) -> HostResponse {
    let page_with = |header: &str, meta: &str| {
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
        ("file.test" | "closed.test", TDMREP_PATH) => ok("application/json", TDMREP_JSON),
        ("down.test", TDMREP_PATH) => status(500),
        (_, TDMREP_PATH) => status(404),
        (_, "/header") => page_with("TDM-Reservation: 1\r\n", ""),
        (_, "/header0") => page_with("TDM-Reservation: 0\r\n", ""),
        (_, "/meta") => page_with("", "1"),
        (_, "/meta0") => page_with("TDM-Reservation: 1\r\n", "0"),
        _ => html("<p>Potok teče skozi vas."),
    }
}

fn fetch_urls(server: &HostServer, args: &[&str], urls: &[&str]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    server.fetch(args, lines).expect_exit(0).records()
}

/// Returns the number of requests for a path.
fn count_requests(server: &HostServer, path: &str) -> usize {
    server
        .requests()
        .iter()
        .filter(|request| request.path == path)
        .count()
}

#[test]
fn reservations_are_recorded_and_those_of_the_page_take_precedence() {
    let server = HostServer::start(respond);
    let pages = ["header", "meta", "header0", "meta0", "plain"]
        .map(|page| format!("http://file.test/{page}"));
    let records = fetch_urls(&server, &[], &pages.each_ref().map(String::as_str));
    let has_reservation: Vec<bool> = records
        .iter()
        .map(|record| record["fetch"]["optout"] == json!(["tdm-reservation"]))
        .collect();
    assert_eq!(has_reservation, [true, true, false, false, false]);
    assert_eq!(
        count_requests(&server, TDMREP_PATH),
        0,
        "tdmrep.json is requested only if reservations are respected"
    );
}

#[test]
fn respected_reservations_of_a_host_are_requested_once_and_obeyed() {
    let server = HostServer::start(respond);
    let urls = [
        "http://file.test/a",
        "http://file.test/b",
        "http://file.test/open/a",
        "http://file.test/meta0",
        "http://file.test/header0",
        "http://down.test/a",
        "http://other.test/a",
    ];
    let records = fetch_urls(&server, &["--respect-optout"], &urls);
    let kinds: Vec<&str> = records
        .iter()
        .map(|record| record["error"]["kind"].as_str().unwrap_or("text"))
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
    assert_eq!(count_requests(&server, TDMREP_PATH), 3, "once per host");
}

#[test]
fn tdmrep_json_is_not_requested_if_robots_txt_forbids_it() {
    let server = HostServer::start(respond);
    let records = fetch_urls(&server, &["--respect-optout"], &["http://closed.test/a"]);
    assert_eq!(
        (
            records[0]["text"].is_string(),
            count_requests(&server, TDMREP_PATH)
        ),
        (true, 0)
    );
}

#[test]
fn tdmrep_json_is_requested_after_the_delay_and_stored_for_the_next_run() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    let args = [
        "--respect-optout",
        "--delay",
        "0.2",
        "--hosts",
        hosts.to_str().unwrap(),
    ];
    for _ in 0..2 {
        let records = fetch_urls(
            &server,
            &args,
            &["http://file.test/a", "http://file.test/open/a"],
        );
        assert_eq!(
            (&records[0]["error"]["kind"], records[1]["text"].is_string()),
            (&json!("opt-out"), true)
        );
    }
    assert_eq!(
        (
            count_requests(&server, TDMREP_PATH),
            count_requests(&server, "/robots.txt")
        ),
        (1, 1)
    );
    // Between two runs, times are in milliseconds.
    let shortest_pause = server.shortest_pause("file.test");
    assert!(shortest_pause.as_millis() >= 195, "{shortest_pause:?}");
}

#[test]
fn a_new_reservation_of_an_unchanged_page_is_obeyed() {
    let request_number = AtomicUsize::new(0);
    // The second response has the same page with other headers.
    let server = HostServer::start(move |_, path| {
        match (path, request_number.fetch_add(1, Ordering::SeqCst)) {
            ("/robots.txt", _) => status(404),
            (_, 0..4) => HostResponse::Complete(
                200,
                "Content-Type: text/html\r\nETag: \"x\"\r\n".into(),
                format!("<p>Stran {path}: {}", "potok teče skozi vas. ".repeat(20)).into_bytes(),
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
        }
    });
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let urls = ["http://a.test/noai", "http://b.test/tdm"];
    let first = fetch_urls(&server, &["--warc", archive.to_str().unwrap()], &urls);
    assert!(
        first.iter().all(|record| record["text"].is_string()),
        "{first:?}"
    );
    let second = fetch_urls(&server, &["--earlier", archive.to_str().unwrap()], &urls);
    let reservations: Vec<&Value> = second
        .iter()
        .map(|record| &record["fetch"]["optout"])
        .collect();
    assert_eq!(
        reservations,
        [&json!(["noai"]), &json!(["tdm-reservation"])]
    );
    let third = fetch_urls(
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
