//! Form XObjects that include themselves, directly or through others, as in damaged documents, or that
//! are included very often (ISO 32000-1, 8.10.1). The crate includes forms by recursion, without a
//! limit, and fails on missing ones.

use super::budget::Budget;
use super::text_operators::MAX_CONTENT_BYTES;
use memchr::memmem;
use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::{HashMap, HashSet};

/// Greatest depth of forms within forms.
const MAX_DEPTH: usize = 50;

/// Removes from the content of a page, and from the forms that it includes, the inclusions of forms
/// that include themselves, are missing, or would exceed [`MAX_CONTENT_BYTES`]. Returns the size of
/// the content with that of all forms, each as often as it is included.
pub(super) fn cut_inclusions(
    document: &mut Document,
    page: ObjectId,
    content: ObjectId,
    budget: &mut Budget,
) -> usize {
    let none = Dictionary::new();
    let resources = document
        .get_dictionary(page)
        .and_then(|page| page.get_deref(b"Resources", document))
        .and_then(Object::as_dict)
        .unwrap_or(&none);
    let mut search = InclusionSearch {
        document,
        path: Vec::new(),
        sizes: HashMap::new(),
        cuts: Vec::new(),
        budget,
    };
    let size = search.visit(content, resources);
    for (form, names) in search.cuts {
        if let Ok(Object::Stream(form)) = document.get_object_mut(form) {
            remove_inclusions(form, &names);
        }
    }
    size
}

fn xobject_dictionary<'a>(
    document: &'a Document,
    resources: &'a Dictionary,
) -> Option<&'a Dictionary> {
    resources
        .get_deref(b"XObject", document)
        .and_then(Object::as_dict)
        .ok()
}

/// A depth-first search for inclusions to remove.
struct InclusionSearch<'a, 'b> {
    document: &'a Document,
    /// The streams by which the current one is included.
    path: Vec<ObjectId>,
    /// The sizes of streams with their forms, by the addresses of the resources that they inherit.
    sizes: HashMap<(ObjectId, usize), usize>,
    /// Streams with the names whose inclusions are to be removed.
    cuts: Vec<(ObjectId, HashSet<Vec<u8>>)>,
    budget: &'b mut Budget,
}

impl<'a> InclusionSearch<'a, '_> {
    /// Visits a stream, and returns its size with that of its forms. `inherited` are the resources of
    /// what includes it.
    fn visit(&mut self, id: ObjectId, inherited: &'a Dictionary) -> usize {
        let key = (id, std::ptr::from_ref(inherited).addr());
        if let Some(size) = self.sizes.get(&key) {
            return *size;
        }
        let Ok(Object::Stream(stream)) = self.document.get_object(id) else {
            return 0;
        };
        let mut size = stream.content.len();
        // It is read in order to know what it includes.
        if !self.budget.spend(size) {
            return MAX_CONTENT_BYTES + 1;
        }
        let own = stream.dict.get_deref(b"Resources", self.document);
        let resources = own.and_then(Object::as_dict).unwrap_or(inherited);
        let named = xobject_dictionary(self.document, resources);
        let mut cuts = HashSet::new();
        self.path.push(id);
        for name in included_names(stream) {
            if cuts.contains(&name) {
                continue;
            }
            let included = named.and_then(|named| named.get(&name).ok()?.as_reference().ok());
            let part = included.and_then(|included| self.visit_included(included, resources));
            self.budget.is_exceeded |= part.is_some_and(|part| size + part > MAX_CONTENT_BYTES);
            match part {
                Some(part) if size + part <= MAX_CONTENT_BYTES => size += part,
                _ => _ = cuts.insert(name),
            }
        }
        self.path.pop();
        if !cuts.is_empty() {
            self.cuts.push((id, cuts));
        }
        self.sizes.insert(key, size);
        size
    }

    /// Returns the size of an included stream with its forms; `None` if it is missing, no form, or
    /// includes itself.
    fn visit_included(&mut self, id: ObjectId, resources: &'a Dictionary) -> Option<usize> {
        let Ok(Object::Stream(stream)) = self.document.get_object(id) else {
            return None;
        };
        // Pictures have been emptied.
        let is_form = stream.dict.get(b"Subtype").and_then(Object::as_name);
        let is_form = is_form.is_ok_and(|name| name == b"Form") || stream.content.is_empty();
        let is_end = self.path.contains(&id) || self.path.len() >= MAX_DEPTH;
        (is_form && !is_end).then(|| self.visit(id, resources))
    }
}

