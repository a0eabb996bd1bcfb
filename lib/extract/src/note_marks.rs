//! Marks of notes: the number beside a word that leads to a note, and the sign that leads back.
//!
//! A number beside a word alone is none: a power, a verse or a reference may be one. It is a mark
//! if it is raised or in brackets and leads to a place in a page, or if its markup says so:
//! DPUB-ARIA, EPUB, MediaWiki, Sphinx, pandoc, and the HTML of Word and LibreOffice.

use dom_query::{NodeData, NodeRef};

/// Classes of elements that are marks of notes.
const CLASSES: &str = "MsoFootnoteReference MsoEndnoteReference sdfootnoteanc sdendnoteanc footnote-ref \
    footnote-reference footnote-back footnote-backref fn-backref fnref noteref reversefootnote footnote_plugin_tooltip_text footnote_referrer";
/// Roles of such elements, in `role` (DPUB-ARIA) and `epub:type`, and of the numbers of printed
/// pages, which are in the middle of words.
const ROLES: &str = "doc-noteref doc-backlink noteref backlink doc-pagebreak pagebreak";
/// Beginnings of the fragments by which Word, LibreOffice, pandoc and others name notes and their
/// marks.
const FRAGMENTS: &str = "fn ftn _ftn _edn sdfootnote sdendnote footnote endnote";
/// Longest mark, in characters, as in `[12, 13]`.
const MAX_CHARACTERS: usize = 10;

/// Returns `true` for an element that is the mark of a note.
pub(crate) fn is_note_mark(node: &NodeRef) -> bool {
    let Some(name) = ["a", "sup", "span", "div"]
        .into_iter()
        .find(|name| node.has_name(name))
    else {
        return false;
    };
    let has = |attribute: &str, wanted: &str| {
        let value = node.attr(attribute).unwrap_or_default();
        let mut words = value.split_ascii_whitespace();
        words.any(|word| wanted.split_ascii_whitespace().any(|name| name == word))
    };
    let is_named = has("class", CLASSES)
        || has("role", ROLES)
        || has("epub:type", ROLES)
        || name == "a" && node.has_attr("data-footnote-ref")
        || name == "sup" && has("class", "footnote endnote note fn");
    let fragment = fragment_of(node);
    if !(is_named || fragment.is_some() || name == "sup") {
        return false;
    }
    let Some(text) = short_text(node).filter(|text| is_mark(text)) else {
        return false;
    };
    let is_of_note = |fragment: &str| {
        let mut rest = FRAGMENTS
            .split(' ')
            .filter_map(|name| fragment.strip_prefix(name));
        rest.any(|rest| !rest.starts_with(|c: char| c.is_alphabetic()) || rest.starts_with("ref"))
    };
    let has_inside =
        |is_wanted: fn(&NodeRef) -> bool| node.descendants_it().any(|node| is_wanted(&node));
    let is_in_brackets = text.starts_with('[') && text.ends_with(']');
    let is_back = !text.contains(char::is_alphanumeric) && text.contains(is_back_sign);
    is_named
        || fragment.is_some_and(|fragment| {
            let is_raised = || has_inside(|node| node.has_name("sup"));
            is_of_note(&fragment) || is_in_brackets || is_back || is_raised()
        })
        || name == "sup" && has_inside(|node| fragment_of(node).is_some())
}

/// Returns the text in an element if it is as short as a mark. Time is bounded, as elements may be
/// nested.
fn short_text(node: &NodeRef) -> Option<String> {
    const MAX_NODES: usize = 64;
    const MAX_BYTES: usize = 256;
    let mut text = String::new();
    for (number, inside) in node.descendants_it().enumerate() {
        let is_short = inside.query_or(true, |inner| match &inner.data {
            NodeData::Text { contents } => {
                let is_short = contents.len() <= MAX_BYTES;
                text += if is_short { contents.trim() } else { "" };
                is_short
            }
            _ => true,
        });
        if !is_short || number > MAX_NODES || text.chars().count() > MAX_CHARACTERS {
            return None;
        }
    }
    Some(text)
}

/// Returns the fragment of the target of a link, unless it is empty, or its script.
fn fragment_of(node: &NodeRef) -> Option<String> {
    let target = node.attr("href").filter(|_| node.has_name("a"))?;
    let (_, fragment) = target
        .split_once('#')
        .or_else(|| target.split_once("javascript:"))?;
    Some(fragment.to_owned()).filter(|fragment| !fragment.is_empty())
}

