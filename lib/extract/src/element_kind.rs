//! Kinds of HTML elements, as far as they matter for text and its blocks.

use crate::attributes::{attribute_value, inline_display};
use html5ever::Attribute;

/// A kind of HTML element. The block kinds come first: their discriminants are bit numbers in a
/// set, and features of the model, so that their order cannot change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// A generic block: `<div>`, `<section>`, `<center>` …
    Other,
    Paragraph,
    Item,
    Heading,
    Cell,
    Table,
    List,
    Quote,
    Pre,
    Definition,
    Caption,
    Figure,
    Article,
    Main,
    Navigation,
    Header,
    Footer,
    Aside,
    Form,
    /// `<select>`, `<button>`, `<label>` and the like.
    Control,
    /// `<tr>`, `<tbody>` …
    Row,
    /// `<details>` and `<summary>`.
    Details,
    /// An inline element: its text belongs to the block around it.
    Inline,
    /// `<a>`.
    Link,
    /// `<br>`, `<hr>`.
    Break,
    /// An inline element that separates words: a custom element, `<math>`, or one with a style that
    /// makes it a block.
    Apart,
    /// An element that separates words and whose content, if any, is not text of the page: `<img>`,
    /// `<svg>`, `<video>` …
    Gap,
    /// An element whose content is not text of the page, and that is not seen.
    Void,
    /// A script, which may contain JSON-LD.
    Script,
    /// `<title>`.
    Title,
}

impl ElementKind {
    /// Number of block kinds, [`ElementKind::Other`] to [`ElementKind::Details`].
    pub const BLOCK_KINDS: usize = 22;

    /// Returns the kind of the element with this name.
    pub fn from_name(name: &str) -> ElementKind {
        match name {
            "p" => ElementKind::Paragraph,
            "li" => ElementKind::Item,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => ElementKind::Heading,
            "td" | "th" => ElementKind::Cell,
            "table" => ElementKind::Table,
            "tr" | "tbody" | "thead" | "tfoot" => ElementKind::Row,
            "ul" | "ol" | "menu" | "dl" => ElementKind::List,
            "blockquote" => ElementKind::Quote,
            "pre" | "xmp" | "listing" | "textarea" => ElementKind::Pre,
            "dt" | "dd" => ElementKind::Definition,
            "caption" | "figcaption" => ElementKind::Caption,
            "figure" => ElementKind::Figure,
            "article" => ElementKind::Article,
            "main" => ElementKind::Main,
            "nav" => ElementKind::Navigation,
            "header" | "hgroup" => ElementKind::Header,
            "footer" => ElementKind::Footer,
            "aside" => ElementKind::Aside,
            "form" | "fieldset" | "dialog" => ElementKind::Form,
            "select" | "optgroup" | "option" | "button" | "label" | "legend" => {
                ElementKind::Control
            }
            "details" | "summary" => ElementKind::Details,
            "address" | "body" | "center" | "div" | "foreignObject" | "head" | "noscript"
            | "section" => ElementKind::Other,
            "a" => ElementKind::Link,
            "br" | "hr" => ElementKind::Break,
            "img" | "input" | "svg" | "iframe" | "object" | "embed" | "audio" | "video"
            | "canvas" | "progress" | "meter" => ElementKind::Gap,
            "math" | "marquee" => ElementKind::Apart,
            "script" => ElementKind::Script,
            "title" => ElementKind::Title,
            "style" | "noembed" | "noframes" | "template" | "datalist" | "rp" | "rt"
            | "annotation" | "annotation-xml" => ElementKind::Void,
            // A custom element; its style is in a script or a style sheet.
            _ if name.contains('-') => ElementKind::Apart,
            _ => ElementKind::Inline,
        }
    }

    /// Returns the kind of the element with this name and these attributes.
    pub fn new(name: &str, attributes: &[Attribute]) -> ElementKind {
        let kind = ElementKind::from_name(name);
        if !matches!(kind, Self::Inline | Self::Apart | Self::Link) {
            return kind;
        }
        if is_apparatus(name, attributes) {
            return ElementKind::Void;
        }
        match inline_display(attributes) {
            Some("inline" | "contents") if kind == Self::Apart => Self::Inline,
            Some("block" | "flow-root" | "list-item" | "table" | "flex" | "grid")
                if kind == Self::Inline =>
            {
                Self::Apart
            }
            _ => kind,
        }
    }

    /// Returns the bit of a block kind in a set, or 0 for other kinds.
    pub fn set_bit(self) -> u32 {
        let number = self as u32;
        if number < Self::BLOCK_KINDS as u32 {
            1 << number
        } else {
            0
        }
    }
}

/// Returns `true` for an element that a text processor adds to the text: a mark that leads to a
/// note (MediaWiki), a link to edit a section (MediaWiki), and a formula for screen readers or for
/// the eye beside the same formula in MathML (MathJax, KaTeX).
fn is_apparatus(name: &str, attributes: &[Attribute]) -> bool {
    let has = |attribute: &str, wanted: &[&str]| {
        let value = attribute_value(attributes, attribute).unwrap_or_default();
        value
            .split_ascii_whitespace()
            .any(|word| wanted.contains(&word))
    };
    match name {
        "sup" => has("class", &["reference", "mw-ref"]) || has("role", &["doc-noteref"]),
        "span" => has("class", &APPARATUS_CLASSES),
        "a" => has("role", &["doc-noteref"]),
        _ => false,
    }
}

/// Classes of the elements of [`is_apparatus()`].
const APPARATUS_CLASSES: [&str; 5] = [
    "mw-editsection",
    "editsection",
    "mw-cite-backlink",
    "katex-html",
    "MJX_Assistive_MathML",
];

#[cfg(test)]
mod tests {
    use super::ElementKind;

    #[test]
    fn each_block_kind_has_its_own_bit() {
        assert_eq!(ElementKind::from_name("div").set_bit(), 1);
        assert_eq!(
            ElementKind::from_name("summary").set_bit(),
            1 << (ElementKind::BLOCK_KINDS - 1)
        );
        assert_eq!(ElementKind::from_name("span").set_bit(), 0);
    }
}
