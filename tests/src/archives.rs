//! WARC archives in tests: reads those of Forage, and builds some as other tools write them.

use crate::{ToolOutput, project_root, run_tool};
use std::path::Path;
use std::process::Command;

/// Runs `fetch-extract --from-warc` on an archive.
pub fn extract_archive(archive: &Path, args: &[&str]) -> ToolOutput {
    run_tool(
        "fetch-extract",
        args.iter()
            .map(AsRef::as_ref)
            .chain(["--from-warc".as_ref(), archive.as_os_str()]),
        "",
    )
}

/// Runs a Python script on an archive, with the packages that tests/install-needs installs in
/// target/python. Returns its standard output.
pub fn run_python(script: &str, archive: &Path) -> String {
    let packages = project_root().join("target/python");
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(archive)
        .env("PYTHONPATH", packages)
        .output();
    let output = output.expect("python3, which tests/install-needs installs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds a record of WARC 1.0. `lines` are added to its header block after type, URL and date.
pub fn warc_record(kind: &str, url: &str, lines: &str, block: &[u8]) -> Vec<u8> {
    let header_block = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\n{lines}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [header_block.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Builds a response record of an HTML page with status 200. `lines` are added to its HTTP headers.
pub fn warc_page(url: &str, lines: &str, body: &[u8]) -> Vec<u8> {
    let http_header =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{lines}\r\n");
    warc_record(
        "response",
        url,
        "Content-Type: application/http; msgtype=response\r\n",
        &[http_header.as_bytes(), body].concat(),
    )
}
