//! Groups of connected documents: documents with the same key are connected, and so are those that
//! a chain of such documents connects (connected components, by union-find; Galler & Fischer 1964).

use std::collections::HashMap;

/// The groups of documents that are connected so far. Takes about 50 bytes per document of a group.
#[derive(Debug, Default)]
pub struct DocumentGroups {
    /// The place of each document in `numbers`.
    places: HashMap<u64, usize>,
    numbers: Vec<u64>,
    /// The place of another document of the group; its own place for the root of the group.
    parents: Vec<usize>,
}

impl DocumentGroups {
    /// Connects two documents, given by their numbers.
    pub fn connect(&mut self, a: u64, b: u64) {
        let (a, b) = (self.place(a), self.place(b));
        let (a, b) = (self.root(a), self.root(b));
        // The earlier of the groups that is linked to the other makes the depth logarithmic on
        // average (linking by random index; Goel, Khanna, Larkin & Tarjan 2014).
        self.parents[a.max(b)] = a.min(b);
    }

    /// Returns each document of a group with the first document of the group: ordered by that, and
    /// then by its own number.
    pub fn into_members(mut self) -> Vec<(u64, u64)> {
        let mut firsts = self.numbers.clone();
        for place in 0..self.numbers.len() {
            let root = self.root(place);
            firsts[root] = firsts[root].min(self.numbers[place]);
        }
        let mut members: Vec<(u64, u64)> = (0..self.numbers.len())
            .map(|place| (firsts[self.root(place)], self.numbers[place]))
            .collect();
        members.sort_unstable();
        members
    }

    fn place(&mut self, number: u64) -> usize {
        *self.places.entry(number).or_insert_with(|| {
            self.numbers.push(number);
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    /// Returns the root of a group, and halves the path to it.
    fn root(&mut self, mut place: usize) -> usize {
        while self.parents[place] != place {
            self.parents[place] = self.parents[self.parents[place]];
            place = self.parents[place];
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::DocumentGroups;
    use proptest::prelude::*;

    fn members(edges: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut groups = DocumentGroups::default();
        for &(a, b) in edges {
            groups.connect(a, b);
        }
        groups.into_members()
    }

    #[test]
    fn chains_connect() {
        let found = members(&[(9, 7), (5, 3), (7, 8), (3, 3), (u64::MAX, 5)]);
        assert_eq!(
            found,
            [(3, 3), (3, 5), (3, u64::MAX), (7, 7), (7, 8), (7, 9)]
        );
    }

    proptest! {
        /// By the definition: the least number that can be reached.
        #[test]
        fn a_group_has_all_that_can_be_reached(
            edges in prop::collection::vec((0_u64..60, 0_u64..60), 0..60),
            parts in 1_usize..4,
        ) {
            let mut least: Vec<u64> = (0..60).collect();
            for _ in 0..60 {
                for &(a, b) in &edges {
                    let first = least[a as usize].min(least[b as usize]);
                    (least[a as usize], least[b as usize]) = (first, first);
                }
            }
            let found = members(&edges);
            for &(first, number) in &found {
                prop_assert_eq!(first, least[number as usize]);
            }
            prop_assert!(found.is_sorted());
            // The groups of parts are connected to those of the whole.
            let of_parts: Vec<_> = edges
                .chunks(edges.len() / parts + 1)
                .flat_map(members)
                .collect();
            prop_assert_eq!(members(&of_parts), found);
        }
    }
}
