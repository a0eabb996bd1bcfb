//! `dedup` as it is used: in pipes, over several runs, killed and started again.

use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

fn dedup(index: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> ToolOutput {
    let index = index.to_str().expect("a path in UTF-8");
    run_tool("dedup", ["--index", index].iter().chain(args), stdin)
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// `n` words in a row of an endless text.
fn words(first: usize, n: usize) -> String {
    (first..first + n)
        .map(|i| format!("beseda{i}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Documents `first`, `first + 1` …, one a step, every third a twin of the one before.
fn stream(first: usize, n: usize) -> Vec<Value> {
    let document = |i: usize| {
        let text = match i % 6 {
            2 => words((i - 1) * 1000, 200),
            5 => words((i - 1) * 1000, 205),
            _ => words(i * 1000, 200),
        };
        json!({"url": format!("http://a.test/{i}"), "id": format!("d{i}"), "text": text, "step": {"number": i, "target": "slv", "last": true}})
    };
    (first..first + n).map(document).collect()
}

#[test]
fn tells_new_exact_and_near_twins() {
    let dir = temp_folder();
    let docs = [
        json!({"id": "a", "text": words(0, 200)}),
        json!({"id": "b", "text": words(0, 200).replace(' ', "\n  ")}),
        json!({"id": "c", "text": words(0, 200) + " in to je konec"}),
        json!({"id": "d", "text": words(100, 200)}),
    ];
    let done = dedup(&dir.path().join("seen.db"), &[], lines(&docs)).expect_exit(0);
    let found: Vec<Value> = done
        .records()
        .into_iter()
        .map(|record| record["dedup"].clone())
        .collect();
    assert_eq!(
        found,
        [
            json!({"status": "new", "of": null}),
            json!({"status": "exact", "of": "a", "resemblance": 1.0}),
            json!({"status": "near", "of": "a", "resemblance": 0.98}),
            json!({"status": "new", "of": null}),
        ]
    );
}

#[test]
fn records_that_were_judged_before_are_not_compared_and_that_is_said() {
    let dir = temp_folder();
    let record = json!({"text": words(0, 200), "dedup": {"status": "new", "of": null}});
    let twice = lines(&[record.clone(), record]);
    let done = dedup(&dir.path().join("seen.db"), &["--drop"], &twice).expect_exit(0);
    assert_eq!(done.records().len(), 2);
    assert!(
        done.stderr.contains(
            "2 records have `dedup` already and were not compared; --force compares them"
        )
    );
    let forced = dedup(&dir.path().join("seen.db"), &["--drop", "--force"], &twice).expect_exit(0);
    assert_eq!((forced.records().len(), forced.stderr.as_str()), (1, ""));
}

#[test]
fn adds_its_key_and_carries_the_rest_byte_for_byte() {
    let dir = temp_folder();
    let line = r#"{ "n" : 1e5, "text":"\u010das je","x":123456789012345678901}"#;
    let done = dedup(&dir.path().join("seen.db"), &[], line).expect_exit(0);
    let kept = line.strip_suffix('}').expect("an object");
    assert_eq!(
        done.stdout,
        format!("{kept},\"dedup\":{{\"status\":\"new\",\"of\":null}}}}\n")
    );
}

#[test]
fn passes_on_what_is_no_document_or_is_judged() {
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
    // Nothing of it was indexed; and `--force` judges again.
    let forced = dedup(&dir.path().join("seen.db"), &["--force"], input)
        .expect_exit(0)
        .records();
    assert_eq!(forced[3]["dedup"]["status"], "new");
}

#[test]
fn a_field_of_the_wrong_type_is_an_error_of_the_record() {
    let dir = temp_folder();
    let docs = [
        json!({"text": 3}),
        json!({"text": "lep dan", "id": 7}),
        json!({"text": "lep dan", "step": "x"}),
        json!({"text": "lep dan"}),
    ];
    let records = dedup(&dir.path().join("seen.db"), &[], lines(&docs))
        .expect_exit(0)
        .records();
    for bad in &records[..3] {
        assert_eq!(
            (&bad["error"]["tool"], &bad["error"]["kind"]),
            (&json!("dedup"), &json!("bad-field")),
            "{bad}"
        );
        assert!(bad.get("dedup").is_none(), "{bad}");
    }
    assert_eq!(records[3]["dedup"]["status"], "new");
}

#[test]
fn drop_leaves_twins_out() {
    let dir = temp_folder();
    let docs = [
        json!({"id": "a", "text": "lep dan"}),
        json!({"id": "b", "text": "lep dan"}),
        json!({"id": "c", "text": "x", "dedup": {"status": "exact", "of": "z"}}),
        json!({"id": "d"}),
    ];
    let records = dedup(&dir.path().join("seen.db"), &["--drop"], lines(&docs))
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
fn output_does_not_depend_on_the_runs() {
    let dir = temp_folder();
    let docs = stream(0, 60);
    let whole = dedup(&dir.path().join("whole.db"), &[], lines(&docs))
        .expect_exit(0)
        .stdout;
    let pieces = dir.path().join("pieces.db");
    let cut: String = docs
        .chunks(7)
        .map(|docs| dedup(&pieces, &[], lines(docs)).expect_exit(0).stdout)
        .collect();
    assert_eq!(cut, whole);
    assert_eq!(whole.matches("\"status\":\"exact\"").count(), 10);
    assert_eq!(whole.matches("\"status\":\"near\"").count(), 10);
}

#[test]
fn steps_can_be_taken_back() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let first = dedup(&index, &[], lines(&stream(0, 60)))
        .expect_exit(0)
        .stdout;
    let again = dedup(&index, &["--from-step", "30"], lines(&stream(30, 30)))
        .expect_exit(0)
        .stdout;
    assert_eq!(
        again,
        first.split_inclusive('\n').skip(30).collect::<String>()
    );
    dedup(&index, &["--from-step", "0"], "").expect_exit(0);
    assert_eq!(
        dedup(&index, &[], lines(&stream(0, 60)))
            .expect_exit(0)
            .stdout,
        first
    );
}

#[test]
fn a_killed_run_goes_on_as_if_it_had_not_been() {
    let dir = temp_folder();
    let want = dedup(&dir.path().join("whole.db"), &[], lines(&stream(0, 90)))
        .expect_exit(0)
        .stdout;
    for killed_after in [1, 20, 47] {
        let index = dir.path().join(format!("{killed_after}.db"));
        let mut got = answers_until_killed(&index, killed_after);
        let from = killed_after.to_string();
        got += &dedup(
            &index,
            &["--from-step", &from],
            lines(&stream(killed_after, 90 - killed_after)),
        )
        .expect_exit(0)
        .stdout;
        assert_eq!(got, want);
    }
}

/// Feeds documents as a pipeline does, and kills the tool once it has answered `n` of them, with
/// more of them read.
fn answers_until_killed(index: &Path, n: usize) -> String {
    let mut tool = Command::new(tool_path("dedup"));
    tool.arg("--index")
        .arg(index)
        .args(["--from-step", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut tool = tool.spawn().expect("dedup starts");
    let mut to = tool.stdin.take().expect("a pipe");
    let mut from = BufReader::new(tool.stdout.take().expect("a pipe"));
    let mut answered = String::new();
    // Twice as many are written as are read, so that the index holds steps which the answers lack.
    for batch in stream(0, 2 * n).chunks(2) {
        to.write_all(lines(batch).as_bytes()).expect("dedup reads");
        from.read_line(&mut answered).expect("dedup answers");
    }
    tool.kill().expect("dedup runs");
    tool.wait().expect("dedup ends");
    answered
}

#[test]
fn what_was_answered_in_a_pipeline_is_never_forgotten() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    answers_until_killed(&index, 20);
    let records = dedup(&index, &[], lines(&stream(0, 20)))
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
fn answers_line_by_line() {
    let dir = temp_folder();
    assert_eq!(
        answers_until_killed(&dir.path().join("seen.db"), 5)
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
    let failed = json!({"text": words(600_000, 100), "error": {"tool": "x", "kind": "timeout", "message": ""}});
    let judged = dedup(&index, &[], lines(&stream(0, 30)))
        .expect_exit(0)
        .stdout;
    std::fs::write(&journal, format!("{initial}\n{judged}{failed}\n")).expect("a journal");
    let rebuild = ["--rebuild", journal.to_str().expect("a path in UTF-8")];
    // Twice: what an index held before is no matter.
    for _ in 0..2 {
        assert_eq!(dedup(&other, &rebuild, "").expect_exit(0).stdout, "");
    }
    let next = [
        stream(20, 20),
        vec![initial, json!({"id": "new", "text": words(600_000, 100)})],
    ]
    .concat();
    let mut want = dedup(&index, &["--from-step", "30"], lines(&next))
        .expect_exit(0)
        .records();
    // The first index never saw the initial text.
    want[20]["dedup"] = json!({"status": "exact", "of": "seed", "resemblance": 1.0});
    assert_eq!(
        dedup(&other, &[], lines(&next)).expect_exit(0).records(),
        want
    );
}

#[test]
fn only_an_index_that_lacks_steps_is_rebuilt_if_it_is_behind() {
    let dir = temp_folder();
    let [index, journal] = ["seen.db", "journal.jsonl"].map(|name| dir.path().join(name));
    std::fs::write(
        &journal,
        dedup(&dir.path().join("live.db"), &[], lines(&stream(1, 30)))
            .expect_exit(0)
            .stdout,
    )
    .unwrap();
    let rebuild = |next: &str| {
        dedup(
            &index,
            &["--rebuild", journal.to_str().unwrap(), "--if-behind", next],
            "",
        )
        .expect_exit(0)
        .stderr
    };
    dedup(&index, &["--threshold", "0.8"], lines(&stream(1, 10))).expect_exit(0);
    assert_eq!(rebuild("11"), "");
    assert!(rebuild("31").contains("lacks steps of"));
    assert_eq!(rebuild("31"), "");
    // It contains the later steps, and is for the same threshold as before.
    let again = dedup(&index, &["--threshold", "0.8"], lines(&stream(1, 30)))
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
fn a_step_counts_when_it_is_complete_and_one_that_broke_off_is_forgotten() {
    let dir = temp_folder();
    let [index, journal] = ["seen.db", "journal.jsonl"].map(|name| dir.path().join(name));
    std::fs::write(
        &journal,
        dedup(&dir.path().join("live.db"), &[], lines(&stream(1, 3)))
            .expect_exit(0)
            .stdout,
    )
    .unwrap();
    let bring = |next: &str| {
        dedup(
            &index,
            &["--rebuild", journal.to_str().unwrap(), "--if-behind", next],
            "",
        )
        .expect_exit(0)
        .stderr
    };
    let mut first_of_step = stream(3, 1);
    first_of_step[0]["step"]["last"] = false.into();
    dedup(&index, &[], lines(&[stream(1, 2), first_of_step].concat())).expect_exit(0);
    assert!(
        bring("4").contains("lacks steps of"),
        "a part of step 3 is not step 3"
    );
    assert_eq!(bring("4"), "");
    // The journal goes no further than step 2.
    assert_eq!(bring("3"), "");
    assert_eq!(
        dedup(&index, &[], lines(&stream(3, 1)))
            .expect_exit(0)
            .records()[0]["dedup"]["status"],
        "new"
    );
}

#[test]
fn a_document_of_which_a_later_tool_failed_stays_in_an_index_that_is_rebuilt() {
    let dir = temp_folder();
    let [index, journal] = ["seen.db", "journal.jsonl"].map(|name| dir.path().join(name));
    let error = json!({"tool": "langid", "kind": "internal", "message": ""});
    let record = |n: usize, dedup: Value| json!({"text": words(n * 1000, 200), "dedup": dedup, "error": error});
    let failed_before = json!({"text": words(2000, 200), "error": error});
    let records = [
        record(1, json!({"status": "new", "of": null})),
        failed_before,
    ];
    std::fs::write(&journal, lines(&records)).unwrap();
    dedup(&index, &["--rebuild", journal.to_str().unwrap()], "").expect_exit(0);
    let again = [1, 2].map(|n| json!({"text": words(n * 1000, 200)}));
    let judged = dedup(&index, &[], lines(&again)).expect_exit(0).records();
    assert_eq!(
        (&judged[0]["dedup"]["status"], &judged[1]["dedup"]["status"]),
        (&json!("exact"), &json!("new"))
    );
}

#[test]
fn a_journal_that_is_missing_costs_no_index() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    dedup(&index, &[], lines(&stream(0, 3))).expect_exit(0);
    let missing = dir.path().join("none.jsonl");
    let done = dedup(
        &index,
        &["--rebuild", missing.to_str().expect("a path in UTF-8")],
        "",
    )
    .expect_exit(2);
    assert!(done.stderr.contains("none.jsonl"), "{}", done.stderr);
    assert_eq!(
        dedup(&index, &[], lines(&stream(0, 1)))
            .expect_exit(0)
            .records()[0]["dedup"]["status"],
        "exact"
    );
}

#[test]
fn a_threshold_can_be_raised_and_not_lowered() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let first = json!({"id": "a", "text": words(0, 100)});
    let second = json!({"id": "b", "text": words(0, 94) + &words(900, 6)});
    dedup(&index, &["--threshold", "0.8"], lines(&[first])).expect_exit(0);
    let low = dedup(&index, &["--threshold", "0.7"], "").expect_exit(2);
    assert!(
        low.stderr.starts_with("dedup: ") && low.stderr.contains("0.8"),
        "{}",
        low.stderr
    );
    let status = |args: &[&str]| {
        dedup(&index, args, lines(std::slice::from_ref(&second)))
            .expect_exit(0)
            .records()[0]["dedup"]
            .clone()
    };
    assert_eq!(status(&[])["status"], "near");
    assert_eq!(status(&["--threshold", "0.95"])["status"], "new");
}

#[test]
fn a_file_that_is_no_index_is_refused_and_left_as_it_is() {
    let dir = temp_folder();
    let foreign = dir.path().join("foreign.db");
    let text = b"this is no database\n".repeat(500);
    std::fs::write(&foreign, &text).expect("a file");
    let done = dedup(&foreign, &[], lines(&stream(0, 1))).expect_exit(2);
    assert!(
        done.stderr.contains("foreign.db") && !done.stderr.contains("panicked"),
        "{}",
        done.stderr
    );
    assert_eq!(std::fs::read(&foreign).expect("a file"), text);
}

#[test]
fn an_index_that_cannot_be_written_stops_it() {
    let dir = temp_folder();
    for path in [
        Path::new("/dev/full"),
        &dir.path().join("no/such/folder/seen.db"),
        dir.path(),
    ] {
        let done = dedup(path, &[], lines(&stream(0, 1))).expect_exit(2);
        assert!(
            done.stderr.starts_with("dedup: ") && !done.stderr.contains("defect"),
            "{}",
            done.stderr
        );
        assert_eq!(done.stdout, "");
    }
}

#[test]
fn a_full_disk_stops_it_and_what_it_answered_is_kept() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    dedup(&index, &[], "").expect_exit(0);
    // A limit on the size of files stands for a disk that fills up.
    let mut limited = Command::new("bash");
    let script = "trap '' XFSZ; ulimit -f 300; exec \"$0\" --index \"$1\" --from-step 0";
    limited
        .args(["-c", script])
        .arg(tool_path("dedup"))
        .arg(&index);
    let docs = stream(0, 3000);
    let done = forage_tests::run_command(limited, lines(&docs)).expect_exit(2);
    assert!(done.stderr.contains("seen.db"), "{}", done.stderr);
    let answered = done.records().len();
    assert!(answered < docs.len());
    let again = dedup(&index, &[], lines(&docs[..answered]))
        .expect_exit(0)
        .records();
    assert!(
        again
            .iter()
            .all(|record| record["dedup"]["status"] != "new")
    );
}
