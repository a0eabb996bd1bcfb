//! A chart of lines.

use super::{BOTTOM, Drawing, HEIGHT, LEFT, LINE, Scale, TOP, Unit, WIDTH};
use super::{max_of, shorten, width_of};
use std::fmt::Write;

/// A line with its name.
#[derive(Debug)]
pub(crate) struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Draws lines, with the name of each at its end. `title` describes the chart for those who do not
/// see it.
pub(crate) fn lines(
    title: &str,
    (x_label, y_label): (&str, &str),
    unit: Unit,
    series: &[Series],
) -> String {
    let all = || series.iter().flat_map(|series| &series.points);
    let label = |series: &Series| shorten(&series.name, 14);
    let named = if series.len() > 1 { series } else { &[] };
    let names = width_of(named.iter().map(label)) + 12.0;
    let (right, bottom) = (WIDTH - names, HEIGHT - BOTTOM);
    let x = Scale::new(max_of(all().map(|p| p.0), Unit::Count), LEFT, right);
    let y = Scale::new(max_of(all().map(|p| p.1), unit), bottom, TOP);
    let mut drawing = Drawing::new(HEIGHT, title);
    drawing.y_axis(y, right, unit, y_label);
    drawing.x_axis(x, bottom, x_label);
    let mut ends = Vec::new();
    for (number, series) in series.iter().enumerate() {
        let points: Vec<String> = series
            .points
            .iter()
            .map(|p| format!("{:.1},{:.1}", x.at(p.0), y.at(p.1)))
            .collect();
        let class = number % 6 + 1;
        let _ = write!(
            drawing.svg,
            "<polyline points=\"{}\" class=\"line s{class}\"></polyline>",
            points.join(" ")
        );
        if let Some(last) = series.points.last() {
            let (x, y) = (x.at(last.0), y.at(last.1));
            drawing.dot(x, y, &format!("s{class}"), &series.name);
            ends.push((y, x, class, label(series)));
        }
    }
    if series.len() > 1 {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut lowest = f64::MIN;
        for (y, x, class, name) in &ends {
            // Beside all lines that end at the same height.
            let near = ends
                .iter()
                .filter(|end| (end.0 - y).abs() < LINE)
                .map(|end| end.1);
            lowest = y.max(lowest + LINE);
            let x = near.fold(*x, f64::max);
            drawing.text(x + 8.0, lowest + 4.0, &format!("name s{class}"), name);
        }
    }
    drawing.finish()
}
