//! Media types: what a body is said to be, and, where nothing is said, what it looks like.

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Html,
    Plain,
}

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
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        });
        Some(MediaType { essence, charset })
    }

    /// The type of a body that nothing is said of: HTML if it begins with a tag, plain text if it holds no NUL.
    pub fn sniff(body: &[u8]) -> MediaType {
        let head = &body[..body.len().min(1024)];
        let is_wide = head.starts_with(&[0xFE, 0xFF]) || head.starts_with(&[0xFF, 0xFE]);
        let shown = head.iter().copied().find(u8::is_ascii_graphic);
        let essence = match shown {
            Some(b'<') => "text/html",
            _ if is_wide || !head.contains(&0) => "text/plain",
            _ => "application/octet-stream",
        };
        MediaType { essence: essence.into(), charset: None }
    }

    /// How to read it; `None` where no reader knows it.
    pub fn reader(&self) -> Option<Reader> {
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some(Reader::Html),
            "text/plain" => Some(Reader::Plain),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MediaType;

    fn parsed(header: &str) -> (String, Option<String>) {
        let media = MediaType::parse(header).unwrap();
        (media.essence, media.charset)
    }

    #[test]
    fn reads_the_charset_in_any_spelling() {
        for header in ["text/html; charset=UTF-8", "Text/HTML;Charset=\"UTF-8\"", "text/html; a=b; charset='UTF-8' ; q"]
        {
            assert_eq!(parsed(header), ("text/html".into(), Some("UTF-8".into())));
        }
        assert_eq!(parsed("text/html; charset="), ("text/html".into(), None));
        assert_eq!(MediaType::parse("html"), None);
    }

    #[test]
    fn guesses_the_type_of_a_body_by_its_beginning() {
        assert_eq!(MediaType::sniff(b"\n <!doctype html>").essence, "text/html");
        assert_eq!(MediaType::sniff("Dober dan".as_bytes()).essence, "text/plain");
        assert_eq!(MediaType::sniff(b"\x7fELF\0\0").essence, "application/octet-stream");
    }
}
