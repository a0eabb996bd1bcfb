//! Pages in scripts that are written from right to left (Hebrew, Arabic, Syriac, N'Ko and others).
//!
//! A PDF holds what is to be seen where, and most programs write a line of these scripts from its
//! left end, so that its letters come last first; others begin at its right end, or write each run
//! of one direction by itself. So the signs of a line are put in the order of their places first.
//! From there the way back to how it is read is the Unicode bidirectional algorithm (UAX #9) once
//! more: what it turns round for the eye, it turns back.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Where a line ends, a word, and a paragraph, by the size of its signs; the last also by the usual
/// distance of lines.
const LINE: f64 = 0.9;
const WORD: f64 = 0.15;
const PARAGRAPH: (f64, f64) = (1.5, 1.25);
/// Brackets that are seen the other way round in such scripts.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»')];

/// Whether a text has letters that are written from right to left.
pub(super) fn is_in(text: &str) -> bool {
    text.chars()
        .any(|c| c >= '\u{590}' && is_turned(bidi_class(c)))
}

const fn is_turned(class: BidiClass) -> bool {
    matches!(class, BidiClass::R | BidiClass::AL)
}

/// What is shown on a page, sign by sign.
#[derive(Debug, Default)]
pub(super) struct Signs {
    all: Vec<Sign>,
    begins_word: bool,
}

/// A sign: mostly one letter, or several that are written as one, in the order in which they are
/// read.
#[derive(Debug, Clone)]
struct Sign {
    text: String,
    class: BidiClass,
    /// Its left and right end, and its line's height.
    x: f64,
    end: f64,
    y: f64,
    size: f64,
    begins_word: bool,
}

