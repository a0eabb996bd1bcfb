//! `corpus-builder --bootstrap-filter`: learns an unknown language from one initial document and
//! the documents that it retrieves.

use forage_tests::closed_web::{
    pipeline_command, run_demo_web, run_pipeline, shared_folder, unknown_language, unknown_page,
};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns a folder with an index of the pages of demo-web, the Slovenian ones converted to an
/// unknown language, and with initial texts: a long, a short and a tiny one in that language, and
/// one in English.
fn web_folder() -> &'static Path {
    static WEB: OnceLock<PathBuf> = OnceLock::new();
    WEB.get_or_init(|| {
        let dir = shared_folder("web");
        let pages = run_demo_web(&[]);
        let truth = run_demo_web(&["truth"]);
        let web_folder: String = pages.lines().zip(truth.lines()).map(unknown_page).collect();
        run_tool(
            "search",
            ["--engine", &engine_in(&dir), "--add"],
            web_folder,
        )
        .expect_exit(0);
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

/// Runs corpus-builder for the unknown language, with an initial text of the web's folder.
fn run_corpus_builder(out: &Path, text: &str, extra_args: &[&str]) -> ToolOutput {
    let init = |class: &str, name: &str| format!("{class}={}", web_folder().join(name).display());
    let engine = engine_in(web_folder());
    let inits = [init("qaa", text), init("eng", "eng.txt")];
    let options = [
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
        &[&options, [inits[1].as_str()].as_slice(), &steps, extra_args].concat(),
    ))
}

/// Returns the URLs of the corpus.
fn corpus_urls(out: &Path) -> BTreeSet<String> {
    let corpus_urls = fs::read_to_string(out.join("corpus/qaa.jsonl")).unwrap();
    let url = |line| {
        serde_json::from_str::<Value>(line).unwrap()["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    corpus_urls.lines().map(url).collect()
}

/// Returns the number of pages that are Slovenian according to demo-web.
fn count_slovenian(urls: &BTreeSet<String>) -> usize {
    let truth = run_demo_web(&["truth"]);
    let truth: HashMap<&str, &str> = truth
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    urls.iter()
        .filter(|url| truth[url.as_str()] == "slv")
        .count()
}

fn read_drift(out: &Path) -> Vec<Value> {
    let read_drift = fs::read_to_string(out.join("filter/drift.jsonl")).unwrap();
    read_drift
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_bootstrapped_filter_learns_from_the_corpus_without_drifting() {
    let dir = temp_folder();
    let [bootstrapped, fixed] = ["bootstrapped", "fixed"].map(|name| dir.path().join(name));
    let stderr = run_corpus_builder(
        &bootstrapped,
        "short.txt",
        &["--docs", "44", "--bootstrap-filter"],
    )
    .expect_exit(0)
    .stderr;
    run_corpus_builder(&fixed, "short.txt", &["--docs", "44"]).expect_exit(0);
    let urls = corpus_urls(&bootstrapped);
    let fixed_urls = corpus_urls(&fixed);
    assert!(
        count_slovenian(&urls) * 20 >= urls.len() * 19,
        "{} of {} are Slovenian\n{stderr}",
        count_slovenian(&urls),
        urls.len()
    );
    assert!(
        count_slovenian(&urls) >= count_slovenian(&fixed_urls),
        "{} documents, {} with a fixed filter",
        urls.len(),
        fixed_urls.len()
    );
    let read_drift = read_drift(&bootstrapped);
    let documents: Vec<u64> = read_drift
        .iter()
        .filter_map(|line| line["documents"].as_u64())
        .collect();
    assert!(
        documents.len() >= 4 && documents.is_sorted(),
        "{documents:?}"
    );
    let last = read_drift.last().unwrap();
    assert!(
        last["fallback_reason"].is_null() && last["sample_documents"].as_u64() > Some(5),
        "{last}"
    );
    assert!(
        last["distance"].as_f64() < last["nearest"][1].as_f64(),
        "{last}"
    );
    assert!(stderr.contains("the first profile accepts"), "{stderr}");
}

#[test]
fn a_resumed_run_without_its_profiles_gives_the_same_result() {
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_corpus_builder(&whole, "qaa.txt", &["--docs", "24", "--bootstrap-filter"]).expect_exit(0);
    // A limit within a step of five documents would cut the step short.
    run_corpus_builder(&parts, "qaa.txt", &["--queries", "3", "--bootstrap-filter"]).expect_exit(0);
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
fn unsuitable_initial_documents_and_options_are_refused() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let assert_refused = |text: &str, extra_args: &[&str], message: &str| {
        let output = run_corpus_builder(&out, text, extra_args).expect_exit(2);
        assert!(
            output.stderr.contains(message),
            "{extra_args:?}: {}",
            output.stderr
        );
        assert!(!out.join("run.conf").exists());
        let _ = fs::remove_dir_all(&out);
    };
    assert_refused(
        "few.txt",
        &["--bootstrap-filter"],
        "5 words, which is too few",
    );
    assert_refused(
        "qaa.txt",
        &["--bootstrap-filter", "--filter", "cat"],
        "which --filter replaces",
    );
    assert_refused(
        "qaa.txt",
        &["--without", "qqq"],
        "no label qqq in the model",
    );
    let engine = engine_in(web_folder());
    let out_path = out.display().to_string();
    let init = format!("eng={}", web_folder().join("eng.txt").display());
    let args = [
        "--target",
        "eng",
        "--engine",
        &engine,
        "--out",
        &out_path,
        "--init",
        &init,
        "--bootstrap-filter",
    ];
    let output = run_pipeline(pipeline_command("corpus-builder", &args)).expect_exit(2);
    assert!(
        output.stderr.contains("langid knows eng"),
        "{}",
        output.stderr
    );
    let _ = fs::remove_dir_all(&out);
    run_corpus_builder(&out, "qaa.txt", &["--docs", "3", "--without", "eng"]).expect_exit(0);
}
