//! Hand-computed values of the measures, and their properties on random vectors.

use super::{ArticleComparison, KeyphraseVector, SimilarityMeasure, word_weights};
use forage_record::Keyphrase;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

fn keyphrase(phrase: &str, score: f64) -> Keyphrase {
    Keyphrase {
        phrase: phrase.into(),
        score,
        key: phrase.into(),
    }
}

fn vector(keyphrases: &[(&str, f64)]) -> KeyphraseVector {
    KeyphraseVector::new(
        keyphrases
            .iter()
            .map(|(phrase, score)| keyphrase(phrase, *score))
            .collect(),
    )
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
}

#[track_caller]
fn assert_similarity(
    measure: SimilarityMeasure,
    sample: &[(&str, f64)],
    article: &[(&str, f64)],
    expected: f64,
) {
    assert_near(measure.compare(&vector(sample), &vector(article)), expected);
}

#[test]
fn all_measures_of_two_vectors_with_one_equal_and_one_partial_match() {
    // "mako" is equal; "gold mako" and "gold tuba" share one of their two words.
    let sample = [("gold mako", 2.0), ("mako", 1.0)];
    let article = [("mako", 3.0), ("gold tuba", 1.0), ("ruba", 0.5)];
    let lengths = [5.0_f64.sqrt(), 10.25_f64.sqrt()];
    let e = std::f64::consts::E;
    let unlogged = (e.powi(4) + e.powi(2)).sqrt() * (e.powi(6) + e.powi(2) + e).sqrt();
    for (measure, expected) in [
        (SimilarityMeasure::Dice, 2.0 / 5.0),
        (SimilarityMeasure::Jaccard, 1.0 / 4.0),
        (SimilarityMeasure::Cosine, 1.0 / 6.0_f64.sqrt()),
        (SimilarityMeasure::Overlap, 1.0 / 2.0),
        (SimilarityMeasure::Percentage, 3.0 / 7.5),
        (
            SimilarityMeasure::VectorCosine,
            3.0 / (lengths[0] * lengths[1]),
        ),
        (
            SimilarityMeasure::PartialCosine,
            4.0 / (lengths[0] * lengths[1]),
        ),
        (
            SimilarityMeasure::PrintedVectorCosine,
            3.0 / (lengths[0] + lengths[1]),
        ),
        (
            SimilarityMeasure::UnloggedPartialCosine,
            (e * e.powi(3) + 0.5 * e.powi(2) * e) / unlogged,
        ),
    ] {
        assert_similarity(measure, &sample, &article, expected);
    }
}

#[test]
fn a_partial_match_is_used_once_and_goes_to_the_keyphrase_with_the_higher_score() {
    let lengths = 5.0_f64.sqrt() * 2.0;
    assert_similarity(
        SimilarityMeasure::PartialCosine,
        &[("kola tuba", 1.0), ("kola mako", 2.0)],
        &[("kola ruba", 2.0)],
        0.5 * 2.0 * 2.0 / lengths,
    );
}

#[test]
fn the_greatest_resemblance_is_taken_then_the_higher_score_then_the_first_by_code_point() {
    let matched = |article: &[(&str, f64)]| {
        let (sample, article) = (vector(&[("a b", 1.0)]), vector(article));
        let found = ArticleComparison::new(&sample, &article).partial_matches();
        assert_eq!(found.len(), 1);
        (
            article.keyphrases()[found[0].in_article].phrase.clone(),
            found[0].resemblance,
        )
    };
    // Two of five words against one of three.
    assert_eq!(
        matched(&[("a", 1.0), ("a b c", 0.1)]),
        ("a b c".into(), 0.8)
    );
    assert_eq!(matched(&[("a y", 1.0), ("b x", 2.0)]), ("b x".into(), 0.5));
    assert_eq!(matched(&[("b x", 1.0), ("a y", 1.0)]), ("a y".into(), 0.5));
}

#[test]
fn equal_keyphrases_take_no_part_in_partial_matches() {
    assert_similarity(
        SimilarityMeasure::PartialCosine,
        &[("a b", 1.0)],
        &[("a b", 1.0), ("a", 1.0)],
        1.0 / 2.0_f64.sqrt(),
    );
}

#[test]
fn phrases_are_equal_by_key_and_the_first_of_equal_keys_counts() {
    let keyed = |phrase: &str, score, key: &str| Keyphrase {
        key: key.into(),
        ..keyphrase(phrase, score)
    };
    let sample = KeyphraseVector::new(vec![
        keyed("Oil Prices", 3.0, "oil price"),
        keyed("oil price", 1.0, "oil price"),
        keyed("OPEC", 1.0, ""),
    ]);
    assert_eq!(sample.len(), 2);
    let article = vector(&[("oil price", 3.0), ("opec", 1.0)]);
    assert_near(
        SimilarityMeasure::VectorCosine.compare(&sample, &article),
        1.0,
    );
}

#[test]
fn a_repeated_word_of_a_key_counts_once() {
    // {new, york} and {new}: Dice's coefficient is 2/3.
    assert_similarity(
        SimilarityMeasure::PartialCosine,
        &[("new york new york", 1.0)],
        &[("new", 1.0)],
        2.0 / 3.0,
    );
}

