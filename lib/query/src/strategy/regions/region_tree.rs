//! The tree of regions, with the estimated size and precision of each region.
//!
//! The root is all documents. An inner node is split by a term: its halves are the documents
//! without the term and those with it. A leaf has been sent as a query, or can be sent.
//!
//! A region's size is the estimated population, times the shares of its literals, times a
//! correction from exhausted regions around it. The product does not take terms to be independent:
//! the share of a term is estimated among the sampled documents of the region that it splits.

use super::document_set::DocumentSet;
use super::evidence::{Evidence, Literal};
use super::sample_index::{IndexedTerm, NONRELEVANT_SHARE_WEIGHT, SampleIndex};
use forage_record::MoreHits;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// First estimate of the population, in documents of the target, and upper bound of its recapture
/// estimate. Larger values give smaller regions at first. It is large, because a region that is
/// smaller than estimated wastes part of a page, but one that is larger leaves hits that no page
/// shows.
const INITIAL_POPULATION: f64 = 10_000.0;
/// Factor by which the population is taken to exceed its recapture estimate, because engines rank
/// the same few documents first for many terms, so that hits are repeated too often. Larger values
/// give smaller regions at first.
const RECAPTURE_BIAS: f64 = 3.0;
/// Weight of [`INITIAL_POPULATION`] in the recapture estimate, in recaptures (repeated hits).
/// Larger values need more repeated hits to lower the estimate.
const PRIOR_RECAPTURES: f64 = 0.05;
/// Weight of the recapture estimate, in documents, against the population that follows from
/// exhausted regions. Larger values let these change the population more slowly.
const POPULATION_WEIGHT: f64 = 100.0;

/// Weight of a term's overall share, in documents, as prior of its share in one region. Larger
/// values take terms to be more independent; smaller ones give unreliable shares in small regions.
pub(super) const SHARE_WEIGHT: f64 = 10.0;
/// Weight of the size correction of the parent region, in documents, as prior of that of a region.
/// Larger values spread the correction over more regions around an exhausted one.
const CORRECTION_WEIGHT: f64 = 20.0;
/// Weight of the expected ratio of nonrelevant to relevant documents in a region, in relevant
/// documents, against the ratio among the collected ones. Larger values need more collected
/// documents to change the ratio.
pub(super) const RATIO_WEIGHT: f64 = 5.0;
/// Ratio of nonrelevant to relevant documents that is expected of the root. Larger values split
/// regions by more discriminative terms before they are sent.
const INITIAL_RATIO: f64 = 0.5;
/// Smallest share of a region's relevant documents that is assumed in a half. It bounds the ratio
/// of nonrelevant to relevant documents that is expected of the half.
const MIN_HALF_SHARE: f64 = 0.02;
/// Smallest share of the population that is assumed outside exhausted regions. It keeps the
/// population above the number of collected documents.
const MIN_OPEN_SHARE: f64 = 0.02;
/// Smallest estimated size of a region, in documents. It keeps the expected matches above 0.
const MIN_SIZE: f64 = 0.3;

/// Number of documents in a region per collected one, if the engine has more hits for it but shows
/// no further page. Larger values raise the value of its halves.
const HIDDEN_FACTOR: f64 = 2.0;

/// Maximum number of literals of either sign in a region, as in a query. It limits the depth of the
/// tree.
pub(super) const MAX_LITERALS: usize = 10;

/// A region: the documents that satisfy a conjunction of literals.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// The literals, in the order of the splits.
    pub literals: Vec<Literal>,
    /// The indices of the halves without and with the split term; `None` for a leaf.
    pub halves: Option<[usize; 2]>,
    /// The term by which the region is split; `None` for a leaf.
    split_term: Option<u32>,
    /// The query for exactly this region, as an index of [`Evidence::queries`].
    pub query: Option<usize>,
    /// Sampled relevant documents in the region.
    pub relevant: DocumentSet,
    /// Sampled nonrelevant documents in the region.
    pub nonrelevant: DocumentSet,
    /// Expected number of nonrelevant documents per relevant one.
    pub ratio: f64,
    /// The index of the parent; 0 for the root.
    parent: usize,
    /// Share of the target's documents that are in the region, by the shares of its literals.
    share: f64,
    /// True number of relevant documents in the exhausted regions within this one.
    measured: f64,
    /// Sum of `share` over these regions.
    measured_share: f64,
    /// Factor by which true sizes in and around the region exceed those by the shares.
    correction: f64,
}

