//! Keyphrases of an article, and the method by which they were found.

use serde::{Deserialize, Serialize};

/// An item of `keywords`: a keyphrase of an article.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "KeyphraseItem")]
pub struct Keyphrase {
    /// The phrase as it stands in the text, which is how a query must have it.
    pub phrase: String,
    /// The score, as in `NPScore` (Bracewell, Ren & Kuroiwa 2007, equation 1).
    pub score: f64,
    /// The key by which phrases are compared: the stems, separated by blanks.
    pub key: String,
}

/// A keyphrase as it may be written: an object, or `[phrase, score, key]` as in schema 3. The key
/// may be missing.
#[derive(Deserialize)]
struct KeyphraseItem {
    phrase: String,
    score: f64,
    #[serde(default)]
    key: Option<String>,
}

impl From<KeyphraseItem> for Keyphrase {
    fn from(KeyphraseItem { phrase, score, key }: KeyphraseItem) -> Self {
        Keyphrase {
            key: key.unwrap_or_else(|| phrase.to_lowercase()),
            phrase,
            score,
        }
    }
}

/// `keywords_method`: the method by which keyphrases were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeywordsMethod {
    /// Noun phrases, by parts of speech.
    NounPhrases,
    /// Words and recurring phrases, by their frequencies.
    Statistical,
}

#[cfg(test)]
mod tests {
    use super::Keyphrase;

    #[test]
    fn a_keyphrase_without_a_key_is_compared_by_its_lower_case() {
        let parse = |json: &str| serde_json::from_str::<Keyphrase>(json);
        let json = r#"{"phrase":"White House","score":1.5,"key":"white hous"}"#;
        let keyed = parse(json).unwrap();
        assert_eq!(keyed.key, "white hous");
        assert_eq!(serde_json::to_string(&keyed).unwrap(), json);
        // Arrays are the form of schema 3.
        let array = r#"["White House",1.5,"white hous"]"#;
        assert_eq!(parse(array).unwrap(), keyed);
        for unkeyed in [
            r#"["White House",2]"#,
            r#"{"phrase":"White House","score":2}"#,
        ] {
            assert_eq!(parse(unkeyed).unwrap().key, "white house", "{unkeyed}");
        }
        for wrong in [r#"["a"]"#, r#"[1,2]"#, r#""a""#, r#"["a",1,2]"#, "[]", "{}"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
