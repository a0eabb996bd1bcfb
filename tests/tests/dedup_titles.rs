//! `dedup --titles`: documents with the title of an earlier one.

use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

fn dedup(index: &Path, args: &[&str], stdin: &[Value]) -> ToolOutput {
    let index = index.to_str().expect("a path in UTF-8");
    let stdin: String = stdin.iter().map(|record| format!("{record}\n")).collect();
    run_tool("dedup", ["--index", index].iter().chain(args), stdin)
}

/// Returns `n` consecutive words of an endless text.
fn words(first: usize, n: usize) -> String {
    let words: Vec<String> = (first..first + n).map(|i| format!("word{i}")).collect();
    words.join(" ")
}

/// Returns the document of step `i`, with a text of its own. Each third one has the title of the
/// document before it.
fn document(i: usize) -> Value {
    let number = if i % 3 == 2 { i - 1 } else { i };
    json!({
        "id": format!("d{i}"),
        "title": format!("Gold mine number {number} reopens"),
        "text": words(i * 1000, 100),
        "step": {"number": i, "target": "gold", "last": true},
    })
}

fn documents(range: std::ops::Range<usize>) -> Vec<Value> {
    range.map(document).collect()
}

fn statuses(output: &ToolOutput) -> Vec<Value> {
    let records = output.records();
    records
        .iter()
        .map(|record| record["dedup"].clone())
        .collect()
}

#[test]
fn marks_a_document_with_the_title_of_an_earlier_one() {
    let dir = temp_folder();
    let article = |id: &str, title: Value, first: usize| json!({"id": id, "title": title, "text": words(first, 100)});
    let title = json!("Gold mine reopens in Peru");
    let docs = [
        article("a", title.clone(), 0),
        article("b", json!(" GOLD mine\u{a0}reopens  in Ｐｅｒｕ"), 1000),
        article("c", title.clone(), 2000),
        // The text decides first.
        article("d", title.clone(), 0),
        article("e", json!("Gold mine reopens in Chile"), 3000),
        article("f", json!("Page not found"), 4000),
        article("g", json!("Page not found"), 5000),
        article("h", json!(""), 6000),
        article("i", Value::Null, 7000),
        article("j", json!("金鉱山で大規模な落盤事故が発生"), 8000),
        article("k", json!("金鉱山で大規模な落盤事故が発生"), 9000),
        json!({"id": "l", "text": words(10_000, 100)}),
    ];
    let new = json!({"status": "new", "of": null});
    let same_title = |id: &str| json!({"status": "title", "of": id});
    let output = dedup(&dir.path().join("a.db"), &["--titles"], &docs).expect_exit(0);
    let expected = [
        new.clone(),
        same_title("a"),
        same_title("a"),
        json!({"status": "exact", "of": "a", "resemblance": 1.0}),
        new.clone(),
        new.clone(),
        new.clone(),
        new.clone(),
        new.clone(),
        new.clone(),
        same_title("j"),
        new.clone(),
    ];
    assert_eq!(statuses(&output), expected);
    let dropped = dedup(&dir.path().join("b.db"), &["--titles", "--drop"], &docs).expect_exit(0);
    assert_eq!(dropped.records().len(), 8);
    let without = dedup(&dir.path().join("c.db"), &[], &docs).expect_exit(0);
    let duplicates = statuses(&without)
        .iter()
        .filter(|status| **status != new)
        .count();
    assert_eq!(duplicates, 1);
    // Titles are stored in any case, so that they can be compared later. Of several documents, the
    // earliest is named.
    let later = [article("m", title, 20_000)];
    let output = dedup(&dir.path().join("c.db"), &["--titles"], &later).expect_exit(0);
    assert_eq!(statuses(&output), [same_title("a")]);
}

#[test]
fn a_title_of_the_wrong_type_is_an_error_only_if_titles_are_compared() {
    let dir = temp_folder();
    let docs = [json!({"title": 7, "text": words(0, 100)})];
    let output = dedup(&dir.path().join("a.db"), &["--titles"], &docs).expect_exit(0);
    assert_eq!(output.records()[0]["error"]["kind"], "bad-field");
    let output = dedup(&dir.path().join("b.db"), &[], &docs).expect_exit(0);
    assert_eq!(output.records()[0]["dedup"]["status"], "new");
}

