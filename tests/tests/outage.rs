//! Outages of the network: the engine answers, and no page can be fetched. No hit is used up by
//! them.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_run_files, resume_command, run_pipeline,
};
use forage_tests::open_web::{EngineFault, OpenWeb};
use forage_tests::server::{HostResponse, HostServer, html};
use forage_tests::{run_tool, temp_folder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Strategies: steps of several pages, and of one.
const STRATEGIES: [&[&str]; 2] = [&[], &["--include", "or:3", "--exclude", "or:3"]];

fn run_args<'a>(web: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let web = web.iter().map(String::as_str);
    web.chain(more.iter().copied()).collect()
}

#[test]
fn a_run_that_an_outage_stops_goes_on_as_if_nothing_had_been() {
    let web = OpenWeb::start();
    let args = web.args();
    for strategy in STRATEGIES {
        let dir = temp_folder();
        let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
        let start = |out: &Path, docs: &str| -> Command {
            let more = [strategy, &["--docs", docs, "--patience", "0"]].concat();
            new_run_command(out, &run_args(&args, &more))
        };
        run_pipeline(start(&whole, "12")).expect_exit(0);
        run_pipeline(resume_command(&whole, &["--docs", "24"])).expect_exit(0);

        // Before any page was fetched, and when some were.
        web.set_fault(Some(EngineFault::NoPages));
        let stderr = run_pipeline(start(&parts, "12")).expect_exit(2).stderr;
        assert!(stderr.contains("is the network down?"), "{stderr}");
        web.set_fault(None);
        run_pipeline(resume_command(&parts, &[])).expect_exit(0);
        web.set_fault(Some(EngineFault::NoPages));
        for _ in 0..2 {
            run_pipeline(resume_command(&parts, &["--docs", "24"])).expect_exit(3);
        }
        web.set_fault(None);
        run_pipeline(resume_command(&parts, &[])).expect_exit(0);
        assert_eq!(
            read_run_files(&parts),
            read_run_files(&whole),
            "{strategy:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kills_with_outages_in_between_change_no_corpus() {
    let web = OpenWeb::start();
    let args = web.args();
    let args = run_args(&args, &["--docs", "20", "--patience", "0"]);
    forage_tests::kills::assert_survives_kills(2, &|out| new_run_command(out, &args), &|out| {
        web.fail_pages_during(resume_command(out, &[]));
        resume_command(out, &[])
    });
}

#[test]
fn a_run_waits_for_the_end_of_an_outage() {
    let web = Arc::new(OpenWeb::start());
    let args = web.args();
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&whole, &run_args(&args, &["--docs", "12"]))).expect_exit(0);
    // The first step has one page, whose host counts as down after a while.
    let first_steps = |journal: &[Value]| {
        let is_first = |record: &&Value| record["step"]["number"] == 1;
        journal.iter().filter(is_first).count()
    };
    assert_eq!(first_steps(&read_journal(&whole)), 1);
    web.set_fault(Some(EngineFault::NoPages));
    let ends = std::thread::spawn({
        let (web, journal) = (web.clone(), parts.join("journal.jsonl"));
        move || {
            // Until a hit has been used up.
            let is_used = |text: String| text.contains("fetch-extract");
            while !std::fs::read_to_string(&journal).is_ok_and(is_used) {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_secs(2));
            web.set_fault(None);
        }
    });
    let stderr = run_pipeline(new_run_command(&parts, &run_args(&args, &["--docs", "12"])))
        .expect_exit(0)
        .stderr;
    ends.join().unwrap();
    assert!(
        stderr.contains("waiting for the network, at most"),
        "{stderr}"
    );
    let repeated = "step 1 is repeated: a host did not respond, before any had";
    assert!(stderr.contains(repeated), "{stderr}");
    assert_eq!(read_run_files(&parts), read_run_files(&whole));
}

#[test]
fn a_run_whose_pages_all_fail_does_not_end_as_planned() {
    let web = OpenWeb::start();
    let args = web.args();
    let dir = temp_folder();
    let out = dir.path().join("run");
    // The hosts respond, and no page has a text.
    web.set_fault(Some(EngineFault::EmptyPages));
    let more = ["--calls", "3", "--include", "or:3", "--exclude", "or:3"];
    let stderr = run_pipeline(new_run_command(&out, &run_args(&args, &more)))
        .expect_exit(1)
        .stderr;
    assert!(stderr.contains("pages could be fetched: "), "{stderr}");
    web.set_fault(None);
    run_pipeline(resume_command(&out, &[])).expect_exit(0);
    let journal = read_journal(&out);
    assert!(journal.iter().all(|record| record["error"].is_null()));
}

/// Fetches pages with `--patience 0`, and returns the exit code and the output.
fn fetch(server: &HostServer, args: &[&str], urls: &str) -> (i32, String, String) {
    let address = server.address.to_string();
    let common = ["--connect-to", &address, "--delay", "0", "--patience", "0"];
    let output = run_tool("fetch-extract", [&common[..], args].concat(), urls);
    (output.exit_code, output.stdout, output.stderr)
}

#[test]
fn a_list_of_urls_is_not_used_up_by_an_outage() {
    // The number of requests after which the cable is cut.
    let remaining = Arc::new(AtomicUsize::new(10));
    let server = HostServer::start({
        let remaining = remaining.clone();
        move |host, path| {
            let take = |left: usize| left.checked_sub(1);
            let order = Ordering::SeqCst;
            match remaining.fetch_update(order, order, take) {
                Ok(_) => html(format!("<p>The page {path} of {host} is here.")),
                Err(_) => HostResponse::Hangup,
            }
        }
    });
    let urls: String = (0..12)
        .map(|n| format!("{{\"url\":\"http://h{n}.test/{n}\"}}\n"))
        .collect();
    let (code, stdout, stderr) = fetch(&server, &["--jobs", "1"], &urls);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("is the network down?"), "{stderr}");
    let pages = stdout.lines().count();
    assert!(pages < 12 && !stdout.contains("\"error\""), "{stdout}");
    remaining.store(1000, Ordering::SeqCst);
    let dir = temp_folder();
    let out = dir.path().join("out.jsonl");
    std::fs::write(&out, &stdout).unwrap();
    let (code, stdout, stderr) = fetch(&server, &["--resume", out.to_str().unwrap()], &urls);
    assert_eq!((code, stdout.lines().count()), (0, 12 - pages), "{stderr}");
    assert!(!stdout.contains("\"error\""), "{stdout}");
}

#[test]
fn a_single_dead_host_is_no_outage() {
    let server = HostServer::start(|host, path| match host {
        "dead.test" => HostResponse::Hangup,
        _ => html(format!("<p>The page {path} of {host} is here.")),
    });
    let urls = "{\"url\":\"http://a.test/\"}\n{\"url\":\"http://dead.test/\"}\n";
    let dir = temp_folder();
    let hosts = dir.path().join("hosts.db");
    let args = ["--hosts", hosts.to_str().unwrap(), "--retries", "0"];
    // Together, and in a later process, in which nothing has responded yet.
    for urls in [urls, "{\"url\":\"http://dead.test/2\"}\n"] {
        let (code, stdout, stderr) = fetch(&server, &args, urls);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(
            stdout.matches("\"kind\":\"connect\"").count(),
            1,
            "{stdout}"
        );
    }
}
