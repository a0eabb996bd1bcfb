//! `sample --by target`: documents by class, nearness to the threshold, and host.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

fn to_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn draw(args: &[&str], input: impl AsRef<[u8]>) -> ToolOutput {
    run_tool("sample", args, input).expect_exit(0)
}

fn count_by_group(records: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        let group = record["sample"]["group"].as_str().unwrap().to_owned();
        *counts.entry(group).or_default() += 1;
    }
    counts
}

fn counts<const N: usize>(expected: [(&str, usize); N]) -> BTreeMap<String, usize> {
    expected.map(|(group, n)| (group.to_owned(), n)).into()
}

/// Writes judgements to a file and runs `sample` with them.
fn judge(judgements: &str, args: &[&str], input: &str) -> ToolOutput {
    let dir = temp_folder();
    let file = dir.path().join("judged.tsv");
    fs::write(&file, judgements).unwrap();
    let judgements = ["--judgements", file.to_str().unwrap()];
    run_tool("sample", judgements.iter().chain(args).copied(), input)
}

/// A run that looks for Slovenian and Croatian: of each 40 documents on four hosts, the first ten
/// with a small margin; and 30 rejected ones, of which `langid` has considered Croatian for ten.
fn languages() -> Vec<Value> {
    let document = |n: usize, label: &str, margin: f64, top: &[&str]| {
        let target = ["slv", "hrv"][n % 2];
        let top: Vec<Value> = top.iter().map(|code| json!([code, 0.5])).collect();
        json!({
            "step": {"number": n + 1, "target": target}, "id": format!("{label}-{n}"),
            "url": format!("http://{}.test/{n}", n % 4), "text": format!("besedilo {n}"),
            "langid": {"code": label, "score": 0.9, "margin": margin, "top": top}, "label": label,
        })
    };
    let mut documents = vec![json!({"id": "start", "text": "Danes je lep dan.", "label": "slv"})];
    for n in 0..40 {
        let margin = if n < 10 {
            0.01 * n as f64
        } else {
            0.5 + 0.01 * n as f64
        };
        documents.push(document(n, "slv", margin, &["slv", "hrv"]));
        documents.push(document(n, "hrv", margin, &["hrv", "srp"]));
    }
    for n in 0..30 {
        let top: &[&str] = if n < 10 {
            &["bos", "hrv"]
        } else {
            &["eng", "sco"]
        };
        documents.push(document(n, top[0], 0.3, top));
    }
    documents
}

#[test]
fn a_run_in_languages_is_drawn_by_class_nearness_and_host() {
    let args = ["--by", "target", "--number", "8", "--journal"];
    let drawn = draw(&args, to_lines(&languages())).records();
    assert_eq!(
        count_by_group(&drawn),
        counts([
            ("slv", 8),
            ("slv/near", 8),
            ("hrv", 8),
            ("hrv/near", 8),
            ("rejected/slv", 8),
            ("rejected/hrv", 8),
            ("rejected/hrv/near", 8),
        ])
    );
    let of = |group: &'static str| {
        let is_in = move |record: &&Value| record["sample"]["group"] == group;
        drawn.iter().filter(is_in)
    };
    for group in ["slv", "rejected/slv"] {
        let questions = of(group).map(|record| &record["sample"]["question"]);
        assert!(
            questions.clone().all(|q| q == "Is this Slovenian?"),
            "{group}"
        );
    }
    assert!(of("rejected/hrv/near").all(|record| record["sample"]["class"] == "hrv"));
    for host in 0..4 {
        let url = format!("http://{host}.test/");
        let count = of("slv")
            .filter(|record| record["url"].as_str().unwrap().starts_with(&url))
            .count();
        assert!((1..=3).contains(&count), "{url}: {count}");
    }
}

