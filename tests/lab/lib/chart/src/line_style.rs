//! The style of a line: its colour, its dashes, and the shape of its markers.
//!
//! A style can be recognised without its colour, in a grey print: the first four are solid lines
//! with filled markers of four shapes, the other four dashed lines with hollow ones.

use crate::MAX_LINES;
use crate::palette::COLOURS;
use crate::polyline::Polyline;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::SVGBackend;
use plotters::style::{Color, RGBColor, WHITE};

/// The area that a chart is drawn on.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of drawing an element.
pub(crate) type DrawingResult = Result<(), DrawingAreaErrorKind<std::io::Error>>;

// All sizes are in pixels, and set by judgement.

/// Width of a line.
const LINE_WIDTH: u32 = 4;
/// Lengths of the dashes of a dashed line and of the gaps between them.
const DASHES: (f64, f64) = (26.0, 14.0);
/// Distance between two markers of a line.
const MARKER_DISTANCE: f64 = 240.0;
/// Size of a marker: the radius of a circle of about the same area.
const MARKER_SIZE: f64 = 9.0;
/// Width of the outline of a marker.
const OUTLINE_WIDTH: u32 = 3;

/// The shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerShape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// The style of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineStyle {
    /// The colour of the line, its band and its markers.
    pub(crate) colour: RGBColor,
    shape: MarkerShape,
    /// Dashed, with hollow markers; otherwise solid, with filled ones.
    is_dashed: bool,
    /// The distance of the first marker from the start of the line. It differs between lines, so
    /// that the markers of lines that coincide are side by side.
    first_marker: f64,
}

impl LineStyle {
    /// Returns the styles of the lines of a chart, in order.
    pub(crate) fn all() -> [LineStyle; MAX_LINES] {
        const SHAPES: [MarkerShape; 4] = [
            MarkerShape::Circle,
            MarkerShape::Square,
            MarkerShape::Triangle,
            MarkerShape::Diamond,
        ];
        std::array::from_fn(|index| LineStyle {
            colour: COLOURS[index],
            shape: SHAPES[index % SHAPES.len()],
            is_dashed: index >= SHAPES.len(),
            first_marker: MARKER_DISTANCE * (index + 1) as f64 / MAX_LINES as f64,
        })
    }

    /// Draws a line without its markers.
    pub(crate) fn draw_line(&self, area: &Area, line: &Polyline) -> DrawingResult {
        let paths = if self.is_dashed {
            line.dashes(DASHES.0, DASHES.1)
        } else {
            vec![line.pixels()]
        };
        paths.into_iter().try_for_each(|path| {
            area.draw(&PathElement::new(
                path,
                self.colour.stroke_width(LINE_WIDTH),
            ))
        })
    }

    /// Draws the markers of a line: at equal distances, and one at its end. They identify the line
    /// and are not points of it.
    pub(crate) fn draw_markers(&self, area: &Area, line: &Polyline) -> DrawingResult {
        let before_end = line.length() - MARKER_DISTANCE / 4.0;
        let number = ((before_end - self.first_marker) / MARKER_DISTANCE).floor() + 1.0;
        (0..number.max(0.0) as usize)
            .map(|index| self.first_marker + index as f64 * MARKER_DISTANCE)
            .chain([line.length()])
            .try_for_each(|distance| self.draw_marker(area, line.pixel_at(distance)))
    }

    /// Draws a marker, with a white edge that sets it off from the lines below it.
    pub(crate) fn draw_marker(&self, area: &Area, centre: (i32, i32)) -> DrawingResult {
        let fill = if self.is_dashed { WHITE } else { self.colour };
        let outline = if self.is_dashed { self.colour } else { WHITE };
        let stroke = outline.stroke_width(OUTLINE_WIDTH);
        if self.shape == MarkerShape::Circle {
            let radius = MARKER_SIZE as i32;
            area.draw(&Circle::new(centre, radius, fill.filled()))?;
            return area.draw(&Circle::new(centre, radius, stroke));
        }
        let mut corners = self.shape.corners(centre);
        area.draw(&Polygon::new(corners.clone(), fill.filled()))?;
        corners.extend(corners.first().copied());
        corners.extend(corners.get(1).copied());
        area.draw(&PathElement::new(corners, stroke))
    }
}

impl MarkerShape {
    /// Returns the corners of a marker; none of a circle.
    fn corners(self, centre: (i32, i32)) -> Vec<(i32, i32)> {
        // The factors make the areas similar.
        let offsets: &[(f64, f64)] = match self {
            MarkerShape::Circle => &[],
            MarkerShape::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            MarkerShape::Triangle => &[(0.0, -1.3), (1.25, 0.9), (-1.25, 0.9)],
            MarkerShape::Diamond => &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
        };
        let pixel = |offset: f64| (offset * MARKER_SIZE).round() as i32;
        offsets
            .iter()
            .map(|(x, y)| (centre.0 + pixel(*x), centre.1 + pixel(*y)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::LineStyle;

    #[test]
    fn no_two_styles_have_the_same_dashes_and_markers() {
        let styles = LineStyle::all();
        for (index, style) in styles.iter().enumerate() {
            for other in &styles[..index] {
                assert!(
                    (style.shape, style.is_dashed) != (other.shape, other.is_dashed),
                    "{style:?} {other:?}"
                );
                assert!(style.first_marker != other.first_marker);
            }
        }
    }
}
