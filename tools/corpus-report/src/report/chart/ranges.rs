//! A chart of dots and intervals.

use super::{BOTTOM, CHAR, Drawing, Scale, TOP, Unit, WIDTH};
use super::{line_class, max_of, shorten, ticks, width_of};

/// A row of [`ranges`]: a dot, and an interval or a second dot.
#[derive(Debug)]
pub(crate) struct Range {
    pub label: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub other: Option<f64>,
}

/// Draws dots on a common scale from 0, each with an interval or beside a second dot.
pub(crate) fn ranges(
    title: &str,
    x_label: &str,
    unit: Unit,
    names: Option<(&str, &str)>,
    rows: &[Range],
) -> String {
    let label = |row: &Range| shorten(&row.label, 22);
    let left = width_of(rows.iter().map(label)) + 14.0;
    let values = |row: &Range| {
        let high = row.interval.map(|(_, high)| high);
        [Some(row.value), high, row.other].into_iter().flatten()
    };
    let max = max_of(rows.iter().flat_map(values), unit);
    let x = Scale::new(max, left, WIDTH - 16.0);
    let bottom = TOP + rows.len() as f64 * 18.0 + 4.0;
    let mut drawing = Drawing::new(bottom + BOTTOM, title);
    for tick in ticks(max, 4) {
        let x = x.at(tick);
        drawing.line((x, TOP - 4.0), (x, bottom), line_class(tick));
        drawing.text(x, bottom + 15.0, "tick mid", &unit.format(tick));
    }
    drawing.x_name(WIDTH - 8.0, bottom, x_label);
    if let Some((one, other)) = names {
        drawing.text(left, 11.0, "name s1", &format!("● {one}"));
        let second = left + (one.chars().count() + 4) as f64 * CHAR;
        drawing.text(second, 11.0, "name s2", &format!("● {other}"));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + number as f64 * 18.0 + 9.0;
        drawing.text(left - 8.0, y + 4.0, "label end", &label(row));
        if let Some((low, high)) = row.interval {
            let ends = [low, high].map(|end| (x.at(end.min(max)), y));
            drawing.line(ends[0], ends[1], "interval");
        }
        let told = |value: f64| format!("{}: {}", row.label, unit.format(value));
        if let Some(other) = row.other {
            drawing.line((x.at(row.value), y), (x.at(other), y), "grid");
            drawing.dot(x.at(other), y, "s2", &told(other.round()));
        }
        let shown = match unit {
            Unit::Count => row.value.round(),
            Unit::Percent => row.value,
        };
        drawing.dot(x.at(row.value), y, "s1", &told(shown));
    }
    drawing.finish()
}
