//! `--learn rocchio`: terms of accepted articles by relevance feedback (Rocchio 1971; Salton &
//! Buckley 1990). See `docs/algorithms.md`, "Special-domain collections".
//!
//! Each sample article has its turn, since they may be of several subjects. Every term has a
//! weight: its mean weight in the sample article and in the relevant documents nearest to it, less
//! its mean weight in all documents retrieved so far. The best terms that occur in keyphrases,
//! alone and in pairs, are the candidates. The next query is the candidate with the highest
//! expected share of new relevant documents on its next page: for one that was sent before, the
//! share on its last page, and for another, an estimate from the documents that contain its terms.
//! So a query is continued page by page while it brings more than others promise. A pair with a
//! term all of whose hits are known can return no other, and is left out.
//!
//! Before enough documents are retrieved to tell indicative terms from frequent ones, the
//! candidates are the keyphrases of the sample (module `samples`): the best ones, and when these
//! are exhausted, all.
//!
//! The strategy has no state of its own: its choices follow from the term statistics, the queue of
//! samples and the query log, all of which are projections of the journal.

mod candidate;
mod weights;

use super::regions::load::load_documents;
use super::samples::{SampleOptions, first_keyphrases, read_keyphrase_terms};
use super::{ComposedQuery, QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::query_log::{ROCCHIO, read_by_id};
use crate::select::{ClassContrast, SelectedTerm, TermCounts, TermLookup};
use crate::statistics::Result;
use candidate::{Candidate, expected_yield, list_candidates};
use forage_record::QueryStrategy;
use weights::{MAX_TURNS, RetrievedDocuments, rank_terms};

/// Number of retrieved documents from which terms are weighted. With fewer, a term that is frequent
/// in all articles cannot be told from one of the subject. Set by judgement, not measured.
const MIN_DOCUMENTS: usize = 10;

/// Number of best terms that candidates are made of. With 20 terms after the first ten were
/// exhausted, 24 runs on eight domains of Reuters-21578 collected as many relevant articles (1,118
/// instead of 1,114), but their mean precision was .69 instead of .72.
const TERMS: usize = 10;

/// The strategy of relevance feedback.
#[derive(Debug)]
pub(super) struct RocchioStrategy;

impl Strategy for RocchioStrategy {
    /// Chooses the candidate with the highest expected yield. The choice does not depend on the
    /// seed.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        let [contrast, others] = request.contrasts()?;
        let (relevant, nonrelevant) = load_documents(request, [&contrast, &others], MAX_TURNS)?;
        let documents = RetrievedDocuments::new(relevant, nonrelevant);
        let choose = |terms: &[QueryTerm]| choose_candidate(request, &documents, terms);
        if documents.retrieved() >= MIN_DOCUMENTS {
            let chosen = in_turn(request.step, documents.turns(), |sample| {
                choose(&best_terms(request, &contrast, &documents, sample)?)
            })?;
            return Ok(chosen.into());
        }
        let keyphrases = read_keyphrases(request, documents.turns())?;
        let of = keyphrases.len();
        let best = in_turn(request.step, of, |sample| {
            let keyphrases = &keyphrases[sample];
            choose(&keyphrases[..keyphrases.len().min(TERMS)])
        })?;
        let chosen = match best {
            None => in_turn(request.step, of, |sample| choose(&keyphrases[sample]))?,
            chosen => chosen,
        };
        Ok(chosen.into())
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            controls_paging: true,
            ..StrategyNeeds::default()
        }
    }

    fn exhaustion_reason(&self) -> String {
        "all queries of one or two of the best terms and keyphrases are exhausted; another sample \
         article, or an engine with more articles in its language, may bring more"
            .into()
    }
}

