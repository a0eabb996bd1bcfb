//! `demo-web linked`: a server for all hosts of a small web, and `focused-crawl` on it, whose
//! result is compared with what each page is.

use forage_tests::closed_web::{
    pipeline_command, read_journal, retrieved_documents, run_demo_web, run_pipeline,
};
use forage_tests::linked_web::LinkedWeb;
use forage_tests::{run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUBJECT: &str = "earthquakes";

/// Pages on the subject.
const PAGES: f64 = 40.0;

/// Returns the command of a new crawl that starts from files which it writes to a folder.
fn new_run_command(web: &LinkedWeb, folder: &Path, args: &[&str]) -> (Command, PathBuf) {
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let core = write("core.jsonl", run_demo_web(&["linked", "core", SUBJECT]));
    let seeds = write("seeds.txt", run_demo_web(&["linked", "seeds"]));
    let out = folder.join("run");
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &web.address]);
    command.arg("--core").arg(core).arg("--seeds").arg(seeds);
    command.arg("--out").arg(&out);
    command.args(["--delay", "0", "--quiet"]).args(args);
    (command, out)
}

/// Crawls, and returns the journal.
fn crawl(web: &LinkedWeb, args: &[&str]) -> Vec<Value> {
    let folder = temp_folder();
    let (command, out) = new_run_command(web, folder.path(), args);
    run_pipeline(command).expect_exit(0);
    read_journal(&out)
}

/// Returns subject and language of each page, by URL.
fn read_truth() -> HashMap<String, (String, String)> {
    let columns = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let [url, subject, language] = columns.try_into().unwrap();
        (url, (subject, language))
    };
    run_demo_web(&["linked", "truth"])
        .lines()
        .map(columns)
        .collect()
}

/// Returns the final address of a document.
fn final_url(document: &Value) -> &str {
    document["fetch"]["url"]
        .as_str()
        .or(document["url"].as_str())
        .unwrap()
}

/// Returns the addresses of the documents that are accepted by a rule.
fn select_urls(journal: &[Value], is_accepted: impl Fn(&Value) -> bool) -> BTreeSet<&str> {
    retrieved_documents(journal)
        .into_iter()
        .filter(|document| is_accepted(document))
        .map(final_url)
        .collect()
}

#[test]
fn a_focused_crawl_finds_most_pages_on_the_subject() {
    let server = LinkedWeb::start();
    let truth = read_truth();
    let settings = ["--pages", "300"];
    let journal = crawl(&server, &settings);
    let count_relevant = |urls: &BTreeSet<&str>| {
        let is_relevant = |url: &&&str| truth.get(**url).is_some_and(|(s, _)| s == SUBJECT);
        urls.iter().filter(is_relevant).count() as f64
    };
    let collected = select_urls(&journal, |document| document["label"] == "on-topic");
    let relevant = count_relevant(&collected);
    assert!(relevant / collected.len() as f64 > 0.85, "{collected:?}");
    assert!(relevant / PAGES > 0.5, "{relevant}");
    let undoubted = select_urls(&journal, |document| {
        let metrics = document["topic"]["metrics"].as_array();
        let votes = metrics.into_iter().flatten();
        votes.filter(|metric| **metric != "directory").count() >= 2
    });
    assert!(undoubted.len() > 7);
    assert!(
        count_relevant(&undoubted) / undoubted.len() as f64 > 0.95,
        "{undoubted:?}"
    );

    // Links in the order of discovery bring fewer.
    let breadth_first = crawl(&server, &[&settings[..], &["--order", "breadth"]].concat());
    let fetched = |journal| count_relevant(&select_urls(journal, |_| true));
    assert!(fetched(&journal) > 1.3 * fetched(&breadth_first));

    // The calendar has no end, and no page on the subject.
    let is_calendar = |record: &&Value| {
        let url = record["url"].as_str();
        record["step"].is_object() && url.is_some_and(|url| url.contains("/calendar/"))
    };
    assert!(journal.iter().filter(is_calendar).count() < 5);
    let kinds: BTreeSet<&str> = journal
        .iter()
        .filter_map(|record| record["error"]["kind"].as_str())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["http-status", "robots"]));
}

#[test]
fn a_crawl_for_a_language_can_use_the_share_of_each_page() {
    let server = LinkedWeb::start();
    let truth = read_truth();
    let filter = "langid --paragraphs | jq -c '.topic = {score: (.langid.share.slv // 0)} | \
                  if .label == \"slv\" then .label = \"on-topic\" else . end'";
    let journal = crawl(&server, &["--pages", "250", "--filter", filter]);
    let documents = retrieved_documents(&journal);
    let of_language = |url: &str| truth.get(url).filter(|(subject, _)| subject == "-");
    let [mut found, mut identified, mut wrong] = [0; 3];
    for document in &documents {
        let Some((_, language)) = of_language(final_url(document)) else {
            continue;
        };
        let is_identified = document["label"] == "on-topic";
        found += usize::from(language == "slv");
        identified += usize::from(language == "slv" && is_identified);
        wrong += usize::from(language != "slv" && is_identified);
    }
    // The web has 60 pages in Slovenian.
    assert!(found > 40 && found - identified <= 2 && wrong <= 2);
}

#[test]
fn the_server_reports_a_port_that_is_in_use_and_ends_at_a_signal() {
    let mut server = LinkedWeb::start();
    let args = ["linked", "serve", "--listen", &server.address];
    let stderr = run_tool("demo-web", args, "").expect_exit(2).stderr;
    assert!(
        stderr.starts_with(&format!("demo-web: {}: ", server.address)),
        "{stderr}"
    );
    let pid = server.process.id().to_string();
    let killed = Command::new("kill").arg(&pid).status().unwrap();
    assert!(killed.success());
    assert!(!server.process.wait().unwrap().success());
}
