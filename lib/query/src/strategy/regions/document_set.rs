//! Sets of sampled documents, as bit sets.

/// A subset of the documents of a sample. Sets that are combined must be of the same sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DocumentSet(Vec<u64>);

impl DocumentSet {
    /// Creates the empty subset of a sample of `size` documents.
    pub fn empty(size: usize) -> Self {
        DocumentSet(vec![0; size.div_ceil(64)])
    }

    /// Creates the set of all documents of a sample of `size` documents.
    pub fn full(size: usize) -> Self {
        let mut all = DocumentSet(vec![u64::MAX; size.div_ceil(64)]);
        if let Some(last) = all.0.last_mut().filter(|_| !size.is_multiple_of(64)) {
            *last = (1 << (size % 64)) - 1;
        }
        all
    }

    /// Adds the document at an index of the sample.
    pub fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// The number of documents.
    pub fn len(&self) -> f64 {
        f64::from(self.0.iter().map(|word| word.count_ones()).sum::<u32>())
    }

    /// The number of documents that are in both sets.
    pub fn count_common(&self, other: &DocumentSet) -> f64 {
        let words = self.0.iter().zip(&other.0);
        f64::from(words.map(|(a, b)| (a & b).count_ones()).sum::<u32>())
    }

    /// The number of documents that are in all three sets.
    pub fn count_common_three(&self, second: &DocumentSet, third: &DocumentSet) -> f64 {
        let words = self.0.iter().zip(&second.0).zip(&third.0);
        let counts = words.map(|((a, b), c)| (a & b & c).count_ones());
        f64::from(counts.sum::<u32>())
    }

    /// The documents that are in `other`, too; with `is_in` false, those that are not.
    pub fn filter(&self, other: &DocumentSet, is_in: bool) -> DocumentSet {
        let flip = if is_in { 0 } else { u64::MAX };
        let words = self.0.iter().zip(&other.0);
        DocumentSet(words.map(|(a, b)| a & (b ^ flip)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::DocumentSet;

    #[test]
    fn counts_and_filters_documents() {
        let all = DocumentSet::full(70);
        let mut some = DocumentSet::empty(70);
        for index in [0, 63, 64, 69] {
            some.insert(index);
        }
        assert!(all.len() == 70.0 && some.len() == 4.0 && all.count_common(&some) == 4.0);
        assert!(all.filter(&some, false).len() == 66.0 && all.filter(&some, true) == some);
        assert!(all.count_common_three(&some, &all.filter(&some, false)) == 0.0);
    }
}
