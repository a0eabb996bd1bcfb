//! `sample`: the documents that are drawn and accepted, the report, and refused judgements.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// Documents of all groups in the order of a crawl: 100 by the vector space model, 50 by passages,
/// 30 by the directory rule, 20 by collocations or terms, 60 undoubted and 60 rejected.
fn crawl() -> Vec<Value> {
    let kinds: [(&str, &[&str], usize); 7] = [
        ("vsm", &["vsm"], 100),
        ("passage", &["passage"], 50),
        ("directory", &["directory"], 30),
        ("pair", &["pair"], 10),
        ("term", &["term"], 10),
        ("two", &["vsm", "passage"], 60),
        ("none", &[], 60),
    ];
    let mut documents: Vec<Value> = kinds
        .iter()
        .flat_map(|(kind, metrics, count)| {
            (0..*count).map(move |n| {
                json!({
                    "id": format!("{kind}-{n}"), "url": format!("http://{}.test/{kind}/{n}", n % 4),
                    "text": "x", "topic": {"score": 1.0, "metrics": metrics},
                })
            })
        })
        .collect();
    documents.sort_by_key(|document| {
        let id = document["id"].as_str().unwrap();
        id.bytes().fold(7_u64, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into()) % 1_000_003
        })
    });
    for (place, document) in documents.iter_mut().enumerate() {
        document["step"] = json!({"number": place / 16 + 1, "target": "on-topic"});
    }
    documents
}

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

#[test]
fn draws_the_share_of_each_group_in_the_order_of_the_input() {
    let crawl = crawl();
    let drawn = draw(&["--share", "0.2"], to_lines(&crawl)).records();
    assert_eq!(
        count_by_group(&drawn),
        counts([
            ("vsm", 20),
            ("passage", 10),
            ("directory", 6),
            ("collocation-or-term", 4)
        ])
    );
    let mut left = crawl.iter();
    for record in &drawn {
        let mut unchanged = record.clone();
        let sample = unchanged.as_object_mut().unwrap().remove("sample").unwrap();
        assert!(left.any(|document| *document == unchanged), "out of order");
        assert_eq!(
            (&sample["id"], &sample["drawn"]),
            (&record["id"], &json!(true))
        );
    }
}

#[test]
fn equal_seeds_draw_equal_samples_from_a_pipe_and_a_file() {
    let dir = temp_folder();
    let file = dir.path().join("docs.jsonl");
    fs::write(&file, to_lines(&crawl())).unwrap();
    let drawn = |seed: &str| draw(&["--share", "0.2", "--seed", seed], to_lines(&crawl())).stdout;
    let args = ["--share", "0.2", "--seed", "1", file.to_str().unwrap()];
    assert_eq!(drawn("1"), draw(&args, "").stdout);
    assert_ne!(drawn("1"), drawn("2"));
}

#[test]
fn undoubted_and_rejected_documents_are_drawn_on_request() {
    let lines = to_lines(&crawl());
    let drawn = draw(
        &["--share", "0.1", "--all-groups", "--rejected", "0.2"],
        lines,
    )
    .records();
    let counts = count_by_group(&drawn);
    assert_eq!((counts["undoubted"], counts["rejected"]), (6, 12));
    let hosts = drawn
        .iter()
        .filter(|record| record["sample"]["group"] == "rejected")
        .map(|record| record["url"].as_str().unwrap()[..8].to_owned());
    // Four hosts with 15 documents each.
    let mut by_host: BTreeMap<String, usize> = BTreeMap::new();
    hosts.for_each(|host| *by_host.entry(host).or_default() += 1);
    assert!(
        by_host.len() == 4 && by_host.values().all(|n| (2..=4).contains(n)),
        "{by_host:?}"
    );
}

#[test]
fn the_values_of_another_field_are_groups() {
    let records: Vec<Value> = (0..30)
        .map(|n| {
            let code = ["slv", "hrv"][n % 2];
            json!({"url": format!("http://{n}.test/"), "text": "x", "langid": {"code": code}})
        })
        .collect();
    let drawn = draw(
        &["--share", "0.2", "--by", "langid.code"],
        to_lines(&records),
    )
    .records();
    assert_eq!(count_by_group(&drawn), counts([("slv", 3), ("hrv", 3)]));
}

/// Judgements of a sample of a fifth: of the vector space model 16 of 20 are relevant, of passages
/// 7 of 10, of the directory rule all, of collocations or terms 3 of 4, of the rejected 3 of 12.
fn judge_sample(lines: &str) -> String {
    let drawn = draw(&["--share", "0.2", "--rejected", "0.2"], lines).records();
    let mut nonrelevant: BTreeMap<&str, usize> = BTreeMap::from([
        ("vsm", 4),
        ("passage", 3),
        ("directory", 0),
        ("collocation-or-term", 1),
        ("rejected", 9),
    ]);
    let mut judgements = String::from("\u{feff}# judged by hand\r\n\r\n");
    for record in &drawn {
        let left = nonrelevant
            .get_mut(record["sample"]["group"].as_str().unwrap())
            .unwrap();
        let verdict = if *left > 0 { "no" } else { "yes" };
        *left = left.saturating_sub(1);
        judgements += &format!(
            "{}\t{verdict}\r\n",
            record["sample"]["id"].as_str().unwrap()
        );
    }
    judgements
}

