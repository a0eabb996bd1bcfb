//! Pages in right-to-left scripts (Hebrew, Arabic, Syriac, N'Ko and others): reconstruction of the
//! reading order.
//!
//! A PDF places glyphs. Most programs write a line of these scripts from its left end, so that its
//! last letters come first. Others begin at its right end, or write each directional run
//! separately. So the glyphs of a line are first sorted by position. Then the Unicode bidirectional
//! algorithm (UAX #9), which converts logical order to visual order, is applied to convert the
//! visual order back.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Vertical distance between two glyphs that ends a line, in glyph sizes. Set by judgement, not
/// measured.
const LINE_DISTANCE: f64 = 0.9;
/// Width of a gap that separates words, in glyph sizes. Set by judgement, not measured.
const WORD_GAP: f64 = 0.15;
/// Distance between two lines that ends a paragraph, in glyph sizes; it must also exceed the usual
/// line distance by the factor [`PARAGRAPH_FACTOR`]. Set by judgement, not measured.
const PARAGRAPH_DISTANCE: f64 = 1.5;
/// See [`PARAGRAPH_DISTANCE`].
const PARAGRAPH_FACTOR: f64 = 1.25;
/// Brackets that are mirrored in right-to-left text.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»')];

/// Returns `true` if a text has right-to-left letters.
pub(super) fn has_right_to_left(text: &str) -> bool {
    text.chars()
        .any(|c| c >= '\u{590}' && is_right_to_left(bidi_class(c)))
}

const fn is_right_to_left(class: BidiClass) -> bool {
    matches!(class, BidiClass::R | BidiClass::AL)
}

/// The glyphs of a page, in the order of its content stream.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    glyphs: Vec<Glyph>,
    begins_word: bool,
}

/// A glyph: mostly one letter, or the letters of a ligature in reading order.
#[derive(Debug, Clone)]
struct Glyph {
    text: String,
    class: BidiClass,
    /// Horizontal positions of its left and right end.
    left: f64,
    right: f64,
    /// Vertical position of its baseline.
    baseline: f64,
    size: f64,
    begins_word: bool,
}

