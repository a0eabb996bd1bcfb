//! ToUnicode CMaps, which map the codes of a font to text (ISO 32000-1, 9.10.3).
//!
//! They are rewritten if the crate fails on one: some programs that produce PDFs miscount the
//! entries, or write a code point with five digits.

use pdf_extract::{Dictionary, Document, Object, Stream};
use std::fmt::Write;

/// Maximum number of entries of a CMap: the codes of two bytes.
const MAX_ENTRIES: usize = 1 << 16;

/// Codes with their texts.
pub(super) type CodeMappings = Vec<(u32, String)>;

/// Writes a CMap for codes of one byte, or of two if a code needs them.
pub(super) fn write_cmap(mappings: &CodeMappings) -> Vec<u8> {
    let digits = if mappings.iter().all(|(code, _)| *code <= 0xFF) {
        2
    } else {
        4
    };
    let last = 16_u32.pow(digits as u32) - 1;
    let mut cmap = format!(
        "begincmap\n1 begincodespacerange\n<{:0digits$X}> <{last:X}>\nendcodespacerange\n",
        0
    );
    for section in mappings.chunks(100) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(cmap, "{} beginbfchar", section.len());
        for (code, text) in section {
            let units: String = text
                .encode_utf16()
                .map(|unit| format!("{unit:04X}"))
                .collect();
            let _ = writeln!(cmap, "<{code:0digits$X}> <{units}>");
        }
        cmap.push_str("endbfchar\n");
    }
    cmap.push_str("endcmap\n");
    cmap.into_bytes()
}

/// Returns the mappings of a font's ToUnicode CMap; empty if it has none or none can be read.
pub(super) fn read_from_font(document: &Document, font: &Dictionary) -> CodeMappings {
    let cmap = cmap_of(document, font);
    cmap.map(|cmap| read_cmap(&cmap)).unwrap_or_default()
}

/// Returns the ToUnicode CMap of a font without its ranges of more than [`MAX_ENTRIES`] codes;
/// `None` if it has none of them. The crate would list each of their codes.
pub(super) fn without_wide_ranges(document: &Document, font: &Dictionary) -> Option<Vec<u8>> {
    let cmap = cmap_of(document, font)?;
    has_wide_range(&cmap).then(|| write_cmap(&read_cmap(&cmap)))
}

fn cmap_of(document: &Document, font: &Dictionary) -> Option<Vec<u8>> {
    let cmap = font.get_deref(b"ToUnicode", document);
    let cmap = cmap.and_then(Object::as_stream);
    cmap.and_then(Stream::get_plain_content).ok()
}

