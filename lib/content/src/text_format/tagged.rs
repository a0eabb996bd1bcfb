//! Texts between lines of tags: the vertical format of CWB and (No)Sketch Engine, with a token and
//! its attributes per line, and the lines of text in `<doc …>` that WikiExtractor, and jusText and
//! SpiderLing ("prevertical") write.

use super::{FormatReader, LineReader, Pattern, end_line, nearly_all, pattern};
use html_escape::decode_html_entities;

/// A line that is a tag, with the name of the element, or a declaration or comment.
static TAG: Pattern =
    Pattern::new(|| pattern(r"^\s*<(?:[?!].*|/?([A-Za-z][A-Za-z0-9_:.-]*)(?:\s[^<]*|/)?)>\s*$"));

/// Tags of HTML that corpora do not have.
static HTML: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)<(?:html|body|div|span|a|br|ul|ol|li|tr|td|th|script|style|meta|link|img|form)[\s/>]",
    )
});

/// Tags of sentences and paragraphs, and the one that joins tokens: a tag alone may be around the
/// lines of a list.
static SENTENCE: Pattern = Pattern::new(|| pattern(r"<(?:[sgp]|sentence|paragraph)[\s/>]"));

/// Elements that contain sentences.
static BLOCK: Pattern = Pattern::new(|| {
    pattern(
        "^(?:doc|text|p|paragraph|u|l|s|sentence|head|title|list|item|quote|table|cell|row|div|par|article|corpus|file|chapter|body)$",
    )
});

/// The first line of a document whose text is in lines.
static DOCUMENT: Pattern = Pattern::new(|| pattern(r#"\A<(?:doc|text|file)\s+\w+="[^<]*>\s*\n"#));

/// Reads the tokens, or the lines of text.
#[derive(Debug, Default)]
struct TaggedReader {
    has_lines: bool,
    /// True if no blank precedes the next token.
    is_joined: bool,
    /// True if paragraphs are marked, so that a line is one.
    has_paragraphs: bool,
}

/// Returns a reader, if the lines are those of a format.
pub(super) fn open(head: &str) -> FormatReader {
    let has_lines = !is_vertical(head);
    (!has_lines || DOCUMENT.is_match(head)).then(|| {
        Box::new(TaggedReader {
            has_lines,
            ..TaggedReader::default()
        }) as _
    })
}

/// Returns `true` if lines are those of the vertical format: tags, and tokens in the same number of
/// columns.
pub(super) fn is_vertical(head: &str) -> bool {
    if !head.lines().next().is_some_and(|line| TAG.is_match(line)) {
        return false;
    }
    let (tags, tokens): (Vec<&str>, Vec<&str>) = head.lines().partition(|line| TAG.is_match(line));
    let tabs = |line: &str| line.bytes().filter(|byte| *byte == b'\t').count();
    let columns = tokens.first().map_or(0, |line| tabs(line));
    let has = |tag: &Pattern| tags.iter().any(|line| tag.is_match(line));
    let is_token = |line: &str| {
        let is_word = || columns > 0 && !line.starts_with('\t') || !line.trim().contains(' ');
        tabs(line) == columns && is_word() && !line.contains("</")
    };
    (columns > 0 || has(&SENTENCE) && !has(&HTML)) && nearly_all(tokens.into_iter(), is_token)
}

impl LineReader for TaggedReader {
    fn read_line(&mut self, line: &str, text: &mut String) {
        let tag = line.contains('<').then(|| TAG.captures(line)).flatten();
        match tag.map(|tag| tag.get(1).map_or("", |name| name.as_str())) {
            None if self.has_lines => {
                // WikiExtractor 3.0.6 escapes its texts (`--html-safe`, the default).
                text.push_str(&decode_html_entities(line));
                text.push('\n');
            }
            Some("g") => self.is_joined = true,
            Some("s" | "sentence") if self.has_paragraphs => {}
            Some(name) if BLOCK.is_match(name) => {
                self.has_paragraphs |= matches!(name, "p" | "paragraph");
                end_line(text);
            }
            Some(_) => {}
            None if line.trim().is_empty() => {}
            None => {
                let word = line.split('\t').next().unwrap_or_default();
                let is_joined = std::mem::take(&mut self.is_joined);
                if !is_joined && !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.push_str(&decode_html_entities(word.trim()));
            }
        }
    }
}
