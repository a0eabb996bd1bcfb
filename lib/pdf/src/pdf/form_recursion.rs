//! Form XObjects that include themselves, directly or through others, as in damaged documents (ISO
//! 32000-1, 8.10.1). The crate includes forms by recursion, without a limit.

use memchr::memmem;
use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::HashSet;

/// Greatest depth of forms within forms.
const MAX_DEPTH: usize = 50;

/// Removes the operators of the forms of a page that include a form which includes them.
pub(super) fn cut_recursive_forms(document: &mut Document, page: ObjectId) {
    let mut search = RecursionSearch {
        document,
        path: Vec::new(),
        visited: HashSet::new(),
        recursive: Vec::new(),
    };
    for resources in page_resources(document, page) {
        for form in xobjects(document, resources) {
            search.visit(form, resources);
        }
    }
    for (form, name) in search.recursive {
        if let Ok(Object::Stream(form)) = document.get_object_mut(form) {
            remove_inclusions(form, &name);
        }
    }
}

/// Returns the resources of a page: its own and those that it inherits.
fn page_resources(document: &Document, page: ObjectId) -> Vec<&Dictionary> {
    let Ok((own, others)) = document.get_page_resources(page) else {
        return Vec::new();
    };
    let others = others.into_iter();
    let others = others.filter_map(|id| document.get_dictionary(id).ok());
    own.into_iter().chain(others).collect()
}

/// Returns the numbers of the external objects that resources name.
fn xobjects(document: &Document, resources: &Dictionary) -> Vec<ObjectId> {
    let named = xobject_dictionary(document, resources);
    let objects = named.into_iter().flat_map(Dictionary::iter);
    objects
        .filter_map(|(_, object)| object.as_reference().ok())
        .collect()
}

fn xobject_dictionary<'a>(
    document: &'a Document,
    resources: &'a Dictionary,
) -> Option<&'a Dictionary> {
    let (_, named) = document.dereference(resources.get(b"XObject").ok()?).ok()?;
    named.as_dict().ok()
}

/// A depth-first search for forms that include themselves.
struct RecursionSearch<'a> {
    document: &'a Document,
    /// The forms by which the current one is included.
    path: Vec<ObjectId>,
    /// The forms that were visited, with the addresses of the resources that they inherit.
    visited: HashSet<(ObjectId, usize)>,
    /// The forms with an operator that closes a circle, and the name that it includes.
    recursive: Vec<(ObjectId, Vec<u8>)>,
}

impl<'a> RecursionSearch<'a> {
    /// Visits a form. `inherited` are the resources of what includes it.
    fn visit(&mut self, id: ObjectId, inherited: &'a Dictionary) {
        let address = std::ptr::from_ref(inherited).addr();
        if !self.visited.insert((id, address)) {
            return;
        }
        let Ok(Object::Stream(form)) = self.document.get_object(id) else {
            return;
        };
        let own = form.dict.get(b"Resources").ok();
        let own = own.and_then(|own| self.document.dereference(own).ok());
        let own = own.and_then(|(_, own)| own.as_dict().ok());
        let resources = own.unwrap_or(inherited);
        let Some(named) = xobject_dictionary(self.document, resources) else {
            return;
        };
        self.path.push(id);
        for name in included_names(form) {
            let Ok(included) = named.get(&name).and_then(Object::as_reference) else {
                continue;
            };
            if self.path.contains(&included) || self.path.len() >= MAX_DEPTH {
                self.recursive.push((id, name));
            } else {
                self.visit(included, resources);
            }
        }
        self.path.pop();
    }
}

/// Returns the names of the external objects that a form includes.
fn included_names(form: &Stream) -> Vec<Vec<u8>> {
    let operations = inclusions(form).map(|content| content.operations);
    let operations = operations.into_iter().flatten();
    let names = operations.filter_map(|operation| included_name(&operation).map(<[u8]>::to_vec));
    names.collect()
}

/// Returns the content of a stream that may include others. Images do not.
fn inclusions(form: &Stream) -> Option<Content<Vec<Operation>>> {
    let subtype = form.dict.get(b"Subtype").and_then(Object::as_name);
    if subtype.is_ok_and(|name| name == b"Image") {
        return None;
    }
    let content = form.get_plain_content().ok()?;
    memmem::find(&content, b"Do")?;
    Content::decode(&content).ok()
}

/// Returns the name of the external object that an operation includes.
fn included_name(operation: &Operation) -> Option<&[u8]> {
    let is_inclusion = operation.operator == "Do";
    let name = operation.operands.first().filter(|_| is_inclusion)?;
    name.as_name().ok()
}

/// Removes the operators of a form that include the external object of this name.
fn remove_inclusions(form: &mut Stream, name: &[u8]) {
    let Some(mut content) = inclusions(form) else {
        return;
    };
    let operations = &mut content.operations;
    operations.retain(|operation| included_name(operation) != Some(name));
    if let Ok(content) = content.encode() {
        form.set_plain_content(content);
    }
}

#[cfg(test)]
mod tests {
    use crate::extract_pdf_text;

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
        let text = |forms: &[&str]| extract_pdf_text(&build_pdf(page, forms)).unwrap();
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
    fn the_rewritten_content_of_a_page_does_not_become_a_missing_form() {
        let page = "BT /F 10 Tf 12 TL 9 9 Td (page) ' ET /Z Do";
        let text = extract_pdf_text(&build_pdf(page, &[])).unwrap();
        assert_eq!(text.trim(), "page");
    }
}
