//! The learner on a small web that is made up: documents of two languages, an engine that shows ten
//! pages of ten.

use super::choose::{COST, COST_OF_MIXED, RegionChoice, next, should_continue};
use super::{Asked, Document, Known, Signed};
use forage_record::MoreHits;
use forage_text::Random;
use std::collections::HashSet;

/// Words 0..40 belong to the target, 40..80 to the others, 80..100 to both; the first of each are
/// the most frequent.
fn document(random: &mut Random, is_target: bool) -> Vec<u32> {
    let has = |word: u32, random: &mut Random| {
        let (rank, own) = (
            word % 40,
            if word < 80 {
                (word < 40) == is_target
            } else {
                true
            },
        );
        let often = if own {
            0.9 / (1.0 + f64::from(rank) / 6.0)
        } else {
            0.002
        };
        random.next_f64() < often
    };
    (0..100).filter(|&word| has(word, random)).collect()
}

fn collected(terms: Vec<u32>, query: Option<usize>) -> Document {
    Document {
        frequencies: vec![1; terms.len()],
        terms,
        query,
    }
}

struct Web {
    documents: Vec<(Vec<u32>, bool)>,
    known: Known,
    /// The query that was asked last.
    last: Option<usize>,
    seen: HashSet<usize>,
    calls: u64,
    /// Relevant documents found.
    found: usize,
}

impl Web {
    fn new(targets: usize, others: usize) -> Web {
        let mut random = Random::for_purpose(1, &["auto"]);
        let mut documents: Vec<_> = (0..targets)
            .map(|_| (document(&mut random, true), true))
            .collect();
        documents.extend((0..others).map(|_| (document(&mut random, false), false)));
        let initial = |is_target| {
            collected(
                documents
                    .iter()
                    .find(|d| d.1 == is_target)
                    .unwrap()
                    .0
                    .clone(),
                None,
            )
        };
        let known = Known {
            target: vec![initial(true)],
            weight: 1.0,
            other: vec![initial(false)],
            other_weight: 1.0,
            page_size: 10.0,
            pages: 10.0,
            ..Known::default()
        };
        Web {
            documents,
            known,
            last: None,
            seen: HashSet::new(),
            calls: 0,
            found: 0,
        }
    }

    /// Takes one step: a page of a query. False when the learner has nothing more to ask.
    fn step(&mut self) -> bool {
        let at = match self
            .last
            .filter(|&last| should_continue(&self.known.asked[last], self.known.page_size))
        {
            Some(last) => last,
            None => match next(&self.known, COST).or_else(|| next(&self.known, COST_OF_MIXED)) {
                None => return false,
                Some(RegionChoice::Again(at)) => at,
                Some(RegionChoice::Explore(term)) => self.ask(
                    vec![Signed {
                        term,
                        is_included: true,
                    }],
                    true,
                ),
                Some(RegionChoice::Region(path)) => self.ask(path, false),
            },
        };
        let matches: Vec<usize> = (0..self.documents.len())
            .filter(|&d| self.matches(d, at))
            .collect();
        let page = self.known.asked[at].calls as usize;
        let shown = matches.iter().skip(10 * page).take(10);
        let (mut new, mut bad) = (0, 0);
        for &d in shown {
            if self.seen.insert(d) {
                let (terms, is_target) = self.documents[d].clone();
                let (to, count) = if is_target {
                    (&mut self.known.target, &mut new)
                } else {
                    (&mut self.known.other, &mut bad)
                };
                to.push(collected(terms, Some(at)));
                *count += 1;
            }
        }
        self.found += new as usize;
        self.calls += 1;
        let is_last = 10 * (page + 1) >= matches.len();
        let more = (!is_last).then_some(if page + 1 < 10 {
            MoreHits::Pages
        } else {
            MoreHits::Hidden
        });
        let asked = &mut self.known.asked[at];
        (asked.calls, asked.new, asked.bad, asked.more) = (asked.calls + 1, new, bad, more);
        self.last = Some(at);
        true
    }

    fn ask(&mut self, path: Vec<Signed>, is_exploration: bool) -> usize {
        self.known.asked.push(Asked {
            path,
            is_exploration,
            ..Asked::default()
        });
        self.known.asked.len() - 1
    }

    fn matches(&self, document: usize, query: usize) -> bool {
        let terms = &self.documents[document].0;
        let agrees =
            |signed: &Signed| terms.binary_search(&signed.term).is_ok() == signed.is_included;
        self.known.asked[query].path.iter().all(agrees)
    }
}

#[test]
fn finds_most_of_the_target_at_little_more_than_the_least_number_of_calls() {
    let mut web = Web::new(600, 3_000);
    while web.calls < 80 && web.step() {}
    let retrieved = web.seen.len();
    assert!(
        web.found > 500,
        "{} of 600 in {} calls",
        web.found,
        web.calls
    );
    assert!(
        web.found * 100 > retrieved * 97,
        "{} of {retrieved} retrieved",
        web.found
    );
}

#[test]
fn regions_share_no_document() {
    let mut web = Web::new(400, 1_000);
    while web.calls < 60 && web.step() {}
    let regions: Vec<&Asked> = web
        .known
        .asked
        .iter()
        .filter(|asked| !asked.is_exploration)
        .collect();
    assert!(regions.len() > 5);
    for (at, one) in regions.iter().enumerate() {
        for other in &regions[at + 1..] {
            let parts = |signed: &Signed| {
                other.path.contains(&Signed {
                    is_included: !signed.is_included,
                    ..*signed
                })
            };
            let is_within = one.path.iter().zip(&other.path).all(|(a, b)| a == b);
            assert!(
                is_within || one.path.iter().any(parts),
                "{one:?} and {other:?}"
            );
        }
    }
}

#[test]
fn every_region_is_a_query_that_an_engine_answers() {
    let mut web = Web::new(300, 300);
    while web.calls < 100 && web.step() {}
    for asked in &web.known.asked {
        let included = asked
            .path
            .iter()
            .filter(|signed| signed.is_included)
            .count();
        assert!(
            (1..=10).contains(&included) && asked.path.len() - included <= 10,
            "{asked:?}"
        );
    }
}

#[test]
fn one_document_is_enough_to_begin_with_and_none_is_no_panic() {
    assert!(matches!(
        next(&Web::new(1, 1).known, COST),
        Some(RegionChoice::Explore(_))
    ));
    assert_eq!(next(&Known::default(), COST), None);
    let empty = Known {
        target: vec![Document::default()],
        weight: 1.0,
        page_size: 10.0,
        pages: 10.0,
        ..Known::default()
    };
    assert_eq!(next(&empty, COST_OF_MIXED), None);
}

#[test]
fn no_query_has_a_word_that_is_to_be_avoided() {
    let mut web = Web::new(300, 900);
    web.known.avoid = (0..6).collect();
    while web.calls < 40 && web.step() {}
    assert!(web.known.asked.len() > 5);
    let mut asked = web.known.asked.iter().flat_map(|asked| &asked.path);
    assert!(
        asked.all(|signed| signed.term >= 6),
        "{:?}",
        web.known.asked
    );
}
