//! In a pipe, each tool can be replaced by a line of shell and jq: what it writes satisfies the
//! next tool.

use forage_tests::{ToolOutput, run_bash, run_tool, temp_folder};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

const PAGES: [(&str, &str); 4] = [
    (
        "http://a.test/",
        "Danes je lep dan in sonce sije nad mestom, zato gremo na dolg sprehod.",
    ),
    (
        "http://b.test/",
        "Jutri je nedelja in ta dan bomo ostali doma, ker bo ves dan deževalo.",
    ),
    (
        "http://c.test/",
        "Dan je dolg in noč je kratka, kadar je poletje in je vroče.",
    ),
    (
        "http://d.test/",
        "The day is long and the night is short when summer has come to town.",
    ),
];

/// Runs a line of shell in `dir`, with jq at hand.
fn shell(script: &str, dir: &Path) -> ToolOutput {
    let jq = std::process::Command::new("jq").arg("--version").output();
    assert!(
        jq.is_ok(),
        "these tests need jq, and it is not installed: install the package `jq`"
    );
    run_bash(&format!("cd '{}' && {script}", dir.display()), "").expect_exit(0)
}

/// The records that a pipe ends with.
fn pipe(script: &str, dir: &Path) -> Vec<Value> {
    shell(script, dir).records()
}

/// A folder with an index of the pages.
fn index() -> tempfile::TempDir {
    let dir = temp_folder();
    let pages = PAGES
        .map(|(url, text)| serde_json::json!({"url": url, "title": "T", "text": text}).to_string());
    let engine = format!("index:{}", dir.path().join("web").display());
    run_tool("search", ["--engine", &engine, "--add"], pages.join("\n")).expect_exit(0);
    dir
}

/// Serves the pages by their host's name, without robots.txt, for as long as the test runs.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    let address = listener.local_addr().expect("its address").to_string();
    std::thread::spawn(move || {
        listener
            .incoming()
            .flatten()
            .for_each(|stream| drop(answer(stream)))
    });
    address
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut head = Vec::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        match line? {
            line if line.is_empty() => break,
            line => head.push(line.to_ascii_lowercase()),
        }
    }
    let page = PAGES.iter().find(|(url, _)| {
        head.iter()
            .any(|line| line.starts_with("host:") && line.contains(&url[7..13]))
    });
    let (status, body) = match page {
        Some((_, text)) if head[0].starts_with("get / ") => (
            "200 OK",
            format!("<html><head><title>T</title></head><body><p>{text}</p></body></html>"),
        ),
        _ => ("404 Not Found", String::new()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_list_of_words_stands_in_for_gen_query() {
    let dir = index();
    let found = pipe(
        r#"printf 'je\nin\ndan\n' >words.txt
           shuf -n 3 words.txt |
             jq -Rsc '{query:{id:"x",step:1,target:"slv",include:split("\n")[:-1],exclude:[]}}' |
             search --engine index:web --next 5"#,
        dir.path(),
    );
    let mut urls: Vec<&str> = found
        .iter()
        .filter_map(|record| record["url"].as_str())
        .collect();
    urls.sort_unstable();
    assert_eq!(urls, ["http://a.test/", "http://b.test/", "http://c.test/"]);
}

#[test]
fn a_list_of_urls_stands_in_for_search() {
    let dir = temp_folder();
    let address = serve();
    let found = pipe(
        &format!(
            r#"printf 'http://a.test/\nhttp://d.test/\nhttp://nobody.test/\n' >urls.txt
               jq -Rc '{{url: .}}' urls.txt | fetch-extract --connect-to {address} --delay 0 --contact me@example.org"#
        ),
        dir.path(),
    );
    assert_eq!(found[0]["text"], PAGES[0].1);
    assert_eq!(found[1]["text"], PAGES[3].1);
    assert_eq!(found[2]["error"]["kind"], "http-status");
}

#[test]
fn any_program_that_writes_url_and_text_stands_in_for_fetch_extract() {
    let dir = temp_folder();
    let found = pipe(
        r#"for n in 1 2 3; do
             jq -nc --arg n "$n" '{url: "http://\($n).test/", text: "Danes je lep dan in sonce sije nad mestom."}'
           done | dedup --index seen.db | langid"#,
        dir.path(),
    );
    let statuses: Vec<&Value> = found
        .iter()
        .map(|record| &record["dedup"]["status"])
        .collect();
    assert_eq!(statuses, ["new", "exact", "exact"]);
    assert!(
        found
            .iter()
            .all(|record| record["langid"]["code"].is_string() && record["label"].is_string())
    );
}

#[test]
fn cat_stands_in_for_dedup() {
    let dir = index();
    let found = pipe(
        r#"echo '{"step":{"number":1,"target":"slv"},"query":{"id":"x","include":["je"],"exclude":[]}}' |
             search --engine index:web --top 9 | fetch-extract | cat | langid | update-stats --stats stats.db"#,
        dir.path(),
    );
    assert_eq!(found.len(), 3);
    let report = &pipe("update-stats --stats stats.db --report", dir.path())[0];
    assert_eq!(
        (&report["documents"], &report["duplicates"]),
        (&3.into(), &0.into())
    );
}

#[test]
fn a_label_by_jq_stands_in_for_langid() {
    let dir = index();
    let report = &pipe(
        r#"echo '{"step":{"number":1,"target":"slv"},"query":{"id":"x","include":["je"],"exclude":[]}}' |
             search --engine index:web --top 9 | fetch-extract | dedup --index seen.db |
             jq -c '.label = "slv"' | update-stats --stats stats.db >/dev/null
           update-stats --stats stats.db --report"#,
        dir.path(),
    )[0];
    assert_eq!(
        (&report["documents"], &report["relevant"]),
        (&3.into(), &3.into())
    );
    assert_eq!(report["classes"]["slv"]["documents"], 3);
}

#[test]
fn a_filter_like_grep_labels_and_the_next_query_follows_it() {
    let dir = index();
    let found = pipe(
        r#"echo '{"step":{"number":1,"target":"rain"},"query":{"id":"x","include":["dan"],"exclude":[]}}' |
             search --engine index:web --top 9 |
             jq -c '.label = if (.text | test("dežev")) then "rain" else "dry" end' |
             update-stats --stats stats.db >/dev/null
           gen-query --stats stats.db --target rain --include or:3 --exclude or:3 --step 2"#,
        dir.path(),
    );
    let include: Vec<&str> = found[0]["query"]["include"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(include.len(), 3);
    assert!(
        include
            .iter()
            .all(|term| PAGES[1].1.to_lowercase().contains(term)),
        "{include:?}"
    );
}

#[test]
fn taking_a_tools_key_away_takes_its_work_back() {
    let dir = index();
    let script = r#"echo '{"step":{"number":1,"target":"slv"},"query":{"id":"x","include":["je"],"exclude":[]}}' |
        search --engine index:web --top 9 | jq -c . | langid | TAIL"#;
    let once = shell(&script.replace("TAIL", "cat"), dir.path());
    let again = shell(
        &script.replace("TAIL", "jq -c 'del(.langid, .label)' | langid"),
        dir.path(),
    );
    assert_eq!(once.records(), again.records());
}
