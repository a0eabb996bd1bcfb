//! Curves for figures: means over targets and seeds along an axis, with the range of the seeds.

use crate::axis::{Axis, checkpoints_to};
use crate::results::Results;
use crate::run::{Learned, Run};
use crate::value::{Cells, Mean, Quantity, Value, mean};
use std::collections::{BTreeMap, BTreeSet};

/// A line of a figure: from left to right, x and the mean there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, Mean)>,
}

/// How a quantity of a setting goes along an axis, at checkpoints up to `most` and there, as far as all of its runs came.
pub fn curve(results: &Results, quantity: Quantity, setting: &str, axis: Axis, most: u64, targets: &[String]) -> Curve {
    let value = |at| Value { quantity, setting: setting.into(), at: (axis, at), targets: targets.into() };
    let point = |at| value(at).mean(results).map(|mean| (at as f64, mean));
    let start = (quantity == Quantity::relevant()).then_some((0.0, Mean { mean: 0.0, low: 0.0, high: 0.0, runs: 0 }));
    Curve { name: setting.into(), points: start.into_iter().chain(checkpoints_to(most).filter_map(point)).collect() }
}

/// How the probabilities of a parameter's values went in the runs of a setting: a curve for each value, by step. A run
/// that ended before others counts on with what its learner knew then.
pub fn shares(results: &Results, setting: &str, parameter: &str, targets: &[String]) -> Vec<Curve> {
    let learned = || results.of(setting, targets).flat_map(|run| run.learned.values().map(move |of| (run, of)));
    let steps: BTreeSet<u64> = learned().flat_map(|(_, of)| of.steps.iter().copied()).collect();
    let known = learned().filter_map(|(_, of)| of.thousandths.get(parameter));
    let values: BTreeSet<&String> = known.flat_map(BTreeMap::keys).collect();
    let point = |value: &String, step: u64| {
        let cell = |(run, of): (&Run, &Learned)| {
            let at = of.steps.iter().rposition(|noted| *noted <= step)?;
            let thousandths = *of.thousandths.get(parameter)?.get(value)?.get(at)?;
            Some(((run.target.clone(), run.seed), f64::from(thousandths) / 1e3))
        };
        let cells: Option<Cells> = learned().map(cell).collect();
        Some((step as f64, mean(&cells?)?))
    };
    let curve = |value: &String| {
        let points = steps.iter().filter_map(|&step| point(value, step)).collect();
        Curve { name: value.clone(), points }
    };
    values.into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::{Axis, Quantity, curve, shares};
    use crate::results::Results;
    use crate::results::tests::{results, run};
    use crate::run::Learned;

    #[test]
    fn a_curve_goes_from_nothing_to_where_it_is_wanted() {
        let curve = curve(&results(), Quantity::relevant(), "a", Axis::Calls, 80, &["slv".into()]);
        let points: Vec<(f64, f64)> = curve.points.iter().map(|(x, mean)| (*x, mean.mean)).collect();
        assert_eq!(points, [(0.0, 0.0), (10.0, 0.0), (25.0, 0.0), (50.0, 250.0), (80.0, 250.0)]);
    }

    #[test]
    fn probabilities_are_means_over_the_runs_that_noted_them() {
        let mut results = Results::default();
        for (seed, last) in [(1, 300), (2, 500)] {
            let mut run = run("ltm", "slv", seed, 1, 1);
            let values = [("or".to_owned(), vec![250, last])].into();
            let learned = Learned { steps: vec![10, 20], thousandths: [("include-method".to_owned(), values)].into() };
            run.learned = [("ltm/ii".to_owned(), learned)].into();
            results.push(run).unwrap();
        }
        let curves = shares(&results, "ltm", "include-method", &[]);
        assert_eq!(curves[0].name, "or");
        let points: Vec<(f64, f64)> = curves[0].points.iter().map(|(x, mean)| (*x, mean.mean)).collect();
        assert_eq!(points, [(10.0, 0.25), (20.0, 0.4)]);
    }
}
