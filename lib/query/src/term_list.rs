//! The stored form of the terms of a document: `document.terms` and `document_key.spellings` in
//! `stats.db`.

use forage_text::{push_number, take_number};

/// Encodes pairs of term id and tf for `document.terms`: sorted by id, as LEB128 numbers, each id
/// as the difference from the previous one. The inverse of [`unpack_terms`].
pub(crate) fn pack_terms(mut terms: Vec<(i64, i64)>) -> Vec<u8> {
    terms.sort_unstable();
    let mut packed = Vec::with_capacity(3 * terms.len());
    let mut previous_id = 0;
    for (id, tf) in terms {
        push_number(&mut packed, (id - previous_id) as u64);
        push_number(&mut packed, tf as u64);
        previous_id = id;
    }
    packed
}

/// Decodes `document.terms` into pairs of term id and tf, sorted by id. Ends before a number that
/// is too large, in a damaged file.
pub(crate) fn unpack_terms(mut packed: &[u8]) -> impl Iterator<Item = (i64, i64)> {
    let mut id = 0_i64;
    std::iter::from_fn(move || {
        let (gap, tf) = (take(&mut packed)?, take(&mut packed)?);
        id = id.checked_add(gap)?;
        Some((id, tf))
    })
}

/// Encodes words with their frequencies: the length of the word, its bytes, and the frequency. The
/// inverse of [`unpack_words`].
pub(crate) fn pack_words(words: &[(&str, i64)]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (word, tf) in words {
        push_number(&mut packed, word.len() as u64);
        packed.extend(word.as_bytes());
        push_number(&mut packed, *tf as u64);
    }
    packed
}

/// Decodes words with their frequencies. Ends before what is damaged.
pub(crate) fn unpack_words(mut packed: &[u8]) -> Vec<(&str, i64)> {
    let mut words = Vec::new();
    while let Some(word) = take_word(&mut packed)
        && let Some(tf) = take(&mut packed)
    {
        words.push((word, tf));
    }
    words
}

fn take_word<'a>(packed: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::try_from(take(packed)?).ok()?;
    let (word, rest) = packed.split_at_checked(length)?;
    *packed = rest;
    str::from_utf8(word).ok()
}

/// Removes and returns a number; `None` if it is too large or cut short.
fn take(packed: &mut &[u8]) -> Option<i64> {
    i64::try_from(take_number(packed)?).ok()
}

#[cfg(test)]
mod tests {
    use super::{pack_terms, pack_words, unpack_terms, unpack_words};

    #[test]
    fn unpacking_reverses_packing() {
        let packed = pack_terms(vec![(300, 1), (2, 200), (1, 200)]);
        assert_eq!(
            unpack_terms(&packed).collect::<Vec<_>>(),
            [(1, 200), (2, 200), (300, 1)]
        );
        assert_eq!(unpack_terms(&[]).count(), 0);
        let words = [("čas", 300), ("naša", 1)];
        assert_eq!(unpack_words(&pack_words(&words)), words);
    }

    #[test]
    fn what_is_cut_short_or_too_large_is_left_out() {
        assert_eq!(unpack_terms(&[1, 2, 0x80]).collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(unpack_terms(&[0xff; 20]).count(), 0);
        for packed in [&[4, b'a'][..], &[1, b'a', 0x80], &[1, 0xff, 1], &[0xff; 20]] {
            assert_eq!(unpack_words(packed), [], "{packed:?}");
        }
    }
}
