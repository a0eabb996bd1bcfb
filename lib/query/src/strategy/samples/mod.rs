//! `--learn samples`: queries of keyphrases of accepted articles (Bracewell, Ren & Kuroiwa 2007,
//! section V.A; `docs/algorithms.md`, "Special-domain collections").
//!
//! The initial documents of the target and every relevant document form a queue of sample articles.
//! The first of the queue gives a few queries, each of a few keyphrases drawn at random from its
//! best ones; then the next one does. The keyphrases are those that the tool `keywords` has added
//! to the record of the article.
//!
//! Unlike in the paper, a query that returns nothing new is shortened by its lowest keyphrase until
//! it returns something: engines that require all terms find few articles with three phrases. With
//! `--recovery none` it is not.
//!
//! The queue is a projection of the journal, stored in `stats.db` (`sample`).

mod projection;

pub(crate) use projection::{SCHEMA, SampleQueue, first_keyphrases, read_keyphrase_terms};

use super::{ComposedQuery, QueryChoice, QueryRequest, Strategy};
use crate::select::{SelectedTerm, TermCounts};
use crate::statistics::Result;
use forage_record::{QueryStrategy, RecoveryOffsets};
use forage_text::Random;
use projection::{LastSampleQuery, find_in_queue, read_last_query};
use std::num::NonZeroU32;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "samples";

/// Number of draws after which a sample is skipped because all of them were sent before. There are
/// 455 ways to draw three of fifteen keyphrases. Set by judgement, not measured.
const MAX_DRAWS: usize = 20;

/// The parameters of the strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleOptions {
    /// Queries per sample.
    pub queries: NonZeroU32,
    /// Keyphrases per query.
    pub terms: NonZeroU32,
    /// Number of best keyphrases of the sample that are drawn from.
    pub of: NonZeroU32,
}

impl SampleOptions {
    /// Number of keyphrases that are kept of a sample: the greatest value of `of`.
    pub const MAX_KEYPHRASES: u32 = 50;
}

impl Default for SampleOptions {
    /// Returns the values of Bracewell, Ren & Kuroiwa (2007): five queries of three of the fifteen
    /// best keyphrases.
    fn default() -> Self {
        let positive = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        SampleOptions {
            queries: positive(5),
            terms: positive(3),
            of: positive(15),
        }
    }
}

/// The strategy of the queue of samples.
#[derive(Debug)]
pub(super) struct SamplesStrategy {
    pub(super) options: SampleOptions,
    /// Whether a query that returns nothing new is shortened.
    pub(super) is_shortened: bool,
}

impl Strategy for SamplesStrategy {
    /// Draws keyphrases of the first sample that has queries left.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        // Fails if the target has no documents.
        request.contrasts()?;
        Ok(self.draw_query(request)?.into())
    }

    fn exhaustion_reason(&self) -> String {
        format!(
            "all samples have had their {} queries; keyphrases are added by keywords",
            self.options.queries
        )
    }
}

impl SamplesStrategy {
    /// Draws a query that was not sent before; `None` if no sample has one left.
    fn draw_query(&self, request: &QueryRequest) -> rusqlite::Result<Option<ComposedQuery>> {
        let mut random = request.random("keyphrases");
        let db = &request.statistics.db;
        let mut was_sent = db.prepare_cached("SELECT 1 FROM query WHERE id = ?1")?;
        if self.is_shortened
            && let Some(last) = read_last_query(db, request.target)?
        {
            for query in shorten_query(&last) {
                if !was_sent.exists([&query.query.id])? {
                    return Ok(Some(query));
                }
            }
        }
        find_in_queue(db, request.target, self.options.queries, |sample| {
            for _ in 0..MAX_DRAWS {
                let ranks = self.draw_ranks(sample.keyphrases.len(), &mut random);
                let ranks = ranks.iter();
                let phrases = ranks.map(|&rank| (&sample.keyphrases[rank], Some(rank)));
                let query = compose_query(&sample.id, phrases, 0);
                if !was_sent.exists([&query.query.id])? {
                    return Ok(Some(query));
                }
            }
            Ok(None)
        })
    }

    /// Draws distinct ranks, from 0, of at most `available` keyphrases, in ascending order.
    fn draw_ranks(&self, available: usize, random: &mut Random) -> Vec<usize> {
        let mut ranks: Vec<usize> = (0..available.min(self.options.of.get() as usize)).collect();
        let drawn = ranks.len().min(self.options.terms.get() as usize);
        for place in 0..drawn {
            let other = random.next_below((ranks.len() - place) as u64) as usize;
            ranks.swap(place, place + other);
        }
        ranks.truncate(drawn);
        ranks.sort_unstable();
        ranks
    }
}

/// Returns the shorter forms of a query that returned nothing new, the longest first; none if it
/// returned something.
fn shorten_query(last: &LastSampleQuery) -> Vec<ComposedQuery> {
    if last.has_hit {
        return Vec::new();
    }
    (1..last.terms.len())
        .rev()
        .map(|length| {
            let phrases = last.terms[..length].iter().map(|phrase| (phrase, None));
            let removed = last.terms.len() - length;
            let removed = u32::try_from(removed).unwrap_or(u32::MAX);
            compose_query(&last.sample, phrases, last.shorter.saturating_add(removed))
        })
        .collect()
}

/// Composes a query of keyphrases of a sample, given with their ranks from 0.
fn compose_query<'a>(
    sample: &str,
    phrases: impl Iterator<Item = (&'a String, Option<usize>)>,
    shorter: u32,
) -> ComposedQuery {
    let include = phrases
        .map(|(phrase, rank)| SelectedTerm {
            rank: rank.and_then(|rank| u32::try_from(rank + 1).ok()),
            ..TermCounts::default().to_selected_term(phrase.clone(), 0.0)
        })
        .collect();
    let offset = RecoveryOffsets {
        shorter,
        ..RecoveryOffsets::default()
    };
    let strategy = QueryStrategy {
        sample: Some(sample.to_owned()),
        offset: (shorter > 0).then_some(offset),
        ..QueryStrategy::new(NAME)
    };
    ComposedQuery::new(include, Vec::new(), strategy)
}
