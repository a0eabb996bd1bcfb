//! The text of a report: how the runs were measured, the findings, and for each limit figures and
//! tables.

use crate::figure::Figure;
use forage_experiment::{
    CostAxis, ExperimentResults, LearnerHistory, MeasuredRun, Quantity, locked_runs,
    markdown_table, mean_preferences, settings_table,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The numbers of documents or calls for which tables have a column, apart from the limit
/// (`docs/algorithms.md`, "Measures").
const CHECKPOINTS: [u64; 5] = [100, 300, 600, 1000, 3000];
/// The numbers of distinct queries for which tables have a column. No run has a limit on these.
const CHECKPOINTS_BY_QUERIES: [u64; 4] = [10, 25, 50, 100];
/// Number of values of a parameter that the table of preferences shows. Set by judgement, not
/// measured.
const PREFERENCES_SHOWN: usize = 3;

/// The text above the findings: how their verdicts are computed.
const VERDICTS: &str = "\
A pair is a target and a seed that both sides have, where both runs reached the number of \
documents, queries or calls, or were exhausted before. *Pairs* has the compared pairs of those that \
both sides have, and their targets. A pair is left out if another limit stopped a run before, if \
the quantity was not measured, or, for `prefers`, if the learner is locked on one value.
The numbers of a pair are compared by their ratio (×) if they are counts or counts per query or \
call, if one has a factor, and by `~`; shares, and a value and a number, by their difference. Mean \
ratios are geometric, and differ from the ratio of the means. Brackets have the 95 % bootstrap \
interval of the mean, over targets and seeds.
A finding is *confirmed* if its relation holds in the whole interval, *contradicted* if it holds \
nowhere in it, else *undecided*, and so it is with fewer than three pairs; without a pair it is \
*not tested*. The relation `~ 5%` allows a difference of 5 % of the right side. A comparison with \
`*` has the setting that supports the finding least of those with at least three pairs; so has \
`prefers`, with every other value. The intervals are not corrected for the number of findings.
";

/// The runs that have a limit in common.
struct RunSeries<'a> {
    results: &'a ExperimentResults,
    axis: CostAxis,
    limit: u64,
    runs: Vec<&'a MeasuredRun>,
}

/// Returns the report in Markdown, and the figures that it refers to. `path_of` returns the path of
/// a figure by name.
pub(crate) fn build_report(
    results: &ExperimentResults,
    introduction: &str,
    findings: &str,
    path_of: impl Fn(&str) -> String,
) -> (String, Vec<Figure>) {
    let mut text = format!(
        "{}\n\n{}",
        introduction.trim_end(),
        measurement_section(results)
    );
    if !findings.is_empty() {
        let _ = write!(text, "\n## Findings\n\n{VERDICTS}{findings}");
    }
    let mut figures = Vec::new();
    for series in group_by_limit(results) {
        let _ = writeln!(
            text,
            "\n## Runs of at most {} {}",
            series.limit, series.axis
        );
        for targets in series.target_sets() {
            let _ = writeln!(text, "\n### {}", targets.join(", "));
            if let [target] = &targets[..] {
                let figure = series.figure(target);
                let path = path_of(&figure.name);
                let _ = writeln!(
                    text,
                    "\n![Relevant documents by {}, {target}]({path})",
                    series.axis
                );
                figures.push(figure);
            }
            text.push_str(&series.tables(&targets));
        }
    }
    text.push_str(&preference_section(results));
    (text, figures)
}

/// Returns the section with a table of the runs, and the definitions of the numbers.
fn measurement_section(results: &ExperimentResults) -> String {
    let rows = distinct(results.runs().iter().map(format_limits))
        .into_iter()
        .map(|limits| {
            let runs = || {
                results
                    .runs()
                    .iter()
                    .filter(|run| format_limits(run) == limits)
            };
            let targets = distinct(runs().map(|run| run.target.as_str())).join(", ");
            let settings = distinct(runs().map(|run| &run.setting)).len();
            let seeds = distinct(runs().map(|run| run.seed.to_string())).join(", ");
            vec![
                limits.clone(),
                targets,
                settings.to_string(),
                seeds,
                runs().count().to_string(),
            ]
        });
    format!(
        "## How it was measured\n\n{} runs of {} settings:\n\n{}\n\
         A document is relevant by its true class if its run was measured with true classes, \
         else by the filter's label; a duplicate is never relevant.\n\
         A number is a mean over targets and seeds. Ranges in brackets, and bands in figures, \
         are over the seeds, each of which is a mean over the targets.\n\
         A run that ended before all of its limits was exhausted, and keeps its final counts; so \
         does, by calls, a run whose next step needed more calls than were left.\n\
         A dash means that there is no such run, that another limit stopped one before, or that \
         the quantity was not measured.\n",
        results.runs().len(),
        results.settings().len(),
        markdown_table(&["limits", "targets", "settings", "seeds", "runs"], 2, rows)
    )
}

