//! The scores of a learner for one target: a distribution for each of the four query parameters.

use super::distribution::ParameterDistribution;
use super::gamma::UNIFORM;
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
    /// The length of a side, independent of its method.
    Length(QuerySide),
    /// The length of a side that is selected by a method.
    LengthBy(QuerySide, SelectionMethod),
}

impl QueryParameter {
    /// The names of the parameter's values, in order.
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
        match self {
            QueryParameter::Method(side) => write!(f, "{}-method", side_name(*side)),
            QueryParameter::Length(side) => write!(f, "{}-length", side_name(*side)),
            QueryParameter::LengthBy(side, method) => {
                write!(f, "{}-length:{}", side_name(*side), method.name())
            }
        }
    }
}

fn side_name(side: QuerySide) -> &'static str {
    match side {
        QuerySide::Include => "include",
        QuerySide::Exclude => "exclude",
    }
}

impl LearnerSpec {
    /// All parameters of which the learner keeps a distribution.
    pub fn parameters(&self) -> Vec<QueryParameter> {
        let mut all = Vec::new();
        for side in [QuerySide::Include, QuerySide::Exclude] {
            all.push(QueryParameter::Method(side));
            let length = |method: &_| self.length_parameter(side, *method);
            all.extend(METHODS.iter().filter_map(length));
        }
        // If lengths do not depend on methods, all methods have the same parameter.
        all.dedup();
        all
    }

    /// The parameter of the length of a side that is selected by a method. `None` if lengths are
    /// fixed.
    pub fn length_parameter(
        &self,
        side: QuerySide,
        method: SelectionMethod,
    ) -> Option<QueryParameter> {
        match self.lengths {
            LengthModel::Fixed(..) => None,
            LengthModel::Multinomial | LengthModel::Gamma => Some(QueryParameter::Length(side)),
            LengthModel::MultinomialByMethod | LengthModel::GammaByMethod => {
                Some(QueryParameter::LengthBy(side, method))
            }
        }
    }

    /// The distribution of a parameter before any update.
    fn initial_distribution(&self, parameter: QueryParameter) -> ParameterDistribution {
        let is_gamma = matches!(
            self.lengths,
            LengthModel::Gamma | LengthModel::GammaByMethod
        );
        match parameter {
            QueryParameter::Method(_) => ParameterDistribution::uniform(*self, METHODS.len()),
            _ if is_gamma => ParameterDistribution::Gamma(*self, UNIFORM),
            _ => ParameterDistribution::uniform(*self, LENGTHS),
        }
    }
}

/// The scores of a learner for one target.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnerScores {
    /// The learner.
    pub spec: LearnerSpec,
    distributions: BTreeMap<QueryParameter, ParameterDistribution>,
    /// Parameters that changed since the scores were read or written.
    changed: BTreeSet<QueryParameter>,
}

impl LearnerScores {
    /// Creates the scores of a learner before any update.
    pub fn new(spec: LearnerSpec) -> Self {
        let distributions = spec
            .parameters()
            .into_iter()
            .map(|parameter| (parameter, spec.initial_distribution(parameter)));
        LearnerScores {
            spec,
            distributions: distributions.collect(),
            changed: BTreeSet::new(),
        }
    }

    /// The probability of each of the parameter's values. Empty if the learner has no such
    /// parameter.
    pub fn probabilities(&self, parameter: QueryParameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(ParameterDistribution::probabilities)
            .unwrap_or_default()
    }

    /// The probabilities with the first value, of length 0, ruled out.
    pub fn probabilities_without_first(&self, parameter: QueryParameter) -> Vec<f64> {
        self.distributions
            .get(&parameter)
            .map(ParameterDistribution::probabilities_without_first)
            .unwrap_or_default()
    }

    /// Updates the scores by the result of a query with these two sides: the distribution of each
    /// parameter, at the index of its value. A side whose method is not learned changes nothing.
    pub fn reward(&mut self, include: SelectionSpec, exclude: SelectionSpec, reward: Reward) {
        for (side, selection) in [(QuerySide::Include, include), (QuerySide::Exclude, exclude)] {
            let mut methods = METHODS.iter();
            let Some(method) = methods.position(|method| *method == selection.method) else {
                continue;
            };
            let length = self.spec.length_parameter(side, selection.method);
            let values = [
                Some((QueryParameter::Method(side), method)),
                length.map(|parameter| (parameter, selection.length as usize)),
            ];
            for (parameter, value) in values.into_iter().flatten() {
                if let Some(distribution) = self.distributions.get_mut(&parameter) {
                    distribution.reward(value, reward);
                    self.changed.insert(parameter);
                }
            }
        }
    }

    /// Reads the scores of a learner for a target: a few dozen rows.
    pub(crate) fn read(
        store: &StateFile,
        spec: LearnerSpec,
        target: &str,
    ) -> rusqlite::Result<Self> {
        let sql = "SELECT parameter, name, number FROM learner WHERE learner = ?1 AND target = ?2";
        let mut select = store.prepare_cached(sql)?;
        let rows = select.query_map((spec.to_string(), target), |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        let stored: HashMap<(String, String), f64> = rows.collect::<rusqlite::Result<_>>()?;
        let mut scores = LearnerScores::new(spec);
        for (parameter, distribution) in &mut scores.distributions {
            for (name, number) in distribution.named_numbers(&parameter.values()) {
                if let Some(known) = stored.get(&(parameter.to_string(), name)) {
                    *number = *known;
                }
            }
        }
        Ok(scores)
    }

    /// Writes the distributions that changed, within the caller's transaction.
    pub(crate) fn write(&mut self, store: &StateFile, target: &str) -> rusqlite::Result<()> {
        let mut insert =
            store.prepare_cached("INSERT OR REPLACE INTO learner VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let changed = std::mem::take(&mut self.changed);
        let distributions = self.distributions.iter_mut();
        for (parameter, distribution) in distributions.filter(|(key, _)| changed.contains(key)) {
            let (learner, key) = (self.spec.to_string(), parameter.to_string());
            for (name, number) in distribution.named_numbers(&parameter.values()) {
                insert.execute((&learner, target, &key, name, *number))?;
            }
        }
        Ok(())
    }
}
