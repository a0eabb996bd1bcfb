//! fetch-extract and ways in: nothing but the open web is connected to, and only with a contact.

use forage_tests::events::{TIMEOUT, wait_for};
use forage_tests::server::{HostResponse, HostServer, html, redirect};
use forage_tests::{ToolOutput, gzip, run_tool, tool_path};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Fetches from the web as it is, with a contact.
fn fetch(args: &[&str], urls: &[String]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    let all = [
        "--contact",
        "me@here.test",
        "--delay",
        "0",
        "--retries",
        "0",
    ];
    run_tool("fetch-extract", all.iter().chain(args), lines)
        .expect_exit(0)
        .records()
}

fn kind(record: &Value) -> &str {
    record["error"]["kind"].as_str().unwrap_or_default()
}

/// Ways to write this machine's address, and that of a cloud's metadata.
const WAYS: [&str; 46] = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "127.127.127.127",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7F.1",
    "0177.0.0.01",
    "0x7f.0x0.0x0.0x1",
    "00000177.1",
    "0",
    "0.0.0.0",
    "0x0",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]",
    "localhost",
    "LocalHost",
    "localhost.",
    "any.localhost",
    "%6c%6f%63alhost",
    "ｌｏｃａｌｈｏｓｔ",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",
    "%31%32%37.0.0.1",
    "user@127.0.0.1",
    "open.test:80@127.0.0.1",
    "open.test%2f@127.0.0.1",
    "open.test\\@127.0.0.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
];

#[test]
fn no_way_of_writing_a_private_address_reaches_it() {
    let server = HostServer::start(|_, _| html("<p>a secret of this machine"));
    let port = server.address.port();
    let urls: Vec<String> = WAYS
        .iter()
        .map(|way| format!("http://{way}:{port}/"))
        .collect();
    for (url, record) in urls.iter().zip(fetch(&[], &urls)) {
        // A backslash ends the host, and what is left is a name that has no address, or none that
        // is told in time.
        let expected: &[&str] = if url.contains('\\') {
            &["bad-url", "dns", "timeout"]
        } else {
            &["forbidden-address"]
        };
        assert!(expected.contains(&kind(&record)), "{url}: {record}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn no_redirect_leads_to_a_private_address() {
    let inner = HostServer::start(|_, _| html("<p>a secret of this machine"));
    let port = inner.address.port();
    let outer = HostServer::start(move |host, path| match (host, path) {
        ("robots.test", "/robots.txt") => redirect(&format!("http://127.0.0.1:{port}/robots.txt")),
        (_, "/robots.txt") => HostResponse::Complete(404, String::new(), Vec::new()),
        (_, path) => {
            let number: usize = path[1..].parse().unwrap();
            redirect(&format!("http://{}:{port}/", WAYS[number]))
        }
    });
    for number in (0..WAYS.len()).filter(|&number| !WAYS[number].contains('\\')) {
        let record = outer.fetch_record(&[], &format!("http://h{number}.test/{number}"));
        assert_eq!(
            kind(&record),
            "forbidden-address",
            "{}: {record}",
            WAYS[number]
        );
    }
    let record = outer.fetch_record(&[], "http://robots.test/0");
    assert_eq!(kind(&record), "forbidden-address", "{record}");
    assert!(inner.requests().is_empty());
}

#[test]
fn a_name_that_resolves_to_this_machine_is_refused() {
    let server = HostServer::start(|_, _| html("<p>a secret of this machine"));
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let local = hosts
        .lines()
        .filter(|line| line.starts_with("127.") || line.starts_with("::1"));
    let names = local
        .flat_map(|line| line.split_whitespace().skip(1))
        .filter(|name| !name.contains('#'));
    let urls: Vec<String> = names
        .map(|name| format!("http://{name}:{}/", server.address.port()))
        .collect();
    for record in fetch(&[], &urls) {
        assert_eq!(kind(&record), "forbidden-address", "{record}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn only_http_and_https_are_spoken() {
    let schemes = [
        "file:///etc/passwd",
        "ftp://a.test/",
        "gopher://127.0.0.1:70/_x",
        "data:text/html,<p>a",
        "javascript:1",
    ];
    for record in fetch(&[], &schemes.map(str::to_owned)) {
        assert_eq!(kind(&record), "bad-url", "{record}");
    }
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        path => redirect(schemes[path[1..].parse::<usize>().unwrap()]),
    });
    for number in 0..schemes.len() {
        let record = server.fetch_record(&[], &format!("http://a.test/{number}"));
        assert_eq!(kind(&record), "redirect", "{record}");
    }
}

#[test]
fn private_addresses_are_reached_when_that_is_allowed() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        _ => html("<p>Potok"),
    });
    let port = server.address.port();
    let urls = ["127.0.0.1", "localhost", "0x7f.1"].map(|host| format!("http://{host}:{port}/"));
    for record in fetch(&["--allow-private"], &urls) {
        assert_eq!(record["text"], "Potok", "{record}");
    }
}

