//! Runs over real HTTP. A run gives the same corpus as one on the embedded index.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_report, resume_command, retrieved_documents, run_pipeline,
};
use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::open_web::OpenWeb;
use forage_tests::temp_folder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the URLs and texts of the corpus of a run.
fn read_corpus(out: &Path) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let field = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| (field(&record, "url"), field(&record, "text")))
        .collect()
}

#[test]
fn a_run_over_http_gives_the_same_corpus_as_one_on_the_index() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let [by_index, by_http] = ["index", "http"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&by_index, &["--docs", "25"])).expect_exit(0);
    let args = open_web.args();
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(["--docs", "25", "--include", "or:3"])
        .collect();
    let stderr = run_pipeline(new_run_command(&by_http, &args))
        .expect_exit(0)
        .stderr;
    let expected = read_corpus(&by_index);
    let actual = read_corpus(&by_http);
    assert!(expected.len() >= 22);
    assert_eq!(actual, expected, "{stderr}");
    let errors: Vec<Value> = read_journal(&by_http)
        .into_iter()
        .filter(|record| !record["error"].is_null())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_most_new_documents_per_call_are_the_aim_on_the_web() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let out = dir.path().join("run");
    let args = open_web.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run_pipeline(new_run_command(
        &out,
        &[&args[..], &["--relevant", "15"]].concat(),
    ))
    .expect_exit(0);
    let conf = std::fs::read_to_string(out.join("run.conf")).unwrap();
    assert!(
        conf.contains("\nlearn=auto\n") && conf.contains("\nbatch=10\n"),
        "{conf}"
    );
    assert_eq!(read_corpus(&out).len(), 15);
}

#[test]
fn missing_support_for_exclusion_is_reported_once() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let [_, _, fetch @ ..] = open_web.args();
    let out = dir.path().join("run");
    let spec = format!("description:{}/osd.xml", open_web.server.address);
    let fetch = fetch.each_ref().map(String::as_str);
    let args = [&["--engine", &spec, "--batch", "5"], &fetch[..]].concat();
    let stderr = run_pipeline(new_run_command(
        &out,
        &[&args[..], &["--docs", "15", "--exclude", "or:3"]].concat(),
    ))
    .expect_exit(0)
    .stderr;
    assert_eq!(
        stderr.matches("does not support exclusion").count(),
        1,
        "{stderr}"
    );
    let journal = read_journal(&out);
    assert_eq!(retrieved_documents(&journal).len(), 15);
    assert!(journal.iter().any(|record| {
        record["query"]["exclude"]
            .as_array()
            .is_some_and(|terms| !terms.is_empty())
    }));
    let other = dir.path().join("other");
    let stderr = run_pipeline(new_run_command(
        &other,
        &[&args[..], &["--until-coverage", "0.9"]].concat(),
    ))
    .expect_exit(2)
    .stderr;
    assert!(
        stderr.contains("the engine cannot exclude terms") && !other.exists(),
        "{stderr}"
    );
}

#[test]
fn an_exhausted_quota_stops_a_run_which_can_be_resumed() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let exhausted = EngineServer::start(|_, _| EngineResponse::status("402 Payment Required", ""));
    let [flag, engine, fetch @ ..] = open_web.args();
    let out = dir.path().join("run");
    let spec = format!("searxng:{}", exhausted.address);
    let fetch = fetch.each_ref().map(String::as_str);
    let stderr = run_pipeline(new_run_command(
        &out,
        &[&["--engine", &spec, "--docs", "3"], &fetch[..]].concat(),
    ))
    .expect_exit(2)
    .stderr;
    assert!(
        stderr.contains("402, the quota is exhausted") && stderr.contains("the engine refuses"),
        "{stderr}"
    );
    run_pipeline(resume_command(&out, &[&flag, &engine])).expect_exit(0);
    assert_eq!(retrieved_documents(&read_journal(&out)).len(), 3);
}

/// Returns the arguments of a run that searches with `engine` and fetches from the web on loopback.
fn run_args(open_web: &OpenWeb, engine: &EngineServer) -> [String; 10] {
    let [_, _, connect, host, rate, calls] = open_web.args();
    [
        "--engine".into(),
        format!("searxng:{}", engine.address),
        connect,
        host,
        rate,
        calls,
        "--docs".into(),
        "2".into(),
        "--batch".into(),
        "2".into(),
    ]
}

#[test]
fn a_temporarily_unavailable_engine_is_waited_for_without_using_a_step() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let suspended =
        r#"{"results":[],"unresponsive_engines":[["brave","Suspended: too many requests"]]}"#;
    let urls = two_demo_urls();
    let engine = EngineServer::start(move |_, previous| match previous {
        0 => EngineResponse::ok(suspended),
        1 => EngineResponse::status("503 Service Unavailable", "").with_header("Retry-After", "3"),
        2 => EngineResponse::status("502 Bad Gateway", ""),
        _ => EngineResponse::ok(format!(
            r#"{{"results":[{{"url":"{}"}},{{"url":"{}"}}]}}"#,
            urls[0], urls[1]
        )),
    });
    let out = dir.path().join("run");
    let args = run_args(&open_web, &engine);
    let stderr = run_pipeline(new_run_command(&out, &args.each_ref().map(String::as_str)))
        .expect_exit(0)
        .stderr;
    assert_eq!(
        stderr.matches("waiting at most 3600 s").count(),
        1,
        "{stderr}"
    );
    let journal = read_journal(&out);
    assert_eq!(
        (
            retrieved_documents(&journal).len(),
            journal
                .iter()
                .filter(|record| !record["error"].is_null())
                .count()
        ),
        (2, 0)
    );
}

