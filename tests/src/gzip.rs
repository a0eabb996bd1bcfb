//! Compression without a library, for servers of tests: stored blocks, and bombs.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A body without compression, in gzip's form.
pub fn stored(body: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];
    let length = u16::try_from(body.len()).expect("a short body");
    out.push(1);
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(body);
    let crc = !body.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    });
    out.extend(crc.to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

/// 100 MB of zeros, compressed a thousandfold by the system's `gzip`.
pub fn bomb() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let script = "head -c 100000000 /dev/zero | gzip -9";
        Command::new("sh")
            .args(["-c", script])
            .stderr(Stdio::null())
            .output()
            .expect("gzip runs")
            .stdout
    })
}

/// 100 MB of zeros as a frame of zstd, by the program.
pub fn zstd_bomb() -> &'static [u8] {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let script = "head -c 100000000 /dev/zero | zstd -q";
        Command::new("sh")
            .args(["-c", script])
            .output()
            .expect("zstd runs")
            .stdout
    })
}

/// A zip of so many files of 100 MB each, which all lie at the same place in it.
pub fn zip_bomb(files: u16) -> Vec<u8> {
    // What stands between head and foot of a gzip is what a zip holds; the foot has checksum and
    // size.
    let (deflated, foot) = bomb()[10..].split_at(bomb().len() - 18);
    let size = u32::try_from(deflated.len())
        .expect("a small bomb")
        .to_le_bytes();
    let entry = [
        &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..],
        &foot[..4],
        &size,
        &foot[4..],
        &[5, 0, 0, 0],
    ]
    .concat();
    let mut zip = [&b"PK\x03\x04"[..], &entry[..], b"a.txt", deflated].concat();
    let start = u32::try_from(zip.len())
        .expect("a small bomb")
        .to_le_bytes();
    for _ in 0..files {
        zip.extend([&b"PK\x01\x02\x14\0"[..], &entry, &[0; 14], b"a.txt"].concat());
    }
    let length =
        (u32::try_from(zip.len()).expect("a small bomb") - u32::from_le_bytes(start)).to_le_bytes();
    let files = files.to_le_bytes();
    zip.extend(
        [
            &b"PK\x05\x06\0\0\0\0"[..],
            &files[..],
            &files,
            &length,
            &start,
            &[0, 0],
        ]
        .concat(),
    );
    zip
}
