//! From a body to a document: which reader, which encoding, and what the record tells of it.

use crate::charset::decode;
use crate::media::{MediaType, Reader};
use crate::{PageError, guarded, typeset, unpack};
use forage_extract::{Page, extract, plain_paragraphs};
use forage_record::Fetch;
use url::Url;

/// Words in robots directives by which a page keeps out of the training of models.
const OPT_OUT: [&str; 2] = ["noai", "noimageai"];

/// A page and what fetching it brought.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDocument {
    /// What the page says; its text is not empty.
    pub page: Page,
    /// The record's `fetch`.
    pub fetch: Fetch,
}

impl PageDocument {
    /// Adds the directives and the reservation that the answer's headers, or its host's files, give
    /// beside the page. The page's own word on text and data mining goes before theirs.
    pub fn add_directives(&mut self, directives: &[String], tdm_reservation: Option<bool>) {
        let tdm_reservation = self.page.tdm_reservation.or(tdm_reservation);
        set_directives(
            &mut self.fetch,
            directives.iter().chain(&self.page.robots),
            tdm_reservation,
        );
    }
}

/// Reads the bytes of a page. `content_type` is the header, if there is one; `url` is where the
/// page lies.
///
/// # Errors
/// When nothing reads its media type, it has no text, or a library fails on it.
pub fn from_bytes(
    body: &[u8],
    content_type: Option<&str>,
    url: Option<&Url>,
) -> Result<PageDocument, PageError> {
    let media = MediaType::from_header_or_body(content_type, body);
    let (page, charset) = read(body, &media, url, 0)?;
    let mut document = finish(page)?;
    document.fetch.media_type = Some(media.essence);
    document.fetch.charset = charset.map(str::to_owned);
    document.fetch.bytes = Some(body.len() as u64);
    document.fetch.digest = Some(blake3::hash(body).to_hex().to_string());
    Ok(document)
}

/// Archives within archives that are opened.
const MOST_LAYERS: usize = 2;

/// Reads a body of some type: the page, and its character encoding where it has one.
fn read(
    body: &[u8],
    media: &MediaType,
    url: Option<&Url>,
    layer: usize,
) -> Result<(Page, Option<&'static str>), PageError> {
    let unknown = || PageError::UnsupportedType(media.essence.clone());
    let reader = media.reader().ok_or_else(unknown)?;
    let tld = url
        .and_then(Url::host_str)
        .and_then(|host| host.rsplit('.').next());
    let decoded = |is_html| {
        let (text, charset) = decode(body, media.charset.as_deref(), is_html, tld);
        if is_binary(&text) {
            Err(PageError::BadBody(NO_TEXT.into()))
        } else {
            Ok((text, charset))
        }
    };
    let text = |text: &str| Page {
        text: plain_paragraphs(text),
        ..Page::default()
    };
    match reader {
        Reader::Html => {
            let (html, charset) = decoded(true)?;
            Ok((extracted(html, url.map(Url::as_str))?, Some(charset)))
        }
        Reader::Plain => {
            let (plain, charset) = decoded(false)?;
            Ok((text(&plain), Some(charset)))
        }
        Reader::Pdf => Ok((text(&typeset::pdf(body)?), None)),
        Reader::PostScript => Ok((text(&forage_pdf::postscript_text(body)?), None)),
        Reader::Gzip | Reader::Zip if layer == MOST_LAYERS => Err(unknown()),
        Reader::Gzip => {
            let inner = unpack::gunzip(body)?;
            read(&inner, &MediaType::sniff(&inner), url, layer + 1)
        }
        Reader::Zip => Ok((read_members(&unpack::unzip(body)?, url, layer)?, None)),
    }
}

/// What is said of a body that is said to be a text.
const NO_TEXT: &str =
    "it is said to be text, and is something else: compressed, an image, or encrypted";
/// Characters that are looked at to tell.
const LOOKED_AT: usize = 1 << 16;

/// Whether a decoded text is none. In no encoding do texts hold many control characters beside
/// those that end lines and pages; of bytes that are as good as random, one in ten is such.
fn is_binary(text: &str) -> bool {
    let is_odd = |c: &char| matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1A}' | '\u{1C}'..='\u{1F}' | '\u{7F}');
    let (mut all, mut odd) = (0, 0);
    for c in text.chars().take(LOOKED_AT) {
        all += 1;
        odd += usize::from(is_odd(&c));
    }
    odd > 3 && odd * 20 > all
}

