//! fetch-extract with responses as servers write them that do not keep to the standards.

use forage_tests::archives::extract_archive;
use forage_tests::server::{HostResponse, HostServer, html, redirect, status};
use forage_tests::{gzip, temp_folder};
use serde_json::{Value, json};

const STORY: &str =
    "Čebela leti čez žito in išče šipek, življenje v gozdu pa je že od nekdaj skrivnostno.";
const TYPE: &str = "Content-Type: text/html; charset=utf-8\r\n";

fn page() -> Vec<u8> {
    format!("<!doctype html><html lang=sl><title>Čebela</title><p>{STORY}</p></html>").into()
}

/// Returns a response with these header lines, and the length of the body unless they have one.
fn raw(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = match headers.contains("Content-Length") || headers.contains("chunked") {
        true => String::new(),
        false => format!("Content-Length: {}\r\n", body.len()),
    };
    let head = format!("HTTP/1.1 200 OK\r\n{headers}{length}\r\n");
    [head.as_bytes(), body].concat()
}

fn chunk(body: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat()
}

/// Fetches a page that is sent as these bytes.
fn fetch_raw(bytes: Vec<u8>) -> Value {
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        _ => HostResponse::Raw(bytes.clone()),
    });
    server.fetch_record(&["--retries", "0"], "http://a.test/")
}

#[track_caller]
fn assert_story(record: &Value, is_truncated: bool, name: &str) {
    assert_eq!(record["text"], STORY, "{name}: {record}");
    let mark = record["fetch"].get("truncated");
    assert_eq!(mark == Some(&json!(true)), is_truncated, "{name}");
}

#[test]
fn malformed_header_blocks_are_read() {
    let page = page();
    let length = page.len();
    for head in [
        format!(
            "HTTP/1.1 200 OK\n{}Content-Length: {length}\n\n",
            TYPE.replace('\r', "")
        ),
        format!("HTTP/1.1 200\r\n{TYPE}\r\n"),
        format!("HTTP/1.0 200 OK\r\n{TYPE}\r\n"),
        "HTTP/1.1 200 OK\r\n\r\n".into(),
        format!("\r\nHTTP/1.1 200 OK\r\n{TYPE}\r\n"),
        format!("HTTP/1.1 200 OK\r\nno header field\r\nX Y: z\r\n{TYPE}\r\n"),
        "HTTP/1.1 200 OK\r\nContent-Type :\r\n text/html\r\n\r\n".into(),
        format!("HTTP/1.1 200 OK\r\n{TYPE}Content-Length: {length}, {length}\r\n\r\n"),
        format!("HTTP/1.1 200 OK\r\n{TYPE}Transfer-Encoding: identity\r\n\r\n"),
    ] {
        assert_story(&fetch_raw([head.as_bytes(), &page].concat()), false, &head);
    }
    let latin_1 = b"HTTP/1.1 200 R\xe9ussi\r\nX: \xe9t\xe9\r\nContent-Encoding: \xe9\r\n\r\n";
    assert_story(&fetch_raw([latin_1, &page[..]].concat()), false, "Latin-1");
}

#[test]
fn a_wrong_media_type_is_sniffed() {
    for headers in [
        "Content-Type: text/html,text/html; charset=utf-8\r\n",
        "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
        "Content-Type: unknown/unknown\r\n",
        "Content-Type: html\r\n",
        "Content-Type: */*\r\n",
        "Content-Type:\r\n",
        "Content-Type: application/xml\r\n",
        "Content-Type: application/octet-stream\r\n",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-httpd-php\r\n",
    ] {
        assert_story(&fetch_raw(raw(headers, &page())), false, headers);
    }
}

