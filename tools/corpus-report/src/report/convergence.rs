//! How much the distribution of words still changes while a class grows: with convergence, the
//! documents cover what they are sampled from (Ghani, Jones and Mladenić 2005, on coverage).

use crate::report::count::BoundedCounts;
use std::collections::HashMap;

/// Words of a class from which its distribution is compared. Set by judgement: fewer have none.
const FIRST_TOKENS: u64 = 1_000;
/// Number of commonest words that are compared, and of those that are kept for it. Set by
/// judgement.
const COMPARED_WORDS: usize = 1_000;
const KEPT_WORDS: usize = 4_000;

/// The changes of a distribution, each time that its number of words has doubled.
#[derive(Debug, Default)]
pub struct Convergence {
    /// The number of words, and the total variation distance to the distribution at half of it: the
    /// share of the words that would have to be others.
    pub changes: Vec<(u64, f64)>,
    /// The number of words at the last doubling, and the commonest ones.
    tokens: u64,
    counts: HashMap<String, u64>,
}

impl Convergence {
    /// Takes note of the words of a class so far.
    pub fn add(&mut self, tokens: u64, words: &BoundedCounts<u64>) {
        if tokens < FIRST_TOKENS.max(2 * self.tokens) {
            return;
        }
        if self.tokens > 0 {
            let share = |count: u64, of: u64| count as f64 / of as f64;
            let compared = words.top(COMPARED_WORDS, |count| *count).into_iter();
            let differences = compared.map(|(word, count)| {
                let earlier = self.counts.get(word).copied().unwrap_or(0);
                (share(*count, tokens) - share(earlier, self.tokens)).abs()
            });
            self.changes.push((tokens, differences.sum::<f64>() / 2.0));
        }
        let kept = words.top(KEPT_WORDS, |count| *count).into_iter();
        self.counts = kept
            .map(|(word, count)| (word.to_owned(), *count))
            .collect();
        self.tokens = tokens;
    }
}

#[cfg(test)]
mod tests {
    use super::Convergence;
    use crate::report::count::BoundedCounts;

    /// Returns the changes of a class to which words are added, of which `new` per thousand are
    /// new.
    fn changes(new: usize) -> Vec<(u64, f64)> {
        let mut words: BoundedCounts<u64> = BoundedCounts::new(100_000);
        let mut convergence = Convergence::default();
        for part in 0..8 {
            for word in 0..1_000 {
                let name = match word < new {
                    true => format!("new{part}"),
                    false => format!("old{}", word % 10),
                };
                words.update(&name, |count| *count += 1);
            }
            convergence.add(1_000 * (part + 1), &words);
        }
        convergence.changes
    }

    #[test]
    fn a_distribution_that_stays_has_converged() {
        assert_eq!(changes(0), [(2_000, 0.0), (4_000, 0.0), (8_000, 0.0)]);
    }

    #[test]
    fn new_words_change_it() {
        let changes = changes(500);
        let tokens: Vec<u64> = changes.iter().map(|(tokens, _)| *tokens).collect();
        assert_eq!(tokens, [2_000, 4_000, 8_000]);
        // A quarter of the words is another one than at half their number.
        assert!(
            changes
                .iter()
                .all(|(_, change)| (change - 0.25).abs() < 1e-9),
            "{changes:?}"
        );
    }
}
