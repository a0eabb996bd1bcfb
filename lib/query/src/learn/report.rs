//! What the learners know, for `update-stats --report`.

use super::state::Scores;
use crate::statistics::Statistics;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// By learner, by parameter, by value: its probability, rounded to four digits.
pub(crate) type Learned = BTreeMap<String, Map<String, Value>>;

/// What all learners of a run know, by target.
pub(crate) fn learned(from: &Statistics) -> rusqlite::Result<BTreeMap<String, Learned>> {
    let mut pairs = from.db.prepare("SELECT DISTINCT learner, target FROM learner")?;
    let pairs = pairs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut all: BTreeMap<String, Learned> = BTreeMap::new();
    for pair in pairs {
        let (learner, target): (String, String) = pair?;
        if let Ok(spec) = learner.parse() {
            let known = distributions(&Scores::read(from, spec, &target)?);
            all.entry(target).or_default().insert(learner, known);
        }
    }
    Ok(all)
}

fn distributions(scores: &Scores) -> Map<String, Value> {
    let of = |parameter| {
        let rounded = scores.probabilities(parameter).into_iter().map(|p| Value::from((p * 1e4).round() / 1e4));
        parameter.values().into_iter().zip(rounded).collect::<Map<_, _>>()
    };
    let parameters = scores.spec.parameters().into_iter();
    parameters.map(|parameter| (parameter.to_string(), Value::Object(of(parameter)))).collect()
}