impl OutputDev for PageGlyphs {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        _: f64,
        size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let Some(first) = text.chars().next() else {
            return Ok(());
        };
        // A square of the font size becomes a parallelogram; the size on the page is the side of
        // the square with the same area.
        let size = size
            * ((transform.m11 + transform.m21) * (transform.m12 + transform.m22))
                .abs()
                .sqrt();
        self.glyphs.push(Glyph {
            text: text.to_owned(),
            class: bidi_class(first),
            left: transform.m31,
            right: transform.m31 + width * size,
            baseline: transform.m32,
            size,
            begins_word: std::mem::take(&mut self.begins_word),
        });
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.begins_word = true;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

impl PageGlyphs {
    /// Returns the page's text in reading order: its lines, with blank lines between paragraphs.
    pub fn text(&self) -> String {
        let lines: Vec<&[Glyph]> = self
            .glyphs
            .chunk_by(|a, b| (b.baseline - a.baseline).abs() <= LINE_DISTANCE * b.size)
            .collect();
        let is_page_right_to_left = is_mostly_right_to_left(&self.glyphs, false);
        let lines: Vec<OrderedLine> = lines
            .windows(2)
            .map(|pair| (pair[0][0].baseline - pair[1][0].baseline).abs())
            .chain([0.0])
            .zip(&lines)
            .map(|(distance, line)| OrderedLine {
                distance_after: distance / line[0].size,
                units: reading_order(line, is_page_right_to_left),
            })
            .collect();
        let usual_distance = median(
            lines
                .iter()
                .map(|line| line.distance_after)
                .filter(|distance| *distance > 0.0)
                .collect(),
        );
        // Some fonts map a bracket to its logical character, others to the mirrored one that it
        // looks like. A page has only one of the two.
        let [logical, visual] =
            [false, true].map(|is_mirrored| join_lines(&lines, usual_distance, is_mirrored));
        if bracket_score(&visual) > bracket_score(&logical) {
            visual
        } else {
            logical
        }
    }
}

/// A line in reading order.
struct OrderedLine {
    /// Distance to the next line, in glyph sizes.
    distance_after: f64,
    units: Vec<TextUnit>,
}

/// The text of a glyph, or a space between words.
struct TextUnit {
    text: String,
    is_right_to_left: bool,
}

/// Returns a line's glyphs in reading order.
fn reading_order(line: &[Glyph], is_page_right_to_left: bool) -> Vec<TextUnit> {
    let visual = with_spaces(&sort_by_position(line));
    let text: String = visual.iter().map(String::as_str).collect();
    let base = if is_mostly_right_to_left(line, is_page_right_to_left) {
        Level::rtl()
    } else {
        Level::ltr()
    };
    let levels = BidiInfo::new(&text, Some(base)).levels;
    let starts = visual.iter().scan(0, |start, part| {
        Some(std::mem::replace(start, *start + part.len()))
    });
    let levels: Vec<Level> = starts
        .map(|start| levels.get(start).copied().unwrap_or(base))
        .collect();
    BidiInfo::reorder_visual(&levels)
        .into_iter()
        .map(|index| TextUnit {
            text: visual[index].clone(),
            is_right_to_left: levels[index].is_rtl(),
        })
        .collect()
}

/// Returns `true` if most letters are right-to-left or, with `is_page_right_to_left`, any of them.
fn is_mostly_right_to_left(glyphs: &[Glyph], is_page_right_to_left: bool) -> bool {
    let right_to_left = glyphs
        .iter()
        .filter(|glyph| is_right_to_left(glyph.class))
        .count();
    let left_to_right = glyphs
        .iter()
        .filter(|glyph| glyph.class == BidiClass::L)
        .count();
    right_to_left > 0 && (is_page_right_to_left || right_to_left >= left_to_right)
}

/// Returns a line's glyphs from left to right, by their centres. Combining marks stay next to their
/// base letter.
fn sort_by_position(line: &[Glyph]) -> Vec<&Glyph> {
    let sort_key = |index: usize| {
        let (base, step) = base_letter(line, index);
        (f64::midpoint(line[base].left, line[base].right), step)
    };
    let mut order: Vec<((f64, isize), &Glyph)> = line
        .iter()
        .enumerate()
        .map(|(index, glyph)| (sort_key(index), glyph))
        .collect();
    order.sort_by(|((a, a_step), _), ((b, b_step), _)| a.total_cmp(b).then(a_step.cmp(b_step)));
    order.into_iter().map(|(_, glyph)| glyph).collect()
}

/// Returns the index of a glyph's base letter, and the position of the glyph relative to it: the
/// glyph itself and 0, unless it is a combining mark.
///
/// Marks of a right-to-left letter get a position before it, the last one first, since reordering
/// puts them after it. A line that is written from its left end has such marks before their letter,
/// another line after it.
fn base_letter(line: &[Glyph], index: usize) -> (usize, isize) {
    let is_letter = |index: &usize| line[*index].class != BidiClass::NSM;
    if is_letter(&index) {
        return (index, 0);
    }
    let before = (0..index).rev().find(is_letter);
    let after = (index + 1..line.len()).find(is_letter);
    let step = |letter: usize| index.cast_signed() - letter.cast_signed();
    match (before, after) {
        (Some(before), after)
            if !after.is_some_and(|after| line[after].left > line[before].left) =>
        {
            (
                before,
                if is_right_to_left(line[before].class) {
                    -step(before)
                } else {
                    step(before)
                },
            )
        }
        (Some(before), _) if line[before].class == BidiClass::L => (before, step(before)),
        (_, Some(after)) => (after, step(after)),
        _ => (index, 0),
    }
}

/// Returns the texts of glyphs, with a space at each gap between words. Combining marks are within
/// the width of their letter.
fn with_spaces(glyphs: &[&Glyph]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::with_capacity(glyphs.len());
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if glyph.class != BidiClass::NSM {
            if last.is_some_and(|last| is_word_gap(last, glyph)) {
                texts.push(" ".into());
            }
            last = Some(glyph);
        }
        texts.push(glyph.text.clone());
    }
    texts
}

/// Returns `true` if there is a gap between the words of two neighbouring glyphs, and no space
/// glyph.
fn is_word_gap(left: &Glyph, right: &Glyph) -> bool {
    let is_gap =
        right.left > left.right + WORD_GAP * right.size && (right.begins_word || left.begins_word);
    is_gap && left.class != BidiClass::WS && right.class != BidiClass::WS
}

/// Returns the median, or 0 of no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns the lines as a text. With `is_mirrored`, replaces brackets in right-to-left text by
/// their counterparts.
fn join_lines(lines: &[OrderedLine], usual_distance: f64, is_mirrored: bool) -> String {
    let mut text = String::new();
    for line in lines {
        for unit in &line.units {
            text.extend(unit.text.chars().map(|c| {
                if is_mirrored && unit.is_right_to_left {
                    mirror_bracket(c)
                } else {
                    c
                }
            }));
        }
        let ends_paragraph =
            line.distance_after > PARAGRAPH_DISTANCE.max(PARAGRAPH_FACTOR * usual_distance);
        text.push_str(if ends_paragraph { "\n\n" } else { "\n" });
    }
    text
}

