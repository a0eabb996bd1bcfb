//! Scripts that are written without blanks between words.

/// Version of the rules by which text is split into terms.
///
/// State that contains terms (term statistics, an index) records it, because terms of different
/// versions do not match. It increases with each change that can change the terms of a text.
/// Version 1 had Unicode word boundaries only.
pub const SEGMENTATION_VERSION: u32 = 2;

/// Returns `true` if `text` contains a letter of a script that is written without blanks between
/// words, such as Thai or Chinese.
pub fn contains_unspaced_script(text: &str) -> bool {
    text.chars()
        .any(|c| matches!(c, '\u{e00}'..='\u{eff}' | '\u{3041}'..='\u{9fff}'))
}
