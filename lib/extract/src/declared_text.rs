//! The text of an article that a page has only as data, which its scripts show: `articleBody` in
//! JSON-LD, or the state of an application, such as that of Next.js (`__NEXT_DATA__`).

use crate::attributes::{attribute_value, is_json_ld};
use crate::embedded_json::read_json;
use crate::metadata::PageMetadata;
use crate::outline::{Outline, text_size};
use crate::page_comment::text_of_markup;
use crate::paragraphs::letters_and_digits;
use dom_query::Document;
use forage_text::contains_unspaced_script;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// Smallest size of an article.
const MIN_ARTICLE: usize = 140;
/// Smallest size of a text that is a paragraph and not a label.
const MIN_PARAGRAPH: usize = 60;
/// Size of the text without links up to which a page may have its article in a state, which also
/// has labels, texts for other pages, and descriptions of what a page lists.
const MAX_PAGE_TEXT: usize = 300;
/// Largest script, in bytes, that is read.
const MAX_SCRIPT_BYTES: usize = 4 << 20;
/// Letters in each part of a text that is compared with the page, and number of these parts.
const PART_LETTERS: usize = 40;
const MAX_PARTS: usize = 50;

/// Returns the article that a page declares as data, if the page does not show it without scripts:
/// at most a quarter of its parts are in the text of the page. The constants were set by judgement.
pub(crate) fn find_declared_text(
    document: &Document,
    outline: &Outline,
    metadata: &PageMetadata,
) -> Option<String> {
    let works = metadata.works_of_article();
    let body = works.iter().find_map(|work| work.body.as_deref());
    let body = body
        .map(text_of_markup)
        .filter(|body| text_size(body) >= MIN_ARTICLE);
    let text = body.or_else(|| {
        let unlinked: usize = outline
            .blocks
            .iter()
            .map(|block| block.size.saturating_sub(block.linked))
            .sum();
        (unlinked <= MAX_PAGE_TEXT)
            .then(|| find_state_text(document))
            .flatten()
    })?;
    (!is_on_page(&text, outline)).then_some(text)
}

/// Returns `true` if more than a quarter of a text is in that of the page.
fn is_on_page(text: &str, outline: &Outline) -> bool {
    let page: String = outline
        .blocks
        .iter()
        .map(|block| letters_and_digits(&block.text))
        .collect();
    let letters: Vec<char> = letters_and_digits(text).chars().collect();
    let parts: Vec<&[char]> = letters.chunks_exact(PART_LETTERS).collect();
    let step = parts.len().div_ceil(MAX_PARTS).max(1);
    let compared = parts.iter().step_by(step);
    let (count, found) = compared.fold((0, 0), |(count, found), part| {
        let is_found = page.contains(&part.iter().collect::<String>());
        (count + 1, found + usize::from(is_found))
    });
    found * 4 > count
}

/// Returns the largest text in the data of the scripts.
fn find_state_text(document: &Document) -> Option<String> {
    let root = document.root();
    let scripts = root.descendants_it().filter(|node| {
        let is_wanted = |inner: &dom_query::TreeNode| {
            let element = inner.as_element()?;
            Some(&*element.name.local == "script" && !is_json_ld(&element.attrs))
        };
        node.query_or(None, is_wanted) == Some(true)
    });
    let texts = scripts.filter_map(|node| {
        let script = node.text();
        let is_data = node.query_or(false, |inner| {
            let kind = inner
                .as_element()
                .and_then(|script| attribute_value(&script.attrs, "type"));
            kind.is_some_and(|kind| kind.ends_with("json"))
        });
        let is_small = script.len() <= MAX_SCRIPT_BYTES;
        let values = is_small.then(|| read_state(&script, is_data)).flatten()?;
        article_in(&values)
    });
    texts.max_by_key(|text| text_size(text))
}

/// Returns the data in a script, which may be assigned to a variable.
fn read_state(script: &str, is_data: bool) -> Option<Vec<Value>> {
    if is_data {
        return Some(read_json(script));
    }
    let (_, assigned) = script.split_once('=')?;
    let assigned = assigned.trim_start();
    if let Some(escaped) = assigned.strip_prefix("JSON.parse(") {
        let mut strings = serde_json::Deserializer::from_str(escaped).into_iter::<String>();
        return Some(read_json(&strings.next()?.ok()?));
    }
    assigned
        .starts_with(['{', '['])
        .then(|| read_json(assigned))
}

/// A string in the data.
struct Leaf<'a> {
    /// The name of its property, or of the list that it is in.
    name: &'a str,
    raw: &'a str,
}

/// The paragraphs in a part of the data.
#[derive(Default)]
struct Part {
    size: usize,
    paragraphs: usize,
    /// The leaves of the part of it that has most of its text.
    main: Range<usize>,
}

/// Returns the text in the smallest part of the data that has most paragraphs: strings with the
/// names that paragraphs have.
fn article_in(values: &[Value]) -> Option<String> {
    let mut reader = StateReader::default();
    let parts: Vec<Part> = values.iter().map(|value| reader.read("", value)).collect();
    let part = parts.into_iter().max_by_key(|part| part.size)?;
    let leaves = &reader.leaves[part.main];
    let is_paragraph = |leaf: &&Leaf| paragraph_size(leaf.raw).is_some();
    let names: BTreeSet<&str> = leaves
        .iter()
        .filter(is_paragraph)
        .map(|leaf| leaf.name)
        .collect();
    // The same text may be in several states.
    let mut seen = BTreeSet::new();
    let is_label = |raw: &str| !raw.contains(' ') && !contains_unspaced_script(raw);
    let texts = leaves
        .iter()
        .filter(|leaf| names.contains(leaf.name) && !is_label(leaf.raw) && seen.insert(leaf.raw));
    let texts: Vec<String> = texts.map(|leaf| text_of_markup(leaf.raw)).collect();
    let text = texts.join("\n");
    (text_size(&text) >= MIN_ARTICLE).then_some(text)
}

