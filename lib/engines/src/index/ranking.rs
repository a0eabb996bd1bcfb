//! The best documents of a query: BM25, equal scores by URL.
//!
//! Tantivy's own ranking adds a document's term scores in an order that differs from segment to segment, and breaks
//! ties by where a document lies, so one index may rank otherwise than another of the same documents. Here Tantivy
//! only says which documents match; the scores are added in the order of the terms, and ties go by URL.

use super::boolean::Matching;
use super::reader::{Segment, document_frequency, documents};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EnableScoring, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, Term};

/// The URLs of the `limit` best documents, best first.
///
/// BM25 (Robertson & Zaragoza 2009) with k1 = 1.2, b = 0.75 and document lengths of one byte's precision, as Tantivy
/// has it. A query without inclusion terms gives every match the same score. Time grows with the number of matches.
pub(super) fn best(
    segments: &[Segment],
    schema: &Schema,
    text: Field,
    matching: &Matching,
    limit: usize,
) -> tantivy::Result<Vec<String>> {
    let unscored = EnableScoring::disabled_from_schema(schema);
    let weight = matching.query.weight(unscored)?;
    let phrases =
        matching.excluded_phrases.iter().map(|phrase| phrase.weight(unscored)).collect::<Result<Vec<_>, _>>()?;
    let weights = term_weights(segments, &matching.scored)?;
    let mut found = Vec::new();
    for segment in segments {
        let scorer = TermScorer::new(segment, text, &matching.scored, &weights)?;
        let excluded = Excluded::new(segment, &phrases)?;
        for scored in collect(segment, weight.as_ref(), scorer, excluded, limit)? {
            found.push((scored.score, segment.url(scored.url_ordinal)?));
        }
    }
    found.sort_unstable_by(|(a_score, a_url), (b_score, b_url)| b_score.total_cmp(a_score).then(a_url.cmp(b_url)));
    found.truncate(limit);
    Ok(found.into_iter().map(|(_, url)| url).collect())
}

/// The weight of each term over the whole index.
fn term_weights(segments: &[Segment], terms: &[Term]) -> tantivy::Result<Vec<Bm25Weight>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    // Documents that were replaced still count in `df`, so they must in `n`; `--add` leaves none.
    let n = documents(segments);
    let lengths: u64 = segments.iter().map(Segment::total_length).sum();
    let mean_length = lengths as f32 / n.max(1) as f32;
    let weight = |term| {
        let df = document_frequency(segments, term)?;
        Ok(Bm25Weight::for_one_term_without_explain(df, n, mean_length.max(1.0)))
    };
    terms.iter().map(weight).collect()
}

/// Scores documents of one segment, which must come in ascending order.
struct TermScorer<'a> {
    segment: &'a Segment,
    terms: Vec<(SegmentPostings, &'a Bm25Weight)>,
}

impl<'a> TermScorer<'a> {
    fn new(segment: &'a Segment, text: Field, terms: &[Term], weights: &'a [Bm25Weight]) -> tantivy::Result<Self> {
        let index = segment.reader.inverted_index(text)?;
        let mut postings = Vec::with_capacity(terms.len());
        for (term, weight) in terms.iter().zip(weights) {
            if let Some(list) = index.read_postings(term, IndexRecordOption::WithFreqs)? {
                postings.push((list, weight));
            }
        }
        Ok(TermScorer { segment, terms: postings })
    }

    fn score(&mut self, document: DocId) -> f32 {
        let length = self.segment.lengths.fieldnorm_id(document);
        let holding = self.terms.iter_mut().filter_map(|(postings, weight)| {
            stands_on(postings, document).then(|| weight.score(length, postings.term_freq()))
        });
        holding.sum()
    }
}

/// The excluded phrases of one segment; documents must come in ascending order.
struct Excluded(Vec<Box<dyn Scorer>>);

impl Excluded {
    fn new(segment: &Segment, phrases: &[Box<dyn Weight>]) -> tantivy::Result<Self> {
        let occurrences = phrases.iter().map(|phrase| phrase.scorer(&segment.reader, 1.0));
        Ok(Excluded(occurrences.collect::<Result<_, _>>()?))
    }

    fn contains(&mut self, document: DocId) -> bool {
        self.0.iter_mut().any(|phrase| stands_on(phrase, document))
    }
}

/// Moves `documents` up to `document`, and says whether that is one of them.
fn stands_on(documents: &mut impl DocSet, document: DocId) -> bool {
    // Seeking backwards is not allowed.
    if documents.doc() < document {
        documents.seek(document);
    }
    documents.doc() == document
}

/// A match of one segment. The greatest is the worst, so that a heap gives it up first.
#[derive(Debug, Clone, Copy)]
struct Scored {
    score: f32,
    /// Within a segment, ordinals are in the order of the URLs.
    url_ordinal: u64,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.url_ordinal.cmp(&other.url_ordinal))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}

/// The `limit` best matches of a segment, in no order.
fn collect(
    segment: &Segment,
    weight: &dyn Weight,
    mut scorer: TermScorer,
    mut excluded: Excluded,
    limit: usize,
) -> tantivy::Result<Vec<Scored>> {
    let mut best = BinaryHeap::new();
    weight.for_each_no_score(&segment.reader, &mut |documents| {
        for &document in documents {
            if segment.reader.is_deleted(document) || excluded.contains(document) {
                continue;
            }
            let Some(url_ordinal) = segment.urls.term_ords(document).next() else { continue };
            best.push(Scored { score: scorer.score(document), url_ordinal });
            if best.len() > limit {
                best.pop();
            }
        }
    })?;
    Ok(best.into_vec())
}
