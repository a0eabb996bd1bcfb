//! Compressed bodies for test servers, without a library: stored blocks and decompression bombs.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns a gzip stream with one stored (uncompressed) block of at most 65,535 bytes (RFC 1951,
/// section 3.2.4).
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

/// Returns a zstd frame with one uncompressed block of at most 65,535 bytes (RFC 8878, section 3.1).
pub fn zstd_stored(body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).expect("a short body");
    // A single segment of a window of 64 KB to 128 KB, and the last block, which is raw.
    let header = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x30];
    let block = (u32::from(length) << 3 | 1).to_le_bytes();
    [&header[..], &block[..3], body].concat()
}

/// Returns 100 MB of zeros as a gzip stream of about 100 kB, by the `gzip` of the system.
pub fn bomb() -> &'static [u8] {
    static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
    BOMB.get_or_init(|| {
        let script = "head -c 100000000 /dev/zero | gzip -9";
        Command::new("sh")
            .args(["-c", script])
            .stderr(Stdio::null())
            .output()
            .expect("gzip runs")
            .stdout
    })
}

/// Returns 100 MB of zeros as a zstd frame, by the `zstd` of the system.
pub fn zstd_bomb() -> &'static [u8] {
    static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
    BOMB.get_or_init(|| {
        let script = "head -c 100000000 /dev/zero | zstd -q";
        Command::new("sh")
            .args(["-c", script])
            .output()
            .expect("zstd runs")
            .stdout
    })
}

/// Returns a zip archive whose central directory has `files` entries of 100 MB each for the same
/// data.
pub fn zip_bomb(files: u16) -> Vec<u8> {
    // The deflate stream of a gzip file follows its header of 10 bytes. Its trailer of 8 bytes has
    // the checksum and the size.
    let (deflated, trailer) = bomb()[10..].split_at(bomb().len() - 18);
    let size = u32::try_from(deflated.len())
        .expect("a small bomb")
        .to_le_bytes();
    let entry = [
        &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..],
        &trailer[..4],
        &size,
        &trailer[4..],
        &[5, 0, 0, 0],
    ]
    .concat();
    let mut zip = [&b"PK\x03\x04"[..], &entry[..], b"a.txt", deflated].concat();
    let directory_offset = u32::try_from(zip.len())
        .expect("a small bomb")
        .to_le_bytes();
    for _ in 0..files {
        zip.extend([&b"PK\x01\x02\x14\0"[..], &entry, &[0; 14], b"a.txt"].concat());
    }
    let directory_end = u32::try_from(zip.len()).expect("a small bomb");
    let directory_size = (directory_end - u32::from_le_bytes(directory_offset)).to_le_bytes();
    let files = files.to_le_bytes();
    zip.extend(
        [
            &b"PK\x05\x06\0\0\0\0"[..],
            &files[..],
            &files,
            &directory_size,
            &directory_offset,
            &[0, 0],
        ]
        .concat(),
    );
    zip
}
