//! Numbers for strings, in order of first occurrence.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// Strings whose indices are their numbers, with a value each.
pub(crate) type Numbering<V = ()> = IndexMap<Box<str>, V, RandomState>;

/// Returns the number of a string and its value, which are new ones if the string is.
pub(crate) fn enter<'a, V: Default>(
    numbering: &'a mut Numbering<V>,
    string: &str,
) -> (u32, &'a mut V) {
    let index = match numbering.get_index_of(string) {
        Some(index) => index,
        None => numbering.insert_full(string.into(), V::default()).0,
    };
    // A text or a core has at most one word per byte, and fewer than 2^32 of them.
    (
        u32::try_from(index).unwrap_or(u32::MAX),
        &mut numbering[index],
    )
}

/// Returns the string with a number.
pub(crate) fn string_of<V>(numbering: &Numbering<V>, number: u32) -> &str {
    let entry = numbering.get_index(number as usize);
    entry.map_or("", |(string, _)| &**string)
}
