//! API keys of engines: read from environment variables, and redacted from all output.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeSet;
use std::fmt;

/// Minimum length, in characters, of a part of a key that is redacted separately. Shorter parts
/// occur in many ordinary words. Set by judgement, not measured.
const MIN_SECRET_PART: usize = 3;

/// A secret that an engine requires: an API key, or the value of an `Authorization` header.
///
/// Its [`fmt::Debug`] output does not contain it. [`ApiKey::redact`] removes it and its parts from
/// text of other origin, such as error messages of an engine.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    value: String,
    /// All strings to redact, in all encodings, the longest first.
    secrets: Vec<String>,
}

/// The environment variable that holds an engine's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyVariable {
    /// Name of the environment variable.
    pub name: &'static str,
    /// True if the engine cannot be called without a key.
    pub is_required: bool,
    /// Description of the variable's content, for messages: "an API key".
    pub content: &'static str,
    /// Where the key is in a request.
    pub place: KeyPlace,
}

/// The place of a key in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// The header with this name.
    Header(&'static str),
    /// The parameter with this name, the last one of the query part of the URL.
    Parameter(&'static str),
}

impl ApiKey {
    /// Creates a key from `text` without surrounding white space; `None` if nothing remains.
    pub fn new(text: &str) -> Option<ApiKey> {
        let value = text.trim();
        if value.is_empty() {
            return None;
        }
        let secrets: BTreeSet<String> = secret_parts(value)
            .iter()
            .flat_map(|part| encoded_forms(part))
            .collect();
        let mut secrets: Vec<String> = secrets.into_iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Some(ApiKey {
            value: value.into(),
            secrets,
        })
    }

    /// Returns the key itself, to be sent to the engine.
    pub fn reveal(&self) -> &str {
        &self.value
    }

    /// Returns `text` with the key and its secret parts replaced by `***`, also where they are
    /// URL-encoded.
    pub fn redact(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

/// Returns the key and its secret parts.
///
/// The secret parts of an `Authorization` header are the credentials after the scheme, and each of
/// their parameters. For the Basic scheme, they include the decoded `name:password` pair and the
/// password (RFC 9110, section 11.6.2; RFC 7617).
fn secret_parts(key: &str) -> Vec<String> {
    let mut parts = vec![key.to_owned()];
    if let Some((scheme, credentials)) = key.split_once(char::is_whitespace) {
        let parameters = credentials
            .split([',', ' '])
            .map(|parameter| {
                parameter
                    .split_once("=\"")
                    .map_or(parameter, |(_, value)| value)
            })
            .map(|value| value.trim_matches('"').to_owned());
        parts.extend(parameters);
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
    parts.retain(|part| part == key || part.chars().count() >= MIN_SECRET_PART);
    parts
}

/// Returns a secret unencoded and in its URL encodings: spaces as `+` or `%20`, hexadecimal digits
/// in upper or lower case.
fn encoded_forms(secret: &str) -> [String; 5] {
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let path = form.replace('+', "%20");
    [
        secret.into(),
        lowercase_percent_escapes(&form),
        lowercase_percent_escapes(&path),
        form,
        path,
    ]
}

/// Returns `encoded` with the hexadecimal digits of its percent escapes in lower case.
fn lowercase_percent_escapes(encoded: &str) -> String {
    // Remaining characters of the current escape, including this one.
    let mut remaining = 0;
    let lower = |c: char| {
        remaining = if c == '%' {
            3
        } else {
            usize::saturating_sub(remaining, 1)
        };
        if remaining > 0 {
            c.to_ascii_lowercase()
        } else {
            c
        }
    };
    encoded.chars().map(lower).collect()
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::ApiKey;

    #[test]
    fn redacts_the_key_and_does_not_print_it() {
        let key = ApiKey::new(" s/cret \n").unwrap();
        assert_eq!(
            (format!("{key:?}"), key.reveal()),
            ("ApiKey(***)".into(), "s/cret")
        );
        assert_eq!(
            key.redact("no s/cret, no ?k=s%2Fcret&q"),
            "no ***, no ?k=***&q"
        );
        assert_eq!(ApiKey::new("  "), None);
    }

    #[test]
    fn redacts_each_part_of_a_header_in_all_encodings() {
        let key = ApiKey::new("Basic c2Vj+mV0Om9wZW4gc/VzYW1l").unwrap();
        assert_eq!(
            key.redact("c2Vj+mV0Om9wZW4gc/VzYW1l is no token"),
            "*** is no token"
        );
        assert_eq!(
            key.redact("Basic realm, c2Vj%2BmV0Om9wZW4gc%2FVzYW1l"),
            "Basic realm, ***"
        );
        assert_eq!(key.redact("?k=c2Vj%2bmV0Om9wZW4gc%2fVzYW1l&x"), "?k=***&x");
        // user:open sesame
        let key = ApiKey::new("basic dXNlcjpvcGVuIHNlc2FtZQ==").unwrap();
        assert_eq!(
            key.redact("user:open sesame; open sesame; open+sesame; open%20sesame; sesame"),
            "***; ***; ***; ***; sesame"
        );
        let key = ApiKey::new("Digest username=\"me-too\", response=\"6629fae4\"").unwrap();
        assert_eq!(
            key.redact("no 6629fae4 of me-too in Digest"),
            "no *** of *** in Digest"
        );
    }
}
