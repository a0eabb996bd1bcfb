//! `focused-crawl` on a small web (`subject_web`).

use forage_tests::closed_web::{
    assert_same_files, corpus_urls, pipeline_command, read_journal, read_run_files,
    retrieved_documents, run_pipeline, step_numbers,
};
use forage_tests::kills::assert_survives_kills;
use forage_tests::server::{HostResponse, HostServer, html};
use forage_tests::subject_web::{HOSTS, PAGES, SUBJECT, page_url, respond, write_initial_files};
use forage_tests::write_faults::assert_survives_write_faults;
use forage_tests::{ToolOutput, temp_folder};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn new_run_command(server: &HostServer, out: &Path, args: &[&str]) -> Command {
    let folder = out.parent().unwrap();
    write_initial_files(folder);
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address, "--quiet"]);
    command.arg("--core").arg(folder.join("core.jsonl"));
    command.arg("--seeds").arg(folder.join("seeds.txt"));
    command.arg("--out").arg(out);
    command.args(["--delay", "0"]).args(args);
    command
}

fn crawl(server: &HostServer, out: &Path, args: &[&str]) -> ToolOutput {
    run_pipeline(new_run_command(server, out, args))
}

#[test]
fn collects_the_pages_on_the_subject_by_following_links() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let stderr = crawl(&server, &out, &["--pages", "200", "--batch", "6"])
        .expect_exit(0)
        .stderr;
    // The seeds that are none are reported, and the crawl ends when all pages were fetched.
    assert!(
        stderr.contains("seeds.txt:3: ") && stderr.contains("no URL is left"),
        "{stderr}"
    );
    let mut urls = corpus_urls(&out);
    urls.sort();
    let mut expected: Vec<String> = (0..HOSTS)
        .flat_map(|host| (0..PAGES).step_by(2).map(move |page| page_url(host, page)))
        .collect();
    expected.sort();
    assert_eq!(urls, expected);
    let journal = read_journal(&out);
    assert_eq!(
        retrieved_documents(&journal)
            .iter()
            .filter(|r| r["dedup"]["status"] == "new")
            .count(),
        HOSTS * PAGES
    );
    let kinds: Vec<&str> = journal
        .iter()
        .filter_map(|r| r["error"]["kind"].as_str())
        .collect();
    assert!(kinds.contains(&"robots") && kinds.contains(&"http-status"));
    let forbidden = server
        .requests()
        .iter()
        .filter(|r| r.path.starts_with("/private/"))
        .count();
    assert_eq!(forbidden, 0);
    // The profile is part of the run, to be looked at and used again.
    let profile = fs::read_to_string(out.join("init/filter.tsv")).unwrap();
    assert!(profile.contains("\nterm\tgraph\t"), "{profile}");
}

#[test]
fn relevant_pages_lead_to_the_next_ones() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let args = ["--pages", "12", "--batch", "2", "--order", "mean"];
    crawl(&server, &out, &args).expect_exit(0);
    let journal = read_journal(&out);
    let fetched = journal
        .iter()
        .filter(|record| record["step"].is_object())
        .count();
    assert_eq!(fetched, 12);
    assert_eq!(step_numbers(&journal).len(), 6);
    let scores: Vec<f64> = journal
        .iter()
        .filter_map(|r| r["frontier"]["score"].as_f64())
        .collect();
    assert!(scores.iter().all(|score| *score > 0.5), "{scores:?}");
}

#[test]
fn a_run_goes_on_as_if_it_had_not_ended() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    crawl(&server, &whole, &["--pages", "23", "--batch", "3"]).expect_exit(0);
    crawl(&server, &parts, &["--pages", "8", "--batch", "3"]).expect_exit(0);
    let again = crawl(&server, &parts, &[]).expect_exit(2).stderr;
    assert!(again.contains("--resume"), "{again}");
    let resume = |args: &[&str]| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command.arg(&parts).args(args);
        run_pipeline(command)
    };
    let refused = resume(&["--profile", "x"]).expect_exit(2).stderr;
    assert!(
        refused.contains("--profile belongs to a new run"),
        "{refused}"
    );
    resume(&["--pages", "23"]).expect_exit(0);
    assert_same_files(&read_run_files(&parts), &read_run_files(&whole), "resumed");
}

