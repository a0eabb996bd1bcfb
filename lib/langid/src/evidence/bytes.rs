//! Counts of bytes in a text window.

/// Maximum number of bytes that are counted in an 8-bit sum: fewer than 256, and a multiple of 16,
/// the width of a SIMD register.
const CHUNK_BYTES: usize = 240;

pub(crate) fn count_ascii_letters(window: &str) -> usize {
    count_bytes(window.as_bytes(), |byte| byte.is_ascii_alphabetic())
}

/// Returns the number of bytes for which `predicate` is true. Written so that the compiler can
/// vectorise it.
pub(crate) fn count_bytes(bytes: &[u8], predicate: impl Fn(u8) -> bool) -> usize {
    let count_chunk = |chunk: &[u8]| {
        chunk
            .iter()
            .map(|byte| u8::from(predicate(*byte)))
            .sum::<u8>()
    };
    bytes
        .chunks(CHUNK_BYTES)
        .map(|chunk| usize::from(count_chunk(chunk)))
        .sum()
}
