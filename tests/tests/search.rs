//! `search` on a small index: hits, their order, their cost in calls, and repetition after a kill.
//! SearXNG is in `search_searxng.rs`.

use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const DOCUMENTS: [(&str, &str); 6] = [
    ("http://a.test/", "Danes je lep dan."),
    ("http://b.test/", "Danes je dež, jutri bo lep dan."),
    ("http://c.test/", "Dobar dan, danas je lepo."),
    ("http://d.test/", "The day is nice."),
    ("http://f.test/", "Enak dan."),
    ("http://e.test/", "Enak dan."),
];

/// Creates an index of the documents. Returns its folder and engine specification.
fn create_index() -> (tempfile::TempDir, String) {
    let dir = temp_folder();
    let spec = format!("index:{}", dir.path().join("index").display());
    add_records(
        &spec,
        &DOCUMENTS.map(
            |(url, text)| json!({"url": url, "title": format!("T {url}"), "text": text, "x": 1}),
        ),
    );
    (dir, spec)
}

fn add_records(spec: &str, records: &[Value]) -> ToolOutput {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    run_tool("search", ["--engine", spec, "--add"], lines).expect_exit(0)
}

fn query_record(step: u64, include: &[&str], exclude: &[&str]) -> String {
    format!(
        "{}\n",
        json!({
            "step": {"number": step, "target": "slv"},
            "query": {"id": "q", "include": include, "exclude": exclude},
        })
    )
}

fn run_search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    run_tool("search", [&["--engine", spec], args].concat(), queries).expect_exit(0)
}

/// Returns the URL, kind of error or outcome of each record, with its calls.
fn summarize(output: &ToolOutput) -> Vec<(String, u64)> {
    let summary = |record: &Value| {
        let values = [
            &record["url"],
            &record["error"]["kind"],
            &record["hit"]["outcome"],
        ];
        let values = values
            .into_iter()
            .find_map(Value::as_str)
            .unwrap_or("nothing");
        (
            values.to_owned(),
            record["hit"]["calls"].as_u64().unwrap_or(99),
        )
    };
    output.records().iter().map(summary).collect()
}

fn assert_summaries(spec: &str, args: &[&str], queries: &str, expected: &[(&str, u64)]) {
    let summaries = summarize(&run_search(spec, args, queries));
    let summaries: Vec<(&str, u64)> = summaries
        .iter()
        .map(|(value, calls)| (value.as_str(), *calls))
        .collect();
    assert_eq!(summaries, expected, "{args:?} {queries}");
}

#[test]
fn a_hit_of_the_index_has_the_query_and_the_document() {
    let (_dir, spec) = create_index();
    let line = concat!(
        r#"{"n":1e5,"step":{"number":3,"target":"slv","last":true},"#,
        r#""query":{"id":"q","include":["dež"],"exclude":["the"]},"z":"\u00e9"}"#
    );
    let output = run_search(&spec, &[], line);
    assert!(
        output.stdout.starts_with(&line[..line.len() - 1]),
        "{}",
        output.stdout
    );
    assert_eq!(
        output.records()[0],
        json!({
            "n": 1e5,
            "step": {"number": 3, "target": "slv", "last": true},
            "query": {"id": "q", "include": ["dež"], "exclude": ["the"]},
            "z": "é",
            // BLAKE3 of URL, NUL and text, computed with `b3sum`.
            "id": "e77759cefc1a19715476426adf4b75f2ef9ed84760cc55fc762b48f44d1ee3f6",
            "url": "http://b.test/",
            "title": "T http://b.test/",
            "text": "Danes je dež, jutri bo lep dan.",
            "hit": {
                "engine": spec,
                "rank": 1,
                "title": "T http://b.test/",
                "snippet": "Danes je dež, jutri bo lep dan.",
                "calls": 1,
                "outcome": "hit",
            },
        })
    );
}

#[test]
fn hits_contain_inclusion_terms_and_no_exclusion_terms() {
    let (_dir, spec) = create_index();
    assert_summaries(
        &spec,
        &["--top", "9"],
        &query_record(1, &["danes", "dan"], &["jutri"]),
        &[("http://a.test/", 1)],
    );
    assert_summaries(
        &spec,
        &["--top", "9"],
        &query_record(1, &["danes", "day"], &[]),
        &[("empty", 1)],
    );
    assert_summaries(
        &spec,
        &["--top", "2"],
        &query_record(1, &[], &["dan"]),
        &[("http://d.test/", 1)],
    );
    assert_summaries(&spec, &[], &query_record(1, &[], &[]), &[("refused", 0)]);
}

