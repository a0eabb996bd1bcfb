//! Stand-ins: each tool of a pipe can be replaced by a line of shell and jq, whose output is
//! sufficient for the next tool.

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

/// Runs a shell script in `dir`. Panics if jq is not installed.
fn run_shell(script: &str, dir: &Path) -> ToolOutput {
    let jq = std::process::Command::new("jq").arg("--version").output();
    assert!(jq.is_ok(), "jq is not installed; install the package `jq`");
    run_bash(&format!("cd '{}' && {script}", dir.display()), "").expect_exit(0)
}

/// Runs a pipe, and returns its records.
fn run_pipe(script: &str, dir: &Path) -> Vec<Value> {
    run_shell(script, dir).records()
}

/// Creates a folder with an index of the pages.
fn create_index() -> tempfile::TempDir {
    let dir = temp_folder();
    let pages = PAGES
        .map(|(url, text)| serde_json::json!({"url": url, "title": "T", "text": text}).to_string());
    let engine = format!("index:{}", dir.path().join("web").display());
    run_tool("search", ["--engine", &engine, "--add"], pages.join("\n")).expect_exit(0);
    dir
}

/// Starts a server of the pages by their host name, without robots.txt. Returns its address.
fn start_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    let address = listener.local_addr().expect("its address").to_string();
    std::thread::spawn(move || {
        listener
            .incoming()
            .flatten()
            .for_each(|stream| drop(respond(stream)))
    });
    address
}

fn respond(mut stream: TcpStream) -> std::io::Result<()> {
    let mut header_lines = Vec::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        match line? {
            line if line.is_empty() => break,
            line => header_lines.push(line.to_ascii_lowercase()),
        }
    }
    let page = PAGES.iter().find(|(url, _)| {
        header_lines
            .iter()
            .any(|line| line.starts_with("host:") && line.contains(&url[7..13]))
    });
    let (status, body) = match page {
        Some((_, text)) if header_lines[0].starts_with("get / ") => (
            "200 OK",
            format!("<html><head><title>T</title></head><body><p>{text}</p></body></html>"),
        ),
        _ => ("404 Not Found", String::new()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_word_list_replaces_gen_query() {
    let dir = create_index();
    let records = run_pipe(
        r#"printf 'je\nin\ndan\n' >words.txt
           shuf -n 3 words.txt |
             jq -Rsc '{query:{id:"x",step:1,target:"slv",include:split("\n")[:-1],exclude:[]}}' |
             search --engine index:web --next 5"#,
        dir.path(),
    );
    let mut urls: Vec<&str> = records
        .iter()
        .filter_map(|record| record["url"].as_str())
        .collect();
    urls.sort_unstable();
    assert_eq!(urls, ["http://a.test/", "http://b.test/", "http://c.test/"]);
}

#[test]
fn a_list_of_urls_replaces_search() {
    let dir = temp_folder();
    let address = start_server();
    let records = run_pipe(
        &format!(
            r#"printf 'http://a.test/\nhttp://d.test/\nhttp://nobody.test/\n' >urls.txt
               jq -Rc '{{url: .}}' urls.txt |
                 fetch-extract --connect-to {address} --delay 0 --contact me@example.org"#
        ),
        dir.path(),
    );
    assert_eq!(records[0]["text"], PAGES[0].1);
    assert_eq!(records[1]["text"], PAGES[3].1);
    assert_eq!(records[2]["error"]["kind"], "http-status");
}

#[test]
fn any_program_that_writes_url_and_text_replaces_fetch_extract() {
    let dir = temp_folder();
    let records = run_pipe(
        r#"for n in 1 2 3; do
             jq -nc --arg n "$n" \
               '{url: "http://\($n).test/", text: "Danes je lep dan in sonce sije nad mestom."}'
           done | dedup --index seen.db | langid"#,
        dir.path(),
    );
    let statuses: Vec<&Value> = records
        .iter()
        .map(|record| &record["dedup"]["status"])
        .collect();
    assert_eq!(statuses, ["new", "exact", "exact"]);
    assert!(
        records
            .iter()
            .all(|record| record["langid"]["code"].is_string() && record["label"].is_string())
    );
}

#[test]
fn cat_replaces_dedup() {
    let dir = create_index();
    let records = run_pipe(
        r#"echo '{"step":{"number":1,"target":"slv"},' \
             '"query":{"id":"x","include":["je"],"exclude":[]}}' |
             search --engine index:web --top 9 | fetch-extract | cat | langid |
             update-stats --stats stats.db"#,
        dir.path(),
    );
    assert_eq!(records.len(), 3);
    let report = &run_pipe("update-stats --stats stats.db --report", dir.path())[0];
    assert_eq!(
        (&report["documents"], &report["duplicates"]),
        (&3.into(), &0.into())
    );
}

#[test]
fn a_label_set_by_jq_replaces_langid() {
    let dir = create_index();
    let report = &run_pipe(
        r#"echo '{"step":{"number":1,"target":"slv"},' \
             '"query":{"id":"x","include":["je"],"exclude":[]}}' |
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
fn the_next_query_follows_the_labels_of_a_custom_filter() {
    let dir = create_index();
    let records = run_pipe(
        r#"echo '{"step":{"number":1,"target":"rain"},' \
             '"query":{"id":"x","include":["dan"],"exclude":[]}}' |
             search --engine index:web --top 9 |
             jq -c '.label = if (.text | test("dežev")) then "rain" else "dry" end' |
             update-stats --stats stats.db >/dev/null
           gen-query --stats stats.db --target rain --include or:3 --exclude or:3 --step 2"#,
        dir.path(),
    );
    let include: Vec<&str> = records[0]["query"]["include"]
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
fn removing_the_field_of_a_tool_undoes_its_work() {
    let dir = create_index();
    let script = r#"echo '{"step":{"number":1,"target":"slv"},' \
             '"query":{"id":"x","include":["je"],"exclude":[]}}' |
        search --engine index:web --top 9 | jq -c . | langid | TAIL"#;
    let once = run_shell(&script.replace("TAIL", "cat"), dir.path());
    let again = run_shell(
        &script.replace("TAIL", "jq -c 'del(.langid, .label)' | langid"),
        dir.path(),
    );
    assert_eq!(once.records(), again.records());
}
