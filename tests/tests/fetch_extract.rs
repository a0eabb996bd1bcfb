//! fetch-extract with an HTTP server on loopback that plays many hosts, sound and faulty ones.

use forage_tests::events::{Gate, wait_for};
use forage_tests::server::{HostResponse, HostServer, broken, html, ok, redirect, status};
use forage_tests::{gzip, project_root, run_tool, temp_folder, unused_port};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const STORY: &str =
    "Čebela leti čez žito in išče šipek, življenje v gozdu pa je že od nekdaj skrivnostno.";

/// Encodes the letters of the story in Windows-1250.
fn central_european(text: &str) -> Vec<u8> {
    let special = HashMap::from([('č', 0xE8), ('Č', 0xC8), ('š', 0x9A), ('ž', 0x9E)]);
    text.chars()
        .map(|c| if c.is_ascii() { c as u8 } else { special[&c] })
        .collect()
}

/// Returns the response of a host for a path.
fn respond(host: &str, path: &str) -> HostResponse {
    let page = format!(
        "<html lang=sl><head><title>Čebela</title></head><body><p>{STORY}</p></body></html>"
    );
    match (host, path) {
        ("drobots.test", "/robots.txt") => {
            ok("text/plain", b"User-agent: forage\nDisallow: /closed\n")
        }
        ("downrobots.test", "/robots.txt") => status(503),
        ("movedrobots.test", "/robots.txt") => redirect("http://drobots.test/robots.txt"),
        ("hangup.test", _) => HostResponse::Hangup,
        (_, "/robots.txt") => status(404),
        ("utf8.test", _)
        | ("drobots.test", _)
        | ("movedrobots.test", _)
        | ("downrobots.test", _) => html(page),
        ("label.test", _) => ok("text/html; charset=iso-8859-1", page.as_bytes()),
        ("wronglabel.test", _) => ok("text/html; charset=utf-8", &central_european(&page)),
        ("meta.test", _) => ok(
            "text/html",
            &central_european(&page.replace("<head>", "<head><meta charset=windows-1250>")),
        ),
        ("wide.test", _) => {
            let utf16 = std::iter::once(0xFEFF).chain(page.encode_utf16());
            ok(
                "text/html",
                &utf16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
            )
        }
        ("gzip.test", _) => {
            let headers = "Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n";
            HostResponse::Complete(200, headers.into(), gzip::stored(page.as_bytes()))
        }
        ("badgzip.test", _) => HostResponse::Complete(
            200,
            "Content-Encoding: gzip\r\n".into(),
            b"\x1f\x8b\x08no gzip".to_vec(),
        ),
        ("go.test", "/once") => redirect("//utf8.test/there#part"),
        ("go.test", "/closed") => redirect("http://drobots.test/closed"),
        ("go.test", "/file") => redirect("file:///etc/passwd"),
        ("go.test", "/loop") => redirect("/pool"),
        ("go.test", "/pool") => redirect("/loop"),
        ("go.test", path) => redirect(&format!("{path}x")),
        ("status.test", exit_code) => status(exit_code[1..].parse().unwrap()),
        ("plain.test", _) => ok("text/plain; charset=utf-8", b"prva\nvrsta\n\n2 < 3\x07"),
        ("image.test", _) => ok("image/gif", b"GIF89a"),
        ("pdf.test", _) => ok("application/pdf", b"%PDF-1.7"),
        ("empty.test", _) => ok("text/html", b""),
        ("deep.test", _) => html(format!("{}{STORY}", "<div>".repeat(50_000))),
        ("large.test", _) => html("x".repeat(200_000)),
        ("drip.test", _) => HostResponse::Drip(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999999\r\n\r\n",
        ),
        ("broken.test", _) => broken(),
        _ => status(404),
    }
}

fn start_server() -> HostServer {
    HostServer::start(respond)
}

/// Asserts the kind of error of a URL.
#[track_caller]
fn assert_error(args: &[&str], url: &str, kind: &str) {
    let record = start_server().fetch_record(args, url);
    assert_eq!(record["error"]["kind"], kind, "{record}");
    assert_eq!(record["error"]["tool"], "fetch-extract");
    assert!(
        record.get("text").is_none() && record["fetch"].get("digest").is_none(),
        "{record}"
    );
}

