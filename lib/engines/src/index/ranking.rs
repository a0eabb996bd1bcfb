//! The best documents of a query: BM25, equal scores by URL.
//!
//! Tantivy's own ranking adds a document's term scores in an order that differs from segment to
//! segment, and breaks ties by where a document lies, so one index may rank otherwise than another
//! of the same documents. Here Tantivy only says which documents match; the scores are added in the
//! order of the terms, and ties go by URL.

use super::boolean::Matching;
use super::segment::{Segment, document_frequency, documents};
use std::cmp::Ordering;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EnableScoring, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, Term};

/// The URLs of the `limit` best documents, best first.
///
/// BM25 (Robertson & Zaragoza 2009) with k1 = 1.2, b = 0.75 and document lengths of one byte's
/// precision, as Tantivy has it. A query without inclusion terms gives every match the same score.
/// Time grows with the number of matches.
pub(super) fn best(
    segments: &[Segment],
    schema: &Schema,
    text: Field,
    matching: &Matching,
    limit: usize,
) -> tantivy::Result<Vec<String>> {
    let unscored = EnableScoring::disabled_from_schema(schema);
    let weight = matching.query.weight(unscored)?;
    let phrases = matching
        .excluded_phrases
        .iter()
        .map(|phrase| phrase.weight(unscored))
        .collect::<Result<Vec<_>, _>>()?;
    let weights = term_weights(segments, &matching.scored)?;
    let mut found = Vec::new();
    for segment in segments {
        let scorer = TermScorer::new(segment, text, &matching.scored, &weights)?;
        let excluded = phrases
            .iter()
            .map(|phrase| phrase.scorer(&segment.reader, 1.0));
        let excluded = excluded.collect::<tantivy::Result<_>>()?;
        for (score, url_ordinal) in collect(segment, weight.as_ref(), scorer, excluded, limit)? {
            found.push((score, segment.url(url_ordinal)?));
        }
    }
    found.sort_unstable_by(by_score_and_url);
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
        Ok(Bm25Weight::for_one_term_without_explain(
            df,
            n,
            mean_length.max(1.0),
        ))
    };
    terms.iter().map(weight).collect()
}

/// Scores documents of one segment, which must come in ascending order.
struct TermScorer<'a> {
    segment: &'a Segment,
    terms: Vec<(SegmentPostings, &'a Bm25Weight)>,
}

impl<'a> TermScorer<'a> {
    fn new(
        segment: &'a Segment,
        text: Field,
        terms: &[Term],
        weights: &'a [Bm25Weight],
    ) -> tantivy::Result<Self> {
        let index = segment.reader.inverted_index(text)?;
        let mut postings = Vec::with_capacity(terms.len());
        for (term, weight) in terms.iter().zip(weights) {
            if let Some(list) = index.read_postings(term, IndexRecordOption::WithFreqs)? {
                postings.push((list, weight));
            }
        }
        Ok(TermScorer {
            segment,
            terms: postings,
        })
    }

    fn score(&mut self, document: DocId) -> f32 {
        let length = self.segment.lengths.fieldnorm_id(document);
        let holding = self.terms.iter_mut().filter_map(|(postings, weight)| {
            stands_on(postings, document).then(|| weight.score(length, postings.term_freq()))
        });
        holding.sum()
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

/// The order of two matches, the better one first. Within a segment, ordinals are in the order of
/// the URLs.
fn by_score_and_url<T: Ord>((a_score, a_url): &(f32, T), (b_score, b_url): &(f32, T)) -> Ordering {
    b_score.total_cmp(a_score).then_with(|| a_url.cmp(b_url))
}

/// The score and URL ordinal of the `limit` best matches of a segment, best first.
fn collect(
    segment: &Segment,
    weight: &dyn Weight,
    mut scorer: TermScorer,
    mut excluded_phrases: Vec<Box<dyn Scorer>>,
    limit: usize,
) -> tantivy::Result<Vec<(f32, u64)>> {
    let keep_best = |found: &mut Vec<(f32, u64)>| {
        found.sort_unstable_by(by_score_and_url);
        found.truncate(limit);
    };
    let mut found = Vec::new();
    weight.for_each_no_score(&segment.reader, &mut |documents| {
        for &document in documents {
            let is_excluded = |phrase: &mut Box<dyn Scorer>| stands_on(phrase, document);
            if segment.reader.is_deleted(document) || excluded_phrases.iter_mut().any(is_excluded) {
                continue;
            }
            let Some(url_ordinal) = segment.urls.term_ords(document).next() else {
                continue;
            };
            found.push((scorer.score(document), url_ordinal));
            // Sorting when there are twice as many costs each match no more than a heap would.
            if found.len() / 2 >= limit {
                keep_best(&mut found);
            }
        }
    })?;
    keep_best(&mut found);
    Ok(found)
}
