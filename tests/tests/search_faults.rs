//! `search` with engines that fail, throttle, send invalid responses or have no quota left. Each
//! failure has its kind, no key is shown, and budgets are respected.

use forage_tests::engine_server::{EngineRequest, EngineResponse, EngineServer};
use forage_tests::{ToolOutput, run_command, temp_folder, tool_path};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Instant;

/// All engines: the name, the path after the address of the server, a response without hits, and an
/// invalid response.
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

const DESCRIPTION: &str = r#"<OpenSearchDescription>
    <Url type="application/rss+xml" template="/?q={searchTerms}"/>
    </OpenSearchDescription>"#;

/// Runs `search` with the key `s3cret` in all variables that engines read.
fn run_search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    let mut command = Command::new(tool_path("search"));
    command.args(["--engine", spec]).args(args);
    if !args.contains(&"--rate") {
        command.args(["--rate", "1000"]);
    }
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

fn to_queries(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("{}\n", json!({"query": {"include": [word]}})))
        .collect()
}

/// Returns the response that a word of the query selects.
fn respond_by_word(
    request: &EngineRequest,
    (empty, malformed): (&'static str, &'static str),
) -> EngineResponse {
    let contains = |word: &str| request.target.contains(word) || request.body.contains(word);
    let html = "<!DOCTYPE html><html><body>Just a moment...</body></html>";
    match () {
        () if request.target == "/osd" => EngineResponse::ok(DESCRIPTION),
        () if contains("broken") => {
            EngineResponse::status("500 Internal Server Error", "s3cret is what you sent")
        }
        () if contains("gateway") => EngineResponse::status("502 Bad Gateway", html),
        () if contains("website") => EngineResponse::ok(html),
        () if contains("truncated") => EngineResponse::ok(&empty[..empty.len() - 1]),
        () if contains("nothing") => EngineResponse::ok(""),
        () if contains("malformed") => EngineResponse::ok(malformed),
        () if contains("throttled") => {
            EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "7")
        }
        () if contains("often") => EngineResponse::status("429 Too Many Requests", ""),
        () if contains("unknown") => {
            EngineResponse::status("400 Bad Request", r#"{"message":"no s3cret"}"#)
        }
        () if contains("denied") => EngineResponse::status("401 Unauthorized", ""),
        () if contains("unpaid") => EngineResponse::status("402 Payment Required", ""),
        () if contains("elsewhere") => {
            EngineResponse::status("302 Found", "").with_header("Location", "http://127.0.0.1:9/")
        }
        () => EngineResponse::ok(empty),
    }
}

/// The engine answers the first query, so that a web page in place of an answer is an outage.
const FAULTS: [(&str, &str, &str); 13] = [
    ("fine", "", ""),
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
];

#[test]
fn each_failure_of_each_engine_has_its_kind_and_shows_no_key() {
    let hits = temp_folder();
    for (kind, path, empty, malformed) in ENGINES {
        let server =
            EngineServer::start(move |request, _| respond_by_word(request, (empty, malformed)));
        let spec = format!("{kind}:{}{path}", server.address);
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
        let output =
            run_search(&spec, &args, &to_queries(&FAULTS.map(|(word, ..)| word))).expect_exit(0);
        let records = output.records();
        assert_eq!(records.len(), FAULTS.len(), "{kind}");
        for (record, (word, expected, message)) in records.iter().zip(FAULTS) {
            let actual_message = record["error"]["message"].as_str().unwrap_or_default();
            let is_right = record["error"]["kind"].as_str().unwrap_or_default() == expected
                && actual_message.contains(message);
            assert!(is_right, "{kind}, {word}: {record}");
        }
        assert_eq!(records[0]["hit"]["outcome"], "empty", "{kind}");
        let hits_file = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for text in [&output.stdout, &output.stderr, &hits_file] {
            // GDELT has no key, so this is the response of the server.
            assert!(
                kind == "gdelt" || !text.contains("s3cret"),
                "{kind}: {text}"
            );
        }
    }
}