#[test]
fn what_can_be_decoded_is_read() {
    let sound = gzip::stored(&page());
    let end = sound.len() - 8;
    let mut wrong = sound.clone();
    wrong[end] ^= 1;
    for (coding, body, is_truncated) in [
        ("gzip", sound.clone(), false),
        ("gzip", wrong, true),
        ("gzip", sound[..end].to_vec(), true),
        ("gzip", sound[..end - 7].to_vec(), true),
        ("gzip", [&sound[..], b"<!-- 0.1 s -->"].concat(), false),
        ("gzip, gzip", sound.clone(), false),
        ("X-GZIP", sound.clone(), false),
        ("br", sound, false),
        ("utf-8", page(), false),
        ("gzip", page(), false),
    ] {
        let headers = format!("{TYPE}Content-Encoding: {coding}\r\n");
        let name = format!("{coding}, {} bytes", body.len());
        assert_story(&fetch_raw(raw(&headers, &body)), is_truncated, &name);
    }
}

#[test]
fn a_response_that_ends_early_is_read_and_marked() {
    let page = page();
    let chunked = format!("{TYPE}Transfer-Encoding: chunked\r\n");
    for (name, response) in [
        (
            "a length that is too large",
            raw(&format!("{TYPE}Content-Length: 9999\r\n"), &page),
        ),
        ("chunks without an end", raw(&chunked, &chunk(&page))),
        (
            "a chunk that is cut",
            raw(&chunked, &chunk(&page)[..page.len()]),
        ),
        (
            "no chunk",
            raw(&chunked, &[&chunk(&page)[..], b"zz"].concat()),
        ),
    ] {
        assert_story(&fetch_raw(response), true, name);
    }
}

#[test]
fn a_response_that_ends_at_the_same_place_again_is_requested_twice() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        _ => HostResponse::Raw(raw(&format!("{TYPE}Content-Length: 9999\r\n"), &page())),
    });
    let urls: String = (0..6)
        .map(|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n"))
        .collect();
    let records = server
        .fetch(&["--retries", "9"], urls)
        .expect_exit(0)
        .records();
    // The host is not backed off either.
    records
        .iter()
        .for_each(|record| assert_story(record, true, "a page"));
    assert_eq!(server.requests().len(), 1 + 2 * records.len());
}

#[test]
fn a_robots_txt_that_ends_early_allows_nothing() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => HostResponse::Raw(raw("Content-Length: 99\r\n", b"User-agent: *\n")),
        _ => html(page_text()),
    });
    let record = server.fetch_record(&["--retries", "0"], "http://a.test/");
    assert_eq!(record["error"]["kind"], "robots", "{record}");
}

fn page_text() -> String {
    String::from_utf8(page()).unwrap()
}

/// Returns the response of a web of redirects.
fn respond(host: &str, path: &str) -> HostResponse {
    let refresh = |content: &str| {
        html(format!(
            "<meta http-equiv=refresh content=\"{content}\"><p>Pojdite drugam."
        ))
    };
    match (host, path) {
        ("closed.test", "/robots.txt") => {
            HostResponse::Complete(200, String::new(), b"User-agent: *\nDisallow: /".to_vec())
        }
        (_, "/robots.txt") => status(404),
        (_, "/legacy") => HostResponse::Raw(
            b"HTTP/1.1 301 On\r\nLocation:  /\xf0\xf3?\xe8#\xe9 \r\nContent-Length: 0\r\n\r\n"
                .into(),
        ),
        (_, "/%F0%F3?%E8" | "/%C4%8D" | "/cilj") => html(page_text()),
        (_, "/utf-8") => redirect("//b.test/č"),
        (_, "/tag") => refresh("0; URL='/cilj'"),
        (_, "/field") => HostResponse::Complete(
            200,
            format!("{TYPE}Refresh: 3;url=cilj\r\n"),
            b"<p>Pojdite drugam.".into(),
        ),
        (_, "/twice") => refresh("0;url=tag"),
        (_, "/closed") => refresh("0;url=http://closed.test/cilj"),
        (_, "/private") => refresh("0;url=http://10.0.0.1/"),
        (_, "/gone") => refresh("0;url=/missing"),
        (_, "/missing") => status(404),
        (_, "/noscript") => html(format!(
            "<noscript><meta http-equiv=refresh content='0;url=cilj'></noscript><p>{STORY}"
        )),
        (_, "/late") => refresh("60;url=cilj"),
        (_, "/own") => refresh("5;url=/own"),
        (_, "/circle") => refresh("5;url=/circle-2"),
        (_, "/circle-2") => refresh("5;url=/circle"),
        _ => status(500),
    }
}

