//! Wikis, most without CirrusSearch, to whose searches an excluded term means one of three things,
//! as measured on MediaWiki 1.39.17: SQLite and MariaDB drop the minus, so that the term is
//! required; PostgreSQL excludes it; another search refuses the query.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::open_web::percent_decode;
use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::path::Path;

/// Texts of pages; the titles are their numbers.
const PAGES: [&str; 9] = [
    "dan bela cesta",
    "dan bela",
    "dan cesta",
    "dan",
    "bela cesta",
    "ჩემი ქალაქი",
    "п'ять котів",
    "п’ять котів і п'ять",
    "пʼять котів",
];

#[derive(Clone, Copy, PartialEq)]
enum Minus {
    Dropped,
    Honoured,
    Refused,
    /// As Honoured, by CirrusSearch, which knows all parameters.
    Cirrus,
}

/// Returns the parameter of a request.
fn parameter(request: &EngineRequest, name: &str) -> String {
    let query = request.target.split_once('?').unwrap().1;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.find(|(other, _)| *other == name).unwrap().1;
    percent_decode(&value.replace('+', " "))
}

/// Starts a wiki. With `shows_text`, hits have snippets.
fn start_wiki(minus: Minus, shows_text: bool) -> EngineServer {
    EngineServer::start(move |request, _| {
        let search = parameter(request, "srsearch");
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for term in search.split(' ') {
            let is_excluded = term.starts_with('-') && minus != Minus::Dropped;
            let side = if is_excluded { &mut no } else { &mut yes };
            side.push(term.replace(['-', '"'], ""));
        }
        if minus == Minus::Refused && !no.is_empty() {
            let error = json!({"error": {"code": "srsearch-error", "info": "syntax"}});
            return EngineResponse::ok(error.to_string());
        }
        let is_hit = |text: &str| {
            let has = |term: &String| text.split(' ').any(|word| word == term);
            yes.iter().all(has) && !no.iter().any(has)
        };
        let hits = (0..).zip(PAGES).filter(|(_, text)| is_hit(text));
        let results: Vec<Value> = hits
            .map(|(n, text): (u32, _)| {
                let snippet = if shows_text { text } else { "" };
                json!({"title": n.to_string(), "snippet": snippet})
            })
            .collect();
        let info = json!({"totalhits": results.len()});
        let query = json!({"general": {}, "searchinfo": info, "search": results});
        let mut body = json!({ "query": query });
        if minus != Minus::Cirrus && request.target.contains("&srqiprofile=") {
            let warning = "Unrecognized parameter: srqiprofile.";
            body["warnings"] = json!({"main": {"warnings": warning}});
        }
        EngineResponse::ok(body.to_string())
    })
}

fn search(wiki: &EngineServer, args: &[&str], input: &str) -> ToolOutput {
    let spec = format!("mediawiki:{}/api.php", wiki.address);
    let fixed = ["--engine", &spec, "--rate", "1000", "--contact", "a@b.test"];
    run_tool("search", [&fixed[..], args].concat(), input)
}

#[test]
fn the_canary_says_what_an_excluded_term_means() {
    for shows_text in [true, false] {
        for (minus, verdict, code) in [
            (Minus::Honoured, "works", 0),
            (Minus::Dropped, "fails: requires", 1),
            (Minus::Refused, "fails: error", 1),
        ] {
            let wiki = start_wiki(minus, shows_text);
            let output = search(&wiki, &["--engines", "canary=dan,bela"], "").expect_exit(code);
            let row: Vec<&str> = output.stdout.split('\t').collect();
            assert_eq!(row[0], verdict, "{}", output.stdout);
        }
    }
}

#[test]
fn an_engine_that_does_not_answer_has_no_verdict() {
    for (status, cause) in [("503 Service Unavailable", "503"), ("403 Forbidden", "403")] {
        let wiki = EngineServer::start(move |_, _| EngineResponse::status(status, ""));
        let output = search(&wiki, &["--engines", "canary"], "").expect_exit(0);
        let row: Vec<&str> = output.stdout.split('\t').collect();
        assert!(
            row[0] == "fails: error" && row[2].contains(cause),
            "{row:?}"
        );
    }
}

/// Sends queries for `dan` without `cesta`, and without a word that no page has, each in a process
/// of its own. Returns the hits.
fn search_steps(wiki: &EngineServer, hits: &Path) -> Vec<Vec<Value>> {
    let hits = hits.to_str().unwrap();
    let send = |excluded: &str, step: &str| {
        let query = json!({"query": {"include": ["dan"], "exclude": [excluded]}});
        let args = ["--hits", hits, "--top", "9", "--from-step", step];
        search(wiki, &args, &query.to_string())
            .expect_exit(0)
            .records()
    };
    vec![send("cesta", "1"), send("nihče", "2"), send("cesta", "3")]
}

