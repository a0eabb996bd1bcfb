//! `topic-filter` with a file of samples.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;

/// Runs the tool with these samples.
fn run_with_samples(samples: &[Value], args: &[&str], stdin: &str) -> ToolOutput {
    let dir = temp_folder();
    let path = dir.path().join("samples.jsonl");
    fs::write(&path, to_lines(samples)).unwrap();
    let mut all = vec!["--samples", path.to_str().unwrap()];
    all.extend(args);
    run_tool("topic-filter", all, stdin)
}

fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Returns an article in English with these keyphrases.
fn article(id: &str, keywords: Value) -> Value {
    json!({"id": id, "text": "x", "langid": {"code": "eng"}, "keywords": keywords})
}

fn two_samples() -> [Value; 2] {
    [
        article("a", json!([["kola", 1.0]])),
        article("b", json!([["ruba", 1.0]])),
    ]
}

/// An article whose similarity to the first of [`two_samples`] is 1/2, and to the second 0.
fn half() -> Value {
    article(
        "x",
        json!([["Kola", 1.0, "kola"], ["mako", 3.0_f64.sqrt()]]),
    )
}

#[test]
fn adds_the_similarity_to_the_nearest_sample_and_the_label() {
    let line = "{\"a\":1.0,\"keywords\":[[\"kola\",1],[\"mako\",0]],\"z\":1e5}\n";
    let output = run_with_samples(&two_samples(), &[], line).expect_exit(0);
    let topic = r#"{"score":1.0,"measure":"partial-cosine","sample":"a"}"#;
    let added = format!(",\"topic\":{topic},\"label\":\"on-topic\"}}\n");
    assert_eq!(output.stdout, line.replace("}\n", &added));
    assert_eq!(output.stderr, "");
}

#[test]
fn the_sample_of_the_query_is_taken_if_it_is_known() {
    let named = |name: &str| {
        let mut record = half();
        record["query"] = json!({"id": "q", "strategy": {"name": "samples", "sample": name}});
        record
    };
    let input = to_lines(&[half(), named("b"), named("unknown")]);
    let judged: Vec<Value> = run_with_samples(&two_samples(), &[], &input)
        .expect_exit(0)
        .records()
        .iter()
        .map(|record| {
            json!([
                record["topic"]["sample"],
                record["topic"]["score"],
                record["label"]
            ])
        })
        .collect();
    assert_eq!(
        judged,
        [
            json!(["a", 0.5, "on-topic"]),
            json!(["b", 0.0, "off-topic"]),
            json!(["a", 0.5, "on-topic"])
        ]
    );
}

#[test]
fn a_document_must_be_over_the_threshold() {
    let label = |args: &[&str]| {
        let output = run_with_samples(&two_samples(), args, &to_lines(&[half()]));
        output.expect_exit(0).records()[0]["label"].clone()
    };
    assert_eq!(label(&["--threshold", "0.499"]), "on-topic");
    assert_eq!(label(&["--threshold", "0.5"]), "off-topic");
    assert_eq!(label(&["--threshold", "0.5", "--labels", "yes,no"]), "no");
    // overlap: the only keyphrase of the sample is in the document.
    assert_eq!(
        label(&["--threshold", "0.999", "--measure", "overlap"]),
        "on-topic"
    );
}

#[test]
fn the_default_threshold_is_that_of_the_samples_language() {
    let label = |code: &str| {
        let mut sample = article("s", json!([["kola", 1.0]]));
        sample["langid"]["code"] = json!(code);
        let keywords = json!([["kola", 3.0], ["mako", 391.0_f64.sqrt()]]);
        let output = run_with_samples(&[sample], &[], &to_lines(&[article("x", keywords)]));
        let record = &output.expect_exit(0).records()[0];
        assert_eq!(record["topic"]["score"], 0.15);
        record["label"].clone()
    };
    assert_eq!(label("jpn"), "on-topic");
    assert_eq!(label("eng"), "off-topic");
    assert_eq!(label("slv"), "off-topic");
}