#[test]
fn redirects_in_any_form_are_followed_and_archived() {
    let dir = temp_folder();
    let archive = dir.path().join("pages.warc.gz");
    let server = HostServer::start(respond);
    let cases = [
        ("legacy", "http://a.test/%F0%F3?%E8"),
        ("utf-8", "http://b.test/%C4%8D"),
        ("tag", "http://a.test/cilj"),
        ("field", "http://a.test/cilj"),
        ("twice", "http://a.test/cilj"),
        ("noscript", "http://a.test/noscript"),
    ];
    let lines: String = cases
        .iter()
        .map(|(path, _)| format!("{{\"url\":\"http://a.test/{path}\"}}\n"))
        .collect();
    let args = ["--warc", archive.to_str().unwrap()];
    let mut fetched = server.fetch(&args, lines).expect_exit(0).records();
    for ((path, url), record) in cases.iter().zip(&fetched) {
        assert_eq!(record["fetch"]["url"], *url);
        assert_story(record, false, path);
    }
    let mut archived = extract_archive(&archive, &[] as &[&str])
        .expect_exit(0)
        .records();
    for records in [&mut fetched, &mut archived] {
        records.sort_by_key(|record| record["url"].to_string());
        // Which of the equal bodies is the first depends on the order of the responses.
        for record in records {
            record["fetch"].as_object_mut().unwrap().remove("soft_404");
        }
    }
    assert_eq!(fetched, archived);
}

#[test]
fn redirects_by_pages_are_bound_by_the_rules_for_redirects() {
    let server = HostServer::start(respond);
    for (path, kind) in [
        ("closed", "robots"),
        ("private", "forbidden-address"),
        ("gone", "http-status"),
    ] {
        let record = server.fetch_record(&[], &format!("http://a.test/{path}"));
        assert_eq!(record["error"]["kind"], kind, "{record}");
    }
    for path in ["late", "own", "circle"] {
        let record = server.fetch_record(&[], &format!("http://a.test/{path}"));
        assert_eq!(record["text"], "Pojdite drugam.", "{path}: {record}");
    }
}

#[test]
fn links_are_those_that_browsers_follow() {
    let page = b"<meta charset=windows-1250><base href='/b/'><base href='/c/'><p>Beseda\
        <a href='\xe8?q=\xe8&r=%C4%8D'>a</a></p>";
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        _ => HostResponse::Complete(200, "Content-Type: text/html\r\n".into(), page.to_vec()),
    });
    let record = server.fetch_record(&["--links"], "http://a.test/x/");
    assert_eq!(
        record["links"][0]["url"],
        "http://a.test/b/%C4%8D?q=%E8&r=%C4%8D"
    );
}

#[test]
fn spellings_of_a_url_are_one_request() {
    let server = HostServer::start(|_, path| match path {
        "/robots.txt" => status(404),
        _ => html(page_text()),
    });
    let urls = ["~ana/%d8%b3", "%7Eana/%D8%B3", "~ana/س"];
    let lines: String = urls
        .iter()
        .map(|path| format!("{{\"url\":\"http://a.test/{path}\"}}\n"))
        .collect();
    let records = server.fetch(&[], lines).expect_exit(0).records();
    records
        .iter()
        .for_each(|record| assert_story(record, false, "a page"));
    assert_eq!(server.requests().len(), 2);
}
