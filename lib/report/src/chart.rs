//! Chart forms, in SVG: lines, bars, columns, ranges and arcs.
//!
//! Colours and fonts are those of the page: a mark has the class of its series, `s1` to `s6`. Axes
//! are light and have few ticks, and names stand beside what they name.

use crate::html::{escape, format_count, format_decimal};
use std::fmt::Write;

/// Width of a chart, of which several stand side by side.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 36.0;
/// Distance of text lines.
const LINE: f64 = 14.0;
/// Rough width of a character.
const CHAR: f64 = 6.9;

/// A line with its name.
#[derive(Debug)]
pub(crate) struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

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

/// A column of [`columns`], of one or two parts, from the bottom.
#[derive(Debug)]
pub(crate) struct Column {
    pub label: String,
    pub values: Vec<f64>,
}

/// A row of [`ranges`]: a dot, and an interval or a second dot.
#[derive(Debug)]
pub(crate) struct Range {
    pub label: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub other: Option<f64>,
}

/// How numbers of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unit {
    Count,
    /// Shares of 1, written in per cent, on an axis from 0 to 1.
    Percent,
}

impl Unit {
    fn format(self, number: f64) -> String {
        match self {
            Unit::Percent => format!("{}\u{202f}%", format_decimal(number * 100.0, 0)),
            Unit::Count if number.fract() == 0.0 && number >= 0.0 => format_count(number as u64),
            Unit::Count => format_decimal(number, 1),
        }
    }
}

/// A linear scale from data to the drawing.
#[derive(Debug, Clone, Copy)]
struct Scale {
    max: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn at(self, value: f64) -> f64 {
        self.from + (self.to - self.from) * value / self.max
    }
}

/// Returns at most `number` round numbers above 0 up to `max`, and 0: 1, 2 or 5 times a power of 10.
fn ticks(max: f64, number: u32) -> Vec<f64> {
    let raw = (max / f64::from(number)).max(f64::MIN_POSITIVE);
    let power = libm::pow(10.0, libm::floor(libm::log10(raw)));
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power);
    let step = step
        .into_iter()
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(raw);
    (0..=10)
        .map(|n| step * f64::from(n))
        .take_while(|tick| *tick <= max * 1.000_001)
        .collect()
}

/// An SVG drawing that is begun.
struct Drawing {
    svg: String,
}

impl Drawing {
    fn new(height: f64, title: &str) -> Self {
        let title = escape(title);
        Drawing {
            svg: format!(
                "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=img aria-label=\"{title}\">"
            ),
        }
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escape(text);
        let _ = write!(
            self.svg,
            "<text x={x:.1} y={y:.1} class=\"{class}\">{text}</text>"
        );
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = write!(
            self.svg,
            "<line x1={x1:.1} y1={y1:.1} x2={x2:.1} y2={y2:.1} class=\"{class}\"></line>"
        );
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, title: &str) {
        let title = escape(title);
        let _ = write!(
            self.svg,
            "<rect x={x:.1} y={y:.1} width={:.1} height={:.1} class=\"{class}\"><title>{title}</title></rect>",
            width.max(0.0),
            height.max(0.0)
        );
    }

    fn dot(&mut self, x: f64, y: f64, class: &str, title: &str) {
        let title = escape(title);
        let _ = write!(
            self.svg,
            "<circle cx={x:.1} cy={y:.1} r=4 class=\"{class}\"><title>{title}</title></circle>"
        );
    }

    /// Draws a horizontal line and a number at each tick.
    fn y_axis(&mut self, scale: Scale, right: f64, unit: Unit, label: &str) {
        for tick in ticks(scale.max, 6) {
            let y = scale.at(tick);
            self.line(
                (LEFT, y),
                (right, y),
                if tick == 0.0 { "axis" } else { "grid" },
            );
            self.text(LEFT - 6.0, y + 4.0, "tick end", &unit.format(tick));
        }
        self.text(0.0, 11.0, "axis-name", &format!("↑ {label}"));
    }

    fn x_axis(&mut self, scale: Scale, y: f64, label: &str) {
        for tick in ticks(scale.max, 4) {
            let class = if tick == 0.0 { "tick" } else { "tick mid" };
            self.text(scale.at(tick), y + 15.0, class, &Unit::Count.format(tick));
        }
        self.text(scale.to, y + 32.0, "axis-name end", &format!("{label} →"));
    }

    fn finish(mut self) -> String {
        self.svg += "</svg>";
        self.svg
    }
}

