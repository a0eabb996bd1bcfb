//! The pages of a PDF, even if its structure is damaged: the cross-reference table, which is at the
//! end of the file and lost if the file is truncated, or the page tree.

use super::budget::Budget;
use super::object_streams;
use memchr::memmem;
use pdf_extract::{Dictionary, Document, Error, Object, ObjectId};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::iter;
use std::ops::Range;

/// The beginning of a PDF; other bytes may precede it.
const MAGIC: &[u8] = b"%PDF-";
/// Largest object number (ISO 32000-1, annex C).
const MAX_OBJECT_NUMBER: u32 = 8_388_607;
/// Maximum number of levels of a page tree.
const MAX_TREE_LEVELS: usize = 256;
/// The attributes that the crate needs of each page, which may be inherited from its ancestors,
/// each with a test for a valid value.
const INHERITABLE: [InheritableAttribute; 2] = [
    (b"Resources", |value| value.as_dict().is_ok()),
    (b"MediaBox", is_rectangle),
];
type InheritableAttribute = (&'static [u8], fn(&Object) -> bool);
/// The media box of a page without one: US Letter, as in common PDF readers.
const LETTER: [i64; 4] = [0, 0, 612, 792];

fn is_rectangle(value: &Object) -> bool {
    value.as_array().is_ok_and(|corners| {
        corners.len() == 4 && corners.iter().all(|corner| corner.as_float().is_ok())
    })
}

/// Reserves the numbers that objects of a PDF may have: those that are missing must not become
/// those of objects which are added.
pub(super) fn reserve_object_numbers(document: &mut Document) {
    document.max_id = document.max_id.clamp(MAX_OBJECT_NUMBER, u32::MAX / 2);
}

/// Parses a PDF. If its cross-reference table cannot be read, or lacks objects, searches the file
/// for them.
///
/// # Errors
/// Fails if nothing of a PDF can be read.
pub(super) fn load_document(body: &[u8], budget: &mut Budget) -> Result<Document, Error> {
    // The crate has no object with such a stream; with another wrong length, it has the dictionary.
    const NEGATIVE_LENGTH: &[u8] = b"/Length -";
    let mut repaired = Cow::Borrowed(body);
    for index in memmem::find_iter(body, NEGATIVE_LENGTH) {
        repaired.to_mut()[index + NEGATIVE_LENGTH.len() - 1] = b'0';
    }
    let body = &*object_streams::without_hostile_tables(&repaired, budget);
    let document = object_streams::load(body, budget);
    if document.as_ref().is_ok_and(Document::is_encrypted) {
        return document;
    }
    let offsets = find_objects(body);
    let has_all_objects = |document: &Document| {
        offsets
            .iter()
            .all(|(number, object)| document.has_object((*number, object.generation)))
    };
    if document.as_ref().is_ok_and(has_all_objects) {
        return document;
    }
    let recovered = with_new_table(body, &offsets).map(|body| object_streams::load(&body, budget));
    match (document, recovered) {
        (Ok(mut document), Some(Ok(recovered))) if !list_pages(&document).is_empty() => {
            for (id, object) in recovered.objects {
                document.objects.entry(id).or_insert(object);
            }
            Ok(document)
        }
        (_, Some(Ok(recovered))) if !list_pages(&recovered).is_empty() => Ok(recovered),
        (document, _) => document,
    }
}

/// Returns the pages in their order, each once; without a page tree, all page objects by number.
pub(super) fn list_pages(document: &Document) -> Vec<ObjectId> {
    let has_type = |object: &Object, object_type: &[u8]| {
        object
            .as_dict()
            .is_ok_and(|object| object.has_type(object_type))
    };
    let objects_of_type = |object_type| {
        document
            .objects
            .iter()
            .filter(move |(_, object)| has_type(object, object_type))
    };
    // If the trailer is lost, each catalog may be the right one.
    let catalogs = document
        .catalog()
        .into_iter()
        .chain(objects_of_type(b"Catalog").filter_map(|(_, catalog)| catalog.as_dict().ok()));
    let pages = catalogs
        .map(|catalog| list_tree_pages(document, catalog))
        .find(|pages| !pages.is_empty());
    pages.unwrap_or_else(|| objects_of_type(b"Page").map(|(id, _)| *id).collect())
}

/// Returns the pages of a catalog's page tree: the nodes without `Kids`, whatever their type is,
/// except for empty `Pages` nodes.
fn list_tree_pages(document: &Document, catalog: &Dictionary) -> Vec<ObjectId> {
    let mut pages = Vec::new();
    let mut visited = HashSet::new();
    let mut stack: Vec<ObjectId> = catalog
        .get(b"Pages")
        .and_then(Object::as_reference)
        .into_iter()
        .collect();
    while let Some(id) = stack.pop() {
        let Some(node) = document
            .get_dictionary(id)
            .ok()
            .filter(|_| visited.insert(id))
        else {
            continue;
        };
        match node.get_deref(b"Kids", document).and_then(Object::as_array) {
            Ok(kids) => stack.extend(kids.iter().rev().filter_map(|kid| kid.as_reference().ok())),
            Err(_) if node.has_type(b"Pages") => {}
            Err(_) => pages.push(id),
        }
    }
    pages
}

/// A page tree with a single page, which can be replaced.
///
/// The crate traverses the tree for each page, which takes quadratic time, and follows its parents
/// for inherited attributes, which may be an infinite loop.
pub(super) struct SinglePageTree {
    tree: ObjectId,
    /// The current page, with its original object.
    current: Option<(ObjectId, Object)>,
}

impl SinglePageTree {
    /// Replaces the document's page tree by an empty one.
    pub fn install(document: &mut Document) -> SinglePageTree {
        let tree = document.add_object(Dictionary::new());
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("Pages", tree);
        } else {
            let catalog = document.add_object(Dictionary::from_iter([("Pages", tree.into())]));
            document.trailer.set("Root", catalog);
        }
        SinglePageTree {
            tree,
            current: None,
        }
    }

    /// Makes `id` the page of the tree. Restores the previous page without its inherited
    /// attributes, which may be large and the same for all pages.
    pub fn set_page(&mut self, document: &mut Document, id: ObjectId) {
        if let Some((id, page)) = self.current.take() {
            document.objects.insert(id, page);
        }
        self.current = document.objects.get(&id).map(|page| (id, page.clone()));
        let [resources, media_box] =
            INHERITABLE.map(|attribute| inherited_value(document, id, attribute));
        if let Ok(page) = document.get_dictionary_mut(id) {
            page.set("Type", "Page");
            page.set(
                INHERITABLE[0].0,
                resources.unwrap_or_else(|| Dictionary::new().into()),
            );
            page.set(
                INHERITABLE[1].0,
                media_box.unwrap_or_else(|| LETTER.map(Object::Integer).to_vec().into()),
            );
            page.remove(b"Parent");
        }
        if let Ok(tree) = document.get_dictionary_mut(self.tree) {
            tree.set("Kids", vec![id.into()]);
        }
    }
}

