//! The choice of the next query: continue the last one, explore, or send the region of the highest
//! value.
//!
//! The value of a query is the number of new relevant documents that its next call is expected to
//! return, less the cost of the nonrelevant ones, in relevant documents.

use super::evidence::{Evidence, Literal, PastQuery};
use super::region_tree::{MAX_LITERALS, RATIO_WEIGHT, Region, RegionTree, SHARE_WEIGHT};
use super::sample_index::{IndexedTerm, SampleIndex};
use crate::unseen_hits::{NONRELEVANT_COST, should_use_unseen_hits};
use forage_record::MoreHits;
use std::collections::HashSet;
use std::num::NonZeroUsize;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Number of exploration queries at the start of a run. More of them give a broader sample, but
/// each costs a call of a lower yield.
const EXPLORATION_QUERIES: usize = 8;

/// A query is continued with its next page if the value of the last page was at least this share of
/// the page size. With larger values other regions are tried sooner.
const MIN_PAGE_VALUE: f64 = 0.5;

/// A region is split if its expected matches exceed this share of the result window. A smaller
/// value leaves pages partly empty; a larger one leaves hits that no page shows where the size of a
/// region is underestimated.
const MAX_WINDOW_SHARE: f64 = 0.5;
/// Ratio of nonrelevant to relevant documents at or above which a region is split by a
/// discriminative term instead of being sent. Smaller values give a higher precision and more,
/// smaller regions.
const SPLIT_RATIO: f64 = 0.05;
/// Ratio of nonrelevant to relevant documents at or above which a region is not sent, even if it
/// has [`MAX_LITERALS`] and cannot be split. Smaller values give a higher precision and a lower
/// recall.
const MAX_RATIO: f64 = 0.3;
/// Weight of the ratio of nonrelevant to relevant documents in the score of a discriminative term.
/// At 10, a ratio of 1/10 halves the score. Larger values prefer precise halves to large ones.
const DISCRIMINATION_WEIGHT: f64 = 10.0;
/// Weight of the worse half in the score of a discriminative term. Larger values prefer terms both
/// of whose halves can be sent.
const WORSE_HALF_WEIGHT: f64 = 0.1;
/// Smallest ratio of nonrelevant to relevant documents that the score of a discriminative term
/// expects of a half. It keeps terms apart by the relevant documents of their halves when no
/// nonrelevant document is collected.
const MIN_EXPECTED_RATIO: f64 = 0.05;
/// Smallest value of a query that is sent, in relevant documents per call. Larger values turn to
/// random regions and the last resort sooner.
const MIN_VALUE: f64 = 0.5;
/// Smallest share of a region's estimated size that is assumed to be new. It lets regions compete
/// that seem to be collected completely.
const MIN_NEW_SHARE: f64 = 0.05;

/// Pseudo-count of matching documents in the shares of [`most_indicative_term`]. Larger values
/// prefer frequent terms to rare ones that occur in the target alone.
const INDICATIVE_PRIOR_MATCHES: f64 = 0.5;
/// Pseudo-count of documents in these shares.
const INDICATIVE_PRIOR_DOCUMENTS: f64 = 1.0;

/// The choice of the strategy.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionChoice {
    /// Call the engine again for a past query: an index of [`Evidence::queries`].
    Continue(usize),
    /// Send an exploration query of this single term.
    Explore(u32),
    /// Send a query for the region with these literals.
    Region(Vec<Literal>),
}

/// The expected result of a query for a region.
struct ExpectedResult {
    /// New relevant documents per call, less the cost of the nonrelevant documents.
    value: f64,
    /// Documents that match.
    matches: f64,
}

