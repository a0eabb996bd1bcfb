//! Operators that show text and that the crate passes over, put into those that it knows (ISO
//! 32000-1, 9.4.3): `'` is the next line and `Tj`, and `"` sets the spacing of words and letters
//! before that.

use memchr::memchr2_iter;
use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

/// Rewrites the forms that pages are put together of.
pub(super) fn in_forms(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(form) = object
            && form
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|name| name == b"Form")
            && let Some(content) = form
                .get_plain_content()
                .ok()
                .and_then(|content| rewritten(&content))
        {
            form.set_plain_content(content);
        }
    }
}

/// Rewrites a page's own content.
pub(super) fn on_page(document: &mut Document, page: ObjectId) {
    let content = document
        .get_page_content(page)
        .ok()
        .and_then(|content| rewritten(&content));
    if let Some(content) = content {
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", content);
        }
    }
}

/// The content without such operators, if it has any.
fn rewritten(content: &[u8]) -> Option<Vec<u8>> {
    if !may_have(content) {
        return None;
    }
    let content = Content::decode(content).ok()?;
    if !content
        .operations
        .iter()
        .any(|it| matches!(it.operator.as_str(), "'" | "\""))
    {
        return None;
    }
    Content {
        operations: content
            .operations
            .into_iter()
            .flat_map(known)
            .collect::<Vec<_>>(),
    }
    .encode()
    .ok()
}

/// Whether there is a quotation mark where an operator may stand: behind a string and before what
/// is no part of a name. Most pages have none, and are not taken apart.
fn may_have(content: &[u8]) -> bool {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | b')' | b'>');
    let begins = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, 0 | b'(' | b'<' | b'[' | b'/' | b'%')
    };
    let is_one =
        |at: usize| at > 0 && ends(&content[at - 1]) && content.get(at + 1).is_none_or(begins);
    memchr2_iter(b'\'', b'"', content).any(is_one)
}

/// What an operation is in operators that the crate knows.
fn known(
    Operation {
        operator,
        mut operands,
    }: Operation,
) -> Vec<Operation> {
    let with = |operator: &str, operands| Operation::new(operator, operands);
    match (operator.as_str(), operands.pop()) {
        ("'", Some(text)) => vec![with("T*", vec![]), with("Tj", vec![text])],
        ("\"", Some(text)) => {
            let spacing = ["Tw", "Tc"]
                .into_iter()
                .zip(operands)
                .map(|(name, number)| with(name, vec![number]));
            spacing
                .chain([with("T*", vec![]), with("Tj", vec![text])])
                .collect()
        }
        // No text, and the crate needs none of it.
        ("BI", _) => vec![],
        (_, last) => {
            operands.extend(last);
            vec![Operation { operator, operands }]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{may_have, rewritten};

    #[test]
    fn lines_are_shown_by_operators_that_are_known() {
        let content = b"BT /F 9 Tf (a)' 1 .5 <62>\" [(c) 3 (d)] TJ ET";
        let told = "BT\n/F 9 Tf\nT*\n(a) Tj\n1 Tw\n0.5 Tc\nT*\n<62> Tj\n[(c) 3(d)] TJ\nET";
        assert_eq!(
            String::from_utf8(rewritten(content).unwrap()).unwrap(),
            told
        );
    }

    #[test]
    fn what_has_no_such_operator_stays_as_it_is() {
        assert!(rewritten(b"BT (say \" this ' ) Tj ET").is_none());
        assert!(
            !may_have(b"(the dogs' tails, \"quoted\") Tj") && !may_have(b"") && !may_have(b"'")
        );
        assert!(may_have(b"(a)'") && may_have(b"(a) \"\n"));
    }
}
