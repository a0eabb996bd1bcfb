//! fetch-extract: its records, and their fields.

use forage_tests::server::{HostResponse, HostServer, html, ok, status};
use forage_tests::{CoProcess, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::process::Command;

const STORY: &str =
    "Čebela leti čez žito in išče šipek, življenje v gozdu pa je že od nekdaj skrivnostno.";

/// Returns the response of a host for a path.
fn respond(host: &str, path: &str) -> HostResponse {
    match (host, path) {
        ("hangup.test", _) => HostResponse::Hangup,
        ("utf8.test", "/") => html(format!(
            "<html lang=sl><head><title>Čebela</title></head><body><p>{STORY}</p></body></html>"
        )),
        ("plain.test", "/") => ok("text/plain; charset=utf-8", b"prva\nvrsta\n\n2 < 3\x07"),
        _ => status(404),
    }
}

fn start_server() -> HostServer {
    HostServer::start(respond)
}

#[test]
fn records_without_work_pass_through_byte_for_byte() {
    let lines = concat!(
        "{\"text\":\"\\u010das\",\"url\":\"http://utf8.test/\", \"n\":1e5}\n",
        "{\"n\":1}\n",
        "{\"text\":3}\n",
        "{\"url\":null,\"text\":null}\n",
        "{\"url\":\"http://utf8.test/\",\"error\":{\"tool\":\"x\",\"kind\":\"dns\",\"message\":\"\"}}\n"
    );
    let server = start_server();
    assert_eq!(server.fetch(&[], lines).expect_exit(0).stdout, lines);
    assert!(server.requests().is_empty());
}

#[test]
fn input_without_any_page_causes_a_warning() {
    let lines = "{\"URL\":\"http://utf8.test/\"}\n{\"link\":\"http://utf8.test/\"}\n";
    let output = start_server().fetch(&[], lines).expect_exit(0);
    assert_eq!(output.stdout, lines);
    assert_eq!(
        output.stderr,
        "fetch-extract: none of 2 records has a result: 2 without `url`, `html` or `text`\n"
    );
    // A document is what the tool would make.
    let mixed = format!("{lines}{{\"text\":\"a\"}}\n");
    let output = run_tool("fetch-extract", [""; 0], mixed).expect_exit(0);
    assert!(
        output
            .stderr
            .contains("1 with `text` already (--force), 2 without"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_field_of_the_wrong_type_causes_an_error_record() {
    for line in [
        r#"{"url":3}"#,
        r#"{"html":3}"#,
        r#"{"html":"<p>a","url":[]}"#,
    ] {
        let record = run_tool("fetch-extract", [""; 0], line)
            .expect_exit(0)
            .records()
            .pop()
            .unwrap();
        assert_eq!(record["error"]["kind"], "bad-field", "{record}");
    }
}

#[test]
fn a_text_is_replaced_only_with_force() {
    let line = r#"{"text":"old","id":"x","url":"http://utf8.test/"}"#;
    let record = start_server()
        .fetch(&["--force"], line)
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert_eq!(record["text"], STORY);
    assert_ne!(record["id"], "x");
}

#[test]
fn force_removes_all_fields_of_the_old_page() {
    let old_record = |url: &str| {
        let fetch = json!({"status": 200, "digest": "x"});
        json!({
            "n": 1, "text": "old", "id": "x", "title": "old", "links": [],
            "fetch": fetch, "url": url,
        })
    };
    let fetch_with_force = |old_record: Value| {
        start_server()
            .fetch(&["--force"], old_record.to_string())
            .expect_exit(0)
            .records()
            .pop()
            .unwrap()
    };
    let gone = fetch_with_force(old_record("http://status.test/404"));
    assert_eq!(
        (&gone["error"]["kind"], &gone["fetch"]["status"]),
        (&json!("http-status"), &json!(404)),
        "{gone}"
    );
    assert_eq!(
        gone.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["n", "url", "fetch", "error"]
    );
    let dead = fetch_with_force(old_record("http://hangup.test/"));
    assert_eq!(
        dead.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["n", "url", "error"]
    );
    let bare = fetch_with_force(old_record("http://plain.test/"));
    assert_eq!(
        bare.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["n", "text", "id", "fetch", "url"]
    );
    // Nothing replaces the text of a record without a page.
    let line = json!({"text": "old", "title": "old"});
    assert_eq!(fetch_with_force(line.clone()), line);
}

#[test]
fn a_page_of_several_records_is_fetched_once() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        "/gone" => status(410),
        _ => html(format!("<title>Čebela</title><p>{STORY}")),
    });
    let urls = ["/a", "/a?utm_source=x", "/gone", "/b", "/gone#c", "/a#b"]
        .map(|path| format!("http://h.test{path}"));
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url, "n": 1 }).to_string() + "\n")
        .collect();
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let records = server
        .fetch(&["--warc", archive.to_str().unwrap()], lines)
        .expect_exit(0)
        .records();
    assert_eq!(
        records
            .iter()
            .map(|record| record["url"].as_str().unwrap())
            .collect::<Vec<_>>(),
        urls
    );
    let pages: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(pages, ["/robots.txt", "/a", "/gone", "/b"]);
    for (one, other) in [(0, 1), (0, 5), (2, 4)] {
        for key in ["text", "id", "title", "fetch", "error"] {
            assert_eq!(records[one].get(key), records[other].get(key), "{key}");
        }
    }
    assert!(
        records[5]["text"].is_string() && records[4]["error"]["kind"] == "http-status",
        "{records:?}"
    );
    let archived = run_tool(
        "fetch-extract",
        ["--from-warc".as_ref(), archive.as_os_str()],
        "",
    )
    .expect_exit(0)
    .records();
    assert_eq!(archived.len(), 3);
}

