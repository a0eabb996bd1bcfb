//! In-links: `search --in-links`, and crawls that follow them. On the web of these tests, no page
//! links to the hubs, so that a crawl reaches them, and what they link to, by in-links only.

use forage_tests::closed_web::{
    assert_same_files, pipeline_command, read_journal, read_run_files, run_pipeline,
};
use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::kills::assert_survives_kills;
use forage_tests::server::{HostResponse, HostServer, html, status};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGES: usize = 24;

/// Labels pages that have the word, as a filter of a crawl.
const FILTER: &str = "jq -c 'if (.text // \"\") | test(\"tree\") then .label = \"on-topic\" | \
                      .topic = {score: 1} else .label = \"off-topic\" | .topic = {score: 0} end'";

/// Returns the URL of a page that links to the next one on its host.
fn page_url(number: usize) -> String {
    format!("http://p{}.test/{number}", number % 2)
}

/// Returns the URL of a page that links to every third page, and to which no page links. The first
/// of two hubs begins with page 0, the other with page 1.
fn hub_url(number: usize) -> String {
    format!("http://hub{number}.test/")
}

fn respond(host: &str, path: &str) -> HostResponse {
    let number: Option<usize> = path.trim_start_matches('/').parse().ok();
    let (text, links): (String, Vec<String>) = match (host, number) {
        ("p0.test" | "p1.test", Some(n)) if n < PAGES => {
            (format!("page {n}"), vec![page_url(n + 2)])
        }
        ("hub0.test" | "hub1.test", None) if path == "/" => {
            let first = usize::from(host.starts_with("hub1"));
            let links = (first..PAGES).step_by(3).map(page_url).collect();
            (format!("hub {first}"), links)
        }
        _ => return status(404),
    };
    // Words of its own make the page no near-duplicate.
    let own: Vec<String> = (0..40).map(|n| format!("w{n}x{host}x{path}")).collect();
    let links: String = links
        .iter()
        .map(|url| format!("<p><a href=\"{url}#x\">more</a></p>"))
        .collect();
    html(format!(
        "<title>{text}</title><article><p>A tree on {text}. {}.</p></article>{links}",
        own.join(" ")
    ))
}

/// Builds an index of all pages, with or without their links. Returns its engine.
fn build_index(server: &HostServer, folder: &Path, name: &str, args: &[&str]) -> String {
    let spec = format!("index:{}", folder.join(name).display());
    let urls: String = (0..PAGES)
        .map(page_url)
        .chain((0..2).map(hub_url))
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    let pages = server.fetch(args, urls).expect_exit(0).stdout;
    run_tool("search", ["--engine", &spec, "--add"], pages).expect_exit(0);
    spec
}

fn add_in_links(spec: &str, args: &[&str], records: &[Value]) -> ToolOutput {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let all_args = [&["--in-links", "--engine", spec], args].concat();
    run_tool("search", all_args, lines).expect_exit(0)
}

fn relevant(url: &str) -> Value {
    json!({ "url": url, "text": "tree", "label": "on-topic" })
}

/// Returns the URLs of the in-links of each record, `None` for a record without the field.
fn in_link_urls(output: &ToolOutput) -> Vec<Option<Vec<String>>> {
    let urls = |record: &Value| {
        let in_links = record["in_links"].as_array()?;
        let url = |link: &Value| link["url"].as_str().unwrap().to_owned();
        Some(in_links.iter().map(url).collect())
    };
    output.records().iter().map(urls).collect()
}

