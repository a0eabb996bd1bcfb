//! Nouns and adjectives among the parts of speech of IPADIC.
//!
//! IPADIC counts more words as nouns (名詞) than can be the subject of an article: pronouns, formal
//! nouns such as こと, adverbs of time, numbers and counters, honorifics, and the stems of
//! adjectives that take な. What is a noun here:
//!
//! | words | in noun phrases |
//! |---|---|
//! | common and proper nouns, verbal nouns (also before する) | yes |
//! | suffixes (者, 化, 県), after a noun; さ and み after the stem of an adjective | yes |
//! | prefixes (大, 新), before a noun | yes |
//! | Latin letters with digits (`MP3`) | yes, as one word |
//! | adjectives in い before a noun | as adjectives |
//! | nouns before な, adjectival nouns before だ, です, に: 大規模な, 経済的に | no: an adjective or adverb as a whole |
//! | pronouns, formal and adverbial nouns, numbers, counters, honorifics, conjunctions | no |
//! | a noun of one character after a number (7月); 同, 各 and other determiners | no |
//! | words without a letter, a single kana | no |
//!
//! Latin words may be separated by a blank (`Google Chrome`); between other words a blank ends the
//! phrase. The interpunct between katakana words, as in foreign names, does not.

use super::super::tagger::PartOfSpeech;
use super::format::Word;
use super::lattice::Token;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Adjectives that say how many there are or how good it is, and nothing on the subject, by their
/// base forms. Set by judgement, not measured.
const STOP_ADJECTIVES: [&str; 9] = [
    "ない",
    "無い",
    "多い",
    "少ない",
    "いい",
    "よい",
    "良い",
    "すごい",
    "凄い",
];

/// Prefixes that refer to what was named before, or say how many, as *the said*, *each* and *both*
/// do in English. Set by judgement, not measured.
const DETERMINERS: [&str; 7] = ["同", "各", "両", "当", "某", "諸", "本"];

/// The minimum length of a word of which a long vowel at the end is removed, in characters; that of
/// Lucene's `JapaneseKatakanaStemFilter`, and of the style of JIS Z 8301.
const MIN_LONG_VOWEL: usize = 4;

/// What the grammar knows of a part of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Noun,
    /// A noun that is an adjective with な, such as 重要, or a suffix that makes one, such as 的.
    AdjectivalNoun,
    /// A suffix that belongs to the noun before it.
    Suffix,
    /// A suffix that makes a noun of the stem of an adjective.
    AdjectiveSuffix,
    /// A prefix of nouns.
    Prefix,
    /// An adjective in a form that can precede a noun.
    Adjective,
    /// The stem of an adjective.
    AdjectiveStem,
    /// な after a noun: it makes an adjective.
    Attributive,
    /// Another form of だ or です.
    Copula,
    /// に after an adjectival noun: it makes an adverb.
    Adverbial,
    /// の, ので, のに: な before them is a form of だ.
    Nominaliser,
    /// A number.
    Number,
    Blank,
    Other,
}

/// The classes of a dictionary's parts of speech.
#[derive(Debug)]
pub(super) struct Grammar(Vec<Class>);

/// A word of a sentence, with its class and its part of speech.
#[derive(Debug)]
pub(super) struct WordInContext {
    pub range: Range<usize>,
    pub entry: Word,
    class: Class,
    /// Whether the word has only one character.
    is_single: bool,
    pub part: PartOfSpeech,
}