#[test]
fn a_fetched_page_is_not_fetched_again_for_a_later_record() {
    let server = start_server();
    let mut command = Command::new(tool_path("fetch-extract"));
    command.args(["--connect-to", &server.address.to_string(), "--delay", "0"]);
    let mut process = CoProcess::start(command);
    let lines = [(); 2].map(|()| process.ask("{\"url\":\"http://utf8.test/\"}"));
    assert!(
        lines[0].contains(STORY) && lines[0] == lines[1],
        "{lines:?}"
    );
    process.end();
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|request| request.path == "/")
            .count(),
        1
    );
}

#[test]
fn a_page_in_the_record_is_extracted_without_the_network() {
    let page = format!("<title>Čebela</title><p>{STORY}<a href='/x' rel=next>naprej</a>");
    let line = json!({ "n": 1, "html": page, "url": "hard::to read" }).to_string();
    let record = run_tool("fetch-extract", ["--links"], &line)
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert!(
        record["text"].as_str().unwrap().starts_with(STORY),
        "{record}"
    );
    assert!(
        record.get("html").is_none() && record["links"] == json!([]),
        "{record}"
    );
    let archived = run_tool("fetch-extract", ["--keep-html"], &line)
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert_eq!(archived["html"], page);
    let line = json!({ "html": page, "url": "http://a.test/y/" }).to_string();
    let record = run_tool("fetch-extract", ["--links"], &line)
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert_eq!(
        record["links"],
        json!([{ "url": "http://a.test/x", "text": "naprej", "rel": "next" }])
    );
}

#[test]
fn invalid_values_of_flags_are_refused() {
    for args in [
        ["--connect-to", "nowhere"],
        ["--contact", "a\nb"],
        ["--delay", "-1"],
        ["--timeout", "nan"],
    ] {
        run_tool("fetch-extract", args, "").expect_exit(2);
    }
}

#[test]
fn a_co_process_responds_line_by_line() {
    let mut process = CoProcess::start(Command::new(tool_path("fetch-extract")));
    for n in 0..3 {
        let line = process.ask(&format!("{{\"n\":{n},\"html\":\"<p>Potok\"}}"));
        assert!(
            line.contains("Potok") && line.contains(&format!("\"n\":{n}")),
            "{line}"
        );
    }
    process.end();
}
