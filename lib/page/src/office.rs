//! Text documents in a zip: Word (docx, ISO/IEC 29500) and OpenDocument (odt, ISO/IEC 26300).

use crate::unpack::Member;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;

/// Elements whose content is not text of the document: deleted text, comments, and the same text for
/// other programs.
const LEFT_OUT: [&str; 4] = ["tracked-changes", "annotation", "Fallback", "del"];

/// Returns the text of a document, one paragraph per line, or `None` if the files are those of
/// another kind of archive.
pub(crate) fn text_of_document(members: &[Member]) -> Option<String> {
    let find = |name: &str| members.iter().find(|member| member.name == name);
    if let Some(member) = find("word/document.xml") {
        return Some(read_paragraphs(&member.body, &["t"]));
    }
    let mimetype = find("mimetype")?;
    let is_text = mimetype
        .body
        .starts_with(b"application/vnd.oasis.opendocument.text");
    let content = find("content.xml").filter(|_| is_text)?;
    Some(read_paragraphs(&content.body, &["p", "h"]))
}

/// Returns `true` if the files are those of another document of an office program, as a spreadsheet,
/// whose text is not read.
pub(crate) fn is_other_document(members: &[Member]) -> bool {
    members.iter().any(|member| {
        let is_open_document = member.name == "mimetype"
            && member
                .body
                .starts_with(b"application/vnd.oasis.opendocument.");
        is_open_document || member.name == "[Content_Types].xml"
    })
}

/// Reads the paragraphs of a document up to its end, or the first fault. `text_elements` are those in
/// which characters are text.
fn read_paragraphs(xml: &[u8], text_elements: &[&str]) -> String {
    let xml = String::from_utf8_lossy(xml);
    let mut reader = Reader::from_str(&xml);
    let mut text = String::new();
    // Open elements with text, and open elements that are left out.
    let (mut in_text, mut left_out) = (0_usize, 0_usize);
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Eof => break,
            Event::Start(tag) => {
                let name = local_name(tag.name().into_inner());
                left_out += usize::from(left_out > 0 || LEFT_OUT.contains(&name));
                in_text += usize::from(text_elements.contains(&name));
            }
            Event::End(tag) => {
                let name = local_name(tag.name().into_inner());
                left_out = left_out.saturating_sub(1);
                in_text = in_text.saturating_sub(usize::from(text_elements.contains(&name)));
                if matches!(name, "p" | "h") {
                    text.push('\n');
                }
            }
            _ if left_out > 0 => {}
            Event::Empty(tag) => match local_name(tag.name().into_inner()) {
                "br" | "cr" | "line-break" | "p" | "h" => text.push('\n'),
                "tab" | "s" => text.push(' '),
                "noBreakHyphen" => text.push('\u{2011}'),
                _ => {}
            },
            Event::Text(characters) if in_text > 0 => text.push_str(characters),
            Event::CData(characters) if in_text > 0 => text.push_str(characters),
            Event::GeneralRef(reference) if in_text > 0 => {
                let number = reference.resolve_char_ref().ok().flatten();
                match (number, resolve_xml_entity(reference)) {
                    (Some(character), _) => text.push(character),
                    (None, Some(characters)) => text.push_str(characters),
                    (None, None) => {}
                }
            }
            _ => {}
        }
    }
    text
}

/// Returns a name without its prefix.
pub(crate) fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::text_of_document;
    use crate::unpack::Member;

    fn text(name: &str, xml: &str) -> Option<String> {
        let member = |name: &str, body: &str| Member {
            name: name.to_owned(),
            body: body.as_bytes().to_vec(),
        };
        let mimetype = member("mimetype", "application/vnd.oasis.opendocument.text");
        text_of_document(&[
            mimetype,
            member("styles.xml", "<s>x</s>"),
            member(name, xml),
        ])
    }

    #[test]
    fn reads_the_paragraphs_of_a_document() {
        let docx = "<?xml version='1.0'?><w:document><w:body><w:p><w:r><w:t>Po</w:t></w:r><w:r>\
             <w:t>tok &amp; m&#269;n</w:t><w:tab/><w:t>a</w:t></w:r></w:p><w:p/><w:p><w:r>\
             <w:instrText>PAGE</w:instrText><w:delText>x</w:delText><w:t>Voda</w:t><w:br/>\
             <w:t>teče</w:t></w:r></w:p></w:body></w:document>";
        let lines = text("word/document.xml", docx).unwrap();
        assert_eq!(lines, "Potok & mčn a\n\nVoda\nteče\n");
        let odt = "<office:document-content><text:h>Potok</text:h><text:p>Voda<text:s/>teče\
             <office:annotation><text:p>x</text:p></office:annotation>.</text:p>";
        assert_eq!(
            text("content.xml", odt).unwrap().trim(),
            "Potok\nVoda teče\n."
        );
        assert_eq!(text("index.html", "<p>a"), None);
    }
}
