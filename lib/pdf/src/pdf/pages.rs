//! The pages of a PDF, found also where its tables are damaged: the place of each object, which
//! stands at the end of the file and is lost with it, and the tree of pages.

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
/// What pages have from those above them, and what the crate wants of each: where it is, and
/// whether it is one.
const INHERITED: [Inherited; 2] = [
    (b"Resources", |value| value.as_dict().is_ok()),
    (b"MediaBox", is_box),
];
type Inherited = (&'static [u8], fn(&Object) -> bool);
/// The page of one that doesn't tell: US Letter, as readers take it.
const LETTER: [i64; 4] = [0, 0, 612, 792];

fn is_box(value: &Object) -> bool {
    value
        .as_array()
        .is_ok_and(|corners| corners.len() == 4 && corners.iter().all(|it| it.as_float().is_ok()))
}

/// Reads a PDF. Where its tables can't be read, or lack objects, these are looked for in the file.
///
/// # Errors
/// When there is nothing of a PDF in it.
pub(super) fn load(body: &[u8]) -> Result<Document, Error> {
    let document = Document::load_mem(body);
    if document.as_ref().is_ok_and(Document::is_encrypted) {
        return document;
    }
    let objects = objects(body);
    let is_whole = |document: &Document| {
        objects
            .iter()
            .all(|(number, place)| document.has_object((*number, place.0)))
    };
    if document.as_ref().is_ok_and(is_whole) {
        return document;
    }
    let found = with_own_table(body, &objects).map(|body| Document::load_mem(&body));
    match (document, found) {
        (Ok(mut document), Some(Ok(found))) if !all(&document).is_empty() => {
            for (id, object) in found.objects {
                document.objects.entry(id).or_insert(object);
            }
            Ok(document)
        }
        (_, Some(Ok(found))) if !all(&found).is_empty() => Ok(found),
        (document, _) => document,
    }
}

/// The pages in their order, each once; where there is no tree of them, all that there are, by
/// number.
pub(super) fn all(document: &Document) -> Vec<ObjectId> {
    let is =
        |object: &Object, kind: &[u8]| object.as_dict().is_ok_and(|object| object.has_type(kind));
    let of_type = |kind| {
        document
            .objects
            .iter()
            .filter(move |(_, object)| is(object, kind))
    };
    // What tells which one counts is lost with the tables.
    let catalogs = document
        .catalog()
        .into_iter()
        .chain(of_type(b"Catalog").filter_map(|(_, it)| it.as_dict().ok()));
    let pages = catalogs
        .map(|catalog| in_tree(document, catalog))
        .find(|pages| !pages.is_empty());
    pages.unwrap_or_else(|| of_type(b"Page").map(|(id, _)| *id).collect())
}

/// The pages of a catalogue's tree: what has no others below it, whatever it says of itself.
fn in_tree(document: &Document, catalog: &Dictionary) -> Vec<ObjectId> {
    let (mut pages, mut met) = (Vec::new(), HashSet::new());
    let mut left: Vec<ObjectId> = catalog
        .get(b"Pages")
        .and_then(Object::as_reference)
        .into_iter()
        .collect();
    while let Some(id) = left.pop() {
        let Some(node) = document.get_dictionary(id).ok().filter(|_| met.insert(id)) else {
            continue;
        };
        match node.get_deref(b"Kids", document).and_then(Object::as_array) {
            Ok(kids) => left.extend(kids.iter().rev().filter_map(|kid| kid.as_reference().ok())),
            Err(_) if node.has_type(b"Pages") => {}
            Err(_) => pages.push(id),
        }
    }
    pages
}

/// A tree that holds one page at a time, which is the first. The crate goes through the tree for
/// each page, which takes time that grows with the square of their number, and up from it to what
/// it inherits, which may have no end.
pub(super) struct Single {
    tree: ObjectId,
    /// The page that it holds, as it was.
    held: Option<(ObjectId, Object)>,
}

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
        Single { tree, held: None }
    }

    /// Makes this the page that the tree holds. What the one before was given goes: it may be much,
    /// and the same for all.
    pub fn hold(&mut self, document: &mut Document, id: ObjectId) {
        if let Some((id, page)) = self.held.take() {
            document.objects.insert(id, page);
        }
        self.held = document.objects.get(&id).map(|page| (id, page.clone()));
        let [resources, media_box] = INHERITED.map(|key| inherited(document, id, key));
        if let Ok(page) = document.get_dictionary_mut(id) {
            page.set("Type", "Page");
            page.set(
                INHERITED[0].0,
                resources.unwrap_or_else(|| Dictionary::new().into()),
            );
            page.set(
                INHERITED[1].0,
                media_box.unwrap_or_else(|| LETTER.map(Object::Integer).to_vec().into()),
            );
            page.remove(b"Parent");
        }
        if let Ok(tree) = document.get_dictionary_mut(self.tree) {
            tree.set("Kids", vec![id.into()]);
        }
    }
}

