//! Digests, by which exact duplicates are found: texts that differ in white space or Unicode
//! composition only have the same digest.

/// The digest of a text: the first 128 bits of the BLAKE3 hash of its normal form.
///
/// The normal form is NFC, with each run of white space replaced by one space, and none at either
/// end. Case and punctuation are significant; texts that differ only in these may be
/// near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextDigest([u8; 16]);

impl TextDigest {
    /// Returns the digest of a text that is in NFC.
    pub(crate) fn from_normalised_text(text: &str) -> TextDigest {
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
        TextDigest::from_normalised_text(&forage_text::normalise(text))
    }

    #[test]
    fn ignores_white_space_and_composition() {
        assert_eq!(digest("lep  c\u{30c}as\n\n je "), digest("lep čas je"));
    }

    #[test]
    fn depends_on_case_punctuation_and_word_boundaries() {
        for other in ["Lep dan", "lep dan.", "lepdan", "lep da n", ""] {
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
