//! The text of a report: how the runs were measured, the findings, and for each limit figures and
//! tables.

use forage_experiment::{
    Axis, Quantity, Results, Run, markdown_table, preferences, settings_table,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Numbers of documents or calls that tables have a column for, besides the limit (ALGORITHMS §6).
const CHECKPOINTS: [u64; 5] = [100, 300, 600, 1000, 3000];
/// Numbers of distinct queries, by which no run is limited.
const CHECKPOINTS_BY_QUERIES: [u64; 4] = [10, 25, 50, 100];

/// A figure: the relevant documents for a target along an axis.
pub(crate) struct Figure {
    pub name: String,
    pub axis: Axis,
    pub most: u64,
    pub target: String,
    /// The settings that may have a line.
    pub settings: Vec<String>,
}

/// The runs that have a limit in common.
struct Series<'a> {
    results: &'a Results,
    axis: Axis,
    most: u64,
    runs: Vec<&'a Run>,
}

/// Returns the report in Markdown, and the figures that it shows. `path_of` gives the path of a
/// figure by its name.
pub(crate) fn report(
    results: &Results,
    introduction: &str,
    findings: &str,
    path_of: impl Fn(&str) -> String,
) -> (String, Vec<Figure>) {
    let mut text = format!("{}\n\n{}", introduction.trim_end(), measured(results));
    if !findings.is_empty() {
        let _ = write!(
            text,
            "\n## Findings\n\nTwo sides are compared over the targets and seeds that both have; `~` means that they \
             differ by 5 % at most.\n{findings}"
        );
    }
    let mut figures = Vec::new();
    for series in series(results) {
        let _ = writeln!(text, "\n## Runs of at most {} {}", series.most, series.axis);
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
    text.push_str(&learned(results));
    (text, figures)
}

/// What was run, and what the numbers are.
fn measured(results: &Results) -> String {
    let limits_of = |run: &Run| {
        let limits = [
            (run.limits.documents, "documents"),
            (run.limits.steps, "steps"),
            (run.limits.calls, "calls"),
        ];
        let limits = limits
            .iter()
            .filter_map(|(most, of)| Some(format!("{} {of}", (*most)?)));
        Some(limits.collect::<Vec<_>>().join(", "))
            .filter(|limits| !limits.is_empty())
            .unwrap_or("none".into())
    };
    let rows = distinct(results.runs().iter().map(limits_of))
        .into_iter()
        .map(|limits| {
            let runs = || results.runs().iter().filter(|run| limits_of(run) == limits);
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
         A document is relevant by its true label where its run was measured with one, else by the filter's, and a \
         duplicate never is.\n\
         A number is a mean over targets and seeds; in brackets and as bands the range of the seeds, each a mean over \
         the targets.\n\
         A run that ended before all of its limits was exhausted, and counts on with what it had.\n\
         A dash, or *not measured*: there is no such run, or one that was stopped by another limit before.\n",
        results.runs().len(),
        results.settings().len(),
        markdown_table(&["limits", "targets", "settings", "seeds", "runs"], 2, rows)
    )
}

/// Returns the runs by their limits; by calls, as far as all came, if none was limited by documents
/// or calls.
fn series(results: &Results) -> Vec<Series<'_>> {
    let limits = |run: &Run| {
        Axis::ALL
            .map(|axis| Some((axis, run.limits.of(axis)?)))
            .into_iter()
            .flatten()
    };
    let of = |(axis, most)| {
        let runs = results
            .runs()
            .iter()
            .filter(|run| run.limits.of(axis) == Some(most))
            .collect();
        Series {
            results,
            axis,
            most,
            runs,
        }
    };
    let mut all: Vec<Series> = distinct(results.runs().iter().flat_map(limits))
        .into_iter()
        .map(of)
        .collect();
    if all.is_empty() {
        let ends = results
            .runs()
            .iter()
            .filter_map(|run| run.points.last())
            .map(|point| point.calls);
        let most = ends.min().unwrap_or_default();
        all.push(Series {
            results,
            axis: Axis::Calls,
            most,
            runs: results.runs().iter().collect(),
        });
    }
    all
}

impl Series<'_> {
    fn has(&self, setting: &str, target: &str) -> bool {
        self.runs
            .iter()
            .any(|run| run.setting == setting && run.target == target)
    }

    /// Returns the settings that were run for all of these targets.
    fn settings(&self, targets: &[String]) -> Vec<&str> {
        let all = distinct(self.runs.iter().map(|run| run.setting.as_str())).into_iter();
        all.filter(|setting| targets.iter().all(|target| self.has(setting, target)))
            .collect()
    }

    /// Returns the sets of targets that settings were run for, the smallest first, then each
    /// target.
    fn target_sets(&self) -> Vec<Vec<String>> {
        let targets = distinct(self.runs.iter().map(|run| run.target.clone()));
        let of = |setting| {
            targets
                .iter()
                .filter(|target| self.has(setting, target))
                .cloned()
                .collect::<Vec<_>>()
        };
        let mut sets = distinct(
            self.settings(&[])
                .into_iter()
                .map(of)
                .filter(|set| set.len() > 1),
        );
        sets.sort_by_key(Vec::len);
        sets.into_iter()
            .chain(targets.iter().map(|target| vec![target.clone()]))
            .collect()
    }

    fn figure(&self, target: &str) -> Figure {
        let (axis, most, target) = (self.axis, self.most, target.to_owned());
        let name = format!(
            "{axis}-{most}-{}",
            target.replace(|c: char| !c.is_alphanumeric(), "_")
        );
        let settings = self
            .settings(std::slice::from_ref(&target))
            .into_iter()
            .map(str::to_owned)
            .collect();
        Figure {
            name,
            axis,
            most,
            target,
            settings,
        }
    }

    /// Tables of settings and checkpoints; for one of several targets only of what matters most.
    fn tables(&self, targets: &[String]) -> String {
        let mut text = String::new();
        let mut add = |heading: &str, quantity, at| {
            let table =
                settings_table(self.results, &self.settings(targets), quantity, at, targets);
            let _ = write!(text, "\n{heading}:\n\n{table}");
        };
        let checkpoints: Vec<u64> = CHECKPOINTS
            .into_iter()
            .filter(|&number| number < self.most)
            .chain([self.most])
            .collect();
        let [share, pos_docs, pos_queries] =
            [self.axis, Axis::Documents, Axis::Queries].map(Quantity::Share);
        let all = distinct(
            [
                share,
                pos_docs,
                Quantity::Relevant,
                pos_queries,
                Quantity::Empty,
            ]
            .into_iter(),
        );
        let is_part = targets.len() == 1 && self.runs.iter().any(|run| run.target != targets[0]);
        for &quantity in all.iter().take(if is_part { 2 } else { all.len() }) {
            add(quantity.description(), quantity, (self.axis, &checkpoints));
        }
        if is_part {
            return text;
        }
        add(
            "Relevant documents by distinct queries",
            Quantity::Relevant,
            (Axis::Queries, &CHECKPOINTS_BY_QUERIES),
        );
        text
    }
}