impl OutputDev for Signs {
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
        place: &Transform,
        width: f64,
        _: f64,
        size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let Some(first) = text.chars().next() else {
            return Ok(());
        };
        // What a square of the font's size becomes: the side of one with its area.
        let size = size
            * ((place.m11 + place.m21) * (place.m12 + place.m22))
                .abs()
                .sqrt();
        self.all.push(Sign {
            text: text.to_owned(),
            class: bidi_class(first),
            x: place.m31,
            end: place.m31 + width * size,
            y: place.m32,
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

impl Signs {
    /// The page's text in the order in which it is read: a line for each of its lines, blank lines
    /// between paragraphs.
    pub fn text(&self) -> String {
        let lines: Vec<&[Sign]> = self
            .all
            .chunk_by(|a, b| (b.y - a.y).abs() <= LINE * b.size)
            .collect();
        let is_page_turned = is_turned_mostly(&self.all, false);
        let lines: Vec<(f64, Vec<Unit>)> = lines
            .windows(2)
            .map(|pair| (pair[0][0].y - pair[1][0].y).abs())
            .chain([0.0])
            .zip(&lines)
            .map(|(after, line)| (after / line[0].size, read(line, is_page_turned)))
            .collect();
        let usual = usual(
            lines
                .iter()
                .map(|(after, _)| *after)
                .filter(|after| *after > 0.0)
                .collect(),
        );
        // Some fonts give the letter for a bracket, others what it looks like there. A page has one
        // of both.
        let [as_read, as_seen] = [false, true].map(|is_seen| written(&lines, usual, is_seen));
        if order_of_brackets(&as_seen) > order_of_brackets(&as_read) {
            as_seen
        } else {
            as_read
        }
    }
}

/// A sign, or a blank, in a line's order of reading, and whether it is turned round there.
type Unit = (String, bool);

/// A line's signs in the order in which they are read.
fn read(line: &[Sign], is_page_turned: bool) -> Vec<Unit> {
    let seen = with_blanks(&by_place(line));
    let text: String = seen.iter().map(String::as_str).collect();
    let base = if is_turned_mostly(line, is_page_turned) {
        Level::rtl()
    } else {
        Level::ltr()
    };
    let levels = BidiInfo::new(&text, Some(base)).levels;
    let starts = seen
        .iter()
        .scan(0, |at, part| Some(std::mem::replace(at, *at + part.len())));
    let levels: Vec<Level> = starts
        .map(|at| levels.get(at).copied().unwrap_or(base))
        .collect();
    let order = BidiInfo::reorder_visual(&levels);
    order
        .into_iter()
        .map(|at| (seen[at].clone(), levels[at].is_rtl()))
        .collect()
}

/// Whether the letters are mostly of such a script, or, where `is_page_turned`, any of them.
fn is_turned_mostly(signs: &[Sign], is_page_turned: bool) -> bool {
    let turned = signs.iter().filter(|sign| is_turned(sign.class)).count();
    let others = signs
        .iter()
        .filter(|sign| sign.class == BidiClass::L)
        .count();
    turned > 0 && (is_page_turned || turned >= others)
}

/// A line's signs from left to right, by the middle of their places; marks go with their letter.
fn by_place(line: &[Sign]) -> Vec<&Sign> {
    let is_letter = |at: &usize| line[*at].class != BidiClass::NSM;
    let place = |at: usize| {
        let letters = || {
            (
                (0..at).rev().find(is_letter),
                (at + 1..line.len()).find(is_letter),
            )
        };
        let (letter, step) = if is_letter(&at) {
            (at, 0)
        } else {
            bearer(line, at, letters())
        };
        (f64::midpoint(line[letter].x, line[letter].end), step)
    };
    let mut order: Vec<((f64, isize), &Sign)> = line
        .iter()
        .enumerate()
        .map(|(at, sign)| (place(at), sign))
        .collect();
    order.sort_by(|((a, a_step), _), ((b, b_step), _)| a.total_cmp(b).then(a_step.cmp(b_step)));
    order.into_iter().map(|(_, sign)| sign).collect()
}

/// Which letter a mark belongs to, of those before and after it, and where it goes beside that:
/// before it where it is turned round, as that puts it behind, the last one first. Where a line is
/// written from its left end such marks come before their letter, else behind it.
fn bearer(line: &[Sign], mark: usize, letters: (Option<usize>, Option<usize>)) -> (usize, isize) {
    let step = |letter: usize| mark.cast_signed() - letter.cast_signed();
    match letters {
        (Some(before), after) if !after.is_some_and(|after| line[after].x > line[before].x) => (
            before,
            if is_turned(line[before].class) {
                -step(before)
            } else {
                step(before)
            },
        ),
        (Some(before), _) if line[before].class == BidiClass::L => (before, step(before)),
        (_, Some(after)) => (after, step(after)),
        _ => (mark, 0),
    }
}

/// The texts of signs, with a blank where there is a gap between them. Marks stand within the place
/// of their letter.
fn with_blanks(signs: &[&Sign]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::with_capacity(signs.len());
    let mut last: Option<&Sign> = None;
    for sign in signs {
        if sign.class != BidiClass::NSM {
            let is_apart = |last: &Sign| {
                let is_gap =
                    sign.x > last.end + WORD * sign.size && (sign.begins_word || last.begins_word);
                is_gap && last.class != BidiClass::WS && sign.class != BidiClass::WS
            };
            if last.is_some_and(is_apart) {
                texts.push(" ".into());
            }
            last = Some(sign);
        }
        texts.push(sign.text.clone());
    }
    texts
}

/// The middle one of the distances between lines.
fn usual(mut distances: Vec<f64>) -> f64 {
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 2)
        .copied()
        .unwrap_or_default()
}

/// The lines as a text. With `is_seen`, brackets that are turned round are given as what they look
/// like the other way.
fn written(lines: &[(f64, Vec<Unit>)], usual: f64, is_seen: bool) -> String {
    let mut text = String::new();
    for (after, line) in lines {
        for (unit, is_turned) in line {
            text.extend(unit.chars().map(|c| {
                if is_seen && *is_turned {
                    mirrored(c)
                } else {
                    c
                }
            }));
        }
        let is_last = *after > PARAGRAPH.0.max(PARAGRAPH.1 * usual);
        text.push_str(if is_last { "\n\n" } else { "\n" });
    }
    text
}

fn mirrored(c: char) -> char {
    let pair = BRACKETS
        .iter()
        .find(|(open, close)| c == *open || c == *close);
    pair.map_or(c, |(open, close)| if c == *open { *close } else { *open })
}

/// How many more brackets stand as they should, on the outer side of a word, than on its inner
/// side.
fn order_of_brackets(text: &str) -> i64 {
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric());
    let verdict = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let sides = (is_letter(before), is_letter(chars.get(at + 1)));
        let is_open = BRACKETS.iter().any(|(open, _)| *open == chars[at]);
        let is_close = BRACKETS.iter().any(|(_, close)| *close == chars[at]);
        match sides {
            (false, true) => i64::from(is_open) - i64::from(is_close),
            (true, false) => i64::from(is_close) - i64::from(is_open),
            _ => 0,
        }
    };
    (0..chars.len()).map(verdict).sum()
}

