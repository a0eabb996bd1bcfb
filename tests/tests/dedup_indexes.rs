//! `dedup` with its table of keys damaged or lost, and with other indexes and corpora.

use forage_tests::{run_tool, temp_folder};
use serde_json::json;
use std::path::{Path, PathBuf};

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn dedup(args: &[&str], stdin: &str) -> String {
    run_tool("dedup", args, stdin).expect_exit(0).stdout
}

/// Returns documents `from..to`. Each third one is a near-duplicate of the one before it.
fn documents(from: usize, to: usize) -> String {
    let text = |i: usize| {
        let first = 1000 * (i - usize::from(i % 3 == 2));
        let words = (first..first + 200 - i % 3).map(|word| format!("beseda{word}"));
        words.collect::<Vec<_>>().join(" ")
    };
    (from..to)
        .map(|i| format!("{}\n", json!({"id": i, "text": text(i)})))
        .collect()
}

fn keys_of(index: &Path) -> PathBuf {
    PathBuf::from(format!("{}-keys", index.display()))
}

/// Returns the status of each record.
fn statuses(output: &str) -> Vec<String> {
    let status = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        record["dedup"]["status"].as_str().map(str::to_owned)
    };
    output.lines().filter_map(status).collect()
}

#[test]
fn a_damaged_or_missing_table_of_keys_is_built_again() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let args = ["--index", path(&index)];
    let expected = dedup(&args, &documents(0, 90));
    let table = std::fs::read(keys_of(&index)).unwrap();
    let again = statuses(&dedup(&args, &documents(0, 90)));
    assert!(again.iter().all(|status| status != "new"), "{again:?}");
    let damaged: [&[u8]; 4] = [b"", &table[..table.len() / 2], &[7; 8320], &[0; 8320]];
    for bytes in damaged {
        std::fs::write(keys_of(&index), bytes).unwrap();
        assert_eq!(statuses(&dedup(&args, &documents(0, 90))), again);
        std::fs::write(keys_of(&index), bytes).unwrap();
        let against = ["--against", path(&index)];
        assert_eq!(statuses(&dedup(&against, &documents(0, 90))), again);
        assert_eq!(std::fs::read(keys_of(&index)).unwrap(), bytes);
    }
    std::fs::remove_file(keys_of(&index)).unwrap();
    assert_eq!(statuses(&dedup(&args, &documents(0, 90))), again);
    // A table of another index.
    let other = dir.path().join("other.db");
    let other_args = ["--index", path(&other)];
    dedup(&other_args, &documents(300, 400));
    std::fs::copy(keys_of(&other), keys_of(&index)).unwrap();
    assert_eq!(statuses(&dedup(&args, &documents(0, 90))), again);
    // One that is older than the index.
    std::fs::remove_file(&index).unwrap();
    let halves = documents(0, 45) + &documents(45, 90);
    assert_eq!(halves, documents(0, 90));
    let mut output = dedup(&args, &documents(0, 45));
    let older = std::fs::read(keys_of(&index)).unwrap();
    output += &dedup(&args, &documents(45, 90));
    assert_eq!(output, expected);
    std::fs::write(keys_of(&index), older).unwrap();
    assert_eq!(statuses(&dedup(&args, &documents(0, 90))), again);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let input = documents(0, 1200);
    let expected = dedup(&["--jobs", "1"], &input);
    assert_eq!(statuses(&expected).len(), 1200);
    for jobs in ["2", "7"] {
        assert_eq!(dedup(&["--jobs", jobs], &input), expected);
    }
}

#[test]
fn compares_with_other_indexes_and_records() {
    let dir = temp_folder();
    let [index, records] = ["seen.db", "old.jsonl"].map(|name| dir.path().join(name));
    dedup(&["--index", path(&index)], &documents(0, 30));
    let before = std::fs::read(&index).unwrap();
    std::fs::write(&records, documents(30, 60)).unwrap();
    let against = ["--against", path(&index), "--against", path(&records)];
    let found = statuses(&dedup(&against, &documents(0, 90)));
    assert!(found[..60].iter().all(|status| status != "new"));
    assert_eq!(found[60..], statuses(&dedup(&[], &documents(60, 90))));
    assert_eq!(std::fs::read(&index).unwrap(), before);
    for (name, content) in [("none.jsonl", "{\"id\":1}\n"), ("empty.jsonl", "")] {
        let file = dir.path().join(name);
        std::fs::write(&file, content).unwrap();
        let failed = run_tool("dedup", ["--against", path(&file)], "").expect_exit(2);
        assert!(
            failed.stderr.contains("no record with `text`"),
            "{}",
            failed.stderr
        );
    }
}

#[test]
fn merged_indexes_have_the_documents_of_all() {
    let dir = temp_folder();
    let [a, b, merged] = ["a.db", "b.db", "merged.db"].map(|name| dir.path().join(name));
    dedup(&["--index", path(&a)], &documents(0, 60));
    // With another threshold, and another banding.
    let b_args = ["--index", path(&b), "--threshold", "0.5"];
    dedup(&b_args, &documents(30, 90));
    let merge = ["--index", path(&merged), "--merge", path(&a), path(&b)];
    for added in [["40 of 40", "20 of 40"], ["0 of 40", "0 of 40"]] {
        let output = run_tool("dedup", merge, "").expect_exit(0);
        assert!(
            added.iter().all(|added| output.stderr.contains(added)),
            "{}",
            output.stderr
        );
    }
    let found = statuses(&dedup(&["--index", path(&merged)], &documents(0, 90)));
    assert!(found.iter().all(|status| status != "new"), "{found:?}");
    let itself = ["--index", path(&merged), "--merge", path(&merged)];
    run_tool("dedup", itself, "").expect_exit(2);

    // An input that cannot be read leaves no part of the others.
    let new = dir.path().join("new.db");
    for wrong in ["none.db", "a.jsonl"] {
        let wrong = dir.path().join(wrong);
        if wrong.ends_with("a.jsonl") {
            std::fs::write(&wrong, documents(0, 3)).unwrap();
        }
        let inputs = ["--index", path(&new), "--merge", path(&a), path(&wrong)];
        let stderr = run_tool("dedup", inputs, "").expect_exit(2).stderr;
        assert!(stderr.contains(path(&wrong)), "{stderr}");
        assert!(!new.exists());
    }
}
