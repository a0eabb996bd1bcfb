//! fetch-extract and what it owes hosts from one run to the next: the times they ask for, pauses that outlive a kill, and
//! no waiting for those that are dead.

use forage_tests::server::{Answer, Seen, Server, html, ok, redirect, status};
use forage_tests::{bin, finish, folder};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn busy(code: u16, after: &str) -> Answer {
    Answer::Whole(code, format!("Retry-After: {after}\r\n"), Vec::new())
}

fn answer(host: &str, path: &str) -> Answer {
    match (host, path) {
        ("busy-robots.test", "/robots.txt") => busy(429, "3600"),
        ("many.test", "/robots.txt") => status(429),
        ("slow.test", "/robots.txt") => ok("text/plain", b"User-agent: *\nCrawl-delay: 2\n"),
        ("hung.test", "/robots.txt") => {
            std::thread::sleep(Duration::from_secs(4));
            Answer::Hangup
        }
        (host, _) if host.starts_with("dead") => Answer::Hangup,
        (_, "/robots.txt") => status(404),
        ("busy.test", _) => busy(503, "600"),
        ("soon.test", "/0") => busy(503, "2"),
        ("short.test", path) if path.starts_with("/to/") => redirect(&format!("http://{}/", &path[4..])),
        _ => html("<p>Potok teče skozi vas."),
    }
}

/// The records of these URLs, by a process of its own, with this memory of hosts.
fn fetched(server: &Server, hosts: &Path, args: &[&str], urls: &[&str]) -> Vec<Value> {
    let lines: String = urls.iter().map(|url| json!({ "url": url }).to_string() + "\n").collect();
    let all = ["--retries", "0", "--hosts", hosts.to_str().unwrap()];
    server.fetch(&[&all, args].concat(), lines).exits(0).records()
}

/// The pages that a host was asked for.
fn pages(server: &Server, host: &str) -> Vec<Seen> {
    server.requests().into_iter().filter(|seen| seen.host == host && seen.path != "/robots.txt").collect()
}

