//! Maps from a font's codes to what they show (`ToUnicode`; ISO 32000-1, 9.10.3): written, and read
//! where the crate fails on one, as programs that make PDFs count the entries wrong, or tell a
//! character by five digits.

use pdf_extract::{Dictionary, Document, Object, Stream};
use std::fmt::Write;

/// Entries of a map at most.
const MOST: usize = 1 << 16;

/// What codes show.
pub(super) type Shown = Vec<(u32, String)>;

/// Writes a map for codes of one byte or two.
pub(super) fn written(shown: &Shown) -> Vec<u8> {
    let digits = if shown.iter().all(|(code, _)| *code <= 0xFF) {
        2
    } else {
        4
    };
    let last = 16_u32.pow(digits as u32) - 1;
    let mut map = format!(
        "begincmap\n1 begincodespacerange\n<{:0digits$X}> <{last:X}>\nendcodespacerange\n",
        0
    );
    for some in shown.chunks(100) {
        // A text takes all that is written.
        let _ = writeln!(map, "{} beginbfchar", some.len());
        for (code, text) in some {
            let units: String = text
                .encode_utf16()
                .map(|unit| format!("{unit:04X}"))
                .collect();
            let _ = writeln!(map, "<{code:0digits$X}> <{units}>");
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap\n");
    map.into_bytes()
}

/// A map of codes of two bytes to themselves.
pub(super) fn of_unicode() -> Vec<u8> {
    let mut map =
        String::from("begincmap\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n");
    for block in [0..100, 100..200, 200..256_u32] {
        let _ = writeln!(map, "{} beginbfrange", block.len());
        for high in block {
            let _ = writeln!(map, "<{high:02X}00> <{high:02X}FF> <{high:02X}00>");
        }
        map.push_str("endbfrange\n");
    }
    map.push_str("endcmap\n");
    map.into_bytes()
}

/// What a font's map tells; nothing where it has none, or no sense can be made of it.
pub(super) fn read_from_font(document: &Document, font: &Dictionary) -> Shown {
    let map = font
        .get_deref(b"ToUnicode", document)
        .and_then(Object::as_stream)
        .and_then(Stream::get_plain_content);
    map.map(|map| read(&map)).unwrap_or_default()
}

/// Reads a map as far as sense can be made of it.
fn read(map: &[u8]) -> Shown {
    let (mut shown, mut rest) = (Shown::new(), map);
    let mut tokens = std::iter::from_fn(|| {
        let (token, after) = token(rest)?;
        rest = after;
        Some(token)
    });
    let mut entries = None;
    while let Some(token) = tokens.next() {
        match (token, entries) {
            (Token::Word(b"beginbfchar"), _) => entries = Some(false),
            (Token::Word(b"beginbfrange"), _) => entries = Some(true),
            (Token::Word(_), _) => entries = None,
            (Token::Digits(first), Some(is_range)) => {
                let last = if is_range {
                    tokens.next().and_then(Token::digits)
                } else {
                    Some(first)
                };
                let range = number(first).zip(last.and_then(number));
                match tokens.next() {
                    Some(Token::Digits(text)) => shown.extend(from_first(range, text)),
                    Some(Token::Open) => {
                        let texts = tokens.by_ref().map_while(Token::digits);
                        let codes = range.into_iter().flat_map(|(first, last)| first..=last);
                        shown.extend(
                            codes
                                .zip(texts)
                                .filter_map(|(code, digits)| Some((code, text(digits)?))),
                        );
                    }
                    _ => entries = None,
                }
            }
            _ => {}
        }
        if shown.len() >= MOST {
            break;
        }
    }
    shown
}

/// What a range of codes shows whose first one shows this: each the next character.
fn from_first(range: Option<(u32, u32)>, digits: &[u8]) -> Shown {
    let (Some((first, last)), Some(mut start)) = (range, text(digits)) else {
        return Shown::new();
    };
    let Some(end) = start.pop().map(u32::from) else {
        return Shown::new();
    };
    let codes = (first..=last).take(MOST);
    let text = |code| {
        Some(format!(
            "{start}{}",
            char::from_u32(end.checked_add(code - first)?)?
        ))
    };
    codes.filter_map(|code| Some((code, text(code)?))).collect()
}

/// A code, of two bytes at most.
fn number(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(str::from_utf8(digits).ok()?, 16)
        .ok()
        .filter(|code| *code <= 0xFFFF)
}

/// What a text in hexadecimal digits says: units of UTF-16, or, where these are none, the number of
/// a character.
pub(super) fn text(digits: &[u8]) -> Option<String> {
    let digits = str::from_utf8(digits).ok()?;
    if digits.len() % 4 != 0 {
        let number = u32::from_str_radix(digits, 16).ok()?;
        return char::from_u32(number).map(String::from);
    }
    let units = digits
        .as_bytes()
        .chunks(4)
        .map(|four| u16::from_str_radix(str::from_utf8(four).ok()?, 16).ok());
    String::from_utf16(&units.collect::<Option<Vec<u16>>>()?).ok()
}

/// A part of a map.
#[derive(Debug, Clone, Copy)]
enum Token<'a> {
    Word(&'a [u8]),
    /// What stands between `<` and `>`.
    Digits(&'a [u8]),
    /// `[`
    Open,
    /// Any other sign.
    Other,
}

impl<'a> Token<'a> {
    const fn digits(self) -> Option<&'a [u8]> {
        if let Token::Digits(digits) = self {
            Some(digits)
        } else {
            None
        }
    }
}

/// The first token, and what is after it.
fn token(text: &[u8]) -> Option<(Token<'_>, &[u8])> {
    let text = text.trim_ascii_start();
    let first = *text.first()?;
    let after =
        |count: &dyn Fn(&u8) -> bool| text[1..].iter().take_while(|byte| count(byte)).count() + 1;
    match first {
        b'<' => {
            let end = after(&u8::is_ascii_hexdigit);
            let rest = text[end..].strip_prefix(b">");
            Some(rest.map_or((Token::Other, &text[1..]), |rest| {
                (Token::Digits(&text[1..end]), rest)
            }))
        }
        b'[' => Some((Token::Open, &text[1..])),
        byte if byte.is_ascii_alphabetic() => {
            let (word, rest) = text.split_at(after(&u8::is_ascii_alphanumeric));
            Some((Token::Word(word), rest))
        }
        _ => Some((Token::Other, &text[1..])),
    }
}

#[cfg(test)]
mod tests {
    use super::{Shown, read, written};

    fn shown(map: &str) -> String {
        read(map.as_bytes())
            .iter()
            .map(|(code, text)| format!("{code}{text} "))
            .collect()
    }

    #[test]
    fn maps_are_read_however_they_are_written() {
        assert_eq!(
            shown("9 beginbfchar <01> <0161> <0002><00660069>\nendbfchar"),
            "1š 2fi "
        );
        assert_eq!(
            shown("2 beginbfrange\n<01> <03> <0061> <0a> <0b> [<0062> <0063>]\nendbfrange"),
            "1a 2b 3c 10b 11c "
        );
        assert_eq!(
            shown("beginbfchar <3> <1f431> <04> <D83DDC31> <05> <D800> <06> <41> endbfchar"),
            "3🐱 4🐱 6A "
        );
        assert_eq!(shown("<<0102>> def <01> <0061> beginbfrange <01> <02>"), "");
        assert_eq!(
            shown("beginbfrange <0001> <FFFFFF> <0061> <0001> <0002> [<0061>"),
            "1a "
        );
    }

    #[test]
    fn what_is_written_is_read() {
        for code in [1, 0x1FF] {
            let map: Shown = vec![(code, "č".into()), (2, "fi🐱".into())];
            assert_eq!(read(&written(&map)), map);
        }
    }
}