#[test]
fn a_group_is_accepted_if_more_than_three_quarters_of_the_judged_are_relevant() {
    let lines = to_lines(&crawl());
    let judgements = judge_sample(&lines);
    let output = judge(&judgements, &[], &lines).expect_exit(0);
    assert_eq!(output.stderr, "");
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    for record in output.records() {
        let id = record["id"].as_str().unwrap();
        assert!(
            !judgements.contains(&format!("{id}\tno")),
            "{id} is nonrelevant"
        );
        let kind = id.split('-').next().unwrap().replace("pair", "term");
        *kept.entry(kind).or_default() += 1;
        assert!(lines.contains(&record.to_string()), "{id} is changed");
    }
    assert_eq!(
        kept,
        counts([
            ("vsm", 96),
            ("passage", 7),
            ("directory", 30),
            ("term", 3),
            ("two", 60),
            ("none", 3)
        ])
    );
    // With a lower limit, passages are accepted but for three.
    let kept = judge(&judgements, &["--limit", "0.6"], &lines)
        .expect_exit(0)
        .records();
    assert_eq!(kept.len(), 96 + 47 + 30 + 19 + 60 + 3);
}

#[test]
fn the_report_estimates_precision_and_recall() {
    let lines = to_lines(&crawl());
    let output = judge(&judge_sample(&lines), &["--report"], &lines).expect_exit(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let vsm = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["group"] == "vsm");
    let vsm = vsm.unwrap();
    assert_eq!(
        [
            &vsm["documents"],
            &vsm["judged"],
            &vsm["relevant"],
            &vsm["kept"],
            &vsm["accepted"]
        ],
        [
            &json!(100),
            &json!(20),
            &json!(16),
            &json!(96),
            &json!(true)
        ]
    );
    assert_eq!(vsm["precision"]["estimate"], json!(0.8));
    assert_eq!(
        report["judged"],
        json!({"documents": 40, "share": 0.1538, "rejected": 12})
    );
    // 60 undoubted, 30 of the directory rule, 16 + 64 of the vector space model, 7, 3 and 3 judged.
    let precision = (60.0 + 30.0 + 80.0 + 13.0) / 199.0;
    assert_eq!(report["accepted"]["documents"], json!(199));
    let estimate = report["accepted"]["precision"]["estimate"]
        .as_f64()
        .unwrap();
    assert!((estimate - precision).abs() < 1e-4, "{report:#}");
    let recall = &report["recall"];
    // 12 rejected, 28 of passages, 12 of collocations or terms.
    assert_eq!(recall["missed"]["estimate"], json!(52.0), "{report:#}");
    assert_eq!(recall["periods"].as_array().unwrap().len(), 3);
    let estimate = recall["recall"]["estimate"].as_f64().unwrap();
    assert!((estimate - 183.0 / 235.0).abs() < 1e-4, "{report:#}");
}

