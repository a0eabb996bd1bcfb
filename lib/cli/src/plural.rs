//! Counts for messages, with their nouns or with commas between thousands.

use std::fmt::Display;

/// Formats a count with its noun, which is plural unless the count is 1: "1 word", "0 queries".
///
/// Forms regular plurals only, in `-s` and `-ies`.
pub fn format_count<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Formats a number with commas between thousands.
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{format_count, group_digits};

    #[test]
    fn digits_of_large_numbers_are_in_groups() {
        assert_eq!(
            [0, 999, 1_234_567].map(group_digits),
            ["0", "999", "1,234,567"]
        );
    }

    #[test]
    fn only_one_takes_the_singular() {
        assert_eq!(format_count(0_u64, "word"), "0 words");
        assert_eq!(format_count(1_i64, "word"), "1 word");
        assert_eq!(format_count(2_usize, "word"), "2 words");
    }

    #[test]
    fn a_final_y_after_a_consonant_becomes_ies() {
        assert_eq!(format_count(1_u64, "query"), "1 query");
        assert_eq!(format_count(7_u64, "query"), "7 queries");
        assert_eq!(format_count(2_u64, "day"), "2 days");
    }
}
