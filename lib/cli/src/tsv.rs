//! Tab-separated values.

/// Appends `value` to `line`, with tabs, line ends and backslashes escaped as `\t`, `\n`, `\r` and
/// `\\`, so that a field never ends early, and other control characters of ASCII as `\x00`, so that
/// the line is text. PostgreSQL's COPY reads the same escapes.
pub(crate) fn push_escaped(line: &mut Vec<u8>, value: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for &byte in value {
        match byte {
            b'\t' => line.extend(b"\\t"),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            b'\\' => line.extend(b"\\\\"),
            _ if byte.is_ascii_control() => {
                let digits = [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]);
                line.extend(b"\\x");
                line.extend(digits);
            }
            _ => line.push(byte),
        }
    }
}

/// Returns `value` as a field of tab-separated values: with control characters and backslashes
/// escaped.
pub fn escape_tsv(value: &str) -> String {
    let mut escaped = Vec::with_capacity(value.len());
    push_escaped(&mut escaped, value.as_bytes());
    // Only ASCII was inserted, between characters.
    String::from_utf8_lossy(&escaped).into_owned()
}

#[cfg(test)]
mod tests {
    use super::escape_tsv;

    #[test]
    fn control_characters_and_backslashes_are_escaped() {
        assert_eq!(
            escape_tsv("\0\u{1b}[1m\u{7f}\u{85}"),
            "\\x00\\x1b[1m\\x7f\u{85}"
        );
        assert_eq!(escape_tsv("a\tb\nc\rd\\e č"), r"a\tb\nc\rd\\e č");
    }
}
