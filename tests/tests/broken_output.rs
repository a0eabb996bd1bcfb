//! Tools with state whose output fails. A record that could not be written is not in the state, so
//! that no record is lost when the same input is given again. A record that was written is.
#![cfg(target_os = "linux")]

use forage_tests::{ToolOutput, run_bash, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Number of documents of about 10 kB each. The total of 4 MB is many times the output buffer and
/// the capacity of a pipe.
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

/// Runs a bash script in a folder.
fn run_in_folder(dir: &Path, script: &str) -> ToolOutput {
    run_bash(&format!("cd '{}' && {script}", dir.display()), "")
}

/// Returns the URLs of all complete records. The last line may be cut off.
fn complete_urls(records: &str) -> BTreeSet<String> {
    records
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn dedup_reports_no_duplicate_of_a_document_that_it_could_not_write() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let whole = "dedup --index whole.db --drop docs.jsonl";
    assert_eq!(
        complete_urls(&run_in_folder(dir.path(), whole).expect_exit(0).stdout).len(),
        DOCUMENTS
    );
    assert_eq!(
        run_in_folder(dir.path(), whole).expect_exit(0).stdout,
        "",
        "written documents are in the index"
    );

    let failed = run_in_folder(
        dir.path(),
        "dedup --index full.db --drop docs.jsonl > /dev/full",
    )
    .expect_exit(2);
    assert!(
        failed.stderr.contains("standard output"),
        "{}",
        failed.stderr
    );
    let again = run_in_folder(dir.path(), "dedup --index full.db --drop docs.jsonl")
        .expect_exit(0)
        .stdout;
    assert_eq!(complete_urls(&again).len(), DOCUMENTS);

    let first = run_in_folder(
        dir.path(),
        "dedup --index head.db --drop docs.jsonl | head -1",
    )
    .expect_exit(0)
    .stdout;
    let again = run_in_folder(dir.path(), "dedup --index head.db --drop docs.jsonl")
        .expect_exit(0)
        .stdout;
    // Some documents were written to the pipe before its reader ended.
    let again = complete_urls(&again);
    assert!(
        again.len() > DOCUMENTS / 2 && again.len() <= DOCUMENTS,
        "{}",
        again.len()
    );
    let lost = DOCUMENTS - again.union(&complete_urls(&first)).count();
    assert!(
        lost < DOCUMENTS / 3,
        "{lost} documents are neither in the first line nor in the second output"
    );
}

#[test]
fn a_step_of_a_pipeline_is_committed_before_it_is_written() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    run_in_folder(
        dir.path(),
        "dedup --index step.db --from-step 1 docs.jsonl > /dev/full",
    )
    .expect_exit(2);
    let records = run_in_folder(dir.path(), "dedup --index step.db docs.jsonl")
        .expect_exit(0)
        .records();
    // The first batch was committed, but not written. --from-step repeats the step.
    assert!(
        records
            .iter()
            .any(|record| record["dedup"]["status"] == "exact")
    );
    let again = run_in_folder(dir.path(), "dedup --index step.db --from-step 0 docs.jsonl")
        .expect_exit(0)
        .records();
    assert!(
        again
            .iter()
            .all(|record| record["dedup"]["status"] == "new")
    );
}

#[test]
fn search_repeats_hits_that_it_could_not_write_and_requests_no_page_twice() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let query = json!({
        "step": {"number": 1, "target": "slv"},
        "query": {"id": "q", "include": ["beseda7x3"], "exclude": []},
    });
    fs::write(dir.path().join("query.jsonl"), format!("{query}\n")).unwrap();
    run_in_folder(dir.path(), "search --engine index:web --add docs.jsonl").expect_exit(0);
    let search = "search --engine index:web --hits hits.db --next 5 query.jsonl";
    run_in_folder(dir.path(), &format!("{search} > /dev/full")).expect_exit(2);
    // The page is in the cache, so no call is needed.
    let again = run_in_folder(dir.path(), &format!("{search} --max-calls 0"))
        .expect_exit(0)
        .records();
    assert_eq!(again.len(), 1);
    assert_eq!(
        (&again[0]["url"], &again[0]["hit"]["calls"]),
        (&json!("http://a.test/7"), &json!(1))
    );
    let third = run_in_folder(dir.path(), search).expect_exit(0).records();
    assert_eq!(
        third[0]["hit"]["outcome"], "exhausted",
        "a written hit is not repeated"
    );
}

#[test]
fn update_stats_counts_no_record_that_it_could_not_write() {
    let dir = temp_folder();
    write_documents(&dir.path().join("docs.jsonl"));
    let count = "update-stats --stats stats.db --journal journal.jsonl docs.jsonl";
    run_in_folder(dir.path(), &format!("{count} > /dev/full")).expect_exit(2);
    let journal = || fs::read_to_string(dir.path().join("journal.jsonl")).unwrap();
    assert_eq!(journal(), "");
    run_in_folder(dir.path(), &format!("{count} > out.jsonl")).expect_exit(0);
    assert_eq!(
        journal(),
        fs::read_to_string(dir.path().join("docs.jsonl")).unwrap()
    );
    let report = run_in_folder(dir.path(), "update-stats --stats stats.db --report")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], DOCUMENTS);
}
