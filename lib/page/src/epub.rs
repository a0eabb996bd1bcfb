//! Books in EPUB: the order of their chapters, their title and their language (EPUB 3.3, section
//! 5).

use crate::unpack::Member;
use crate::xml::{attribute_value, lenient_reader, local_name, tdm_reservation};
use forage_content::media::decode;
use percent_encoding::percent_decode_str;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::HashMap;
use url::Url;

/// A book.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Book {
    /// Paths of the chapters in the archive, in reading order.
    pub chapters: Vec<String>,
    pub title: Option<String>,
    pub lang: Option<String>,
    /// The reservation against text and data mining that the package document states.
    pub tdm_reservation: Option<bool>,
}

impl Book {
    /// Reads the package document of a book. Returns `None` if the archive is no EPUB.
    pub fn read(members: &[Member]) -> Option<Book> {
        let find = |name: &str| members.iter().find(|member| member.name == name);
        let container = find("META-INF/container.xml")?;
        let named = find_package(&String::from_utf8_lossy(&container.body));
        let package = named
            .and_then(|path| find(&path))
            .or_else(|| members.iter().find(|member| member.name.ends_with(".opf")))?;
        let (xml, _) = decode(&package.body, None, true, None);
        let mut book = read_package(&xml, &package.name);
        if book.chapters.is_empty() {
            let names = members.iter().map(|member| &member.name);
            let is_page = |name: &&String| name.ends_with("html") || name.ends_with(".htm");
            book.chapters = names.filter(is_page).cloned().collect();
        }
        Some(book)
    }
}

/// Returns the path of the package document that the container names: the first one, which is the
/// default (EPUB Open Container Format 3.3, section 4.2.6.3.1).
fn find_package(container: &str) -> Option<String> {
    let mut reader = Reader::from_str(container);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(tag) | Event::Empty(tag)
                if local_name(tag.name().into_inner()) == "rootfile" =>
            {
                let path = attribute_value(&tag, "full-path")?;
                return Some(decode_path(&path));
            }
            _ => {}
        }
    }
}

/// Reads a package document with this path up to its end, or the first fault.
fn read_package(xml: &str, path: &str) -> Book {
    // Resolves paths as URLs do.
    let base = Url::parse("epub:///").and_then(|root| root.join(path)).ok();
    let mut reader = lenient_reader(xml);
    let mut book = Book {
        tdm_reservation: tdm_reservation(xml),
        ..Book::default()
    };
    let mut files: HashMap<String, String> = HashMap::new();
    let mut open = String::new();
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                local_name(tag.name().into_inner()).clone_into(&mut open);
                let attribute = |name: &str| attribute_value(tag, name);
                let is_menu = attribute("properties").is_some_and(|words| words.contains("nav"));
                let url = attribute("href").zip(base.as_ref());
                let url = url.and_then(|(href, base)| base.join(&href).ok());
                match (&*open, attribute("id").zip(url), attribute("idref")) {
                    ("item", Some((id, url)), _) if !is_menu => {
                        files.insert(id, decode_path(url.path()));
                    }
                    ("itemref", _, Some(id)) => book.chapters.extend(files.remove(&id)),
                    _ => {}
                }
            }
            Event::Text(text) => {
                let value = match &*open {
                    "title" => &mut book.title,
                    "language" => &mut book.lang,
                    _ => continue,
                };
                if value.is_none() && !text.trim().is_empty() {
                    *value = Some(text.trim().to_owned());
                }
            }
            Event::End(_) => open.clear(),
            _ => {}
        }
    }
    book
}

/// Returns the path in the archive for the path of a URL.
fn decode_path(path: &str) -> String {
    percent_decode_str(path.trim_start_matches('/'))
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Book, read_package};

    #[test]
    fn the_chapters_are_in_reading_order() {
        let package = "<?xml version='1.0'?><package><metadata><dc:title>Potok</dc:title>\
             <dc:language>sl</dc:language></metadata><manifest>\
             <item id='b' href='text/b%20c.xhtml'/><item id='a' href='../a.xhtml'/>\
             <item id='n' href='nav.xhtml' properties='nav'/><item id='c' href='s.css'/></manifest>\
             <spine><itemref idref='n'/><itemref idref='a'/><itemref idref='b'/></spine></package>";
        let book = Book {
            chapters: vec!["a.xhtml".to_owned(), "OEBPS/text/b c.xhtml".to_owned()],
            title: Some("Potok".to_owned()),
            lang: Some("sl".to_owned()),
            tdm_reservation: None,
        };
        assert_eq!(read_package(package, "OEBPS/content.opf"), book);
        assert_eq!(read_package("<package", ""), Book::default());
    }
}
