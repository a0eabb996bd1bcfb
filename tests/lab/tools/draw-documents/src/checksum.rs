//! The checksum of POSIX `cksum`.

/// Returns the CRC-32 of `bytes` followed by their number, with the polynomial of ISO 8802-3 and no
/// reflection (POSIX.1-2017, `cksum`).
pub fn posix_checksum(bytes: &[u8]) -> u32 {
    let mut length = bytes.len();
    let mut length_bytes = Vec::new();
    while length > 0 {
        length_bytes.push(length as u8);
        length >>= 8;
    }
    !bytes
        .iter()
        .chain(&length_bytes)
        .fold(0, |crc, byte| add_byte(crc, *byte))
}

fn add_byte(crc: u32, byte: u8) -> u32 {
    /// The polynomial of ISO 8802-3 (Ethernet), as in POSIX.1-2017, `cksum`.
    const POLYNOMIAL: u32 = 0x04C1_1DB7;
    let shift = |crc: u32, _| (crc << 1) ^ if crc >> 31 == 1 { POLYNOMIAL } else { 0 };
    (0..8).fold(crc ^ (u32::from(byte) << 24), shift)
}

#[cfg(test)]
mod tests {
    use super::posix_checksum;

    #[test]
    fn equals_the_output_of_cksum() {
        // printf 123456789 | cksum; printf '' | cksum
        assert_eq!(posix_checksum(b"123456789"), 930_766_865);
        assert_eq!(posix_checksum(b""), 4_294_967_295);
    }
}
