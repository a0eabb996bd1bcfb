//! Conversion of a body to a document: choice of the reader, decoding, and the record's metadata.

mod members;

use crate::{PageError, isolated, pdf, unpack, xml};
use forage_content::media::{MediaType, PageFormat, decode, split_response, unread_charset};
use forage_extract::{
    ExtractedPage, ExtractionOptions, extract_decoded_page, html_from_xhtml, is_visual_hebrew,
    layout_paragraphs, logical_text, page_redirect, plain_text_paragraphs, tidy_text,
    with_line_format,
};
use forage_record::Fetch;
use members::{read_mail, read_zip};
use std::cell::Cell;
use std::sync::Arc;
use url::Url;

/// Robots directives that reserve a page against the training of models.
const OPTOUT_DIRECTIVES: [&str; 2] = ["noai", "noimageai"];

/// Adds robots directives and a reservation from outside the page: from the response headers or a
/// file of the host. A reservation in the page itself takes precedence.
pub fn add_directives(
    page: &mut ExtractedPage,
    directives: &[String],
    tdm_reservation: Option<bool>,
) {
    let mut all: Vec<&str> = Vec::new();
    for directive in directives.iter().chain(&page.robots) {
        if !all.contains(&directive.as_str()) {
            all.push(directive);
        }
    }
    let fetch = &mut page.fetch;
    let optouts = all.iter().filter(|word| OPTOUT_DIRECTIVES.contains(word));
    fetch.optout = optouts.map(|&word| word.to_owned()).collect();
    if page.tdm_reservation.or(tdm_reservation) == Some(true) {
        fetch.optout.push("tdm-reservation".into());
    }
    fetch.robots = (!all.is_empty()).then(|| all.join(", "));
}

/// Reads the bytes of a page. `content_type` is the `Content-Type` header, if there is one; `url`
/// is the address of the page; `options` are those for HTML.
///
/// # Errors
/// Fails if no reader supports the media type, the page has no text, or a library fails on it.
pub fn from_bytes(
    body: &[u8],
    content_type: Option<&str>,
    url: Option<&Url>,
    options: &Arc<ExtractionOptions>,
) -> Result<ExtractedPage, PageError> {
    let media = MediaType::from_header_or_body(content_type, body);
    let context = PageContext {
        url,
        options,
        is_damaged: Cell::new(false),
    };
    let (page, charset) = read_body(body, &media, &context, 0)?;
    let mut page = with_text(page)?;
    page.fetch = Fetch {
        truncated: context.is_damaged.get(),
        media_type: Some(media.essence),
        charset: charset.map(str::to_owned),
        bytes: Some(body.len() as u64),
        digest: Some(blake3::hash(body).to_hex().to_string()),
        ..page.fetch
    };
    Ok(page)
}

/// Returns the URL that an HTML page at `url` redirects to by `<meta http-equiv=refresh>`. `body`
/// may be its beginning.
pub fn redirect_target(body: &[u8], content_type: Option<&str>, url: &Url) -> Option<Url> {
    // Tested first, as nearly all pages do not redirect. In UTF-16, the letters are apart.
    let word = b"refresh";
    let has_word = || {
        let head = body.to_ascii_lowercase();
        head.windows(word.len()).any(|part| part == word)
    };
    let media = MediaType::from_header_or_body(content_type, body);
    if media.format() != Some(PageFormat::Html) || !(body.contains(&0) || has_word()) {
        return None;
    }
    let (html, charset) = decode_text(body, &media, Some(url), true).ok()?;
    page_redirect(&html, url, Some(charset))
}

/// The address of a page, and the options for HTML.
pub(crate) struct PageContext<'a> {
    pub url: Option<&'a Url>,
    pub options: &'a Arc<ExtractionOptions>,
    /// True if an archive with the page is cut or damaged or has files that cannot be read, or a
    /// part of a PDF is missing.
    pub is_damaged: Cell<bool>,
}

impl PageContext<'_> {
    pub fn mark_damaged(&self, is_damaged: bool) {
        self.is_damaged.set(is_damaged || self.is_damaged.get());
    }
}

/// Maximum number of nested archives to open.
const MAX_ARCHIVE_DEPTH: usize = 2;

