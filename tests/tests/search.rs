//! `search` over a small index: which documents, in which order, at what cost, and again after a
//! kill. SearXNG is in `search_searxng.rs`.

use forage_tests::events::wait_for;
use forage_tests::{ToolOutput, run_tool, temp_folder, tool_path};
use serde_json::{Value, json};
use std::collections::BTreeSet;
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

/// An index of the documents, and its spec.
fn index() -> (tempfile::TempDir, String) {
    let dir = temp_folder();
    let spec = format!("index:{}", dir.path().join("index").display());
    add(
        &spec,
        &DOCUMENTS.map(
            |(url, text)| json!({"url": url, "title": format!("T {url}"), "text": text, "x": 1}),
        ),
    );
    (dir, spec)
}

fn add(spec: &str, records: &[Value]) -> ToolOutput {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    run_tool("search", ["--engine", spec, "--add"], lines).expect_exit(0)
}

fn query(step: u64, include: &[&str], exclude: &[&str]) -> String {
    format!(
        "{}\n",
        json!({"step": {"number": step, "target": "slv"}, "query": {"id": "q", "include": include, "exclude": exclude}})
    )
}

fn search(spec: &str, args: &[&str], queries: &str) -> ToolOutput {
    run_tool("search", [&["--engine", spec], args].concat(), queries).expect_exit(0)
}

/// URL or outcome or kind of error, and the calls, of each record.
fn short(done: &ToolOutput) -> Vec<(String, u64)> {
    let shown = |record: &Value| {
        let what = [
            &record["url"],
            &record["error"]["kind"],
            &record["hit"]["outcome"],
        ];
        let what = what
            .into_iter()
            .find_map(Value::as_str)
            .unwrap_or("nothing");
        (
            what.to_owned(),
            record["hit"]["calls"].as_u64().unwrap_or(99),
        )
    };
    done.records().iter().map(shown).collect()
}

fn check(spec: &str, args: &[&str], queries: &str, expected: &[(&str, u64)]) {
    let found = short(&search(spec, args, queries));
    let found: Vec<(&str, u64)> = found
        .iter()
        .map(|(what, calls)| (what.as_str(), *calls))
        .collect();
    assert_eq!(found, expected, "{args:?} {queries}");
}

#[test]
fn a_hit_of_the_index_carries_query_and_document() {
    let (_dir, spec) = index();
    let line = r#"{"n":1e5,"step":{"number":3,"target":"slv","last":true},"query":{"id":"q","include":["dež"],"exclude":["the"]},"z":"\u00e9"}"#;
    let done = search(&spec, &[], line);
    assert!(
        done.stdout.starts_with(&line[..line.len() - 1]),
        "{}",
        done.stdout
    );
    assert_eq!(
        done.records()[0],
        json!({"n": 1e5, "step": {"number": 3, "target": "slv", "last": true}, "query": {"id": "q", "include": ["dež"], "exclude": ["the"]}, "z": "é",
            // BLAKE3 over URL, NUL and text, as `b3sum` has it.
            "id": "e77759cefc1a19715476426adf4b75f2ef9ed84760cc55fc762b48f44d1ee3f6",
            "url": "http://b.test/", "title": "T http://b.test/", "text": "Danes je dež, jutri bo lep dan.",
            "hit": {"engine": spec, "rank": 1, "title": "T http://b.test/", "snippet": "Danes je dež, jutri bo lep dan.",
                "calls": 1, "outcome": "hit"}})
    );
}

#[test]
fn required_terms_must_and_excluded_ones_may_not_occur() {
    let (_dir, spec) = index();
    check(
        &spec,
        &["--top", "9"],
        &query(1, &["danes", "dan"], &["jutri"]),
        &[("http://a.test/", 1)],
    );
    check(
        &spec,
        &["--top", "9"],
        &query(1, &["danes", "day"], &[]),
        &[("empty", 1)],
    );
    check(
        &spec,
        &["--top", "2"],
        &query(1, &[], &["dan"]),
        &[("http://d.test/", 1)],
    );
    check(&spec, &[], &query(1, &[], &[]), &[("refused", 0)]);
}

