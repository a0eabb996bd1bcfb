use super::model::SubjectQuery;
use super::{ArticleWords, FeedbackModel, TrainingArticle};
use forage_record::Keyphrase;
use proptest::prelude::*;

fn article(is_sample: bool, weights: &[(&str, u32)]) -> TrainingArticle {
    TrainingArticle {
        words: ArticleWords::from_weights(weights),
        is_sample,
    }
}

fn words(weights: &[(&str, u32)]) -> ArticleWords {
    ArticleWords::from_weights(weights)
}

fn keyphrases(keyphrases: &[(&str, f64)]) -> ArticleWords {
    let keyphrases: Vec<Keyphrase> = keyphrases
        .iter()
        .map(|(key, score)| Keyphrase {
            phrase: key.to_uppercase(),
            score: *score,
            key: (*key).into(),
        })
        .collect();
    ArticleWords::from_keyphrases(&keyphrases)
}

#[test]
fn the_weight_of_a_word_is_the_sum_over_its_keyphrases() {
    // Two words with the frequencies 3 and 2, twice: 2 + 5/2 + 2. One word, 3 times, once alone.
    let counted = keyphrases(&[("oil price", 6.5_f64.ln()), ("oil", 5.0_f64.ln())]);
    let weights: Vec<(&str, f64)> = counted
        .iter()
        .map(|word| (word.text, word.weight))
        .collect();
    assert_eq!(
        weights.iter().map(|(text, _)| *text).collect::<Vec<_>>(),
        ["oil", "price"]
    );
    assert!((weights[0].1 - (4.5 + 4.0)).abs() < 1e-9 && (weights[1].1 - 4.5).abs() < 1e-9);
    // A word twice in a phrase counts once, and scores of other programs count at least 1.
    let odd = keyphrases(&[("a a", -3.0), ("b", f64::NAN), ("c", f64::INFINITY)]);
    let weights: Vec<f64> = odd.iter().map(|word| word.weight).collect();
    assert_eq!(weights[..2], [1.0, 1.0]);
    assert!(weights[2] > 1e20 && weights[2].is_finite());
    assert_eq!(keyphrases(&[("", 1.0)]).len(), 0);
}

#[test]
fn encoded_words_are_decoded_and_damaged_ones_are_not() {
    let counted = keyphrases(&[("über price", 1.5), ("gold", 2.0)]);
    let bytes = counted.encode();
    assert_eq!(ArticleWords::decode(&bytes), Some(counted));
    assert_eq!(
        ArticleWords::decode(&ArticleWords::default().encode()),
        Some(Default::default())
    );
    for end in 0..bytes.len() {
        assert_eq!(ArticleWords::decode(&bytes[..end]), None, "{end}");
    }
}

/// The model of one sample alone.
#[test]
fn without_retrieved_articles_the_score_follows_the_cosine_with_the_sample() {
    let model = FeedbackModel::train_classifier(&[article(true, &[("a", 3), ("b", 4)])]);
    // n = 1, df = 1: both words have the same idf, w = ln(102 / 1.5); an unknown one has
    // u = ln(102 / 0.5). The cosine of (3, 4, 0) and (1, 0, 1).
    let (w, u) = (68f64.ln(), 204f64.ln());
    let expected = 0.6 * w / (w * w + u * u).sqrt();
    assert!((model.score(&words(&[("a", 1), ("c", 1)])) - expected / 0.4).abs() < 1e-9);
    assert_eq!(model.score(&words(&[("a", 3), ("b", 4)])), 2.5);
    assert_eq!(model.score(&words(&[("c", 1)])), 0.0);
    assert_eq!(model.score(&words(&[])), 0.0);
}

/// Four articles with one word each: the sample and one article have `a`, the others `b`.
fn two_groups() -> [TrainingArticle; 4] {
    [
        article(true, &[("a", 1)]),
        article(false, &[("b", 1)]),
        article(false, &[("a", 2)]),
        article(false, &[("b", 3)]),
    ]
}

