//! Exact twins: one digest for all texts that a reader could not tell apart.

/// Digest of a text: the first 128 bits of BLAKE3 over its normal form.
///
/// The normal form is NFC, with each run of white space made one blank and none at either end, so
/// that a page that was wrapped or composed anew is the same text. Case and punctuation count:
/// texts that differ in them are near twins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest([u8; 16]);

impl Digest {
    /// The digest of a text that is NFC.
    pub(crate) fn of_normalised(text: &str) -> Digest {
        let mut folded = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !folded.is_empty() {
                folded.push(' ');
            }
            folded.push_str(word);
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(folded.as_bytes()).as_bytes()[..16]);
        Digest(digest)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;
    use proptest::prelude::*;

    fn digest(text: &str) -> Digest {
        Digest::of_normalised(&forage_text::normalise(text))
    }

    #[test]
    fn white_space_and_composition_are_no_matter() {
        assert_eq!(digest("lep  c\u{30c}as\n\n je "), digest("lep čas je"));
    }

    #[test]
    fn case_punctuation_and_borders_of_words_matter() {
        for other in ["Lep dan", "lep dan.", "lepdan", "lep da n", ""] {
            assert_ne!(digest("lep dan"), digest(other), "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn depends_on_the_words_alone(words in prop::collection::vec("\\PC{1,8}", 0..20)) {
            prop_assert_eq!(digest(&words.join("\n\t ")), digest(&words.join(" ")));
        }
    }
}
