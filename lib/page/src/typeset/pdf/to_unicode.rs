//! ToUnicode CMaps, which map the codes of a font to text (ISO 32000-1, 9.10.3).
//!
//! They are rewritten if the crate fails on one: some programs that produce PDFs miscount the
//! entries, or write a code point with five digits.

use super::budget::Budget;
use pdf_extract::{Dictionary, Document, Object, Stream};
use std::fmt::Write;

/// Maximum number of entries of a CMap: the codes of two bytes.
const MAX_ENTRIES: usize = 1 << 16;

/// Greatest number of digits of the text of a code: far more than any ligature has.
const MAX_TEXT_DIGITS: usize = 128;
/// Memory that the crate takes for an entry. Set by judgement.
const ENTRY_BYTES: usize = 64;

/// Codes with their texts.
pub(super) type CodeMappings = Vec<(u32, String)>;

/// Writes a CMap for codes of one byte, or of two if a code needs them. Consecutive codes of
/// consecutive characters are a range, as the crate parses the CMap again on each page.
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
    let follows = |(code, text): &(u32, String), (next, next_text): &(u32, String)| {
        let unit = single_unit(text).zip(single_unit(next_text));
        *next == code + 1 && unit.is_some_and(|(unit, next)| unit.checked_add(1) == Some(next))
    };
    let ranges: Vec<&[(u32, String)]> = mappings.chunk_by(follows).collect();
    for section in ranges.chunks(100) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(cmap, "{} beginbfrange", section.len());
        for range in section {
            let (first, text) = &range[0];
            let last = first + range.len() as u32 - 1;
            let units: String = text
                .encode_utf16()
                .map(|unit| format!("{unit:04X}"))
                .collect();
            // The crate takes the text of a range for a number unless it is in a list.
            let units = match range.len() {
                1 => format!("[<{units}>]"),
                _ => format!("<{units}>"),
            };
            let _ = writeln!(cmap, "<{first:0digits$X}> <{last:0digits$X}> {units}");
        }
        cmap.push_str("endbfrange\n");
    }
    cmap.push_str("endcmap\n");
    cmap.into_bytes()
}

/// Returns the UTF-16 code unit of a text that has only one.
fn single_unit(text: &str) -> Option<u16> {
    let mut units = text.encode_utf16();
    units.next().filter(|_| units.next().is_none())
}

/// Returns the mappings of a font's ToUnicode CMap; empty if it has none or none can be read.
pub(super) fn read_from_font(document: &Document, font: &Dictionary) -> CodeMappings {
    let cmap = cmap_of(document, font);
    cmap.map(|cmap| read_cmap(&cmap)).unwrap_or_default()
}

fn cmap_of(document: &Document, font: &Dictionary) -> Option<Vec<u8>> {
    let cmap = font.get_deref(b"ToUnicode", document);
    let cmap = cmap.and_then(Object::as_stream);
    cmap.and_then(Stream::get_plain_content).ok()
}

/// Rewrites a ToUnicode CMap with its entries that can be read, as far as the budget allows: the crate
/// would list each code of a range.
pub(super) fn rewrite_cmap(cmap: &[u8], budget: &mut Budget) -> Vec<u8> {
    let mut mappings = read_cmap(cmap);
    // Texts may be much longer than their CMap, in ranges.
    let sizes = mappings.iter().map(|(_, text)| ENTRY_BYTES + text.len());
    let allowed = sizes.take_while(|size| budget.spend(*size)).count();
    mappings.truncate(allowed);
    write_cmap(&mappings)
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
    u32::from_str_radix(&digits_of(digits), 16)
        .ok()
        .filter(|code| *code <= 0xFFFF)
}

/// Parses a text in hexadecimal digits: UTF-16 code units, or a single code point if the digits
/// are not a multiple of four.
pub(super) fn parse_text(digits: &[u8]) -> Option<String> {
    if digits.len() > MAX_TEXT_DIGITS {
        return None;
    }
    let digits: String = digits_of(digits);
    if !digits.len().is_multiple_of(4) {
        let code_point = u32::from_str_radix(&digits, 16).ok()?;
        return char::from_u32(code_point).map(String::from);
    }
    let units = digits
        .as_bytes()
        .chunks(4)
        .map(|four| u16::from_str_radix(str::from_utf8(four).ok()?, 16).ok());
    String::from_utf16(&units.collect::<Option<Vec<u16>>>()?).ok()
}

/// Returns digits without the white space between them.
fn digits_of(digits: &[u8]) -> String {
    let digits = digits.iter().filter(|digit| digit.is_ascii_hexdigit());
    digits.map(|digit| char::from(*digit)).collect()
}

/// A token of a CMap.
#[derive(Debug, Clone, Copy)]
enum CMapToken<'a> {
    Word(&'a [u8]),
    /// The digits and white space between `<` and `>`.
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
            let end = end_of(&|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace());
            let rest = text[end..].strip_prefix(b">");
            Some(rest.map_or((CMapToken::Other, &text[1..]), |rest| {
                (CMapToken::HexString(&text[1..end]), rest)
            }))
        }
        b'%' => Some((
            CMapToken::Other,
            &text[end_of(&|byte| !b"\r\n".contains(byte))..],
        )),
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
    use super::{Budget, CodeMappings, read_cmap, rewrite_cmap, write_cmap};

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
    fn ranges_are_bounded() {
        let rewritten = |cmap: &str, amount| {
            let mut budget = Budget::new(amount);
            let cmap = rewrite_cmap(cmap.as_bytes(), &mut budget);
            (String::from_utf8(cmap).unwrap(), budget.is_exceeded)
        };
        for wide in [
            "<0000> <4294967296FF>",
            "<9007199254740993> <4294967296FF>",
            "<01> <FFFFFFFF>",
            "(\0) (\u{FF}\u{FF}\u{FF}\u{FF})",
        ] {
            let (cmap, _) = rewritten(&format!("1 beginbfrange {wide} <0400> endbfrange"), 1 << 30);
            assert!(!cmap.contains("beginbfrange"), "{cmap}");
        }
        let usual = "2 beginbfrange % <03>\n<00 01> <FFFF> <0020> <0001> <0002> [<00660069> <>]";
        let (cmap, is_exceeded) = rewritten(usual, 1 << 30);
        assert!(
            cmap.contains("<0001> <D7E0> <0020>") && cmap.len() < 2000,
            "{cmap}"
        );
        assert!(!is_exceeded && rewritten(usual, 1 << 20).1);
        let long = format!("1 beginbfchar <01> <{}>", "0041".repeat(100));
        assert!(!rewritten(&long, 1 << 20).0.contains("0041"));
    }
}
