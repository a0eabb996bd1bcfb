//! One pass over the tags of a page: what it says of itself, all its text, and how deep it is
//! nested.
//!
//! This is the tokeniser of the HTML standard without the tree: time is linear, memory that of the
//! text. It sees tags as they are written, so its depth is an estimate from above (elements whose
//! end tag may be left out don't count, and of the others each one that is never closed does).

use crate::attributes::{is_data, value};
use crate::facts::Facts;
use crate::guard;
use crate::tags::Tag as ElementKind;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;
use std::collections::HashMap;
use url::Url;

/// Bytes that are given to the tokeniser at once; more than any character has.
const PIECE: usize = 64 << 10;

/// What the pass gathers.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub facts: Facts,
    /// Text outside scripts and styles; block elements begin and end with a line feed, and no other
    /// one is in it.
    pub text: String,
    /// The most elements that stood open at once.
    pub depth: usize,
    /// The element whose content is raw text, while it lasts.
    raw: Option<String>,
    /// Whether that is a script that holds data.
    is_data: bool,
    /// Elements `<pre>` that are open: line ends within count.
    preformatted: usize,
    open: HashMap<String, usize>,
    open_now: usize,
}

/// Surveys a page that lies at `url`.
pub(crate) fn survey(html: &str, url: Option<Url>) -> Survey {
    let sink = Sink(RefCell::new(Survey {
        facts: Facts::new(url),
        ..Survey::default()
    }));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = html;
    // Piece by piece, so that a large page is not copied whole.
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        input.push_back(StrTendril::from(piece));
        let _ = tokenizer.feed(&input);
        rest = after;
    }
    tokenizer.end();
    let mut survey = tokenizer.sink.0.into_inner();
    survey.facts.settle();
    survey
}

struct Sink(RefCell<Survey>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut survey = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => survey.characters(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return survey.start(&tag),
            Token::TagToken(tag) => survey.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Survey {
    fn characters(&mut self, text: &str) {
        match self.raw.as_deref() {
            Some("title") => self.facts.title_text(text),
            Some(_) if self.is_data => self.facts.data_text(text),
            Some(_) => {}
            None => {
                if self.preformatted > 0 {
                    self.text.push_str(text);
                } else {
                    self.text
                        .extend(text.chars().map(|c| if c == '\n' { ' ' } else { c }));
                }
                self.facts.link_text(text);
            }
        }
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.boundary(name);
        self.facts.element(name, |wanted| value(&tag.attrs, wanted));
        if let Some(kind) = raw_text(name) {
            self.is_data = name == "script" && is_data(&tag.attrs);
            self.raw = Some(name.to_owned());
            return TokenSinkResult::RawData(kind);
        }
        if name == "pre" {
            self.preformatted += 1;
        }
        let is_group_or_ruby = matches!(name, "optgroup" | "colgroup" | "rt" | "rp");
        if !tag.self_closing && !guard::closes_itself(name.as_bytes()) && !is_group_or_ruby {
            *self.open.entry(name.to_owned()).or_default() += 1;
            self.open_now += 1;
            self.depth = self.depth.max(self.open_now);
        }
        TokenSinkResult::Continue
    }

    fn end(&mut self, name: &str) {
        if self.raw.as_deref() == Some(name) {
            self.facts.end_raw();
            self.raw = None;
            return;
        }
        self.boundary(name);
        match name {
            "a" => self.facts.end_link(),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
        // An end tag without its element closes nothing.
        if let Some(open) = self.open.get_mut(name).filter(|open| **open > 0) {
            *open -= 1;
            self.open_now -= 1;
        }
    }

    /// Keeps apart what the element keeps apart.
    fn boundary(&mut self, name: &str) {
        let mark = match (name, ElementKind::from_name(name)) {
            ("option" | "button" | "img", _) | (_, ElementKind::Cell) => ' ',
            ("label" | "legend" | "noscript", _) => return,
            (_, ElementKind::Break) => '\n',
            (_, kind) if kind.bit() > 0 => '\n',
            _ => return,
        };
        if !self.text.is_empty() && !self.text.ends_with(mark) {
            self.text.push(mark);
        }
    }
}

/// Elements whose content is no markup, and how the tokeniser must read it. None of it is text of
/// the page, save the title.
fn raw_text(name: &str) -> Option<RawKind> {
    match name {
        "title" | "textarea" => Some(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Some(RawKind::Rawtext),
        "script" => Some(RawKind::ScriptData),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::survey;
    use crate::paragraphs::tidy;
    use url::Url;

    fn text(html: &str) -> String {
        tidy(&survey(html, None).text)
    }

    #[test]
    fn blocks_become_lines_and_cells_words() {
        assert_eq!(
            text("a<p>b\nc<i>d</i></p>e<br>f<table><tr><td>g<td>h<tr><td>i"),
            "a\nb cd\ne\nf\ng h\ni"
        );
        assert_eq!(text("<pre>a\nb</pre>c\nd"), "a\nb\nc d");
    }

    #[test]
    fn scripts_and_styles_are_no_text() {
        assert_eq!(
            text(
                "a<script>if (1 < 2) '</p>'</script><style>p{}</style><noscript>on!</noscript>&amp;č"
            ),
            "a&č"
        );
    }

    #[test]
    fn the_first_title_that_says_something_counts() {
        assert_eq!(
            survey(
                "<title> </title><title>A &amp; B</title><svg><title>icon</title></svg>",
                None
            )
            .facts
            .title
            .trim(),
            "A & B"
        );
    }

    #[test]
    fn links_are_resolved_against_the_base() {
        let page = "<base href='/x/'><a href='y?z#f' rel=nofollow>a <b>b</b></a><a href=#top>t</a><a href=mailto:q>m</a>";
        let links = survey(page, Some(Url::parse("http://h.test/p").unwrap()))
            .facts
            .page
            .links;
        assert_eq!(links.len(), 1);
        assert_eq!(
            (links[0].url.as_str(), links[0].text.as_str()),
            ("http://h.test/x/y?z", "a b")
        );
        assert_eq!(links[0].rel.as_deref(), Some("nofollow"));
    }

    #[test]
    fn a_page_may_be_parted_anywhere() {
        let page = format!(
            "{}<p title='č'>&eacute;č\r\n<script>a</p></script>b",
            "x".repeat(super::PIECE)
        );
        for cut in 0..60 {
            assert!(text(&page[cut..]).ends_with("x\néč b"), "{cut}");
        }
    }

    #[test]
    fn depth_counts_what_stands_open() {
        assert_eq!(
            survey("<div><p>a<p>b<br><img></div></div><span></i><b>", None).depth,
            2
        );
        assert_eq!(survey(&"<div></x>".repeat(9), None).depth, 9);
    }
}
