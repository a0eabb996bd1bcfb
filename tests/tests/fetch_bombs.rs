//! fetch-extract and ten gigabytes in a few megabytes: each ends in an error record within limits, soon, and without
//! taking the memory.

use forage_tests::server::{Answer, Server, ok, status};
use forage_tests::{bin, gzip};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory that the tool may take, in kB, in a debug build.
const MOST_MEMORY: u64 = 400_000;
const HUNDREDS: usize = 100;

/// The record of a URL, and the most memory that the tool took, in kB.
fn measured(server: &Server, url: &str) -> (Value, u64) {
    let address = server.address.to_string();
    let mut command = Command::new(bin("fetch-extract"));
    command.args(["--connect-to", &address, "--delay", "0"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", json!({ "url": url })).unwrap();
    let (place, mut most) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&place).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(peak.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut line = String::new();
    child.stdout.take().unwrap().read_to_string(&mut line).unwrap();
    (serde_json::from_str(&line).unwrap(), most)
}

/// Bodies that unpack to ten gigabytes, by the path under which they are served.
fn bomb(path: &str) -> Answer {
    let coded = |coding: &str, body: Vec<u8>| {
        Answer::Whole(200, format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n"), body)
    };
    // The last member is small, so that the size at the end of the body says nothing.
    let members = || [gzip::bomb().repeat(HUNDREDS), gzip::stored(b"small")].concat();
    match path {
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
    let server = Server::start(|_, path| bomb(path));
    bin("fetch-extract");
    for path in ["gzip", "deflate-in-gzip", "br", "zstd", "document.gz", "document.zip"] {
        let start = Instant::now();
        let (record, memory) = measured(&server, &format!("http://a.test/{path}"));
        assert_eq!(record["error"]["kind"], "too-large", "{path}: {record}");
        assert!(start.elapsed() < Duration::from_secs(20), "{path}: {:?}", start.elapsed());
        assert!(memory > 0 && memory < MOST_MEMORY, "{path}: {memory} kB");
    }
}
