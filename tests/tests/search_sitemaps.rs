//! `search` in the sitemaps of sites that servers on loopback offer, and in the feeds of a page.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, gzip, run_tool, temp_folder};
use serde_json::{Value, json};

const ALL: &str = "{\"query\":{\"include\":[],\"exclude\":[]}}\n";

/// Responds as a site whose robots.txt names an index of a compressed file, one that does not
/// exist, the index itself, one on another host, and a text.
fn respond_as_site(request: &EngineRequest, _: usize) -> EngineResponse {
    match request.target.as_str() {
        "/robots.txt" => EngineResponse::ok("User-agent: *\nDisallow:\nsitemap: /index.xml\n"),
        "/index.xml" => {
            let files = [
                "/a.xml.gz",
                "/gone.xml",
                "/index.xml",
                "http://10.0.0.1/",
                "/b.txt",
            ];
            let files = files.map(|file| format!("<sitemap><loc>{file}</loc></sitemap>"));
            EngineResponse::ok(format!("<sitemapindex>{}</sitemapindex>", files.concat()))
        }
        "/a.xml.gz" => EngineResponse::ok(gzip::stored(
            "<urlset><url><loc>/sl/mlin-ob-potoku</loc><lastmod>2024-03-05</lastmod>\
             <xhtml:link rel='alternate' hreflang='de' href='/de/muehle'/></url>\
             <url><loc>/de/muehle</loc></url></urlset>"
                .as_bytes(),
        )),
        "/b.txt" => EngineResponse::ok("http://other.test/sl/%C5%BEaba\n"),
        _ => EngineResponse::status("404 Not Found", ""),
    }
}

fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    let args = ["--engine", spec, "--rate", "1000"]
        .into_iter()
        .chain(args.iter().copied());
    run_tool("search", args, queries)
}

/// Returns the path of each hit, or the outcome or kind of error of a query without one.
fn summarize(output: &ToolOutput) -> Vec<String> {
    let summary = |record: Value| {
        let text = [
            &record["url"],
            &record["hit"]["outcome"],
            &record["error"]["kind"],
        ];
        let text = text.into_iter().find_map(Value::as_str).expect("a result");
        let path = text.splitn(4, '/').nth(3).unwrap_or(text);
        path.to_owned()
    };
    output.records().into_iter().map(summary).collect()
}

fn targets(server: &EngineServer) -> Vec<String> {
    let requests = server.requests().into_iter();
    requests.map(|request| request.target).collect()
}

#[test]
fn a_site_lists_its_pages_with_dates_and_languages() {
    let server = EngineServer::start(respond_as_site);
    let output = search(&format!("sitemap:{}", server.address), &["--top", "9"], ALL);
    let output = output.expect_exit(0);
    let expected = ["sl/mlin-ob-potoku", "de/muehle", "sl/%C5%BEaba"];
    assert_eq!(summarize(&output), expected);
    let hit = &output.records()[0]["hit"];
    assert_eq!(hit["modified"], "2024-03-05");
    let german = format!("{}/de/muehle", server.address);
    assert_eq!(hit["alternates"], json!({"de": german}));
    assert_eq!(hit["calls"], 5);
    for reported in ["gone.xml", "1 files on other hosts, as http://10.0.0.1/"] {
        assert!(output.stderr.contains(reported), "{}", output.stderr);
    }
}

#[test]
fn a_file_is_requested_when_its_hits_are_due_and_once_for_all_queries_and_processes() {
    let server = EngineServer::start(respond_as_site);
    let spec = format!("sitemap:{}/index.xml", server.address);
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let hits = [
        "--hits",
        hits.to_str().expect("a path in UTF-8"),
        "--next=2",
    ];
    let output = search(&spec, &hits, ALL).expect_exit(0);
    assert_eq!(summarize(&output), ["sl/mlin-ob-potoku", "de/muehle"]);
    assert_eq!(targets(&server), ["/index.xml", "/a.xml.gz"]);
    // Another process goes on after the file that is in the cache.
    let queries = [ALL, ALL].concat();
    let output = search(&spec, &hits, &queries).expect_exit(0);
    assert_eq!(summarize(&output), ["sl/%C5%BEaba", "exhausted"]);
    // The index names itself. When nothing else is left, what failed is requested once more, one
    // file for a query.
    let expected = ["/gone.xml", "/index.xml", "/b.txt", "/index.xml"];
    assert_eq!(targets(&server)[2..], expected);
    search(&spec, &hits, ALL).expect_exit(0);
    assert_eq!(targets(&server)[6..], ["/gone.xml"]);
}

#[test]
fn a_query_selects_pages_by_the_words_of_their_urls() {
    let server = EngineServer::start(respond_as_site);
    let query = |include: Value, exclude: Value| {
        format!(
            "{}\n",
            json!({"query": {"include": include, "exclude": exclude}})
        )
    };
    let queries = [
        query(json!(["sl"]), json!([])),
        query(json!(["sl", "žaba"]), json!([])),
        query(json!([]), json!(["sl"])),
        query(json!(["potok"]), json!([])),
    ]
    .concat();
    let spec = format!("sitemap:{}/", server.address);
    let output = search(&spec, &["--top", "9"], &queries).expect_exit(0);
    let expected = [
        "sl/mlin-ob-potoku",
        "sl/%C5%BEaba",
        "sl/%C5%BEaba",
        "de/muehle",
        "empty",
    ];
    assert_eq!(summarize(&output), expected);
}

#[test]
fn a_site_without_sitemaps_does_not_mean_no_hits() {
    for (status, kind) in [
        ("404 Not Found", "refused"),
        ("500 Internal Server Error", "engine-down"),
        ("", "engine-down"),
    ] {
        let server = EngineServer::start(move |_, _| EngineResponse::status(status, ""));
        let output = search(&format!("sitemap:{}", server.address), &[], ALL).expect_exit(0);
        assert_eq!(summarize(&output), [kind], "{status}");
    }
}

#[test]
fn a_page_has_the_hits_of_all_feeds_that_it_links_to() {
    let server = EngineServer::start(|request, _| {
        let item = |link: &str| format!("<item><title>Voda</title><link>{link}</link></item>");
        match request.target.as_str() {
            "/" => EngineResponse::ok(
                "<!DOCTYPE html><html><head><script>if (a < b) '</script>\
                 <link rel=alternate type='application/rss+xml' href='/1.rss'>\
                 <link rel='alternate' type='text/html' hreflang=de href='/de'>\
                 <LINK REL='Alternate' TYPE='application/atom+xml' HREF='2.atom'></head>",
            ),
            "/1.rss" => EngineResponse::ok(format!("<rss>{}{}</rss>", item("/a"), item("/b"))),
            "/2.atom" => EngineResponse::ok(format!("<feed>{}{}</feed>", item("/b"), item("/c"))),
            _ => EngineResponse::status("404 Not Found", ""),
        }
    });
    let spec = format!("feed:{}", server.address);
    let output = search(&spec, &["--top", "9"], ALL).expect_exit(0);
    assert_eq!(summarize(&output), ["a", "b", "c"]);
    assert_eq!(targets(&server), ["/robots.txt", "/", "/1.rss", "/2.atom"]);
}
