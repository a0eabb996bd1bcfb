//! What `search` makes of engines on the web that fail, throttle, lie or are spent: each failure
//! has its kind, no key is seen by anybody, and budgets hold.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_command, temp_folder, tool_path};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Instant;

/// Each engine: its name, the place behind the server's address, an answer without hits, and one
/// whose shape is wrong.
const ENGINES: [(&str, &str, &str, &str); 11] = [
    ("searxng", "", r#"{"results":[]}"#, r#"{"results":"none"}"#),
    (
        "mediawiki",
        "",
        r#"{"query":{"search":[]}}"#,
        r#"{"query":{"search":7}}"#,
    ),
    (
        "brave",
        "",
        r#"{"type":"search","query":{}}"#,
        r#"{"type":"search","web":{"results":{}}}"#,
    ),
    (
        "mojeek",
        "",
        r#"{"response":{"status":"OK","results":[]}}"#,
        r#"{"response":{"status":200}}"#,
    ),
    (
        "marginalia",
        "",
        r#"{"results":[]}"#,
        r#"{"results":[{"uri":"http://a.test/"}]}"#,
    ),
    (
        "opensearch",
        "/web",
        r#"{"hits":{"total":{"value":0},"hits":[]}}"#,
        r#"{"hits":{"hits":[{"_source":7}]}}"#,
    ),
    (
        "quickwit",
        "/web",
        r#"{"num_hits":0,"hits":[]}"#,
        r#"{"num_hits":"0","hits":[]}"#,
    ),
    (
        "solr",
        "/solr/web",
        r#"{"response":{"numFound":0,"docs":[]}}"#,
        r#"{"response":[]}"#,
    ),
    (
        "yacy",
        "",
        r#"{"channels":[{"items":[]}]}"#,
        r#"{"channels":[{"items":[{"link":7}]}]}"#,
    ),
    ("gdelt", "", "{}", r#"{"articles":7}"#),
    (
        "description",
        "/osd",
        "<rss><channel/></rss>",
        "<rss><channel><item><title>x</title></item></channel></rss>",
    ),
];

const DESCRIPTION: &str = r#"<OpenSearchDescription><Url type="application/rss+xml" template="/?q={searchTerms}"/>
    </OpenSearchDescription>"#;

/// Runs `search` with the key `s3cret` in all variables that engines look at.
fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    let mut command = Command::new(tool_path("search"));
    command.args(["--engine", spec]).args(args);
    let named = ["BRAVE_API_KEY", "MOJEEK_API_KEY", "MARGINALIA_API_KEY"].map(String::from);
    let others = ENGINES.map(|(kind, ..)| format!("{}_AUTHORIZATION", kind.to_uppercase()));
    command.envs(
        named
            .into_iter()
            .chain(others)
            .map(|variable| (variable, "s3cret")),
    );
    run_command(command, queries)
}

fn queries(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("{}\n", json!({"query": {"include": [word]}})))
        .collect()
}

/// The answer that the word of a query asks for.
fn on_demand(
    asked: &EngineRequest,
    (empty, malformed): (&'static str, &'static str),
) -> EngineResponse {
    let is_asked = |word: &str| asked.target.contains(word) || asked.body.contains(word);
    let html = "<!DOCTYPE html><html><body>Just a moment...</body></html>";
    match () {
        () if asked.target == "/osd" => EngineResponse::ok(DESCRIPTION),
        () if is_asked("broken") => {
            EngineResponse::status("500 Internal Server Error", "s3cret is what you sent")
        }
        () if is_asked("gateway") => EngineResponse::status("502 Bad Gateway", html),
        () if is_asked("website") => EngineResponse::ok(html),
        () if is_asked("truncated") => EngineResponse::ok(&empty[..empty.len() - 1]),
        () if is_asked("nothing") => EngineResponse::ok(""),
        () if is_asked("malformed") => EngineResponse::ok(malformed),
        () if is_asked("throttled") => {
            EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "7")
        }
        () if is_asked("often") => EngineResponse::status("429 Too Many Requests", ""),
        () if is_asked("unknown") => {
            EngineResponse::status("400 Bad Request", r#"{"message":"no s3cret"}"#)
        }
        () if is_asked("denied") => EngineResponse::status("401 Unauthorized", ""),
        () if is_asked("unpaid") => EngineResponse::status("402 Payment Required", ""),
        () if is_asked("elsewhere") => {
            EngineResponse::status("302 Found", "").with_header("Location", "http://127.0.0.1:9/")
        }
        () => EngineResponse::ok(empty),
    }
}

