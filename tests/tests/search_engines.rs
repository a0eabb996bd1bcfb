//! `search` against servers on loopback that answer as each engine's documentation says: what is
//! asked, field by field, and what is made of the answer.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_command, tool_path};
use serde_json::{Value, json};
use std::process::Command;

const QUERY: &str = r#"{"step":{"number":1,"target":"slv"},"query":{"id":"q","include":["lep dan","je"],"exclude":["the"]}}"#;

/// Runs `search` with a key in variables that an engine may look at.
fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    let mut command = Command::new(tool_path("search"));
    command
        .args([
            "--engine",
            spec,
            "--rate",
            "1000",
            "--contact",
            "me@example.org",
        ])
        .args(args);
    for variable in [
        "BRAVE_API_KEY",
        "MOJEEK_API_KEY",
        "MARGINALIA_API_KEY",
        "SOLR_AUTHORIZATION",
    ] {
        command.env(variable, "s3cret");
    }
    run_command(command, queries)
}

/// Asks an engine for the first page of ten hits, and compares what it is asked (method and target)
/// and what comes of the answer: one hit, titled A, with this address, snippet, and other members
/// of `hit`. Gives what was asked.
#[track_caller]
fn check(
    spec: (&str, &str),
    answer: &Value,
    asked: &str,
    (url, snippet): (&str, Option<&str>),
    rest: &Value,
) -> EngineRequest {
    let body = answer.to_string();
    let server = EngineServer::start(move |_, _| EngineResponse::ok(body.clone()));
    let spec = format!("{}:{}{}", spec.0, server.address, spec.1);
    let records = search(&spec, &[], QUERY).expect_exit(0).records();
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    let mut hit = json!({"engine": spec, "rank": 1, "title": "A", "calls": 1, "outcome": "hit"});
    hit.as_object_mut()
        .unwrap()
        .extend(rest.as_object().unwrap().clone());
    if let Some(snippet) = snippet {
        hit["snippet"] = json!(snippet);
    }
    assert_eq!((&record["url"], &record["hit"]), (&json!(url), &hit));
    let [seen] = <[EngineRequest; 1]>::try_from(server.requests()).unwrap();
    assert_eq!(format!("{} {}", seen.method, seen.target), asked);
    seen
}

#[test]
fn searxng() {
    let answer = json!({"query": "q", "number_of_results": 0, "results": [{"url": "http://a.test/", "title": "A",
        "content": "lep dan", "engine": "x", "engines": ["x"], "positions": [1], "score": 1.0, "category": "general",
        "publishedDate": null, "thumbnail": "", "template": "default.html", "parsed_url": ["http", "a.test", "/"]}],
        "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []});
    let asked = "GET /search?language=sl&q=%22je%22+%22lep+dan%22+-the&format=json&pageno=1";
    let place = ("searxng", "/?language=sl");
    check(
        place,
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &json!({"more": "pages"}),
    );
}

#[test]
fn mediawiki() {
    let answer = json!({"batchcomplete": true, "continue": {"sroffset": 10, "continue": "-||"}, "query": {
        "general": {"articlepath": "/wiki/$1", "server": "//a.test"}, "searchinfo": {"totalhits": 12}, "search": [
        {"ns": 0, "title": "A", "pageid": 1, "size": 9, "wordcount": 2, "timestamp": "2026-01-01T00:00:00Z",
        "snippet": "<span class=\"searchmatch\">lep</span> dan"}]}});
    let asked = "GET /w/api.php?srnamespace=0&srenablerewrites=0&maxlag=5&action=query&format=json&formatversion=2\
        &list=search&meta=siteinfo&siprop=general&srwhat=text&srinfo=totalhits&srprop=snippet\
        &srsearch=%22je%22+%22lep+dan%22+-%22the%22&srlimit=10&sroffset=0";
    let rest = json!({"more": "pages", "total": 12});
    let seen = check(
        ("mediawiki", ""),
        &answer,
        asked,
        ("http://a.test/wiki/A", Some("lep dan")),
        &rest,
    );
    assert!(
        seen.header("user-agent")
            .unwrap()
            .ends_with(" (+me@example.org)"),
        "{seen:?}"
    );
}

#[test]
fn brave() {
    let answer = json!({"type": "search", "query": {"original": "q", "show_strict_warning": false,
        "more_results_available": true, "search_operators": {"applied": true, "cleaned_query": "je"}},
        "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": false}]},
        "web": {"type": "search", "family_friendly": true, "results": [{"type": "search_result", "subtype": "generic",
        "url": "http://a.test/", "title": "A", "description": "lep dan", "page_age": "2026-01-01T00:00:00",
        "language": "sl", "profile": {}, "meta_url": {}, "extra_snippets": ["x"]}]}});
    let asked = "GET /res/v1/web/search?country=SI&q=%2Bje+%2B%22lep+dan%22+-the&count=10&offset=0&spellcheck=false\
        &operators=true&text_decorations=false&result_filter=web";
    let rest = json!({"more": "pages"});
    let seen = check(
        ("brave", "?country=SI"),
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &rest,
    );
    assert_eq!(seen.header("x-subscription-token"), Some("s3cret"));
}

