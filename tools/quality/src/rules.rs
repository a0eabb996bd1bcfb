//! The reasons for which a text is no prose.
//!
//! The limits were chosen on texts of some 180 languages and pages that are none (BENCHMARKS.md,
//! "Quality").

use crate::measures::Figures;
use crate::share::serialize_optional_share;
use serde::Serialize;

/// Words that a text needs for its words to be judged.
const MIN_WORDS: u64 = 20;

/// Words that a text needs to be a list, and no title.
const MIN_LIST_WORDS: u64 = 8;

const MAX_REPEATED_LINES: f64 = 0.4;
const MAX_REPEATED_WORDS: f64 = 0.6;
const MAX_SYMBOLS: f64 = 0.12;
const MAX_ITEMS: f64 = 0.6;
const MAX_OTHER_LANGUAGES: f64 = 0.4;
const MAX_HOST_LINES: f64 = 0.6;

/// The share of fragments from which a text may be a list. Verse has as many, but the words of
/// prose.
const MIN_LIST_FRAGMENTS: f64 = 0.6;
/// In a list: the share of symbols, or that of frequent words relative to what is usual.
const MIN_LIST_SYMBOLS: f64 = 0.1;
const MAX_LIST_FREQUENT_WORDS: f64 = 0.65;

/// The share of frequent words relative to what is usual, below which no prose is.
const MIN_FREQUENT_WORDS: f64 = 0.4;

/// Why a text is no prose. The code of a reason is the name of its figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Much of the text is in lines that it repeats.
    RepeatedLines,
    /// Most of the text is in sequences of words that it repeats.
    RepeatedWords,
    /// Much of the text are digits and signs.
    Symbols,
    /// Most of the text are items of a list: short, without the end of a sentence, and with numbers
    /// or few of the frequent words.
    Fragments,
    /// Most of the text are short items between commas, line ends and the like.
    Items,
    /// The text has few of the frequent words of its language.
    UncommonWords,
    /// Much of the text is in other languages than its own.
    OtherLanguages,
    /// Most of the text is in lines that recur over its host.
    HostLines,
}

/// The field `quality`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quality {
    /// The reasons; none for prose.
    pub reasons: Vec<Reason>,
    /// The figures on which they rest.
    #[serde(flatten)]
    pub figures: Figures,
    /// The share of the text in other languages than its own; absent without `langid.share`.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_optional_share"
    )]
    pub other_languages: Option<f64>,
    /// The share of the text in lines that recur over the host; absent without a host.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_optional_share"
    )]
    pub host_lines: Option<f64>,
}

impl Quality {
    /// Judges a text by its figures: `usual_share` is that of frequent words in texts of its
    /// language, `None` if they tell nothing; `other_languages` that of the text in other
    /// languages, `host_lines` that of the text in lines that recur over its host.
    pub fn new(
        mut figures: Figures,
        usual_share: Option<f64>,
        other_languages: Option<f64>,
        host_lines: Option<f64>,
    ) -> Quality {
        figures.uncommon_words = figures.uncommon_words.filter(|_| usual_share.is_some());
        let shares = figures.uncommon_words.zip(usual_share);
        let has_fewer = |limit: f64| {
            figures.words >= MIN_WORDS
                && shares.is_some_and(|(uncommon, usual)| {
                    1.0 - uncommon < (limit * usual).min(lower_bound(usual, figures.words))
                })
        };
        let is_long = figures.words >= MIN_LIST_WORDS;
        let is_list = is_long
            && figures.fragments >= MIN_LIST_FRAGMENTS
            && (figures.symbols >= MIN_LIST_SYMBOLS || has_fewer(MAX_LIST_FREQUENT_WORDS));
        let rules = [
            (
                Reason::RepeatedLines,
                figures.repeated_lines >= MAX_REPEATED_LINES,
            ),
            (
                Reason::RepeatedWords,
                figures.repeated_words >= MAX_REPEATED_WORDS,
            ),
            (Reason::Symbols, figures.symbols >= MAX_SYMBOLS),
            (Reason::Fragments, is_list),
            (Reason::Items, is_long && figures.items >= MAX_ITEMS),
            (Reason::UncommonWords, has_fewer(MIN_FREQUENT_WORDS)),
            (
                Reason::OtherLanguages,
                other_languages.is_some_and(|share| share >= MAX_OTHER_LANGUAGES),
            ),
            (
                Reason::HostLines,
                host_lines.is_some_and(|share| share >= MAX_HOST_LINES),
            ),
        ];
        let reasons = rules.into_iter().filter(|(_, holds)| *holds);
        Quality {
            reasons: reasons.map(|(reason, _)| reason).collect(),
            figures,
            other_languages,
            host_lines,
        }
    }
}

/// Returns the share below which chance hardly explains a share of `usual` in so many words: three
/// standard deviations.
fn lower_bound(usual: f64, words: u64) -> f64 {
    usual - 3.0 * (usual * (1.0 - usual) / words as f64).sqrt()
}
