//! `keywords` on English, on languages without a tagger, and on records that it cannot process.

use forage_tests::{ToolOutput, run_tool};
use serde_json::{Value, json};

const SLOVENIAN: &str = "Državni zbor je potrdil zakon o rudarjenju. Državni zbor je o zakonu \
                         razpravljal dolgo. Predsednik vlade je dejal, da je državni zbor ravnal prav.";

fn run_keywords(args: &[&str], records: &[Value]) -> ToolOutput {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    run_tool("keywords", args, lines)
}

/// Returns the phrases of a text.
fn phrases(args: &[&str], text: &str) -> Vec<String> {
    let record = run_keywords(args, &[json!({"text": text})])
        .expect_exit(0)
        .records()
        .remove(0);
    let keywords = record["keywords"].as_array().expect("keywords").clone();
    keywords
        .iter()
        .map(|item| item["phrase"].as_str().expect("a phrase").to_owned())
        .collect()
}

#[test]
fn english_has_noun_phrases_as_they_stand_in_the_text() {
    let text = "The White House announced it on Monday.\nThey discussed natural language \
                processing and crude oil prices. They talked about the same oil prices.";
    let found = phrases(&["--lang", "eng"], text);
    assert_eq!(
        found,
        [
            "crude oil prices",
            "natural language processing",
            "oil prices",
            "White House"
        ]
    );
    assert_eq!(phrases(&["--lang", "en", "--top", "2"], text), found[..2]);
    assert!(phrases(&["--lang", "en", "--top", "0"], text).is_empty());
}

#[test]
fn scores_and_keys_are_those_of_a_calculation_by_hand() {
    let text = "The oil price increased again. Oil prices decreased. Gold miners sold gold.";
    let output = run_keywords(&["--lang", "eng"], &[json!({"n": 1, "text": text})]);
    let record = &output.expect_exit(0).records()[0];
    // n + Σ tf / n + f
    let expected = [
        ("oil price", 2.0 + 2.0 + 2.0f64, "oil price"),
        ("Gold miners", 2.0 + 1.5 + 1.0, "gold miner"),
        ("gold", 1.0 + 2.0 + 1.0, "gold"),
    ];
    let found = record["keywords"].as_array().expect("keywords");
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (item, (phrase, sum, key)) in found.iter().zip(expected) {
        assert_eq!(
            (item["phrase"].as_str(), item["key"].as_str()),
            (Some(phrase), Some(key))
        );
        let score = item["score"].as_f64().expect("a score");
        assert!((score - sum.ln()).abs() < 1e-12, "{phrase}: {score}");
    }
    assert_eq!(record["keywords_method"], "noun-phrases");
}

#[test]
fn the_language_is_that_of_the_flag_then_of_the_record_then_the_identified_one() {
    let english = "The president of the company announced it, and the White House was there.";
    let records = [
        json!({"text": english, "langid": {"code": "slv"}}),
        json!({"text": english}),
        json!({"text": SLOVENIAN, "langid": {"code": "x-klingon"}}),
    ];
    let methods = |args: &[&str]| -> Vec<Value> {
        let records = run_keywords(args, &records).expect_exit(0).records();
        records
            .iter()
            .map(|r| r["keywords_method"].clone())
            .collect()
    };
    assert_eq!(methods(&[]), ["statistical", "noun-phrases", "statistical"]);
    assert_eq!(methods(&["--lang", "eng"]), ["noun-phrases"; 3]);
    assert_eq!(methods(&["--method", "statistical"]), ["statistical"; 3]);
}

#[test]
fn a_language_without_a_tagger_has_words_and_phrases_that_recur() {
    let found = phrases(&["--lang", "slv"], SLOVENIAN);
    assert!(found[..3].contains(&"Državni zbor".to_owned()), "{found:?}");
    let has_function_word = |phrase: &String| phrase.split(' ').any(|word| word == "je");
    assert!(!found.iter().any(has_function_word), "{found:?}");
}

