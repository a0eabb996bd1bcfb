//! Chart forms, in SVG: lines, bars, columns, ranges and arcs.
//!
//! Colours and fonts are those of the page: a mark has the class of its series, `s1` to `s6`. Axes
//! are light and have few ticks, and names stand beside what they name.

mod arcs;
mod bars;
mod columns;
mod lines;
mod ranges;

pub(crate) use arcs::arcs;
pub(crate) use bars::{Bar, bars};
pub(crate) use columns::{Column, columns};
pub(crate) use lines::{Series, lines};
pub(crate) use ranges::{Range, ranges};

use crate::report::html::{escape, format_count, format_decimal};
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
    fn new(max: f64, from: f64, to: f64) -> Self {
        Scale { max, from, to }
    }

    fn at(self, value: f64) -> f64 {
        self.from + (self.to - self.from) * value / self.max
    }
}

/// Returns at most `number` round numbers above 0 up to `max`, and 0: 1, 2 or 5 times a power of
/// 10.
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
            self.line((LEFT, y), (right, y), line_class(tick));
            self.text(LEFT - 6.0, y + 4.0, "tick end", &unit.format(tick));
        }
        self.text(0.0, 11.0, "axis-name", &format!("↑ {label}"));
    }

    fn x_axis(&mut self, scale: Scale, y: f64, label: &str) {
        for tick in ticks(scale.max, 4) {
            let class = if tick == 0.0 { "tick" } else { "tick mid" };
            self.text(scale.at(tick), y + 15.0, class, &Unit::Count.format(tick));
        }
        self.x_name(scale.to, y, label);
    }

    fn x_name(&mut self, right: f64, y: f64, label: &str) {
        self.text(right, y + 32.0, "axis-name end", &format!("{label} →"));
    }

    fn finish(mut self) -> String {
        self.svg += "</svg>";
        self.svg
    }
}

/// Returns the class of the line at a tick.
fn line_class(tick: f64) -> &'static str {
    if tick == 0.0 { "axis" } else { "grid" }
}

/// Returns the width of the longest of the texts.
fn width_of(texts: impl Iterator<Item = impl AsRef<str>>) -> f64 {
    let lengths = texts.map(|text| text.as_ref().chars().count());
    lengths.max().unwrap_or(0) as f64 * CHAR
}

/// Returns the largest number, at least 1 for counts.
fn max_of(values: impl Iterator<Item = f64>, unit: Unit) -> f64 {
    match unit {
        Unit::Percent => 1.0,
        Unit::Count => values.fold(1.0, f64::max),
    }
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
