//! Query strategies: which query a step sends.
//!
//! A [`Strategy`] composes the query of a step from the projections in `stats.db` and from nothing
//! else, so that equal runs send equal queries. Each strategy is a module of its own, together with
//! the projection that it learns from, if any:
//!
//! * `fixed`: selection methods and lengths given by the user (Ghani, Jones & Mladenić 2001);
//! * [`learned`]: methods and lengths drawn by one of CorpusBuilder's learners;
//! * [`regions`]: disjoint high-precision regions of the target's documents (`--learn auto`);
//! * `like` and `seedfinder`: baselines, more-like-this and the rule of SeedFinder;
//! * `rocchio`: terms of accepted articles, by relevance feedback (Rocchio 1971);
//! * `samples`: keyphrases of accepted articles (Bracewell, Ren & Kuroiwa 2007);
//! * `probed`: a wrapper that sends random regions between the queries of another strategy, in
//!   order to estimate coverage.
//!
//! [`StrategyOptions::build_strategy`] creates a strategy from the options of `gen-query`. The
//! modules `recovery` and `selected` are shared by several strategies.

pub(crate) mod batch_size;
mod fixed;
pub mod learned;
pub(crate) mod like;
mod options;
mod probed;
pub(crate) mod recovery;
pub mod regions;
mod rocchio;
pub(crate) mod samples;
pub(crate) mod seedfinder;
mod selected;

pub use batch_size::BatchSize;
pub use options::{Learner, StrategyOptions};
pub use probed::engine_never_repeats_hits;
pub use recovery::RecoveryMode;
pub use samples::SampleOptions;

use crate::select::{ClassContrast, PruneOptions, QuerySide, SelectedTerm, TermProbability};
use crate::statistics::{Result, Statistics};
use forage_record::{Query, QueryStrategy, Record, Step, field};
use forage_run::query_id;
use forage_text::Random;
use std::fmt::Debug;

/// A rule that composes the queries of a run.
pub trait Strategy: Debug {
    /// Chooses the query of a step.
    ///
    /// # Errors
    /// Fails if the statistics cannot be read, or have no documents of a class that the request
    /// names.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice>;

    /// Chooses the query that is sent when this strategy is exhausted and random regions return
    /// nothing new either (see `probed`).
    ///
    /// # Errors
    /// As [`Strategy::choose_query`].
    fn choose_last_resort(&self, _request: &QueryRequest) -> Result<QueryChoice> {
        Ok(QueryChoice::Exhausted)
    }

    /// The requirements of the strategy on the engine and on `search`.
    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds::default()
    }

    /// The reason why the strategy is exhausted, for a message.
    fn exhaustion_reason(&self) -> String;
}

/// Chooses the query of a step by a strategy, in one transaction. With ASCII folding
/// (`update-stats --ascii-folding`), the query has the spellings of its terms; with
/// [`BatchSize::Auto`], it is limited to as many documents.
///
/// # Errors
/// Fails as [`Strategy::choose_query`].
pub fn choose_query(strategy: &dyn Strategy, request: &QueryRequest) -> Result<QueryChoice> {
    request.statistics.read_in_transaction(|statistics| {
        let mut choice = strategy.choose_query(request)?;
        if let QueryChoice::Query(composed)
        | QueryChoice::Probe {
            query: composed, ..
        } = &mut choice
        {
            let query = &mut composed.query;
            statistics.add_spellings(query, request.target)?;
            if request.batch == BatchSize::Auto {
                let page_size = request.result_window.page_size;
                batch_size::limit_to_yield(query, &statistics.db, request.target, page_size)?;
            }
        }
        Ok(choice)
    })
}

/// Requirements of a strategy on the engine and on `search`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StrategyNeeds {
    /// True if the strategy decides after each page of hits whether the engine is called again.
    pub controls_paging: bool,
    /// True if the engine must support queries for documents like a given one.
    pub like: bool,
    /// True if the engine must support exclusion terms.
    pub exclusion: bool,
}

