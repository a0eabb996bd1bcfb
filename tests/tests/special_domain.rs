//! `special-domain` on the news web of demo-web, whose subjects are known.
//!
//! The Japanese dictionary is not needed: without it, Japanese has statistical keyphrases.

use forage_tests::closed_web::{
    assert_same_files, corpus_urls, count_calls, pipeline_command, read_journal, read_report,
    read_run_files, retrieved_documents, run_demo_web, run_pipeline, shared_folder,
};
use forage_tests::open_web::OpenWeb;
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A news web: a folder with an index, and a sample article on each subject asked for.
struct NewsWeb {
    folder: PathBuf,
    language: &'static str,
    /// The subject of each article, by URL.
    subjects: HashMap<String, String>,
}

impl NewsWeb {
    fn new(language: &'static str) -> NewsWeb {
        let folder = shared_folder(language);
        let articles = run_demo_web(&["news", "--language", language, "--labels"]);
        let subjects = articles.lines().map(|line| {
            let article: Value = serde_json::from_str(line).unwrap();
            let text = |field: &str| article[field].as_str().unwrap().to_owned();
            (text("url"), text("subject"))
        });
        let subjects = subjects.collect();
        // The index is made of the web without the answers.
        let articles = run_demo_web(&["news", "--language", language]);
        let engine = format!("index:{}", folder.join("web").display());
        run_tool("search", ["--engine", &engine, "--add"], articles).expect_exit(0);
        NewsWeb {
            folder,
            language,
            subjects,
        }
    }

    fn english() -> &'static NewsWeb {
        static WEB: OnceLock<NewsWeb> = OnceLock::new();
        WEB.get_or_init(|| NewsWeb::new("eng"))
    }

    /// Starts servers of the articles and of an engine that finds them.
    fn start_servers(&self) -> OpenWeb {
        let articles = run_demo_web(&["news", "--language", self.language]);
        OpenWeb::with_pages(&articles, self.engine())
    }

    fn engine(&self) -> String {
        format!("index:{}", self.folder.join("web").display())
    }

    /// Writes the sample article on a subject to a file.
    fn sample(&self, subject: &str, folder: &Path) -> PathBuf {
        let file = folder.join(format!("{subject}.html"));
        let args = ["news", "--language", self.language, "--sample", subject];
        fs::write(&file, run_demo_web(&args)).unwrap();
        file
    }

    /// Returns the command of a new run that collects articles on a subject. The engine is the
    /// embedded index, if the arguments name no other.
    fn new_run_command(&self, subject: &str, out: &Path, args: &[&str]) -> Command {
        let sample = self.sample(subject, out.parent().unwrap());
        let mut command = pipeline_command("special-domain", &["--quiet"]);
        command.arg("--sample").arg(sample).arg("--out").arg(out);
        if !args.contains(&"--engine") {
            command.args(["--engine", &self.engine()]);
        }
        command.args(args);
        command
    }

    /// Returns the number of articles of the collection, and of those on the subject.
    fn count_collected(&self, subject: &str, out: &Path) -> (usize, usize) {
        let urls = corpus_urls(out);
        let subjects: Vec<&str> = urls.iter().map(|url| &*self.subjects[url]).collect();
        let right = subjects.iter().filter(|found| **found == subject).count();
        (subjects.len(), right)
    }
}

fn resume_command(out: &Path, args: &[&str]) -> Command {
    let mut command = pipeline_command("special-domain", &["--quiet", "--resume"]);
    command.arg(out).args(args);
    command
}

fn run_special_domain(args: &[&str]) -> ToolOutput {
    run_pipeline(pipeline_command("special-domain", args))
}

#[test]
fn one_article_collects_others_on_its_subject() {
    let dir = temp_folder();
    let japanese = NewsWeb::new("jpn");
    for (web, subject, least) in [
        (NewsWeb::english(), "earthquakes", 25),
        (NewsWeb::english(), "influenza", 25),
        (&japanese, "elections", 15),
    ] {
        let out = dir.path().join(format!("{}-{subject}", web.language));
        run_pipeline(web.new_run_command(subject, &out, &["--calls", "30"])).expect_exit(0);
        let (collected, right) = web.count_collected(subject, &out);
        assert!(
            right >= least && right * 10 >= collected * 9,
            "{} {subject}: {right} right of {collected}",
            web.language
        );
        let journal = read_journal(&out);
        assert!(count_calls(&journal) <= 30);
        assert_eq!(read_report(&out)["calls"], count_calls(&journal));
    }
}

