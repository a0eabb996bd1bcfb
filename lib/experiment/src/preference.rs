//! What a learner came to prefer: the probabilities of a parameter's values.

use crate::results::Results;
use crate::value::{Cells, Mean, mean};
use std::collections::BTreeMap;

/// Returns the values of a parameter and their probabilities after so many steps, the most probable
/// first: means over the runs of a setting. A run that ended before counts with what its learner
/// knew at its end.
pub fn preferences(
    results: &Results,
    setting: &str,
    targets: &[String],
    parameter: &str,
    steps: u64,
) -> Vec<(String, Mean)> {
    let mut by_value: BTreeMap<&String, Cells> = BTreeMap::new();
    for (run, learned) in results
        .of(setting, targets)
        .flat_map(|run| run.learned.values().map(move |of| (run, of)))
    {
        let noted = learned.steps.iter().rposition(|noted| *noted <= steps);
        let Some((at, values)) = noted.zip(learned.thousandths.get(parameter)) else {
            continue;
        };
        for (value, thousandths) in values {
            let probability = thousandths.get(at).map_or(0.0, |&n| f64::from(n) / 1e3);
            by_value
                .entry(value)
                .or_default()
                .insert((run.target.clone(), run.seed), probability);
        }
    }
    let means = by_value
        .into_iter()
        .filter_map(|(value, cells)| Some((value.clone(), mean(&cells)?)));
    let mut means: Vec<(String, Mean)> = means.collect();
    means.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    means
}

#[cfg(test)]
pub(crate) mod tests {
    use super::preferences;
    use crate::results::Results;
    use crate::results::tests::run;
    use crate::run::{Learned, Run};

    /// Two runs of `ltm`, which end after 20 steps with `tf` before `or`.
    pub(crate) fn results() -> Results {
        let mut results = Results::default();
        for (seed, or) in [(1, 300), (2, 500)] {
            let values = [
                ("or".to_owned(), vec![750, or]),
                ("tf".to_owned(), vec![250, 1000 - or]),
            ]
            .into();
            let learned = Learned {
                steps: vec![10, 20],
                thousandths: [("include-method".to_owned(), values)].into(),
            };
            let learned = [("ltm/ii".to_owned(), learned)].into();
            results
                .push(Run {
                    learned,
                    ..run("ltm", "slv", seed, 1, 1)
                })
                .unwrap();
        }
        results
    }

    #[test]
    fn probabilities_are_means_over_the_runs_that_noted_them() {
        let after = |steps| {
            let values = preferences(&results(), "ltm", &[], "include-method", steps).into_iter();
            values
                .map(|(value, mean)| format!("{value} {}", mean.mean))
                .collect::<Vec<_>>()
        };
        assert_eq!(after(19), ["or 0.75", "tf 0.25"]);
        assert_eq!(after(u64::MAX), ["tf 0.6", "or 0.4"]);
        assert!(after(9).is_empty());
    }
}