/// Reads a body of media type `media`, inside `depth` archives. Returns the page, and its character
/// encoding if it has one.
pub(crate) fn read_body(
    body: &[u8],
    media: &MediaType,
    context: &PageContext,
    depth: usize,
) -> Result<(ExtractedPage, Option<&'static str>), PageError> {
    let unsupported = || PageError::UnsupportedType(media.essence.clone());
    let format = media.format().ok_or_else(unsupported)?;
    if let Some(remedy) = format.remedy() {
        let essence = &media.essence;
        let cause = format!("{essence}: the file is {}; {remedy}", format.name());
        return Err(PageError::UnsupportedType(cause));
    }
    match format {
        PageFormat::Html => {
            let (html, charset) = decode_text(body, media, context.url, true)?;
            let is_xml = media.essence == "application/xhtml+xml"
                || context
                    .url
                    .is_some_and(|url| url.path().ends_with(".xhtml"));
            let url = context.url.map(Url::as_str);
            let page = extract_html(html, url, Some(charset), context.options, is_xml)?;
            Ok((page, Some(charset)))
        }
        PageFormat::Xml => {
            let (xml, charset) = decode_text(body, media, context.url, true)?;
            Ok((read_xml(&xml, media, context)?, Some(charset)))
        }
        PageFormat::Plain => {
            let (mut plain, charset) = decode_text(body, media, context.url, false)?;
            if is_visual_hebrew(&plain, Some(charset)) {
                plain = logical_text(&plain);
            }
            let text = plain_text_paragraphs(&plain);
            Ok((line_page(text, context), Some(charset)))
        }
        PageFormat::Pdf | PageFormat::PostScript => {
            let pdf = match format {
                PageFormat::Pdf => pdf::extract_text(body)?,
                _ => pdf::extract_text(&crate::typeset::convert_postscript_to_pdf(body)?)?,
            };
            context.mark_damaged(pdf.is_partial);
            let page = ExtractedPage {
                tdm_reservation: pdf.is_reserved.then_some(true),
                ..line_page(layout_paragraphs(&pdf.text), context)
            };
            Ok((page, None))
        }
        _ if depth == MAX_ARCHIVE_DEPTH => Err(unsupported()),
        PageFormat::Gzip | PageFormat::Zstd => {
            let (member, is_damaged) = unpack::decompress(body)?;
            context.mark_damaged(is_damaged);
            read_body(&member, &MediaType::sniff(&member), context, depth + 1)
        }
        PageFormat::Zip => Ok((read_zip(unpack::unzip(body)?, context, depth)?, None)),
        PageFormat::Response => {
            let text = body.trim_ascii_start();
            let (content_type, page) = split_response(text).ok_or_else(unsupported)?;
            let media = MediaType::from_header_or_body(content_type.as_deref(), page);
            read_body(page, &media, context, depth + 1)
        }
        PageFormat::Mail => read_mail(body, context, depth)?.ok_or_else(unsupported),
        PageFormat::Warc | PageFormat::Rtf | PageFormat::WebArchive | PageFormat::Records => {
            Err(unsupported())
        }
    }
}

/// Decodes the body of HTML or plain text. Returns the text and its character encoding.
fn decode_text(
    body: &[u8],
    media: &MediaType,
    url: Option<&Url>,
    is_html: bool,
) -> Result<(String, &'static str), PageError> {
    let tld = url
        .and_then(Url::host_str)
        .and_then(|host| host.rsplit('.').next());
    let declared = media.charset.as_deref();
    if let Some(label) = unread_charset(body, declared, is_html) {
        return Err(PageError::UnsupportedType(format!(
            "{} in the charset {label}, which is not read; convert it with iconv",
            media.essence
        )));
    }
    let (text, charset) = decode(body, declared, is_html, tld);
    if is_binary(&text) {
        Err(PageError::BadBody(NOT_TEXT.into()))
    } else {
        Ok((text, charset))
    }
}

/// Returns the page of a tidy text with a paragraph a line.
pub(crate) fn line_page(text: String, context: &PageContext) -> ExtractedPage {
    let page = ExtractedPage {
        text,
        ..ExtractedPage::default()
    };
    with_line_format(page, context.options)
}

/// Reads a document in one file of XML.
fn read_xml(
    xml: &str,
    media: &MediaType,
    context: &PageContext,
) -> Result<ExtractedPage, PageError> {
    let document = xml::read_document(xml).map_err(|root| {
        PageError::UnsupportedType(format!(
            "{}: the root element is {root}; of XML, XHTML, FictionBook, flat ODT, TEI \
             and Word 2003 XML are read; convert it to HTML or plain text",
            media.essence
        ))
    })?;
    let page = line_page(tidy_text(&document.text), context);
    Ok(ExtractedPage {
        title: document.title,
        fetch: Fetch {
            html_lang: document.lang,
            ..page.fetch
        },
        ..page
    })
}

