//! A chart of lines.

use super::{BOTTOM, CHAR, Drawing, HEIGHT, LEFT, LINE, Scale, TOP, Unit, WIDTH, max_of, shorten};
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
    let longest = series
        .iter()
        .map(|s| shorten(&s.name, 14).chars().count())
        .max();
    let names = if series.len() > 1 {
        longest.unwrap_or(0) as f64 * CHAR + 12.0
    } else {
        12.0
    };
    let (right, bottom) = (WIDTH - names, HEIGHT - BOTTOM);
    let x = Scale {
        max: max_of(all().map(|p| p.0), Unit::Count),
        from: LEFT,
        to: right,
    };
    let y = Scale {
        max: max_of(all().map(|p| p.1), unit),
        from: bottom,
        to: TOP,
    };
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
            drawing.dot(
                x.at(last.0),
                y.at(last.1),
                &format!("s{class}"),
                &series.name,
            );
            ends.push((y.at(last.1), x.at(last.0), class, shorten(&series.name, 14)));
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
