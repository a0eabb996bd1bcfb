//! The candidates for the next query, and the yield that is expected of each.

use super::QueryTerm;
use super::weights::RetrievedDocuments;
use crate::query_log::QueryLogRow;
use forage_record::MoreHits;

/// Factor of the yield that is estimated for a query that was never sent. Documents that are known
/// to contain its terms were found by better terms, so its own hits contain fewer relevant ones,
/// and of these some are known. Set by judgement, not measured.
const UNSENT_FACTOR: f64 = 0.5;

/// A query of one or two of the best terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The ranks of its terms, from 0, ascending.
    pub ranks: Vec<usize>,
}

/// Returns all candidates of `terms` terms: single terms first, and of as many terms those of
/// higher ranks first.
pub(super) fn list_candidates(terms: usize) -> Vec<Candidate> {
    let singles = (0..terms).map(|rank| vec![rank]);
    let mut pairs: Vec<Vec<usize>> = (0..terms)
        .flat_map(|first| (first + 1..terms).map(move |second| vec![first, second]))
        .collect();
    pairs.sort_by_key(|ranks| ranks.iter().sum::<usize>());
    singles
        .chain(pairs)
        .map(|ranks| Candidate { ranks })
        .collect()
}

/// Returns the share of new relevant documents that is expected on the next page of a query; `None`
/// if the query is exhausted. `sent` is its row in the query log.
pub(super) fn expected_yield(
    sent: Option<&QueryLogRow>,
    page_size: u32,
    documents: &RetrievedDocuments,
    terms: &[&QueryTerm],
) -> Option<f64> {
    let Some(row) = sent else {
        return Some(estimate_unsent(documents, terms));
    };
    let is_open = row.unseen_hits > 0 || row.more == Some(MoreHits::Pages);
    is_open.then(|| row.page_relevant as f64 / f64::from(page_size.max(1)))
}

/// Estimates the yield of a query that was never sent: by Laplace's rule of succession over the
/// retrieved documents that contain its terms. Those that contain a keyphrase are not known.
fn estimate_unsent(documents: &RetrievedDocuments, terms: &[&QueryTerm]) -> f64 {
    let ids: Option<Vec<u32>> = terms.iter().map(|term| term.id).collect();
    let (matching, relevant) = ids.map_or((0, 0), |ids| documents.count_matching(&ids));
    UNSENT_FACTOR * (relevant + 1) as f64 / (matching + 2) as f64
}

#[cfg(test)]
mod tests {
    use super::{Candidate, estimate_unsent, expected_yield, list_candidates};
    use crate::query_log::QueryLogRow;
    use crate::strategy::regions::SampledDocument;
    use crate::strategy::rocchio::QueryTerm;
    use crate::strategy::rocchio::weights::RetrievedDocuments;
    use forage_record::MoreHits;

    fn document(terms: &[u32], is_retrieved: bool) -> SampledDocument {
        SampledDocument {
            terms: terms.to_vec(),
            frequencies: vec![1; terms.len()],
            query: is_retrieved.then_some(0),
        }
    }

    fn term(id: u32) -> QueryTerm {
        QueryTerm {
            id: Some(id),
            ..QueryTerm::keyphrase(id.to_string())
        }
    }

    #[test]
    fn single_terms_come_first_and_then_pairs_of_high_ranks() {
        let ranks: Vec<Vec<usize>> = list_candidates(3)
            .into_iter()
            .map(|Candidate { ranks }| ranks)
            .collect();
        assert_eq!(
            ranks,
            [
                vec![0],
                vec![1],
                vec![2],
                vec![0, 1],
                vec![0, 2],
                vec![1, 2]
            ]
        );
    }

    #[test]
    fn a_new_query_is_estimated_from_the_retrieved_documents_with_its_terms() {
        let documents = RetrievedDocuments::new(
            vec![
                document(&[1, 2], false),
                document(&[1, 2], true),
                document(&[1], true),
            ],
            vec![document(&[1, 3], true)],
        );
        // The sample itself does not count. (2 + 1) / (3 + 2), (1 + 1) / (1 + 2), (0 + 1) / (1 + 2)
        let estimate = |ids: &[u32]| {
            let terms: Vec<QueryTerm> = ids.iter().copied().map(term).collect();
            estimate_unsent(&documents, &terms.iter().collect::<Vec<_>>())
        };
        assert!((estimate(&[1]) - 0.5 * 0.6).abs() < 1e-12);
        assert!((estimate(&[1, 2]) - 0.5 * 2.0 / 3.0).abs() < 1e-12);
        assert!((estimate(&[1, 3]) - 0.5 / 3.0).abs() < 1e-12);
        let phrase = QueryTerm::keyphrase("oil price".into());
        assert!((estimate_unsent(&documents, &[&phrase]) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_sent_query_is_expected_to_continue_as_on_its_last_page_until_it_is_exhausted() {
        let documents = RetrievedDocuments::new(Vec::new(), Vec::new());
        let row = |more, unseen_hits| QueryLogRow {
            page_relevant: 4,
            unseen_hits,
            more,
            ..QueryLogRow::default()
        };
        let expect = |row: &QueryLogRow| expected_yield(Some(row), 10, &documents, &[]);
        assert_eq!(expect(&row(Some(MoreHits::Pages), 0)), Some(0.4));
        assert_eq!(expect(&row(None, 2)), Some(0.4));
        assert_eq!(expect(&row(None, 0)), None);
        assert_eq!(expect(&row(Some(MoreHits::Hidden), 0)), None);
    }
}