#[test]
fn mojeek() {
    let answer = json!({"response": {"status": "OK", "head": {"query": "je", "nword": 2, "words": [
        {"full": "je", "stem": "je", "plus": 1, "hits": 900}, {"full": "the", "stem": "the", "plus": 0, "hits": 70}],
        "timer": 0.6, "start": 1, "return": 1, "exact": true, "results": 1, "rankm": 169, "dups": 0}, "results": [
        {"url": "http://a.test/", "title": "A", "desc": "lep dan", "size": "1kb", "date": "1.1.2026"}]}});
    let asked = "GET /search?fmt=json&q=je+%22lep+dan%22&s=1&t=10&qm=the&api_key=s3cret";
    let rest = json!({"total": 1, "df": {"je": 900, "the": 70}});
    check(
        ("mojeek", ""),
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &rest,
    );
}

#[test]
fn marginalia() {
    let answer = json!({"license": "CC-BY-NC-SA 4.0", "query": "je", "results": [{"url": "http://a.test/", "title": "A",
        "description": "lep dan", "quality": 3.2, "format": "html5", "details": []}]});
    let asked = "GET /search?query=je+%22lep+dan%22+-the&count=10&page=1";
    let seen = check(
        ("marginalia", ""),
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &json!({}),
    );
    assert_eq!(seen.header("api-key"), Some("s3cret"));
}

#[test]
fn opensearch() {
    let answer = json!({"took": 3, "timed_out": false, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": 11, "relation": "eq"}, "max_score": 1.0, "hits": [{"_index": "pages", "_id": "1",
        "_score": 1.0, "_source": {"url": "http://a.test/", "title": "A"}, "highlight": {"body": ["lep dan"]}}]}});
    let rest = json!({"more": "pages", "total": 11});
    let place = ("opensearch", "/pages?text=body");
    let seen = check(
        place,
        &answer,
        "POST /pages/_search",
        ("http://a.test/", Some("lep dan")),
        &rest,
    );
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let posted: Value = serde_json::from_str(&seen.body).unwrap();
    let must = json!([{"match_phrase": {"body": "je"}}, {"match_phrase": {"body": "lep dan"}}]);
    assert_eq!(
        posted["query"]["bool"],
        json!({"must": must, "must_not": [{"match_phrase": {"body": "the"}}]})
    );
    assert_eq!((&posted["from"], &posted["size"]), (&json!(0), &json!(10)));
}

#[test]
fn quickwit() {
    let answer = json!({"num_hits": 11, "hits": [{"url": "http://a.test/", "title": "A", "text": "lep dan je"}],
        "snippets": [{"text": ["<b>lep dan</b>"]}], "elapsed_time_micros": 12, "errors": []});
    let asked = "GET /api/v1/pages/search?format=json&snippet_fields=text\
        &query=text%3A%22je%22+AND+text%3A%22lep+dan%22+AND+NOT+text%3A%22the%22&max_hits=10&start_offset=0";
    let rest = json!({"more": "pages", "total": 11});
    check(
        ("quickwit", "/pages"),
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &rest,
    );
}

#[test]
fn solr() {
    let answer = json!({"responseHeader": {"status": 0, "QTime": 3, "params": {}}, "response": {"numFound": 1, "start": 0,
        "numFoundExact": true, "docs": [{"id": "7", "url": ["http://a.test/"], "title": ["A"]}]},
        "highlighting": {"7": {"text": ["<em>lep dan</em>"]}}});
    let asked = "GET /solr/pages/select?q=%2Btext%3A%22je%22+%2Btext%3A%22lep+dan%22+-text%3A%22the%22&defType=lucene\
        &fl=id%2Curl%2Ctitle&rows=10&start=0&wt=json&hl=true&hl.fl=text&hl.snippets=1&hl.fragsize=200";
    let rest = json!({"total": 1});
    let seen = check(
        ("solr", "/solr/pages"),
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &rest,
    );
    assert_eq!(seen.header("authorization"), Some("s3cret"));
}

#[test]
fn yacy() {
    let answer = json!({"channels": [{"title": "YaCy P2P", "description": "", "link": "", "image": {},
        "totalResults": "1", "startIndex": "0", "itemsPerPage": "10", "searchTerms": "je", "items": [{"title": "A",
        "link": "http://a.test/", "code": "x", "description": "<b>lep</b> dan", "pubDate": "Wed, 21 Oct 2026 00:00:00",
        "size": "9", "sizename": "9 byte", "host": "a.test", "path": "/", "file": "", "guid": "x", "ranking": "1"}],
        "navigation": []}]});
    let asked = "GET /yacysearch.json?resource=local&contentdom=text&query=je+%22lep+dan%22+-the&startRecord=0\
        &maximumRecords=10";
    let place = ("yacy", "?resource=local");
    check(
        place,
        &answer,
        asked,
        ("http://a.test/", Some("lep dan")),
        &json!({"total": 1}),
    );
}

