//! Selection of the terms by which documents similar to a given one are found.
//!
//! Similar to Lucene's `MoreLikeThis`: the terms of the document with the highest tf · ln(N/df),
//! where N and df are counts over the index. A document matches if it contains any of them, and
//! matches are ranked by BM25.

use super::segment::{IndexSegment, count_documents, document_frequency};
use forage_text::terms;
use std::collections::BTreeMap;
use tantivy::Term;
use tantivy::schema::Field;

/// Maximum number of terms: the default of Lucene's `MoreLikeThis` (`DEFAULT_MAX_QUERY_TERMS`).
const MAX_TERMS: usize = 25;

/// Returns the terms of `text` that documents similar to it are found by, sorted. Terms that no
/// other document contains are left out.
///
/// Terms of equal weight are ordered by code point, so that the selection does not depend on how
/// the index was built.
pub(super) fn select_similarity_terms(
    segments: &[IndexSegment],
    field: Field,
    text: &str,
) -> tantivy::Result<Vec<Term>> {
    let mut frequencies: BTreeMap<String, u32> = BTreeMap::new();
    for word in terms(text).iter() {
        *frequencies.entry(word.into()).or_default() += 1;
    }
    let n = count_documents(segments);
    let mut weighted = Vec::with_capacity(frequencies.len());
    for (word, tf) in frequencies {
        let term = Term::from_field_text(field, &word);
        let df = document_frequency(segments, &term)?;
        if df > 1 {
            weighted.push((f64::from(tf) * (n as f64 / df as f64).ln(), term));
        }
    }
    weighted.sort_by(|(a, a_term), (b, b_term)| b.total_cmp(a).then_with(|| a_term.cmp(b_term)));
    weighted.truncate(MAX_TERMS);
    let mut selected: Vec<Term> = weighted.into_iter().map(|(_, term)| term).collect();
    selected.sort_unstable();
    Ok(selected)
}