/// The texts of an archive's files, one after the other; files that can't be read are passed over.
fn read_members(members: &[Vec<u8>], url: Option<&Url>, layer: usize) -> Result<Page, PageError> {
    let mut texts = Vec::new();
    let mut failure = None;
    for member in members {
        match read(member, &MediaType::sniff(member), url, layer + 1) {
            Ok((page, _)) => texts.push(page.text),
            Err(e) => failure = failure.or(Some(e)),
        }
    }
    if texts.is_empty() {
        return Err(failure.unwrap_or(PageError::NoText));
    }
    texts.retain(|text| !text.is_empty());
    Ok(Page {
        text: texts.join("\n"),
        ..Page::default()
    })
}

/// Reads a page that is text already.
///
/// # Errors
/// When it has no text, or a library fails on it.
pub fn from_html(html: &str, url: Option<&str>) -> Result<PageDocument, PageError> {
    finish(extracted(html.to_owned(), url)?)
}

fn extracted(html: String, url: Option<&str>) -> Result<Page, PageError> {
    let url = url.map(str::to_owned);
    guarded::run("extract", move || extract(html, url.as_deref())).map_err(PageError::Internal)
}

fn finish(page: Page) -> Result<PageDocument, PageError> {
    if page.text.is_empty() {
        return Err(PageError::NoText);
    }
    let mut fetch = Fetch {
        html_lang: page.lang.clone(),
        licence: page.licence.clone(),
        canonical: page.canonical.clone(),
        published: page.published.clone(),
        ..Fetch::default()
    };
    set_directives(&mut fetch, page.robots.iter(), page.tdm_reservation);
    Ok(PageDocument { page, fetch })
}

/// Notes directives, and which of them are reservations.
fn set_directives<'a>(
    fetch: &mut Fetch,
    directives: impl Iterator<Item = &'a String>,
    tdm_reservation: Option<bool>,
) {
    let mut all: Vec<&str> = Vec::new();
    for directive in directives {
        if !all.contains(&directive.as_str()) {
            all.push(directive);
        }
    }
    fetch.optout = all
        .iter()
        .filter(|word| OPT_OUT.contains(word))
        .map(|&word| word.to_owned())
        .collect();
    if tdm_reservation == Some(true) {
        fetch.optout.push("tdm-reservation".into());
    }
    fetch.robots = (!all.is_empty()).then(|| all.join(", "));
}

#[cfg(test)]
mod tests {
    use super::{from_bytes, from_html};
    use crate::PageError;
    use url::Url;

    #[test]
    fn a_page_is_told_with_its_bytes() {
        let url = Url::parse("http://a.test/").unwrap();
        let body = b"<html lang=sl><meta charset=windows-1250><meta name=robots content='noai,noindex'>\x8Aola";
        let document = from_bytes(body, Some("text/html"), Some(&url)).unwrap();
        let fetch = document.fetch;
        assert_eq!(document.page.text, "Šola");
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
    fn plain_text_is_no_markup() {
        let document = from_bytes(b"1 <b> 2\n", Some("text/plain; charset=utf-8"), None).unwrap();
        assert_eq!(document.page.text, "1 <b> 2");
    }

    #[test]
    fn what_is_no_text_is_not_taken_for_one() {
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
        assert!(read.page.text.starts_with("Šola je"), "{}", read.page.text);
        let sloppy = "<p>Šola je daleč, in pot je dolga.\0</p>";
        assert!(from_bytes(sloppy.repeat(20).as_bytes(), Some("text/html"), None).is_ok());
    }

    #[test]
    fn what_has_no_text_or_no_reader_is_an_error() {
        assert_eq!(from_html("<p> </p>", None), Err(PageError::NoText));
        assert_eq!(from_bytes(b"", None, None), Err(PageError::NoText));
        let image = from_bytes(b"GIF89a", Some("image/gif"), None);
        assert_eq!(image, Err(PageError::UnsupportedType("image/gif".into())));
        assert!(matches!(
            from_bytes(b"%PDF-1.7\n1 0 obj", None, None),
            Err(PageError::BadBody(_))
        ));
    }
}