/// What a page, or the nearest above it that does, has at a key.
fn inherited(document: &Document, page: ObjectId, (key, is_one): Inherited) -> Option<Object> {
    let above = |node: &&Dictionary| {
        document
            .get_dictionary(node.get(b"Parent").ok()?.as_reference().ok()?)
            .ok()
    };
    let nodes = iter::successors(document.get_dictionary(page).ok(), above).take(MOST_LEVELS);
    nodes
        .flat_map(|node| node.get_deref(key, document))
        .find(|value| is_one(value))
        .cloned()
}

/// The file with a table, at its end, of the objects that are in it; nothing where there are none,
/// or they are encrypted, as it would have to be told how.
fn with_own_table(body: &[u8], objects: &Objects) -> Option<Vec<u8>> {
    if objects.is_empty() || is_encrypted(body) {
        return None;
    }
    let mut mended = body[memmem::find(body, MAGIC)?..].to_vec();
    let start = mended.len() + 1;
    mended.extend(b"\nxref\n0 1\n0000000000 65535 f \n");
    for (number, (generation, at)) in objects {
        mended.extend(format!("{number} 1\n{at:010} {generation:05} n \n").bytes());
    }
    let size = objects.last_key_value().map_or(0, |(number, _)| number + 1);
    let root = root(body).map_or_else(String::new, |root| format!("/Root {root} 0 R"));
    mended.extend(format!("trailer\n<</Size {size}{root}>>\nstartxref\n{start}\n%%EOF\n").bytes());
    Some(mended)
}

/// Whether a trailer says so.
fn is_encrypted(body: &[u8]) -> bool {
    memmem::find_iter(body, b"/Encrypt").any(|at| {
        let told = body[at + b"/Encrypt".len()..].trim_ascii_start();
        told.starts_with(b"<<") || told.first().is_some_and(u8::is_ascii_digit)
    })
}

/// Generations of objects, and where they begin behind the file's magic number, by number.
type Objects = BTreeMap<u32, (u16, usize)>;

/// Where each object begins, as `12 0 obj`; of several with one number the last, as it was changed.
/// What is within a stream is none.
fn objects(body: &[u8]) -> Objects {
    let body = memmem::find(body, MAGIC).map_or(&[][..], |start| &body[start..]);
    let (mut found, mut behind) = (Objects::new(), 0);
    let [mut ends, mut streams, mut stream_ends] =
        [&b"endobj"[..], b"stream", b"endstream"].map(|word| Ahead::new(word));
    for at in memmem::find_iter(body, b"obj").filter(|at| *at >= 4) {
        let Some((place, number, generation)) =
            (at >= behind).then(|| object(&body[..at])).flatten()
        else {
            continue;
        };
        found.insert(number, (generation, place));
        let (end, stream) = (ends.from(body, at), streams.from(body, at));
        if stream < end {
            behind = stream_ends.from(body, stream).min(body.len());
        }
    }
    found
}

/// Where a word stands next; a file is gone through once, however often that is asked.
struct Ahead<'a> {
    word: &'a [u8],
    at: Option<usize>,
}

impl Ahead<'_> {
    const fn new(word: &[u8]) -> Ahead<'_> {
        Ahead { word, at: None }
    }

    /// Its place at `start` or behind it; the end of the file where there is none. Starts don't go
    /// back.
    fn from(&mut self, body: &[u8], start: usize) -> usize {
        let known = self.at.filter(|at| *at >= start);
        let found = || memmem::find(&body[start..], self.word).map_or(body.len(), |at| start + at);
        *self.at.insert(known.unwrap_or_else(found))
    }
}

/// Place, number and generation of the object whose `obj` comes next.
fn object(before: &[u8]) -> Option<(usize, u32, u16)> {
    let (before, generation) = number_before(before)?;
    let (before, number) = number_before(before)?;
    (1..=MOST_OBJECTS).contains(&number).then_some((
        before.len(),
        number,
        u16::try_from(generation).ok()?,
    ))
}

/// The number that stands at the end before blanks, and what is before it.
fn number_before(text: &[u8]) -> Option<(&[u8], u32)> {
    let trimmed = text.trim_ascii_end();
    let digits = trimmed
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
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
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [(1, (1, 75)), (12, (3, 27))]
        );
        let found =
            objects(b"x%PDF-1.4\n1 0 obj<<>>stream\n2 0 obj endobj\nendstream endobj 3 0 obj");
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [1, 3]);
    }
}