/// Returns the largest number, at least 1 for counts.
fn max_of(values: impl Iterator<Item = f64>, unit: Unit) -> f64 {
    match unit {
        Unit::Percent => 1.0,
        Unit::Count => values.fold(1.0, f64::max),
    }
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

/// Draws horizontal bars, with their labels at the left. If they have parts, a legend says so.
pub(crate) fn bars(title: &str, rows: &[Bar]) -> String {
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0) as f64 * CHAR;
    let labels = longest(
        &mut rows
            .iter()
            .map(|row| shorten(&row.label, 26).chars().count()),
    ) + 8.0;
    let values = longest(&mut rows.iter().map(|row| row.shown.chars().count())) + 10.0;
    let max = max_of(rows.iter().map(|row| row.value), Unit::Count);
    let max = if max == 1.0 {
        rows.iter().fold(1e-9, |max, row| row.value.max(max))
    } else {
        max
    };
    let scale = Scale {
        max,
        from: labels,
        to: WIDTH - values,
    };
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
        drawing.text(
            labels - 8.0,
            y + 14.0,
            "label end",
            &shorten(&row.label, 26),
        );
        let class = if row.part.is_some() { "s1 pale" } else { "s1" };
        drawing.rect(
            (labels, y + 3.0),
            (scale.at(row.value) - labels, 14.0),
            class,
            &told,
        );
        if let Some(part) = row.part {
            drawing.rect(
                (labels, y + 3.0),
                (scale.at(part) - labels, 14.0),
                "s1",
                &told,
            );
        }
        drawing.text(scale.at(row.value) + 5.0, y + 14.0, "value", &row.shown);
    }
    drawing.finish()
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
    let y = Scale {
        max: max_of(sums, Unit::Count),
        from: bottom,
        to: TOP + 10.0,
    };
    let mut drawing = Drawing::new(HEIGHT, title);
    drawing.y_axis(y, right, Unit::Count, y_label);
    let width = (right - LEFT) / columns.len().max(1) as f64;
    let longest = columns
        .iter()
        .map(|c| c.label.chars().count())
        .max()
        .unwrap_or(1);
    let every = ((longest as f64 * CHAR + 10.0) / width).ceil().max(1.0) as usize;
    for (number, column) in columns.iter().enumerate() {
        let x = LEFT + width * number as f64;
        let mut from = 0.0;
        for (part, value) in column
            .values
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0.0)
        {
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
    drawing.text(
        right,
        bottom + 32.0,
        "axis-name end",
        &format!("{x_label} →"),
    );
    if parts.len() > 1 {
        let mut end = right;
        for (part, name) in parts.iter().enumerate().rev() {
            drawing.text(end, 11.0, &format!("name end s{}", part + 1), name);
            end -= name.chars().count() as f64 * CHAR + 14.0;
        }
    }
    drawing.finish()
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

/// Draws a graph: nodes below each other, and the edges as arcs at their right.
pub(crate) fn arcs(title: &str, nodes: &[Bar], edges: &[(usize, usize, f64)]) -> String {
    let spacing = 22.0;
    let longest = nodes
        .iter()
        .map(|n| shorten(&n.label, 26).chars().count())
        .max();
    let x = longest.unwrap_or(0) as f64 * CHAR + 20.0;
    let mut drawing = Drawing::new(nodes.len() as f64 * spacing + 4.0, title);
    let y_of = |node: usize| node as f64 * spacing + 12.0;
    let heaviest = edges.iter().fold(1.0, |max: f64, edge| max.max(edge.2));
    let room = (WIDTH - x - 10.0) * 2.0 / (nodes.len().max(2) as f64 * spacing);
    for &(from, to, weight) in edges {
        let (a, b) = (y_of(from.min(to)), y_of(from.max(to)));
        let (radius, width) = ((b - a) / 2.0, 0.5 + 4.0 * libm::sqrt(weight / heaviest));
        let told = format!(
            "{} – {}: {}",
            nodes.get(from).map_or("", |n| &n.label),
            nodes.get(to).map_or("", |n| &n.label),
            Unit::Count.format(weight)
        );
        let _ = write!(
            drawing.svg,
            "<path d=\"M{x:.1} {a:.1}A{:.1} {radius:.1} 0 0 1 {x:.1} {b:.1}\" stroke-width={width:.1} class=arc><title>{}</title></path>",
            radius * room.min(1.6),
            escape(&told)
        );
    }
    let largest = nodes.iter().fold(1.0, |max: f64, node| max.max(node.value));
    for (number, node) in nodes.iter().enumerate() {
        drawing.text(
            x - 12.0,
            y_of(number) + 4.0,
            "label end",
            &shorten(&node.label, 26),
        );
        let radius = 2.0 + 5.0 * libm::sqrt(node.value / largest);
        let _ = write!(
            drawing.svg,
            "<circle cx={x:.1} cy={:.1} r={radius:.1} class=s1><title>{}: {}</title></circle>",
            y_of(number),
            escape(&node.label),
            escape(&node.shown)
        );
    }
    drawing.finish()
}

/// Shortens a name in its middle.
fn shorten(name: &str, max: usize) -> String {
    let length = name.chars().count();
    if length <= max {
        return name.to_owned();
    }
    let head: String = name.chars().take(max / 2).collect();
    let tail: String = name.chars().skip(length - (max - max / 2 - 1)).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::{Series, Unit, lines, shorten, ticks};

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(ticks(1.0, 4), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(526.0, 4), [0.0, 200.0, 400.0]);
        assert_eq!(ticks(96.0, 6), [0.0, 20.0, 40.0, 60.0, 80.0]);
        for max in [1e-9, 1.0, 3.3, 99.0, 1e12] {
            assert!((2..=5).contains(&ticks(max, 4).len()), "{max}");
        }
    }

    #[test]
    fn names_are_shortened_in_the_middle_and_escaped() {
        assert_eq!(shorten("www.a-long-name.example.org", 11), "www.a…e.org");
        let series = [Series {
            name: "<a>".into(),
            points: vec![(0.0, 0.0), (1.0, 2.0)],
        }];
        let svg = lines("\"x\"", ("a", "b"), Unit::Count, &series);
        assert!(svg.contains("&quot;x&quot;") && svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
    }
}
