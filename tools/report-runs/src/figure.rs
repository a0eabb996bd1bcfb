//! The figures of a report: relevant documents for what they cost.

use crate::report::Figure;
use forage_chart::{Chart, Limit, Line, MOST_LINES, Point};
use forage_experiment::{Axis, Quantity, Results, Value, curve};
use std::collections::BTreeSet;

/// Draws a figure; returns the SVG.
pub(crate) fn draw(results: &Results, figure: &Figure) -> anyhow::Result<String> {
    let Figure {
        axis, most, target, ..
    } = figure;
    let targets = std::slice::from_ref(target);
    let line = |setting: &String| {
        let points = curve(results, setting, *axis, *most, targets).into_iter();
        let points = points
            .map(|(x, mean)| Point {
                x,
                y: mean.mean,
                low: mean.low,
                high: mean.high,
            })
            .collect();
        Line {
            name: setting.clone(),
            points,
        }
    };
    let runs = results.runs().iter().filter(|run| run.target == *target);
    let seeds: BTreeSet<u64> = runs.clone().map(|run| run.seed).collect();
    let band = if seeds.len() > 1 {
        format!("; band: range of {} seeds", seeds.len())
    } else {
        String::new()
    };
    let limit = match axis {
        Axis::Documents => Some(Limit {
            name: "all relevant".into(),
            slope: 1.0,
            start: 0.0,
        }),
        _ => runs.clone().find_map(|run| run.reachable).map(|all| Limit {
            name: "all that there are".into(),
            slope: 0.0,
            start: all as f64,
        }),
    };
    Ok(forage_chart::draw(&Chart {
        title: format!("{target}{band}"),
        x: axis.label().into(),
        y: "relevant documents found".into(),
        limit,
        lines: lines_of(results, figure).into_iter().map(line).collect(),
    })?)
}

/// Returns the settings that have a line, at most as many as can be told apart: the best of each
/// way of querying (the part of the name before `:` or `/`), then the best of the others.
fn lines_of<'a>(
    results: &Results,
    Figure {
        axis,
        most,
        target,
        settings,
        ..
    }: &'a Figure,
) -> Vec<&'a String> {
    let found = |setting: &String| {
        let (setting, at, targets) = (setting.clone(), (*axis, *most), vec![target.clone()]);
        Value {
            quantity: Quantity::Relevant,
            setting,
            at,
            targets,
        }
        .mean(results)
        .map(|mean| mean.mean)
    };
    let mut settings: Vec<(f64, &String)> = settings
        .iter()
        .filter_map(|of| Some((found(of)?, of)))
        .collect();
    settings.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut known = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) = settings
        .into_iter()
        .map(|(_, setting)| setting)
        .partition(|setting| known.insert(way_of(setting)));
    first.into_iter().chain(others).take(MOST_LINES).collect()
}

fn way_of(setting: &str) -> &str {
    setting.split([':', '/']).next().unwrap_or(setting)
}
