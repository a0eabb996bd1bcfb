//! The page in a file of MHTML (RFC 2557), as browsers save a page with its images, or in a mail.

use forage_content::media::MediaType;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode_char;
use mail_parser::{HeaderValue, MessageParser, MessagePart, MimeHeaders};
use url::Url;

/// A page in a mail.
#[derive(Debug)]
pub(crate) struct MailedPage {
    pub(crate) media: MediaType,
    pub(crate) body: Vec<u8>,
    /// The address from which it was saved.
    pub(crate) url: Option<Url>,
}

/// Most pages that are read of a mail. Set by judgement, not measured.
const MAX_PAGES: usize = 64;

/// Returns the HTML parts of a mail: the page, and the documents of its frames, in their order.
pub(crate) fn find_pages(mail: &[u8]) -> Vec<MailedPage> {
    let mail = mail.trim_ascii_start();
    let Some(message) = MessageParser::default().parse(mail) else {
        return Vec::new();
    };
    let mut saved_from = match message.header("Snapshot-Content-Location") {
        Some(HeaderValue::Text(url)) => Some(url),
        _ => None,
    };
    let parts = message.parts.iter().filter(|part| is_html(part));
    let pages = parts.take(MAX_PAGES).filter_map(|part| {
        let url = saved_from.take().map(|url| &**url);
        let url = url.or_else(|| part.content_location());
        read_part(part, mail, url)
    });
    pages.collect()
}

/// Returns the page in a part of a mail, with its address.
fn read_part(part: &MessagePart, mail: &[u8], url: Option<&str>) -> Option<MailedPage> {
    let encoded = mail.get(part.offset_body as usize..part.offset_end as usize)?;
    // Not the text of the parser: that knows nothing of charsets that the page declares itself.
    let encoding = part.content_transfer_encoding().unwrap_or_default();
    let body = match encoding.trim().to_ascii_lowercase().as_str() {
        "quoted-printable" => decode_quoted_printable(encoded),
        "base64" => decode_base64(encoded),
        _ => encoded.to_vec(),
    };
    let content_type = part.content_type();
    let charset = content_type.and_then(|content_type| content_type.attribute("charset"));
    Some(MailedPage {
        media: MediaType {
            essence: "text/html".into(),
            charset: charset.map(str::to_owned),
        },
        body,
        url: url.and_then(|url| Url::parse(url.trim()).ok()),
    })
}

/// Decodes quoted-printable (RFC 2045). What is not valid is kept, as the file may be cut.
fn decode_quoted_printable(encoded: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(encoded.len());
    for line in encoded.split_inclusive(|byte| *byte == b'\n') {
        let content = line.trim_ascii_end();
        let (content, line_end) = match content.strip_suffix(b"=") {
            Some(content) => (content, &b""[..]),
            None if line.ends_with(b"\n") => (content, &b"\n"[..]),
            None => (content, &b""[..]),
        };
        let mut rest = content;
        while let Some((&byte, after)) = rest.split_first() {
            let code = match (byte, after) {
                (b'=', [first, second, ..]) => quoted_printable_decode_char(*first, *second),
                _ => None,
            };
            decoded.push(code.unwrap_or(byte));
            rest = if code.is_some() { &after[2..] } else { after };
        }
        decoded.extend_from_slice(line_end);
    }
    decoded
}

/// Decodes base64, as far as it is complete.
fn decode_base64(encoded: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let mut digits: Vec<u8> = encoded.iter().copied().filter(is_digit).collect();
    digits.truncate(digits.len() / 4 * 4);
    base64_decode(&digits).unwrap_or_default()
}

fn is_html(part: &MessagePart) -> bool {
    part.content_type().is_some_and(|content_type| {
        let subtype = content_type.subtype().unwrap_or_default();
        let is_text = content_type.ctype().eq_ignore_ascii_case("text");
        is_text && subtype.eq_ignore_ascii_case("html") || subtype.eq_ignore_ascii_case("xhtml+xml")
    })
}

#[cfg(test)]
mod tests {
    use crate::PageError;

    const HTML: &str = "<html><head><title>Čebele</title></head><body><p>Čebele letijo čez travnik in \
        iščejo cvetove, ki še cvetijo.</p></body></html>";

