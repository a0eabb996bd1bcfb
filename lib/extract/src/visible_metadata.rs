//! Authors, day of publication and site of a page that declares none: from the lines beside its
//! headline, its `<title>` and its address, where a reader finds them.

use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::metadata::PageMetadata;
use crate::outline::{Outline, TextBlock};
use crate::paragraphs::{letters_and_digits, tidy_line};
use crate::publication_date::{DateOrder, parse_date};
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

/// Number of blocks before and after the headline that may state author and date.
const BLOCKS_BEFORE: usize = 4;
const BLOCKS_AFTER: usize = 12;
/// Maximum length of a line with a date, and of one with a name, in characters; longer ones are
/// sentences.
const MAX_DATE_LINE: usize = 60;
const MAX_NAME_LINE: usize = 120;
/// The same for a line in an element that is named for authors or dates.
const MAX_NAMED_LINE: usize = 100;
/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 5;
/// Maximum length of a name in a script without capitals, in characters.
const MAX_CASELESS_NAME: usize = 10;
/// Maximum length of the name of a site in characters.
const MAX_SITE: usize = 40;

/// Parts of a page that are about other texts.
const OTHERS: [MarkupHints; 4] = [
    MarkupHints::COMMENT,
    MarkupHints::READER_COMMENT,
    MarkupHints::RELATED,
    MarkupHints::NAVIGATION,
];

/// Compiles a pattern of this module, which is constant.
fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern is valid")
}

/// What comes before the names of authors: a word such as "by", also after a date.
static BEFORE_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) ^ \W* (?:(?:(?:article|geschrieben|interview|posted|published|reported|story|text|verfasst|words|written)
          \s+)? (?:by|von|par|por|door|av|af|od|przez|escribe) \s*:?\s+
          | (?:author|auteur|auteurs|autor|autorin|autore|autora|interview|text|texte|texto|автор|szerző|kirjoittaja)
            (?:\(s\))? \s*[:：]\s*
          | (?:作者|記者|记者|文|撰文) \s*[:：●/／\s]\s*
          | .{0,60}? [0-9] [^\p{L}]{0,4} (?:[ap]\.?m\.?\s+)? (?:by|von|par|por|door|av|af|od|przez)\s+ )",
    )
});
/// What comes after them. The word before a colon is none of them.
static AFTER_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) [0-9|•·»›@()\[\]\n] | \s[–—-]\s | \s\w+[:：]
          | \s(?:on|in|at|am|um|im|le|el|the|for|pour|für|under|posted|published|updated)\s",
    )
});
/// What is between them.
static BETWEEN_NAMES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\s*[,;、]\s*|\s+(?:and|und|et|y|e|i|og|och|en|&|\+)\s+"));
/// The beginning of a line with the date of a change.
static UPDATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) ^ \W* (?:last\s+)? (?:updated|modified|aktualisiert|geändert|mis\s+à\s+jour|actualizado|atualizado
          |aggiornato|aktualizacja|aktualizováno|posodobljeno|ažurirano|обновлено|оновлено|güncelleme)",
    )
});
/// Year, month and day in an address.
static DATE_IN_PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?:^|[^0-9]) (?<year>(?:19|20)[0-9]{2}) [/_-]? (?<month>0[1-9]|1[0-2])
          [/_-]? (?<day>0[1-9]|[12][0-9]|3[01]) (?:$|[^0-9])",
    )
});
/// What is between the parts of a `<title>`.
static BETWEEN_TITLE_PARTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\s+[|｜ǀ·•–—:»«/-]+\s+|\s*[|｜»]\s*|:\s|_|--"));

/// Adds what a page does not declare, as far as it shows it: its site, the day of publication, and
/// its authors, also if it declares only the site as its author.
pub(crate) fn add_visible_metadata(
    outline: &Outline,
    url: Option<&Url>,
    metadata: &mut PageMetadata,
) {
    let lines = HeadLines::new(outline, metadata);
    let order = DateOrder::of_language(metadata.page.fetch.html_lang.as_deref());
    let fetch = &mut metadata.page.fetch;
    if fetch.site.is_none() {
        fetch.site = site_in_title(&metadata.title, &lines.headline, url);
    }
    if fetch.published.is_none() {
        let in_address = date_in_address(url, fetch.canonical.as_deref());
        let found = in_address.map(|date| (date, "url".to_owned()));
        let in_text = || Some((lines.date(order, false)?, "text".to_owned()));
        (fetch.published, fetch.published_source) = found.or_else(in_text).unzip();
    }
    if fetch.modified.is_none() {
        fetch.modified = lines.date(order, true);
        fetch.modified_source = fetch.modified.as_ref().map(|_| "text".to_owned());
    }
    let site = letters_and_digits(fetch.site.as_deref().unwrap_or_default());
    let is_site = |name: &String| {
        let name = letters_and_digits(name);
        !site.is_empty() && (site.contains(&name) || name.contains(&site))
    };
    if fetch.author.iter().all(is_site) {
        let names = lines.authors();
        if !names.is_empty() {
            fetch.author = names;
        }
    }
}