#[test]
fn rejected_articles_are_collected_when_a_later_sample_accepts_them() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let out = dir.path().join("run");
    let args = ["--learn", "samples", "--calls", "40", "--threshold", "0.3"];
    run_pipeline(web.new_run_command("earthquakes", &out, &args)).expect_exit(0);
    let journal = read_journal(&out);
    let (retries, retrieved): (Vec<&Value>, Vec<&Value>) = retrieved_documents(&journal)
        .into_iter()
        .partition(|record| record["retry"] == true);
    assert!(!retries.is_empty());
    let rejected: BTreeSet<&str> = retrieved
        .iter()
        .filter(|record| record["label"] == "off-topic")
        .filter_map(|record| record["url"].as_str())
        .collect();
    for retry in &retries {
        let url = retry["url"].as_str().unwrap();
        assert!(rejected.contains(url), "{url}");
        assert_eq!(retry["label"], "on-topic");
        assert!(retry["hit"].is_null(), "{url}");
    }
    assert_eq!(read_report(&out)["documents"], retrieved.len());

    let urls = corpus_urls(&out);
    let unique: BTreeSet<&str> = urls.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), urls.len());
    for retry in &retries {
        assert!(unique.contains(retry["url"].as_str().unwrap()));
    }
    let (collected, right) = web.count_collected("earthquakes", &out);
    assert!(right * 10 >= collected * 8, "{right} of {collected}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_other_queries() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let run = |name: &str, seed: &str| {
        let out = dir.path().join(name);
        let args = ["--learn", "samples", "--calls", "8", "--seed", seed];
        run_pipeline(web.new_run_command("fishing", &out, &args)).expect_exit(0);
        read_run_files(&out)
    };
    let first = run("first", "1");
    assert_same_files(&run("again", "1"), &first, "the same seed");
    assert_ne!(run("other", "2")["journal.jsonl"], first["journal.jsonl"]);
}