/// The values of each parameter that the learners came to prefer.
fn learned(results: &Results) -> String {
    /// Values that are shown.
    const SHOWN: usize = 3;
    let mut rows = Vec::new();
    for setting in results.settings() {
        let learned = || {
            results
                .of(setting, &[])
                .flat_map(|run| run.learned.values())
        };
        let last = learned()
            .filter_map(|of| of.steps.last())
            .max()
            .map_or(String::new(), u64::to_string);
        for parameter in learned()
            .flat_map(|of| of.thousandths.keys())
            .collect::<BTreeSet<_>>()
        {
            let after = |steps| {
                let values = preferences(results, setting, &[], parameter, steps)
                    .into_iter()
                    .take(SHOWN);
                let shown =
                    values.map(|(value, probability)| format!("`{value}` {:.3}", probability.mean));
                shown.collect::<Vec<_>>().join(", ")
            };
            let cells = [
                format!("`{setting}`"),
                parameter.clone(),
                after(10),
                after(100),
                after(u64::MAX),
                last.clone(),
            ];
            rows.push(cells.to_vec());
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
    ];
    let table = markdown_table(&headings, 5, rows);
    format!(
        "\n## What the learners came to prefer\n\nThe most probable values, means over all runs.\n\n{table}"
    )
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    all.for_each(|item| {
        if !kept.contains(&item) {
            kept.push(item)
        }
    });
    kept
}
