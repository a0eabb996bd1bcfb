//! Capabilities of an engine: the kinds of query that it supports, and its limits.
//!
//! They are constants of each engine, so that a strategy can be checked against them before an
//! engine is opened.

use std::fmt;
use std::time::Duration;

/// Headings of [`EngineCapabilities::meanings`]: the server, then what it finds: a phrase as such,
/// no page with an excluded term, a word of two letters, a word such as *about*, a word in other
/// case, without or with other marks of its letters, with another apostrophe, a part of a word with
/// a hyphen, a word within Thai or Khmer text.
pub const MEANINGS: &str = "server|phrase|excluded term|two letters|stop word|other case|other marks|\
                            other apostrophe|part of a-b|Thai or Khmer";

/// The parts of a query that an engine supports, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineCapabilities {
    /// Support of exclusion terms.
    pub exclusion: ExclusionSupport,
    /// True if a query must have an inclusion term.
    pub needs_inclusion_term: bool,
    /// True if a term of several words is matched as a phrase. Otherwise its words are sent as
    /// separate terms.
    pub supports_phrases: bool,
    /// True if a term can be asked for in several spellings. Otherwise the one with diacritics is
    /// sent.
    pub supports_variants: bool,
    /// True if the engine takes a word with one apostrophe for the same with another, false if it
    /// is asked for each, in one query if it supports variants; `None` if it is unknown.
    pub folds_apostrophes: Option<bool>,
    /// What the words of a query mean to each server that was measured (`make test-engines`), or as
    /// its documentation says, in the columns of [`MEANINGS`]; none if it is unknown.
    pub meanings: &'static [&'static str],
    /// True if the engine can retrieve documents that are similar to a given one.
    pub supports_more_like_this: bool,
    /// True if the engine can retrieve the documents that link to a page.
    pub supports_in_links: bool,
    /// True if the engine returns all its documents, whatever the query. They are then matched with
    /// the query by title and snippet, or by the words of their URLs if they have neither; a page
    /// of hits holds for all queries, and a query without terms has all of them.
    pub lists_all_documents: bool,
    /// Maximum number of hits per page that can be requested; `None` if the engine decides.
    pub max_page_size: Option<u32>,
    /// Maximum number of hits that can be retrieved per query, over all pages; `None` if no limit
    /// is known.
    pub max_hits: Option<u32>,
    /// Longest query that the engine accepts.
    pub query_length: QueryLengthLimit,
    /// Minimum time between two calls that the engine asks for.
    pub call_interval: Duration,
}

/// Support of exclusion terms, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExclusionSupport {
    /// No hit ever contains an excluded term.
    Exact,
    /// Exclusion is requested, but the engine or one behind it may ignore it. Hits are checked
    /// again.
    Unreliable,
    /// Some installations of the engine honour exclusion, others take the excluded term for a
    /// required one. A test decides when a query first excludes a term; without its success no
    /// exclusion is requested, as if it were unsupported.
    Tested,
    /// Exclusion cannot be requested. Hits whose title or snippet contains an excluded term are
    /// skipped.
    Unsupported,
}

/// Longest query that an engine accepts.
///
/// Exclusion terms beyond the limit are dropped from the query, and hits are checked for them
/// instead. A query that is too long without any exclusion term is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueryLengthLimit {
    /// Maximum number of characters of the formatted query; `None` if unlimited.
    pub characters: Option<usize>,
    /// Maximum number of words separated by white space; `None` if unlimited.
    pub words: Option<usize>,
}

impl EngineCapabilities {
    /// Capabilities that most engines on the web have: required words and phrases, unreliable
    /// exclusion, and no limits. Base for the constants of the adapters.
    pub const COMMON: EngineCapabilities = EngineCapabilities {
        exclusion: ExclusionSupport::Unreliable,
        needs_inclusion_term: true,
        supports_phrases: true,
        supports_variants: false,
        folds_apostrophes: None,
        meanings: &[],
        supports_more_like_this: false,
        supports_in_links: false,
        lists_all_documents: false,
        max_page_size: None,
        max_hits: None,
        query_length: QueryLengthLimit {
            characters: None,
            words: None,
        },
        call_interval: Duration::ZERO,
    };

    /// Returns the capabilities that both engines have, with the stricter limit of each kind.
    #[must_use]
    pub fn common_with(self, other: EngineCapabilities) -> EngineCapabilities {
        let is_same_server = self.meanings == other.meanings;
        EngineCapabilities {
            exclusion: self.exclusion.max(other.exclusion),
            needs_inclusion_term: self.needs_inclusion_term || other.needs_inclusion_term,
            supports_phrases: self.supports_phrases && other.supports_phrases,
            supports_variants: self.supports_variants && other.supports_variants,
            folds_apostrophes: is_same_server.then_some(self.folds_apostrophes).flatten(),
            meanings: if is_same_server { self.meanings } else { &[] },
            supports_more_like_this: self.supports_more_like_this && other.supports_more_like_this,
            supports_in_links: self.supports_in_links && other.supports_in_links,
            lists_all_documents: self.lists_all_documents && other.lists_all_documents,
            max_page_size: stricter_limit(self.max_page_size, other.max_page_size),
            max_hits: stricter_limit(self.max_hits, other.max_hits),
            query_length: QueryLengthLimit {
                characters: stricter_limit(
                    self.query_length.characters,
                    other.query_length.characters,
                ),
                words: stricter_limit(self.query_length.words, other.query_length.words),
            },
            call_interval: self.call_interval.max(other.call_interval),
        }
    }
}

