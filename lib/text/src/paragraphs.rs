//! Paragraphs: the lines of a text, however they end.

/// Returns `true` for a character that ends a line (Unicode Standard, section 5.8, "Newline
/// Guidelines"): the line feed, those of other systems, and the separators of lines, paragraphs and
/// pages.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns the lines of a text, blank ones included, without their ends. CR LF is one end.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(|c| c != '\r' && is_line_end(c));
    lines.flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Returns the paragraphs of a text without blanks at their ends: the lines that are not blank.
pub fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let lines = lines(text).map(str::trim);
    lines.filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{lines, paragraphs};

    #[test]
    fn lines_end_as_in_any_system() {
        let text = "a\n\n \nb \r\nc\rd\u{b}e\u{c}f\u{85}g\u{2028}h\u{2029}i\tj\u{1f}";
        assert!(paragraphs(text).eq(["a", "b", "c", "d", "e", "f", "g", "h", "i\tj\u{1f}"]));
        assert!(lines("a\r\n\nb\rc\u{85}\r\n").eq(["a", "", "b", "c", "", ""]));
    }
}
