//! Translation of a query, and the documents of a segment that match it.

use super::postings::{NO_DOCUMENT, Postings};
use super::segment::{Segment, link_key};
use crate::{EngineError, EngineQuery, EngineResult};
use forage_text::terms;
use rusqlite::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Keys that follow each other.
type Phrase = Vec<String>;

/// The lists of documents of the keys of a query in a segment.
pub(super) type Lists<'a> = BTreeMap<&'a str, Postings<'a>>;

/// A translated query, ready to be matched and scored.
#[derive(Debug, Default)]
pub(super) struct MatchQuery {
    /// Conditions that must all hold: one of the phrases occurs. A single key is a phrase, too.
    pub required: Vec<Vec<Phrase>>,
    /// Phrases that must not occur.
    pub excluded: Vec<Phrase>,
    /// Terms by which documents are scored: the inclusion terms and the more-like-this terms. Empty
    /// if there are only exclusion terms.
    pub scored: BTreeSet<String>,
}

impl MatchQuery {
    /// Opens the lists of all keys in a segment.
    pub fn open_lists<'a>(&'a self, segment: &'a Segment) -> Result<Lists<'a>> {
        let keys = self
            .required
            .iter()
            .flatten()
            .chain(&self.excluded)
            .flatten();
        let mut lists = Lists::new();
        for key in keys {
            if let Some(list) = Postings::open(segment, key)? {
                lists.insert(key, list);
            }
        }
        Ok(lists)
    }
}

/// Translates a query.
///
/// Every inclusion term, or a variant of it, must occur, no exclusion term may, and at least one of
/// `like_terms` must, unless that is `None`; an empty list matches nothing. A term that consists of
/// several terms is a phrase. A document must link to the page with the key `link`, which has no
/// score.
///
/// # Errors
/// Refuses a query without a term. Refuses an inclusion term that no text has (a number, a single
/// letter of an alphabet), because no document can match it. Such an exclusion term excludes
/// nothing.
pub(super) fn build_match_query(
    query: &EngineQuery,
    like_terms: Option<Vec<String>>,
    link: Option<&str>,
) -> EngineResult<MatchQuery> {
    if query.is_empty() {
        return Err(EngineError::Refused("the query has no terms".into()));
    }
    let mut match_query = MatchQuery::default();
    for term in query.include() {
        let phrases = query.spellings(term).map(|spelling| {
            let phrase = split_into_terms(spelling);
            match phrase.is_empty() {
                false => Ok(phrase),
                true => Err(EngineError::Refused(format!(
                    "`{spelling}` is not a term of the index: a term has a letter and at most 40 \
                     characters, at least 2 where a single letter is no word"
                ))),
            }
        });
        match_query
            .required
            .push(phrases.collect::<EngineResult<_>>()?);
    }
    if let Some(words) = like_terms {
        let phrases = words.into_iter().map(|word| vec![word]);
        match_query.required.push(phrases.collect());
    }
    let scored = match_query.required.iter().flatten().flatten();
    match_query.scored = scored.cloned().collect();
    match_query
        .required
        .extend(link.map(|page| vec![vec![link_key(page)]]));
    let excluded = query.exclude().iter().map(|term| split_into_terms(term));
    match_query.excluded = excluded.filter(|phrase| !phrase.is_empty()).collect();
    Ok(match_query)
}

fn split_into_terms(term: &str) -> Phrase {
    terms(term).iter().map(String::from).collect()
}

/// Returns the documents of a segment that match a query, in ascending order.
pub(super) fn find_matches(
    query: &MatchQuery,
    segment: &Segment,
    lists: &Lists,
) -> Result<Vec<u32>> {
    let mut required: Vec<Vec<DocumentSet>> = Vec::new();
    for phrases in &query.required {
        required.push(document_sets(phrases, lists));
    }
    required.sort_by_key(|sets| sets.iter().map(DocumentSet::size).sum::<u64>());
    let mut required = required.into_iter();
    let mut matches = match required.next() {
        Some(smallest) => list_documents(smallest)?,
        None => (0..segment.lengths.len() as u32).collect(),
    };
    for sets in required {
        retain(&mut matches, sets, true)?;
    }
    retain(&mut matches, document_sets(&query.excluded, lists), false)?;
    Ok(matches)
}

