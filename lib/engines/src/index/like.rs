//! The words by which documents are like one: those that tell it best.
//!
//! As "more like this" of Lucene does: of the document's words the few with the highest tf · ln(N/df), N and df over the
//! index, are what others are searched by; any of them is enough to match, and BM25 ranks.

use super::reader::Segment;
use forage_text::terms;
use std::collections::BTreeMap;
use tantivy::Term;
use tantivy::schema::Field;

/// How many words are taken, at most: Lucene's default.
const WORDS: usize = 25;

/// The words of `text` that documents like it are searched by, sorted; those that no other document has are left out.
///
/// Equal weights are ordered by word, so that it does not depend on how the index came about.
pub(super) fn words(segments: &[Segment], field: Field, text: &str) -> tantivy::Result<Vec<Term>> {
    let mut frequencies: BTreeMap<String, u32> = BTreeMap::new();
    for word in terms(text).iter() {
        *frequencies.entry(word.into()).or_default() += 1;
    }
    let documents: u64 = segments.iter().map(|segment| u64::from(segment.reader.max_doc())).sum();
    let mut weighed = Vec::with_capacity(frequencies.len());
    for (word, tf) in frequencies {
        let term = Term::from_field_text(field, &word);
        let mut df = 0;
        for segment in segments {
            df += u64::from(segment.reader.inverted_index(field)?.doc_freq(&term)?);
        }
        if df > 1 {
            weighed.push((weight(tf, df, documents), term));
        }
    }
    weighed.sort_by(|(a, a_term), (b, b_term)| b.total_cmp(a).then_with(|| a_term.cmp(b_term)));
    weighed.truncate(WORDS);
    let mut words: Vec<Term> = weighed.into_iter().map(|(_, term)| term).collect();
    words.sort_unstable();
    Ok(words)
}

/// tf · ln(N/df).
fn weight(tf: u32, df: u64, documents: u64) -> f64 {
    f64::from(tf) * (documents as f64 / df as f64).ln()
}