#[derive(Default)]
struct StateReader<'a> {
    /// In the order of the data.
    leaves: Vec<Leaf<'a>>,
}

impl<'a> StateReader<'a> {
    fn read(&mut self, name: &'a str, value: &'a Value) -> Part {
        let start = self.leaves.len();
        let mut whole = Part::default();
        let mut largest = Part::default();
        let mut add = |part: Part| {
            whole.size += part.size;
            whole.paragraphs += part.paragraphs;
            if part.size > largest.size {
                largest = part;
            }
        };
        match value {
            Value::String(raw) => {
                self.leaves.push(Leaf { name, raw });
                whole.size = paragraph_size(raw).unwrap_or(0);
                let lines = raw.matches("<p").count().max(raw.matches('\n').count());
                whole.paragraphs = if whole.size > 0 { lines.max(1) } else { 0 };
            }
            Value::Array(values) => values.iter().for_each(|value| add(self.read(name, value))),
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(name, value)| add(self.read(name, value)));
            }
            _ => {}
        }
        // A long paragraph is not more than those beside it.
        let is_more = largest.paragraphs > 2 || largest.paragraphs * 2 > whole.paragraphs;
        whole.main = match largest.size * 2 > whole.size && is_more {
            true => largest.main,
            false => start..self.leaves.len(),
        };
        whole
    }
}

/// Returns the size of a string if it is a paragraph or several: long enough, and of words.
fn paragraph_size(raw: &str) -> Option<usize> {
    // A template has braces.
    let is_long = raw.len() >= MIN_PARAGRAPH && !raw.contains(['{', '}']);
    if !is_long || !raw.contains(' ') && !contains_unspaced_script(raw) {
        return None;
    }
    let text = text_of_markup(raw);
    let letters = text
        .chars()
        .filter(|c| c.is_alphabetic() || c.is_whitespace())
        .count();
    let is_prose = letters * 4 >= text.chars().count() * 3;
    Some(text_size(&text)).filter(|size| is_prose && *size >= MIN_PARAGRAPH)
}

#[cfg(test)]
mod tests {
    use crate::tests::extract_with;

    const SENTENCES: [&str; 3] = [
        "Potok teče skozi vas in poganja mlin, ki stoji tam že več kot dvesto let.",
        "Pozimi voda pogosto zamrzne, zato mlinar takrat počiva in popravlja kolesa.",
        "Spomladi se potok razlije čez travnike in prinese s seboj veliko mulja in kamenja.",
    ];

    fn text(html: &str) -> String {
        extract_with(html, Some("https://vas.test/1"), &Default::default()).text
    }

    #[test]
    fn reads_an_article_that_only_scripts_show() {
        let [one, two, three] = SENTENCES;
        let menu = "<nav><a href=/>Domov</a> <a href=/o>O nas</a></nav><div id=root></div>";
        let blocks = format!(
            r#"[{{"type": "p", "text": "{one}"}}, {{"type": "p", "text": "{two}"}},
                {{"type": "p", "text": "Res je tako."}}, {{"type": "p", "text": "{three}"}}]"#
        );
        let state = format!(
            r#"{{"props": {{"labels": {{"a": "Vse pravice pridržane", "b": "Prijava"}}, "article":
                {{"title": "Potok", "url": "https://vas.test/1", "body": {blocks}}},
                "related": [{{"lead": "Preberite tudi, kaj se je zgodilo na drugi strani hriba lani."}}]}}}}"#
        );
        let html = format!(r#"{{"content": "<p>{one}</p><p>{two}</p><p>{three}</p>", "id": 7}}"#);
        let escaped = serde_json::to_string(&html).unwrap();
        for (script, lines) in [
            (
                format!(
                    "<script type=application/ld+json>{{\"@type\": \"Article\", \
                         \"articleBody\": \"{one}\\n{two}\\n{three}\"}};</script>"
                ),
                3,
            ),
            (
                format!("<script id=__NEXT_DATA__ type=application/json>{state}</script>"),
                4,
            ),
            (format!("<script>window.__STATE__ = {state};</script>"), 4),
            (format!("<script>var a = {html}; start(a)</script>"), 3),
            (
                format!("<script>window.__DATA__=JSON.parse({escaped});</script>"),
                3,
            ),
        ] {
            let text = text(&format!("<title>Potok</title>{menu}{script}"));
            assert_eq!(text.lines().count(), lines, "{script}\n{text}");
            assert!(text.starts_with(one) && text.ends_with(three), "{text}");
        }
    }

    #[test]
    fn the_text_of_the_page_comes_before_data() {
        let [one, two, three] = SENTENCES;
        let article = format!("<main><h1>Potok</h1><p>{one}<p>{two}<p>{three}</main>");
        let other = "Ta piškotek shranjuje izbiro jezika in se izbriše, ko zaprete brskalnik. ";
        for script in [
            format!(
                "<script type=application/json>{{\"a\": \"{}\"}}</script>",
                other.repeat(4)
            ),
            format!("<script>window.a = {{\"a\": \"{one} {two} {three}\"}}</script>"),
            format!("<script>if (a == 1) {{ \"{}\" }}</script>", other.repeat(9)),
        ] {
            let with_data = text(&format!("<title>Potok</title>{article}{script}"));
            assert_eq!(
                with_data,
                text(&format!("<title>Potok</title>{article}")),
                "{script}"
            );
        }
    }
}
