//! What the files of models and profiles have in common: numbers, a checksum, and names that a
//! terminal can show.

/// Encodes a number in 32 bits, little-endian. Saturates, which models do not reach: they are far
/// below 4 GiB.
pub fn encode_u32(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}

/// Decodes the 32-bit number at `offset`, or returns `None` if `bytes` ends before.
pub(crate) fn decode_u32(bytes: &[u8], offset: usize) -> Option<usize> {
    bytes
        .get(offset..)?
        .first_chunk()
        .map(|b| u32::from_le_bytes(*b) as usize)
}

/// Returns the 64-bit FNV-1a hash (Fowler, Noll & Vo).
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns `true` if a name or source has no control characters, which a terminal might interpret.
pub(crate) fn is_one_line(text: &str) -> bool {
    !text.contains(char::is_control)
}
