//! The words by which a link is compared with links that were followed before.

use crate::state_file::crawl_url::{CrawlUrl, hash_key};

/// Maximum number of words of an anchor text; more are a paragraph, not a name. Set by judgement,
/// not measured.
const MAX_ANCHOR_WORDS: usize = 16;
/// Bytes of a stored word key.
const KEY_BYTES: usize = 4;

/// The keys of different words, ascending: the first 32 bits of their hashes. Two words with the
/// same key count as one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WordKeys(Vec<u32>);

impl WordKeys {
    /// Returns the words of an anchor text.
    pub(crate) fn of_anchor(text: &str) -> WordKeys {
        WordKeys::of_words(words(text).take(MAX_ANCHOR_WORDS))
    }

    /// Returns these words and those of the path of a URL.
    pub(crate) fn with_path(&self, url: &CrawlUrl) -> WordKeys {
        let mut keys = WordKeys::of_words(words(url.path())).0;
        keys.extend_from_slice(&self.0);
        WordKeys::sorted(keys)
    }

    fn of_words(words: impl Iterator<Item = String>) -> WordKeys {
        WordKeys::sorted(words.map(|word| hash_key(&word) as u32).collect())
    }

    fn sorted(mut keys: Vec<u32>) -> WordKeys {
        keys.sort_unstable();
        keys.dedup();
        WordKeys(keys)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Returns the keys as they are stored, four bytes each.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|key| key.to_le_bytes()).collect()
    }

    /// Reads stored keys. Bytes that are no whole key are ignored.
    pub(crate) fn from_bytes(bytes: &[u8]) -> WordKeys {
        let read = |key: &[u8]| key.try_into().map(u32::from_le_bytes).unwrap_or_default();
        WordKeys(bytes.chunks_exact(KEY_BYTES).map(read).collect())
    }
}

/// Returns the words of a text: sequences of letters and digits, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::WordKeys;
    use crate::state_file::crawl_url::CrawlUrl;

    #[test]
    fn the_words_of_a_link_are_those_of_its_text_and_its_path() {
        let anchor = WordKeys::of_anchor("Binary Search-Trees, search");
        assert_eq!(anchor, WordKeys::of_anchor("trees/search/binary"));
        assert_eq!(WordKeys::from_bytes(&anchor.to_bytes()), anchor);
        let url = CrawlUrl::parse("http://a.test/search/page1.html?x=y").unwrap();
        assert_eq!(
            anchor.with_path(&url),
            WordKeys::of_anchor("binary search trees page1 html")
        );
    }
}