const FAULTS: [(&str, &str, &str); 13] = [
    ("broken", "engine-down", "500"),
    ("gateway", "engine-down", "502"),
    ("website", "engine-down", ""),
    ("truncated", "engine-down", ""),
    ("nothing", "engine-down", ""),
    ("malformed", "engine-down", ""),
    ("throttled", "throttled", "wait 7 s"),
    ("often", "throttled", "429"),
    ("unknown", "refused", "400: no "),
    ("denied", "refused", "401, access denied"),
    ("unpaid", "refused", "402, the quota"),
    ("elsewhere", "refused", "302, a redirect"),
    ("fine", "", ""),
];

#[test]
fn each_failure_of_each_engine_has_its_kind_and_shows_no_key() {
    let hits = temp_folder();
    for (kind, place, empty, malformed) in ENGINES {
        let server = EngineServer::start(move |asked, _| on_demand(asked, (empty, malformed)));
        let spec = format!("{kind}:{}{place}", server.address);
        let file = hits.path().join(kind);
        let args = [
            "--rate",
            "1000",
            "--patience",
            "0",
            "--hits",
            file.to_str().unwrap(),
            "-v",
        ];
        let done = search(&spec, &args, &queries(&FAULTS.map(|(word, ..)| word))).expect_exit(0);
        let records = done.records();
        assert_eq!(records.len(), FAULTS.len(), "{kind}");
        for (record, (word, expected, message)) in records.iter().zip(FAULTS) {
            let said = record["error"]["message"].as_str().unwrap_or_default();
            let is_right = record["error"]["kind"].as_str().unwrap_or_default() == expected
                && said.contains(message);
            assert!(is_right, "{kind}, {word}: {record}");
        }
        assert_eq!(records[12]["hit"]["outcome"], "empty", "{kind}");
        let kept = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for text in [&done.stdout, &done.stderr, &kept] {
            // GDELT takes no key: what the server says is its own word.
            assert!(
                kind == "gdelt" || !text.contains("s3cret"),
                "{kind}: {text}"
            );
        }
    }
}

#[test]
fn a_quota_that_is_used_up_is_refused_and_told() {
    let brave =
        r#"{"type":"ErrorResponse","error":{"code":"QUOTA_LIMITED","detail":"x","status":429}}"#;
    let cases = [
        (
            "brave",
            EngineResponse::status("429 Too Many Requests", brave),
            "quota is used up",
        ),
        (
            "mojeek",
            EngineResponse::ok(r#"{"response":{"status":"ERROR: Daily Limit Reached"}}"#),
            "Daily Limit Reached",
        ),
        (
            "gdelt",
            EngineResponse::ok("Your query was too short or too long."),
            "too short or too long",
        ),
    ];
    for (kind, answer, message) in cases {
        let server = EngineServer::start(move |_, _| answer.clone());
        let record = search(
            &format!("{kind}:{}", server.address),
            &[],
            &queries(&["dan"]),
        )
        .expect_exit(0)
        .records()
        .remove(0);
        assert_eq!(
            (&record["error"]["kind"], &record["hit"]["outcome"]),
            (&json!("refused"), &Value::Null),
            "{record}"
        );
        assert!(
            record["error"]["message"]
                .as_str()
                .unwrap()
                .contains(message),
            "{record}"
        );
    }
}

#[test]
fn an_engine_that_throttles_is_asked_again_when_it_says() {
    let server = EngineServer::start(|_, before| match before {
        0 => EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "1"),
        1 => EngineResponse::status("429 Too Many Requests", ""),
        _ => EngineResponse::ok(r#"{"results":[{"url":"http://a.test/"}]}"#),
    });
    let start = Instant::now();
    let done = search(
        &format!("searxng:{}", server.address),
        &[],
        &queries(&["dan"]),
    )
    .expect_exit(0);
    let record = &done.records()[0];
    assert_eq!(
        (&record["url"], &record["hit"]["calls"]),
        (&json!("http://a.test/"), &json!(1))
    );
    assert!(
        start.elapsed().as_secs_f32() >= 3.0,
        "{:?}",
        start.elapsed()
    );
    assert_eq!(
        done.stderr.matches("retrying in 1 s").count(),
        1,
        "{}",
        done.stderr
    );
}

#[test]
fn calls_keep_their_distance_over_processes() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"results":[]}"#));
    let dir = temp_folder();
    let file = dir.path().join("hits.db");
    let args = ["--rate", "4", "--hits", file.to_str().unwrap()];
    let start = Instant::now();
    for words in [&["a1", "b1"], &["c1", "d1"]] {
        search(
            &format!("searxng:{}", server.address),
            &args,
            &queries(words),
        )
        .expect_exit(0);
    }
    assert_eq!(server.requests().len(), 4);
    assert!(start.elapsed().as_millis() >= 750, "{:?}", start.elapsed());
}

