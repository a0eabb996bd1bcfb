//! A chart of dots and intervals.

use super::{BOTTOM, CHAR, Drawing, Scale, TOP, Unit, WIDTH, max_of, shorten, ticks};

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
    let longest = rows
        .iter()
        .map(|row| shorten(&row.label, 22).chars().count())
        .max();
    let left = longest.unwrap_or(0) as f64 * CHAR + 14.0;
    let ends = |row: &Range| {
        row.interval
            .map_or(0.0, |(_, high)| high)
            .max(row.other.unwrap_or(0.0))
    };
    let max = max_of(rows.iter().map(|row| row.value.max(ends(row))), unit);
    let x = Scale {
        max,
        from: left,
        to: WIDTH - 16.0,
    };
    let bottom = TOP + rows.len() as f64 * 18.0 + 4.0;
    let mut drawing = Drawing::new(bottom + BOTTOM, title);
    for tick in ticks(max, 4) {
        drawing.line(
            (x.at(tick), TOP - 4.0),
            (x.at(tick), bottom),
            if tick == 0.0 { "axis" } else { "grid" },
        );
        drawing.text(x.at(tick), bottom + 15.0, "tick mid", &unit.format(tick));
    }
    drawing.text(
        WIDTH - 8.0,
        bottom + 32.0,
        "axis-name end",
        &format!("{x_label} →"),
    );
    if let Some((one, other)) = names {
        drawing.text(left, 11.0, "name s1", &format!("● {one}"));
        drawing.text(
            left + (one.chars().count() + 4) as f64 * CHAR,
            11.0,
            "name s2",
            &format!("● {other}"),
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + number as f64 * 18.0 + 9.0;
        drawing.text(left - 8.0, y + 4.0, "label end", &shorten(&row.label, 22));
        if let Some((low, high)) = row.interval {
            drawing.line(
                (x.at(low.min(max)), y),
                (x.at(high.min(max)), y),
                "interval",
            );
        }
        if let Some(other) = row.other {
            drawing.line((x.at(row.value), y), (x.at(other), y), "grid");
            drawing.dot(
                x.at(other),
                y,
                "s2",
                &format!("{}: {}", row.label, unit.format(other.round())),
            );
        }
        let shown = if unit == Unit::Count {
            row.value.round()
        } else {
            row.value
        };
        drawing.dot(
            x.at(row.value),
            y,
            "s1",
            &format!("{}: {}", row.label, unit.format(shown)),
        );
    }
    drawing.finish()
}