#[test]
fn the_classifier_is_that_of_a_calculation_by_hand() {
    let articles = two_groups();
    let model = FeedbackModel::train(&articles, false, SubjectQuery::train_classifier);
    // Unit vectors: a = (1, 0), b = (0, 1). One article is relevant (4 / 3): the sample. The next
    // one, with `a`, is neutral, both with `b` are nonrelevant: direction (1, -1).
    assert_eq!(model.score(&articles[0].words), 1.0);
    assert_eq!(model.score(&articles[2].words), 1.0);
    assert_eq!(model.score(&articles[1].words), 0.0);
    // idf is equal for both, so that (1, 1) is projected to 0, halfway between -1 and 1.
    assert_eq!(model.score(&words(&[("a", 1), ("b", 1)])), 0.5);
    assert_eq!(model.indicative_words(9), ["a"]);
}

#[test]
fn the_expanded_query_is_that_of_a_calculation_by_hand() {
    let mut articles = two_groups().to_vec();
    for _ in 0..8 {
        articles.push(article(false, &[("b", 1)]));
    }
    let model = FeedbackModel::train_query(&articles);
    // 12 articles, 2 of them with `a`: mean (1/6, 5/6). Four are taken for relevant: the one with
    // `a` and three with `b`, c = (1, 3)/√10. q = (1, 0)/2 + c/2 - mean.
    let c = [1.0 / 10f64.sqrt(), 3.0 / 10f64.sqrt()];
    let q = [0.5 + c[0] / 2.0 - 1.0 / 6.0, c[1] / 2.0 - 5.0 / 6.0];
    // The best third is one with `a` and three with `b`; its mean is negative, which says nothing.
    assert!((q[0] + 3.0 * q[1]) / 4.0 < 0.0);
    assert_eq!(model.score(&articles[2].words), 0.0);
    // With nine more articles on the topic, the best third has `a`.
    articles.extend((0..9).map(|_| article(false, &[("a", 1)])));
    let model = FeedbackModel::train_query(&articles);
    assert_eq!(model.score(&articles[2].words), 1.0);
    // 21 articles, 11 with `a`. Seven are relevant, all with `a`: q = (1, 0) - (11, 10)/21.
    assert_eq!(model.score(&articles[1].words), -1.0);
}

#[test]
fn up_to_ten_retrieved_articles_are_compared_with_the_samples() {
    let mut articles = vec![article(true, &[("a", 1)]), article(false, &[("a", 1)])];
    articles.extend((0..9).map(|_| article(false, &[("b", 1)])));
    let score = |articles: &[TrainingArticle]| {
        FeedbackModel::train_query(articles).score(&words(&[("a", 1)]))
    };
    // The cosine is 1.
    assert_eq!(score(&articles), 2.5);
    let other = FeedbackModel::train_query(&articles).score(&words(&[("b", 1)]));
    assert_eq!(other, 0.0);
    articles.extend((0..9).map(|_| article(false, &[("a", 2)])));
    assert_eq!(score(&articles), 1.0);
}

#[test]
fn the_final_decision_about_few_articles_is_that_of_the_run() {
    let articles = two_groups();
    let query = FeedbackModel::train_query(&articles);
    let last = FeedbackModel::train_classifier(&articles);
    for article in &articles {
        assert_eq!(query.score(&article.words), last.score(&article.words));
    }
    // Both articles with `a` are accepted, though one of them is not the sample.
    assert!(last.score(&articles[2].words) >= FeedbackModel::CLASSIFIER_THRESHOLD);
}

