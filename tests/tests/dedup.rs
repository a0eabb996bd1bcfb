//! `dedup` in typical use: in pipes, over several runs, killed and restarted.

use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn dedup(index: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> ToolOutput {
    let index = index.to_str().expect("a path in UTF-8");
    run_tool("dedup", ["--index", index].iter().chain(args), stdin)
}

/// Formats records as JSON lines.
fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Returns `n` consecutive words of an endless text.
fn words(first: usize, n: usize) -> String {
    (first..first + n)
        .map(|i| format!("beseda{i}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns `n` documents from number `first`, one per step. Each third one duplicates the document
/// before it.
fn documents_from(first: usize, n: usize) -> Vec<Value> {
    let document = |i: usize| {
        let text = match i % 6 {
            2 => words((i - 1) * 1000, 200),
            5 => words((i - 1) * 1000, 205),
            _ => words(i * 1000, 200),
        };
        json!({
            "url": format!("http://a.test/{i}"),
            "id": format!("d{i}"),
            "text": text,
            "step": {"number": i, "target": "slv", "last": true},
        })
    };
    (first..first + n).map(document).collect()
}

#[test]
fn distinguishes_new_documents_and_exact_and_near_duplicates() {
    let dir = temp_folder();
    let docs = [
        json!({"id": "a", "text": words(0, 200)}),
        json!({"id": "b", "text": words(0, 200).replace(' ', "\n  ")}),
        json!({"id": "c", "text": words(0, 200) + " in to je konec"}),
        json!({"id": "d", "text": words(100, 200)}),
    ];
    let output = dedup(&dir.path().join("seen.db"), &[], to_lines(&docs)).expect_exit(0);
    let statuses: Vec<Value> = output
        .records()
        .into_iter()
        .map(|record| record["dedup"].clone())
        .collect();
    assert_eq!(
        statuses,
        [
            json!({"status": "new", "of": null}),
            json!({"status": "exact", "of": "a", "resemblance": 1.0}),
            json!({"status": "near", "of": "a", "resemblance": 0.98}),
            json!({"status": "new", "of": null}),
        ]
    );
}

#[test]
fn records_with_a_status_are_not_compared_and_that_is_reported() {
    let dir = temp_folder();
    let record = json!({"text": words(0, 200), "dedup": {"status": "new", "of": null}});
    let twice = to_lines(&[record.clone(), record]);
    let output = dedup(&dir.path().join("seen.db"), &["--drop"], &twice).expect_exit(0);
    assert_eq!(output.records().len(), 2);
    assert!(output.stderr.contains("with `dedup` already (--force)"));
    let forced = dedup(&dir.path().join("seen.db"), &["--drop", "--force"], &twice).expect_exit(0);
    assert_eq!(forced.records().len(), 1);
    assert_eq!(forced.stderr, "dedup: 1 of 2 records left out\n");
}

#[test]
fn adds_its_field_and_keeps_the_others_byte_for_byte() {
    let dir = temp_folder();
    let line = r#"{ "n" : 1e5, "text":"\u010das je","x":123456789012345678901}"#;
    let output = dedup(&dir.path().join("seen.db"), &[], line).expect_exit(0);
    let unclosed = line.strip_suffix('}').expect("an object");
    assert_eq!(
        output.stdout,
        format!("{unclosed},\"dedup\":{{\"status\":\"new\",\"of\":null}}}}\n")
    );
}

#[test]
fn records_without_a_text_or_with_a_status_pass_through() {
    let dir = temp_folder();
    let input = concat!(
        "{\"n\":1}\n",
        "{\"text\":null}\n",
        "{\"text\":\"a b c\",\"error\":{\"tool\":\"x\",\"kind\":\"timeout\",\"message\":\"\"}}\n",
        "{\"text\":\"a b c\",\"dedup\":{\"status\":\"near\",\"of\":\"z\"}}\n",
    );
    assert_eq!(
        dedup(&dir.path().join("seen.db"), &[], input)
            .expect_exit(0)
            .stdout,
        input
    );
    // None of the records was indexed, and `--force` replaces the status.
    let forced = dedup(&dir.path().join("seen.db"), &["--force"], input)
        .expect_exit(0)
        .records();
    assert_eq!(forced[3]["dedup"]["status"], "new");
}

#[test]
fn a_field_of_the_wrong_type_causes_an_error_record() {
    let dir = temp_folder();
    let docs = [
        json!({"text": 3}),
        json!({"title": 7, "text": "lep dan"}),
        json!({"text": "lep dan"}),
    ];
    let records = dedup(&dir.path().join("seen.db"), &["--titles"], to_lines(&docs))
        .expect_exit(0)
        .records();
    for bad in &records[..2] {
        assert_eq!(
            (&bad["error"]["tool"], &bad["error"]["kind"]),
            (&json!("dedup"), &json!("bad-field")),
            "{bad}"
        );
        assert!(bad.get("dedup").is_none(), "{bad}");
    }
    assert_eq!(records[2]["dedup"]["status"], "new");
}

#[test]
fn fields_of_other_programs_do_not_stop_the_comparison() {
    let docs = [
        json!({"id": 7, "text": "lep dan", "error": false, "step": "x"}),
        json!({"id": {"a": 1}, "text": "lep dan", "error": "timeout", "step": 3}),
        json!({"id": "b", "text": "lep dan", "error": {"code": 5}}),
    ];
    let output = run_tool("dedup", [""; 0], to_lines(&docs)).expect_exit(0);
    let marks: Vec<_> = output
        .records()
        .iter()
        .map(|record| record["dedup"].clone())
        .collect();
    let exact = json!({"status": "exact", "of": "7", "resemblance": 1.0});
    assert_eq!(
        marks,
        [json!({"status": "new", "of": null}), exact.clone(), exact]
    );
    assert_eq!(output.stderr, "");
}

#[test]
fn drop_removes_duplicates() {
    let dir = temp_folder();
    let docs = [
        json!({"id": "a", "text": "lep dan"}),
        json!({"id": "b", "text": "lep dan"}),
        json!({"id": "c", "text": "x", "dedup": {"status": "exact", "of": "z"}}),
        json!({"id": "d"}),
    ];
    let records = dedup(&dir.path().join("seen.db"), &["--drop"], to_lines(&docs))
        .expect_exit(0)
        .records();
    assert_eq!(
        records
            .iter()
            .map(|record| &record["id"])
            .collect::<Vec<_>>(),
        ["a", "d"]
    );
}

#[test]
fn output_does_not_depend_on_the_division_into_runs() {
    let dir = temp_folder();
    let docs = documents_from(0, 60);
    let whole = dedup(&dir.path().join("whole.db"), &[], to_lines(&docs))
        .expect_exit(0)
        .stdout;
    let parts_index = dir.path().join("pieces.db");
    let parts: String = docs
        .chunks(7)
        .map(|docs| {
            dedup(&parts_index, &[], to_lines(docs))
                .expect_exit(0)
                .stdout
        })
        .collect();
    assert_eq!(parts, whole);
    assert_eq!(whole.matches("\"status\":\"exact\"").count(), 10);
    assert_eq!(whole.matches("\"status\":\"near\"").count(), 10);
}

#[test]
fn steps_can_be_removed() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let first = dedup(&index, &[], to_lines(&documents_from(0, 60)))
        .expect_exit(0)
        .stdout;
    let again = dedup(
        &index,
        &["--from-step", "30"],
        to_lines(&documents_from(30, 30)),
    )
    .expect_exit(0)
    .stdout;
    assert_eq!(
        again,
        first.split_inclusive('\n').skip(30).collect::<String>()
    );
    dedup(&index, &["--from-step", "0"], "").expect_exit(0);
    assert_eq!(
        dedup(&index, &[], to_lines(&documents_from(0, 60)))
            .expect_exit(0)
            .stdout,
        first
    );
}

#[test]
fn a_killed_run_is_resumed_with_the_same_output() {
    let dir = temp_folder();
    let expected = dedup(
        &dir.path().join("whole.db"),
        &[],
        to_lines(&documents_from(0, 90)),
    )
    .expect_exit(0)
    .stdout;
    for killed_after in [1, 20, 47] {
        let index = dir.path().join(format!("{killed_after}.db"));
        let mut output = outputs_until_killed(&index, killed_after);
        let first_repeated = killed_after.to_string();
        output += &dedup(
            &index,
            &["--from-step", &first_repeated],
            to_lines(&documents_from(killed_after, 90 - killed_after)),
        )
        .expect_exit(0)
        .stdout;
        assert_eq!(output, expected);
    }
}

/// Runs dedup as a step of a pipeline, and kills it after `n` output lines, when it has read more
/// documents. Returns these lines.
fn outputs_until_killed(index: &Path, n: usize) -> String {
    let mut tool = Command::new(tool_path("dedup"));
    tool.arg("--index")
        .arg(index)
        .args(["--from-step", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut tool = tool.spawn().expect("dedup starts");
    let mut tool_stdin = tool.stdin.take().expect("a pipe");
    let mut tool_stdout = BufReader::new(tool.stdout.take().expect("a pipe"));
    let mut output = String::new();
    // Twice as many lines are written as are read, so that the index contains more steps than the
    // output.
    for batch in documents_from(0, 2 * n).chunks(2) {
        tool_stdin
            .write_all(to_lines(batch).as_bytes())
            .expect("dedup reads");
        tool_stdout.read_line(&mut output).expect("dedup writes");
    }
    tool.kill().expect("dedup runs");
    tool.wait().expect("dedup ends");
    output
}

#[test]
fn in_a_pipeline_the_index_contains_all_written_documents() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    outputs_until_killed(&index, 20);
    let records = dedup(&index, &[], to_lines(&documents_from(0, 20)))
        .expect_exit(0)
        .records();
    assert!(
        records
            .iter()
            .all(|record| record["dedup"]["status"] != "new"),
        "{records:?}"
    );
}

#[test]
fn responds_line_by_line() {
    let dir = temp_folder();
    assert_eq!(
        outputs_until_killed(&dir.path().join("seen.db"), 5)
            .lines()
            .count(),
        5
    );
}

#[test]
fn the_journal_rebuilds_the_index() {
    let dir = temp_folder();
    let [index, journal, other] =
        ["seen.db", "journal.jsonl", "other.db"].map(|name| dir.path().join(name));
    let initial = json!({"id": "seed", "text": words(500_000, 100), "label": "slv"});
    let failed = json!({
        "text": words(600_000, 100),
        "error": {"tool": "x", "kind": "timeout", "message": ""},
    });
    let labelled = dedup(&index, &[], to_lines(&documents_from(0, 30)))
        .expect_exit(0)
        .stdout;
    std::fs::write(&journal, format!("{initial}\n{labelled}{failed}\n")).expect("a journal");
    let rebuild = ["--rebuild", journal.to_str().expect("a path in UTF-8")];
    // Twice, because the previous content of the index must not matter.
    for _ in 0..2 {
        assert_eq!(dedup(&other, &rebuild, "").expect_exit(0).stdout, "");
    }
    let next = [
        documents_from(20, 20),
        vec![initial, json!({"id": "new", "text": words(600_000, 100)})],
    ]
    .concat();
    let mut expected = dedup(&index, &["--from-step", "30"], to_lines(&next))
        .expect_exit(0)
        .records();
    // The first index does not contain the initial document.
    expected[20]["dedup"] = json!({"status": "exact", "of": "seed", "resemblance": 1.0});
    assert_eq!(
        dedup(&other, &[], to_lines(&next)).expect_exit(0).records(),
        expected
    );
}

/// Writes a journal of `steps` steps with one document each, as `dedup` marks them.
fn write_journal(folder: &Path, steps: usize) -> PathBuf {
    let journal = folder.join("journal.jsonl");
    let input = to_lines(&documents_from(1, steps));
    let output = dedup(&folder.join("live.db"), &[], input).expect_exit(0);
    std::fs::write(&journal, output.stdout).unwrap();
    journal
}

/// Rebuilds the index from the journal if it lacks a step before `next`; returns standard error.
fn rebuild_if_behind(index: &Path, journal: &Path, next: &str) -> String {
    let args = ["--rebuild", journal.to_str().unwrap(), "--if-behind", next];
    dedup(index, &args, "").expect_exit(0).stderr
}

#[test]
fn if_behind_rebuilds_only_an_index_that_lacks_steps() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let journal = write_journal(dir.path(), 30);
    let rebuild = |next: &str| rebuild_if_behind(&index, &journal, next);
    dedup(
        &index,
        &["--threshold", "0.8"],
        to_lines(&documents_from(1, 10)),
    )
    .expect_exit(0);
    assert_eq!(rebuild("11"), "");
    assert!(rebuild("31").contains("lacks steps of"));
    assert_eq!(rebuild("31"), "");
    // The index contains the later steps, and keeps its threshold.
    let again = dedup(
        &index,
        &["--threshold", "0.8"],
        to_lines(&documents_from(1, 30)),
    )
    .expect_exit(0)
    .records();
    assert!(
        again
            .iter()
            .all(|record| record["dedup"]["status"] != "new")
    );
    dedup(&index, &["--from-step", "20"], "").expect_exit(0);
    assert!(rebuild("31").contains("lacks steps of"));
}

#[test]
fn an_index_contains_a_step_only_if_the_step_is_complete() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let journal = write_journal(dir.path(), 3);
    let rebuild = |next: &str| rebuild_if_behind(&index, &journal, next);
    let mut first_of_step = documents_from(3, 1);
    first_of_step[0]["step"]["last"] = false.into();
    dedup(
        &index,
        &[],
        to_lines(&[documents_from(1, 2), first_of_step].concat()),
    )
    .expect_exit(0);
    assert!(
        rebuild("4").contains("lacks steps of"),
        "step 3 is incomplete"
    );
    assert_eq!(rebuild("4"), "");
    // The rebuilt index ends with step 2.
    assert_eq!(rebuild("3"), "");
    assert_eq!(
        dedup(&index, &[], to_lines(&documents_from(3, 1)))
            .expect_exit(0)
            .records()[0]["dedup"]["status"],
        "new"
    );
}

#[test]
fn a_rebuilt_index_contains_documents_for_which_a_later_tool_failed() {
    let dir = temp_folder();
    let [index, journal] = ["seen.db", "journal.jsonl"].map(|name| dir.path().join(name));
    let error = json!({"tool": "langid", "kind": "internal", "message": ""});
    let record = |n: usize, dedup: Value| {
        let text = words(n * 1000, 200);
        json!({"text": text, "dedup": dedup, "error": error})
    };
    let failed_before = json!({"text": words(2000, 200), "error": error});
    let records = [
        record(1, json!({"status": "new", "of": null})),
        failed_before,
    ];
    std::fs::write(&journal, to_lines(&records)).unwrap();
    dedup(&index, &["--rebuild", journal.to_str().unwrap()], "").expect_exit(0);
    let again = [1, 2].map(|n| json!({"text": words(n * 1000, 200)}));
    let labelled = dedup(&index, &[], to_lines(&again))
        .expect_exit(0)
        .records();
    assert_eq!(
        (
            &labelled[0]["dedup"]["status"],
            &labelled[1]["dedup"]["status"]
        ),
        (&json!("exact"), &json!("new"))
    );
}

#[test]
fn a_missing_journal_leaves_the_index_unchanged() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    dedup(&index, &[], to_lines(&documents_from(0, 3))).expect_exit(0);
    let missing = dir.path().join("none.jsonl");
    let output = dedup(
        &index,
        &["--rebuild", missing.to_str().expect("a path in UTF-8")],
        "",
    )
    .expect_exit(2);
    assert!(output.stderr.contains("none.jsonl"), "{}", output.stderr);
    assert_eq!(
        dedup(&index, &[], to_lines(&documents_from(0, 1)))
            .expect_exit(0)
            .records()[0]["dedup"]["status"],
        "exact"
    );
}

#[test]
fn texts_that_read_the_same_are_exact_duplicates() {
    let dir = temp_folder();
    let texts = [
        "L’acqua di l’isula hè «bona» – è fresca",
        "l'acqua di l'isula hè \"bona\" - è fre\u{ad}sca",
        "چه خبر می\u{200c}گويي",
        "چه خبر میگویی",
    ];
    let records = texts.map(|text| json!({"text": text}));
    let output = dedup(&dir.path().join("seen.db"), &[], to_lines(&records)).expect_exit(0);
    let statuses: Vec<Value> = output
        .records()
        .iter()
        .map(|record| record["dedup"]["status"].clone())
        .collect();
    assert_eq!(statuses, ["new", "exact", "new", "exact"]);
}

#[test]
fn the_threshold_can_be_raised_but_not_lowered() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let first = json!({"id": "a", "text": words(0, 100)});
    let second = json!({"id": "b", "text": words(0, 94) + &words(900, 6)});
    dedup(&index, &["--threshold", "0.8"], to_lines(&[first])).expect_exit(0);
    let low = dedup(&index, &["--threshold", "0.7"], "").expect_exit(2);
    assert!(
        low.stderr.starts_with("dedup: ") && low.stderr.contains("0.8"),
        "{}",
        low.stderr
    );
    let status = |args: &[&str]| {
        dedup(&index, args, to_lines(std::slice::from_ref(&second)))
            .expect_exit(0)
            .records()[0]["dedup"]
            .clone()
    };
    assert_eq!(status(&[])["status"], "near");
    assert_eq!(status(&["--threshold", "0.95"])["status"], "new");
}

