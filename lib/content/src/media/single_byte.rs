//! Character encodings that pages declare and the Encoding Standard lacks: those of DOS, of the
//! Macintosh, and of standards of single countries, a byte a character; and labels that it lacks
//! for encodings that it has.
//!
//! `charsets.tsv` has a line for each: its name, its labels in lower case without punctuation, and
//! the characters of the upper half, from the codecs of Python 3.11 and, for the others, iconv of
//! glibc 2.36. Those of Vietnam also have letters among the control characters.

use encoding_rs::{Encoding, REPLACEMENT};

/// A line of the table.
#[derive(Debug)]
pub(crate) struct SingleByteEncoding {
    pub name: &'static str,
    /// The characters of all bytes, U+FFFD for a byte without one; empty for an encoding of the
    /// standard.
    characters: Vec<char>,
}

impl SingleByteEncoding {
    fn parse(name: &'static str, upper: &str, lower: &str) -> SingleByteEncoding {
        let ascii = (0..0x80_u8).map(char::from).filter(|_| !upper.is_empty());
        let mut characters: Vec<char> = ascii.chain(upper.chars()).collect();
        // A byte in hexadecimal digits, and its character.
        for (digits, character) in lower.split(' ').filter_map(|pair| pair.split_at_checked(2)) {
            let byte = usize::from_str_radix(digits, 16).unwrap_or(usize::MAX);
            if let Some((entry, c)) = characters.get_mut(byte).zip(character.chars().next()) {
                *entry = c;
            }
        }
        SingleByteEncoding { name, characters }
    }