#[test]
fn survives_kills() {
    let server = HostServer::start(respond);
    let args = ["--pages", "60", "--batch", "4"];
    let resume = |out: &Path| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command.arg(out);
        command
    };
    assert_survives_kills(6, &|out| new_run_command(&server, out, &args), &resume);
    let args = ["--pages", "16", "--batch", "4", "--patience", "0"];
    assert_survives_write_faults(2, &|out| new_run_command(&server, out, &args), &resume);
}

#[test]
fn kills_with_outages_in_between_change_no_corpus() {
    let is_outage = Arc::new(AtomicBool::new(false));
    let server = HostServer::start({
        let is_outage = is_outage.clone();
        move |host, path| match is_outage.load(Ordering::SeqCst) {
            true => HostResponse::Hangup,
            false => respond(host, path),
        }
    });
    let args = ["--pages", "60", "--batch", "4", "--patience", "0"];
    let resume = |out: &Path| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command.arg(out);
        command
    };
    assert_survives_kills(2, &|out| new_run_command(&server, out, &args), &|out| {
        is_outage.store(true, Ordering::SeqCst);
        run_pipeline(resume(out)).expect_exit(3);
        is_outage.store(false, Ordering::SeqCst);
        resume(out)
    });
}

#[test]
fn any_pipe_can_be_the_filter() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let filter = "jq -c 'if (.text // \"\") | test(\"onions\") then .label = \"on-topic\" | \
                  .topic = {score: 2} else .label = \"off-topic\" | .topic = {score: 0} end'";
    crawl(&server, &out, &["--pages", "200", "--filter", filter]).expect_exit(0);
    let urls = corpus_urls(&out);
    assert!(
        !urls.is_empty() && urls.iter().all(|url| url.contains("/off/")),
        "{urls:?}"
    );
}

#[test]
fn a_filter_that_loses_or_doubles_records_ends_the_run() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    for (name, filter) in [
        ("lost", "jq -c 'select(.url | test(\"off/3\") | not)'"),
        (
            "doubled",
            "jq -c 'if (.url | test(\"off/3\")) then ., . else . end'",
        ),
        // As many records as URLs, but one of them twice.
        (
            "replaced",
            "jq -nc '[inputs] | if length > 2 then .[1], .[1], .[2] else .[] end'",
        ),
    ] {
        let out = folder.path().join(name);
        let filter = format!("{filter} | jq -c '.label = \"on-topic\" | .topic = {{score: 1}}'");
        let args = ["--pages", "60", "--batch", "3", "--filter", &filter];
        let stderr = crawl(&server, &out, &args).expect_exit(3).stderr;
        assert!(
            stderr.contains("must pass on every record once, in order"),
            "{stderr}"
        );
    }
}

#[test]
fn a_filter_that_sets_no_score_is_reported() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let args = ["--pages", "4", "--filter", "cat"];
    let stderr = crawl(&server, &out, &args).expect_exit(0).stderr;
    assert!(
        stderr.contains("has no score, the number topic.score"),
        "{stderr}"
    );
}

#[test]
fn a_crawl_for_a_language_needs_no_core() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    write_initial_files(folder.path());
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address, "--quiet"]);
    command.arg("--seeds").arg(folder.path().join("seeds.txt"));
    command.arg("--out").arg(&out).args(["--delay", "0"]);
    // A share of the page is on the subject, as a share is in a language.
    let filter = "jq -c 'if (.text // \"\") | test(\"onions\") then .label = \"slv\" | \
                  .langid.share.slv = 0.9 else .label = \"eng\" | .langid.share.eng = 1 end'";
    command.args(["--filter", filter, "--target", "slv", "--batch", "2"]);
    command.args(["--score", "langid.share.slv", "--pages", "20"]);
    run_pipeline(command).expect_exit(0);
    let corpus = fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    assert!(corpus.lines().count() > 5, "{corpus}");
    let journal = read_journal(&out);
    let scores: Vec<f64> = journal
        .iter()
        .filter_map(|record| record["frontier"]["score"].as_f64())
        .collect();
    assert!(scores.contains(&0.9), "{scores:?}");
    let mut command = pipeline_command("focused-crawl", &["--quiet", "--trust", "--resume"]);
    command.arg(&out).args(["--pages", "30"]);
    run_pipeline(command).expect_exit(0);
    assert_eq!(
        read_journal(&out)
            .iter()
            .filter(|r| r["step"].is_object())
            .count(),
        30
    );
}

