//! From sentences to pages.
//!
//! The sentences of a language are shuffled; the first become its initial text and the rest are cut
//! into pages. Then the pages of all languages are shuffled together, and only after that each gets
//! its URL, so that neither its host nor its place tells what it holds. All draws have fixed
//! purposes: the web is the same on every machine.

use crate::sentences::{LANGUAGES, Language};
use forage_text::{Random, normalise};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Sentences of an initial text.
const INITIAL_SENTENCES: usize = 15;

/// Sentences of a page.
const PAGE_SENTENCES: RangeInclusive<usize> = 8..=15;

/// Sentences of a paragraph; the last of a page may be shorter.
const PARAGRAPH_SENTENCES: RangeInclusive<usize> = 3..=5;

/// Sentences used of a language. English uses all that there are, so that it has the most pages, as
/// on the web.
const LANGUAGE_SENTENCES: usize = 900;

/// Words of the first sentence that make the title.
const TITLE_WORDS: usize = 8;

const HOSTS: usize = 120;

/// A page of the web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page {
    /// Absolute URL on a `.test` host, which no resolver knows (RFC 6761).
    pub url: String,
    /// How the page's first sentence begins.
    pub title: String,
    /// Paragraphs separated by one line feed, NFC.
    pub text: String,
    /// ISO 639-3 code; no part of the record.
    #[serde(skip)]
    pub language: &'static str,
}

/// All pages, in an order that doesn't tell their languages.
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = LANGUAGES.iter().flat_map(pages_of).collect();
    shuffle(&mut pages, &mut random("order", ""));
    let hosts = hosts();
    let mut random = random("urls", "");
    for (place, page) in pages.iter_mut().enumerate() {
        let host = &hosts[draw(0..=hosts.len() - 1, &mut random)];
        page.url = format!("http://{host}.test/{}-{place}", name(2, &mut random));
    }
    pages
}

/// A text to start a collection from; none of its sentences is on a page.
pub fn initial_text(language: &Language) -> String {
    paragraphs(
        &deck(language)[..INITIAL_SENTENCES],
        &mut random("initial", language.code),
    )
}

/// The pages of one language, yet without URLs.
fn pages_of(language: &Language) -> Vec<Page> {
    let deck = deck(language);
    let mut random = random("pages", language.code);
    let mut rest = &deck[INITIAL_SENTENCES..];
    let mut pages = Vec::new();
    while rest.len() >= *PAGE_SENTENCES.start() {
        // The smallest of three draws: short pages are the more common, and so there are more
        // pages.
        let length = (0..3)
            .map(|_| draw(PAGE_SENTENCES, &mut random))
            .fold(rest.len(), usize::min);
        let (page, later) = rest.split_at(length);
        let (title, text) = (title(page[0]), paragraphs(page, &mut random));
        pages.push(Page {
            url: String::new(),
            title,
            text,
            language: language.code,
        });
        rest = later;
    }
    pages
}

/// The sentences of a language that are used, shuffled: those of the initial text first.
fn deck(language: &Language) -> Vec<&'static str> {
    let mut sentences = language.sentences();
    shuffle(&mut sentences, &mut random("sentences", language.code));
    if language.code != "eng" {
        sentences.truncate(LANGUAGE_SENTENCES);
    }
    sentences
}

fn paragraphs(mut sentences: &[&str], random: &mut Random) -> String {
    let mut paragraphs = Vec::new();
    while !sentences.is_empty() {
        let (paragraph, later) =
            sentences.split_at(draw(PARAGRAPH_SENTENCES, random).min(sentences.len()));
        paragraphs.push(paragraph.join(" "));
        sentences = later;
    }
    normalise(&paragraphs.join("\n")).into_owned()
}

fn title(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().take(TITLE_WORDS).collect();
    normalise(
        words
            .join(" ")
            .trim_end_matches(|c: char| c.is_ascii_punctuation()),
    )
    .into_owned()
}

/// Different names that could be of any language.
fn hosts() -> Vec<String> {
    let mut random = random("hosts", "");
    let mut hosts = BTreeSet::new();
    while hosts.len() < HOSTS {
        hosts.insert(name(3, &mut random));
    }
    hosts.into_iter().collect()
}

/// A name of syllables, each a consonant and a vowel.
fn name(syllables: usize, random: &mut Random) -> String {
    let mut letter = |of: &[u8]| char::from(of[draw(0..=of.len() - 1, random)]);
    (0..syllables)
        .flat_map(|_| [letter(b"bdfgklmnprstvz"), letter(b"aeiou")])
        .collect()
}

fn random(purpose: &str, language: &str) -> Random {
    Random::for_purpose(0, &["demo-web", purpose, language])
}

/// A number of the range, each equally likely.
fn draw(from: RangeInclusive<usize>, random: &mut Random) -> usize {
    from.start() + random.next_below((from.end() - from.start() + 1) as u64) as usize
}

