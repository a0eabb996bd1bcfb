//! A glyph on a page, as the operators of the page place it.

use hayro_font::kurbo::{Affine, Point, Vec2};
use std::rc::Rc;

/// A glyph: mostly one letter, or the letters of a ligature in reading order.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub text: Rc<str>,
    /// The start of its baseline; of a vertical glyph, the middle of its upper edge.
    pub origin: Point,
    /// From its origin to where the next glyph would be, without the spacing between glyphs.
    pub advance: Vec2,
    /// The spacing of letters that the page states for it (`Tc`), in font sizes.
    pub spacing: f64,
    /// Direction of its line, of length 1.
    pub direction: Vec2,
    /// Font size along the line.
    pub width_size: f64,
    /// Font size across the line.
    pub size: f64,
}

impl Glyph {
    /// Returns a glyph in a text space that `transform` maps to the page. `advance` and `size` are
    /// in text space. `None` if its place on the page is no number.
    pub fn new(
        text: Rc<str>,
        transform: Affine,
        origin: Point,
        advance: Vec2,
        is_vertical: bool,
    ) -> Option<Glyph> {
        let [a, b, c, d, ..] = transform.as_coeffs();
        let (right, up) = (Vec2::new(a, b), Vec2::new(c, d));
        let (along, across) = if is_vertical {
            (-up, right)
        } else {
            (right, up)
        };
        let width_size = along.hypot();
        let glyph = Glyph {
            text,
            origin: transform * origin,
            advance: right * advance.x + up * advance.y,
            spacing: 0.0,
            direction: along / width_size,
            width_size,
            // The distance of lines, if the letters are slanted.
            size: (along.cross(across) / width_size).abs(),
        };
        let is_placed = glyph.origin.is_finite()
            && glyph.advance.is_finite()
            && glyph.direction.is_finite()
            && glyph.size > 0.0;
        is_placed.then_some(glyph)
    }

    /// Returns the middle of the glyph, as high as a capital letter.
    pub fn middle(&self) -> Point {
        self.origin + self.advance / 2.0 + 0.35 * self.size * self.direction.turn_90()
    }

    /// Returns `true` if the glyph is a blank.
    pub fn is_blank(&self) -> bool {
        self.text.chars().all(char::is_whitespace)
    }
}
