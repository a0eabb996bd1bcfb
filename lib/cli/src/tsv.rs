//! Tab-separated values.

/// Appends `value` to `line`, with tabs, line ends and backslashes escaped as `\t`, `\n`, `\r` and
/// `\\`, so that a field never ends early.
pub(crate) fn push_escaped(line: &mut Vec<u8>, value: &[u8]) {
    for &byte in value {
        let escaped = match byte {
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\\' => b'\\',
            _ => {
                line.push(byte);
                continue;
            }
        };
        line.extend([b'\\', escaped]);
    }
}

/// Returns `value` as a field of tab-separated values: with tabs, line ends and backslashes escaped.
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
    fn tabs_line_ends_and_backslashes_are_escaped() {
        assert_eq!(escape_tsv("a\tb\nc\rd\\e č"), r"a\tb\nc\rd\\e č");
    }
}
