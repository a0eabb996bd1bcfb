//! `--check` of the pipelines, which tries what a run does without starting one, and
//! `--resume-if-there`, by which the same command starts a run and goes on with it.

use forage_tests::closed_web::{
    new_run_command, pipeline_command, read_journal, read_report, retrieved_documents,
    run_demo_web, run_pipeline, web_folder,
};
use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::server::{HostServer, status};
use forage_tests::subject_web::{respond, write_initial_files};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Asserts that the report of a trial has these parts.
fn assert_reports(output: &ToolOutput, parts: &[&str]) {
    for part in parts {
        assert!(output.stdout.contains(part), "{part}: {output:?}");
    }
}

#[test]
fn a_filter_is_tried_on_the_initial_documents() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let check = |filter: &str| {
        let args = ["--filter", filter, "--check"];
        run_pipeline(new_run_command(&out, &args))
    };
    let works = check(r#"jq -c '.label = "slv"'"#).expect_exit(0);
    assert_reports(&works, &["filter: labels slv 5\n"]);
    for (filter, cause) in [
        (
            "cat",
            "--filter: must write a string or a number as `label`",
        ),
        ("head -n 1", "--filter: must pass on every record"),
        ("jq error", "--filter: the filter fails"),
    ] {
        let stderr = check(filter).expect_exit(2).stderr;
        assert!(stderr.contains(cause), "{filter}: {stderr}");
    }
    assert!(!out.exists());
}

/// A folder with an index of news articles, and a sample article.
fn write_news(folder: &Path) -> String {
    let engine = format!("index:{}", folder.join("news").display());
    run_tool(
        "search",
        ["--engine", &engine, "--add"],
        run_demo_web(&["news"]),
    )
    .expect_exit(0);
    let sample = run_demo_web(&["news", "--sample", "fishing"]);
    fs::write(folder.join("fishing.html"), sample).unwrap();
    engine
}

fn special_domain(folder: &Path, args: &[&str]) -> ToolOutput {
    let mut command = pipeline_command("special-domain", args);
    command.arg("--sample").arg(folder.join("fishing.html"));
    command.arg("--out").arg(folder.join("run"));
    run_pipeline(command)
}

#[test]
fn special_domain_tries_its_samples_and_all_engines() {
    let dir = temp_folder();
    let index = write_news(dir.path());
    let closed = special_domain(dir.path(), &["--engine", &index, "--check"]).expect_exit(0);
    assert_reports(
        &closed,
        &[
            "disk: ",
            "tools: found",
            "samples: 1 in eng; best keyphrase of the first: ",
            &format!("engine: {index} answers, and honours exclusion terms"),
        ],
    );
    let refusing = EngineServer::start(|_, _| EngineResponse::status("403 Forbidden", ""));
    let feed = EngineServer::start(|_, _| {
        EngineResponse::ok(r#"<rss version="2.0"><channel><title>none</title></channel></rss>"#)
    });
    let (refusing, feed) = (
        format!("searxng:{}", refusing.address),
        format!("feed:{}", feed.address),
    );
    let args = ["--contact", "me@example.org", "--check", "--rate", "1000"];
    let engines = ["--engine", &refusing, "--engine", &feed, "--engine", &index];
    let failed = special_domain(dir.path(), &[&args[..], &engines].concat()).expect_exit(2);
    // One engine fails; the others are tested all the same, and a feed is asked though it cannot
    // exclude.
    let cause = format!("{refusing}: the engine cannot be used: ");
    assert!(failed.stderr.contains(&cause), "{}", failed.stderr);
    assert_reports(
        &failed,
        &[
            "contact: me@example.org",
            &format!("engine: {feed} answers, but ignores exclusion terms"),
            &format!("engine: {index} answers, and"),
        ],
    );
    let dead = [&args[..], &["--engine", "feed:http://127.0.0.1:9/"]].concat();
    let stderr = special_domain(dir.path(), &dead).expect_exit(2).stderr;
    assert!(stderr.contains("the engine cannot be used"), "{stderr}");
    assert!(!dir.path().join("run").exists());
}

fn focused_crawl(server: &HostServer, folder: &Path, args: &[&str]) -> ToolOutput {
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address]);
    command.arg("--core").arg(folder.join("core.jsonl"));
    command.arg("--seeds").arg(folder.join("seeds.txt"));
    command.arg("--out").arg(folder.join("run"));
    command.args(["--delay", "0"]).args(args);
    run_pipeline(command)
}