#[test]
fn malformed_judgements_are_refused_with_their_line() {
    for (judgements, message) in [
        (
            "a\tyes\nno verdict\n",
            "judged.tsv:2: is not \"id, tab, yes or no\"",
        ),
        (
            "# x\n\na\tmaybe\n",
            "judged.tsv:3: `maybe` is not a verdict; use yes or no",
        ),
        ("\tyes\n", "judged.tsv:1: "),
    ] {
        let output = judge(judgements, &[], &to_lines(&crawl())).expect_exit(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
        assert_eq!(output.stdout, "");
    }
    let args = ["--judgements", "/no/such/file.tsv"];
    let stderr = run_tool("sample", args, "").expect_exit(2).stderr;
    assert!(stderr.contains("/no/such/file.tsv: "), "{stderr}");
}

#[test]
fn ids_with_odd_beginnings_are_judged() {
    let document = |(id, n): (&str, usize)| {
        let url = format!("http://a.test/{n}");
        json!({"id": id, "url": url, "text": format!("t {n}"), "topic": {"metrics": ["vsm"]}})
    };
    let ids = ["\u{feff}first", "#c", "# c", " ", " c", "\u{feff}#c"];
    let lines = to_lines(&ids.into_iter().zip(0..).map(document).collect::<Vec<_>>());
    let judgements: String = draw(&["--share", "1"], &lines)
        .expect_exit(0)
        .records()
        .iter()
        .map(|record| format!("{}\tno\n", record["sample"]["id"].as_str().unwrap()))
        .collect();
    let report = judge(&judgements, &["--report"], &lines).expect_exit(0);
    let group = &report.records()[0]["groups"][0];
    assert_eq!(
        (&group["judged"], &group["relevant"]),
        (&json!(6), &json!(0))
    );
    assert_eq!(judge(&judgements, &[], &lines).expect_exit(0).stdout, "");
}

#[test]
fn unjudged_groups_and_unknown_judgements_are_reported() {
    let lines = to_lines(&crawl());
    let output = judge("nobody\tyes\nvsm-1\tyes\n", &[], &lines).expect_exit(0);
    for message in [
        "passage: none of 50 documents is judged, so none is accepted",
        "1 judgement without a document in the input",
    ] {
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    assert_eq!(output.records().len(), 100 + 60);
}

#[test]
fn only_documents_of_the_crawl_are_drawn() {
    let vsm = json!({"metrics": ["vsm"]});
    let step = json!({"number": 1, "target": "on-topic"});
    let new = json!({"status": "new", "of": null});
    let exact = json!({"status": "exact", "of": "a"});
    let error = json!({"tool": "t", "kind": "dns", "message": "m"});
    let records = [
        json!({"id": "core", "text": "x", "label": "on-topic", "topic": vsm}),
        json!({"id": "a", "text": "x", "step": step, "topic": vsm, "dedup": new, "x": 1}),
        json!({"id": "b", "text": "x", "step": step, "topic": vsm, "dedup": exact}),
        json!({"id": "c", "text": "x", "step": step, "topic": vsm, "error": error}),
        json!({"id": "d", "step": step, "topic": vsm}),
        json!({"id": "e", "text": 3, "step": step, "topic": vsm}),
        json!({"id": "f", "text": "x", "step": step, "topic": {"metrics": "vsm"}}),
        json!({"id": "a", "text": "x", "step": step, "topic": vsm, "x": 2}),
    ];
    let output = draw(&["--share", "1", "--journal"], to_lines(&records));
    let drawn = output.records();
    assert_eq!(drawn.len(), 1, "{}", output.stdout);
    // The last record of a document counts.
    assert_eq!((&drawn[0]["id"], &drawn[0]["x"]), (&json!("a"), &json!(2)));
    assert_eq!(
        output.stderr,
        "sample: 3 of 7 records not drawn from: 1 with a `text` that is not a string, 1 with an \
         error, 1 without `text`\n\
         sample: 1 record left out: `topic.metrics` is not an array\n"
    );
    let drawn = draw(&["--share", "1"], to_lines(&records)).records();
    assert_eq!(drawn.len(), 2);
}

#[test]
fn lines_that_are_not_records_are_skipped_once() {
    let dir = temp_folder();
    let file = dir.path().join("docs.jsonl");
    let record = |n: u32| {
        format!(
            "{{\"id\":\"{n}\",\"text\":\"x\",\"topic\":{{\"metrics\":[\"vsm\"]}}, \"a\":1e5}}\n"
        )
    };
    fs::write(&file, record(1) + "broken\n\n" + &record(2)).unwrap();
    for (args, input) in [
        (vec!["--share", "1", file.to_str().unwrap()], String::new()),
        (vec!["--share", "1"], fs::read_to_string(&file).unwrap()),
    ] {
        let output = run_tool("sample", args, input).expect_exit(1);
        assert_eq!(output.stdout.lines().count(), 2);
        assert!(
            output.stdout.contains(", \"a\":1e5,\"sample\":{"),
            "{}",
            output.stdout
        );
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(output.stderr.contains(":2: "), "{}", output.stderr);
    }
    let warned = draw(&["--share", "1"], "{\"text\":\"x\"}\n");
    assert!(
        warned
            .stderr
            .contains("no document has a value in `topic.metrics`")
    );
}

#[test]
fn two_people_are_compared_and_one_no_is_enough() {
    let folder = temp_folder();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let ana = write(
        "judgements-ana.tsv",
        "vsm-1\tyes\nvsm-2\tyes\nvsm-3\tno\nvsm-4\tyes\n",
    );
    let ben = write(
        "ben.tsv",
        "vsm-1\tyes\nvsm-2\tno\nvsm-3\tno\npassage-1\tyes\n",
    );
    let run = |more: &[&str]| {
        let args = ["--judgements", &ana, "--judgements", &ben, "--quiet"];
        let args = args.iter().chain(more).copied();
        run_tool("sample", args, to_lines(&crawl()))
            .expect_exit(0)
            .records()
    };
    let report = &run(&["--report"])[0];
    assert_eq!(
        report["agreement"],
        json!([{"people": ["ana", "ben"], "documents": 3, "agreed": 2, "agreement": 0.6667,
                "kappa": 0.4}])
    );
    let disagreements = report["disagreements"].as_array().unwrap();
    assert_eq!(disagreements.len(), 1);
    assert_eq!(
        disagreements[0]["verdicts"],
        json!({"ana": "yes", "ben": "no"})
    );
    // Two of four by the vector space model are relevant, and the passage.
    let kept = run(&[]);
    let ids: Vec<_> = kept
        .iter()
        .map(|record| record["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"vsm-1") && ids.contains(&"vsm-4") && !ids.contains(&"vsm-2"));
    assert!(run(&["--report"])[0]["judged"]["documents"] == 5);
    let alone = judge(
        "vsm-1\tyes\n",
        &["--report", "--quiet"],
        &to_lines(&crawl()),
    );
    assert!(alone.expect_exit(0).records()[0].get("agreement").is_none());
}
