//! fetch-extract connects to the public internet only, and only with a contact.

use forage_tests::events::{TIMEOUT, wait_for};
use forage_tests::server::{HostResponse, HostServer, html, redirect};
use forage_tests::{ToolOutput, gzip, run_bash, run_tool, tool_path, unused_port};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Fetches URLs with a contact, without redirecting connections.
fn fetch(args: &[&str], urls: &[String]) -> Vec<Value> {
    let lines: String = urls
        .iter()
        .map(|url| json!({ "url": url }).to_string() + "\n")
        .collect();
    let default_args = [
        "--contact",
        "me@here.test",
        "--delay",
        "0",
        "--retries",
        "0",
    ];
    run_tool("fetch-extract", default_args.iter().chain(args), lines)
        .expect_exit(0)
        .records()
}

fn error_kind(record: &Value) -> &str {
    record["error"]["kind"].as_str().unwrap_or_default()
}

/// Spellings of the loopback address, and of the address of cloud metadata.
const PRIVATE_HOSTS: [&str; 46] = [
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
fn private_addresses_are_refused_in_all_spellings() {
    let server = HostServer::start(|_, _| html("<p>a secret of this machine"));
    let port = server.address.port();
    let urls: Vec<String> = PRIVATE_HOSTS
        .iter()
        .map(|host| format!("http://{host}:{port}/"))
        .collect();
    for (url, record) in urls.iter().zip(fetch(&[], &urls)) {
        // A backslash ends the host. The remaining name has no address, or the resolver times out.
        let expected: &[&str] = if url.contains('\\') {
            &["bad-url", "dns", "timeout"]
        } else {
            &["forbidden-address"]
        };
        assert!(expected.contains(&error_kind(&record)), "{url}: {record}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn redirects_to_private_addresses_are_refused() {
    let inner = HostServer::start(|_, _| html("<p>a secret of this machine"));
    let port = inner.address.port();
    let outer = HostServer::start(move |host, path| match (host, path) {
        ("robots.test", "/robots.txt") => redirect(&format!("http://127.0.0.1:{port}/robots.txt")),
        (_, "/robots.txt") => HostResponse::Complete(404, String::new(), Vec::new()),
        (_, path) => {
            let number: usize = path[1..].parse().unwrap();
            redirect(&format!("http://{}:{port}/", PRIVATE_HOSTS[number]))
        }
    });
    for number in (0..PRIVATE_HOSTS.len()).filter(|&number| !PRIVATE_HOSTS[number].contains('\\')) {
        let record = outer.fetch_record(&[], &format!("http://h{number}.test/{number}"));
        assert_eq!(
            error_kind(&record),
            "forbidden-address",
            "{}: {record}",
            PRIVATE_HOSTS[number]
        );
    }
    let record = outer.fetch_record(&[], "http://robots.test/0");
    assert_eq!(error_kind(&record), "forbidden-address", "{record}");
    assert!(inner.requests().is_empty());
}

#[test]
fn a_name_of_a_loopback_address_is_refused() {
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
        assert_eq!(error_kind(&record), "forbidden-address", "{record}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn schemes_other_than_http_and_https_are_refused() {
    let urls = [
        "file:///etc/passwd",
        "ftp://a.test/",
        "gopher://127.0.0.1:70/_x",
        "data:text/html,<p>a",
        "javascript:1",
    ];
    for record in fetch(&[], &urls.map(str::to_owned)) {
        assert_eq!(error_kind(&record), "bad-url", "{record}");
    }
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        path => redirect(urls[path[1..].parse::<usize>().unwrap()]),
    });
    for number in 0..urls.len() {
        let record = server.fetch_record(&[], &format!("http://a.test/{number}"));
        assert_eq!(error_kind(&record), "redirect", "{record}");
    }
}

#[test]
fn private_addresses_are_fetched_with_allow_private() {
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
fn the_public_internet_is_not_fetched_without_a_contact() {
    let fetch = |args: &[&str], line: &str| -> ToolOutput { run_tool("fetch-extract", args, line) };
    let output = fetch(&[], "{\"text\":\"x\"}\n{\"url\":\"http://a.test/\"}\n").expect_exit(2);
    assert_eq!(output.records(), [json!({ "text": "x" })]);
    assert!(
        output.stderr.contains("--contact") && output.stderr.contains("webmasters"),
        "{}",
        output.stderr
    );
    for line in [
        r#"{"url":"ftp://a.test/"}"#,
        r#"{"url":"http://127.0.0.1/"}"#,
        r#"{"html":"<p>a"}"#,
    ] {
        fetch(&[], line).expect_exit(0);
    }
    let output = fetch(&["--allow-private"], r#"{"url":"http://8.8.8.8/"}"#).expect_exit(0);
    assert_eq!(error_kind(&output.records()[0]), "forbidden-address");
}

#[test]
fn a_missing_contact_is_reported_before_the_end_of_the_input() {
    let mut command = Command::new(tool_path("fetch-extract"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"url\":\"http://a.test/\"}\n").unwrap();
    wait_for("the end of the tool before the end of its input", || {
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(input);
}

#[test]
fn a_gzip_bomb_causes_an_error() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        _ => HostResponse::Complete(
            200,
            "Content-Encoding: gzip\r\n".into(),
            gzip::bomb().to_vec(),
        ),
    });
    // Its memory and CPU time are measured in fetch_bombs.
    assert_eq!(
        error_kind(&server.fetch_record(&[], "http://a.test/")),
        "too-large"
    );
}

#[test]
fn records_contain_no_control_characters_of_pages() {
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
fn an_unreachable_host_is_given_up() {
    let closed = format!("127.0.0.1:{}", unused_port());
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
    assert!(records.iter().all(|record| error_kind(record) == "connect"));
    // Sequential requests with the delays would take more than an hour and a half.
    assert!(start.elapsed() < TIMEOUT, "{:?}", start.elapsed());
}

#[test]
fn records_contain_no_passwords() {
    let page = "<base href='http://u:secret@b.test/'><p>Besedilo <a href=x>ena</a>\
        <a href='//u:secret@c.test/'>dve</a><link rel=canonical href=/y>";
    let lines = [
        json!({"url": "http://u:secret@[bad/"}),
        json!({"url": "http://u:secret@h:99999/"}),
        json!({"url": "http://u:secret@a.test/", "html": page}),
    ]
    .map(|record| record.to_string() + "\n");
    let output = run_tool("fetch-extract", ["--links"], lines.concat()).expect_exit(0);
    assert!(!output.stdout.contains("secret"), "{}", output.stdout);
    let records = output.records();
    assert_eq!(records[0]["url"], "http://[bad/");
    assert_eq!(records[1]["url"], "http://h:99999/");
    assert_eq!(records[2]["url"], "http://a.test/");
    assert_eq!(records[2]["links"][1]["url"], "http://c.test/");
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_machine_stops_the_tool_and_uses_up_no_page() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Complete(404, String::new(), Vec::new()),
        _ => html("<p>a"),
    });
    let tool = tool_path("fetch-extract");
    // Less than the stack of the thread that reads a page.
    let run = |args: &str, line: Value| {
        let script = format!("ulimit -v 70000; '{}' --jobs 1 {args}", tool.display());
        let output = run_bash(&script, line.to_string() + "\n").expect_exit(2);
        assert_eq!(output.stdout, "", "{args}");
        assert!(output.stderr.contains("ulimit -v"), "{}", output.stderr);
    };
    run("", json!({"html": "<p>a</p>"}));
    let address = format!(
        "--connect-to {} --contact a@b.test --delay 0",
        server.address
    );
    run(&address, json!({"url": "http://a.test/"}));
}
