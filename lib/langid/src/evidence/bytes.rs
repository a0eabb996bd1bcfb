//! Counting bytes of a place.

/// Bytes that are counted together: fewer than 256, and many times 16.
const PART: usize = 240;

pub(crate) fn ascii_letters(place: &str) -> usize {
    count(place.as_bytes(), |byte| byte.is_ascii_alphabetic())
}

/// How many of the bytes are so; written so that the compiler looks at several at a time.
pub(crate) fn count(bytes: &[u8], is_so: impl Fn(u8) -> bool) -> usize {
    let few = |part: &[u8]| part.iter().map(|byte| u8::from(is_so(*byte))).sum::<u8>();
    bytes.chunks(PART).map(|part| usize::from(few(part))).sum()
}
