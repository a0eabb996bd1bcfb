//! The whole loop over real HTTP: a run over it must end with the same corpus as one over the
//! embedded index.

use forage_tests::closed_web::{
    new_run_command, read_journal, read_report, resume_command, retrieved_documents, run_pipeline,
};
use forage_tests::engine_server::{EngineResponse, EngineServer};
use forage_tests::open_web::OpenWeb;
use forage_tests::temp_folder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The addresses and texts of a run's corpus.
fn corpus(out: &Path) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(out.join("corpus/slv.jsonl")).unwrap();
    let part = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| (part(&record, "url"), part(&record, "text")))
        .collect()
}

#[test]
fn a_run_over_http_and_an_engine_ends_with_the_corpus_of_one_over_the_index() {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let [by_index, by_http] = ["index", "http"].map(|name| dir.path().join(name));
    run_pipeline(new_run_command(&by_index, &["--docs", "25"])).expect_exit(0);
    let args = open.args();
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(["--docs", "25"])
        .collect();
    let said = run_pipeline(new_run_command(&by_http, &args))
        .expect_exit(0)
        .stderr;
    let (expected, found) = (corpus(&by_index), corpus(&by_http));
    assert!(expected.len() >= 22);
    assert_eq!(found, expected, "{said}");
    let errors: Vec<Value> = read_journal(&by_http)
        .into_iter()
        .filter(|record| !record["error"].is_null())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_run_over_an_engine_that_cannot_exclude_says_so_once_and_loses_nothing() {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let [_, _, connect, host] = open.args();
    let out = dir.path().join("run");
    let spec = format!("description:{}/osd.xml", open.server.address);
    let how = ["--engine", &spec, &connect, &host, "--batch", "5"];
    let said = run_pipeline(new_run_command(
        &out,
        &[&how[..], &["--docs", "15"]].concat(),
    ))
    .expect_exit(0)
    .stderr;
    assert_eq!(
        said.matches("does not support exclusion").count(),
        1,
        "{said}"
    );
    let journal = read_journal(&out);
    assert_eq!(retrieved_documents(&journal).len(), 15);
    assert!(journal.iter().any(|record| {
        record["query"]["exclude"]
            .as_array()
            .is_some_and(|terms| !terms.is_empty())
    }));
    let other = dir.path().join("other");
    let refused = run_pipeline(new_run_command(
        &other,
        &[&how[..4], &["--until-coverage", "0.9"]].concat(),
    ))
    .expect_exit(2)
    .stderr;
    assert!(
        refused.contains("the engine cannot exclude terms") && !other.exists(),
        "{refused}"
    );
}

#[test]
fn a_run_whose_engine_has_no_quota_left_stops_with_its_reason_and_can_be_gone_on_with() {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let spent = EngineServer::start(|_, _| EngineResponse::status("402 Payment Required", ""));
    let [flag, engine, connect, host] = open.args();
    let out = dir.path().join("run");
    let spec = format!("searxng:{}", spent.address);
    let stopped = run_pipeline(new_run_command(
        &out,
        &["--engine", &spec, &connect, &host, "--docs", "3"],
    ))
    .expect_exit(2)
    .stderr;
    assert!(
        stopped.contains("402, the quota is used up") && stopped.contains("the engine refuses"),
        "{stopped}"
    );
    run_pipeline(resume_command(&out, &[&flag, &engine])).expect_exit(0);
    assert_eq!(retrieved_documents(&read_journal(&out)).len(), 3);
}

/// Arguments of a run that asks `engine`, and takes pages from the loopback web.
fn how(open: &OpenWeb, engine: &EngineServer) -> [String; 8] {
    let [_, _, connect, host] = open.args();
    let more = ["--docs", "2", "--batch", "2"].map(String::from);
    let [docs, two, batch, size] = more;
    [
        "--engine".into(),
        format!("searxng:{}", engine.address),
        connect,
        host,
        docs,
        two,
        batch,
        size,
    ]
}

#[test]
fn an_engine_that_is_away_for_a_while_is_waited_for_which_is_said_once_with_no_step_spent() {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let suspended =
        r#"{"results":[],"unresponsive_engines":[["brave","Suspended: too many requests"]]}"#;
    let url = demo_url();
    let engine = EngineServer::start(move |_, before| match before {
        0 => EngineResponse::ok(suspended),
        1 => EngineResponse::status("503 Service Unavailable", "").with_header("Retry-After", "3"),
        2 => EngineResponse::status("502 Bad Gateway", ""),
        _ => EngineResponse::ok(format!(
            r#"{{"results":[{{"url":"{}"}},{{"url":"{}"}}]}}"#,
            url[0], url[1]
        )),
    });
    let out = dir.path().join("run");
    let args = how(&open, &engine);
    let said = run_pipeline(new_run_command(&out, &args.each_ref().map(String::as_str)))
        .expect_exit(0)
        .stderr;
    assert_eq!(said.matches("waiting at most 3600 s").count(), 1, "{said}");
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

/// Two pages of the loopback web.
fn demo_url() -> [String; 2] {
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
fn an_engine_that_asks_to_wait_for_longer_than_the_patience_is_asked_once_and_not_again_before_its_time()
 {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let engine = EngineServer::start(|_, _| {
        EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "7200")
    });
    let out = dir.path().join("run");
    let args = how(&open, &engine);
    let said = run_pipeline(new_run_command(&out, &args.each_ref().map(String::as_str)))
        .expect_exit(2)
        .stderr;
    assert!(
        said.contains("it asks to wait 7200 s") && said.contains("continue later with --resume"),
        "{said}"
    );
    let said = run_pipeline(resume_command(&out, &["--quiet"]))
        .expect_exit(2)
        .stderr;
    let tells_of_engine = said.contains("it asks to wait");
    assert!(
        !tells_of_engine && said.contains("continue later with --resume"),
        "{said}"
    );
    assert_eq!(engine.requests().len(), 1);
}

#[test]
fn a_run_over_the_web_without_a_contact_ends_before_anything_is_made_or_asked() {
    let (dir, open) = (temp_folder(), OpenWeb::start());
    let out = dir.path().join("run");
    for more in [&[][..], &["--check"]] {
        let mut command = new_run_command(&out, &[&["--engine", &open.args()[1]], more].concat());
        command.env_remove("FORAGE_CONTACT");
        let said = run_pipeline(command).expect_exit(2).stderr;
        assert!(
            said.contains("--contact MAIL is needed, or FORAGE_CONTACT"),
            "{said}"
        );
    }
    assert!(!out.exists() && open.server.requests().is_empty());
    let mut command = new_run_command(&out, &["--engine", &open.args()[1], "--check"]);
    command.env("FORAGE_CONTACT", "me@example.org");
    run_pipeline(command).expect_exit(0);
}

#[test]
fn pages_that_opt_out_are_left_out_where_that_is_respected_and_counted() {
    let server = EngineServer::start(|asked, _| match asked.target.as_str() {
        target if target.starts_with("/search?") => EngineResponse::ok(
            r#"{"results":[{"url":"http://a.test/1"},{"url":"http://a.test/noai"}]}"#,
        ),
        "/1" | "/noai" => {
            let robots = if asked.target == "/noai" {
                "noai"
            } else {
                "all"
            };
            let text =
                "Lep dan je danes in sonce sije nad hribi, ptice pa pojejo v gozdu. ".repeat(5);
            EngineResponse::ok(format!(
                "<html><head><meta name=robots content={robots}></head><body><p>{text}</p></body></html>"
            ))
            .with_header("Content-Type", "text/html")
        }
        _ => EngineResponse::status("404 Not Found", ""),
    });
    let (dir, host) = (
        temp_folder(),
        server.address.strip_prefix("http://").unwrap().to_owned(),
    );
    let out = dir.path().join("run");
    let spec = format!("searxng:{}", server.address);
    let args = [
        "--engine",
        &spec,
        "--connect-to",
        &host,
        "--batch",
        "2",
        "--queries",
        "1",
        "--respect-optout",
    ];
    let said = run_pipeline(new_run_command(
        &out,
        &[&args[..], &["--delay", "0", "--timeout", "29.5"]].concat(),
    ))
    .expect_exit(0)
    .stderr;
    assert!(said.contains("errors by kind: 1 opt-out"), "{said}");
    assert!(
        said.lines()
            .any(|line| line.contains("fetch-extract: ") && line.ends_with("http://a.test/noai")),
        "{said}"
    );
    assert_eq!(
        (
            &read_report(&out)["errors"]["opt-out"],
            retrieved_documents(&read_journal(&out)).len()
        ),
        (&Value::from(1), 1)
    );
    let refused = run_pipeline(resume_command(&out, &["--respect-optout"]))
        .expect_exit(2)
        .stderr;
    assert!(
        refused.contains("--respect-optout belongs to a new run"),
        "{refused}"
    );
    run_pipeline(resume_command(
        &out,
        &["--queries", "1", "--delay", "1", "--timeout", "25"],
    ))
    .expect_exit(0);
}
