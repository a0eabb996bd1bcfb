//! gzip without a library, for servers of tests: stored blocks, and bombs.

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
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
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
        Command::new("sh").args(["-c", script]).stderr(Stdio::null()).output().expect("gzip runs").stdout
    })
}