/// The tree of all regions.
pub(super) struct RegionTree<'a> {
    pub index: &'a SampleIndex<'a>,
    /// The regions; the root is at 0, children come after their parents.
    pub regions: Vec<Region>,
    /// Estimated number of documents of the target that the engine can return.
    pub population: f64,
    /// Cost of a nonrelevant document, in relevant documents.
    pub nonrelevant_cost: f64,
}

impl<'a> RegionTree<'a> {
    /// Rebuilds the tree from the past queries.
    pub fn new(index: &'a SampleIndex<'a>, nonrelevant_cost: f64) -> Self {
        let root = Region {
            relevant: DocumentSet::full(index.evidence.relevant.len()),
            nonrelevant: DocumentSet::full(index.evidence.nonrelevant.len()),
            ratio: INITIAL_RATIO,
            share: 1.0,
            correction: 1.0,
            ..Region::default()
        };
        let mut tree = RegionTree {
            index,
            regions: vec![root],
            population: 0.0,
            nonrelevant_cost,
        };
        for (query_index, query) in index.evidence.queries.iter().enumerate() {
            if !query.is_exploration
                && let Some(region) = tree.find_or_split(&query.literals)
            {
                tree.regions[region].query = Some(query_index);
            }
        }
        tree.sum_measured_sizes();
        tree.estimate_population();
        tree.correct_sizes();
        tree
    }

    /// Returns the index of the region with these literals, and splits leaves as needed. `None` if
    /// the literals belong to another tree: they split a region by another term than this one does,
    /// or by a term that is not indexed.
    fn find_or_split(&mut self, literals: &[Literal]) -> Option<usize> {
        let mut region = 0;
        for literal in literals {
            if self.regions[region].split_term.is_none() {
                self.split(region, self.index.term(literal.term)?);
            }
            let node = &self.regions[region];
            let is_split_by = node.split_term == Some(literal.term);
            region = node.halves.filter(|_| is_split_by)?[usize::from(literal.is_included)];
        }
        Some(region)
    }

    /// Splits a leaf by a term.
    pub fn split(&mut self, region: usize, term: &IndexedTerm) {
        let without = self.create_half(region, term, false);
        let with = self.create_half(region, term, true);
        let first = self.regions.len();
        self.regions.extend([without, with]);
        self.regions[region].halves = Some([first, first + 1]);
        self.regions[region].split_term = Some(term.term);
    }

    /// Returns the half of a region that contains the term, or the one that does not.
    fn create_half(&self, parent: usize, term: &IndexedTerm, is_included: bool) -> Region {
        let region = &self.regions[parent];
        let evidence = self.index.evidence;
        let share_with = term.estimate_share(&region.relevant, term.share, SHARE_WEIGHT);
        let nonrelevant_share_with = (self.index.weigh_nonrelevant_with(term, &region.nonrelevant)
            + NONRELEVANT_SHARE_WEIGHT * term.nonrelevant_share)
            / (self.index.weigh_nonrelevant(&region.nonrelevant) + NONRELEVANT_SHARE_WEIGHT);
        let (share, nonrelevant_share) = if is_included {
            (share_with, nonrelevant_share_with)
        } else {
            (1.0 - share_with, 1.0 - nonrelevant_share_with)
        };
        let relevant = region.relevant.filter(&term.relevant, is_included);
        let nonrelevant = region.nonrelevant.filter(&term.nonrelevant, is_included);
        // The square root, because indicative terms occur together: a further one discriminates
        // less than it would alone.
        let expected_ratio = region.ratio * (nonrelevant_share / share.max(MIN_HALF_SHARE)).sqrt();
        let collected = relevant.len() * evidence.relevant_weight;
        let ratio = (self.index.weigh_nonrelevant(&nonrelevant) + RATIO_WEIGHT * expected_ratio)
            / (collected + RATIO_WEIGHT);
        let mut literals = region.literals.clone();
        literals.push(Literal {
            term: term.term,
            is_included,
        });
        Region {
            literals,
            relevant,
            nonrelevant,
            ratio,
            parent,
            share: region.share * share,
            correction: region.correction,
            ..Region::default()
        }
    }