/// The blocks that may state whose an article is, and of when.
struct HeadLines<'a> {
    outline: &'a Outline,
    /// Letters and digits of the headline; empty if there is none.
    headline: String,
    /// Numbers of the blocks beside the headline, those after it first, the nearest first.
    beside: Vec<usize>,
    /// Parts of the page in which the headline is not, and which are about other texts.
    elsewhere: Vec<MarkupHints>,
}

impl<'a> HeadLines<'a> {
    fn new(outline: &'a Outline, metadata: &PageMetadata) -> HeadLines<'a> {
        let titles = [&metadata.title, &metadata.og_title].map(|title| letters_and_digits(title));
        let headline = find_headline(outline, &titles);
        let around = headline.map(|number| around_hints(outline, &outline.blocks[number]));
        let is_elsewhere = |hint: &MarkupHints| around.is_none_or(|around| !around.has_any(*hint));
        let beside = headline.map_or_else(Vec::new, |number| {
            let end = outline.blocks.len().min(number + 1 + BLOCKS_AFTER);
            let before = number.saturating_sub(BLOCKS_BEFORE)..number;
            (number + 1..end).chain(before.rev()).collect()
        });
        HeadLines {
            outline,
            headline: headline.map_or_else(String::new, |number| {
                letters_and_digits(&outline.blocks[number].text)
            }),
            beside,
            elsewhere: OTHERS.into_iter().filter(is_elsewhere).collect(),
        }
    }

    /// Returns the day of publication or of a change in the nearest line with one beside the
    /// headline, or else the only one in all elements that are named for dates.
    fn date(&self, order: DateOrder, is_change: bool) -> Option<String> {
        let date_in = |block: &TextBlock| {
            let longest = match self.is_named(block) {
                true => MAX_NAMED_LINE,
                false => MAX_DATE_LINE,
            };
            let mut lines = short_lines(&block.text, longest);
            lines.find_map(|line| {
                let is_wanted = UPDATED.is_match(line) == is_change;
                is_wanted.then(|| parse_date(line, order))?
            })
        };
        let mut beside = self
            .beside
            .iter()
            .map(|number| &self.outline.blocks[*number]);
        let nearest = beside.find_map(|block| date_in(block).filter(|_| self.is_here(block)));
        nearest.or_else(|| {
            let named = self.outline.blocks.iter();
            let named = named.filter(|block| self.is_named(block) && self.is_here(block));
            only(named.filter_map(date_in))
        })
    }

    /// Returns the names in the nearest line beside the headline that begins as a byline, or is in
    /// an element that is named for authors, or else those of the only byline of the page.
    fn authors(&self) -> Vec<String> {
        let blocks = self
            .beside
            .iter()
            .map(|number| &self.outline.blocks[*number]);
        let blocks = blocks.filter(|block| self.is_here(block));
        let mut names = blocks.map(|block| {
            let mut lines = short_lines(&block.text, MAX_NAME_LINE);
            let names = lines.find_map(names_after_word);
            names.unwrap_or_else(|| {
                match self.is_named(block) && block.text.chars().count() <= MAX_NAMED_LINE {
                    true => names_in(&block.text, MIN_WORDS_UNNAMED),
                    false => Vec::new(),
                }
            })
        });
        let beside = names.find(|names| !names.is_empty());
        let elsewhere = || {
            let named = self.outline.blocks.iter();
            let named = named.filter(|block| self.is_named(block) && self.is_here(block));
            only(named.filter_map(|block| {
                short_lines(&block.text, MAX_NAME_LINE).find_map(names_after_word)
            }))
        };
        beside.or_else(elsewhere).unwrap_or_default()
    }

    /// Returns `true` if a block is in an element that is named for authors or dates.
    fn is_named(&self, block: &TextBlock) -> bool {
        let element = &self.outline.elements[block.element];
        let parent = &self.outline.elements[element.parent];
        (block.hints | element.hints | parent.hints).has_any(MarkupHints::BYLINE)
    }

    /// Returns `true` if a block is in no part of the page that is about other texts.
    fn is_here(&self, block: &TextBlock) -> bool {
        let around = around_hints(self.outline, block);
        let navigation = ElementKind::Navigation.set_bit();
        let kinds = self.outline.elements[block.element].kinds_around;
        kinds & navigation == 0 && !self.elsewhere.iter().any(|hint| around.has_any(*hint))
    }
}

/// Returns the first value if all others are the same.
fn only<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn around_hints(outline: &Outline, block: &TextBlock) -> MarkupHints {
    block.hints | outline.elements[block.element].inherited_hints
}

fn short_lines(text: &str, longest: usize) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(move |line| line.chars().take(longest + 1).count() <= longest)
}

