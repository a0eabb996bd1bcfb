//! Keys of engines: from environment variables, and shown to nobody.

use std::fmt;

/// A secret that an engine asks for: an API key, or the value of an `Authorization` header.
///
/// It can't be printed by accident; [`Key::hide_in`] takes it out of what others wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

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
        let text = text.trim();
        (!text.is_empty()).then(|| Key(text.into()))
    }

    /// The key itself, to be sent to the engine.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with stars wherever the key stands in it, also in the spelling of URLs.
    pub fn hide_in(&self, text: &str) -> String {
        let encoded: String = url::form_urlencoded::byte_serialize(self.0.as_bytes()).collect();
        text.replace(&self.0, "***").replace(&encoded, "***")
    }
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
        assert_eq!((format!("{key:?}"), key.reveal()), ("Key(***)".into(), "s/cret"));
        assert_eq!(key.hide_in("no s/cret, no ?k=s%2Fcret&q"), "no ***, no ?k=***&q");
        assert_eq!(Key::new("  "), None);
    }
}
