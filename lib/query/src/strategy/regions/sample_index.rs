//! The sampled documents, indexed by the terms by which regions can be split.

use super::document_set::DocumentSet;
use super::evidence::{Evidence, Literal, SampledDocument};
use foldhash::fast::FixedState;
use std::collections::{HashMap, HashSet};

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// The number of documents of the web that one initial nonrelevant document represents. It was not
/// returned by a query of the run, but given by the user as an example of the most frequent other
/// content. Larger values favour terms that occur in no initial document of another class.
const INITIAL_DOCUMENT_WEIGHT: f64 = 10.0;

/// Maximum number of terms in the index, taken by descending document frequency in the target.
/// Bounds the time of a step. Terms that have split a region are added to them.
const MAX_TERMS: usize = 400;

/// Smallest share of the sampled relevant documents in which an indexed term occurs, unless it
/// reaches [`MIN_NONRELEVANT_SHARE`]. Smaller values admit terms without a reliable share.
const MIN_RELEVANT_SHARE: f64 = 0.05;

/// Share of the sampled nonrelevant documents at or above which a term of the target is indexed,
/// even if it is rarer than [`MIN_RELEVANT_SHARE`] in the target: a candidate for an exclusion
/// term.
const MIN_NONRELEVANT_SHARE: f64 = 0.2;

/// Prior of a term's overall share of the relevant documents. It matters while few of them were
/// found without naming the term.
const OVERALL_SHARE_PRIOR: f64 = 0.5;
/// Weight of [`OVERALL_SHARE_PRIOR`], in documents.
const OVERALL_SHARE_WEIGHT: f64 = 1.0;

/// Weight, in documents, of the prior of a term's share of the nonrelevant documents: of the
/// overall prior, and of the overall share as prior of the share in one region.
pub(super) const NONRELEVANT_SHARE_WEIGHT: f64 = 5.0;
/// Of the [`NONRELEVANT_SHARE_WEIGHT`] documents of the overall prior, the number that contain the
/// term. Smaller values make terms that occur in no nonrelevant document more discriminative.
const NONRELEVANT_PRIOR_MATCHES: f64 = 0.5;

/// A term by which regions can be split.
#[derive(Debug, Default)]
pub(crate) struct IndexedTerm {
    /// The id of the term.
    pub term: u32,
    /// The relevant documents that contain the term.
    pub relevant: DocumentSet,
    /// The relevant documents whose query has the term as a literal. They do not show how frequent
    /// the term is, because the query selected them by it.
    pub named: DocumentSet,
    /// Term frequency in the sampled relevant documents.
    pub frequency: u64,
    /// The nonrelevant documents that contain the term.
    pub nonrelevant: DocumentSet,
    /// Estimated share of the relevant documents that contain the term; see
    /// [`IndexedTerm::estimate_share`].
    pub share: f64,
    /// Estimated share of the nonrelevant documents that contain the term.
    pub nonrelevant_share: f64,
}

impl IndexedTerm {
    /// Estimates the share of the term in a set of relevant documents, from those whose query does
    /// not name the term. `prior` counts as `prior_weight` documents (an m-estimate).
    pub fn estimate_share(&self, documents: &DocumentSet, prior: f64, prior_weight: f64) -> f64 {
        let unnamed = documents.filter(&self.named, false);
        (unnamed.count_common(&self.relevant) + prior_weight * prior)
            / (unnamed.len() + prior_weight)
    }
}

/// The evidence, with its documents indexed by term.
pub(crate) struct SampleIndex<'a> {
    pub evidence: &'a Evidence,
    pub terms: Vec<IndexedTerm>,
    /// The position in `terms` of each term id.
    positions: HashMap<u32, usize, FixedState>,
    /// The initial nonrelevant documents.
    initial: DocumentSet,
}

impl<'a> SampleIndex<'a> {
    /// Indexes the sampled documents.
    pub fn new(evidence: &'a Evidence) -> Self {
        let term_ids = select_index_terms(evidence);
        let relevant = evidence.relevant.len();
        let nonrelevant = evidence.nonrelevant.len();
        let terms = term_ids.iter().map(|&term| IndexedTerm {
            term,
            relevant: DocumentSet::empty(relevant),
            named: DocumentSet::empty(relevant),
            nonrelevant: DocumentSet::empty(nonrelevant),
            ..IndexedTerm::default()
        });
        let mut index = SampleIndex {
            evidence,
            terms: terms.collect(),
            positions: term_ids.into_iter().zip(0..).collect(),
            initial: DocumentSet::empty(nonrelevant),
        };
        index.add_relevant_documents();
        index.add_nonrelevant_documents();
        index.estimate_shares();
        index
    }

    /// Returns the indexed term with this id.
    pub fn term(&self, id: u32) -> Option<&IndexedTerm> {
        Some(&self.terms[*self.positions.get(&id)?])
    }

    /// The number of documents of the web that a set of sampled nonrelevant documents represents.
    pub fn weigh_nonrelevant(&self, documents: &DocumentSet) -> f64 {
        let initial = documents.count_common(&self.initial);
        (documents.len() + (INITIAL_DOCUMENT_WEIGHT - 1.0) * initial)
            * self.evidence.nonrelevant_weight
    }

