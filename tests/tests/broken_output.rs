//! Tools with a memory whose output breaks off: what could not be written is not remembered, so
//! that the same input given again loses nothing; what was written is.
#![cfg(target_os = "linux")]

use forage_tests::{ToolOutput, run_bash, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Documents of some 10 kB, 4 MB in all: many times what is gathered before it is written, and what
/// a pipe holds.
const DOCUMENTS: usize = 400;

fn write_documents(path: &Path) {
    let word = |document: usize, n: usize| format!("beseda{document}x{n}");
    let text = |document| {
        (0..700)
            .map(|n| word(document, n))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let record = |n| {
        json!({"url": format!("http://a.test/{n}"), "text": text(n), "label": "slv"}).to_string()
            + "\n"
    };
    fs::write(path, (0..DOCUMENTS).map(record).collect::<String>()).unwrap();
}

/// Runs a line of bash in a folder that holds `docs.jsonl`.
fn in_folder(dir: &Path, script: &str) -> ToolOutput {
    run_bash(&format!("cd '{}' && {script}", dir.display()), "")
}

/// The URLs of records, which may be followed by a line that was cut off.
fn urls(records: &str) -> BTreeSet<String> {
    let whole = records
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    whole
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn dedup_drops_no_document_that_it_could_not_write() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let whole = "dedup --index whole.db --drop docs.jsonl";
    assert_eq!(
        urls(&in_folder(dir.path(), whole).expect_exit(0).stdout).len(),
        DOCUMENTS
    );
    assert_eq!(
        in_folder(dir.path(), whole).expect_exit(0).stdout,
        "",
        "what was written is remembered"
    );

    let failed = in_folder(
        dir.path(),
        "dedup --index full.db --drop docs.jsonl > /dev/full",
    )
    .expect_exit(2);
    assert!(
        failed.stderr.contains("standard output"),
        "{}",
        failed.stderr
    );
    let again = in_folder(dir.path(), "dedup --index full.db --drop docs.jsonl")
        .expect_exit(0)
        .stdout;
    assert_eq!(urls(&again).len(), DOCUMENTS);

    let first = in_folder(
        dir.path(),
        "dedup --index head.db --drop docs.jsonl | head -1",
    )
    .expect_exit(0)
    .stdout;
    let again = in_folder(dir.path(), "dedup --index head.db --drop docs.jsonl")
        .expect_exit(0)
        .stdout;
    // The pipe took what it could hold before its reader went.
    let again = urls(&again);
    assert!(
        again.len() > DOCUMENTS / 2 && again.len() <= DOCUMENTS,
        "{}",
        again.len()
    );
    let lost = DOCUMENTS - again.union(&urls(&first)).count();
    assert!(
        lost < DOCUMENTS / 3,
        "{lost} are neither in the pipe's first line nor in what came again"
    );
}

#[test]
fn a_step_of_a_pipeline_is_remembered_before_it_is_seen() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    in_folder(
        dir.path(),
        "dedup --index step.db --from-step 1 docs.jsonl > /dev/full",
    )
    .expect_exit(2);
    let records = in_folder(dir.path(), "dedup --index step.db docs.jsonl")
        .expect_exit(0)
        .records();
    // The first batch, which could not be written; the step is repeated with --from-step.
    assert!(
        records
            .iter()
            .any(|record| record["dedup"]["status"] == "exact")
    );
    let again = in_folder(dir.path(), "dedup --index step.db --from-step 0 docs.jsonl")
        .expect_exit(0)
        .records();
    assert!(
        again
            .iter()
            .all(|record| record["dedup"]["status"] == "new")
    );
}

#[test]
fn search_gives_hits_again_that_it_could_not_write_and_asks_for_no_page_twice() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let query = json!({"step": {"number": 1, "target": "slv"}, "query": {"id": "q", "include": ["beseda7x3"], "exclude": []}});
    fs::write(dir.path().join("query.jsonl"), format!("{query}\n")).unwrap();
    in_folder(dir.path(), "search --engine index:web --add docs.jsonl").expect_exit(0);
    let search = "search --engine index:web --hits hits.db --next 5 query.jsonl";
    in_folder(dir.path(), &format!("{search} > /dev/full")).expect_exit(2);
    // The page was paid for and is kept: an engine that is gone is not missed.
    let again = in_folder(dir.path(), &format!("{search} --max-calls 0"))
        .expect_exit(0)
        .records();
    assert_eq!(again.len(), 1);
    assert_eq!(
        (&again[0]["url"], &again[0]["hit"]["calls"]),
        (&json!("http://a.test/7"), &json!(1))
    );
    let third = in_folder(dir.path(), search).expect_exit(0).records();
    assert_eq!(
        third[0]["hit"]["outcome"], "exhausted",
        "what was written is not given again"
    );
}

#[test]
fn update_stats_counts_no_record_that_it_could_not_write() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let count = "update-stats --stats stats.db --journal journal.jsonl docs.jsonl";
    in_folder(dir.path(), &format!("{count} > /dev/full")).expect_exit(2);
    let journal = || fs::read_to_string(dir.path().join("journal.jsonl")).unwrap();
    assert_eq!(journal(), "");
    in_folder(dir.path(), &format!("{count} > out.jsonl")).expect_exit(0);
    assert_eq!(
        journal(),
        fs::read_to_string(dir.path().join("docs.jsonl")).unwrap()
    );
    let report = in_folder(dir.path(), "update-stats --stats stats.db --report")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], DOCUMENTS);
}
