//! fetch-extract with URLs as arguments and in lists, instead of records.

use forage_tests::server::{HostServer, html, status};
use forage_tests::{ToolOutput, temp_folder};
use std::fs;

fn start_server() -> HostServer {
    HostServer::start(|host, path| match path {
        "/robots.txt" => status(404),
        _ => html(format!(
            "<html><head><title>{host}{path}</title></head><body><p>Danes je lep dan in sonce \
             sije nad mestom, zato gremo na dolg sprehod po gozdu do reke.</p></body></html>"
        )),
    })
}

/// Returns `url` of each record, with the kind of its error or its title.
fn results(output: &ToolOutput) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    output
        .records()
        .iter()
        .map(|record| {
            let error = text(&record["error"]["kind"]);
            let title = text(&record["title"]);
            (text(&record["url"]), error + &title)
        })
        .collect()
}

#[track_caller]
fn assert_results(output: &ToolOutput, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(url, result)| ((*url).to_owned(), (*result).to_owned()))
        .collect();
    assert_eq!(results(output), expected, "{}", output.stderr);
}

#[test]
fn arguments_that_are_urls_are_fetched_in_their_order() {
    let dir = temp_folder();
    let file = dir.path().join("hits.jsonl");
    fs::write(&file, "{\"n\":1,\"url\":\"http://b.test/file\"}\n").unwrap();
    let args = ["http://a.test/", file.to_str().unwrap(), "HTTP://c.test/x"];
    let output = start_server().fetch(&args, "").expect_exit(0);
    assert_results(
        &output,
        &[
            ("http://a.test/", "a.test/"),
            ("http://b.test/file", "b.test/file"),
            ("HTTP://c.test/x", "c.test/x"),
        ],
    );
    assert_eq!(output.records()[1]["n"], 1);
}

#[test]
fn a_list_may_have_comments_blank_lines_and_windows_line_ends() {
    let list = "\u{feff}http://a.test/1\r\n\r\n# later\r\n  http://a.test/2  \r\nno url\r\nhttp://a.test/3";
    let dir = temp_folder();
    let file = dir.path().join("urls.txt");
    fs::write(&file, list).unwrap();
    let expected = [
        ("http://a.test/1", "a.test/1"),
        ("http://a.test/2", "a.test/2"),
        ("no url", "bad-url"),
        ("http://a.test/3", "a.test/3"),
    ];
    let server = start_server();
    let args = ["--urls", file.to_str().unwrap()];
    assert_results(&server.fetch(&args, "").expect_exit(0), &expected);
    assert_results(
        &server.fetch(&["--urls", "-"], list).expect_exit(0),
        &expected,
    );
}