/// Returns the URLs of two pages of the web on loopback.
fn two_demo_urls() -> [String; 2] {
    let pages = forage_tests::closed_web::run_demo_web(&[]);
    let mut urls = pages.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap()["url"]
            .as_str()
            .unwrap()
            .into()
    });
    [urls.next().unwrap(), urls.next().unwrap()]
}

#[test]
fn a_run_ends_if_the_engine_requests_a_long_wait_and_a_resumed_run_respects_it() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let engine = EngineServer::start(|_, _| {
        EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "7200")
    });
    let out = dir.path().join("run");
    let args = run_args(&open_web, &engine);
    let stderr = run_pipeline(new_run_command(&out, &args.each_ref().map(String::as_str)))
        .expect_exit(2)
        .stderr;
    assert!(
        stderr.contains("it asks to wait 7200 s")
            && stderr.contains("continue later with --resume"),
        "{stderr}"
    );
    let stderr = run_pipeline(resume_command(&out, &["--quiet"]))
        .expect_exit(2)
        .stderr;
    // Reported once, as the reason that the run ends.
    assert_eq!(stderr.matches("it asks to wait").count(), 1, "{stderr}");
    assert!(stderr.contains("continue later with --resume"), "{stderr}");
    assert_eq!(engine.requests().len(), 1);
}

#[test]
fn the_last_message_has_the_cause_of_an_engine_that_is_down() {
    let dir = temp_folder();
    let down = EngineServer::start(|_, _| EngineResponse::ok("<html>not JSON"));
    let spec = format!("searxng:{}", down.address);
    let args = [
        "--engine",
        &spec,
        "--contact",
        "me@example.org",
        "--patience",
        "0",
        "--quiet",
    ];
    let stderr = run_pipeline(new_run_command(&dir.path().join("run"), &args))
        .expect_exit(2)
        .stderr;
    let last = stderr.lines().last().unwrap();
    assert!(
        last.contains("a web page instead of JSON") && last.contains("continue with --resume"),
        "{stderr}"
    );
}

#[test]
fn a_run_without_a_contact_is_refused_before_any_request_or_file() {
    let dir = temp_folder();
    let open_web = OpenWeb::start();
    let out = dir.path().join("run");
    for extra_args in [&[][..], &["--check"]] {
        let mut command = new_run_command(
            &out,
            &[&["--engine", &open_web.args()[1]], extra_args].concat(),
        );
        command.env_remove("FORAGE_CONTACT");
        let stderr = run_pipeline(command).expect_exit(2).stderr;
        assert!(
            stderr.contains("--contact MAIL is required, or FORAGE_CONTACT"),
            "{stderr}"
        );
    }
    assert!(!out.exists() && open_web.server.requests().is_empty());
    let mut command = new_run_command(&out, &["--engine", &open_web.args()[1], "--check"]);
    command.env("FORAGE_CONTACT", "me@example.org");
    run_pipeline(command).expect_exit(0);
}

#[test]
fn pages_with_respected_reservations_are_skipped_and_counted() {
    let server = EngineServer::start(|request, _| match request.target.as_str() {
        target if target.starts_with("/search?") => EngineResponse::ok(
            r#"{"results":[{"url":"http://a.test/1"},{"url":"http://a.test/noai"}]}"#,
        ),
        "/1" | "/noai" => {
            let robots = if request.target == "/noai" {
                "noai"
            } else {
                "all"
            };
            let text =
                "Lep dan je danes in sonce sije nad hribi, ptice pa pojejo v gozdu. ".repeat(5);
            EngineResponse::ok(format!(
                "<html><head><meta name=robots content={robots}></head>\
                 <body><p>{text}</p></body></html>"
            ))
            .with_header("Content-Type", "text/html")
        }
        _ => EngineResponse::status("404 Not Found", ""),
    });
    let dir = temp_folder();
    let host = server.address.strip_prefix("http://").unwrap().to_owned();
    let out = dir.path().join("run");
    let spec = format!("searxng:{}", server.address);
    let args = [
        "--engine",
        &spec,
        "--connect-to",
        &host,
        "--rate",
        "1000",
        "--batch",
        "2",
        "--queries",
        "2",
        "--respect-optout",
    ];
    let stderr = run_pipeline(new_run_command(
        &out,
        &[&args[..], &["--delay", "0", "--timeout", "29.5"]].concat(),
    ))
    .expect_exit(0)
    .stderr;
    assert!(stderr.contains("errors by kind: 1 opt-out"), "{stderr}");
    assert!(
        stderr
            .lines()
            .any(|line| line.contains("fetch-extract: ") && line.ends_with("http://a.test/noai")),
        "{stderr}"
    );
    assert_eq!(
        (
            &read_report(&out)["errors"]["opt-out"],
            retrieved_documents(&read_journal(&out)).len()
        ),
        (&Value::from(1), 1)
    );
    let stderr = run_pipeline(resume_command(&out, &["--respect-optout"]))
        .expect_exit(2)
        .stderr;
    assert!(
        stderr.contains("--respect-optout belongs to a new run"),
        "{stderr}"
    );
    run_pipeline(resume_command(
        &out,
        &["--queries", "1", "--delay", "1", "--timeout", "25"],
    ))
    .expect_exit(0);
}
