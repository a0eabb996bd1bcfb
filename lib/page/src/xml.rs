//! Text of documents in XML: what the elements of each format mean for it, and the reader.
//!
//! A format is the rows of `xml_formats.tsv` with its name, each with a role and the names of the
//! elements that have it. One with a prefix is compared whole, another without its prefix. The few
//! elements that need more than a role (runs of Word that are hidden, symbols, joined words of TEI)
//! are handled by the reader itself, as no other format has them.
//!
//! The formats are Word (docx, ISO/IEC 29500-1, in a zip or one file, and Word 2003 XML; the notes
//! of docx are in files of their own, which are not read), texts of OpenDocument (ISO/IEC 26300-3;
//! in a zip or one file), FictionBook 2, and TEI P5 and P4. The roles are
//!
//! - `root`: by which a document in one file is recognised;
//! - `text`: elements in which characters are text;
//! - `paragraph`: elements that begin and end a line;
//! - `beside`: text boxes, which do not divide the paragraph that they are anchored in;
//! - `left-out`: elements whose content is not text of the document: deleted and moved text,
//!   comments,
//!   notes and their marks, readings of characters, descriptions of pictures;
//! - `versions`: elements with several versions of a text, of which the first is read;
//! - `title` and `language` of the document.

use forage_extract::parse_reservation;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A format, by its name in the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct XmlFormat(&'static str);

pub(crate) const WORD: XmlFormat = XmlFormat("word");
pub(crate) const OPEN_DOCUMENT: XmlFormat = XmlFormat("open-document");

/// A document as far as its XML says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct XmlDocument {
    /// A paragraph a line; `\r` is a line break of the source.
    pub text: String,
    pub title: Option<String>,
    pub lang: Option<String>,
}

/// Returns the rows of the table: format, role, names of elements.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = include_str!("xml_formats.tsv").lines();
    rows.filter_map(|row| {
        let mut fields = row.split('\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    })
}

/// Reads a document in one XML file, up to its end or the first fault.
///
/// # Errors
/// Fails with the name of the root if the format is not one of those that are read.
pub(crate) fn read_document(xml: &str) -> Result<XmlDocument, String> {
    let mut reader = Reader::from_str(xml);
    let root = loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => break root,
            Ok(Event::Eof) | Err(_) => return Err("missing".into()),
            Ok(_) => {}
        }
    };
    let qualified_name = root.name().into_inner();
    let name = local_name(qualified_name);
    // Spreadsheets and drawings have the same root.
    let media = attribute_value(&root, "office:mimetype").unwrap_or_default();
    let is_text = media.is_empty() || media.starts_with("application/vnd.oasis.opendocument.text");
    let format = rows()
        .find(|(_, role, names)| {
            *role == "root"
                && names
                    .split(' ')
                    .any(|root| [name, qualified_name].contains(&root))
        })
        .filter(|_| is_text)
        .ok_or(name)?;
    Ok(read_text(xml, XmlFormat(format.0), &mut HashSet::new()))
}

/// Reads the text of a document, up to its end or the first fault. `hidden_styles` has the names of
/// the styles whose text is hidden, to which those that the XML defines are added.
pub(crate) fn read_text(
    xml: &str,
    format: XmlFormat,
    hidden_styles: &mut HashSet<String>,
) -> XmlDocument {
    let mut reader = lenient_reader(xml);
    let rows = rows().filter(|(name, ..)| *name == format.0);
    let mut text = ElementTextReader {
        roles: rows
            .flat_map(|(_, role, names)| names.split(' ').map(move |name| (role, name)))
            .collect(),
        hidden_styles,
        open: Vec::new(),
        boxes: Vec::new(),
        document: XmlDocument::default(),
        beside: String::new(),
        style: String::new(),
        is_joined: false,
        joins_next: false,
    };
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Eof => break,
            Event::Start(tag) => text.start_element(tag),
            Event::End(tag) => text.end_element(tag.name().into_inner()),
            Event::Text(characters) => text.add_characters(characters),
            Event::CData(characters) => text.add_characters(characters),
            Event::GeneralRef(reference) => text.add_characters(&resolve(reference)),
            _ => {}
        }
    }
    text.document.text += &(text.beside + &text.boxes.concat());
    text.document
}

