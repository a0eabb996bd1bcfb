//! The rules of SeedFinder (Vieira et al. 2016), on what a query brought.

/// The share of relevant documents below which a query is not precise enough, and the share of new
/// hits below which it is spent: the default of ACHE, SeedFinder's program.
const LEAST: f64 = 0.5;
/// The longest query. Ours: what Forage's selection has at most.
const LONGEST: u32 = 10;

/// What a query brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Yield {
    /// Documents that were not retrieved before.
    pub documents: u64,
    /// Those of the target among them, no twins.
    pub relevant: u64,
    /// Hits that were gone through for them.
    pub hits: u64,
}

impl Yield {
    /// Relevant documents / documents; `None` where none came.
    pub fn precision(self) -> Option<f64> {
        (self.documents > 0).then(|| self.relevant as f64 / self.documents as f64)
    }

    /// Whether a further page of the query is worth a call.
    pub fn goes_on(self) -> bool {
        self.precision().is_some_and(|precision| precision >= LEAST)
    }
}

/// The change of a term's score by a document that has it `tf` times among `tokens`.
pub(super) fn gain(tf: u64, tokens: u64, is_relevant: bool) -> f64 {
    let share = tf as f64 / tokens.max(1) as f64;
    if is_relevant { share } else { -share }
}

/// The length of the next query: longer by a term after one that was not precise, shorter by a term
/// after one that was but brought little that is new.
///
/// One that brought no document at all is followed by a shorter one (ours): where all terms are
/// required, as here, a longer one would bring less still.
pub(super) fn next_length(length: u32, brought: Yield) -> u32 {
    let new = brought.documents as f64 / brought.hits.max(1) as f64;
    match brought.precision() {
        Some(precision) if precision < LEAST => (length + 1).min(LONGEST),
        Some(_) if new >= LEAST => length,
        _ => length.saturating_sub(1).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::{Yield, gain, next_length};

    #[test]
    fn ten_queries_by_hand() {
        // Documents, relevant ones, hits; and the length that follows.
        let steps = [
            (0, 0, 0, 2),    // nothing: shorter
            (10, 9, 10, 2),  // precise and new: as it is
            (10, 4, 10, 3),  // not precise: longer
            (5, 5, 10, 3),   // half is new: enough
            (4, 4, 10, 2),   // less than half: shorter
            (20, 9, 100, 3), // not precise comes first
            (0, 0, 30, 2),   // all seen
            (0, 0, 0, 1),
            (0, 0, 0, 1), // never shorter than one term
            (2, 1, 2, 1), // half is precise enough
        ];
        let mut length = 3;
        for (documents, relevant, hits, expected) in steps {
            length = next_length(
                length,
                Yield {
                    documents,
                    relevant,
                    hits,
                },
            );
            assert_eq!(length, expected, "{documents} {relevant} {hits}");
        }
        assert_eq!(
            next_length(
                10,
                Yield {
                    documents: 1,
                    relevant: 0,
                    hits: 1
                }
            ),
            10
        );
    }

    #[test]
    fn a_term_gains_its_share_of_a_relevant_document_and_loses_that_of_another() {
        assert_eq!((gain(3, 60, true), gain(3, 60, false)), (0.05, -0.05));
    }

    #[test]
    fn pages_are_taken_while_half_of_the_last_one_is_relevant() {
        let goes_on = |documents, relevant| {
            Yield {
                documents,
                relevant,
                hits: documents,
            }
            .goes_on()
        };
        assert!(goes_on(2, 1) && !goes_on(3, 1) && !goes_on(0, 0));
    }
}
