//! Lines in right-to-left scripts (Hebrew, Arabic, Syriac, N'Ko and others): reconstruction of the
//! reading order.
//!
//! A PDF places glyphs. Most programs write a line of these scripts from its left end, so that its
//! last letters come first. Others begin at its right end, or write each directional run
//! separately. So the glyphs of a line are first sorted by position. Then the Unicode bidirectional
//! algorithm (UAX #9), which converts logical order to visual order, is applied to convert the
//! visual order back.

use super::frame::PlacedGlyph;
use super::spacing::find_blanks;
use unicode_bidi::{BidiClass, BidiInfo, Level};

/// Brackets that are mirrored in right-to-left text.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»')];

pub(super) const fn is_right_to_left(class: BidiClass) -> bool {
    matches!(class, BidiClass::R | BidiClass::AL)
}

/// The text of a glyph, or a space between words.
pub(super) struct TextUnit {
    pub text: String,
    pub is_right_to_left: bool,
}

/// Returns a line's glyphs in reading order.
pub(super) fn reading_order(line: &[PlacedGlyph], is_page_right_to_left: bool) -> Vec<TextUnit> {
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
pub(super) fn is_mostly_right_to_left(glyphs: &[PlacedGlyph], is_page_right_to_left: bool) -> bool {
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
fn sort_by_position(line: &[PlacedGlyph]) -> Vec<&PlacedGlyph> {
    let sort_key = |index: usize| {
        let (base, step) = base_letter(line, index);
        (f64::midpoint(line[base].left, line[base].right), step)
    };
    let mut order: Vec<((f64, isize), &PlacedGlyph)> = line
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
fn base_letter(line: &[PlacedGlyph], index: usize) -> (usize, isize) {
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

/// Returns the texts of glyphs, with a space at each gap between words.
fn with_spaces(glyphs: &[&PlacedGlyph]) -> Vec<String> {
    let blanks = find_blanks(glyphs);
    let parts = glyphs.iter().zip(blanks);
    parts
        .flat_map(|(glyph, is_after_blank)| {
            let blank = is_after_blank.then(|| " ".to_owned());
            blank.into_iter().chain([glyph.text.to_string()])
        })
        .collect()
}

/// Returns the text of lines, of the two readings of their brackets the one with more on their
/// correct side: some fonts map a bracket to its logical character, others to the mirrored one that
/// it looks like. A page has only one of the two.
pub(super) fn resolve_brackets(units: &[TextUnit]) -> String {
    let [logical, visual] = [false, true].map(|is_mirrored| join_units(units, is_mirrored));
    match bracket_score(&visual) > bracket_score(&logical) {
        true => visual,
        false => logical,
    }
}

/// Joins units of text. With `is_mirrored`, replaces brackets in right-to-left text by their
/// counterparts.
fn join_units(units: &[TextUnit], is_mirrored: bool) -> String {
    let chars = units.iter().flat_map(|unit| {
        let is_mirrored = is_mirrored && unit.is_right_to_left;
        let mirror = move |c| if is_mirrored { mirror_bracket(c) } else { c };
        unit.text.chars().map(mirror)
    });
    chars.collect()
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
    use crate::typeset::pdf::glyph::Glyph;
    use crate::typeset::pdf::layout::page_text as layout_text;
    use hayro_font::kurbo::{Point, Vec2};

    /// Returns the text of a page. Each line is a list of runs: the position of the first glyph,
    /// the step to the next one (1 to the right, -1 to the left), and the glyphs. A combining mark
    /// has no width, and the same position as the next glyph.
    fn page_text(lines: &[&[(f64, f64, &str)]]) -> String {
        let mut glyphs = Vec::new();
        for (number, runs) in lines.iter().enumerate() {
            for (start, step, run) in *runs {
                let mut x = *start;
                for c in run.chars() {
                    let is_mark = ('\u{5B0}'..'\u{5C8}').contains(&c);
                    glyphs.push(Glyph {
                        text: c.to_string().into(),
                        origin: Point::new(x * 5.0, -12.0 * number as f64),
                        advance: Vec2::new(if is_mark { 0.0 } else { 5.0 }, 0.0),
                        spacing: 0.0,
                        direction: Vec2::new(1.0, 0.0),
                        width_size: 10.0,
                        size: 10.0,
                    });
                    x += if is_mark { 0.0 } else { *step };
                }
            }
        }
        layout_text(&glyphs).trim_end().to_owned()
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
