//! fetch-extract and what it owes hosts from one run to the next: the times they ask for, pauses
//! that outlive a kill, and no waiting for those that are dead.

use forage_tests::events::{Gate, TIMEOUT, block_forever, wait_for};
use forage_tests::server::{HostRequest, HostResponse, HostServer, html, ok, redirect, status};
use forage_tests::{run_command, temp_folder, tool_path};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// By how much a pause that goes from one run to the next may seem too short: the memory of hosts
/// keeps times to the millisecond, by the clock of the system.
const ROUNDED: Duration = Duration::from_millis(5);

fn busy(code: u16, after: &str) -> HostResponse {
    HostResponse::Complete(code, format!("Retry-After: {after}\r\n"), Vec::new())
}

fn answer(host: &str, path: &str) -> HostResponse {
    match (host, path) {
        ("busy-robots.test", "/robots.txt") => busy(429, "3600"),
        ("many.test", "/robots.txt") => status(429),
        ("slow.test", "/robots.txt") => ok("text/plain", b"User-agent: *\nCrawl-delay: 2\n"),
        ("hung.test", "/robots.txt") | ("hung-pages.test", "/0" | "/1" | "/2" | "/3" | "/4") => {
            block_forever()
        }
        (host, _) if host.starts_with("dead") => HostResponse::Hangup,
        (_, "/robots.txt") => status(404),
        ("busy.test", _) => busy(503, "600"),
        ("soon.test", "/0") => busy(503, "2"),
        ("short.test", path) if path.starts_with("/to/") => {
            redirect(&format!("http://{}/", &path[4..]))
        }
        _ => html("<p>Potok teče skozi vas."),
    }
}

/// The records of these URLs, by a process of its own, with this memory of hosts.
fn fetched(server: &HostServer, hosts: &Path, args: &[&str], urls: &[&str]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    let all = ["--retries", "0", "--hosts", hosts.to_str().unwrap()];
    server
        .fetch(&[&all, args].concat(), lines)
        .expect_exit(0)
        .records()
}

/// The pages that a host was asked for.
fn pages(server: &HostServer, host: &str) -> Vec<HostRequest> {
    server
        .requests()
        .into_iter()
        .filter(|seen| seen.host == host && seen.path != "/robots.txt")
        .collect()
}

#[test]
fn a_host_that_asks_for_a_long_pause_is_left_alone_by_this_run_and_the_next() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let hosts = dir.path().join("hosts.db");
    let urls = [0, 1, 2, 3].map(|n| format!("http://busy.test/{n}"));
    for _ in 0..2 {
        let start = Instant::now();
        let records = fetched(
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
        // The host asks for 600 s.
        assert!(start.elapsed() < TIMEOUT);
    }
    assert_eq!(pages(&server, "busy.test").len(), 1);
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(
        left,
        ["hosts.db"],
        "nothing lies beside it when a run has ended"
    );
}

#[test]
fn a_shorter_pause_is_waited_for_though_no_further_try_is_made() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let hosts = dir.path().join("hosts.db");
    let urls = ["http://soon.test/0", "http://soon.test/1"];
    // By the run that was asked, and by another.
    for (first, then) in [(&urls[..], &[][..]), (&urls[..1], &urls[1..])] {
        fetched(&server, &hosts, &["--delay", "0.2"], first);
        fetched(&server, &hosts, &["--delay", "0.2"], then);
        let pages = pages(&server, "soon.test");
        let [.., busy, next] = &pages[..] else {
            panic!("{pages:?}")
        };
        let pause = next.received_at - busy.responded_at.unwrap();
        assert!(
            next.path == "/1" && pause >= Duration::from_secs(2) - ROUNDED,
            "{pause:?}"
        );
    }
}

