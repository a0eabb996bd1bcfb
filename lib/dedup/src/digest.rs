//! Digests, by which exact duplicates are found: texts that read the same, but for white space,
//! have the same digest.

/// The digest of a text: the first 128 bits of the BLAKE3 hash of its
/// [comparison form](forage_text::comparison_form).
///
/// Punctuation is significant; texts that differ only in it may be near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextDigest([u8; 16]);

impl TextDigest {
    /// Returns the digest of a text in its comparison form.
    pub(crate) fn from_comparison_form(text: &str) -> TextDigest {
        TextDigest(blake3::hash(text.as_bytes()).as_bytes().as_chunks().0[0])
    }

    /// Returns the digest with these bytes.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> TextDigest {
        TextDigest(bytes)
    }

    /// Returns a number that nearly always differs between digests.
    pub(crate) fn key(&self) -> u64 {
        let (first, _) = self.0.split_at(8);
        first.try_into().map_or(0, u64::from_le_bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::TextDigest;
    use proptest::prelude::*;

    fn digest(text: &str) -> TextDigest {
        TextDigest::from_comparison_form(&forage_text::comparison_form(text))
    }

    #[test]
    fn ignores_white_space_composition_and_typography() {
        assert_eq!(digest("lep  c\u{30c}as\n\n je "), digest("lep čas je"));
        assert_eq!(digest("Lep\u{a0}„čas“ je"), digest("lep \"ča\u{ad}s\" JE"));
    }

    #[test]
    fn depends_on_punctuation_and_word_boundaries() {
        for other in ["lep dan.", "lepdan", "lep da n", ""] {
            assert_ne!(digest("lep dan"), digest(other), "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn depends_only_on_the_words(words in prop::collection::vec("\\PC{1,8}", 0..20)) {
            prop_assert_eq!(digest(&words.join("\n\t ")), digest(&words.join(" ")));
        }
    }
}