#[test]
fn no_language_has_whole_clauses_as_keyphrases() {
    for line in include_str!("../fixtures/subjects.jsonl").lines() {
        let subject: Value = serde_json::from_str(line).unwrap();
        let sample = subject["sample"].as_str().unwrap();
        let texts: Vec<&str> = sample.split(['.', '।', '。', ',']).collect();
        let found = phrases(&["--method", "statistical"], sample);
        assert!(found.len() >= 10, "{found:?}");
        for phrase in found {
            let occurrences = sample
                .to_lowercase()
                .matches(&phrase.to_lowercase())
                .count();
            assert!(phrase.split(' ').count() <= 3, "{phrase}");
            assert!(!texts.iter().any(|text| text.trim() == phrase), "{phrase}");
            assert!(!phrase.contains(' ') || occurrences > 0, "{phrase}");
        }
    }
}

#[test]
fn documents_without_a_tagger_pass_through_if_noun_phrases_are_required() {
    let record = json!({"text": SLOVENIAN, "langid": {"code": "slv"}});
    let output = run_keywords(&["--method", "noun-phrases"], std::slice::from_ref(&record));
    assert_eq!(output.expect_exit(0).stdout, format!("{record}\n"));
    for args in [
        ["--method", "noun-phrases", "--lang", "slv"].as_slice(),
        &["--lang", "xqz"],
        &["--lang", "xx-nonsense"],
        &["--top", "-1"],
    ] {
        let refused = run_keywords(args, &[json!({"text": "x"})]).expect_exit(2);
        assert!(
            refused.stdout.is_empty() && !refused.stderr.is_empty(),
            "{args:?}"
        );
    }
}

#[test]
fn the_title_is_part_of_the_document() {
    let keywords = |record: Value| {
        let output = run_keywords(&["--lang", "eng"], &[record]).expect_exit(0);
        output.records()[0]["keywords"].clone()
    };
    let apart = keywords(json!({"title": "Oil prices", "text": "Oil prices fell."}));
    let keyphrase = json!({"phrase": "Oil prices", "score": 6f64.ln(), "key": "oil price"});
    assert_eq!(apart, json!([keyphrase]));
    let repeated = keywords(json!({"title": "Oil prices", "text": "Oil prices\nOil prices fell."}));
    assert_eq!(repeated, apart);
    assert_eq!(keywords(json!({"title": null, "text": ""})), json!([]));
}

#[test]
fn records_without_a_text_or_with_an_error_or_keywords_pass_through() {
    let lines = concat!(
        "{\"n\":1}\n",
        "{\"text\":null}\n",
        "{\"text\":\"oil\",\"error\":{\"tool\":\"x\",\"kind\":\"dns\"}}\n",
        "{\"text\":\"oil\",\"keywords\":[]}\n"
    );
    assert_eq!(
        run_tool("keywords", [] as [&str; 0], lines)
            .expect_exit(0)
            .stdout,
        lines
    );
}

#[test]
fn long_words_and_long_texts_are_processed_in_linear_time() {
    let word = "a".repeat(5_000_000);
    assert!(phrases(&["--lang", "eng"], &word).is_empty());
    assert!(phrases(&["--lang", "slv"], &word).is_empty());
    let text = "oil price ".repeat(300_000);
    assert_eq!(phrases(&["--lang", "eng"], &text), ["oil", "price"]);
    assert_eq!(phrases(&["--lang", "slv"], &text)[0], "oil");
    // A piece of a long text may end within a word: "oi".
    assert!(phrases(&["--lang", "slv"], &text).len() <= 5);
    assert!(phrases(&["--lang", "eng"], &"'’.-@:/&".repeat(200_000)).is_empty());
}

#[test]
fn a_title_or_language_of_another_form_is_no_obstacle() {
    for (key, value) in [
        ("title", json!(1984)),
        ("title", json!(["a"])),
        ("langid", json!("eng")),
        ("langid", json!({"lang": "en"})),
        ("langid", json!({"code": 1})),
    ] {
        let mut record = json!({"text": "The oil price fell."});
        record[key] = value.clone();
        let answer = run_keywords(&[], &[record])
            .expect_exit(0)
            .records()
            .remove(0);
        assert!(answer.get("error").is_none(), "{answer}");
        assert!(answer["keywords"].is_array());
        assert_eq!(answer[key], value);
    }
}
