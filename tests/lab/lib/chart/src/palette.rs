//! Colours that can be told apart with any kind of colour vision: those of Okabe and Ito (2008),
//! without yellow, which is too light for a line on white, plus a brown. Black comes last but one.

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

/// The colour of the title, of numbers and of axis labels.
pub(crate) const INK: RGBColor = RGBColor(51, 51, 51);
/// The colour of grid lines.
pub(crate) const GRID: RGBColor = RGBColor(226, 226, 226);
/// The colour of the lines between the end of a line and its name.
pub(crate) const LEADER: RGBColor = RGBColor(170, 170, 170);
/// The colour of the dotted limit line.
pub(crate) const LIMIT: RGBColor = RGBColor(130, 130, 130);
