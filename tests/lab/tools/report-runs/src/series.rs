//! The runs that have a limit in common, and their tables.

use crate::figure::{Figure, select_settings};
use forage_experiment::{
    Checkpoint, CostAxis, ExperimentResults, MeasuredRun, Quantity, settings_table,
};
use std::fmt::Write;

/// The numbers of documents or calls for which tables have a column, apart from the limit
/// (`docs/algorithms.md`, "Measures").
const CHECKPOINTS: [u64; 5] = [100, 300, 600, 1000, 3000];
/// The numbers of distinct queries for which tables have a column. No run has a limit on these.
pub(crate) const CHECKPOINTS_BY_QUERIES: [u64; 4] = [10, 25, 50, 100];

/// The runs that have a limit in common.
pub(crate) struct RunSeries<'a> {
    pub results: &'a ExperimentResults,
    /// The axis of the tables and figures.
    pub axis: CostAxis,
    /// The limit, a number on the axis; of steps if only these are limited.
    pub limit: u64,
    /// True if the runs have this limit, and not only have reached this number.
    is_limited: bool,
    runs: Vec<&'a MeasuredRun>,
}

/// Groups the runs by their limits on documents and calls. If no run has such a limit, returns one
/// series by calls, up to the number of calls that all runs have reached.
pub(crate) fn group_by_limit(results: &ExperimentResults) -> Vec<RunSeries<'_>> {
    let limits_of = |run: &MeasuredRun| {
        CostAxis::ALL
            .map(|axis| Some((axis, run.limits.on_axis(axis)?)))
            .into_iter()
            .flatten()
    };
    let mut all: Vec<RunSeries> = distinct(results.runs().iter().flat_map(limits_of))
        .into_iter()
        .map(|(axis, limit)| RunSeries {
            results,
            axis,
            limit,
            is_limited: true,
            runs: results
                .runs()
                .iter()
                .filter(|run| run.limits.on_axis(axis) == Some(limit))
                .collect(),
        })
        .collect();
    if all.is_empty() {
        let fewest_calls = results
            .runs()
            .iter()
            .filter_map(|run| run.points.last())
            .map(|end| end.calls)
            .min();
        all.push(RunSeries {
            results,
            axis: CostAxis::Calls,
            limit: fewest_calls.unwrap_or_default(),
            is_limited: false,
            runs: results.runs().iter().collect(),
        });
    }
    all
}

/// Groups the runs that have a limit on steps alone by this limit.
pub(crate) fn group_by_steps(results: &ExperimentResults) -> Vec<RunSeries<'_>> {
    let limit_of = |run: &MeasuredRun| {
        let is_limited_otherwise = CostAxis::ALL
            .iter()
            .any(|axis| run.limits.on_axis(*axis).is_some());
        run.limits.steps.filter(|_| !is_limited_otherwise)
    };
    distinct(results.runs().iter().filter_map(limit_of))
        .into_iter()
        .map(|limit| RunSeries {
            results,
            axis: CostAxis::Queries,
            limit,
            is_limited: true,
            runs: results
                .runs()
                .iter()
                .filter(|run| limit_of(run) == Some(limit))
                .collect(),
        })
        .collect()
}

impl RunSeries<'_> {
    /// Returns the heading of the tables by documents or calls.
    pub(crate) fn heading(&self) -> String {
        if self.is_limited {
            format!("Runs of at most {} {}", self.limit, self.axis)
        } else {
            format!("The first {} {} of all runs", self.limit, self.axis)
        }
    }

    fn has_run(&self, setting: &str, target: &str) -> bool {
        self.runs
            .iter()
            .any(|run| run.setting == setting && run.target == target)
    }

    /// Returns `true` if the quantity was measured of a run.
    pub(crate) fn has(&self, quantity: Quantity) -> bool {
        self.runs.iter().any(|run| {
            let end = run.points.last();
            end.is_some_and(|end| quantity.measure(run, end).is_some())
        })
    }

    /// Returns the settings that have runs for all of these targets.
    pub(crate) fn settings_with(&self, targets: &[String]) -> Vec<&str> {
        distinct(self.runs.iter().map(|run| run.setting.as_str()))
            .into_iter()
            .filter(|setting| targets.iter().all(|target| self.has_run(setting, target)))
            .collect()
    }

    /// Returns the sets of targets that settings have runs for: first the sets of several targets,
    /// the smallest first, then each single target.
    pub(crate) fn target_sets(&self) -> Vec<Vec<String>> {
        let targets = distinct(self.runs.iter().map(|run| run.target.clone()));
        let targets_of = |setting: &str| {
            targets
                .iter()
                .filter(|target| self.has_run(setting, target))
                .cloned()
                .collect::<Vec<_>>()
        };
        let mut sets = distinct(
            self.settings_with(&[])
                .into_iter()
                .map(targets_of)
                .filter(|set| set.len() > 1),
        );
        sets.sort_by_key(Vec::len);
        sets.into_iter()
            .chain(targets.iter().map(|target| vec![target.clone()]))
            .collect()
    }

    /// Returns the figure of a target.
    pub(crate) fn figure(&self, target: &str) -> Figure {
        let file_target = target.replace(|c: char| !c.is_alphanumeric(), "_");
        let figure = Figure {
            name: format!("{}-{}-{file_target}", self.axis, self.limit),
            axis: self.axis,
            end: self.limit,
            targets: vec![target.to_owned()],
            settings: self
                .settings_with(&[target.to_owned()])
                .into_iter()
                .map(str::to_owned)
                .collect(),
        };
        Figure {
            settings: select_settings(self.results, &figure),
            ..figure
        }
    }

    /// Returns `true` if there are runs for other targets than this single one.
    pub(crate) fn is_one_of_several(&self, targets: &[String]) -> bool {
        targets.len() == 1 && self.runs.iter().any(|run| run.target != targets[0])
    }

    /// Returns the tables of settings and checkpoints for a set of targets. For one of several
    /// targets there are only the two most important tables.
    pub(crate) fn tables(&self, targets: &[String]) -> String {
        let mut text = String::new();
        let mut add_table = |heading: &str, quantity, axis, checkpoints: &[u64]| {
            let checkpoints: Vec<Checkpoint> = checkpoints
                .iter()
                .map(|number| Checkpoint::Cost(axis, *number))
                .collect();
            let table = settings_table(
                self.results,
                &self.settings_with(targets),
                quantity,
                &checkpoints,
                targets,
            );
            if !table.is_empty() {
                let _ = write!(text, "\n{heading}:\n\n{table}");
            }
        };
        let checkpoints: Vec<u64> = CHECKPOINTS
            .into_iter()
            .filter(|&number| number < self.limit)
            .chain([self.limit])
            .collect();
        let all = [
            Quantity::RelevantPer(self.axis),
            Quantity::RelevantPer(CostAxis::Documents),
            Quantity::Relevant,
            Quantity::RelevantPer(CostAxis::Queries),
            Quantity::NoDocument,
            Quantity::Empty,
        ];
        let quantities = distinct(all.into_iter().filter(|&quantity| self.has(quantity)));
        let is_one_of_several = self.is_one_of_several(targets);
        let shown = if is_one_of_several {
            2
        } else {
            quantities.len()
        };
        for &quantity in quantities.iter().take(shown) {
            add_table(quantity.description(), quantity, self.axis, &checkpoints);
        }
        if !is_one_of_several {
            add_table(
                "Relevant documents by distinct queries",
                Quantity::Relevant,
                CostAxis::Queries,
                &CHECKPOINTS_BY_QUERIES,
            );
        }
        text
    }
}

/// Returns each item once, in order of first occurrence.
pub(crate) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
