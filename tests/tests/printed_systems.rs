//! `--paper`: the pipelines as the systems that their papers print.

use forage_tests::closed_web::{
    assert_same_files, corpus_urls, new_run_command, pipeline_command, read_journal,
    read_run_files, run_demo_web, run_pipeline, shared_folder, web_folder,
};
use forage_tests::server::HostServer;
use forage_tests::subject_web::{SUBJECT, respond, write_initial_files};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a setting of a run.
fn setting(out: &Path, name: &str) -> String {
    let settings = fs::read_to_string(out.join("run.conf")).unwrap();
    let value = settings
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}=")));
    value.unwrap_or_else(|| panic!("{name}: {settings}")).into()
}

/// Asserts that `--paper` makes the same run as its options do, and another one than the defaults.
fn assert_paper_is(new_run: impl Fn(&Path, &[&str]) -> Command, options: &[&str], limit: &[&str]) {
    let dir = temp_folder();
    let run = |name: &str, args: &[&str]| {
        let out = dir.path().join(name);
        run_pipeline(new_run(&out, &[args, limit].concat())).expect_exit(0);
        out
    };
    let (paper, spelt, plain) = (
        run("paper", &["--paper"]),
        run("spelt", options),
        run("plain", &[]),
    );
    assert_same_files(&read_run_files(&paper), &read_run_files(&spelt), "--paper");
    let journal = |out: &Path| fs::read_to_string(out.join("journal.jsonl")).unwrap();
    assert_ne!(journal(&paper), journal(&plain));
}

#[test]
fn corpus_builder_is_the_loop_of_its_papers() {
    let printed = "--include or:3 --exclude or:3 --probability tf --recovery offsets --batch 1 \
                   --langid-method out-of-place";
    let printed: Vec<&str> = printed.split_whitespace().collect();
    assert_paper_is(new_run_command, &printed, &["--queries", "30"]);
    // What is given precedes, and leaves out what it excludes.
    let dir = temp_folder();
    let out = dir.path().join("run");
    let args = [
        "--paper",
        "--learn",
        "lta",
        "--batch",
        "2",
        "--queries",
        "2",
    ];
    run_pipeline(new_run_command(&out, &args)).expect_exit(0);
    let settings = ["include", "batch", "recovery", "paper"].map(|name| setting(&out, name));
    assert_eq!(settings, ["", "2", "offsets", "yes"]);
    let resume = ["--resume", out.to_str().unwrap(), "--paper"];
    let refused = run_pipeline(pipeline_command("corpus-builder", &resume)).expect_exit(2);
    assert!(
        refused.stderr.contains("--paper belongs to a new run"),
        "{}",
        refused.stderr
    );
}

#[test]
fn autocor_is_the_loop_of_its_paper() {
    let new_run = |out: &Path, args: &[&str]| {
        let (web, folder) = (web_folder(), out.parent().unwrap());
        let engine = format!("index:{}", web.join("index").display());
        let mut command = pipeline_command("autocor", &["-q", "--engine", &engine]);
        command.args(["--targets", "slv,ces", "--others", "eng"]);
        for class in ["slv", "ces", "eng"] {
            let text = fs::read_to_string(web.join(format!("{class}.txt"))).unwrap();
            let words: Vec<&str> = text.split_whitespace().collect();
            let parts = words.chunks(words.len().div_ceil(5));
            let records = parts.map(|words| format!("{}\n", json!({"text": words.join(" ")})));
            let file = folder.join(format!("{class}.jsonl"));
            fs::write(&file, records.collect::<String>()).unwrap();
            command.args(["--init", &format!("{class}={}", file.display())]);
        }
        command.arg("--out").arg(out).args(args);
        command
    };
    let printed = "--contrast others --include or:3 --exclude or:3 --recovery offsets --batch 10 \
                   --seeds-per-round 1 --classifier run:0";
    let printed: Vec<&str> = printed.split_whitespace().collect();
    assert_paper_is(new_run, &printed, &["--queries", "12"]);
}

