//! Media types: the declared type of a body, and detection from its bytes if none is declared.

use crate::media::readable_beginning;
use crate::media::saved_file;
use crate::media::utf16::utf16_sample;
use memchr::memmem;

/// A format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// HTML or XHTML.
    Html,
    /// XML other than XHTML: a document, or data.
    Xml,
    /// Plain text.
    Plain,
    /// PDF.
    Pdf,
    /// PostScript.
    PostScript,
    /// One file, compressed.
    Gzip,
    /// One file, compressed.
    Zstd,
    /// An archive of files: a zip, EPUB, docx or odt.
    Zip,
    /// A page with its HTTP header, as `curl -i` writes it.
    Response,
    /// A page with its images in one file (MHTML), or a mail.
    Mail,
    /// A web archive (WARC), which has many pages.
    Warc,
    /// Rich text. Not supported.
    Rtf,
    /// A page as Safari saves it. Not supported.
    WebArchive,
    /// JSON, which is not a page.
    Records,
}

impl PageFormat {
    /// The name of the format, for messages.
    pub fn name(self) -> &'static str {
        match self {
            PageFormat::Html => "HTML",
            PageFormat::Xml => "XML",
            PageFormat::Plain => "plain text",
            PageFormat::Pdf => "PDF",
            PageFormat::PostScript => "PostScript",
            PageFormat::Gzip => "gzip",
            PageFormat::Zstd => "zstd",
            PageFormat::Zip => "a zip archive",
            PageFormat::Response => "an HTTP response",
            PageFormat::Mail => "MHTML or a mail",
            PageFormat::Warc => "a web archive (WARC)",
            PageFormat::Rtf => "RTF",
            PageFormat::WebArchive => "a Safari webarchive",
            PageFormat::Records => "JSON",
        }
    }

    /// What to do with a file of a format that is not that of a page, for messages; `None` for the
    /// formats of pages.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            PageFormat::Warc => Some("read it with fetch-extract --from-warc"),
            PageFormat::Rtf => {
                Some("convert it, as with `soffice --convert-to docx` or `textutil -convert html`")
            }
            PageFormat::WebArchive => {
                Some("save the page as HTML, or convert it with `textutil -convert html`")
            }
            PageFormat::Records => Some("read its records without --html"),
            _ => None,
        }
    }
}

const HTML: &str = "text/html";
const XHTML: &str = "application/xhtml+xml";
const XML: &str = "application/xml";
const PDF: &str = "application/pdf";
const POSTSCRIPT: &str = "application/postscript";

/// Signatures: the first bytes of each format, as in file(1).
const SIGNATURES: [(&[u8], &str); 7] = [
    (b"%PDF-", PDF),
    (b"%!PS", POSTSCRIPT),
    (b"%!\n", POSTSCRIPT),
    // With a preview, as for DOS.
    (&[0xC5, 0xD0, 0xD3, 0xC6], POSTSCRIPT),
    (&[0x1F, 0x8B, 8], "application/gzip"),
    (&[0x28, 0xB5, 0x2F, 0xFD], "application/zstd"),
    (b"PK\x03\x04", "application/zip"),
];

/// The formats whose first bytes no text begins with, so that a body declared as text is one of
/// these nevertheless.
const UNAMBIGUOUS: [&str; 4] = [
    PDF,
    "application/gzip",
    "application/zstd",
    "application/zip",
];

/// The registered top-level types. Another one, as in `unknown/unknown` or `html/text`, says
/// nothing about a body.
const TOP_LEVEL_TYPES: [&str; 10] = [
    "application",
    "audio",
    "font",
    "haptics",
    "image",
    "message",
    "model",
    "multipart",
    "text",
    "video",
];

/// Words in the subtypes that servers declare for files of unknown type, as in
/// `application/octet-stream` or `application/force-download`.
const GENERIC_WORDS: [&str; 4] = ["unknown", "octet", "download", "binary"];

/// A media type with its `charset` parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype in lower case, as in `text/html`.
    pub essence: String,
    /// The label of the `charset` parameter, unchanged.
    pub charset: Option<String>,
}

