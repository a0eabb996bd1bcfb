//! What a learner knows of one target: a distribution for each of the four parameters of a query.

use super::distribution::Distribution;
use super::lengths::UNIFORM;
use super::rules::Reward;
use super::spec::{Lengths, Spec};
use super::{LENGTHS, METHODS};
use crate::select::{QuerySide, SelectionMethod, SelectionSpec};
use forage_state::StateFile;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// A parameter of a query that is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameter {
    /// The method of a side.
    Method(QuerySide),
    /// The length of a side, whatever its method.
    Length(QuerySide),
    /// The length of a side that is selected by a method.
    LengthBy(QuerySide, SelectionMethod),
}

impl Parameter {
    /// The names of its values, in order.
    pub fn values(self) -> Vec<String> {
        match self {
            Parameter::Method(_) => METHODS.iter().map(|method| method.name().into()).collect(),
            _ => (0..LENGTHS).map(|length| length.to_string()).collect(),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let side = |direction: &QuerySide| {
            if *direction == QuerySide::Include {
                "include"
            } else {
                "exclude"
            }
        };
        match self {
            Parameter::Method(direction) => write!(f, "{}-method", side(direction)),
            Parameter::Length(direction) => write!(f, "{}-length", side(direction)),
            Parameter::LengthBy(direction, method) => {
                write!(f, "{}-length:{}", side(direction), method.name())
            }
        }
    }
}

impl Spec {
    /// All parameters that the learner keeps a distribution of.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for direction in [QuerySide::Include, QuerySide::Exclude] {
            all.push(Parameter::Method(direction));
            all.extend(
                METHODS
                    .iter()
                    .filter_map(|method| self.length_parameter(direction, *method)),
            );
        }
        // Where lengths are not tied to methods, all methods have one parameter.
        all.dedup();
        all
    }

    /// The parameter that chooses the length of a side once its method is known; `None` where
    /// lengths are fixed.
    pub fn length_parameter(
        &self,
        direction: QuerySide,
        method: SelectionMethod,
    ) -> Option<Parameter> {
        match self.lengths {
            Lengths::Fixed(..) => None,
            Lengths::Multinomial | Lengths::Gamma => Some(Parameter::Length(direction)),
            Lengths::MultinomialByMethod | Lengths::GammaByMethod => {
                Some(Parameter::LengthBy(direction, method))
            }
        }
    }

    fn start(&self, parameter: Parameter) -> Distribution {
        let is_gamma = matches!(self.lengths, Lengths::Gamma | Lengths::GammaByMethod);
        match parameter {
            Parameter::Method(_) => Distribution::start(self.rule, METHODS.len()),
            _ if is_gamma => Distribution::Gamma(UNIFORM),
            _ => Distribution::start(self.rule, LENGTHS),
        }
    }
}

/// What a learner knows of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The learner.
    pub spec: Spec,
    distributions: BTreeMap<Parameter, Distribution>,
    /// Those that changed since they were read or written.
    changed: BTreeSet<Parameter>,
}

impl Scores {
    /// Knowing nothing.
    pub fn new(spec: Spec) -> Self {
        let distributions = spec
            .parameters()
            .into_iter()
            .map(|parameter| (parameter, spec.start(parameter)));
        Scores {
            spec,
            distributions: distributions.collect(),
            changed: BTreeSet::new(),
        }
    }

    /// The probability of each of the parameter's values; of none where the learner has no such
    /// parameter.
    pub fn probabilities(&self, parameter: Parameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(Distribution::probabilities)
            .unwrap_or_default()
    }

    /// The same where the first value, of length 0, is out of the question.
    pub fn probabilities_but_first(&self, parameter: Parameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(Distribution::probabilities_but_first)
            .unwrap_or_default()
    }

    /// How often each of the parameter's values was tried and what it gained on average, where the
    /// rule keeps that.
    pub fn means(&self, parameter: Parameter) -> Option<Vec<(f64, Option<f64>)>> {
        self.distributions
            .get(&parameter)
            .and_then(Distribution::means)
    }

    /// Learns what came of a query with these two sides. A side whose method is not learned teaches
    /// nothing.
    pub fn reward(&mut self, include: SelectionSpec, exclude: SelectionSpec, reward: Reward) {
        self.teach(include, exclude, |distribution, value| {
            distribution.reward(value, reward)
        });
    }

    /// Learns what a whole step with these two sides gained, 0 to 1, where the rule is a bandit's.
    pub fn gain(&mut self, include: SelectionSpec, exclude: SelectionSpec, gain: f64) {
        self.teach(include, exclude, |distribution, value| {
            distribution.gain(value, gain)
        });
    }

    fn teach(
        &mut self,
        include: SelectionSpec,
        exclude: SelectionSpec,
        lesson: impl Fn(&mut Distribution, usize),
    ) {
        for (direction, side) in [(QuerySide::Include, include), (QuerySide::Exclude, exclude)] {
            let Some(method) = METHODS.iter().position(|method| *method == side.method) else {
                continue;
            };
            let length = self.spec.length_parameter(direction, side.method);
            let values = [
                Some((Parameter::Method(direction), method)),
                length.map(|of| (of, side.length as usize)),
            ];
            for (parameter, value) in values.into_iter().flatten() {
                if let Some(distribution) = self.distributions.get_mut(&parameter) {
                    lesson(distribution, value);
                    self.changed.insert(parameter);
                }
            }
        }
    }

    /// Reads what the learner knows of a target: the few dozen rows of the two.
    pub(crate) fn read(store: &StateFile, spec: Spec, target: &str) -> rusqlite::Result<Self> {
        let sql = "SELECT parameter, name, number FROM learner WHERE learner = ?1 AND target = ?2";
        let mut rows = store.prepare_cached(sql)?;
        let rows = rows.query_map((spec.to_string(), target), |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        let known: HashMap<(String, String), f64> = rows.collect::<rusqlite::Result<_>>()?;
        let mut scores = Scores::new(spec);
        for (parameter, distribution) in &mut scores.distributions {
            for (name, number) in distribution.numbers(&parameter.values()) {
                *number = known
                    .get(&(parameter.to_string(), name))
                    .copied()
                    .unwrap_or(*number);
            }
        }
        Ok(scores)
    }

    /// Writes the distributions that changed, within the caller's transaction.
    pub(crate) fn write(&mut self, store: &StateFile, target: &str) -> rusqlite::Result<()> {
        let mut put =
            store.prepare_cached("INSERT OR REPLACE INTO learner VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for parameter in std::mem::take(&mut self.changed) {
            let Some(distribution) = self.distributions.get_mut(&parameter) else {
                continue;
            };
            for (name, number) in distribution.numbers(&parameter.values()) {
                put.execute((
                    self.spec.to_string(),
                    target,
                    parameter.to_string(),
                    name,
                    *number,
                ))?;
            }
        }
        Ok(())
    }
}
