//! Widths of the signs of composite fonts (ISO 32000-1, 9.7.4.3), which tell where words end. The
//! crate misreads those that are given for a range, `first last width`; they become lists, `first
//! [width width …]`.

use pdf_extract::{Dictionary, Document, Object};

/// Signs that a font has at most.
const MOST: i64 = 1 << 16;

/// Makes lists of the ranges of a font that a composite one is made of.
pub(super) fn mend(document: &Document, font: &mut Dictionary) {
    let Ok(widths) = font.get_deref(b"W", document).and_then(Object::as_array) else {
        return;
    };
    let widths: Vec<&Object> = widths
        .iter()
        .filter_map(|it| Some(document.dereference(it).ok()?.1))
        .collect();
    let (mut lists, mut rest, mut left) = (Vec::new(), widths.as_slice(), MOST);
    loop {
        let (list, after) = match rest {
            [Object::Integer(first), Object::Array(list), after @ ..] => {
                let numbers = list.iter().filter_map(|it| document.dereference(it).ok());
                ((first, numbers.map(|(_, it)| number(it)).collect()), after)
            }
            [
                Object::Integer(first),
                Object::Integer(last),
                width,
                after @ ..,
            ] => {
                let count = last.saturating_sub(*first).saturating_add(1).clamp(0, left);
                left -= count;
                (
                    (first, (0..count).map(|_| number(width)).collect::<Vec<_>>()),
                    after,
                )
            }
            // What is left is no table.
            _ => break,
        };
        lists.extend([Object::Integer(*list.0), Object::Array(list.1)]);
        rest = after;
    }
    font.set("W", lists);
}

/// A width; the crate can't take what is no number.
fn number(width: &Object) -> Object {
    match width {
        Object::Integer(_) | Object::Real(_) => width.clone(),
        _ => Object::Integer(0),
    }
}

#[cfg(test)]
mod tests {
    use super::mend;
    use pdf_extract::{Dictionary, Document, Object};

    #[test]
    fn ranges_become_lists() {
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
        mend(&Document::new(), &mut font);
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
