//! The options of a strategy, which gen-query and simulate-run have.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use forage_cli::{Paging, Seed, parse_share};
use forage_engines::{EngineCapabilities, EngineSpec, ExclusionSupport};
use forage_query::Statistics;
use forage_query::select::{PruneOptions, SelectionSpec, TermProbability};
use forage_query::strategy::learned::LengthModel;
use forage_query::strategy::{
    BatchSize, Learner, QueryRequest, RecoveryMode, ResultWindow, SampleOptions, Strategy,
    StrategyOptions,
};

/// The options of a strategy, and of the queries that it composes.
#[derive(Debug, Clone, clap::Args)]
pub struct StrategyArgs {
    /// The classes.
    #[command(flatten)]
    pub contrast: Contrast,

    /// The queries.
    #[command(flatten)]
    pub queries: QueryArgs,

    /// Engine that the queries are for, as in search [default: one that can do all]
    ///
    /// Queries have only what the engine can express; see search --engines. Can be repeated.
    // Not parsed by clap, as its error message repeats the argument, which may contain a password.
    #[arg(long, value_name = "SPEC")]
    pub engine: Vec<String>,
}

/// What the target is contrasted with.
#[derive(Debug, Clone, clap::Args)]
pub struct Contrast {
    /// Classes to contrast with the target, separated by commas, or `all`
    #[arg(
        long,
        value_name = "CLASSES",
        value_delimiter = ',',
        default_value = "all"
    )]
    pub versus: Vec<String>,

    /// Terms to leave out: common, common:SHARE, or navigation; separated by commas
    ///
    /// `common`: terms that at least two of the initial classes have. With a share, such as
    /// common:0.01, a class has a term if at least 1 % of its documents have it. `navigation`:
    /// words of navigation links, such as home and contact: words of short anchor texts that recur
    /// over hosts in two classes, or a fixed list if the pages have no links (fetch-extract
    /// --links).
    #[arg(long, value_name = "TERMS", value_delimiter = ',', value_parser = parse_prune_kind)]
    pub prune: Vec<PruneKind>,
}

/// How queries are chosen.
#[derive(Debug, Clone, clap::Args)]
pub struct QueryArgs {
    /// Method and number of inclusion terms, as in or:3
    #[arg(long, value_name = "METHOD:K", requires = "exclude")]
    pub include: Option<SelectionSpec>,

    /// Method and number of exclusion terms, as in or:3
    #[arg(long, value_name = "METHOD:K", requires = "include")]
    pub exclude: Option<SelectionSpec>,

    /// Choose the query by the results of earlier queries
    #[arg(
        long,
        value_name = "LEARNER",
        conflicts_with_all = ["include", "exclude"],
        value_parser = learner_parser()
    )]
    pub learn: Option<Learner>,

    /// Length model of the learner: if:I,E, ii, id, di or dd [default: ii]
    ///
    /// For learners of methods and lengths.
    #[arg(long, value_name = "MODEL", requires = "learn")]
    pub lengths: Option<LengthModel>,

    /// Failures that a query without a document counts as [default: 1]
    ///
    /// For learners of methods and lengths.
    #[arg(
        long,
        value_name = "W",
        requires = "learn",
        value_parser = clap::value_parser!(u32).range(1..=100)
    )]
    pub no_result_penalty: Option<u32>,

    /// Factor of the learner ltm: a failure multiplies, a success divides [default: 0.5]
    #[arg(long, value_name = "BETA", requires = "learn", value_parser = parse_beta)]
    pub beta: Option<f64>,

    /// Documents per step, as in search --next, or auto
    ///
    /// With `auto`, a query is limited to as many documents as it has returned relevant ones so
    /// far, at least 1 and at most --page-size (`query.limit`). Other strategies ignore a number.
    #[arg(long, value_name = "N", default_value_t = BatchSize::Fixed(1))]
    pub batch: BatchSize,

    /// What to send after a query without a result
    ///
    /// `offsets:I` selects terms further down the rankings, up to I ranks on either side (20,
    /// unless given). `shorten:N` also removes an inclusion term after N ranks without a result (3,
    /// unless given). With `none`, a ranking that returns nothing new is exhausted, and random
    /// terms are drawn again.
    #[arg(long, value_name = "MODE", default_value = "offsets")]
    pub recovery: RecoveryMode,

    /// Probability of a term in the odds ratio
    #[arg(long, value_name = "COUNT", value_enum, default_value_t = ProbabilityCount::Df)]
    pub probability: ProbabilityCount,

    /// Stop at this share of the reachable target documents, such as 0.9
    ///
    /// Reachable documents are those that the engine can return. The share that the run has
    /// collected is estimated from probes: one in six calls is a probe.
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub until_coverage: Option<f64>,

    /// The pages of hits.
    #[command(flatten)]
    pub paging: Paging,

    /// The seed.
    #[command(flatten)]
    pub seed: Seed,
}

