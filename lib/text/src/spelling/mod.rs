//! The spelling of a text: letters and signs that were typed for others, and letters in several
//! forms.
//!
//! A text is read before it is split into words, because some forms are no letters (`|` for the
//! palochka), and others are read in the context of the text: ş is a letter of Turkish, and was
//! typed for ș in Romanian. [`Spelling::of_text`] finds the rules of a text, [`Spelling::read`]
//! applies them, and keeps the places of the words in the text. `fold.rs` then makes one form of
//! the spellings of a word. `docs/guide/words.md` lists the rules; their sources are beside them.

mod greek;
mod letters;
mod lookalikes;
mod palochka;
mod sequences;
mod survey;

use crate::fold::{LetterI, is_invisible, push_folded};
use crate::marks::is_optional_mark;
use crate::normalise::normalise;
use crate::syllables::is_boundary;
use letters::LetterRules;
use lookalikes::AlikeScript;
use std::borrow::Cow;
use std::ops::Range;
use survey::{LetterClass, Survey, is_form};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The rules of a text for the spelling of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spelling {
    letter_i: LetterI,
    has_forms: bool,
    has_sequences: bool,
    is_polytonic: bool,
    /// The signs for the palochka are letters.
    has_palochka: bool,
    /// Words may have letters of several scripts; the script of the text.
    mixed: Option<AlikeScript>,
    /// A Latin letter alone is Cyrillic, because words have such letters in a Cyrillic text.
    has_cyrillic_alone: bool,
    letters: LetterRules,
}

impl Spelling {
    /// Returns the rules of a text in NFC. Runs in O(`text.len()`).
    pub fn of_text(text: &str) -> Spelling {
        let survey = Survey::of_text(text);
        let mut spelling = Spelling {
            letter_i: LetterI::of_count(survey.count(LetterClass::Dotless), text.len()),
            has_forms: survey.has(LetterClass::Form),
            has_sequences: survey.has(LetterClass::Sequence),
            is_polytonic: survey.has(LetterClass::Polytonic),
            has_palochka: survey.has_cyrillic() && palochka::has_palochka(text, &survey),
            mixed: survey
                .may_have_mixed_words
                .then(|| AlikeScript::of_text(text)),
            has_cyrillic_alone: false,
            letters: LetterRules::of_text(text, &survey),
        };
        if spelling.mixed == Some(AlikeScript::Cyrillic) {
            let mut has_mixed_words = false;
            spelling.for_each_part(text, |part| {
                has_mixed_words = has_mixed_words
                    || lookalikes::write_in_one_script(&text[part], spelling.mixed).is_some();
            });
            spelling.has_cyrillic_alone = has_mixed_words;
        }
        spelling
    }

    /// Returns the case rule for the letter I.
    pub(crate) fn letter_i(&self) -> LetterI {
        self.letter_i
    }

    /// Returns `true` if no rule changes the text.
    pub fn is_plain(&self) -> bool {
        !(self.has_forms
            || self.has_sequences
            || self.is_polytonic
            || self.has_palochka
            || self.mixed.is_some()
            || self.letters.are_needed)
    }

    /// Returns `true` if a part of the text that is spelt otherwise may be read as `word`.
    pub fn may_read_as(&self, word: &str) -> bool {
        // All letters that are written for others are beyond ASCII, but those for forms and for
        // letters of another script.
        self.has_forms || self.mixed.is_some() || !word.is_ascii() && !self.is_plain()
    }

    /// Returns rules that fold each word of the text in the same way, and are equal for nearly all
    /// texts of a language.
    pub fn of_words(self) -> Spelling {
        match self.is_plain() {
            true => Spelling {
                letter_i: self.letter_i,
                ..Spelling::of_text("")
            },
            false => self,
        }
    }

