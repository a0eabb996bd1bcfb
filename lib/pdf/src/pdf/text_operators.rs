//! Text-showing operators that the crate ignores, rewritten as operators that it supports (ISO
//! 32000-1, 9.4.3): `'` moves to the next line and shows text like `Tj`; `"` does so after setting
//! word and character spacing.

use memchr::memchr2_iter;
use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

/// Rewrites the content of all form XObjects, which pages include.
pub(super) fn rewrite_forms(document: &mut Document) {
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
                .and_then(|content| rewrite_content(&content))
        {
            form.set_plain_content(content);
        }
    }
}

/// Rewrites the content of a page.
pub(super) fn rewrite_page(document: &mut Document, page: ObjectId) {
    let content = document
        .get_page_content(page)
        .ok()
        .and_then(|content| rewrite_content(&content));
    if let Some(content) = content {
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", content);
        }
    }
}

/// Returns a content stream without such operators, or `None` if it has none.
fn rewrite_content(content: &[u8]) -> Option<Vec<u8>> {
    if !may_have_quote_operator(content) {
        return None;
    }
    let content = Content::decode(content).ok()?;
    if !content
        .operations
        .iter()
        .any(|operation| matches!(operation.operator.as_str(), "'" | "\""))
    {
        return None;
    }
    Content {
        operations: content
            .operations
            .into_iter()
            .flat_map(supported_operations)
            .collect::<Vec<_>>(),
    }
    .encode()
    .ok()
}

/// Returns `true` if there is a quotation mark in the position of an operator: after a string or
/// white space, and before a byte that is not part of a name. Most pages have none, so that their
/// content need not be decoded.
fn may_have_quote_operator(content: &[u8]) -> bool {
    let may_precede = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | b')' | b'>');
    let may_follow = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, 0 | b'(' | b'<' | b'[' | b'/' | b'%')
    };
    let is_operator = |index: usize| {
        index > 0
            && may_precede(&content[index - 1])
            && content.get(index + 1).is_none_or(may_follow)
    };
    memchr2_iter(b'\'', b'"', content).any(is_operator)
}

/// Returns the operations that replace an operation.
fn supported_operations(
    Operation {
        operator,
        mut operands,
    }: Operation,
) -> Vec<Operation> {
    match (operator.as_str(), operands.pop()) {
        ("'", Some(text)) => vec![
            Operation::new("T*", vec![]),
            Operation::new("Tj", vec![text]),
        ],
        ("\"", Some(text)) => {
            let spacing = ["Tw", "Tc"]
                .into_iter()
                .zip(operands)
                .map(|(operator, number)| Operation::new(operator, vec![number]));
            spacing
                .chain([
                    Operation::new("T*", vec![]),
                    Operation::new("Tj", vec![text]),
                ])
                .collect()
        }
        // An inline image has no text, and the crate does not need it.
        ("BI", _) => vec![],
        (_, last) => {
            operands.extend(last);
            vec![Operation { operator, operands }]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{may_have_quote_operator, rewrite_content};

    #[test]
    fn replaces_quote_operators_by_supported_ones() {
        let content = b"BT /F 9 Tf (a)' 1 .5 <62>\" [(c) 3 (d)] TJ ET";
        let expected = "BT\n/F 9 Tf\nT*\n(a) Tj\n1 Tw\n0.5 Tc\nT*\n<62> Tj\n[(c) 3(d)] TJ\nET";
        assert_eq!(
            String::from_utf8(rewrite_content(content).unwrap()).unwrap(),
            expected
        );
    }

    #[test]
    fn keeps_content_without_quote_operators() {
        assert!(rewrite_content(b"BT (say \" this ' ) Tj ET").is_none());
        assert!(
            !may_have_quote_operator(b"(the dogs' tails, \"quoted\") Tj")
                && !may_have_quote_operator(b"")
                && !may_have_quote_operator(b"'")
        );
        assert!(may_have_quote_operator(b"(a)'") && may_have_quote_operator(b"(a) \"\n"));
    }
}
