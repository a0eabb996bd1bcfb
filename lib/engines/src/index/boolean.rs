//! Translation of a query into Tantivy's boolean query.

use crate::{EngineError, EngineQuery, EngineResult};
use forage_text::terms;
use tantivy::Term;
use tantivy::query::{AllQuery, BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// A translated query, ready to be matched and scored.
#[derive(Debug)]
pub(super) struct MatchQuery {
    /// Matches the documents. Does not check `excluded_phrases`.
    pub query: BooleanQuery,
    /// Phrases that must not occur. Their documents are removed during ranking, not by Tantivy,
    /// because Tantivy 0.27 seeks backwards in an excluded phrase if the first match precedes the
    /// phrase's first document (`Exclude` over `PhraseScorer`).
    pub excluded_phrases: Vec<PhraseQuery>,
    /// Terms by which documents are scored, sorted: the inclusion terms and the more-like-this
    /// terms. Empty if there are only exclusion terms.
    pub scored: Vec<Term>,
}

/// Translates a query.
///
/// Every inclusion term, or a variant of it, must occur in `field`, no exclusion term may, and at least one of
/// `like_terms` must, unless that is `None`; an empty list matches nothing. A term that the
/// tokenizer splits into several terms is a phrase. One of `links` must occur,
/// if there are any, but has no score: they are spellings of the URL of a page that the document
/// links to.
///
/// # Errors
/// Refuses a query without a term. Refuses an inclusion term that the tokenizer never produces (a
/// number, a single letter of an alphabet), because no document can match it. Such an exclusion
/// term excludes nothing.
pub(super) fn build_match_query(
    query: &EngineQuery,
    like_terms: Option<Vec<Term>>,
    links: Vec<Term>,
    field: Field,
) -> EngineResult<MatchQuery> {
    if query.is_empty() {
        return Err(EngineError::Refused("the query has no terms".into()));
    }
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    let mut scored = Vec::new();
    for term in query.include() {
        let mut spellings: Vec<Box<dyn Query>> = Vec::new();
        for spelling in query.spellings(term) {
            let words = split_into_terms(spelling, field);
            if words.is_empty() {
                let message = format!(
                    "`{spelling}` is not a term of the index: a term has a letter and at most 40 \
                     characters, at least 2 where a single letter is no word"
                );
                return Err(EngineError::Refused(message));
            }
            scored.extend(words.iter().cloned());
            spellings.push(term_or_phrase_query(words));
        }
        clauses.push((Occur::Must, any_of(spellings)));
    }
    if let Some(words) = like_terms {
        let any = words
            .iter()
            .cloned()
            .map(|word| (Occur::Should, term_or_phrase_query(vec![word])))
            .collect();
        clauses.push((Occur::Must, Box::new(BooleanQuery::new(any))));
        scored.extend(words);
    }
    if !links.is_empty() {
        let spellings = links
            .into_iter()
            .map(|link| term_or_phrase_query(vec![link]))
            .collect();
        clauses.push((Occur::Must, any_of(spellings)));
    }
    if clauses.is_empty() {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    let mut excluded_phrases = Vec::new();
    for term in query.exclude() {
        let words = split_into_terms(term, field);
        match words.len() {
            0 => {}
            1 => clauses.push((Occur::MustNot, term_or_phrase_query(words))),
            _ => excluded_phrases.push(PhraseQuery::new(words)),
        }
    }
    scored.sort_unstable();
    scored.dedup();
    Ok(MatchQuery {
        query: BooleanQuery::new(clauses),
        excluded_phrases,
        scored,
    })
}

/// Returns a query that matches if any of `queries` does.
fn any_of(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::new(
            queries
                .into_iter()
                .map(|query| (Occur::Should, query))
                .collect(),
        )),
    }
}

fn split_into_terms(term: &str, field: Field) -> Vec<Term> {
    terms(term)
        .iter()
        .map(|word| Term::from_field_text(field, word))
        .collect()
}

fn term_or_phrase_query(mut words: Vec<Term>) -> Box<dyn Query> {
    match words.len() {
        1 => Box::new(TermQuery::new(words.remove(0), IndexRecordOption::Basic)),
        _ => Box::new(PhraseQuery::new(words)),
    }
}