    /// The same for the documents of the set that contain a term.
    pub fn weigh_nonrelevant_with(&self, term: &IndexedTerm, documents: &DocumentSet) -> f64 {
        let initial = documents.count_common_three(&term.nonrelevant, &self.initial);
        (documents.count_common(&term.nonrelevant) + (INITIAL_DOCUMENT_WEIGHT - 1.0) * initial)
            * self.evidence.nonrelevant_weight
    }

    fn add_relevant_documents(&mut self) {
        for (index, document) in self.evidence.relevant.iter().enumerate() {
            for (term, &frequency) in document.terms.iter().zip(&document.frequencies) {
                if let Some(&position) = self.positions.get(term) {
                    self.terms[position].relevant.insert(index);
                    self.terms[position].frequency += u64::from(frequency);
                }
            }
            let queries = &self.evidence.queries;
            let query = document.query.and_then(|query| queries.get(query));
            let literals = query.map_or(&[][..], |query| &query.literals);
            for Literal { term, .. } in literals {
                if let Some(&position) = self.positions.get(term) {
                    self.terms[position].named.insert(index);
                }
            }
        }
    }

    fn add_nonrelevant_documents(&mut self) {
        for (index, document) in self.evidence.nonrelevant.iter().enumerate() {
            if document.query.is_none() {
                self.initial.insert(index);
            }
            for term in &document.terms {
                if let Some(&position) = self.positions.get(term) {
                    self.terms[position].nonrelevant.insert(index);
                }
            }
        }
    }

    fn estimate_shares(&mut self) {
        let all_relevant = DocumentSet::full(self.evidence.relevant.len());
        let all_nonrelevant = DocumentSet::full(self.evidence.nonrelevant.len());
        let nonrelevant_weight = self.weigh_nonrelevant(&all_nonrelevant);
        for position in 0..self.terms.len() {
            let term = &self.terms[position];
            let share =
                term.estimate_share(&all_relevant, OVERALL_SHARE_PRIOR, OVERALL_SHARE_WEIGHT);
            let matches = self.weigh_nonrelevant_with(term, &all_nonrelevant);
            let nonrelevant_share = (matches + NONRELEVANT_PRIOR_MATCHES)
                / (nonrelevant_weight + NONRELEVANT_SHARE_WEIGHT);
            self.terms[position].share = share;
            self.terms[position].nonrelevant_share = nonrelevant_share;
        }
    }
}

/// Selects the terms to be indexed: terms of the target that are frequent in it or in the other
/// classes, by descending document frequency, and the terms that have split a region.
pub(super) fn select_index_terms(evidence: &Evidence) -> Vec<u32> {
    let (relevant, nonrelevant) = (evidence.relevant.iter(), evidence.nonrelevant.iter());
    let max_term = relevant
        .clone()
        .filter_map(|document| document.terms.last());
    let size = max_term.max().map_or(0, |&term| term as usize + 1);
    // One table for both samples, and no scan of it: term ids reach millions.
    let mut counts = vec![DocumentCounts::default(); size];
    let mut terms = Vec::new();
    for &term in relevant.flat_map(|document| &document.terms) {
        let Some(count) = counts.get_mut(term as usize) else {
            continue;
        };
        if count.relevant == 0 {
            terms.push(term);
        }
        count.relevant = count.relevant.saturating_add(1);
    }
    for &term in nonrelevant.flat_map(|document| &document.terms) {
        if let Some(count) = counts.get_mut(term as usize) {
            count.nonrelevant = count.nonrelevant.saturating_add(1);
        }
    }
    let min_df = minimum_df(&evidence.relevant, MIN_RELEVANT_SHARE);
    let min_nonrelevant_df = minimum_df(&evidence.nonrelevant, MIN_NONRELEVANT_SHARE);
    terms.retain(|term| {
        let count = counts[*term as usize];
        let is_frequent = f64::from(count.relevant) >= min_df
            || f64::from(count.nonrelevant) >= min_nonrelevant_df;
        is_frequent && !evidence.pruned_terms.contains(term)
    });
    terms.sort_unstable_by_key(|&term| (std::cmp::Reverse(counts[term as usize].relevant), term));
    terms.truncate(MAX_TERMS);
    let regions = evidence
        .queries
        .iter()
        .filter(|query| !query.is_exploration);
    let literals = regions.flat_map(|query| &query.literals);
    terms.extend(literals.map(|literal| literal.term));
    let mut seen = HashSet::new();
    terms.retain(|&term| seen.insert(term));
    terms
}

/// The sampled documents that contain a term. The samples have far fewer than 65,536 documents.
#[derive(Debug, Clone, Copy, Default)]
struct DocumentCounts {
    relevant: u16,
    nonrelevant: u16,
}

/// The document frequency that corresponds to a share of the documents, at least 1.
fn minimum_df(documents: &[SampledDocument], share: f64) -> f64 {
    (share * documents.len() as f64).max(1.0)
}
