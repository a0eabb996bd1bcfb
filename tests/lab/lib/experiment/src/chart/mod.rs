//! Line charts and matrices as SVG. A chart has several lines, each with a band around it and a label at its right end.
//!
//! [`draw_chart`] lays out a [`Chart`] and draws it. There is no legend:
//! each line is labelled at its end. Labels that would overlap are moved apart. Lines differ by
//! colour, and in a grey print by their markers and dashes, a sample of which precedes each label.
//! Equal charts result in equal bytes. [`draw_matrices`] draws
//! shares of what was confused with what. The module is independent of the data that a chart shows.

mod axis_ticks;
mod drawing;
mod frame;
mod label_layout;
mod line_style;
mod matrix;
mod palette;
mod polyline;
mod svg;

pub use drawing::{ChartError, draw_chart};
pub use frame::SIZE;
pub use matrix::{Matrix, draw_matrices};

/// Maximum number of lines of a chart: the number of colours that readers can distinguish,
/// including those with colour vision deficiencies.
pub const MAX_LINES: usize = palette::COLOURS.len();

/// A line chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// The title above the chart.
    pub title: String,
    /// The label of the x-axis.
    pub x_label: String,
    /// Names for 0, 1, 2, … on the x-axis; without any, it has numbers.
    pub x_names: Vec<String>,
    /// The label of the y-axis.
    pub y_label: String,
    /// The lines, at most [`MAX_LINES`].
    pub lines: Vec<ChartLine>,
    /// A dotted line for the highest possible values.
    pub limit: Option<LimitLine>,
}

/// A line of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartLine {
    /// The label at its end.
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

/// A straight dotted line across a chart: y = `intercept` + `slope` · x.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitLine {
    /// The label next to it.
    pub name: String,
    /// The slope.
    pub slope: f64,
    /// The value of y for x = 0.
    pub intercept: f64,
}
