//! What the pipelines learn on a small closed web: learners, bandits, baselines, coverage.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_report, run_demo_web, run_pipeline,
};
use forage_tests::{run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;

#[test]
fn a_run_that_learns_brings_more_a_call_and_asks_for_nothing_twice() {
    let dir = temp_folder();
    let go = |name: &str, how: &[&str]| {
        let out = dir.path().join(name);
        run_pipeline(new_run_command(
            &out,
            &[&["--calls", "25", "--page-size", "5", "--batch", "5"], how].concat(),
        ))
        .expect_exit(0);
        read_report(&out)["PosCalls"].as_f64().unwrap()
    };
    let (auto, fixed) = (go("auto", &["--learn", "auto"]), go("fixed", &[]));
    assert!(auto > fixed, "{auto} documents a call against {fixed}");
    let asked = read_journal(&dir.path().join("auto"));
    let last: Vec<&Value> = asked
        .iter()
        .filter(|record| record["step"]["last"] == true)
        .collect();
    assert!(last.iter().any(|record| record["hit"]["more"].is_string()));
    assert!(
        asked
            .iter()
            .any(|record| record["query"]["strategy"]["literals"].is_array())
    );
}

#[test]
fn a_run_until_coverage_ends_by_itself_and_says_how_much_it_has() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let how = [
        "--learn",
        "auto",
        "--until-coverage",
        "0.8",
        "--batch",
        "5",
        "--max-pages",
        "4",
    ];
    let ended = run_pipeline(new_run_command(&out, &how)).expect_exit(0);
    assert!(ended.stderr.contains("slv: covers 0."), "{}", ended.stderr);
    let (journal, report) = (read_journal(&out), read_report(&out));
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
    let all = truth.lines().filter(|line| line.ends_with("\tslv")).count() as u64;
    let found = report["relevant"].as_u64().unwrap();
    assert!(
        found * 10 >= all * 6,
        "{found} of {all} documents, and {coverage}"
    );
}

#[test]
fn two_runs_are_compared_by_their_journals() {
    let dir = temp_folder();
    let go = |seed: &str| {
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
    let (one, two) = (go("1"), go("2"));
    let compared = run_tool("measure-run", ["--compare", &one, &two], "")
        .expect_exit(0)
        .records()
        .remove(0);
    let found = |at: usize| compared["runs"][at]["documents"].as_u64().unwrap();
    let all = compared["documents"].as_u64().unwrap();
    assert!(
        all >= found(0).max(found(1)) && all <= found(0) + found(1),
        "{compared}"
    );
    assert!(
        compared["chapman"]["low"].as_f64() >= Some(all as f64),
        "{compared}"
    );
    assert!(
        compared["runs"][0]["ctf_ratio"].as_f64() > compared["runs"][0]["vocabulary"].as_f64(),
        "{compared}"
    );
    let said = run_tool("measure-run", ["--compare", "--target", "deu", &one], "")
        .expect_exit(2)
        .stderr;
    assert!(said.contains("no relevant document of deu"), "{said}");
}

#[test]
fn a_learner_moves_towards_what_works_and_its_scores_are_a_fold_of_the_journal() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &["--docs", "60", "--learn", "ltm", "--lengths", "if:2,1"],
    ))
    .expect_exit(0);
    let learned = &read_report(&out)["learners"]["slv"]["ltm/if:2,1"];
    let methods = learned["include-method"].as_object().unwrap();
    // What each method came to in the journal: its successes less its failures.
    let mut worth: HashMap<&str, i64> = methods.keys().map(|method| (method.as_str(), 0)).collect();
    let journal = read_journal(&out);
    for record in journal.iter().filter(|record| record["query"].is_object()) {
        let (method, length) = record["query"]["strategy"]["method"]["include"]
            .as_str()
            .unwrap()
            .split_once(':')
            .unwrap();
        assert!(length == "2" && record["query"]["strategy"]["learner"] == "ltm/if:2,1");
        *worth.get_mut(method).unwrap() += if record["label"] == "slv" { 1 } else { -1 };
    }
    let best = worth.iter().max_by_key(|(_, worth)| **worth).unwrap();
    let worst = worth.iter().min_by_key(|(_, worth)| **worth).unwrap();
    let p = |method: &str| methods[method].as_f64().unwrap();
    assert!(
        p(best.0) > 0.25 && p(best.0) > p(worst.0),
        "{worth:?} {methods:?}"
    );
    let (stats, journal) = (dir.path().join("new.db"), out.join("journal.jsonl"));
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
fn a_bandit_learns_once_a_step_from_the_share_of_new_relevant_documents() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(new_run_command(
        &out,
        &[
            "--queries",
            "20",
            "--batch",
            "4",
            "--learn",
            "thompson",
            "--lengths",
            "if:1,1",
        ],
    ))
    .expect_exit(0);
    let learned = &read_report(&out)["learners"]["slv"]["thompson/if:1,1/of=4"];
    let journal = read_journal(&out);
    for (method, tries) in learned["include-method tries"].as_object().unwrap() {
        let is_of = |record: &&Value| {
            record["query"]["strategy"]["method"]["include"] == format!("{method}:1")
        };
        let of: Vec<&Value> = journal.iter().filter(is_of).collect();
        let steps: BTreeSet<u64> = of
            .iter()
            .filter_map(|record| record["step"]["number"].as_u64())
            .collect();
        let new = of
            .iter()
            .filter(|record| record["label"] == "slv" && record["dedup"]["status"] == "new")
            .count();
        assert_eq!(
            tries.as_u64().unwrap(),
            steps.len() as u64,
            "{method}: {learned}"
        );
        let gain = learned["include-method gain"][method]
            .as_f64()
            .unwrap_or(0.0);
        assert!(
            (gain * steps.len() as f64 - new as f64 / 4.0).abs() < 0.01,
            "{method}: {new} {learned}"
        );
    }
}

