//! The rules of SeedFinder (Vieira et al. 2016), which depend on the result of a query.

/// Threshold of two shares: of relevant documents, below which a query is not precise enough, and
/// of new hits, below which it is exhausted. The default of ACHE, the program of SeedFinder's
/// authors.
const THRESHOLD: f64 = 0.5;
/// Maximum number of terms of a query: those that term selection has at most. Not in the paper.
const MAX_LENGTH: u32 = 10;

/// The result of a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct QueryYield {
    /// Documents that no earlier query had returned.
    pub documents: u64,
    /// Relevant documents among them, without duplicates.
    pub relevant: u64,
    /// Hits that were examined for them.
    pub hits: u64,
}

impl QueryYield {
    /// Relevant documents / documents; `None` if there are no documents.
    pub fn precision(self) -> Option<f64> {
        (self.documents > 0).then(|| self.relevant as f64 / self.documents as f64)
    }

    /// Returns `true` if the next page of the query is worth a call.
    pub fn is_precise(self) -> bool {
        self.precision()
            .is_some_and(|precision| precision >= THRESHOLD)
    }
}

/// The change of a term's score by a document of `tokens` tokens that contains it `tf` times.
pub(super) fn score_change(tf: u64, tokens: u64, is_relevant: bool) -> f64 {
    let share = tf as f64 / tokens.max(1) as f64;
    if is_relevant { share } else { -share }
}

/// The length of the next query: one term more after a query that was not precise, one term less
/// after a precise one that returned little new.
///
/// Unlike in the paper, a query without any document is followed by a shorter one: the engine
/// requires all terms, so a longer one would return even less.
pub(super) fn next_length(length: u32, result: QueryYield) -> u32 {
    let new_share = result.documents as f64 / result.hits.max(1) as f64;
    match result.precision() {
        Some(precision) if precision < THRESHOLD => (length + 1).min(MAX_LENGTH),
        Some(_) if new_share >= THRESHOLD => length,
        _ => length.saturating_sub(1).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::{QueryYield, next_length, score_change};

    #[test]
    fn lengths_of_ten_queries_agree_with_values_worked_out_by_hand() {
        // Documents, relevant ones, hits; and the length that follows.
        let steps = [
            (0, 0, 0, 2),    // nothing: shorter
            (10, 9, 10, 2),  // precise and new: unchanged
            (10, 4, 10, 3),  // not precise: longer
            (5, 5, 10, 3),   // half is new: enough
            (4, 4, 10, 2),   // less than half: shorter
            (20, 9, 100, 3), // precision is checked first
            (0, 0, 30, 2),   // all hits seen before
            (0, 0, 0, 1),
            (0, 0, 0, 1), // never shorter than one term
            (2, 1, 2, 1), // half is precise enough
        ];
        let mut length = 3;
        for (documents, relevant, hits, expected) in steps {
            let result = QueryYield {
                documents,
                relevant,
                hits,
            };
            length = next_length(length, result);
            assert_eq!(length, expected, "{documents} {relevant} {hits}");
        }
        let imprecise = QueryYield {
            documents: 1,
            relevant: 0,
            hits: 1,
        };
        assert_eq!(next_length(10, imprecise), 10);
    }

    #[test]
    fn a_term_gains_its_share_of_a_relevant_document_and_loses_that_of_a_nonrelevant_one() {
        assert_eq!(
            (score_change(3, 60, true), score_change(3, 60, false)),
            (0.05, -0.05)
        );
    }

    #[test]
    fn a_page_is_precise_if_half_of_its_documents_are_relevant() {
        let is_precise = |documents, relevant| {
            let page = QueryYield {
                documents,
                relevant,
                hits: documents,
            };
            page.is_precise()
        };
        assert!(is_precise(2, 1) && !is_precise(3, 1) && !is_precise(0, 0));
    }
}
