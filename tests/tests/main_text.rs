//! Quality of the main text that `fetch-extract` extracts from pages in small languages.
//!
//! `fixtures/main-text.jsonl` contains 60 pages of manuals in 11 languages. A reader marked the
//! main text by `<!--main-->` and `<!--/main-->`: with its heading, but without navigation, lists
//! of related pages and notices. NOTICE names sources and licences. The measure is F1 over words,
//! per page. The thresholds are slightly below the values measured when they were set, so that no
//! change lowers the quality unnoticed.

use forage_tests::{project_root, run_tool};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Minimum mean F1 of each language.
const FLOORS: [(&str, f64); 11] = [
    ("cat", 0.96),
    ("dan", 0.95),
    ("ell", 0.97),
    ("fin", 0.92),
    ("lit", 0.96),
    ("nob", 0.93),
    ("ron", 0.94),
    ("slv", 0.95),
    ("swe", 0.96),
    ("tur", 0.96),
    ("vie", 0.96),
];
/// Minimum mean F1 over all pages.
const FLOOR: f64 = 0.96;

const BEGIN: &str = "<!--main-->";
const END: &str = "<!--/main-->";

/// Counts the words of an HTML text. The pages have no entities except those below.
fn count_words(html: &str) -> HashMap<String, usize> {
    let mut parts = html.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| !part.starts_with("script")) {
        text.push(' ');
        text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, character);
    }
    let mut counts = HashMap::new();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    counts
}

/// Returns the F1 score of two bags of words.
fn word_f1(found: &HashMap<String, usize>, expected: &HashMap<String, usize>) -> f64 {
    let common: usize = found
        .iter()
        .map(|(word, &count)| count.min(expected.get(word).copied().unwrap_or(0)))
        .sum();
    let total: usize = found.values().chain(expected.values()).sum();
    2.0 * common as f64 / total.max(1) as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn extracts_the_main_text_of_pages_in_small_languages() {
    let path = project_root().join("tests/fixtures/main-text.jsonl");
    let pages: Vec<Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let html = |page: &Value| page["html"].as_str().unwrap().to_owned();
    let without_marks = |page: &Value| html(page).replace(BEGIN, "").replace(END, "");
    let input: String = pages
        .iter()
        .map(|page| json!({"url": page["url"], "html": without_marks(page)}).to_string() + "\n")
        .collect();
    let found = run_tool("fetch-extract", [""; 0], &input)
        .expect_exit(0)
        .records();
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (page, record) in pages.iter().zip(&found) {
        let marked_html = html(page);
        let main = marked_html
            .split_once(BEGIN)
            .unwrap()
            .1
            .split_once(END)
            .unwrap()
            .0;
        // `<` in a text would be read as the start of a tag.
        let text = record["text"]
            .as_str()
            .unwrap_or_default()
            .replace('<', " ");
        values
            .entry(page["lang"].as_str().unwrap())
            .or_default()
            .push(word_f1(&count_words(&text), &count_words(main)));
    }
    let table: Vec<String> = values
        .iter()
        .map(|(lang, pages)| format!("{lang} {} {:.3}", pages.len(), mean(pages)))
        .collect();
    println!("language, pages, F1\n{}", table.join("\n"));
    let total: Vec<f64> = values.values().flatten().copied().collect();
    println!("all {} {:.3}", total.len(), mean(&total));
    assert_eq!(total.len(), 60);
    assert!(mean(&total) >= FLOOR, "{table:#?}");
    for (lang, floor) in FLOORS {
        assert!(mean(&values[lang]) >= floor, "{lang}: {:?}", values[lang]);
    }
}
