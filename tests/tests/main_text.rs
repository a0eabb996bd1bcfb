//! How much of the main text `fetch-extract` finds in pages of small languages, and how little
//! else.
//!
//! `fixtures/main-text.jsonl` holds 60 pages of manuals in 11 languages; `<!--main-->` and
//! `<!--/main-->` stand where a reader saw the main text begin and end: with its heading, without
//! navigation, lists of related pages and notices (NOTICE names sources and licences). Measured is
//! F1 over words, by page; the floors are a little below what was measured when they were set, and
//! no change may lower them silently.

use forage_tests::{project_root, run_tool};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Mean F1 that each language must reach.
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
/// Mean F1 over all pages.
const FLOOR: f64 = 0.96;

const BEGIN: &str = "<!--main-->";
const END: &str = "<!--/main-->";

/// Words without markup; the pages have no entities but these.
fn words(html: &str) -> HashMap<String, usize> {
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

fn f1(found: &HashMap<String, usize>, wanted: &HashMap<String, usize>) -> f64 {
    let both: usize = found
        .iter()
        .map(|(word, &count)| count.min(wanted.get(word).copied().unwrap_or(0)))
        .sum();
    let all: usize = found.values().chain(wanted.values()).sum();
    2.0 * both as f64 / all.max(1) as f64
}

fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len() as f64
}

#[test]
fn the_main_text_of_pages_in_small_languages_is_found() {
    let path = project_root().join("tests/fixtures/main-text.jsonl");
    let pages: Vec<Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let html = |page: &Value| page["html"].as_str().unwrap().to_owned();
    let bare = |page: &Value| html(page).replace(BEGIN, "").replace(END, "");
    let input: String = pages
        .iter()
        .map(|page| json!({"url": page["url"], "html": bare(page)}).to_string() + "\n")
        .collect();
    let found = run_tool("fetch-extract", [""; 0], &input)
        .expect_exit(0)
        .records();
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (page, record) in pages.iter().zip(&found) {
        let marked = html(page);
        let main = marked
            .split_once(BEGIN)
            .unwrap()
            .1
            .split_once(END)
            .unwrap()
            .0;
        // `<` in a text would count as the beginning of a tag.
        let text = record["text"]
            .as_str()
            .unwrap_or_default()
            .replace('<', " ");
        figures
            .entry(page["lang"].as_str().unwrap())
            .or_default()
            .push(f1(&words(&text), &words(main)));
    }
    let table: Vec<String> = figures
        .iter()
        .map(|(lang, pages)| format!("{lang} {} {:.3}", pages.len(), mean(pages)))
        .collect();
    println!("language, pages, F1\n{}", table.join("\n"));
    let all: Vec<f64> = figures.values().flatten().copied().collect();
    println!("all {} {:.3}", all.len(), mean(&all));
    assert_eq!(all.len(), 60);
    assert!(mean(&all) >= FLOOR, "{table:#?}");
    for (lang, floor) in FLOORS {
        assert!(mean(&figures[lang]) >= floor, "{lang}: {:?}", figures[lang]);
    }
}