impl MediaType {
    /// Parses a `Content-Type` header. Lenient, since many servers send malformed ones.
    ///
    /// Of several values, sent twice or joined by commas, the last valid one counts (the Fetch
    /// standard, "extract a MIME type"). The charset may be that of another one.
    pub fn parse(header: &str) -> Option<MediaType> {
        let values = header.split(',').map(parse_value);
        let essence = values
            .clone()
            .filter_map(|(essence, _)| essence)
            .next_back()?;
        let charset = values.filter_map(|(_, charset)| charset).next_back();
        Some(MediaType { essence, charset })
    }

    /// Detects the type of a body without a declared type: by signature, by the first lines of
    /// files that other programs save, HTML if it begins with a tag, or plain text if it contains
    /// no NUL or is UTF-16.
    pub fn sniff(body: &[u8]) -> MediaType {
        if let Some(media) = MediaType::from_signature(body) {
            return media;
        }
        if let Some(essence) = saved_file::detect(body) {
            return MediaType {
                essence: essence.into(),
                charset: None,
            };
        }
        let head = &body[..body.len().min(1024)];
        let is_utf16 = utf16_sample(head).is_some();
        let first_visible = head.iter().copied().find(u8::is_ascii_graphic);
        let essence = match first_visible {
            Some(b'<') if is_xml_document(body) => XML,
            Some(b'<') => HTML,
            _ if is_utf16 || !head.contains(&0) => "text/plain",
            _ => "application/octet-stream",
        };
        MediaType {
            essence: essence.into(),
            charset: None,
        }
    }

    /// Returns the type whose signature a body begins with.
    fn from_signature(body: &[u8]) -> Option<MediaType> {
        let matching = SIGNATURES
            .iter()
            .find(|(signature, essence)| match *essence == POSTSCRIPT {
                true => skip_printer_commands(body).starts_with(signature),
                false => body.starts_with(signature),
            })
            .map(|(_, essence)| *essence);
        // PDF needs more than its signature: a text about PDFs may begin with a quotation of one.
        let essence = matching
            .filter(|essence| *essence != PDF)
            .or_else(|| is_pdf(body).then_some(PDF))?;
        Some(MediaType {
            essence: essence.into(),
            charset: None,
        })
    }

    /// Returns the type of a body: the one in the header, or the detected one if the header is
    /// missing, malformed or generic, or declares an HTML page or a binary format as another type.
    ///
    /// Stricter than the standard on MIME sniffing where that protects readers from scripts, more
    /// lenient where it would show them the source of a page: one that is declared as `text/plain`
    /// or XML is HTML here.
    pub fn from_header_or_body(header: Option<&str>, body: &[u8]) -> MediaType {
        let Some(declared) = header.and_then(MediaType::parse) else {
            return MediaType::sniff(body);
        };
        if declared.is_generic() {
            return MediaType {
                charset: declared.charset,
                ..MediaType::sniff(body)
            };
        }
        let format = declared.format();
        if format != Some(PageFormat::Html) && is_html_page(body) {
            let is_xml = declared.essence.ends_with("xml");
            let essence = if is_xml { XHTML } else { HTML };
            return MediaType {
                essence: essence.into(),
                ..declared
            };
        }
        if matches!(format, Some(PageFormat::Html | PageFormat::Plain)) && is_xml_document(body) {
            return MediaType {
                essence: XML.into(),
                ..declared
            };
        }
        let may_be_binary = match format {
            Some(PageFormat::Html | PageFormat::Xml | PageFormat::Plain) => &UNAMBIGUOUS[..],
            // The extension of a file determines its type on many servers.
            None => &[PDF],
            Some(format) if format.remedy().is_some() => &[PDF],
            Some(_) => &[],
        };
        MediaType::from_signature(body)
            .filter(|media| may_be_binary.contains(&media.essence.as_str()))
            .unwrap_or(declared)
    }

    /// Returns `true` for a type that says nothing about a body.
    fn is_generic(&self) -> bool {
        let (top_level, subtype) = self.essence.split_once('/').unwrap_or_default();
        !TOP_LEVEL_TYPES.contains(&top_level)
            || GENERIC_WORDS.iter().any(|word| subtype.contains(word))
    }