#[test]
fn a_line_that_is_not_utf8_is_skipped_and_the_rest_fetched() {
    let output = start_server()
        .fetch(&["--urls", "-"], b"http://a.test/\xff\nhttp://a.test/b\n")
        .expect_exit(1);
    assert_results(&output, &[("http://a.test/b", "a.test/b")]);
    assert!(
        output
            .stderr
            .starts_with("fetch-extract: -:1: invalid UTF-8"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_list_in_the_old_line_ends_of_the_mac_is_read() {
    let list = "\u{feff}http://a.test/1\r# later\r\rhttp://a.test/2\rhttp://a.test/3";
    let output = start_server().fetch(&["--urls", "-"], list).expect_exit(0);
    assert_results(
        &output,
        &[
            ("http://a.test/1", "a.test/1"),
            ("http://a.test/2", "a.test/2"),
            ("http://a.test/3", "a.test/3"),
        ],
    );
}

#[test]
fn a_list_in_utf16_is_read() {
    let dir = temp_folder();
    let file = dir.path().join("urls.txt");
    let text = "\u{feff}http://a.test/1\nhttp://a.test/2\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let server = start_server();
    for bytes in [&bytes, &bytes[2..]] {
        fs::write(&file, bytes).unwrap();
        let args = ["--urls", file.to_str().unwrap()];
        let output = server.fetch(&args, "").expect_exit(0);
        assert_results(
            &output,
            &[
                ("http://a.test/1", "a.test/1"),
                ("http://a.test/2", "a.test/2"),
            ],
        );
    }
}

#[test]
fn records_in_a_list_are_skipped_with_one_hint() {
    let list = "{\"url\":\"http://a.test/1\"}\n".repeat(3) + "http://a.test/2\n";
    let output = start_server().fetch(&["--urls", "-"], list).expect_exit(1);
    assert_results(&output, &[("http://a.test/2", "a.test/2")]);
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{}", output.stderr);
    assert_eq!(
        lines[0],
        "fetch-extract: -:1: is a record, not a URL; line skipped"
    );
    assert_eq!(
        lines[3],
        "fetch-extract: -: has records, not URLs; leave out --urls, or convert it with jq -r .url"
    );
}

#[test]
fn a_file_of_urls_without_the_option_gets_one_message() {
    let dir = temp_folder();
    let file = dir.path().join("urls.txt");
    fs::write(&file, "http://a.test/1\n".repeat(9)).unwrap();
    let file = file.to_str().unwrap();
    let server = start_server();
    for args in [&[file][..], &[file, "--urls", "/dev/null"]] {
        let output = server.fetch(args, "").expect_exit(1);
        assert_eq!(
            output.stderr,
            format!("fetch-extract: {file} holds URLs; use --urls {file}\n")
        );
    }
    let output = server.fetch(&[], "http://a.test/1\n").expect_exit(1);
    assert_eq!(
        output.stderr,
        "fetch-extract: the input holds URLs; use --urls -\n"
    );
    let output = server.fetch(&[], "a.test/1\n").expect_exit(1);
    assert!(
        output.stderr.contains("use --urls for a list of URLs") && !output.stderr.contains("jq"),
        "{}",
        output.stderr
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_url_of_another_scheme_is_no_missing_file() {
    let output = start_server().fetch(&["ftp://host/x"], "").expect_exit(2);
    assert_eq!(
        output.stderr,
        "fetch-extract: ftp://host/x: the scheme ftp is not supported; only http and https are \
         fetched\n"
    );
}

#[test]
fn a_missing_list_or_file_is_reported_before_anything_is_fetched() {
    let server = start_server();
    for args in [
        ["--urls", "/no/such/list"],
        ["http://a.test/", "/no/such/file"],
    ] {
        let output = server.fetch(&args, "").expect_exit(2);
        assert!(output.stderr.contains("/no/such/"), "{}", output.stderr);
    }
    assert!(server.requests().is_empty());
}

#[test]
fn urls_can_be_resumed_archived_and_written_as_a_table() {
    let server = start_server();
    let dir = temp_folder();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (out, warc) = (path("out.jsonl"), path("pages.warc.gz"));
    let urls = ["http://a.test/1", "http://a.test/2", "http://a.test/3"];
    let first = server.fetch(&urls[..2], "").expect_exit(0);
    fs::write(&out, &first.stdout).unwrap();
    fs::write(path("urls.txt"), urls.join("\n")).unwrap();
    let list = path("urls.txt");
    let args = ["--resume", &out, "--warc", &warc, "--urls", &list];
    let rest = server.fetch(&args, "").expect_exit(0);
    assert_results(&rest, &[("http://a.test/3", "a.test/3")]);
    assert!(fs::metadata(&warc).unwrap().len() > 0);
    let fields = "url,fetch.status,title,error.kind";
    let args = ["--tsv", fields, "http://a.test/1", "http://"];
    let table = server.fetch(&args, "").expect_exit(0);
    assert_eq!(
        table.stdout,
        "url\tfetch.status\ttitle\terror.kind\n\
         http://a.test/1\t200\ta.test/1\t\n\
         http://\t\t\tbad-url\n"
    );
}
