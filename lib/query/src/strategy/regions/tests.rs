//! The strategy on a small synthetic web: documents of two languages, and an engine that shows ten
//! pages of ten hits.

use super::choose::{RegionChoice, choose_next, should_continue, unseen_hit_limit};
use super::{Evidence, Literal, PastQuery, SampledDocument};
use crate::unseen_hits::{LAST_RESORT_COST, NONRELEVANT_COST, should_use_unseen_hits};
use forage_record::MoreHits;
use forage_text::Random;
use std::collections::HashSet;

/// Draws the terms of a document. Terms 0 to 39 belong to the target, 40 to 79 to the other class,
/// 80 to 99 to both; the first of each are the most frequent.
fn draw_document(random: &mut Random, is_target: bool) -> Vec<u32> {
    (0..100)
        .filter(|&term| {
            let rank = term % 40;
            let is_own = term >= 80 || (term < 40) == is_target;
            let probability = if is_own {
                0.9 / (1.0 + f64::from(rank) / 6.0)
            } else {
                0.002
            };
            random.next_f64() < probability
        })
        .collect()
}

fn sampled_document(terms: Vec<u32>, query: Option<usize>) -> SampledDocument {
    SampledDocument {
        frequencies: vec![1; terms.len()],
        terms,
        query,
    }
}

/// A synthetic web, and a run that collects its documents.
struct SyntheticWeb {
    /// The terms of each document; true for a document of the target.
    documents: Vec<(Vec<u32>, bool)>,
    evidence: Evidence,
    /// The last query.
    last: Option<usize>,
    /// Documents that were returned.
    seen: HashSet<usize>,
    calls: u64,
    /// Relevant documents that were returned.
    relevant: usize,
}

impl SyntheticWeb {
    fn new(targets: usize, others: usize) -> SyntheticWeb {
        let mut random = Random::for_purpose(1, &["auto"]);
        let mut documents: Vec<_> = (0..targets)
            .map(|_| (draw_document(&mut random, true), true))
            .collect();
        documents.extend((0..others).map(|_| (draw_document(&mut random, false), false)));
        let initial = |is_target| {
            let mut of_class = documents.iter().filter(|document| document.1 == is_target);
            sampled_document(of_class.next().unwrap().0.clone(), None)
        };
        let evidence = Evidence {
            relevant: vec![initial(true)],
            relevant_weight: 1.0,
            nonrelevant: vec![initial(false)],
            nonrelevant_weight: 1.0,
            page_size: 10.0,
            max_pages: 10.0,
            ..Evidence::default()
        };
        SyntheticWeb {
            documents,
            evidence,
            last: None,
            seen: HashSet::new(),
            calls: 0,
            relevant: 0,
        }
    }

    /// Retrieves one page of hits. Returns `false` if the target is exhausted.
    fn retrieve_page(&mut self) -> bool {
        let Some(query) = self.choose_query() else {
            return false;
        };
        let matches: Vec<usize> = (0..self.documents.len())
            .filter(|&document| self.matches(document, query))
            .collect();
        let page = self.evidence.queries[query].calls as usize;
        let mut relevant = 0;
        let mut nonrelevant = 0;
        for &document in matches.iter().skip(10 * page).take(10) {
            if self.seen.insert(document) {
                let (terms, is_target) = self.documents[document].clone();
                let sampled = sampled_document(terms, Some(query));
                if is_target {
                    self.evidence.relevant.push(sampled);
                    relevant += 1;
                } else {
                    self.evidence.nonrelevant.push(sampled);
                    nonrelevant += 1;
                }
            }
        }
        self.relevant += relevant as usize;
        self.calls += 1;
        let is_last_page = 10 * (page + 1) >= matches.len();
        let past = &mut self.evidence.queries[query];
        past.calls += 1;
        past.page_relevant = relevant;
        past.page_nonrelevant = nonrelevant;
        past.more = (!is_last_page).then_some(if page + 1 < 10 {
            MoreHits::Pages
        } else {
            MoreHits::Hidden
        });
        self.last = Some(query);
        true
    }

    /// Chooses the next query, as an index of the past queries.
    fn choose_query(&mut self) -> Option<usize> {
        let page_size = self.evidence.page_size;
        let last = self
            .last
            .filter(|&last| should_continue(&self.evidence.queries[last], page_size));
        if last.is_some() {
            return last;
        }
        let choice = choose_next(&self.evidence, NONRELEVANT_COST)
            .or_else(|| choose_next(&self.evidence, LAST_RESORT_COST))?;
        Some(match choice {
            RegionChoice::Continue(query) => query,
            RegionChoice::Explore(term) => {
                let literal = Literal {
                    term,
                    is_included: true,
                };
                self.add_query(vec![literal], true)
            }
            RegionChoice::Region(literals) => self.add_query(literals, false),
        })
    }

