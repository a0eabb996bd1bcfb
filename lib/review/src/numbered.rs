//! Values that are numbered, so that a document needs four bytes for each.

use foldhash::{HashMap, HashMapExt};
use std::borrow::Borrow;
use std::hash::Hash;

/// Distinct values by the order of their first occurrence.
#[derive(Debug)]
pub(crate) struct NumberedValues<T> {
    pub(crate) values: Vec<T>,
    indices: HashMap<T, u32>,
}

impl<T> Default for NumberedValues<T> {
    fn default() -> Self {
        NumberedValues {
            values: Vec::new(),
            indices: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> NumberedValues<T> {
    /// Returns the index of a value, which is added if it is new.
    pub(crate) fn index_of<Q>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = T> + ?Sized,
    {
        if let Some(&index) = self.indices.get(value) {
            return index;
        }
        let next = self.values.len() as u32;
        self.values.push(value.to_owned());
        self.indices.insert(value.to_owned(), next);
        next
    }
}
