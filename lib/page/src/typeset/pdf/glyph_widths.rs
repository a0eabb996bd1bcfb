//! Glyph widths of composite fonts (ISO 32000-1, 9.7.4.3), which determine the word boundaries.
//!
//! The crate misreads widths that are given for a range, `first last width`. They are rewritten as
//! lists, `first [width width …]`.

use super::budget::Budget;
use pdf_extract::{Dictionary, Document, Object};

/// Maximum number of glyphs of a font: the codes of two bytes.
const MAX_GLYPHS: i64 = 1 << 16;

/// Rewrites the ranges in the widths of a descendant font as lists, as far as the budget allows.
pub(super) fn expand_ranges(document: &Document, font: &mut Dictionary, budget: &mut Budget) {
    let Ok(widths) = font.get_deref(b"W", document).and_then(Object::as_array) else {
        return;
    };
    if !budget.spend(widths.len() * size_of::<Object>()) {
        font.remove(b"W");
        return;
    }
    let widths: Vec<&Object> = widths
        .iter()
        .filter_map(|object| Some(document.dereference(object).ok()?.1))
        .collect();
    let mut lists = Vec::new();
    let mut rest = widths.as_slice();
    let mut remaining = MAX_GLYPHS;
    loop {
        let (first, list, after) = match rest {
            [Object::Integer(first), Object::Array(list), after @ ..] => {
                if !budget.spend(list.len() * size_of::<Object>()) {
                    break;
                }
                let widths = list
                    .iter()
                    .filter_map(|width| document.dereference(width).ok())
                    .map(|(_, width)| number_or_zero(width))
                    .collect();
                (first, widths, after)
            }
            [
                Object::Integer(first),
                Object::Integer(last),
                width,
                after @ ..,
            ] => {
                let count = last
                    .saturating_sub(*first)
                    .saturating_add(1)
                    .clamp(0, remaining);
                remaining -= count;
                if !budget.spend(count as usize * size_of::<Object>()) {
                    break;
                }
                let widths: Vec<Object> = (0..count).map(|_| number_or_zero(width)).collect();
                (first, widths, after)
            }
            // The end, or an invalid entry.
            _ => break,
        };
        lists.extend([Object::Integer(*first), Object::Array(list)]);
        rest = after;
    }
    font.set("W", lists);
}

/// Returns a width, or 0 for an object that is not a number, on which the crate would fail.
fn number_or_zero(width: &Object) -> Object {
    match width {
        Object::Integer(_) | Object::Real(_) => width.clone(),
        _ => Object::Integer(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, expand_ranges};
    use pdf_extract::{Dictionary, Document, Object};

    #[test]
    fn rewrites_ranges_as_lists() {
        let numbers = |numbers: &[i64]| {
            numbers
                .iter()
                .copied()
                .map(Object::Integer)
                .collect::<Vec<_>>()
        };
        let mut widths = numbers(&[1, 3, 500, 7]);
        widths.push(Object::Array(numbers(&[600, 700])));
        widths.extend(numbers(&[9, 8, 100, 10, i64::MAX, 5, 6]));
        let mut font = Dictionary::from_iter([("W", Object::Array(widths))]);
        expand_ranges(&Document::new(), &mut font, &mut Budget::new(1 << 30));
        let lists = font.get(b"W").and_then(Object::as_array).unwrap();
        assert_eq!(
            lists[..4],
            [
                1.into(),
                numbers(&[500; 3]).into(),
                7.into(),
                numbers(&[600, 700]).into()
            ]
        );
        assert_eq!((&lists[5], lists.len()), (&Object::Array(Vec::new()), 8));
        assert!(lists[7].as_array().is_ok_and(|list| list.len() < 1 << 16));
    }
}