#[test]
fn the_report_on_languages_has_each_of_them() {
    let lines = to_lines(&languages());
    // All Slovenian ones are right, half of the Croatian ones near the threshold are not.
    let judgements: String = draw(&["--by", "target", "--number", "10", "--journal"], &lines)
        .records()
        .iter()
        .map(|record| {
            let id = record["id"].as_str().unwrap();
            let n: usize = id.split('-').next_back().unwrap().parse().unwrap();
            let is_wrong = !["slv", "hrv"].contains(&record["label"].as_str().unwrap())
                || (record["label"] == "hrv" && n < 10 && n.is_multiple_of(2));
            format!("{id}\t{}\n", if is_wrong { "no" } else { "yes" })
        })
        .collect();
    let args = ["--by", "target", "--journal", "--report"];
    let report = &judge(&judgements, &args, &lines).expect_exit(0).records()[0];
    let estimate = |value: &Value| value["estimate"].as_f64().unwrap();
    assert_eq!(report["filter"]["documents"], 80);
    assert!(
        (estimate(&report["filter"]["precision"]) - 75.0 / 80.0).abs() < 1e-4,
        "{report:#}"
    );
    assert_eq!(estimate(&report["filter"]["recall"]), 1.0);
    let classes = report["classes"].as_array().unwrap();
    let class = |name: &str| classes.iter().find(|class| class["class"] == name).unwrap();
    assert_eq!(estimate(&class("slv")["filter"]["precision"]), 1.0);
    assert_eq!(estimate(&class("hrv")["filter"]["precision"]), 0.875);
    // The group near the threshold is not accepted, but for the five documents judged relevant.
    assert_eq!(class("hrv")["accepted"]["documents"], 35);
    let asked = &report["questions"][0];
    assert_eq!(
        (&asked["class"], &asked["is_language"]),
        (&json!("hrv"), &json!(true))
    );
    assert_eq!(asked["question"], "Is this Croatian?");
    assert_eq!(
        (&asked["accepted_no"], &asked["no"]),
        (&json!(5), &json!(5 + 10 + 10))
    );
}

#[test]
fn the_labels_of_a_corpus_replace_those_of_the_run() {
    let folder = temp_folder();
    let corpus = folder.path().join("slv.jsonl");
    let documents = languages();
    let kept = |record: &&Value| record["label"] == "slv" && record["step"]["number"] != 1;
    let kept: Vec<Value> = documents.iter().filter(kept).cloned().collect();
    fs::write(&corpus, to_lines(&kept)).unwrap();
    let corpus = corpus.to_str().unwrap();
    let args = [
        "--by",
        "target",
        "--share",
        "1",
        "--rejected",
        "1",
        "--journal",
        "--corpus",
        corpus,
    ];
    let drawn = draw(&args, to_lines(&documents)).records();
    let group = |id: &str| {
        let record = drawn.iter().find(|record| record["id"] == id).unwrap();
        record["sample"]["group"].as_str().unwrap().to_owned()
    };
    assert_eq!(group("slv-0"), "rejected/slv/near");
    assert_eq!(group("slv-39"), "slv");
    assert!(group("hrv-39").starts_with("rejected/hrv"));
}

#[test]
fn documents_with_a_verdict_are_passed_on_by_class() {
    let lines = to_lines(&languages());
    let judgements = "slv-1\tyes\nslv-2\tno\nhrv-3\tyes\nbos-1\tyes\nbos-2\tno\n";
    let judged = |class: &str, verdict: &str| {
        let args = [
            "--by",
            "target",
            "--journal",
            "--quiet",
            "--class",
            class,
            "--verdict",
            verdict,
        ];
        let records = judge(judgements, &args, &lines).expect_exit(0).records();
        let ids = records
            .iter()
            .map(|record| record["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(judged("slv", "yes"), ["start", "slv-1"]);
    assert_eq!(judged("slv", "no"), ["slv-2"]);
    assert_eq!(judged("hrv", "yes"), ["hrv-3", "bos-1"]);
    assert_eq!(judged("hrv", "no"), ["bos-2"]);
    assert!(judged("eng", "yes").is_empty());
}

#[test]
fn without_a_target_in_a_run_nothing_is_accepted_and_this_is_said() {
    let documents: Vec<Value> = (0..5)
        .map(|n| {
            json!({"step": {"number": n + 1, "target": "slv"}, "id": format!("{n}"), "text": "x",
                   "label": "eng"})
        })
        .collect();
    let output = draw(
        &["--by", "target", "--number", "9", "--journal"],
        to_lines(&documents),
    );
    assert!(
        output
            .stderr
            .contains("no document has the label of a target"),
        "{}",
        output.stderr
    );
    assert_eq!(
        count_by_group(&output.records()),
        counts([("rejected/slv", 5)])
    );
}
