//! A set of documents, as bits.

/// Some of the documents of a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    /// None of `size` documents.
    pub fn none(size: usize) -> Self {
        Set(vec![0; size.div_ceil(64)])
    }

    /// All of `size` documents.
    pub fn all(size: usize) -> Self {
        let mut all = Set(vec![u64::MAX; size.div_ceil(64)]);
        if let Some(last) = all.0.last_mut().filter(|_| !size.is_multiple_of(64)) {
            *last = (1 << (size % 64)) - 1;
        }
        all
    }

    pub fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub fn len(&self) -> f64 {
        f64::from(self.0.iter().map(|word| word.count_ones()).sum::<u32>())
    }

    /// How many are in both.
    pub fn common(&self, other: &Set) -> f64 {
        f64::from(
            self.0
                .iter()
                .zip(&other.0)
                .map(|(a, b)| (a & b).count_ones())
                .sum::<u32>(),
        )
    }

    /// How many are in all three.
    pub fn common3(&self, b: &Set, c: &Set) -> f64 {
        let words = self.0.iter().zip(&b.0).zip(&c.0);
        f64::from(
            words
                .map(|((a, b), c)| (a & b & c).count_ones())
                .sum::<u32>(),
        )
    }

    /// Those that are in `other`, too; or with `is_in` false, those that are not.
    pub fn filter(&self, other: &Set, is_in: bool) -> Set {
        let flip = if is_in { 0 } else { u64::MAX };
        Set(self
            .0
            .iter()
            .zip(&other.0)
            .map(|(a, b)| a & (b ^ flip))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Set;

    #[test]
    fn counts_and_filters() {
        let all = Set::all(70);
        let mut some = Set::none(70);
        for at in [0, 63, 64, 69] {
            some.insert(at);
        }
        assert!(all.len() == 70.0 && some.len() == 4.0 && all.common(&some) == 4.0);
        assert!(all.filter(&some, false).len() == 66.0 && all.filter(&some, true) == some);
        assert!(all.common3(&some, &all.filter(&some, false)) == 0.0);
    }
}
