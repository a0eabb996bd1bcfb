//! What the learners know, for `update-stats --report`.

use super::state::LearnerScores;
use crate::statistics::Statistics;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// By learner, by parameter, by value: its probability, rounded to four digits; of a bandit's also
/// how often it was tried, and what it gained on average.
pub(crate) type Learned = BTreeMap<String, Map<String, Value>>;

/// What all learners of a run know, by target.
pub(crate) fn learned(from: &Statistics) -> rusqlite::Result<BTreeMap<String, Learned>> {
    let mut pairs = from
        .db
        .prepare("SELECT DISTINCT learner, target FROM learner")?;
    let pairs = pairs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut all: BTreeMap<String, Learned> = BTreeMap::new();
    for pair in pairs {
        let (learner, target): (String, String) = pair?;
        if let Ok(spec) = learner.parse() {
            let known = distributions(&LearnerScores::read(&from.db, spec, &target)?);
            all.entry(target).or_default().insert(learner, known);
        }
    }
    Ok(all)
}

fn distributions(scores: &LearnerScores) -> Map<String, Value> {
    let mut all = Map::new();
    for parameter in scores.spec.parameters() {
        let mut put = |name: String, numbers: Vec<Value>| {
            let by_value = parameter
                .values()
                .into_iter()
                .zip(numbers)
                .collect::<Map<_, _>>();
            all.insert(name, Value::Object(by_value));
        };
        let rounded = |number: f64| Value::from((number * 1e4).round() / 1e4);
        put(
            parameter.to_string(),
            scores
                .probabilities(parameter)
                .into_iter()
                .map(rounded)
                .collect(),
        );
        if let Some(means) = scores.means(parameter) {
            put(
                format!("{parameter} tries"),
                means
                    .iter()
                    .map(|(tries, _)| Value::from(tries.round() as u64))
                    .collect(),
            );
            put(
                format!("{parameter} gain"),
                means
                    .iter()
                    .map(|(_, gain)| gain.map_or(Value::Null, rounded))
                    .collect(),
            );
        }
    }
    all
}