#[test]
fn only_so_many_queries_are_sent() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"results":[]}"#));
    let spec = format!("searxng:{}", server.address);
    let records = search(
        &spec,
        &["--max-queries", "2"],
        &queries(&["a1", "b1", "a1", "c1"]),
    )
    .expect_exit(0)
    .records();
    let kinds: Vec<&str> = records
        .iter()
        .map(|record| record["error"]["kind"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(
        (kinds.join(" "), server.requests().len()),
        ("- - - budget".into(), 2)
    );
}

#[test]
fn an_engine_without_its_key_is_not_asked() {
    let mut command = Command::new(tool_path("search"));
    command
        .args(["--engine", "brave:http://127.0.0.1:9"])
        .env_remove("BRAVE_API_KEY");
    let done = run_command(command, queries(&["dan"])).expect_exit(2);
    assert!(
        done.stderr
            .contains("needs an API key in the environment variable BRAVE_API_KEY"),
        "{}",
        done.stderr
    );
    let done = search("brave:http://user:s3cret@127.0.0.1:9", &[], "").expect_exit(2);
    assert!(
        done.stderr.contains("must not have a password") && !done.stderr.contains("s3cret"),
        "{}",
        done.stderr
    );
}

/// An engine of four pages, which leaves out what has a minus sign, or doesn't.
fn canary(excludes: bool) -> EngineServer {
    EngineServer::start(move |asked, _| {
        let texts = [
            "internet beta",
            "internet beta",
            "internet",
            "internet delta",
        ];
        let is_hit =
            |text: &&str| !(excludes && asked.target.contains("-beta") && text.contains("beta"));
        let results: Vec<Value> = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| is_hit(text))
            .map(|(n, text)| json!({"url": format!("http://{n}.test/"), "content": text}))
            .collect();
        EngineResponse::ok(json!({"results": results}).to_string())
    })
}

#[test]
fn a_canary_tells_by_its_exit_code_whether_exclusion_works() {
    let ask = |server: &EngineServer, args: &[&str], code| {
        search(&format!("searxng:{}", server.address), args, "").expect_exit(code)
    };
    let (works, fails) = (canary(true), canary(false));
    let told = ask(&works, &["--canary"], 0).stdout;
    let why = "2 of 4 hits for `internet` contain `beta`; 0 of 2 for `internet -beta`\n";
    assert_eq!(told, format!("works\tsearxng:{}\t{why}", works.address));
    assert!(
        ask(&fails, &["--canary", "internet,beta"], 1)
            .stdout
            .starts_with("fails\t")
    );
    let unknown = ask(&works, &["--canary", "internet,gamma"], 2).stderr;
    assert!(
        unknown.contains("could not be tested: no hit for `internet` contains `gamma`"),
        "{unknown}"
    );
    let down = search("searxng:http://127.0.0.1:9", &["--canary"], "")
        .expect_exit(2)
        .stderr;
    assert!(
        down.contains("could not be tested: no connection"),
        "{down}"
    );
}

