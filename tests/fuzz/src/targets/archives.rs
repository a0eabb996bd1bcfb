//! WARC archives.

use super::{Target, choice, shape_of, shape_of_error};
use forage_warc::ArchiveReader;
use std::io::Write;

/// Archives, plain or packed by gzip or zstd. Those that are plain are packed in half of the cases.
pub const WARC: Target = Target {
    dictionary: &[
        "WARC/1.0\r\n",
        "WARC/1.1\r\n",
        "WARC-Type: response\r\n",
        "WARC-Type: revisit\r\n",
        "WARC-Type: resource\r\n",
        "WARC-Type: conversion\r\n",
        "Content-Length: 0\r\n",
        "\r\n\r\n",
        "WARC-Target-URI: http://a.test/1\r\n",
        "WARC-Date: 2020-01-01T00:00:00Z\r\n",
        "WARC-Truncated: length\r\n",
        "WARC-Segment-Number: 2\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /2\r\n",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: br\r\n",
        "Content-Encoding: zstd, deflate\r\n",
        "Transfer-Encoding: chunked\r\n",
        "ffffffffffffffff\r\n",
        "0\r\n\r\n",
        "Content-Type: ",
        "WARC-Refers-To: <urn:uuid:1>\r\n",
        "WARC-Payload-Digest: sha1:",
        "WARC-Block-Digest: ",
        "\u{1f}\u{8b}\u{8}",
        "(\u{b5}/\u{fd}",
        "X-Robots-Tag: noindex\r\n",
        "Retry-After: 9\r\n",
    ],
    // Of longer ones, a search after damage may read 1 GiB again, its limit.
    max_bytes: 32 << 10,
    ..Target::new("warc", "archives: plain, gzip, zstd", run_warc)
};

/// Size of the longest body that is read.
const MAX_BODY: u64 = 1 << 20;

fn run_warc(input: &[u8]) -> u64 {
    let archive = match (input.starts_with(b"WARC/"), choice(input, 4)) {
        (true, 0) => pack_gzip(input),
        (true, 1) => {
            ruzstd::encoding::compress_to_vec(input, ruzstd::encoding::CompressionLevel::Fastest)
        }
        _ => input.to_vec(),
    };
    super::state_files::with_file(&archive, "a.warc", |path| {
        let mut reader = ArchiveReader::new(MAX_BODY);
        if let Err(error) = reader.open_archive(path) {
            return shape_of_error(error);
        }
        let (mut pages, mut bodies, mut failures) = (0, 0, 0);
        let error = loop {
            match reader.next_page() {
                Ok(Some(page)) => {
                    pages += 1;
                    let result = page.result.as_ref().map(|result| result.response(MAX_BODY));
                    match result {
                        Ok(Ok(response)) => bodies += response.body.len(),
                        Ok(Err(_)) | Err(_) => failures += 1,
                    }
                }
                Ok(None) => break String::new(),
                Err(error) => break error.to_string(),
            }
        };
        let damage = reader.take_damage().len();
        shape_of(&error, &[pages, bodies, failures, damage])
    })
}

/// Packs each record on its own, as archives do.
fn pack_gzip(archive: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut start = 0;
    while start < archive.len() {
        let rest = &archive[start..];
        let next = rest
            .windows(7)
            .skip(1)
            .position(|window| window == b"\nWARC/1");
        let end = next.map_or(archive.len(), |at| start + at + 2);
        let mut encoder = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        encoder
            .write_all(&archive[start..end])
            .expect("memory can be written to");
        packed = encoder.finish().expect("memory can be written to");
        start = end;
    }
    packed
}
