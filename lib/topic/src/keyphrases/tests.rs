//! Tests of the extraction as a whole.

use super::*;
use proptest::prelude::*;

fn extract_with(
    title: Option<&str>,
    text: &str,
    code: &str,
    method: KeywordsMethod,
) -> Vec<Keyphrase> {
    KeyphraseExtractor::default().extract(Article { title, text }, code.parse().unwrap(), method)
}

fn noun_phrases(text: &str) -> Vec<(String, f64, String)> {
    extract_with(None, text, "eng", KeywordsMethod::NounPhrases)
        .into_iter()
        .map(|k| (k.phrase, k.score, k.key))
        .collect()
}

fn phrases(keyphrases: &[Keyphrase]) -> Vec<&str> {
    keyphrases.iter().map(|k| k.phrase.as_str()).collect()
}

#[test]
fn scores_are_those_of_a_calculation_by_hand() {
    let text = "The oil price increased again. The oil price decreased. \
                The price of gold increased. Gold miners sold gold.";
    // n + Σ tf / n + f: "oil price" occurs twice; oil 2, price 3, gold 3, miners 1 times.
    let expected = [
        ("oil price", 2.0 + 5.0 / 2.0 + 2.0, "oil price"),
        ("gold", 1.0 + 3.0 + 2.0, "gold"),
        ("price", 1.0 + 3.0 + 1.0, "price"),
        ("Gold miners", 2.0 + 4.0 / 2.0 + 1.0, "gold miner"),
    ];
    let found = noun_phrases(text);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((phrase, score, key), (expected_phrase, sum, expected_key)) in found.iter().zip(expected) {
        assert_eq!(
            (phrase.as_str(), key.as_str()),
            (expected_phrase, expected_key)
        );
        assert!((score - f64::ln(sum)).abs() < 1e-12, "{phrase}: {score}");
    }
}

#[test]
fn phrases_with_equal_stems_are_one_keyphrase() {
    let found = noun_phrases("The oil price increased. Oil prices decreased.");
    assert_eq!(found.len(), 1);
    assert!((found[0].1 - (2.0 + 2.0 + 2.0f64).ln()).abs() < 1e-12);
}

#[test]
fn stop_words_are_removed_at_the_edges_and_inside_the_key() {
    let found = noun_phrases("They talked about the same oil prices. London Monday was calm.");
    let keys: Vec<&str> = found.iter().map(|(_, _, key)| key.as_str()).collect();
    assert_eq!(keys, ["oil price", "london"]);
    let found = noun_phrases("We like crude Monday oil.");
    assert_eq!(
        (found[0].0.as_str(), found[0].2.as_str()),
        ("crude Monday oil", "crude oil")
    );
}

#[test]
fn texts_without_nouns_have_no_keyphrases() {
    for text in ["", "He went there and did it.", "1987 12.5 -- !!", "\n\n"] {
        assert!(noun_phrases(text).is_empty(), "{text}");
    }
}

#[test]
fn a_title_counts_once_even_if_the_text_repeats_it() {
    let with = |title, text| extract_with(Some(title), text, "eng", KeywordsMethod::NounPhrases);
    let apart = with("OIL PRICES", "The oil price fell.");
    assert_eq!(phrases(&apart), ["oil price"]);
    assert!((apart[0].score - (2.0 + 2.0 + 2.0f64).ln()).abs() < 1e-12);
    let together = with("Oil  prices", "OIL PRICES\nThe oil price fell.");
    assert_eq!(phrases(&together), ["OIL PRICES"]);
    assert!((together[0].score - apart[0].score).abs() < 1e-12);
}

#[test]
fn languages_without_a_tagger_have_words_and_phrases_that_recur() {
    let text = "Državni zbor je potrdil zakon o rudarjenju. Državni zbor je o zakonu razpravljal.";
    let found = extract_with(None, text, "slv", KeywordsMethod::Statistical);
    let best: Vec<&str> = phrases(&found).into_iter().take(4).collect();
    assert!(best.contains(&"Državni zbor"), "{best:?}");
    // The shortest spelling of words with the same beginning.
    assert!(best.contains(&"zakon"), "{best:?}");
    assert!(extract_with(None, text, "slv", KeywordsMethod::NounPhrases).is_empty());
}

