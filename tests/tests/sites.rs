//! `sites` over three weeks on a small web that changes, with sitemaps, ETags, and pages that go.

use forage_tests::closed_web::{
    pipeline_command, read_journal, read_report, run_demo_web, run_pipeline,
};
use forage_tests::server::{HostResponse, HostServer, ok, status};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Pages by URL: text, and date of the last change.
type Web = Arc<Mutex<BTreeMap<String, (String, String)>>>;

/// The sites, which have a sitemap each but for the last.
const HOSTS: [&str; 3] = ["a.test", "b.test", "unlisted.test"];

fn respond(web: &Web, host: &str, path: &str) -> HostResponse {
    let web = web.lock().unwrap();
    let is_listed = host != "unlisted.test";
    match path {
        "/robots.txt" if is_listed => ok(
            "text/plain",
            format!("Sitemap: http://{host}/map.xml").as_bytes(),
        ),
        "/map.xml" if is_listed => {
            let entry = |(url, (_, day)): (&String, &(String, String))| {
                format!("<url><loc>{url}</loc><lastmod>{day}</lastmod></url>")
            };
            let own = web.iter().filter(|(url, _)| url.contains(host));
            let entries: String = own.map(entry).collect();
            ok(
                "application/xml",
                format!("<urlset>{entries}</urlset>").as_bytes(),
            )
        }
        _ => match web.get(&format!("http://{host}{path}")) {
            Some((text, _)) => HostResponse::Complete(
                200,
                format!(
                    "Content-Type: text/html; charset=utf-8\r\nETag: \"{}\"\r\n",
                    text.len()
                ),
                format!(
                    "<html><body><article><p>{text}</p></article>\
                     <a href='/p1'>1</a><a href='/p2'>2</a></body></html>"
                )
                .into_bytes(),
            ),
            None => status(404),
        },
    }
}

/// Slovenian texts.
fn texts() -> Vec<String> {
    let pages = run_demo_web(&[]);
    let labelled = run_tool("langid", ["--quiet"], pages)
        .expect_exit(0)
        .records();
    let mut seen = BTreeSet::new();
    let texts = labelled.iter().filter(|page| page["label"] == "slv");
    let texts = texts.map(|page| page["text"].as_str().unwrap().to_owned());
    texts.filter(|text| seen.insert(text.len())).collect()
}

fn put(web: &Web, url: &str, text: &str, day: &str) {
    let mut web = web.lock().unwrap();
    web.insert(url.into(), (text.into(), day.into()));
}

fn sites(server: &HostServer, now: &str, args: &[&str], out: &Path) -> ToolOutput {
    let address = server.address.to_string();
    let mut command = pipeline_command("sites", &["--connect-to", &address]);
    command.args(args).arg(out).env("FORAGE_NOW", now);
    run_pipeline(command)
}

/// Returns the pages that were requested since a number of requests.
fn requested(server: &HostServer, since: usize) -> Vec<String> {
    let requests = server.requests().split_off(since);
    let paths = requests
        .into_iter()
        .map(|request| request.host + &request.path);
    paths.filter(|path| path.contains("/p")).collect()
}

