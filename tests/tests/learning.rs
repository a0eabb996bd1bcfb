//! Learners, baselines and coverage on a small closed web.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_report, read_run_files, resume_command, run_demo_web,
    run_pipeline,
};
use forage_tests::{run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;

#[test]
fn the_region_learner_has_a_higher_yield_per_call() {
    let dir = temp_folder();
    let yield_per_call = |name: &str, strategy_args: &[&str]| {
        let out = dir.path().join(name);
        run_pipeline(new_run_command(
            &out,
            &[
                &["--calls", "25", "--page-size", "5", "--batch", "5"],
                strategy_args,
            ]
            .concat(),
        ))
        .expect_exit(0);
        read_report(&out)["PosCalls"].as_f64().unwrap()
    };
    let auto = yield_per_call("auto", &["--learn", "auto"]);
    let fixed = yield_per_call("fixed", &[]);
    assert!(
        auto > fixed,
        "{auto} documents per call, {fixed} without learning"
    );
    let journal = read_journal(&dir.path().join("auto"));
    let last_records: Vec<&Value> = journal
        .iter()
        .filter(|record| record["step"]["last"] == true)
        .collect();
    assert!(
        last_records
            .iter()
            .any(|record| record["hit"]["more"].is_string())
    );
    assert!(
        journal
            .iter()
            .any(|record| record["query"]["strategy"]["literals"].is_array())
    );
}

#[test]
fn a_run_ends_at_the_requested_coverage_and_reports_it() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let args = [
        "--learn",
        "auto",
        "--until-coverage",
        "0.8",
        "--batch",
        "5",
        "--max-pages",
        "4",
    ];
    let output = run_pipeline(new_run_command(&out, &args)).expect_exit(0);
    assert!(
        output.stderr.contains("slv: covers 0."),
        "{}",
        output.stderr
    );
    let journal = read_journal(&out);
    let report = read_report(&out);
    let coverage = &report["coverage"]["slv"];
    assert_eq!(coverage["collected"], report["relevant"]);
    assert!(coverage["share"]["low"].as_f64() <= coverage["share"]["value"].as_f64());
    let is_probe = |record: &&Value| record["query"]["strategy"]["name"] == "probe";
    let probes: BTreeSet<&str> = journal
        .iter()
        .filter(is_probe)
        .filter_map(|r| r["query"]["id"].as_str())
        .collect();
    assert!(
        probes.len() >= 12 && Some(probes.len() as u64) >= coverage["probes"].as_u64(),
        "{}",
        probes.len()
    );
    let truth = run_demo_web(&["truth"]);
    let reachable = truth.lines().filter(|line| line.ends_with("\tslv")).count() as u64;
    let relevant = report["relevant"].as_u64().unwrap();
    assert!(
        relevant * 10 >= reachable * 6,
        "{relevant} of {reachable} documents, and {coverage}"
    );
}

#[test]
fn two_runs_are_compared_from_their_journals() {
    let dir = temp_folder();
    let run_with_seed = |seed: &str| {
        let out = dir.path().join(seed);
        run_pipeline(new_run_command(
            &out,
            &[
                "--docs",
                "30",
                "--batch",
                "5",
                "--seed",
                seed,
                "--include",
                "ptf:1",
                "--exclude",
                "or:2",
            ],
        ))
        .expect_exit(0);
        out.join("journal.jsonl").display().to_string()
    };
    let one = run_with_seed("1");
    let two = run_with_seed("2");
    let comparison = run_tool("measure-run", ["--compare", &one, &two], "")
        .expect_exit(0)
        .records()
        .remove(0);
    let documents_of_run = |run: usize| comparison["runs"][run]["documents"].as_u64().unwrap();
    let documents = comparison["documents"].as_u64().unwrap();
    assert!(
        documents >= documents_of_run(0).max(documents_of_run(1))
            && documents <= documents_of_run(0) + documents_of_run(1),
        "{comparison}"
    );
    assert!(
        comparison["chapman"]["low"].as_f64() >= Some(documents as f64),
        "{comparison}"
    );
    assert!(
        comparison["runs"][0]["ctf_ratio"].as_f64() > comparison["runs"][0]["vocabulary"].as_f64(),
        "{comparison}"
    );
    let stderr = run_tool("measure-run", ["--compare", "--target", "deu", &one], "")
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("no relevant document of deu"), "{stderr}");
}

