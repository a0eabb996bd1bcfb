//! Line charts as SVG: lines over a common x-axis, each with a band and with its name at its end.
//!
//! [`draw_chart`] lays out a [`Chart`] and draws it with the `plotters` crate. There is no legend:
//! the name of each line stands next to its end, in its colour. Names of lines that end close to
//! each other are moved apart. Equal charts result in equal bytes. This crate does not interpret
//! what a chart shows.

mod axis_ticks;
mod drawing;
mod frame;
mod label_layout;
mod palette;

pub use drawing::{ChartError, draw_chart};

/// Maximum number of lines of a chart: the number of colours that can be told apart, including with
/// colour vision deficiencies.
pub const MAX_LINES: usize = palette::COLOURS.len();

/// A line chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// The title above the chart.
    pub title: String,
    /// The label of the x-axis.
    pub x_label: String,
    /// The label of the y-axis.
    pub y_label: String,
    /// The lines, at most [`MAX_LINES`].
    pub lines: Vec<ChartLine>,
    /// A dashed line for the maximum that is possible.
    pub limit: Option<LimitLine>,
}

/// A line of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartLine {
    /// The name at its end.
    pub name: String,
    /// The points in ascending order of x.
    pub points: Vec<ChartPoint>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChartPoint {
    /// The x coordinate.
    pub x: f64,
    /// The y coordinate.
    pub y: f64,
    /// The y coordinate of the lower edge of the band.
    pub low: f64,
    /// The y coordinate of the upper edge of the band.
    pub high: f64,
}

/// A straight dashed line across a chart: y = `intercept` + `slope` · x.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitLine {
    /// The name next to it.
    pub name: String,
    /// The slope.
    pub slope: f64,
    /// The value of y for x = 0.
    pub intercept: f64,
}
