//! fetch-extract and the host store, across runs: back-off times, delays that survive a kill, and
//! unresponsive hosts.

use forage_tests::events::{Gate, TIMEOUT, block_forever, wait_for};
use forage_tests::server::{HostRequest, HostResponse, HostServer, html, ok, redirect, status};
use forage_tests::{run_command, temp_folder, tool_path};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Error of a measured pause between two runs. The host store has times in milliseconds of the
/// system clock.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(5);

fn retry_after(code: u16, after: &str) -> HostResponse {
    HostResponse::Complete(code, format!("Retry-After: {after}\r\n"), Vec::new())
}

fn respond(host: &str, path: &str) -> HostResponse {
    match (host, path) {
        ("busy-robots.test", "/robots.txt") => retry_after(429, "3600"),
        ("many.test", "/robots.txt") => status(429),
        ("slow.test", "/robots.txt") => ok("text/plain", b"User-agent: *\nCrawl-delay: 2\n"),
        ("hung.test", "/robots.txt") | ("hung-pages.test", "/0" | "/1" | "/2" | "/3" | "/4") => {
            block_forever()
        }
        (host, _) if host.starts_with("dead") => HostResponse::Hangup,
        (_, "/robots.txt") => status(404),
        ("busy.test", _) => retry_after(503, "600"),
        ("soon.test", "/0") => retry_after(503, "2"),
        ("short.test", path) if path.starts_with("/to/") => {
            redirect(&format!("http://{}/", &path[4..]))
        }
        _ => html("<p>Potok teče skozi vas."),
    }
}

/// Fetches these URLs in one run with this host store. Returns their records.
fn fetch_urls(server: &HostServer, hosts: &Path, args: &[&str], urls: &[&str]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    let host_args = ["--retries", "0", "--hosts", hosts.to_str().unwrap()];
    server
        .fetch(&[&host_args, args].concat(), lines)
        .expect_exit(0)
        .records()
}

/// Returns the requests to a host, without robots.txt.
fn page_requests(server: &HostServer, host: &str) -> Vec<HostRequest> {
    server
        .requests()
        .into_iter()
        .filter(|request| request.host == host && request.path != "/robots.txt")
        .collect()
}

#[test]
fn a_long_back_off_is_respected_in_this_and_later_runs() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    let urls = [0, 1, 2, 3].map(|n| format!("http://busy.test/{n}"));
    for _ in 0..2 {
        let start = Instant::now();
        let records = fetch_urls(
            &server,
            &hosts,
            &["--delay", "0.2"],
            &urls.each_ref().map(String::as_str),
        );
        assert!(
            records
                .iter()
                .all(|record| record["error"]["kind"] == "http-status"),
            "{records:?}"
        );
        let message = records[3]["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("HTTP status 503; ") && message.contains("back-off until 20"),
            "{message}"
        );
        // The host requests 600 s.
        assert!(start.elapsed() < TIMEOUT);
    }
    assert_eq!(page_requests(&server, "busy.test").len(), 1);
    let files: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(files, ["hosts.db"], "no other files remain after a run");
}

#[test]
fn a_short_back_off_is_waited_for_even_without_retries() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    let urls = ["http://soon.test/0", "http://soon.test/1"];
    // By the same run, and by the next one.
    for (first, second_run) in [(&urls[..], &[][..]), (&urls[..1], &urls[1..])] {
        fetch_urls(&server, &hosts, &["--delay", "0.2"], first);
        fetch_urls(&server, &hosts, &["--delay", "0.2"], second_run);
        let pages = page_requests(&server, "soon.test");
        let [.., busy, next] = &pages[..] else {
            panic!("{pages:?}")
        };
        let pause = next.received_at - busy.responded_at.unwrap();
        assert!(
            next.path == "/1" && pause >= Duration::from_secs(2) - CLOCK_TOLERANCE,
            "{pause:?}"
        );
    }
}