#[test]
fn pages_like_one_are_asked_for_by_its_url() {
    let (dir, spec) = index();
    let like = |url: &str| {
        format!(
            "{}\n",
            json!({"step": {"number": 1, "target": "slv"}, "query": {"like": url}})
        )
    };
    check(
        &spec,
        &["--top", "2"],
        &like("http://a.test/"),
        &[("http://b.test/", 1), ("http://c.test/", 0)],
    );
    let refused = search(&spec, &[], &like("http://none.test/"));
    assert_eq!(short(&refused), [("refused".to_owned(), 0)]);
    let why = refused.records()[0]["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        why.starts_with("http://none.test/: is not in index:"),
        "{why}"
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
        short(&search(&spec, &args, &two))[0],
        ("http://f.test/".to_owned(), 1)
    );
    let other = search("searxng:http://127.0.0.1:1", &[], &like("http://a.test/"));
    assert_eq!(short(&other), [("refused".to_owned(), 0)]);
}

#[test]
fn equal_scores_are_ordered_by_url() {
    let (_dir, spec) = index();
    check(
        &spec,
        &["--top", "9"],
        &query(1, &["enak"], &[]),
        &[("http://e.test/", 1), ("http://f.test/", 0)],
    );
}

#[test]
fn next_goes_on_from_step_to_step_until_all_hits_are_given() {
    let (dir, spec) = index();
    let hits = dir.path().join("hits.db");
    let args = [
        "--hits",
        hits.to_str().unwrap(),
        "--next",
        "--page-size",
        "1",
    ];
    // The same query, its terms in another order, from other processes.
    check(
        &spec,
        &args,
        &query(1, &["enak", "dan"], &["the"]),
        &[("http://e.test/", 1)],
    );
    check(
        &spec,
        &args,
        &query(2, &["dan", "enak"], &["the"]),
        &[("http://f.test/", 1)],
    );
    check(
        &spec,
        &args,
        &query(3, &["enak", "dan"], &["the"]),
        &[("exhausted", 0)],
    );
    check(
        &spec,
        &args,
        &query(4, &["enak"], &["dan"]),
        &[("empty", 1)],
    );
    check(
        &spec,
        &args,
        &query(5, &["enak"], &["dan"]),
        &[("empty", 0)],
    );
    check(&spec, &args, &query(6, &["enak"], &[]), &[("exhausted", 2)]);
}

#[test]
fn a_batch_is_a_record_a_hit_and_the_last_one_says_so() {
    let (_dir, spec) = index();
    let done = search(
        &spec,
        &["--next", "4", "--page-size", "2"],
        &query(1, &["dan"], &["danas"]),
    );
    assert_eq!(
        short(&done)
            .iter()
            .map(|(_, calls)| *calls)
            .collect::<Vec<_>>(),
        [2, 0, 0, 0]
    );
    let flags: Vec<_> = done
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
    check(
        &spec,
        &["--next", "9", "--page-size", "1", "--max-pages", "1"],
        &query(1, &["enak"], &[]),
        &[("http://e.test/", 1)],
    );
}

#[test]
fn beyond_max_calls_only_known_hits_are_given() {
    let (_dir, spec) = index();
    let twice = query(1, &["enak"], &[]) + &query(2, &["danes"], &[]) + &query(3, &["enak"], &[]);
    let expected = [("http://e.test/", 1), ("budget", 0), ("http://f.test/", 0)];
    check(&spec, &["--max-calls", "1"], &twice, &expected);
}