fn corpus_urls(out: &Path) -> Vec<String> {
    let corpus = std::fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let records = corpus
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

fn corpus_text(out: &Path) -> String {
    std::fs::read_to_string(out.join("corpus/slv.txt")).unwrap()
}

#[test]
fn a_corpus_of_sites_lives_for_four_weeks() {
    let web = Web::default();
    let texts = texts();
    for n in 0..6 {
        let url = format!("http://{}/p{n}", HOSTS[n % 2]);
        put(&web, &url, &texts[n], "2026-01-03");
    }
    let server = HostServer::start({
        let web = web.clone();
        move |host, path| respond(&web, host, path)
    });
    let dir = temp_folder();
    let out = dir.path().join("run");
    let list = dir.path().join("sites.txt");
    std::fs::write(&list, "# sites\nhttp://a.test\nhttp://b.test/\n").unwrap();
    let start = [
        "--target",
        "sl",
        "--delay",
        "0",
        "--sites",
        list.to_str().unwrap(),
        "--out",
    ];
    sites(&server, "2026-01-05T06:00:00Z", &start, &out).expect_exit(0);
    assert_eq!(corpus_urls(&out).len(), 6);

    // The sitemaps say that nothing has changed, and no page is asked for.
    let refresh = ["--refresh", "6d", "--resume"];
    let since = server.requests().len();
    sites(&server, "2026-01-12T06:00:00Z", &refresh, &out).expect_exit(0);
    assert_eq!(requested(&server, since), [""; 0]);

    put(&web, "http://a.test/p6", &texts[6], "2026-01-15");
    put(&web, "http://a.test/p0", &texts[7], "2026-01");
    let changed = texts[1].replacen(' ', " prenovljeno ", 1);
    put(&web, "http://b.test/p1", &changed, "2026-01-15");
    put(&web, "http://b.test/p3", &texts[3], "2026");
    web.lock().unwrap().remove("http://a.test/p4");
    let since = server.requests().len();
    // The age is stored with the run.
    sites(&server, "2026-01-19T06:00:00Z", &["--resume"], &out).expect_exit(0);
    let mut pages = requested(&server, since);
    pages.sort();
    let expected = [
        "a.test/p0",
        "a.test/p4",
        "a.test/p6",
        "b.test/p1",
        "b.test/p3",
    ];
    assert_eq!(pages, expected);
    let unchanged = read_journal(&out);
    let unchanged: Vec<&Value> = unchanged
        .iter()
        .filter(|record| record["fetch"]["unchanged"] == true)
        .collect();
    assert_eq!(unchanged.len(), 1);
    assert!(unchanged[0]["text"].is_null() && unchanged[0]["url"] == "http://b.test/p3");
    // The archive has what the server has sent, and the request.
    let archive = out.join("pages.warc.gz");
    let archive = Command::new("gzip").arg("-dc").arg(archive).output();
    let archive = String::from_utf8_lossy(&archive.unwrap().stdout).into_owned();
    let again = archive.split("WARC/1.1").filter(|record| {
        record.contains("WARC-Target-URI: http://b.test/p3")
            && record.contains("WARC-Date: 2026-01-19T06")
    });
    assert_eq!(again.count(), 2);
    assert_eq!(
        corpus_urls(&out).len(),
        7,
        "a page that is away once is kept"
    );
    let text = corpus_text(&out);
    assert!(text.contains("prenovljeno") && !text.contains(&texts[0][..80]));

    sites(&server, "2026-01-26T06:00:00Z", &["--resume"], &out).expect_exit(0);
    let urls = corpus_urls(&out);
    assert!(
        urls.len() == 6 && !urls.contains(&"http://a.test/p4".to_owned()),
        "{urls:?}"
    );
    assert_eq!(read_report(&out)["targets"]["slv"]["relevant"], 6);
    let out = out.to_str().unwrap();
    let found = run_tool("concordance", ["prenovljeno", out], "").expect_exit(0);
    assert_eq!(found.stdout.matches("prenovljeno").count(), 1);
    let exported = ["--format", "jsonl", "--bare", "--out", "-", out];
    assert_eq!(run_tool("corpus-export", exported, "").records().len(), 6);
}

#[test]
fn a_site_without_a_sitemap_needs_its_links() {
    let web = Web::default();
    let texts = texts();
    for (n, path) in ["", "p1", "p2"].iter().enumerate() {
        put(&web, &format!("http://unlisted.test/{path}"), &texts[n], "");
    }
    let server = HostServer::start({
        let web = web.clone();
        move |host, path| respond(&web, host, path)
    });
    let dir = temp_folder();
    let start = [
        "--target",
        "slv",
        "--delay",
        "0",
        "--sites",
        "http://unlisted.test",
        "--out",
    ];
    let now = "2026-01-05T06:00:00Z";
    let refused = sites(&server, now, &start, &dir.path().join("none")).expect_exit(1);
    for message in ["no document was found", "no page in a sitemap or feed: "] {
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    let out = dir.path().join("run");
    let linked = [&["--links"][..], &start].concat();
    sites(&server, now, &linked, &out).expect_exit(0);
    assert_eq!(corpus_urls(&out).len(), 3);
}