#[test]
fn a_robots_txt_with_status_429_is_not_treated_as_missing() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    for _ in 0..2 {
        let records = fetch_urls(
            &server,
            &hosts,
            &[],
            &["http://busy-robots.test/", "http://many.test/"],
        );
        assert!(
            records.iter().all(|record| record.get("text").is_none()),
            "{records:?}"
        );
        assert_eq!(records[1]["error"]["kind"], "robots");
    }
    assert_eq!(server.requests().len(), 2, "robots.txt of each host, once");
}

#[test]
fn an_unresponsive_host_is_not_waited_for_in_each_run() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    let start = Instant::now();
    let records = fetch_urls(
        &server,
        &hosts,
        &["--timeout", "1.5"],
        &["http://hung.test/"],
    );
    assert_eq!(records[0]["error"]["kind"], "timeout");
    assert!(start.elapsed() >= Duration::from_millis(1500));
    let records = fetch_urls(
        &server,
        &hosts,
        &[],
        &["http://hung.test/", "http://a.test/"],
    );
    assert_eq!(
        (&records[0]["error"]["kind"], records[1]["text"].is_string()),
        (&json!("timeout"), true)
    );
    let count_requests = |host: &str| {
        server
            .requests()
            .iter()
            .filter(|request| request.host == host)
            .count()
    };
    assert_eq!(
        count_requests("hung.test"),
        1,
        "there is no second request to wait for"
    );
    // Only some pages of a host are tried if they do not respond.
    let pages = [0, 1, 2, 3, 4].map(|n| format!("http://hung-pages.test/{n}"));
    let records = fetch_urls(
        &server,
        &hosts,
        &["--timeout", "1.5"],
        &pages.each_ref().map(String::as_str),
    );
    assert!(
        records
            .iter()
            .all(|record| record["error"]["kind"] == "timeout"),
        "{records:?}"
    );
    assert!(page_requests(&server, "hung-pages.test").len() <= 3);
    // A host that fails immediately is tried three times.
    for _ in 0..5 {
        let records = fetch_urls(&server, &hosts, &[], &["http://dead.test/"]);
        assert_eq!(records[0]["error"]["kind"], "connect", "{records:?}");
    }
    assert_eq!(count_requests("dead.test"), 3);
}

#[test]
fn a_host_that_does_not_complete_the_handshake_gives_the_time_limit_of_a_connection() {
    // Connections are accepted by the kernel, and never answered.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut fetch = Command::new(tool_path("fetch-extract"));
    fetch.args(["--connect-to", &address, "--delay", "0", "--retries", "0"]);
    let records = run_command(fetch, "{\"url\":\"https://silent.test/\"}\n")
        .expect_exit(0)
        .records();
    let error = &records[0]["error"];
    assert_eq!(error["kind"], "timeout", "{error}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("no connection within 10 s"),
        "{error}"
    );
}

/// Returns the time of the next request to a host according to the host store, since 1970.
fn next_request_at(hosts: &Path, host: &str) -> Duration {
    // Reads a copy, so that the next run finds the file unchanged.
    let copy = temp_folder();
    for file in ["hosts.db", "hosts.db-wal"] {
        let _ = std::fs::copy(hosts.with_file_name(file), copy.path().join(file));
    }
    let database = rusqlite::Connection::open(copy.path().join("hosts.db")).unwrap();
    let next: u64 = database
        .query_row(
            "SELECT next_request_at FROM host WHERE name = ?",
            [host],
            |row| row.get(0),
        )
        .unwrap();
    Duration::from_millis(next)
}

