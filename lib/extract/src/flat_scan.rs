//! One pass over the tags of a page without a tree: its metadata and all its text.
//!
//! The scan uses only the tokenizer of the HTML standard: time is linear, and memory is that of the
//! text.

use crate::attributes::{attribute_value, is_json_ld};
use crate::element_kind::ElementKind;
use crate::html_tokens::send_tokens;
use crate::metadata::PageMetadata;
use crate::paragraphs::SOURCE_LINE_BREAK;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use std::cell::RefCell;
use url::Url;

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct FlatScan {
    pub metadata: PageMetadata,
    /// Text outside scripts and styles. Line feeds separate block elements; others occur only in
    /// `<pre>`.
    pub text: String,
    /// The open element with raw text as its content.
    raw_text_element: Option<String>,
    /// True if that is a script with JSON-LD.
    is_json_ld: bool,
    /// Open `<pre>` elements, in which line feeds are kept.
    preformatted: usize,
}

/// Scans a page at `url`.
pub(crate) fn scan_flat(html: &str, url: Option<Url>) -> FlatScan {
    scan_from(html, PageMetadata::new(url))
}

/// Scans a page, and adds its metadata to `metadata`.
pub(crate) fn scan_from(html: &str, metadata: PageMetadata) -> FlatScan {
    let sink = FlatScanSink(RefCell::new(FlatScan {
        metadata,
        ..FlatScan::default()
    }));
    send_tokens(html, &sink);
    let mut scan = sink.0.into_inner();
    scan.metadata.finish();
    scan
}

struct FlatScanSink(RefCell<FlatScan>);

impl TokenSink for FlatScanSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut scan = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => scan.add_text(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                return scan.add_start_tag(&tag);
            }
            Token::TagToken(tag) => scan.add_end_tag(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl FlatScan {
    fn add_text(&mut self, text: &str) {
        match self.raw_text_element.as_deref() {
            Some("title") => self.metadata.add_title_text(text),
            Some(_) if self.is_json_ld => self.metadata.add_script_text(text),
            Some("xmp") => self.text.push_str(text),
            Some(_) => {}
            None => {
                if self.preformatted > 0 {
                    self.text.push_str(text);
                } else {
                    let line_break = |c| if c == '\n' { SOURCE_LINE_BREAK } else { c };
                    self.text.extend(text.chars().map(line_break));
                }
                self.metadata.add_link_text(text);
            }
        }
    }

    fn add_start_tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.add_separator(name);
        self.metadata
            .add_start_tag(name, |attribute| attribute_value(&tag.attrs, attribute));
        if let Some(raw_kind) = raw_text_kind(name) {
            self.is_json_ld = name == "script" && is_json_ld(&tag.attrs);
            self.raw_text_element = Some(name.to_owned());
            return TokenSinkResult::RawData(raw_kind);
        }
        if name == "pre" {
            self.preformatted += 1;
        }
        TokenSinkResult::Continue
    }

    fn add_end_tag(&mut self, name: &str) {
        if self.raw_text_element.as_deref() == Some(name) {
            self.metadata.end_title_or_script();
            self.raw_text_element = None;
            return;
        }
        self.add_separator(name);
        match name {
            "a" => self.metadata.end_link(),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
    }

    /// Adds the white space that a tag puts between the texts before and after it.
    fn add_separator(&mut self, name: &str) {
        let separator = match (name, ElementKind::from_name(name)) {
            ("option" | "button", _)
            | (_, ElementKind::Cell | ElementKind::Gap | ElementKind::Apart) => ' ',
            ("label" | "legend" | "noscript", _) => return,
            (_, ElementKind::Break) => '\n',
            (_, kind) if kind.set_bit() > 0 => '\n',
            _ => return,
        };
        if !self.text.is_empty() && !self.text.ends_with(separator) {
            self.text.push(separator);
        }
    }
}

/// Returns the tokenizer state for elements whose content is not markup. Of their contents, only
/// the title is used.
fn raw_text_kind(name: &str) -> Option<RawKind> {
    match name {
        "title" | "textarea" => Some(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Some(RawKind::Rawtext),
        "script" => Some(RawKind::ScriptData),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::scan_flat;
    use crate::paragraphs::tidy_text;
    use url::Url;

    fn text(html: &str) -> String {
        tidy_text(&scan_flat(html, None).text)
    }

    #[test]
    fn blocks_become_lines_and_cells_become_words() {
        assert_eq!(
            text("a<p>b\nc<i>d</i></p>e<br>f<table><tr><td>g<td>h<tr><td>i"),
            "a\nb cd\ne\nf\ng h\ni"
        );
        assert_eq!(text("<pre>a\nb</pre>c\nd"), "a\nb\nc d");
    }

    #[test]
    fn omits_scripts_and_styles() {
        assert_eq!(
            text(
                "a<script>if (1 < 2) '</p>'</script><style>p{}</style>\
                 <noscript>on!</noscript>&amp;č"
            ),
            "a&č"
        );
    }

    #[test]
    fn uses_the_first_title_with_text() {
        assert_eq!(
            scan_flat(
                "<title> </title><title>A &amp; B</title><svg><title>icon</title></svg>",
                None
            )
            .metadata
            .title
            .trim(),
            "A & B"
        );
    }

    #[test]
    fn resolves_links_against_the_base() {
        let page = "<base href='/x/'><a href='y?z#f' rel=nofollow>a <b>b</b></a>\
                    <a href=#top>t</a><a href=mailto:q>m</a>";
        let links = scan_flat(page, Some(Url::parse("http://h.test/p").unwrap()))
            .metadata
            .page
            .links;
        assert_eq!(links.len(), 1);
        assert_eq!(
            (links[0].url.as_str(), links[0].text.as_str()),
            ("http://h.test/x/y?z", "a b")
        );
        assert_eq!(links[0].rel.as_deref(), Some("nofollow"));
    }
}
