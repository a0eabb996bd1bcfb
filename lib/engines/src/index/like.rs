//! The words by which documents are like one: those that tell it best.
//!
//! As "more like this" of Lucene does: of the document's words the few with the highest tf ·
//! ln(N/df), N and df over the index, are what others are searched by; any of them is enough to
//! match, and BM25 ranks.

use super::segment::{Segment, document_frequency, documents};
use forage_text::terms;
use std::collections::BTreeMap;
use tantivy::Term;
use tantivy::schema::Field;

/// How many words are taken, at most: Lucene's default.
const WORDS: usize = 25;

/// The words of `text` that documents like it are searched by, sorted; those that no other document
/// has are left out.
///
/// Equal weights are ordered by word, so that it does not depend on how the index came about.
pub(super) fn words(segments: &[Segment], field: Field, text: &str) -> tantivy::Result<Vec<Term>> {
    let mut frequencies: BTreeMap<String, u32> = BTreeMap::new();
    for word in terms(text).iter() {
        *frequencies.entry(word.into()).or_default() += 1;
    }
    let documents = documents(segments);
    let mut weighed = Vec::with_capacity(frequencies.len());
    for (word, tf) in frequencies {
        let term = Term::from_field_text(field, &word);
        let df = document_frequency(segments, &term)?;
        if df > 1 {
            weighed.push((f64::from(tf) * (documents as f64 / df as f64).ln(), term));
        }
    }
    weighed.sort_by(|(a, a_term), (b, b_term)| b.total_cmp(a).then_with(|| a_term.cmp(b_term)));
    weighed.truncate(WORDS);
    let mut words: Vec<Term> = weighed.into_iter().map(|(_, term)| term).collect();
    words.sort_unstable();
    Ok(words)
}
