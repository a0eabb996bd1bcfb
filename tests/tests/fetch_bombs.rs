//! fetch-extract and ten gigabytes in a few megabytes: each ends in an error record within limits,
//! at little cost in time of the processor, and without taking the memory.

use forage_tests::server::{HostResponse, HostServer, ok, status};
use forage_tests::{gzip, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Memory that the tool may take, in kB, in a debug build.
const MOST_MEMORY: u64 = 400_000;
/// Time of the processor that it may take, in seconds, whatever else the machine does.
const MOST_TIME: u64 = 20;
const HUNDREDS: usize = 100;

/// The record of a URL, the most memory that the tool took, in kB, and its time of the processor,
/// in seconds.
fn measured(server: &HostServer, url: &str) -> (Value, u64, u64) {
    let address = server.address.to_string();
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args(["--connect-to", &address, "--delay", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    writeln!(to, "{}", json!({ "url": url })).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    // It waits for more: now the system tells what it took, and only then its input is closed.
    let told =
        |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
    let (status, times) = (told("status"), told("stat"));
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    });
    // After the name, which may hold anything, the twelfth and the one after it, in hundredths.
    let times = times
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .skip(11)
        .take(2);
    let ticks: u64 = times.map(|time| time.parse::<u64>().unwrap()).sum();
    drop(to);
    assert!(child.wait().unwrap().success());
    (
        serde_json::from_str(&line).unwrap(),
        peak.unwrap(),
        ticks / 100,
    )
}

/// Bodies that unpack to ten gigabytes, by the path under which they are served.
fn bomb(path: &str) -> HostResponse {
    let coded = |coding: &str, body: Vec<u8>| {
        HostResponse::Complete(
            200,
            format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n"),
            body,
        )
    };
    // The last member is small, so that the size at the end of the body says nothing.
    let members = || [gzip::bomb().repeat(HUNDREDS), gzip::stored(b"small")].concat();
    match path {
        "/one-gzip" => coded("gzip", gzip::bomb().to_vec()),
        "/gzip" => coded("gzip", members()),
        "/deflate-in-gzip" => coded("gzip, gzip", gzip::stored(&gzip::bomb()[..60_000])),
        "/br" => coded("br", include_bytes!("../fixtures/zeros-10g.br").to_vec()),
        "/zstd" => coded("zstd", gzip::zstd_bomb().repeat(HUNDREDS)),
        "/document.gz" => ok("application/gzip", &members()),
        "/document.zip" => ok("application/zip", &gzip::zip_bomb(HUNDREDS as u16)),
        _ => status(404),
    }
}

#[test]
fn ten_gigabytes_in_a_few_megabytes_end_within_limits() {
    let server = HostServer::start(|_, path| bomb(path));
    for path in [
        "one-gzip",
        "gzip",
        "deflate-in-gzip",
        "br",
        "zstd",
        "document.gz",
        "document.zip",
    ] {
        let (record, memory, time) = measured(&server, &format!("http://a.test/{path}"));
        assert_eq!(record["error"]["kind"], "too-large", "{path}: {record}");
        assert!(time < MOST_TIME, "{path}: {time} s");
        assert!(memory > 0 && memory < MOST_MEMORY, "{path}: {memory} kB");
    }
}