/// The error for a body that is declared as text and is not.
const NOT_TEXT: &str = "declared as text, but compressed, an image, or encrypted";
/// Characters that [`is_binary`] examines.
const EXAMINED_CHARACTERS: usize = 1 << 16;

/// Returns `true` if a decoded text was not text.
///
/// Texts in any encoding contain hardly any control characters except line and page breaks. Of
/// random bytes, one in ten is such a character.
fn is_binary(text: &str) -> bool {
    let mut all = 0;
    let mut controls = 0;
    for c in text.chars().take(EXAMINED_CHARACTERS) {
        all += 1;
        controls += usize::from(is_binary_control(c));
    }
    controls > 3 && controls * 20 > all
}

/// Returns `true` for a control character that is not a line break, a page break, a tab or an
/// escape.
fn is_binary_control(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1A}' | '\u{1C}'..='\u{1F}' | '\u{7F}'
    )
}

/// Reads an HTML page that is already decoded. `url` is its address.
///
/// # Errors
/// Fails if it has no text, or a library fails on it.
pub fn from_html(
    html: &str,
    url: Option<&str>,
    options: &Arc<ExtractionOptions>,
) -> Result<ExtractedPage, PageError> {
    with_text(extract_html(html.to_owned(), url, None, options, false)?)
}

/// Reads an HTML page, by the rules of XML if it is declared as XHTML or begins with an XML
/// declaration.
fn extract_html(
    html: String,
    url: Option<&str>,
    charset: Option<&'static str>,
    options: &Arc<ExtractionOptions>,
    is_xml: bool,
) -> Result<ExtractedPage, PageError> {
    let url = url.map(str::to_owned);
    let options = options.clone();
    isolated::run_isolated(move || {
        let is_xml = is_xml
            || html
                .trim_start_matches('\u{feff}')
                .trim_start()
                .starts_with("<?xml");
        let html = match is_xml.then(|| html_from_xhtml(&html)).flatten() {
            Some(rewritten) => rewritten,
            None => html,
        };
        extract_decoded_page(html, url.as_deref(), charset, &options)
    })
}

