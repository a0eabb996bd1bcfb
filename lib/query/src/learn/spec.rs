//! What a learner is: its rule, its model of lengths, and what a query without a document weighs.
//!
//! It is spelt `ltm/ii`, `fm/if:3,3`, `lta/dd/none=2`, and travels so in `query.learner`: the fold of the journal
//! needs no more than the record.

use crate::compose::MAX_LENGTH;
use std::fmt;
use std::str::FromStr;

/// Most that a query without a document can weigh.
const MOST_WEIGHT: u32 = 100;

/// An update rule (ALGORITHMS §1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// `ml`: memoryless.
    Memoryless,
    /// `lta`: long-term memory, additive.
    LongTermAdditive,
    /// `ltm`: long-term memory, multiplicative.
    LongTermMultiplicative,
    /// `fm`: fading memory.
    FadingMemory,
}

/// A model of lengths (ALGORITHMS §1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lengths {
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

/// A learner: what is spelt `ltm/ii/none=2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spec {
    /// How its scores change.
    pub rule: Rule,
    /// How it chooses lengths.
    pub lengths: Lengths,
    /// How many failures a query without a document counts as: 1 to 100.
    pub none_weight: u32,
}

impl Rule {
    const ALL: [(&'static str, Rule); 4] = [
        ("ml", Rule::Memoryless),
        ("lta", Rule::LongTermAdditive),
        ("ltm", Rule::LongTermMultiplicative),
        ("fm", Rule::FadingMemory),
    ];
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(flag: &str) -> Result<Self, String> {
        let found = Rule::ALL.iter().find(|(known, _)| *known == flag);
        found.map(|(_, rule)| *rule).ok_or(format!("no learner `{flag}`; there are ml, lta, ltm, fm"))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let flag = Rule::ALL.iter().find(|(_, rule)| rule == self).map_or("", |(flag, _)| flag);
        f.write_str(flag)
    }
}

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "ii" => Lengths::Multinomial,
            "id" => Lengths::Gamma,
            "di" => Lengths::MultinomialByMethod,
            "dd" => Lengths::GammaByMethod,
            _ => fixed(text.strip_prefix("if:").ok_or("there are ii, id, di, dd, and if:I,E as in `if:3,3`")?)?,
        })
    }
}

/// The fixed lengths in `3,3`.
fn fixed(text: &str) -> Result<Lengths, String> {
    let length = |text: &str| text.parse().ok().filter(|&length: &u32| length <= MAX_LENGTH);
    let lengths = text.split_once(',').and_then(|(include, exclude)| Some((length(include)?, length(exclude)?)));
    match lengths {
        Some((0, 0)) => Err("both lengths can't be 0".into()),
        Some((include, exclude)) => Ok(Lengths::Fixed(include, exclude)),
        None => Err(format!("two lengths from 0 to {MAX_LENGTH} are wanted, as in `if:3,3`")),
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Lengths::Fixed(include, exclude) => write!(f, "if:{include},{exclude}"),
            Lengths::Multinomial => f.write_str("ii"),
            Lengths::Gamma => f.write_str("id"),
            Lengths::MultinomialByMethod => f.write_str("di"),
            Lengths::GammaByMethod => f.write_str("dd"),
        }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let rule = parts.next().unwrap_or_default().parse()?;
        let lengths = parts.next().map_or(Ok(Lengths::Multinomial), str::parse)?;
        let none_weight = parts.next().map_or(Ok(1), none_weight)?;
        match parts.next() {
            Some(rest) => Err(format!("`{rest}` is too much")),
            None => Ok(Spec { rule, lengths, none_weight }),
        }
    }
}

fn none_weight(text: &str) -> Result<u32, String> {
    let weight = text.strip_prefix("none=").and_then(|weight| weight.parse().ok());
    let weight = weight.filter(|weight| (1..=MOST_WEIGHT).contains(weight));
    weight.ok_or(format!("`none=W` is wanted, W from 1 to {MOST_WEIGHT}"))
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.rule, self.lengths)?;
        if self.none_weight == 1 { Ok(()) } else { write!(f, "/none={}", self.none_weight) }
    }
}

#[cfg(test)]
mod tests {
    use super::Spec;

    #[test]
    fn a_learner_is_spelt_in_one_way() {
        for text in ["ml/ii", "lta/id", "ltm/di/none=2", "fm/dd", "ltm/if:3,0", "fm/if:0,10/none=100"] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        assert_eq!("ltm".parse::<Spec>().unwrap().to_string(), "ltm/ii");
        assert_eq!("ltm/ii/none=1".parse::<Spec>().unwrap().to_string(), "ltm/ii");
    }

    #[test]
    fn what_is_no_learner_is_refused() {
        for text in ["", "auto", "lt", "ltm/xx", "ltm/if", "ltm/if:3", "ltm/if:0,0", "ltm/if:3,11", "ltm/ii/2"] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
        assert!("ltm/ii/none=0".parse::<Spec>().is_err() && "ltm/ii/none=1/x".parse::<Spec>().is_err());
    }
}
