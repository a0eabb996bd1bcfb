//! fetch-extract at work on many hosts at once, a third of them faulty.

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

/// All pages, as a search engine would mix them.
fn input() -> String {
    (0..PAGES)
        .flat_map(|page| {
            (0..HOSTS).map(move |host| format!("{{\"url\":\"{}\"}}\n", page_url(host, page)))
        })
        .collect()
}

/// What a page of a host must come to: its text, or one of these kinds of error.
fn expected(host: usize) -> &'static [&'static str] {
    match fault_of_host(host) {
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
        assert_eq!(record["url"], page_url(host, page));
        let kinds = expected(host);
        if kinds.is_empty() {
            assert_eq!(
                record["text"],
                page_text(&format!("h{host}.test"), &format!("/page/{page}")),
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

/// The time for a request is as long as it is by default: good pages must come within it also where
/// the machine is busy.
fn flags(web: &FaultWeb, delay: &str) -> Vec<String> {
    ["--connect-to", &web.address.to_string(), "--delay", delay]
        .map(str::to_owned)
        .to_vec()
}

#[test]
fn every_page_is_accounted_for_in_the_order_of_the_input() {
    let web = FaultWeb::late_once();
    let records = run_tool("fetch-extract", flags(&web, "0"), input())
        .expect_exit(0)
        .records();
    check(&records);
    for (host, record) in records[..HOSTS].iter().enumerate() {
        let is_late = record["error"]["kind"] == "timeout";
        assert_eq!(
            is_late,
            matches!(fault_of_host(host), Some(Fault::Drip | Fault::Silent)),
            "{record}"
        );
    }
    for (host, asked) in web
        .requests_by_host()
        .iter()
        .filter(|(host, _)| fault_of_name(host).is_none())
    {
        assert!(!asked.overlapped, "two requests at once to {host}");
        assert!(
            asked.paths.values().all(|&times| times == 1),
            "{host}: {:?}",
            asked.paths
        );
    }
}

#[test]
fn no_host_sees_two_requests_closer_than_its_delay() {
    let web = FaultWeb::late_once();
    let lines: String = (0..200)
        .map(|n| format!("{{\"url\":\"{}\"}}\n", page_url(n % 50, n / 50)))
        .collect();
    web.answer_first(0);
    std::thread::scope(|threads| {
        let done = threads.spawn(|| {
            run_tool("fetch-extract", flags(&web, "0.2"), lines)
                .expect_exit(0)
                .records()
                .len()
        });
        // Not one host after the other: all are asked before any has answered.
        wait_for("50 hosts are asked at once", || {
            web.requests_by_host().len() == 50
        });
        web.answer_all();
        assert_eq!(done.join().unwrap(), 200);
    });
    for (host, asked) in web.requests_by_host() {
        let pause = asked.shortest_pause;
        assert!(
            pause.is_none_or(|pause| pause >= Duration::from_millis(200)),
            "{host}: {pause:?}"
        );
        assert!(
            pause.is_some() || fault_of_name(&host).is_some(),
            "{host}: it was left alone between its pages"
        );
    }
}

#[test]
fn runs_that_share_a_memory_of_hosts_are_as_polite_as_one() {
    let web = FaultWeb::late_once();
    let dir = temp_folder();
    let memory = dir.path().join("hosts.db");
    for page in 0..2 {
        let mut flags = flags(&web, "1.5");
        flags.extend(["--hosts".to_owned(), memory.display().to_string()]);
        let line = format!("{{\"url\":\"{}\"}}", page_url(1, page));
        assert!(
            run_tool("fetch-extract", flags, line)
                .expect_exit(0)
                .records()[0]["text"]
                .is_string()
        );
    }
    let asked = &web.requests_by_host()["h1.test"];
    assert_eq!(asked.paths["/robots.txt"], 1);
    // The memory keeps times to the millisecond.
    assert!(
        asked
            .shortest_pause
            .is_some_and(|pause| pause >= Duration::from_millis(1495)),
        "{asked:?}"
    );
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let web = FaultWeb::late_once();
    let dir = temp_folder();
    let [urls, out, archive] =
        ["urls.jsonl", "out.jsonl", "pages.warc.gz"].map(|name| dir.path().join(name));
    std::fs::write(&urls, input()).unwrap();
    let mut flags = flags(&web, "0");
    flags.extend(["--warc".to_owned(), archive.display().to_string()]);
    for is_killed in [true, true, false] {
        let to = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&out)
            .unwrap();
        let mut command = Command::new(tool_path("fetch-extract"));
        command
            .args(&flags)
            .args(["--resume".as_ref(), out.as_os_str()])
            .stderr(Stdio::inherit());
        // It can't end before it is killed: there is more to ask for than is answered.
        let so_far = web.count_requests();
        web.answer_first(if is_killed { so_far + 250 } else { u32::MAX });
        let mut child = command
            .stdin(File::open(&urls).unwrap())
            .stdout(to)
            .spawn()
            .unwrap();
        if is_killed {
            wait_for("it is in the middle", || {
                web.count_requests() >= so_far + 200
            });
            child.kill().unwrap();
        }
        assert_eq!(child.wait().unwrap().success(), !is_killed);
        if is_killed {
            // As if it had been killed in the middle of a line, and of a record of the archive.
            torn(&out, b"{\"url\":\"http://h");
            torn(&archive, b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01");
        }
    }
    let records: Vec<Value> = std::fs::read_to_string(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    check(&records);
    // What the archive gives back is what the output has, and some pages that were fetched and not
    // written.
    let kept = run_tool(
        "fetch-extract",
        ["--from-warc".as_ref(), archive.as_os_str()],
        "",
    )
    .expect_exit(0)
    .records();
    let by_place: HashMap<String, &Value> = kept
        .iter()
        .map(|record| (record["fetch"]["warc"].to_string(), record))
        .collect();
    for record in records.iter().filter(|record| record.get("text").is_some()) {
        assert_eq!(
            Some(&record),
            by_place.get(&record["fetch"]["warc"].to_string()),
            "{record}"
        );
    }
}

fn torn(path: &std::path::Path, end: &[u8]) {
    use std::io::Write;
    OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(end)
        .unwrap();
}