fn mirror_bracket(c: char) -> char {
    let pair = BRACKETS
        .iter()
        .find(|(open, close)| c == *open || c == *close);
    pair.map_or(c, |(open, close)| if c == *open { *close } else { *open })
}

/// Returns the number of brackets on the correct side of a word (opening ones before it, closing
/// ones after it) minus the number of those on the wrong side.
fn bracket_score(text: &str) -> i64 {
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    let score = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| chars.get(before));
        let is_open = BRACKETS.iter().any(|(open, _)| *open == chars[index]);
        let is_close = BRACKETS.iter().any(|(_, close)| *close == chars[index]);
        match (is_letter(before), is_letter(chars.get(index + 1))) {
            (false, true) => i64::from(is_open) - i64::from(is_close),
            (true, false) => i64::from(is_close) - i64::from(is_open),
            _ => 0,
        }
    };
    (0..chars.len()).map(score).sum()
}

#[cfg(test)]
mod tests {
    use super::PageGlyphs;
    use pdf_extract::{OutputDev, Transform};

    /// Returns the text of a page. Each line is a list of runs: the position of the first glyph,
    /// the step to the next one (1 to the right, -1 to the left), and the glyphs. A combining mark
    /// has no width, and the same position as the next glyph.
    fn page_text(lines: &[&[(f64, f64, &str)]]) -> String {
        let mut glyphs = PageGlyphs::default();
        for (number, runs) in lines.iter().enumerate() {
            for (start, step, run) in *runs {
                let mut x = *start;
                for c in run.chars() {
                    let is_mark = ('\u{5B0}'..'\u{5C8}').contains(&c);
                    let width = if is_mark { 0.0 } else { 0.5 };
                    let transform =
                        Transform::row_major(1.0, 0.0, 0.0, 1.0, x * 5.0, -12.0 * number as f64);
                    glyphs.begin_word().unwrap();
                    glyphs
                        .output_character(&transform, width, 0.0, 10.0, &c.to_string())
                        .unwrap();
                    x += if is_mark { 0.0 } else { *step };
                }
            }
        }
        glyphs.text().trim_end().to_owned()
    }

    #[test]
    fn restores_the_reading_order_from_any_writing_order() {
        let logical = "הנחל 2024, בכפר Potok tu.";
        let visual = ".Potok tu רפכב ,2024 לחנה";
        assert_eq!(page_text(&[&[(0.0, 1.0, visual)]]), logical);
        // From its right end, except for left-to-right text; then run by run.
        assert_eq!(
            page_text(&[&[
                (24.0, -1.0, "הנחל "),
                (16.0, 1.0, "2024"),
                (15.0, -1.0, ", בכפר "),
                (1.0, 1.0, "Potok tu"),
                (0.0, 1.0, ".")
            ]]),
            logical
        );
        assert_eq!(
            page_text(&[&[
                (20.0, 1.0, " לחנה"),
                (16.0, 1.0, "2024"),
                (9.0, 1.0, " רפכב ,"),
                (1.0, 1.0, "Potok tu"),
                (0.0, 1.0, ".")
            ]]),
            logical
        );
    }

    #[test]
    fn replaces_gaps_by_spaces() {
        assert_eq!(
            page_text(&[&[(0.0, 1.0, "רפכ"), (3.5, 1.0, "לחנה")]]),
            "הנחל כפר"
        );
    }

    #[test]
    fn combining_marks_follow_their_letter() {
        let logical = "שָׁלוֹם בָּא";
        let visual: String = logical.chars().rev().collect();
        assert_eq!(page_text(&[&[(0.0, 1.0, &visual)]]), logical);
        assert_eq!(page_text(&[&[(9.0, -1.0, logical)]]), logical);
    }

    #[test]
    fn restores_logical_and_mirrored_brackets() {
        for visual in [")רפכב( לחנה", "(רפכב) לחנה"] {
            assert_eq!(page_text(&[&[(0.0, 1.0, visual)]]), "הנחל (בכפר)");
        }
    }

    #[test]
    fn keeps_the_position_of_a_word_in_left_to_right_text() {
        assert_eq!(
            page_text(&[&[(0.0, 1.0, "Beseda םולש je mir (glej 12).")]]),
            "Beseda שלום je mir (glej 12)."
        );
    }

    #[test]
    fn separates_lines_and_paragraphs() {
        let line: &[(f64, f64, &str)] = &[(0.0, 1.0, "םולש")];
        assert_eq!(
            page_text(&[line, line, &[], &[], line, line]),
            "שלום\nשלום\n\nשלום\nשלום"
        );
    }
}
