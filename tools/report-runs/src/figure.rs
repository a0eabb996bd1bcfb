//! The figures of a report.

use anyhow::ensure;
use forage_chart::{Chart, Limit, Line, MOST_LINES, Point};
use forage_experiment::{Axis, Curve, FigureOrder, Quantity, Results, Shows, Value, curve, shares};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Draws a figure; gives the SVG.
pub(crate) fn draw(results: &Results, order: &FigureOrder) -> anyhow::Result<String> {
    let chart = match &order.shows {
        Shows::Quantity { quantity, axis, most, settings } => {
            let settings =
                if settings.is_empty() { &best(results, *quantity, (*axis, *most), order) } else { settings };
            let curves = settings.iter().map(|of| curve(results, *quantity, of, *axis, *most, &order.targets));
            let curves: Vec<Curve> = curves.collect();
            for curve in &curves {
                ensure!(curve.points.len() > 1, "`{}` has no runs that came so far", curve.name);
            }
            Chart {
                title: title(results, order, &settings.iter().map(String::as_str).collect::<Vec<_>>()),
                x: axis.label().into(),
                y: said(*quantity),
                limit: limit(results, order, *quantity, *axis),
                lines: curves.into_iter().map(line).collect(),
            }
        }
        Shows::Learned { setting, parameter } => Chart {
            title: format!("{setting}, {parameter}. {}", title(results, order, &[setting])),
            x: "steps".into(),
            y: "probability".into(),
            limit: None,
            lines: most_probable(shares(results, setting, parameter, &order.targets)).into_iter().map(line).collect(),
        },
    };
    Ok(forage_chart::draw(&chart)?)
}

/// The settings that come furthest up, as many as can be told apart.
fn best(results: &Results, quantity: Quantity, at: (Axis, u64), order: &FigureOrder) -> Vec<String> {
    let figure = |setting: &str| {
        let value = Value { quantity, setting: setting.into(), at, targets: order.targets.clone() };
        value.mean(results).map(|mean| mean.mean)
    };
    let measured = results.settings().into_iter().filter_map(|setting| Some((figure(setting)?, setting)));
    let mut measured: Vec<(f64, &str)> = measured.collect();
    measured.sort_by(|a, b| b.0.total_cmp(&a.0));
    measured.into_iter().take(MOST_LINES).map(|(_, setting)| setting.to_owned()).collect()
}

/// The values that are most probable at the end, in their own order.
fn most_probable(mut curves: Vec<Curve>) -> Vec<Curve> {
    let at_end = |curve: &Curve| curve.points.last().map_or(0, |(_, mean)| (mean.mean * 1e6) as u64);
    curves.sort_by_key(|curve| Reverse(at_end(curve)));
    curves.truncate(MOST_LINES);
    curves.sort_by_key(|curve| (curve.name.parse::<u32>().ok(), curve.name.clone()));
    curves
}

fn line(curve: Curve) -> Line {
    let points = curve.points.into_iter().map(|(x, mean)| Point { x, y: mean.mean, low: mean.low, high: mean.high });
    Line { name: curve.name, points: points.collect() }
}

/// Of what the curves are means, and bands ranges.
fn title(results: &Results, order: &FigureOrder, settings: &[&str]) -> String {
    let runs = || settings.iter().flat_map(|setting| results.of(setting, &order.targets));
    let targets: BTreeSet<&str> = runs().map(|run| run.target.as_str()).collect();
    let seeds: BTreeSet<u64> = runs().map(|run| run.seed).collect();
    let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
    let band = if seeds.len() > 1 { format!("; band: range of {} seeds", seeds.len()) } else { String::new() };
    format!("{}{targets}{band}", if targets.contains(',') { "Mean of " } else { "" })
}

fn said(quantity: Quantity) -> String {
    match quantity.to_string().as_str() {
        "relevant" => "relevant documents found".into(),
        "PosDocs" => "PosDocs: relevant / documents".into(),
        "PosQueries" => "PosQueries: relevant / queries".into(),
        "PosCalls" => "PosCalls: relevant / calls".into(),
        "empty" => "queries without a hit / queries".into(),
        other => other.into(),
    }
}

/// What is at most possible: as many relevant documents as were retrieved, or as there are.
fn limit(results: &Results, order: &FigureOrder, quantity: Quantity, axis: Axis) -> Option<Limit> {
    if quantity != Quantity::relevant() {
        return None;
    }
    if axis == Axis::Documents {
        return Some(Limit { name: "all relevant".into(), slope: 1.0, start: 0.0 });
    }
    let is_wanted = |target: &str| order.targets.is_empty() || order.targets.iter().any(|wanted| wanted == target);
    let reachable: BTreeSet<(&str, u64)> = results
        .runs()
        .iter()
        .filter(|run| is_wanted(&run.target))
        .filter_map(|run| Some((run.target.as_str(), run.reachable?)))
        .collect();
    let sum: u64 = reachable.iter().map(|(_, documents)| documents).sum();
    let start = (!reachable.is_empty()).then(|| sum as f64 / reachable.len() as f64)?;
    Some(Limit { name: "all that there are".into(), slope: 0.0, start })
}