#[test]
fn a_page_becomes_a_document() {
    let record =
        start_server().fetch_record(&["--contact", "me@here.test"], "http://utf8.test/a?b#c");
    assert_eq!(record["text"], STORY);
    assert_eq!(record["title"], "Čebela");
    assert_eq!(record["id"].as_str().unwrap().len(), 64);
    let fetch = &record["fetch"];
    assert_eq!(
        (&fetch["url"], &fetch["status"]),
        (&json!("http://utf8.test/a?b"), &json!(200))
    );
    assert_eq!(
        (&fetch["media_type"], &fetch["charset"]),
        (&json!("text/html"), &json!("UTF-8"))
    );
    assert_eq!(
        (&fetch["html_lang"], fetch["digest"].as_str().unwrap().len()),
        (&json!("sl"), 64)
    );
    assert!(
        fetch["at"].as_str().unwrap().ends_with('Z') && fetch["bytes"].as_u64().unwrap() > 100,
        "{fetch}"
    );
}

#[test]
fn a_request_contains_the_url_and_the_contact() {
    let server = start_server();
    server.fetch_record(&["--contact", "me@here.test"], "http://utf8.test:81/a?b");
    let requests = server.requests();
    let targets: Vec<_> = requests
        .iter()
        .map(|request| (request.host.as_str(), request.path.as_str()))
        .collect();
    assert_eq!(
        targets,
        [("utf8.test:81", "/robots.txt"), ("utf8.test:81", "/a?b")]
    );
    assert!(
        requests[1].header_block.contains("(+mailto:me@here.test)"),
        "{}",
        requests[1].header_block
    );
    assert!(
        requests[1]
            .header_block
            .to_ascii_lowercase()
            .contains("accept-encoding: gzip, br, zstd, deflate")
    );
}

#[test]
fn every_encoding_gives_the_same_text() {
    let server = start_server();
    for (host, charset) in [
        ("utf8", "UTF-8"),
        ("label", "UTF-8"),
        ("wronglabel", "windows-1250"),
        ("meta", "windows-1250"),
        ("wide", "UTF-16LE"),
        ("gzip", "UTF-8"),
    ] {
        let record = server.fetch_record(&[], &format!("http://{host}.test/"));
        assert_eq!(
            (&record["text"], &record["fetch"]["charset"]),
            (&json!(STORY), &json!(charset)),
            "{host}"
        );
    }
}

#[test]
fn redirects_are_followed_to_the_page_but_not_to_other_schemes_or_without_end() {
    let record = start_server().fetch_record(&[], "http://go.test/once");
    assert_eq!(
        (&record["text"], &record["fetch"]["url"]),
        (&json!(STORY), &json!("http://utf8.test/there"))
    );
    assert_eq!(record["url"], "http://go.test/once");
    assert_error(&[], "http://go.test/loop", "redirect");
    assert_error(&[], "http://go.test/far", "redirect");
    assert_error(&[], "http://go.test/file", "redirect");
}

#[test]
fn a_cookie_is_sent_along_its_redirect_chain_only() {
    let wall_requests = AtomicU32::new(0);
    let server = HostServer::start(move |_: &str, path: &str| match path {
        "/robots.txt" => status(404),
        "/wall"
            if wall_requests
                .fetch_add(1, Ordering::SeqCst)
                .is_multiple_of(2) =>
        {
            HostResponse::Complete(
                302,
                "Location: /wall\r\nSet-Cookie: key=1; Path=/\r\n".into(),
                Vec::new(),
            )
        }
        "/wall" => html(format!("<p>{STORY}")),
        // The request after this redirect would be the same.
        _ => HostResponse::Complete(
            302,
            "Location: /\r\nSet-Cookie: key=1\r\n".into(),
            Vec::new(),
        ),
    });
    for _ in 0..2 {
        assert_eq!(
            server.fetch_record(&[], "http://a.test/wall")["text"],
            STORY
        );
    }
    let sent_cookies = server
        .requests()
        .iter()
        .filter(|request| request.path == "/wall")
        .map(|request| request.header_block.contains("key=1"))
        .collect::<Vec<_>>();
    assert_eq!(sent_cookies, [false, true, false, true]);
    assert_eq!(
        server.fetch_record(&[], "http://a.test/")["error"]["kind"],
        "redirect"
    );
}

#[test]
fn robots_txt_is_obeyed_also_after_a_redirect() {
    assert_error(&[], "http://drobots.test/closed/x", "robots");
    assert_error(&[], "http://movedrobots.test/closed", "robots");
    assert_error(&[], "http://go.test/closed", "robots");
    assert_error(&[], "http://downrobots.test/", "robots");
    assert_eq!(
        start_server().fetch_record(&[], "http://drobots.test/open")["text"],
        STORY
    );
}

#[test]
fn robots_txt_is_requested_once_per_host() {
    let server = start_server();
    let urls: String = (0..20)
        .map(|n| format!("{{\"url\":\"http://utf8.test/{n}\"}}\n"))
        .collect();
    assert_eq!(server.fetch(&[], urls).expect_exit(0).records().len(), 20);
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|request| request.path == "/robots.txt")
            .count(),
        1
    );
}

