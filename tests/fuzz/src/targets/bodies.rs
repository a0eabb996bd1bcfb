//! Bodies of pages: HTML, documents in other formats, and their encoding.

use super::{Target, choice, shape_of, shape_of_error};
use forage_content::media::{MediaType, decode, decode_plain_text, foreign_encoding};
use forage_extract::{
    ExtractionOptions, Extractor, NEWS_RULES, RuleSet, STACK_BYTES, TextFormat, extract_page,
};
use forage_page::PageError;
use std::sync::{Arc, LazyLock};
use url::Url;

/// Parts of pages.
const HTML_WORDS: &[&str] = &[
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<table><tr><td>",
    "</table>",
    "<ul><li>",
    "<li>",
    "</li>",
    "<article>",
    "<section>",
    "<h1>",
    "<a href='/x'>",
    "</a>",
    "<b>",
    "<i>",
    "<template>",
    "<svg><desc>",
    "<math><mi>",
    "<form>",
    "<select><option>",
    "<noscript>",
    "<iframe>",
    "<frameset>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE html>",
    "<base href='//b.test/'>",
    "<br>",
    "<pre>",
    "<textarea>",
    "<script>",
    "</script>",
    "<style>",
    "<title>",
    "<meta charset=utf-8>",
    "<meta name=robots content='noai, noindex'>",
    "<link rel=canonical href='/c'>",
    "<script type='application/ld+json'>",
    "{\"@type\":\"NewsArticle\",\"comment\":[",
    "{\"@graph\":[",
    "<time datetime='2020-01-01T00:00:00Z'>",
    " class=comment",
    " id=comments",
    " class='comment-author vcard'",
    " class=date",
    " itemprop=comment",
    " itemprop=text",
    " itemscope itemtype='https://schema.org/Comment'",
    "<ol class=commentlist>",
    "3 comments",
    "<blockquote>",
    "Reply",
    "&nbsp;",
    "&#x0;",
    "&#xD800;",
    "&amp",
    "&copy;",
    "Yesterday",
    "12:30",
    " style='display:none'",
    " hidden",
    " role=main",
    "<td colspan=1000>",
    "<ruby><rt>",
    "<plaintext>",
];

/// Main text, metadata, comments and links.
pub const HTML: Target = Target {
    dictionary: HTML_WORDS,
    max_bytes: 512 << 10,
    stack_bytes: STACK_BYTES,
    test_inputs: 1000,
    seeds: pages_of_fixtures,
    ..Target::new(
        "html",
        "extraction from HTML: text, metadata, comments, links",
        run_html,
    )
};

/// Bodies of any type, by their declaration or their first bytes.
pub const PAGE: Target = Target {
    dictionary: HTML_WORDS,
    max_bytes: 128 << 10,
    test_inputs: 2000,
    ..Target::new(
        "page",
        "bodies of any type, packed or not, in any encoding",
        run_page,
    )
};

/// PDF, in this process.
pub const PDF: Target = Target {
    dictionary: &[
        "<<",
        ">>",
        "[",
        "]",
        "/Type",
        "/Font",
        "/Kids",
        "/Parent",
        "/Resources",
        "/Contents",
        "/Filter/FlateDecode",
        "/Filter/ASCIIHexDecode",
        "/Filter/LZWDecode",
        "/Filter[/Fl/Fl]",
        "/Filter/RunLengthDecode",
        "/DecodeParms<</Predictor 12/Columns 99999>>",
        "/Length",
        "/ToUnicode",
        "/Encoding",
        "/Identity-H",
        "/Differences",
        "/Widths",
        "/W[",
        "/DescendantFonts",
        "/FirstChar",
        "/LastChar",
        "/Subtype/Type0",
        "/Subtype/Type1",
        "/Subtype/Type3",
        "/Subtype/Form",
        "1 0 R",
        "2 0 R",
        "3 0 R",
        "4 0 R",
        "5 0 R",
        "99 0 R",
        " obj\n",
        "endobj\n",
        "stream\n",
        "endstream",
        "BT",
        "ET",
        " Tf",
        " Tj",
        " TJ",
        " Td",
        " Tm",
        " cm",
        " Do",
        " q",
        " Q",
        " '",
        "beginbfchar",
        "endbfchar",
        "beginbfrange",
        "endbfrange",
        "begincodespacerange",
        "null",
        "true",
        "(",
        ")",
        "<0000>",
        "<FFFF>",
        "-1",
        "xref",
        "trailer",
        "/Prev 9",
        "/Size",
        "/Encrypt",
    ],
    // Longer ones may have so many brackets in brackets that the library overflows its stack, which
    // the subprocess of the tools contains.
    max_bytes: 8 << 10,
    stack_bytes: STACK_BYTES,
    test_inputs: 4000,
    contained: &["/hayro-", "/skrifa-", "/read-fonts-"],
    ..Target::new("pdf", "text of PDF, in process", run_pdf)
};

