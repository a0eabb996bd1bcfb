//! The text of a page from the places of its glyphs: segments of lines, columns, and lines with
//! their words, whatever the order in which the page draws them.

use super::accents::join_accents;
use super::columns::{SEGMENT_GAP, Segment, split_columns};
use super::frame::{PlacedGlyph, remove_repeated, split_by_direction};
use super::glyph::Glyph;
use super::right_to_left::{
    TextUnit, is_mostly_right_to_left, is_right_to_left, reading_order, resolve_brackets,
};
use super::spacing::find_blanks;
use crate::typeset::lines::PART_END;

/// Greatest distance of a glyph from the line of the one before it, in font sizes. Set by
/// judgement, not measured, as the next ones.
const LINE_DISTANCE: f64 = 0.5;
/// Greatest overlap of neighbours on a line, in font sizes.
const MAX_OVERLAP: f64 = 0.6;
/// Height of a line above its baseline, and below it, in font sizes.
const ASCENT: f64 = 0.75;
const DESCENT: f64 = 0.25;
/// Distance between two lines that ends a paragraph, in font sizes; it must also exceed the usual
/// line distance by the factor [`PARAGRAPH_FACTOR`].
const PARAGRAPH_DISTANCE: f64 = 1.5;
/// See [`PARAGRAPH_DISTANCE`].
const PARAGRAPH_FACTOR: f64 = 1.25;

/// Returns the text of a page: its lines, with blank lines between paragraphs, and [`PART_END`]
/// after each column.
pub(super) fn page_text(glyphs: &[Glyph]) -> String {
    let directions = split_by_direction(glyphs);
    directions.into_iter().map(direction_text).collect()
}

/// Returns the text of the lines of one direction.
fn direction_text(mut glyphs: Vec<PlacedGlyph>) -> String {
    join_accents(&mut glyphs);
    remove_repeated(&mut glyphs);
    let is_page_right_to_left = is_mostly_right_to_left(&glyphs, false);
    let segments = join_segments(split_segments(glyphs));
    let parts = split_columns(segments, is_page_right_to_left);
    let parts: Vec<Vec<TextLine>> = parts.into_iter().map(join_lines).collect();
    let mut distances: Vec<f64> = parts
        .iter()
        .flat_map(|lines| line_distances(lines))
        .collect();
    let usual = median(&mut distances);
    let mut units = Vec::new();
    for lines in parts {
        let distances = line_distances(&lines).chain([f64::INFINITY]);
        let distances: Vec<f64> = distances.collect();
        for (line, distance) in lines.iter().zip(distances) {
            units.extend(line_units(&line.glyphs, is_page_right_to_left));
            let is_end = distance > PARAGRAPH_DISTANCE.max(PARAGRAPH_FACTOR * usual);
            let end = usize::from(is_end) + usize::from(distance.is_infinite());
            units.push(TextUnit {
                text: ["\n", "\n\n", PART_END][end].into(),
                is_right_to_left: false,
            });
        }
    }
    resolve_brackets(&units)
}

/// Splits glyphs, in the order in which they are drawn, into segments.
fn split_segments(glyphs: Vec<PlacedGlyph>) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for glyph in glyphs {
        match segments.last_mut() {
            Some(segment) if continues(segment, &glyph) => segment.push(glyph),
            _ => segments.push(Segment::new(glyph)),
        }
    }
    segments.retain(|segment| !segment.glyphs.iter().all(PlacedGlyph::is_blank));
    segments
}

/// Returns `true` if a glyph is the next one of a segment.
fn continues(segment: &Segment, glyph: &PlacedGlyph) -> bool {
    let Some(last) = segment.glyphs.last() else {
        return false;
    };
    let distance = (glyph.baseline - segment.baseline).abs();
    let is_next = |first: &PlacedGlyph, second: &PlacedGlyph| {
        (-MAX_OVERLAP..=SEGMENT_GAP).contains(&first.gap_to(second)) && second.right >= first.left
    };
    let is_drawn_leftwards = [last.class, glyph.class]
        .iter()
        .any(|class| is_right_to_left(*class));
    distance <= LINE_DISTANCE * glyph.size.max(segment.size)
        && (is_next(last, glyph) || is_drawn_leftwards && is_next(glyph, last))
}

