//! Archives in the tests: reading them, and making some as other tools do.

use crate::{Done, root, run};
use std::path::Path;
use std::process::Command;

/// Runs `fetch-extract` on an archive.
pub fn from_archive(archive: &Path, args: &[&str]) -> Done {
    run(
        "fetch-extract",
        args.iter()
            .map(AsRef::as_ref)
            .chain(["--from-warc".as_ref(), archive.as_os_str()]),
        "",
    )
}

/// What a program of Python's says of an archive, with the packages that tests/install-needs puts
/// into target/python.
pub fn python(script: &str, archive: &Path) -> String {
    let packages = root().join("target/python");
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(archive)
        .env("PYTHONPATH", packages)
        .output();
    let output = output.expect("python3 is installed; tests/install-needs does it");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A record of WARC 1.0, with these lines in its head besides type, URL, date and length.
pub fn record(kind: &str, url: &str, lines: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n{lines}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A record of a page of HTML that was answered with success; its headers have these lines, too.
pub fn page(url: &str, lines: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{lines}\r\n");
    record(
        "response",
        url,
        "Content-Type: application/http; msgtype=response\r\n",
        &[head.as_bytes(), body].concat(),
    )
}
