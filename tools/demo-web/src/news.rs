//! Composes the articles of the news web from templates.
//!
//! The templates are text files (`news/`), written for this program. A section `[subject]` has
//! names (`slot: value | value`), titles (`title:`), leads (`>`) and further sentences (`-`); the
//! section `[general]` has names and sentences that all subjects share. In a template, `{slot}` is
//! a name, the same one everywhere in an article; `{n}` is a number, and `(a|b)` one of the
//! alternatives, both drawn at each occurrence.

use crate::web::{
    DemoPage, draw, draw_item, generate_hosts, generate_name, join_paragraphs, new_random, shuffle,
};
use forage_text::Random;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Sentences of an article on its subject, after the lead.
const SUBJECT_SENTENCES: RangeInclusive<usize> = 2..=5;

/// General sentences of an article.
const GENERAL_SENTENCES: RangeInclusive<usize> = 2..=5;

/// One article in this many also has sentences on another subject.
const MIXED_EVERY: usize = 8;

/// Sentences on the other subject in such an article.
const OTHER_SENTENCES: usize = 2;

/// Numbers in articles.
const NUMBERS: RangeInclusive<usize> = 3..=97;

/// Hosts of the news web.
const HOSTS: usize = 40;

/// A language of the news web.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum NewsLanguage {
    /// English.
    #[default]
    Eng,
    /// Japanese.
    Jpn,
}

impl NewsLanguage {
    /// Returns the ISO 639-3 code.
    fn code(self) -> &'static str {
        match self {
            NewsLanguage::Eng => "eng",
            NewsLanguage::Jpn => "jpn",
        }
    }

    fn templates(self) -> &'static str {
        match self {
            NewsLanguage::Eng => include_str!("news/eng.txt"),
            NewsLanguage::Jpn => include_str!("news/jpn.txt"),
        }
    }

    /// Returns the number of articles on each subject.
    fn articles_per_subject(self) -> usize {
        match self {
            NewsLanguage::Eng => 60,
            NewsLanguage::Jpn => 40,
        }
    }
}

/// An article of the news web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewsArticle {
    /// The article as a page.
    #[serde(flatten)]
    pub page: DemoPage,
    /// Its subject.
    pub subject: &'static str,
}

/// The templates of one subject, or those that all subjects share.
#[derive(Debug, Default)]
struct Section {
    name: &'static str,
    slots: BTreeMap<&'static str, Vec<&'static str>>,
    titles: Vec<&'static str>,
    leads: Vec<&'static str>,
    sentences: Vec<&'static str>,
}

/// Generates all articles, in an order that does not depend on their subjects.
pub fn generate_articles(language: NewsLanguage) -> Vec<NewsArticle> {
    let mut articles = generate_in_order(language);
    articles.retain(|article| !article.page.url.is_empty());
    shuffle(
        &mut articles,
        &mut new_random("news order", language.code()),
    );
    let hosts = generate_hosts("news hosts", HOSTS);
    let mut random = new_random("news urls", language.code());
    for (index, article) in articles.iter_mut().enumerate() {
        let host = draw_item(&hosts, &mut random);
        let name = generate_name(2, &mut random);
        article.page.url = format!("http://{host}.test/news/{name}-{index}");
    }
    articles
}

/// Generates an article on a subject that is not on the web, as an HTML page.
///
/// # Errors
/// Fails if the language has no such subject.
pub fn generate_sample(language: NewsLanguage, subject: &str) -> anyhow::Result<String> {
    let articles = generate_in_order(language);
    let is_sample = |article: &&NewsArticle| article.page.url.is_empty();
    articles
        .iter()
        .filter(is_sample)
        .find(|article| article.subject == subject)
        .map(|article| format_html(&article.page, language))
        .ok_or_else(|| {
            let subjects: Vec<&str> = articles
                .iter()
                .filter(is_sample)
                .map(|a| a.subject)
                .collect();
            anyhow::anyhow!("--sample {subject}: not one of {}", subjects.join(", "))
        })
}

/// Generates the articles by subject; the sample of each subject is the last one and has no URL.
fn generate_in_order(language: NewsLanguage) -> Vec<NewsArticle> {
    let per_subject = language.articles_per_subject() + 1;
    let mut articles = compose_articles(language, "news", per_subject);
    for (index, article) in articles.iter_mut().enumerate() {
        if (index + 1) % per_subject != 0 {
            article.page.url = "to be drawn".into();
        }
    }
    articles
}

/// Composes articles without URLs, by subject. Each `series` has other articles.
pub(crate) fn compose_articles(
    language: NewsLanguage,
    series: &str,
    per_subject: usize,
) -> Vec<NewsArticle> {
    let (general, subjects) = parse_templates(language.templates());
    let mut titles = BTreeSet::new();
    let mut articles = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        let other = &subjects[(index + 1) % subjects.len()];
        let mut random = new_random(&format!("{series} {}", subject.name), language.code());
        for number in 1..=per_subject {
            let mut composer = Composer::new(&general, &mut random);
            // `dedup --titles` would take another article with this title for a duplicate.
            let mut title = composer.compose_title(subject);
            while !titles.insert(title.clone()) {
                composer.names.clear();
                title = composer.compose_title(subject);
            }
            let is_mixed = number % MIXED_EVERY == 0;
            articles.push(NewsArticle {
                page: DemoPage {
                    url: String::new(),
                    title,
                    text: composer.compose_text(subject, is_mixed.then_some(other)),
                    language: language.code(),
                },
                subject: subject.name,
            });
        }
    }
    articles
}