/// Joins segments that follow each other on a line, however they are drawn.
fn join_segments(mut segments: Vec<Segment>) -> Vec<Segment> {
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let same_line =
        |a: &Segment, b: &Segment| (a.baseline - b.baseline).abs() <= 0.1 * a.size.min(b.size);
    let mut joined: Vec<Segment> = Vec::new();
    for line in segments.chunk_by(same_line) {
        let mut line: Vec<Segment> = line.to_vec();
        line.sort_by(|a, b| a.left.total_cmp(&b.left));
        let start = joined.len();
        for segment in line {
            match joined[start..].last_mut() {
                Some(last) if follows(last, &segment) => {
                    segment
                        .glyphs
                        .into_iter()
                        .for_each(|glyph| last.push(glyph));
                }
                _ => joined.push(segment),
            }
        }
    }
    joined
}

fn follows(last: &Segment, next: &Segment) -> bool {
    let gap = (next.left - last.right) / last.size.max(next.size);
    (-MAX_OVERLAP..=SEGMENT_GAP).contains(&gap)
}

/// A line of a part of a page.
struct TextLine {
    glyphs: Vec<PlacedGlyph>,
    baseline: f64,
    size: f64,
}

/// Returns the lines of a part of a page, from segments in the order of their baselines.
fn join_lines(segments: Vec<Segment>) -> Vec<TextLine> {
    let mut rows: Vec<Vec<Segment>> = Vec::new();
    for segment in segments {
        match rows.last_mut() {
            Some(row) if is_on_row(row, &segment) => row.push(segment),
            _ => rows.push(vec![segment]),
        }
    }
    let lines = rows.into_iter().map(|mut row| {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        let largest = row.iter().max_by(|a, b| a.size.total_cmp(&b.size));
        let (baseline, size) =
            largest.map_or((0.0, 1.0), |segment| (segment.baseline, segment.size));
        let mut glyphs: Vec<_> = row.into_iter().flat_map(|segment| segment.glyphs).collect();
        while glyphs.pop_if(|glyph| glyph.is_blank()).is_some() {}
        TextLine {
            glyphs,
            baseline,
            size,
        }
    });
    lines.collect()
}

/// Returns `true` if at least half of the height of a segment is that of the row, and it is next to
/// the others.
fn is_on_row(row: &[Segment], segment: &Segment) -> bool {
    let height = |segment: &Segment| {
        (
            segment.baseline - ASCENT * segment.size,
            segment.baseline + DESCENT * segment.size,
        )
    };
    row.iter().all(|other| {
        let overlap = segment.right.min(other.right) - segment.left.max(other.left);
        let ((top, bottom), (other_top, other_bottom)) = (height(segment), height(other));
        let common = bottom.min(other_bottom) - top.max(other_top);
        let smaller = segment.size.min(other.size);
        overlap <= MAX_OVERLAP * smaller && common >= smaller / 2.0
    })
}

/// Returns the distances between lines, in font sizes.
fn line_distances(lines: &[TextLine]) -> impl Iterator<Item = f64> {
    lines
        .windows(2)
        .map(|pair| (pair[1].baseline - pair[0].baseline).abs() / pair[0].size)
}

/// Returns the text of a line, in reading order.
fn line_units(line: &[PlacedGlyph], is_page_right_to_left: bool) -> Vec<TextUnit> {
    if line.iter().any(|glyph| is_right_to_left(glyph.class)) {
        return reading_order(line, is_page_right_to_left);
    }
    let glyphs: Vec<&PlacedGlyph> = line.iter().collect();
    let mut text = String::new();
    for (glyph, is_after_blank) in glyphs.iter().zip(find_blanks(&glyphs)) {
        if is_after_blank {
            text.push(' ');
        }
        text.push_str(&glyph.text);
    }
    vec![TextUnit {
        text,
        is_right_to_left: false,
    }]
}

/// Returns the median, or 0 of no values.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
