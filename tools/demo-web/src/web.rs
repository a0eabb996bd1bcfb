//! Composes the pages of the closed web from sentences.
//!
//! The sentences of a language are shuffled. The first ones become its initial text, and the others
//! are cut into pages. Then the pages of all languages are shuffled together, and each receives its
//! URL, so that neither its host nor its position depends on its language. All random draws have
//! fixed seeds, so that the web is the same on every machine.

use crate::sentences::{LANGUAGES, Language};
use forage_text::{Random, normalise};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Sentences of an initial text.
const INITIAL_SENTENCES: usize = 15;

/// Sentences of a page.
const PAGE_SENTENCES: RangeInclusive<usize> = 8..=15;

/// Sentences of a paragraph. The last one of a page may be shorter.
const PARAGRAPH_SENTENCES: RangeInclusive<usize> = 3..=5;

/// Sentences used per language. English uses all of its sentences, so that it has the most pages,
/// as on the real web.
const LANGUAGE_SENTENCES: usize = 900;

/// Words of the first sentence that form the title. Without blanks between words, it is the title.
const TITLE_WORDS: usize = 8;

/// Hosts of the web.
const HOSTS: usize = 240;

/// A page of the closed web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DemoPage {
    /// Absolute URL on a host in `.test`, a domain that is never resolved (RFC 6761, section 6.2).
    pub url: String,
    /// The first words of the page.
    pub title: String,
    /// The text in Unicode NFC, with one line feed between paragraphs.
    pub text: String,
    /// ISO 639-3 code; not written to the record.
    #[serde(skip)]
    pub language: &'static str,
}

/// Generates all pages, in an order that does not depend on their languages.
pub fn generate_pages() -> Vec<DemoPage> {
    let mut pages: Vec<DemoPage> = LANGUAGES.iter().flat_map(generate_language_pages).collect();
    shuffle(&mut pages, &mut new_random("order", ""));
    let hosts = generate_hosts("hosts", HOSTS);
    let mut random = new_random("urls", "");
    for (index, page) in pages.iter_mut().enumerate() {
        let host = draw_item(&hosts, &mut random);
        page.url = format!(
            "http://{host}.test/{}-{index}",
            generate_name(2, &mut random)
        );
    }
    pages
}

/// Generates an initial document for a corpus. None of its sentences is on a page.
pub fn generate_initial_text(language: &Language) -> String {
    join_paragraphs(
        &shuffled_sentences(language)[..INITIAL_SENTENCES],
        &mut new_random("initial", language.code),
    )
}

/// Generates the pages of one language, without URLs.
pub(crate) fn generate_language_pages(language: &Language) -> Vec<DemoPage> {
    let sentences = shuffled_sentences(language);
    let mut random = new_random("pages", language.code);
    let mut rest = &sentences[INITIAL_SENTENCES..];
    let mut pages = Vec::new();
    while rest.len() >= *PAGE_SENTENCES.start() {
        // The minimum of three draws makes short pages more common, which gives more pages.
        let length = (0..3)
            .map(|_| draw(PAGE_SENTENCES, &mut random))
            .fold(rest.len(), usize::min);
        let (page, later) = rest.split_at(length);
        pages.push(DemoPage {
            url: String::new(),
            title: format_title(page[0]),
            text: join_paragraphs(page, &mut random),
            language: language.code,
        });
        rest = later;
    }
    pages
}

/// Returns the sentences used of a language in random order, those of the initial text first.
fn shuffled_sentences(language: &Language) -> Vec<&'static str> {
    let mut sentences = language.sentences();
    shuffle(&mut sentences, &mut new_random("sentences", language.code));
    if language.code != "eng" {
        sentences.truncate(LANGUAGE_SENTENCES);
    }
    exclude_fragments(&mut sentences);
    sentences
}

/// Removes sentences from the initial text that are the end of another sentence.
fn exclude_fragments(sentences: &mut Vec<&str>) {
    let mut index = 0;
    while index < INITIAL_SENTENCES.min(sentences.len()) {
        let sentence = sentences[index];
        if sentences.iter().filter(|s| s.ends_with(sentence)).count() > 1 {
            sentences.remove(index);
        } else {
            index += 1;
        }
    }
}