#[test]
fn a_file_that_is_not_an_index_is_refused_and_left_unchanged() {
    let dir = temp_folder();
    let foreign = dir.path().join("foreign.db");
    let text = b"this is no database\n".repeat(500);
    std::fs::write(&foreign, &text).expect("a file");
    let output = dedup(&foreign, &[], to_lines(&documents_from(0, 1))).expect_exit(2);
    assert!(
        output.stderr.contains("foreign.db") && !output.stderr.contains("panicked"),
        "{}",
        output.stderr
    );
    assert_eq!(std::fs::read(&foreign).expect("a file"), text);
}

#[test]
fn an_unwritable_index_stops_the_tool() {
    let dir = temp_folder();
    for path in [
        Path::new("/dev/full"),
        &dir.path().join("no/such/folder/seen.db"),
        dir.path(),
    ] {
        let output = dedup(path, &[], to_lines(&documents_from(0, 1))).expect_exit(2);
        assert!(
            output.stderr.starts_with("dedup: ") && !output.stderr.contains("internal error"),
            "{}",
            output.stderr
        );
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn a_full_disk_stops_the_tool_and_the_index_contains_no_unwritten_document() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    dedup(&index, &[], "").expect_exit(0);
    // A limit on the file size simulates a full disk.
    let mut limited = Command::new("bash");
    let script = "trap '' XFSZ; ulimit -f 300; exec \"$0\" --index \"$1\" --from-step 0";
    limited
        .args(["-c", script])
        .arg(tool_path("dedup"))
        .arg(&index);
    let docs = documents_from(0, 3000);
    let output = forage_tests::run_command(limited, to_lines(&docs)).expect_exit(2);
    assert!(output.stderr.contains("seen.db"), "{}", output.stderr);
    let written = output.records().len();
    assert!(written < docs.len());
    let again = dedup(&index, &[], to_lines(&docs[..written]))
        .expect_exit(0)
        .records();
    assert!(
        again
            .iter()
            .all(|record| record["dedup"]["status"] != "new")
    );
}