/// Terms that `--prune` leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PruneKind {
    /// Terms that two of the initial classes have, each in at least this share of its documents.
    Common(f64),
    /// Words of navigation links, such as home and contact.
    Navigation,
}

/// Parses a kind of terms to leave out.
fn parse_prune_kind(text: &str) -> Result<PruneKind, String> {
    match text.split_once(':') {
        None if text == "common" => Ok(PruneKind::Common(0.0)),
        None if text == "navigation" => Ok(PruneKind::Navigation),
        Some(("common", share)) => Ok(PruneKind::Common(parse_share(share)?)),
        _ => Err("expected common, common:SHARE (as in common:0.01) or navigation".into()),
    }
}

/// The counts of which the probability of a term in the odds ratio is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ProbabilityCount {
    /// Share of the documents of the class that have the term
    Df,
    /// Share of the term in the tokens of the class
    Tf,
}

impl StrategyArgs {
    /// Returns the strategy that composes the queries.
    ///
    /// # Errors
    /// Fails if options contradict each other, or if the engine lacks a capability.
    pub fn build_strategy(&self, samples: SampleOptions) -> anyhow::Result<Box<dyn Strategy>> {
        let engine = self.capabilities()?;
        let can = |has: fn(&EngineCapabilities) -> bool| engine.as_ref().is_none_or(has);
        let options = StrategyOptions {
            sides: self.queries.include.zip(self.queries.exclude),
            learn: self.queries.learn,
            lengths: self.queries.lengths,
            no_result_penalty: self.queries.no_result_penalty,
            beta: self.queries.beta,
            batch: self.queries.batch,
            recovery: self.queries.recovery,
            needs_inclusion: !can(|engine| !engine.needs_inclusion_term),
            samples,
            until_coverage: self.queries.until_coverage,
        };
        let strategy = options.build_strategy().map_err(anyhow::Error::msg)?;
        let needs = strategy.needs();
        anyhow::ensure!(
            !needs.like || can(|engine| engine.supports_more_like_this),
            "--learn like: the engine has no more-like-this query; \
             index:DIR and mediawiki: have one"
        );
        anyhow::ensure!(
            !needs.exclusion || can(|engine| engine.exclusion != ExclusionSupport::Unsupported),
            "--until-coverage: the engine cannot exclude terms, which the estimate requires"
        );
        Ok(strategy)
    }

    /// Returns the capabilities that all engines have; `None` if no engine is given.
    fn capabilities(&self) -> anyhow::Result<Option<EngineCapabilities>> {
        let specs: Result<Vec<EngineSpec>, _> =
            self.engine.iter().map(|engine| engine.parse()).collect();
        let capabilities = specs?.into_iter().map(|spec| spec.capabilities());
        Ok(capabilities.reduce(EngineCapabilities::common_with))
    }

    /// Returns the request for the query of a step for a target, from statistics.
    pub fn request<'a>(
        &'a self,
        statistics: &'a Statistics,
        target: &'a str,
        step: u64,
    ) -> QueryRequest<'a> {
        QueryRequest {
            statistics,
            batch: self.queries.batch,
            target,
            versus: self.contrast(),
            step,
            seed: self.queries.seed.seed,
            result_window: ResultWindow {
                page_size: self.queries.paging.page_size.get(),
                max_pages: self.queries.paging.max_pages.get(),
            },
            prune: PruneOptions {
                common: self.contrast.prune.iter().find_map(|kind| match kind {
                    PruneKind::Common(share) => Some(*share),
                    PruneKind::Navigation => None,
                }),
                navigation: self.contrast.prune.contains(&PruneKind::Navigation),
            },
            probability: match self.queries.probability {
                ProbabilityCount::Df => TermProbability::Df,
                ProbabilityCount::Tf => TermProbability::Tf,
            },
        }
    }

    /// Returns the classes that the target is contrasted with; `None` for all others.
    fn contrast(&self) -> Option<&[String]> {
        (self.contrast.versus != ["all"]).then_some(&*self.contrast.versus)
    }
}

/// Parses a factor: a number greater than 0 and less than 1.
fn parse_beta(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|beta| (0.001..=0.999).contains(beta))
        .ok_or_else(|| "expected a number from 0.001 to 0.999, such as 0.5".into())
}

/// Returns the parser of `--learn`.
fn learner_parser() -> impl TypedValueParser<Value = Learner> {
    let values =
        Learner::ALL.map(|learner| PossibleValue::new(learner.name()).help(learner.summary()));
    PossibleValuesParser::new(values).try_map(|name| {
        let mut learners = Learner::ALL.into_iter();
        learners
            .find(|learner| learner.name() == name)
            .ok_or("no such learner")
    })
}
