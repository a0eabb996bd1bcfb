//! fetch-extract with site rules, and with the title–body–footer method.

use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const PAGE: &str = "<html lang=sl><head><title>Potok | Novice</title>\
    <link rel=canonical href='https://www.vas.test/potok'></head><body><p>Meni</p><h1>Potok</h1>\
    <div class=story><p>Potok teče skozi vas.</p><div class=ad>Oglas.</div>\
    <p>Pozimi zamrzne.</p></div><p>Preberite tudi: Led</p><p>Noga</p></body></html>";
const RULE: &str = "[[site]]\nhost = 'vas.test'\ntitle = 'h1'\narticle = '.story'\ndrop = '.ad'\n";

fn write_file(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn record(url: &str, html: &str) -> String {
    json!({"url": url, "html": html}).to_string() + "\n"
}

#[track_caller]
fn assert_ruled(record: &Value) {
    assert_eq!(record["text"], "Potok teče skozi vas.\nPozimi zamrzne.");
    assert_eq!(record["title"], "Potok");
    assert_eq!(
        record["fetch"]["rule"],
        json!({"host": "vas.test", "matched": true})
    );
}

#[test]
fn rules_apply_to_records_with_html_and_to_saved_pages() {
    let dir = temp_folder();
    let rules = write_file(dir.path(), "vas.toml", RULE);
    let page = write_file(dir.path(), "potok.html", PAGE);
    let input = record("https://novice.vas.test/x", PAGE) + &record("https://mesto.test/", PAGE);
    for path in [rules.as_str(), dir.path().to_str().unwrap()] {
        let out = run_tool("fetch-extract", ["--rules", path], &input).expect_exit(0);
        let records = out.records();
        assert_ruled(&records[0]);
        assert_eq!(records[1]["fetch"].get("rule"), None);
        assert_eq!(out.stderr, "");
    }
    let out = run_tool("fetch-extract", ["--rules", &rules, "--html", &page], "").expect_exit(0);
    assert_ruled(&out.records()[0]);
}

#[test]
fn rules_apply_to_archived_pages() {
    let dir = temp_folder();
    let rules = write_file(dir.path(), "vas.toml", RULE);
    let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}");
    let archive = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://www.vas.test/potok\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    );
    let archive = write_file(dir.path(), "pages.warc", &archive);
    let args = ["--rules", &rules, "--from-warc", &archive];
    assert_ruled(&run_tool("fetch-extract", args, "").expect_exit(0).records()[0]);
}

#[test]
fn a_rule_that_matches_nothing_is_reported_once_per_host() {
    let dir = temp_folder();
    let rules = write_file(dir.path(), "vas.toml", RULE);
    let redesigned = PAGE.replace("story", "article");
    let input: String = (0..3)
        .map(|n| record(&format!("https://vas.test/{n}"), &redesigned))
        .collect();
    let out = run_tool("fetch-extract", ["--rules", &rules], &input).expect_exit(0);
    let plain = run_tool("fetch-extract", &[] as &[&str], &input).expect_exit(0);
    for (ruled, plain) in out.records().iter().zip(plain.records()) {
        assert_eq!(ruled["text"], plain["text"]);
        assert_eq!(
            ruled["fetch"]["rule"],
            json!({"host": "vas.test", "matched": false})
        );
    }
    assert_eq!(out.stderr.matches("vas.test").count(), 1, "{}", out.stderr);
}

#[test]
fn later_files_precede_earlier_ones() {
    let dir = temp_folder();
    let first = write_file(dir.path(), "a.toml", RULE);
    let second = write_file(dir.path(), "b.toml", &RULE.replace(".story", "h1"));
    let args = ["--rules", &first, "--rules", &second];
    let out = run_tool("fetch-extract", args, record("https://vas.test/", PAGE)).expect_exit(0);
    assert_eq!(out.records()[0]["text"], "Potok");
}

#[test]
fn errors_name_file_and_line() {
    let dir = temp_folder();
    for (content, line, cause) in [
        ("[[site]\n", 1, ""),
        (
            "\n[[site]]\nhost = 'a.test'\narticle = 'p >'\n",
            4,
            "CSS selector",
        ),
        (
            "[[site]]\nhost = 'a.test'\narticle = 'p'\nend-pattern = '('\n",
            4,
            "regular expression",
        ),
        ("[[site]]\nhost = 'a.test'\nbody = 'p'\n", 3, "unknown key"),
    ] {
        let file = write_file(dir.path(), "wrong.toml", content);
        let out = run_tool("fetch-extract", ["--rules", &file], "").expect_exit(2);
        let start = format!("fetch-extract: {file}:{line}: ");
        assert!(
            out.stderr.starts_with(&start) && out.stderr.contains(cause),
            "{}",
            out.stderr
        );
        assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
    }
    let missing = dir.path().join("none.toml");
    run_tool("fetch-extract", ["--rules", missing.to_str().unwrap()], "").expect_exit(2);
}

#[test]
fn the_built_in_rules_have_a_name() {
    let html = "<h1>Rain</h1><article><div data-component=text-block>It rains.</div></article>x";
    let input = record("https://www.bbc.co.uk/news/1", html);
    let out = run_tool("fetch-extract", ["--rules", "news"], &input).expect_exit(0);
    assert_eq!(out.records()[0]["text"], "It rains.");
}

#[test]
fn title_body_footer_takes_the_lines_between_title_and_footer() {
    let input = record("https://vas.test/", PAGE);
    let args = ["--extractor", "title-body-footer"];
    let out = run_tool("fetch-extract", args, &input).expect_exit(0);
    let record = &out.records()[0];
    assert_eq!(
        record["text"],
        "Potok teče skozi vas.\nOglas.\nPozimi zamrzne."
    );
    assert_eq!(record["title"], "Potok");
}
