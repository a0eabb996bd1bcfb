use super::{
    NewsArticle, NewsLanguage, Section, generate_articles, generate_in_order, generate_sample,
    parse_templates,
};
use std::collections::{BTreeMap, BTreeSet};

const LANGUAGES: [NewsLanguage; 2] = [NewsLanguage::Eng, NewsLanguage::Jpn];

/// Returns the five-word shingles of a text; of ten characters in Japanese.
fn shingles(article: &NewsArticle) -> BTreeSet<String> {
    let text = &article.page.text;
    if article.page.language == "jpn" {
        let letters: Vec<char> = text.chars().collect();
        letters.windows(10).map(|w| w.iter().collect()).collect()
    } else {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(5).map(|w| w.join(" ")).collect()
    }
}

fn template_slots(template: &str) -> impl Iterator<Item = &str> {
    template
        .split('{')
        .skip(1)
        .map(|rest| rest.split_once('}').expect("the end of the slot").0)
}

#[test]
fn every_slot_has_names_and_every_bracket_is_closed() {
    for language in LANGUAGES {
        let (general, subjects) = parse_templates(language.templates());
        let known = |section: &Section, slot: &str| {
            slot == "n" || section.slots.contains_key(slot) || general.slots.contains_key(slot)
        };
        for section in subjects.iter().chain([&general]) {
            for template in [&section.titles, &section.leads, &section.sentences]
                .into_iter()
                .flatten()
            {
                for slot in template_slots(template) {
                    assert!(known(section, slot), "{template}");
                }
                assert_eq!(
                    template.matches('(').count(),
                    template.matches(')').count(),
                    "{template}"
                );
                assert!(!template.contains(['<', '>', '&']), "{template}");
            }
        }
        for article in generate_articles(language) {
            let all = format!("{}{}", article.page.title, article.page.text);
            assert!(!all.contains(['{', '}', '|', '(', ')']), "{all}");
        }
    }
}

#[test]
fn the_news_web_is_deterministic() {
    let hashes = LANGUAGES.map(|language| {
        let mut hasher = blake3::Hasher::new();
        for article in generate_articles(language) {
            hasher.update(serde_json::to_string(&article).unwrap().as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    });
    // These change only with the code of this module, the templates, or the versions of the crates.
    assert_eq!(hashes, ["d6797619185f7411", "92037b6332b3306b"]);
}

#[test]
fn subjects_have_equally_many_articles_with_unique_titles_and_urls() {
    for (language, subjects, each) in [(NewsLanguage::Eng, 12, 60), (NewsLanguage::Jpn, 6, 40)] {
        let articles = generate_articles(language);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for article in &articles {
            *counts.entry(article.subject).or_default() += 1;
        }
        assert_eq!(counts.len(), subjects);
        assert!(counts.values().all(|&n| n == each), "{counts:?}");
        let urls: BTreeSet<_> = articles.iter().map(|article| &article.page.url).collect();
        let titles: BTreeSet<_> = articles.iter().map(|article| &article.page.title).collect();
        assert_eq!((urls.len(), titles.len()), (articles.len(), articles.len()));
    }
}

#[test]
fn articles_are_not_near_duplicates_but_those_on_a_subject_are_more_alike() {
    for language in LANGUAGES {
        // Every third article suffices, and takes a second.
        let articles: Vec<_> = generate_in_order(language)
            .into_iter()
            .step_by(3)
            .map(|article| (shingles(&article), article))
            .collect();
        let (mut same, mut other) = ((0.0, 0), (0.0, 0));
        for (index, (a_shingles, a)) in articles.iter().enumerate() {
            for (b_shingles, b) in &articles[index + 1..] {
                let common = a_shingles.intersection(b_shingles).count() as f64;
                let value = common / a_shingles.union(b_shingles).count() as f64;
                assert!(value < 0.6, "{}\n{}", a.page.text, b.page.text);
                let sum = if a.subject == b.subject {
                    &mut same
                } else {
                    &mut other
                };
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        let mean = |(total, count): (f64, u32)| total / f64::from(count);
        assert!(mean(same) > 2.0 * mean(other), "{same:?} {other:?}");
    }
}

#[test]
fn the_subject_is_not_in_the_page() {
    let article = &generate_articles(NewsLanguage::Eng)[0];
    let page = serde_json::to_value(&article.page).unwrap();
    let keys: BTreeSet<_> = page.as_object().unwrap().keys().cloned().collect();
    assert!(keys.iter().eq(["text", "title", "url"]), "{keys:?}");
    let labelled = serde_json::to_value(article).unwrap();
    assert_eq!(labelled["subject"], article.subject);
    assert_eq!(labelled["url"], page["url"]);
}

#[test]
fn a_sample_is_a_page_that_is_not_on_the_web() {
    for language in LANGUAGES {
        let html = generate_sample(language, "earthquakes").unwrap();
        let (_, rest) = html.split_once("<h1>").unwrap();
        let (title, _) = rest.split_once("</h1>").unwrap();
        let articles = generate_articles(language);
        assert!(articles.iter().all(|article| article.page.title != title));
    }
    let message = generate_sample(NewsLanguage::Jpn, "knitting").unwrap_err();
    assert_eq!(
        message.to_string(),
        "--sample knitting: not one of earthquakes, gold-mining, elections, fishing, \
         space-flight, oil-prices"
    );
}