/// Parses a file of templates. Returns the general section, and the subjects.
fn parse_templates(text: &'static str) -> (Section, Vec<Section>) {
    let mut general = Section::default();
    let mut subjects: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            if name != "general" {
                subjects.push(Section {
                    name,
                    ..Section::default()
                });
            }
            continue;
        }
        let section = subjects.last_mut().unwrap_or(&mut general);
        if let Some(lead) = line.strip_prefix("> ") {
            section.leads.push(lead);
        } else if let Some(sentence) = line.strip_prefix("- ") {
            section.sentences.push(sentence);
        } else if let Some(title) = line.strip_prefix("title: ") {
            section.titles.push(title);
        } else if let Some((slot, values)) = line.split_once(": ")
            && !line.starts_with('#')
        {
            section.slots.insert(slot, values.split(" | ").collect());
        }
    }
    (general, subjects)
}

/// Fills the templates of one article.
struct Composer<'a> {
    general: &'a Section,
    random: &'a mut Random,
    /// The names drawn so far, by section and slot.
    names: BTreeMap<(&'static str, &'static str), &'static str>,
}

impl<'a> Composer<'a> {
    fn new(general: &'a Section, random: &'a mut Random) -> Self {
        Composer {
            general,
            random,
            names: BTreeMap::new(),
        }
    }

    fn compose_title(&mut self, subject: &Section) -> String {
        let title = *draw_item(&subject.titles, self.random);
        self.fill(title, subject)
    }

    /// Composes a lead and a random sequence of sentences.
    fn compose_text(&mut self, subject: &Section, other: Option<&Section>) -> String {
        let lead = *draw_item(&subject.leads, self.random);
        let lead = self.fill(lead, subject);
        let subject_count = draw(SUBJECT_SENTENCES, self.random);
        let general_count = draw(GENERAL_SENTENCES, self.random);
        let mut sentences = self.fill_sentences(subject, subject_count);
        sentences.extend(self.fill_sentences(self.general, general_count));
        if let Some(other) = other {
            sentences.extend(self.fill_sentences(other, OTHER_SENTENCES));
        }
        shuffle(&mut sentences, self.random);
        sentences.insert(0, lead);
        let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
        join_paragraphs(&sentences, self.random)
    }

    /// Draws sentences of a section without replacement, and fills them.
    fn fill_sentences(&mut self, section: &Section, count: usize) -> Vec<String> {
        let mut templates = section.sentences.clone();
        shuffle(&mut templates, self.random);
        templates.truncate(count);
        templates
            .into_iter()
            .map(|template| self.fill(template, section))
            .collect()
    }

    /// Fills the slots and alternatives of a template, which begins with a capital letter then.
    fn fill(&mut self, template: &'static str, section: &Section) -> String {
        capitalise(&self.fill_part(template, section))
    }

    fn fill_part(&mut self, template: &'static str, section: &Section) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some(start) = rest.find(['{', '(']) {
            filled.push_str(&rest[..start]);
            let (opened, tail) = rest[start..].split_at(1);
            let close = if opened == "{" { '}' } else { ')' };
            let (inner, tail) = tail.split_once(close).unwrap_or((tail, ""));
            rest = tail;
            match inner {
                "n" => filled.push_str(&draw(NUMBERS, self.random).to_string()),
                slot if opened == "{" => filled.push_str(self.draw_name(slot, section)),
                alternatives => {
                    let alternatives: Vec<&str> = alternatives.split('|').collect();
                    let drawn = *draw_item(&alternatives, self.random);
                    filled += &self.fill_part(drawn, section);
                }
            }
        }
        filled + rest
    }

    /// Returns the name for a slot of the section, or of the general section, in this article.
    fn draw_name(&mut self, slot: &'static str, section: &Section) -> &'static str {
        let section = if section.slots.contains_key(slot) {
            section
        } else {
            self.general
        };
        let Some(values) = section.slots.get(slot) else {
            return slot;
        };
        let drawn = *draw_item(values, self.random);
        self.names.entry((section.name, slot)).or_insert(drawn)
    }
}

/// Returns the text with its first letter in upper case.
fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// Formats an article as a page with a menu and a footer. The text has no characters that HTML
/// reserves.
fn format_html(page: &DemoPage, language: NewsLanguage) -> String {
    let (lang, site, menu, footer) = match language {
        NewsLanguage::Eng => ("en", "Daily Courier", "Home", "Copyright Daily Courier"),
        NewsLanguage::Jpn => ("ja", "東浜新聞", "ホーム", "© 東浜新聞"),
    };
    let title = &page.title;
    let mut paragraphs = String::new();
    for paragraph in page.text.lines() {
        // Writing to a string does not fail.
        let _ = writeln!(paragraphs, "<p>{paragraph}</p>");
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head><meta charset=\"utf-8\"><title>{title} | \
         {site}</title></head>\n<body>\n<nav><a href=\"/\">{menu}</a></nav>\n<article>\n\
         <h1>{title}</h1>\n{paragraphs}</article>\n<footer>{footer}</footer>\n</body>\n</html>"
    )
}

#[cfg(test)]
mod tests;