/// Joins sentences to paragraphs of random length.
pub(crate) fn join_paragraphs(mut sentences: &[&str], random: &mut Random) -> String {
    let mut paragraphs = Vec::new();
    while !sentences.is_empty() {
        let (paragraph, later) =
            sentences.split_at(draw(PARAGRAPH_SENTENCES, random).min(sentences.len()));
        paragraphs.push(join_sentences(paragraph));
        sentences = later;
    }
    normalise(&paragraphs.join("\n")).into_owned()
}

/// Joins sentences with blanks, but none after a full stop of Chinese or Japanese.
fn join_sentences(sentences: &[&str]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() && !text.ends_with(is_wide) {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    text
}

/// Returns `true` for ideographs, kana and full-width punctuation.
fn is_wide(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{9fff}' | '\u{ff01}'..='\u{ff60}')
}

/// Returns the first words of a sentence without final punctuation.
fn format_title(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().take(TITLE_WORDS).collect();
    normalise(
        words
            .join(" ")
            .trim_end_matches(|c: char| c.is_ascii_punctuation() || c == '。'),
    )
    .into_owned()
}

/// Generates unique host names that do not resemble any language in particular.
pub(crate) fn generate_hosts(purpose: &str, count: usize) -> Vec<String> {
    let mut random = new_random(purpose, "");
    let mut hosts = BTreeSet::new();
    while hosts.len() < count {
        hosts.insert(generate_name(3, &mut random));
    }
    hosts.into_iter().collect()
}

/// Generates a name of syllables, each a consonant and a vowel.
pub(crate) fn generate_name(syllables: usize, random: &mut Random) -> String {
    let mut draw_letter = |letters: &[u8]| char::from(*draw_item(letters, random));
    (0..syllables)
        .flat_map(|_| [draw_letter(b"bdfgklmnprstvz"), draw_letter(b"aeiou")])
        .collect()
}

/// Creates the random numbers for one purpose and language.
pub(crate) fn new_random(purpose: &str, language: &str) -> Random {
    Random::for_purpose(0, &["demo-web", purpose, language])
}

/// Draws a number from a range, uniformly.
pub(crate) fn draw(range: RangeInclusive<usize>, random: &mut Random) -> usize {
    range.start() + random.next_below((range.end() - range.start() + 1) as u64) as usize
}

/// Draws an item, uniformly.
pub(crate) fn draw_item<'a, T>(items: &'a [T], random: &mut Random) -> &'a T {
    &items[draw(0..=items.len() - 1, random)]
}

/// Shuffles the items uniformly (Fisher & Yates 1938, Durstenfeld 1964).
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw(0..=last, random));
    }
}

#[cfg(test)]
mod tests {
    use super::{
        DemoPage, INITIAL_SENTENCES, PAGE_SENTENCES, exclude_fragments, generate_initial_text,
        generate_language_pages, generate_pages, join_sentences, shuffled_sentences,
    };
    use crate::sentences::LANGUAGES;
    use forage_text::normalise;
    use std::collections::{BTreeMap, BTreeSet};

    fn host(page: &DemoPage) -> &str {
        page.url.split('/').nth(2).unwrap()
    }

