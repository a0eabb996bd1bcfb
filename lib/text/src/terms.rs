//! Tokenisation of text into terms.
//!
//! The term statistics and the embedded index share this tokenizer, so that a query with a term
//! from a document matches that document.

use crate::address::addresses;
use crate::fold::{LetterI, push_folded};
use crate::normalise::normalise;
use crate::scripts::is_one_character_word;
use crate::segment::for_each_word;
use crate::spelling::Spelling;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a term, in characters. Set by judgement, not measured
/// (`docs/algorithms.md`, "Terms and statistics").
const MAX_LENGTH: usize = 40;

/// Returns the terms of `text`, in order.
///
/// A term is a folded word (NFC, small letters, without optional marks) with at least one letter.
/// It has 2 to 40 characters; in a script whose characters are syllables or words, 1 to 40. Words
/// are found by the rules of their script (`docs/guide/words.md`). A term alone is a text whose
/// only term it is. Runs in O(`text.len()`).
///
/// CorpusBuilder (Ghani, Jones & Mladenić 2001) uses "lower-cased words"; the other conditions are
/// ours (`docs/algorithms.md`, "Terms and statistics").
pub fn terms(text: &str) -> Terms {
    collect_terms(text, false)
}

/// What separates a term of [`terms_as_typed`] from its spelling in the text.
pub const TYPED: char = '\0';

/// Returns the terms of [`terms`]; behind one that has other letters in the text than those that it
/// is read as ([`Spelling`]) are [`TYPED`] and these, in small letters, as engines have them.
pub fn terms_as_typed(text: &str) -> Terms {
    collect_terms(text, true)
}

fn collect_terms(text: &str, with_typed: bool) -> Terms {
    let text = normalise(text);
    let spelling = Spelling::of_text(&text);
    let read = spelling.read(&text);
    let mut terms = Terms {
        buffer: String::with_capacity(text.len()),
        ends: Vec::new(),
    };
    for_each_word(read.as_str(), |word| {
        let typed = with_typed.then(|| read.typed(&text, word)).flatten();
        terms.push(word, typed, spelling.letter_i());
    });
    terms
}

/// Calls `emit` with each word of `text` as it is read, and with its folded form, by which it is
/// compared: that of [`terms`]. Numbers and single letters are words, too. `text` must be in NFC,
/// and is the text of the rules `spelling` or a part of it. Runs in O(`text.len()`).
pub fn for_each_folded_word(text: &str, spelling: &Spelling, mut emit: impl FnMut(&str, &str)) {
    let mut folded = String::new();
    for_each_word(spelling.read(text).as_str(), |word| {
        let word = word.trim_start();
        folded.clear();
        push_folded(word, spelling.letter_i(), &mut folded);
        if !folded.is_empty() {
            emit(word, &folded);
        }
    });
}

/// The terms of one text, in order, in one buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The terms, concatenated.
    buffer: String,
    /// Byte offset in `buffer` at which each term ends.
    ends: Vec<usize>,
}

impl Terms {
    /// Adds `word` if it is a term.
    fn push(&mut self, word: &str, typed: Option<&str>, letter_i: LetterI) {
        let start = self.buffer.len();
        // A word of UAX 29 can begin with a blank if a mark follows it.
        let word = word.trim_start();
        push_folded(word, letter_i, &mut self.buffer);
        let word = &self.buffer[start..];
        // A query for an address would have no terms.
        if is_term(word) && !(word.as_bytes().contains(&b'.') && addresses(word).next().is_some()) {
            if let Some(typed) = typed.map(str::to_lowercase).filter(|typed| typed != word) {
                self.buffer.push(TYPED);
                self.buffer.push_str(&typed);
            }
            self.ends.push(self.buffer.len());
        } else {
            self.buffer.truncate(start);
        }
    }

    /// Returns the number of terms, repetitions included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if the text has no term.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the terms in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.buffer[start..end])
    }
}