/// Returns the number of the block with the headline: the longest that is a part of a title, where
/// an `<h1>` counts three times and another heading twice its length, or else the first `<h1>`.
fn find_headline(outline: &Outline, titles: &[String]) -> Option<usize> {
    let level = |block: &TextBlock| outline.elements[block.element].heading_level;
    let longest_title = titles.iter().map(String::len).max().unwrap_or_default();
    let weighed = outline
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(number, block)| {
            let is_short = block.text.len() <= longest_title * 3;
            let letters = is_short.then(|| letters_and_digits(&block.text))?;
            let is_part = letters.len() > 3 && titles.iter().any(|title| title.contains(&letters));
            let weight = match level(block) {
                0 => 1,
                1 => 3,
                _ => 2,
            };
            is_part.then_some((letters.len() * weight, std::cmp::Reverse(number)))
        });
    let best = weighed.max().map(|(_, number)| number.0);
    best.or_else(|| outline.blocks.iter().position(|block| level(block) == 1))
}

/// Minimum number of words of a name that no word such as "by" precedes: one alone may be anything.
const MIN_WORDS_UNNAMED: usize = 2;

/// Returns the names in a line that begins with a word such as "by".
fn names_after_word(line: &str) -> Option<Vec<String>> {
    let word = BEFORE_NAMES.find(line)?;
    let names = names_in(&line[word.end()..], 1);
    (!names.is_empty()).then_some(names)
}

/// Returns the names at the beginning of a text.
fn names_in(text: &str, min_words: usize) -> Vec<String> {
    let end = AFTER_NAMES.find(text).map_or(text.len(), |end| end.start());
    let mut names: Vec<String> = Vec::new();
    for part in BETWEEN_NAMES.split(&text[..end]) {
        let name = tidy_line(part.trim_matches(|c: char| !c.is_alphanumeric() && c != '.'));
        let words = name.split(' ').count();
        let min_words = if names.is_empty() { min_words } else { 2 };
        let is_caseless = name.chars().all(|c| !c.is_lowercase() && !c.is_uppercase());
        let is_short = name.chars().count() <= MAX_CASELESS_NAME;
        let is_acronym = !names.is_empty() && name.chars().all(char::is_uppercase);
        let is_long_enough = words >= min_words || is_acronym || is_caseless && is_short;
        if !is_long_enough || words > MAX_NAME_WORDS || !looks_like_name(&name) {
            break;
        }
        names.push(name);
    }
    names
}

/// Returns `true` if a text may be a name: it begins with a capital, and most of its words do, in
/// scripts that have capitals.
fn looks_like_name(name: &str) -> bool {
    let is_small = |word: &str| word.starts_with(char::is_lowercase);
    let small = name.split(' ').filter(|word| is_small(word)).count();
    name.chars().filter(|c| c.is_alphabetic()).count() > 1
        && !is_small(name)
        && small * 2 <= name.split(' ').count()
}

/// Returns the day in the address of a page.
fn date_in_address(url: Option<&Url>, canonical: Option<&str>) -> Option<String> {
    let paths = [url.map(Url::as_str), canonical];
    paths.into_iter().flatten().find_map(|url| {
        let path = url.split(['?', '#']).next()?;
        let parts = DATE_IN_PATH.captures(path)?;
        let day = format!("{}-{}-{}", &parts["year"], &parts["month"], &parts["day"]);
        parse_date(&day, DateOrder::Unknown)
    })
}