#[test]
fn titles_of_removed_steps_are_new_again() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let all = dedup(&index, &["--titles"], &documents(0..30)).expect_exit(0);
    let titles = statuses(&all)
        .iter()
        .filter(|status| status["status"] == "title")
        .count();
    assert_eq!(titles, 10);
    let again = dedup(
        &index,
        &["--titles", "--from-step", "10"],
        &documents(10..30),
    );
    assert_eq!(again.expect_exit(0).records(), all.records()[10..]);
}

#[test]
fn a_killed_step_is_repeated_with_the_same_output() {
    let dir = temp_folder();
    let expected = dedup(
        &dir.path().join("whole.db"),
        &["--titles"],
        &documents(0..60),
    );
    let expected = expected.expect_exit(0).stdout;
    for killed_after in [1, 11, 32] {
        let index = dir.path().join(format!("{killed_after}.db"));
        let mut output = output_until_killed(&index, killed_after);
        let step = killed_after.to_string();
        let args = ["--titles", "--from-step", &step];
        output += &dedup(&index, &args, &documents(killed_after..60))
            .expect_exit(0)
            .stdout;
        assert_eq!(output, expected);
    }
}

/// Kills a run after `n` output lines, when it has read more documents. Returns these lines.
fn output_until_killed(index: &Path, n: usize) -> String {
    let mut tool = Command::new(tool_path("dedup"))
        .arg("--index")
        .arg(index)
        .args(["--titles", "--from-step", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("dedup starts");
    let mut stdin = tool.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(tool.stdout.take().expect("a pipe"));
    let mut output = String::new();
    for pair in documents(0..2 * n).chunks(2) {
        stdin
            .write_all(format!("{}\n{}\n", pair[0], pair[1]).as_bytes())
            .expect("dedup reads");
        stdout.read_line(&mut output).expect("dedup writes");
    }
    tool.kill().expect("dedup runs");
    tool.wait().expect("dedup ends");
    output
}

#[test]
fn the_journal_rebuilds_the_titles() {
    let dir = temp_folder();
    let [index, other, journal] =
        ["seen.db", "other.db", "journal.jsonl"].map(|name| dir.path().join(name));
    let initial = json!({
        "id": "sample", "title": "The sample article about gold", "text": words(900_000, 100),
        "label": "gold",
    });
    let steps = dedup(&index, &["--titles"], &documents(1..30)).expect_exit(0);
    std::fs::write(&journal, format!("{initial}\n{}", steps.stdout)).expect("a journal");
    let rebuild = [
        "--titles",
        "--rebuild",
        journal.to_str().expect("a path in UTF-8"),
    ];
    dedup(&other, &rebuild, &[]).expect_exit(0);
    let next = [
        json!({"title": "THE sample article about gold", "text": words(800_000, 100)}),
        json!({"title": "Gold mine number 7 reopens", "text": words(810_000, 100)}),
    ];
    let expected = [
        json!({"status": "title", "of": "sample"}),
        json!({"status": "title", "of": "d7"}),
    ];
    assert_eq!(
        statuses(&dedup(&other, &["--titles"], &next).expect_exit(0)),
        expected
    );
    // An index that has all steps and titles is kept, and one that lacks steps is rebuilt.
    let if_behind = |step: &'static str| [&rebuild[..], &["--if-behind", step]].concat();
    assert_eq!(
        dedup(&other, &if_behind("30"), &[]).expect_exit(0).stderr,
        ""
    );
    dedup(&other, &["--from-step", "3"], &[]).expect_exit(0);
    let stderr = dedup(&other, &if_behind("30"), &[]).expect_exit(0).stderr;
    assert!(stderr.contains("lacks steps of"), "{stderr}");
    assert_eq!(
        statuses(&dedup(&other, &["--titles"], &next).expect_exit(0)),
        expected
    );
}