/// Returns a reader of XML that need not be well-formed.
pub(crate) fn lenient_reader(xml: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.expand_empty_elements = true;
    reader
}

/// Returns the characters of a reference; one that only a document type defines is kept as it is.
fn resolve(reference: &BytesRef) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => character.into(),
        _ => resolve_xml_entity(reference)
            .map_or_else(|| format!("&{};", &**reference), str::to_owned),
    }
}

/// An open element.
#[derive(Debug)]
struct OpenElement {
    /// The name with its prefix.
    name: String,
    /// True if it, or an element around it, has the role.
    is_text: bool,
    is_left_out: bool,
    has_child: bool,
    /// True if it is joined to the next word.
    is_joined: bool,
    /// The length of the text, or that of the text box, before it.
    start: usize,
}

struct ElementTextReader<'a> {
    /// Roles and the names that have them.
    roles: HashSet<(&'static str, &'static str)>,
    hidden_styles: &'a mut HashSet<String>,
    open: Vec<OpenElement>,
    document: XmlDocument,
    /// The text of each open text box.
    boxes: Vec<String>,
    /// That of the others, which follows the paragraph that they are anchored in.
    beside: String,
    /// The name of the style that is defined.
    style: String,
    /// True between joined words of TEI, where white space is none.
    is_joined: bool,
    /// True if the end of the paragraph is deleted, so that the next one continues it.
    joins_next: bool,
}

impl OpenElement {
    /// Returns `true` for the name, with or without its prefix.
    fn has_name(&self, name: &str) -> bool {
        self.name == name || local_name(&self.name) == name
    }
}

/// Open elements that are searched for the one that an end tag closes. Deeper ones are only
/// searched in XML with faults.
const MAX_OPEN_SEARCHED: usize = 64;