/// The folder of the index of a news web, with a sample article.
fn news_folder() -> PathBuf {
    let folder = shared_folder("news of printed systems");
    let engine = format!("index:{}", folder.join("web").display());
    let articles = run_demo_web(&["news", "--language", "eng"]);
    run_tool("search", ["--engine", &engine, "--add"], articles).expect_exit(0);
    let sample = run_demo_web(&["news", "--language", "eng", "--sample", "fishing"]);
    fs::write(folder.join("fishing.html"), sample).unwrap();
    folder
}

#[test]
fn special_domain_is_the_loop_of_its_paper() {
    let (folder, dir) = (news_folder(), temp_folder());
    let run = |name: &str, args: &[&str]| {
        let out = dir.path().join(name);
        let engine = format!("index:{}", folder.join("web").display());
        let mut command = pipeline_command("special-domain", &["-q", "--engine", &engine]);
        command.arg("--sample").arg(folder.join("fishing.html"));
        command
            .arg("--out")
            .arg(&out)
            .args(["--calls", "10"])
            .args(args);
        run_pipeline(command).expect_exit(0);
        let journal = read_journal(&out);
        let queries = journal
            .iter()
            .filter_map(|record| record["query"]["include"].as_array());
        let lengths: BTreeSet<usize> = queries.map(Vec::len).collect();
        let sample = fs::read_to_string(out.join("init/samples.jsonl")).unwrap();
        let sample: Value = serde_json::from_str(sample.lines().next().unwrap()).unwrap();
        (lengths, sample["text"].as_str().unwrap().to_owned())
    };
    // No query is shortened, and the article is what is between title and footer.
    let (lengths, text) = run("paper", &["--paper"]);
    assert_eq!(lengths, BTreeSet::from([3]));
    let sample = folder.join("fishing.html");
    let args = [
        "--extractor",
        "title-body-footer",
        "--html",
        sample.to_str().unwrap(),
    ];
    let extracted = run_tool("fetch-extract", args, "").expect_exit(0).records();
    assert_eq!(extracted[0]["text"], text);
    let (lengths, plain) = run("samples", &["--learn", "samples"]);
    assert!(lengths.contains(&2), "{lengths:?}");
    assert_ne!(plain, text);
    assert_eq!(setting(&dir.path().join("paper"), "learn"), "samples");
}

fn crawl(server: &HostServer, out: &Path, args: &[&str]) -> ToolOutput {
    let folder = out.parent().unwrap();
    write_initial_files(folder);
    fs::write(folder.join("seeds.txt"), "http://h0.test/on/1.html\n").unwrap();
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["-q", "--connect-to", &address]);
    command.arg("--core").arg(folder.join("core.jsonl"));
    command.arg("--seeds").arg(folder.join("seeds.txt"));
    command
        .arg("--out")
        .arg(out)
        .args(["--delay", "0"])
        .args(args);
    run_pipeline(command).expect_exit(0)
}