/// Returns the valid value of an attribute that is the page's own, or that of its nearest ancestor.
fn inherited_value(
    document: &Document,
    page: ObjectId,
    (key, is_valid): InheritableAttribute,
) -> Option<Object> {
    let parent = |node: &&Dictionary| {
        document
            .get_dictionary(node.get(b"Parent").ok()?.as_reference().ok()?)
            .ok()
    };
    let nodes = iter::successors(document.get_dictionary(page).ok(), parent).take(MAX_TREE_LEVELS);
    nodes
        .flat_map(|node| node.get_deref(key, document))
        .find(|value| is_valid(value))
        .cloned()
}

/// Returns the file with a new cross-reference table at its end. `None` if it has no objects, or
/// they are encrypted, as the new trailer would lack the encryption dictionary.
fn with_new_table(body: &[u8], offsets: &ObjectOffsets) -> Option<Vec<u8>> {
    if offsets.is_empty() || is_encrypted(body) {
        return None;
    }
    let mut repaired = body[memmem::find(body, MAGIC)?..].to_vec();
    let start = repaired.len() + 1;
    repaired.extend(b"\nxref\n0 1\n0000000000 65535 f \n");
    for (
        number,
        FoundObject {
            generation, offset, ..
        },
    ) in offsets
    {
        repaired.extend(format!("{number} 1\n{offset:010} {generation:05} n \n").bytes());
    }
    let size = offsets.last_key_value().map_or(0, |(number, _)| number + 1);
    let root =
        find_catalog_number(body).map_or_else(String::new, |root| format!("/Root {root} 0 R"));
    repaired
        .extend(format!("trailer\n<</Size {size}{root}>>\nstartxref\n{start}\n%%EOF\n").bytes());
    Some(repaired)
}