/// Encodings and media types.
pub const CHARSET: Target = Target {
    dictionary: &[
        "<meta charset=",
        "<?xml version='1.0' encoding='",
        "utf-16",
        "windows-1250",
        "shift_jis",
        "iso-2022-jp",
        "\u{1b}$B",
        "gb18030",
        "x-user-defined",
        "\u{FEFF}",
        "text/html; charset=",
        "http-equiv=content-type content='text/html;charset=",
    ],
    ..Target::new(
        "charset",
        "detection and decoding of encodings, media types",
        run_charset,
    )
};

/// Returns some pages of the fixture of the tests of main text.
fn pages_of_fixtures() -> Vec<Vec<u8>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/main-text.jsonl");
    let lines = std::fs::read_to_string(path).unwrap_or_default();
    let pages = lines.lines().step_by(7).filter_map(|line| {
        let page: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(page["html"].as_str()?.into())
    });
    pages.collect()
}

/// The options of a page: comments and the structure are always read, and site rules apply to some hosts.
static OPTIONS: LazyLock<[Arc<ExtractionOptions>; 3]> = LazyLock::new(|| {
    [
        Extractor::Model,
        Extractor::TitleBodyFooter,
        Extractor::AllText,
    ]
    .map(|extractor| {
        let mut rules = RuleSet::default();
        rules
            .add_file(NEWS_RULES)
            .expect("the built-in rules are valid");
        Arc::new(ExtractionOptions {
            rules,
            extractor,
            comments: true,
            format: match extractor {
                Extractor::Model => TextFormat::Markdown { links: true },
                Extractor::TitleBodyFooter | Extractor::AllText => TextFormat::Plain,
            },
            structure: true,
        })
    })
});

/// Addresses of pages; for some there are rules.
const URLS: [&str; 4] = [
    "http://a.test/2020/01/post.html",
    "https://www.bbc.com/news/1",
    "https://www.theguardian.com/x",
    "https://blog.example.test/?p=1#comment-7",
];

fn run_html(input: &[u8]) -> u64 {
    let html = String::from_utf8_lossy(input).into_owned();
    // The baseline matches each line with the patterns of footers, at 100 kB per second.
    let options = &OPTIONS[match choice(input, 8) {
        0 if input.len() < 32 << 10 => 1,
        1 => 2,
        _ => 0,
    }];
    let page = extract_page(html, Some(URLS[choice(input, 4)]), options);
    assert!(
        !page.text.contains('\0'),
        "the text has a control character"
    );
    let metadata = [
        &page.title,
        &page.fetch.html_lang,
        &page.fetch.licence,
        &page.fetch.published,
        &page.fetch.canonical,
    ];
    let found = metadata.iter().filter(|field| field.is_some()).count();
    shape_of(
        "page",
        &[
            page.text.len(),
            page.links.len(),
            page.comments.len(),
            found,
        ],
    )
}

/// Reads a body whose `Content-Type` is the first line, unless that is empty.
fn run_page(input: &[u8]) -> u64 {
    let end = input.iter().position(|b| *b == b'\n').unwrap_or(0);
    let declared = std::str::from_utf8(&input[..end]).ok();
    let body = input.get(end + 1..).unwrap_or_default();
    let url = Url::parse(URLS[choice(input, 4)]).ok();
    let declared = declared.filter(|media| !media.is_empty());
    match forage_page::from_bytes(body, declared, url.as_ref(), &OPTIONS[0]) {
        Ok(document) => {
            let media = document.fetch.media_type.unwrap_or_default();
            let format = MediaType::parse(&media).and_then(|media| media.format());
            shape_of(
                &format!("{format:?}"),
                &[document.text.len(), document.comments.len()],
            )
        }
        // PDFs are the matter of another target.
        Err(PageError::Internal(_))
            if MediaType::sniff(body).format() == Some(forage_content::media::PageFormat::Pdf) =>
        {
            0
        }
        Err(PageError::Internal(cause)) => panic!("a body makes a library fail: {cause}"),
        Err(error) => shape_of_error(error),
    }
}

fn run_pdf(input: &[u8]) -> u64 {
    match forage_page::typeset::extract_pdf_text(input) {
        Ok(pdf) => {
            let sizes = [pdf.text.len(), pdf.text.lines().count()];
            shape_of("pdf", &[sizes[0], sizes[1], usize::from(pdf.is_partial)])
        }
        Err(error) => shape_of_error(error),
    }
}

fn run_charset(input: &[u8]) -> u64 {
    let head = &input[..input.len().min(100)];
    let declared = String::from_utf8_lossy(head);
    let media = MediaType::parse(&declared);
    let sniffed = MediaType::sniff(input).format();
    let tld = [None, Some("si"), Some("jp"), Some("ru")][choice(input, 4)];
    let (html, charset) = decode(input, None, true, tld);
    let (_, plain) = decode_plain_text(input);
    let by_declaration = decode(input, Some(&declared), false, None).1;
    let kind = format!(
        "{charset} {plain} {by_declaration} {sniffed:?} {:?} {}",
        media.and_then(|media| media.format()),
        foreign_encoding(head).is_some()
    );
    shape_of(&kind, &[html.len()])
}