#[test]
fn focused_crawl_is_the_crawler_of_its_paper() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    // The seed is about cooking, in a directory of which the next page is on the subject.
    let (seed, next) = ("http://h0.test/on/1.html", "http://h0.test/on/4.html");
    let (paper, plain) = (dir.path().join("paper"), dir.path().join("plain"));
    crawl(&server, &plain, &["--pages", "10", "--directory", "1"]);
    let crawled = |out| BTreeSet::from_iter(corpus_urls(out));
    assert!(crawled(&plain).contains(next) && !crawled(&plain).contains(seed));
    crawl(&server, &paper, &["--paper", "--pages", "10"]);
    assert!(crawled(&paper).is_superset(&[seed, next].map(String::from).into()));
    let journal = read_journal(&paper);
    let again: Vec<&Value> = journal
        .iter()
        .filter(|record| record["retry"] == true)
        .collect();
    assert_eq!(again.len(), 1, "{again:?}");
    assert_eq!(
        (&again[0]["url"], &again[0]["label"]),
        (&json!(seed), &json!("on-topic"))
    );
    assert_eq!(again[0]["topic"]["metrics"], json!(["directory"]));
    let settings = ["order", "batch", "directory", "variable-part"];
    assert_eq!(
        settings.map(|name| setting(&paper, name)),
        ["mean", "1", "1", "500"]
    );

    // A run in two parts, whose state is lost between them, is the same.
    let parts = dir.path().join("parts");
    crawl(&server, &parts, &["--paper", "--pages", "1"]);
    fs::remove_file(parts.join("sites.db")).unwrap();
    let resume = ["-q", "--resume", parts.to_str().unwrap(), "--pages", "10"];
    run_pipeline(pipeline_command("focused-crawl", &resume)).expect_exit(0);
    assert_same_files(&read_run_files(&parts), &read_run_files(&paper), "resumed");
}

/// Runs `topic-filter --paper` on pages of two terms.
fn judge(args: &[&str], pages: &str) -> Vec<Value> {
    let folder = temp_folder();
    let profile = folder.path().join("filter.tsv");
    fs::write(
        &profile,
        "# language: eng\nterm\tgraph\t30\t1\nterm\ttree\t10\t9\n",
    )
    .unwrap();
    let thresholds = "vsm=0.5,passage=1.1,term=2,pair=1,triple=1";
    let given = [
        "-q",
        "--profile",
        profile.to_str().unwrap(),
        "--thresholds",
        thresholds,
    ];
    run_tool("topic-filter", given.iter().chain(args).copied(), pages)
        .expect_exit(0)
        .records()
}

fn page(step: u64, url: &str, text: &str) -> String {
    let step = json!({"number": step, "target": "on-topic", "last": true});
    format!("{}\n", json!({"step": step, "url": url, "text": text}))
}

#[test]
fn a_printed_directory_needs_one_vote_whatever_its_name_and_looks_back() {
    let pages = [
        page(1, "http://a.test/2026/1", "Houses and rivers."),
        page(2, "http://a.test/else/2", "Houses and rivers."),
        page(3, "http://a.test/2026/3", "graph tree"),
        page(4, "http://a.test/2026/4", "Mountains."),
    ];
    let judged = |args: &[&str]| -> Vec<(u64, String, String)> {
        let records = judge(args, &pages.concat());
        let found = records.iter().map(|record| {
            let metrics = record["topic"]["metrics"].as_array().unwrap().iter();
            let metrics: Vec<&str> = metrics.map(|metric| metric.as_str().unwrap()).collect();
            let step = record["step"]["number"].as_u64().unwrap();
            (
                step,
                record["url"].as_str().unwrap()[14..].to_owned(),
                metrics.join(" "),
            )
        });
        found.collect()
    };
    let row = |step, url: &str, metrics: &str| (step, url.to_owned(), metrics.to_owned());
    let printed = [
        row(1, "2026/1", ""),
        row(2, "else/2", ""),
        row(3, "2026/1", "directory"),
        row(3, "2026/3", "vsm"),
        row(4, "2026/4", "directory"),
    ];
    assert_eq!(judged(&["--paper"]), printed);
    // With two votes, the page in the third step has to be followed by another one.
    assert_eq!(judged(&["--paper", "--directory", "2"]).len(), 4);
    assert_eq!(judged(&["--directory", "1"])[3], row(4, "2026/4", ""));
}