#[test]
fn no_part_of_a_header_that_the_engine_repeats_is_seen_by_anybody() {
    // me:open-sesame
    let token = "bWU6b3Blbi1zZXNhbWU=";
    let server = EngineServer::start(|asked, _| {
        let sent = asked.header("authorization").unwrap_or_default();
        let token = sent.split(' ').nth(1).unwrap_or_default();
        match asked.target.contains("denied") {
            true => EngineResponse::status("401 Unauthorized", format!("{}{token} of me:open-sesame", "x".repeat(395))),
            false => EngineResponse::ok(
                json!({"results": [
                {"url": format!("http://a.test/?k={token}"), "title": token, "content": "open-sesame"}]})
                .to_string(),
            ),
        }
    });
    let mut command = Command::new(tool_path("search"));
    command.args(["-v", "--engine", &format!("searxng:{}", server.address)]);
    command.env("SEARXNG_AUTHORIZATION", format!("Basic {token}"));
    let done = run_command(command, queries(&["dan", "denied"])).expect_exit(0);
    assert!(server.requests().iter().all(|asked| {
        asked
            .header("authorization")
            .is_some_and(|sent| sent.ends_with(token))
    }));
    assert_eq!(done.records()[0]["hit"]["title"], "***");
    for secret in [token, "bWU6", "sesame"] {
        assert!(
            !done.stdout.contains(secret) && !done.stderr.contains(secret),
            "{done:?}"
        );
    }
}

#[test]
fn an_engine_on_this_machine_is_not_asked_by_a_proxy() {
    let proxy = EngineServer::start(|_, _| EngineResponse::status("502 Bad Gateway", ""));
    let engine =
        EngineServer::start(|_, _| EngineResponse::ok(r#"{"results":[{"url":"http://a.test/"}]}"#));
    for spec in [
        engine.address.clone(),
        engine.address.replace("127.0.0.1", "localhost"),
        "http://e.test".into(),
    ] {
        let mut command = Command::new(tool_path("search"));
        command
            .args(["--engine", &format!("searxng:{spec}")])
            .env("http_proxy", &proxy.address);
        command
            .env("SEARXNG_AUTHORIZATION", "Bearer s3cret")
            .env_remove("NO_PROXY")
            .env_remove("no_proxy");
        let records = run_command(command, queries(&["dan"]))
            .expect_exit(0)
            .records();
        assert_eq!(
            records[0]["error"].is_null(),
            spec != "http://e.test",
            "{records:?}"
        );
    }
    let asked = proxy.requests();
    assert_eq!((asked.len(), engine.requests().len()), (1, 2));
    assert!(
        asked[0].target.starts_with("http://e.test/search?"),
        "{asked:?}"
    );
}

#[test]
fn what_is_not_answered_or_not_whole_is_said_once() {
    let hits = r#"{"_shards":{"total":5,"failed":1},"hits":{"total":{"value":1},"hits":[{"_source":{"url":"http://a.test/"}}]}}"#;
    let server = EngineServer::start(move |asked, _| match asked.body.contains("broken") {
        true => EngineResponse::status("500 Internal Server Error", ""),
        false => EngineResponse::ok(hits),
    });
    let spec = format!("opensearch:{}/web", server.address);
    let words = queries(&["dan", "broken1", "broken2", "lep"]);
    let said = search(&spec, &[], &words).expect_exit(0).stderr;
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(
        said.contains("1 of 5 shards")
            && said.contains("OpenSearch returned status 500; such queries get"),
        "{said}"
    );
    assert_eq!(
        search(&spec, &["--quiet"], &words).expect_exit(0).stderr,
        ""
    );
}