#[test]
fn going_back_to_a_step_gives_the_same_bytes() {
    let (dir, spec) = index();
    let hits = dir.path().join("hits.db");
    let step = |step: u64, more: &[&str]| {
        let args = [
            &[
                "--hits",
                hits.to_str().unwrap(),
                "--next",
                "1",
                "--page-size",
                "2",
            ],
            more,
        ]
        .concat();
        search(&spec, &args, &query(step, &["dan"], &[])).stdout
    };
    let whole: Vec<String> = (1..=5).map(|n| step(n, &[])).collect();
    assert_eq!(step(2, &["--from-step", "2"]), whole[1]);
    assert_eq!(
        (3..=5).map(|n| step(n, &[])).collect::<Vec<_>>(),
        whole[2..]
    );
    // And by hand, without going back: what is known costs nothing.
    check(
        &spec,
        &[
            "--hits",
            hits.to_str().unwrap(),
            "--top",
            "1",
            "--page-size",
            "2",
        ],
        &query(1, &["dan"], &[]),
        &[("http://f.test/", 0)].map(|_| ("http://e.test/", 0)),
    );
}

#[test]
fn a_search_killed_at_any_moment_repeats_itself() {
    let (dir, spec) = index();
    let queries: String = (1..=300)
        .map(|step| {
            query(
                step,
                &["dan"],
                &[["the", "danas", "danes"][step as usize % 3]],
            )
        })
        .collect();
    let hits = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let whole = search(
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
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let half = queries
            .lines()
            .take(40 * trial)
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        stdin.write_all(half.as_bytes()).unwrap();
        // Not all is answered: it is at work, and its input goes on.
        let mut answers = BufReader::new(stdout).lines();
        assert_eq!(
            answers
                .by_ref()
                .map_while(Result::ok)
                .take(20 * trial)
                .count(),
            20 * trial
        );
        child.kill().unwrap();
        child.wait().unwrap();
        let again = search(
            &spec,
            &["--hits", &file, "--page-size", "1", "--from-step", "1"],
            &queries,
        );
        assert_eq!(again.stdout, whole, "killed in trial {trial}");
    }
}

#[test]
fn what_is_no_query_is_passed_on_and_what_is_a_bad_one_is_told() {
    let (_dir, spec) = index();
    for line in [
        r#"{"text":"an initial text","label":"slv"}"#,
        r#"{"query":null}"#,
        r#"{"query":{"include":["dan"]},"url":"http://x.test/"}"#,
        r#"{"query":{"include":["dan"]},"hit":{"engine":"x","calls":0,"outcome":"empty"}}"#,
        r#"{"query":{"include":["dan"]},"error":{"tool":"gen-query","kind":"refused","message":"x"}}"#,
    ] {
        assert_eq!(search(&spec, &[], line).stdout, format!("{line}\n"));
    }
    for line in [
        r#"{"query":"dan"}"#,
        r#"{"query":{"include":"dan"}}"#,
        r#"{"query":{"include":[1]}}"#,
    ] {
        check(&spec, &[], line, &[("bad-field", 99)]);
    }
    let line = r#"{"query":{"include":["dež"]},"url":"http://x.test/","text":"old"}"#;
    let record = &search(&spec, &["--force"], line).records()[0];
    assert_eq!(
        (&record["url"], &record["text"]),
        (&json!("http://b.test/"), &json!(DOCUMENTS[1].1))
    );
}

