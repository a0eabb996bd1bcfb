//! Attributes of an element: hints from its names, visibility, and a hash that groups similar
//! siblings.

use crate::hints::MarkupHints;
use dom_query::{Element, local_name};
use html5ever::Attribute;

/// Returns the value of an attribute.
pub(crate) fn attribute_value<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| &*attribute.value)
}

/// Returns `true` if a script with these attributes contains JSON-LD.
pub(crate) fn is_json_ld(attributes: &[Attribute]) -> bool {
    attribute_value(attributes, "type")
        .is_some_and(|media_type| media_type.to_ascii_lowercase().contains("ld+json"))
}

/// Returns the hints from an element's names, its role, its style and its tag.
pub(crate) fn element_hints(element: &Element) -> MarkupHints {
    let mut hints = if &*element.name.local == "noscript" {
        MarkupHints::SCRIPTLESS
    } else {
        MarkupHints::default()
    };
    for attribute in &element.attrs {
        match &*attribute.name.local {
            "class" | "id" | "role" | "itemprop" | "data-testid" => {
                hints |= MarkupHints::from_name(&attribute.value)
            }
            "itemscope" | "typeof" => hints |= MarkupHints::STRUCTURED_DATA,
            "hidden" => hints |= MarkupHints::INVISIBLE,
            "aria-hidden" if &*attribute.value == "true" => hints |= MarkupHints::INVISIBLE,
            "style" if is_hiding_style(&attribute.value) => hints |= MarkupHints::INVISIBLE,
            _ => {}
        }
    }
    hints
}

/// Returns `true` if a link is the target of links to comments: it has a name for comments, and
/// leads nowhere.
pub(crate) fn is_comment_anchor(link: &Element) -> bool {
    let mut names = link
        .attrs
        .iter()
        .filter(|attribute| matches!(&*attribute.name.local, "id" | "name"));
    link.attr_ref(local_name!("href")).is_none()
        && names
            .any(|name| MarkupHints::from_name(&name.value).has_any(MarkupHints::READER_COMMENT))
}

/// Returns `true` if an element may be a section of the text, whose name is that of its heading: it
/// is a `<section>`, or its class says that it is one (Sphinx, Texinfo, pandoc), and its class has
/// no name for comments.
pub(crate) fn is_text_section(element: &Element) -> bool {
    let class = element.attr_ref(local_name!("class")).unwrap_or_default();
    let is_section = &*element.name.local == "section" || class.contains("sect");
    is_section && !MarkupHints::from_name(class).has_any(MarkupHints::COMMENT)
}

/// Returns the last `display` in the `style` of an element, if there is one, and the element does
/// not float, as a large first letter does.
pub(crate) fn inline_display(attributes: &[Attribute]) -> Option<&str> {
    let style = attribute_value(attributes, "style")?;
    let last = |wanted: &str| {
        let mut declarations = style.rsplit(';').filter_map(|part| part.split_once(':'));
        let value = declarations.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        value.and_then(|(_, value)| value.split_ascii_whitespace().next())
    };
    let is_floating = last("float").is_some_and(|side| side != "none");
    last("display").filter(|_| !is_floating)
}

/// Returns `true` if a style hides its element.
fn is_hiding_style(style: &str) -> bool {
    let style: String = style
        .chars()
        .filter(|c| !c.is_whitespace())
        .take(200)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    style.contains("display:none") || style.contains("visibility:hidden")
}

/// Returns a hash of tag and class without digits (FNV-1a), which similar siblings share.
pub(crate) fn tag_class_hash(element: &Element) -> u64 {
    let class = element.attr_ref(local_name!("class")).unwrap_or_default();
    let bytes = element
        .name
        .local
        .bytes()
        .chain([b' '])
        .chain(class.bytes().filter(|byte| !byte.is_ascii_digit()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
