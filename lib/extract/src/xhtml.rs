//! XHTML as HTML: what XML's rules and those of HTML read differently is rewritten.

use quick_xml::Reader;
use quick_xml::events::Event;
use std::ops::Range;

/// Namespaces whose elements a browser shows.
const NAMESPACES: [&str; 3] = [
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/2000/svg",
];
/// Elements without an end tag in HTML.
const VOID_ELEMENTS: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// Returns an XHTML page as HTML: with an end tag for each empty element (`<script/>`), and text
/// for CDATA. Returns `None` if the page is not well-formed or is another kind of XML: then the
/// rules of HTML apply.
///
/// Time is linear. An `&` that begins no reference is accepted.
pub fn html_from_xhtml(xhtml: &str) -> Option<String> {
    let xhtml = xhtml.trim_start_matches('\u{feff}').trim_start();
    let mut reader = Reader::from_str(xhtml);
    reader.config_mut().allow_dangling_amp = true;
    let mut writer = HtmlWriter {
        html: String::with_capacity(xhtml.len() + xhtml.len() / 8),
        prefixes: Vec::new(),
        has_root: false,
        depth: 0,
        raw_depth: None,
    };
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event().ok()?;
        let source = xhtml.get(start..reader.buffer_position() as usize)?;
        if matches!(event, Event::Eof) {
            break;
        }
        writer.add(&event, source)?;
    }
    (writer.depth == 0 && writer.has_root).then_some(writer.html)
}

struct HtmlWriter {
    html: String,
    /// Prefixes of names that stand for [`NAMESPACES`].
    prefixes: Vec<String>,
    /// True if the root element has begun.
    has_root: bool,
    /// Number of open elements.
    depth: usize,
    /// The depth of the open element whose content is not markup in HTML.
    raw_depth: Option<usize>,
}

impl HtmlWriter {
    /// Adds an event with its source. Returns `None` if the page is no XHTML.
    fn add(&mut self, event: &Event, source: &str) -> Option<()> {
        match event {
            Event::Start(_) | Event::Empty(_) => {
                self.add_prefixes(source);
                let is_empty = matches!(event, Event::Empty(_));
                let name = self.add_start_tag(source, is_empty);
                if self.depth == 0 && name != "html" {
                    return None;
                }
                self.has_root = true;
                self.depth += usize::from(!is_empty);
                if !is_empty && self.raw_depth.is_none() && matches!(name, "script" | "style") {
                    self.raw_depth = Some(self.depth);
                }
            }
            Event::End(_) => {
                if self.raw_depth == Some(self.depth) {
                    self.raw_depth = None;
                }
                self.depth = self.depth.checked_sub(1)?;
                let name = self.local_name(source);
                if !VOID_ELEMENTS.contains(&name) {
                    self.html.push_str(&format!("</{name}>"));
                }
            }
            Event::CData(_) => {
                let content = source.strip_prefix("<![CDATA[")?.strip_suffix("]]>")?;
                self.add_characters(content);
            }
            Event::GeneralRef(_) if self.raw_depth.is_some() => {
                let character = match source {
                    "&lt;" => "<",
                    "&gt;" => ">",
                    "&amp;" => "&",
                    "&quot;" => "\"",
                    "&apos;" => "'",
                    other => other,
                };
                self.html.push_str(character);
            }
            Event::Comment(_) if self.raw_depth.is_none() => {}
            Event::Decl(_) | Event::PI(_) => {}
            Event::DocType(_) => self.html.push_str("<!DOCTYPE html>"),
            _ => self.html.push_str(source),
        }
        Some(())
    }

