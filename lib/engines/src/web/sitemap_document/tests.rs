use super::{Sitemap, parse_sitemap};
use crate::web::feed_document::FeedError;
use proptest::prelude::*;
use url::Url;

fn parse(text: &str) -> Result<Sitemap, FeedError> {
    parse_sitemap(text, &Url::parse("http://s.test/maps/s.xml").unwrap())
}

/// Formats the hits of a sitemap as "url modified language=url …".
fn hits(text: &str) -> Vec<String> {
    let sitemap = parse(text).unwrap_or_default();
    let hits = sitemap.hits.iter().map(|hit| {
        let alternates = hit.alternates.iter();
        let alternates = alternates.map(|(language, url)| format!(" {language}={url}"));
        let modified = hit.modified.iter().map(|time| format!(" {time}"));
        let parts: String = modified.chain(alternates).collect();
        format!("{}{parts}", hit.url)
    });
    hits.collect()
}

#[test]
fn a_page_has_its_date_and_its_other_languages() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="x" xmlns:image="i">
        <url><loc> http://s.test/a?b=1&amp;c=2 </loc><lastmod>2024-03-05T10:00+01:00</lastmod>
        <xhtml:link rel="alternate" hreflang="de" href="/de/a"/>
        <xhtml:link rel="alternate" hreflang="x-default" href="/"/>
        <xhtml:link rel="amphtml" hreflang="sl" href="/amp"/>
        <xhtml:link rel="alternate" hreflang="fr" href="/feed" type="application/rss+xml"/>
        <xhtml:link rel="alternate" hreflang="sl" href="javascript:a"/>
        <image:image><image:loc>http://s.test/a.jpg</image:loc></image:image></url>
        <url><image:image><image:loc>http://s.test/b.jpg</image:loc></image:image>
        <loc>http://other.test/b</loc><lastmod>yesterday</lastmod></url></urlset>"#;
    let expected = [
        "http://s.test/a?b=1&c=2 2024-03-05T10:00+01:00 de=http://s.test/de/a",
        "http://other.test/b",
    ];
    assert_eq!(hits(text), expected);
    assert_eq!(parse(text).unwrap().missing, []);
}

#[test]
fn faults_of_writers_are_repaired() {
    for (text, expected) in [
        (
            "<s:urlset xmlns:s='wrong'><s:url><s:loc>/a</s:loc></s:url></s:urlset>",
            "/a",
        ),
        ("<URLSET><URL><LOC>b</LOC></URL></URLSET>", "/maps/b"),
        (
            "<urlset><url><loc><![CDATA[\n/a?b&c\n]]></loc></url></urlset>",
            "/a?b&c",
        ),
        (
            "<urlset><url><loc>/a?b=1&amp;amp;c=2&d</loc></url></urlset>",
            "/a?b=1&c=2&d",
        ),
        ("<urlset><url><loc>/a<lastmod>x</url></urlset>", "/a"),
        (
            "<br><b>Warning</b><urlset><url><loc>/ž#x</loc></url></urlset>",
            "/%C5%BE",
        ),
        ("\u{FEFF} http://s.test/a\r\n", "/a"),
        ("http://s.test/a\rmailto:a\r", "/a"),
        ("<urlset><url><loc>/a</loc></url>\n<url><lo", "/a"),
        (
            "<rss><channel><item><link>/a</link></item></channel></rss>",
            "/a",
        ),
        (
            "<urlset><url><loc xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>/a</loc></url>\
             </urlset>",
            "/a",
        ),
        // A `loc` of another namespace, which is declared at the element.
        (
            "<urlset><url><image xmlns='i'><loc>/no</loc></image><loc>/a</loc></url></urlset>",
            "/a",
        ),
    ] {
        assert_eq!(hits(text), [format!("http://s.test{expected}")], "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    let missing = |text: &str| {
        let parts = parse(text).unwrap().missing;
        parts.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let entry = "<url><loc>/a</loc></url><url><loc>mailto:a</loc></url>";
    assert_eq!(
        missing(&format!("<urlset>{entry}<url></url></urlset>")),
        ["2 of 3 entries: they have no URL"]
    );
    assert_eq!(
        missing("<urlset><url><loc>/a</loc></url>"),
        ["the rest of http://s.test/maps/s.xml: it breaks off"]
    );
    assert_eq!(
        missing("http://s.test/\nnot a page:\n\nhttp://s.test/b"),
        ["1 of 3 entries: they have no URL"]
    );
    for text in ["<html><p>a", "<?xml version='1.0'?><error/>"] {
        assert!(
            matches!(parse(text), Err(FeedError::OtherDocument(_))),
            "{text}"
        );
    }
    for text in ["", "no\nhttp://s.test/", "<urlset>", "<urlset"] {
        assert!(
            matches!(parse(text), Err(FeedError::Malformed(_))),
            "{text}"
        );
    }
}

/// Returns a sitemap of four pages with `entry` in the middle.
fn sitemap_with(entry: &str) -> String {
    let page = |number| format!("<url><loc>http://s.test/{number}</loc></url>\n");
    format!(
        "<urlset>{}{}{entry}{}{}</urlset>",
        page(1),
        page(2),
        page(4),
        page(5)
    )
}

proptest! {
    #[test]
    fn a_cut_sitemap_has_the_pages_before(cut in 0_usize..200) {
        let text = sitemap_with("");
        let text = &text[..cut.min(text.len())];
        let complete = text.matches("</loc>").count();
        prop_assert_eq!(hits(text).len(), complete, "{}", text);
    }

    #[test]
    fn any_change_of_one_entry_costs_at_most_that_entry(
        at in 0_usize..150,
        length in 0_usize..12,
        inserted in "[<>&\"'/!\\[\\]a-c \u{1}-]{0,6}",
    ) {
        let mut entry = "<url><loc>http://s.test/3</loc><x:link hreflang='de' href=\"/d\"/>\
            <lastmod><![CDATA[2024]]></lastmod></url>\n".to_owned();
        let at = at.min(entry.len());
        entry.replace_range(at..(at + length).min(entry.len()), &inserted);
        let found = hits(&sitemap_with(&entry));
        for number in [1, 2, 4, 5] {
            let url = format!("http://s.test/{number}");
            prop_assert!(found.contains(&url), "{}: {:?}", entry, found);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[<>/&a-z:. \n\"'=!\\[\\]-]{0,80}") {
        let _ = parse(&text);
        let _ = parse(&format!("<urlset><url><loc>{text}"));
    }
}
