//! The reading order of the parts of a page: its columns, from the gutters between them.
//!
//! A gutter is a blank strip with lines of text on both sides. What crosses it, such as a title or
//! a wide figure, divides the columns into bands, which are read one after the other, and each of
//! them column by column. Cells of a table are short, and are read row by row.

use super::frame::PlacedGlyph;
use unicode_bidi::BidiClass;

/// Gap that separates segments of a line, and least width of a gutter, in font sizes. Set by
/// judgement, not measured, as the next ones.
pub(super) const SEGMENT_GAP: f64 = 0.7;
/// Greatest distance of glyphs in the same place, in font sizes.
const SAME_PLACE: f64 = 0.01;
/// Least number of lines on both sides of a gutter, and least mean width of the line of a letter,
/// in font sizes: a column may also have formulas, whose parts are narrow.
const MIN_LINES: usize = 3;
const MIN_WIDTH: f64 = 8.0;
/// Least number of lines that are numbered.
const MIN_NUMBERS: usize = 8;
/// Greatest number of strips that are compared, and depth to which columns are divided.
const MAX_STRIPS: usize = 24;
const MAX_DEPTH: usize = 8;

/// Glyphs on one line without a wide gap.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub glyphs: Vec<PlacedGlyph>,
    pub left: f64,
    pub right: f64,
    pub baseline: f64,
    pub size: f64,
}

impl Segment {
    pub fn new(glyph: PlacedGlyph) -> Segment {
        let mut segment = Segment {
            left: f64::INFINITY,
            right: f64::NEG_INFINITY,
            baseline: glyph.baseline,
            size: glyph.size,
            glyphs: Vec::new(),
        };
        segment.push(glyph);
        segment
    }

    pub fn push(&mut self, glyph: PlacedGlyph) {
        // TeX and others write a blank at the end of a line, into the gutter.
        if !glyph.is_blank() {
            self.left = self.left.min(glyph.left);
            self.right = self.right.max(glyph.right);
        }
        // Of an index and the letters before it, these determine the line.
        if glyph.size > self.size {
            (self.size, self.baseline) = (glyph.size, glyph.baseline);
        }
        // A blank in the very place of a letter is none: some programs write one after each
        // character.
        let is_on_blank = |last: &mut PlacedGlyph| {
            let distance = (glyph.left - last.left).abs();
            last.is_blank() && last.right > last.left && distance < SAME_PLACE * glyph.width_size
        };
        if !glyph.is_blank() && glyph.class != BidiClass::NSM {
            self.glyphs.pop_if(is_on_blank);
        }
        self.glyphs.push(glyph);
    }

    fn width(&self) -> f64 {
        (self.right - self.left) / self.size
    }
}

/// Returns the segments of a page in parts, in reading order.
pub(super) fn split_columns(
    mut segments: Vec<Segment>,
    is_right_to_left: bool,
) -> Vec<Vec<Segment>> {
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let mut parts = Vec::new();
    split(segments, is_right_to_left, MAX_DEPTH, &mut parts);
    parts
}

fn split(
    segments: Vec<Segment>,
    is_right_to_left: bool,
    depth: usize,
    parts: &mut Vec<Vec<Segment>>,
) {
    let bands = match depth {
        0 => None,
        _ => find_gutter(&segments).map(|gutter| divide_bands(segments.clone(), gutter)),
    };
    let Some(bands) = bands else {
        parts.push(segments);
        return;
    };
    for band in bands {
        match band {
            Band::Whole(segments) => split(segments, is_right_to_left, depth - 1, parts),
            Band::Columns(mut columns) => {
                if is_right_to_left {
                    columns.reverse();
                }
                for column in columns {
                    split(column, is_right_to_left, depth - 1, parts);
                }
            }
        }
    }
}

/// Returns the middle of the gutter with the most lines on both sides.
fn find_gutter(segments: &[Segment]) -> Option<f64> {
    // A page number may be in the gutter.
    let wide = segments
        .iter()
        .filter(|segment| segment.width() >= MIN_WIDTH);
    let strips = list_strips(segments.iter())
        .into_iter()
        .chain(list_strips(wide));
    let scores = strips.map(|x| (x, count_column_lines(segments, x)));
    let best = scores.max_by_key(|(_, score)| *score)?;
    (best.1 > 0).then_some(best.0)
}