/// Chooses the next query, if the last one is not continued (see [`should_continue`]).
///
/// A nonrelevant document costs `nonrelevant_cost` relevant ones. Returns `None` if no query has a
/// value of at least [`MIN_VALUE`], or if no document of the target is collected.
pub fn choose_next(evidence: &Evidence, nonrelevant_cost: f64) -> Option<RegionChoice> {
    if evidence.relevant.is_empty() || evidence.page_size < 1.0 || evidence.max_pages < 1.0 {
        return None;
    }
    let index = SampleIndex::new(evidence);
    if evidence.queries.len() < EXPLORATION_QUERIES
        && let Some(term) = most_indicative_term(&index)
    {
        return Some(RegionChoice::Explore(term));
    }
    choose_region(RegionTree::new(&index, nonrelevant_cost))
}

/// Chooses the leaf of the highest value; of equal ones the oldest. A leaf that leads to no query
/// is skipped.
fn choose_region(mut tree: RegionTree) -> Option<RegionChoice> {
    let mut leaves: Vec<(f64, usize)> = (0..tree.regions.len())
        .filter_map(|region| Some((tree.leaf_value(region)?, region)))
        .collect();
    leaves.retain(|(value, _)| *value >= MIN_VALUE);
    leaves.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut leaves = leaves.into_iter();
    leaves.find_map(|(_, region)| tree.refine(region))
}

/// Returns `true` if the last query is continued.
///
/// Unseen hits are used while the hits of their page are mostly relevant. The next page is
/// retrieved if the last one had enough value; an exploration query has one page.
pub fn should_continue(last: &PastQuery, page_size: f64) -> bool {
    if last.unseen_hits > 0 {
        return should_use_unseen_hits(last.page_relevant, last.page_nonrelevant, NONRELEVANT_COST);
    }
    last.more == Some(MoreHits::Pages)
        && !last.is_exploration
        && last.page_value(NONRELEVANT_COST) >= MIN_PAGE_VALUE * page_size
}

/// Returns the number of unseen hits of a page to use in the next step: as many as before, so that
/// the number doubles while they are relevant.
pub(crate) fn unseen_hit_limit(page_relevant: u64, page_nonrelevant: u64) -> NonZeroUsize {
    let used = usize::try_from(page_relevant + page_nonrelevant).unwrap_or(usize::MAX);
    NonZeroUsize::new(used).unwrap_or(NonZeroUsize::MIN)
}

impl PastQuery {
    /// The value of the last page: its new relevant documents, less the cost of its nonrelevant
    /// ones.
    fn page_value(&self, nonrelevant_cost: f64) -> f64 {
        self.page_relevant as f64 - nonrelevant_cost * self.page_nonrelevant as f64
    }
}

/// Returns the term that is most indicative of the target and in no past query. `None` if there is
/// no such term.
///
/// The score is p · ln(p/q), the term's contribution to the Kullback–Leibler divergence of relevant
/// from nonrelevant documents, where p and q are the shares of these that contain the term. Of
/// equal terms, which at first are all terms of the one initial document, the most frequent one is
/// taken.
fn most_indicative_term(index: &SampleIndex) -> Option<u32> {
    let evidence = index.evidence;
    let literals = evidence.queries.iter().flat_map(|query| &query.literals);
    let used: HashSet<u32> = literals.map(|literal| literal.term).collect();
    let relevant = evidence.relevant.len() as f64 + INDICATIVE_PRIOR_DOCUMENTS;
    let nonrelevant = evidence.nonrelevant.len() as f64 + INDICATIVE_PRIOR_DOCUMENTS;
    let score = |term: &IndexedTerm| {
        let p = (term.relevant.len() + INDICATIVE_PRIOR_MATCHES) / relevant;
        let q = (term.nonrelevant.len() + INDICATIVE_PRIOR_MATCHES) / nonrelevant;
        p * libm::log(p / q)
    };
    let unused = index.terms.iter().filter(|term| !used.contains(&term.term));
    let best = unused.max_by(|a, b| {
        score(a)
            .total_cmp(&score(b))
            .then(a.frequency.cmp(&b.frequency))
            .then(b.term.cmp(&a.term))
    })?;
    Some(best.term)
}