#[test]
fn a_learner_prefers_successful_methods_and_is_rebuilt_from_the_journal() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &["--docs", "60", "--learn", "ltm", "--lengths", "if:2,1"],
    ))
    .expect_exit(0);
    let learned = &read_report(&out)["learners"]["slv"]["ltm/if:2,1"];
    let methods = learned["include-method"].as_object().unwrap();
    // The successes minus the failures of each method, counted from the journal.
    let mut balance: HashMap<&str, i64> =
        methods.keys().map(|method| (method.as_str(), 0)).collect();
    let journal = read_journal(&out);
    for record in journal.iter().filter(|record| record["query"].is_object()) {
        let (method, length) = record["query"]["strategy"]["method"]["include"]
            .as_str()
            .unwrap()
            .split_once(':')
            .unwrap();
        assert!(length == "2" && record["query"]["strategy"]["learner"] == "ltm/if:2,1");
        *balance.get_mut(method).unwrap() += if record["label"] == "slv" { 1 } else { -1 };
    }
    let best = balance.iter().max_by_key(|(_, balance)| **balance).unwrap();
    let worst = balance.iter().min_by_key(|(_, balance)| **balance).unwrap();
    let probability = |method: &str| methods[method].as_f64().unwrap();
    assert!(
        probability(best.0) > 0.25 && probability(best.0) > probability(worst.0),
        "{balance:?} {methods:?}"
    );
    let stats = dir.path().join("new.db");
    let journal = out.join("journal.jsonl");
    let args = [
        "--stats",
        stats.to_str().unwrap(),
        "--rebuild",
        journal.to_str().unwrap(),
        "--report",
    ];
    assert_eq!(
        run_tool("update-stats", args, "").expect_exit(0).stdout,
        fs::read_to_string(out.join("report.json")).unwrap()
    );
}

#[test]
fn more_like_this_queries_retrieve_relevant_documents() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &[
            "--docs",
            "40",
            "--batch",
            "4",
            "--max-pages",
            "1",
            "--learn",
            "like",
        ],
    ))
    .expect_exit(0);
    let journal = read_journal(&out);
    let is_relevant = |record: &&Value| record["label"] == "slv" && record["query"].is_object();
    let mut relevant_urls: Vec<&str> = journal
        .iter()
        .filter(is_relevant)
        .filter_map(|record| record["url"].as_str())
        .collect();
    let mut examples: Vec<&str> = journal
        .iter()
        .filter_map(|record| record["query"]["like"].as_str())
        .collect();
    examples.dedup();
    assert!(examples.len() > 1, "{examples:?}");
    relevant_urls.truncate(examples.len());
    assert_eq!(examples, relevant_urls);
    let relevant = read_report(&out)["relevant"].as_u64().unwrap();
    assert!(relevant > 20, "{relevant} of 40");
}

#[test]
fn seedfinder_queries_words_of_retrieved_documents() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &["--docs", "40", "--batch", "10", "--learn", "seedfinder"],
    ))
    .expect_exit(0);
    let journal = read_journal(&out);
    let queries: BTreeSet<&str> = journal
        .iter()
        .filter_map(|record| record["query"]["id"].as_str())
        .collect();
    let relevant = read_report(&out)["relevant"].as_u64().unwrap();
    assert!(
        queries.len() > 1 && relevant > 20,
        "{relevant} of 40 by {queries:?}"
    );
}

