//! From signed terms to Tantivy's boolean query.

use crate::{EngineError, SignedTerms};
use forage_text::terms;
use tantivy::Term;
use tantivy::query::{AllQuery, BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// A query, ready to be matched and scored.
#[derive(Debug)]
pub(super) struct Matching {
    /// Which documents match, but for excluded phrases.
    pub query: BooleanQuery,
    /// Phrases that must not occur. Tantivy 0.27 seeks backwards in an excluded phrase when the
    /// first match lies before the phrase's first document (`Exclude` over `PhraseScorer`), so
    /// these are left out by the ranking.
    pub excluded_phrases: Vec<PhraseQuery>,
    /// The required terms and the words to be like, sorted: what they are scored by. Empty if there
    /// are only excluded terms.
    pub scored: Vec<Term>,
}

/// Builds the query: every inclusion term must, no exclusion term may occur in `field`, and at
/// least one of the words of `like`, where there are such. What is cut into several terms is a
/// phrase.
///
/// # Errors
/// Refuses a query without a term, and an inclusion term that no document can contain, as it is
/// none by the index's tokeniser (a number, a single letter). An exclusion term of that kind
/// excludes nothing.
pub(super) fn build(
    signed: &SignedTerms,
    like: Option<Vec<Term>>,
    field: Field,
) -> Result<Matching, EngineError> {
    if signed.is_empty() {
        return Err(EngineError::Refused("the query has no terms".into()));
    }
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    let mut scored = Vec::new();
    for term in signed.include() {
        let words = cut(term, field);
        if words.is_empty() {
            let message = format!(
                "`{term}` is not a term of the index: those have 2 to 40 characters, one a letter"
            );
            return Err(EngineError::Refused(message));
        }
        scored.extend(words.iter().cloned());
        clauses.push((Occur::Must, occurrence(words)));
    }
    if let Some(words) = like {
        let any = words
            .iter()
            .cloned()
            .map(|word| (Occur::Should, occurrence(vec![word])))
            .collect();
        clauses.push((Occur::Must, Box::new(BooleanQuery::new(any))));
        scored.extend(words);
    }
    if clauses.is_empty() {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    let mut excluded_phrases = Vec::new();
    for words in signed.exclude().iter().map(|term| cut(term, field)) {
        match words.len() {
            0 => {}
            1 => clauses.push((Occur::MustNot, occurrence(words))),
            _ => excluded_phrases.push(PhraseQuery::new(words)),
        }
    }
    scored.sort_unstable();
    scored.dedup();
    Ok(Matching {
        query: BooleanQuery::new(clauses),
        excluded_phrases,
        scored,
    })
}

fn cut(term: &str, field: Field) -> Vec<Term> {
    terms(term)
        .iter()
        .map(|word| Term::from_field_text(field, word))
        .collect()
}

fn occurrence(mut words: Vec<Term>) -> Box<dyn Query> {
    match words.len() {
        1 => Box::new(TermQuery::new(words.remove(0), IndexRecordOption::Basic)),
        _ => Box::new(PhraseQuery::new(words)),
    }
}
