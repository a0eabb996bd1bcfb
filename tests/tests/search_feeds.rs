//! `search` in feeds (RSS and Atom) that servers on loopback offer.

use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};

const RSS: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rss [<!ENTITY big "&huge;&huge;"><!ENTITY huge "aaaaaaaaaa">]>
<rss version="2.0" xmlns:content="c"><channel><title>News</title><link>/</link>
<item><title>Gold mines in Peru</title><link>/peru</link><guid isPermaLink="false">1</guid>
<description><![CDATA[<p>Two <b>mines</b> reopen &amp; hire</p>]]></description></item>
<item><title>Football</title><link>/football</link><description>A gold medal &big;</description>
</item>
<item><title>金鉱山で事故</title><guid>http://other.test/jp</guid></item>
</channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://atom.test/">
<entry><title type="html">Silver &amp;amp; gold</title><link rel="enclosure" href="x.mp3"/>
<link rel="alternate" href="silver"/><summary>Prices of gold rise</summary></entry></feed>"#;

fn query(include: &[&str], exclude: &[&str]) -> String {
    format!(
        "{}\n",
        json!({"query": {"include": include, "exclude": exclude}})
    )
}

fn search(specs: &[&str], args: &[&str], queries: &str) -> ToolOutput {
    let engines = specs.iter().flat_map(|spec| ["--engine", spec]);
    run_tool("search", engines.chain(args.iter().copied()), queries)
}

fn summarize(output: &ToolOutput) -> Vec<Value> {
    let summary = |record: Value| match &record["url"] {
        Value::Null => record["hit"]["outcome"].clone(),
        url => json!([url, record["hit"]["rank"], record["hit"]["calls"]]),
    };
    output.records().into_iter().map(summary).collect()
}

#[test]
fn queries_are_matched_with_title_and_summary_of_one_request() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(RSS));
    let spec = format!("feed:{}/rss/", server.address);
    let dir = temp_folder();
    let hits = dir.path().join("hits.db");
    let args = [
        "--top",
        "9",
        "--hits",
        hits.to_str().expect("a path in UTF-8"),
    ];
    let queries = [
        query(&["gold"], &[]),
        query(&["gold", "mines"], &[]),
        query(&["gold mines"], &[]),
        query(&["mines gold"], &[]),
        query(&["gold"], &["football"]),
        query(&["鉱山"], &[]),
    ]
    .concat();
    let url = |path: &str| format!("{}/{path}", server.address);
    let expected = |calls: u64| {
        [
            json!([url("peru"), 1, calls]),
            json!([url("football"), 2, 0]),
            json!([url("peru"), 1, 0]),
            json!([url("peru"), 1, 0]),
            json!("empty"),
            json!([url("peru"), 1, 0]),
            json!(["http://other.test/jp", 1, 0]),
        ]
    };
    let output = search(&[&spec], &args, &queries).expect_exit(0);
    assert_eq!(summarize(&output), expected(1));
    let hit = &output.records()[0]["hit"];
    assert_eq!(hit["title"], "Gold mines in Peru");
    assert_eq!(hit["snippet"], "Two mines reopen & hire");
    // The feed is cached for all processes and queries.
    let again = search(&[&spec], &args, &queries).expect_exit(0);
    assert_eq!(summarize(&again), expected(0));
    let requests = server.requests();
    let targets: Vec<&str> = requests.iter().map(|r| r.target.as_str()).collect();
    assert_eq!(targets, ["/robots.txt", "/rss/"]);
}

#[test]
fn several_feeds_are_searched_at_once_and_a_broken_one_is_an_error() {
    let rss = EngineServer::start(|_, _| EngineResponse::ok(RSS));
    let atom = EngineServer::start(|_, _| EngineResponse::ok(ATOM));
    // It breaks off within its first item.
    let (beginning, _) = RSS
        .split_once("<link>/peru")
        .expect("the first item has a link");
    let broken = EngineServer::start(move |_, _| EngineResponse::ok(beginning));
    let specs = [&rss, &broken, &atom].map(|server| format!("feed:{}", server.address));
    let specs = specs.each_ref().map(String::as_str);
    let output = search(&specs, &["--next=3"], &query(&["gold"], &[])).expect_exit(0);
    let records = output.records();
    assert_eq!(records[0]["error"]["kind"], "engine-down");
    assert_eq!(records[0]["hit"]["engine"], specs[1]);
    let urls: Vec<&Value> = records[1..].iter().map(|record| &record["url"]).collect();
    let url = |path: &str| format!("{}/{path}", rss.address);
    assert_eq!(
        urls,
        [&url("peru"), "http://atom.test/silver", &url("football")]
    );
    assert_eq!(records[2]["hit"]["title"], "Silver & gold");
    assert_eq!(records[1]["hit"]["calls"], 2);
}

#[test]
fn what_is_not_a_feed_does_not_mean_no_hits() {
    for (body, kind) in [
        ("", "engine-down"),
        ("<html><body>Gold</body></html>", "refused"),
        ("{}", "engine-down"),
        ("<rss><item>", "engine-down"),
        ("\u{0}\u{1}", "engine-down"),
    ] {
        let server = EngineServer::start(move |_, _| EngineResponse::ok(body));
        let spec = format!("feed:{}", server.address);
        let output = search(&[&spec], &[], &query(&["gold"], &[])).expect_exit(0);
        assert_eq!(output.records()[0]["error"]["kind"], kind, "{body:?}");
    }
}

#[test]
fn a_feed_that_is_not_well_formed_is_read() {
    let faults = [
        ("Two <b>mines</b>", "R&D <b>mines<br>&nbsp;"),
        ("mines in Peru</title>", "mines in Peru"),
        ("mines in Peru</title>", "mines\u{8} in Peru</titel>"),
        ("</item>\n<item><title>金", "<item><title>金"),
        ("hire</p>]]>", "hire"),
        ("isPermaLink=\"false\"", "isPermaLink=\"false"),
        (
            "<?xml",
            "<br />\n<b>Warning</b>: a in <b>b.php</b><br />\n<?xml",
        ),
        ("utf-8", "iso-8859-1"),
        ("</channel></rss>", ""),
    ];
    for (from, to) in faults {
        assert!(RSS.contains(from), "{from}");
        let body: &str = Box::leak(RSS.replacen(from, to, 1).into_boxed_str());
        let server = EngineServer::start(move |_, _| EngineResponse::ok(body));
        let spec = format!("feed:{}", server.address);
        let queries = [query(&["gold"], &[]), query(&["鉱山"], &[])].concat();
        let output = search(&[&spec], &["--top", "9"], &queries).expect_exit(0);
        let urls: Vec<Value> = output
            .records()
            .iter()
            .map(|record| record["url"].clone())
            .collect();
        let url = |path: &str| json!(format!("{}/{path}", server.address));
        let expected = [url("peru"), url("football"), json!("http://other.test/jp")];
        assert_eq!(urls, expected, "{to}");
    }
}