/// Returns the names of the files in a folder.
fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_variable_part_of_the_profile_changes_with_the_relevant_pages() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let args = ["--pages", "60", "--batch", "4", "--variable-part", "5"];
    crawl(&server, &out, &args).expect_exit(0);
    let filter = out.join("filter");
    let names = file_names(&filter);
    let profiles: Vec<&String> = names.iter().filter(|name| name.ends_with(".tsv")).collect();
    assert!(profiles.len() >= 3, "{names:?}");
    let permanent = fs::read_to_string(out.join("init/filter.tsv")).unwrap();
    let mut last = String::new();
    for name in profiles {
        let profile = fs::read_to_string(filter.join(name)).unwrap();
        assert!(profile.starts_with(&permanent), "{profile}");
        last = profile;
    }
    assert!(last.contains("\n# variable part: "), "{last}");
    let drift = fs::read_to_string(filter.join("drift.jsonl")).unwrap();
    let drift: Vec<Value> = drift
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Steps of four pages are whole.
    for (level, drift) in (1..).zip(&drift) {
        let recommended = drift["recommended"].as_u64().unwrap();
        assert!((5 * level..5 * level + 4).contains(&recommended), "{drift}");
        assert!(drift["similarity"].as_f64().unwrap() > 0.1, "{drift}");
    }
    // A lost folder is restored exactly.
    let before = read_run_files(&out);
    fs::remove_dir_all(&filter).unwrap();
    let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
    command.arg(&out).args(["--pages", "60"]);
    run_pipeline(command).expect_exit(0);
    assert_same_files(&read_run_files(&out), &before, "restored");
    assert_eq!(file_names(&filter), names);
}

#[test]
fn a_variable_part_survives_kills() {
    let server = HostServer::start(respond);
    let args = ["--pages", "60", "--batch", "4", "--variable-part", "5"];
    assert_survives_kills(6, &|out| new_run_command(&server, out, &args), &|out| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command.arg(out);
        command
    });
}

#[test]
fn an_outage_of_the_network_uses_up_no_url() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    crawl(&server, &whole, &["--pages", "40", "--batch", "4"]).expect_exit(0);
    // Nobody listens on the port of a server that has ended.
    let dead = "127.0.0.1:9";
    let args = [
        &["--pages", "40", "--batch", "4", "--patience", "1"][..],
        &["--connect-to", dead],
    ]
    .concat();
    // Two hosts that fail may be down; then there is nothing else to fetch.
    let stderr = crawl(&server, &parts, &args).expect_exit(1).stderr;
    assert!(
        stderr.contains("0 of 2 pages could be fetched: "),
        "{stderr}"
    );
    let address = server.address.to_string();
    let resume = |address: &str, pages: &str| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command
            .arg(&parts)
            .args(["--connect-to", address, "--pages", pages]);
        run_pipeline(command)
    };
    resume(&address, "18").expect_exit(0);
    let stderr = resume(dead, "40").expect_exit(3).stderr;
    assert!(stderr.contains("is the network down?"), "{stderr}");
    fs::remove_file(parts.join("hosts.db")).unwrap();
    resume(&address, "40").expect_exit(0);
    assert_same_files(&read_run_files(&parts), &read_run_files(&whole), "resumed");
}

#[test]
fn a_file_of_the_core_that_cannot_be_read_is_left_out() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    write_initial_files(folder.path());
    let mut core: Vec<PathBuf> = Vec::new();
    for (name, body) in [("a.txt", SUBJECT.join("\n")), ("empty.html", String::new())] {
        core.push(folder.path().join(name));
        fs::write(core.last().unwrap(), body).unwrap();
    }
    core.push(folder.path().join("bad.pdf"));
    fs::write(&core[2], b"%PDF-1.4 \x00\xff").unwrap();
    core.push(folder.path().join("core.jsonl"));
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address, "--quiet"]);
    command.arg("--core").args(&core);
    command.arg("--seeds").arg(folder.path().join("seeds.txt"));
    command
        .arg("--out")
        .arg(&out)
        .args(["--delay", "0", "--pages", "6"]);
    let stderr = run_pipeline(command).expect_exit(0).stderr;
    for name in ["empty.html", "bad.pdf"] {
        assert!(
            stderr.contains(name) && stderr.contains("; left out"),
            "{stderr}"
        );
    }
    let initial = fs::read_to_string(out.join("init/core.jsonl")).unwrap();
    let records = initial.lines().filter(|line| !line.is_empty());
    assert_eq!(records.count(), 7);
}