#[test]
fn a_word_of_several_statistical_keyphrases_has_the_weight_of_one() {
    let record = |method: &str, keys: &[&str]| {
        let keywords: Vec<String> = keys
            .iter()
            .map(|key| format!(r#"["{key}",2.0,"{key}"]"#))
            .collect();
        let line = format!(
            r#"{{"keywords":[{}],"keywords_method":"{method}"}}"#,
            keywords.join(",")
        );
        let record = forage_record::Record::parse(line.into_bytes()).unwrap();
        ArticleWords::of_record(&record).unwrap().unwrap()
    };
    let score = |method: &str| {
        let sample = TrainingArticle {
            words: record(method, &["a", "a b"]),
            is_sample: true,
        };
        let words = record(method, &["a", "c"]);
        let encoded = ArticleWords::decode(&words.encode());
        assert_eq!(encoded, Some(words.clone()));
        FeedbackModel::train_query(&[sample]).score(&words)
    };
    assert!(score("statistical") < score("noun-phrases"));
    assert_eq!(score("tf-idf"), score("noun-phrases"));
}

#[test]
fn samples_of_two_subjects_are_judged_apart() {
    let mut articles = vec![article(true, &[("gold", 3)]), article(true, &[("tea", 1)])];
    articles.extend((0..20).map(|_| article(false, &[("gold", 1), ("mine", 1)])));
    articles.extend((0..20).map(|_| article(false, &[("bus", 1)])));
    let tea = words(&[("tea", 1), ("cup", 1)]);
    // No article on tea is retrieved yet: the sample decides.
    for train in [FeedbackModel::train_query, FeedbackModel::train_classifier] {
        let model = train(&articles);
        let score = |article: &TrainingArticle| model.score(&article.words);
        assert!(score(&articles[2]) >= 0.5 && score(&articles[30]) < 0.5);
        assert!(model.score(&tea) >= 0.5);
    }
    // Each subject has its own articles now.
    articles.extend((0..12).map(|_| article(false, &[("tea", 1), ("cup", 1)])));
    for train in [FeedbackModel::train_query, FeedbackModel::train_classifier] {
        let model = train(&articles);
        assert!(model.score(&tea) >= 0.5);
        assert!(model.score(&articles[2].words) >= 0.5);
        assert!(model.score(&words(&[("bus", 1)])) < 0.5);
    }
}

#[test]
fn several_samples_count_equally_whatever_their_length() {
    let articles = [article(true, &[("a", 9)]), article(true, &[("b", 1)])];
    let model = FeedbackModel::train_classifier(&articles);
    assert_eq!(
        model.score(&words(&[("a", 1)])),
        model.score(&words(&[("b", 1)]))
    );
}

#[test]
fn collections_that_cannot_be_told_apart_have_the_score_0() {
    for articles in [
        vec![],
        vec![article(true, &[])],
        vec![article(false, &[("a", 1)])],
        vec![article(true, &[]), article(false, &[("a", 1)])],
    ] {
        let query = FeedbackModel::train_query(&articles);
        assert_eq!(query.score(&words(&[("a", 1)])), 0.0, "{articles:?}");
    }
    let mut equal = vec![article(false, &[("a", 1)]); 20];
    equal[0].is_sample = true;
    assert_eq!(
        FeedbackModel::train_query(&equal).score(&equal[1].words),
        0.0
    );
    assert_eq!(
        FeedbackModel::train_classifier(&equal).score(&equal[1].words),
        0.0
    );
}

fn any_article() -> impl Strategy<Value = TrainingArticle> {
    let word = (0..12_usize, 1..5_u32);
    (prop::collection::vec(word, 0..8), any::<u8>()).prop_map(|(words, random)| {
        let texts = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let words: Vec<(&str, u32)> = words
            .iter()
            .map(|(word, weight)| (texts[*word], *weight))
            .collect();
        article(random < 40, &words)
    })
}

proptest! {
    #[test]
    fn scores_are_finite_and_equal_for_equal_input(
        articles in prop::collection::vec(any_article(), 0..40),
    ) {
        for train in [FeedbackModel::train_query, FeedbackModel::train_classifier] {
            let (model, again) = (train(&articles), train(&articles));
            for article in &articles {
                let score = model.score(&article.words);
                prop_assert!(score.is_finite());
                prop_assert_eq!(score.to_bits(), again.score(&article.words).to_bits());
            }
            prop_assert_eq!(model.indicative_words(5), again.indicative_words(5));
        }
    }

    #[test]
    fn encoding_and_decoding_keeps_the_words(article in any_article()) {
        let decoded = ArticleWords::decode(&article.words.encode());
        prop_assert_eq!(decoded, Some(article.words));
    }

    #[test]
    fn arbitrary_bytes_never_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = ArticleWords::decode(&bytes);
    }

    #[test]
    fn arbitrary_keyphrases_are_counted_and_encoded(
        keys in prop::collection::vec(("\\PC{0,20}", any::<f64>()), 0..8),
    ) {
        let keys: Vec<(&str, f64)> = keys.iter().map(|(key, score)| (key.as_str(), *score)).collect();
        let counted = keyphrases(&keys);
        prop_assert_eq!(ArticleWords::decode(&counted.encode()), Some(counted));
    }
}