impl Grammar {
    /// Returns the grammar for a dictionary with these parts of speech, in this order.
    pub fn of_parts<'a>(parts: impl Iterator<Item = &'a str>) -> Self {
        Grammar(parts.map(class_of).collect())
    }

    /// Returns the words of a sentence, in order, with their parts of speech.
    pub fn find_words(&self, sentence: &str, tokens: &[Token]) -> Vec<WordInContext> {
        let mut items = self.classify(sentence, tokens);
        mark_nouns(&mut items);
        mark_prefixes(&mut items);
        unmark_adjectival_phrases(&mut items);
        mark_adjectives(sentence, &mut items);
        join(sentence, items)
    }

    /// Returns the tokens with their classes; Latin letters and digits side by side are one.
    fn classify(&self, sentence: &str, tokens: &[Token]) -> Vec<WordInContext> {
        let mut items: Vec<WordInContext> = Vec::with_capacity(tokens.len());
        for token in tokens {
            let text = &sentence[token.range.clone()];
            let continues_latin = |last: &WordInContext| {
                is_latin_word(text) && is_latin_word(&sentence[last.range.clone()])
            };
            if let Some(last) = items.last_mut().filter(|last| continues_latin(last)) {
                last.range.end = token.range.end;
                last.class = latin_class(&sentence[last.range.clone()]);
                last.is_single = false;
            } else {
                items.push(WordInContext {
                    range: token.range.clone(),
                    entry: token.word,
                    class: self.class_in(text, token.word),
                    is_single: text.chars().nth(1).is_none(),
                    part: PartOfSpeech::Other,
                });
            }
        }
        items
    }

    fn class_in(&self, text: &str, word: Word) -> Class {
        let class = self.0.get(usize::from(word.part));
        match class.copied().unwrap_or(Class::Other) {
            _ if is_latin_word(text) => latin_class(text),
            Class::Noun | Class::AdjectivalNoun if !has_content(text) => Class::Other,
            Class::Prefix if DETERMINERS.contains(&text) => Class::Other,
            class => class,
        }
    }
}

/// Returns the class of a part of speech: columns 5 to 10 of IPADIC's words.
fn class_of(part: &str) -> Class {
    let fields: Vec<&str> = part.split(',').collect();
    let field = |n: usize| fields.get(n).copied().unwrap_or_default();
    match (field(0), field(1), field(2)) {
        ("名詞", "一般" | "固有名詞" | "サ変接続" | "ナイ形容詞語幹", _) => {
            Class::Noun
        }
        ("名詞", "形容動詞語幹", _) | ("名詞", "接尾", "形容動詞語幹") => {
            Class::AdjectivalNoun
        }
        ("名詞", "接尾", "一般" | "サ変接続" | "地域") => Class::Suffix,
        ("名詞", "接尾", "特殊") => Class::AdjectiveSuffix,
        ("名詞", "数", _) => Class::Number,
        ("接頭詞", "名詞接続", _) => Class::Prefix,
        ("形容詞", "自立", _) => match field(5) {
            "基本形" | "文語基本形" | "体言接続" => Class::Adjective,
            "ガル接続" => Class::AdjectiveStem,
            _ => Class::Other,
        },
        ("助動詞", _, _) if field(4) == "特殊・ダ" && field(5) == "体言接続" => {
            Class::Attributive
        }
        ("助動詞", _, _) if matches!(field(4), "特殊・ダ" | "特殊・デス") => {
            Class::Copula
        }
        ("助詞", "副詞化", _) => Class::Adverbial,
        ("名詞", "非自立", _) | ("助詞", "接続助詞", _) => Class::Nominaliser,
        ("記号", "空白", _) => Class::Blank,
        _ => Class::Other,
    }
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, 'À'..='ɏ' | '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ') && c.is_alphanumeric()
}

fn is_latin_word(text: &str) -> bool {
    text.chars().all(is_latin)
}

fn latin_class(text: &str) -> Class {
    if text.chars().any(char::is_alphabetic) {
        Class::Noun
    } else {
        Class::Number
    }
}

/// Returns whether a noun can be more than a particle or a sign: it has a letter, and not only one
/// kana.
fn has_content(text: &str) -> bool {
    let mut characters = text.chars();
    let (first, is_single) = (characters.next(), characters.next().is_none());
    let is_kana = |c: char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}');
    text.chars().any(char::is_alphabetic) && !(is_single && first.is_some_and(is_kana))
}

/// Marks nouns, and suffixes after nouns.
fn mark_nouns(items: &mut [WordInContext]) {
    let (mut after_noun, mut after_stem) = (false, false);
    for index in 0..items.len() {
        let after_number = index > 0 && items[index - 1].class == Class::Number;
        let class = match items[index].class {
            // 月 is a noun in IPADIC, in dates, too.
            Class::Noun if after_number && items[index].is_single => Class::Other,
            class => class,
        };
        if class == Class::AdjectiveSuffix && after_stem {
            items[index - 1].part = PartOfSpeech::Noun;
            after_noun = true;
        } else {
            after_noun = match class {
                // 的 needs a noun before it and 重要 does not; they are not told apart.
                Class::Noun | Class::AdjectivalNoun => true,
                Class::Suffix => after_noun,
                _ => false,
            };
        }
        if after_noun {
            items[index].part = PartOfSpeech::Noun;
        }
        after_stem = class == Class::AdjectiveStem;
    }
}

