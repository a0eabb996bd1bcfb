//! Tab-separated values.

/// Appends `value` to `line`, with tabs, line ends and backslashes escaped as `\t`, `\n`, `\r` and
/// `\\`, so that a field never ends early, and the bytes of other control characters as `\x00`, so
/// that the line is text and nothing in it is interpreted by a terminal. PostgreSQL's COPY reads
/// the same escapes.
pub(crate) fn push_escaped(line: &mut Vec<u8>, value: &[u8]) {
    let mut previous = 0;
    for &byte in value {
        // U+0080 to U+009F are C2 80 to C2 9F in UTF-8.
        let is_c1_control = previous == 0xc2 && (0x80..0xa0).contains(&byte);
        previous = byte;
        match byte {
            b'\t' => line.extend(b"\\t"),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            b'\\' => line.extend(b"\\\\"),
            _ if is_c1_control => {
                line.pop();
                push_hex(line, 0xc2);
                push_hex(line, byte);
            }
            _ if byte.is_ascii_control() => push_hex(line, byte),
            _ => line.push(byte),
        }
    }
}

fn push_hex(line: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digits = [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]);
    line.extend(b"\\x");
    line.extend(digits);
}

/// Returns `true` for a cell that a spreadsheet reads as a formula (OWASP, "CSV Injection"), or as
/// the start of a quotation, which may begin with a formula or not end in the cell; blanks before
/// it may be removed. A number with a sign is no formula.
pub(crate) fn is_formula(cell: &str) -> bool {
    let cell = cell.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let signs = ['=', '+', '-', '@', '"', '＝', '＋', '－', '＠'];
    cell.starts_with(signs) && cell.parse::<f64>().is_err()
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
    use super::{escape_tsv, is_formula};

    #[test]
    fn control_characters_and_backslashes_are_escaped() {
        assert_eq!(
            escape_tsv("\0\u{1b}[1m\u{7f}\u{85}"),
            r"\x00\x1b[1m\x7f\xc2\x85"
        );
        assert_eq!(escape_tsv("a\tb\nc\rd\\e č"), r"a\tb\nc\rd\\e č");
        assert_eq!(escape_tsv("Â\u{a0}\u{9b}x"), "Â\u{a0}\\xc2\\x9bx");
    }

    #[test]
    fn signs_begin_formulas_unless_they_are_those_of_numbers() {
        for cell in [
            "=1+1",
            "+a",
            "-",
            "@SUM(A1)",
            "-1+2",
            "\"=1\"",
            "\"a",
            " =1",
            "\u{feff}＝1",
        ] {
            assert!(is_formula(cell), "{cell}");
        }
        for cell in ["", "a=b", "-3.5", "+1e5", "1", " 1"] {
            assert!(!is_formula(cell), "{cell}");
        }
    }
}
