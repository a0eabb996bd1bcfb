//! `gen-query --prune navigation`: words of navigation links are learned from anchor texts.
#![cfg(target_os = "linux")]

use forage_tests::closed_web::{
    new_run_command, read_journal, resume_command, retrieved_documents, run_pipeline,
};
use forage_tests::kills::assert_survives_kills;
use forage_tests::open_web::OpenWeb;
use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::path::Path;

/// Returns records of a class: one page on each of a number of hosts, with a label and a title as
/// links.
fn pages(class: &str, hosts: usize, first_step: usize) -> Vec<Value> {
    let page = |number: usize| {
        json!({
            "step": {"number": first_step + number, "target": "slv", "last": true},
            "url": format!("http://{class}{number}.test/"),
            "text": format!("domov domov domov {class} {class} beseda{number}"),
            "links": [
                {"url": "http://a.test/", "text": "Domov"},
                {"url": "http://b.test/", "text": "beseda slv in hrv na vrhu"},
            ],
            "label": class,
        })
    };
    (0..hosts).map(page).collect()
}

/// Counts records, and returns the inclusion term that gen-query selects by frequency.
fn select_term(records: &[Value], folder: &Path, prune: bool) -> String {
    let path = |name: &str| folder.join(name).display().to_string();
    let (stats, journal) = (path("stats.db"), path("journal.jsonl"));
    for name in [&stats, &journal] {
        let _ = std::fs::remove_file(name);
    }
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let args = ["--stats", &stats, "--journal", &journal];
    run_tool("update-stats", args, lines).expect_exit(0);
    let term = generate_term(&stats, prune);
    // Statistics rebuilt from the journal know the same words.
    let rebuilt = path("rebuilt.db");
    let args = ["--stats", &rebuilt, "--rebuild", &journal];
    run_tool("update-stats", args, "").expect_exit(0);
    assert_eq!(generate_term(&rebuilt, prune), term);
    term
}

fn generate_term(stats: &str, prune: bool) -> String {
    let mut args = vec!["--stats", stats, "--target", "slv", "--step", "90"];
    args.extend(["--include", "tf:1", "--exclude", "tf:0"]);
    if prune {
        args.extend(["--prune", "navigation"]);
    }
    let records = run_tool("gen-query", args, "").expect_exit(0).records();
    records[0]["query"]["include"][0].as_str().unwrap().into()
}

#[test]
fn labels_that_recur_over_hosts_in_two_classes_are_pruned() {
    let dir = temp_folder();
    let journal =
        |slv: usize, hrv: usize| [pages("slv", slv, 1), pages("hrv", hrv, slv + 1)].concat();
    let select = |records: &[Value], prune| select_term(records, dir.path(), prune);
    assert_eq!(select(&journal(3, 3), false), "domov");
    // `slv` occurs in a longer anchor text only.
    assert_eq!(select(&journal(3, 3), true), "slv");
    assert_eq!(select(&journal(3, 2), true), "domov");
    assert_eq!(select(&journal(6, 0), true), "domov");
}

#[test]
fn several_pages_of_a_host_and_duplicates_count_once() {
    let dir = temp_folder();
    let mut records = [pages("slv", 3, 1), pages("hrv", 3, 4)].concat();
    records[5]["url"] = records[4]["url"].clone();
    assert_eq!(select_term(&records, dir.path(), true), "domov");
    records[5]["url"] = json!("http://other.test/");
    assert_eq!(select_term(&records, dir.path(), true), "slv");
    records[5]["dedup"] = json!({"status": "near", "of": "x"});
    assert_eq!(select_term(&records, dir.path(), true), "domov");
}

#[test]
fn without_links_a_fixed_list_is_pruned() {
    let dir = temp_folder();
    let mut records = [pages("slv", 3, 1), pages("hrv", 3, 4)].concat();
    for record in &mut records {
        record.as_object_mut().unwrap().remove("links");
    }
    assert_eq!(select_term(&records, dir.path(), true), "domov");
    for record in &mut records {
        record["text"] = json!("home home home beseda beseda");
    }
    assert_eq!(select_term(&records, dir.path(), true), "beseda");
}

#[test]
fn a_run_on_the_web_that_prunes_navigation_words_records_links() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let args = open_web.args();
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    args.extend(["--docs", "4", "--quiet"]);
    for (name, prune) in [("with", "common,navigation"), ("without", "common")] {
        let out = dir.path().join(name);
        run_pipeline(new_run_command(
            &out,
            &[&args[..], &["--prune", prune]].concat(),
        ))
        .expect_exit(0);
        let journal = read_journal(&out);
        let documents = retrieved_documents(&journal);
        assert_eq!(documents.len(), 4);
        let has_links = |record: &&Value| record["links"].is_array();
        assert!(
            documents
                .iter()
                .all(|record| has_links(record) == (name == "with"))
        );
    }
}

#[test]
fn a_killed_run_that_learns_navigation_words_gives_the_same_result() {
    let open_web = OpenWeb::start();
    let args = open_web.args();
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    args.extend(["--docs", "12", "--batch", "3", "--quiet", "--delay", "0"]);
    args.extend(["--prune", "common:0.5,navigation"]);
    assert_survives_kills(2, &|out| new_run_command(out, &args), &|out| {
        resume_command(out, &["--quiet"])
    });
}
