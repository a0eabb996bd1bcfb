//! Colours that can be told apart with any kind of colour vision: those of Okabe and Ito (2008),
//! without yellow, which is too light for a line on white, plus a brown. Black comes last but one.

use super::svg::Colour;

/// The colours of the lines, in order.
pub(crate) const COLOURS: [Colour; 8] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(86, 180, 233),
    Colour(230, 159, 0),
    Colour(0, 0, 0),
    Colour(120, 100, 60),
];

/// The colour of the title, of numbers and of axis labels.
pub(crate) const INK: Colour = Colour(51, 51, 51);
/// The colour of grid lines.
pub(crate) const GRID: Colour = Colour(226, 226, 226);
/// The colour of the lines between the end of a line and its name.
pub(crate) const LEADER: Colour = Colour(170, 170, 170);
/// The colour of the dotted limit line.
pub(crate) const LIMIT: Colour = Colour(130, 130, 130);