    /// Encodes bytes in base64, in lines.
    fn encode(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let encode_group = |group: &[u8]| -> String {
            let byte = |i: usize| u32::from(*group.get(i).unwrap_or(&0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            let digit = |i: usize| match i > group.len() {
                true => '=',
                false => DIGITS[(bits >> (18 - 6 * i) & 63) as usize].into(),
            };
            (0..4).map(digit).collect()
        };
        let lines = bytes.chunks(57);
        let lines = lines.map(|line| line.chunks(3).map(encode_group).collect::<String>());
        lines.collect::<Vec<_>>().join("\r\n")
    }

    fn quoted_printable(bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut column = 0;
        for byte in bytes {
            let code = match byte {
                b'=' | 0..=31 | 127.. => format!("={byte:02X}"),
                _ => char::from(*byte).to_string(),
            };
            if column + code.len() > 75 {
                text.push_str("=\r\n");
                column = 0;
            }
            column += code.len();
            text += &code;
        }
        text
    }

    fn mhtml(content_type: &str, encoding: &str, body: &str) -> String {
        format!(
            "From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a.test/b/\r\nSubject: =?utf-8?Q?=C4=8C?=\r\n\
             MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\
             \tboundary=\"--x--\"\r\n\r\n\r\n----x--\r\nContent-Type: {content_type}\r\n\
             Content-ID: <f>\r\nContent-Transfer-Encoding: {encoding}\r\n\
             Content-Location: http://a.test/b/\r\n\r\n{body}\r\n----x--\r\n\
             Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n----x----\r\n"
        )
    }

    fn text(body: &[u8]) -> Result<String, PageError> {
        let document = crate::from_bytes(body, None, None, &Default::default())?;
        Ok(document.text)
    }

    #[test]
    fn the_page_of_mhtml_is_read_in_any_encoding() {
        let (latin, _, _) = encoding_rs::WINDOWS_1250.encode(HTML);
        let declared = HTML.replace("<head>", "<head><meta charset=windows-1250>");
        let (undeclared, _, _) = encoding_rs::WINDOWS_1250.encode(&declared);
        let expected = "Čebele letijo čez travnik in iščejo cvetove, ki še cvetijo.";
        for mail in [
            mhtml(
                "text/html",
                "quoted-printable",
                &quoted_printable(HTML.as_bytes()),
            ),
            mhtml(
                "text/html; charset=utf-8",
                "base64",
                &encode(HTML.as_bytes()),
            ),
            mhtml(
                "text/html;\r\n\tcharset=\"windows-1250\"",
                "quoted-printable",
                &quoted_printable(&latin),
            ),
            mhtml("text/html", "base64", &encode(&undeclared)),
            mhtml("text/html; charset=utf-8", "8bit", HTML),
        ] {
            assert_eq!(text(mail.as_bytes()).unwrap(), expected, "{mail}");
            let cut = mail.find("\r\n----x--\r\nContent-Type: image").unwrap();
            assert_eq!(text(&mail.as_bytes()[..cut]).unwrap(), expected);
        }
    }

    /// Chrome 120 saves the documents of frames after the page, Internet Explorer 11 too.
    #[test]
    fn frames_are_read_in_the_place_of_a_page_that_only_shows_them() {
        let part = |name: &str, html: &str| {
            format!(
                "--x\r\nContent-Type: text/html\r\nContent-Location: http://a.test/{name}\r\n\r\n{html}\r\n"
            )
        };
        let story = |word: &str| {
            format!(
                "<p>{}</p>",
                format!("{word} letijo čez travnik. ").repeat(9)
            )
        };
        let read = |parts: &[String]| {
            let header = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n";
            let mail = format!("{header}{}--x--\r\n", parts.concat());
            crate::from_bytes(mail.as_bytes(), None, None, &Default::default()).unwrap()
        };
        let words = |text: &str| -> Vec<String> {
            let lines = text.lines();
            lines
                .filter_map(|line| line.split(' ').next().map(str::to_owned))
                .collect()
        };
        let frameset = "<title>Čebelnjak</title><frameset><frame src=m><frame src=a><frame src=b>\
            <noframes>Brskalnik ne zna okvirjev.</noframes></frameset>";
        let page = read(&[
            part("", frameset),
            part("m", "<a href=a>Meni</a>"),
            part("a", &story("Čebele")),
            part("b", &story("Ose")),
        ]);
        assert_eq!(words(&page.text), ["Čebele", "Ose"]);
        assert_eq!(page.title.as_deref(), Some("Čebelnjak"));
        let page = read(&[
            part("", &(story("Čebele") + "<iframe src=o></iframe>")),
            part("o", "<p>Oglas: kupite med.</p>"),
        ]);
        assert_eq!(words(&page.text), ["Čebele"]);
    }

    #[test]
    fn a_cut_part_is_read_as_far_as_it_goes() {
        for mail in [
            mhtml(
                "text/html",
                "quoted-printable",
                &quoted_printable(HTML.as_bytes()),
            ),
            mhtml("text/html", "base64", &encode(HTML.as_bytes())),
        ] {
            let end = mail.find("\r\n----x--\r\nContent-Type: image").unwrap();
            for cut in 20..80 {
                let text = text(&mail.as_bytes()[..end - cut]).unwrap();
                assert!(text.starts_with("Čebele letijo"), "{text}");
            }
        }
    }

    #[test]
    fn a_mail_without_a_page_and_other_files_are_refused_by_name() {
        for (body, name) in [
            (
                "MIME-Version: 1.0\r\nContent-Type: image/png\r\n\r\niVBO",
                "message/rfc822",
            ),
            ("{\\rtf1\\ansi Dober dan.}", "RTF"),
            ("bplist00\u{1}WebMainResource\0\0", "Safari"),
            ("WARC/1.0\r\nWARC-Type: response\r\n\r\n", "--from-warc"),
            ("{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "JSON"),
        ] {
            let error = text(body.as_bytes()).unwrap_err();
            assert!(matches!(error, PageError::UnsupportedType(_)));
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn a_page_is_read_without_its_http_header() {
        let header =
            "HTTP/2 200 \r\ncontent-type: text/html; charset=windows-1250\r\nx-a: b\r\n\r\n";
        let (latin, _, _) = encoding_rs::WINDOWS_1250.encode(HTML);
        for response in [
            [header.as_bytes(), &latin].concat(),
            [
                b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
                header.as_bytes(),
                &latin,
            ]
            .concat(),
            [b"HTTP/1.1 200 OK\nA: b\n\n", HTML.as_bytes()].concat(),
        ] {
            let text = text(&response).unwrap();
            assert!(text.starts_with("Čebele letijo"), "{text}");
            assert!(!text.contains("x-a"));
        }
    }
}