#[test]
fn a_fault_in_the_json_of_an_engine_costs_at_most_one_result() {
    let both = r#"{"articles": [{"url": "http://a.test/1", "title": "A"},
        {"url": "http://a.test/2", "title": "B"}]}"#;
    for (from, to, urls) in [
        ("A\"", "A \\d \\'b\\' \\x41 \\ud83d\"", "12"),
        ("A\"", "A\nb\t\u{1}\"", "12"),
        ("]}", ",],}", "12"),
        ("{\"art", "\u{feff}// \ncallback({\"art", "12"),
        ("]}", "]}\n<!-- 1 s -->", "12"),
        ("\"A\"", "\"A", "2"),
        ("\"A\"", "\"\"A\"\"", "2"),
        ("\"B\"}]}", "\"B", "1"),
    ] {
        assert!(both.contains(from), "{from}");
        let body = both.replacen(from, to, 1);
        let server = EngineServer::start(move |_, _| EngineResponse::ok(body.as_str()));
        let spec = format!("gdelt:{}", server.address);
        let output = run_search(&spec, &["--top", "9"], &to_queries(&["potok"])).expect_exit(0);
        let read: String = output
            .records()
            .iter()
            .filter_map(|record| {
                record["url"]
                    .as_str()?
                    .strip_prefix("http://a.test/")
                    .map(str::to_owned)
            })
            .collect();
        assert_eq!(read, urls, "{to}: {}", output.stdout);
    }
}

