//! `dedup --paragraphs`: the paragraphs that repeat earlier text.

use forage_tests::{run_bash, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns a paragraph of `words` words, which has no sequence of words with others in common.
fn paragraph(number: usize, words: usize) -> String {
    let words = (0..words).map(|word| format!("beseda{number}x{word}"));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns documents of three paragraphs, of which the second is that of the document ten before.
fn documents(from: usize, to: usize) -> Vec<String> {
    let text = |i: usize| {
        [
            paragraph(3 * i, 12),
            paragraph(3 * (i % 10) + 1, 9),
            paragraph(3 * i + 2, 40),
        ]
        .join("\n")
    };
    let line = |i: usize| {
        let step = json!({"number": i, "target": "slv", "last": true});
        format!(
            "{}\n",
            json!({"id": i.to_string(), "step": step, "text": text(i)})
        )
    };
    (from..to).map(line).collect()
}

fn dedup(args: &[&str], stdin: &str) -> Vec<Value> {
    let args = [&["--paragraphs"], args].concat();
    run_tool("dedup", args, stdin).expect_exit(0).records()
}

/// Returns the numbers of the repeated paragraphs of each record.
fn repeated(records: &[Value]) -> Vec<Vec<u64>> {
    let numbers = |record: &Value| {
        let repeated = record["dedup"]["repeated"].as_array().expect("an array");
        let number = |repeated: &Value| repeated["paragraph"].as_u64().expect("a number");
        repeated.iter().map(number).collect()
    };
    records.iter().map(numbers).collect()
}

#[test]
fn marks_the_paragraphs_of_earlier_documents_and_keeps_the_text() {
    let menu = "Domov in novice\nO nas in naših ljudeh";
    let input = [
        json!({"text": format!("{menu}\n{}", paragraph(1, 20))}),
        json!({"text": format!("{menu}\n{}\n{}", paragraph(2, 20), paragraph(1, 20))}),
        json!({"text": "ena dve"}),
        json!({"url": "http://a.test/"}),
    ];
    let lines: String = input.iter().map(|record| format!("{record}\n")).collect();
    let records = dedup(&[], &lines);
    assert_eq!(
        records[1]["dedup"],
        json!({"status": "new", "of": null, "repeated": [
            {"paragraph": 1, "share": 1.0}, {"paragraph": 3, "share": 1.0}
        ]})
    );
    assert_eq!(records[1]["text"], input[1]["text"]);
    assert!(repeated(&records[..3])[0].is_empty());
    assert_eq!(records[3], input[3]);
    // Without the option, as ever.
    let plain = run_tool("dedup", &[] as &[&str], &lines).expect_exit(0);
    assert_eq!(
        plain.records()[1]["dedup"],
        json!({"status": "new", "of": null})
    );
}

#[test]
fn the_share_is_that_of_the_option() {
    let mut words: Vec<String> = paragraph(1, 24).split(' ').map(str::to_owned).collect();
    let first = words.join(" ");
    words[10] = "tujka".into();
    let lines = [first, words.join(" ")].map(|text| format!("{}\n", json!({"text": text})));
    let lines = lines.concat();
    // Five of 20 sequences have the other word.
    let share = |share: &str| {
        let args = [&format!("--paragraphs={share}"), "--threshold", "1"];
        let records = run_tool("dedup", args, &lines).expect_exit(0).records();
        records[1]["dedup"]["repeated"].clone()
    };
    assert_eq!(share("0.7"), json!([{"paragraph": 0, "share": 0.75}]));
    assert_eq!(share("0.75"), json!([]));
    for wrong in ["1", "-0.1", "x"] {
        let args = [format!("--paragraphs={wrong}")];
        run_tool("dedup", args, "").expect_exit(2);
    }
}

#[test]
fn the_result_does_not_depend_on_threads_runs_or_when_the_index_was_made() {
    let dir = temp_folder();
    let index = dir.path().join("seen.db");
    let index = ["--index", index.to_str().expect("a path in UTF-8")];
    let all = documents(0, 700);
    let expected = dedup(&["--jobs", "1"], &all.concat());
    let marked = repeated(&expected);
    assert!(marked[..10].iter().all(Vec::is_empty));
    assert!(marked[10..].iter().all(|numbers| numbers == &[1]));
    assert_eq!(dedup(&["--jobs", "5"], &all.concat()), expected);
    // The first part without paragraphs.
    run_tool("dedup", index, all[..300].concat()).expect_exit(0);
    let mut records = dedup(&index, &all[300..500].concat());
    // A missing table of the sequences.
    std::fs::remove_file(dir.path().join("seen.db-paragraphs-keys")).unwrap();
    records.extend(dedup(&index, &all[500..].concat()));
    assert_eq!(records, expected[300..]);
    // Of a corpus that is not changed, and of one in memory.
    let against = ["--against", index[1]];
    assert_eq!(
        repeated(&dedup(&against, &all[..5].concat())),
        vec![vec![0, 1, 2]; 5]
    );
    let other = dir.path().join("other.jsonl");
    std::fs::write(&other, all[..10].concat()).unwrap();
    let against = ["--against", other.to_str().unwrap()];
    assert_eq!(
        repeated(&dedup(&against, &all[10..12].concat())),
        vec![vec![1]; 2]
    );
}

/// Runs dedup as a step of a pipeline, kills it after `n` lines of output, when it has read more
/// documents, and returns these lines.
fn output_until_killed(index: &Path, n: usize) -> String {
    let mut tool = Command::new(tool_path("dedup"))
        .args(["--paragraphs", "--from-step", "0", "--index"])
        .arg(index)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("dedup starts");
    let mut stdin = tool.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(tool.stdout.take().expect("a pipe"));
    let mut output = String::new();
    for batch in documents(0, 2 * n).chunks(2) {
        let lines = batch.concat();
        stdin.write_all(lines.as_bytes()).expect("dedup reads");
        stdout.read_line(&mut output).expect("dedup writes");
    }
    tool.kill().expect("dedup runs");
    tool.wait().expect("dedup ends");
    output
}

#[test]
fn a_killed_run_is_resumed_with_the_same_output() {
    let all = documents(0, 120);
    let expected = run_tool("dedup", ["--paragraphs"], all.concat()).expect_exit(0);
    let dir = temp_folder();
    for killed_after in [1, 13, 47] {
        let index = dir.path().join(format!("{killed_after}.db"));
        let mut output = output_until_killed(&index, killed_after);
        let step = killed_after.to_string();
        let path = index.to_str().unwrap();
        let args = ["--paragraphs", "--index", path, "--from-step", &step];
        let rest = run_tool("dedup", args, all[killed_after..].concat()).expect_exit(0);
        output += &rest.stdout;
        assert_eq!(output, expected.stdout, "{killed_after}");
    }
}

#[test]
fn the_command_of_the_man_page_drops_repeated_paragraphs() {
    let sections = include_str!("../../tools/dedup/src/sections.txt");
    let (_, command) = sections
        .split_once("  $ dedup --paragraphs")
        .expect("an example");
    let (command, _) = command.split_once("\n\n").expect("its end");
    let dedup = tool_path("dedup");
    let script = format!(
        "cd \"$(mktemp -d)\" && cat > docs.jsonl && {} --paragraphs{command} && cat shorter.jsonl",
        dedup.display()
    );
    let input = [documents(0, 11).concat(), "{\"text\":null}\n".into()].concat();
    let output = run_bash(&script, input).expect_exit(0).records();
    let original: Value = serde_json::from_str(&documents(0, 11)[10]).unwrap();
    let text = original["text"].as_str().unwrap();
    let kept: Vec<&str> = text.split('\n').collect();
    assert_eq!(output[10]["text"], [kept[0], kept[2]].join("\n"));
    assert_eq!(output[11]["text"], Value::Null);
}
