//! Digests, by which exact duplicates are found: texts that read the same, but for white space, have
//! the same digest.

/// The digest of a text: the first 128 bits of the BLAKE3 hash of its normal form.
///
/// The normal form is the [comparison form](forage_text::comparison_form), with each run of white
/// space replaced by one space, and none at either end. Punctuation is significant; texts that
/// differ only in it may be near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextDigest([u8; 16]);

impl TextDigest {
    /// Returns the digest of a text in its comparison form.
    pub(crate) fn from_comparison_form(text: &str) -> TextDigest {
        let mut normal_form = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !normal_form.is_empty() {
                normal_form.push(' ');
            }
            normal_form.push_str(word);
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(normal_form.as_bytes()).as_bytes()[..16]);
        TextDigest(digest)
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