    /// Returns the format of the type, or `None` if it is not supported.
    pub fn format(&self) -> Option<PageFormat> {
        match self.essence.as_str() {
            HTML | XHTML | "application/vnd.wap.xhtml+xml" => Some(PageFormat::Html),
            "text/plain" => Some(PageFormat::Plain),
            "application/pdf" | "application/x-pdf" => Some(PageFormat::Pdf),
            POSTSCRIPT => Some(PageFormat::PostScript),
            "application/gzip" | "application/x-gzip" => Some(PageFormat::Gzip),
            "application/zstd" => Some(PageFormat::Zstd),
            "application/zip"
            | "application/x-zip-compressed"
            | "application/epub+zip"
            | "application/vnd.oasis.opendocument.text"
            | "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
                Some(PageFormat::Zip)
            }
            saved_file::HTTP => Some(PageFormat::Response),
            saved_file::MAIL | "multipart/related" | "application/x-mimearchive" => {
                Some(PageFormat::Mail)
            }
            saved_file::WARC => Some(PageFormat::Warc),
            saved_file::RTF | "text/rtf" => Some(PageFormat::Rtf),
            saved_file::WEB_ARCHIVE => Some(PageFormat::WebArchive),
            saved_file::RECORDS => Some(PageFormat::Records),
            XML | "text/xml" => Some(PageFormat::Xml),
            "application/vnd.oasis.opendocument.text-flat-xml" => Some(PageFormat::Xml),
            essence if essence.ends_with("+xml") => Some(PageFormat::Xml),
            _ => None,
        }
    }
}

/// Parses one value of a `Content-Type` header. Returns its type and subtype in lower case, if they
/// are valid, and the label of its `charset` parameter.
fn parse_value(value: &str) -> (Option<String>, Option<String>) {
    let mut parts = value.split(';');
    let first = parts.next().unwrap_or_default().trim();
    // Some servers forget the semicolon.
    let (essence, parameter) = first
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((first, first));
    let charset = std::iter::once(parameter)
        .chain(parts)
        .find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty())
                .then(|| value.to_owned())
        });
    let is_token = |word: &str| {
        let is_token_byte =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'+-.^_`|~".contains(&byte);
        !word.is_empty() && word.bytes().all(is_token_byte)
    };
    let is_valid = essence
        .split_once('/')
        .is_some_and(|(top_level, subtype)| is_token(top_level) && is_token(subtype));
    (is_valid.then(|| essence.to_ascii_lowercase()), charset)
}

/// Returns a body without what may precede PostScript that was made for a printer, and what
/// Ghostscript skips: white space, `^D`, or commands in HP's printer job language (PJL).
fn skip_printer_commands(body: &[u8]) -> &[u8] {
    let start = match body.starts_with(b"\x1b%-12345X") {
        // The limit is set by judgement, not measured.
        true => memchr::memmem::find(&body[..body.len().min(8 << 10)], b"%!"),
        false => body
            .iter()
            .position(|b| !b.is_ascii_whitespace() && *b != 4),
    };
    &body[start.unwrap_or(0)..]
}

/// Returns `true` if a body is a whole HTML page: its first tag is `<html>`, `<head>` or `<body>`,
/// or its document type is HTML.
fn is_html_page(body: &[u8]) -> bool {
    let names = ["!doctype html", "html", "head", "body"];
    split_prolog(body).is_some_and(|(_, root)| names.iter().any(|name| is_tag(root, name)))
}

/// Splits the beginning of a text before its first tag or document type of HTML, after an XML
/// declaration, comments and other document types. Returns `None` if one of these has no end.
fn split_prolog(text: &[u8]) -> Option<(&[u8], &[u8])> {
    // Set by judgement, not measured.
    const MAX_BYTES_BEFORE: usize = 8 << 10;
    let text = &text[..text.len().min(MAX_BYTES_BEFORE)];
    let text = text.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(text);
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        let end = match rest {
            [b'<', b'!', b'-', b'-', ..] => "-->",
            [b'<', b'?' | b'!', ..] if !is_tag(rest, "!doctype html") => {
                // The declarations in a document type are in brackets.
                let has_declarations = memchr::memchr2(b'[', b'>', rest)
                    .is_some_and(|end| rest[1] == b'!' && rest[end] == b'[');
                if has_declarations { "]" } else { ">" }
            }
            [b'>', ..] => ">",
            _ => return Some(text.split_at(text.len() - rest.len())),
        };
        let start = memmem::find(rest, end.as_bytes())?;
        rest = &rest[start + end.len()..];
    }
}

