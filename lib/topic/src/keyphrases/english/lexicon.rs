//! The lexicon of the English tagger: words with the tags that they had in the training corpora.

use super::tags::{NOUN, Tag, TagSet, parse_tag};
use fst::Map;

const WORDS: &[u8] = include_bytes!("../../../model/english-words.fst");
const TAG_LISTS: &str = include_str!("../../../model/english-tags.txt");

/// The tags of a known word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LexicalTags {
    /// The most frequent tag.
    pub(crate) first: Tag,
    /// All tags.
    pub(crate) all: TagSet,
}

/// The lexicon. The words are used in place.
#[derive(Debug)]
pub(crate) struct Lexicon {
    words: Option<Map<&'static [u8]>>,
    tag_lists: Vec<LexicalTags>,
}

impl Lexicon {
    /// Returns the built-in lexicon.
    pub(crate) fn builtin() -> Self {
        Lexicon {
            // A test reads it.
            words: Map::new(WORDS).ok(),
            tag_lists: TAG_LISTS.lines().map(parse_tag_list).collect(),
        }
    }

    /// Returns the tags of a word, in exactly this spelling.
    pub(crate) fn look_up(&self, word: &str) -> Option<LexicalTags> {
        let number = self.words.as_ref()?.get(word)?;
        self.tag_lists.get(usize::try_from(number).ok()?).copied()
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        self.words
            .as_ref()
            .is_some_and(|words| words.contains_key(word))
    }
}

fn parse_tag_list(line: &str) -> LexicalTags {
    let mut tags = line.split(' ').filter_map(parse_tag);
    let first = tags.next().unwrap_or(NOUN);
    let mut all = TagSet::default();
    all.insert(first);
    tags.for_each(|tag| all.insert(tag));
    LexicalTags { first, all }
}