    /// Sets `measured` and `measured_share` of all regions, from the leaves up.
    fn sum_measured_sizes(&mut self) {
        let evidence = self.index.evidence;
        for index in (0..self.regions.len()).rev() {
            let region = &mut self.regions[index];
            let collected = region.relevant.len() * evidence.relevant_weight;
            let query = region.query.and_then(|query| evidence.queries.get(query));
            match query.map(|query| query.more) {
                Some(None) if query.is_some_and(|query| query.unseen_hits > 0) => {}
                Some(None) => {
                    region.measured = collected;
                    region.measured_share = region.share;
                }
                // The engine has more than it shows; the true size is unknown.
                Some(Some(MoreHits::Hidden)) => {
                    region.measured = region.measured.max(HIDDEN_FACTOR * collected);
                    region.measured_share = region.share;
                }
                Some(Some(MoreHits::Pages)) | None => {}
            }
            let measured = region.measured;
            let measured_share = region.measured_share;
            let parent = region.parent;
            if index > 0 {
                self.regions[parent].measured += measured;
                self.regions[parent].measured_share += measured_share;
            }
        }
    }

    /// Estimates the population: the size of the exhausted regions over their share, with the
    /// recapture estimate as prior.
    fn estimate_population(&mut self) {
        let evidence = self.index.evidence;
        let root = &self.regions[0];
        let prior = estimate_by_recapture(evidence);
        let measured = root.measured + POPULATION_WEIGHT;
        let measured_share = root.measured_share + POPULATION_WEIGHT / prior;
        // More documents exist than are collected, certainly so while few regions are exhausted.
        let collected = evidence.relevant.len() as f64 * evidence.relevant_weight;
        let open_share = (1.0 - root.measured_share).max(MIN_OPEN_SHARE);
        let lower_bound = collected * (1.0 + open_share);
        self.population = (measured / measured_share).max(lower_bound);
    }

    /// Sets the size correction of each region, from the root down.
    fn correct_sizes(&mut self) {
        for index in 1..self.regions.len() {
            let parent_correction = self.regions[self.regions[index].parent].correction;
            let region = &mut self.regions[index];
            let expected = region.measured_share * self.population;
            region.correction = (region.measured + CORRECTION_WEIGHT * parent_correction)
                / (expected + CORRECTION_WEIGHT);
        }
    }

    /// Estimates the number of documents of the target in a region.
    pub fn estimate_size(&self, region: &Region) -> f64 {
        (self.population * region.share * region.correction).max(MIN_SIZE)
    }
}

/// Estimates the population by capture-recapture, from the share of repeated hits among those of
/// the first exploration queries: the estimator of Schnabel (1938), times [`RECAPTURE_BIAS`].
fn estimate_by_recapture(evidence: &Evidence) -> f64 {
    let mut products = INITIAL_POPULATION / RECAPTURE_BIAS * PRIOR_RECAPTURES;
    let mut recaptures = PRIOR_RECAPTURES;
    let initial = evidence.relevant.iter();
    let initial = initial.filter(|document| document.query.is_none());
    let mut captured = initial.count() as f64;
    let queries = evidence.queries.iter();
    for query in queries.take_while(|query| query.is_exploration) {
        let new_hits = (query.page_relevant + query.page_nonrelevant + query.unseen_hits) as f64;
        // Only a full page has a known number of hits.
        if query.more.is_some() && query.calls == 1 {
            let hits = evidence.page_size;
            products += captured * hits;
            recaptures += (hits - new_hits).max(0.0);
        }
        captured += query.page_relevant as f64;
    }
    (RECAPTURE_BIAS * products / recaptures).min(INITIAL_POPULATION)
}

impl Region {
    /// Returns `true` if a document must contain at least one term to be in the region.
    pub fn has_inclusion(&self) -> bool {
        self.literals.iter().any(|literal| literal.is_included)
    }

    /// The number of inclusion terms or of exclusion terms, whichever is larger.
    pub fn length(&self) -> usize {
        let literals = self.literals.iter();
        let included = literals.filter(|literal| literal.is_included).count();
        included.max(self.literals.len() - included)
    }
}
