//! `topic-filter --state`: samples, rejected documents that are judged again, and rebuilding.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const STEPS: u64 = 24;
const RECORDS_PER_STEP: u64 = 4;

/// A run folder with a journal and a state.
struct Run {
    folder: tempfile::TempDir,
    threshold: &'static str,
}

impl Run {
    /// Starts a run with these initial documents.
    fn new(initial: &[Value]) -> Run {
        let run = Run {
            folder: temp_folder(),
            threshold: "0.2",
        };
        fs::write(run.path("journal.jsonl"), to_lines(initial)).unwrap();
        run.rebuild(&[]);
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Rebuilds the state from the journal.
    fn rebuild(&self, args: &[&str]) -> ToolOutput {
        let (state, journal) = (self.path("topic.db"), self.path("journal.jsonl"));
        let mut all = vec!["--state", text(&state), "--rebuild", text(&journal)];
        all.extend(args);
        run_tool("topic-filter", all, "").expect_exit(0)
    }

    /// Executes a step, and returns its records.
    fn judge(&self, step: u64, records: &[Value]) -> Vec<Value> {
        let (state, step) = (self.path("topic.db"), step.to_string());
        let args = [
            "--state",
            text(&state),
            "--from-step",
            &step,
            "--threshold",
            self.threshold,
        ];
        run_tool("topic-filter", args, to_lines(records))
            .expect_exit(0)
            .records()
    }

    /// Executes a step and appends its records to the journal.
    fn finish_step(&self, step: u64, records: &[Value]) -> Vec<Value> {
        let judged = self.judge(step, records);
        let journal = self.path("journal.jsonl");
        let lines = fs::read_to_string(&journal).unwrap() + &to_lines(&judged);
        fs::write(journal, lines).unwrap();
        judged
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Returns an article whose keyphrases are these words, all with the score 1.
fn article(id: &str, words: &[&str]) -> Value {
    let keywords: Vec<Value> = words.iter().map(|word| json!([word, 1.0])).collect();
    json!({"id": id, "url": format!("http://a.test/{id}"), "text": "x", "keywords": keywords})
}

fn initial(id: &str, words: &[&str]) -> Value {
    let mut record = article(id, words);
    record["label"] = json!("on-topic");
    record
}

/// Returns the records of a step, the last of which is marked. The query names a sample, or none.
fn step(number: u64, sample: Option<&str>, articles: &[Value]) -> Vec<Value> {
    let mut records = articles.to_vec();
    for record in &mut records {
        record["step"] = json!({"number": number, "target": "on-topic"});
        record["query"] = json!({"id": "q", "include": ["a"], "exclude": []});
        record["hit"] = json!({"engine": "e", "calls": 1, "outcome": "hit"});
        if let Some(sample) = sample {
            record["query"]["strategy"] = json!({"name": "samples", "sample": sample});
        }
    }
    if let Some(last) = records.last_mut() {
        last["step"]["last"] = json!(true);
    }
    records
}

/// Returns id, label and whether it is a retry of each record.
fn outcomes(records: &[Value]) -> Vec<(String, String, bool)> {
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records
        .iter()
        .map(|record| {
            let is_retry = record.get("retry") == Some(&json!(true));
            (string(&record["id"]), string(&record["label"]), is_retry)
        })
        .collect()
}

fn outcome(id: &str, label: &str, is_retry: bool) -> (String, String, bool) {
    (id.into(), label.into(), is_retry)
}

/// One sample `s` of three words; `near` shares two of them, `far` only words with `near`.
fn near_and_far() -> (Run, Value, Value) {
    let run = Run::new(&[initial("s", &["ka", "lo", "mu"])]);
    let near = article("near", &["ka", "lo", "ti", "ro"]);
    let far = article("far", &["ti", "ro", "sa"]);
    (run, near, far)
}

#[test]
fn a_rejected_document_is_judged_again_by_the_first_query_of_a_later_sample() {
    let (run, near, far) = near_and_far();
    let first = run.finish_step(1, &step(1, Some("s"), &[far, near]));
    let expected = [
        outcome("far", "off-topic", false),
        outcome("near", "on-topic", false),
    ];
    assert_eq!(outcomes(&first), expected);
    let other = article("other", &["x"]);
    let second = run.finish_step(2, &step(2, Some("near"), &[other.clone(), other]));
    assert_eq!(
        outcomes(&second),
        [
            outcome("other", "off-topic", false),
            outcome("far", "on-topic", true),
            outcome("other", "off-topic", false),
        ]
    );
    let expected = json!({
        "id": "far",
        "url": "http://a.test/far",
        "text": "x",
        "keywords": [["ti", 1.0], ["ro", 1.0], ["sa", 1.0]],
        "step": {"number": 2, "target": "on-topic"},
        "retry": true,
        "topic": {"score": 0.577350269, "measure": "partial-cosine", "sample": "near"},
        "label": "on-topic",
    });
    assert_eq!(second[1], expected);
    assert_eq!(second[2]["step"]["last"], json!(true));
    // The second query of the sample judges nothing again, nor does a query of a sample that was
    // accepted by a second judgement find what is accepted already.
    for (number, sample) in [(3, "near"), (4, "far")] {
        let records = run.finish_step(number, &step(number, Some(sample), &[article("y", &["y"])]));
        assert_eq!(outcomes(&records), [outcome("y", "off-topic", false)]);
    }
}

#[test]
fn without_named_samples_accepted_documents_judge_the_rejected_ones_at_the_end_of_the_step() {
    let (run, near, far) = near_and_far();
    let third = article("third", &["sa", "ne"]);
    let records = run.finish_step(1, &step(1, None, &[far, third]));
    assert_eq!(outcomes(&records).len(), 2);
    let records = run.finish_step(2, &step(2, None, &[near]));
    let expected = [
        outcome("far", "on-topic", true),
        outcome("near", "on-topic", false),
    ];
    assert_eq!(outcomes(&records), expected);
    // `far` was accepted by a second judgement, so it judges in the next step.
    let empty = json!({"step": {"number": 3, "target": "on-topic", "last": true}});
    let records = run.finish_step(3, &[empty]);
    let expected = [outcome("third", "on-topic", true), outcome("", "", false)];
    assert_eq!(outcomes(&records), expected);
}

#[test]
fn documents_rejected_in_the_step_of_a_sample_are_judged_by_it_in_the_next_step() {
    let (run, near, far) = near_and_far();
    let records = run.finish_step(1, &step(1, None, &[far, near]));
    assert!(records.iter().all(|record| record.get("retry").is_none()));
    let records = run.finish_step(2, &step(2, None, &[article("y", &["y"])]));
    let expected = [
        outcome("far", "on-topic", true),
        outcome("y", "off-topic", false),
    ];
    assert_eq!(outcomes(&records), expected);
}

#[test]
fn duplicates_are_neither_samples_nor_judged_again() {
    let (run, mut near, mut far) = near_and_far();
    for record in [&mut near, &mut far] {
        record["dedup"] = json!({"status": "near", "of": "z", "resemblance": 0.95});
    }
    let records = run.finish_step(1, &step(1, None, &[far.clone(), near]));
    assert_eq!(records[1]["label"], "on-topic");
    far["dedup"] = json!({"status": "new", "of": null});
    let records = run.finish_step(2, &step(2, Some("near"), &[far]));
    // The sample is unknown, so the nearest one judges.
    assert_eq!(outcomes(&records), [outcome("far", "off-topic", false)]);
}

/// Returns the records of all steps of a run: articles of a few words, drawn by a fixed rule.
fn generated_steps(names_samples: bool) -> Vec<Vec<Value>> {
    const WORDS: [&str; 12] = [
        "ka", "lo", "mu", "ti", "ro", "sa", "ne", "vi", "po", "du", "ge", "ba",
    ];
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (1..=STEPS)
        .map(|number| {
            let articles: Vec<Value> = (0..RECORDS_PER_STEP)
                .map(|place| {
                    let words: Vec<&str> =
                        (0..2 + next(3)).map(|_| WORDS[next(12) as usize]).collect();
                    let words: Vec<String> = words.chunks(2).map(|pair| pair.join(" ")).collect();
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    article(&format!("{number}-{place}"), &words)
                })
                .collect();
            let sample = format!("s{}", number.div_ceil(4));
            step(number, names_samples.then_some(sample.as_str()), &articles)
        })
        .collect()
}

/// Executes all steps, and returns the journal. `before_step` is called before each step.
fn execute(steps: &[Vec<Value>], before_step: impl Fn(&Run, u64, &[Value])) -> String {
    let mut run = Run::new(&[
        initial("s1", &["ka lo", "mu"]),
        initial("s2", &["ti", "ro sa"]),
        initial("s3", &["ne vi", "ka"]),
        initial("s4", &["po", "du ge"]),
        initial("s5", &["ba", "lo ti"]),
        initial("s6", &["mu", "vi du"]),
    ]);
    // So high that not every article is accepted.
    run.threshold = "0.5";
    for (records, number) in steps.iter().zip(1..) {
        before_step(&run, number, records);
        run.finish_step(number, records);
    }
    fs::read_to_string(run.path("journal.jsonl")).unwrap()
}

#[test]
fn a_state_that_grew_and_one_that_was_rebuilt_give_the_same_results() {
    for names_samples in [true, false] {
        let steps = generated_steps(names_samples);
        let grown = execute(&steps, |_, _, _| {});
        let retries = grown.matches(r#""retry":true"#).count();
        assert!(retries >= 5, "{retries}");
        let rebuilt = execute(&steps, |run, _, _| drop(run.rebuild(&[])));
        assert_eq!(grown, rebuilt);
    }
}

#[test]
fn an_interrupted_step_is_repeated_with_the_same_result() {
    for names_samples in [true, false] {
        let steps = generated_steps(names_samples);
        let whole = execute(&steps, |_, _, _| {});
        let repeated = execute(&steps, |run, number, records| {
            // Once as a whole, and once in part.
            drop(run.judge(number, records));
            drop(run.judge(number, &records[..2]));
        });
        assert_eq!(whole, repeated);
    }
}

#[test]
fn a_state_that_lacks_steps_is_rebuilt_and_one_that_has_more_forgets_them() {
    let steps = generated_steps(false);
    let whole = execute(&steps, |_, _, _| {});
    let settled = execute(&steps, |run, number, records| {
        let next = number.to_string();
        drop(run.judge(number, records));
        let output = run.rebuild(&["--if-behind", &next]);
        assert_eq!(output.stderr, "", "step {number}");
        if number == 5 {
            fs::remove_file(run.path("topic.db")).unwrap();
            let output = run.rebuild(&["--if-behind", &next]);
            assert!(output.stderr.contains("lacks steps"), "{}", output.stderr);
        }
    });
    assert_eq!(whole, settled);
}

#[test]
fn a_state_without_samples_or_of_another_measure_is_an_error() {
    let run = Run::new(&[json!({"id": "x", "text": "x"})]);
    let state = run.path("topic.db");
    let judge = |args: &[&str]| {
        let mut all = vec!["--state", text(&state)];
        all.extend(args);
        run_tool("topic-filter", all, to_lines(&[article("a", &["ka"])])).expect_exit(2)
    };
    let stderr = judge(&[]).stderr;
    assert!(stderr.contains("topic.db: has no sample"), "{stderr}");
    let stderr = judge(&["--measure", "dice"]).stderr;
    assert!(stderr.contains("--measure partial-cosine"), "{stderr}");
}

#[test]
fn any_measure_finds_rejected_documents() {
    for measure in ["dice", "overlap", "percentage", "partial-cosine-unlogged"] {
        let (run, near, far) = near_and_far();
        run.rebuild(&["--measure", measure]);
        let state = run.path("topic.db");
        let judge = |number: u64, articles: &[Value]| {
            let step_number = number.to_string();
            let args = [
                "--state",
                text(&state),
                "--from-step",
                &step_number,
                "--measure",
                measure,
                "--threshold",
                "0.15",
            ];
            let records = to_lines(&step(number, None, articles));
            run_tool("topic-filter", args, records)
                .expect_exit(0)
                .records()
        };
        judge(1, std::slice::from_ref(&far));
        let records = judge(2, std::slice::from_ref(&near));
        let expected = [
            outcome("far", "on-topic", true),
            outcome("near", "on-topic", false),
        ];
        assert_eq!(outcomes(&records), expected, "{measure}");
    }
}

#[test]
fn a_record_with_a_step_or_query_of_the_wrong_type_gets_an_error_and_is_not_judged() {
    let run = Run::new(&[initial("s", &["ka"])]);
    let mut records = step(1, None, &[article("a", &["ka"]), article("b", &["ka"])]);
    records[0]["step"] = json!({"number": -1});
    let mut other = article("c", &["ka"]);
    other["query"] = json!({"exclude": 5});
    records.insert(0, other);
    let judged = run.judge(1, &records);
    for record in &judged[..2] {
        assert_eq!(record["error"]["kind"], "bad-field", "{record}");
        assert!(record["label"].is_null(), "{record}");
    }
    assert_eq!(judged[2]["label"], "on-topic");
}

#[test]
fn a_final_judgement_requires_the_state_of_relevance_feedback() {
    let run = Run::new(&[initial("s", &["ka"])]);
    let state = run.path("topic.db");
    let output = run_tool("topic-filter", ["--state", text(&state), "--final"], "");
    let message = "--final requires --feedback";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    output.expect_exit(2);
}