#[test]
fn unsupported_combinations_are_refused_before_a_run() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    for (args, message) in [
        (
            &["--learn", "like", "--engine", "searxng:http://127.0.0.1:1"][..],
            "has no more-like-this query",
        ),
        (
            &["--batch", "0"],
            "expected `auto` or a number from 1 to 1000000",
        ),
        (
            &["--learn", "like", "--lengths", "ii"],
            "auto, like, seedfinder, samples and rocchio have none of these",
        ),
        (&["--learn", "rochio"], "a similar value exists: 'rocchio'"),
        (
            &[
                "--learn",
                "ltm",
                "--lengths",
                "if:0,2",
                "--engine",
                "searxng:http://127.0.0.1:1",
            ],
            "exclusion terms alone",
        ),
    ] {
        let mut command = new_run_command(&out, args);
        command.env("FORAGE_CONTACT", "me@example.org");
        let output = run_pipeline(command).expect_exit(2);
        assert!(
            output.stderr.contains(message),
            "{args:?}: {}",
            output.stderr
        );
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn invalid_options_of_learners_are_refused_before_the_folder_is_created() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let cases: [(&[&str], &str); 8] = [
        (&["--versus", "eng,xxx"], "--init xxx=FILE is required"),
        (&["--recovery", "20"], "expected offsets, shorten or none"),
        (
            &["--learn", "lta", "--beta", "0.5"],
            "beta is a factor of ltm; lta has none",
        ),
        (
            &["--until-coverage", "90"],
            "not a share above 0 and at most 1",
        ),
        (
            &["--learn", "ltx"],
            "[possible values: auto, ml, lta, ltm, fm, like, seedfinder, samples, rocchio]",
        ),
        (
            &["--learn", "ltm", "--lengths", "i"],
            "expected ii, id, di, dd",
        ),
        (
            &["--learn", "ltm", "--no-result-penalty", "0"],
            "--no-result-penalty",
        ),
        (
            &["--lengths", "ii"],
            "--lengths, --no-result-penalty and --beta are for --learn",
        ),
    ];
    for (args, message) in cases {
        let output = run_pipeline(new_run_command(&out, args)).expect_exit(2);
        assert!(
            output.stderr.contains(message),
            "{args:?}: {}",
            output.stderr
        );
        assert!(!out.exists(), "{args:?}");
    }
}

#[test]
fn more_keyphrases_than_are_drawn_from_are_refused() {
    let args = [
        "--stats", "none", "--target", "x", "--step", "1", "--learn", "samples", "--terms", "5",
        "--of", "3",
    ];
    let output = run_tool("gen-query", args, "");
    assert!(output.stderr.contains("--terms 5"), "{}", output.stderr);
    output.expect_exit(2);
}

#[test]
fn recovery_sends_no_exhausted_query_and_its_attempts_are_no_steps_also_when_it_is_resumed() {
    let dir = temp_folder();
    let run = |name: &str, queries: &str| {
        let out = dir.path().join(name);
        let args = [
            "--include",
            "or:3",
            "--exclude",
            "or:3",
            "--batch",
            "10",
            "--queries",
            queries,
        ];
        run_pipeline(new_run_command(&out, &args)).expect_exit(0);
        out
    };
    let whole = run("whole", "1000");
    let mut attempts = BTreeSet::new();
    for record in read_journal(&whole) {
        let Some(id) = record["query"]["id"].as_str() else {
            continue;
        };
        assert!(!attempts.contains(id), "{record}");
        if record["hit"]["rank"].is_null() {
            attempts.insert(id.to_owned());
        }
    }
    let report = read_report(&whole);
    let count = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(count("attempts"), attempts.len() as u64);
    assert!(count("attempts") > 0 && count("documents") > 80, "{report}");
    // The run ended because its target was exhausted, after steps and attempts.
    let last = read_journal(&whole).pop().unwrap();
    assert_eq!(
        last["step"]["number"].as_u64().unwrap(),
        count("steps") + count("attempts")
    );

    let parts = run("parts", "5");
    assert_eq!(read_report(&parts)["steps"], 5);
    let resumed = resume_command(&parts, &["--queries", "1000"]);
    run_pipeline(resumed).expect_exit(0);
    assert_eq!(read_run_files(&parts), read_run_files(&whole));
}