/// Marks prefixes of nouns as nouns.
fn mark_prefixes(items: &mut [WordInContext]) {
    for index in (1..items.len()).rev() {
        if items[index].part == PartOfSpeech::Noun && items[index - 1].class == Class::Prefix {
            items[index - 1].part = PartOfSpeech::Noun;
        }
    }
}

/// Unmarks the nouns that are an adjective or an adverb together with what follows them.
fn unmark_adjectival_phrases(items: &mut [WordInContext]) {
    let mut end = 1;
    while end < items.len() {
        let last = &items[end - 1];
        let after = items.get(end + 1).map_or(Class::Other, |item| item.class);
        let is_adjectival = last.class == Class::AdjectivalNoun;
        let is_unmarked = last.part == PartOfSpeech::Noun
            && match items[end].class {
                Class::Attributive => after != Class::Nominaliser,
                Class::Copula | Class::Adverbial => is_adjectival,
                _ => false,
            };
        if is_unmarked {
            let nouns = items[..end].iter_mut().rev();
            nouns
                .take_while(|item| item.part == PartOfSpeech::Noun)
                .for_each(|item| item.part = PartOfSpeech::Other);
        }
        end += 1;
    }
}

/// Marks adjectives before nouns.
fn mark_adjectives(sentence: &str, items: &mut [WordInContext]) {
    for index in (1..items.len()).rev() {
        let item = &items[index - 1];
        if item.class == Class::Adjective
            && items[index].part != PartOfSpeech::Other
            && !STOP_ADJECTIVES.contains(&&sentence[item.range.clone()])
        {
            items[index - 1].part = PartOfSpeech::Adjective;
        }
    }
}

/// Returns the words. Blanks between Latin words are left out, and the interpunct between katakana
/// nouns is a part of the first, so that they do not end a phrase.
fn join(sentence: &str, items: Vec<WordInContext>) -> Vec<WordInContext> {
    let mut words: Vec<WordInContext> = Vec::with_capacity(items.len());
    let mut items = items.into_iter().peekable();
    while let Some(item) = items.next() {
        let text = &sentence[item.range.clone()];
        if let (Some(before), Some(after)) = (words.last_mut(), items.peek())
            && before.part == PartOfSpeech::Noun
            && after.part == PartOfSpeech::Noun
        {
            let (first, second) = (
                &sentence[before.range.clone()],
                &sentence[after.range.clone()],
            );
            if text == " " && first.ends_with(is_latin) && second.starts_with(is_latin) {
                continue;
            }
            if text == "・" && first.ends_with(is_katakana) && second.starts_with(is_katakana) {
                before.range.end = item.range.end;
                continue;
            }
        }
        words.push(item);
    }
    words
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}')
}

/// Returns the stem of a word: its base form in small letters, with the usual width of letters and
/// kana (NFKC), and without the long vowel at the end of a katakana word, which writers may leave
/// out (コンピューター, コンピュータ).
pub(super) fn stem_of(base: Cow<'_, str>) -> Cow<'_, str> {
    let base = strip_interpunct(base);
    let is_folded =
        is_nfkc_quick(base.chars()) == IsNormalized::Yes && !base.chars().any(char::is_uppercase);
    let folded = if is_folded {
        base
    } else {
        Cow::Owned(base.nfkc().flat_map(char::to_lowercase).collect())
    };
    let is_long = folded.ends_with('ー')
        && folded.chars().count() >= MIN_LONG_VOWEL
        && folded.chars().all(is_katakana);
    match (is_long, folded) {
        (false, folded) => folded,
        (true, Cow::Borrowed(text)) => Cow::Borrowed(text.trim_end_matches('ー')),
        (true, Cow::Owned(text)) => Cow::Owned(text.trim_end_matches('ー').to_owned()),
    }
}

/// Removes the interpunct that [`join`] made a part of a word.
fn strip_interpunct(base: Cow<'_, str>) -> Cow<'_, str> {
    match base {
        Cow::Borrowed(text) if text.len() > '・'.len_utf8() => {
            Cow::Borrowed(text.strip_suffix('・').unwrap_or(text))
        }
        base => base,
    }
}