impl<'a> RegionTree<'a> {
    /// The value of the next call for a leaf. `None` for a region that is split or exhausted.
    fn leaf_value(&self, index: usize) -> Option<f64> {
        let region = &self.regions[index];
        if region.halves.is_some() {
            return None;
        }
        let query = region
            .query
            .map(|query| &self.index.evidence.queries[query]);
        match query {
            Some(query) if query.more == Some(MoreHits::Pages) => {
                Some(self.next_page_value(region, query))
            }
            // Exhausted, unless it was given up: then its halves may return the unseen hits.
            Some(query) if query.more.is_none() && query.unseen_hits == 0 => None,
            // It can be sent, or split, so that its halves return the hidden hits.
            _ => Some(self.expect_result(region).value),
        }
    }

    /// The relevant documents of a region that are not collected, as estimated.
    fn expect_new_documents(&self, region: &Region) -> f64 {
        let size = self.estimate_size(region);
        let collected = region.relevant.len() * self.index.evidence.relevant_weight;
        (size - collected).max(MIN_NEW_SHARE * size)
    }

    /// The expected result of a query for the region.
    fn expect_result(&self, region: &Region) -> ExpectedResult {
        let Evidence {
            relevant_weight,
            nonrelevant_weight,
            page_size,
            max_pages,
            ..
        } = *self.index.evidence;
        let collected = region.relevant.len() * relevant_weight;
        let collected_nonrelevant = region.nonrelevant.len() * nonrelevant_weight;
        let new = self.expect_new_documents(region);
        // A region of low precision is split before it is sent, so its value is that of the halves
        // that can be split off: the ratio is capped at the highest at which a region is sent.
        let new_nonrelevant = if region.has_inclusion() {
            new * region.ratio.min(SPLIT_RATIO)
        } else {
            0.0
        };
        let matches = collected + new + collected_nonrelevant + new_nonrelevant;
        let pages = libm::ceil(matches / page_size).clamp(1.0, max_pages);
        let shown_share = (page_size * pages / matches).min(1.0);
        let value = (new - self.nonrelevant_cost * new_nonrelevant) * shown_share / pages;
        ExpectedResult { value, matches }
    }

    /// The value of the next page of a region's query: the documents that are not collected are
    /// beyond the pages retrieved. At least the value of the last page.
    ///
    /// As a last resort, the ratio of nonrelevant to relevant documents is that of the last page,
    /// because engines return the best hits first, so that the ratio of a region rises from page to
    /// page; that of the whole region counts for one relevant document. At other times this would
    /// give up regions that still have documents: on the closed web, two Slovenian runs of three
    /// then ended with a fifth fewer relevant documents.
    fn next_page_value(&self, region: &Region, query: &PastQuery) -> f64 {
        let page_size = self.index.evidence.page_size;
        let matches = self.expect_result(region).matches;
        let new = self.expect_new_documents(region);
        let remaining = (matches - query.calls as f64 * page_size).max(new).max(1.0);
        let hits = remaining.min(page_size);
        let ratio = if self.nonrelevant_cost < NONRELEVANT_COST {
            (query.page_nonrelevant as f64 + region.ratio) / (query.page_relevant as f64 + 1.0)
        } else {
            region.ratio
        };
        let expected = new / remaining * hits * (1.0 - self.nonrelevant_cost * ratio);
        expected.max(query.page_value(self.nonrelevant_cost))
    }

