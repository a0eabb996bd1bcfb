//! Blanks between words that are gaps between glyphs.

use super::columns::SEGMENT_GAP;
use super::frame::PlacedGlyph;
use unicode_bidi::BidiClass;

/// Width by which a gap between words is wider than those between letters, in font sizes. That of
/// poppler 22.12 (`minWordBreakSpace`).
const WORD_GAP: f64 = 0.1;
/// Greatest size and least raise of the mark of a note, in font sizes of the text before it.
const MAX_NOTE_SIZE: f64 = 0.85;
const MIN_NOTE_RAISE: f64 = 0.15;
/// Numbers of gaps of which the smallest is the spacing of letters, and their widest spacing, in
/// font sizes. Set by judgement, not measured.
const SPACED_LETTERS: [(usize, f64); 2] = [(3, 0.5), (2, 0.2)];

/// Returns for each glyph of a line, from left to right, whether a blank is before it. Combining
/// marks are within the width of their letter.
pub(super) fn find_blanks(glyphs: &[&PlacedGlyph]) -> Vec<bool> {
    let mut gaps = vec![None; glyphs.len()];
    let mut last: Option<PlacedGlyph> = None;
    let mut is_after_word = false;
    for (gap, glyph) in gaps.iter_mut().zip(glyphs) {
        if glyph.class == BidiClass::NSM {
            // A vowel sign beside its letter.
            if let Some(last) = &mut last {
                last.right = last.right.max(glyph.right);
            }
            continue;
        }
        *gap = last
            .as_ref()
            .filter(|last| !last.is_blank() && !glyph.is_blank())
            .map(|last| {
                if is_after_word && is_note_mark(last, glyph) {
                    f64::INFINITY
                } else {
                    last.gap_to(glyph)
                }
            });
        // A letter alone with an index is a formula.
        is_after_word = last.is_some_and(|last| !last.is_blank()) || !is_letter(glyph);
        last = Some((*glyph).clone());
    }
    let spacings = letter_spacings(glyphs, &gaps);
    let blanks = gaps.iter().zip(spacings);
    blanks
        .map(|(gap, spacing)| gap.is_some_and(|gap| gap > spacing + WORD_GAP))
        .collect()
}

fn is_letter(glyph: &PlacedGlyph) -> bool {
    glyph.class == BidiClass::NSM || glyph.text.chars().all(char::is_alphabetic)
}

/// Returns `true` for the first digit of a raised number after a word: the mark of a note.
fn is_note_mark(last: &PlacedGlyph, glyph: &PlacedGlyph) -> bool {
    let is_digit = glyph.text.chars().all(|c| c.is_ascii_digit());
    let raise = (last.baseline - glyph.baseline) / last.size;
    is_digit && glyph.size < MAX_NOTE_SIZE * last.size && (MIN_NOTE_RAISE..1.0).contains(&raise)
}

/// Returns the stated spacing of letters as far as a gap and those beside it have it: the spacing
/// of one glyph alone may be a blank.
fn stated_spacing(glyphs: &[&PlacedGlyph], gaps: &[Option<f64>], index: usize) -> f64 {
    let before = index.saturating_sub(1);
    let stated = glyphs[before].spacing.min(glyphs[index].spacing);
    let gaps = gaps[before..].iter().take(index + 2 - before);
    gaps.flatten()
        .copied()
        .fold(stated.min(SEGMENT_GAP), f64::min)
        .max(0.0)
}

/// Returns for each gap the spacing of letters: the largest that all gaps of a sequence of letters
/// around it have, which may be of several words with blanks between them.
fn letter_spacings(glyphs: &[&PlacedGlyph], gaps: &[Option<f64>]) -> Vec<f64> {
    let spacings = (0..gaps.len()).map(|index| stated_spacing(glyphs, gaps, index));
    let mut spacings: Vec<f64> = spacings.collect();
    let indexes: Vec<usize> = (0..gaps.len()).filter(|i| gaps[*i].is_some()).collect();
    let windows = SPACED_LETTERS.into_iter().flat_map(|(count, widest)| {
        let windows = indexes.windows(count);
        windows.map(move |window| (window, widest))
    });
    for (window, widest) in windows {
        let gaps = window.iter().filter_map(|index| gaps[*index]);
        let smallest = gaps.fold(f64::INFINITY, f64::min);
        let are_letters = window
            .iter()
            .all(|index| is_letter(glyphs[index - 1]) && is_letter(glyphs[*index]));
        if are_letters && smallest > 0.0 && smallest <= widest {
            for index in window {
                spacings[*index] = smallest.max(spacings[*index]);
            }
        }
    }
    spacings
}
