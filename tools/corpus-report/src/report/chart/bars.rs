//! A chart of horizontal bars.

use super::{CHAR, Drawing, Scale, TOP, WIDTH, shorten, width_of};
use crate::report::html::format_count;

/// A row of [`bars`].
#[derive(Debug)]
pub(crate) struct Bar {
    pub label: String,
    pub value: f64,
    /// The relevant part of the value.
    pub part: Option<f64>,
    /// The value as it is written.
    pub shown: String,
}

impl Bar {
    /// Creates a bar of a count.
    pub fn of_count(label: &str, count: u64) -> Self {
        Bar {
            label: label.to_owned(),
            value: count as f64,
            part: None,
            shown: format_count(count),
        }
    }

    /// Creates a bar of documents, and the relevant ones of them.
    pub fn of_share(label: &str, documents: u64, relevant: u64) -> Self {
        Bar {
            part: Some(relevant as f64),
            ..Bar::of_count(label, documents)
        }
    }
}

/// Draws horizontal bars, with their labels at the left. If they have parts, a legend says so.
pub(crate) fn bars(title: &str, rows: &[Bar]) -> String {
    let label = |row: &Bar| shorten(&row.label, 26);
    let labels = width_of(rows.iter().map(label)) + 8.0;
    let values = width_of(rows.iter().map(|row| &row.shown)) + 10.0;
    let max = rows.iter().fold(1e-9, |max, row| row.value.max(max));
    let scale = Scale::new(max, labels, WIDTH - values);
    let has_parts = rows.iter().any(|row| row.part.is_some());
    let top = if has_parts { TOP } else { 0.0 };
    let mut drawing = Drawing::new(top + rows.len() as f64 * 20.0 + 2.0, title);
    if has_parts {
        let mut x = labels;
        for (class, name) in [("s1", "relevant"), ("s1 pale", "other")] {
            drawing.rect((x, 3.0), (12.0, 12.0), class, name);
            drawing.text(x + 17.0, 13.0, "tick", name);
            x += 17.0 + name.len() as f64 * CHAR + 14.0;
        }
    }
    for (number, row) in rows.iter().enumerate() {
        let y = top + number as f64 * 20.0;
        let told = format!("{}: {}", row.label, row.shown);
        drawing.text(labels - 8.0, y + 14.0, "label end", &label(row));
        let whole = if row.part.is_some() { "s1 pale" } else { "s1" };
        for (value, class) in [(Some(row.value), whole), (row.part, "s1")] {
            if let Some(value) = value {
                let size = (scale.at(value) - labels, 14.0);
                drawing.rect((labels, y + 3.0), size, class, &told);
            }
        }
        drawing.text(scale.at(row.value) + 5.0, y + 14.0, "value", &row.shown);
    }
    drawing.finish()
}
