//! The style of a line: its colour, its dashes, and the shape of its markers.
//!
//! A style can be recognised without its colour, in a grey print: the first four are solid lines
//! with filled markers of four shapes, the other four dashed lines with hollow ones.

use super::MAX_LINES;
use super::palette::COLOURS;
use super::polyline::Polyline;
use super::svg::{Colour, Pixel, Svg, WHITE};

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
    pub(crate) colour: Colour,
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
    pub(crate) fn draw_line(&self, svg: &mut Svg, line: &Polyline) {
        let paths = if self.is_dashed {
            line.dashes(DASHES.0, DASHES.1)
        } else {
            vec![line.pixels()]
        };
        for path in paths {
            svg.path(&path, self.colour, LINE_WIDTH);
        }
    }

    /// Draws the markers of a line: at equal distances, and one at its end. They identify the line
    /// and are not points of it.
    pub(crate) fn draw_markers(&self, svg: &mut Svg, line: &Polyline) {
        let before_end = line.length() - MARKER_DISTANCE / 4.0;
        let number = ((before_end - self.first_marker) / MARKER_DISTANCE).floor() + 1.0;
        let before = (0..number.max(0.0) as usize)
            .map(|index| self.first_marker + index as f64 * MARKER_DISTANCE);
        for distance in before.chain([line.length()]) {
            self.draw_marker(svg, line.pixel_at(distance));
        }
    }

    /// Draws a marker, with a white edge that sets it off from the lines below it.
    pub(crate) fn draw_marker(&self, svg: &mut Svg, centre: Pixel) {
        let fill = if self.is_dashed { WHITE } else { self.colour };
        let outline = if self.is_dashed { self.colour } else { WHITE };
        if self.shape == MarkerShape::Circle {
            svg.circle(centre, MARKER_SIZE as i32, fill, (outline, OUTLINE_WIDTH));
            return;
        }
        let mut corners = self.shape.corners(centre);
        svg.polygon(&corners, fill, 1.0);
        corners.extend(corners.first().copied());
        corners.extend(corners.get(1).copied());
        svg.path(&corners, outline, OUTLINE_WIDTH);
    }
}

impl MarkerShape {
    /// Returns the corners of a marker; none of a circle.
    fn corners(self, centre: Pixel) -> Vec<Pixel> {
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
