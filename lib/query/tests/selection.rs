//! Rankings are compared with an oracle that scores every term, random draws with their
//! probabilities.

#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap

use forage_query::select::{
    ClassContrast, QuerySide, SelectedTerm, SelectionMethod, SelectionSpec, TermProbability,
    log_odds_ratio, odds_ratio, rtfidf, select_terms,
};
use forage_query::{Statistics, open_ledger};
use forage_record::{Record, field};
use forage_text::Random;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const CLASSES: [&str; 4] = ["slv", "hrv", "eng", "ces"];

type Corpus = Vec<(usize, Vec<String>)>;

/// Returns the statistics of a corpus, committed after every third document.
fn build_statistics(corpus: &Corpus) -> (tempfile::TempDir, Statistics) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("stats.db");
    let mut ledger = open_ledger(&path, None, None).unwrap();
    for (i, (class, words)) in corpus.iter().enumerate() {
        let mut record = Record::new();
        record.set(field::TEXT, &words.join(" "));
        record.set(field::LABEL, &CLASSES[*class]);
        ledger.apply(&record).unwrap();
        if i % 3 == 0 {
            ledger.commit().unwrap();
        }
    }
    ledger.commit().unwrap();
    (dir, Statistics::open_read_only(&path).unwrap())
}

/// Returns (tf, df) of each term in the given classes, and the number of their documents.
fn count_terms(corpus: &Corpus, classes: &BTreeSet<usize>) -> (BTreeMap<String, (u64, u64)>, u64) {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut documents = 0;
    for (_, words) in corpus.iter().filter(|(class, _)| classes.contains(class)) {
        documents += 1;
        for word in words {
            counts.entry(word.clone()).or_default().0 += 1;
        }
        for word in words.iter().collect::<BTreeSet<_>>() {
            counts.entry(word.clone()).or_default().1 += 1;
        }
    }
    (counts, documents)
}

/// Ranks the terms of one side by scoring every term. Returns terms with their scores.
fn rank_all_terms(
    corpus: &Corpus,
    own: &BTreeSet<usize>,
    other: &BTreeSet<usize>,
    method: SelectionMethod,
    probability: TermProbability,
) -> Vec<(String, f64)> {
    let (counts, n) = count_terms(corpus, own);
    let (counts_other, n_other) = count_terms(corpus, other);
    let tokens = |counts: &BTreeMap<String, (u64, u64)>| counts.values().map(|(tf, _)| tf).sum();
    let (tokens, tokens_other): (u64, u64) = (tokens(&counts), tokens(&counts_other));
    let mut all: Vec<(f64, u64, String)> = counts
        .into_iter()
        .map(|(term, (tf, df))| {
            let (tf_other, df_other) = counts_other.get(&term).copied().unwrap_or_default();
            let score = match (method, probability) {
                (SelectionMethod::Tf, _) => tf as f64,
                (SelectionMethod::Rtfidf, _) => rtfidf(tf, df + df_other, n + n_other),
                (_, TermProbability::Df) => odds_ratio(df, n, df_other, n_other),
                (_, TermProbability::Tf) => odds_ratio(tf, tokens, tf_other, tokens_other),
            };
            (score, tf, term)
        })
        .collect();
    all.sort_by(|a, b| {
        (b.0, b.1)
            .partial_cmp(&(a.0, a.1))
            .unwrap()
            .then(a.2.cmp(&b.2))
    });
    all.into_iter()
        .map(|(score, _, term)| (term, score))
        .collect()
}

fn corpora() -> impl Strategy<Value = Corpus> {
    // Few words, so that they are shared; skewed, so that several log-frequency bands are filled.
    let word = prop_oneof![3 => "[a-c]{2}", 1 => "[a-f]{3}"];
    prop::collection::vec(
        (0..CLASSES.len(), prop::collection::vec(word, 0..40)),
        1..12,
    )
}

fn contrast(
    statistics: &Statistics,
    target: usize,
    versus: Option<&[usize]>,
    side: QuerySide,
) -> ClassContrast {
    let names = versus.map(|classes| {
        classes
            .iter()
            .map(|&class| CLASSES[class].to_owned())
            .collect::<Vec<_>>()
    });
    ClassContrast::new(
        statistics,
        &statistics.classes().unwrap(),
        CLASSES[target],
        names.as_deref(),
        side,
    )
    .unwrap()
}