/// The least time between two requests to a host.
fn least_gap(server: &Server, host: &str) -> Duration {
    let times: Vec<Instant> = server.requests().iter().filter(|seen| seen.host == host).map(|seen| seen.at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap()
}

#[test]
fn a_host_that_asks_for_a_long_pause_is_left_alone_by_this_run_and_the_next() {
    let (server, dir) = (Server::start(answer), folder());
    let hosts = dir.path().join("hosts.db");
    let urls = [0, 1, 2, 3].map(|n| format!("http://busy.test/{n}"));
    for _ in 0..2 {
        let start = Instant::now();
        let records = fetched(&server, &hosts, &["--delay", "0.2"], &urls.each_ref().map(String::as_str));
        assert!(records.iter().all(|record| record["error"]["kind"] == "http-status"), "{records:?}");
        let message = records[3]["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("HTTP status 503; ") && message.contains("left alone until 20"), "{message}");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(pages(&server, "busy.test").len(), 1);
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["hosts.db"], "nothing lies beside it when a run has ended");
}

#[test]
fn a_shorter_pause_is_waited_for_though_no_further_try_is_made() {
    let (server, dir) = (Server::start(answer), folder());
    let hosts = dir.path().join("hosts.db");
    let urls = ["http://soon.test/0", "http://soon.test/1"];
    // By the run that was asked, and by another.
    for (first, then) in [(&urls[..], &[][..]), (&urls[..1], &urls[1..])] {
        fetched(&server, &hosts, &["--delay", "0.2"], first);
        fetched(&server, &hosts, &["--delay", "0.2"], then);
        let pages = pages(&server, "soon.test");
        let [.., busy, next] = &pages[..] else { panic!("{pages:?}") };
        assert!(next.path == "/1" && next.at - busy.at >= Duration::from_secs(2), "{:?}", next.at - busy.at);
    }
}

#[test]
fn a_robots_txt_that_is_answered_with_429_is_not_missing() {
    let (server, dir) = (Server::start(answer), folder());
    let hosts = dir.path().join("hosts.db");
    for _ in 0..2 {
        let records = fetched(&server, &hosts, &[], &["http://busy-robots.test/", "http://many.test/"]);
        assert!(records.iter().all(|record| record.get("text").is_none()), "{records:?}");
        assert_eq!(records[1]["error"]["kind"], "robots");
    }
    assert_eq!(server.requests().len(), 2, "robots.txt of each, once");
}

#[test]
fn a_host_that_answers_nothing_is_not_waited_for_by_each_run() {
    let (server, dir) = (Server::start(answer), folder());
    let hosts = dir.path().join("hosts.db");
    let run = || {
        let start = Instant::now();
        let records = fetched(&server, &hosts, &["--timeout", "1.5"], &["http://hung.test/", "http://a.test/"]);
        assert_eq!((&records[0]["error"]["kind"], records[1]["text"].is_string()), (&json!("timeout"), true));
        start.elapsed()
    };
    assert!(run() >= Duration::from_millis(1500));
    let again = run();
    assert!(again < Duration::from_millis(1400), "{again:?}");
    // One that fails at once is asked until it has failed three times.
    for _ in 0..5 {
        let records = fetched(&server, &hosts, &[], &["http://dead.test/"]);
        assert_eq!(records[0]["error"]["kind"], "connect", "{records:?}");
    }
    let asked = server.requests().iter().filter(|seen| seen.host == "dead.test").count();
    assert_eq!(asked, 3);
}

#[test]
fn pauses_are_kept_also_when_a_run_is_killed() {
    let (server, dir) = (Server::start(answer), folder());
    let address = server.address.to_string();
    let urls = dir.path().join("urls.jsonl");
    let lines: String = (0..50).map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n")).collect();
    std::fs::write(&urls, lines).unwrap();
    for kill in 0..8 {
        let mut command = Command::new(bin("fetch-extract"));
        command.args(["--connect-to", &address, "--delay", "0.4", "--hosts"]).arg(dir.path().join("hosts.db"));
        let mut child = command.arg(&urls).stdout(Stdio::null()).spawn().unwrap();
        let before = pages(&server, "a.test").len();
        while pages(&server, "a.test").len() == before {
            assert_eq!(child.try_wait().unwrap(), None, "it is not done before it is killed");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(kill * 7919 % 310));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let least = least_gap(&server, "a.test");
    assert!(least >= Duration::from_millis(395), "{least:?}");
    assert_eq!(server.requests().iter().filter(|seen| seen.path == "/robots.txt").count(), 1);
}

#[test]
fn a_host_that_redirects_is_not_blamed_for_its_targets() {
    let (server, dir) = (Server::start(answer), folder());
    let dead = [1, 2, 3, 4].map(|n| format!("http://short.test/to/dead{n}.test"));
    let urls: Vec<&str> = dead.iter().map(String::as_str).chain(["http://short.test/own"]).collect();
    let records = fetched(&server, &dir.path().join("hosts.db"), &[], &urls);
    assert!(records[..4].iter().all(|record| record["error"]["kind"] == "connect"), "{records:?}");
    assert!(records[4]["text"].is_string(), "{}", records[4]);
}

#[test]
fn a_crawl_delay_holds_from_robots_txt_on_and_under_each_name_of_the_host() {
    let (server, dir) = (Server::start(answer), folder());
    let urls = ["http://slow.test/a", "http://slow.test./b"];
    let records = fetched(&server, &dir.path().join("hosts.db"), &["--delay", "0.3"], &urls);
    assert!(records.iter().all(|record| record["text"].is_string()), "{records:?}");
    assert_eq!(server.requests().len(), 3, "one robots.txt");
    let least = least_gap(&server, "slow.test");
    assert!(least >= Duration::from_secs(2), "{least:?}");
}

#[test]
fn where_a_proxy_is_set_errors_say_that_it_is_not_used() {
    let mut command = Command::new(bin("fetch-extract"));
    command.args(["--allow-private", "--retries", "0"]).env("HTTPS_PROXY", "http://127.0.0.1:3128");
    let done = finish(command, r#"{"url":"http://127.0.0.1:9/"}"#).exits(0);
    let message = done.records()[0]["error"]["message"].to_string();
    assert!(message.contains("without the proxy"), "{message}");
}
