//! fetch-extract and decompression bombs of 10 GB in a few MB: each causes an error record within
//! limits of CPU time and memory.

use forage_tests::server::{HostResponse, HostServer, ok, status};
use forage_tests::{gzip, tool_path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Memory limit of the tool in kB, for a debug build.
const MAX_MEMORY_KB: u64 = 400_000;
/// CPU time limit of the tool in seconds, which does not depend on the load of the machine.
const MAX_CPU_SECONDS: u64 = 20;
/// Parts of 100 MB in a bomb of 10 GB.
const PARTS: usize = 100;

/// Fetches a URL. Returns its record, the peak memory of the tool in kB, and its CPU time in
/// seconds.
fn measure_fetch(server: &HostServer, url: &str) -> (Value, u64, u64) {
    let address = server.address.to_string();
    let mut command = Command::new(tool_path("fetch-extract"));
    command
        .args(["--connect-to", &address, "--delay", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut child_stdin = child.stdin.take().unwrap();
    writeln!(child_stdin, "{}", json!({ "url": url })).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    // /proc has the figures only while the tool runs, so the input is closed after reading them.
    let read_proc =
        |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
    let status = read_proc("status");
    let cpu_times = read_proc("stat");
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    });
    // User and system time in 1/100 s: the 12th and 13th field after the name, which may contain
    // anything.
    let cpu_times = cpu_times
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .skip(11)
        .take(2);
    let ticks: u64 = cpu_times
        .map(|cpu_seconds| cpu_seconds.parse::<u64>().unwrap())
        .sum();
    drop(child_stdin);
    assert!(child.wait().unwrap().success());
    (
        serde_json::from_str(&line).unwrap(),
        peak.unwrap(),
        ticks / 100,
    )
}

/// Returns a body that unpacks to 10 GB, by its path.
fn respond(path: &str) -> HostResponse {
    let encoded = |coding: &str, body: Vec<u8>| {
        HostResponse::Complete(
            200,
            format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n"),
            body,
        )
    };
    // The last member is small, so that the size at the end of the body is misleading.
    let members = || [gzip::bomb().repeat(PARTS), gzip::stored(b"small")].concat();
    match path {
        "/one-gzip" => encoded("gzip", gzip::bomb().to_vec()),
        "/gzip" => encoded("gzip", members()),
        "/deflate-in-gzip" => encoded("gzip, gzip", gzip::stored(&gzip::bomb()[..60_000])),
        "/br" => encoded("br", include_bytes!("../fixtures/zeros-10g.br").to_vec()),
        "/zstd" => encoded("zstd", gzip::zstd_bomb().repeat(PARTS)),
        "/document.gz" => ok("application/gzip", &members()),
        "/document.zip" => ok("application/zip", &gzip::zip_bomb(PARTS as u16)),
        _ => status(404),
    }
}

#[test]
fn decompression_bombs_cause_errors_within_limits() {
    let server = HostServer::start(|_, path| respond(path));
    for path in [
        "one-gzip",
        "gzip",
        "deflate-in-gzip",
        "br",
        "zstd",
        "document.gz",
        "document.zip",
    ] {
        let (record, memory_kb, cpu_seconds) =
            measure_fetch(&server, &format!("http://a.test/{path}"));
        assert_eq!(record["error"]["kind"], "too-large", "{path}: {record}");
        assert!(cpu_seconds < MAX_CPU_SECONDS, "{path}: {cpu_seconds} s");
        assert!(
            memory_kb > 0 && memory_kb < MAX_MEMORY_KB,
            "{path}: {memory_kb} kB"
        );
    }
}