#[test]
fn more_like_this_queries_name_a_page_by_its_url() {
    let (dir, spec) = create_index();
    let like = |url: &str| {
        format!(
            "{}\n",
            json!({"step": {"number": 1, "target": "slv"}, "query": {"like": url}})
        )
    };
    assert_summaries(
        &spec,
        &["--top", "2"],
        &like("http://a.test/"),
        &[("http://b.test/", 1), ("http://c.test/", 0)],
    );
    let output = run_search(&spec, &[], &like("http://none.test/"));
    assert_eq!(summarize(&output), [("refused".to_owned(), 0)]);
    let message = output.records()[0]["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.starts_with("http://none.test/: is not in index:"),
        "{message}"
    );
    let hits = dir.path().join("hits.db");
    let args = [
        "--hits",
        hits.to_str().unwrap(),
        "--next",
        "--page-size",
        "9",
    ];
    let two = like("http://e.test/").repeat(2);
    assert_eq!(
        summarize(&run_search(&spec, &args, &two))[0],
        ("http://f.test/".to_owned(), 1)
    );
    let other = run_search("searxng:http://127.0.0.1:1", &[], &like("http://a.test/"));
    assert_eq!(summarize(&other), [("refused".to_owned(), 0)]);
}

#[test]
fn equal_scores_are_ordered_by_url() {
    let (_dir, spec) = create_index();
    assert_summaries(
        &spec,
        &["--top", "9"],
        &query_record(1, &["enak"], &[]),
        &[("http://e.test/", 1), ("http://f.test/", 0)],
    );
}

#[test]
fn parts_of_a_page_are_hits_of_their_own_and_spellings_of_a_url_are_not() {
    let dir = temp_folder();
    let spec = format!("index:{}", dir.path().display());
    let urls = [
        "http://a.test/%C4%8D#1",
        "http://a.test/%C4%8D#2",
        "http://a.test/%c4%8d#1",
    ];
    add_records(
        &spec,
        &urls.map(|url| json!({"url": url, "text": "lep dan"})),
    );
    for args in [["--top", "9"], ["--next", "9"]] {
        let output = run_search(&spec, &args, &query_record(1, &["dan"], &[]));
        let found: Vec<Value> = output
            .records()
            .iter()
            .map(|hit| hit["url"].clone())
            .collect();
        assert_eq!(found, urls[..2]);
    }
}

#[test]
fn next_continues_over_steps_until_the_query_is_exhausted() {
    let (dir, spec) = create_index();
    let hits = dir.path().join("hits.db");
    let args = [
        "--hits",
        hits.to_str().unwrap(),
        "--next",
        "--page-size",
        "1",
    ];
    // The same query with its terms in another order, in separate processes.
    assert_summaries(
        &spec,
        &args,
        &query_record(1, &["enak", "dan"], &["the"]),
        &[("http://e.test/", 1)],
    );
    assert_summaries(
        &spec,
        &args,
        &query_record(2, &["dan", "enak"], &["the"]),
        &[("http://f.test/", 1)],
    );
    assert_summaries(
        &spec,
        &args,
        &query_record(3, &["enak", "dan"], &["the"]),
        &[("exhausted", 0)],
    );
    assert_summaries(
        &spec,
        &args,
        &query_record(4, &["enak"], &["dan"]),
        &[("empty", 1)],
    );
    assert_summaries(
        &spec,
        &args,
        &query_record(5, &["enak"], &["dan"]),
        &[("empty", 0)],
    );
    assert_summaries(
        &spec,
        &args,
        &query_record(6, &["enak"], &[]),
        &[("exhausted", 2)],
    );
}

#[test]
fn a_batch_has_a_record_per_hit_and_marks_the_last_one() {
    let (_dir, spec) = create_index();
    let output = run_search(
        &spec,
        &["--next", "4", "--page-size", "2"],
        &query_record(1, &["dan"], &["danas"]),
    );
    assert_eq!(
        summarize(&output)
            .iter()
            .map(|(_, calls)| *calls)
            .collect::<Vec<_>>(),
        [2, 0, 0, 0]
    );
    let flags: Vec<_> = output
        .records()
        .iter()
        .map(|record| {
            (
                record["hit"]["rank"].clone(),
                record["step"]["last"].clone(),
            )
        })
        .collect();
    assert_eq!(
        flags,
        [
            (json!(1), json!(false)),
            (json!(2), json!(false)),
            (json!(3), json!(false)),
            (json!(4), json!(true))
        ]
    );
    assert_summaries(
        &spec,
        &["--next", "9", "--page-size", "1", "--max-pages", "1"],
        &query_record(1, &["enak"], &[]),
        &[("http://e.test/", 1)],
    );
}

