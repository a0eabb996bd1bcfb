//! The pages of a PDF, found also where its tables are damaged: the place of each object, which stands at the end of the
//! file and is lost with it, and the tree of pages.

use memchr::memmem;
use pdf_extract::{Dictionary, Document, Error, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};
use std::iter;

/// What a PDF begins with; anything may stand before it.
const MAGIC: &[u8] = b"%PDF-";
/// Numbers of objects go no further (ISO 32000-1, annex C).
const MOST_OBJECTS: u32 = 8_388_607;
/// Levels of a tree of pages.
const MOST_LEVELS: usize = 256;
/// What pages have from those above them, and what the crate wants of each.
const INHERITED: [&[u8]; 2] = [b"Resources", MEDIA_BOX];
const MEDIA_BOX: &[u8] = b"MediaBox";
/// The page of one that doesn't tell: US Letter, as readers take it.
const LETTER: [i64; 4] = [0, 0, 612, 792];

/// Reads a PDF. Where its tables can't be read, or tell of no page, the objects are looked for in the file.
///
/// # Errors
/// When there is nothing of a PDF in it.
pub(super) fn load(body: &[u8]) -> Result<Document, Error> {
    let document = Document::load_mem(body);
    if document.as_ref().is_ok_and(|document| document.is_encrypted() || !all(document).is_empty()) {
        return document;
    }
    match with_own_table(body).map(|body| Document::load_mem(&body)) {
        Some(Ok(mended)) if !all(&mended).is_empty() => Ok(mended),
        _ => document,
    }
}

/// The pages in their order, each once; where the tree has none, all that there are, by number.
pub(super) fn all(document: &Document) -> Vec<ObjectId> {
    let mut met = HashSet::new();
    let pages: Vec<ObjectId> = document.page_iter().filter(|page| met.insert(*page)).collect();
    if !pages.is_empty() {
        return pages;
    }
    let is_page = |object: &Object| object.as_dict().is_ok_and(|object| object.has_type(b"Page"));
    document.objects.iter().filter(|(_, object)| is_page(object)).map(|(id, _)| *id).collect()
}

/// A tree that holds one page at a time, which is the first. The crate goes through the tree for each page, which takes
/// time that grows with the square of their number, and up from it to what it inherits, which may have no end.
pub(super) struct Single(ObjectId);

impl Single {
    /// Puts such a tree in place of the document's.
    pub fn plant(document: &mut Document) -> Single {
        let tree = document.add_object(Dictionary::new());
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("Pages", tree);
        } else {
            let catalog = document.add_object(Dictionary::from_iter([("Pages", tree.into())]));
            document.trailer.set("Root", catalog);
        }
        Single(tree)
    }

    /// Makes this the page that the tree holds.
    pub fn hold(&self, document: &mut Document, id: ObjectId) {
        let inherited = INHERITED.map(|key| inherited(document, id, key));
        if let Ok(page) = document.get_dictionary_mut(id) {
            for (key, value) in INHERITED.into_iter().zip(inherited) {
                page.set(key, value.unwrap_or_else(|| default(key)));
            }
            page.remove(b"Parent");
        }
        if let Ok(tree) = document.get_dictionary_mut(self.0) {
            tree.set("Kids", vec![id.into()]);
        }
    }
}

/// What a page, or the nearest above it that does, has at a key.
fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    let above = |node: &&Dictionary| document.get_dictionary(node.get(b"Parent").ok()?.as_reference().ok()?).ok();
    let nodes = iter::successors(document.get_dictionary(page).ok(), above).take(MOST_LEVELS);
    nodes.flat_map(|node| node.get(key)).next().cloned()
}

fn default(key: &[u8]) -> Object {
    if key == MEDIA_BOX { LETTER.map(Object::Integer).to_vec().into() } else { Dictionary::new().into() }
}

/// The file with a table, at its end, of the objects that are in it; nothing where there are none, or they are
/// encrypted, as it would have to be told how.
fn with_own_table(body: &[u8]) -> Option<Vec<u8>> {
    let body = &body[memmem::find(body, MAGIC)?..];
    let objects = objects(body);
    if objects.is_empty() || memmem::find(body, b"/Encrypt").is_some() {
        return None;
    }
    let mut mended = body.to_vec();
    let start = mended.len() + 1;
    mended.extend(b"\nxref\n0 1\n0000000000 65535 f \n");
    for (number, (generation, at)) in &objects {
        mended.extend(format!("{number} 1\n{at:010} {generation:05} n \n").bytes());
    }
    let size = objects.last_key_value().map_or(0, |(number, _)| number + 1);
    let root = root(body).map_or_else(String::new, |root| format!("/Root {root} 0 R"));
    mended.extend(format!("trailer\n<</Size {size}{root}>>\nstartxref\n{start}\n%%EOF\n").bytes());
    Some(mended)
}

/// Where each object begins, as `12 0 obj`, and its generation; of several with one number the last, as it was changed.
fn objects(body: &[u8]) -> BTreeMap<u32, (u16, usize)> {
    let found = memmem::find_iter(body, b"obj").filter_map(|at| {
        let (before, generation) = number_before(&body[..at])?;
        let (before, number) = number_before(before)?;
        Some((number, (u16::try_from(generation).ok()?, before.len())))
    });
    found.filter(|(number, _)| (1..=MOST_OBJECTS).contains(number)).collect()
}

/// The number that stands at the end before blanks, and what is before it.
fn number_before(text: &[u8]) -> Option<(&[u8], u32)> {
    let trimmed = text.trim_ascii_end();
    let digits = trimmed.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = trimmed.split_at(trimmed.len() - digits);
    let number = str::from_utf8(number).ok()?.parse().ok()?;
    (trimmed.len() < text.len()).then_some((before, number))
}

/// The number of the catalog, as the last one of the file's trailers tells it.
fn root(body: &[u8]) -> Option<u32> {
    let told = body[memmem::rfind(body, b"/Root")? + b"/Root".len()..].trim_ascii_start();
    let digits = told.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&told[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::objects;

    #[test]
    fn objects_are_found_by_how_they_begin() {
        let found = objects(b"%PDF-1.4\n1 0 obj<<>>endobj 12\r\n3  obj[1 0 R]\nendobj x 0 obj 4 0obj 0 0 obj 1 1 obj");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(1, (1, 75)), (12, (3, 27))]);
    }
}
