//! `--learn seedfinder`: the query rule of SeedFinder, which finds seed pages for a focused crawl
//! (Vieira, Barbosa, da Silva, Freire & Moura, *Finding seeds to bootstrap focused crawlers*, World
//! Wide Web 19, 2016). A baseline; see `docs/algorithms.md`, "Baselines".
//!
//! Each term has a score: the sum of its shares of the tokens of relevant documents, less those of
//! nonrelevant documents. A query consists of the terms of the highest scores and of one term that
//! no query has had. Its length follows from the result of the last query (`rules.rs`). The pages
//! of a query are retrieved as long as at least half of the documents of the last page were
//! relevant.
//!
//! Differences from the paper: the first query, which is given by the user there, has the three
//! terms of the highest odds ratio; no stop words are excluded, because these are the most
//! indicative terms of a language; and the engine requires all terms, so a query without a result
//! is followed by a shorter one.
//!
//! Scores and the last query are a projection of the journal, stored in `stats.db` (`seed_term`,
//! `seed_query`).

mod compose;
mod projection;
mod rules;

pub(super) use compose::SeedFinderStrategy;
pub(crate) use projection::{SCHEMA, SeedScores};

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "seedfinder";
