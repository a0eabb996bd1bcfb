//! What an element's attributes tell: names that hint at its part on the page, whether it is shown,
//! which siblings are like it.

use crate::hints::Hints;
use dom_query::{Element, local_name};
use html5ever::Attribute;

/// An attribute's value.
pub(crate) fn value<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|it| &*it.name.local == name)
        .map(|it| &*it.value)
}

/// Whether a script of these attributes holds data (JSON-LD).
pub(crate) fn is_data(attributes: &[Attribute]) -> bool {
    value(attributes, "type").is_some_and(|kind| kind.contains("ld+json"))
}

/// What its names, its role and its style hint at.
pub(crate) fn hints(element: &Element) -> Hints {
    let mut hints = if &*element.name.local == "noscript" {
        Hints::SCRIPTLESS
    } else {
        Hints::default()
    };
    for attribute in &element.attrs {
        match &*attribute.name.local {
            "class" | "id" | "role" | "itemprop" | "data-testid" => {
                hints |= Hints::of_name(&attribute.value)
            }
            "hidden" => hints |= Hints::INVISIBLE,
            "aria-hidden" if &*attribute.value == "true" => hints |= Hints::INVISIBLE,
            "style" if is_invisible(&attribute.value) => hints |= Hints::INVISIBLE,
            _ => {}
        }
    }
    hints
}

/// Whether a style says that the element isn't shown.
fn is_invisible(style: &str) -> bool {
    let style: String = style
        .chars()
        .filter(|c| !c.is_whitespace())
        .take(200)
        .collect();
    style.contains("display:none") || style.contains("visibility:hidden")
}

/// FNV-1a of tag and class, without digits, by which siblings differ that are alike.
pub(crate) fn kind(element: &Element) -> u64 {
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