    /// Returns the text of the rules, in NFC, as it is read. Runs in O(`text.len()`).
    pub fn read<'a>(&self, text: &'a str) -> ReadText<'a> {
        match self.is_plain() {
            true => ReadText {
                text: Cow::Borrowed(text),
                changes: Vec::new(),
            },
            false => self.read_other(text),
        }
    }

    /// Returns another text in NFC, such as a word that is searched for in the text of the rules,
    /// as it is read there.
    pub fn read_other<'a>(&self, text: &'a str) -> ReadText<'a> {
        let mut read = ReadText {
            text: Cow::Borrowed(text),
            changes: Vec::new(),
        };
        let mut written = String::new();
        let mut kept = 0;
        self.for_each_part(text, |place| {
            let part = &text[place.clone()];
            let Some(new) = self.respell(part).filter(|new| new != part) else {
                return;
            };
            if written.is_empty() {
                written.reserve(text.len());
            }
            written.push_str(&text[kept..place.start]);
            kept = place.end;
            let start = written.len();
            written.push_str(&new);
            read.changes.push((place, start..written.len()));
        });
        if !read.changes.is_empty() {
            written.push_str(&text[kept..]);
            read.text = Cow::Owned(written);
        }
        read
    }

    /// Returns the form by which a word of the text, in NFC, is compared, as a term is.
    pub fn fold_word(&self, word: &str) -> String {
        let mut folded = String::with_capacity(word.len());
        push_folded(self.read(word).as_str(), self.letter_i, &mut folded);
        folded
    }

    /// Calls `emit` with the parts of a text that are read apart: runs of letters, marks, digits
    /// and signs for letters, and in scripts without blanks their syllables.
    fn for_each_part(&self, text: &str, mut emit: impl FnMut(Range<usize>)) {
        let mut start = None;
        let mut previous = '\0';
        for (at, c) in text.char_indices() {
            let is_part = c.is_alphanumeric()
                || !c.is_ascii() && (is_combining_mark(c) || is_invisible(c) || is_form(c))
                || c == '\u{200b}'
                || self.has_palochka && palochka::is_sign_at(text, at, c);
            let script = PartScript::of_character(c);
            // A Lao digraph, and a digit typed for a letter, are one with the next letter.
            let is_end = match script {
                PartScript::Other => false,
                PartScript::Kana => !matches!(c, '\u{ff9e}' | '\u{ff9f}'),
                PartScript::Syllables => {
                    !matches!(previous, 'ຫ' | '\u{1040}'..='\u{1049}') && is_boundary(text, at)
                }
            };
            if let Some(first) = start
                && (!is_part || is_end || script != PartScript::of_character(previous))
            {
                emit(first..at);
                start = None;
            }
            if is_part && start.is_none() {
                start = Some(at);
            }
            previous = c;
        }
        if let Some(first) = start {
            emit(first..text.len());
        }
    }

    /// Returns a part of a text as it is read; `None` if nothing changes it.
    fn respell(&self, part: &str) -> Option<String> {
        if self.has_cyrillic_alone
            && let Some(letter) = only_letter(part).filter(char::is_ascii)
        {
            // A conjunction or preposition: Ukrainian і, typed as a Latin letter.
            return lookalikes::write_in(letter.encode_utf8(&mut [0; 4]), AlikeScript::Cyrillic);
        }
        if part.is_ascii() {
            return None;
        }
        let mut word = Cow::Borrowed(part);
        if self.has_forms && part.contains(is_form) {
            word = Cow::Owned(resolve_forms(&word));
        }
        if self.has_palochka {
            word = Cow::Owned(palochka::write_palochkas(&word));
        }
        if let Some(script) = self.mixed
            && let Some(in_one) = lookalikes::write_in_one_script(&word, Some(script))
        {
            word = Cow::Owned(in_one);
        }
        if self.has_sequences {
            word = Cow::Owned(sequences::resolve_sequences(&word));
        }
        if self.is_polytonic && word.contains(is_greek) {
            word = Cow::Owned(greek::write_monotonic(&word));
        }
        self.letters.replace(&mut word);
        match word {
            Cow::Borrowed(_) => None,
            Cow::Owned(word) => Some(normalise(&word).into_owned()),
        }
    }
}

/// How a run of letters is divided into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartScript {
    /// It is one part.
    Other,
    /// Half-width kana: each is one, with its sound mark.
    Kana,
    /// Each orthographic syllable is one.
    Syllables,
}

