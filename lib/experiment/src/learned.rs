//! A learner's probabilities over time, noted while its run's journal is read.

use crate::run::Learned;
use forage_query::strategy::learned::LearnerReplay;
use std::collections::BTreeMap;

/// Whether the learners are noted after so many steps: after the same ones in all runs, and the
/// more seldom the more there are: 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, and so
/// on, ten times as large.
pub(crate) fn is_noted(steps: u64) -> bool {
    let power = 10_u64.pow(steps.checked_ilog10().unwrap_or(0));
    [10, 15, 20, 30, 40, 50, 60, 80]
        .iter()
        .any(|tenths| tenths * power == 10 * steps)
}

/// What the learners of a run knew, by name.
pub(crate) type Notes = BTreeMap<String, Learned>;

/// Notes once what each learner of a target knows after so many steps.
pub(crate) fn note(notes: &mut Notes, steps: u64, target: &str, replay: &LearnerReplay) {
    for (spec, scores) in replay.learners(target) {
        let learned = notes.entry(spec.to_string()).or_default();
        if learned.steps.last() == Some(&steps) {
            continue;
        }
        learned.steps.push(steps);
        for parameter in spec.parameters() {
            let values = learned
                .thousandths
                .entry(parameter.to_string())
                .or_default();
            let probabilities = scores.probabilities(parameter);
            for (value, probability) in parameter.values().into_iter().zip(probabilities) {
                values
                    .entry(value)
                    .or_default()
                    .push((probability * 1e3).round() as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_noted;

    #[test]
    fn notes_are_made_more_and_more_seldom() {
        let noted: Vec<u64> = (0..=300).filter(|&steps| is_noted(steps)).collect();
        let expected = [
            1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300,
        ];
        assert_eq!(noted, expected);
    }
}
