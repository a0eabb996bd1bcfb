//! The checksum of POSIX `cksum`.

/// The CRC of `bytes` followed by their number, with the polynomial of ISO 8802-3 and no reflection
/// (POSIX.1-2017, `cksum`).
pub fn posix_checksum(bytes: &[u8]) -> u32 {
    let mut length = bytes.len();
    let mut digits = Vec::new();
    while length > 0 {
        digits.push(length as u8);
        length >>= 8;
    }
    !bytes
        .iter()
        .chain(&digits)
        .fold(0, |crc, byte| add_byte(crc, *byte))
}

fn add_byte(crc: u32, byte: u8) -> u32 {
    const POLYNOMIAL: u32 = 0x04C1_1DB7;
    let shift = |crc: u32, _| (crc << 1) ^ if crc >> 31 == 1 { POLYNOMIAL } else { 0 };
    (0..8).fold(crc ^ (u32::from(byte) << 24), shift)
}

#[cfg(test)]
mod tests {
    use super::posix_checksum;

    #[test]
    fn is_that_of_cksum() {
        // printf 'slv 1' | cksum; printf '' | cksum
        assert_eq!(posix_checksum(b"123456789"), 930_766_865);
        assert_eq!(posix_checksum(b""), 4_294_967_295);
    }
}
