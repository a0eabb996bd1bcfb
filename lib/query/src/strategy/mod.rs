//! Strategies: who puts the queries together, and how.
//!
//! A [`Strategy`] gives the query for a step from what the projections hold, and nothing else, so
//! that equal runs ask equal queries. Each has a module of its own, with the projection that it
//! learns from where it needs one:
//!
//! * `fixed`: methods and lengths that the user gives (Ghani, Jones & Mladenić 2001);
//! * [`learned`]: methods and lengths drawn by a learner or a bandit;
//! * [`regions`]: `--learn auto`, one region of the target's documents after the other;
//! * `like` and `seedfinder`: baselines, by documents like one and by the rule of SeedFinder;
//! * `probed`: a wrapper that asks random regions between the queries of another strategy, to
//!   estimate coverage.
//!
//! [`StrategyOptions::build_strategy`] makes one from its options. `recovery` and `selected` are what
//! several share.

mod fixed;
pub mod learned;
pub(crate) mod like;
mod options;
mod probed;
pub(crate) mod recovery;
pub mod regions;
pub(crate) mod seedfinder;
mod selected;

pub use options::{LEARNERS, LearnerInfo, StrategyOptions};
pub use probed::engine_never_repeats_hits;
pub use recovery::RecoveryLimits;

use crate::select::{ClassContrast, PruneOptions, QuerySide, SelectedTerm};
use crate::statistics::{Statistics, StatisticsError};
use forage_record::{Query, QueryStrategy};
use forage_run::query_id;
use forage_text::Random;
use std::fmt::Debug;

/// What puts the queries of a run together.
pub trait Strategy: Debug {
    /// The query for a step.
    ///
    /// # Errors
    /// When the statistics can't be read, or have no documents of a class that is named.
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError>;

    /// The query that is asked when random regions show nothing new, either (`probed`).
    ///
    /// # Errors
    /// As [`Strategy::choose_query`].
    fn choose_last_resort(
        &self,
        _from: &Statistics,
        _request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        Ok(QueryChoice::Exhausted)
    }

    /// What it needs of those who ask its queries.
    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds::default()
    }

    /// Why there is no further query, for a person.
    fn exhaustion_reason(&self) -> String;
}

/// What a strategy needs of those who ask its queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StrategyNeeds {
    /// Whether it decides for each page of hits whether to call the engine again.
    pub controls_paging: bool,
    /// Whether the engine must find documents like one that it has.
    pub like: bool,
    /// Whether the engine must exclude.
    pub exclusion: bool,
}

impl StrategyNeeds {
    /// The names of those that hold, between blanks.
    pub fn names(self) -> String {
        let all = [
            (self.controls_paging, "pages-itself"),
            (self.like, "needs-like"),
            (self.exclusion, "needs-exclusion"),
        ];
        all.iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, name)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Which query is wanted.
#[derive(Debug, Clone, Copy)]
pub struct QueryRequest<'a> {
    /// The class that is looked for.
    pub target: &'a str,
    /// The classes that it is contrasted with; `None` for all others.
    pub versus: Option<&'a [String]>,
    /// The step that the query is for.
    pub step: u64,
    /// Seed of what is drawn at random, together with the step and the target.
    pub seed: u64,
    /// What the engine shows of a query.
    pub result_window: ResultWindow,
    /// Terms that are not selected.
    pub prune: PruneOptions,
}

/// What the engine shows of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultWindow {
    /// Hits on a page.
    pub page_size: u32,
    /// Pages of a query.
    pub max_pages: u32,
}

impl QueryRequest<'_> {
    /// The two sides of a query, for inclusion and for exclusion.
    pub(crate) fn sides(&self, from: &Statistics) -> Result<[ClassContrast; 2], StatisticsError> {
        let classes = from.classes()?;
        let side = |direction| {
            ClassContrast::new(from, &classes, self.target, self.versus, direction)?
                .with_pruning(self.prune, from, &classes)
        };
        Ok([side(QuerySide::Include)?, side(QuerySide::Exclude)?])
    }

    /// The random numbers of a purpose, which depend on seed, step and target alone.
    pub(crate) fn random(&self, purpose: &str) -> Random {
        Random::for_purpose(self.seed, &[&self.step.to_string(), self.target, purpose])
    }
}

/// A query, and why it has these terms.
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
    /// The query of these terms, by this strategy.
    fn new(
        include: Vec<SelectedTerm>,
        exclude: Vec<SelectedTerm>,
        strategy: QueryStrategy,
    ) -> Self {
        let names = |terms: &[SelectedTerm]| {
            terms
                .iter()
                .map(|ranked| ranked.term.clone())
                .collect::<Vec<_>>()
        };
        let (included, excluded) = (names(&include), names(&exclude));
        let id = query_id(&included, &excluded);
        let query = Query {
            id,
            include: included,
            exclude: excluded,
            like: None,
            strategy: Some(strategy),
        };
        ComposedQuery {
            query,
            include,
            exclude,
        }
    }
}

/// What a step is for.
#[derive(Debug, Clone)]
pub enum QueryChoice {
    /// A query.
    Query(Box<ComposedQuery>),
    /// A region drawn at random; vain when the engine shows again none of what is known to be
    /// there.
    Probe {
        /// Its query.
        query: Box<ComposedQuery>,
        /// Whether enough probes were asked to say that the engine never shows a hit again, so that
        /// they tell nothing.
        never_repeats_hits: bool,
    },
    /// Nothing is left to ask for.
    Exhausted,
    /// As much is collected as was wanted.
    CoverageReached,
}

impl From<Option<ComposedQuery>> for QueryChoice {
    fn from(terms: Option<ComposedQuery>) -> Self {
        terms.map_or(QueryChoice::Exhausted, |terms| {
            QueryChoice::Query(Box::new(terms))
        })
    }
}