/// Returns the part of a `<title>` that is the name of the site: the last or the first one, if the
/// headline or the name of the host tells it from the title of the page.
fn site_in_title(title: &str, headline: &str, url: Option<&Url>) -> Option<String> {
    let title = tidy_line(title);
    let host = url.and_then(Url::host_str).unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let host: String = host.chars().filter(char::is_ascii_alphanumeric).collect();
    let between: Vec<(usize, usize)> = BETWEEN_TITLE_PARTS
        .find_iter(&title)
        .map(|found| (found.start(), found.end()))
        .collect();
    let last = between.last().map(|(_, start)| &title[*start..]);
    let first = between.first().map(|(end, _)| &title[..*end]);
    let after_first = between.first().map(|(_, start)| &title[*start..]);
    let before_last = between.last().map(|(end, _)| &title[..*end]);
    let is_name = |part: &&str| {
        let letters = letters_and_digits(part);
        let is_short = part.chars().count() <= MAX_SITE;
        is_short && !letters.is_empty() && !headline.contains(&letters)
    };
    let is_of_host = |part: &&str| {
        let letters = letters_and_digits(part);
        letters.len() > 2
            && (host.contains(&letters) || letters.contains(&host) && !host.is_empty())
    };
    let is_rest_headline = |rest: Option<&str>| {
        let rest = letters_and_digits(rest.unwrap_or_default());
        !headline.is_empty() && (headline.contains(&rest) || rest.contains(headline))
    };
    let by_host = [last, first]
        .into_iter()
        .flatten()
        .filter(is_name)
        .find(is_of_host);
    let by_headline = || {
        let last = last.filter(|_| is_rest_headline(before_last));
        let first = first.filter(|_| is_rest_headline(after_first));
        last.into_iter().chain(first).find(is_name)
    };
    by_host.or_else(by_headline).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::{ExtractedPage, ExtractionOptions, extract_page};

    const TEXT: &str =
        "<p>Potok teče skozi vas in poganja mlin, ki stoji tam že več kot dvesto let.</p>";

    fn page(head: &str, address: &str) -> ExtractedPage {
        let html = format!(
            "<html lang=sl><title>Mlin ob potoku | Dolinske novice</title><nav><p>1. januar 2020</nav>\
             <article><h1>Mlin ob potoku</h1>{head}{TEXT}</article>\
             <div class=related><p class=byline>by Tuj Avtor, 1. 1. 2019</p></div>"
        );
        extract_page(html, Some(address), &ExtractionOptions::default())
    }

    #[test]
    fn reads_what_is_beside_the_headline() {
        for (head, authors) in [
            ("<p>by Ana Zgled on 5. marec 2024", &["Ana Zgled"][..]),
            ("<p>5. marec 2024<p>Autor: Ana Zgled", &["Ana Zgled"]),
            (
                "<p class=byline>Ana Zgled and Bor Novak | 5. 3. 2024",
                &["Ana Zgled", "Bor Novak"],
            ),
            (
                "<p>2024-03-05 10:15 von Ana Zgled, urednica",
                &["Ana Zgled"],
            ),
            ("<p>5. 3. 2024", &[]),
        ] {
            let page = page(head, "https://dolinske-novice.test/mlin");
            assert_eq!(page.fetch.author, authors, "{head}");
            assert_eq!(
                page.fetch.published.as_deref(),
                Some("2024-03-05"),
                "{head}"
            );
            assert_eq!(page.fetch.published_source, Some("text".into()));
            assert_eq!(page.fetch.site.as_deref(), Some("Dolinske novice"));
        }
    }

    #[test]
    fn a_line_with_a_change_is_not_of_publication() {
        let page = page("<p>Updated on 5. 3. 2024", "https://a.test/");
        assert_eq!(
            (page.fetch.published, page.fetch.modified.as_deref()),
            (None, Some("2024-03-05"))
        );
    }

    #[test]
    fn an_address_tells_the_day() {
        let published = |address: &str| page("", address).fetch.published;
        assert_eq!(
            published("https://a.test/2024/03/05/mlin").as_deref(),
            Some("2024-03-05")
        );
        assert_eq!(
            published("https://a.test/mlin-20240305.html").as_deref(),
            Some("2024-03-05")
        );
        for address in [
            "https://a.test/2024/03/mlin",
            "https://a.test/720240305",
            "https://a.test/?20240305",
        ] {
            assert_eq!(published(address), None, "{address}");
        }
    }
}