fn term_texts(terms: &[SelectedTerm]) -> Vec<&str> {
    terms.iter().map(|ranked| ranked.term.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn ranks_as_if_it_scored_every_term(
        corpus in corpora(),
        target in 0..CLASSES.len(),
        pick in prop::collection::btree_set(0..CLASSES.len(), 0..3),
        against_all in any::<bool>(),
        offset in 0_u32..4,
        by_documents in any::<bool>(),
    ) {
        let probability = if by_documents { TermProbability::Df } else { TermProbability::Tf };
        let present: BTreeSet<usize> = corpus.iter().map(|(class, _)| *class).collect();
        prop_assume!(present.contains(&target));
        let others: BTreeSet<usize> = if against_all {
            present.clone()
        } else {
            pick.intersection(&present).copied().collect()
        };
        let others: BTreeSet<usize> =
            others.into_iter().filter(|&class| class != target).collect();
        let listed: Vec<usize> = others.iter().copied().collect();
        let (_dir, statistics) = build_statistics(&corpus);
        let target_only = BTreeSet::from([target]);
        for method in [SelectionMethod::Tf, SelectionMethod::Rtfidf, SelectionMethod::Or] {
            for side in [QuerySide::Include, QuerySide::Exclude] {
                let (own, other) = if side == QuerySide::Include {
                    (&target_only, &others)
                } else {
                    (&others, &target_only)
                };
                let expected: Vec<String> = rank_all_terms(&corpus, own, other, method, probability)
                    .into_iter()
                    .map(|(term, _)| term)
                    .skip(offset as usize)
                    .take(3)
                    .collect();
                let versus = (!against_all).then_some(listed.as_slice());
                let selected = select_terms(
                    &statistics,
                    &contrast(&statistics, target, versus, side).with_probability(probability),
                    SelectionSpec { method, length: 3 },
                    offset,
                    &[],
                    &mut Random::for_purpose(0, &[]),
                )
                .unwrap();
                prop_assert_eq!(
                    term_texts(&selected), expected, "{:?} {:?} of {:?}", method, side, corpus
                );
            }
        }
    }

    #[test]
    fn draws_distinct_terms_of_the_side_and_all_if_there_are_few(
        corpus in corpora(),
        target in 0..CLASSES.len(),
        seed in any::<u64>(),
    ) {
        prop_assume!(corpus.iter().any(|(class, words)| *class == target && !words.is_empty()));
        let (_dir, statistics) = build_statistics(&corpus);
        let methods = [
            SelectionMethod::Un,
            SelectionMethod::Ptf,
            SelectionMethod::Por,
            SelectionMethod::Porh,
        ];
        for method in methods {
            for side in [QuerySide::Include, QuerySide::Exclude] {
                let own: BTreeSet<usize> = (0..CLASSES.len())
                    .filter(|&class| (class == target) == (side == QuerySide::Include))
                    .collect();
                let others = (0..CLASSES.len()).filter(|class| !own.contains(class)).collect();
                let mut ranked =
                    rank_all_terms(&corpus, &own, &others, SelectionMethod::Or, TermProbability::Df);
                if matches!(method, SelectionMethod::Por | SelectionMethod::Porh) {
                    ranked.retain(|(_, odds_ratio)| *odds_ratio > 1.0);
                }
                if method == SelectionMethod::Porh {
                    ranked.truncate(ranked.len().div_ceil(2));
                }
                let eligible: BTreeSet<&str> =
                    ranked.iter().map(|(term, _)| term.as_str()).collect();
                let selected = select_terms(
                    &statistics,
                    &contrast(&statistics, target, None, side),
                    SelectionSpec { method, length: 5 },
                    0,
                    &[],
                    &mut Random::for_purpose(seed, &[]),
                )
                .unwrap();
                let drawn: BTreeSet<&str> = term_texts(&selected).into_iter().collect();
                prop_assert_eq!(drawn.len(), selected.len(), "a term twice");
                prop_assert_eq!(selected.len(), eligible.len().min(5));
                prop_assert!(drawn.is_subset(&eligible));
            }
        }
    }
}

/// Returns the share of draws in which each term is drawn first.
fn first_draw_shares(
    statistics: &Statistics,
    contrast: &ClassContrast,
    method: SelectionMethod,
) -> BTreeMap<String, f64> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    let draws = 4_000;
    for i in 0..draws {
        let mut random = Random::for_purpose(i, &["frequency"]);
        let spec = SelectionSpec { method, length: 1 };
        let selected = select_terms(statistics, contrast, spec, 0, &[], &mut random).unwrap();
        *shares.entry(selected[0].term.clone()).or_default() += 1.0 / draws as f64;
    }
    shares
}

#[test]
fn draws_with_the_probabilities_of_the_methods() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let corpus = vec![
        (0, words("aa aa aa bb")),
        (0, words("aa bb cc cc")),
        (2, words("bb dd")),
        (2, words("dd dd ee")),
    ];
    let (_dir, statistics) = build_statistics(&corpus);
    let assert_near = |got: &BTreeMap<String, f64>, expected: &[(&str, f64)]| {
        assert_eq!(got.len(), expected.len(), "{got:?}");
        for (term, share) in expected {
            assert!(
                (got[*term] - share).abs() < 0.03,
                "{term}: {got:?}, expected {expected:?}"
            );
        }
    };
    let include = contrast(&statistics, 0, None, QuerySide::Include);
    assert_near(
        &first_draw_shares(&statistics, &include, SelectionMethod::Un),
        &[("aa", 1.0 / 3.0), ("bb", 1.0 / 3.0), ("cc", 1.0 / 3.0)],
    );
    assert_near(
        &first_draw_shares(&statistics, &include, SelectionMethod::Ptf),
        &[("aa", 0.5), ("bb", 0.25), ("cc", 0.25)],
    );
    let (aa, bb, cc) = (
        log_odds_ratio(2, 2, 0, 2),
        log_odds_ratio(2, 2, 1, 2),
        log_odds_ratio(1, 2, 0, 2),
    );
    let sum = aa + bb + cc;
    assert_near(
        &first_draw_shares(&statistics, &include, SelectionMethod::Por),
        &[("aa", aa / sum), ("bb", bb / sum), ("cc", cc / sum)],
    );
    let exclude = contrast(&statistics, 0, None, QuerySide::Exclude);
    assert_near(
        &first_draw_shares(&statistics, &exclude, SelectionMethod::Ptf),
        &[("bb", 0.2), ("dd", 0.6), ("ee", 0.2)],
    );
}