    /// Adds a start tag, and the end tag of an empty element. Returns the name without its prefix.
    fn add_start_tag<'a>(&mut self, source: &'a str, is_empty: bool) -> &'a str {
        let name = self.local_name(source);
        let after_name = &source[name_range(source).end..];
        let attributes = after_name.strip_suffix('>').unwrap_or(after_name);
        let attributes = match is_empty {
            true => attributes.strip_suffix('/').unwrap_or(attributes),
            false => attributes,
        };
        // An unquoted value must not take the `>`.
        self.html.push_str(&format!("<{name}{attributes}>"));
        if is_empty && !VOID_ELEMENTS.contains(&name) {
            self.html.push_str(&format!("</{name}>"));
        }
        name
    }

    /// Adds text without markup.
    fn add_characters(&mut self, text: &str) {
        if self.raw_depth.is_some() {
            // An end tag in a script would end it.
            self.html.push_str(&text.replace("</", "<\\/"));
        } else {
            self.html
                .push_str(&text.replace('&', "&amp;").replace('<', "&lt;"));
        }
    }

    /// Adds the prefixes that a start tag declares for the namespaces.
    fn add_prefixes(&mut self, tag: &str) {
        for declaration in tag.split("xmlns:").skip(1) {
            let Some((prefix, value)) = declaration.split_once('=') else {
                continue;
            };
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let is_shown = NAMESPACES.iter().any(|namespace| {
                value
                    .strip_prefix(namespace)
                    .is_some_and(|rest| rest.starts_with(['"', '\'']))
            });
            let prefix = prefix.trim().to_owned();
            if is_shown && !self.prefixes.contains(&prefix) && self.prefixes.len() < MAX_PREFIXES {
                self.prefixes.push(prefix);
            }
        }
    }

    /// Returns the name of a tag, without a prefix that stands for the namespaces.
    fn local_name<'a>(&self, tag: &'a str) -> &'a str {
        let name = &tag[name_range(tag)];
        match name.split_once(':') {
            Some((prefix, local)) if self.prefixes.iter().any(|known| known == prefix) => local,
            _ => name,
        }
    }
}

/// Maximum number of prefixes to remember.
const MAX_PREFIXES: usize = 16;

/// Returns where the name in a tag is.
fn name_range(tag: &str) -> Range<usize> {
    let start = tag.len() - tag.trim_start_matches(['<', '/']).len();
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
    let end = tag[start..]
        .find(is_end)
        .map_or(tag.len(), |length| start + length);
    start..end
}

#[cfg(test)]
mod tests {
    use super::html_from_xhtml;
    use proptest::prelude::*;

    const HEAD: &str = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml' \
         xmlns:m='http://www.w3.org/1998/Math/MathML'>";

    /// Returns the HTML of what is in the root.
    fn inner(content: &str) -> Option<String> {
        let html = html_from_xhtml(&format!("{HEAD}{content}</html>"))?;
        let start = html.find("MathML'>").unwrap() + "MathML'>".len();
        Some(html[start..].strip_suffix("</html>").unwrap().to_owned())
    }

    #[test]
    fn what_xml_reads_differently_is_rewritten() {
        for (xhtml, html) in [
            ("<script src='a.js' />", "<script src='a.js' ></script>"),
            ("<title/><div/>a<br/>b", "<title></title><div></div>a<br>b"),
            ("a<br></br>b", "a<br>b"),
            (
                "<p><![CDATA[a < b &amp; c]]></p>",
                "<p>a &lt; b &amp;amp; c</p>",
            ),
            (
                "<p>&nbsp;&lt;&#269;<!-- x --></p>",
                "<p>&nbsp;&lt;&#269;</p>",
            ),
            ("<m:math><m:mi>x</m:mi></m:math>", "<math><mi>x</mi></math>"),
            ("<o:p>x</o:p>", "<o:p>x</o:p>"),
            (
                "<script>a &lt; b &amp;&amp; c</script>",
                "<script>a < b && c</script>",
            ),
            (
                "<script>//<![CDATA[\n'</script>'//]]></script>",
                "<script>//\n'<\\/script>'//</script>",
            ),
            ("<a title='a > b'/>", "<a title='a > b'></a>"),
            ("<p>a & b</p>", "<p>a & b</p>"),
        ] {
            assert_eq!(inner(xhtml).as_deref(), Some(html), "{xhtml}");
        }
        let doctype = "\u{feff}\n<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'>\
             <html><p/></html>\n";
        assert_eq!(
            html_from_xhtml(doctype).as_deref(),
            Some("<!DOCTYPE html><html><p></p></html>\n")
        );
    }

    #[test]
    fn what_is_not_well_formed_or_no_xhtml_is_left_to_html() {
        for content in ["<p>a", "<p>a<p>b", "<b><i>a</b></i>", "</p>", "a < b"] {
            assert_eq!(inner(content), None, "{content}");
        }
        for page in ["", "text", "<rss><channel/></rss>", "<?xml version='1.0'?>"] {
            assert_eq!(html_from_xhtml(page), None, "{page}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[<>/!?\\[\\]CDAT&;a=':č -]{0,40}") {
            let _ = html_from_xhtml(&text);
            let _ = inner(&text);
        }
    }
}
