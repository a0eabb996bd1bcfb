//! `corpus-builder --bootstrap-filter`: a language that nobody knows is learned from one document
//! and from what it brings.

use forage_tests::closed_web::{
    pipeline_command, run_demo_web, run_pipeline, shared_folder, unknown_language, unknown_page,
};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder with an index of demo-web's pages, the Slovenian ones in a language that nobody knows,
/// a text in it, a short one, and an English one.
fn web() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("web");
        let (pages, truth) = (run_demo_web(&[]), run_demo_web(&["truth"]));
        let web: String = pages.lines().zip(truth.lines()).map(unknown_page).collect();
        run_tool("search", ["--engine", &engine_in(&dir), "--add"], web).expect_exit(0);
        let seed = unknown_language(&run_demo_web(&["seed", "slv"]));
        let short: Vec<&str> = seed.split_whitespace().take(60).collect();
        fs::write(dir.join("short.txt"), short.join(" ")).unwrap();
        fs::write(dir.join("few.txt"), short[..5].join(" ")).unwrap();
        fs::write(dir.join("qaa.txt"), &seed).unwrap();
        fs::write(dir.join("eng.txt"), run_demo_web(&["seed", "eng"])).unwrap();
        dir
    })
}

fn engine_in(dir: &Path) -> String {
    format!("index:{}", dir.join("index").display())
}

/// A new run that looks for the unknown language, from a text of the web's folder.
fn new_run(out: &Path, text: &str, more: &[&str]) -> ToolOutput {
    let init = |class: &str, name: &str| format!("{class}={}", web().join(name).display());
    let (engine, inits) = (
        engine_in(web()),
        [init("qaa", text), init("eng", "eng.txt")],
    );
    let how = [
        "--target",
        "qaa",
        "--engine",
        &engine,
        "--out",
        out.to_str().unwrap(),
        "--init",
        &inits[0],
        "--init",
    ];
    let steps = ["--batch", "5", "--learn", "auto"];
    run_pipeline(pipeline_command(
        "corpus-builder",
        &[&how, [inits[1].as_str()].as_slice(), &steps, more].concat(),
    ))
}

/// URLs of the corpus.
fn corpus(out: &Path) -> BTreeSet<String> {
    let corpus = fs::read_to_string(out.join("corpus/qaa.jsonl")).unwrap();
    let url = |line| {
        serde_json::from_str::<Value>(line).unwrap()["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    corpus.lines().map(url).collect()
}

/// How many of these are in the language, by what demo-web says.
fn right(urls: &BTreeSet<String>) -> usize {
    let truth = run_demo_web(&["truth"]);
    let truth: HashMap<&str, &str> = truth
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    urls.iter()
        .filter(|url| truth[url.as_str()] == "slv")
        .count()
}

fn drift(out: &Path) -> Vec<Value> {
    let drift = fs::read_to_string(out.join("filter/drift.jsonl")).unwrap();
    drift
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_filter_grows_with_what_is_collected_and_stays_with_its_language() {
    let dir = temp_folder();
    let (grown, fixed) = (dir.path().join("grown"), dir.path().join("fixed"));
    let told = new_run(&grown, "short.txt", &["--docs", "44", "--bootstrap-filter"])
        .expect_exit(0)
        .stderr;
    new_run(&fixed, "short.txt", &["--docs", "44"]).expect_exit(0);
    let (found, before) = (corpus(&grown), corpus(&fixed));
    assert!(
        right(&found) * 20 >= found.len() * 19,
        "{} of {} are right\n{told}",
        right(&found),
        found.len()
    );
    assert!(
        right(&found) >= right(&before),
        "{} against {} of a filter that stays",
        found.len(),
        before.len()
    );
    let drift = drift(&grown);
    let documents: Vec<u64> = drift
        .iter()
        .filter_map(|line| line["documents"].as_u64())
        .collect();
    assert!(
        documents.len() >= 4 && documents.is_sorted(),
        "{documents:?}"
    );
    let last = drift.last().unwrap();
    assert!(
        last["fallback_reason"].is_null() && last["sample_documents"].as_u64() > Some(5),
        "{last}"
    );
    assert!(
        last["distance"].as_f64() < last["nearest"][1].as_f64(),
        "{last}"
    );
    assert!(told.contains("the first profile agrees with"), "{told}");
}

#[test]
fn a_run_in_parts_that_lost_its_profiles_ends_as_one_at_a_stretch() {
    let dir = temp_folder();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    new_run(&whole, "qaa.txt", &["--docs", "24", "--bootstrap-filter"]).expect_exit(0);
    // A limit that falls into a step of five would leave that short.
    new_run(&parts, "qaa.txt", &["--queries", "3", "--bootstrap-filter"]).expect_exit(0);
    fs::remove_dir_all(parts.join("filter")).unwrap();
    run_pipeline(pipeline_command(
        "corpus-builder",
        &[
            "--resume",
            parts.to_str().unwrap(),
            "--queries",
            "1000",
            "--docs",
            "24",
        ],
    ))
    .expect_exit(0);
    for file in [
        "journal.jsonl",
        "report.json",
        "corpus/qaa.jsonl",
        "filter/drift.jsonl",
    ] {
        let [whole, parts] =
            [&whole, &parts].map(|run| fs::read_to_string(run.join(file)).unwrap());
        assert!(whole == parts, "{file} differs");
    }
}

#[test]
fn what_a_filter_can_not_be_grown_from_is_told() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let check = |text: &str, more: &[&str], told: &str| {
        let refused = new_run(&out, text, more).expect_exit(2);
        assert!(
            refused.stderr.contains(told),
            "{more:?}: {}",
            refused.stderr
        );
        assert!(!out.join("run.conf").exists());
        let _ = fs::remove_dir_all(&out);
    };
    check(
        "few.txt",
        &["--bootstrap-filter"],
        "5 words, too few to begin with",
    );
    check(
        "qaa.txt",
        &["--bootstrap-filter", "--filter", "cat"],
        "--filter puts another in its place",
    );
    check(
        "qaa.txt",
        &["--without", "qqq"],
        "no profile of the language qqq",
    );
    let (engine, place) = (engine_in(web()), out.display().to_string());
    let init = format!("eng={}", web().join("eng.txt").display());
    let known = [
        "--target",
        "eng",
        "--engine",
        &engine,
        "--out",
        &place,
        "--init",
        &init,
        "--bootstrap-filter",
    ];
    let refused = run_pipeline(pipeline_command("corpus-builder", &known)).expect_exit(2);
    assert!(
        refused.stderr.contains("langid knows eng"),
        "{}",
        refused.stderr
    );
    let _ = fs::remove_dir_all(&out);
    new_run(&out, "qaa.txt", &["--docs", "3", "--without", "eng"]).expect_exit(0);
}
