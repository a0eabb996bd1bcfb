//! TEI P5: a `teiCorpus` with a `TEI` per document, valid against `tei_all`.

use crate::corpus_format::document::Document;
use crate::corpus_format::tei_body::{MAX_NODE_BYTES, write_body, write_text};
use crate::corpus_format::writer::CorpusWriter;
use crate::corpus_format::xml::one_line;
use quick_xml::Writer;
use quick_xml::escape::escape;
use std::io::{self, Write};

/// The beginning of a corpus, up to its first document.
const CORPUS_HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">
<teiHeader><fileDesc><titleStmt><title>{title}</title></titleStmt>\
<publicationStmt><p>Exported by corpus-export of Forage; rights are those of each document.</p>\
</publicationStmt><sourceDesc><p>Web pages; the header of each document names its address.</p>\
</sourceDesc></fileDesc><encodingDesc><projectDesc>\
<p>Documents were retrieved from the web, or given, and chosen by a filter.</p></projectDesc>\
<editorialDecl><segmentation><p>Headings, lists, tables, quotations and code are those of the page, \
where its structure is known; other paragraphs are lines of the extracted text. Sentences are marked \
by the rules of Unicode (UAX 29).</p></segmentation></editorialDecl></encodingDesc></teiHeader>
";

/// Writes TEI.
#[derive(Debug)]
pub(crate) struct TeiWriter {
    title: String,
    has_header: bool,
}

type Xml<'a> = Writer<&'a mut Vec<u8>>;

impl TeiWriter {
    pub(crate) fn new(title: &str) -> Self {
        TeiWriter {
            title: title.into(),
            has_header: false,
        }
    }

    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        let title = match one_line(&self.title) {
            title if title.is_empty() => "Web corpus".to_owned(),
            title => title,
        };
        out.write_all(CORPUS_HEAD.replace("{title}", &escape(title)).as_bytes())
    }
}

impl CorpusWriter for TeiWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        self.start(out)?;
        let mut buffer = Vec::with_capacity(document.text.len() * 2);
        write_document(&mut Writer::new(&mut buffer), document)?;
        buffer.push(b'\n');
        out.write_all(&buffer)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.start(out)?;
        writeln!(out, "</teiCorpus>")
    }
}

/// Writes an element with text; of its attributes those that are neither empty nor too long.
fn element(xml: &mut Xml, name: &str, attributes: &[(&str, &str)], text: &str) -> io::Result<()> {
    let mut element = xml.create_element(name);
    let is_possible = |value: &str| (1..=MAX_NODE_BYTES).contains(&value.len());
    for (key, value) in attributes.iter().filter(|(_, value)| is_possible(value)) {
        element = element.with_attribute((*key, *value));
    }
    match text.is_empty() {
        true => element.write_empty()?,
        false => element.write_inner_content(|xml| write_text(xml, text))?,
    };
    Ok(())
}

/// Writes an element whose content is written by `content`.
fn parent(
    xml: &mut Xml,
    name: &str,
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    xml.create_element(name)
        .write_inner_content(content)
        .map(drop)
}

fn write_document(xml: &mut Xml, document: &Document) -> io::Result<()> {
    parent(xml, "TEI", |xml| {
        parent(xml, "teiHeader", |xml| write_header(xml, document))?;
        let text = match document.language_tag() {
            Some(tag) => xml
                .create_element("text")
                .with_attribute(("xml:lang", tag.as_str())),
            None => xml.create_element("text"),
        };
        text.write_inner_content(|xml| parent(xml, "body", |xml| write_body(xml, document)))
            .map(drop)
    })
}

fn write_header(xml: &mut Xml, document: &Document) -> io::Result<()> {
    let url = one_line(&document.url);
    let title = match one_line(&document.title) {
        title if title.is_empty() => url.clone(),
        title => title,
    };
    let date = one_line(&document.date);
    let when = w3c_date(&date).unwrap_or_default();
    parent(xml, "fileDesc", |xml| {
        parent(xml, "titleStmt", |xml| element(xml, "title", &[], &title))?;
        parent(xml, "publicationStmt", |xml| {
            write_publication(xml, document, &url)
        })?;
        parent(xml, "sourceDesc", |xml| {
            parent(xml, "bibl", |xml| {
                for author in &document.fetch.author {
                    element(xml, "author", &[], &one_line(author))?;
                }
                element(xml, "title", &[], &title)?;
                if !url.is_empty() {
                    element(xml, "ref", &[("target", &any_uri(&url))], &url)?;
                }
                if !date.is_empty() {
                    element(xml, "date", &[("type", "published"), ("when", when)], &date)?;
                }
                let retrieved = document.fetch.at.as_deref().unwrap_or_default();
                if let Some(when) = w3c_date(retrieved) {
                    element(xml, "date", &[("type", "retrieved"), ("when", when)], when)?;
                }
                Ok(())
            })
        })
    })?;
    write_method(xml, document)?;
    write_profile(xml, document)
}

