//! UTF-16 without a byte-order mark.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes that are examined.
const HEAD_BYTES: usize = 512;

/// Detects UTF-16 without a byte-order mark.
///
/// In an alphabet, the first byte of most characters is less than 0x20 (U+0000 to U+1FFF), which is
/// a control character in other encodings. In Chinese, Japanese and Korean, only the first byte of
/// line feeds, digits and markup is; but then the text is not UTF-8.
pub(crate) fn utf16_without_bom(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(HEAD_BYTES) & !1];
    if head.len() < 4 || Encoding::for_bom(body).is_some() {
        return None;
    }
    let (little_endian, big_endian) = (controls(head, 1), controls(head, 0));
    [
        (UTF_16LE, little_endian, big_endian),
        (UTF_16BE, big_endian, little_endian),
    ]
    .into_iter()
    .find(|(encoding, high, low)| {
        let is_alphabetic = high * 4 >= head.len() && low * 2 < *high;
        let is_ideographic = *high > 0 && std::str::from_utf8(head).is_err();
        (is_alphabetic || is_ideographic) && is_text(head, encoding, is_alphabetic)
    })
    .map(|(encoding, ..)| encoding)
}

/// Returns the number of bytes at positions of this parity that are control characters in other
/// encodings: NUL, and if there is one, also the others.
fn controls(head: &[u8], parity: usize) -> usize {
    let bytes = || head.iter().skip(parity).step_by(2);
    let is_whitespace = |byte: &u8| byte.is_ascii_whitespace();
    // Tabs and line feeds are no evidence alone, but are the first bytes of U+0900 to U+0DFF.
    let has_zero = bytes().any(|byte| *byte == 0);
    bytes()
        .filter(|byte| **byte < 0x20 && (has_zero || !is_whitespace(byte)))
        .count()
}

/// Returns `true` if the bytes are text in `encoding`, of any alphabet or in Chinese, Japanese or
/// Korean.
fn is_text(head: &[u8], encoding: &'static Encoding, is_alphabetic: bool) -> bool {
    let (text, _) = encoding.decode_without_bom_handling(head);
    // The sample may end within a character.
    let text = text.trim_end_matches('\u{FFFD}');
    let is_data = |c: char| c == '\u{FFFD}' || (c.is_control() && !c.is_whitespace());
    let is_east_asian = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{3000}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7A3}' | '\u{FF00}'..='\u{FFEF}')
    };
    let count = |is_kind: &dyn Fn(char) -> bool| text.chars().filter(|c| is_kind(*c)).count();
    if is_alphabetic {
        count(&is_data) == 0
    } else {
        count(&is_east_asian) * 20 >= text.chars().count() * 19
    }
}

/// Bytes of a file in UTF-16 that are decoded to find markup or records. Set by judgement, not
/// measured.
const UTF16_SAMPLE_BYTES: usize = 2048;

/// Returns the beginning of a text in UTF-16; `None` for data, and text in another encoding.
pub(crate) fn utf16_sample(head: &[u8]) -> Option<String> {
    let marked = Encoding::for_bom(head).filter(|(encoding, _)| *encoding != UTF_8);
    let sample = &head[..head.len().min(UTF16_SAMPLE_BYTES)];
    if let Some((encoding, mark)) = marked {
        return Some(
            encoding
                .decode_without_bom_handling(&sample[mark..])
                .0
                .into(),
        );
    }
    let (text, _) = utf16_without_bom(head)?.decode_without_bom_handling(sample);
    Some(text.into())
}

#[cfg(test)]
mod tests {
    use super::utf16_without_bom;
    use crate::media::decode;

    #[test]
    fn detects_alphabets_and_ideographs() {
        for text in [
            "Danes",
            "Съешьжеещёэтихмягкихфранцузскихбулок, да выпей чаю",
            "ፀሐይ ዛሬ በሰማይ ላይ ደምቃ ታበራለች",
            "這條小溪流過村莊。\n推動著一座水磨。",
            "<p>今日はとてもいい天気です。</p>",
            "오늘은 날씨가 아주 좋습니다",
            "\tनमस्ते दुनिया",
        ] {
            for (name, bytes) in [
                (
                    "UTF-16LE",
                    text.encode_utf16()
                        .flat_map(u16::to_le_bytes)
                        .collect::<Vec<u8>>(),
                ),
                (
                    "UTF-16BE",
                    text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                ),
            ] {
                assert_eq!(
                    decode(&bytes, None, true, None),
                    (text.into(), name),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn text_with_nul_in_other_encodings_is_not_utf16() {
        let page = "<p>Šola je daleč, in pot je dolga.\0</p>".repeat(20);
        let (gbk, _, _) = encoding_rs::GBK.encode("这条小溪流过村庄。\0推动着一座水磨。");
        for bytes in [
            page.as_bytes(),
            &gbk,
            b"a\0b",
            b"abcd",
            b"a\nb\nc\nd\ne\nf\n",
            b"\t\t\t\t\n\n\n\n",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01",
        ] {
            assert_eq!(utf16_without_bom(bytes), None, "{bytes:?}");
        }
    }
}