#[test]
fn relevant_pages_get_their_first_in_links_and_other_records_pass_unchanged() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let spec = build_index(&server, folder.path(), "index", &["--links"]);
    let mut redirected = relevant("http://old.test/");
    redirected["fetch"] = json!({ "url": page_url(4), "status": 200 });
    let mut duplicate = relevant(&page_url(4));
    duplicate["dedup"] = json!({ "status": "exact", "of": null });
    let mut failed = relevant(&page_url(4));
    failed["error"] = json!({ "tool": "x", "kind": "bad-field", "message": "" });
    let mut done = relevant(&page_url(4));
    done["in_links"] = json!([]);
    let others = [
        duplicate,
        failed,
        done,
        json!({ "url": page_url(4), "text": "tree", "label": "off-topic" }),
        json!({ "url": page_url(4), "label": "on-topic" }),
    ];
    let records = [&[redirected, relevant(&hub_url(0))], &others[..]].concat();
    let output = add_in_links(&spec, &[], &records);
    let urls = in_link_urls(&output);
    let pages = vec![hub_url(1), page_url(2)];
    assert_eq!(urls[0], Some(pages.clone()));
    assert_eq!(
        output.records()[0]["in_links"][0],
        json!({ "url": hub_url(1), "title": "hub 1" })
    );
    assert_eq!(urls[1], Some(vec![]), "no page links to a hub");
    assert_eq!(output.records()[2..], others);
    let first = add_in_links(&spec, &["--top", "1"], &records);
    assert_eq!(in_link_urls(&first)[0], Some(pages[..1].to_vec()));
    let forced = add_in_links(&spec, &["--force"], &records);
    assert_eq!(in_link_urls(&forced)[4], Some(pages));
    let off_topic = add_in_links(&spec, &["--target", "off-topic"], &records);
    let with_in_links = in_link_urls(&off_topic).iter().flatten().count();
    assert_eq!(with_in_links, 2, "the record that had them, and one other");
}

#[test]
fn a_query_can_ask_for_the_pages_that_link_to_a_page() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let spec = build_index(&server, folder.path(), "index", &["--links"]);
    let query = json!({ "query": { "links_to": page_url(4), "exclude": ["hub"] } });
    let run = |spec: &str| run_tool("search", ["--engine", spec], query.to_string());
    let found = run(&spec).expect_exit(0).records();
    assert_eq!(found[0]["url"], page_url(2));
    assert_eq!(found[0]["hit"]["outcome"], "hit");
    let without = build_index(&server, folder.path(), "plain", &[]);
    for (spec, cause) in [
        (without.as_str(), "has no document with links"),
        ("searxng:http://127.0.0.1:1", "does not support in-link"),
    ] {
        let refused = run(spec).expect_exit(0).records();
        assert_eq!(refused[0]["error"]["kind"], "refused");
        let message = refused[0]["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(cause), "{message}");
        let args = ["--in-links", "--engine", spec];
        let stderr = run_tool("search", args, "").expect_exit(2).stderr;
        assert!(stderr.contains(cause), "{stderr}");
    }
}

/// Starts a wiki of which each page has an in-link from page A.
fn start_wiki() -> EngineServer {
    EngineServer::start(|request, _| {
        EngineResponse::ok(match request.target.contains("exturlusage") {
            true => r#"{"query":{"exturlusage":[{"title":"A","url":"http://p0.test/0"}]}}"#,
            false => r#"{"query":{"search":[{"title":"A"}]}}"#,
        })
    })
}

#[test]
fn a_wiki_knows_in_links_of_its_pages_and_of_others() {
    let wiki = start_wiki();
    let spec = format!("mediawiki:{}", wiki.address);
    let own = relevant(&format!("{}/wiki/Lep_dan", wiki.address));
    let output = add_in_links(&spec, &["--rate", "1000"], &[own, relevant(&page_url(0))]);
    let page = format!("{}/wiki/A", wiki.address);
    assert_eq!(
        in_link_urls(&output),
        [Some(vec![page.clone()]), Some(vec![page])]
    );
    let targets: Vec<String> = wiki.requests().into_iter().map(|r| r.target).collect();
    assert!(
        targets[0].contains("srsearch=linksto%3A%22Lep+dan%22&"),
        "{targets:?}"
    );
    assert!(targets[1].contains("euquery=p0.test%2F0&"), "{targets:?}");
}

#[test]
fn a_repeated_step_gives_the_same_records_without_further_calls() {
    let wiki = start_wiki();
    let spec = format!("mediawiki:{}", wiki.address);
    let folder = temp_folder();
    let hits = folder.path().join("hits.db");
    let mut record = relevant(&page_url(0));
    record["step"] = json!({ "number": 3, "target": "on-topic", "last": true });
    let args = [
        "--hits",
        hits.to_str().unwrap(),
        "--from-step",
        "3",
        "--rate",
        "1000",
    ];
    let first = add_in_links(&spec, &args, &[record.clone()]).stdout;
    let again = add_in_links(&spec, &args, &[record]).stdout;
    assert_eq!(first, again);
    assert!(first.contains("in_links"), "{first}");
    assert_eq!(wiki.requests().len(), 1);
    // In-links do not count as returned, so that a query still returns them.
    let query = json!({ "query": { "links_to": page_url(0) } }).to_string();
    let args = [
        "--engine",
        &spec,
        "--hits",
        hits.to_str().unwrap(),
        "--next",
    ];
    let found = run_tool("search", args, query).expect_exit(0).records();
    assert_eq!(found[0]["hit"]["outcome"], "hit");
    assert_eq!(wiki.requests().len(), 1);
}

