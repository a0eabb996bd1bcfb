//! `search` with servers on loopback that respond as the documentation of each engine specifies.
//! The tests compare the requests and the resulting hits.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_command, tool_path};
use serde_json::{Value, json};
use std::process::Command;

const QUERY: &str = concat!(
    r#"{"step":{"number":1,"target":"slv"},"#,
    r#""query":{"id":"q","include":["lep dan","je"],"exclude":["the"]}}"#
);

/// Runs `search` with a key in all variables that an engine may read.
fn run_search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
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

/// Requests the first page of ten hits from an engine. Asserts the method and target of the
/// request, and the resulting hit, which has the title A, this URL and snippet, and these other
/// fields. Returns the request.
#[track_caller]
fn assert_exchange(
    spec: (&str, &str),
    response: &Value,
    expected_request: &str,
    (url, snippet): (&str, Option<&str>),
    hit_fields: &Value,
) -> EngineRequest {
    let body = response.to_string();
    let server = EngineServer::start(move |_, _| EngineResponse::ok(body.clone()));
    let spec = format!("{}:{}{}", spec.0, server.address, spec.1);
    let records = run_search(&spec, &[], QUERY).expect_exit(0).records();
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    let mut hit = json!({"engine": spec, "rank": 1, "title": "A", "calls": 1, "outcome": "hit"});
    hit.as_object_mut()
        .unwrap()
        .extend(hit_fields.as_object().unwrap().clone());
    if let Some(snippet) = snippet {
        hit["snippet"] = json!(snippet);
    }
    assert_eq!((&record["url"], &record["hit"]), (&json!(url), &hit));
    let mut requests = server.requests();
    // Whether a wiki has CirrusSearch, which honours exclusion, is asked first.
    let tests = if spec.starts_with("mediawiki") { 1 } else { 0 };
    assert_eq!(requests.len(), tests + 1);
    let request = requests.pop().unwrap();
    assert_eq!(
        format!("{} {}", request.method, request.target),
        expected_request
    );
    request
}

#[test]
fn searxng() {
    let response = json!({
        "query": "q", "number_of_results": 0,
        "results": [
            {
                "url": "http://a.test/", "title": "A", "content": "lep dan", "engine": "x",
                "engines": ["x"], "positions": [1], "score": 1.0, "category": "general",
                "publishedDate": null, "thumbnail": "", "template": "default.html",
                "parsed_url": ["http", "a.test", "/"],
            },
        ],
        "answers": [], "corrections": [], "infoboxes": [], "suggestions": [],
        "unresponsive_engines": [],
    });
    let expected_request =
        "GET /search?language=sl&q=%22je%22+%22lep+dan%22+-the&format=json&pageno=1";
    let spec = ("searxng", "/?language=sl");
    assert_exchange(
        spec,
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &json!({"more": "pages"}),
    );
}

#[test]
fn mediawiki() {
    let response = json!({
        "batchcomplete": true, "continue": {"sroffset": 10, "continue": "-||"},
        "query": {
            "general": {"articlepath": "/wiki/$1", "server": "//a.test"},
            "searchinfo": {"totalhits": 12},
            "search": [
                {
                    "ns": 0, "title": "A", "pageid": 1, "size": 9, "wordcount": 2,
                    "timestamp": "2026-01-01T00:00:00Z",
                    "snippet": "<span class=\"searchmatch\">lep</span> dan",
                },
            ],
        },
    });
    let expected_request = "GET /w/api.php?srnamespace=0&srenablerewrites=0&maxlag=5\
        &srqiprofile=engine_autoselect&action=query\
        &format=json&formatversion=2&list=search&meta=siteinfo&siprop=general&srwhat=text\
        &srinfo=totalhits&srprop=snippet\
        &srsearch=%22je%22+%22lep+dan%22+-%22the%22&srlimit=10&sroffset=0";
    let hit_fields = json!({"more": "pages", "total": 12});
    let request = assert_exchange(
        ("mediawiki", ""),
        &response,
        expected_request,
        ("http://a.test/wiki/A", Some("lep dan")),
        &hit_fields,
    );
    assert!(
        request
            .header("user-agent")
            .unwrap()
            .ends_with(" (+me@example.org)"),
        "{request:?}"
    );
}

#[test]
fn brave() {
    let response = json!({
        "type": "search",
        "query": {
            "original": "q", "show_strict_warning": false, "more_results_available": true,
            "search_operators": {"applied": true, "cleaned_query": "je"},
        },
        "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": false}]},
        "web": {
            "type": "search", "family_friendly": true,
            "results": [
                {
                    "type": "search_result", "subtype": "generic", "url": "http://a.test/",
                    "title": "A", "description": "lep dan", "page_age": "2026-01-01T00:00:00",
                    "language": "sl", "profile": {}, "meta_url": {}, "extra_snippets": ["x"],
                },
            ],
        },
    });
    let expected_request = "GET /res/v1/web/search?country=SI&q=%2Bje+%2B%22lep+dan%22+-the\
        &count=10&offset=0&spellcheck=false&operators=true&text_decorations=false&result_filter=web";
    let hit_fields = json!({"more": "pages"});
    let request = assert_exchange(
        ("brave", "?country=SI"),
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &hit_fields,
    );
    assert_eq!(request.header("x-subscription-token"), Some("s3cret"));
}