/// Formats the limits of a run, as in `300 documents, 600 steps`.
fn format_limits(run: &MeasuredRun) -> String {
    let limits = [
        (run.limits.documents, "documents"),
        (run.limits.steps, "steps"),
        (run.limits.calls, "calls"),
    ];
    let limits: Vec<String> = limits
        .iter()
        .filter_map(|(limit, unit)| Some(format!("{} {unit}", (*limit)?)))
        .collect();
    if limits.is_empty() {
        "none".into()
    } else {
        limits.join(", ")
    }
}

/// Groups the runs by their limits on documents and calls. If no run has such a limit, returns one
/// series by calls, up to the number of calls that all runs have reached.
fn group_by_limit(results: &ExperimentResults) -> Vec<RunSeries<'_>> {
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
            runs: results.runs().iter().collect(),
        });
    }
    all
}

impl RunSeries<'_> {
    fn has_run(&self, setting: &str, target: &str) -> bool {
        self.runs
            .iter()
            .any(|run| run.setting == setting && run.target == target)
    }

    /// Returns `true` if the quantity was measured of a run.
    fn has(&self, quantity: Quantity) -> bool {
        self.runs.iter().any(|run| {
            let end = run.points.last();
            end.is_some_and(|end| quantity.measure(run, end).is_some())
        })
    }

    /// Returns the settings that have runs for all of these targets.
    fn settings_with(&self, targets: &[String]) -> Vec<&str> {
        distinct(self.runs.iter().map(|run| run.setting.as_str()))
            .into_iter()
            .filter(|setting| targets.iter().all(|target| self.has_run(setting, target)))
            .collect()
    }

    /// Returns the sets of targets that settings have runs for: first the sets of several targets,
    /// the smallest first, then each single target.
    fn target_sets(&self) -> Vec<Vec<String>> {
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
    fn figure(&self, target: &str) -> Figure {
        let file_target = target.replace(|c: char| !c.is_alphanumeric(), "_");
        Figure {
            name: format!("{}-{}-{file_target}", self.axis, self.limit),
            axis: self.axis,
            end: self.limit,
            target: target.to_owned(),
            settings: self
                .settings_with(&[target.to_owned()])
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Returns the tables of settings and checkpoints for a set of targets. For one of several
    /// targets there are only the two most important tables.
    fn tables(&self, targets: &[String]) -> String {
        let mut text = String::new();
        let mut add_table = |heading: &str, quantity, checkpoints| {
            let table = settings_table(
                self.results,
                &self.settings_with(targets),
                quantity,
                checkpoints,
                targets,
            );
            let _ = write!(text, "\n{heading}:\n\n{table}");
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
        let is_one_of_several =
            targets.len() == 1 && self.runs.iter().any(|run| run.target != targets[0]);
        let shown = if is_one_of_several {
            2
        } else {
            quantities.len()
        };
        for &quantity in quantities.iter().take(shown) {
            add_table(quantity.description(), quantity, (self.axis, &checkpoints));
        }
        if !is_one_of_several {
            add_table(
                "Relevant documents by distinct queries",
                Quantity::Relevant,
                (CostAxis::Queries, &CHECKPOINTS_BY_QUERIES),
            );
        }
        text
    }
}

/// Returns the section with the most probable values of each parameter of the learners; empty if no
/// run has a learner.
fn preference_section(results: &ExperimentResults) -> String {
    let mut rows = Vec::new();
    for setting in results.settings() {
        let histories: Vec<&LearnerHistory> = results
            .runs_of(setting, &[])
            .flat_map(|run| run.learned.values())
            .collect();
        let last_step = histories
            .iter()
            .filter_map(|history| history.steps.last())
            .max()
            .map_or(String::new(), u64::to_string);
        let parameters: BTreeSet<&String> = histories
            .iter()
            .flat_map(|history| history.thousandths.keys())
            .collect();
        for parameter in parameters {
            rows.push(vec![
                format!("`{setting}`"),
                parameter.clone(),
                format_preferences(results, setting, parameter, 10),
                format_preferences(results, setting, parameter, 100),
                format_preferences(results, setting, parameter, u64::MAX),
                last_step.clone(),
                format_locked(results, setting, parameter),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let headings = [
        "setting",
        "parameter",
        "after 10 steps",
        "after 100 steps",
        "at the end",
        "last step",
        "locked runs",
    ];
    let table = markdown_table(&headings, 5, rows);
    format!(
        "\n## Preferences of the learners\n\n\
         The most probable values of each parameter, as means over all runs. In a locked run, one \
         value has a probability of at least .99 at the end: the learner draws hardly any other, \
         and its probabilities are no evidence of a preference.\n\n{table}"
    )
}

/// Formats the number of locked runs, as in `2 of 6`.
fn format_locked(results: &ExperimentResults, setting: &str, parameter: &str) -> String {
    let (locked, all) = locked_runs(results, setting, parameter);
    format!("{locked} of {all}")
}

/// Formats the most probable values of a parameter after a number of steps.
fn format_preferences(
    results: &ExperimentResults,
    setting: &str,
    parameter: &str,
    steps: u64,
) -> String {
    mean_preferences(results, setting, &[], parameter, steps)
        .into_iter()
        .take(PREFERENCES_SHOWN)
        .map(|(value, probability)| format!("`{value}` {:.3}", probability.mean))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns each item once, in order of first occurrence.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
