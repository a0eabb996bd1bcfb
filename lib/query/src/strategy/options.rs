//! From options, as `gen-query` takes them, to a strategy.

use super::fixed::Fixed;
use super::learned::{Learned, LearnerSpec, LengthModel, UpdateRule};
use super::like::Like;
use super::probed::Probed;
use super::regions::Regions;
use super::seedfinder::SeedFinder;
use super::{RecoveryLimits, Strategy};
use crate::select::SelectionSpec;

/// A value of `--learn`.
#[derive(Debug, Clone, Copy)]
pub struct LearnerInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Regions,
    Learned(UpdateRule),
    Like,
    SeedFinder,
}

/// All values of `--learn`.
pub const LEARNERS: [LearnerInfo; 10] = [
    learner(
        "auto",
        "One region of the target's documents after the other",
        Kind::Regions,
    ),
    learner(
        "ml",
        "Memoryless: what succeeded last",
        Kind::Learned(UpdateRule::Memoryless),
    ),
    learner(
        "lta",
        "Long-term memory, additive: the share of successes",
        Kind::Learned(UpdateRule::LongTermAdditive),
    ),
    learner(
        "ltm",
        "Long-term memory, multiplicative: times 1.1 or 0.9",
        Kind::Learned(UpdateRule::LongTermMultiplicative),
    ),
    learner(
        "fm",
        "Fading memory: nine parts the past, one the last query",
        Kind::Learned(UpdateRule::FadingMemory),
    ),
    learner(
        "thompson",
        "A bandit: each value as likely as it is the best, by what it gained",
        Kind::Learned(UpdateRule::Thompson),
    ),
    learner(
        "ucb",
        "A bandit: what gained most, or may do so for all that is known (UCB1)",
        Kind::Learned(UpdateRule::Ucb),
    ),
    learner(
        "exp3",
        "A bandit: weights that grow with each gain (EXP3)",
        Kind::Learned(UpdateRule::Exp3),
    ),
    learner(
        "like",
        "Pages like each relevant document, in turn",
        Kind::Like,
    ),
    learner(
        "seedfinder",
        "The best terms by score, and one that was never used",
        Kind::SeedFinder,
    ),
];

const fn learner(name: &'static str, summary: &'static str, kind: Kind) -> LearnerInfo {
    LearnerInfo {
        name,
        summary,
        kind,
    }
}

/// What strategies are made from. Options that a strategy has no use for are refused.
#[derive(Debug, Clone, Copy)]
pub struct StrategyOptions {
    /// Fixed methods and lengths of both sides; else `learn` is needed.
    pub sides: Option<(SelectionSpec, SelectionSpec)>,
    /// One of [`LEARNERS`].
    pub learn: Option<LearnerInfo>,
    /// How a learner of methods and lengths chooses lengths.
    pub lengths: Option<LengthModel>,
    /// How many failures a query without a document counts as, for such a learner.
    pub no_result_penalty: Option<u32>,
    /// Documents that a step takes.
    pub batch: u32,
    /// How far the recovery goes.
    pub recovery: RecoveryLimits,
    /// Whether the engine takes no query of exclusion terms alone.
    pub needs_inclusion: bool,
    /// Stop when this share of what the engine can reach is collected.
    pub until_coverage: Option<f64>,
}

impl StrategyOptions {
    /// The strategy.
    ///
    /// # Errors
    /// When the options contradict each other; the message names them as `gen-query` does.
    pub fn build_strategy(&self) -> Result<Box<dyn Strategy>, String> {
        let inner = self.inner()?;
        let is_regions = matches!(
            self.learn,
            Some(LearnerInfo {
                kind: Kind::Regions,
                ..
            })
        );
        Ok(match self.until_coverage {
            // Where nothing promises more, a random region may show it what it did not know of.
            None if !is_regions => inner,
            until => Box::new(Probed { inner, until }),
        })
    }

    fn inner(&self) -> Result<Box<dyn Strategy>, String> {
        let has_learner_options = self.lengths.is_some() || self.no_result_penalty.is_some();
        if let Some((include, exclude)) = self.sides {
            let fixed = Fixed::new(include, exclude, self.recovery, self.needs_inclusion)?;
            let refused = "--lengths and --no-result-penalty are for learners of methods and lengths; --include and \
                --exclude have none";
            return if has_learner_options {
                Err(refused.into())
            } else {
                Ok(Box::new(fixed))
            };
        }
        let kind = self
            .learn
            .ok_or("--learn, or --include and --exclude, are needed")?
            .kind;
        if let Kind::Learned(rule) = kind {
            let (spec, ranks, needs_inclusion) = (
                self.spec(rule)?,
                self.recovery.max_offset,
                self.needs_inclusion,
            );
            return Ok(Box::new(Learned {
                spec,
                ranks,
                needs_inclusion,
            }));
        }
        if has_learner_options {
            return Err("--lengths and --no-result-penalty are for learners of methods and lengths; auto, like and \
                seedfinder learn neither"
                .into());
        }
        Ok(match kind {
            Kind::Like => Box::new(Like::new(self.recovery)),
            Kind::SeedFinder => Box::new(SeedFinder::new(self.recovery)),
            Kind::Regions | Kind::Learned(_) => Box::new(Regions),
        })
    }

    fn spec(&self, rule: UpdateRule) -> Result<LearnerSpec, String> {
        let lengths = self.lengths.unwrap_or(LengthModel::Multinomial);
        if self.needs_inclusion && matches!(lengths, LengthModel::Fixed(0, _)) {
            return Err(format!(
                "--lengths {lengths}: the engine takes no query of exclusion terms alone"
            ));
        }
        LearnerSpec::new(rule, lengths)?
            .weighing_none(self.no_result_penalty.unwrap_or(1))?
            .of_documents(self.batch)
    }
}
