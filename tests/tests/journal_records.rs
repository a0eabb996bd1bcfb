//! Records in a journal or among initial documents that are of an earlier run, of an older schema, or
//! malformed.

use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_record_of_an_earlier_run_can_be_an_initial_document() {
    let dir = temp_folder();
    let [init, stats, journal, index] =
        ["init.jsonl", "stats.db", "journal.jsonl", "seen.db"].map(|name| dir.path().join(name));
    let earlier_fields = [
        json!({"dedup": {"status": "exact", "of": "x"}}),
        json!({"error": {"tool": "fetch-extract", "kind": "timeout", "message": "x"}}),
    ];
    let texts = ["prva beseda o vremenu", "druga beseda o mestu"];
    let record = |(text, mut record): (&str, Value)| {
        record["text"] = text.into();
        record.to_string() + "\n"
    };
    fs::write(
        &init,
        texts
            .into_iter()
            .zip(earlier_fields)
            .map(record)
            .collect::<String>(),
    )
    .unwrap();
    let [stats, journal, index] = [&stats, &journal, &index].map(|path| path.to_str().unwrap());
    let init = format!("slv={}", init.display());
    run_tool(
        "update-stats",
        ["--stats", stats, "--journal", journal, "--init", &init],
        "",
    )
    .expect_exit(0);
    run_tool("dedup", ["--index", index, "--rebuild", journal], "").expect_exit(0);
    for text in texts {
        let records = run_tool(
            "dedup",
            ["--index", index],
            json!({"text": text}).to_string(),
        )
        .expect_exit(0)
        .records();
        assert_eq!(records[0]["dedup"]["status"], "exact");
    }
    let report = run_tool("update-stats", ["--stats", stats, "--report"], "")
        .expect_exit(0)
        .records();
    assert_eq!(report[0]["classes"]["slv"]["documents"], 2);
}

#[test]
fn a_journal_of_schema_1_is_refused_by_all_tools_and_left_unchanged() {
    let record = json!({"query": {"id": "q", "step": 1, "target": "slv"}});
    assert_refused(record, "schema 1", 7);
}

#[test]
fn a_journal_of_schema_2_is_refused_by_the_statistics_and_left_unchanged() {
    let step = json!({"number": 1, "target": "slv", "last": true});
    for record in [
        json!({"step": step, "hit": {"engine": "e", "calls": 1, "left": 2}}),
        json!({"step": step, "query": {"strategy": {"name": "regions", "path": []}}}),
        json!({"step": step, "query": {"strategy": {"name": "learned", "learner": "ml/ii/none=2"}}}),
    ] {
        assert_refused(record, "schema 2", 3);
    }
}

#[test]
fn a_record_of_schema_2_does_not_reach_the_journal() {
    let dir = temp_folder();
    let [journal, stats] = ["journal.jsonl", "stats.db"].map(|name| dir.path().join(name));
    let args = [
        "--stats",
        stats.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
    ];
    let step = json!({"number": 1, "target": "slv", "last": true});
    let old = json!({"step": step, "hit": {"engine": "e", "calls": 1, "left": 2}}).to_string();
    let stderr = run_tool("update-stats", args, old).expect_exit(2).stderr;
    assert!(stderr.contains("schema 2 (`hit.left`)"), "{stderr}");
    assert_eq!(fs::read_to_string(&journal).unwrap(), "");
    // A strategy of the user may have a field of any name.
    let strategy = json!({"name": "mine", "path": "a/b"});
    let own = json!({"step": step, "query": {"strategy": strategy}}).to_string();
    run_tool("update-stats", args, own).expect_exit(0);
}

/// Asserts that the first tools of a list refuse a journal of this record, with `text` and `label`,
/// by `message`, and that the other tools read it.
fn assert_refused(mut record: Value, message: &str, refusing_calls: usize) {
    record["text"] = json!("dober dan");
    record["label"] = json!("slv");
    let dir = temp_folder();
    let [journal_path, stats, index, hits, out] =
        ["old.jsonl", "stats.db", "seen.db", "hits.db", "out.jsonl"]
            .map(|name| dir.path().join(name));
    let lines = record.to_string() + "\n";
    fs::write(&journal_path, &lines).unwrap();
    let [stats, index, hits, out] =
        [&stats, &index, &hits, &out].map(|path| path.to_str().unwrap());
    let journal = journal_path.to_str().unwrap();
    let text = dir.path().join("slv.txt");
    fs::write(&text, "dober dan").unwrap();
    let initial = format!("slv={}", text.display());
    let calls: [(&str, &[&str]); 7] = [
        ("update-stats", &["--stats", stats, "--rebuild", journal]),
        (
            "update-stats",
            &["--stats", stats, "--journal", journal, "--next-step"],
        ),
        (
            "update-stats",
            &[
                "--stats",
                stats,
                "--journal",
                journal,
                "--from-step",
                "0",
                "--init",
                &initial,
            ],
        ),
        ("dedup", &["--index", index, "--rebuild", journal]),
        ("search", &["--hits", hits, "--rebuild", journal]),
        ("corpus-export", &["--journal", "--out", out, journal]),
        ("measure-run", &[journal]),
    ];
    for (call, (tool, args)) in calls.into_iter().enumerate() {
        let output = run_tool(tool, args, "");
        if call < refusing_calls {
            let stderr = output.expect_exit(2).stderr;
            assert!(stderr.contains(message), "{tool} {args:?}: {stderr}");
        } else {
            output.expect_exit(0);
        }
    }
    assert_eq!(fs::read_to_string(&journal_path).unwrap(), lines);
}

#[test]
fn a_record_with_an_invalid_step_is_not_an_initial_document() {
    let dir = temp_folder();
    let [journal, stats] = ["journal.jsonl", "stats.db"].map(|name| dir.path().join(name));
    let records = [
        json!({"text": "dober dan", "label": "slv"}),
        json!({"step": {"number": "1"}, "text": "b", "label": "slv"}),
    ];
    fs::write(
        &journal,
        records.map(|record| record.to_string() + "\n").concat(),
    )
    .unwrap();
    let [journal, stats] = [&journal, &stats].map(|path| path.to_str().unwrap());
    run_tool("update-stats", ["--stats", stats, "--rebuild", journal], "").expect_exit(0);
    let report = &run_tool("update-stats", ["--stats", stats, "--report"], "")
        .expect_exit(0)
        .records()[0];
    assert_eq!(report["classes"]["slv"]["documents"], 1);
}