#[test]
fn failures_are_reported_by_kind() {
    assert_error(&[], "http://status.test/404", "http-status");
    assert_error(&[], "http://status.test/500", "http-status");
    assert_error(&[], "http://status.test/304", "http-status");
    assert_error(&[], "http://status.test/301", "redirect");
    assert_error(&[], "http://hangup.test/", "connect");
    assert_error(&[], "http://pdf.test/", "bad-body");
    assert_error(&[], "http://image.test/", "unsupported-type");
    assert_error(&[], "http://empty.test/", "no-text");
    assert_error(&[], "http://badgzip.test/", "bad-body");
    assert_error(
        &["--max-bytes", "100000"],
        "http://large.test/",
        "too-large",
    );
    assert_error(&["--timeout", "0.5"], "http://drip.test/", "timeout");
    assert_error(&[], "https://utf8.test/", "tls");
    assert_error(&[], "ftp://utf8.test/", "bad-url");
    assert_error(&[], "utf8.test", "bad-url");
}

#[test]
fn an_unreachable_host_is_reported() {
    let closed = format!("127.0.0.1:{}", unused_port());
    let args = ["--connect-to", &closed, "--delay", "0"];
    let record = run_tool("fetch-extract", args, r#"{"url":"http://a.test/"}"#)
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert_eq!(record["error"]["kind"], "connect", "{record}");
}

#[test]
fn plain_text_is_split_into_paragraphs() {
    let record = start_server().fetch_record(&[], "http://plain.test/");
    assert_eq!(record["text"], "prva vrsta\n2 < 3");
    assert!(record.get("title").is_none());
}

#[test]
fn fifty_thousand_nested_elements_are_read() {
    assert_eq!(
        start_server().fetch_record(&[], "http://deep.test/")["text"],
        STORY
    );
}

#[test]
fn requests_to_a_host_are_delayed() {
    let server = start_server();
    let urls = [
        "http://utf8.test/1",
        "http://meta.test/",
        "http://utf8.test/2",
    ]
    .map(|url| format!("{{\"url\":\"{url}\"}}\n"))
    .concat();
    server.fetch(&["--delay", "0.2"], urls).expect_exit(0);
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|request| request.host == "utf8.test")
            .count(),
        3
    );
    let shortest_pause = server.shortest_pause("utf8.test");
    assert!(
        shortest_pause >= Duration::from_millis(200),
        "{shortest_pause:?}"
    );
}

#[test]
fn a_slow_host_does_not_change_the_order_or_delay_other_hosts() {
    let gate = Arc::<Gate>::default();
    let other_requests = Arc::new(AtomicU32::new(0));
    let slow_gate = gate.clone();
    let count = other_requests.clone();
    gate.admit(0);
    let web = HostServer::start(move |host, path| {
        match host {
            "slow.test" => slow_gate.wait(),
            _ => drop(count.fetch_add(1, Ordering::SeqCst)),
        }
        respond("utf8.test", path)
    });
    let mut urls = String::from("{\"n\":0,\"url\":\"http://slow.test/\"}\n");
    urls.extend((1..50).map(|n| format!("{{\"n\":{n},\"url\":\"http://utf8.test/{n}\"}}\n")));
    let records = std::thread::scope(|threads| {
        let records = threads.spawn(|| web.fetch(&[], urls).expect_exit(0).records());
        // 49 pages and robots.txt: the slow host does not respond before all other requests.
        wait_for("the requests to the other host", || {
            other_requests.load(Ordering::SeqCst) == 50
        });
        gate.open();
        records.join().unwrap()
    });
    let numbers: Vec<u64> = records
        .iter()
        .map(|record| record["n"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..50).collect::<Vec<u64>>());
    assert!(records[1..].iter().all(|record| record["text"] == STORY));
}

#[test]
fn pages_in_files_become_records() {
    let folder = temp_folder();
    let path = folder.path().join("page.html");
    std::fs::write(
        &path,
        central_european(&format!(
            "<meta charset=cp1250><title>Čebela</title>{STORY}"
        )),
    )
    .unwrap();
    let record = run_tool("fetch-extract", ["--html".as_ref(), path.as_os_str()], "")
        .expect_exit(0)
        .records()
        .pop()
        .unwrap();
    assert_eq!(
        (&record["text"], &record["title"]),
        (&json!(STORY), &json!("Čebela"))
    );
    let second = folder.path().join("druga stran.txt");
    std::fs::write(&second, "prva\nvrsta").unwrap();
    let two_files = ["--html".as_ref(), second.as_os_str(), path.as_os_str()];
    let records = run_tool("fetch-extract", two_files, "")
        .expect_exit(0)
        .records();
    assert_eq!(
        (&records[0]["text"], &records[1]),
        (&json!("prva\nvrsta"), &record)
    );
    // No record has the folders of the machine.
    assert_eq!(records[0]["url"], "file:druga%20stran.txt");
    let with_missing_file = ["--html".as_ref(), path.as_os_str(), "/none".as_ref()];
    assert_eq!(
        run_tool("fetch-extract", with_missing_file, "")
            .expect_exit(1)
            .records(),
        [record]
    );
}