/// Writes how the document was collected.
fn write_method(xml: &mut Xml, document: &Document) -> io::Result<()> {
    let query = one_line(&document.query);
    let engine = one_line(&document.engine);
    let mut method = String::new();
    if !query.is_empty() {
        method = format!("Retrieved by the query {query}");
        if !engine.is_empty() {
            method += &format!(" from {engine}");
        }
        method.push('.');
    }
    if let (Some(score), false) = (document.score, document.label.is_empty()) {
        let label = one_line(document.label);
        let blank = if method.is_empty() { "" } else { " " };
        method += &format!("{blank}Labelled {label} by a filter, with a score of {score}.");
    }
    if method.is_empty() {
        return Ok(());
    }
    parent(xml, "encodingDesc", |xml| {
        parent(xml, "samplingDecl", |xml| element(xml, "p", &[], &method))
    })
}

fn write_publication(xml: &mut Xml, document: &Document, url: &str) -> io::Result<()> {
    let publisher = one_line(&document.host);
    let publisher = if publisher.is_empty() {
        "unknown"
    } else {
        &publisher
    };
    element(xml, "publisher", &[], publisher)?;
    element(xml, "idno", &[("type", "id")], &one_line(&document.id))?;
    if !url.is_empty() {
        element(xml, "idno", &[("type", "URL")], url)?;
    }
    let optout = one_line(&document.fetch.optout.join(", "));
    let licence = one_line(document.licence());
    if licence.is_empty() && optout.is_empty() {
        return Ok(());
    }
    let target = if licence.contains("://") {
        any_uri(&licence)
    } else {
        String::new()
    };
    parent(xml, "availability", |xml| {
        if !optout.is_empty() {
            let text = format!("The page reserves text and data mining: {optout}.");
            element(xml, "p", &[], &text)?;
        }
        if !licence.is_empty() {
            element(xml, "licence", &[("target", &target)], &licence)?;
        }
        Ok(())
    })
}

fn write_profile(xml: &mut Xml, document: &Document) -> io::Result<()> {
    let tag = document.language_tag();
    let label = one_line(document.label);
    if tag.is_none() && label.is_empty() {
        return Ok(());
    }
    parent(xml, "profileDesc", |xml| {
        if let Some(tag) = &tag {
            parent(xml, "langUsage", |xml| {
                element(xml, "language", &[("ident", tag)], document.language())
            })?;
        }
        if !label.is_empty() {
            parent(xml, "textClass", |xml| {
                parent(xml, "keywords", |xml| {
                    element(xml, "term", &[("type", "label")], &label)
                })
            })?;
        }
        Ok(())
    })
}

/// Returns the date of a date or time in the form that the attribute `when` takes; `None` if it is
/// in another form.
fn w3c_date(date: &str) -> Option<&str> {
    let day = date.get(..10).unwrap_or(date);
    let has_form = day.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let number = |range| {
        day.get(range)
            .and_then(|part: &str| part.parse::<u32>().ok())
    };
    let is_month = |month: u32| (1..=12).contains(&month);
    let is_valid = match day.len() {
        4 => number(0..4) != Some(0),
        7 => number(5..7).is_some_and(is_month),
        10 => {
            let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 if is_leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            is_month(month) && (1..=last).contains(&day) && year > 0
        }
        _ => false,
    };
    (has_form && is_valid).then_some(day)
}