/// Returns the middles of strips that fewer segments cross than the text on both sides, those first
/// that the fewest cross.
fn list_strips<'s>(segments: impl Iterator<Item = &'s Segment>) -> Vec<f64> {
    let mut ends: Vec<(f64, i64)> = Vec::new();
    let mut sizes: Vec<f64> = Vec::new();
    for segment in segments {
        ends.extend([(segment.left, 1), (segment.right, -1)]);
        sizes.push(segment.size);
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let least = SEGMENT_GAP * super::layout::median(&mut sizes);
    let mut covering = 0;
    let mut strips = Vec::new();
    for pair in ends.windows(2) {
        let [(start, change), (end, next)] = [pair[0], pair[1]];
        covering += change;
        if change < 0 && next > 0 && end - start >= least {
            strips.push((covering, f64::midpoint(start, end)));
        }
    }
    strips.sort_by_key(|(covering, _)| *covering);
    strips
        .into_iter()
        .take(MAX_STRIPS)
        .map(|(_, x)| x)
        .collect()
}

/// A part of a page between two others that follow each other downwards.
enum Band {
    Whole(Vec<Segment>),
    Columns([Vec<Segment>; 2]),
}

/// Returns the number of lines in columns with this gutter.
fn count_column_lines(segments: &[Segment], gutter: f64) -> usize {
    let mut lines = 0;
    let mut columns = [Vec::new(), Vec::new()];
    for segment in segments {
        match side_of(segment, gutter) {
            Some(side) => columns[side].push(segment),
            None => {
                lines += common_lines(&columns);
                columns.iter_mut().for_each(Vec::clear);
            }
        }
    }
    lines + common_lines(&columns)
}

/// Divides a page into bands.
fn divide_bands(segments: Vec<Segment>, gutter: f64) -> Vec<Band> {
    let mut bands = Vec::new();
    let mut whole = Vec::new();
    let mut columns = [Vec::new(), Vec::new()];
    let mut end = |columns: &mut [Vec<Segment>; 2], whole: &mut Vec<Segment>, is_last: bool| {
        let are_columns =
            common_lines(&columns.each_ref().map(|column| column.iter().collect())) > 0;
        let [left, right] = columns.each_mut().map(std::mem::take);
        if are_columns {
            bands.extend((!whole.is_empty()).then(|| Band::Whole(std::mem::take(whole))));
            bands.push(Band::Columns([left, right]));
        } else {
            whole.extend(left.into_iter().chain(right));
            whole.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
        }
        if is_last && !whole.is_empty() {
            bands.push(Band::Whole(std::mem::take(whole)));
        }
    };
    for segment in segments {
        match side_of(&segment, gutter) {
            Some(side) => columns[side].push(segment),
            None => {
                end(&mut columns, &mut whole, false);
                whole.push(segment);
            }
        }
    }
    end(&mut columns, &mut whole, true);
    bands
}

/// Returns 0 for a segment before the gutter, 1 for one after it, and `None` for one that crosses
/// it.
fn side_of(segment: &Segment, gutter: f64) -> Option<usize> {
    match (segment.right <= gutter, segment.left >= gutter) {
        (true, _) => Some(0),
        (_, true) => Some(1),
        _ => None,
    }
}

/// Returns the number of lines that two columns have next to each other; 0 if they are no columns
/// of running text, and one of them no numbers of lines.
fn common_lines(columns: &[Vec<&Segment>; 2]) -> usize {
    let [left, right] = columns;
    if is_numbering(left) || is_numbering(right) {
        return left.len().min(right.len());
    }
    let range = |column: &[&Segment]| Some((column.first()?.baseline, column.last()?.baseline));
    let Some((left_range, right_range)) = range(left).zip(range(right)) else {
        return 0;
    };
    let (top, bottom) = (
        left_range.0.max(right_range.0),
        left_range.1.min(right_range.1),
    );
    let [left, right] = [left, right].map(|column| {
        let common = column.iter().copied().filter(|segment| {
            (top - segment.size..=bottom + segment.size).contains(&segment.baseline)
        });
        let widths = common.map(Segment::width);
        let (count, sum, squares) = widths.fold((0, 0.0, 0.0), |(count, sum, squares), width| {
            (count + 1, sum + width, squares + width * width)
        });
        if squares >= MIN_WIDTH * sum { count } else { 0 }
    });
    let lines = left.min(right);
    if lines >= MIN_LINES { lines } else { 0 }
}

/// Returns `true` if a column has numbers of lines: most are greater than the one before by 1, or
/// by 5.
fn is_numbering(column: &[&Segment]) -> bool {
    let numbers = column.iter().map(|segment| {
        let text: String = segment.glyphs.iter().map(|glyph| &*glyph.text).collect();
        text.trim().parse::<u32>().ok()
    });
    let numbers: Vec<Option<u32>> = numbers.collect();
    let follow = |step| {
        let pairs = numbers.windows(2);
        let count =
            pairs.filter(|pair| pair[0].is_some_and(|number| number.checked_add(step) == pair[1]));
        count.count() * 4 >= numbers.len() * 3
    };
    numbers.len() >= MIN_NUMBERS && (follow(1) || follow(5))
}
