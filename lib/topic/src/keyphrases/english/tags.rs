//! Part-of-speech tags of the Penn Treebank, and words to which they are assigned.

use crate::keyphrases::PartOfSpeech;

/// A tag, as a number: its position in [`NAMES`].
pub(crate) type Tag = u8;

/// The names of the tags.
const NAMES: [&str; 47] = [
    "STAART", "NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "CC", "CD", "DT", "EX", "FW", "IN",
    "LS", "MD", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB",
    "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", ".", ",", ":", "(",
    ")", "``", "''", "\"",
];

/// The tag before the first and after the last word of a sentence.
pub(crate) const BOUNDARY: Tag = 0;
pub(crate) const NOUN: Tag = 1;
pub(crate) const PROPER_NOUN: Tag = 3;
pub(crate) const NUMBER: Tag = 9;
pub(crate) const POSSESSIVE: Tag = 17;
pub(crate) const ADVERB: Tag = 20;
pub(crate) const SYMBOL: Tag = 24;
pub(crate) const MODAL: Tag = 15;
pub(crate) const VERB_PRESENT: Tag = 31;

/// Returns the tag with this name.
pub(crate) fn parse_tag(name: &str) -> Option<Tag> {
    (0..)
        .zip(NAMES)
        .find(|(_, n)| *n == name)
        .map(|(tag, _)| tag)
}

/// Returns the part of speech that the grammar of noun phrases needs.
pub(crate) fn part_of_speech(tag: Tag) -> PartOfSpeech {
    match tag {
        NOUN..=4 => PartOfSpeech::Noun,
        5..=7 => PartOfSpeech::Adjective,
        _ => PartOfSpeech::Other,
    }
}

/// A set of tags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TagSet(u64);

impl TagSet {
    pub(crate) fn insert(&mut self, tag: Tag) {
        self.0 |= 1 << tag;
    }

    pub(crate) fn contains(self, tag: Tag) -> bool {
        self.0 >> tag & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_the_positions_of_their_names() {
        let names = [
            ("STAART", BOUNDARY),
            ("NN", NOUN),
            ("NNP", PROPER_NOUN),
            ("CD", NUMBER),
            ("POS", POSSESSIVE),
            ("RB", ADVERB),
            ("SYM", SYMBOL),
            ("MD", MODAL),
            ("VBP", VERB_PRESENT),
        ];
        for (name, tag) in names {
            assert_eq!(parse_tag(name), Some(tag), "{name}");
        }
        assert_eq!(parse_tag("NOUN"), None);
    }
}