#[test]
fn focused_crawl_tries_its_core_and_its_seeds() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    write_initial_files(dir.path());
    let works = focused_crawl(&server, dir.path(), &["--check"]).expect_exit(0);
    assert_reports(
        &works,
        &[
            "disk: ",
            "core: 6 documents; seeds: ",
            "contact: none; ",
            "that were tried could be fetched",
        ],
    );
    let hosts = dir.path().join("hosts");
    fs::write(&hosts, "h0.test\nh1.test\n").unwrap();
    let args = ["--check", "--hosts-allow", hosts.to_str().unwrap()];
    focused_crawl(&server, dir.path(), &args).expect_exit(0);
    let filter = ["--check", "--filter", r#"jq -c '.label = "on-topic"'"#];
    let filtered = focused_crawl(&server, dir.path(), &filter).expect_exit(0);
    assert_reports(&filtered, &["filter: labels on-topic "]);
    let stderr = focused_crawl(&server, dir.path(), &["--check", "--filter", "cat"])
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("must write a string"), "{stderr}");
    let dead = HostServer::start(|_, _| status(404));
    let stderr = focused_crawl(&dead, dir.path(), &["--check"])
        .expect_exit(2)
        .stderr;
    assert!(stderr.contains("--seeds: none of the "), "{stderr}");
    assert!(!dir.path().join("run").exists());
}

#[test]
fn a_trial_leaves_a_run_as_it_is() {
    let server = HostServer::start(respond);
    let dir = temp_folder();
    write_initial_files(dir.path());
    focused_crawl(&server, dir.path(), &["--pages", "6"]).expect_exit(0);
    let out = dir.path().join("run");
    let state = || {
        let mut command = Command::new("find");
        command
            .arg(&out)
            .args(["-type", "f", "-printf", "%p %T@ %s\n"]);
        let output = run_pipeline(command).expect_exit(0).stdout;
        let mut lines: Vec<String> = output.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let before = state();
    let mut command = pipeline_command("focused-crawl", &["--check", "--resume"]);
    command.arg(&out);
    let resumed = run_pipeline(command).expect_exit(0);
    assert_reports(&resumed, &["core: ", "could be fetched"]);
    assert_eq!(state(), before);
}

#[test]
fn the_same_command_starts_a_run_and_goes_on_with_it() {
    let dir = temp_folder();
    let out = dir.path().join("run");
    let run = |docs: &str| {
        let args = ["--resume-if-there", "--docs", docs, "--include", "or:2"];
        run_pipeline(new_run_command(&out, &args))
    };
    let documents = || retrieved_documents(&read_journal(&out)).len();
    let started = run("3").expect_exit(0).stderr;
    assert!(!started.contains("has a run"), "{started}");
    assert_eq!(documents(), 3);
    // Limits are those of the command.
    let resumed = run("5").expect_exit(0).stderr;
    assert!(resumed.contains("goes on with these limits"), "{resumed}");
    assert_eq!(read_report(&out)["documents"], 5);
    let resumed = run("3").expect_exit(0).stderr;
    assert!(resumed.contains("--docs 3 was reached before"), "{resumed}");
    run("+2").expect_exit(0);
    assert_eq!(read_report(&out)["documents"], 7);
    let args = ["--resume-if-there", "--include", "or:1"];
    let refused = run_pipeline(new_run_command(&out, &args)).expect_exit(2);
    assert!(
        refused.stderr.contains("--include belongs to a new run"),
        "{}",
        refused.stderr
    );
    // Codes of one language are the same.
    for (target, exit) in [("hrv", 2), ("sl", 0)] {
        let folder = out.to_str().unwrap();
        let args = ["--resume-if-there", "--target", target, "--docs", "3"];
        let command = pipeline_command("corpus-builder", &[&args[..], &["--out", folder]].concat());
        let stderr = run_pipeline(command).expect_exit(exit).stderr;
        let is_refused = stderr.contains("--target belongs to a new run");
        assert_eq!(is_refused, exit == 2, "{stderr}");
    }
    let init = format!("slv={}", web_folder().join("slv.txt").display());
    let args = ["--resume-if-there", "--target", "slv", "--init", &init];
    let stderr = run_pipeline(pipeline_command("corpus-builder", &args))
        .expect_exit(2)
        .stderr;
    assert!(
        stderr.contains("--resume-if-there belongs to --out"),
        "{stderr}"
    );
}

#[test]
fn all_collecting_pipelines_resume_if_there_is_a_run() {
    let dir = temp_folder();
    let index = write_news(dir.path());
    let args = ["--engine", &index, "--calls", "2", "--resume-if-there"];
    for message in ["samples", "goes on with these limits"] {
        let output = special_domain(dir.path(), &args).expect_exit(0);
        // The first run does not say so.
        assert_eq!(
            output.stderr.contains("goes on with"),
            message.starts_with("goes on"),
            "{}",
            output.stderr
        );
    }
    let server = HostServer::start(respond);
    let crawl = temp_folder();
    write_initial_files(crawl.path());
    for is_resumed in [false, true] {
        let args = ["--pages", "6", "--resume-if-there"];
        let output = focused_crawl(&server, crawl.path(), &args).expect_exit(0);
        assert_eq!(output.stderr.contains("goes on with"), is_resumed);
    }
    let help = run_pipeline(pipeline_command("autocor", &["--help"])).stdout;
    assert!(help.contains("--resume-if-there"), "{help}");
}
