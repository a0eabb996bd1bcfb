//! Builds a strategy from the options of `gen-query`.

use super::fixed::FixedStrategy;
use super::learned::{LearnedStrategy, LearnerSpec, LengthModel, UpdateRule};
use super::like::LikeStrategy;
use super::probed::ProbedStrategy;
use super::regions::RegionsStrategy;
use super::rocchio::RocchioStrategy;
use super::samples::{SampleOptions, SamplesStrategy};
use super::seedfinder::SeedFinderStrategy;
use super::{BatchSize, RecoveryMode, Strategy};
use crate::select::SelectionSpec;

/// A value of `--learn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learner {
    /// `auto`: the regions strategy.
    Regions,
    /// A learner of methods and lengths, by its update rule.
    Learned(UpdateRule),
    /// More-like-this.
    Like,
    /// The rule of SeedFinder.
    SeedFinder,
    /// The queue of samples.
    Samples,
    /// Relevance feedback.
    Rocchio,
}

impl Learner {
    /// All values, in the order in which users see them.
    pub const ALL: [Learner; 9] = [
        Learner::Regions,
        Learner::Learned(UpdateRule::Memoryless),
        Learner::Learned(UpdateRule::LongTermAdditive),
        Learner::Learned(UpdateRule::LongTermMultiplicative),
        Learner::Learned(UpdateRule::FadingMemory),
        Learner::Like,
        Learner::SeedFinder,
        Learner::Samples,
        Learner::Rocchio,
    ];

    /// Returns the value of the option.
    pub fn name(self) -> &'static str {
        match self {
            Learner::Regions => "auto",
            Learner::Learned(rule) => rule.name(),
            Learner::Like => "like",
            Learner::SeedFinder => "seedfinder",
            Learner::Samples => "samples",
            Learner::Rocchio => "rocchio",
        }
    }

    /// Returns the description for the help text, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Learner::Regions => "Regions: disjoint sets of the target's documents in turn",
            Learner::Learned(rule) => match rule {
                UpdateRule::Memoryless => "Memoryless: the values of the last query that succeeded",
                UpdateRule::LongTermAdditive => {
                    "Long-term memory, additive: by the share of successes"
                }
                UpdateRule::LongTermMultiplicative => {
                    "Long-term memory, multiplicative: by factors 1/beta and beta"
                }
                UpdateRule::FadingMemory => "Fading memory: 0.9 of the past, 0.1 of the last query",
            },
            Learner::Like => "Baseline: documents like each relevant one in turn",
            Learner::SeedFinder => "Baseline: the best-scoring terms, one of them unused",
            Learner::Samples => "Keyphrases of each relevant document in turn",
            Learner::Rocchio => "Best terms of relevant documents, by relevance feedback",
        }
    }
}

/// The options of a strategy. Options that do not apply to the strategy are errors.
#[derive(Debug, Clone, Copy)]
pub struct StrategyOptions {
    /// Fixed selection of inclusion and exclusion terms; `None` if `learn` is given.
    pub sides: Option<(SelectionSpec, SelectionSpec)>,
    /// The learner; `None` if `sides` are given.
    pub learn: Option<Learner>,
    /// The length model of a learner of methods and lengths.
    pub lengths: Option<LengthModel>,
    /// The number of failures that a query without a document counts as, for such a learner.
    pub no_result_penalty: Option<u32>,
    /// The factor of the multiplicative learner, `ltm`.
    pub beta: Option<f64>,
    /// Documents per step.
    pub batch: BatchSize,
    /// What is sent after a query without a result.
    pub recovery: RecoveryMode,
    /// True if the engine supports no query of exclusion terms alone.
    pub needs_inclusion: bool,
    /// The parameters of the queue of samples.
    pub samples: SampleOptions,
    /// The share of the population at which the run ends.
    pub until_coverage: Option<f64>,
}

impl StrategyOptions {
    /// Builds the strategy.
    ///
    /// # Errors
    /// Fails if the options contradict each other. The message names them by their flags.
    pub fn build_strategy(&self) -> Result<Box<dyn Strategy>, String> {
        let inner = self.build_inner()?;
        // When the regions strategy is exhausted, a random region may show it documents that its
        // estimates miss.
        if self.until_coverage.is_some() || self.learn == Some(Learner::Regions) {
            return Ok(Box::new(ProbedStrategy {
                inner,
                until_coverage: self.until_coverage,
            }));
        }
        Ok(inner)
    }

    fn build_inner(&self) -> Result<Box<dyn Strategy>, String> {
        let has_learner_options =
            self.lengths.is_some() || self.no_result_penalty.is_some() || self.beta.is_some();
        if let Some((include, exclude)) = self.sides {
            let fixed = FixedStrategy::new(include, exclude, self.recovery, self.needs_inclusion)?;
            if has_learner_options {
                return Err(
                    "--lengths, --no-result-penalty and --beta are for learners of methods and \
                     lengths; --include and --exclude learn nothing"
                        .into(),
                );
            }
            return Ok(Box::new(fixed));
        }
        let learner = self
            .learn
            .ok_or("--learn, or --include and --exclude, is required")?;
        let is_learned = matches!(learner, Learner::Learned(_));
        if has_learner_options && !is_learned {
            return Err(
                "--lengths, --no-result-penalty and --beta are for learners of methods and \
                 lengths; auto, like, seedfinder, samples and rocchio have none of these"
                    .into(),
            );
        }
        Ok(match learner {
            Learner::Like => Box::new(LikeStrategy::new(self.recovery)),
            Learner::SeedFinder => Box::new(SeedFinderStrategy::new(self.recovery)),
            Learner::Rocchio => Box::new(RocchioStrategy),
            Learner::Samples => Box::new(SamplesStrategy {
                options: self.samples,
                is_shortened: !matches!(self.recovery, RecoveryMode::None),
            }),
            Learner::Regions => Box::new(RegionsStrategy),
            Learner::Learned(rule) => Box::new(LearnedStrategy {
                spec: self.build_learner_spec(rule)?,
                recovery: self.recovery,
                needs_inclusion: self.needs_inclusion,
            }),
        })
    }

    fn build_learner_spec(&self, rule: UpdateRule) -> Result<LearnerSpec, String> {
        let lengths = self.lengths.unwrap_or(LengthModel::Multinomial);
        if self.needs_inclusion && matches!(lengths, LengthModel::Fixed(0, _)) {
            return Err(format!(
                "--lengths {lengths}: the engine supports no query of exclusion terms alone"
            ));
        }
        let spec = LearnerSpec::new(rule, lengths)
            .with_no_result_penalty(self.no_result_penalty.unwrap_or(1))?;
        self.beta.map_or(Ok(spec), |beta| spec.with_beta(beta))
    }
}
