//! Selection against an oracle that looks at every term, and draws against their probabilities.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap, too

use forage_query::select::{
    ClassContrast, QuerySide, SelectedTerm, SelectionMethod, SelectionSpec, log_odds_ratio,
    odds_ratio, rtfidf, select_terms,
};
use forage_query::{Statistics, open_ledger};
use forage_record::{Record, field};
use forage_text::Random;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const CLASSES: [&str; 4] = ["slv", "hrv", "eng", "ces"];

type Corpus = Vec<(usize, Vec<String>)>;

/// Statistics of a corpus, committed document by document or at once.
fn statistics(corpus: &Corpus) -> (tempfile::TempDir, Statistics) {
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

/// (tf, df) of each term in the classes given, and their number of documents.
fn count(corpus: &Corpus, classes: &BTreeSet<usize>) -> (BTreeMap<String, (u64, u64)>, u64) {
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

/// The ranking of one side by looking at every term.
fn oracle(
    corpus: &Corpus,
    own: &BTreeSet<usize>,
    other: &BTreeSet<usize>,
    method: SelectionMethod,
) -> Vec<(String, u64)> {
    let (counts, n) = count(corpus, own);
    let (counts_other, n_other) = count(corpus, other);
    let mut all: Vec<(f64, u64, String)> = counts
        .into_iter()
        .map(|(term, (tf, df))| {
            let df_other = counts_other.get(&term).map_or(0, |(_, df)| *df);
            let score = match method {
                SelectionMethod::Tf => tf as f64,
                SelectionMethod::Rtfidf => rtfidf(tf, df + df_other, n + n_other),
                _ => odds_ratio(df, n, df_other, n_other),
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
    all.into_iter().map(|(_, tf, term)| (term, tf)).collect()
}

fn corpora() -> impl Strategy<Value = Corpus> {
    // Few words, so that they are shared; skewed, so that octaves are filled.
    let word = prop_oneof![3 => "[a-c]{2}", 1 => "[a-f]{3}"];
    prop::collection::vec(
        (0..CLASSES.len(), prop::collection::vec(word, 0..40)),
        1..12,
    )
}

fn sides(
    from: &Statistics,
    target: usize,
    versus: Option<&[usize]>,
    direction: QuerySide,
) -> ClassContrast {
    let names = versus.map(|classes| {
        classes
            .iter()
            .map(|&class| CLASSES[class].to_owned())
            .collect::<Vec<_>>()
    });
    ClassContrast::new(
        from,
        &from.classes().unwrap(),
        CLASSES[target],
        names.as_deref(),
        direction,
    )
    .unwrap()
}

fn names(terms: &[SelectedTerm]) -> Vec<&str> {
    terms.iter().map(|ranked| ranked.term.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn ranks_as_if_it_had_looked_at_every_term(
        corpus in corpora(),
        target in 0..CLASSES.len(),
        pick in prop::collection::btree_set(0..CLASSES.len(), 0..3),
        against_all in any::<bool>(),
        offset in 0_u32..4,
    ) {
        let present: BTreeSet<usize> = corpus.iter().map(|(class, _)| *class).collect();
        prop_assume!(present.contains(&target));
        let others: BTreeSet<usize> = if against_all { present.clone() } else { pick.intersection(&present).copied().collect() };
        let others: BTreeSet<usize> = others.into_iter().filter(|&class| class != target).collect();
        let listed: Vec<usize> = others.iter().copied().collect();
        let (_dir, from) = statistics(&corpus);
        let own = BTreeSet::from([target]);
        for method in [SelectionMethod::Tf, SelectionMethod::Rtfidf, SelectionMethod::Or] {
            for direction in [QuerySide::Include, QuerySide::Exclude] {
                let (of, against) = if direction == QuerySide::Include { (&own, &others) } else { (&others, &own) };
                let expected: Vec<String> =
                    oracle(&corpus, of, against, method).into_iter().map(|(term, _)| term).skip(offset as usize).take(3).collect();
                let versus = (!against_all).then_some(listed.as_slice());
                let side = SelectionSpec { method, length: 3 };
                let got = select_terms(&from, &sides(&from, target, versus, direction), side, offset, &[], &mut Random::for_purpose(0, &[])).unwrap();
                prop_assert_eq!(names(&got), expected, "{:?} {:?} of {:?}", method, direction, corpus);
            }
        }
    }

    #[test]
    fn draws_different_terms_of_the_side_and_as_many_as_there_are(corpus in corpora(), target in 0..CLASSES.len(), seed in any::<u64>()) {
        prop_assume!(corpus.iter().any(|(class, words)| *class == target && !words.is_empty()));
        let (_dir, from) = statistics(&corpus);
        for method in [SelectionMethod::Un, SelectionMethod::Ptf, SelectionMethod::Por] {
            for direction in [QuerySide::Include, QuerySide::Exclude] {
                let own: BTreeSet<usize> =
                    (0..CLASSES.len()).filter(|&class| (class == target) == (direction == QuerySide::Include)).collect();
                let (counts, n) = count(&corpus, &own);
                let (other, n_other) = count(&corpus, &(0..CLASSES.len()).filter(|class| !own.contains(class)).collect());
                let open: BTreeSet<&str> = counts.iter().filter(|(term, (_, df))| {
                    let df_other = other.get(*term).map_or(0, |(_, df)| *df);
                    method != SelectionMethod::Por || log_odds_ratio(*df, n, df_other, n_other) > 0.0
                }).map(|(term, _)| term.as_str()).collect();
                let side = SelectionSpec { method, length: 5 };
                let got = select_terms(&from, &sides(&from, target, None, direction), side, 0, &[], &mut Random::for_purpose(seed, &[])).unwrap();
                let drawn: BTreeSet<&str> = names(&got).into_iter().collect();
                prop_assert_eq!(drawn.len(), got.len(), "a term twice");
                prop_assert_eq!(got.len(), open.len().min(5));
                prop_assert!(drawn.is_subset(&open));
            }
        }
    }
}

/// How often each term is the first one drawn.
fn frequencies(
    from: &Statistics,
    sides: &ClassContrast,
    method: SelectionMethod,
) -> BTreeMap<String, f64> {
    let mut seen: BTreeMap<String, f64> = BTreeMap::new();
    let draws = 4_000;
    for i in 0..draws {
        let mut random = Random::for_purpose(i, &["frequency"]);
        let side = SelectionSpec { method, length: 1 };
        let got = select_terms(from, sides, side, 0, &[], &mut random).unwrap();
        *seen.entry(got[0].term.clone()).or_default() += 1.0 / draws as f64;
    }
    seen
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
    let (_dir, from) = statistics(&corpus);
    let near = |got: &BTreeMap<String, f64>, expected: &[(&str, f64)]| {
        assert_eq!(got.len(), expected.len(), "{got:?}");
        for (term, share) in expected {
            assert!(
                (got[*term] - share).abs() < 0.03,
                "{term}: {got:?}, expected {expected:?}"
            );
        }
    };
    let include = sides(&from, 0, None, QuerySide::Include);
    near(
        &frequencies(&from, &include, SelectionMethod::Un),
        &[("aa", 1.0 / 3.0), ("bb", 1.0 / 3.0), ("cc", 1.0 / 3.0)],
    );
    near(
        &frequencies(&from, &include, SelectionMethod::Ptf),
        &[("aa", 0.5), ("bb", 0.25), ("cc", 0.25)],
    );
    let (aa, bb, cc) = (
        log_odds_ratio(2, 2, 0, 2),
        log_odds_ratio(2, 2, 1, 2),
        log_odds_ratio(1, 2, 0, 2),
    );
    let sum = aa + bb + cc;
    near(
        &frequencies(&from, &include, SelectionMethod::Por),
        &[("aa", aa / sum), ("bb", bb / sum), ("cc", cc / sum)],
    );
    let exclude = sides(&from, 0, None, QuerySide::Exclude);
    near(
        &frequencies(&from, &exclude, SelectionMethod::Ptf),
        &[("bb", 0.2), ("dd", 0.6), ("ee", 0.2)],
    );
}