/// Returns `true` if a trailer refers to an encryption dictionary.
fn is_encrypted(body: &[u8]) -> bool {
    memmem::find_iter(body, b"/Encrypt").any(|position| {
        let value = body[position + b"/Encrypt".len()..].trim_ascii_start();
        value.starts_with(b"<<") || value.first().is_some_and(u8::is_ascii_digit)
    })
}

/// An object that was found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundObject {
    pub generation: u16,
    /// The distance from the file's magic number.
    offset: usize,
    /// Where the data of a stream may be in the file.
    pub stream: Option<Range<usize>>,
}

/// Objects by number.
type ObjectOffsets = BTreeMap<u32, FoundObject>;

/// Finds the beginnings of objects, such as `12 0 obj`, outside of streams. Of several objects with
/// the same number, the last one counts, as it is an update.
pub(super) fn find_objects(body: &[u8]) -> ObjectOffsets {
    let magic = memmem::find(body, MAGIC).unwrap_or(body.len());
    let body = &body[magic..];
    let mut offsets = ObjectOffsets::new();
    let mut stream_end = 0;
    let [mut object_ends, mut streams, mut stream_ends] =
        [&b"endobj"[..], b"stream", b"endstream"].map(|word| ForwardSearch::new(word));
    for position in memmem::find_iter(body, b"obj").filter(|position| *position >= 4) {
        if position < stream_end {
            continue;
        }
        let Some((offset, number, generation)) = object_header(&body[..position]) else {
            continue;
        };
        let object_end = object_ends.find_from(body, position);
        let stream = streams.find_from(body, position);
        let mut data = None;
        if stream < object_end {
            let start = stream + b"stream".len();
            stream_end = stream_ends.find_from(body, stream).min(body.len());
            // Without an end, it would comprise the next stream.
            if memmem::find(&body[start..stream_end], b"stream").is_some() {
                stream_end = object_end;
            }
            data = Some(magic + start..magic + stream_end)
                .filter(|_| body[..stream].trim_ascii_end().ends_with(b">>"));
        }
        let object = FoundObject {
            generation,
            offset,
            stream: data,
        };
        offsets.insert(number, object);
    }
    offsets
}

/// A search for the next occurrence of a word that scans the file only once, however many times it
/// is called.
struct ForwardSearch<'a> {
    word: &'a [u8],
    last_match: Option<usize>,
}

impl ForwardSearch<'_> {
    const fn new(word: &[u8]) -> ForwardSearch<'_> {
        ForwardSearch {
            word,
            last_match: None,
        }
    }

    /// Returns the first position of the word at `start` or later, or the end of the file if there
    /// is none. `start` must not decrease between calls.
    fn find_from(&mut self, body: &[u8], start: usize) -> usize {
        let known = self.last_match.filter(|position| *position >= start);
        let find = || {
            memmem::find(&body[start..], self.word).map_or(body.len(), |distance| start + distance)
        };
        *self.last_match.insert(known.unwrap_or_else(find))
    }
}

/// Returns the offset, number and generation of the object whose `obj` follows `before`.
fn object_header(before: &[u8]) -> Option<(usize, u32, u16)> {
    let (before, generation) = split_last_number(before)?;
    let (before, number) = split_last_number(before)?;
    (1..=MAX_OBJECT_NUMBER).contains(&number).then_some((
        before.len(),
        number,
        u16::try_from(generation).ok()?,
    ))
}

/// Splits off the number that ends a text and is followed by white space.
fn split_last_number(text: &[u8]) -> Option<(&[u8], u32)> {
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

/// Returns the object number of the catalog in the last trailer of the file.
fn find_catalog_number(body: &[u8]) -> Option<u32> {
    let root = body[memmem::rfind(body, b"/Root")? + b"/Root".len()..].trim_ascii_start();
    let digits = root.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&root[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::find_objects;

    #[test]
    fn finds_objects_outside_of_streams_by_their_beginnings() {
        let offsets = find_objects(
            b"%PDF-1.4\n1 0 obj<<>>endobj 12\r\n3  obj[1 0 R]\nendobj \
              x 0 obj 4 0obj 0 0 obj 1 1 obj",
        );
        assert_eq!(
            offsets
                .into_iter()
                .map(|(number, object)| (number, object.generation, object.offset))
                .collect::<Vec<_>>(),
            [(1, 1, 75), (12, 3, 27)]
        );
        let offsets =
            find_objects(b"x%PDF-1.4\n1 0 obj<<>>stream\n2 0 obj endobj\nendstream endobj 3 0 obj");
        assert_eq!(offsets.into_keys().collect::<Vec<_>>(), [1, 3]);
    }
}
