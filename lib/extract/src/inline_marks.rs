//! Marks of inline elements in the text of a block: emphasis, code and links.
//!
//! A mark is a noncharacter of Unicode in a second copy of the text, so that the text is tidied as
//! without marks. [`MarkedText::to_markdown()`] writes the marks of a tidied text as Markdown.

use crate::paragraphs::{SOURCE_LINE_BREAK, tidy_text};
use forage_text::normalise;

/// What an inline element marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InlineMark {
    Emphasis,
    Strong,
    Deleted,
    Code,
    Link,
}

use InlineMark::{Code, Deleted, Emphasis, Link, Strong};

const MARKS: [InlineMark; 5] = [Emphasis, Strong, Deleted, Code, Link];
/// The first of the noncharacters that begin a mark; those that end them follow.
const FIRST: u32 = 0xfdd0;

impl InlineMark {
    /// Returns the mark of the element with this name, if it has one.
    pub fn from_name(name: &str) -> Option<InlineMark> {
        match name {
            "em" | "i" => Some(Emphasis),
            "strong" | "b" => Some(Strong),
            "del" | "s" | "strike" => Some(Deleted),
            "code" | "kbd" | "samp" | "tt" => Some(Code),
            "a" => Some(Link),
            _ => None,
        }
    }

    fn begin(self) -> char {
        character(self as u32)
    }

    fn end(self) -> char {
        character(self as u32 + MARKS.len() as u32)
    }

    /// Returns the mark that a character begins or ends, and `true` if it begins it.
    fn of_character(c: char) -> Option<(InlineMark, bool)> {
        let number = u32::from(c).checked_sub(FIRST)? as usize;
        let mark = MARKS.get(number % MARKS.len())?;
        (number < 2 * MARKS.len()).then_some((*mark, number < MARKS.len()))
    }

    fn delimiter(self) -> &'static str {
        match self {
            Emphasis => "*",
            Strong => "**",
            Deleted => "~~",
            Code => "`",
            Link => "",
        }
    }
}

