//! fetch-extract at work on many hosts at once, a third of them faulty.

use forage_tests::faults::{Fault, Web, fault, text, url};
use forage_tests::{bin, folder, run};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HOSTS: usize = 90;
const PAGES: usize = 10;

/// All pages, as a search engine would mix them.
fn input() -> String {
    (0..PAGES).flat_map(|page| (0..HOSTS).map(move |host| format!("{{\"url\":\"{}\"}}\n", url(host, page)))).collect()
}

/// What a page of a host must come to: its text, or one of these kinds of error.
fn expected(host: usize) -> &'static [&'static str] {
    match fault(host) {
        None | Some(Fault::Nested | Fault::Mislabelled) => &[],
        Some(Fault::Reset | Fault::ChunkedLie | Fault::Short | Fault::Closed) => &["connect"],
        Some(Fault::Drip | Fault::Silent) => &["timeout", "connect"],
        Some(Fault::Empty) => &["no-text"],
        Some(Fault::Redirects) => &["redirect"],
        Some(Fault::Overloaded) => &["http-status", "connect"],
        Some(Fault::Bomb) => &["too-large"],
        Some(Fault::NoRobots | Fault::Forbidden) => &["robots"],
        Some(Fault::Missing) => &["http-status"],
    }
}

#[track_caller]
fn check(records: &[Value]) {
    assert_eq!(records.len(), HOSTS * PAGES);
    for (number, record) in records.iter().enumerate() {
        let (host, page) = (number % HOSTS, number / HOSTS);
        assert_eq!(record["url"], url(host, page));
        let kinds = expected(host);
        if kinds.is_empty() {
            assert_eq!(record["text"], text(&format!("h{host}.test"), &format!("/page/{page}")), "{record}");
        } else {
            assert!(record["error"]["kind"].as_str().is_some_and(|kind| kinds.contains(&kind)), "{host}: {record}");
        }
    }
}

fn flags(web: &Web, delay: &str) -> Vec<String> {
    let address = web.address.to_string();
    ["--connect-to", &address, "--delay", delay, "--timeout", "1.5"].map(str::to_owned).to_vec()
}

#[test]
fn every_page_is_accounted_for_in_the_order_of_the_input() {
    let web = Web::start();
    check(&run("fetch-extract", flags(&web, "0"), input()).exits(0).records());
    for (host, asked) in
        web.asked().iter().filter(|(host, _)| fault(host[1..host.len() - 5].parse().unwrap()).is_none())
    {
        assert!(!asked.overlapped, "two requests at once to {host}");
        assert!(asked.paths.values().all(|&times| times == 1), "{host}: {:?}", asked.paths);
    }
}

#[test]
fn no_host_sees_two_requests_closer_than_its_delay() {
    let web = Web::start();
    let lines: String = (0..200).map(|n| format!("{{\"url\":\"{}\"}}\n", url(n % 50, n / 50))).collect();
    let start = Instant::now();
    assert_eq!(run("fetch-extract", flags(&web, "0.2"), lines).exits(0).records().len(), 200);
    for (host, asked) in web.asked() {
        assert!(asked.least_gap.is_none_or(|gap| gap >= Duration::from_millis(200)), "{host}: {:?}", asked.least_gap);
    }
    // One host after the other would take more than a minute.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn runs_that_share_a_memory_of_hosts_are_as_polite_as_one() {
    let web = Web::start();
    let dir = folder();
    let memory = dir.path().join("hosts.db");
    for page in 0..2 {
        let mut flags = flags(&web, "1.5");
        flags.extend(["--hosts".to_owned(), memory.display().to_string()]);
        let line = format!("{{\"url\":\"{}\"}}", url(1, page));
        assert!(run("fetch-extract", flags, line).exits(0).records()[0]["text"].is_string());
    }
    let asked = &web.asked()["h1.test"];
    assert_eq!(asked.paths["/robots.txt"], 1);
    assert!(asked.least_gap.is_some_and(|gap| gap >= Duration::from_millis(1500)), "{asked:?}");
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let web = Web::start();
    let dir = folder();
    let [urls, out, archive] = ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
    std::fs::write(&urls, input()).unwrap();
    let mut flags = flags(&web, "0");
    flags.extend(["--warc".to_owned(), archive.display().to_string()]);
    for kill_after in [Some(700), Some(1200), None] {
        let to = OpenOptions::new().create(true).append(true).open(&out).unwrap();
        let mut command = Command::new(bin("fetch-extract"));
        command.args(&flags).args(["--resume".as_ref(), out.as_os_str()]).stderr(Stdio::inherit());
        let mut child = command.stdin(File::open(&urls).unwrap()).stdout(to).spawn().unwrap();
        if let Some(milliseconds) = kill_after {
            std::thread::sleep(Duration::from_millis(milliseconds));
            child.kill().unwrap();
        }
        assert_eq!(child.wait().unwrap().success(), kill_after.is_none());
        if kill_after.is_some() {
            // As if it had been killed in the middle of a line, and of a record of the archive.
            torn(&out, b"{\"url\":\"http://h");
            torn(&archive, b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01");
        }
    }
    let records: Vec<Value> =
        std::fs::read_to_string(&out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    check(&records);
    // What the archive gives back is what the output has, and some pages that were fetched and not written.
    let kept = run("fetch-extract", ["--from-warc".as_ref(), archive.as_os_str()], "").exits(0).records();
    let by_place: HashMap<String, &Value> =
        kept.iter().map(|record| (record["fetch"]["warc"].to_string(), record)).collect();
    for record in records.iter().filter(|record| record.get("text").is_some()) {
        assert_eq!(Some(&record), by_place.get(&record["fetch"]["warc"].to_string()), "{record}");
    }
}

fn torn(path: &std::path::Path, end: &[u8]) {
    use std::io::Write;
    OpenOptions::new().append(true).open(path).unwrap().write_all(end).unwrap();
}