#[test]
fn after_max_calls_only_cached_hits_are_returned() {
    let (_dir, spec) = create_index();
    let twice = query_record(1, &["enak"], &[])
        + &query_record(2, &["danes"], &[])
        + &query_record(3, &["enak"], &[]);
    let expected = [("http://e.test/", 1), ("budget", 0), ("http://f.test/", 0)];
    assert_summaries(&spec, &["--max-calls", "1"], &twice, &expected);
}

#[test]
fn repeating_from_a_step_gives_the_same_bytes() {
    let (dir, spec) = create_index();
    let hits = dir.path().join("hits.db");
    let run_step = |step: u64, extra_args: &[&str]| {
        let args = [
            &[
                "--hits",
                hits.to_str().unwrap(),
                "--next",
                "1",
                "--page-size",
                "2",
            ],
            extra_args,
        ]
        .concat();
        run_search(&spec, &args, &query_record(step, &["dan"], &[])).stdout
    };
    let outputs: Vec<String> = (1..=5).map(|n| run_step(n, &[])).collect();
    assert_eq!(run_step(2, &["--from-step", "2"]), outputs[1]);
    assert_eq!(
        (3..=5).map(|n| run_step(n, &[])).collect::<Vec<_>>(),
        outputs[2..]
    );
    // Cached hits cost no calls, also without --from-step.
    assert_summaries(
        &spec,
        &[
            "--hits",
            hits.to_str().unwrap(),
            "--top",
            "1",
            "--page-size",
            "2",
        ],
        &query_record(1, &["dan"], &[]),
        &[("http://f.test/", 0)].map(|_| ("http://e.test/", 0)),
    );
}

