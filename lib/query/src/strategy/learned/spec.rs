//! What a learner is: its rule, its model of lengths, what a query without a document weighs, and
//! how many documents a step can bring.
//!
//! It is spelt `ltm/ii`, `fm/if:3,3`, `lta/dd/no-result=2`, `ucb/ii/of=10`, and travels so in
//! `query.strategy.learner`: the projection of the journal needs no more than the record.

use crate::select::MAX_SIDE_LENGTH;
use std::fmt;
use std::str::FromStr;

/// Most that a query without a document can weigh.
const MOST_WEIGHT: u32 = 100;

/// Most documents that a step can be said to bring.
const MOST_DOCUMENTS: u32 = 1_000_000;

/// An update rule (ALGORITHMS §1.4, §5).
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
    /// `thompson`: the bandit of Thompson (1933).
    Thompson,
    /// `ucb`: the bandit UCB1.
    Ucb,
    /// `exp3`: the bandit EXP3.
    Exp3,
}

/// A model of lengths (ALGORITHMS §1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LengthModel {
    /// `if:I,E`: fixed, of inclusion and exclusion.
    Fixed(u32, u32),
    /// `ii`: each of 0…10 has a probability, learned by the rule of the methods.
    Multinomial,
    /// `id`: a Gamma distribution fitted to the lengths of successful queries.
    Gamma,
    /// `di`: a multinomial for each method.
    MultinomialByMethod,
    /// `dd`: a Gamma distribution for each method.
    GammaByMethod,
}

/// A learner: what is spelt `ltm/ii/no-result=2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LearnerSpec {
    /// How its scores change.
    pub rule: UpdateRule,
    /// How it chooses lengths.
    pub lengths: LengthModel,
    /// How many failures a query without a document counts as: 1 to 100. Of a bandit, how many
    /// pulls without a gain.
    pub no_result_penalty: u32,
    /// Documents that a step can bring: a bandit's gain is the share of new relevant ones among
    /// them. 1 for the others, which learn from each document.
    pub documents: u32,
}

impl UpdateRule {
    const ALL: [(&'static str, UpdateRule); 7] = [
        ("ml", UpdateRule::Memoryless),
        ("lta", UpdateRule::LongTermAdditive),
        ("ltm", UpdateRule::LongTermMultiplicative),
        ("fm", UpdateRule::FadingMemory),
        ("thompson", UpdateRule::Thompson),
        ("ucb", UpdateRule::Ucb),
        ("exp3", UpdateRule::Exp3),
    ];

    /// Whether it learns from what a whole step gained, as bandits do.
    pub fn is_bandit(self) -> bool {
        matches!(
            self,
            UpdateRule::Thompson | UpdateRule::Ucb | UpdateRule::Exp3
        )
    }
}

impl FromStr for UpdateRule {
    type Err = String;

    fn from_str(flag: &str) -> Result<Self, String> {
        let found = UpdateRule::ALL.iter().find(|(known, _)| *known == flag);
        found.map(|(_, rule)| *rule).ok_or_else(|| {
            let known = UpdateRule::ALL.map(|(known, _)| known).join(", ");
            format!("no learner `{flag}` of methods and lengths; there are {known}")
        })
    }
}

impl fmt::Display for UpdateRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let flag = UpdateRule::ALL
            .iter()
            .find(|(_, rule)| rule == self)
            .map_or("", |(flag, _)| flag);
        f.write_str(flag)
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
            _ => fixed(
                text.strip_prefix("if:")
                    .ok_or("there are ii, id, di, dd, and if:I,E as in `if:3,3`")?,
            )?,
        })
    }
}