impl PartScript {
    fn of_character(c: char) -> PartScript {
        match c {
            '\u{ff66}'..='\u{ff9f}' | '\u{2f00}'..='\u{2fd5}' => PartScript::Kana,
            '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
                PartScript::Syllables
            }
            _ => PartScript::Other,
        }
    }
}

/// Returns the only character of a word that is not left out in comparison.
fn only_letter(word: &str) -> Option<char> {
    let is_kept = |c: &char| !(is_invisible(*c) || is_optional_mark(*c) || *c == '\u{200b}');
    let mut letters = word.chars().filter(is_kept);
    letters.next().filter(|_| letters.next().is_none())
}

fn is_greek(c: char) -> bool {
    AlikeScript::of_letter(c) == Some(AlikeScript::Greek)
}

/// Returns `true` if the letter `c` of `word` may have another spelling in the language of some
/// text.
pub fn may_be_respelled(word: &str, c: char) -> bool {
    let is_cyrillic = |c| AlikeScript::of_letter(c) == Some(AlikeScript::Cyrillic);
    letters::is_in_rule(c) || palochka::is_sign(c) && word.contains(is_cyrillic)
}

/// Returns a word with the forms of its letters replaced by the letters, and without the Armenian
/// marks. One form can be several words.
fn resolve_forms(word: &str) -> String {
    let mut resolved = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '\u{55a}' => resolved.push('\''),
            '\u{55b}'..='\u{55f}' => {}
            // The ligatures of Yiddish have no decomposition.
            'װ' => resolved.push_str("וו"),
            'ױ' => resolved.push_str("וי"),
            'ײ' => resolved.push_str("יי"),
            _ if is_form(c) => resolved.extend(std::iter::once(c).nfkc()),
            _ => resolved.push(c),
        }
    }
    resolved
}

/// A text as it is read.
#[derive(Debug, Clone)]
pub struct ReadText<'a> {
    text: Cow<'a, str>,
    /// The places in the original and in the text that differ, in order.
    changes: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> ReadText<'a> {
    /// Returns the text, in NFC.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, in NFC; borrows it if nothing was changed.
    pub fn into_text(self) -> Cow<'a, str> {
        self.text
    }

    /// Returns a word of the text as it is in the original, if it is there in other letters: not if
    /// it has a sign for a letter, at which engines end a word.
    pub(crate) fn typed<'b>(&self, original: &'b str, word: &str) -> Option<&'b str> {
        let place = place_in(&self.text, word).filter(|_| !self.changes.is_empty())?;
        let typed = &original[self.original(place)];
        let is_word = typed
            .chars()
            .all(|c| c.is_alphanumeric() || is_combining_mark(c));
        Some(typed).filter(|typed| *typed != word && is_word)
    }

    /// Returns the place in the original of a place in the text. A part that was changed is one
    /// place: a place inside of it is extended to the whole.
    pub fn original(&self, place: Range<usize>) -> Range<usize> {
        if self.changes.is_empty() {
            return place;
        }
        let map = |at: usize, is_end: bool| {
            // The last change that begins before.
            let after = self.changes.partition_point(|(_, new)| match is_end {
                true => new.start < at,
                false => new.start <= at,
            });
            let Some((original, new)) = after.checked_sub(1).map(|last| &self.changes[last]) else {
                return at;
            };
            match (at >= new.end, is_end) {
                (true, _) => at - new.end + original.end,
                (false, true) => original.end,
                (false, false) => original.start,
            }
        };
        map(place.start, false)..map(place.end, true)
    }
}

/// Returns a text in any normal form as it is read by its own rules, in NFC.
pub fn read(text: &str) -> Cow<'_, str> {
    match normalise(text) {
        Cow::Borrowed(text) => Spelling::of_text(text).read(text).into_text(),
        Cow::Owned(text) => Cow::Owned(
            Spelling::of_text(&text)
                .read(&text)
                .into_text()
                .into_owned(),
        ),
    }
}

/// Returns the place of a part of `text` in it; `None` if it is a text of its own.
pub(crate) fn place_in(text: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    (end <= text.len()).then_some(start..end)
}

#[cfg(test)]
mod tests;
