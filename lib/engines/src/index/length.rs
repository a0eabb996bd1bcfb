//! Document lengths in one byte.

/// Lengths below this one are exact.
const EXACT_LENGTHS: u8 = 24;

/// Returns the length that a byte stands for.
///
/// From 24 on, three bits follow the highest one: a code of Lucene (`SmallFloat.byte4ToInt`), which
/// ranks as well as exact lengths.
pub(super) fn length_of_code(code: u8) -> u32 {
    let Some(code) = code.checked_sub(EXACT_LENGTHS) else {
        return code.into();
    };
    let bits = u32::from(code & 7);
    let rounded = match code >> 3 {
        0 => bits,
        shift => (bits | 8) << (shift - 1),
    };
    u32::from(EXACT_LENGTHS) + rounded
}

/// Returns the byte that stands for a length: that of the greatest length that is not greater.
pub(super) fn code_of_length(length: usize) -> u8 {
    let codes = 1..=u8::MAX;
    codes
        .take_while(|&code| length_of_code(code) as usize <= length)
        .last()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{code_of_length, length_of_code};

    #[test]
    fn lengths_are_rounded_down_to_four_bits() {
        // As in Lucene 9 (`SmallFloat.intToByte4`).
        for (length, rounded) in [
            (0, 0),
            (23, 23),
            (40, 40),
            (41, 40),
            (55, 54),
            (57, 56),
            (1000, 984),
            (2_013_265_944, 2_013_265_944),
            (usize::MAX, 2_013_265_944),
        ] {
            assert_eq!(length_of_code(code_of_length(length)), rounded, "{length}");
        }
        assert!((0..u8::MAX).all(|code| length_of_code(code) < length_of_code(code + 1)));
    }
}
