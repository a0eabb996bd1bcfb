//! What is expected of a text before it is read: how much is written in each language.
//!
//! The prior is added to the evidence once. So it decides between languages that share a single
//! word, and counts for nothing in a long text, whose evidence grows with each word.

use crate::code::LanguageCode;
use crate::evidence::STEPS_PER_NAT;

/// Pages of the web by language: lines of "code, tab, pages".
const WEB: &str = include_str!("../../model/web.tsv");

/// Number that is added to the pages of each language: so many are expected in a language of which
/// none is known. With 1 or 50, about as many first words of sentences are identified.
const UNSEEN_PAGES: f64 = 5.0;

/// Weight of the logarithm of the number of pages. With 0.25, as many first words of sentences in
/// 20 large languages are identified, .70, but fewer in 100 languages, .589 instead of .594, and in
/// others, .378 instead of .392; with 0.1, .676, .586 and .410.
const WEIGHT: f64 = 0.2;

/// Number of words after the first with which half of the prior counts. Without a limit, more
/// sentences in Asturian are Spanish, 17 % instead of 11 %.
const HALF_LENGTH: f64 = 2.5;

/// How much is written in each language.
///
/// The default is [`Prior::web`].
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    /// Languages with their numbers of pages, sorted.
    pages: Vec<(LanguageCode, f64)>,
}

/// A line of a prior that is not "code, tab, number".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {0}: not a language code, a tab and a number of 0 or more")]
pub struct InvalidPrior(pub usize);

impl Default for Prior {
    fn default() -> Self {
        Self::web()
    }
}

impl Prior {
    /// The numbers of pages of each language in a crawl of the web.
    pub fn web() -> Self {
        Self::read(WEB, LanguageCode::from_canonical).unwrap_or(Self::none())
    }

    /// All languages are equally likely.
    pub const fn none() -> Self {
        Self { pages: Vec::new() }
    }

    /// Reads lines of "code, tab, number of pages". Lines that begin with `#` are comments.
    ///
    /// Only the ratios of the numbers count if these are in the thousands; a language that is not
    /// listed is taken to have some pages.
    ///
    /// # Errors
    /// Fails if a line has another form.
    pub fn from_text(text: &str) -> Result<Self, InvalidPrior> {
        Self::read(text, |code| code.parse().ok())
    }

    fn read(
        text: &str,
        parse_code: impl Fn(&str) -> Option<LanguageCode>,
    ) -> Result<Self, InvalidPrior> {
        let lines = text.lines().enumerate();
        let mut pages = lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(index, line)| parse_line(line, &parse_code).ok_or(InvalidPrior(index + 1)))
            .collect::<Result<Vec<_>, _>>()?;
        pages.sort_by_key(|(code, _)| *code);
        Ok(Self { pages })
    }

    /// Returns the evidence of a class in a text of one word because of what is written in its
    /// language, in 1/[`WHOLE`] of the unit of evidence.
    pub(crate) fn evidence(&self, code: LanguageCode) -> i32 {
        let found = self.pages.binary_search_by_key(&code, |(code, _)| *code);
        let pages = found.map_or(0.0, |index| self.pages[index].1);
        let log_pages = libm::log(1.0 + pages / UNSEEN_PAGES);
        (WEIGHT * log_pages * STEPS_PER_NAT * f64::from(WHOLE)).round() as i32
    }
}

/// The share of the prior that counts in a text of one word.
pub(crate) const WHOLE: i32 = 1 << 8;

/// Returns the share of the prior that counts in a text of so many words, in 1/[`WHOLE`].
pub(crate) fn share_by_length(words: u32) -> i32 {
    let later_words = f64::from(words.saturating_sub(1));
    (f64::from(WHOLE) * HALF_LENGTH / (HALF_LENGTH + later_words)).round() as i32
}

fn parse_line(
    line: &str,
    parse_code: impl Fn(&str) -> Option<LanguageCode>,
) -> Option<(LanguageCode, f64)> {
    let (code, pages) = line.split_once('\t')?;
    let pages: f64 = pages.trim().parse().ok()?;
    (pages.is_finite() && pages >= 0.0).then_some((parse_code(code)?, pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(code: &str) -> LanguageCode {
        code.parse().unwrap()
    }

    #[test]
    fn a_language_with_more_pages_is_more_likely() {
        let prior = Prior::web();
        assert!(prior.evidence(code("deu")) > prior.evidence(code("dan")));
        assert!(prior.evidence(code("dan")) > prior.evidence(code("nds")));
        assert_eq!(Prior::none().evidence(code("deu")), 0);
    }

    #[test]
    fn the_prior_counts_for_less_in_longer_texts() {
        assert_eq!(share_by_length(1), WHOLE);
        assert!((1..9).all(|words| share_by_length(words) > share_by_length(words + 1)));
        assert!(share_by_length(u32::MAX) <= 1);
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        let read = |text| Prior::from_text(text);
        assert_eq!(read("# pages\nsl\t5\n\n"), read("slv\t5"));
        for text in [
            "# pages\nslv 5",
            "slv\t1\nslv\tmany",
            "slv\t1\nslv\t-1",
            "\nx\t1",
        ] {
            assert_eq!(read(text), Err(InvalidPrior(2)), "{text}");
        }
    }
}