#[test]
fn without_a_contact_the_open_web_is_not_fetched_from() {
    let fetch = |args: &[&str], line: &str| -> ToolOutput { run_tool("fetch-extract", args, line) };
    let done = fetch(&[], "{\"text\":\"x\"}\n{\"url\":\"http://a.test/\"}\n").expect_exit(2);
    assert_eq!(done.records(), [json!({ "text": "x" })]);
    assert!(
        done.stderr.contains("--contact") && done.stderr.contains("webmasters"),
        "{}",
        done.stderr
    );
    for line in [
        r#"{"url":"ftp://a.test/"}"#,
        r#"{"url":"http://127.0.0.1/"}"#,
        r#"{"html":"<p>a"}"#,
    ] {
        fetch(&[], line).expect_exit(0);
    }
    let done = fetch(&["--allow-private"], r#"{"url":"http://8.8.8.8/"}"#).expect_exit(0);
    assert_eq!(kind(&done.records()[0]), "forbidden-address");
}

#[test]
fn that_there_is_no_contact_is_told_though_more_may_come() {
    let mut command = Command::new(tool_path("fetch-extract"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"url\":\"http://a.test/\"}\n").unwrap();
    wait_for("it ends though its input goes on", || {
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(input);
}

#[test]
fn a_gzip_bomb_ends_within_limits() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        _ => HostResponse::Complete(
            200,
            "Content-Encoding: gzip\r\n".into(),
            gzip::bomb().to_vec(),
        ),
    });
    // What it costs is measured in fetch_bombs.
    assert_eq!(
        kind(&server.fetch_record(&[], "http://a.test/")),
        "too-large"
    );
}

#[test]
fn a_page_puts_no_control_characters_into_the_record() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        "/to" => redirect("javascript:\u{1b}[2J"),
        _ => html("<title>\u{1b}]0;x\u{7}</title><p>a\u{1b}[31mb\u{202e}c &#27;[2J &#x9b;0m"),
    });
    for path in ["", "to"] {
        let line = server
            .fetch_record(&[], &format!("http://a.test/{path}"))
            .to_string();
        assert!(
            !line.contains("\\u001b") && !line.chars().any(char::is_control),
            "{line}"
        );
    }
}

#[test]
fn a_dead_host_is_given_up() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let urls: String = (0..200)
        .map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n"))
        .collect();
    tool_path("fetch-extract");
    let start = Instant::now();
    let args = ["--connect-to", &closed, "--retries", "0", "--delay", "30"];
    let records = run_tool("fetch-extract", args, urls)
        .expect_exit(0)
        .records();
    assert_eq!(records.len(), 200);
    assert!(records.iter().all(|record| kind(record) == "connect"));
    // One after the other, with the pauses between, they would take more than an hour and a half.
    assert!(start.elapsed() < TIMEOUT, "{:?}", start.elapsed());
}
