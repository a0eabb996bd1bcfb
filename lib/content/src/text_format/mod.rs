//! Files of other programs whose text is between markup: the text alone.
//!
//! CoNLL-U, the vertical format, texts in `<doc …>` as WikiExtractor writes them, subtitles and PO
//! are read. Others are refused by their names, with a command that makes text of them: what of
//! them is text depends on what it is for. Words that are broken at the line ends of plain text are
//! rejoined.
//!
//! A format is known by its content. The tests are strict: what may be plain text is plain text.

mod conllu;
mod po;
mod sample;
mod subtitles;
mod tagged;
mod unread;

use crate::broken_words::rejoin_broken_words;
use regex::Regex;
pub(crate) use sample::open_sample;
use std::borrow::Cow;
use std::sync::LazyLock;
pub use unread::UnreadFormat;

/// Bytes at the beginning of a text from which its format is determined. Set by judgement, not
/// measured.
const HEAD_BYTES: usize = 64 << 10;

/// Turns the lines of a file into its text.
trait LineReader: Send {
    /// Appends what a line, without its end, adds to the text.
    fn read_line(&mut self, line: &str, text: &mut String);

    /// Appends what follows from the end of the file.
    fn finish(&mut self, _text: &mut String) {}
}

/// A reader for a format; none for plain text.
type FormatReader = Option<Box<dyn LineReader>>;

/// A constant pattern.
type Pattern = LazyLock<Regex>;

/// Compiles a constant pattern, in which `^` and `$` are the ends of a line.
fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?m){text}")).expect("a constant pattern is valid")
}

/// Returns the text of a file without the markup of its format.
///
/// # Errors
/// Fails with the format if that is not read.
pub fn read_text(text: &str) -> Result<String, UnreadFormat> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = find_reader(text)?;
    let mut out = String::with_capacity(text.len());
    read_lines(text, &mut reader, &mut out);
    read_lines("", &mut reader, &mut out);
    Ok(out)
}

/// Returns the format of a text with this beginning, if it is one that is not read.
pub(crate) fn find_unread(text: &str) -> Option<UnreadFormat> {
    unread::find(&text[..text.floor_char_boundary(HEAD_BYTES)])
}

/// Returns `true` for a text in the vertical format.
pub(crate) fn is_vertical(text: &str) -> bool {
    tagged::is_vertical(&head(text))
}

/// Returns the reader for a text with this beginning.
fn find_reader(beginning: &str) -> Result<FormatReader, UnreadFormat> {
    let head = head(beginning);
    let formats: [fn(&str) -> FormatReader; 4] =
        [po::open, subtitles::open, conllu::open, tagged::open];
    match formats.iter().find_map(|open| open(&head)) {
        None => unread::find(&head).map_or(Ok(None), Err),
        reader => Ok(reader),
    }
}

/// Returns the complete lines at the beginning of a text that are not blank, each with a line feed.
fn head(text: &str) -> String {
    let mut head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    if head.len() < text.len() {
        head = &head[..head.rfind(['\n', '\r']).unwrap_or(head.len())];
    }
    let lines = head.split(['\n', '\r']);
    let lines = lines.filter(|line| !line.trim().is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Appends the text of the next lines of a file. There are none at its end.
fn read_lines(lines: &str, reader: &mut FormatReader, text: &mut String) {
    // Other systems end lines with other characters.
    let lines: Cow<'_, str> = match lines.contains('\r') {
        true => lines.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => lines.into(),
    };
    let is_word = |line: &str| !line.trim().contains(char::is_whitespace);
    match reader {
        // In a list of words, those with a hyphen at the end are affixes.
        None if nearly_all(lines.lines(), is_word) => text.push_str(&lines),
        None => text.push_str(&rejoin_broken_words(&lines)),
        Some(reader) if lines.is_empty() => reader.finish(text),
        Some(reader) => lines.lines().for_each(|line| reader.read_line(line, text)),
    }
}

/// Ends the last line of a text that is built up, if it has not ended.
fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Returns `true` if most lines pass a test, but for a few damaged ones, and some do.
fn nearly_all<'a>(lines: impl Iterator<Item = &'a str>, test: impl Fn(&str) -> bool) -> bool {
    let (mut all, mut passed) = (0, 0);
    for line in lines {
        all += 1;
        passed += usize::from(test(line));
    }
    passed > 0 && passed * 20 >= all * 19
}

#[cfg(test)]
mod tests;