/// Returns a URL as an `xs:anyURI` and without blanks, which separate several in TEI: signs that
/// URLs cannot have are percent-encoded.
fn any_uri(url: &str) -> String {
    let mut uri = String::with_capacity(url.len());
    for (at, c) in url.char_indices() {
        let is_escape = c == '%'
            && url
                .as_bytes()
                .get(at + 1..at + 3)
                .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let is_bad = matches!(
            c,
            ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}'
        ) || c == '%' && !is_escape;
        if is_bad {
            uri += &format!("%{:02X}", c as u32);
        } else {
            uri.push(c);
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{TeiWriter, any_uri, w3c_date};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;
    use proptest::prelude::*;
    use quick_xml::Reader;
    use quick_xml::events::Event;
    use serde_json::json;

    fn tei(records: &[String]) -> String {
        let (mut writer, mut out) = (TeiWriter::new("A & B"), Vec::new());
        for record in records {
            with_document(record, |document| writer.add(document, &mut out).unwrap());
        }
        writer.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_document_has_a_header_and_sentences() {
        let record = json!({"id": "x", "url": "http://a.test/?a&b", "title": "T", "label": "slv",
            "text": "Lep dan. Res?\nDa.", "fetch": {"published": "2024-02-30", "author": ["Ana & Bor"], "licence": "https://l.test/ a",
            "at": "2025-01-02T03:04:05Z", "optout": ["noai"]}});
        let text = tei(&[record.to_string()]);
        for part in [
            "<title>A &amp; B</title>",
            "<idno type=\"URL\">http://a.test/?a&amp;b</idno>",
            "<author>Ana &amp; Bor</author>",
            "<date type=\"published\">2024-02-30</date>",
            "<date type=\"retrieved\" when=\"2025-01-02\">2025-01-02</date>",
            "<licence target=\"https://l.test/%20a\">https://l.test/ a</licence>",
            "mining: noai.</p>",
            "<language ident=\"sl\">slv</language>",
            "<text xml:lang=\"sl\"><body><p><s>Lep dan.</s> <s>Res?</s></p><p><s>Da.</s></p></body>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// libxml2 2.9 refuses text nodes of more than 10,000,000 bytes.
    #[test]
    fn a_long_text_has_several_nodes() {
        let text = "č".repeat(9_000_000);
        let long = tei(&[json!({ "text": text }).to_string()]);
        let (_, sentence) = long.split_once("<s>").unwrap();
        let (sentence, _) = sentence.split_once("</s>").unwrap();
        let nodes: Vec<&str> = sentence.split("<?continued?>").collect();
        assert!(nodes.len() == 3 && nodes.iter().all(|node| node.len() <= 8_000_000));
        assert!(nodes.concat() == text);
        // Titles and addresses have parts, too, and an attribute has none.
        let url = format!("http://a.test/{}", "a".repeat(9_000_000));
        let record = json!({"text": "a", "title": "b".repeat(9_000_000), "url": url});
        let header = tei(&[record.to_string()]);
        let is_long = |node: &&str| node.len() > 8_000_000;
        assert_eq!(header.split(['<', '>']).find(is_long), None);
        assert!(header.contains("a<?continued?>a") && header.contains("b<?continued?>b"));
    }

    #[test]
    fn parts_of_the_text_are_elements() {
        let part = |kind: &str, level: u8, start: usize, end: usize| json!({"kind": kind, "level": level, "start": start, "end": end});
        let record = json!({"text": "Uvod.\nČas\nena\ndve\nNoč. Dan.\na\nb\n x\n  y\nKonec", "structure": [
            part("heading", 3, 6, 9), part("list", 1, 10, 17), part("item", 1, 10, 17), part("list", 2, 14, 17),
            part("item", 2, 14, 17), part("heading", 2, 18, 27), part("table", 0, 28, 31), part("row", 0, 28, 31),
            part("cell", 0, 28, 29), part("cell", 0, 30, 31), part("code", 0, 32, 38), part("quote", 0, 39, 44)]});
        let text = tei(&[record.to_string()]);
        let (_, body) = text.split_once("<body>").unwrap();
        let expected = "<p><s>Uvod.</s></p><div><head><s>Čas</s></head>\
            <list><item><s>ena</s><list><item><s>dve</s></item></list></item></list></div>\
            <div><head><s>Noč.</s> <s>Dan.</s></head><table><row><cell><s>a</s></cell><cell><s>b</s></cell></row></table>\
            <eg> x\n  y</eg><quote><p><s>Konec</s></p></quote></div></body></text></TEI>\n</teiCorpus>\n";
        assert_eq!(body, expected);
    }

    #[test]
    fn dates_and_urls_have_the_forms_of_xml_schema() {
        for (date, expected) in [
            ("2024-02-29T10:00:00+01:00", Some("2024-02-29")),
            ("2024-05", Some("2024-05")),
            ("2024", Some("2024")),
            ("2023-02-29", None),
            ("včeraj", None),
            ("", None),
        ] {
            assert_eq!(w3c_date(date), expected, "{date}");
        }
        assert_eq!(
            any_uri("http://a.test/č%C4%8D%x|{}"),
            "http://a.test/č%C4%8D%25x%7C%7B%7D"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_well_formed(
            text in any::<String>(), title in any::<String>(), url in any::<String>(), label in any::<String>(),
            parts in prop::collection::vec((0..10_usize, 0..8_usize), 0..6)
        ) {
            const KINDS: [&str; 10] =
                ["paragraph", "heading", "list", "item", "quote", "table", "row", "cell", "code", "caption"];
            // Each part is in the one before it.
            let length = text.chars().count();
            let mut end = length;
            let part = |(kind, shorter): (usize, usize)| {
                end = end.saturating_sub(shorter).max(length / 2);
                json!({"kind": KINDS[kind], "start": length / 2, "end": end})
            };
            let structure: Vec<_> = parts.into_iter().map(part).collect();
            let record = json!({"text": text, "title": title, "url": url, "label": label, "structure": structure});
            let record = record.to_string();
            let xml = tei(&[record]);
            let allowed = |c: char| c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
            prop_assert!(xml.chars().all(|c| allowed(c) || c == '\t'), "{:?}", xml);
            let mut reader = Reader::from_str(&xml);
            reader.config_mut().check_end_names = true;
            loop {
                match reader.read_event() {
                    Ok(Event::Eof) => break,
                    Ok(Event::Start(start)) => prop_assert!(start.attributes().all(|a| a.is_ok())),
                    Ok(_) => {}
                    Err(e) => prop_assert!(false, "{}", e),
                }
            }
        }
    }
}
