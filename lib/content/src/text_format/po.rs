//! PO files of gettext: the translations.

use super::{FormatReader, LineReader, Pattern, end_line, pattern};
use regex::bytes::{Captures, Regex};
use std::sync::LazyLock;

/// The first message, and a translation.
static START: Pattern = Pattern::new(|| {
    pattern(r#"\A(?:#.*\n)*(?:msgid|msgctxt|domain)\s*"(?s:.*)^msgstr(?:\[\d+\])?\s*""#)
});

/// The escapes of C that gettext reads (`control_sequence` in its `po-lex.c`, 0.22). One that is
/// unknown stays as it is.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"\\(x[[:xdigit:]]{1,2}|[0-7]{1,3}|[nrvftab"\\])"#;
    Regex::new(pattern).expect("a constant pattern is valid")
});

/// The sign before the letter that is typed to choose from a menu: `E_xit` in GTK, `E&xit` in Qt.
/// It is also inside words, but not in `R&D` and `&nbsp;`.
static ACCELERATOR: Pattern = Pattern::new(|| pattern(r"(^|[^\p{Lu}])[_&](\pL+)([^;\pL]|$)"));

/// What a program puts in or a page shows otherwise: `%s`, `%1$s`, `%(name)s`, `{0}`, tags.
static PLACEHOLDER: Pattern = Pattern::new(|| {
    pattern(r"</?[A-Za-z][^<>]*>|%(?:\(\w+\))?(?:[\w$@#+]|\.\d)+|[$%]?\{[^{}\s]*\}")
});

/// Reads the translations of the messages, without those that are marked as fuzzy, which the
/// programs do not show either (`msgfmt` leaves them out), and without the header.
#[derive(Debug, Default)]
struct PoReader {
    /// The keyword of the string.
    keyword: String,
    is_fuzzy: bool,
    /// True if the message has an original or a context, which the header has not.
    is_message: bool,
    /// True if the original has one.
    has_accelerator: bool,
    /// The translation, with the forms of a plural as lines.
    translation: String,
}

/// Returns a reader, if the lines are those of the format.
pub(super) fn open(head: &str) -> FormatReader {
    match START.is_match(head) {
        true => Some(Box::<PoReader>::default()),
        false => None,
    }
}

impl LineReader for PoReader {
    fn read_line(&mut self, line: &str, text: &mut String) {
        let line = line.trim();
        let (keyword, string) = line.split_at(line.find('"').unwrap_or(line.len()));
        let is_translation = |keyword: &str| keyword.starts_with("msgstr");
        if is_translation(&self.keyword) && !(keyword.is_empty() || is_translation(keyword)) {
            self.finish(text);
        }
        if keyword.starts_with('#') {
            self.is_fuzzy |= keyword.starts_with("#,") && line.contains("fuzzy");
            return;
        }
        if !keyword.is_empty() {
            keyword.trim_end().clone_into(&mut self.keyword);
            end_line(&mut self.translation);
        }
        let string = string.strip_prefix('"').unwrap_or_default();
        let string = string.strip_suffix('"').unwrap_or(string);
        match &*self.keyword {
            "msgctxt" => self.is_message = true,
            keyword if is_translation(keyword) => self.translation.push_str(&unescape(string)),
            _ => {
                self.is_message |= !string.is_empty();
                self.has_accelerator |= ACCELERATOR.is_match(string);
            }
        }
    }

    fn finish(&mut self, text: &mut String) {
        if !self.is_fuzzy && self.is_message {
            let translation = match self.has_accelerator {
                true => ACCELERATOR.replace_all(&self.translation, "$1$2$3"),
                false => self.translation.as_str().into(),
            };
            text.push_str(PLACEHOLDER.replace_all(&translation, " ").trim());
            end_line(text);
        }
        *self = PoReader::default();
    }
}

/// Returns a string without escapes. Those of numbers are bytes, of which several may be a
/// character.
fn unescape(string: &str) -> String {
    let number = |digits: &[u8], radix| {
        let number = std::str::from_utf8(digits).map(|digits| u32::from_str_radix(digits, radix));
        number.ok().and_then(Result::ok).unwrap_or(0) as u8
    };
    let text = ESCAPE.replace_all(string.as_bytes(), |escape: &Captures| {
        [match escape[1][0] {
            b'n' | b'r' | b'v' | b'f' => b'\n',
            b't' | b'a' | b'b' => b' ',
            b'x' => number(&escape[1][1..], 16),
            b'0'..=b'7' => number(&escape[1], 8),
            sign => sign,
        }]
    });
    String::from_utf8_lossy(&text).into_owned()
}
