//! `topic-filter --feedback`: judgements of steps, the final judgement, and rebuilding.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const STEPS: u64 = 8;

/// A run folder with a journal and a state.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    /// Starts a run with the sample about gold.
    fn new() -> Run {
        let run = Run {
            folder: temp_folder(),
        };
        fs::write(run.path("journal.jsonl"), to_lines(&[sample()])).unwrap();
        run.tool(&["--rebuild", text(&run.path("journal.jsonl"))], "")
            .expect_exit(0);
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> ToolOutput {
        let state = self.path("topic.db");
        let mut all = vec!["--feedback", text(&state)];
        all.extend(args);
        run_tool("topic-filter", all, stdin)
    }

    fn judge(&self, step: u64, records: &[Value]) -> ToolOutput {
        self.tool(&["--from-step", &step.to_string()], to_lines(records))
            .expect_exit(0)
    }

    /// Executes a step and appends its records to the journal.
    fn finish_step(&self, step: u64) -> String {
        let judged = self.judge(step, &records_of_step(step)).stdout;
        let journal = self.path("journal.jsonl");
        let lines = fs::read_to_string(&journal).unwrap() + &judged;
        fs::write(journal, lines).unwrap();
        judged
    }

    fn rebuild(&self, args: &[&str]) -> ToolOutput {
        let journal = self.path("journal.jsonl");
        let mut all = vec!["--rebuild", text(&journal)];
        all.extend(args);
        self.tool(&all, "").expect_exit(0)
    }

    /// Returns the journal with the final labels.
    fn judge_finally(&self, args: &[&str]) -> Vec<Value> {
        let mut all = vec!["--final"];
        all.extend(args);
        let journal = fs::read(self.path("journal.jsonl")).unwrap();
        self.tool(&all, journal).expect_exit(0).records()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn sample() -> Value {
    json!({
        "id": "sample", "title": "Gold mining", "label": "on-topic", "langid": {"code": "eng"},
        "text": "The company opened a gold mine in Nevada. Ounces of gold are mined from ore.",
        "keywords": [["gold mine", 1.9, "gold mine"], ["gold", 1.6, "gold"], ["ore", 1.1, "ore"]],
    })
}

/// Returns article `number` on one of two subjects, with words of its own.
fn article(number: u64, is_about_gold: bool) -> Value {
    let places = ["Nevada", "Ontario", "Queensland", "Kenya"];
    let place = places[number as usize % 4];
    let text = if is_about_gold {
        format!("A mine in {place} produced {number} ounces of gold ore, the company said.")
    } else {
        format!("Farmers in {place} sold {number} tonnes of wheat and corn, the ministry said.")
    };
    let subject = if is_about_gold { "gold ore" } else { "wheat" };
    let keywords = json!([
        [subject, 1.6, subject],
        [place, 1.1, place.to_lowercase()],
        [format!("day{number}"), 1.1, format!("day{number}")],
    ]);
    json!({
        "id": format!("a{number}"), "text": text, "keywords": keywords,
        "about_gold": is_about_gold,
    })
}

/// Returns the records of a step: one article about gold, and two others, a duplicate, and an error.
fn records_of_step(step: u64) -> Vec<Value> {
    let mut records: Vec<Value> = (0..3)
        .map(|number| article(10 * step + number, number == 1))
        .collect();
    let mut duplicate = article(10 * step, true);
    duplicate["dedup"] = json!({"status": "exact", "of": null, "resemblance": 1});
    records.push(duplicate);
    records.push(json!({"error": {"tool": "fetch-extract", "kind": "timeout", "message": "x"}}));
    records.push(json!({"url": "http://a.test/"}));
    for record in &mut records {
        record["step"] = json!({"number": step, "target": "on-topic"});
    }
    records.last_mut().unwrap()["step"]["last"] = json!(true);
    records
}

fn finished_run() -> Run {
    let run = Run::new();
    (1..=STEPS).for_each(|step| drop(run.finish_step(step)));
    run
}

#[test]
fn the_documents_of_a_step_are_judged_in_order_and_other_fields_are_kept() {
    let run = finished_run();
    let records = records_of_step(STEPS + 1);
    let judged = run.judge(STEPS + 1, &records).records();
    assert_eq!(judged.len(), records.len());
    for (judged, record) in judged.iter().zip(&records) {
        let is_document = record.get("text").is_some();
        assert_eq!(judged.get("topic").is_some(), is_document, "{judged}");
        if is_document {
            assert_eq!(judged["topic"]["measure"], "feedback");
            let is_accepted = judged["topic"]["score"].as_f64().unwrap() >= 0.5;
            assert_eq!(judged["label"] == "on-topic", is_accepted);
            assert_eq!(record["about_gold"], is_accepted, "{judged}");
        }
        let mut rest = judged.clone();
        for key in ["topic", "label"] {
            rest.as_object_mut().unwrap().remove(key);
        }
        assert_eq!(rest, *record);
    }
}

#[test]
fn the_first_articles_are_compared_with_the_samples() {
    let run = Run::new();
    let judged = run.judge(1, &records_of_step(1)).records();
    let scores: Vec<f64> = judged
        .iter()
        .filter_map(|record| record["topic"]["score"].as_f64())
        .collect();
    // Of the three articles, and the duplicate, the second and the last are about gold.
    assert_eq!(scores.len(), 4);
    assert!(scores[1] > 0.5 && scores[3] > 0.5, "{scores:?}");
    assert!(scores[0] < 0.1 && scores[2] < 0.1, "{scores:?}");
    for record in judged.iter().filter(|record| !record["topic"].is_null()) {
        let is_accepted = record["topic"]["score"].as_f64() >= Some(0.5);
        let label = ["off-topic", "on-topic"][usize::from(is_accepted)];
        assert_eq!(record["label"], label, "{record}");
    }
}

#[test]
fn the_final_model_judges_all_documents_of_steps_again_and_changes_no_other_record() {
    let run = finished_run();
    let before: Vec<Value> = fs::read_to_string(run.path("journal.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let after = run.judge_finally(&[]);
    assert_eq!(after.len(), before.len());
    for (after, before) in after.iter().zip(&before) {
        if after.get("step").is_some() && after.get("text").is_some() {
            let label = if after["about_gold"] == true {
                "on-topic"
            } else {
                "off-topic"
            };
            assert_eq!(after["label"], label, "{after}");
        } else {
            assert_eq!(after, before);
        }
    }
    assert!(after != before, "the scores are those of another model");
    let none = run.judge_finally(&["--threshold", "9"]);
    let is_accepted =
        |record: &Value| record.get("step").is_some() && record["label"] == "on-topic";
    assert!(!none.iter().any(is_accepted));
    assert_eq!(
        run.judge_finally(&["--jobs", "1"]),
        run.judge_finally(&["--jobs", "3"])
    );
}

#[test]
fn a_state_that_grew_and_one_that_was_rebuilt_give_equal_results() {
    let run = finished_run();
    let next = records_of_step(STEPS + 1);
    let grown = (run.judge(STEPS + 1, &next).stdout, run.judge_finally(&[]));
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(run.path(&format!("topic.db{suffix}")));
    }
    run.rebuild(&[]);
    let rebuilt = run.judge_finally(&[]);
    let rebuilt_step = run.judge(STEPS + 1, &next).stdout;
    assert_eq!(rebuilt_step, grown.0);
    // The final judgement of the grown state included the step that is not in the journal.
    assert_eq!(run.judge_finally(&[]), grown.1);
    assert_ne!(rebuilt, grown.1);
}

#[test]
fn a_step_that_was_killed_is_repeated_with_equal_bytes() {
    let run = finished_run();
    let first = run.judge(STEPS + 1, &records_of_step(STEPS + 1)).stdout;
    assert_eq!(
        run.judge(STEPS + 1, &records_of_step(STEPS + 1)).stdout,
        first
    );
    // Killed before the last record.
    let some = &records_of_step(STEPS + 1)[..2];
    run.judge(STEPS + 1, some);
    assert_eq!(
        run.judge(STEPS + 1, &records_of_step(STEPS + 1)).stdout,
        first
    );
    // A later step is forgotten, too.
    run.judge(STEPS + 2, &records_of_step(STEPS + 2));
    assert_eq!(
        run.judge(STEPS + 1, &records_of_step(STEPS + 1)).stdout,
        first
    );
}

#[test]
fn a_state_is_rebuilt_if_it_lacks_steps_and_else_forgets_later_ones() {
    let run = finished_run();
    let expected = run.judge_finally(&[]);
    run.judge(STEPS + 1, &records_of_step(STEPS + 1));
    let next = (STEPS + 1).to_string();
    let settled = run.rebuild(&["--if-behind", &next]);
    assert_eq!(settled.stderr, "");
    assert_eq!(run.judge_finally(&[]), expected);
    run.judge(STEPS, &[]);
    assert!(run.judge_finally(&[]) != expected);
    let rebuilt = run.rebuild(&["--if-behind", &next]);
    assert!(rebuilt.stderr.contains("lacks steps"), "{}", rebuilt.stderr);
    assert_eq!(run.judge_finally(&[]), expected);
    assert!(!run.path("topic.db-wal").exists());
}

#[test]
fn fields_of_the_wrong_type_cause_error_records_and_are_not_learned() {
    let run = finished_run();
    let expected = run.judge_finally(&[]);
    for (key, value) in [
        ("text", json!(3)),
        ("keywords", json!("gold")),
        ("step", json!({"number": "x"})),
    ] {
        let mut record = records_of_step(STEPS + 1).remove(1);
        record[key] = value;
        let output = run.judge(STEPS + 1, &[record.clone()]).records();
        assert_eq!(output[0]["error"]["kind"], "bad-field", "{key}");
        assert!(output[0].get("topic").is_none());
        assert_eq!(run.judge_finally(&[]), expected, "{key}");
    }
    let junk = run
        .tool(&["--from-step", "99"], "junk\n{}\n")
        .expect_exit(1);
    assert_eq!(junk.stdout, "{}\n");
}

#[test]
fn a_state_that_cannot_be_used_is_reported_with_the_remedy() {
    let run = Run::new();
    let missing = run_tool(
        "topic-filter",
        ["--feedback", "/nowhere/x.db", "--final"],
        "",
    );
    assert!(missing.expect_exit(2).stderr.contains("x.db"));
    let step = to_lines(&records_of_step(1));
    let threshold = run.tool(&["--threshold", "1", "--from-step", "1"], &step);
    assert!(threshold.expect_exit(2).stderr.contains("--final"));
    assert!(run.tool(&[], "").expect_exit(2).stderr.contains("--final"));
    // A journal without a sample.
    fs::write(
        run.path("journal.jsonl"),
        "{\"text\":\"x\",\"label\":\"off-topic\"}\n",
    )
    .unwrap();
    run.rebuild(&[]);
    let empty = run.tool(&["--from-step", "1"], &step).expect_exit(2);
    assert!(empty.stderr.contains("has no sample"), "{}", empty.stderr);
    assert_eq!(empty.stdout, "");
    fs::write(run.path("topic.db"), "no database").unwrap();
    run.tool(&["--final"], "").expect_exit(2);
}

#[test]
fn details_are_reported_on_request() {
    let run = finished_run();
    let step = to_lines(&records_of_step(STEPS + 1));
    let from_step = (STEPS + 1).to_string();
    let output = run
        .tool(&["-v", "--from-step", &from_step], step)
        .expect_exit(0);
    let expected = "topic-filter: 2 of 4 articles accepted; the most indicative words: ";
    assert!(output.stderr.starts_with(expected), "{}", output.stderr);
    assert!(output.stderr.contains("gold") && !output.stderr.contains("wheat"));
}

#[test]
fn an_empty_journal_empties_no_state() {
    let run = finished_run();
    let before = run.judge_finally(&[]);
    let output = run.tool(&["--rebuild", "/dev/null"], "");
    let message = "/dev/null: is not a journal";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    output.expect_exit(2);
    assert_eq!(run.judge_finally(&[]), before);
}
