//! Figures of what queries or requests brought.

use crate::report::chart::{Bar, Range, Series, Unit, bars, lines, ranges};
use crate::report::count::Share;
use crate::report::figure::{Figure, Table};
use crate::report::html::{format_count, format_decimal, format_percent};
use crate::report::run_data::RunData;
use crate::report::timeline::{RunCounts, Timeline, thin};
use serde_json::Value;

/// Number of windows in which precision is measured.
const WINDOWS: u64 = 24;
/// Fewest documents of a window.
const MIN_WINDOW: u64 = 15;
/// Number of the best terms.
const TERMS: usize = 25;

/// Returns the lines of several runs; of a single run, those of its targets.
fn timelines<'a>(runs: &[&'a RunData]) -> Vec<(String, &'a Timeline)> {
    match runs {
        [run] if run.by_target.len() > 1 => run
            .by_target
            .iter()
            .map(|(target, line)| (target.clone(), line))
            .collect(),
        _ => runs
            .iter()
            .map(|run| (run.name.clone(), &run.total))
            .collect(),
    }
}

/// Relevant documents by what they cost, and precision in the course of the runs.
pub(crate) fn yield_figures(runs: &[&RunData]) -> Vec<Figure> {
    type Cost = (&'static str, fn(&RunCounts) -> u64);
    let costs: [Cost; 4] = [
        ("documents", |p| p.documents),
        ("queries", |p| p.queries),
        ("calls", |p| p.calls),
        ("pages requested", |p| p.requests),
    ];
    let lines_of = timelines(runs);
    let mut figures = Vec::new();
    for (name, cost) in costs {
        let paid: Vec<_> = lines_of
            .iter()
            .filter(|(_, line)| cost(&line.now) > 0)
            .collect();
        if paid.is_empty() {
            continue;
        }
        let mut table = Table::new(&["series", name, "relevant documents"]);
        let series = paid.iter().map(|(series, timeline)| {
            let points = timeline.points();
            for point in thin(&points) {
                table.push_counts(series, &[cost(point), point.relevant]);
            }
            Series {
                name: series.clone(),
                points: points
                    .iter()
                    .map(|p| (cost(p) as f64, p.relevant as f64))
                    .collect(),
            }
        });
        let series: Vec<Series> = series.collect();
        let title = format!("Relevant documents by {name}");
        let ratio = |(series, timeline): &&(String, &Timeline)| {
            let ratio = timeline.now.relevant as f64 / cost(&timeline.now) as f64;
            let name = match lines_of.len() {
                1 => String::new(),
                _ => format!("{series} "),
            };
            format!("{name}{}", format_decimal(ratio, 2))
        };
        let ratios: Vec<String> = paid.iter().map(ratio).collect();
        let ratios = ratios.join(", ");
        let note = format!("Relevant documents per {}: {ratios}.", singular(name));
        let draw = |title: &str| lines(title, (name, "relevant"), Unit::Count, &series);
        figures.push(Figure::new(title, note, table, draw));
    }
    if !figures.is_empty() {
        figures.push(precision_figure(&lines_of));
    }
    figures
}

fn singular(name: &str) -> &str {
    match name {
        "queries" => "query",
        "pages requested" => "request",
        _ => name.trim_end_matches('s'),
    }
}

fn precision_figure(lines_of: &[(String, &Timeline)]) -> Figure {
    let mut table = Table::new(&[
        "series",
        "documents so far",
        "of them relevant",
        "documents in window",
        "relevant in window",
        "precision in window",
    ]);
    let series = lines_of.iter().map(|(name, timeline)| {
        let windows = timeline.windows(WINDOWS.min(timeline.now.documents / MIN_WINDOW));
        for (at, window) in &windows {
            table.push([
                name.clone(),
                format_count(at.documents),
                format_count(at.relevant),
                format_count(window.documents),
                format_count(window.relevant),
                format_percent(window.relevant, window.documents),
            ]);
        }
        let point = |(at, window): &(RunCounts, Share)| {
            let middle = at.documents as f64 - window.documents as f64 / 2.0;
            // Documents that are judged again count as relevant only.
            let precision = window.relevant as f64 / window.documents as f64;
            (middle, precision.min(1.0))
        };
        Series {
            name: name.clone(),
            points: windows.iter().map(point).collect(),
        }
    });
    let series: Vec<Series> = series.collect();
    let note = "Each point is a window of successive documents.";
    let axes = ("documents", "relevant of the documents");
    let draw = |title: &str| lines(title, axes, Unit::Percent, &series);
    Figure::new("Precision in the course of the run", note, table, draw)
}

/// The terms and the strategies of the queries.
pub(crate) fn query_figures(run: &RunData) -> Vec<Figure> {
    let mut figures = Vec::new();
    let parts = [
        (
            "Terms that worked best",
            &run.terms,
            "Required terms by the relevant documents among those that their queries brought.",
        ),
        (
            "Strategies",
            &run.strategies,
            "Relevant documents among those that the queries of a strategy brought.",
        ),
    ];
    for (title, tallies, note) in parts {
        let top: Vec<_> = tallies.top(100, |tally| tally.relevant);
        let is_told = top.iter().any(|(_, tally)| tally.relevant > 0)
            && (top.len() > 1 || title.starts_with("Terms"));
        if !is_told {
            continue;
        }
        let mut table = Table::default();
        for (name, tally) in &top {
            let per_query = tally.relevant as f64 / tally.queries.max(1) as f64;
            table.push_named([
                ("name", (*name).to_owned()),
                ("queries", format_count(tally.queries)),
                ("documents", format_count(tally.documents)),
                ("relevant", format_count(tally.relevant)),
                ("precision", format_percent(tally.relevant, tally.documents)),
                ("relevant per query", format_decimal(per_query, 2)),
            ]);
        }
        let rows: Vec<Bar> = top
            .iter()
            .filter(|(_, tally)| tally.relevant > 0)
            .take(TERMS)
            .map(|(name, tally)| {
                let bar = Bar::of_share(name, tally.documents, tally.relevant);
                let shown = format!("{} of {}", format_count(tally.relevant), bar.shown);
                Bar { shown, ..bar }
            })
            .collect();
        figures.push(Figure::new(title, note, table, |title| bars(title, &rows)));
    }
    figures
}

/// The probabilities of the learners and the estimated coverage, of the report of `update-stats`.
pub(crate) fn learned_figures(run: &RunData) -> Vec<Figure> {
    let as_of = match run.is_statistics_current() {
        true => "",
        false => " As of the last report of the run, which is older than its journal.",
    };
    let mut figures = Vec::from_iter(coverage_figure(run, as_of));
    for (target, learners) in entries(&run.statistics["learners"]) {
        for (learner, parameters) in entries(learners) {
            for (parameter, values) in entries(parameters) {
                let mut table = Table::new(&["value", "probability"]);
                let rows: Vec<Bar> = entries(values)
                    .map(|(value, probability)| {
                        let probability = probability.as_f64().unwrap_or_default();
                        table.push([value.clone(), format_decimal(probability, 4)]);
                        Bar {
                            label: value.clone(),
                            value: probability,
                            part: None,
                            shown: format_decimal(probability, 4),
                        }
                    })
                    .collect();
                let title = format!("{target}: {parameter} as learned by {learner}");
                let note = format!("Probabilities with which the next query draws a value.{as_of}");
                figures.push(Figure::new(title, note, table, |title| bars(title, &rows)));
            }
        }
    }
    figures
}

fn coverage_figure(run: &RunData, as_of: &str) -> Option<Figure> {
    let mut table = Table::default();
    let mut rows = Vec::new();
    for (target, coverage) in entries(&run.statistics["coverage"]) {
        let share = |end: &str| coverage["share"][end].as_f64();
        let (Some(value), Some(low), Some(high)) = (share("value"), share("low"), share("high"))
        else {
            continue;
        };
        let count = |number: &Value| format_count(number.as_f64().unwrap_or_default() as u64);
        let population = &coverage["population"];
        let percent = |share: f64| format_decimal(share * 100.0, 1) + "\u{202f}%";
        table.push_named([
            ("target", target.clone()),
            ("collected", count(&coverage["collected"])),
            ("population", count(&population["value"])),
            ("low", count(&population["low"])),
            ("high", count(&population["high"])),
            ("coverage", percent(value)),
            ("low", percent(low)),
            ("high", percent(high)),
            ("probes", count(&coverage["probes"])),
        ]);
        rows.push(Range {
            label: target.clone(),
            value,
            interval: Some((low, high)),
            other: None,
        });
    }
    let title = "Coverage of what the engine can return";
    let note = format!("Estimated from probes, with 95\u{202f}% confidence intervals.{as_of}");
    let axis = "share that is collected";
    let draw = |title: &str| ranges(title, axis, Unit::Percent, None, &rows);
    (!rows.is_empty()).then(|| Figure::new(title, note, table, draw))
}

/// Returns the members of an object; none of another value.
fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
