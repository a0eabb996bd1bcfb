//! The specification of a learner: its update rule, its length model and its no-result penalty.
//!
//! It is written as `ltm/ii`, `fm/if:3,3` or `lta/dd/no-result=2`, and is in this form part of each
//! record (`query.strategy.learner`), so that the projection needs nothing but the records.

use crate::select::MAX_SIDE_LENGTH;
use std::fmt;
use std::str::FromStr;

/// Largest no-result penalty. A guard against typing errors.
const MAX_NO_RESULT_PENALTY: u32 = 100;

/// The factor β of `ltm`, in thousandths, unless it is given: that of Winnow. Of 1,000 documents,
/// the mean over Slovenian, Croatian and Tagalog and three seeds is 816 relevant ones with .3, 790
/// with .5, 774 with .9 and 751 with .99 (the papers' loop and recovery, our filter).
const DEFAULT_BETA_THOUSANDTHS: u32 = 500;

/// An update rule (`docs/algorithms.md`, "Learned query parameters").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdateRule {
    /// `ml`: memoryless.
    Memoryless,
    /// `lta`: long-term memory, additive.
    LongTermAdditive,
    /// `ltm`: long-term memory, multiplicative.
    LongTermMultiplicative,
    /// `fm`: fading memory.
    FadingMemory,
}

/// A model of query lengths (`docs/algorithms.md`, "Learned query parameters").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LengthModel {
    /// `if:I,E`: I inclusion terms and E exclusion terms, fixed.
    Fixed(u32, u32),
    /// `ii`: a probability for each of 0…10, learned by the rule of the methods.
    Multinomial,
    /// `id`: a Gamma distribution fitted to the lengths of successful queries.
    Gamma,
    /// `di`: a multinomial for each method.
    MultinomialByMethod,
    /// `dd`: a Gamma distribution for each method.
    GammaByMethod,
}

/// The specification of a learner, written as in `ltm/ii/no-result=2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LearnerSpec {
    /// The rule that updates the scores.
    pub rule: UpdateRule,
    /// The model of the two lengths.
    pub lengths: LengthModel,
    /// The number of failures that a query without a document counts as, 1 to 100.
    pub no_result_penalty: u32,
    /// The factor β of `ltm`, in thousandths, 1 to 999; the default for the other rules.
    pub(super) beta_thousandths: u32,
}

impl UpdateRule {
    const ALL: [UpdateRule; 4] = [
        UpdateRule::Memoryless,
        UpdateRule::LongTermAdditive,
        UpdateRule::LongTermMultiplicative,
        UpdateRule::FadingMemory,
    ];

    /// Returns the name in options and records.
    pub fn name(self) -> &'static str {
        match self {
            UpdateRule::Memoryless => "ml",
            UpdateRule::LongTermAdditive => "lta",
            UpdateRule::LongTermMultiplicative => "ltm",
            UpdateRule::FadingMemory => "fm",
        }
    }
}

impl FromStr for UpdateRule {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let rule = UpdateRule::ALL.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| {
            let known = UpdateRule::ALL.map(UpdateRule::name).join(", ");
            format!("no learner `{name}` of methods and lengths; use one of {known}")
        })
    }
}

impl fmt::Display for UpdateRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LengthModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "ii" => LengthModel::Multinomial,
            "id" => LengthModel::Gamma,
            "di" => LengthModel::MultinomialByMethod,
            "dd" => LengthModel::GammaByMethod,
            _ => parse_fixed_lengths(
                text.strip_prefix("if:")
                    .ok_or("expected ii, id, di, dd, or if:I,E as in if:3,3")?,
            )?,
        })
    }
}

/// Parses the fixed lengths in `3,3`.
fn parse_fixed_lengths(text: &str) -> Result<LengthModel, String> {
    let parse_lengths = || {
        let (include, exclude) = text.split_once(',')?;
        Some((include.parse().ok()?, exclude.parse().ok()?))
    };
    let is_allowed = |lengths: &(u32, u32)| lengths.0.max(lengths.1) <= MAX_SIDE_LENGTH;
    match parse_lengths().filter(is_allowed) {
        Some((0, 0)) => Err("both lengths cannot be 0".into()),
        Some((include, exclude)) => Ok(LengthModel::Fixed(include, exclude)),
        None => Err(format!(
            "`{text}` is not two lengths from 0 to {MAX_SIDE_LENGTH}, as in `if:3,3`"
        )),
    }
}

impl fmt::Display for LengthModel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            LengthModel::Fixed(include, exclude) => write!(f, "if:{include},{exclude}"),
            LengthModel::Multinomial => f.write_str("ii"),
            LengthModel::Gamma => f.write_str("id"),
            LengthModel::MultinomialByMethod => f.write_str("di"),
            LengthModel::GammaByMethod => f.write_str("dd"),
        }
    }
}