/// The fixed lengths in `3,3`.
fn fixed(text: &str) -> Result<LengthModel, String> {
    let length = |text: &str| {
        text.parse()
            .ok()
            .filter(|&length: &u32| length <= MAX_SIDE_LENGTH)
    };
    let lengths = text
        .split_once(',')
        .and_then(|(include, exclude)| Some((length(include)?, length(exclude)?)));
    match lengths {
        Some((0, 0)) => Err("both lengths can't be 0".into()),
        Some((include, exclude)) => Ok(LengthModel::Fixed(include, exclude)),
        None => Err(format!(
            "two lengths from 0 to {MAX_SIDE_LENGTH} are wanted, as in `if:3,3`"
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
    /// A learner of this rule and these lengths, for which a query without a document is one
    /// failure, and a step brings one document.
    ///
    /// # Errors
    /// When they do not go together: a Gamma distribution is fitted to the lengths that succeeded,
    /// and a bandit knows of none whether it did, only what it gained.
    pub fn new(rule: UpdateRule, lengths: LengthModel) -> Result<Self, String> {
        if rule.is_bandit() && matches!(lengths, LengthModel::Gamma | LengthModel::GammaByMethod) {
            return Err(format!(
                "`{lengths}` fits a Gamma distribution to the lengths of queries that succeeded; {rule} learns from \
                 shares, which neither succeed nor fail: it takes if:I,E, ii or di"
            ));
        }
        Ok(LearnerSpec {
            rule,
            lengths,
            no_result_penalty: 1,
            documents: 1,
        })
    }

    /// The same with another weight of a query without a document.
    ///
    /// # Errors
    /// When it is not from 1 to 100, or means nothing to the rule.
    pub fn weighing_none(self, weight: u32) -> Result<Self, String> {
        if !(1..=MOST_WEIGHT).contains(&weight) {
            return Err(format!(
                "a query without a document weighs 1 to {MOST_WEIGHT}, as in `no-result=2`"
            ));
        }
        if self.rule == UpdateRule::Exp3 && weight != 1 {
            return Err(
                "exp3 learns from what was gained alone: nothing, taken twice, weighs no more"
                    .into(),
            );
        }
        Ok(LearnerSpec {
            no_result_penalty: weight,
            ..self
        })
    }

    /// The same for steps that can bring so many documents; without effect but for bandits.
    ///
    /// # Errors
    /// When it is not from 1 to a million.
    pub fn of_documents(self, documents: u32) -> Result<Self, String> {
        if !(1..=MOST_DOCUMENTS).contains(&documents) {
            return Err(format!(
                "a step brings 1 to {MOST_DOCUMENTS} documents, as in `of=10`"
            ));
        }
        Ok(LearnerSpec {
            documents: if self.rule.is_bandit() { documents } else { 1 },
            ..self
        })
    }
}

impl FromStr for LearnerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/').peekable();
        let rule: UpdateRule = parts.next().unwrap_or_default().parse()?;
        let lengths = parts
            .next()
            .map_or(Ok(LengthModel::Multinomial), str::parse)?;
        let mut spec = LearnerSpec::new(rule, lengths)?;
        if let Some(weight) = parts
            .peek()
            .and_then(|part| part.strip_prefix("no-result="))
        {
            spec = spec.weighing_none(weight.parse().unwrap_or(0))?;
            parts.next();
        }
        if let Some(documents) = parts
            .peek()
            .and_then(|part| part.strip_prefix("of="))
            .filter(|_| rule.is_bandit())
        {
            spec = spec.of_documents(documents.parse().unwrap_or(0))?;
            parts.next();
        }
        parts.next().map_or(Ok(spec), |rest| {
            Err(format!("`{rest}` is no part of a learner"))
        })
    }
}

impl fmt::Display for LearnerSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.rule, self.lengths)?;
        if self.no_result_penalty != 1 {
            write!(f, "/no-result={}", self.no_result_penalty)?;
        }
        if self.documents == 1 {
            Ok(())
        } else {
            write!(f, "/of={}", self.documents)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LearnerSpec;

    #[test]
    fn a_learner_is_spelt_in_one_way() {
        let bandits = [
            "thompson/ii/of=10",
            "ucb/di/no-result=3/of=20",
            "exp3/if:2,2",
        ];
        for text in [
            "ml/ii",
            "lta/id",
            "ltm/di/no-result=2",
            "fm/dd",
            "fm/if:0,10/no-result=100",
        ]
        .into_iter()
        .chain(bandits)
        {
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
        assert_eq!(
            "ucb/ii/no-result=1/of=1"
                .parse::<LearnerSpec>()
                .unwrap()
                .to_string(),
            "ucb/ii"
        );
    }

    #[test]
    fn what_is_no_learner_is_refused() {
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
            "ucb/ii/of=0",
            "ucb/ii/of=2/no-result=2",
        ] {
            assert!(text.parse::<LearnerSpec>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_means_nothing_to_a_bandit_is_refused_with_the_reason() {
        let error = |text: &str| text.parse::<LearnerSpec>().unwrap_err();
        assert!(
            error("ucb/id").contains("ucb learns from shares")
                && error("thompson/dd").contains("if:I,E, ii or di")
        );
        assert!(error("exp3/ii/no-result=2").contains("weighs no more"));
    }
}