/// Returns a page with its directives for robots, or an error if it has no text.
fn with_text(mut page: ExtractedPage) -> Result<ExtractedPage, PageError> {
    if page.text.is_empty() {
        return Err(PageError::NoText(page.links));
    }
    add_directives(&mut page, &[], None);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::redirect_target;
    use crate::{ExtractedPage, ExtractionOptions, PageError};
    use std::sync::Arc;
    use url::Url;

    fn from_bytes(
        body: &[u8],
        content_type: Option<&str>,
        url: Option<&Url>,
    ) -> Result<ExtractedPage, PageError> {
        super::from_bytes(body, content_type, url, &Arc::default())
    }

    #[test]
    fn describes_the_bytes_of_a_page() {
        let url = Url::parse("http://a.test/").unwrap();
        let body = b"<html lang=sl><meta charset=windows-1250>\
            <meta name=robots content='noai,noindex'>\x8Aola";
        let document = from_bytes(body, Some("text/html"), Some(&url)).unwrap();
        let fetch = document.fetch;
        assert_eq!(document.text, "Šola");
        assert_eq!(
            (fetch.charset.as_deref(), fetch.bytes),
            (Some("windows-1250"), Some(body.len() as u64))
        );
        assert_eq!(
            (fetch.html_lang.as_deref(), fetch.robots.as_deref()),
            (Some("sl"), Some("noai, noindex"))
        );
        assert_eq!(fetch.optout, ["noai"]);
        assert_eq!(fetch.digest.map(|digest| digest.len()), Some(64));
    }

    #[test]
    fn a_page_redirects_by_its_first_tag_for_browsers_with_scripts() {
        let url = Url::parse("http://a.test/x/").unwrap();
        let target = |page: &[u8]| {
            let target = redirect_target(page, Some("text/html"), &url);
            target.map_or_else(String::new, |url| {
                url[url::Position::BeforePath..].to_owned()
            })
        };
        for (page, expected) in [
            (
                &b"<META HTTP-EQUIV='Refresh' CONTENT='0; URL=y?a=b&amp;c'>"[..],
                "/x/y?a=b&c",
            ),
            (
                b"<base href=/z/><meta content=3,y http-equiv=refresh>",
                "/z/y",
            ),
            (
                b"<p>a<meta http-equiv=refresh content='0;url=//b.test/'>",
                "/",
            ),
            (
                b"<meta charset=windows-1250><meta http-equiv=refresh content='0;url=\xe8?\xe8'>",
                "/x/%C4%8D?%E8",
            ),
            (
                b"<noscript><meta http-equiv=refresh content='0;y'></noscript>",
                "",
            ),
            (b"<!-- <meta http-equiv=refresh content='0;y'> -->", ""),
            (
                b"<script>'<meta http-equiv=refresh content=\"0;y\">'</script>",
                "",
            ),
            (b"<meta name=refresh content='0;y'>", ""),
            (b"<meta http-equiv=refresh content='600;y'>", ""),
            (b"<meta http-equiv=refresh content='0;mailto:a@b.test'>", ""),
        ] {
            assert_eq!(target(page), expected, "{}", page.escape_ascii());
        }
        let text = b"<meta http-equiv=refresh content='0;y'>";
        assert_eq!(redirect_target(text, Some("text/plain"), &url), None);
    }

    #[test]
    fn keeps_tags_in_plain_text() {
        let document = from_bytes(b"1 <b> 2\n", Some("text/plain; charset=utf-8"), None).unwrap();
        assert_eq!(document.text, "1 <b> 2");
    }

    #[test]
    fn xhtml_is_read_by_the_rules_of_xml() {
        let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a'/>\
             </head><body><div/><p><![CDATA[Voda & led]]></p></body></html>";
        let text = |body: &str, media, url: &str| {
            let url = Url::parse(url).unwrap();
            let document = from_bytes(body.as_bytes(), Some(media), Some(&url));
            document.map(|document| document.text).unwrap_or_default()
        };
        let declared = format!("<?xml version='1.0' encoding='utf-8'?>\n{page}");
        assert_eq!(
            text(page, "application/xhtml+xml", "http://a.test/"),
            "Voda & led"
        );
        assert_eq!(
            text(page, "text/html", "http://a.test/x.xhtml"),
            "Voda & led"
        );
        assert_eq!(text(&declared, "text/html", "http://a.test/"), "Voda & led");
        // By the rules of HTML, all of it is in the script.
        assert_eq!(text(page, "text/html", "http://a.test/"), "");
        let broken = "<?xml version='1.0'?><html><p>Voda<br><b>led</p></html>";
        assert_eq!(
            text(broken, "application/xhtml+xml", "http://a.test/"),
            "Voda\nled"
        );
    }

    #[test]
    fn rejects_binary_data_that_is_declared_as_text() {
        let noise: Vec<u8> = (0..2000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        for media in [
            "text/html; charset=utf-8",
            "text/html",
            "text/plain",
            "text/plain; charset=windows-1252",
        ] {
            let read = from_bytes(&noise, Some(media), None);
            assert!(
                matches!(read, Err(PageError::BadBody(_))),
                "{media}: {read:?}"
            );
        }
        let wide: Vec<u8> = "Šola je daleč. "
            .repeat(50)
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let read =
            from_bytes(&[b"\xff\xfe", &wide[..]].concat(), Some("text/plain"), None).unwrap();
        assert!(read.text.starts_with("Šola je"), "{}", read.text);
        let sloppy = "<p>Šola je daleč, in pot je dolga.\0</p>";
        assert!(from_bytes(sloppy.repeat(20).as_bytes(), Some("text/html"), None).is_ok());
    }

    #[test]
    fn a_page_without_text_or_without_a_reader_is_an_error() {
        assert_eq!(
            super::from_html("<p> </p>", None, &Arc::new(ExtractionOptions::default())),
            Err(PageError::NoText(Vec::new()))
        );
        assert_eq!(
            from_bytes(b"", None, None),
            Err(PageError::NoText(Vec::new()))
        );
        let image = from_bytes(b"GIF89a", Some("image/gif"), None);
        assert_eq!(image, Err(PageError::UnsupportedType("image/gif".into())));
        assert!(matches!(
            from_bytes(b"%PDF-1.7\n1 0 obj", None, None),
            Err(PageError::BadBody(_))
        ));
    }
}
