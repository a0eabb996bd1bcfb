//! Line charts as SVG: lines over a common x axis, each with a band and its name at its end.
//!
//! [`draw()`] lays a [`Chart`] out and has it drawn by the `plotters` crate. Names stand beside the
//! ends of their lines, in their colours, and are moved apart where lines end close together; so no
//! legend has to be looked up. Equal charts give equal bytes. What a chart shows is not known here.

mod draw;
mod frame;
mod labels;
mod palette;
mod ticks;

pub use draw::{ChartError, draw};

/// Most lines that a chart can have: so many colours can be told apart, also by those who see
/// fewer.
pub const MOST_LINES: usize = palette::COLOURS.len();

/// A chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// What it shows, above it.
    pub title: String,
    /// What goes to the right.
    pub x: String,
    /// What goes up.
    pub y: String,
    /// The lines, at most [`MOST_LINES`].
    pub lines: Vec<Line>,
    /// A dashed line across the chart: what is at most possible.
    pub limit: Option<Limit>,
}

/// A line of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points, by rising x.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Where the band begins.
    pub low: f64,
    /// Where the band ends.
    pub high: f64,
}

/// A dashed line across a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Its name.
    pub name: String,
    /// Its slope: it goes up by so much for each x …
    pub slope: f64,
    /// … from here.
    pub start: f64,
}
