//! A chart of columns.

use super::{BOTTOM, CHAR, Drawing, HEIGHT, LEFT, Scale, TOP, Unit, WIDTH, max_of, width_of};

/// A column of [`columns`], of one or two parts, from the bottom.
#[derive(Debug)]
pub(crate) struct Column {
    pub label: String,
    pub values: Vec<f64>,
}

/// Draws columns side by side: a histogram. The parts of a column have the names of `parts`.
pub(crate) fn columns(
    title: &str,
    (x_label, y_label): (&str, &str),
    parts: &[&str],
    columns: &[Column],
) -> String {
    let (right, bottom) = (WIDTH - 8.0, HEIGHT - BOTTOM);
    let sums = columns.iter().map(|column| column.values.iter().sum());
    let y = Scale::new(max_of(sums, Unit::Count), bottom, TOP + 10.0);
    let mut drawing = Drawing::new(HEIGHT, title);
    drawing.y_axis(y, right, Unit::Count, y_label);
    let width = (right - LEFT) / columns.len().max(1) as f64;
    let longest = width_of(columns.iter().map(|column| &column.label));
    let every = ((longest + 10.0) / width).ceil().max(1.0) as usize;
    for (number, column) in columns.iter().enumerate() {
        let x = LEFT + width * number as f64;
        let mut from = 0.0;
        let parts_of = column.values.iter().enumerate();
        for (part, value) in parts_of.filter(|(_, value)| **value > 0.0) {
            let to = from + value;
            let told = format!(
                "{}: {} {}",
                column.label,
                Unit::Count.format(*value),
                parts.get(part).unwrap_or(&"")
            );
            let size = (width - (width * 0.15).min(2.0), y.at(from) - y.at(to));
            drawing.rect((x, y.at(to)), size, &format!("s{}", part + 1), &told);
            from = to;
        }
        if number % every == 0 {
            drawing.text(x, bottom + 15.0, "tick", &column.label);
        }
    }
    drawing.x_name(right, bottom, x_label);
    if parts.len() > 1 {
        let mut end = right;
        for (part, name) in parts.iter().enumerate().rev() {
            drawing.text(end, 11.0, &format!("name end s{}", part + 1), name);
            end -= name.chars().count() as f64 * CHAR + 14.0;
        }
    }
    drawing.finish()
}
