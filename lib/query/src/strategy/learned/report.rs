//! The distributions of the learners, for `update-stats --report`.

use super::scores::{LearnerScores, QueryParameter};
use crate::statistics::Statistics;
use rusqlite::Result;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// By learner, parameter and value: the probability, rounded to four decimals.
pub(crate) type LearnerReport = BTreeMap<String, Map<String, Value>>;

/// Reports all learners of a run, by target.
pub(crate) fn report_learners(statistics: &Statistics) -> Result<BTreeMap<String, LearnerReport>> {
    let mut select = statistics
        .db
        .prepare("SELECT DISTINCT learner, target FROM learner")?;
    let pairs = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut all: BTreeMap<String, LearnerReport> = BTreeMap::new();
    for pair in pairs {
        let (learner, target): (String, String) = pair?;
        if let Ok(spec) = learner.parse() {
            let scores = LearnerScores::read(&statistics.db, spec, &target)?;
            all.entry(target)
                .or_default()
                .insert(learner, report_distributions(&scores));
        }
    }
    Ok(all)
}

fn report_distributions(scores: &LearnerScores) -> Map<String, Value> {
    let mut all = Map::new();
    for parameter in scores.spec.parameters() {
        let probabilities = scores.probabilities(parameter).into_iter();
        all.insert(
            parameter.to_string(),
            by_value(parameter, probabilities.map(round)),
        );
    }
    all
}

/// An object of one number per value of the parameter.
fn by_value(parameter: QueryParameter, numbers: impl Iterator<Item = Value>) -> Value {
    Value::Object(parameter.values().into_iter().zip(numbers).collect())
}

/// Rounds to four decimals.
fn round(number: f64) -> Value {
    Value::from((number * 1e4).round() / 1e4)
}