/// The step for which a query is requested, and its constraints.
#[derive(Debug, Clone, Copy)]
pub struct QueryRequest<'a> {
    /// The statistics that the query is composed from.
    pub statistics: &'a Statistics,
    /// The class to be collected.
    pub target: &'a str,
    /// The classes with which the target is contrasted; `None` for all others.
    pub versus: Option<&'a [String]>,
    /// The number of the step.
    pub step: u64,
    /// Seed of random choices, used together with the step and the target.
    pub seed: u64,
    /// The part of a query's hits that the engine shows.
    pub result_window: ResultWindow,
    /// Terms that are never selected.
    pub prune: PruneOptions,
    /// The probability of a term in the odds ratio.
    pub probability: TermProbability,
    /// The number of new documents of the step.
    pub batch: BatchSize,
}

/// The part of a query's hits that the engine shows: `page_size * max_pages` hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultWindow {
    /// Hits per page.
    pub page_size: u32,
    /// Maximum number of pages per query.
    pub max_pages: u32,
}

impl QueryRequest<'_> {
    /// The contrasts from which inclusion terms and exclusion terms are selected, in this order.
    pub(crate) fn contrasts(&self) -> Result<[ClassContrast; 2]> {
        let statistics = self.statistics;
        let classes = statistics.classes()?;
        let contrast = |side| {
            ClassContrast::new(statistics, &classes, self.target, self.versus, side)?
                .with_probability(self.probability)
                .with_pruning(self.prune, statistics, &classes)
        };
        Ok([contrast(QuerySide::Include)?, contrast(QuerySide::Exclude)?])
    }

    /// Random numbers for a purpose. They depend on seed, step, target and purpose alone.
    pub(crate) fn random(&self, purpose: &str) -> Random {
        Random::for_purpose(self.seed, &[&self.step.to_string(), self.target, purpose])
    }
}

/// A query, with the statistics of its terms for `--explain`.
#[derive(Debug, Clone)]
pub struct ComposedQuery {
    /// The query.
    pub query: Query,
    /// Its inclusion terms.
    pub include: Vec<SelectedTerm>,
    /// Its exclusion terms.
    pub exclude: Vec<SelectedTerm>,
}

impl ComposedQuery {
    /// Returns the record with the query of a step.
    pub fn to_record(&self, target: &str, step: u64) -> Record {
        let mut record = Record::new();
        record.set(
            field::STEP,
            &Step {
                number: step,
                target: target.into(),
                last: Some(true),
            },
        );
        record.set(field::QUERY, &self.query);
        record
    }

    fn new(
        include: Vec<SelectedTerm>,
        exclude: Vec<SelectedTerm>,
        strategy: QueryStrategy,
    ) -> Self {
        let included = term_texts(&include);
        let excluded = term_texts(&exclude);
        let query = Query {
            id: query_id(&included, &excluded),
            include: included,
            exclude: excluded,
            strategy: Some(strategy),
            ..Query::default()
        };
        ComposedQuery {
            query,
            include,
            exclude,
        }
    }
}

fn term_texts(terms: &[SelectedTerm]) -> Vec<String> {
    terms.iter().map(|selected| selected.term.clone()).collect()
}

/// The choice that a strategy makes for a step.
#[derive(Debug, Clone)]
pub enum QueryChoice {
    /// Send this query.
    Query(Box<ComposedQuery>),
    /// Send this query for a region that was drawn at random.
    Probe {
        /// The query.
        query: Box<ComposedQuery>,
        /// True if enough probes were sent to conclude that the engine never returns a hit twice,
        /// so that coverage cannot be estimated.
        never_repeats_hits: bool,
    },
    /// Send nothing: the target is exhausted.
    Exhausted,
    /// Send nothing: the requested share of the target is collected.
    CoverageReached,
}

impl From<Option<ComposedQuery>> for QueryChoice {
    fn from(query: Option<ComposedQuery>) -> Self {
        query.map_or(QueryChoice::Exhausted, |query| {
            QueryChoice::Query(Box::new(query))
        })
    }
}