    /// Returns the query for a leaf. A leaf that is too large or of too low precision is split, and
    /// its more valuable half is taken, until it can be sent. `None` if no split leads to a query.
    fn refine(&mut self, start: usize) -> Option<RegionChoice> {
        let queries = &self.index.evidence.queries;
        let sent = self.regions[start].query;
        if let Some(query) = sent.filter(|query| queries[*query].more == Some(MoreHits::Pages)) {
            return Some(RegionChoice::Continue(query));
        }
        let window = self.index.evidence.page_size * self.index.evidence.max_pages;
        let mut index = start;
        loop {
            let region = &self.regions[index];
            let expected = self.expect_result(region);
            let is_new = region.has_inclusion() && region.query.is_none();
            let is_fit = is_new
                && region.ratio < SPLIT_RATIO
                && expected.matches <= MAX_WINDOW_SHARE * window;
            if is_fit || region.length() >= MAX_LITERALS {
                let is_sent =
                    is_new && (is_fit || region.ratio < MAX_RATIO) && expected.value >= MIN_VALUE;
                return is_sent.then(|| RegionChoice::Region(region.literals.clone()));
            }
            let term = self.best_split_term(region)?;
            self.split(index, term);
            let [without, with] = self.regions[index].halves?;
            let value = |half: usize| self.expect_result(&self.regions[half]).value;
            let takes_without =
                self.regions[without].has_inclusion() && value(without) > value(with);
            index = if takes_without { without } else { with };
        }
    }

    /// Returns the term by which a region is split: the most discriminative one if the region has
    /// no inclusion term or too low a precision, else the one that splits it most evenly.
    fn best_split_term(&self, region: &Region) -> Option<&'a IndexedTerm> {
        let index: &'a SampleIndex<'a> = self.index;
        let needs_precision = !region.has_inclusion() || region.ratio >= SPLIT_RATIO;
        let is_unused = |term: &&IndexedTerm| {
            let mut literals = region.literals.iter();
            literals.all(|literal| literal.term != term.term)
        };
        let score = |term: &IndexedTerm| match needs_precision {
            true => self.discrimination(region, term),
            false => balance(region, term),
        };
        let unused = index.terms.iter().filter(is_unused);
        let scored = unused.map(|term| (score(term), term));
        let best = scored.max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.term.cmp(&x.term)))?;
        Some(best.1)
    }

    /// The score of a term that separates the target from other classes in a region: the score of
    /// the better half, plus [`WORSE_HALF_WEIGHT`] times that of the worse half. If the region has
    /// no inclusion term, only the half that contains the term counts, because the other one cannot
    /// be sent as a query.
    fn discrimination(&self, region: &Region, term: &IndexedTerm) -> f64 {
        let weight = self.index.evidence.relevant_weight;
        let relevant = region.relevant.len() * weight;
        let relevant_with = region.relevant.count_common(&term.relevant) * weight;
        let nonrelevant = self.index.weigh_nonrelevant(&region.nonrelevant);
        let nonrelevant_with = self.index.weigh_nonrelevant_with(term, &region.nonrelevant);
        let share = term.estimate_share(&region.relevant, term.share, SHARE_WEIGHT);
        let with = score_half(region, relevant_with, nonrelevant_with, share);
        if !region.has_inclusion() {
            return with;
        }
        let (relevant, nonrelevant) = (relevant - relevant_with, nonrelevant - nonrelevant_with);
        let without = score_half(region, relevant, nonrelevant, 1.0 - share);
        with.max(without) + WORSE_HALF_WEIGHT * with.min(without)
    }
}

/// The score of a half of a region: its share of the relevant documents, divided by a penalty for
/// its ratio of nonrelevant to relevant documents.
fn score_half(region: &Region, relevant: f64, nonrelevant: f64, share: f64) -> f64 {
    let expected_ratio = region.ratio.max(MIN_EXPECTED_RATIO);
    let ratio = (nonrelevant + RATIO_WEIGHT * expected_ratio) / (relevant + RATIO_WEIGHT);
    share / (1.0 + DISCRIMINATION_WEIGHT * ratio)
}

/// The score of a term that splits a region evenly: 0 for halves of equal size, less for others.
fn balance(region: &Region, term: &IndexedTerm) -> f64 {
    -(term.estimate_share(&region.relevant, term.share, SHARE_WEIGHT) - 0.5).abs()
}
