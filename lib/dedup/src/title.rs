//! Keys of titles, by which documents with the same title are found.
//!
//! An article that several sites reprint, or that one site shows at several addresses, keeps its
//! title where its text is cut or set differently (Bracewell et al. 2008, section V.A: "same URL or
//! same title").

use forage_text::{comparison_form, contains_unspaced_script, for_each_unicode_word};
use xxhash_rust::xxh3::xxh3_64;

/// Minimum length of a title that identifies an article, in words. Shorter ones are often generic:
/// "Home", "Latest news", "Page not found". Set by judgement, not measured.
const MIN_WORDS: usize = 4;
/// Number of characters that count as one word in scripts without blanks between words. Set by
/// judgement, not measured.
const UNSPACED_CHARACTERS_PER_WORD: usize = 3;

/// The key of a title: a hash of its [comparison form](comparison_form). Two different titles of
/// ten million have the same key with a probability of 3 in 10⁶.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TitleKey(i64);

impl TitleKey {
    /// Returns the key of a title, or `None` if the title is too short to identify an article:
    /// below 4 words, or 12 characters in scripts without blanks between words.
    pub(crate) fn from_title(title: &str) -> Option<TitleKey> {
        let form = comparison_form(title);
        // Kept in SQLite, whose integers are signed.
        is_long_enough(&form).then(|| TitleKey(xxh3_64(form.as_bytes()) as i64))
    }

    pub(crate) fn from_integer(key: i64) -> TitleKey {
        TitleKey(key)
    }

    pub(crate) fn as_integer(self) -> i64 {
        self.0
    }
}

fn is_long_enough(title: &str) -> bool {
    let (mut words, mut unspaced_characters) = (0, 0);
    for_each_unicode_word(title, |word| {
        if contains_unspaced_script(word) {
            unspaced_characters += word.chars().count();
        } else {
            words += 1;
        }
    });
    words + unspaced_characters / UNSPACED_CHARACTERS_PER_WORD >= MIN_WORDS
}

#[cfg(test)]
mod tests {
    use super::TitleKey;
    use proptest::prelude::*;

    fn key(title: &str) -> Option<TitleKey> {
        TitleKey::from_title(title)
    }

    #[test]
    fn ignores_case_white_space_and_compatibility_forms() {
        let title = key("Gold mine reopens in Peru");
        assert!(title.is_some());
        assert_eq!(key("\u{a0}GOLD  mine\treopens in Ｐｅｒｕ\n"), title);
        assert_eq!(
            key("Zlati rudnik znova odprt: C\u{30c}rna"),
            key("zlati rudnik znova odprt: črna")
        );
        for other in [
            "Gold mine reopens in Chile",
            "Gold mine reopens in Peru!",
            "Goldmine reopens in Peru",
        ] {
            assert!(key(other).is_some() && key(other) != title, "{other}");
        }
    }

    #[test]
    fn short_titles_have_no_key() {
        for title in [
            "",
            " ",
            "… – !",
            "Home",
            "Latest news",
            "Page not found",
            "403 Forbidden",
            "ニュース",
            "お問い合わせ",
            "ติดต่อเรา",
            "首页",
        ] {
            assert_eq!(key(title), None, "{title:?}");
        }
        for title in [
            "Gold price hits record",
            "金鉱山で大規模な落盤事故が発生",
            "BBC 金鉱山の落盤事故で",
        ] {
            assert!(key(title).is_some(), "{title:?}");
        }
    }

    #[test]
    fn keys_never_change() {
        // They are stored on disk.
        assert_eq!(
            key("Gold mine reopens in Peru").map(TitleKey::as_integer),
            Some(3_705_159_281_506_940_013)
        );
    }

    proptest! {
        #[test]
        fn depends_only_on_the_words(words in prop::collection::vec("[\\PC&&\\S]{1,8}", 4..9)) {
            prop_assert_eq!(key(&words.join(" \n")), key(&words.join(" ")));
        }
    }
}