#[test]
fn robots_check_prints_one_word_and_sets_the_exit_code() {
    let folder = temp_folder();
    let path = folder.path().join("robots.txt");
    std::fs::write(&path, "User-agent: a\nDisallow: /x\n").unwrap();
    for (agent, answer, exit_code) in [("a", "disallow\n", 1), ("b", "allow\n", 0)] {
        let args = [
            "--robots-check",
            path.to_str().unwrap(),
            agent,
            "http://h.test/x/y",
        ];
        assert_eq!(
            run_tool("fetch-extract", args, "")
                .expect_exit(exit_code)
                .stdout,
            answer
        );
    }
    let check = |url: &str| {
        run_tool(
            "fetch-extract",
            ["--robots-check", path.to_str().unwrap(), "a", url],
            "",
        )
    };
    for url in ["/x/y", "x", "h.test/x", "http://"] {
        let output = check(url).expect_exit(2);
        assert!(
            output.stdout.is_empty() && output.stderr.contains("is not an absolute URL"),
            "{url}: {}",
            output.stderr
        );
    }
    assert_eq!(
        check("").expect_exit(0).stdout,
        "allow\n",
        "an empty URL is the root"
    );
}

/// Compares the texts of real pages, if they are available, with and without the network.
#[test]
fn real_pages_have_the_same_text_with_and_without_the_network() {
    let path = project_root().join("../shared/data/closed-web/html.jsonl.zst");
    if !path.exists() {
        println!("skipped: {} does not exist", path.display());
        return;
    }
    let mut zstd = std::process::Command::new("zstd");
    let mut child = zstd
        .args(["-dcq", "--long=27"])
        .arg(path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let pages: Vec<Value> = lines
        .step_by(40)
        .take(50)
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    let _ = (child.kill(), child.wait());
    let string_field = |page: &Value, key: &str| page[key].as_str().unwrap().to_owned();
    let by_url: HashMap<String, String> = pages
        .iter()
        .map(|page| (string_field(page, "url"), string_field(page, "html")))
        .collect();
    let server =
        HostServer::start(
            move |host, path| match by_url.get(&format!("http://{host}{path}")) {
                Some(page) => html(page),
                None => status(404),
            },
        );
    let input = |key: &str| -> String {
        pages
            .iter()
            .map(|page| json!({ "url": page["url"], key: page[key] }).to_string() + "\n")
            .collect()
    };
    let fetched = server.fetch(&[], input("lang")).expect_exit(0).records();
    let extracted = run_tool("fetch-extract", [""; 0], input("html"))
        .expect_exit(0)
        .records();
    assert_eq!(fetched.len(), pages.len());
    for (fetched, extracted) in fetched.iter().zip(&extracted) {
        assert_eq!(fetched["text"], extracted["text"], "{}", fetched["url"]);
        assert!(fetched["text"].is_string(), "{fetched}");
    }
}

#[test]
fn an_error_record_has_the_final_url_and_status() {
    let server = HostServer::start(|host, path| match (host, path) {
        ("a.test", "/moved") => redirect("http://b.test/gone"),
        (_, "/robots.txt") => status(404),
        (_, "/gone") => status(410),
        _ => HostResponse::Hangup,
    });
    let record = server.fetch_record(&[], "http://a.test/moved");
    assert_eq!(record["error"]["kind"], "http-status");
    assert_eq!(
        (&record["fetch"]["url"], &record["fetch"]["status"]),
        (&json!("http://b.test/gone"), &json!(410))
    );
    assert!(
        server
            .fetch_record(&[], "http://c.test/")
            .get("fetch")
            .is_none(),
        "there was no response"
    );
}

#[test]
fn pages_of_a_host_are_fetched_in_the_order_of_the_input() {
    for _ in 0..10 {
        let web = start_server();
        let urls =
            (0..40).map(|n| json!({"url": format!("http://utf8.test/{n}")}).to_string() + "\n");
        web.fetch(&[], urls.collect::<String>()).expect_exit(0);
        let request: Vec<String> = web
            .requests()
            .into_iter()
            .map(|request| request.path)
            .skip(1)
            .collect();
        assert_eq!(
            request,
            (0..40).map(|n| format!("/{n}")).collect::<Vec<_>>()
        );
    }
}