#[test]
fn a_killed_search_repeats_the_same_output() {
    let (dir, spec) = create_index();
    let queries: String = (1..=300)
        .map(|step| {
            query_record(
                step,
                &["dan"],
                &[["the", "danas", "danes"][step as usize % 3]],
            )
        })
        .collect();
    let hits = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let whole = run_search(
        &spec,
        &["--hits", &hits("whole.db"), "--page-size", "1"],
        &queries,
    )
    .stdout;
    for trial in 0..5 {
        let file = hits(&format!("killed-{trial}.db"));
        let mut command = Command::new(tool_path("search"));
        command.args(["--engine", &spec, "--hits", &file, "--page-size", "1"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let stdout = child.stdout.take().unwrap();
        let partial_input = queries
            .lines()
            .take(40 * trial)
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        stdin.write_all(partial_input.as_bytes()).unwrap();
        // Half of the queries are answered, so the tool is busy and its input is open.
        let mut output_lines = BufReader::new(stdout).lines();
        assert_eq!(
            output_lines
                .by_ref()
                .map_while(Result::ok)
                .take(20 * trial)
                .count(),
            20 * trial
        );
        child.kill().unwrap();
        child.wait().unwrap();
        let repeated = run_search(
            &spec,
            &["--hits", &file, "--page-size", "1", "--from-step", "1"],
            &queries,
        );
        assert_eq!(repeated.stdout, whole, "killed in trial {trial}");
    }
}

#[test]
fn records_without_a_query_pass_through_and_invalid_queries_are_reported() {
    let (_dir, spec) = create_index();
    for line in [
        r#"{"text":"an initial text","label":"slv"}"#,
        r#"{"query":null}"#,
        r#"{"query":{"include":["dan"]},"url":"http://x.test/"}"#,
        r#"{"query":{"include":["dan"]},"hit":{"engine":"x","calls":0,"outcome":"empty"}}"#,
        r#"{"query":{"include":["dan"]},"error":{"tool":"gen-query","kind":"refused","message":"x"}}"#,
    ] {
        assert_eq!(run_search(&spec, &[], line).stdout, format!("{line}\n"));
    }
    for line in [
        r#"{"query":"dan"}"#,
        r#"{"query":{"include":"dan"}}"#,
        r#"{"query":{"include":[1]}}"#,
    ] {
        assert_summaries(&spec, &[], line, &[("bad-field", 99)]);
    }
    let line = r#"{"query":{"include":["dež"]},"url":"http://x.test/","text":"old"}"#;
    let record = &run_search(&spec, &["--force"], line).records()[0];
    assert_eq!(
        (&record["url"], &record["text"]),
        (&json!("http://b.test/"), &json!(DOCUMENTS[1].1))
    );
}

#[test]
fn queries_need_no_step_or_id() {
    let (_dir, spec) = create_index();
    // A query without step and id, and a record with only a URL.
    assert_summaries(
        &spec,
        &["--top", "1"],
        r#"{"query":{"include":["dež"],"exclude":[]}}"#,
        &[("http://b.test/", 1)],
    );
    assert_eq!(
        run_search(&spec, &[], r#"{"url":"http://x.test/"}"#).stdout,
        "{\"url\":\"http://x.test/\"}\n"
    );
}

#[test]
fn add_replaces_known_urls_and_skips_records_that_are_not_documents() {
    let (_dir, spec) = create_index();
    let output = add_records(
        &spec,
        &[
            json!({"url": "http://a.test/", "text": "Zvečer je mraz.", "id": "mine"}),
            json!({"url": "http://z.test/"}),
            json!({"text": "no address"}),
            json!({"url": 5, "text": "bad address"}),
            json!({"url": "http://y.test/", "text": "x",
                "error": {"tool": "t", "kind": "internal", "message": "m"}}),
        ],
    );
    let message = "search: 4 of 5 records not added: 1 with a `url` that cannot be indexed, 1 with an \
                   error, 1 without `text`, 1 without `url`\n";
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        ("", message)
    );
    let record = &run_search(&spec, &[], &query_record(1, &["mraz"], &[])).records()[0];
    assert_eq!(
        (&record["url"], &record["id"], &record["title"]),
        (&json!("http://a.test/"), &json!("mine"), &Value::Null)
    );
    assert_summaries(
        &spec,
        &["--top", "9"],
        &query_record(1, &["danes"], &[]),
        &[("http://b.test/", 1)],
    );
}

fn assert_refused(args: &[&str], message: &str) {
    let output = run_tool("search", args, "").expect_exit(2);
    assert!(
        output.stderr.contains(message) && !output.stderr.contains("panicked"),
        "{args:?}: {}",
        output.stderr
    );
}

#[test]
fn files_that_cannot_be_opened_are_refused_and_left_unchanged() {
    let (dir, spec) = create_index();
    let foreign_file = dir.path().join("letter.txt");
    std::fs::write(&foreign_file, "dear sir, ".repeat(1000)).unwrap();
    let path_string = |path: &Path| path.to_str().unwrap().to_owned();
    assert_refused(
        &["--engine", "nonsense:"],
        "engines are index:DIR, searxng:URL, ",
    );
    assert_refused(
        &[
            "--engine",
            &format!("index:{}", path_string(&dir.path().join("none"))),
        ],
        "no index; create one with",
    );
    assert_refused(
        &["--engine", &format!("index:{}", path_string(dir.path()))],
        "is not an index",
    );
    assert_refused(
        &[
            "--engine",
            &format!("index:{}", path_string(dir.path())),
            "--add",
        ],
        "is not an index",
    );
    assert_refused(
        &["--engine", &spec, "--hits", &path_string(&foreign_file)],
        "is not a file of cached hits",
    );
    assert_refused(
        &["--engine", "searxng:http://127.0.0.1:9", "--add"],
        "--add requires an embedded index",
    );
    assert_refused(&["--engine", &spec, "--next", "0"], "not a number from 1");
    assert_refused(
        &["--engine", &spec, "--next", "queries.jsonl"],
        "to name a file next, write `--next=1`",
    );
    assert_refused(
        &["--engine", "searxng:http://127.0.0.1:9", "--rate", "0"],
        "not a number above 0",
    );
    assert_refused(&["--engines", "canary"], "--engine");
    assert_refused(&[], "--engine");
    assert_eq!(
        std::fs::read_to_string(&foreign_file).unwrap(),
        "dear sir, ".repeat(1000)
    );
}

#[test]
fn lists_all_engines() {
    let output = run_tool("search", ["--engines"], "").expect_exit(0);
    let lines: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(
        lines.iter().all(|line| line.len() == 4),
        "{}",
        output.stdout
    );
    assert_eq!([lines[0][0], lines[1][0]], ["index:DIR", "searxng:URL"]);
}
