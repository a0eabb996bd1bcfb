//! Windows of a long text, which decide if they are clearly in one language.
//!
//! They are spread over the text: a page may begin in another language, with a menu or a table.

/// Number of windows, evenly spaced.
const WINDOWS: usize = 8;

/// Bytes of a window, before the word at its end is completed.
const WINDOW_BYTES: usize = 64;

/// Minimum number of bytes of a text of which windows are read. Reading them and then the whole of
/// a shorter text would cost more than is saved.
const MIN_TEXT_BYTES: usize = 3 * WINDOWS * WINDOW_BYTES / 2;

/// Maximum number of bytes in which a blank is looked for. Without one, a window may cut a word.
const MAX_WORD_BYTES: usize = 64;

/// Sets `sample` to the windows of `text`, one per line. Returns `false` if the text is too short.
pub(super) fn sample_windows(text: &str, sample: &mut String) -> bool {
    sample.clear();
    if text.len() < MIN_TEXT_BYTES {
        return false;
    }
    for index in 0..WINDOWS {
        let start = match index {
            0 => 0,
            _ => find_boundary(text, text.len() / WINDOWS * index),
        };
        let end = find_boundary(text, start + WINDOW_BYTES);
        sample.push_str(&text[start..end]);
        sample.push('\n');
    }
    true
}

/// Returns the position of the first blank at or after `position`; without a near one, that of a
/// character.
fn find_boundary(text: &str, position: usize) -> usize {
    let near = text.as_bytes().iter().skip(position).take(MAX_WORD_BYTES);
    match near.into_iter().position(u8::is_ascii_whitespace) {
        Some(distance) => position + distance,
        None => text.floor_char_boundary(position),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(text: &str) -> Vec<String> {
        let mut sample = String::new();
        let is_sampled = sample_windows(text, &mut sample);
        assert_eq!(is_sampled, !sample.is_empty());
        sample.lines().map(str::to_owned).collect()
    }

    #[test]
    fn windows_are_spread_over_the_text_and_cut_no_word() {
        let words: Vec<String> = (1000..3000).map(|number| number.to_string()).collect();
        let windows = windows(&words.join(" "));
        assert_eq!(windows.len(), WINDOWS);
        for (index, window) in windows.iter().enumerate() {
            assert!((WINDOW_BYTES..=WINDOW_BYTES + 5).contains(&window.len()));
            let numbers: Vec<usize> = window
                .split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect();
            let expected = 1000 + index * words.len() / WINDOWS;
            assert!(numbers[0].abs_diff(expected) <= 1, "{window}");
            assert!(numbers.iter().all(|number| *number >= 1000));
        }
    }

    #[test]
    fn texts_without_blanks_are_cut_between_characters() {
        let windows = windows(&"日本語".repeat(300));
        assert!(windows.iter().all(|window| window.chars().count() >= 20));
    }

    #[test]
    fn short_texts_have_no_windows() {
        assert!(windows(&"a ".repeat(MIN_TEXT_BYTES / 2 - 1)).is_empty());
        assert!(windows("").is_empty());
    }
}
