//! The most probable division of a sentence into words: the lattice of MeCab.
//!
//! All words of the dictionary and all unknown words that the sentence could contain are nodes of a
//! lattice. The division is the path with the lowest sum of the costs of its words and of the
//! connections between neighbours (T. Kudo, K. Yamamoto & Y. Matsumoto, *Applying conditional
//! random fields to Japanese morphological analysis*, EMNLP 2004). Unknown words are made as by
//! MeCab 0.996.

use super::dictionary::{CharacterKind, Dictionary};
use super::format::Word;
use std::ops::Range;

/// The longest group of characters that is an unknown word, in characters besides the first; as in
/// MeCab.
const MAX_GROUP: u32 = 24;

/// The context of the start and of the end of a sentence.
const BOUNDARY: u16 = 0;

/// No node.
const NONE: u32 = u32::MAX;

/// A word in a sentence.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// The bytes of the word in the sentence.
    pub range: Range<usize>,
    /// The entry of the dictionary, or the kind of unknown word.
    pub word: Word,
}

/// The buffers of an analysis, which are used again for each sentence.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    nodes: Vec<Node>,
    /// For each byte of the sentence and its end, the last of the nodes that end there.
    ends: Vec<u32>,
    characters: Vec<Character>,
}

/// A word of the lattice, on its best path from the start of the sentence.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    word: Word,
    /// The cost of the best path that ends with this word.
    cost: i32,
    /// The word before it on this path.
    previous: u32,
    /// The next of the nodes that end at the same place.
    sibling: u32,
}

#[derive(Debug, Clone, Copy)]
struct Character {
    start: usize,
    kind: CharacterKind,
    /// The number of characters from this one on that can be in the same unknown word.
    group: u32,
}

impl Lattice {
    /// Appends the most probable words of `sentence` to `tokens`, in order. Runs in time linear in
    /// the length of the sentence, in about a hundred times its size. Costs are sums of at most
    /// 65,534 per character and must not exceed 2³¹: the sentence has at most 16,000 characters.
    pub fn split(&mut self, dictionary: &Dictionary, sentence: &str, tokens: &mut Vec<Token>) {
        self.read_characters(dictionary, sentence);
        self.nodes.clear();
        self.ends.clear();
        self.ends.resize(sentence.len() + 1, NONE);
        for index in 0..self.characters.len() {
            let start = self.characters[index].start;
            if start == 0 || self.ends[start] != NONE {
                self.add_words_at(dictionary, sentence, index);
            }
        }
        let (mut last, _) = self.best_previous(dictionary, sentence.len(), BOUNDARY);
        let (first_token, mut end) = (tokens.len(), sentence.len());
        while let Some(node) = self.nodes.get(last as usize) {
            let start = node.start as usize;
            tokens.push(Token {
                range: start..end,
                word: node.word,
            });
            (last, end) = (node.previous, start);
        }
        tokens[first_token..].reverse();
    }

    fn read_characters(&mut self, dictionary: &Dictionary, sentence: &str) {
        self.characters.clear();
        let characters = sentence.char_indices().map(|(start, c)| Character {
            start,
            kind: dictionary.character_kind(c),
            group: 1,
        });
        self.characters.extend(characters);
        for index in (1..self.characters.len()).rev() {
            let next = self.characters[index];
            let character = &mut self.characters[index - 1];
            if character.kind.overlaps(next.kind) {
                character.group = next.group + 1;
            }
        }
    }

    /// Adds the words that begin at the character `index`: those of the dictionary, shortest first,
    /// then unknown words.
    fn add_words_at(&mut self, dictionary: &Dictionary, sentence: &str, index: usize) {
        let Character { start, kind, group } = self.characters[index];
        let mut found = false;
        dictionary.for_each_prefix(&sentence[start..], |length, word| {
            found = true;
            self.add(dictionary, start, start + length, word);
        });
        let (category, words) = dictionary.unknown_words(kind);
        if found && !category.invoke {
            return;
        }
        if category.group && group - 1 <= MAX_GROUP {
            self.add_unknown(dictionary, sentence, index, group, words);
            found = true;
        }
        for length in 1..=u32::from(category.length).min(group) {
            if !category.group || length != group {
                self.add_unknown(dictionary, sentence, index, length, words);
                found = true;
            }
        }
        if !found {
            self.add_unknown(dictionary, sentence, index, 1, words);
        }
    }

    /// Adds unknown words of `length` characters, one of each kind.
    fn add_unknown(
        &mut self,
        dictionary: &Dictionary,
        sentence: &str,
        index: usize,
        length: u32,
        words: &[Word],
    ) {
        let start = self.characters[index].start;
        let after = self.characters.get(index + length as usize);
        let end = after.map_or(sentence.len(), |character| character.start);
        for &word in words {
            self.add(dictionary, start, end, word);
        }
    }

    fn add(&mut self, dictionary: &Dictionary, start: usize, end: usize, word: Word) {
        let (previous, cost) = self.best_previous(dictionary, start, word.left);
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            start: start as u32,
            word,
            cost: cost + i32::from(word.cost),
            previous,
            sibling: self.ends[end],
        });
        self.ends[end] = number;
    }

    /// Returns the node that ends at `position` and precedes a word with the left context `left` at
    /// the lowest cost, with this cost. Of equals it is the last that was added, as in MeCab.
    fn best_previous(&self, dictionary: &Dictionary, position: usize, left: u16) -> (u32, i32) {
        let connections = dictionary.connections_before(left);
        if position == 0 {
            return (NONE, connections.cost(BOUNDARY));
        }
        let (mut best, mut lowest) = (NONE, i32::MAX);
        let mut number = self.ends[position];
        while let Some(node) = self.nodes.get(number as usize) {
            let cost = node.cost + connections.cost(node.word.right);
            if cost < lowest {
                (best, lowest) = (number, cost);
            }
            number = node.sibling;
        }
        (best, lowest)
    }
}
