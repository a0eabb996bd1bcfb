//! The figures of a report: relevant documents by cost, a line per setting.

use forage_chart::{Chart, ChartLine, ChartPoint, LimitLine, MAX_LINES};
use forage_experiment::{CostAxis, ExperimentResults, relevant_documents_curve};
use std::collections::BTreeSet;

/// A figure: the relevant documents of a target along a cost axis.
pub(crate) struct Figure {
    /// Name of the file, without its extension.
    pub name: String,
    pub axis: CostAxis,
    /// The end of the axis.
    pub end: u64,
    pub target: String,
    /// The settings that may have a line.
    pub settings: Vec<String>,
}

/// A figure that was drawn.
pub(crate) struct SvgFigure {
    /// Name of the file, without its extension.
    pub name: String,
    /// The title.
    pub title: String,
    /// The content of the file.
    pub svg: String,
}

/// Draws a figure.
pub(crate) fn draw_figure(
    results: &ExperimentResults,
    figure: &Figure,
) -> anyhow::Result<SvgFigure> {
    let target = &figure.target;
    let runs = || results.runs().iter().filter(|run| run.target == *target);
    let seeds: BTreeSet<u64> = runs().map(|run| run.seed).collect();
    let band = if seeds.len() > 1 {
        format!("; band: range of {} seeds", seeds.len())
    } else {
        String::new()
    };
    let limit = match figure.axis {
        CostAxis::Documents => Some(LimitLine {
            name: "all relevant".into(),
            slope: 1.0,
            intercept: 0.0,
        }),
        _ => runs()
            .find_map(|run| run.reachable)
            .map(|reachable| LimitLine {
                name: "all of the target".into(),
                slope: 0.0,
                intercept: reachable as f64,
            }),
    };
    let title = format!("{target}{band}");
    let svg = forage_chart::draw_chart(&Chart {
        title: title.clone(),
        x_label: figure.axis.label().into(),
        y_label: "relevant documents found".into(),
        limit,
        lines: select_settings(results, figure)
            .into_iter()
            .map(|setting| setting_line(results, figure, setting))
            .collect(),
    })?;
    Ok(SvgFigure {
        name: figure.name.clone(),
        title,
        svg,
    })
}

/// Returns the line of a setting, with the range over seeds as its band.
fn setting_line(results: &ExperimentResults, figure: &Figure, setting: &str) -> ChartLine {
    let targets = std::slice::from_ref(&figure.target);
    let points = relevant_documents_curve(results, setting, figure.axis, figure.end, targets)
        .into_iter()
        .map(|(x, mean)| ChartPoint {
            x,
            y: mean.mean,
            low: mean.low,
            high: mean.high,
        })
        .collect();
    ChartLine {
        name: setting.to_owned(),
        points,
    }
}

/// Returns the settings that have a line, at most [`MAX_LINES`]: the best setting of each family,
/// then the best of the others. The best are those with the most relevant documents at the end of
/// their line.
fn select_settings<'a>(results: &ExperimentResults, figure: &'a Figure) -> Vec<&'a String> {
    let relevant_at_end = |setting: &String| {
        let targets = std::slice::from_ref(&figure.target);
        let curve = relevant_documents_curve(results, setting, figure.axis, figure.end, targets);
        let (_, end) = curve.last().filter(|(x, _)| *x > 0.0)?;
        Some(end.mean)
    };
    let mut settings: Vec<(f64, &String)> = figure
        .settings
        .iter()
        .filter_map(|setting| Some((relevant_at_end(setting)?, setting)))
        .collect();
    settings.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen_families = BTreeSet::new();
    let (best_of_families, others): (Vec<_>, Vec<_>) = settings
        .into_iter()
        .map(|(_, setting)| setting)
        .partition(|setting| seen_families.insert(setting_family(setting)));
    best_of_families
        .into_iter()
        .chain(others)
        .take(MAX_LINES)
        .collect()
}

/// Returns the family of a setting: the part of its name before `:` or `/`.
fn setting_family(setting: &str) -> &str {
    setting.split([':', '/']).next().unwrap_or(setting)
}