/// Returns `true` if a range has more than [`MAX_ENTRIES`] codes.
fn has_wide_range(cmap: &[u8]) -> bool {
    let mut rest = cmap;
    // In a section of ranges: the codes of the entry so far.
    let mut codes: Option<Vec<u128>> = None;
    while let Some((token, after)) = next_token(rest) {
        rest = after;
        match (token, &mut codes) {
            (CMapToken::Word(word), _) => codes = (word == b"beginbfrange").then(Vec::new),
            (CMapToken::ArrayStart, Some(codes)) => {
                let end = rest.iter().position(|byte| *byte == b']');
                rest = &rest[end.unwrap_or(rest.len())..];
                codes.clear();
            }
            // The text of the first code.
            (CMapToken::HexString(_), Some(codes)) if codes.len() == 2 => codes.clear(),
            (CMapToken::HexString(digits), Some(codes)) => {
                let digits = str::from_utf8(digits).unwrap_or_default();
                codes.push(u128::from_str_radix(digits, 16).unwrap_or(u128::MAX));
                if let [first, last] = codes[..]
                    && last.saturating_sub(first) >= MAX_ENTRIES as u128
                {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Reads the entries of a CMap that can be read.
fn read_cmap(cmap: &[u8]) -> CodeMappings {
    let mut mappings = CodeMappings::new();
    let mut rest = cmap;
    let mut tokens = std::iter::from_fn(|| {
        let (token, after) = next_token(rest)?;
        rest = after;
        Some(token)
    });
    // In a section: true for ranges, false for single codes.
    let mut section = None;
    while let Some(token) = tokens.next() {
        match (token, section) {
            (CMapToken::Word(b"beginbfchar"), _) => section = Some(false),
            (CMapToken::Word(b"beginbfrange"), _) => section = Some(true),
            (CMapToken::Word(_), _) => section = None,
            (CMapToken::HexString(first), Some(is_range)) => {
                let last = if is_range {
                    tokens.next().and_then(CMapToken::hex_digits)
                } else {
                    Some(first)
                };
                let range = parse_code(first).zip(last.and_then(parse_code));
                match tokens.next() {
                    Some(CMapToken::HexString(text)) => {
                        mappings.extend(map_consecutive(range, text))
                    }
                    Some(CMapToken::ArrayStart) => {
                        let texts = tokens.by_ref().map_while(CMapToken::hex_digits);
                        let codes = range.into_iter().flat_map(|(first, last)| first..=last);
                        mappings.extend(
                            codes
                                .zip(texts)
                                .filter_map(|(code, digits)| Some((code, parse_text(digits)?))),
                        );
                    }
                    _ => section = None,
                }
            }
            _ => {}
        }
        if mappings.len() >= MAX_ENTRIES {
            break;
        }
    }
    mappings
}

/// Maps a range of codes to consecutive texts, given the text of the first code: the last character
/// increases by one per code.
fn map_consecutive(range: Option<(u32, u32)>, digits: &[u8]) -> CodeMappings {
    let (Some((first, last)), Some(mut prefix)) = (range, parse_text(digits)) else {
        return CodeMappings::new();
    };
    let Some(first_end) = prefix.pop().map(u32::from) else {
        return CodeMappings::new();
    };
    let text = |code| {
        let end = char::from_u32(first_end.checked_add(code - first)?)?;
        Some(format!("{prefix}{end}"))
    };
    (first..=last)
        .take(MAX_ENTRIES)
        .filter_map(|code| Some((code, text(code)?)))
        .collect()
}

/// Parses a code of at most two bytes.
fn parse_code(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(str::from_utf8(digits).ok()?, 16)
        .ok()
        .filter(|code| *code <= 0xFFFF)
}

/// Parses a text in hexadecimal digits: UTF-16 code units, or a single code point if the digits
/// are not a multiple of four.
pub(super) fn parse_text(digits: &[u8]) -> Option<String> {
    let digits = str::from_utf8(digits).ok()?;
    if digits.len() % 4 != 0 {
        let code_point = u32::from_str_radix(digits, 16).ok()?;
        return char::from_u32(code_point).map(String::from);
    }
    let units = digits
        .as_bytes()
        .chunks(4)
        .map(|four| u16::from_str_radix(str::from_utf8(four).ok()?, 16).ok());
    String::from_utf16(&units.collect::<Option<Vec<u16>>>()?).ok()
}

/// A token of a CMap.
#[derive(Debug, Clone, Copy)]
enum CMapToken<'a> {
    Word(&'a [u8]),
    /// The digits between `<` and `>`.
    HexString(&'a [u8]),
    /// `[`
    ArrayStart,
    /// Any other character.
    Other,
}

impl<'a> CMapToken<'a> {
    /// Returns the digits of a hexadecimal string.
    const fn hex_digits(self) -> Option<&'a [u8]> {
        if let CMapToken::HexString(digits) = self {
            Some(digits)
        } else {
            None
        }
    }
}

/// Returns the first token, and the text after it.
fn next_token(text: &[u8]) -> Option<(CMapToken<'_>, &[u8])> {
    let text = text.trim_ascii_start();
    let first = *text.first()?;
    let end_of = |is_part: &dyn Fn(&u8) -> bool| {
        text[1..].iter().take_while(|byte| is_part(byte)).count() + 1
    };
    match first {
        b'<' => {
            let end = end_of(&u8::is_ascii_hexdigit);
            let rest = text[end..].strip_prefix(b">");
            Some(rest.map_or((CMapToken::Other, &text[1..]), |rest| {
                (CMapToken::HexString(&text[1..end]), rest)
            }))
        }
        b'[' => Some((CMapToken::ArrayStart, &text[1..])),
        byte if byte.is_ascii_alphabetic() => {
            let (word, rest) = text.split_at(end_of(&u8::is_ascii_alphanumeric));
            Some((CMapToken::Word(word), rest))
        }
        _ => Some((CMapToken::Other, &text[1..])),
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeMappings, has_wide_range, read_cmap, write_cmap};

    fn read_as_text(cmap: &str) -> String {
        read_cmap(cmap.as_bytes())
            .iter()
            .map(|(code, text)| format!("{code}{text} "))
            .collect()
    }

    #[test]
    fn reads_all_forms_of_entries() {
        assert_eq!(
            read_as_text("9 beginbfchar <01> <0161> <0002><00660069>\nendbfchar"),
            "1š 2fi "
        );
        assert_eq!(
            read_as_text("2 beginbfrange\n<01> <03> <0061> <0a> <0b> [<0062> <0063>]\nendbfrange"),
            "1a 2b 3c 10b 11c "
        );
        assert_eq!(
            read_as_text("beginbfchar <3> <1f431> <04> <D83DDC31> <05> <D800> <06> <41> endbfchar"),
            "3🐱 4🐱 6A "
        );
        assert_eq!(
            read_as_text("<<0102>> def <01> <0061> beginbfrange <01> <02>"),
            ""
        );
        assert_eq!(
            read_as_text("beginbfrange <0001> <FFFFFF> <0061> <0001> <0002> [<0061>"),
            "1a "
        );
    }

    #[test]
    fn reads_what_it_writes() {
        for code in [1, 0x1FF] {
            let mappings: CodeMappings = vec![(code, "č".into()), (2, "fi🐱".into())];
            assert_eq!(read_cmap(&write_cmap(&mappings)), mappings);
        }
    }

    #[test]
    fn finds_ranges_that_are_too_wide() {
        for wide in ["<0000> <4294967296FF>", "<01> <FFFFFFFF>"] {
            assert!(has_wide_range(
                format!("beginbfrange {wide} <0400>").as_bytes()
            ));
        }
        for usual in [
            "<0000> <FFFF>",
            "<00> <7F>",
            "<01> <02> [<00660069> <D83DDC31>]",
        ] {
            let cmap = format!("1 beginbfrange {usual} endbfrange <00> def <FFFFFF>");
            assert!(!has_wide_range(cmap.as_bytes()), "{usual}");
        }
    }
}
