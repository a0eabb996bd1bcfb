//! Classes of characters that can be inside of a word without changing it.

use forage_text::{is_armenian_mark, is_invisible, is_optional_mark};
use std::sync::LazyLock;

/// The last character that is tested for the classes: what is beyond are variation selectors of
/// Han.
const LAST: char = '\u{ffff}';

/// Invisible characters, as in a character class of a regular expression.
static INVISIBLE: LazyLock<String> = LazyLock::new(|| class_of(is_invisible));

/// Invisible characters and optional marks.
static MARKS: LazyLock<String> =
    LazyLock::new(|| class_of(|c| is_invisible(c) || is_optional_mark(c) || is_armenian_mark(c)));

/// Returns the class of characters that can follow a letter without changing the word: in Latin and
/// Greek only invisible ones.
pub(crate) fn class_after(letter: char, is_unspaced: bool) -> String {
    match letter {
        // A zero-width space separates words.
        _ if is_unspaced => format!("[{}\u{200b}]", *INVISIBLE),
        ..'\u{400}' => format!("[{}]", *INVISIBLE),
        '\u{400}'..='\u{52f}' => format!("[{}\u{300}\u{301}]", *INVISIBLE),
        _ => format!("[{}]", *MARKS),
    }
}

/// Returns `true` for characters that [`class_after`] can have, other than stress.
pub(crate) fn is_ignored(c: char) -> bool {
    is_invisible(c) || is_optional_mark(c) || is_armenian_mark(c)
}

fn class_of(is_member: impl Fn(char) -> bool) -> String {
    let mut class = String::new();
    let mut characters = ('\u{80}'..=LAST).filter(|&c| is_member(c)).peekable();
    while let Some(first) = characters.next() {
        let mut last = first;
        while let Some(next) = characters.next_if(|&c| u32::from(c) == u32::from(last) + 1) {
            last = next;
        }
        class.extend([first, '-', last]);
    }
    class
}
