//! Colours that are told apart with any kind of colour vision: Okabe and Ito (2008), without
//! yellow, which is too light for a line on white, and with black last.

use plotters::style::RGBColor;

/// The colours of the lines, in order.
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(120, 100, 60),
];

/// Titles, numbers and names of axes.
pub(crate) const INK: RGBColor = RGBColor(51, 51, 51);
/// Lines of the grid.
pub(crate) const GRID: RGBColor = RGBColor(226, 226, 226);
/// The dashed line of a limit.
pub(crate) const LIMIT: RGBColor = RGBColor(130, 130, 130);