/// Puts the items into an order drawn from all orders (Fisher & Yates 1938, Durstenfeld 1964).
fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw(0..=last, random));
    }
}

#[cfg(test)]
mod tests {
    use super::{INITIAL_SENTENCES, PAGE_SENTENCES, Page, deck, initial_text, pages, pages_of};
    use crate::sentences::LANGUAGES;
    use forage_text::normalise;
    use std::collections::{BTreeMap, BTreeSet};

    fn host(page: &Page) -> &str {
        page.url.split('/').nth(2).unwrap()
    }

    /// Pages by language.
    fn shares(pages: &[Page]) -> BTreeMap<&str, usize> {
        let mut shares = BTreeMap::new();
        for page in pages {
            *shares.entry(page.language).or_default() += 1;
        }
        shares
    }

    /// How often the two pages of a pair have the same language, over how often two pages of the
    /// web have.
    fn sameness<'a>(pairs: impl Iterator<Item = (&'a Page, &'a Page)>, pages: &[Page]) -> f64 {
        let same: Vec<bool> = pairs.map(|(a, b)| a.language == b.language).collect();
        let expected: f64 = shares(pages)
            .values()
            .map(|&n| (n as f64 / pages.len() as f64).powi(2))
            .sum();
        same.iter().filter(|&&same| same).count() as f64 / same.len() as f64 / expected
    }

    #[test]
    fn the_web_never_changes() {
        assert_eq!(pages(), pages());
        let mut hasher = blake3::Hasher::new();
        for page in pages() {
            hasher.update(serde_json::to_string(&page).unwrap().as_bytes());
        }
        // Changes only with the code that makes the pages, or with the crates' versions.
        assert_eq!(&hasher.finalize().to_hex()[..16], "221652d72afdf020");
    }

    #[test]
    fn english_has_the_most_pages_and_slovenian_under_eight_in_a_hundred() {
        let pages = pages();
        let shares = shares(&pages);
        assert!(pages.len() >= 1500, "{}", pages.len());
        assert!(
            shares["slv"] >= 80 && shares["slv"] * 100 < pages.len() * 8,
            "{shares:?}"
        );
        assert!(
            shares
                .iter()
                .all(|(&code, &n)| code == "eng" || n < shares["eng"]),
            "{shares:?}"
        );
    }

    #[test]
    fn a_page_is_eight_to_fifteen_whole_sentences_of_its_language_and_no_sentence_is_used_twice() {
        let mut used = BTreeSet::new();
        for language in &LANGUAGES {
            let deck: Vec<_> = deck(language)
                .into_iter()
                .map(|sentence| normalise(sentence).into_owned())
                .collect();
            let mut next = deck.iter();
            let mut take = |text: &str| {
                let mut rest = text.replace('\n', " ");
                let mut sentences = 0;
                while !rest.is_empty() {
                    let sentence = next.next().unwrap();
                    rest = rest.strip_prefix(sentence).unwrap().trim_start().to_owned();
                    assert!(
                        used.insert(sentence.clone()),
                        "{}: {sentence}",
                        language.code
                    );
                    sentences += 1;
                }
                sentences
            };
            assert_eq!(take(&initial_text(language)), INITIAL_SENTENCES);
            for page in pages_of(language) {
                assert_eq!(page.language, language.code);
                let sentences = take(&page.text);
                assert!(
                    PAGE_SENTENCES.contains(&sentences),
                    "{}: {sentences}",
                    page.text
                );
            }
        }
    }

    #[test]
    fn urls_are_different_and_hosts_hold_many_pages() {
        let pages = pages();
        let urls: BTreeSet<_> = pages.iter().map(|page| &page.url).collect();
        let hosts: BTreeSet<_> = pages.iter().map(host).collect();
        assert_eq!(urls.len(), pages.len());
        assert!(hosts.len() * 5 < pages.len(), "{}", hosts.len());
    }

    #[test]
    fn neither_host_nor_place_tells_the_language() {
        let pages = pages();
        let on_one_host = pages.iter().enumerate().flat_map(|(place, a)| {
            pages[place + 1..]
                .iter()
                .filter(move |b| host(a) == host(b))
                .map(move |b| (a, b))
        });
        let neighbours = pages.windows(2).map(|pair| (&pair[0], &pair[1]));
        for sameness in [sameness(on_one_host, &pages), sameness(neighbours, &pages)] {
            assert!((0.7..1.3).contains(&sameness), "{sameness}");
        }
    }

    #[test]
    fn a_page_has_a_title_and_paragraphs() {
        for page in pages() {
            let words: Vec<_> = page.text.split_whitespace().collect();
            assert!(
                !page.title.is_empty() && words.join(" ").starts_with(&page.title),
                "{page:?}"
            );
            assert!(page.text.lines().count() >= 2, "{page:?}");
        }
    }
}