#[test]
fn all_measures_are_written_on_request() {
    let output = run_with_samples(&two_samples(), &["--all-measures"], &to_lines(&[half()]));
    let scores = &output.expect_exit(0).records()[0]["topic"]["scores"];
    for (name, expected) in [
        ("dice", 2.0 / 3.0),
        ("jaccard", 0.5),
        ("cosine", 0.5_f64.sqrt()),
        ("overlap", 1.0),
        ("percentage", 1.0 / (2.0 + 3.0_f64.sqrt())),
        ("vector-cosine", 0.5),
        ("partial-cosine", 0.5),
        ("vector-cosine-printed", 1.0 / 3.0),
    ] {
        let found = scores[name].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-8, "{name}: {found}");
    }
    assert_eq!(scores.as_object().unwrap().len(), 9, "{scores}");
}

#[test]
fn the_label_of_an_earlier_filter_is_replaced_and_a_record_that_was_judged_passes_unchanged() {
    let mut record = half();
    record["label"] = json!("eng");
    let once = run_with_samples(&two_samples(), &[], &to_lines(&[record])).expect_exit(0);
    assert_eq!(once.records()[0]["label"], "on-topic");
    let twice = run_with_samples(&two_samples(), &["--threshold", "0.9"], &once.stdout);
    assert_eq!(twice.expect_exit(0).stdout, once.stdout);
    let forced = run_with_samples(
        &two_samples(),
        &["--threshold", "0.9", "--force"],
        &once.stdout,
    )
    .expect_exit(0);
    assert_eq!(forced.stdout, once.stdout.replace("on-topic", "off-topic"));
}

#[test]
fn a_query_or_keywords_of_the_wrong_type_cause_an_error_record() {
    for (key, value) in [
        ("keywords", json!("oil")),
        ("keywords", json!([[1, 2], [3]])),
        ("query", json!({"include": 1})),
    ] {
        let mut record = half();
        record[key] = value;
        let output = run_with_samples(&two_samples(), &[], &to_lines(&[record]));
        let record = &output.expect_exit(0).records()[0];
        assert_eq!(record["error"]["kind"], "bad-field", "{key}");
        assert!(record.get("topic").is_none() && record.get("label").is_none());
    }
}

#[test]
fn explains_the_matches_with_their_contributions() {
    let sample = article(
        "s",
        json!([["oil prices", 2.0, "oil price"], ["gold", 1.0], ["x", 2.0]]),
    );
    let document = article(
        "d\u{1b}",
        json!([["oil market", 2.0], ["gold", 2.0], ["X", 1.0, "x"]]),
    );
    let output = run_with_samples(&[sample], &["--explain"], &to_lines(&[document, json!({})]));
    assert_eq!(
        output.expect_exit(0).stdout,
        "d : on-topic: partial-cosine 0.6667, threshold 0.2, sample s\n  \
           0.2222  gold\n  \
           0.2222  x = X\n  \
           0.2222  oil prices ~ oil market (0.50)\n\
         (no id): not judged: has no `keywords`\n"
    );
}

#[test]
fn samples_that_cannot_be_used_are_errors_with_file_and_line() {
    let stderr = |samples: &str| {
        let dir = temp_folder();
        let path = dir.path().join("s.jsonl");
        fs::write(&path, samples).unwrap();
        let output = run_tool(
            "topic-filter",
            ["--samples", path.to_str().unwrap()],
            "{}\n",
        );
        let output = output.expect_exit(2);
        assert_eq!(output.stdout, "");
        output.stderr
    };
    let good = r#"{"id":"s","keywords":[["a",1]]}"#;
    let lacking = stderr(&format!(
        "\u{feff}{good}\r\n\n{{\"id\":\"t\",\"text\":\"x\"}}\n"
    ));
    assert!(
        lacking.contains("s.jsonl:3: has no `keywords`") && lacking.contains("through the tool"),
        "{lacking}"
    );
    assert!(stderr("junk\n").contains("s.jsonl: has no sample"));
    assert!(stderr("{\"id\":1}\n{\"junk\n").contains("s.jsonl: line 2: not JSON"));
    assert!(stderr(r#"{"keywords":3}"#).contains("s.jsonl:1: `keywords`"));
    assert!(stderr("\n").contains("has no sample"));
}

#[test]
fn a_sample_without_any_keyphrase_is_reported() {
    let output = run_with_samples(&[article("s", json!([]))], &[], &to_lines(&[half()]));
    let output = output.expect_exit(0);
    assert!(
        output.stderr.contains("has no keyphrase"),
        "{}",
        output.stderr
    );
    assert!(
        output.stdout.contains(r#""score":0.0"#),
        "{}",
        output.stdout
    );
    assert_eq!(output.records()[0]["label"], "off-topic");
}