#[cfg(test)]
mod tests {
    use super::Signs;
    use pdf_extract::{OutputDev, Transform};

    /// The text of a page whose lines show these signs, each of one unit, from these places on: to
    /// the right, or to the left, as they are written. A mark takes no room, and stands at its
    /// letter.
    fn page(lines: &[&[(f64, f64, &str)]]) -> String {
        let mut signs = Signs::default();
        for (number, runs) in lines.iter().enumerate() {
            for (from, step, run) in *runs {
                let mut x = *from;
                for c in run.chars() {
                    let is_mark = ('\u{5B0}'..'\u{5C8}').contains(&c);
                    let width = if is_mark { 0.0 } else { 0.5 };
                    let place =
                        Transform::row_major(1.0, 0.0, 0.0, 1.0, x * 5.0, -12.0 * number as f64);
                    signs.begin_word().unwrap();
                    signs
                        .output_character(&place, width, 0.0, 10.0, &c.to_string())
                        .unwrap();
                    x += if is_mark { 0.0 } else { *step };
                }
            }
        }
        signs.text().trim_end().to_owned()
    }

    #[test]
    fn a_line_is_read_in_whatever_order_it_is_written() {
        let read = "הנחל 2024, בכפר Potok tu.";
        let seen = ".Potok tu רפכב ,2024 לחנה";
        assert_eq!(page(&[&[(0.0, 1.0, seen)]]), read);
        // From its right end, but for what is read from left to right; or run by run.
        assert_eq!(
            page(&[&[
                (24.0, -1.0, "הנחל "),
                (16.0, 1.0, "2024"),
                (15.0, -1.0, ", בכפר "),
                (1.0, 1.0, "Potok tu"),
                (0.0, 1.0, ".")
            ]]),
            read
        );
        assert_eq!(
            page(&[&[
                (20.0, 1.0, " לחנה"),
                (16.0, 1.0, "2024"),
                (9.0, 1.0, " רפכב ,"),
                (1.0, 1.0, "Potok tu"),
                (0.0, 1.0, ".")
            ]]),
            read
        );
    }

    #[test]
    fn a_gap_is_a_blank() {
        assert_eq!(
            page(&[&[(0.0, 1.0, "רפכ"), (3.5, 1.0, "לחנה")]]),
            "הנחל כפר"
        );
    }

    #[test]
    fn marks_follow_their_letter() {
        let read = "שָׁלוֹם בָּא";
        let seen: String = read.chars().rev().collect();
        assert_eq!(page(&[&[(0.0, 1.0, &seen)]]), read);
        assert_eq!(page(&[&[(9.0, -1.0, read)]]), read);
    }

    #[test]
    fn brackets_are_read_by_what_they_are_or_look_like() {
        for seen in [")רפכב( לחנה", "(רפכב) לחנה"] {
            assert_eq!(page(&[&[(0.0, 1.0, seen)]]), "הנחל (בכפר)");
        }
    }

    #[test]
    fn a_word_within_another_script_stands_where_it_did() {
        assert_eq!(
            page(&[&[(0.0, 1.0, "Beseda םולש je mir (glej 12).")]]),
            "Beseda שלום je mir (glej 12)."
        );
    }

    #[test]
    fn lines_and_paragraphs_end() {
        let line: &[(f64, f64, &str)] = &[(0.0, 1.0, "םולש")];
        assert_eq!(
            page(&[line, line, &[], &[], line, line]),
            "שלום\nשלום\n\nשלום\nשלום"
        );
    }
}