#[test]
fn scores_beyond_all_bounds_do_not_make_a_similarity_that_is_no_number() {
    for score in [0.0, 1e300, -1e300] {
        let vector = vector(&[("a", score), ("b", score)]);
        for &measure in SimilarityMeasure::ALL {
            assert!(measure.compare(&vector, &vector).is_finite(), "{measure}");
        }
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for &measure in SimilarityMeasure::ALL {
        assert_eq!(measure.name().parse(), Ok(measure));
    }
    assert!("magic".parse::<SimilarityMeasure>().is_err());
}

/// Returns keyphrases of few words and few distinct scores, so that equal keys, partial matches and
/// ties abound.
fn keyphrases() -> impl Strategy<Value = Vec<Keyphrase>> {
    let word = prop::sample::select(vec!["ka", "lo", "mu", "ti", "ro", "sa", "ne"]);
    let phrase = prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "));
    let score = prop::sample::select(vec![0.5, 1.0, 1.5, 2.25]);
    prop::collection::vec((phrase, score), 0..25).prop_map(|list| {
        list.into_iter()
            .map(|(phrase, score)| keyphrase(&phrase, score))
            .collect()
    })
}

/// Returns the sum of the products of partial matches, by comparing all pairs as figure 4 does.
fn partial_sum_of_all_pairs(sample: &KeyphraseVector, article: &KeyphraseVector) -> f64 {
    let words = |key: &str| -> BTreeSet<String> { key.split(' ').map(String::from).collect() };
    let index = |vector: &KeyphraseVector| -> BTreeMap<String, f64> {
        (vector.keyphrases().iter())
            .map(|keyphrase| (keyphrase.key.clone(), keyphrase.score))
            .collect()
    };
    let (q, mut i) = (index(sample), index(article));
    let mut left: Vec<_> = q.iter().filter(|(key, _)| !i.contains_key(*key)).collect();
    i.retain(|key, _| !q.contains_key(key));
    left.sort_by_key(|(key, score)| (Reverse((**score * 1e6) as i64), (*key).clone()));
    let mut sum = 0.0;
    for (key, score) in left {
        let dice = |other: &str| {
            let (a, b) = (words(key), words(other));
            2.0 * a.intersection(&b).count() as f64 / (a.len() + b.len()) as f64
        };
        let best = i
            .iter()
            .filter(|(other, _)| dice(other) > 0.0)
            .max_by(|a, b| {
                (dice(a.0).total_cmp(&dice(b.0)))
                    .then(a.1.total_cmp(b.1))
                    .then(b.0.cmp(a.0))
            })
            .map(|(other, weight)| (other.clone(), *weight));
        if let Some((other, weight)) = best {
            sum += dice(&other) * score * weight;
            i.remove(&other);
        }
    }
    sum
}

proptest! {
    #[test]
    fn measures_are_from_0_to_1_and_symmetric_where_they_should_be(
        q in keyphrases(), i in keyphrases()
    ) {
        let (q, i) = (KeyphraseVector::new(q), KeyphraseVector::new(i));
        for &measure in SimilarityMeasure::ALL {
            let value = measure.compare(&q, &i);
            prop_assert!(value >= 0.0);
            if !matches!(
                measure,
                SimilarityMeasure::Percentage | SimilarityMeasure::PrintedVectorCosine
            ) {
                prop_assert!(value <= 1.0 + 1e-12, "{measure}: {value}");
            }
            if !measure.counts_partial_matches() {
                prop_assert!((value - measure.compare(&i, &q)).abs() < 1e-12, "{measure}");
            }
        }
        let plain = SimilarityMeasure::VectorCosine.compare(&q, &i);
        prop_assert!(SimilarityMeasure::PartialCosine.compare(&q, &i) >= plain);
    }

    #[test]
    fn an_article_has_similarity_1_to_itself(list in keyphrases()) {
        let q = KeyphraseVector::new(list);
        for &measure in SimilarityMeasure::ALL {
            if !q.is_empty() && !matches!(
                measure,
                SimilarityMeasure::Percentage | SimilarityMeasure::PrintedVectorCosine
            ) {
                prop_assert!((measure.compare(&q, &q) - 1.0).abs() < 1e-12, "{measure}");
            }
        }
    }

    #[test]
    fn the_index_finds_the_partial_matches_that_all_pairs_give(
        q in keyphrases(), i in keyphrases()
    ) {
        let (q, i) = (KeyphraseVector::new(q), KeyphraseVector::new(i));
        let lengths = SimilarityMeasure::PartialCosine.length(&q)
            * SimilarityMeasure::PartialCosine.length(&i);
        let found = (SimilarityMeasure::PartialCosine.compare(&q, &i)
            - SimilarityMeasure::VectorCosine.compare(&q, &i)) * lengths;
        prop_assert!((found - partial_sum_of_all_pairs(&q, &i)).abs() < 1e-9);
    }

    #[test]
    fn contributions_add_up_to_the_similarity(q in keyphrases(), i in keyphrases()) {
        let (q, i) = (KeyphraseVector::new(q), KeyphraseVector::new(i));
        let comparison = ArticleComparison::new(&q, &i);
        for &measure in SimilarityMeasure::ALL {
            let sum: f64 = (measure.matches(&comparison).iter())
                .map(|pair| measure.contribution(&comparison, pair))
                .sum();
            prop_assert!((sum - measure.evaluate(&comparison)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_weights_of_common_words_bound_the_similarity(q in keyphrases(), i in keyphrases()) {
        let (q, i) = (KeyphraseVector::new(q), KeyphraseVector::new(i));
        for &measure in SimilarityMeasure::ALL {
            let weights = |vector: &KeyphraseVector| -> Option<BTreeMap<String, f64>> {
                let weights = word_weights(measure, vector)?;
                Some(vector.words().map(str::to_owned).zip(weights).collect())
            };
            if let (Some(a), Some(b)) = (weights(&q), weights(&i)) {
                let bound: f64 = a.iter().filter_map(|(word, x)| Some(x * b.get(word)?)).sum();
                prop_assert!(measure.compare(&q, &i) <= bound + 1e-12, "{measure}");
            }
        }
    }
}
