//! Kinds of HTML elements, as far as they matter for text and its blocks.

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
    /// An element without text that separates words, such as `<img>`.
    Gap,
    /// An element whose content is not text of the page.
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
            "pre" => ElementKind::Pre,
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
            "address" | "body" | "center" | "div" | "head" | "noscript" | "section" => {
                ElementKind::Other
            }
            "a" => ElementKind::Link,
            "br" | "hr" => ElementKind::Break,
            "img" | "input" => ElementKind::Gap,
            "script" => ElementKind::Script,
            "title" => ElementKind::Title,
            "style" | "iframe" | "noembed" | "noframes" | "textarea" | "xmp" | "template"
            | "svg" | "math-src" | "object" | "audio" | "video" | "canvas" | "datalist" | "rp"
            | "rt" => ElementKind::Void,
            _ => ElementKind::Inline,
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
