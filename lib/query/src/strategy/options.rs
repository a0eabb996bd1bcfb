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
#[derive(Debug, Clone, Copy)]
pub struct LearnerInfo {
    /// The value.
    pub name: &'static str,
    /// Its description for the help text, in one line.
    pub summary: &'static str,
    algorithm: LearnerAlgorithm,
}

/// The algorithm that a value of `--learn` names.
#[derive(Debug, Clone, Copy)]
enum LearnerAlgorithm {
    Regions,
    Learned(UpdateRule),
    Like,
    SeedFinder,
    Samples,
    Rocchio,
}

/// All values of `--learn`.
pub const LEARNERS: [LearnerInfo; 9] = [
    learner_info(
        "auto",
        "Regions: disjoint sets of the target's documents in turn",
        LearnerAlgorithm::Regions,
    ),
    learner_info(
        "ml",
        "Memoryless: the values of the last query that succeeded",
        LearnerAlgorithm::Learned(UpdateRule::Memoryless),
    ),
    learner_info(
        "lta",
        "Long-term memory, additive: by the share of successes",
        LearnerAlgorithm::Learned(UpdateRule::LongTermAdditive),
    ),
    learner_info(
        "ltm",
        "Long-term memory, multiplicative: by factors 1/beta and beta",
        LearnerAlgorithm::Learned(UpdateRule::LongTermMultiplicative),
    ),
    learner_info(
        "fm",
        "Fading memory: 0.9 of the past, 0.1 of the last query",
        LearnerAlgorithm::Learned(UpdateRule::FadingMemory),
    ),
    learner_info(
        "like",
        "Baseline: documents like each relevant one in turn",
        LearnerAlgorithm::Like,
    ),
    learner_info(
        "seedfinder",
        "Baseline: the best-scoring terms, one of them unused",
        LearnerAlgorithm::SeedFinder,
    ),
    learner_info(
        "samples",
        "Keyphrases of each relevant document in turn",
        LearnerAlgorithm::Samples,
    ),
    learner_info(
        "rocchio",
        "Best terms of relevant documents, by relevance feedback",
        LearnerAlgorithm::Rocchio,
    ),
];

const fn learner_info(
    name: &'static str,
    summary: &'static str,
    algorithm: LearnerAlgorithm,
) -> LearnerInfo {
    LearnerInfo {
        name,
        summary,
        algorithm,
    }
}

/// The options of a strategy. Options that do not apply to the strategy are errors.
#[derive(Debug, Clone, Copy)]
pub struct StrategyOptions {
    /// Fixed selection of inclusion and exclusion terms; `None` if `learn` is given.
    pub sides: Option<(SelectionSpec, SelectionSpec)>,
    /// One of [`LEARNERS`].
    pub learn: Option<LearnerInfo>,
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
        let is_regions = matches!(
            self.learn,
            Some(LearnerInfo {
                algorithm: LearnerAlgorithm::Regions,
                ..
            })
        );
        // When the regions strategy is exhausted, a random region may show it documents that its
        // estimates miss.
        if self.until_coverage.is_some() || is_regions {
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
        let is_learned = matches!(learner.algorithm, LearnerAlgorithm::Learned(_));
        if has_learner_options && !is_learned {
            return Err(
                "--lengths, --no-result-penalty and --beta are for learners of methods and \
                 lengths; auto, like, seedfinder, samples and rocchio have none of these"
                    .into(),
            );
        }
        Ok(match learner.algorithm {
            LearnerAlgorithm::Like => Box::new(LikeStrategy::new(self.recovery)),
            LearnerAlgorithm::SeedFinder => Box::new(SeedFinderStrategy::new(self.recovery)),
            LearnerAlgorithm::Rocchio => Box::new(RocchioStrategy),
            LearnerAlgorithm::Samples => Box::new(SamplesStrategy {
                options: self.samples,
                is_shortened: !matches!(self.recovery, RecoveryMode::None),
            }),
            LearnerAlgorithm::Regions => Box::new(RegionsStrategy),
            LearnerAlgorithm::Learned(rule) => Box::new(LearnedStrategy {
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
