//! The text of a report: how the runs were measured, the findings, and for each limit figures and
//! tables.

use crate::figure::Figure;
use crate::query_tables::query_tables;
use crate::series::{distinct, group_by_limit, group_by_steps};
use forage_experiment::{
    ExperimentResults, LearnerHistory, MeasuredRun, locked_runs, markdown_table, mean_preferences,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Number of values of a parameter that the table of preferences shows. Set by judgement, not
/// measured.
const PREFERENCES_SHOWN: usize = 3;

/// The text above the findings: how their verdicts are computed.
const VERDICTS: &str = "\
A pair is a target and a seed that both sides have, where both runs reached the number of \
documents, queries or calls, or were exhausted before, or reached the recall level. *Pairs* has \
the compared pairs of those that both sides have, and their targets. A pair is left out if another limit stopped a run before, if \
the quantity was not measured, or, for `prefers` and `is below`, if the learner is locked on one value.
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

/// The texts of a report that do not depend on its runs alone.
pub(crate) struct ReportParts {
    /// The introduction.
    pub introduction: String,
    /// The options of the settings; empty if they are not known.
    pub settings: String,
    /// The findings; empty if there are none.
    pub findings: String,
    /// The figures of the table of figures; empty if there are none.
    pub figures: String,
}

/// Returns the report in Markdown, without the tables of [`build_tables`].
pub(crate) fn build_report(results: &ExperimentResults, parts: &ReportParts) -> String {
    let mut text = format!(
        "{}\n\n{}{}",
        parts.introduction.trim_end(),
        measurement_section(results),
        parts.settings
    );
    if !parts.findings.is_empty() {
        let _ = write!(text, "\n## Findings\n\n{VERDICTS}{}", parts.findings);
    }
    if !parts.figures.is_empty() {
        let _ = write!(text, "\n## Figures\n{}", parts.figures);
    }
    for series in group_by_steps(results) {
        let _ = writeln!(text, "\n## Runs of at most {} steps", series.limit);
        for targets in series.target_sets() {
            let tables = query_tables(&series, &targets);
            if !tables.is_empty() {
                let _ = write!(text, "\n### {}\n{tables}", targets.join(", "));
            }
        }
    }
    text.push_str(&preference_section(results));
    text
}

/// Returns the tables of the runs by cost, and the figures that they refer to. `path_of` returns the
/// path of a figure by name.
pub(crate) fn build_tables(
    results: &ExperimentResults,
    path_of: impl Fn(&str) -> String,
) -> (String, Vec<Figure>) {
    let mut text = String::new();
    let mut figures = Vec::new();
    for series in group_by_limit(results) {
        let _ = writeln!(text, "\n## {}", series.heading());
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
    (text, figures)
}

/// Returns the table of the options of settings, which are lines of a name, a tab and options.
pub(crate) fn settings_section(settings: &str) -> String {
    let rows = settings
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, options)| vec![format!("`{name}`"), format!("`{options}`")]);
    let table = markdown_table(&["setting", "options of corpus-builder"], 2, rows);
    format!("\n{table}")
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