#[test]
fn a_robots_txt_that_is_answered_with_429_is_not_missing() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let hosts = dir.path().join("hosts.db");
    for _ in 0..2 {
        let records = fetched(
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
    assert_eq!(server.requests().len(), 2, "robots.txt of each, once");
}

#[test]
fn a_host_that_answers_nothing_is_not_waited_for_by_each_run() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let hosts = dir.path().join("hosts.db");
    let start = Instant::now();
    let records = fetched(
        &server,
        &hosts,
        &["--timeout", "1.5"],
        &["http://hung.test/"],
    );
    assert_eq!(records[0]["error"]["kind"], "timeout");
    assert!(start.elapsed() >= Duration::from_millis(1500));
    let records = fetched(
        &server,
        &hosts,
        &[],
        &["http://hung.test/", "http://a.test/"],
    );
    assert_eq!(
        (&records[0]["error"]["kind"], records[1]["text"].is_string()),
        (&json!("timeout"), true)
    );
    let asked = |host: &str| {
        server
            .requests()
            .iter()
            .filter(|seen| seen.host == host)
            .count()
    };
    assert_eq!(
        asked("hung.test"),
        1,
        "it is not asked again, so it is not waited for"
    );
    // Of one whose pages hang only some are tried.
    let pages = [0, 1, 2, 3, 4].map(|n| format!("http://hung-pages.test/{n}"));
    let records = fetched(
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
    assert!(self::pages(&server, "hung-pages.test").len() <= 3);
    // One that fails at once is asked until it has failed three times.
    for _ in 0..5 {
        let records = fetched(&server, &hosts, &[], &["http://dead.test/"]);
        assert_eq!(records[0]["error"]["kind"], "connect", "{records:?}");
    }
    assert_eq!(asked("dead.test"), 3);
}

/// Until when a host is to be left alone, as a run has left it in its memory; since 1970.
fn next_turn(hosts: &Path, host: &str) -> Duration {
    // From a copy, so that the next run finds the file as it was left.
    let copy = temp_folder();
    for file in ["hosts.db", "hosts.db-wal"] {
        let _ = std::fs::copy(hosts.with_file_name(file), copy.path().join(file));
    }
    let memory = rusqlite::Connection::open(copy.path().join("hosts.db")).unwrap();
    let next: u64 = memory
        .query_row(
            "SELECT next_request_at FROM host WHERE name = ?",
            [host],
            |row| row.get(0),
        )
        .unwrap();
    Duration::from_millis(next)
}

#[test]
fn pauses_are_kept_also_when_a_run_is_killed() {
    const DELAY: Duration = Duration::from_millis(400);
    let (gate, dir) = (Arc::<Gate>::default(), temp_folder());
    let held = gate.clone();
    let server = HostServer::start(move |host, path| {
        if path != "/robots.txt" {
            held.wait();
        }
        answer(host, path)
    });
    let address = server.address.to_string();
    let [urls, hosts] = ["urls.jsonl", "hosts.db"].map(|name| dir.path().join(name));
    let lines: String = (0..50)
        .map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n"))
        .collect();
    std::fs::write(&urls, lines).unwrap();
    let (start, started) = (
        Instant::now(),
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap(),
    );
    let mut next = started;
    for kill in 0..9 {
        // Killed while a page is asked for; after an answer; and while the page after it is asked
        // for.
        let (answers, requests) = [(0, 1), (1, 1), (1, 2)][kill % 3];
        gate.admit(answers);
        let before = pages(&server, "a.test").len();
        let mut command = Command::new(tool_path("fetch-extract"));
        command
            .args(["--connect-to", &address, "--delay", "0.4", "--hosts"])
            .arg(&hosts);
        let mut child = command.arg(&urls).stdout(Stdio::null()).spawn().unwrap();
        wait_for("pages are asked for and answered", || {
            let pages = &pages(&server, "a.test")[before..];
            pages.len() >= requests
                && pages
                    .iter()
                    .filter(|seen| seen.responded_at.is_some())
                    .count()
                    >= answers
        });
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "it is not done before it is killed"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        gate.open();
        server.wait_until_idle();
        let pages = &pages(&server, "a.test")[before..];
        let first = started + (pages[0].received_at - start);
        assert!(
            first + ROUNDED >= next,
            "kill {kill}: asked {:?} too early",
            next - first
        );
        if let [page, further] = pages {
            let pause = further.received_at - page.responded_at.unwrap();
            assert!(pause >= DELAY, "kill {kill}: {pause:?} in one run");
        }
        // What is noted when a request is sent: no request of this run was sent before the last
        // run's pause was over.
        let noted = next_turn(&hosts, "a.test");
        assert!(
            noted + ROUNDED >= next + DELAY * u32::try_from(pages.len()).unwrap(),
            "kill {kill}: {noted:?}"
        );
        next = noted;
    }
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|seen| seen.path == "/robots.txt")
            .count(),
        1
    );
}

#[test]
fn a_host_that_redirects_is_not_blamed_for_its_targets() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let dead = [1, 2, 3, 4].map(|n| format!("http://short.test/to/dead{n}.test"));
    let urls: Vec<&str> = dead
        .iter()
        .map(String::as_str)
        .chain(["http://short.test/own"])
        .collect();
    let records = fetched(&server, &dir.path().join("hosts.db"), &[], &urls);
    assert!(
        records[..4]
            .iter()
            .all(|record| record["error"]["kind"] == "connect"),
        "{records:?}"
    );
    assert!(records[4]["text"].is_string(), "{}", records[4]);
}

#[test]
fn a_crawl_delay_holds_from_robots_txt_on_and_under_each_name_of_the_host() {
    let (server, dir) = (HostServer::start(answer), temp_folder());
    let urls = ["http://slow.test/a", "http://slow.test./b"];
    let records = fetched(
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
    let least = server.shortest_pause("slow.test");
    assert!(least >= Duration::from_secs(2), "{least:?}");
}

#[test]
fn where_a_proxy_is_set_errors_say_that_it_is_not_used() {
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args(["--allow-private", "--retries", "0"])
        .env("HTTPS_PROXY", "http://127.0.0.1:3128");
    let done = run_command(command, r#"{"url":"http://127.0.0.1:9/"}"#).expect_exit(0);
    let message = done.records()[0]["error"]["message"].to_string();
    assert!(message.contains("without the proxy"), "{message}");
}
