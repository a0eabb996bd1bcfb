//! The stored form of the terms of a document: `document.terms` in `stats.db`.

/// Bits of a number: those of the greatest positive `i64`, at seven per byte.
const MAX_BITS: u32 = 63;

/// Encodes pairs of term id and tf for `document.terms`: sorted by id, as LEB128 numbers, each id
/// as the difference from the previous one. The inverse of [`unpack_terms`].
pub(crate) fn pack_terms(mut terms: Vec<(i64, i64)>) -> Vec<u8> {
    terms.sort_unstable();
    let mut packed = Vec::with_capacity(3 * terms.len());
    let mut previous_id = 0;
    for (id, tf) in terms {
        push_leb128(&mut packed, (id - previous_id) as u64);
        push_leb128(&mut packed, tf as u64);
        previous_id = id;
    }
    packed
}

/// Decodes `document.terms` into pairs of term id and tf, sorted by id. Ends before a number that
/// is too large, in a damaged file.
pub(crate) fn unpack_terms(packed: &[u8]) -> impl Iterator<Item = (i64, i64)> {
    let mut numbers = packed.iter().scan((0_u64, 0_u32), |(number, shift), byte| {
        // A number with more bits is damage.
        if *shift >= MAX_BITS {
            return None;
        }
        *number |= u64::from(byte & 0x7F) << *shift;
        *shift += 7;
        let done = (byte & 0x80 == 0).then(|| std::mem::take(number));
        if done.is_some() {
            *shift = 0;
        }
        Some(done)
    });
    let mut id = 0_i64;
    std::iter::from_fn(move || {
        let mut next = || i64::try_from(numbers.by_ref().flatten().next()?).ok();
        let (gap, tf) = (next()?, next()?);
        id = id.checked_add(gap)?;
        Some((id, tf))
    })
}

/// Appends a number in LEB128: seven bits per byte, the lowest first.
fn push_leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::{pack_terms, unpack_terms};

    #[test]
    fn unpacking_reverses_packing() {
        let packed = pack_terms(vec![(300, 1), (2, 200), (1, 200)]);
        assert_eq!(
            unpack_terms(&packed).collect::<Vec<_>>(),
            [(1, 200), (2, 200), (300, 1)]
        );
        assert_eq!(unpack_terms(&[]).count(), 0);
    }
}