#[test]
fn mojeek() {
    let response = json!({
        "response": {
            "status": "OK",
            "head": {
                "query": "je", "nword": 2,
                "words": [
                    {"full": "je", "stem": "je", "plus": 1, "hits": 900},
                    {"full": "the", "stem": "the", "plus": 0, "hits": 70},
                ],
                "timer": 0.6, "start": 1, "return": 1, "exact": true, "results": 1, "rankm": 169,
                "dups": 0,
            },
            "results": [
                {
                    "url": "http://a.test/", "title": "A", "desc": "lep dan", "size": "1kb",
                    "date": "1.1.2026",
                },
            ],
        },
    });
    let expected_request = "GET /search?fmt=json&q=je+%22lep+dan%22&s=1&t=10&qm=the&api_key=s3cret";
    let hit_fields = json!({"total": 1, "df": {"je": 900, "the": 70}});
    assert_exchange(
        ("mojeek", ""),
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &hit_fields,
    );
}

#[test]
fn marginalia() {
    let response = json!({
        "license": "CC-BY-NC-SA 4.0", "query": "je",
        "results": [
            {
                "url": "http://a.test/", "title": "A", "description": "lep dan", "quality": 3.2,
                "format": "html5", "details": [],
            },
        ],
    });
    let expected_request = "GET /search?query=je+%22lep+dan%22+-the&count=10&page=1";
    let request = assert_exchange(
        ("marginalia", ""),
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &json!({}),
    );
    assert_eq!(request.header("api-key"), Some("s3cret"));
}

#[test]
fn opensearch() {
    let response = json!({
        "took": 3, "timed_out": false,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": 11, "relation": "eq"}, "max_score": 1.0,
            "hits": [
                {
                    "_index": "pages", "_id": "1", "_score": 1.0,
                    "_source": {"url": "http://a.test/", "title": "A"},
                    "highlight": {"body": ["lep dan"]},
                },
            ],
        },
    });
    let hit_fields = json!({"more": "pages", "total": 11});
    let spec = ("opensearch", "/pages?text=body");
    let request = assert_exchange(
        spec,
        &response,
        "POST /pages/_search",
        ("http://a.test/", Some("lep dan")),
        &hit_fields,
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    let request_body: Value = serde_json::from_str(&request.body).unwrap();
    let must = json!([{"match_phrase": {"body": "je"}}, {"match_phrase": {"body": "lep dan"}}]);
    assert_eq!(
        request_body["query"]["bool"],
        json!({"must": must, "must_not": [{"match_phrase": {"body": "the"}}]})
    );
    assert_eq!(
        (&request_body["from"], &request_body["size"]),
        (&json!(0), &json!(10))
    );
}

#[test]
fn quickwit() {
    let response = json!({
        "num_hits": 11, "hits": [{"url": "http://a.test/", "title": "A", "text": "lep dan je"}],
        "snippets": [{"text": ["<b>lep dan</b>"]}], "elapsed_time_micros": 12, "errors": [],
    });
    let expected_request = "GET /api/v1/pages/search?format=json&snippet_fields=text\
        &query=text%3A%22je%22+AND+text%3A%22lep+dan%22+AND+NOT+text%3A%22the%22\
        &max_hits=10&start_offset=0";
    let hit_fields = json!({"more": "pages", "total": 11});
    assert_exchange(
        ("quickwit", "/pages"),
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &hit_fields,
    );
}

#[test]
fn solr() {
    let response = json!({
        "responseHeader": {"status": 0, "QTime": 3, "params": {}},
        "response": {
            "numFound": 1, "start": 0, "numFoundExact": true,
            "docs": [{"id": "7", "url": ["http://a.test/"], "title": ["A"]}],
        },
        "highlighting": {"7": {"text": ["<em>lep dan</em>"]}},
    });
    let expected_request = "GET /solr/pages/select\
        ?q=%2Btext%3A%22je%22+%2Btext%3A%22lep+dan%22+-text%3A%22the%22\
        &defType=lucene&fl=id%2Curl%2Ctitle&rows=10&start=0&wt=json&hl=true\
        &hl.fl=text&hl.snippets=1&hl.fragsize=200";
    let hit_fields = json!({"total": 1});
    let request = assert_exchange(
        ("solr", "/solr/pages"),
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &hit_fields,
    );
    assert_eq!(request.header("authorization"), Some("s3cret"));
}

