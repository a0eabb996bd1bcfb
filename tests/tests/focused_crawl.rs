//! `focused-crawl` on a small web: hosts with pages on trees and graphs, and on cooking, redirects,
//! dead links, and pages that robots.txt forbids.

use forage_tests::closed_web::{
    assert_same_files, pipeline_command, read_journal, read_run_files, retrieved_documents,
    run_pipeline, step_numbers,
};
use forage_tests::kills::assert_survives_kills;
use forage_tests::server::{HostResponse, HostServer, html, ok, redirect, status};
use forage_tests::{ToolOutput, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const HOSTS: usize = 3;
const PAGES: usize = 16;

/// Texts on the subject.
const SUBJECT: [&str; 3] = [
    "A binary search tree keeps its keys in order. The balanced binary search tree is fast.",
    "Shortest paths in a weighted graph are found by dynamic programming over its vertices.",
    "Dynamic programming and the shortest path: a weighted graph, a binary search tree.",
];

const COOKING: &str = "Boil the water and add the onions, then the carrots and some salt. Bake \
                       the bread until it is brown.";

fn page_url(host: usize, page: usize) -> String {
    let folder = if page.is_multiple_of(2) { "on" } else { "off" };
    format!("http://h{host}.test/{folder}/{page}.html")
}

fn respond(host: &str, path: &str) -> HostResponse {
    if path == "/robots.txt" {
        return ok("text/plain", b"User-agent: *\nDisallow: /private/\n");
    }
    let host: usize = host
        .trim_start_matches('h')
        .trim_end_matches(".test")
        .parse()
        .unwrap_or(9);
    let name = path.rsplit('/').next().unwrap_or_default();
    let number = name.trim_end_matches(".html").parse::<usize>();
    match (path.split('/').nth(1), number) {
        (Some("move"), _) => redirect(&page_url(host, 0)),
        (Some("private"), _) => html("<p>private</p>"),
        (Some("on" | "off"), Ok(page)) if host < HOSTS && page < PAGES => {
            html(page_html(host, page))
        }
        _ => status(404),
    }
}

fn page_html(host: usize, page: usize) -> String {
    let subject = if page.is_multiple_of(2) {
        SUBJECT.join(" ")
    } else {
        COOKING.into()
    };
    // Words of its own make the page no near duplicate.
    let own: Vec<String> = (0..40).map(|n| format!("w{host}x{page}x{n}")).collect();
    let text = format!("{subject} {}.", own.join(" "));
    let mut links: Vec<String> = [2 * page + 1, 2 * page + 2, page + 3]
        .map(|next| page_url(host, next))
        .into();
    if page.is_multiple_of(4) {
        links.extend([
            page_url((host + 1) % HOSTS, 0),
            format!("http://h{host}.test/move/{page}"),
            format!("http://h{host}.test/private/{page}"),
            format!("http://dead{page}.test/"),
        ]);
    }
    let links: String = links
        .iter()
        .map(|link| format!("<p><a href=\"{link}\">more</a></p>"))
        .collect();
    format!(
        "<title>Page {page}</title><article><p>{text}</p>\
         </article>{links}"
    )
}

/// Writes the core and the seeds to a folder.
fn write_initial_files(folder: &Path) {
    let core: String = (0..6)
        .map(|n| {
            json!({"url": format!("http://c{n}.test/"), "text": SUBJECT[n % 3]}).to_string() + "\n"
        })
        .collect();
    fs::write(folder.join("core.jsonl"), core).unwrap();
    let seeds = format!(
        "# start\n{}\nno url\n{{broken\n{}\n",
        page_url(0, 0),
        page_url(1, 1)
    );
    fs::write(folder.join("seeds.txt"), seeds).unwrap();
}

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

/// Returns the URLs of the corpus.
fn corpus_urls(out: &Path) -> Vec<String> {
    let corpus = fs::read_to_string(out.join("corpus/on-topic.jsonl")).unwrap();
    let records = corpus
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
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
    crawl(&server, &out, &["--pages", "12", "--batch", "2"]).expect_exit(0);
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
    assert_survives_kills(6, &|out| new_run_command(&server, out, &args), &|out| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--resume"]);
        command.arg(out);
        command
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
