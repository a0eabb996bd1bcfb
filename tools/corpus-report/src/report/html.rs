//! HTML: escaped text, numbers as people read them, languages as browsers name them.

use std::borrow::Cow;

/// Escapes a text for an element or a quoted attribute. Control characters become blanks.
pub(crate) fn escape(text: &str) -> String {
    let is_control = |c: char| c.is_control() && c != '\n';
    let text: Cow<str> = match text.contains(is_control) {
        true => text.replace(is_control, " ").into(),
        false => text.into(),
    };
    html_escape::encode_quoted_attribute(&text).into_owned()
}

/// Formats an integer with thin blanks between thousands.
pub(crate) fn format_count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        // 1234 is easier to read without.
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with a fixed number of decimals.
pub(crate) fn format_decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    text.strip_prefix('-')
        .map(|rest| format!("−{rest}"))
        .unwrap_or(text)
}

/// Formats `part / whole` in per cent; a dash if there is no whole.
pub(crate) fn format_percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "–".into(),
        _ => format!(
            "{}\u{202f}%",
            format_decimal(100.0 * part as f64 / whole as f64, 1)
        ),
    }
}

/// Returns `true` for a link that may be followed: not, for instance, `javascript:`.
pub(crate) fn is_web_link(url: &str) -> bool {
    let scheme = url
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// Returns the language tag of a label that is an ISO 639-3 code.
pub(crate) fn language_tag(label: &str) -> Option<&str> {
    let is_code = label.len() == 3 && label.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_code {
        return None;
    }
    Some(forage_langid::language_tag(label))
}

#[cfg(test)]
mod tests {
    use super::{escape, format_count, format_decimal, format_percent, is_web_link, language_tag};

    #[test]
    fn no_text_leaves_its_place() {
        assert_eq!(
            escape("<a b='c' \"d\">&\0"),
            "&lt;a b=&#x27;c&#x27; &quot;d&quot;&gt;&amp; "
        );
        assert!(is_web_link("HTTP://a.test/") && !is_web_link("javascript:alert(1)//://"));
    }

    #[test]
    fn numbers_and_languages_are_written_as_people_read_them() {
        assert_eq!(format_count(0), "0");
        assert_eq!(format_count(1234), "1234");
        assert_eq!(format_count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(format_decimal(-0.5, 2), "−0.50");
        assert_eq!(
            (format_percent(1, 3), format_percent(1, 0)),
            ("33.3\u{202f}%".into(), "–".into())
        );
        assert_eq!(
            ["slv", "bcl", "on-topic"].map(language_tag),
            [Some("sl"), Some("bcl"), None]
        );
    }
}