#[test]
fn yacy() {
    let response = json!({
        "channels": [
            {
                "title": "YaCy P2P", "description": "", "link": "", "image": {},
                "totalResults": "1", "startIndex": "0", "itemsPerPage": "10", "searchTerms": "je",
                "items": [
                    {
                        "title": "A", "link": "http://a.test/", "code": "x",
                        "description": "<b>lep</b> dan", "pubDate": "Wed, 21 Oct 2026 00:00:00",
                        "size": "9", "sizename": "9 byte", "host": "a.test", "path": "/",
                        "file": "", "guid": "x", "ranking": "1",
                    },
                ],
                "navigation": [],
            },
        ],
    });
    let expected_request = "GET /yacysearch.json?resource=local&contentdom=text\
        &query=je+%22lep+dan%22+-the\
        &startRecord=0&maximumRecords=10";
    let spec = ("yacy", "?resource=local");
    assert_exchange(
        spec,
        &response,
        expected_request,
        ("http://a.test/", Some("lep dan")),
        &json!({"total": 1}),
    );
}

#[test]
fn gdelt() {
    let response = json!({
        "articles": [
            {
                "url": "http://a.test/", "url_mobile": "", "title": "A", "domain": "a.test",
                "seendate": "20260101T000000Z", "socialimage": "", "language": "Slovenian",
                "sourcecountry": "Slovenia",
            },
        ],
    });
    let expected_request = "GET /api/v2/doc/doc?timespan=1w\
        &query=je+%22lep+dan%22+-the+sourcelang%3Aslovenian\
        &mode=artlist&format=json&maxrecords=250";
    let spec = ("gdelt", "?timespan=1w&sourcelang=slovenian");
    assert_exchange(
        spec,
        &response,
        expected_request,
        ("http://a.test/", None),
        &json!({}),
    );
}

/// Responds as a site with a description document and a feed of twelve results, one of which
/// contains `the`.
fn respond_with_feed(request: &EngineRequest, _: usize) -> EngineResponse {
    if request.target == "/osd.xml" {
        return EngineResponse::ok(
            r#"<?xml version="1.0" encoding="UTF-8"?>
            <OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
            <ShortName>Wiki</ShortName><Description>x</Description>
            <Url type="application/atom+xml"
                template="/feed?q={searchTerms}&amp;n={count?}&amp;p={startPage?}"/>
            </OpenSearchDescription>"#,
        );
    }
    let page = request.target.split_once("&p=");
    let page: u32 = page.map_or(1, |(_, page)| page.parse().unwrap());
    let entry = |n: u32| {
        let summary = if n == 2 {
            "in the end"
        } else {
            "&lt;b&gt;lep&lt;/b&gt; dan"
        };
        format!(
            "<entry><title>A</title><link href='http://a.test/{n}'/><id>urn:{n}</id>\
             <summary>{summary}</summary></entry>"
        )
    };
    let entries: String = (1..=12)
        .skip((page as usize - 1) * 10)
        .take(10)
        .map(entry)
        .collect();
    EngineResponse::ok(format!(
        "<feed xmlns='http://www.w3.org/2005/Atom' \
         xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><title>x</title>\
         <o:totalResults>12</o:totalResults>{entries}</feed>"
    ))
}

#[test]
fn an_engine_with_a_description_is_paged_and_hits_with_excluded_terms_are_skipped() {
    let server = EngineServer::start(respond_with_feed);
    let output = run_search(
        &format!("description:{}/osd.xml", server.address),
        &["--top", "20"],
        QUERY,
    )
    .expect_exit(0);
    let records = output.records();
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
    let message_counts = [
        "does not support exclusion",
        "they are skipped (reported once)",
    ]
    .map(|text| output.stderr.matches(text).count());
    assert_eq!(message_counts, [1, 0], "{}", output.stderr);
    let targets: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.target)
        .collect();
    assert_eq!(
        targets,
        [
            "/osd.xml",
            "/feed?q=je%20lep%20dan&n=10",
            // The engine might count pages from 0.
            "/feed?q=je%20lep%20dan&n=10&p=1",
            "/feed?q=je%20lep%20dan&n=10&p=2"
        ]
    );
}

#[test]
fn mediawiki_supports_more_like_this_queries() {
    let server =
        EngineServer::start(|_, _| EngineResponse::ok(r#"{"query":{"search":[{"title":"A"}]}}"#));
    let spec = format!("mediawiki:{}", server.address);
    let records = run_search(
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
fn exclusion_terms_beyond_the_limit_of_the_engine_are_dropped_and_longer_queries_refused() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"type":"search","query":{}}"#));
    let spec = format!("brave:{}", server.address);
    let words = |n: usize| (0..n).map(|n| format!("w{n:03}")).collect::<Vec<_>>();
    let query = |include, exclude| {
        json!({"query": {"include": words(include), "exclude": words(exclude)}}).to_string()
    };
    let records = run_search(&spec, &[], &[query(3, 60), query(60, 0)].join("\n"))
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
        "the query is too long for Brave: 60 words, the limit is 50"
    );
}
