//! Media types: what a body is said to be, and, where nothing is said, what it looks like.

use memchr::memmem;

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Html,
    Plain,
    Pdf,
    PostScript,
    /// One file, compressed.
    Gzip,
    /// An archive of files.
    Zip,
}

const PDF: &str = "application/pdf";

/// Bytes by which a format is known, whatever its server calls it: file(1) goes by the same.
const SIGNATURES: [(&[u8], &str); 4] = [
    (b"%PDF-", PDF),
    (b"%!PS", "application/postscript"),
    (&[0x1F, 0x8B, 8], "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
];

/// Of these, the formats that no text begins like: what begins so is one, also where it is said to
/// be a text.
const UNMISTAKABLE: [&str; 3] = [PDF, "application/gzip", "application/zip"];

/// Types that servers give to what they don't know.
const VAGUE: [&str; 4] = [
    "application/octet-stream",
    "binary/octet-stream",
    "application/x-download",
    "application/force-download",
];

/// A media type with the one parameter that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// Type and subtype in lower case, as in `text/html`.
    pub essence: String,
    /// The label of the `charset` parameter, as it was given.
    pub charset: Option<String>,
}

impl MediaType {
    /// Reads a `Content-Type` header; lenient, as servers are careless with it.
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

    /// The type of a body that nothing is said of: HTML if it begins with a tag, plain text if it
    /// holds no NUL.
    pub fn sniff(body: &[u8]) -> MediaType {
        if let Some(media) = MediaType::signed(body) {
            return media;
        }
        let head = &body[..body.len().min(1024)];
        let is_wide = head.starts_with(&[0xFE, 0xFF]) || head.starts_with(&[0xFF, 0xFE]);
        let shown = head.iter().copied().find(u8::is_ascii_graphic);
        let essence = match shown {
            Some(b'<') => "text/html",
            _ if is_wide || !head.contains(&0) => "text/plain",
            _ => "application/octet-stream",
        };
        MediaType {
            essence: essence.into(),
            charset: None,
        }
    }

    /// The type by whose signature a body begins.
    fn signed(body: &[u8]) -> Option<MediaType> {
        let found = SIGNATURES
            .iter()
            .find(|(signature, _)| body.starts_with(signature))
            .map(|(_, essence)| *essence);
        // A text may tell of PDFs, and quote one from its beginning.
        let essence = found
            .filter(|essence| *essence != PDF)
            .or_else(|| is_pdf(body).then_some(PDF))?;
        Some(MediaType {
            essence: essence.into(),
            charset: None,
        })
    }

    /// The type that a header gives, or, where it gives none, says only that it is some bytes, or
    /// takes for a text what is none, that of the body's look.
    pub fn from_header_or_body(header: Option<&str>, body: &[u8]) -> MediaType {
        let said = header
            .and_then(MediaType::parse)
            .filter(|media| !VAGUE.contains(&media.essence.as_str()));
        let Some(said) = said else {
            return MediaType::sniff(body);
        };
        let is_text = matches!(said.reader(), Some(Reader::Html | Reader::Plain));
        let other = || {
            MediaType::signed(body).filter(|media| UNMISTAKABLE.contains(&media.essence.as_str()))
        };
        if is_text {
            other().unwrap_or(said)
        } else {
            said
        }
    }

    /// How to read it; `None` where no reader knows it.
    pub fn reader(&self) -> Option<Reader> {
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some(Reader::Html),
            "text/plain" => Some(Reader::Plain),
            "application/pdf" | "application/x-pdf" => Some(Reader::Pdf),
            "application/postscript" => Some(Reader::PostScript),
            "application/gzip" | "application/x-gzip" => Some(Reader::Gzip),
            "application/zip" | "application/x-zip-compressed" => Some(Reader::Zip),
            _ => None,
        }
    }
}

/// Whether a body is a PDF, which may begin behind something else: some servers send a head, a
/// warning or blank lines before it. A text that quotes one has no bytes that are no text, and no
/// object of one, right at its beginning.
fn is_pdf(body: &[u8]) -> bool {
    const BEFORE: usize = 8 << 10;
    let Some(start) = memmem::find(&body[..body.len().min(BEFORE)], b"%PDF-") else {
        return false;
    };
    let is_first = body[..start].is_empty() || body[..start] == *"\u{FEFF}".as_bytes();
    let is_binary = || {
        body[start..]
            .iter()
            .any(|byte| matches!(byte, 0..=8 | 14..=31))
    };
    // The rest of its first line is empty.
    let is_begun = || {
        body.get(start + "%PDF-1.7".len())
            .is_none_or(|byte| matches!(byte, b'\r' | b'\n'))
    };
    (is_first && (is_begun() || memmem::find(body, b"obj").is_some())) || is_binary()
}

#[cfg(test)]
mod tests {
    use super::MediaType;

    fn parsed(header: &str) -> (String, Option<String>) {
        let media = MediaType::parse(header).unwrap();
        (media.essence, media.charset)
    }

    fn essence(header: &str, body: &[u8]) -> String {
        MediaType::from_header_or_body(Some(header), body).essence
    }

    #[test]
    fn reads_the_charset_in_any_spelling() {
        for header in [
            "text/html; charset=UTF-8",
            "Text/HTML;Charset=\"UTF-8\"",
            "text/html; a=b; charset='UTF-8' ; q",
        ] {
            assert_eq!(parsed(header), ("text/html".into(), Some("UTF-8".into())));
        }
        assert_eq!(parsed("text/html; charset="), ("text/html".into(), None));
        assert_eq!(MediaType::parse("html"), None);
    }

    #[test]
    fn guesses_the_type_of_a_body_by_its_beginning() {
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
    fn a_header_that_says_nothing_is_not_believed() {
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
