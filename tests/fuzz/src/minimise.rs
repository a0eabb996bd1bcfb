//! Shortening of an input that fails.

/// Removes parts of an input, each as long as possible, while `fails` holds for the rest
/// (delta debugging, Zeller & Hildebrandt 2002, with removal only). At most `max_trials` inputs are
/// tried.
pub fn minimise(input: &[u8], max_trials: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = input.to_vec();
    let mut trials = 0;
    let mut length = smallest.len().div_ceil(2);
    while length > 0 {
        let mut has_removed = false;
        let mut end = smallest.len();
        while end > 0 && trials < max_trials {
            let start = end.saturating_sub(length);
            let shorter = [&smallest[..start], &smallest[end..]].concat();
            trials += 1;
            if fails(&shorter) {
                smallest = shorter;
                has_removed = true;
            }
            end = start;
        }
        length = match (trials < max_trials, has_removed, length) {
            (false, ..) | (true, false, 1) => 0,
            (true, true, 1) => 1,
            (true, _, length) => length / 2,
        };
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::minimise;

    #[test]
    fn keeps_only_what_is_needed_for_the_failure() {
        let input = b"some text with <b and later > in it";
        let has_both = |bytes: &[u8]| bytes.contains(&b'<') && bytes.contains(&b'>');
        assert_eq!(minimise(input, 1000, has_both), b"<>");
        assert_eq!(minimise(b"abc", 1000, |_| true), b"");
    }
}