/// Returns the lower of two limits, where `None` is no limit.
fn stricter_limit<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl QueryLengthLimit {
    /// Returns a description of the limit that a formatted query exceeds; `None` if it fits.
    pub fn describe_excess(&self, query: &str) -> Option<String> {
        let characters = query.chars().count();
        let words = query.split_whitespace().count();
        format_excess(characters, self.characters, "characters")
            .or_else(|| format_excess(words, self.words, "words"))
    }
}

fn format_excess(length: usize, limit: Option<usize>, unit: &str) -> Option<String> {
    let limit = limit.filter(|&limit| length > limit)?;
    Some(format!("{length} {unit}, the limit is {limit}"))
}

impl fmt::Display for EngineCapabilities {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.supports_phrases {
            "words and phrases"
        } else {
            "words; a phrase is sent as its words"
        })?;
        if self.supports_variants {
            f.write_str("; several spellings")?;
        }
        f.write_str(match self.exclusion {
            ExclusionSupport::Exact => "; exact exclusion",
            ExclusionSupport::Unreliable => "; exclusion, checked again in title and snippet",
            ExclusionSupport::Tested => "; exclusion if a test shows that it works",
            ExclusionSupport::Unsupported => {
                "; no exclusion: hits that show an excluded term are skipped"
            }
        })?;
        f.write_str(if self.needs_inclusion_term {
            "; needs an inclusion term"
        } else {
            "; exclusion terms alone"
        })?;
        if self.supports_more_like_this {
            f.write_str("; more like this")?;
        }
        if self.supports_in_links {
            f.write_str("; in-links")?;
        }
        if self.lists_all_documents {
            f.write_str("; terms are matched with title and summary, or else the URL")?;
        }
        match self.max_page_size {
            Some(u32::MAX) => {}
            Some(size) => write!(f, "; at most {size} hits per page")?,
            None => f.write_str("; page size set by the engine")?,
        }
        if let Some(hits) = self.max_hits {
            write!(f, "; at most {hits} hits per query")?;
        }
        if let Some(characters) = self.query_length.characters {
            write!(f, "; at most {characters} characters")?;
        }
        if let Some(words) = self.query_length.words {
            write!(f, "; at most {words} words")?;
        }
        if self.call_interval > Duration::ZERO {
            let seconds = self.call_interval.as_secs_f32();
            write!(f, "; {seconds} s between calls")?;
        }
        for row in self.meanings {
            let mut cells = row.split('|').zip(MEANINGS.split('|'));
            let server = cells.next().map_or("", |(server, _)| server);
            let differing = cells.filter(|(cell, _)| *cell != "yes");
            let differing = differing.map(|(cell, heading)| format!("{heading} {cell}"));
            write!(
                f,
                "; {server}: {}",
                differing.collect::<Vec<_>>().join(", ")
            )?;
        }
        if self.meanings.is_empty() {
            f.write_str("; other meanings unknown")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineCapabilities, ExclusionSupport, QueryLengthLimit};
    use std::time::Duration;

    #[test]
    fn display_lists_capabilities_and_limits() {
        let capabilities = EngineCapabilities {
            exclusion: ExclusionSupport::Unsupported,
            max_page_size: Some(20),
            max_hits: Some(200),
            query_length: QueryLengthLimit {
                characters: Some(400),
                words: Some(50),
            },
            call_interval: Duration::from_millis(1500),
            ..EngineCapabilities::COMMON
        };
        assert_eq!(
            capabilities.to_string(),
            "words and phrases; no exclusion: hits that show an excluded term are skipped; \
             needs an inclusion term; at most 20 hits per page; at most 200 hits per query; \
             at most 400 characters; at most 50 words; 1.5 s between calls; other meanings unknown"
        );
        let meanings = &["A 1|yes|no|yes|yes|yes|some|yes|yes|yes"];
        let measured = EngineCapabilities {
            meanings,
            ..EngineCapabilities::COMMON
        };
        let shown = measured.to_string();
        assert!(
            shown.ends_with("; A 1: excluded term no, other marks some"),
            "{shown}"
        );
    }

    #[test]
    fn several_engines_have_the_capabilities_of_all() {
        let exact = EngineCapabilities {
            exclusion: ExclusionSupport::Exact,
            needs_inclusion_term: false,
            supports_more_like_this: true,
            supports_in_links: true,
            max_page_size: Some(20),
            ..EngineCapabilities::COMMON
        };
        assert_eq!(exact.common_with(exact), exact);
        let common = exact.common_with(EngineCapabilities::COMMON);
        assert_eq!(common.exclusion, ExclusionSupport::Unreliable);
        assert!(common.needs_inclusion_term && !common.supports_more_like_this);
        let without_exclusion = EngineCapabilities {
            exclusion: ExclusionSupport::Unsupported,
            needs_inclusion_term: false,
            max_page_size: Some(50),
            ..EngineCapabilities::COMMON
        };
        let common = exact.common_with(without_exclusion);
        assert_eq!(common.exclusion, ExclusionSupport::Unsupported);
        assert!(!common.needs_inclusion_term);
        assert_eq!(common.max_page_size, Some(20));
    }

    #[test]
    fn query_length_is_limited_in_characters_and_in_words() {
        let limit = QueryLengthLimit {
            characters: Some(5),
            words: Some(2),
        };
        assert_eq!(limit.describe_excess("čšž a"), None);
        assert_eq!(
            limit.describe_excess("čšž ab").as_deref(),
            Some("6 characters, the limit is 5")
        );
        assert_eq!(
            limit.describe_excess("a b c").as_deref(),
            Some("3 words, the limit is 2")
        );
    }
}