#[test]
fn a_clause_that_occurs_once_is_no_phrase() {
    let text = "Uzmanlar toplu taşıma kullanımının artması için bilet fiyatlarının düşürülmesi \
                gerektiğini belirtti. Toplu taşıma araçları elektrikli olacak.";
    let found = extract_with(None, text, "tur", KeywordsMethod::Statistical);
    let long: Vec<&str> = phrases(&found)
        .into_iter()
        .filter(|phrase| phrase.contains(' '))
        .collect();
    assert_eq!(long, ["toplu taşıma"]);
}

#[test]
fn a_phrase_has_no_higher_score_than_its_best_word() {
    let text = "Cestni promet narašča. Cestni promet je gost. Promet stoji.";
    let found = extract_with(None, text, "slv", KeywordsMethod::Statistical);
    let score = |key: &str| found.iter().find(|k| k.key == key).unwrap().score;
    assert!(score("prome") > score("cestn prome"), "{found:?}");
}

#[test]
fn forms_of_a_word_are_one_in_languages_without_a_stemmer() {
    for (code, text, key, frequency) in [
        (
            "slv",
            "Avtobusna proga. Avtobusne postaje. Avtobusi.",
            "avtob",
            3,
        ),
        ("eus", "Tranbiaren lineak. Tranbiak. Tranbia.", "tranb", 3),
        ("hin", "टिकटों। टिकट। टिकटें।", "टिकट", 3),
        ("pol", "Tramwaje. Tramwajem. Tramwajowa.", "tramw", 3),
        ("tur", "Silivri'ye. Silivri.", "silivri", 2),
        ("aze", "Şuşa'nın. Şuşa.", "şuşa", 2),
    ] {
        let found = extract_with(None, text, code, KeywordsMethod::Statistical);
        let same: Vec<&Keyphrase> = found.iter().filter(|k| k.key == key).collect();
        assert_eq!(same.len(), 1, "{code}: {found:?}");
        assert!(!found.iter().any(|k| k.key.starts_with(key) && k.key != key));
        let words = found.iter().filter(|k| !k.key.contains(' ')).count();
        assert!(
            words + frequency > text.split(' ').count(),
            "{code}: {found:?}"
        );
    }
}

#[test]
fn short_frequent_words_of_an_unknown_language_are_no_keyphrases() {
    let text = "Zu kebtalo xa mirundo zu platera. Xa gorbinda zu hestilo xa mirundo. \
                Zu mirundo kebtalo xa vestira zu kebtalo.";
    let found = extract_with(None, text, "und", KeywordsMethod::Statistical);
    let found = phrases(&found);
    assert!(
        !found
            .iter()
            .any(|phrase| phrase.split(' ').any(|w| w.len() == 2)),
        "{found:?}"
    );
    let mut best = found[..2].to_vec();
    best.sort_unstable();
    assert_eq!(best, ["kebtalo", "mirundo"]);
}

#[test]
fn snowball_stems_are_used_where_there_is_a_stemmer() {
    let text = "Die Bundesregierung plant neue Gesetze. Das neue Gesetz ist wichtig.";
    let found = extract_with(None, text, "deu", KeywordsMethod::Statistical);
    let gesetz = found.iter().find(|k| k.key == "gesetz").unwrap();
    assert_eq!(gesetz.phrase, "Gesetz");
    assert!(found.iter().any(|k| k.key == "neu gesetz"), "{found:?}");
}

#[test]
fn elided_articles_are_no_part_of_a_phrase() {
    let text = "Le ministre de l'économie parle d’énergie nucléaire. L'énergie nucléaire coûte.";
    let found = extract_with(None, text, "fra", KeywordsMethod::Statistical);
    assert!(phrases(&found).contains(&"énergie nucléaire"), "{found:?}");
    assert!(
        !phrases(&found).iter().any(|phrase| phrase.contains('\'')),
        "{found:?}"
    );
}

/// Returns the words of a text in a language, without what is elided before them.
fn words_after_elision(code: &str, text: &str) -> Vec<String> {
    let mut words = Vec::new();
    super::language_words::LanguageWords::new(code.parse().unwrap())
        .for_each_word(text, |_, word| words.push(word.text.to_owned()));
    words
}