#[test]
fn a_document_with_links_of_the_wrong_type_is_indexed_without_them() {
    let folder = temp_folder();
    let spec = format!("index:{}", folder.path().join("index").display());
    let pages = [
        json!({ "url": "http://a.test/", "text": "tree", "links": "x" }),
        json!({ "url": "http://b.test/", "text": "tree", "links": [{ "url": page_url(0) }] }),
    ];
    let lines: String = pages.iter().map(|page| format!("{page}\n")).collect();
    let added = run_tool("search", ["--engine", &spec, "--add"], lines).expect_exit(0);
    assert_eq!(added.stderr, "");
    let query = json!({ "query": { "include": ["tree"] } }).to_string();
    let args = ["--engine", &spec, "--top", "5"];
    let found = run_tool("search", args, query).expect_exit(0).records();
    assert_eq!(found.len(), 2);
    let in_links = add_in_links(&spec, &[], &[relevant(&page_url(0))]);
    let expected = vec!["http://b.test/".to_owned()];
    assert_eq!(in_link_urls(&in_links), [Some(expected)]);
}

#[test]
fn what_the_engine_does_not_answer_is_reported_and_left_out() {
    let broken = EngineServer::start(|_, previous| match previous {
        1 => EngineResponse::ok(r#"{"query":{"exturlusage":[]}}"#),
        _ => EngineResponse::status("500 Internal Server Error", "no disk"),
    });
    let spec = format!("mediawiki:{}", broken.address);
    let records: Vec<Value> = (0..4).map(|n| relevant(&page_url(n))).collect();
    let output = add_in_links(&spec, &["--rate", "1000"], &records);
    assert_eq!(in_link_urls(&output), [None, Some(vec![]), None, None]);
    assert_eq!(output.records()[0], records[0]);
    for message in [
        format!("in-links of {}: {spec}: ", page_url(0)),
        "in-links were not retrieved for 3 pages".to_owned(),
    ] {
        assert!(output.stderr.contains(&message), "{}", output.stderr);
    }
    let failures = broken.requests().len();
    let output = add_in_links(
        &spec,
        &["--rate", "1000"],
        &[records.clone(), records].concat(),
    );
    assert_eq!(output.records().len(), 8);
    assert_eq!(broken.requests().len(), failures + 3, "asked no more");
}

#[test]
fn limits_of_calls_hold() {
    let wiki = start_wiki();
    let spec = format!("mediawiki:{}", wiki.address);
    let records: Vec<Value> = (0..3).map(|n| relevant(&page_url(n))).collect();
    let args = ["--rate", "1000", "--max-calls", "2"];
    let output = add_in_links(&spec, &args, &records);
    assert_eq!(wiki.requests().len(), 2);
    assert_eq!(in_link_urls(&output)[2], None);
    assert!(
        output.stderr.contains("the limit of 2 calls"),
        "{}",
        output.stderr
    );
}

fn new_run_command(server: &HostServer, out: &Path, args: &[&str]) -> Command {
    let folder = out.parent().unwrap();
    let core = json!({ "url": "http://core.test/", "text": "A tree." });
    fs::write(folder.join("core.jsonl"), format!("{core}\n")).unwrap();
    fs::write(folder.join("seeds.txt"), page_url(18) + "\n").unwrap();
    let address = server.address.to_string();
    let mut command = pipeline_command("focused-crawl", &["--connect-to", &address, "--quiet"]);
    command.arg("--core").arg(folder.join("core.jsonl"));
    command.arg("--seeds").arg(folder.join("seeds.txt"));
    command.arg("--out").arg(out);
    command.args(["--delay", "0", "--filter", FILTER, "--batch", "2"]);
    command.args(args);
    command
}

/// Returns the URLs that were fetched, in order.
fn crawled_urls(out: &Path) -> Vec<String> {
    let journal = read_journal(out);
    let fetched = journal.iter().filter(|record| record["step"].is_object());
    fetched
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_crawl_finds_pages_that_only_in_links_lead_to() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let spec = build_index(&server, folder.path(), "index", &["--links"]);
    let out = folder.path().join("without");
    run_pipeline(new_run_command(&server, &out, &[])).expect_exit(0);
    let forwards = [18, 20, 22, 24].map(page_url);
    assert_eq!(crawled_urls(&out), forwards);
    assert!(!out.join("hits.db").exists());
    let out = folder.path().join("with");
    run_pipeline(new_run_command(&server, &out, &["--in-links", &spec])).expect_exit(0);
    let urls = crawled_urls(&out);
    for url in (0..2)
        .map(hub_url)
        .chain((0..PAGES).step_by(2).map(page_url))
    {
        assert!(urls.contains(&url), "{url} is missing in {urls:?}");
    }
    let corpus = fs::read_to_string(out.join("corpus/on-topic.jsonl")).unwrap();
    assert!(corpus.contains("\"url\":\"http://hub0.test/\""), "{corpus}");
    assert!(out.join("hits.db").exists() && !out.join("hits.db-wal").exists());
}

#[test]
fn a_crawl_with_in_links_survives_kills() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let spec = build_index(&server, folder.path(), "index", &["--links"]);
    let args = ["--in-links", &spec];
    assert_survives_kills(3, &|out| new_run_command(&server, out, &args), &|out| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--trust", "--resume"]);
        command.arg(out);
        command
    });
}