fn character(number: u32) -> char {
    char::from_u32(FIRST + number).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The marked text of a run, and the URLs of the links in it.
#[derive(Debug, Default, Clone)]
pub(crate) struct MarkedText {
    text: String,
    urls: Vec<String>,
}

/// Collects the marked text of runs.
#[derive(Debug, Default)]
pub(crate) struct InlineMarker {
    run: MarkedText,
    /// The open marks, with the URLs of links.
    open: Vec<(InlineMark, String)>,
}

impl InlineMarker {
    pub fn push_text(&mut self, text: &str) {
        let is_text = |c: &char| InlineMark::of_character(*c).is_none();
        self.run.text.extend(text.chars().filter(is_text));
    }

    /// Begins a mark. `url` is the target of a link.
    pub fn begin(&mut self, mark: InlineMark, url: String) {
        self.begin_in_run(mark, &url);
        self.open.push((mark, url));
    }

    fn begin_in_run(&mut self, mark: InlineMark, url: &str) {
        self.run.text.push(mark.begin());
        if mark == Link {
            self.run.urls.push(url.to_owned());
        }
    }

    /// Ends the innermost mark.
    pub fn end(&mut self) {
        if let Some((mark, _)) = self.open.pop() {
            self.run.text.push(mark.end());
        }
    }

    /// Ends the run, and begins the next one with the marks that are open. White space is kept in
    /// preformatted text.
    pub fn take_run(&mut self, is_preformatted: bool) -> MarkedText {
        let mut run = std::mem::take(&mut self.run);
        let open = std::mem::take(&mut self.open);
        for (mark, _) in open.iter().rev() {
            run.text.push(mark.end());
        }
        for (mark, url) in &open {
            self.begin_in_run(*mark, url);
        }
        self.open = open;
        run.text = match is_preformatted {
            true => plain_code(&run.text),
            false => tidy_text(&run.text),
        };
        run
    }
}

/// Returns preformatted text with its white space, and without marks and control characters.
fn plain_code(text: &str) -> String {
    let text = text.replace(SOURCE_LINE_BREAK, "\n");
    let is_kept = |c: &char| {
        InlineMark::of_character(*c).is_none() && (!c.is_control() || matches!(c, '\n' | '\t'))
    };
    let text: String = text.chars().filter(is_kept).collect();
    normalise(text.trim_end().trim_start_matches('\n')).into_owned()
}

/// A mark that is open in the Markdown.
struct OpenMark {
    mark: InlineMark,
    /// Where its content begins.
    start: usize,
    url: Option<String>,
}

impl MarkedText {
    /// Returns the text of a preformatted block.
    pub fn code(&self) -> &str {
        &self.text
    }

    /// Returns the text as Markdown (CommonMark), with the URLs of links if `with_links`.
    /// Characters that would be marks are escaped.
    pub fn to_markdown(&self, with_links: bool) -> String {
        let mut markdown = String::with_capacity(self.text.len() + 16);
        let mut open: Vec<OpenMark> = Vec::new();
        let mut urls = self.urls.iter();
        let mut previous = ' ';
        let mut rest = self.text.chars();
        while let Some(c) = rest.next() {
            match InlineMark::of_character(c) {
                Some((mark, true)) => open.push(OpenMark {
                    mark,
                    start: markdown.len(),
                    url: (mark == Link).then(|| urls.next().cloned()).flatten(),
                }),
                Some((_, false)) => {
                    let Some(closed) = open.pop() else { continue };
                    let is_repeated = open.iter().any(|other| other.mark == closed.mark);
                    let is_in_code = open.iter().any(|other| other.mark == Code);
                    if !is_repeated && !is_in_code {
                        close_mark(&mut markdown, &closed, with_links);
                    }
                }
                None => {
                    let is_code = open.iter().any(|other| other.mark == Code);
                    let next = rest.as_str().chars().next().unwrap_or(' ');
                    // Of the blanks on both sides of a mark, one is kept.
                    if !is_code && c == ' ' && markdown.ends_with(' ') {
                        continue;
                    }
                    if !is_code && is_special(c, previous, next) {
                        markdown.push('\\');
                    }
                    markdown.push(c);
                    previous = c;
                }
            }
        }
        markdown
    }
}

/// Puts the delimiters of a mark around its content, which is at the end of `markdown`, without the
/// white space at its ends.
fn close_mark(markdown: &mut String, closed: &OpenMark, with_links: bool) {
    let content = markdown.split_off(closed.start);
    let inner = content.trim();
    let before = match markdown.is_empty() || markdown.ends_with([' ', '\n']) {
        true => "",
        false => &content[..content.len() - content.trim_start().len()],
    };
    let after = &content[content.trim_end().len()..];
    let (left, right) = match (closed.mark, &closed.url) {
        _ if inner.is_empty() => Default::default(),
        (Link, Some(url)) if with_links && !url.is_empty() => {
            ("[".to_owned(), format!("]({})", link_target(url)))
        }
        (Code, _) => {
            let ticks = backticks(inner, 1);
            match inner.contains('`') {
                true => (format!("{ticks} "), format!(" {ticks}")),
                false => (ticks.clone(), ticks),
            }
        }
        (mark, _) => (mark.delimiter().to_owned(), mark.delimiter().to_owned()),
    };
    for part in [before, &left, inner, &right, after] {
        markdown.push_str(part);
    }
}

/// Returns more backticks than `code` has one after another, at least `least`.
pub(crate) fn backticks(code: &str, least: usize) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(least.max(longest + 1))
}

/// Returns a URL without characters that end the target of a link.
fn link_target(url: &str) -> String {
    url.replace('(', "%28")
        .replace(')', "%29")
        .replace(' ', "%20")
}

/// Returns `true` if a character of the text would be a mark of Markdown. An underscore inside a
/// word is none.
fn is_special(c: char, previous: char, next: char) -> bool {
    match c {
        '*' | '`' | '\\' | '[' => true,
        '_' => !previous.is_alphanumeric() || !next.is_alphanumeric(),
        '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
        '~' => next == '~' || previous == '~',
        '&' => next.is_ascii_alphabetic() || next == '#',
        _ => false,
    }
}
