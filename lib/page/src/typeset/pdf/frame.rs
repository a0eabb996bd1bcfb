//! The glyphs of a page by the direction of their lines, each direction in coordinates in which
//! lines run to the right and follow each other downwards.

use super::glyph::Glyph;
use hayro_font::kurbo::Vec2;
use std::collections::HashMap;
use std::rc::Rc;
use unicode_bidi::{BidiClass, bidi_class};

/// Greatest angle between lines of the same direction: words of OCR follow the letters of a page
/// that was not scanned straight. Set by judgement, not measured, as the next two.
const SAME_DIRECTION_DEGREES: f64 = 4.0;
/// Distances up to which a glyph is the same one again, printed for a bold or shaded look, in font
/// sizes: along the line, and across it. Those of poppler 22.12 (`TextOutputDev.cc`).
const REPEATED_ALONG: f64 = 0.1;
const REPEATED_ACROSS: f64 = 0.2;

/// A glyph on a page whose lines run to the right.
#[derive(Debug, Clone)]
pub(super) struct PlacedGlyph {
    pub text: Rc<str>,
    pub class: BidiClass,
    /// Horizontal positions of its left and right end.
    pub left: f64,
    pub right: f64,
    /// Stated spacing of letters, in font sizes.
    pub spacing: f64,
    /// Vertical position of its baseline, which grows downwards.
    pub baseline: f64,
    /// Font size along the line, and across it.
    pub width_size: f64,
    pub size: f64,
}

impl PlacedGlyph {
    pub fn is_blank(&self) -> bool {
        self.class == BidiClass::WS
    }

    pub fn middle(&self) -> f64 {
        f64::midpoint(self.left, self.right)
    }

    /// Returns the distance from the end of this glyph to the start of the next, in font sizes.
    pub fn gap_to(&self, next: &PlacedGlyph) -> f64 {
        (next.left - self.right) / self.width_size.max(next.width_size)
    }
}

/// Returns the glyphs by the direction of their lines, most frequent first.
pub(super) fn split_by_direction(glyphs: &[Glyph]) -> Vec<Vec<PlacedGlyph>> {
    let mut groups: Vec<(Vec2, Vec<&Glyph>)> = Vec::new();
    let least_cosine = SAME_DIRECTION_DEGREES.to_radians().cos();
    for glyph in glyphs {
        let group = groups
            .iter_mut()
            .find(|(first, _)| first.dot(glyph.direction) >= least_cosine);
        match group {
            Some((_, group)) => group.push(glyph),
            None => groups.push((glyph.direction, vec![glyph])),
        }
    }
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
    groups.iter().map(|(_, group)| place(group)).collect()
}

fn place(glyphs: &[&Glyph]) -> Vec<PlacedGlyph> {
    let sum: Vec2 = glyphs
        .iter()
        .fold(Vec2::ZERO, |sum, glyph| sum + glyph.direction);
    let right = sum / sum.hypot();
    let placed = glyphs.iter().map(|glyph| {
        let start = glyph.origin.to_vec2();
        let ends = [start, start + glyph.advance].map(|point| point.dot(right));
        let first = glyph.text.chars().next().unwrap_or(' ');
        PlacedGlyph {
            class: if glyph.is_blank() {
                BidiClass::WS
            } else {
                bidi_class(first)
            },
            text: glyph.text.clone(),
            left: ends[0].min(ends[1]),
            right: ends[0].max(ends[1]),
            spacing: glyph.spacing,
            baseline: -right.cross(start),
            width_size: glyph.width_size,
            size: glyph.size,
        }
    });
    placed.collect()
}

/// A text, and the column and row of a small part of the page.
type Cell = (Rc<str>, i64, i64);

/// Removes each glyph that is printed again at nearly the same place.
pub(super) fn remove_repeated(glyphs: &mut Vec<PlacedGlyph>) {
    let mut seen: HashMap<Cell, Vec<(f64, f64)>> = HashMap::new();
    glyphs.retain(|glyph| {
        let (along, across) = (
            REPEATED_ALONG * glyph.width_size,
            REPEATED_ACROSS * glyph.size,
        );
        // Without a width, different glyphs are in the same place.
        if glyph.right - glyph.left < along {
            return true;
        }
        let (column, row) = (
            (glyph.left / along) as i64,
            (glyph.baseline / across) as i64,
        );
        let near = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y)));
        let is_repeated = near.into_iter().any(|(x, y)| {
            let cell = (
                glyph.text.clone(),
                column.saturating_add(x),
                row.saturating_add(y),
            );
            seen.get(&cell)
                .into_iter()
                .flatten()
                .any(|(left, baseline)| {
                    (left - glyph.left).abs() < along && (baseline - glyph.baseline).abs() < across
                })
        });
        if !is_repeated {
            let cell = (glyph.text.clone(), column, row);
            seen.entry(cell)
                .or_default()
                .push((glyph.left, glyph.baseline));
        }
        !is_repeated
    });
}