#[test]
fn a_run_is_resumed_in_another_folder_and_can_change_the_engine() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    build_index(&server, folder.path(), "index", &["--links"]);
    let relative = ["--in-links", "index:index"];
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let start = |out: &Path, args: &[&str]| {
        let mut command = new_run_command(&server, out, args);
        command.current_dir(folder.path());
        run_pipeline(command).expect_exit(0);
    };
    start(&whole, &relative);
    start(&parts, &[&relative[..], &["--pages", "5"]].concat());
    let resume = |args: &[&str]| {
        let mut command = pipeline_command("focused-crawl", &["--quiet", "--trust", "--resume"]);
        command.arg(&parts).args(args);
        run_pipeline(command)
    };
    let conf = fs::read_to_string(parts.join("run.conf")).unwrap();
    assert!(conf.contains("\nin-links=index:/"), "{conf}");
    let moved = folder.path().join("moved");
    fs::rename(folder.path().join("index"), &moved).unwrap();
    let refused = resume(&["--pages", "100"]).expect_exit(2).stderr;
    assert!(refused.contains("no such folder"), "{refused}");
    let engine = format!("index:{}", moved.display());
    resume(&["--pages", "100", "--in-links", &engine]).expect_exit(0);
    assert_same_files(&read_run_files(&parts), &read_run_files(&whole), "resumed");
}

#[test]
fn a_crawl_goes_on_without_in_links_if_the_engine_fails() {
    let server = HostServer::start(respond);
    let broken =
        EngineServer::start(|_, _| EngineResponse::status("500 Internal Server Error", ""));
    let folder = temp_folder();
    let out = folder.path().join("run");
    let spec = format!("mediawiki:{}", broken.address);
    run_pipeline(new_run_command(&server, &out, &["--in-links", &spec])).expect_exit(0);
    assert_eq!(crawled_urls(&out), [18, 20, 22, 24].map(page_url));
    assert!(!broken.requests().is_empty());
}

#[test]
fn an_engine_that_does_not_know_in_links_is_refused_before_anything_is_written() {
    let server = HostServer::start(respond);
    let folder = temp_folder();
    let plain = build_index(&server, folder.path(), "plain", &[]);
    let out = folder.path().join("run");
    for (spec, cause) in [
        (plain.as_str(), "has no document with links"),
        ("brave:", "BRAVE_API_KEY"),
        ("searxng:http://127.0.0.1:1", "does not support in-link"),
        ("index:none", "no such folder"),
        ("altavista:", "is not an engine"),
    ] {
        let mut command = new_run_command(&server, &out, &["--in-links", spec]);
        command.env_remove("BRAVE_API_KEY");
        let stderr = run_pipeline(command).expect_exit(2).stderr;
        assert!(stderr.contains(cause), "{spec}: {stderr}");
        assert!(!out.exists(), "{spec}");
    }
}