impl LearnerSpec {
    /// Creates the specification of a learner with a no-result penalty of 1.
    pub fn new(rule: UpdateRule, lengths: LengthModel) -> Self {
        LearnerSpec {
            rule,
            lengths,
            no_result_penalty: 1,
            beta_thousandths: DEFAULT_BETA_THOUSANDTHS,
        }
    }

    /// Returns the factor β of `ltm`: a success divides the score of a value by it, a failure
    /// multiplies the score by it.
    pub fn beta(&self) -> f64 {
        f64::from(self.beta_thousandths) / 1_000.0
    }

    /// Sets the factor β of `ltm`, with three decimals.
    ///
    /// # Errors
    /// Fails if it is not greater than 0 and less than 1, or if the rule is another one.
    pub fn with_beta(self, beta: f64) -> Result<Self, String> {
        let thousandths = (beta * 1_000.0).round();
        if !(1.0..=999.0).contains(&thousandths) {
            return Err("beta is from 0.001 to 0.999, as in `beta=0.9`".into());
        }
        if self.rule != UpdateRule::LongTermMultiplicative {
            return Err(format!("beta is a factor of ltm; {} has none", self.rule));
        }
        Ok(LearnerSpec {
            beta_thousandths: thousandths as u32,
            ..self
        })
    }

    /// Sets the no-result penalty.
    ///
    /// # Errors
    /// Fails if it is not from 1 to 100.
    pub fn with_no_result_penalty(self, penalty: u32) -> Result<Self, String> {
        if !(1..=MAX_NO_RESULT_PENALTY).contains(&penalty) {
            return Err(format!(
                "the no-result penalty is from 1 to {MAX_NO_RESULT_PENALTY}, as in `no-result=2`"
            ));
        }
        Ok(LearnerSpec {
            no_result_penalty: penalty,
            ..self
        })
    }
}

impl FromStr for LearnerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/').peekable();
        let rule: UpdateRule = parts.next().unwrap_or_default().parse()?;
        let mut spec = LearnerSpec::new(rule, parts.next().unwrap_or("ii").parse()?);
        let mut take = |key: &str| Some(&parts.next_if(|part| part.starts_with(key))?[key.len()..]);
        if let Some(penalty) = take("no-result=") {
            spec = spec.with_no_result_penalty(penalty.parse().unwrap_or(0))?;
        }
        if let Some(beta) = take("beta=") {
            spec = spec.with_beta(beta.parse().unwrap_or(0.0))?;
        }
        parts.next().map_or(Ok(spec), |rest| {
            Err(format!("`{rest}` is not part of a learner"))
        })
    }
}

impl fmt::Display for LearnerSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.rule, self.lengths)?;
        if self.no_result_penalty != 1 {
            write!(f, "/no-result={}", self.no_result_penalty)?;
        }
        if self.beta_thousandths != DEFAULT_BETA_THOUSANDTHS {
            write!(f, "/beta={}", self.beta())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::LearnerSpec;

    #[test]
    fn each_learner_has_one_spelling() {
        for text in [
            "ml/ii",
            "lta/id",
            "ltm/di/no-result=2",
            "fm/dd",
            "fm/if:0,10/no-result=100",
            "ltm/ii/beta=0.9",
            "ltm/id/no-result=2/beta=0.995",
        ] {
            assert_eq!(text.parse::<LearnerSpec>().unwrap().to_string(), text);
        }
        assert_eq!("ltm".parse::<LearnerSpec>().unwrap().to_string(), "ltm/ii");
        assert_eq!(
            "ltm/ii/no-result=1"
                .parse::<LearnerSpec>()
                .unwrap()
                .to_string(),
            "ltm/ii"
        );
    }

    #[test]
    fn refuses_text_that_is_no_learner() {
        for text in [
            "",
            "auto",
            "lt",
            "ltm/xx",
            "ltm/if",
            "ltm/if:3",
            "ltm/if:0,0",
            "ltm/if:3,11",
            "ltm/ii/2",
        ] {
            assert!(text.parse::<LearnerSpec>().is_err(), "{text}");
        }
        for text in [
            "ltm/ii/no-result=0",
            "ltm/ii/no-result=1/x",
            "ltm/ii/of=10",
            "ucb/ii",
            "ltm/ii/beta=1",
            "ltm/ii/beta=0",
            "ltm/ii/beta=x",
            "lta/ii/beta=0.5",
        ] {
            assert!(text.parse::<LearnerSpec>().is_err(), "{text}");
        }
    }
}