/// Elements of HTML with which a fragment of a page may begin, after an XML declaration or with a
/// namespace.
const HTML_ELEMENTS: &str = "html head body title script style meta link base frameset div p span a b i \
    br hr h1 h2 h3 h4 font center table form img iframe ul ol dl pre main";

/// Returns `true` if a text is XML other than XHTML: it has an XML declaration or a document type,
/// or its root has a namespace, and the root is no element of HTML. An SVG without a declaration
/// may be the first element of a page, unless it is all of it.
fn is_xml_document(body: &[u8]) -> bool {
    let text = readable_beginning(body);
    let Some((prolog, [b'<', root @ ..])) = split_prolog(&text) else {
        return false;
    };
    let tag = &root[..memchr::memchr(b'>', root).unwrap_or(root.len())];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
    let name = &tag[..tag.iter().position(is_end).unwrap_or(tag.len())];
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let is_name = matches!(local, [b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.., ..]);
    let mut html = HTML_ELEMENTS.split_ascii_whitespace();
    if !is_name
        || local.contains(&b'-')
        || html.any(|name| local.eq_ignore_ascii_case(name.as_bytes()))
    {
        return false;
    }
    let has = |text: &[u8], part: &str| memmem::find(text, part.as_bytes()).is_some();
    let has_namespace = has(tag, "xmlns") && !has(tag, "xhtml");
    let may_be_in_html = matches!(local, b"svg" | b"math");
    let is_whole = || {
        let end = body.trim_ascii_end().strip_suffix(b">").unwrap_or_default();
        end.trim_ascii_end().ends_with(&[b"</", name].concat())
    };
    has(prolog, "<?xml")
        || has(&prolog.to_ascii_lowercase(), "<!doctype")
        || local == b"rss"
        || has_namespace && (!may_be_in_html || is_whole())
}

/// Returns `true` if a text begins with a tag of this name.
fn is_tag(text: &[u8], name: &str) -> bool {
    let Some((tag, after)) = text
        .strip_prefix(b"<")
        .and_then(|text| text.split_at_checked(name.len()))
    else {
        return false;
    };
    tag.eq_ignore_ascii_case(name.as_bytes())
        && after
            .first()
            .is_none_or(|next| next.is_ascii_whitespace() || *next == b'>')
}

/// Returns `true` if a body is a PDF.
///
/// The PDF may begin after other data: some servers send header lines, a warning or blank lines
/// before it. Binary bytes or the mark of its end distinguish it from a text that quotes a PDF; so
/// do its first line and its objects, if nothing precedes it.
fn is_pdf(body: &[u8]) -> bool {
    // Set by judgement, not measured.
    const MAX_BYTES_BEFORE: usize = 8 << 10;
    let head = &body[..body.len().min(MAX_BYTES_BEFORE)];
    let Some(start) = memmem::find(head, b"%PDF-") else {
        return false;
    };
    let is_first = body[..start].is_empty() || body[..start] == *"\u{FEFF}".as_bytes();
    let is_binary = || {
        body[start..]
            .iter()
            .any(|byte| matches!(byte, 0..=8 | 14..=31))
    };
    // The first line of a PDF holds only the version.
    let has_header_line = || {
        body.get(start + "%PDF-1.7".len())
            .is_none_or(|byte| matches!(byte, b'\r' | b'\n'))
    };
    let has_end_mark = || body.trim_ascii_end().ends_with(b"%%EOF");
    (is_first && (has_header_line() || memmem::find(body, b"obj").is_some()))
        || is_binary()
        || has_end_mark()
}

#[cfg(test)]
mod tests;
