//! Accents that are glyphs of their own, over or under a letter: TeX builds letters of two glyphs
//! if a font lacks them.

use super::frame::PlacedGlyph;
use std::rc::Rc;
use unicode_bidi::bidi_class;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Greatest distance of the baselines of an accent and its letter, in font sizes.
const MAX_RAISE: f64 = 0.6;
/// Accents, and the marks that combine with letters.
const ACCENTS: [(char, char); 17] = [
    ('`', '\u{300}'),
    ('´', '\u{301}'),
    ('^', '\u{302}'),
    ('ˆ', '\u{302}'),
    ('~', '\u{303}'),
    ('˜', '\u{303}'),
    ('¯', '\u{304}'),
    ('ˉ', '\u{304}'),
    ('˘', '\u{306}'),
    ('˙', '\u{307}'),
    ('¨', '\u{308}'),
    ('˚', '\u{30A}'),
    ('˝', '\u{30B}'),
    ('ˇ', '\u{30C}'),
    ('¸', '\u{327}'),
    ('˛', '\u{328}'),
    ('ˏ', '\u{323}'),
];

/// Joins accents with the letters that they are drawn on.
pub(super) fn join_accents(glyphs: &mut Vec<PlacedGlyph>) {
    let mut joined: Vec<PlacedGlyph> = Vec::with_capacity(glyphs.len());
    let mut waiting: Option<(PlacedGlyph, char)> = None;
    for mut glyph in glyphs.drain(..) {
        if let Some((accent, mark)) = waiting.take() {
            match is_on(&accent, &glyph) {
                true => combine(&mut glyph, mark, Some(&accent)),
                false => joined.push(accent),
            }
        }
        match (mark_of(&glyph), joined.last_mut()) {
            (Some(mark), Some(letter)) if is_on(&glyph, letter) => combine(letter, mark, None),
            (Some(mark), _) => waiting = Some((glyph, mark)),
            (None, _) => joined.push(glyph),
        }
    }
    joined.extend(waiting.map(|(accent, _)| accent));
    *glyphs = joined;
}

/// Returns the mark of an accent; `None` for another glyph.
fn mark_of(glyph: &PlacedGlyph) -> Option<char> {
    let mut chars = glyph.text.chars();
    let c = chars.next().filter(|_| chars.next().is_none())?;
    let is_mark = ('\u{300}'..='\u{36F}').contains(&c);
    let accent = ACCENTS.iter().find(|(accent, _)| *accent == c);
    accent.map(|(_, mark)| *mark).or(is_mark.then_some(c))
}

/// Returns `true` if the middle of an accent is over or under a letter.
fn is_on(accent: &PlacedGlyph, letter: &PlacedGlyph) -> bool {
    let is_letter = letter.text.chars().next().is_some_and(char::is_alphabetic);
    let distance = (accent.baseline - letter.baseline).abs();
    let is_inside = |x: f64| letter.left < x && x < letter.right;
    is_letter && is_inside(accent.middle()) && distance <= MAX_RAISE * letter.size
}

/// Adds a mark to a letter, after its other marks. A letter without its dot gets no other one.
fn combine(letter: &mut PlacedGlyph, mark: char, before: Option<&PlacedGlyph>) {
    let is_above = (mark as u32) < 0x323;
    let base = letter.text.chars().map(|c| match c {
        'ı' if is_above => 'i',
        'ȷ' if is_above => 'j',
        c => c,
    });
    let end = base
        .clone()
        .take(1)
        .chain(base.clone().skip(1).take_while(|c| is_combining_mark(*c)));
    let count = end.clone().count();
    let text: String = end.chain([mark]).chain(base.skip(count)).nfc().collect();
    if let Some(before) = before {
        letter.left = letter.left.min(before.left);
    }
    letter.class = text.chars().next().map_or(letter.class, bidi_class);
    letter.text = Rc::from(text);
}
