use super::{MediaType, PageFormat};

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
    for header in [
        "text/html,text/html; charset=UTF-8",
        "text/html; charset=UTF-8, text/html",
        "text/plain, text/html;charset=UTF-8, */*, html",
        "text/html, charset=UTF-8",
        "text/html charset=UTF-8",
        "text/html;;charset=UTF-8;",
    ] {
        assert_eq!(parse(header), ("text/html".into(), Some("UTF-8".into())));
    }
    assert_eq!(parse("text/html; charset="), ("text/html".into(), None));
    for header in [
        "",
        "*/*",
        "text",
        "text/",
        "/html",
        "charset=utf-8",
        "čaj/x",
        ";",
    ] {
        assert_eq!(MediaType::parse(header), None, "{header}");
    }
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
        "\n<br />\n%PDF-1.4\n1 0 obj<<>>endobj\n%%EOF\r\n",
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

#[test]
fn postscript_may_begin_with_what_a_printer_needs() {
    for (body, expected) in [
        (&b"\r\n\r\n%!PS-Adobe-3.0\n"[..], "application/postscript"),
        (b"\x04%!PS-Adobe-3.0\n", "application/postscript"),
        (
            b"\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE = POSTSCRIPT\r\n%!PS-Adobe-3.0\n",
            "application/postscript",
        ),
        (b"\xc5\xd0\xd3\xc6\x1e\0\0\0", "application/postscript"),
        (b"%!\n72 700 moveto", "application/postscript"),
        (b"%!TEX root = main.tex\n", "text/plain"),
        (b"A file begins with\n%!PS-Adobe-3.0", "text/plain"),
        (b"\n%PDF is what a PDF begins with", "text/plain"),
    ] {
        assert_eq!(MediaType::sniff(body).essence, expected, "{body:?}");
    }
}

#[test]
fn a_malformed_or_unknown_type_says_nothing() {
    let page = b"<p>Dober dan";
    for header in [
        "unknown/unknown",
        "application/unknown",
        "application/x-unknown-content-type",
        "www/unknown",
        "html/text",
        "binary/octet-stream",
        "application/octetstream",
        "application/x-download",
        "httpd/unix-directory",
        "*/*",
        "html",
        "",
    ] {
        assert_eq!(essence(header, page), "text/html", "{header}");
        assert_eq!(essence(header, b"Dober dan"), "text/plain", "{header}");
        assert_eq!(
            essence(header, b"PK\x03\x04"),
            "application/zip",
            "{header}"
        );
    }
    let octets = Some("application/octet-stream; charset=windows-1250");
    let media = MediaType::from_header_or_body(octets, page);
    assert_eq!(media.charset.as_deref(), Some("windows-1250"));
}

#[test]
fn a_page_of_another_type_is_html() {
    let pages: [&[u8]; 6] = [
        b"<!DOCTYPE html><p>a",
        b"\xef\xbb\xbf\n<HTML lang=sl><p>a",
        b"<!-- a --><html>",
        b"<head><title>a</title>",
        b"<?xml version='1.0'?>\n<!-- > --><html xmlns='http://www.w3.org/1999/xhtml'/>",
        b"<!doctype HTML PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x.dtd'><html>",
    ];
    for page in pages {
        for header in [
            "text/plain",
            "application/pdf",
            "text/x-php",
            "application/json",
        ] {
            assert_eq!(essence(header, page), "text/html", "{page:?}");
        }
        for header in [
            "application/xml",
            "text/xml; charset=utf-8",
            "application/rss+xml",
        ] {
            assert_eq!(essence(header, page), "application/xhtml+xml", "{page:?}");
        }
    }
    for (header, body) in [
        (
            "application/xml",
            &b"<?xml version='1.0'?><!DOCTYPE rss><rss>"[..],
        ),
        ("image/svg+xml", b"<?xml version='1.0'?><svg>"),
        ("text/plain", b"<htmlx> is no tag"),
        ("text/plain", b"<p> begins a paragraph"),
        ("application/javascript", b"<!--\nlet html = '<html>'"),
        ("application/json", b"{\"a\": 1}"),
        ("text/plain", b"<!-- <html>"),
        ("image/png", b"\x89PNG"),
    ] {
        assert_eq!(essence(header, body), header);
    }
    assert_eq!(
        essence("application/json", b"%PDF-1.7\n1 0 obj"),
        "application/pdf"
    );
}

#[test]
fn xml_is_told_from_html_by_its_declaration_its_root_and_its_namespace() {
    for body in [
        "<?xml version='1.0'?><FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'>",
        "<?xml version='1.0'?>\n<!-- a > b -->\n<rss version='2.0'>",
        "\u{feff}<TEI xmlns='http://www.tei-c.org/ns/1.0'><text/></TEI>",
        "<!DOCTYPE article PUBLIC 'a' 'b' [ <!ENTITY a '>'> ]>\n<article><para>a</para>",
        "<article xmlns='http://docbook.org/ns/docbook'>",
        "<rss version='2.0'><channel/></rss>",
        "<svg xmlns='http://www.w3.org/2000/svg'><text>a</text></svg >\n",
        "<?xml version='1.0'?><office:document office:mimetype='a'>",
    ] {
        for declared in [
            None,
            Some("text/html"),
            Some("text/plain"),
            Some("application/octet-stream"),
        ] {
            let media = MediaType::from_header_or_body(declared, body.as_bytes());
            assert_eq!(media.format(), Some(PageFormat::Xml), "{declared:?} {body}");
        }
    }
    for body in [
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>",
        "<?xml version='1.0'?><!DOCTYPE html><p>a",
        "<?xml version='1.0'?>\n<div>a</div>",
        "<svg xmlns='http://www.w3.org/2000/svg'><symbol/></svg><p>a</p>",
        "<section xmlns='http://www.w3.org/1999/xhtml'>a</section>",
        "<app-root xmlns:a='b'>a</app-root>",
        "<o>a</o>",
        "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><p>a",
        "<?xml version='1.0'?>",
        "<!--",
        "<",
    ] {
        let media = MediaType::from_header_or_body(Some("text/html"), body.as_bytes());
        assert_eq!(media.format(), Some(PageFormat::Html), "{body}");
    }
    let image = MediaType::from_header_or_body(Some("image/svg+xml"), b"<svg/>");
    assert_eq!(
        (image.format(), &*image.essence),
        (Some(PageFormat::Xml), "image/svg+xml")
    );
}