#[test]
fn elision_is_found_by_its_form_in_any_language() {
    for (code, text, expected) in [
        ("cos", "l'acqua d'un annu", "acqua un annu"),
        ("srd", "s'abba de s’iscola", "abba de iscola"),
        ("scn", "l`arti d´amuri", "arti amuri"),
        ("ita", "dell'arte quest'anno", "arte anno"),
        ("fra", "Qu’il jusqu’à L'été", "il à été"),
        ("mlt", "d'art f'ottubru", "art ottubru"),
        // Apostrophes that are letters, or separate endings.
        ("uzb", "san'at o'zbek ma'no", "san'at o'zbek ma'no"),
        ("bre", "c'hoar d'ober", "c'hoar ober"),
        ("swa", "ng'ombe", "ng'ombe"),
        ("tur", "Kars'ın Van'ın", "Kars'ın Van'ın"),
        ("hau", "ɗan'uwa", "ɗan'uwa"),
        ("que", "k'anchay t'anta", "k'anchay t'anta"),
        ("sna", "n'anga", "n'anga"),
        ("ukr", "п'ять", "п'ять"),
        ("eng", "don't he'd", "don't he'd"),
    ] {
        assert_eq!(
            words_after_elision(code, text).join(" "),
            expected,
            "{code}"
        );
    }
}

#[test]
fn addresses_are_no_part_of_a_phrase() {
    let text = "Solar energy: see example.org/solar, http://example.net or info@energy.example.com \
                for solar energy prices.";
    for method in [KeywordsMethod::NounPhrases, KeywordsMethod::Statistical] {
        let found = extract_with(None, text, "eng", method);
        assert!(phrases(&found).contains(&"Solar energy"), "{found:?}");
        let parts = ["example", "info", "http", ".org", "net"];
        assert!(
            !found
                .iter()
                .any(|k| parts.iter().any(|part| k.key.contains(part))),
            "{found:?}"
        );
    }
}

#[test]
fn words_of_scripts_without_blanks_are_segmented() {
    let found = extract_with(
        None,
        "北京大学的学生学习中文。",
        "zho",
        KeywordsMethod::Statistical,
    );
    assert!(
        found[0].phrase.starts_with("北京大学") || found[0].key.contains("学生"),
        "{found:?}"
    );
    assert!(found.iter().all(|k| k.phrase != "的"), "{found:?}");
}

#[test]
fn a_long_sequence_of_nouns_is_counted_word_by_word() {
    let found = noun_phrases(&"oil price ".repeat(100));
    let keys: Vec<&str> = found.iter().map(|(_, _, key)| key.as_str()).collect();
    assert_eq!(keys, ["oil", "price"]);
}

fn articles() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        "[A-Za-z]{1,8}",
        "(oil|price|prices|the|of|Monday|White|House|same|crude|said|U\\.S\\.)",
        "[0-9.,]{1,5}",
        "[.,;:!?\n\"'’-]{1,2}",
        "[a-zčžäß漢字的กขñя]{1,6}",
    ];
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn phrases_are_in_the_text_and_scores_finite_and_in_order(text in articles()) {
        for (code, method) in [
            ("eng", KeywordsMethod::NounPhrases),
            ("eng", KeywordsMethod::Statistical),
            ("slv", KeywordsMethod::Statistical),
            ("zho", KeywordsMethod::Statistical),
            ("und", KeywordsMethod::Statistical),
        ] {
            let found = extract_with(None, &text, code, method);
            let folded = forage_text::normalise(&text);
            let folded = forage_text::fold_unspaced(&folded);
            for pair in found.windows(2) {
                prop_assert!(pair[0].score >= pair[1].score);
            }
            let mut keys: Vec<&str> = found.iter().map(|k| k.key.as_str()).collect();
            for k in &found {
                let least = if method == KeywordsMethod::NounPhrases { 1.0 } else { 0.0 };
                prop_assert!(k.score.is_finite() && k.score > least);
                prop_assert!(text.contains(&k.phrase) || folded.contains(&k.phrase), "{:?}", k);
                prop_assert!(!k.key.is_empty() && k.phrase.contains(char::is_alphabetic));
                if method == KeywordsMethod::Statistical {
                    prop_assert!(k.key.split(' ').count() <= 3, "{:?}", k);
                }
            }
            keys.sort_unstable();
            let number = keys.len();
            keys.dedup();
            prop_assert_eq!(keys.len(), number);
        }
    }

    #[test]
    fn any_text_is_processed(text in "\\PC{0,200}") {
        for method in [KeywordsMethod::NounPhrases, KeywordsMethod::Statistical] {
            extract_with(Some(&text), &text, "eng", method);
        }
    }
}
