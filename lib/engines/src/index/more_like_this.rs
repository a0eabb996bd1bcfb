//! Selection of the terms by which documents similar to a given one are found.
//!
//! Similar to Lucene's `MoreLikeThis`: the terms of the document with the highest tf · ln(N/df),
//! where N and df are counts over the index. A document matches if it contains any of them, and
//! matches are ranked by BM25.

use super::segment::{Segment, count_documents};
use forage_text::terms;
use rusqlite::Result;
use std::collections::BTreeMap;

/// Maximum number of terms: the default of Lucene's `MoreLikeThis` (`DEFAULT_MAX_QUERY_TERMS`).
const MAX_TERMS: usize = 25;

/// Returns the terms of `text` that documents similar to it are found by. Terms that no other
/// document contains are left out.
///
/// Terms of equal weight are ordered by code point, so that the selection does not depend on how
/// the index was built.
pub(super) fn select_similarity_terms(segments: &[Segment], text: &str) -> Result<Vec<String>> {
    let words = terms(text);
    let mut frequencies: BTreeMap<&str, u32> = BTreeMap::new();
    for word in words.iter() {
        *frequencies.entry(word).or_default() += 1;
    }
    let n = count_documents(segments);
    let mut weighted = Vec::with_capacity(frequencies.len());
    for (word, tf) in frequencies {
        let mut df = 0;
        for segment in segments {
            df += segment.document_frequency(word)?;
        }
        if df > 1 {
            weighted.push((f64::from(tf) * (n as f64 / df as f64).ln(), word));
        }
    }
    weighted.sort_by(|(a, a_word), (b, b_word)| b.total_cmp(a).then_with(|| a_word.cmp(b_word)));
    weighted.truncate(MAX_TERMS);
    Ok(weighted.into_iter().map(|(_, word)| word.into()).collect())
}