/// Returns the sets of the documents with each of several phrases. Phrases without a document have
/// none.
fn document_sets<'a>(phrases: &[Phrase], lists: &Lists<'a>) -> Vec<DocumentSet<'a>> {
    let list = |term: &String| lists.get(&**term).cloned();
    let sets = phrases.iter().filter_map(|phrase| {
        let terms = phrase.iter().map(list).collect::<Option<Vec<_>>>()?;
        let mut terms: Vec<_> = (0..).zip(terms).collect();
        terms.sort_by_key(|(_, postings)| postings.count);
        Some(DocumentSet(terms))
    });
    sets.collect()
}

/// Returns the documents of any of several sets.
fn list_documents(sets: Vec<DocumentSet>) -> Result<Vec<u32>> {
    let mut documents = Vec::new();
    for mut set in sets {
        let mut document = set.seek(0)?;
        while document != NO_DOCUMENT {
            documents.push(document);
            document = set.seek(document + 1)?;
        }
    }
    // Those of each set are in order.
    documents.sort();
    documents.dedup();
    Ok(documents)
}

/// Removes the documents that are in none of several sets, or those in any of them.
fn retain(documents: &mut Vec<u32>, sets: Vec<DocumentSet>, are_kept: bool) -> Result<()> {
    let mut are_found = vec![false; documents.len()];
    for mut set in sets {
        let mut place = 0;
        while let Some(&document) = documents.get(place) {
            let found = set.seek(document)?;
            place += documents[place..]
                .iter()
                .take_while(|&&d| d < found)
                .count();
            if documents.get(place) == Some(&found) {
                are_found[place] = true;
                place += 1;
            }
        }
    }
    let mut are_found = are_found.into_iter();
    documents.retain(|_| are_found.next() == Some(are_kept));
    Ok(())
}

/// The set of the documents with a phrase, which is read in ascending order: its terms with their
/// places in it, the rarest one first.
struct DocumentSet<'a>(Vec<(u64, Postings<'a>)>);

impl DocumentSet<'_> {
    /// Returns an upper bound of the number of documents.
    fn size(&self) -> u64 {
        self.0.first().map_or(0, |(_, term)| term.count)
    }

    /// Returns the first document from `document` on; [`NO_DOCUMENT`] if there is none. `document`
    /// must not be less than in the call before.
    fn seek(&mut self, document: u32) -> Result<u32> {
        if let [(_, term)] = &mut self.0[..] {
            return term.seek(document);
        }
        let mut document = self.seek_all_terms(document)?;
        while document != NO_DOCUMENT && !self.has_phrase()? {
            document = self.seek_all_terms(document + 1)?;
        }
        Ok(document)
    }

    /// Returns the first document from `document` on that has all terms.
    fn seek_all_terms(&mut self, mut document: u32) -> Result<u32> {
        let mut agreeing = 0;
        while agreeing < self.0.len() {
            let found = self.0[agreeing].1.seek(document)?;
            agreeing = if found == document { agreeing + 1 } else { 0 };
            document = found;
        }
        Ok(document)
    }

    /// Returns `true` if the terms follow each other in the current document, which all of them
    /// have.
    fn has_phrase(&mut self) -> Result<bool> {
        // Where the phrase can start.
        let mut starts: Option<Vec<u64>> = None;
        for (place, term) in &mut self.0 {
            let place = *place;
            let positions = term.positions()?;
            let mut positions = positions.filter_map(|p| p.checked_sub(place)).peekable();
            match &mut starts {
                None => starts = Some(positions.collect()),
                Some(starts) => starts.retain(|start| {
                    while positions.next_if(|position| position < start).is_some() {}
                    positions.peek() == Some(start)
                }),
            }
            if starts.as_ref().is_some_and(Vec::is_empty) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
