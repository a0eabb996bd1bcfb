//! Media types: the declared type of a body, and detection from its bytes if none is declared.

use memchr::memmem;

/// A supported format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// HTML or XHTML.
    Html,
    /// Plain text.
    Plain,
    /// PDF.
    Pdf,
    /// PostScript.
    PostScript,
    /// One file, compressed.
    Gzip,
    /// An archive of files: a zip, EPUB, docx or odt.
    Zip,
}

impl PageFormat {
    /// The name of the format, for messages.
    pub fn name(self) -> &'static str {
        match self {
            PageFormat::Html => "HTML or XML",
            PageFormat::Plain => "plain text",
            PageFormat::Pdf => "PDF",
            PageFormat::PostScript => "PostScript",
            PageFormat::Gzip => "gzip",
            PageFormat::Zip => "a zip archive",
        }
    }
}

const PDF: &str = "application/pdf";

/// Signatures: the first bytes of each format, as in file(1).
const SIGNATURES: [(&[u8], &str); 4] = [
    (b"%PDF-", PDF),
    (b"%!PS", "application/postscript"),
    (&[0x1F, 0x8B, 8], "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
];

/// The formats whose first bytes no text begins with, so that a body declared as text is one of
/// these nevertheless.
const UNAMBIGUOUS: [&str; 3] = [PDF, "application/gzip", "application/zip"];

/// Media types that servers declare for files of unknown type.
const GENERIC: [&str; 4] = [
    "application/octet-stream",
    "binary/octet-stream",
    "application/x-download",
    "application/force-download",
];

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
    pub fn parse(header: &str) -> Option<MediaType> {
        let mut parts = header.split(';');
        let essence = parts.next()?.trim().to_ascii_lowercase();
        if !essence.contains('/') {
            return None;
        }
        let charset = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty())
                .then(|| value.to_owned())
        });
        Some(MediaType { essence, charset })
    }

    /// Detects the type of a body without a declared type: by signature, HTML if it begins with a
    /// tag, or plain text if it contains no NUL.
    pub fn sniff(body: &[u8]) -> MediaType {
        if let Some(media) = MediaType::from_signature(body) {
            return media;
        }
        let head = &body[..body.len().min(1024)];
        let is_utf16 = head.starts_with(&[0xFE, 0xFF]) || head.starts_with(&[0xFF, 0xFE]);
        let first_visible = head.iter().copied().find(u8::is_ascii_graphic);
        let essence = match first_visible {
            Some(b'<') => "text/html",
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
            .find(|(signature, _)| body.starts_with(signature))
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
    /// missing, generic, or declares a binary format as text.
    pub fn from_header_or_body(header: Option<&str>, body: &[u8]) -> MediaType {
        let declared = header
            .and_then(MediaType::parse)
            .filter(|media| !GENERIC.contains(&media.essence.as_str()));
        let Some(declared) = declared else {
            return MediaType::sniff(body);
        };
        if !matches!(
            declared.format(),
            Some(PageFormat::Html | PageFormat::Plain)
        ) {
            return declared;
        }
        MediaType::from_signature(body)
            .filter(|media| UNAMBIGUOUS.contains(&media.essence.as_str()))
            .unwrap_or(declared)
    }

    /// Returns the format of the type, or `None` if it is not supported.
    pub fn format(&self) -> Option<PageFormat> {
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some(PageFormat::Html),
            "text/plain" => Some(PageFormat::Plain),
            "application/pdf" | "application/x-pdf" => Some(PageFormat::Pdf),
            "application/postscript" => Some(PageFormat::PostScript),
            "application/gzip" | "application/x-gzip" => Some(PageFormat::Gzip),
            "application/zip"
            | "application/x-zip-compressed"
            | "application/epub+zip"
            | "application/vnd.oasis.opendocument.text"
            | "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
                Some(PageFormat::Zip)
            }
            _ => None,
        }
    }
}

/// Returns `true` if a body is a PDF.
///
/// The PDF may begin after other data: some servers send header lines, a warning or blank lines
/// before it. Binary bytes distinguish it from a text that quotes a PDF; so do its first line and
/// its objects, if nothing precedes it.
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
    (is_first && (has_header_line() || memmem::find(body, b"obj").is_some())) || is_binary()
}

#[cfg(test)]
mod tests {
    use super::MediaType;

    fn parse(header: &str) -> (String, Option<String>) {
        let media = MediaType::parse(header).unwrap();
        (media.essence, media.charset)
    }

    fn essence(header: &str, body: &[u8]) -> String {
        MediaType::from_header_or_body(Some(header), body).essence
    }

    #[test]
    fn parses_the_charset_in_any_spelling() {
        for header in [
            "text/html; charset=UTF-8",
            "Text/HTML;Charset=\"UTF-8\"",
            "text/html; a=b; charset='UTF-8' ; q",
        ] {
            assert_eq!(parse(header), ("text/html".into(), Some("UTF-8".into())));
        }
        assert_eq!(parse("text/html; charset="), ("text/html".into(), None));
        assert_eq!(MediaType::parse("html"), None);
    }

    #[test]
    fn detects_the_type_of_a_body_from_its_first_bytes() {
        assert_eq!(MediaType::sniff(b"\n <!doctype html>").essence, "text/html");
        assert_eq!(
            MediaType::sniff("Dober dan".as_bytes()).essence,
            "text/plain"
        );
        assert_eq!(
            MediaType::sniff(b"\x7fELF\0\0").essence,
            "application/octet-stream"
        );
        let pdfs = [
            "%PDF-1.7\n1 0 obj",
            "\u{FEFF}%PDF-1.7\x01",
            "Status: 200\n\n%PDF-1.7\0",
            "<b>Notice</b>%PDF-1.7\x10",
        ];
        for body in pdfs {
            assert_eq!(
                essence("text/html", body.as_bytes()),
                "application/pdf",
                "{body}"
            );
        }
        for text in [
            "%PDF-1.7 is what they begin with",
            "A file begins so:\n%PDF-1.7\n1 0 obj",
            "\t%PDF-1.7\n1 0 obj",
        ] {
            assert_eq!(
                MediaType::sniff(text.as_bytes()).essence,
                "text/plain",
                "{text}"
            );
        }
    }

    #[test]
    fn ignores_a_generic_or_wrong_header() {
        assert_eq!(
            essence("application/octet-stream", b"PK\x03\x04"),
            "application/zip"
        );
        assert_eq!(
            essence("text/plain", b"%PDF-1.7\r1 0 obj"),
            "application/pdf"
        );
        assert_eq!(
            essence("text/html", &[0x1F, 0x8B, 8, 0]),
            "application/gzip"
        );
        assert_eq!(
            essence("text/plain", b"%!PS is what PostScript begins with"),
            "text/plain"
        );
    }
}