/// Returns `true` for a text that may be a mark: numbers, a letter, a Roman number, or signs,
/// perhaps in brackets.
fn is_mark(text: &str) -> bool {
    let is_bracket = |c: char| matches!(c, '[' | ']' | '(' | ')' | '{' | '}');
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '-' | '–');
    let mut words = text
        .split(|c| is_bracket(c) || is_between(c))
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some()
        && words.all(|word| {
            let is_number = word.chars().all(char::is_numeric);
            let is_roman = word.chars().all(|c| "ivxlIVXL".contains(c));
            let is_sign = !word.chars().any(char::is_alphanumeric);
            is_number || is_roman || is_sign || word.chars().count() == 1
        })
}

/// Returns `true` for the signs of links from a note back to its mark.
fn is_back_sign(c: char) -> bool {
    matches!(c, '↩' | '↪' | '↑' | '⇑' | '↖' | '⤴' | '⬆' | '^')
}

#[cfg(test)]
mod tests {
    use crate::outline::tests::outline_from_html;

    fn text(html: &str) -> String {
        let blocks = outline_from_html(html).blocks;
        let texts: Vec<String> = blocks.into_iter().map(|block| block.text).collect();
        texts.join("/")
    }

    #[test]
    fn marks_of_notes_are_no_text() {
        for mark in [
            "<sup><a href=#fn1>1</a></sup>",
            "<sup>[<a href=#n1>1</a>]</sup>",
            "<sup><a href=#a>1</a>, <a href=#b>2</a></sup>",
            "<a href=#x><sup>†</sup></a>",
            "<a href='notes.html#x'><sup>iv</sup></a>",
            "<a href=#ref3>[3]</a>",
            "<a href=#note-a>[a]</a>",
            "<a id=fnref1 href=#fn:1>1</a>",
            // Word 16, LibreOffice 7.4, pandoc 3, Sphinx 7, EPUB 3.
            "<a style='mso-footnote-id:ftn1' href='#_ftn1' name='_ftnref1'><span class=MsoFootnoteReference>\
             <span style='mso-special-character:footnote'>[1]</span></span></a>",
            "<a class=sdfootnoteanc name=sdfootnote1anc href='#sdfootnote1sym'><sup>1</sup></a>",
            "<a href=#fn1 class=footnote-ref id=fnref1 role=doc-noteref><sup>1</sup></a>",
            "<a class='footnote-reference brackets' href=#id2 role=doc-noteref>1</a>",
            "<a epub:type=noteref href='n.xhtml#n1'>12</a>",
            "<a href=#_ftnref1>[1]</a>",
            "<a href=#r0>↩</a>",
            "<span epub:type=pagebreak id=p12>12</span>",
            // WordPress: Footnotes 2.7, Modern Footnotes 1.4.
            "<span class=footnote_referrer><a role=button><sup id=f1>[1]</sup></a></span>",
            "<sup class=modern-footnotes-footnote><a href='javascript:void(0)'>1</a></sup>",
            "<sup class=footnote title='A note'>1</sup>",
            // GitHub.
            "<a data-footnote-ref href=#user-content-fn-1>1</a>",
        ] {
            assert_eq!(text(&format!("<p>voda{mark}.")), "voda.", "{mark}");
        }
    }

    #[test]
    fn powers_formulas_verses_and_other_links_are_text() {
        for (html, expected) in [
            ("m<sup>2</sup> H<sub>2</sub>O", "m2 H2O"),
            (
                "1<sup>re</sup> 5<sup><a href=#fifth>th</a></sup>",
                "1re 5th",
            ),
            ("<sup class=verse>3</sup>Voda", "3Voda"),
            ("<sup><a href='/v/3'>3</a></sup>Voda", "3Voda"),
            ("<a href=#s2>2</a> <a href=#b>(5)</a>", "2 (5)"),
            ("<a href=#fnord>7</a> <a href=#functions>f</a>", "7 f"),
            ("<a href='/x'>[1]</a> <a href=#top>Top</a>", "[1] Top"),
            (
                "voda<sup><a href=#n>opomba o vodi</a></sup>",
                "vodaopomba o vodi",
            ),
            ("voda <a href=#fn1>glej opombo</a>", "voda glej opombo"),
        ] {
            assert_eq!(text(&format!("<p>{html}")), expected, "{html}");
        }
    }
}
