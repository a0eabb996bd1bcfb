//! What a learner knows of one target: a distribution for each of the four parameters of a query.

use super::distribution::ParameterDistribution;
use super::lengths::UNIFORM;
use super::rules::Reward;
use super::spec::{LearnerSpec, LengthModel};
use super::{LENGTHS, METHODS};
use crate::select::{QuerySide, SelectionMethod, SelectionSpec};
use forage_state::StateFile;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// A parameter of a query that is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryParameter {
    /// The method of a side.
    Method(QuerySide),
    /// The length of a side, whatever its method.
    Length(QuerySide),
    /// The length of a side that is selected by a method.
    LengthBy(QuerySide, SelectionMethod),
}

impl QueryParameter {
    /// The names of its values, in order.
    pub fn values(self) -> Vec<String> {
        match self {
            QueryParameter::Method(_) => {
                METHODS.iter().map(|method| method.name().into()).collect()
            }
            _ => (0..LENGTHS).map(|length| length.to_string()).collect(),
        }
    }
}

impl fmt::Display for QueryParameter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let side = |direction: &QuerySide| {
            if *direction == QuerySide::Include {
                "include"
            } else {
                "exclude"
            }
        };
        match self {
            QueryParameter::Method(direction) => write!(f, "{}-method", side(direction)),
            QueryParameter::Length(direction) => write!(f, "{}-length", side(direction)),
            QueryParameter::LengthBy(direction, method) => {
                write!(f, "{}-length:{}", side(direction), method.name())
            }
        }
    }
}

impl LearnerSpec {
    /// All parameters that the learner keeps a distribution of.
    pub fn parameters(&self) -> Vec<QueryParameter> {
        let mut all = Vec::new();
        for direction in [QuerySide::Include, QuerySide::Exclude] {
            all.push(QueryParameter::Method(direction));
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
    ) -> Option<QueryParameter> {
        match self.lengths {
            LengthModel::Fixed(..) => None,
            LengthModel::Multinomial | LengthModel::Gamma => {
                Some(QueryParameter::Length(direction))
            }
            LengthModel::MultinomialByMethod | LengthModel::GammaByMethod => {
                Some(QueryParameter::LengthBy(direction, method))
            }
        }
    }

    fn start(&self, parameter: QueryParameter) -> ParameterDistribution {
        let is_gamma = matches!(
            self.lengths,
            LengthModel::Gamma | LengthModel::GammaByMethod
        );
        match parameter {
            QueryParameter::Method(_) => ParameterDistribution::start(self.rule, METHODS.len()),
            _ if is_gamma => ParameterDistribution::Gamma(UNIFORM),
            _ => ParameterDistribution::start(self.rule, LENGTHS),
        }
    }
}

/// What a learner knows of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnerScores {
    /// The learner.
    pub spec: LearnerSpec,
    distributions: BTreeMap<QueryParameter, ParameterDistribution>,
    /// Those that changed since they were read or written.
    changed: BTreeSet<QueryParameter>,
}

impl LearnerScores {
    /// Knowing nothing.
    pub fn new(spec: LearnerSpec) -> Self {
        let distributions = spec
            .parameters()
            .into_iter()
            .map(|parameter| (parameter, spec.start(parameter)));
        LearnerScores {
            spec,
            distributions: distributions.collect(),
            changed: BTreeSet::new(),
        }
    }

    /// The probability of each of the parameter's values; of none where the learner has no such
    /// parameter.
    pub fn probabilities(&self, parameter: QueryParameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(ParameterDistribution::probabilities)
            .unwrap_or_default()
    }

    /// The same where the first value, of length 0, is out of the question.
    pub fn probabilities_but_first(&self, parameter: QueryParameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(ParameterDistribution::probabilities_but_first)
            .unwrap_or_default()
    }

    /// How often each of the parameter's values was tried and what it gained on average, where the
    /// rule keeps that.
    pub fn means(&self, parameter: QueryParameter) -> Option<Vec<(f64, Option<f64>)>> {
        self.distributions
            .get(&parameter)
            .and_then(ParameterDistribution::means)
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
        lesson: impl Fn(&mut ParameterDistribution, usize),
    ) {
        for (direction, side) in [(QuerySide::Include, include), (QuerySide::Exclude, exclude)] {
            let Some(method) = METHODS.iter().position(|method| *method == side.method) else {
                continue;
            };
            let length = self.spec.length_parameter(direction, side.method);
            let values = [
                Some((QueryParameter::Method(direction), method)),
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
    pub(crate) fn read(
        store: &StateFile,
        spec: LearnerSpec,
        target: &str,
    ) -> rusqlite::Result<Self> {
        let sql = "SELECT parameter, name, number FROM learner WHERE learner = ?1 AND target = ?2";
        let mut rows = store.prepare_cached(sql)?;
        let rows = rows.query_map((spec.to_string(), target), |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        let known: HashMap<(String, String), f64> = rows.collect::<rusqlite::Result<_>>()?;
        let mut scores = LearnerScores::new(spec);
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
