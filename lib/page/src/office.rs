//! Text documents in a zip: Word (docx, ISO/IEC 29500) and OpenDocument (odt, ISO/IEC 26300).

use crate::unpack::Member;
use crate::xml::{OPEN_DOCUMENT, WORD, XmlFormat, attribute_value, read_text};
use forage_content::media::decode;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::HashSet;

/// The file with the types of all files of an Office document (ISO/IEC 29500-2).
const CONTENT_TYPES: &str = "[Content_Types].xml";

/// Returns the text of a document, a paragraph a line, or `None` if the files are those of another
/// kind of archive.
pub(crate) fn text_of_document(members: &[Member]) -> Option<String> {
    let find = |name: &str| find_member(members, name);
    let main_part = find(CONTENT_TYPES).and_then(|types| find_main_part(&types.body));
    let main_part = main_part.as_deref().and_then(find);
    if let Some(member) = main_part.or_else(|| find("word/document.xml")) {
        return Some(read_part(member, find("word/styles.xml"), WORD));
    }
    let mimetype = find("mimetype")?;
    let is_text = mimetype
        .body
        .starts_with(b"application/vnd.oasis.opendocument.text");
    let content = find("content.xml").filter(|_| is_text)?;
    Some(read_part(content, find("styles.xml"), OPEN_DOCUMENT))
}

/// Returns `true` if the files are those of another document of an office program, as a
/// spreadsheet, whose text is not read.
pub(crate) fn is_other_document(members: &[Member]) -> bool {
    members.iter().any(|member| {
        let is_open_document = member.name == "mimetype"
            && member
                .body
                .starts_with(b"application/vnd.oasis.opendocument.");
        is_open_document || member.name == "[Content_Types].xml"
    })
}

/// Returns the file with this path. Programs write paths with other case and with backslashes.
fn find_member<'a>(members: &'a [Member], path: &str) -> Option<&'a Member> {
    let is_path = |member: &&Member| member.name.replace('\\', "/").eq_ignore_ascii_case(path);
    members.iter().find(is_path)
}

/// Returns the path of the text of a Word document, or a template, by the types of its files.
fn find_main_part(types: &[u8]) -> Option<String> {
    let types = String::from_utf8_lossy(types);
    let mut reader = Reader::from_str(&types);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(tag) | Event::Empty(tag) => {
                let media_type = attribute_value(&tag, "ContentType").unwrap_or_default();
                let is_word = media_type.contains("wordprocessingml")
                    || media_type.starts_with("application/vnd.ms-word.");
                if is_word && media_type.ends_with(".main+xml") {
                    let path = attribute_value(&tag, "PartName")?;
                    return Some(path.trim_start_matches('/').to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Reads the text of a document from the file that has it, and the one with its styles.
fn read_part(content: &Member, styles: Option<&Member>, format: XmlFormat) -> String {
    let mut hidden_styles = HashSet::new();
    let read = |member: &Member, hidden_styles: &mut HashSet<String>| {
        let (xml, _) = decode(&member.body, None, true, None);
        read_text(&xml, format, hidden_styles).text
    };
    if let Some(styles) = styles {
        read(styles, &mut hidden_styles);
    }
    read(content, &mut hidden_styles)
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
            "Potok\nVoda teče."
        );
        assert_eq!(text("index.html", "<p>a"), None);
    }

    #[test]
    fn notes_are_left_out_and_faults_of_the_xml_cost_no_text() {
        let odt = "<office:text><text:p>Potok<text:note><text:note-citation>1</text:note-citation>\
             <text:note-body><text:p>Opomba</text:p></text:note-body></text:note> teče.</text:p>";
        assert_eq!(text("content.xml", odt).unwrap(), "Potok teče.\n");
        let docx = "<w:p><w:t>A & B</w:t></w:p><w:p><w:r><w:t>C&D &lt; E & </w:t></w:x></w:p>\
             <w:p><w:t>F</w:t></w:p>";
        let lines = text("word/document.xml", docx).unwrap();
        assert_eq!(lines, "A & B\nC&D < E & \nF\n");
    }

    #[test]
    fn the_types_of_the_files_name_the_text_of_a_document() {
        let xml = "<w:p><w:t>Potok</w:t></w:p>";
        for (kind, part, file) in [
            (
                "officedocument.wordprocessingml.document",
                "/word/document2.xml",
                "word/document2.xml",
            ),
            (
                "openxmlformats-officedocument.wordprocessingml.template",
                "/a/B.xml",
                "A\\b.xml",
            ),
            (
                "ms-word.document.macroEnabled",
                "/word/document.xml",
                "Word/Document.xml",
            ),
            ("other", "/x.xml", "word/document.xml"),
        ] {
            let types = format!(
                "<Types><Default Extension='xml' ContentType='application/xml'/>\
                 <Override PartName='/word/styles.xml' ContentType='application/vnd.openxmlformats-\
                 officedocument.wordprocessingml.styles+xml'/>\
                 <Override PartName='{part}' ContentType='application/vnd.{kind}.main+xml'/></Types>"
            );
            let member = |name: &str, body: &str| Member {
                name: name.to_owned(),
                body: body.as_bytes().to_vec(),
            };
            let members = [
                member("[Content_Types].xml", &types),
                member("word/styles.xml", "<w:t>x</w:t>"),
                member(file, xml),
            ];
            assert_eq!(
                text_of_document(&members).as_deref(),
                Some("Potok\n"),
                "{kind}"
            );
        }
    }
}
