//! The Japanese dictionary in memory: words, character categories, costs of connections.

use super::DictionaryError;
use super::format::{Category, MAX_CATEGORIES, Sections, Word};
use fst::Map;
use fst::raw::Output;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A dictionary of words with their parts of speech and costs, as MeCab uses it. The large sections
/// stay in the bytes of the file and are read where they are needed, so that a start costs little.
#[derive(Debug)]
pub(super) struct Dictionary {
    parts: Vec<String>,
    endings: Vec<Ending>,
    categories: Vec<Category>,
    characters: Section,
    unknown: Vec<Word>,
    words: Section,
    right_contexts: usize,
    left_contexts: usize,
    connections: Section,
    surfaces: Map<Section>,
}

/// A section of the bytes of a dictionary.
#[derive(Debug, Clone)]
struct Section {
    file: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

/// The costs of the connections of one word with those that can precede it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connections<'a>(&'a [u8]);

impl Connections<'_> {
    /// Returns the cost after a word with the right context `right`.
    pub fn cost(self, right: u16) -> i32 {
        let at = 2 * usize::from(right);
        let cost = [self.0[at], self.0[at + 1]];
        i32::from(i16::from_le_bytes(cost))
    }
}

/// A rule that makes the base form of a word from its surface form.
#[derive(Debug)]
struct Ending {
    cut: usize,
    append: String,
}

/// The categories of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharacterKind(u16);

impl CharacterKind {
    /// Returns whether the characters have a category in common, so that they can be in the same
    /// unknown word.
    pub fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 & 0xfff != 0
    }
}

impl Dictionary {
    /// Returns the dictionary that the file with `bytes` contains.
    ///
    /// # Errors
    /// If the bytes are no dictionary, one of another version, or damaged.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, DictionaryError> {
        let file = Arc::new(bytes);
        let sections = Sections::of_bytes(&file)?;
        Self::of_sections(&file, sections)
            .filter(Dictionary::is_consistent)
            .ok_or(DictionaryError::Damaged)
    }

    /// Returns the dictionary with these sections of `file`; `None` if one is not as it should be.
    fn of_sections(file: &Arc<Vec<u8>>, sections: Sections<Range<usize>>) -> Option<Self> {
        let section = |range| Section {
            file: Arc::clone(file),
            range,
        };
        let matrix = sections.matrix;
        let sizes = file.get(matrix.clone())?.first_chunk::<4>()?;
        let size = |n| usize::from(u16::from_le_bytes([sizes[n], sizes[n + 1]]));
        let endings = std::str::from_utf8(&file[sections.endings]).ok()?.lines();
        let parts = std::str::from_utf8(&file[sections.parts]).ok()?.lines();
        Some(Dictionary {
            parts: parts.map(str::to_owned).collect(),
            endings: endings.map(Ending::of_line).collect::<Option<_>>()?,
            categories: file[sections.categories]
                .chunks_exact(Category::LENGTH)
                .map(Category::of_bytes)
                .collect(),
            characters: section(sections.characters),
            unknown: words_of(&file[sections.unknown]).collect(),
            words: section(sections.words),
            right_contexts: size(0),
            left_contexts: size(2),
            connections: section(matrix.start + sizes.len()..matrix.end),
            surfaces: Map::new(section(sections.surfaces)).ok()?,
        })
    }

    /// Returns whether all numbers are in range, so that no look-up can fail. The hash of a file
    /// finds damage; this finds errors of the program that wrote it.
    fn is_consistent(&self) -> bool {
        let is_valid = |word: Word| {
            usize::from(word.left) < self.left_contexts
                && usize::from(word.right) < self.right_contexts
                && usize::from(word.part) < self.parts.len()
                && usize::from(word.ending) < self.endings.len()
        };
        let has_words = |category: &Category| {
            category.count > 0
                && usize::from(category.first) + usize::from(category.count) <= self.unknown.len()
        };
        let costs = self.connections.as_ref().len() / 2;
        let unknown = self.unknown.iter().copied();
        words_of(self.words.as_ref()).chain(unknown).all(is_valid)
            && costs == self.right_contexts * self.left_contexts
            && costs > 0
            && (1..=MAX_CATEGORIES).contains(&self.categories.len())
            && self.categories.iter().all(has_words)
    }

    /// Returns the parts of speech: columns 5 to 10 of IPADIC's words, separated by commas.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(String::as_str)
    }

    /// Returns the costs of connections of a word with the left context `left`.
    pub fn connections_before(&self, left: u16) -> Connections<'_> {
        let length = 2 * self.right_contexts;
        let start = usize::from(left) * length;
        Connections(&self.connections.as_ref()[start..start + length])
    }

    /// Calls `visit` with the length in bytes and the word, for each word that `text` begins with.
    pub fn for_each_prefix(&self, text: &str, mut visit: impl FnMut(usize, Word)) {
        let surfaces = self.surfaces.as_fst();
        let mut node = surfaces.root();
        let mut output = Output::zero();
        for (index, &byte) in text.as_bytes().iter().enumerate() {
            let Some(transition) = node.find_input(byte) else {
                break;
            };
            let transition = node.transition(transition);
            output = output.cat(transition.out);
            node = surfaces.node(transition.addr);
            if node.is_final() {
                let value = output.cat(node.final_output()).value();
                let (first, count) = ((value >> 8) as usize, (value & 0xff) as usize);
                let (start, length) = (first * Word::LENGTH, count * Word::LENGTH);
                let words = self.words.as_ref().get(start..start + length);
                for word in words_of(words.unwrap_or_default()) {
                    visit(index + 1, word);
                }
            }
        }
    }

    /// Returns the categories of a character.
    pub fn character_kind(&self, character: char) -> CharacterKind {
        // The first category is that of all characters without one (`DEFAULT`).
        let at = 2 * character as usize;
        let kind = self.characters.as_ref().get(at..at + 2);
        CharacterKind(kind.map_or(1, |kind| u16::from_le_bytes([kind[0], kind[1]])))
    }

    /// Returns the category by which unknown words that begin with such a character are made, and
    /// the kinds of these words.
    pub fn unknown_words(&self, kind: CharacterKind) -> (Category, &[Word]) {
        let category = self.categories.get(usize::from(kind.0 >> 12));
        let category = category.copied().unwrap_or_default();
        let first = usize::from(category.first);
        let words = self.unknown.get(first..first + usize::from(category.count));
        (category, words.unwrap_or_default())
    }

    /// Returns the base form of a word with this surface form.
    pub fn base_form<'a>(&self, word: Word, surface: &'a str) -> Cow<'a, str> {
        let ending = self.endings.get(usize::from(word.ending));
        let Some(ending) = ending.filter(|ending| ending.cut > 0 || !ending.append.is_empty())
        else {
            return Cow::Borrowed(surface);
        };
        let kept = surface.len().saturating_sub(ending.cut);
        let stem = surface.get(..kept).unwrap_or(surface);
        Cow::Owned(format!("{stem}{}", ending.append))
    }
}

impl Ending {
    fn of_line(line: &str) -> Option<Self> {
        let (cut, append) = line.split_once('\t')?;
        Some(Ending {
            cut: cut.parse().ok()?,
            append: append.to_owned(),
        })
    }
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = Word> {
    bytes.chunks_exact(Word::LENGTH).map(Word::of_bytes)
}