    fn add_query(&mut self, literals: Vec<Literal>, is_exploration: bool) -> usize {
        self.evidence.queries.push(PastQuery {
            literals,
            is_exploration,
            ..PastQuery::default()
        });
        self.evidence.queries.len() - 1
    }

    fn matches(&self, document: usize, query: usize) -> bool {
        let terms = &self.documents[document].0;
        let is_satisfied =
            |literal: &Literal| terms.binary_search(&literal.term).is_ok() == literal.is_included;
        self.evidence.queries[query]
            .literals
            .iter()
            .all(is_satisfied)
    }
}

#[test]
fn finds_most_of_the_target_with_little_more_than_the_fewest_possible_calls() {
    let mut web = SyntheticWeb::new(600, 3_000);
    while web.calls < 80 && web.retrieve_page() {}
    let retrieved = web.seen.len();
    assert!(
        web.relevant > 500,
        "{} of 600 in {} calls",
        web.relevant,
        web.calls
    );
    assert!(
        web.relevant * 100 > retrieved * 97,
        "{} of {retrieved} retrieved",
        web.relevant
    );
}

#[test]
fn regions_share_no_document() {
    let mut web = SyntheticWeb::new(400, 1_000);
    while web.calls < 60 && web.retrieve_page() {}
    let regions: Vec<&PastQuery> = web
        .evidence
        .queries
        .iter()
        .filter(|query| !query.is_exploration)
        .collect();
    assert!(regions.len() > 5);
    for (index, one) in regions.iter().enumerate() {
        for other in &regions[index + 1..] {
            let is_contradicted = |literal: &Literal| {
                other.literals.contains(&Literal {
                    is_included: !literal.is_included,
                    ..*literal
                })
            };
            let is_within = one
                .literals
                .iter()
                .zip(&other.literals)
                .all(|(a, b)| a == b);
            assert!(
                is_within || one.literals.iter().any(is_contradicted),
                "{one:?} and {other:?}"
            );
        }
    }
}

#[test]
fn every_query_has_one_to_ten_inclusion_terms_and_at_most_ten_exclusion_terms() {
    let mut web = SyntheticWeb::new(300, 300);
    while web.calls < 100 && web.retrieve_page() {}
    for query in &web.evidence.queries {
        let included = query
            .literals
            .iter()
            .filter(|literal| literal.is_included)
            .count();
        assert!(
            (1..=10).contains(&included) && query.literals.len() - included <= 10,
            "{query:?}"
        );
    }
}

#[test]
fn starts_from_one_document_and_chooses_nothing_from_none() {
    assert!(matches!(
        choose_next(&SyntheticWeb::new(1, 1).evidence, NONRELEVANT_COST),
        Some(RegionChoice::Explore(_))
    ));
    assert_eq!(choose_next(&Evidence::default(), NONRELEVANT_COST), None);
    let empty_document = Evidence {
        relevant: vec![SampledDocument::default()],
        relevant_weight: 1.0,
        page_size: 10.0,
        max_pages: 10.0,
        ..Evidence::default()
    };
    assert_eq!(choose_next(&empty_document, LAST_RESORT_COST), None);
}

#[test]
fn no_query_has_a_pruned_term() {
    let mut web = SyntheticWeb::new(300, 900);
    web.evidence.pruned_terms = (0..6).collect();
    while web.calls < 40 && web.retrieve_page() {}
    let queries = &web.evidence.queries;
    assert!(queries.len() > 5);
    assert!(
        queries
            .iter()
            .flat_map(|query| &query.literals)
            .all(|literal| literal.term >= 6),
        "{queries:?}"
    );
}

#[test]
fn a_page_in_parts_is_given_up_after_its_first_nonrelevant_document() {
    let mut page_relevant = 0;
    let mut parts = vec![];
    while page_relevant < 8 {
        assert!(should_use_unseen_hits(page_relevant, 0, 8.0));
        let part = unseen_hit_limit(page_relevant, 0).get();
        parts.push(part);
        page_relevant += part as u64;
    }
    assert_eq!(parts, [1, 1, 2, 4]);
    for (page_relevant, expected) in [(0, false), (7, false), (8, true)] {
        assert_eq!(should_use_unseen_hits(page_relevant, 1, 8.0), expected);
    }
}