/// Returns `true` if a folded word is a term: it has a letter, and a permitted length.
fn is_term(word: &str) -> bool {
    let mut characters = word.chars();
    match (characters.next(), characters.next()) {
        (None, _) => false,
        (Some(only), None) => is_one_character_word(only),
        _ => characters.nth(MAX_LENGTH - 2).is_none() && word.contains(is_letter),
    }
}

/// Returns `true` if `c` is alphabetic and no combining mark.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && (c.is_ascii() || !is_combining_mark(c))
}

#[cfg(test)]
mod tests {
    use super::terms;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text).iter().collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn terms_are_lower_cased_words_of_two_to_forty_characters_with_a_letter() {
        check("Danes JE lep dan.", &["danes", "je", "lep", "dan"]);
        check("v 2001 a 3d C3PO", &["3d", "c3po"]);
        check(&"x".repeat(40), &[&"x".repeat(40)]);
        check(&"x".repeat(41), &[]);
        check("", &[]);
    }

    #[test]
    fn combining_characters_are_composed() {
        check("c\u{30c}as Z\u{30c}ENA", &["čas", "žena"]);
    }

    #[test]
    fn words_in_other_scripts_are_terms() {
        check("Добар дан!", &["добар", "дан"]);
        check("καλημέρα κόσμε", &["καλημέρα", "κόσμε"]);
    }

    #[test]
    fn a_term_of_one_character_needs_a_script_of_syllables() {
        check("a я α и و", &[]);
        check("木 の 이 व ཀ ณ က", &["木", "の", "이", "व", "ཀ", "ณ", "က"]);
        check("ๆ ฯ 7 ๗ 。 พ.ศ. ກ ำ า ั", &[]);
        check("हिन्द ी भाष ा", &["हिन्द", "भाष"]);
    }

    /// Words in several scripts, with the signs whose treatment depends on their neighbours,
    /// between blanks.
    fn words_in_many_scripts() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop_oneof![
                "[a-zčžıİIσΣ'’ʻ`´′\u{ad}\u{307} -]{1,4}",
                "[a-cA-C.@:/-]{1,6}|www\\.|\\.com|://",
                "[а-яА-Я\u{301}`]{1,5}",
                "[Ա-Ֆա-ֆ՚-՟]{1,5}",
                "[\u{1820}-\u{1842}\u{180b}-\u{180e}\u{202f}]{1,5}",
                "[ا-ي\u{64b}-\u{652}ـ\u{200c}\u{200d} ]{1,5}",
                "[א-ת\u{5b0}-\u{5c2}\"״']{1,5}",
                "[ก-ฮะ-ฺเ-ๆ็-๎ ]{1,6}",
                "[ກ-ຮະ-ຽເ-ໄ່-ໍ]{1,6}",
                "[ក-៓]{1,6}",
                "[က-ှၐ-႟]{1,6}",
                "[一-龥ぁ-んァ-ヶー々ｦ-ﾟ]{1,6}",
                "[क-्ঀ-৿\u{200c}\u{200d}]{1,5}",
                "[ཀ-ྼ་]{1,5}",
                "[ꦀ-꧀ꀀ-ꒌᦀ-ᧉᨠ-᪉ꪀ-ꫝ]{1,5}",
            ],
            0..8,
        )
        .prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #[test]
        fn a_term_alone_is_a_text_whose_only_term_it_is(text in words_in_many_scripts()) {
            for term in terms(&text).iter() {
                let again = terms(term);
                prop_assert_eq!(again.iter().collect::<Vec<_>>(), [term], "{:?}", text);
            }
        }

        #[test]
        fn any_text_gives_terms_of_allowed_length_with_a_letter(
            text in prop_oneof!["\\PC{0,100}", words_in_many_scripts()]
        ) {
            for term in terms(&text).iter() {
                prop_assert!((1..=40).contains(&term.chars().count()));
                prop_assert!(term.chars().any(char::is_alphabetic));
            }
        }
    }
}