#[test]
fn exclusion_terms_are_sent_only_to_a_wiki_that_honours_them() {
    for (minus, is_sent) in [
        (Minus::Honoured, true),
        (Minus::Dropped, false),
        (Minus::Refused, false),
    ] {
        for shows_text in [true, false] {
            let dir = temp_folder();
            let wiki = start_wiki(minus, shows_text);
            let steps = search_steps(&wiki, &dir.path().join("hits.db"));
            // Hits that show an excluded term are skipped.
            let expected = match is_sent || shows_text {
                true => [2, 4, 2],
                false => [4, 4, 4],
            };
            assert_eq!([0, 1, 2].map(|step| steps[step].len()), expected);
            let is_marked = |record: &Value| record["hit"]["unexcluded"] == true;
            assert!(
                steps
                    .iter()
                    .flatten()
                    .all(|record| is_marked(record) != is_sent)
            );
            let requests = wiki.requests();
            let exclude = |request: &&EngineRequest| parameter(request, "srsearch").contains(" -");
            let excluding = requests.iter().filter(exclude).count();
            match is_sent {
                true => assert!(excluding >= 3, "{excluding}"),
                false => assert_eq!(excluding, 1),
            }
        }
    }
}

#[test]
fn a_wiki_that_says_that_it_has_cirrus_search_is_not_tested() {
    let (dir, wiki) = (temp_folder(), start_wiki(Minus::Cirrus, true));
    let steps = search_steps(&wiki, &dir.path().join("hits.db"));
    assert_eq!([0, 1, 2].map(|step| steps[step].len()), [2, 4, 2]);
    assert!(
        steps
            .iter()
            .flatten()
            .all(|record| record["hit"]["unexcluded"].is_null())
    );
    let requests = wiki.requests();
    let sent: Vec<String> = requests.iter().map(|r| parameter(r, "srsearch")).collect();
    let expected = [r#""dan""#, r#""dan" -"cesta""#, r#""dan" -"nihče""#];
    assert_eq!(sent, expected);
}

#[test]
fn a_wiki_is_asked_for_each_spelling_of_an_apostrophe() {
    let query = r#"{"query":{"include":["п'ять"]}}"#;
    let found = |args: &[&str]| {
        let wiki = start_wiki(Minus::Dropped, true);
        let records = search(&wiki, args, query).expect_exit(0).records();
        let titles: Vec<String> = records
            .iter()
            .map(|r| r["hit"]["title"].to_string())
            .collect();
        assert!(records[0]["hit"]["total"].is_null(), "{records:?}");
        (titles.concat().replace('"', ""), wiki.requests().len())
    };
    assert_eq!(found(&["--top", "9"]), ("678".into(), 3));
    assert_eq!(found(&["--top", "2"]), ("67".into(), 1));
    assert_eq!(found(&["--top", "9", "--max-pages", "2"]), ("67".into(), 2));
    // A step goes on to the spelling that has hits.
    let (dir, wiki) = (temp_folder(), start_wiki(Minus::Dropped, true));
    let hits = dir.path().join("hits.db");
    let next = |step| {
        let args = [
            "--hits",
            hits.to_str().unwrap(),
            "--next",
            "--from-step",
            step,
        ];
        let record = search(&wiki, &args, query).expect_exit(0).records();
        (
            record[0]["hit"]["title"].clone(),
            record[0]["hit"]["outcome"].clone(),
        )
    };
    let titles = ["1", "2", "3"].map(&next);
    assert_eq!(
        titles,
        ["6", "7", "8"].map(|title| (json!(title), json!("hit")))
    );
    assert_eq!(next("4").1, "exhausted");
    assert_eq!(wiki.requests().len(), 3);
}

/// PostgreSQL: `totalhits` is at most one more than `srlimit`.
#[test]
fn a_total_that_is_cut_at_the_page_or_below_the_hits_is_no_total() {
    for (total, expected) in [(3, Value::Null), (2, Value::Null), (4, json!(4))] {
        let wiki = EngineServer::start(move |request, _| {
            let offset: u32 = parameter(request, "sroffset").parse().unwrap();
            let results = [offset, offset + 1].map(|n| json!({"title": n.to_string()}));
            let query = json!({"searchinfo": {"totalhits": total}, "search": results});
            let mut body = json!({"query": query});
            if offset == 0 {
                body["continue"] = json!({"sroffset": 2});
            }
            EngineResponse::ok(body.to_string())
        });
        let query = r#"{"query":{"include":["dan"]}}"#;
        for top in ["2", "4"] {
            let args = ["--page-size", "2", "--top", top];
            let records = search(&wiki, &args, query).expect_exit(0).records();
            let last = &records.last().unwrap()["hit"]["total"];
            let is_believed = top == "2" && total == 2;
            let expected = if is_believed { &json!(2) } else { &expected };
            assert_eq!((records.len().to_string().as_str(), last), (top, expected));
        }
    }
}