#[test]
fn an_exhausted_quota_is_reported_as_refused() {
    let brave =
        r#"{"type":"ErrorResponse","error":{"code":"QUOTA_LIMITED","detail":"x","status":429}}"#;
    let cases = [
        (
            "brave",
            EngineResponse::status("429 Too Many Requests", brave),
            "quota is exhausted",
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
    for (kind, response, message) in cases {
        let server = EngineServer::start(move |_, _| response.clone());
        let record = run_search(
            &format!("{kind}:{}", server.address),
            &[],
            &to_queries(&["dan"]),
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
fn a_throttled_call_is_retried_after_the_requested_time() {
    let server = EngineServer::start(|_, previous| match previous {
        0 => EngineResponse::status("429 Too Many Requests", "").with_header("Retry-After", "1"),
        1 => EngineResponse::status("429 Too Many Requests", ""),
        _ => EngineResponse::ok(r#"{"results":[{"url":"http://a.test/"}]}"#),
    });
    let start = Instant::now();
    let output = run_search(
        &format!("searxng:{}", server.address),
        &[],
        &to_queries(&["dan"]),
    )
    .expect_exit(0);
    let record = &output.records()[0];
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
        output.stderr.matches("retrying in 1 s").count(),
        1,
        "{}",
        output.stderr
    );
}

#[test]
fn the_rate_of_calls_is_limited_across_processes_and_engines_on_one_server() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"results":[]}"#));
    let dir = temp_folder();
    let file = dir.path().join("hits.db");
    let args = ["--rate", "4", "--hits", file.to_str().unwrap()];
    let start = Instant::now();
    for (options, words) in [("", &["a1", "b1"]), ("?language=sl", &["c1", "d1"])] {
        let spec = format!("searxng:{}/{options}", server.address);
        run_search(&spec, &args, &to_queries(words)).expect_exit(0);
    }
    assert_eq!(server.requests().len(), 4);
    assert!(start.elapsed().as_millis() >= 750, "{:?}", start.elapsed());
}

#[test]
fn max_queries_limits_the_number_of_sent_queries() {
    let server = EngineServer::start(|_, _| EngineResponse::ok(r#"{"results":[]}"#));
    let spec = format!("searxng:{}", server.address);
    let records = run_search(
        &spec,
        &["--max-queries", "2"],
        &to_queries(&["a1", "b1", "a1", "c1"]),
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
fn an_engine_without_its_key_is_not_called() {
    let mut command = Command::new(tool_path("search"));
    command
        .args(["--engine", "brave:http://127.0.0.1:9"])
        .env_remove("BRAVE_API_KEY");
    let output = run_command(command, to_queries(&["dan"])).expect_exit(2);
    assert!(
        output
            .stderr
            .contains("needs an API key in the environment variable BRAVE_API_KEY"),
        "{}",
        output.stderr
    );
    let output = run_search("brave:http://user:s3cret@127.0.0.1:9", &[], "").expect_exit(2);
    assert!(
        output.stderr.contains("must not have a password") && !output.stderr.contains("s3cret"),
        "{}",
        output.stderr
    );
}

/// Starts an engine with four pages. If `excludes` is false, it ignores excluded terms.
fn canary_server(excludes: bool) -> EngineServer {
    EngineServer::start(move |request, _| {
        let texts = [
            "internet beta",
            "internet beta",
            "internet",
            "internet delta",
        ];
        let is_hit =
            |text: &&str| !(excludes && request.target.contains("-beta") && text.contains("beta"));
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
fn a_canary_sets_the_exit_code_if_exclusion_fails() {
    let run_canary = |server: &EngineServer, args: &[&str], code| {
        run_search(&format!("searxng:{}", server.address), args, "").expect_exit(code)
    };
    let works = canary_server(true);
    let fails = canary_server(false);
    let stdout = run_canary(&works, &["--engines", "canary"], 0).stdout;
    let message = "2 of 4 hits for `internet` contain `beta`; 0 of 2 for `internet -beta`\n";
    assert_eq!(
        stdout,
        format!("works\tsearxng:{}\t{message}", works.address)
    );
    assert!(
        run_canary(&fails, &["--engines", "canary=internet,beta"], 1)
            .stdout
            .starts_with("fails: ignores\t")
    );
    let stderr = run_canary(&works, &["--engines", "canary=internet,gamma"], 2).stderr;
    assert!(
        stderr.contains("could not be tested: 0 of 4 hits for `internet` contain `gamma`"),
        "{stderr}"
    );
    let stdout = run_search("searxng:http://127.0.0.1:9", &["--engines", "canary"], "")
        .expect_exit(0)
        .stdout;
    assert!(
        stdout.starts_with("fails: error\t") && stdout.contains("\tno connection"),
        "{stdout}"
    );
}

#[test]
fn a_key_that_the_engine_repeats_is_never_shown() {
    // me:open-sesame
    let token = "bWU6b3Blbi1zZXNhbWU=";
    let server = EngineServer::start(|request, _| {
        let sent = request.header("authorization").unwrap_or_default();
        let token = sent.split(' ').nth(1).unwrap_or_default();
        match request.target.contains("denied") {
            true => EngineResponse::status(
                "401 Unauthorized",
                format!("{}{token} of me:open-sesame", "x".repeat(395)),
            ),
            false => {
                let url = format!("http://a.test/?k={token}");
                let result = json!({"url": url, "title": token, "content": "open-sesame"});
                EngineResponse::ok(json!({"results": [result]}).to_string())
            }
        }
    });
    let mut command = Command::new(tool_path("search"));
    let spec = format!("searxng:{}", server.address);
    command.args(["-v", "--rate", "1000", "--engine", &spec]);
    command.env("SEARXNG_AUTHORIZATION", format!("Basic {token}"));
    let output = run_command(command, to_queries(&["dan", "denied"])).expect_exit(0);
    assert!(server.requests().iter().all(|request| {
        request
            .header("authorization")
            .is_some_and(|sent| sent.ends_with(token))
    }));
    assert_eq!(output.records()[0]["hit"]["title"], "***");
    for secret in [token, "bWU6", "sesame"] {
        assert!(
            !output.stdout.contains(secret) && !output.stderr.contains(secret),
            "{output:?}"
        );
    }
}

#[test]
fn an_engine_on_this_machine_is_called_without_a_proxy() {
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
        let records = run_command(command, to_queries(&["dan"]))
            .expect_exit(0)
            .records();
        assert_eq!(
            records[0]["error"].is_null(),
            spec != "http://e.test",
            "{records:?}"
        );
    }
    let requests = proxy.requests();
    assert_eq!((requests.len(), engine.requests().len()), (1, 2));
    assert!(
        requests[0].target.starts_with("http://e.test/search?"),
        "{requests:?}"
    );
}

#[test]
fn unanswered_queries_and_partial_results_are_reported_once() {
    let hits = concat!(
        r#"{"_shards":{"total":5,"failed":1},"#,
        r#""hits":{"total":{"value":1},"hits":[{"_source":{"url":"http://a.test/"}}]}}"#
    );
    let server = EngineServer::start(move |request, _| match request.body.contains("broken") {
        true => EngineResponse::status("500 Internal Server Error", ""),
        false => EngineResponse::ok(hits),
    });
    let spec = format!("opensearch:{}/web", server.address);
    let words = to_queries(&["dan", "broken1", "broken2", "lep"]);
    let stderr = run_search(&spec, &[], &words).expect_exit(0).stderr;
    assert_eq!(stderr.lines().count(), 3, "{stderr}");
    assert!(
        stderr.contains("2 of 4 records without a result")
            && stderr.contains("1 of 5 shards")
            && stderr.contains("OpenSearch returned status 500; such queries get"),
        "{stderr}"
    );
    assert_eq!(
        run_search(&spec, &["--quiet"], &words)
            .expect_exit(0)
            .stderr,
        ""
    );
}