    /// Returns the number of pages of each language.
    fn count_by_language(pages: &[DemoPage]) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for page in pages {
            *counts.entry(page.language).or_default() += 1;
        }
        counts
    }

    /// Returns the share of pairs in one language, relative to the share expected for random pairs.
    fn same_language_ratio<'a>(
        pairs: impl Iterator<Item = (&'a DemoPage, &'a DemoPage)>,
        pages: &[DemoPage],
    ) -> f64 {
        let same: Vec<bool> = pairs.map(|(a, b)| a.language == b.language).collect();
        let expected: f64 = count_by_language(pages)
            .values()
            .map(|&n| (n as f64 / pages.len() as f64).powi(2))
            .sum();
        same.iter().filter(|&&same| same).count() as f64 / same.len() as f64 / expected
    }

    #[test]
    fn the_web_is_deterministic() {
        assert_eq!(generate_pages(), generate_pages());
        let mut hasher = blake3::Hasher::new();
        for page in generate_pages() {
            hasher.update(serde_json::to_string(&page).unwrap().as_bytes());
        }
        // This changes only with the code of this module, or the versions of the crates.
        assert_eq!(&hasher.finalize().to_hex()[..16], "107b516a4d5b46b9");
    }

    #[test]
    fn each_language_has_forty_pages_and_english_the_most() {
        let pages = generate_pages();
        let counts = count_by_language(&pages);
        assert_eq!(counts.len(), LANGUAGES.len());
        assert!(counts.values().all(|&n| n >= 40), "{counts:?}");
        assert!(
            counts["slv"] >= 80 && counts["slv"] * 25 < pages.len(),
            "{counts:?}"
        );
        assert!(
            counts
                .iter()
                .all(|(&code, &n)| code == "eng" || n < counts["eng"]),
            "{counts:?}"
        );
    }

    #[test]
    fn pages_have_eight_to_fifteen_sentences_of_their_language_and_no_sentence_repeats() {
        let mut used = BTreeSet::new();
        for language in LANGUAGES.iter() {
            let sentences: Vec<_> = shuffled_sentences(language)
                .into_iter()
                .map(|sentence| normalise(sentence).into_owned())
                .collect();
            let mut next = sentences.iter();
            let mut count_sentences = |text: &str| {
                let mut rest = text.replace('\n', " ");
                let mut count = 0;
                while !rest.is_empty() {
                    let sentence = next.next().unwrap();
                    rest = rest.strip_prefix(sentence).unwrap().trim_start().to_owned();
                    assert!(
                        used.insert(sentence.clone()),
                        "{}: {sentence}",
                        language.code
                    );
                    count += 1;
                }
                count
            };
            let initial_text = generate_initial_text(language);
            assert_eq!(count_sentences(&initial_text), INITIAL_SENTENCES);
            for page in generate_language_pages(language) {
                assert_eq!(page.language, language.code);
                let count = count_sentences(&page.text);
                assert!(PAGE_SENTENCES.contains(&count), "{}: {count}", page.text);
            }
        }
    }

    #[test]
    fn no_sentence_of_an_initial_text_is_part_of_a_page() {
        for language in LANGUAGES.iter() {
            let pages = generate_language_pages(language);
            for sentence in &shuffled_sentences(language)[..INITIAL_SENTENCES] {
                let sentence = normalise(sentence);
                let page = pages.iter().find(|page| page.text.contains(&*sentence));
                assert!(page.is_none(), "{}: {sentence}", language.code);
            }
        }
    }

    #[test]
    fn an_initial_sentence_that_ends_another_is_removed() {
        let mut sentences = vec!["Lepo je.", "Sneg.", "Danes: Lepo je."];
        exclude_fragments(&mut sentences);
        assert_eq!(sentences, ["Sneg.", "Danes: Lepo je."]);
    }

    #[test]
    fn blanks_separate_sentences_except_in_chinese_and_japanese() {
        assert_eq!(join_sentences(&["Prvi.", "Drugi."]), "Prvi. Drugi.");
        assert_eq!(join_sentences(&["一。", "二！", "三"]), "一。二！三");
        assert_eq!(join_sentences(&["하나.", "둘."]), "하나. 둘.");
    }

    #[test]
    fn urls_are_unique_and_hosts_have_many_pages() {
        let pages = generate_pages();
        let urls: BTreeSet<_> = pages.iter().map(|page| &page.url).collect();
        let hosts: BTreeSet<_> = pages.iter().map(host).collect();
        assert_eq!(urls.len(), pages.len());
        assert!(hosts.len() * 5 < pages.len(), "{}", hosts.len());
    }

    #[test]
    fn neither_host_nor_position_depends_on_the_language() {
        let pages = generate_pages();
        let same_host = pages.iter().enumerate().flat_map(|(index, a)| {
            pages[index + 1..]
                .iter()
                .filter(move |b| host(a) == host(b))
                .map(move |b| (a, b))
        });
        let neighbours = pages.windows(2).map(|pair| (&pair[0], &pair[1]));
        for ratio in [
            same_language_ratio(same_host, &pages),
            same_language_ratio(neighbours, &pages),
        ] {
            assert!((0.7..1.3).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn a_page_has_a_title_and_paragraphs() {
        for page in generate_pages() {
            let words: Vec<_> = page.text.split_whitespace().collect();
            assert!(
                !page.title.is_empty() && words.join(" ").starts_with(&page.title),
                "{page:?}"
            );
            assert!(page.text.lines().count() >= 2, "{page:?}");
        }
    }
}
