//! `--learn seedfinder`: the rule of SeedFinder, which finds pages to begin a focused crawl with
//! (Vieira, Barbosa, da Silva, Freire & Moura, *Finding seeds to bootstrap focused crawlers*, World
//! Wide Web 19, 2016), a baseline.
//!
//! Each term has a score: relevant documents add its share of their tokens, others take theirs off.
//! A query is the best terms and one more that was never used; its length moves by what the last
//! query brought (`rules.rs`). Pages of a query are taken while at least half of the documents of
//! the last one were relevant.
//!
//! Where we differ: the first query, which the paper's user gives, is the three terms of the
//! highest odds ratio; there is no list of stop words, as these tell languages best; and the engine
//! requires all terms, so that a query that brings nothing is followed by a shorter one.
//!
//! Scores and the last query are a projection of the journal, kept in `stats.db` (`seed_term`,
//! `seed_query`).

mod compose;
mod fold;
mod rules;

pub(super) use compose::SeedFinder;
pub(crate) use fold::{SCHEMA, SeedScores};

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "seedfinder";
