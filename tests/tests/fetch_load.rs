//! fetch-extract with many hosts at the same time, a third of them faulty.

use forage_tests::events::wait_for;
use forage_tests::faults::{Fault, FaultWeb, fault_of_host, fault_of_name, page_text, page_url};
use forage_tests::{run_tool, temp_folder, tool_path};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::process::{Command, Stdio};
use std::time::Duration;

const HOSTS: usize = 90;
const PAGES: usize = 10;

/// Returns input records for all pages, with the hosts mixed as by a search engine.
fn all_page_records() -> String {
    (0..PAGES)
        .flat_map(|page| {
            (0..HOSTS).map(move |host| format!("{{\"url\":\"{}\"}}\n", page_url(host, page)))
        })
        .collect()
}

/// Returns the possible kinds of error for a page of a host; none if it must have its text.
fn expected_errors(host: usize) -> &'static [&'static str] {
    match fault_of_host(host) {
        None | Some(Fault::Nested | Fault::Mislabelled | Fault::ChunkedLie | Fault::Short) => &[],
        Some(Fault::Reset | Fault::Closed) => &["connect"],
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
fn assert_records(records: &[Value]) {
    assert_eq!(records.len(), HOSTS * PAGES);
    for (number, record) in records.iter().enumerate() {
        let host = number % HOSTS;
        let page = number / HOSTS;
        assert_eq!(record["url"], page_url(host, page));
        let kinds = expected_errors(host);
        if kinds.is_empty() {
            // Of a cut page, what follows may be read as text.
            let text = page_text(&format!("h{host}.test"), &format!("/page/{page}"));
            assert!(
                record["text"]
                    .as_str()
                    .is_some_and(|read| read.starts_with(&text)),
                "{record}"
            );
        } else {
            assert!(
                record["error"]["kind"]
                    .as_str()
                    .is_some_and(|kind| kinds.contains(&kind)),
                "{host}: {record}"
            );
        }
    }
}

/// Returns arguments with the default timeout, so that sound pages arrive in time even on a busy
/// machine.
fn flags(web: &FaultWeb, delay: &str) -> Vec<String> {
    ["--connect-to", &web.address.to_string(), "--delay", delay]
        .map(str::to_owned)
        .to_vec()
}

#[test]
fn each_page_has_its_record_in_the_order_of_the_input() {
    let web = FaultWeb::late_once();
    let records = run_tool("fetch-extract", flags(&web, "0"), all_page_records())
        .expect_exit(0)
        .records();
    assert_records(&records);
    for (host, record) in records[..HOSTS].iter().enumerate() {
        let is_late = record["error"]["kind"] == "timeout";
        assert_eq!(
            is_late,
            matches!(fault_of_host(host), Some(Fault::Drip | Fault::Silent)),
            "{record}"
        );
    }
    for (host, requests) in web
        .requests_by_host()
        .iter()
        .filter(|(host, _)| fault_of_name(host).is_none())
    {
        assert!(!requests.overlapped, "two simultaneous requests to {host}");
        assert!(
            requests.paths.values().all(|&count| count == 1),
            "{host}: {:?}",
            requests.paths
        );
    }
}

#[test]
fn requests_to_a_host_are_delayed_while_hosts_are_fetched_in_parallel() {
    let web = FaultWeb::late_once();
    let lines: String = (0..200)
        .map(|n| format!("{{\"url\":\"{}\"}}\n", page_url(n % 50, n / 50)))
        .collect();
    web.answer_first(0);
    std::thread::scope(|threads| {
        let record_count = threads.spawn(|| {
            run_tool("fetch-extract", flags(&web, "0.2"), lines)
                .expect_exit(0)
                .records()
                .len()
        });
        // All hosts receive a request before any of them responds.
        wait_for("requests to 50 hosts at the same time", || {
            web.requests_by_host().len() == 50
        });
        web.answer_all();
        assert_eq!(record_count.join().unwrap(), 200);
    });
    for (host, requests) in web.requests_by_host() {
        let pause = requests.shortest_pause;
        assert!(
            pause.is_none_or(|pause| pause >= Duration::from_millis(200)),
            "{host}: {pause:?}"
        );
        assert!(
            pause.is_some() || fault_of_name(&host).is_some(),
            "{host}: there was a pause between its pages"
        );
    }
}

#[test]
fn runs_with_a_common_host_store_are_as_polite_as_one_run() {
    let web = FaultWeb::late_once();
    let dir = temp_folder();
    let host_store = dir.path().join("hosts.db");
    for page in 0..2 {
        let mut flags = flags(&web, "1.5");
        flags.extend(["--hosts".to_owned(), host_store.display().to_string()]);
        let line = format!("{{\"url\":\"{}\"}}", page_url(1, page));
        assert!(
            run_tool("fetch-extract", flags, line)
                .expect_exit(0)
                .records()[0]["text"]
                .is_string()
        );
    }
    let requests = &web.requests_by_host()["h1.test"];
    assert_eq!(requests.paths["/robots.txt"], 1);
    // The host store has times in milliseconds.
    assert!(
        requests
            .shortest_pause
            .is_some_and(|pause| pause >= Duration::from_millis(1495)),
        "{requests:?}"
    );
}

#[test]
fn a_killed_run_is_resumed() {
    let web = FaultWeb::late_once();
    let dir = temp_folder();
    let [urls, out, archive] =
        ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
    std::fs::write(&urls, all_page_records()).unwrap();
    let mut flags = flags(&web, "0");
    flags.extend(["--warc".to_owned(), archive.display().to_string()]);
    for is_killed in [true, true, false] {
        let out_file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&out)
            .unwrap();
        let mut command = Command::new(tool_path("fetch-extract"));
        command
            .args(&flags)
            .args(["--resume".as_ref(), out.as_os_str()])
            .stderr(Stdio::inherit());
        // The server does not respond to all requests, so the tool cannot end before the kill.
        let earlier_requests = web.count_requests();
        web.answer_first(if is_killed {
            earlier_requests + 250
        } else {
            u32::MAX
        });
        let mut child = command
            .stdin(File::open(&urls).unwrap())
            .stdout(out_file)
            .spawn()
            .unwrap();
        if is_killed {
            wait_for("the middle of the run", || {
                web.count_requests() >= earlier_requests + 200
            });
            child.kill().unwrap();
        }
        assert_eq!(child.wait().unwrap().success(), !is_killed);
        if is_killed {
            // Simulates a kill in the middle of a line and of an archive record.
            append_bytes(&out, b"{\"url\":\"http://h");
            append_bytes(&archive, b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01");
        }
    }
    let records: Vec<Value> = std::fs::read_to_string(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_records(&records);
    // The archive has all pages of the output, and some whose records were not written.
    let archive_records = run_tool(
        "fetch-extract",
        ["--from-warc".as_ref(), archive.as_os_str()],
        "",
    )
    .expect_exit(0)
    .records();
    let by_location: HashMap<String, &Value> = archive_records
        .iter()
        .map(|record| (record["fetch"]["warc"].to_string(), record))
        .collect();
    for record in records.iter().filter(|record| record.get("text").is_some()) {
        assert_eq!(
            Some(&record),
            by_location.get(&record["fetch"]["warc"].to_string()),
            "{record}"
        );
    }
}

fn append_bytes(path: &std::path::Path, end: &[u8]) {
    use std::io::Write;
    OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(end)
        .unwrap();
}