#[test]
fn a_resumed_run_continues_to_the_new_limit_like_one_that_had_it_from_the_start() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.path().join(name));
    run_pipeline(web.new_run_command("fishing", &whole, &["--calls", "12"])).expect_exit(0);
    run_pipeline(web.new_run_command("fishing", &parts, &["--calls", "5"])).expect_exit(0);
    assert_eq!(count_calls(&read_journal(&parts)), 5);
    run_pipeline(resume_command(&parts, &["--calls", "12"])).expect_exit(0);
    assert_same_files(&read_run_files(&parts), &read_run_files(&whole), "resumed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_gives_the_same_result() {
    let web = NewsWeb::english();
    for (trials, learn) in [(3, "rocchio"), (3, "samples")] {
        forage_tests::kills::assert_survives_kills(
            trials,
            &|out| web.new_run_command("earthquakes", out, &["--learn", learn, "--calls", "8"]),
            &|out| resume_command(out, &[]),
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kills_with_outages_in_between_change_no_corpus() {
    let news = NewsWeb::english();
    let web = news.start_servers();
    let mut args = web.args().to_vec();
    args.extend("--calls 8 --patience 0".split(' ').map(String::from));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let new_run = |out: &Path| news.new_run_command("earthquakes", out, &args);
    forage_tests::kills::assert_survives_kills(2, &new_run, &|out| {
        web.fail_pages_during(resume_command(out, &[]));
        resume_command(out, &[])
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_with_a_failed_write_gives_the_same_result() {
    let news = NewsWeb::english();
    let args = ["--calls", "4"];
    forage_tests::write_faults::assert_survives_write_faults(
        2,
        &|out| news.new_run_command("earthquakes", out, &args),
        &|out| resume_command(out, &[]),
    );
}

#[test]
fn an_existing_run_is_not_overwritten() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let out = dir.path().join("run");
    run_pipeline(web.new_run_command("fishing", &out, &["--calls", "1"])).expect_exit(0);
    let files = read_run_files(&out);
    let again = run_pipeline(web.new_run_command("fishing", &out, &["--calls", "3"]));
    assert!(again.stderr.contains("use --resume"), "{}", again.stderr);
    again.expect_exit(2);
    assert_same_files(&read_run_files(&out), &files, "the first run");
}

#[test]
fn records_without_an_id_are_samples_and_one_without_keyphrases_is_named() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let samples = dir.path().join("samples.jsonl");
    let out = dir.path().join("run");
    let run = |records: &str| {
        fs::write(&samples, records).unwrap();
        let mut command = pipeline_command("special-domain", &["--quiet", "--calls", "2"]);
        command.args(["--engine", &web.engine()]);
        command.arg("--sample").arg(&samples).arg("--out").arg(&out);
        run_pipeline(command)
    };
    let quake =
        r#"{"text":"An earthquake shook the coast of Tamsin, the Geological Survey said."}"#;
    let refused = run(&format!("{quake}\n{{\"text\":\"of the\"}}\n"));
    let message = "samples.jsonl:2: has no keyphrases";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    refused.expect_exit(2);
    run(&format!("{quake}\n")).expect_exit(0);
    assert_eq!(count_calls(&read_journal(&out)), 2);
}

#[test]
fn a_run_keeps_the_rules_that_it_started_with() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let (rules, out) = (dir.path().join("rules.toml"), dir.path().join("run"));
    let text = "[[site]]\nhost = \"a.test\"\narticle = \".story\"\n";
    fs::write(&rules, text).unwrap();
    let rules_option = rules.display().to_string();
    let args = ["--calls", "1", "--rules", &*rules_option];
    run_pipeline(web.new_run_command("fishing", &out, &args)).expect_exit(0);
    fs::remove_file(&rules).unwrap();
    run_pipeline(resume_command(&out, &["--calls", "2"])).expect_exit(0);
    assert_eq!(fs::read_to_string(out.join("rules.toml")).unwrap(), text);
}

#[test]
fn wrong_arguments_are_refused_with_a_message_and_make_no_folder() {
    let web = NewsWeb::english();
    let dir = temp_folder();
    let sample = web.sample("fishing", dir.path()).display().to_string();
    let out = dir.path().join("run").display().to_string();
    let engine = web.engine();
    let empty = dir.path().join("empty.txt").display().to_string();
    fs::write(&empty, "").unwrap();
    let valid = ["--sample", &*sample, "--engine", &*engine, "--out", &*out];
    let mut cases: Vec<(Vec<&str>, &str)> = [
        (vec!["--calls", "many"], "--calls"),
        (vec!["--hits", "0"], "--hits"),
        (vec!["--learn", "magic"], "--learn"),
        (
            vec!["--threshold", "high", "--learn", "samples"],
            "--threshold",
        ),
        (vec!["--threshold", "0,6"], "'0,6' for '--threshold"),
        (vec!["--rate", "fast"], "--rate"),
        (vec!["--rules", "none.toml"], "none.toml"),
        (vec!["--connect-to", "nowhere"], "--connect-to"),
        (
            vec!["--learn", "samples", "--measure", "magic"],
            "--measure",
        ),
        (vec!["--measure", "dice"], "--learn samples"),
        (vec!["--lang", "xqz"], "xqz"),
        (vec!["--target", "gold"], "unexpected argument"),
        (vec!["--engine", "gdelt:"], "--contact"),
        (vec!["--resume", "other"], "give one of them"),
        (vec!["--docs"], "a value is required"),
    ]
    .into_iter()
    .map(|(args, message)| ([&valid[..], &args].concat(), message))
    .collect();
    cases.extend([
        (vec![], "--out RUN"),
        (vec!["--out", &*out, "--engine", &*engine], "--sample"),
        (vec!["--out", &*out, "--sample", &*sample], "--engine"),
        (
            vec![
                "--out",
                &*out,
                "--engine",
                &*engine,
                "--sample",
                "none.html",
            ],
            "none.html",
        ),
        (
            vec!["--out", &*out, "--engine", &*engine, "--sample", &*empty],
            "empty.txt",
        ),
        (
            vec![
                "--out",
                &*out,
                "--engine",
                "index:none",
                "--sample",
                &*sample,
            ],
            "index:none",
        ),
        (vec!["--resume", &*out], "no such folder"),
    ]);
    for (args, message) in cases {
        let output = run_special_domain(&args);
        assert!(
            output.stderr.contains(message),
            "{args:?}: {}",
            output.stderr
        );
        assert_eq!(output.exit_code, 2, "{args:?}: {}", output.stderr);
        assert!(!Path::new(&out).join("run.conf").exists(), "{args:?}");
    }
}

/// Runs special-domain on a web with articles `on` and `off` the subject of `sample`. Returns the URLs
/// of the collection.
fn collect_subject(subject: &Value, folder: &Path) -> Vec<String> {
    let mut lines = String::new();
    for host in ["on", "off"] {
        for (number, text) in subject[host].as_array().unwrap().iter().enumerate() {
            let url = format!("http://{host}.test/{number}");
            lines += &format!("{}\n", serde_json::json!({"url": url, "text": text}));
        }
    }
    let engine = format!("index:{}", folder.join("web").display());
    run_tool("search", ["--engine", &engine, "--add"], lines).expect_exit(0);
    let (sample, out) = (folder.join("sample.txt"), folder.join("run"));
    fs::write(&sample, subject["sample"].as_str().unwrap()).unwrap();
    let mut command = pipeline_command("special-domain", &["--quiet", "--calls", "60"]);
    command.arg("--sample").arg(sample).arg("--out").arg(&out);
    command.args(["--engine", &engine]);
    run_pipeline(command).expect_exit(0);
    corpus_urls(&out).into_iter().collect()
}

/// Most articles have other forms of the words of the sample, or none of its phrases.
#[test]
fn a_subject_is_collected_in_languages_without_a_tagger_or_a_stemmer() {
    let subjects: Vec<Value> = include_str!("../fixtures/subjects.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut collected = 0;
    for language in ["ara", "eus", "hin", "pol", "swh", "tha"] {
        let subject = subjects.iter().find(|s| s["lang"] == language).unwrap();
        let dir = temp_folder();
        let found = collect_subject(subject, dir.path());
        assert!(
            found.iter().all(|url| url.starts_with("http://on.test/")) && found.len() >= 2,
            "{language}: {found:?}"
        );
        collected += found.len();
    }
    assert!(collected >= 16, "{collected} of 18");
}