#[test]
fn printed_weights_are_frequencies() {
    let vsm = |args: &[&str]| {
        let text = page(1, "http://a.test/x/1", "graph graph graph tree house");
        judge(args, &text)[0]["topic"]["scores"]["vsm"]
            .as_f64()
            .unwrap()
    };
    let expected = (30.0 * 3.0 + 10.0) / (1000f64.sqrt() * 11f64.sqrt());
    assert!((vsm(&["--paper"]) - expected).abs() < 1e-8);
    let graph = 1.0 + 3f64.ln();
    let expected = (graph + 9.0) / (82f64.sqrt() * (graph * graph + 2.0).sqrt());
    assert!((vsm(&[]) - expected).abs() < 1e-8);
}

/// Twenty pages each of a directory on the subject and of another one, all by one metric.
fn good_and_bad_pages() -> String {
    let record = |directory: &str, number: usize| {
        let url = format!("http://a.test/{directory}/{number}");
        let topic = json!({"metrics": ["vsm"], "score": 1.0});
        let step = json!({"number": number + 1, "target": "on-topic"});
        json!({"id": url, "url": url, "text": SUBJECT[0], "topic": topic, "step": step}).to_string()
            + "\n"
    };
    let pages = (0..20).flat_map(|n| ["good", "bad"].map(|directory| record(directory, n)));
    pages.collect()
}

/// Returns the verdicts of a person who finds the pages of one directory relevant.
fn verdicts(drawn: &[Value]) -> String {
    let verdict = |record: &Value| {
        let id = record["sample"]["id"].as_str().unwrap();
        let relevant = if id.contains("/good/") { "yes" } else { "no" };
        format!("{id}\t{relevant}\n")
    };
    drawn.iter().map(verdict).collect()
}

#[test]
fn a_review_by_directory_and_metric_keeps_the_good_directory() {
    let dir = temp_folder();
    let judged = dir.path().join("judged.tsv");
    let kept = |by: &str| {
        let drawn = run_tool(
            "sample",
            ["--share", "0.2", "--by", by],
            good_and_bad_pages(),
        );
        fs::write(&judged, verdicts(&drawn.expect_exit(0).records())).unwrap();
        let args = ["--by", by, "--judgements", judged.to_str().unwrap()];
        let kept = run_tool("sample", args, good_and_bad_pages())
            .expect_exit(0)
            .records();
        let good = kept
            .iter()
            .filter(|r| r["url"].as_str().unwrap().contains("/good/"));
        (kept.len(), good.count())
    };
    assert_eq!(kept("directory,topic.metrics"), (20, 20));
    let (all, good) = kept("topic.metrics");
    assert!(all == good && good < 8, "{all} {good}");
}

#[test]
fn the_printed_review_draws_from_each_directory_and_of_the_rejected() {
    let dir = temp_folder();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    let rejected = good_and_bad_pages()
        .replace("[\"vsm\"]", "[]")
        .replace("a.test", "b.test");
    fs::write(run.join("journal.jsonl"), good_and_bad_pages() + &rejected).unwrap();
    let args = ["--paper", "--no-page", "-q", run.to_str().unwrap()];
    run_pipeline(pipeline_command("review", &args)).expect_exit(0);
    let sample = fs::read_to_string(run.join("review/sample.jsonl")).unwrap();
    let drawn: Vec<Value> = sample
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let groups: BTreeSet<&str> = drawn
        .iter()
        .map(|r| r["sample"]["group"].as_str().unwrap())
        .collect();
    let expected = [
        "http://a.test/bad/ vsm",
        "http://a.test/good/ vsm",
        "rejected",
    ];
    assert_eq!((drawn.len(), groups), (16, expected.into()));
    fs::write(run.join("review/judgements.tsv"), verdicts(&drawn)).unwrap();
    let args = ["--no-page", "-q", run.to_str().unwrap()];
    run_pipeline(pipeline_command("review", &args)).expect_exit(0);
    let accepted = fs::read_to_string(run.join("review/accepted.jsonl")).unwrap();
    // Twenty of the directory, and what was judged relevant of the rejected.
    assert!(
        (20..=28).contains(&accepted.lines().count()),
        "{}",
        accepted.lines().count()
    );
}