#[test]
fn pages_like_a_relevant_one_bring_more_of_them() {
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
    let mut waiting: Vec<&str> = journal
        .iter()
        .filter(is_relevant)
        .filter_map(|record| record["url"].as_str())
        .collect();
    let mut asked: Vec<&str> = journal
        .iter()
        .filter_map(|record| record["query"]["like"].as_str())
        .collect();
    asked.dedup();
    assert!(asked.len() > 1, "{asked:?}");
    waiting.truncate(asked.len());
    assert_eq!(asked, waiting);
    let relevant = read_report(&out)["relevant"].as_u64().unwrap();
    assert!(relevant > 20, "{relevant} of 40");
}

#[test]
fn seedfinder_asks_for_words_of_what_it_found() {
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
fn what_a_learner_can_not_do_is_told_before_there_is_a_run() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    for (args, why) in [
        (
            &["--learn", "like", "--engine", "searxng:http://127.0.0.1:1"][..],
            "has no more-like-this query",
        ),
        (
            &["--learn", "ucb", "--lengths", "id"],
            "ucb learns from shares",
        ),
        (
            &["--learn", "exp3", "--no-result-penalty", "2"],
            "exp3 learns from gains alone",
        ),
        (
            &["--learn", "like", "--lengths", "ii"],
            "like and seedfinder learn neither",
        ),
        (
            &["--learn", "thomson"],
            "a similar value exists: 'thompson'",
        ),
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
        let refused = run_pipeline(command).expect_exit(2);
        assert!(refused.stderr.contains(why), "{args:?}: {}", refused.stderr);
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
}

#[test]
fn a_learner_that_is_spelt_wrong_is_told_before_there_is_a_folder() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let cases: [(&[&str], &str); 5] = [
        (
            &["--until-coverage", "90"],
            "expected a number greater than 0 and at most 1",
        ),
        (
            &["--learn", "ltx"],
            "[possible values: auto, ml, lta, ltm, fm, thompson, ucb, exp3, like, seedfinder]",
        ),
        (
            &["--learn", "ltm", "--lengths", "i"],
            "there are ii, id, di, dd",
        ),
        (
            &["--learn", "ltm", "--no-result-penalty", "0"],
            "--no-result-penalty",
        ),
        (
            &["--lengths", "ii"],
            "--lengths and --no-result-penalty are for --learn",
        ),
    ];
    for (args, told) in cases {
        let refused = run_pipeline(new_run_command(&out, args)).expect_exit(2);
        assert!(
            refused.stderr.contains(told),
            "{args:?}: {}",
            refused.stderr
        );
        assert!(!out.exists(), "{args:?}");
    }
}