#[test]
fn delays_are_kept_after_a_kill() {
    const DELAY: Duration = Duration::from_millis(400);
    let gate = Arc::<Gate>::default();
    let dir = temp_folder();
    let page_gate = gate.clone();
    let server = HostServer::start(move |host, path| {
        if path != "/robots.txt" {
            page_gate.wait();
        }
        respond(host, path)
    });
    let address = server.address.to_string();
    let [urls, hosts] = ["urls.jsonl", "hosts.db"].map(|name| dir.path().join(name));
    let lines: String = (0..50)
        .map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n"))
        .collect();
    std::fs::write(&urls, lines).unwrap();
    let start = Instant::now();
    let start_since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut next = start_since_epoch;
    for kill in 0..9 {
        // The kill comes during the first request, after its response, or during the second
        // request.
        let (answers, requests) = [(0, 1), (1, 1), (1, 2)][kill % 3];
        gate.admit(answers);
        let earlier_pages = page_requests(&server, "a.test").len();
        let mut command = Command::new(tool_path("fetch-extract"));
        command
            .args(["--connect-to", &address, "--delay", "0.4", "--hosts"])
            .arg(&hosts);
        let mut child = command.arg(&urls).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the requests and responses before the kill", || {
            let pages = &page_requests(&server, "a.test")[earlier_pages..];
            pages.len() >= requests
                && pages
                    .iter()
                    .filter(|request| request.responded_at.is_some())
                    .count()
                    >= answers
        });
        assert_eq!(child.try_wait().unwrap(), None, "the tool still runs");
        child.kill().unwrap();
        child.wait().unwrap();
        gate.open();
        server.wait_until_idle();
        let pages = &page_requests(&server, "a.test")[earlier_pages..];
        let first = start_since_epoch + (pages[0].received_at - start);
        assert!(
            first + CLOCK_TOLERANCE >= next,
            "kill {kill}: requested {:?} too early",
            next - first
        );
        if let [page, further] = pages {
            let pause = further.received_at - page.responded_at.unwrap();
            assert!(pause >= DELAY, "kill {kill}: {pause:?} in one run");
        }
        // The store is updated when a request is sent, so no request of this run was sent before
        // the end of the delay of the previous run.
        let stored = next_request_at(&hosts, "a.test");
        assert!(
            stored + CLOCK_TOLERANCE >= next + DELAY * u32::try_from(pages.len()).unwrap(),
            "kill {kill}: {stored:?}"
        );
        next = stored;
    }
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|request| request.path == "/robots.txt")
            .count(),
        1
    );
}

#[test]
fn failures_of_redirect_targets_do_not_count_for_the_redirecting_host() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let redirect_urls = [1, 2, 3, 4].map(|n| format!("http://short.test/to/dead{n}.test"));
    let urls: Vec<&str> = redirect_urls
        .iter()
        .map(String::as_str)
        .chain(["http://short.test/own"])
        .collect();
    let records = fetch_urls(&server, &dir.path().join("hosts.db"), &[], &urls);
    assert!(
        records[..4]
            .iter()
            .all(|record| record["error"]["kind"] == "connect"),
        "{records:?}"
    );
    assert!(records[4]["text"].is_string(), "{}", records[4]);
}

#[test]
fn a_crawl_delay_applies_after_robots_txt_and_to_all_names_of_the_host() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    let urls = ["http://slow.test/a", "http://slow.test./b"];
    let records = fetch_urls(
        &server,
        &dir.path().join("hosts.db"),
        &["--delay", "0.3"],
        &urls,
    );
    assert!(
        records.iter().all(|record| record["text"].is_string()),
        "{records:?}"
    );
    assert_eq!(server.requests().len(), 3, "one robots.txt");
    let shortest_pause = server.shortest_pause("slow.test");
    assert!(
        shortest_pause >= Duration::from_secs(2),
        "{shortest_pause:?}"
    );
}

#[test]
fn errors_mention_an_unused_proxy() {
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args(["--allow-private", "--retries", "0"])
        .env("HTTPS_PROXY", "http://127.0.0.1:3128");
    let output = run_command(command, r#"{"url":"http://127.0.0.1:9/"}"#).expect_exit(0);
    let message = output.records()[0]["error"]["message"].to_string();
    assert!(message.contains("without the proxy"), "{message}");
}