/// Returns the names of the external objects that a stream includes, each time.
fn included_names(stream: &Stream) -> Vec<Vec<u8>> {
    let operations = inclusions(stream).map(|content| content.operations);
    let operations = operations.into_iter().flatten();
    let names = operations.filter_map(|operation| included_name(&operation).map(<[u8]>::to_vec));
    names.collect()
}

/// Returns the content of a stream that may include others.
fn inclusions(stream: &Stream) -> Option<Content<Vec<Operation>>> {
    memmem::find(&stream.content, b"Do")?;
    Content::decode(&stream.content).ok()
}

/// Returns the name of the external object that an operation includes.
fn included_name(operation: &Operation) -> Option<&[u8]> {
    let is_inclusion = operation.operator == "Do";
    let name = operation.operands.first().filter(|_| is_inclusion)?;
    name.as_name().ok()
}

/// Removes the operators of a stream that include the external objects of these names.
fn remove_inclusions(stream: &mut Stream, names: &HashSet<Vec<u8>>) {
    let Some(mut content) = inclusions(stream) else {
        return;
    };
    let operations = &mut content.operations;
    operations
        .retain(|operation| included_name(operation).is_none_or(|name| !names.contains(name)));
    if let Ok(content) = content.encode() {
        stream.set_plain_content(content);
    }
}

#[cfg(test)]
mod tests {
    use crate::typeset::extract_pdf_text;

    /// Builds a PDF of a page with this content, and the forms A, B and so on, which have these
    /// contents and no resources of their own. Form Z is missing.
    fn build_pdf(content: &str, forms: &[&str]) -> Vec<u8> {
        let stream = |fields: &str, content: &str| {
            let length = content.len();
            format!("<<{fields}/Length {length}>>\nstream\n{content}\nendstream")
        };
        let names = ('A'..).zip(6..).take(forms.len());
        let named = names.map(|(name, number)| format!("/{name} {number} 0 R "));
        let mut objects = vec![
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/\
                 Resources<</Font<</F 5 0 R>>/XObject<<{}/Z {} 0 R>>>>>>",
                named.collect::<String>(),
                6 + forms.len()
            ),
            stream("", content),
            "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>".to_owned(),
        ];
        objects.extend(forms.iter().map(|form| stream("/Subtype/Form", form)));
        let mut file = String::from("%PDF-1.4\n");
        let mut offsets = String::new();
        for (number, object) in (1..).zip(&objects) {
            offsets += &format!("{:010} 00000 n \n", file.len());
            file += &format!("{number} 0 obj\n{object}\nendobj\n");
        }
        let (start, size) = (file.len(), objects.len() + 1);
        file += &format!(
            "xref\n0 {size}\n0000000000 65535 f \n{offsets}trailer\n<</Size {size}/Root 1 0 R>>\n\
             startxref\n{start}\n%%EOF\n"
        );
        file.into_bytes()
    }

    #[test]
    fn a_form_that_includes_itself_is_read_once() {
        let page = "BT /F 10 Tf 9 9 Td (page) Tj ET /A Do";
        let text = |forms: &[&str]| extract_pdf_text(&build_pdf(page, forms)).unwrap().text;
        let shows = |text: &str, name: &str| format!("BT /F 9 Tf 9 50 Td ({text}) Tj ET {name}");
        for forms in [
            vec![shows("form", "/A Do")],
            vec![
                shows("form", "/B Do"),
                shows("other", "/C Do"),
                shows("third", "/A Do"),
            ],
        ] {
            let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
            let text = text(&forms);
            assert_eq!(text.matches("form").count(), 1, "{text}");
            assert!(text.contains("page"), "{text}");
        }
    }

    #[test]
    fn forms_that_are_included_exponentially_are_bounded() {
        let page = "BT /F 10 Tf 9 9 Td (page) Tj ET /A Do";
        let names = ('A'..='Z').take(20);
        let mut forms: Vec<String> = names
            .map(|name| format!("/{0} Do /{0} Do", char::from_u32(name as u32 + 1).unwrap()))
            .collect();
        forms.push("BT /F 9 Tf 9 50 Td (form) Tj ET".into());
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let text = extract_pdf_text(&build_pdf(page, &forms)).unwrap();
        assert!(text.text.starts_with("page") || text.text.contains("page"));
        assert!(text.is_partial && text.text.len() < 4 << 20);
        let text = extract_pdf_text(&build_pdf(page, &forms[12..])).unwrap();
        assert!(!text.is_partial, "it is included 256 times");
    }

    #[test]
    fn the_rewritten_content_of_a_page_does_not_become_a_missing_form() {
        let page = "BT /F 10 Tf 12 TL 9 9 Td (page) ' ET /Z Do";
        let text = extract_pdf_text(&build_pdf(page, &[])).unwrap();
        assert_eq!(text.text.trim(), "page");
    }
}
