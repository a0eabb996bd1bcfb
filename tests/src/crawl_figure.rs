//! The figure of docs/EXPERIMENTS-crawl.md: recall by requests, a panel per subject, with ranges.
//!
//! The figures of report-runs have one panel and no ranges.

use forage_chart::{Chart, ChartLine, ChartPoint, SIZE, draw_chart};
use forage_experiment::{MeasuredTable, MeasuredTables};

/// Draws the curves of the experiment `recall`: the panels of some targets, one above the other.
///
/// The lines are the mean over the cores, and the bands their range.
///
/// # Panics
/// Panics if a target has no curve with two points.
#[must_use]
pub fn draw_crawl_figure(tables: &MeasuredTables, targets: &[&str]) -> String {
    let (width, height) = (SIZE.0, SIZE.1 * targets.len() as u32);
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n"
    );
    for (number, target) in targets.iter().enumerate() {
        let chart = Chart {
            title: format!(
                "{}: recall; bands: range of the cores",
                target.replace('-', " ")
            ),
            x_label: "requests".into(),
            y_label: "recall".into(),
            lines: tables.of("recall", target).map(chart_line).collect(),
            limit: None,
        };
        let top = SIZE.1 * number as u32;
        let panel = draw_chart(&chart).expect("each target has curves");
        svg.push_str(&panel.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1));
    }
    svg + "</svg>\n"
}

/// Returns the line of a setting. Points that were not measured are left out.
fn chart_line(table: &MeasuredTable) -> ChartLine {
    let column = |name: &str| -> Vec<Option<f64>> {
        table
            .column(name)
            .map(Iterator::collect)
            .unwrap_or_default()
    };
    let [x, y, low, high] = ["requests", "recall", "recall-low", "recall-high"].map(column);
    let point = |at: usize| {
        Some(ChartPoint {
            x: x[at]?,
            y: y[at]?,
            low: low[at]?,
            high: high[at]?,
        })
    };
    ChartLine {
        name: table.setting.clone(),
        points: (0..table.points.len()).filter_map(point).collect(),
    }
}