#[test]
fn a_run_without_a_relevant_document_names_the_labels_that_the_filter_gave() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    let filter = "jq -c '.label = \"slv\" | .topic = {score: 1}'";
    let args = ["--pages", "4", "--filter", filter];
    let stderr = crawl(&server, &out, &args).expect_exit(0).stderr;
    assert!(
        stderr.contains("no document has the label on-topic (--target); the filter gave: slv 4"),
        "{stderr}"
    );
    assert!(stderr.contains("--pages 4 is reached"), "{stderr}");
}

#[test]
fn a_page_with_gigabytes_of_links_does_not_stop_a_crawl() {
    let server = HostServer::start(|host, path| match (host, path) {
        ("h0.test", "/on/0.html") => {
            let base = format!("<base href=\"http://h0.test/{}/\">", "d".repeat(1900));
            let links: String = (0..20_000).map(|n| format!("<a href={n}>x</a>")).collect();
            html(format!("{base}<p>{}</p>{links}", SUBJECT[0]))
        }
        _ => respond(host, path),
    });
    let folder = temp_folder();
    let out = folder.path().join("run");
    crawl(&server, &out, &["--pages", "6", "--batch", "2"]).expect_exit(0);
    let journal = read_journal(&out);
    let page = journal
        .iter()
        .find(|record| record["url"] == page_url(0, 0) && record["step"].is_object());
    let links = page.unwrap()["links"].as_array().unwrap().len();
    assert!((1000..5000).contains(&links), "{links}");
}

#[test]
fn files_of_the_core_without_a_last_line_feed_are_not_joined() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    write_initial_files(folder.path());
    let core = fs::read_to_string(folder.path().join("core.jsonl")).unwrap();
    let lines: Vec<&str> = core.lines().collect();
    let (first, second) = (folder.path().join("1.jsonl"), folder.path().join("2.jsonl"));
    fs::write(&first, lines[..3].join("\n")).unwrap();
    fs::write(&second, lines[3..].join("\n")).unwrap();
    let out = folder.path().join("run");
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address, "--quiet"]);
    command.arg("--core").args([&first, &second]);
    command.arg("--seeds").arg(folder.path().join("seeds.txt"));
    command
        .arg("--out")
        .arg(&out)
        .args(["--delay", "0", "--pages", "4"]);
    run_pipeline(command).expect_exit(0);
    assert_eq!(
        fs::read_to_string(out.join("init/core.jsonl")).unwrap(),
        core
    );
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_written() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let out = folder.path().join("run");
    write_initial_files(folder.path());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let empty = file("empty.jsonl", "");
    let core = folder
        .path()
        .join("core.jsonl")
        .to_str()
        .unwrap()
        .to_owned();
    let seeds = folder.path().join("seeds.txt").to_str().unwrap().to_owned();
    let bad_profile = file("bad.tsv", "term\tgraph\tmany\n");
    let address = server.address.to_string();
    for (args, cause) in [
        (vec!["--core", &empty, "--seeds", &seeds], "has no document"),
        (vec!["--core", &core, "--seeds", &empty], "has no URL"),
        (vec!["--core", "none", "--seeds", &seeds], "does not exist"),
        (vec!["--seeds", &seeds], "--core FILE is required"),
        (vec!["--core", &core], "--seeds FILE is required"),
        (
            vec![
                "--core",
                &core,
                "--seeds",
                &seeds,
                "--profile",
                &bad_profile,
            ],
            "bad.tsv:1:",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--thresholds", "vsm=x"],
            "--thresholds",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--order", "worst"],
            "--order",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--score", "a..b"],
            "--score",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--recognise", "2"],
            "--recognise",
        ),
        (
            vec![
                "--core",
                &core,
                "--seeds",
                &seeds,
                "--hosts-deny",
                &bad_profile,
            ],
            "bad.tsv:1:",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--target", "off-topic"],
            "--target",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--batch", "0"],
            "--batch",
        ),
        (
            vec!["--core", &core, "--seeds", &seeds, "--colour", "red"],
            "--colour",
        ),
    ] {
        let mut command = pipeline_command("focused-crawl", &["--connect-to", &address]);
        command.args(&args).arg("--out").arg(&out);
        let stderr = run_pipeline(command).expect_exit(2).stderr;
        assert!(stderr.contains(cause), "{args:?}: {stderr}");
        assert!(!out.join("run.conf").exists(), "{args:?}");
    }
    assert!(server.requests().is_empty());
}
