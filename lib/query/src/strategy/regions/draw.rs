//! Draws a region at random, with a known inclusion probability (see [`crate::coverage`]).

use super::document_set::DocumentSet;
use super::evidence::Literal;
use super::region_tree::{MAX_LITERALS, SHARE_WEIGHT};
use super::sample_index::{IndexedTerm, SampleIndex};
use forage_text::Random;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Expected number of relevant documents in a region at which the walk ends. Larger regions take
/// more calls to exhaust; smaller ones have a lower inclusion probability, so that each new
/// document weighs more and the variance of the estimate grows.
const REGION_SIZE: f64 = 20.0;
/// Factor by which the population is taken to exceed the collected documents. Larger values give
/// smaller regions.
const POPULATION_FACTOR: f64 = 1.5;
/// Smallest probability of either branch of the walk. A term may divide the documents that are not
/// collected in another proportion than those that are; larger values bound the weight of a
/// document in a branch that was thought to be almost empty.
const MIN_BRANCH_PROBABILITY: f64 = 0.2;

/// A region that was drawn at random.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawnRegion {
    /// The literals, in the order of the splits.
    pub literals: Vec<Literal>,
    /// The inclusion probability: the product of the branch probabilities of the walk.
    pub probability: f64,
    /// True if no nonrelevant document of the sample is in the region.
    pub has_only_relevant: bool,
}

impl SampleIndex<'_> {
    /// Draws a region that has at least one inclusion term. `None` if the walk ends in a region
    /// without one, because there are too many literals or no further term to split by.
    pub fn draw_region(&self, random: &mut Random) -> Option<DrawnRegion> {
        let evidence = self.evidence;
        let mut relevant = DocumentSet::full(evidence.relevant.len());
        let mut nonrelevant = DocumentSet::full(evidence.nonrelevant.len());
        let population =
            POPULATION_FACTOR * evidence.relevant.len() as f64 * evidence.relevant_weight;
        let mut literals: Vec<Literal> = Vec::new();
        let mut probability = 1.0;
        let mut included = 0;
        while included == 0 || population * probability > REGION_SIZE {
            if included >= MAX_LITERALS || literals.len() - included >= MAX_LITERALS {
                break;
            }
            let Some(term) = best_split_term(self, &literals, &relevant, &nonrelevant) else {
                break;
            };
            let share = term
                .estimate_share(&relevant, term.share, SHARE_WEIGHT)
                .clamp(MIN_BRANCH_PROBABILITY, 1.0 - MIN_BRANCH_PROBABILITY);
            let is_included = random.next_f64() < share;
            probability *= if is_included { share } else { 1.0 - share };
            literals.push(Literal {
                term: term.term,
                is_included,
            });
            included += usize::from(is_included);
            relevant = relevant.filter(&term.relevant, is_included);
            nonrelevant = nonrelevant.filter(&term.nonrelevant, is_included);
        }
        (included > 0).then(|| DrawnRegion {
            literals,
            probability,
            has_only_relevant: nonrelevant.len() == 0.0,
        })
    }
}

/// Returns the term that splits the relevant documents of a region evenly and occurs in few of its
/// nonrelevant ones. Shares are estimated from documents whose query does not name the term,
/// because past queries would make their own terms look frequent.
fn best_split_term<'a>(
    index: &'a SampleIndex,
    literals: &[Literal],
    relevant: &DocumentSet,
    nonrelevant: &DocumentSet,
) -> Option<&'a IndexedTerm> {
    let score = |term: &IndexedTerm| {
        let share = term.estimate_share(relevant, term.share, SHARE_WEIGHT);
        // The overall share is the prior, and counts as one document.
        let nonrelevant_share = (index.weigh_nonrelevant_with(term, nonrelevant)
            + term.nonrelevant_share)
            / (index.weigh_nonrelevant(nonrelevant) + 1.0);
        share.min(1.0 - share) * (1.0 - nonrelevant_share.min(1.0))
    };
    let is_unused = |term: &&IndexedTerm| literals.iter().all(|literal| literal.term != term.term);
    let unused = index.terms.iter().filter(is_unused);
    let scored = unused.map(|term| (score(term), term));
    let best = scored.max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.term.cmp(&x.term)))?;
    (best.0 > 0.0).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::{DrawnRegion, SampleIndex};
    use crate::strategy::regions::{Evidence, SampledDocument};
    use forage_text::Random;
    use std::collections::HashMap;

    /// 256 documents with all combinations of eight terms, so that each term is in every second
    /// document, and a ninth term that is in all.
    fn evidence() -> Evidence {
        let document = |n: u32| {
            let terms: Vec<u32> = (0..8).filter(|bit| n >> bit & 1 == 1).chain([8]).collect();
            SampledDocument {
                frequencies: vec![1; terms.len()],
                terms,
                query: None,
            }
        };
        Evidence {
            relevant: (0..256).map(document).collect(),
            relevant_weight: 1.0,
            nonrelevant_weight: 1.0,
            page_size: 10.0,
            max_pages: 10.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn draws_each_region_as_often_as_its_probability_and_with_an_inclusion_term() {
        let evidence = evidence();
        let mut random = Random::for_purpose(1, &["draw"]);
        let index = SampleIndex::new(&evidence);
        let mut drawn: HashMap<String, (f64, f64)> = HashMap::new();
        let times = 20_000;
        let mut failed = 0.0;
        for _ in 0..times {
            let Some(DrawnRegion {
                literals,
                probability,
                ..
            }) = index.draw_region(&mut random)
            else {
                failed += 1.0;
                continue;
            };
            assert!(literals.iter().any(|literal| literal.is_included));
            let (_, count) = drawn
                .entry(format!("{literals:?}"))
                .or_insert((probability, 0.0));
            *count += 1.0;
        }
        assert!(
            drawn.len() > 10 && failed < 100.0,
            "{} {failed}",
            drawn.len()
        );
        for (literals, (probability, count)) in drawn {
            let expected = probability * f64::from(times);
            assert!(
                (count - expected).abs() < 5.0 * expected.sqrt() + 1.0,
                "{literals}: {count} of {expected}"
            );
        }
    }

    #[test]
    fn draws_nothing_from_empty_evidence() {
        assert_eq!(
            SampleIndex::new(&Evidence::default())
                .draw_region(&mut Random::for_purpose(1, &["draw"])),
            None
        );
    }
}
