//! Declarative shadow roots (`<template shadowrootmode>`): text that a browser shows in the element
//! around the template.

use crate::attributes::attribute_value;
use dom_query::{Document, Element, NodeRef};
use std::collections::HashMap;

/// Moves the content of each shadow root into the element that has it, before its other children.
/// Those that have a `<slot>` in the shadow root are moved there. Time is linear in the size.
pub(crate) fn show_shadow_roots(document: &Document) {
    let mut open = vec![document.root()];
    while let Some(host) = open.pop() {
        let template = host.children_it(false).find(is_shadow_root);
        if let Some(template) = template {
            show_shadow_root(&host, &template);
        }
        open.extend(host.children_it(false));
    }
}

/// Returns `true` for a shadow root; `shadowroot` is the name of its attribute before the standard.
fn is_shadow_root(node: &NodeRef) -> bool {
    node.query_or(false, |inner| {
        let has = |element: &Element, name| attribute_value(&element.attrs, name).is_some();
        inner.as_element().is_some_and(|element| {
            element.template_contents.is_some()
                && (has(element, "shadowrootmode") || has(element, "shadowroot"))
        })
    })
}

fn show_shadow_root(host: &NodeRef, template: &NodeRef) {
    let content = template.query_or(None, |inner| inner.as_element()?.template_contents);
    let Some(content) = content.map(|id| NodeRef::new(id, host.tree)) else {
        return;
    };
    let mut by_slot: HashMap<String, Vec<NodeRef>> = HashMap::new();
    for child in host.children() {
        if child.id != template.id {
            by_slot
                .entry(name_in(&child, "slot"))
                .or_default()
                .push(child);
        }
    }
    let slots: Vec<NodeRef> = content
        .descendants_it()
        .filter(|node| node.has_name("slot"))
        .collect();
    for slot in slots {
        let assigned = by_slot.remove(&name_in(&slot, "name")).unwrap_or_default();
        let has_content = |node: &NodeRef| node.is_element() || node.is_nonempty_text();
        if assigned.iter().any(has_content) {
            slot.remove_children();
            for child in assigned {
                slot.append_child(&child);
            }
        }
    }
    for child in content.children() {
        template.insert_before(&child);
    }
    template.remove_from_parent();
}

/// Returns the name of a slot in an attribute; the empty one stands for no name.
fn name_in(node: &NodeRef, attribute: &str) -> String {
    node.attr(attribute)
        .map(|name| name.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::show_shadow_roots;
    use crate::outline::tests::texts_of;
    use dom_query::Document;

    fn texts(html: &str) -> Vec<String> {
        let document = Document::from(html);
        show_shadow_roots(&document);
        texts_of(&document)
    }

    #[test]
    fn the_text_of_a_shadow_root_is_in_its_element() {
        for (html, expected) in [
            (
                "<x-a><template shadowrootmode=open><p>a<p>b</template></x-a><p>c",
                vec!["a", "b", "c"],
            ),
            (
                "<div><template shadowroot=closed><p>a</template></div>b",
                vec!["a", "b"],
            ),
            ("<x-a><template><p>a</template></x-a>b", vec!["b"]),
            (
                "<x-a><template shadowrootmode=open><p>a<x-b><template shadowrootmode=open>\
                 <p>b</template></x-b></template></x-a>",
                vec!["a", "b"],
            ),
        ] {
            assert_eq!(texts(html), expected, "{html}");
        }
    }

    #[test]
    fn children_are_where_their_slot_is() {
        let html = "<x-a><p slot=end>z</p><h2>a</h2><p>b</p><template shadowrootmode=open>\
             <p>1</p><slot>none</slot><p>2</p><slot name=end></slot><slot name=other>3</slot>\
             </template></x-a>";
        assert_eq!(texts(html), ["1", "a", "b", "2", "z", "3"]);
        let unassigned = "<x-a><template shadowrootmode=open><p>a</p></template><p>b</p></x-a>";
        assert_eq!(texts(unassigned), ["a", "b"]);
    }
}