/// Returns the keyphrases of each sample, best first.
fn read_keyphrases(request: &QueryRequest, samples: usize) -> Result<Vec<Vec<QueryTerm>>> {
    let count = SampleOptions::MAX_KEYPHRASES as usize;
    let lists = first_keyphrases(&request.statistics.db, request.target, samples, count)?;
    let to_terms = |phrases: Vec<String>| phrases.into_iter().map(QueryTerm::keyphrase).collect();
    Ok(lists.into_iter().map(to_terms).collect())
}

/// Returns at most [`TERMS`] terms for the subject of a sample, given its index, best first, by
/// weight.
fn best_terms(
    request: &QueryRequest,
    contrast: &ClassContrast,
    documents: &RetrievedDocuments,
    sample: usize,
) -> Result<Vec<QueryTerm>> {
    let allowed = read_keyphrase_terms(&request.statistics.db, request.target)?;
    let mut lookup = TermLookup::prepare(request.statistics, contrast)?;
    let mut best = Vec::with_capacity(TERMS);
    for (id, weight) in rank_terms(documents, sample) {
        if best.len() == TERMS {
            break;
        }
        let row = lookup.term_by_id(i64::from(id))?;
        if allowed.contains(&row.text) && !lookup.is_pruned(&row)? {
            let selected = lookup.counts(&row)?.to_selected_term(row.text, weight);
            best.push(QueryTerm {
                id: Some(id),
                selected,
            });
        }
    }
    Ok(best)
}

/// Calls `choose` with the index of a sample, from that whose turn it is in a step, until it
/// returns a query: samples of several subjects have equal shares of the queries.
fn in_turn(
    step: u64,
    samples: usize,
    mut choose: impl FnMut(usize) -> Result<Option<ComposedQuery>>,
) -> Result<Option<ComposedQuery>> {
    let first = step.checked_rem(samples as u64).unwrap_or(0) as usize;
    for sample in (first..samples).chain(0..first) {
        if let Some(query) = choose(sample)? {
            return Ok(Some(query));
        }
    }
    Ok(None)
}

/// A term that queries are made of.
#[derive(Debug, Clone)]
pub(super) struct QueryTerm {
    /// The id of the term; `None` for a keyphrase, which may have several words.
    pub id: Option<u32>,
    /// The term with its counts; its score is the weight.
    pub selected: SelectedTerm,
}

impl QueryTerm {
    fn keyphrase(phrase: String) -> Self {
        QueryTerm {
            id: None,
            selected: TermCounts::default().to_selected_term(phrase, 0.0),
        }
    }
}

/// Returns the query of the open candidate with the highest expected yield, of equal ones the one
/// with fewer and better terms; `None` if all are exhausted.
fn choose_candidate(
    request: &QueryRequest,
    documents: &RetrievedDocuments,
    terms: &[QueryTerm],
) -> Result<Option<ComposedQuery>> {
    let mut best: Option<(f64, ComposedQuery)> = None;
    // By rank: true if every hit of the term alone is known, so that a query with a further term
    // returns no other.
    let mut has_all_hits = vec![false; terms.len()];
    for Candidate { ranks } in list_candidates(terms.len()) {
        if ranks.iter().any(|&rank| has_all_hits[rank]) {
            continue;
        }
        let chosen: Vec<&QueryTerm> = ranks.iter().map(|&rank| &terms[rank]).collect();
        let include = chosen.iter().map(|term| term.selected.clone()).collect();
        let query = ComposedQuery::new(include, Vec::new(), QueryStrategy::new(ROCCHIO));
        let sent = read_by_id(&request.statistics.db, &query.query.id)?;
        if let ([rank], Some(row)) = (&ranks[..], &sent) {
            has_all_hits[*rank] = row.unseen_hits == 0 && row.more.is_none();
        }
        let page_size = request.result_window.page_size;
        let Some(expected) = expected_yield(sent.as_ref(), page_size, documents, &chosen) else {
            continue;
        };
        if best.as_ref().is_none_or(|(highest, _)| expected > *highest) {
            best = Some((expected, query));
        }
    }
    Ok(best.map(|(_, query)| query))
}