#[test]
fn gdelt() {
    let answer = json!({"articles": [{"url": "http://a.test/", "url_mobile": "", "title": "A", "domain": "a.test",
        "seendate": "20260101T000000Z", "socialimage": "", "language": "Slovenian", "sourcecountry": "Slovenia"}]});
    let asked = "GET /api/v2/doc/doc?timespan=1w&query=je+%22lep+dan%22+-the+sourcelang%3Aslovenian&mode=artlist\
        &format=json&maxrecords=250";
    let place = ("gdelt", "?timespan=1w&sourcelang=slovenian");
    check(place, &answer, asked, ("http://a.test/", None), &json!({}));
}

/// A site with a description and a feed of twelve results, of which one says `the`.
fn described(asked: &EngineRequest, _: usize) -> EngineResponse {
    if asked.target == "/osd.xml" {
        return EngineResponse::ok(
            r#"<?xml version="1.0" encoding="UTF-8"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
            <ShortName>Wiki</ShortName><Description>x</Description>
            <Url type="application/atom+xml" template="/feed?q={searchTerms}&amp;n={count?}&amp;p={startPage?}"/>
            </OpenSearchDescription>"#,
        );
    }
    let page: u32 = asked.target.rsplit('=').next().unwrap().parse().unwrap();
    let entry = |n: u32| {
        let summary = if n == 2 {
            "in the end"
        } else {
            "&lt;b&gt;lep&lt;/b&gt; dan"
        };
        format!(
            "<entry><title>A</title><link href='http://a.test/{n}'/><id>urn:{n}</id><summary>{summary}</summary></entry>"
        )
    };
    let entries: String = (1..=12)
        .skip((page as usize - 1) * 10)
        .take(10)
        .map(entry)
        .collect();
    EngineResponse::ok(format!(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><title>x</title>\
         <o:totalResults>12</o:totalResults>{entries}</feed>"
    ))
}

#[test]
fn an_engine_with_a_description_is_paged_and_what_it_cannot_exclude_is_skipped() {
    let server = EngineServer::start(described);
    let done = search(
        &format!("description:{}/osd.xml", server.address),
        &["--top", "20"],
        QUERY,
    )
    .expect_exit(0);
    let records = done.records();
    assert_eq!(
        (records.len(), &records[0]["hit"]["snippet"]),
        (11, &json!("lep dan"))
    );
    assert_eq!(records[10]["hit"]["total"], 12);
    assert!(
        records
            .iter()
            .all(|record| record["url"] != "http://a.test/2")
    );
    let said = [
        "does not support exclusion",
        "skipped, which is reported once",
    ]
    .map(|text| done.stderr.matches(text).count());
    assert_eq!(said, [1, 0], "{}", done.stderr);
    let asked: Vec<String> = server
        .requests()
        .into_iter()
        .map(|asked| asked.target)
        .collect();
    assert_eq!(
        asked,
        [
            "/osd.xml",
            "/feed?q=je%20lep%20dan&n=10&p=1",
            "/feed?q=je%20lep%20dan&n=10&p=2"
        ]
    );
}

#[test]
fn a_wiki_is_asked_for_pages_like_one() {
    let server =
        EngineServer::start(|_, _| EngineResponse::ok(r#"{"query":{"search":[{"title":"A"}]}}"#));
    let spec = format!("mediawiki:{}", server.address);
    let records = search(
        &spec,
        &[],
        r#"{"query":{"like":"https://sl.wikipedia.org/wiki/Lep_dan"}}"#,
    )
    .expect_exit(0)
    .records();
    assert_eq!(records[0]["url"], format!("{}/wiki/A", server.address));
    assert!(
        server.requests()[0]
            .target
            .contains("srsearch=morelikethis%3A%22Lep+dan%22&")
    );
}

#[test]
fn a_query_is_shortened_by_exclusion_terms_to_what_the_engine_takes_and_refused_beyond() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"type":"search","query":{}}"#));
    let spec = format!("brave:{}", server.address);
    let words = |n: usize| (0..n).map(|n| format!("w{n:03}")).collect::<Vec<_>>();
    let query = |include, exclude| {
        json!({"query": {"include": words(include), "exclude": words(exclude)}}).to_string()
    };
    let records = search(&spec, &[], &[query(3, 60), query(60, 0)].join("\n"))
        .expect_exit(0)
        .records();
    assert_eq!(records[0]["hit"]["outcome"], "empty");
    assert_eq!(server.requests()[0].target.matches("-w0").count(), 47);
    assert_eq!(
        (server.requests().len(), &records[1]["error"]["kind"]),
        (1, &json!("refused"))
    );
    assert_eq!(
        records[1]["error"]["message"],
        "the query is too long for Brave: 60 words, and 50 are the most"
    );
}