#[test]
fn a_step_may_come_from_other_tools_and_go_to_other_tools() {
    let (_dir, spec) = index();
    // The stand-ins of the contract: a query without step and id; a record with a URL alone.
    check(
        &spec,
        &["--top", "1"],
        r#"{"query":{"include":["dež"],"exclude":[]}}"#,
        &[("http://b.test/", 1)],
    );
    assert_eq!(
        search(&spec, &[], r#"{"url":"http://x.test/"}"#).stdout,
        "{\"url\":\"http://x.test/\"}\n"
    );
}

#[test]
fn adding_replaces_a_known_url_skips_what_is_no_document_and_prints_nothing() {
    let (_dir, spec) = index();
    let done = add(
        &spec,
        &[
            json!({"url": "http://a.test/", "text": "Zvečer je mraz.", "id": "mine"}),
            json!({"url": "http://z.test/"}),
            json!({"text": "no address"}),
            json!({"url": 5, "text": "bad address"}),
            json!({"url": "http://y.test/", "text": "x", "error": {"tool": "t", "kind": "internal", "message": "m"}}),
        ],
    );
    assert_eq!(
        (done.stdout.as_str(), done.stderr.as_str()),
        ("", "search: skipped 4 records without `url` or `text`\n")
    );
    let record = &search(&spec, &[], &query(1, &["mraz"], &[])).records()[0];
    assert_eq!(
        (&record["url"], &record["id"], &record["title"]),
        (&json!("http://a.test/"), &json!("mine"), &Value::Null)
    );
    check(
        &spec,
        &["--top", "9"],
        &query(1, &["danes"], &[]),
        &[("http://b.test/", 1)],
    );
}

#[test]
fn a_killed_add_leaves_an_index_that_can_be_searched_and_added_to() {
    let (_dir, spec) = index();
    let folder = Path::new(spec.strip_prefix("index:").unwrap());
    let files = || -> BTreeSet<_> {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect()
    };
    let line = json!({"url": "http://new.test/", "text": "dan ".repeat(1000)});
    // While it reads, and, as soon as there is a new file in the index, while it writes.
    for is_written in [false, true] {
        let before = files();
        let mut child = Command::new(tool_path("search"))
            .args(["--engine", &spec, "--add"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds, so that most of it has been read.
        stdin
            .write_all(format!("{line}\n").repeat(50).as_bytes())
            .unwrap();
        if is_written {
            drop(stdin);
            wait_for("it writes", || {
                files() != before || child.try_wait().unwrap().is_some()
            });
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    check(
        &spec,
        &[],
        &query(1, &["dež"], &[]),
        &[("http://b.test/", 1)],
    );
    add(&spec, &[json!({"url": "http://new.test/", "text": "nov"})]);
    check(
        &spec,
        &[],
        &query(1, &["nov"], &[]),
        &[("http://new.test/", 1)],
    );
}

fn refused(args: &[&str], message: &str) {
    let done = run_tool("search", args, "").expect_exit(2);
    assert!(
        done.stderr.contains(message) && !done.stderr.contains("panicked"),
        "{args:?}: {}",
        done.stderr
    );
}

#[test]
fn what_cannot_be_opened_is_said_with_exit_2_and_left_as_it_is() {
    let (dir, spec) = index();
    let letter = dir.path().join("letter.txt");
    std::fs::write(&letter, "dear sir, ".repeat(1000)).unwrap();
    let at = |path: &Path| path.to_str().unwrap().to_owned();
    refused(
        &["--engine", "nonsense:"],
        "engines are index:DIR, searxng:URL, ",
    );
    refused(
        &[
            "--engine",
            &format!("index:{}", at(&dir.path().join("none"))),
        ],
        "there is no index",
    );
    refused(
        &["--engine", &format!("index:{}", at(dir.path()))],
        "is not an index",
    );
    refused(
        &["--engine", &format!("index:{}", at(dir.path())), "--add"],
        "is not an index",
    );
    refused(
        &["--engine", &spec, "--hits", &at(&letter)],
        "is not a file of cached hits",
    );
    refused(
        &["--engine", "searxng:http://127.0.0.1:9", "--add"],
        "--add needs an embedded index",
    );
    refused(&["--engine", &spec, "--next", "0"], "not a number from 1");
    refused(
        &["--engine", &spec, "--next", "queries.jsonl"],
        "to name a file next, write `--next=1`",
    );
    refused(
        &["--engine", "searxng:http://127.0.0.1:9", "--rate", "0"],
        "not a number above 0",
    );
    refused(&["--canary"], "--engine");
    refused(&[], "--engine");
    assert_eq!(
        std::fs::read_to_string(&letter).unwrap(),
        "dear sir, ".repeat(1000)
    );
}

#[test]
fn lists_its_engines() {
    let done = run_tool("search", ["--engines"], "").expect_exit(0);
    let lines: Vec<Vec<&str>> = done
        .stdout
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(lines.iter().all(|line| line.len() == 4), "{}", done.stdout);
    assert_eq!([lines[0][0], lines[1][0]], ["index:DIR", "searxng:URL"]);
}