    pub fn decode(&self, body: &[u8]) -> String {
        let character = |byte: &u8| self.characters.get(usize::from(*byte)).copied();
        body.iter()
            .map(|byte| character(byte).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// Returns a label in the form in which labels are compared: in lower case, without punctuation.
fn compared_label(label: &[u8]) -> String {
    let bytes = label.iter().filter(|byte| byte.is_ascii_alphanumeric());
    bytes
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}

/// Returns the encoding with a label, also with the prefixes `x-` of names that are not registered
/// and `cs` of IANA's aliases.
fn find(label: &[u8]) -> Option<SingleByteEncoding> {
    let label = compared_label(label);
    let short = label.strip_prefix('x').or_else(|| label.strip_prefix("cs"));
    let mut lines = include_str!("charsets.tsv")
        .lines()
        .map(|line| line.split('\t'));
    lines.find_map(|mut fields| {
        let mut field = || fields.next().unwrap_or_default();
        let (name, mut labels) = (field(), field().split(' '));
        let is_named = labels.any(|known| known == label || Some(known) == short);
        is_named.then(|| SingleByteEncoding::parse(name, field(), field()))
    })
}

/// Returns the encoding of the standard that a label stands for which the standard lacks.
pub(crate) fn standard_encoding(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = find(label).filter(|encoding| encoding.characters.is_empty())?;
    Encoding::for_label(encoding.name.as_bytes())
}

/// Beginnings of the labels of encodings that are not read, in the form in which they are compared:
/// of several bytes, of stateful ones, of EBCDIC, and of the families that `charsets.tsv` is of.
const UNREAD: &str = "utf7 unicode11utf7 utf32 ucs4 hz iso2022kr iso2022cn csiso2022kr tscii iscii \
    xiscii ebcdic johab kamenicky mazovia mac xmac viqr vni xviet vps bascii tam geostd8 euctw xeuctw cns11643 kps tds565 \
    armscii cesu8 scsu bocu1 ibm cp isoir";

/// Returns the encoding with a label, if the standard lacks both, or the label of one that is known
/// and not read. Most labels that no list has are none (`none`, `utf`, `iso`), and say nothing
/// about the bytes.
pub(crate) fn unlisted_encoding(label: &[u8]) -> Option<Result<SingleByteEncoding, String>> {
    if Encoding::for_label(label).is_some_and(|encoding| encoding != REPLACEMENT) {
        return None;
    }
    let compared = compared_label(label);
    let is_unread = || {
        UNREAD
            .split_ascii_whitespace()
            .any(|start| compared.starts_with(start))
    };
    match find(label) {
        Some(encoding) => Some(Ok(encoding)).filter(|_| standard_encoding(label).is_none()),
        None => is_unread().then(|| Err(String::from_utf8_lossy(label).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::{standard_encoding, unlisted_encoding};
    use encoding_rs::Encoding;

    #[test]
    fn each_line_is_an_encoding_of_the_standard_or_a_table() {
        for line in include_str!("charsets.tsv").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let (name, labels, upper) = (fields[0], fields[1], fields[2]);
            let is_standard = Encoding::for_label(name.as_bytes()).is_some();
            assert_eq!(is_standard, upper.is_empty(), "{name}");
            assert!(is_standard || upper.chars().count() == 128, "{name}");
            for label in labels.split(' ') {
                let found = standard_encoding(label.as_bytes()).is_some();
                assert_eq!(found, is_standard, "{label}");
            }
        }
    }

    /// Each text was encoded by iconv (glibc 2.36) or Python 3.11.
    #[test]
    fn texts_of_each_family_are_decoded() {
        for (labels, bytes, text) in [
            (
                "kz-1048 STRK1048-2002 RK1048",
                &b"\xa5\xe7\xe5\xed"[..],
                "Өзен",
            ),
            ("PT154 ptcp154 csPTCP154", b"\xa4\xe7\xe5\xed", "Өзен"),
            ("koi8-t", b"\x8d\xa1", "ҷӯ"),
            ("ARMSCII-8 armscii8", b"\xb2\xb3", "Աա"),
            ("georgian-ps", b"\xc0\xe4", "აჰ"),
            ("georgian-academy", b"\xc0\xe0", "აჰ"),
            ("VISCII csVISCII", b"Vi\xaet \x02", "Việt Ẳ"),
            ("TCVN x-viet-tcvn5712", b"Vi\xd6t", "Việt"),
            ("mik", b"\x80\x9f", "АЯ"),
            ("ibm852 cp852 x-ibm852", b"\xa7\xac", "žČ"),
            ("x-mac-ce macce x-mac-centraleurroman", b"\x89\x8b", "Čč"),
            ("ibm437 437 cp-437", b"\x84\xe1", "äß"),
            ("IBM862", b"\x80\x9a", "את"),
        ] {
            for label in labels.split(' ') {
                let table = unlisted_encoding(label.as_bytes()).unwrap().unwrap();
                assert_eq!(table.decode(bytes), text, "{label}");
            }
        }
    }

    #[test]
    fn other_labels_are_of_the_standard_or_unread_or_nothing() {
        for (label, name) in [
            ("tis620", "windows-874"),
            ("win-1251", "windows-1251"),
            ("cp949", "EUC-KR"),
        ] {
            let encoding = standard_encoding(label.as_bytes()).map(Encoding::name);
            assert_eq!(encoding, Some(name), "{label}");
            assert!(unlisted_encoding(label.as_bytes()).is_none());
        }
        for label in [
            "tscii",
            "UTF-7",
            "x-iscii-de",
            "IBM1140",
            "x-mac-devanagari",
            "x-viet-vps",
            "EUC-TW",
            "hz-gb-2312",
            "iso-2022-kr",
        ] {
            assert!(
                unlisted_encoding(label.as_bytes()).unwrap().is_err(),
                "{label}"
            );
        }
        for label in [
            "utf-8",
            "ibm866",
            "macintosh",
            "x-mac-cyrillic",
            "ibm852",
            "tis620",
            "none",
            "iso-8859-1",
            "",
        ] {
            assert!(
                !matches!(unlisted_encoding(label.as_bytes()), Some(Err(_))),
                "{label}"
            );
        }
    }
}
