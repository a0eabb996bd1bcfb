//! Keys of engines: from environment variables, and shown to nobody.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeSet;
use std::fmt;

/// Characters from which a part of a key is hidden by itself.
const SHORTEST_PART: usize = 3;

/// A secret that an engine asks for: an API key, or the value of an `Authorization` header.
///
/// It can't be printed by accident; [`Key::hide_in`] takes it and its parts out of what others
/// wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    whole: String,
    /// All that must not be shown, in all spellings, the longest first.
    secrets: Vec<String>,
}

/// Where an engine's key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyVariable {
    /// The environment variable.
    pub name: &'static str,
    /// Whether the engine can't be asked without it.
    pub is_needed: bool,
    /// What the variable holds, for a person.
    pub holds: &'static str,
}

impl Key {
    /// A key, without the blanks around it; a blank one is none.
    pub fn new(text: &str) -> Option<Key> {
        let whole = text.trim();
        if whole.is_empty() {
            return None;
        }
        let secrets = parts(whole)
            .iter()
            .flat_map(|part| spellings(part))
            .collect::<BTreeSet<_>>();
        let mut secrets: Vec<String> = secrets.into_iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Some(Key {
            whole: whole.into(),
            secrets,
        })
    }

    /// The key itself, to be sent to the engine.
    pub fn reveal(&self) -> &str {
        &self.whole
    }

    /// The text with stars wherever the key stands in it, or a part of it that is secret by itself,
    /// also in the spelling of URLs.
    pub fn hide_in(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

/// The key and what is secret in it: of an `Authorization` header what follows its scheme, and of
/// Basic also the name with its password, and the password (RFC 9110, 11.6.2; RFC 7617).
fn parts(whole: &str) -> Vec<String> {
    let mut parts = vec![whole.to_owned()];
    if let Some((scheme, credentials)) = whole.split_once(char::is_whitespace) {
        let words = credentials
            .split([',', ' '])
            .map(|word| word.split_once("=\"").map_or(word, |(_, value)| value));
        parts.extend(words.map(|word| word.trim_matches('"').to_owned()));
        parts.push(credentials.trim().to_owned());
        if scheme.eq_ignore_ascii_case("basic") {
            let decoded = STANDARD
                .decode(credentials.trim())
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok());
            let password = decoded
                .as_deref()
                .and_then(|pair| pair.split_once(':'))
                .map(|(_, password)| password.to_owned());
            parts.extend(decoded.into_iter().chain(password));
        }
    }
    // What is shorter stands in many a word.
    parts.retain(|part| part == whole || part.chars().count() >= SHORTEST_PART);
    parts
}

/// A secret as it is, and as it stands in URLs.
fn spellings(secret: &str) -> [String; 5] {
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let path = form.replace('+', "%20");
    [
        secret.into(),
        in_lower_case(&form),
        in_lower_case(&path),
        form,
        path,
    ]
}

/// With the digits of percent signs in lower case.
fn in_lower_case(encoded: &str) -> String {
    let mut digits = 0;
    let lower = |c: char| {
        digits = if c == '%' {
            3
        } else {
            usize::saturating_sub(digits, 1)
        };
        if digits > 0 {
            c.to_ascii_lowercase()
        } else {
            c
        }
    };
    encoded.chars().map(lower).collect()
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Key(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" s/cret \n").unwrap();
        assert_eq!(
            (format!("{key:?}"), key.reveal()),
            ("Key(***)".into(), "s/cret")
        );
        assert_eq!(
            key.hide_in("no s/cret, no ?k=s%2Fcret&q"),
            "no ***, no ?k=***&q"
        );
        assert_eq!(Key::new("  "), None);
    }

    #[test]
    fn each_part_of_a_header_is_hidden_in_all_spellings() {
        let key = Key::new("Basic c2Vj+mV0Om9wZW4gc/VzYW1l").unwrap();
        assert_eq!(
            key.hide_in("c2Vj+mV0Om9wZW4gc/VzYW1l is no token"),
            "*** is no token"
        );
        assert_eq!(
            key.hide_in("Basic realm, c2Vj%2BmV0Om9wZW4gc%2FVzYW1l"),
            "Basic realm, ***"
        );
        assert_eq!(key.hide_in("?k=c2Vj%2bmV0Om9wZW4gc%2fVzYW1l&x"), "?k=***&x");
        // user:open sesame
        let key = Key::new("basic dXNlcjpvcGVuIHNlc2FtZQ==").unwrap();
        assert_eq!(
            key.hide_in("user:open sesame; open sesame; open+sesame; open%20sesame; sesame"),
            "***; ***; ***; ***; sesame"
        );
        let key = Key::new("Digest username=\"me-too\", response=\"6629fae4\"").unwrap();
        assert_eq!(
            key.hide_in("no 6629fae4 of me-too in Digest"),
            "no *** of *** in Digest"
        );
    }
}