impl ElementTextReader<'_> {
    /// Returns `true` if an element has a role.
    fn has_role(&self, role: &str, name: &str) -> bool {
        self.roles.contains(&(role, name)) || self.roles.contains(&(role, local_name(name)))
    }

    fn start_element(&mut self, tag: &BytesStart) {
        let name = tag.name().into_inner();
        self.read_property(local_name(name), tag);
        let (is_in_text, is_in_left_out) = self.open.last().map_or((false, false), |around| {
            let is_later = around.has_child && self.has_role("versions", &around.name);
            (around.is_text, around.is_left_out || is_later)
        });
        if let Some(around) = self.open.last_mut() {
            around.has_child = true;
        }
        let join = attribute_value(tag, "join").unwrap_or_default();
        let mut element = OpenElement {
            name: name.to_owned(),
            is_text: is_in_text || self.has_role("text", name),
            is_left_out: is_in_left_out
                || self.has_role("left-out", name)
                || self.is_hidden(local_name(name), tag),
            has_child: false,
            is_joined: matches!(&*join, "right" | "both"),
            start: 0,
        };
        if !element.is_left_out {
            if matches!(&*join, "left" | "both") {
                let line = self.line();
                line.truncate(line.trim_end_matches([' ', '\t', '\r']).len());
            }
            if self.has_role("beside", name) {
                self.boxes.push(String::new());
            } else if self.has_role("paragraph", name) && !std::mem::take(&mut self.joins_next) {
                let line = self.line();
                if !line.is_empty() && !line.ends_with('\n') {
                    line.push('\n');
                }
            }
            self.add_character_of(local_name(name), tag);
        }
        element.start = self.line().len();
        self.open.push(element);
    }

    /// Closes the innermost element with a name, and those in it; none if there is none.
    fn end_element(&mut self, name: &str) {
        let Some(first) = self.find_open(|element| element.name == name) else {
            return;
        };
        for element in self.open.split_off(first).into_iter().rev() {
            self.is_joined |= element.is_joined;
            if element.is_left_out {
                continue;
            }
            if self.has_role("beside", &element.name) {
                self.beside += &self.boxes.pop().unwrap_or_default();
            } else if self.has_role("paragraph", &element.name) {
                self.end_paragraph();
            }
        }
    }

    /// Ends the line, unless its end is deleted, and adds the text boxes that are anchored in it.
    fn end_paragraph(&mut self) {
        if !self.joins_next {
            self.line().push('\n');
        }
        if self.boxes.is_empty() {
            self.document.text += &std::mem::take(&mut self.beside);
        }
    }

    /// Returns the text that is read: that of the innermost text box, or of the document.
    fn line(&mut self) -> &mut String {
        self.boxes.last_mut().unwrap_or(&mut self.document.text)
    }

    fn add_characters(&mut self, characters: &str) {
        let Some(element) = self.open.last() else {
            return;
        };
        if element.is_text && !element.is_left_out {
            let characters = match self.is_joined {
                true => characters.trim_start(),
                false => characters,
            };
            self.is_joined &= characters.is_empty();
            *self.line() += &characters.replace('\n', "\r");
        } else if self.has_role("title", &element.name) {
            add_once(&mut self.document.title, characters);
        } else if self.has_role("language", &element.name) {
            add_once(&mut self.document.lang, characters);
        }
    }

    /// Adds the character that an element stands for.
    fn add_character_of(&mut self, name: &str, tag: &BytesStart) {
        let character = match name {
            "br" | "cr" | "line-break" | "empty-line" => '\n',
            "lb" if attribute_value(tag, "break").as_deref() != Some("no") => '\r',
            "tab" | "ptab" | "s" => ' ',
            "noBreakHyphen" => '\u{2011}',
            // Those of fonts of pictures, such as Wingdings.
            "sym" => attribute_value(tag, "w:char")
                .and_then(|code| char::from_u32(u32::from_str_radix(&code, 16).ok()?))
                .filter(|c| !matches!(c, '\u{F000}'..='\u{F0FF}'))
                .unwrap_or(' '),
            _ => return,
        };
        self.line().push(character);
    }

    /// Returns `true` for an element that its attributes hide, or make a mark of a note or the
    /// notes.
    fn is_hidden(&self, name: &str, tag: &BytesStart) -> bool {
        tag.html_attributes().flatten().any(|attribute| {
            let key: &str = attribute.key.as_ref();
            let value: &str = &attribute.value;
            match local_name(key) {
                "display" => value == "none" && name != "text-properties",
                "is-hidden" => value == "true",
                "style-name" => self.hidden_styles.contains(value),
                // FictionBook.
                "type" => name == "a" && value == "note",
                "name" => name == "body" && matches!(value, "notes" | "comments" | "footnotes"),
                _ => false,
            }
        })
    }

    /// Reads an element that is a property of the style, the paragraph or the run around it.
    fn read_property(&mut self, name: &str, tag: &BytesStart) {
        let value = |attribute: &str| attribute_value(tag, attribute);
        match name {
            "style" => {
                let name = value("style:name").or_else(|| value("w:styleId"));
                self.style = name.unwrap_or_default();
                let parent = value("style:parent-style-name");
                self.inherit_hiding(parent);
            }
            "basedOn" => self.inherit_hiding(value("w:val")),
            "text-properties" => {
                if let Some(display) = value("text:display") {
                    self.set_hidden_style(display == "none");
                }
            }
            "vanish" | "specVanish" => {
                let is_hidden = is_on(value("w:val"));
                if self.is_in("style") {
                    self.set_hidden_style(is_hidden);
                } else if is_hidden && !self.is_in("pPr") && !self.is_in("rPrChange") {
                    // That of a paragraph is of the mark at its end.
                    self.hide("r");
                }
            }
            "rStyle" | "pStyle"
                if value("w:val").is_some_and(|style| self.hidden_styles.contains(&style)) =>
            {
                self.hide(&name[..1]);
            }
            // The mark is the text of the run.
            "footnoteReference" | "endnoteReference" => {
                let mark = value("w:customMarkFollows");
                if mark.is_some() && is_on(mark) {
                    self.hide("r");
                }
            }
            "hidden-paragraph" if value("text:is-hidden").as_deref() == Some("true") => {
                self.hide("p");
            }
            "del" | "moveFrom" => self.joins_next |= self.is_in("pPr"),
            _ => {}
        }
    }

    fn inherit_hiding(&mut self, parent: Option<String>) {
        if parent.is_some_and(|parent| self.hidden_styles.contains(&parent)) {
            self.set_hidden_style(true);
        }
    }

    fn set_hidden_style(&mut self, is_hidden: bool) {
        if is_hidden {
            self.hidden_styles.insert(self.style.clone());
        } else {
            self.hidden_styles.remove(&self.style);
        }
    }

    /// Returns `true` if an element is open, a few levels up.
    fn is_in(&self, name: &str) -> bool {
        let mut open = self.open.iter().rev().take(3);
        open.any(|element| element.has_name(name))
    }

    /// Returns the number of the innermost open element of a kind.
    fn find_open(&self, is_wanted: impl Fn(&OpenElement) -> bool) -> Option<usize> {
        let skipped = self.open.len().saturating_sub(MAX_OPEN_SEARCHED);
        let number = self.open[skipped..].iter().rposition(is_wanted)?;
        Some(skipped + number)
    }

    /// Leaves out the innermost element with a name.
    fn hide(&mut self, name: &str) {
        let Some(first) = self.find_open(|element| element.has_name(name)) else {
            return;
        };
        let start = self.open[first].start;
        for element in &mut self.open[first..] {
            element.is_left_out = true;
        }
        if self.line().is_char_boundary(start) {
            self.line().truncate(start);
        }
    }
}

