//! Percent escapes of paths and queries, in one spelling.

use std::borrow::Cow;
use std::fmt::Write;
use url::{Position, Url};

/// Returns a path with its query in the spelling in which paths are compared: equivalent escapes
/// are equal (RFC 3986, section 6.2.2).
///
/// - Escapes of unreserved characters are decoded: `%7E` is `~`. The digits of all others are in
///   upper case.
/// - In the query, also the escapes of `/`, `?`, `:` and `@` are decoded, which are no delimiters
///   there (section 3.4).
/// - Bytes that a URL cannot contain are escaped: those other than ASCII, blanks, brackets, and a
///   `%` that begins no escape.
pub fn normalise_escapes(path: &[u8]) -> Cow<'_, str> {
    if path.iter().copied().all(is_literal)
        && let Ok(path) = str::from_utf8(path)
    {
        return Cow::Borrowed(path);
    }
    let mut normal = String::with_capacity(path.len() + 16);
    let mut is_query = false;
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, escaped_byte(after)) {
            (b'%', Some(escaped)) => {
                rest = &after[2..];
                if is_unreserved(escaped) || (is_query && b"/?:@".contains(&escaped)) {
                    normal.push(escaped.into());
                } else {
                    push_escape(&mut normal, escaped);
                }
            }
            _ if is_literal(byte) => {
                is_query |= byte == b'?';
                normal.push(byte.into());
            }
            _ => push_escape(&mut normal, byte),
        }
    }
    Cow::Owned(normal)
}

/// Returns the text by which a URL is compared with others: the URL with the escapes of its path
/// and query normalised. It is not for requests, because some servers tell equivalent spellings
/// apart.
pub fn comparison_key(url: &Url) -> Cow<'_, str> {
    let start = url[..Position::BeforePath].len();
    match normalise_escapes(&url.as_str().as_bytes()[start..]) {
        Cow::Borrowed(_) => Cow::Borrowed(url.as_str()),
        Cow::Owned(path) => Cow::Owned(format!("{}{path}", &url[..Position::BeforePath])),
    }
}

/// Returns a reference to a URL as text, with the bytes other than ASCII escaped as they are,
/// whatever their encoding. Browsers read `Location` so.
pub fn escape_bytes(reference: &[u8]) -> String {
    let mut text = String::with_capacity(reference.len());
    for &byte in reference {
        if byte.is_ascii() {
            text.push(byte.into());
        } else {
            push_escape(&mut text, byte);
        }
    }
    text
}

/// Returns the byte of an escape whose digits `after` begins with.
fn escaped_byte(after: &[u8]) -> Option<u8> {
    let digit = |index: usize| char::from(*after.get(index)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

fn push_escape(to: &mut String, byte: u8) {
    // Writing to a string cannot fail.
    let _ = write!(to, "%{byte:02X}");
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Returns `true` for bytes that paths and queries contain without escapes.
fn is_literal(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=:@/?".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::{comparison_key, escape_bytes, normalise_escapes};
    use crate::page_url::normalise_url;
    use proptest::prelude::*;
    use url::Url;

    fn key(url: &str) -> String {
        comparison_key(&normalise_url(url).unwrap()).into_owned()
    }

    #[test]
    fn equivalent_escapes_are_equal() {
        for (a, b) in [
            ("/%d8%b3", "/%D8%B3"),
            ("/%7Ejoe/", "/~joe/"),
            ("/%41%2d%5F%2e", "/A-_."),
            ("/čebela", "/%c4%8debela"),
            ("/a?x=%c3%a9", "/a?x=é"),
            ("/a b", "/a%20b"),
            ("/?f[0]=a|b", "/?f%5b0%5D=a%7cb"),
            (
                "/?u=http://b.test/?c@d",
                "/?u=http%3A%2F%2fb.test%2F%3Fc%40d",
            ),
            ("/100%", "/100%25"),
            ("/%zz", "/%25zz"),
        ] {
            let url = |path: &str| format!("http://a.test{path}");
            assert_eq!(key(&url(a)), key(&url(b)), "{a}");
        }
    }

    #[test]
    fn reserved_characters_and_their_escapes_differ() {
        for (a, b) in [
            ("/a%2Fb", "/a/b"),
            ("/a%3Fb", "/a?b"),
            ("/?a%26b", "/?a&b"),
            ("/?a%3Db", "/?a=b"),
            ("/?a%2Bb", "/?a+b"),
            ("/%257E", "/~"),
            ("/a%23b", "/a"),
            ("/A", "/a"),
        ] {
            let url = |path: &str| format!("http://a.test{path}");
            assert_ne!(key(&url(a)), key(&url(b)), "{a}");
        }
        assert_eq!(key("http://[::1]:81/[x]"), "http://[::1]:81/%5Bx%5D");
    }

    #[test]
    fn bytes_of_a_reference_are_escaped_as_they_are() {
        assert_eq!(escape_bytes(b"/\xf0\xf3?\xe8%20 #"), "/%F0%F3?%E8%20 #");
        // The host is decoded by the parser.
        let url = Url::parse(&escape_bytes("http://čebela.test/č".as_bytes())).unwrap();
        assert_eq!(url.as_str(), "http://xn--ebela-gya.test/%C4%8D");
    }

    proptest! {
        #[test]
        fn normalising_again_changes_nothing(path in proptest::collection::vec(
            prop_oneof![any::<u8>(), Just(b'%'), Just(b'?'), Just(b'7'), Just(b'E')], 0..24
        )) {
            let once = normalise_escapes(&path).into_owned();
            prop_assert_eq!(normalise_escapes(once.as_bytes()), once.as_str());
        }

        #[test]
        fn the_spelling_of_an_escape_does_not_matter(bytes: Vec<u8>) {
            let upper: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
            let lower: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(
                normalise_escapes(upper.as_bytes()),
                normalise_escapes(lower.as_bytes())
            );
        }
    }
}
