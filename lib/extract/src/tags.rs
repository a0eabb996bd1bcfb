//! Kinds of elements, as far as text and its blocks are concerned.

/// A kind of element. The discriminants of those that hold text are places in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A block without a meaning of its own: `<div>`, `<section>`, `<center>` …
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
    /// No block: its text belongs to the block around it.
    Inline,
    /// `<a>`.
    Link,
    /// `<br>`, `<hr>`.
    Break,
    /// No text, but words on both sides are apart.
    Gap,
    /// Nothing in it is text of the page.
    Void,
    /// A script, which may hold data.
    Script,
    /// `<title>`.
    Title,
}

impl Tag {
    /// Kinds that hold text, [`Tag::Other`] to [`Tag::Details`].
    pub const HOLDERS: usize = 22;

    /// The kind of an element by its name.
    pub fn from_name(name: &str) -> Tag {
        match name {
            "p" => Tag::Paragraph,
            "li" => Tag::Item,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Tag::Heading,
            "td" | "th" => Tag::Cell,
            "table" => Tag::Table,
            "tr" | "tbody" | "thead" | "tfoot" => Tag::Row,
            "ul" | "ol" | "menu" | "dl" => Tag::List,
            "blockquote" => Tag::Quote,
            "pre" => Tag::Pre,
            "dt" | "dd" => Tag::Definition,
            "caption" | "figcaption" => Tag::Caption,
            "figure" => Tag::Figure,
            "article" => Tag::Article,
            "main" => Tag::Main,
            "nav" => Tag::Navigation,
            "header" | "hgroup" => Tag::Header,
            "footer" => Tag::Footer,
            "aside" => Tag::Aside,
            "form" | "fieldset" | "dialog" => Tag::Form,
            "select" | "optgroup" | "option" | "button" | "label" | "legend" => Tag::Control,
            "details" | "summary" => Tag::Details,
            "address" | "body" | "center" | "div" | "head" | "noscript" | "section" => Tag::Other,
            "a" => Tag::Link,
            "br" | "hr" => Tag::Break,
            "img" | "input" => Tag::Gap,
            "script" => Tag::Script,
            "title" => Tag::Title,
            "style" | "iframe" | "noembed" | "noframes" | "textarea" | "xmp" | "template"
            | "svg" | "math-src" | "object" | "audio" | "video" | "canvas" | "datalist" | "rp"
            | "rt" => Tag::Void,
            _ => Tag::Inline,
        }
    }

    /// Its place in a set; 0 for those that hold no text.
    pub fn bit(self) -> u32 {
        let place = self as u32;
        if place < Self::HOLDERS as u32 {
            1 << place
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn each_holder_has_a_bit_of_its_own() {
        assert_eq!(Tag::from_name("div").bit(), 1);
        assert_eq!(Tag::from_name("summary").bit(), 1 << (Tag::HOLDERS - 1));
        assert_eq!(Tag::from_name("span").bit(), 0);
    }
}