/// Returns the value of a property of Word, which is on if its element has no value.
fn is_on(value: Option<String>) -> bool {
    !matches!(value.as_deref(), Some("0" | "false" | "off"))
}

/// Sets a value unless it is set.
fn add_once(value: &mut Option<String>, characters: &str) {
    let characters = characters.trim();
    if value.is_none() && !characters.is_empty() {
        *value = Some(characters.to_owned());
    }
}

/// Returns a name without its prefix.
pub(crate) fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A prefix and the vocabulary of the TDM Reservation Protocol, which it is declared for.
static TDM_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)([\w.-]+)\s*[:=]\s*["']?https?://www\.w3\.org/ns/tdmrep"#)
        .expect("a constant pattern is valid")
});

/// Returns the reservation against text and data mining in the metadata of an EPUB or a PDF: the
/// element, attribute or `<meta>` of this name (TDM Reservation Protocol, 2024).
pub(crate) fn tdm_reservation(xml: &str) -> Option<bool> {
    let prefixes = TDM_PREFIX
        .captures_iter(xml)
        .map(|found| found[1].to_ascii_lowercase());
    let prefixes: HashSet<String> = prefixes.chain(["tdm".to_owned()]).collect();
    let is_name = |name: &str| {
        let name = name.to_ascii_lowercase();
        let (prefix, local) = name.split_once(':').unwrap_or(("xmlns", &name));
        name == "tdm-reservation" || local == "reservation" && prefixes.contains(prefix)
    };
    let (mut values, mut is_open) = (String::new(), false);
    let mut reader = lenient_reader(xml);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let attribute = |name: &str| attribute_value(&tag, name);
                let tag_name = tag.name().into_inner();
                let name = attribute("name").or_else(|| attribute("property"));
                // A value of RDF may be in a container.
                is_open = is_open && tag_name.starts_with("rdf:")
                    || is_name(name.as_deref().unwrap_or(tag_name));
                let mut own = tag.html_attributes().flatten();
                let own = own.find(|found| is_name(found.key.as_ref()));
                let own = own.map(|found| found.value.into_owned());
                let value = own.or_else(|| attribute("content").filter(|_| is_open));
                values.extend([",".to_owned(), value.unwrap_or_default()]);
            }
            Ok(Event::End(_)) => is_open = false,
            Ok(Event::Text(text)) if is_open => values += &text,
            Ok(Event::CData(text)) if is_open => values += &text,
            Ok(Event::GeneralRef(reference)) if is_open => values += &resolve(&reference),
            Ok(Event::Eof) | Err(_) => return parse_reservation(&values),
            Ok(_) => {}
        }
    }
}

/// Returns the value of an attribute.
pub(crate) fn attribute_value(tag: &BytesStart, name: &str) -> Option<String> {
    let attribute = tag.html_attributes().flatten().find(|attribute| {
        let key: &str = attribute.key.as_ref();
        key == name
    })?;
    attribute
        .normalized_value(XmlVersion::Implicit1_0)
        .ok()
        .map(Into::into)
}

#[cfg(test)]
mod tests;
