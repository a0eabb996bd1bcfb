use super::{FeedError, FeedItem, find_feed_links, parse_feed};
use crate::web::markup::decode_feed;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;

fn items(xml: &str) -> Vec<FeedItem> {
    parse_feed(xml).unwrap().items
}

fn item(link: &str, title: &str, description: &str) -> FeedItem {
    let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    FeedItem {
        link: part(link),
        title: part(title),
        description: part(description),
        ..FeedItem::default()
    }
}

#[test]
fn parses_rss() {
    let xml = r#"<?xml version="1.0"?><rss version="2.0" xmlns:media="m" xmlns:os="o">
        <channel><title>T</title>
        <link>http://w.test/</link><os:totalResults> 1,234 </os:totalResults>
        <item><media:title>no</media:title><title>A &amp; &#269;</title>
        <link>http://w.test/a?b=1&amp;c=2</link>
        <description><![CDATA[<b>lep</b> dan]]></description><guid>x</guid></item>
        <item><guid isPermaLink="true">http://w.test/b</guid></item></channel></rss>"#;
    let expected = vec![
        item("http://w.test/a?b=1&c=2", "A & č", "<b>lep</b> dan"),
        FeedItem {
            permalink: Some("http://w.test/b".into()),
            ..FeedItem::default()
        },
    ];
    assert_eq!(items(xml), expected);
    assert_eq!(parse_feed(xml).unwrap().total.as_deref(), Some(" 1,234 "));
}

#[test]
fn parses_rdf_and_atom_with_any_prefix() {
    let rdf = r#"<rdf:RDF xmlns:rdf="r"><item rdf:about="x"><title>A</title>
        <link>http://w.test/a</link></item></rdf:RDF>"#;
    assert_eq!(items(rdf), [item("http://w.test/a", "A", "")]);
    let atom = r#"<a:feed xmlns:a="http://www.w3.org/2005/Atom">
        <a:link href="http://w.test/"/><a:entry>
        <a:link rel="self" href="http://w.test/self"/><a:link href="http://w.test/a"/>
        <a:id>urn:x</a:id><a:title>A</a:title>
        <a:content type="xhtml"><div>lep <i>dan</i></div></a:content></a:entry></a:feed>"#;
    let content = "<div>lep <i>dan</i></div>";
    assert_eq!(items(atom), [item("http://w.test/a", "A", content)]);
}

/// Returns the URLs of a feed at `http://w.test/news/feed`.
fn urls(xml: &str) -> Vec<String> {
    let address = "http://w.test/news/feed".parse().unwrap();
    let (hits, _) = parse_feed(xml).unwrap().into_hits(&address);
    hits.into_iter().map(|hit| hit.url).collect()
}

#[test]
fn resolves_relative_urls_and_prefers_links_to_identifiers() {
    assert_eq!(
        urls(
            "<rss><channel><item><guid>http://w.test/?p=1</guid><link>/a#x</link></item>\
             <item><guid isPermaLink=' False '>http://w.test/id</guid></item><item><link>b?c</link></item><item><link>mailto:x@y.test</link></item>\
             <item><guid isPermaLink='false'>http://w.test/id</guid></item>\
             <item><guid>http://w.test/d</guid></item></channel></rss>"
        ),
        [
            "http://w.test/a",
            "http://w.test/news/b?c",
            "http://w.test/d"
        ]
    );
    assert_eq!(
        urls(
            "<feed xml:base='http://other.test/x/'><entry><link rel='enclosure' href='m.mp3'/>\
             <link rel='alternate' href='a'/></entry>\
             <entry xml:base='y/'><link href='b'/></entry></feed>"
        ),
        ["http://other.test/x/a", "http://other.test/x/y/b"]
    );
}

#[test]
fn finds_the_link_in_each_form() {
    for item in [
        "<item><atom:link href='http://w.test/1'/></item>",
        "<item><atom:link rel='self' href='/no'/><a10:link rel='alternate' href='http://w.test/1'/></item>",
        "<item rdf:about='http://w.test/1'><title>A</title></item>",
        "<item rdf:about='http://w.test/no'><link>http://w.test/1</link></item>",
        "<entry><link rel='http://www.iana.org/assignments/relation/alternate' href='/1'/></entry>",
        "<item><title>A</title><link/>http://w.test/1<guid>http://w.test/no</guid></item>",
        "<item><link></link>\n http://w.test/1</item>",
        "<item><link>\u{feff}http://w.test/1\u{200b}</link></item>",
        "<item><link>http://w.test\n    /1</link></item>",
    ] {
        let feed = format!("<rss><channel>{item}</channel></rss>");
        assert_eq!(urls(&feed), ["http://w.test/1"], "{item}");
    }
    for link in [
        "?a=1&section=2&copy=3&lt=4",
        "?a=1&amp;section=2&amp;copy=3&lt=4",
        "?a=1&amp;amp;section=2&amp;copy=3&amp;lt=4",
    ] {
        let feed = format!("<rss><item><link>http://w.test/{link}</link></item></rss>");
        assert_eq!(urls(&feed), ["http://w.test/?a=1&section=2&copy=3&lt=4"]);
    }
}

/// Returns the only hit of a feed at `http://w.test/news/feed`, and what it has besides.
fn hit(xml: &str) -> (String, [Option<String>; 2], String) {
    let address = "http://w.test/news/feed".parse().unwrap();
    let hit = parse_feed(xml).unwrap().into_hits(&address).0.remove(0);
    let alternates = hit
        .alternates
        .iter()
        .map(|(code, url)| format!("{code}={url}"));
    let alternates = alternates.collect::<Vec<_>>().join(" ");
    (hit.url, [hit.modified, hit.licence], alternates)
}

/// RFC 4287, sections 4.1.2, 4.1.3 and 4.2.7; RFC 4946.
#[test]
fn the_page_is_chosen_among_the_links_of_an_entry_by_type() {
    for (links, url, alternates) in [
        (
            "<link type='application/pdf' href='/f'/><link href='/1'/>",
            "/1",
            "",
        ),
        (
            "<link rel='ALTERNATE' type='application/activity+json' href='/f'/>\
          <link rel='Alternate' type='Text/HTML' href='/1'/>",
            "/1",
            "",
        ),
        (
            "<link type='application/pdf' href='/f'/><id>http://w.test/id</id>",
            "/f",
            "",
        ),
        (
            "<content type='text/html' src='/1'/><id>http://w.test/id</id>",
            "/1",
            "",
        ),
        (
            "<link hreflang='HSB' href='/1'/><link hreflang=de type='text/html' href='/de'/>\
          <link hreflang=sl type='application/pdf' href='/f'/>",
            "/1",
            "de=http://w.test/de hsb=http://w.test/1",
        ),
        (
            "<link hreflang='x-default' href='/1'/><link hreflang=de href='/de'/>\
          <link hreflang=de href='/no'/><link hreflang='de en' href='/no'/>\
          <link rel='http://x.test/alternate' hreflang=fr href='/no'/>",
            "/1",
            "de=http://w.test/de",
        ),
        ("<link xml:base='x/' href='1'/>", "/news/x/1", ""),
    ] {
        let found = hit(&format!("<feed><entry>{links}</entry></feed>"));
        let url = format!("http://w.test{url}");
        assert_eq!((found.0, found.2.as_str()), (url, alternates), "{links}");
    }
}

/// RFC 4287, section 4.2.15; RSS 2.0; Dublin Core; ccREL; RFC 4946; creativeCommonsRssModule.
#[test]
fn an_item_has_its_last_change_and_its_licence() {
    let by = "http://l.test/by";
    for (parts, modified, licence) in [
        (
            "<published>2024-01-01</published><updated>2024-03-05T10:00Z</updated>",
            Some("2024-03-05T10:00Z"),
            None,
        ),
        (
            "<pubDate>Tue, 05 Mar 2024 10:00:00 +0100</pubDate>",
            Some("2024-03-05T10:00:00+01:00"),
            None,
        ),
        ("<dc:date>2024-03</dc:date>", Some("2024-03"), None),
        ("<pubDate>soon</pubDate>", None, None),
        (
            "<a10:updated>2024-03-05</a10:updated>",
            Some("2024-03-05"),
            None,
        ),
        (
            "<atom:published>2024-03</atom:published>",
            Some("2024-03"),
            None,
        ),
        (
            "<dcterms:created>2024-03</dcterms:created>",
            Some("2024-03"),
            None,
        ),
        ("<dcterms:license>CC BY 4.0</dcterms:license>", None, None),
        (
            "<rsl:license><rsl:prohibits>all</rsl:prohibits></rsl:license>",
            None,
            None,
        ),
        (
            "<link rel='license' href='http://purl.org/atompub/license#unspecified'/>",
            None,
            None,
        ),
        (
            "<cc:license><cc:License rdf:about='http://l.test/by'/></cc:license>",
            None,
            Some(by),
        ),
        (
            "<cc:license rdf:resource='http://l.test/by'/>",
            None,
            Some(by),
        ),
        (
            "<atom:link rel='license' href='http://l.test/by'/>",
            None,
            Some(by),
        ),
        (
            "<creativeCommons:license>http://l.test/by</creativeCommons:license>",
            None,
            Some(by),
        ),
        (
            "<media:license href='http://l.test/no'>x</media:license>",
            None,
            None,
        ),
    ] {
        let feed = format!("<rss><license>x</license><item><link>/1</link>{parts}</item></rss>");
        let expected = [modified, licence].map(|part| part.map(str::to_owned));
        assert_eq!(hit(&feed).1, expected, "{parts}");
    }
}

#[test]
fn a_json_feed_is_read() {
    // JSON Feed 1.1 (jsonfeed.org/version/1.1).
    let feed = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": [
        {"id": "7", "url": "/1", "title": "a <b> c", "date_published": "2024-03-05T10:00:00-07:00"}]}"#;
    let time = "2024-03-05T10:00:00-07:00".to_owned();
    assert_eq!(
        hit(feed),
        ("http://w.test/1".into(), [Some(time), None], String::new())
    );
    assert!(parse_feed(r#"{"version": "1", "items": []}"#).is_err());
}

#[test]
fn a_text_of_atom_has_no_markup() {
    // RFC 4287, section 3.1.1: a text without a type is plain.
    for (title, expected) in [
        ("<title type='text'>a &lt;table> b</title>", "a <table> b"),
        ("<title>a &lt;table> b</title>", "a <table> b"),
        ("<title type='html'>a &lt;i>b&lt;/i></title>", "a b"),
        (
            "<title type='xhtml'><div>a &lt;table> <b>b</b></div></title>",
            "a <table> b",
        ),
        ("<title>a</title><summary>&lt;i></summary>", "a"),
    ] {
        let feed = format!("<feed><entry><link href='/1'/>{title}</entry></feed>");
        let hits = parse_feed(&feed)
            .unwrap()
            .into_hits(&"http://w.test/".parse().unwrap())
            .0;
        assert_eq!(hits[0].title.as_deref(), Some(expected));
        let snippet = title.contains("summary").then_some("<i>");
        assert_eq!(hits[0].snippet.as_deref(), snippet);
    }
}

#[test]
fn feeds_of_a_page_are_resolved_by_its_first_base() {
    // HTML Standard, section 4.2.3.
    let page = "<link rel=alternate type='application/rss+xml' href='feed'>\
        <base target=x><base href='http://w.test/x/'><base href='/y/'>";
    let links = find_feed_links(page, &"http://w.test/".parse().unwrap());
    assert_eq!(links, ["http://w.test/x/feed".parse().unwrap()]);
}

#[test]
fn items_without_a_url_are_counted() {
    let feed = "<rss><item><title>A</title></item><item><link>/1</link></item>\
                <item><media:content><link>/2</link></media:content></item></rss>";
    let address = "http://w.test/".parse().unwrap();
    let (hits, missing) = parse_feed(feed).unwrap().into_hits(&address);
    assert_eq!((hits.len(), &*missing[0].name), (1, "2 of 3 items"));
}

#[test]
fn declared_entities_are_not_expanded() {
    let xml = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>\
        <rss><channel><item><link>http://w.test/</link><title>x &b; &eacute;</title></item>\
        </channel></rss>";
    assert_eq!(items(xml)[0].title.as_deref(), Some("x &b; é"));
}

#[test]
fn decodes_compressed_feeds_and_other_encodings() {
    let latin = b"<?xml version='1.0' encoding='iso-8859-2'?><rss>\xe8</rss>";
    assert!(decode_feed(latin, None).unwrap().contains('č'));
    assert!(decode_feed(latin, Some("text/xml")).unwrap().contains('č'));
    let header = Some("text/xml; Charset=\"windows-1252\"; x=y");
    assert!(
        decode_feed(b"<rss>\xe8</rss>", header)
            .unwrap()
            .contains('è')
    );
    let utf8 = "<?xml version='1.0' encoding='iso-8859-1'?><rss>teče</rss>".as_bytes();
    assert!(decode_feed(utf8, header).unwrap().contains("teče"));
    assert!(
        decode_feed("\u{feff}<rss>č</rss>".as_bytes(), header)
            .unwrap()
            .contains('č')
    );
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(latin).unwrap();
    let gzip = gzip.finish().unwrap();
    assert!(decode_feed(&gzip, None).unwrap().contains('č'));
    assert!(decode_feed(&gzip[..gzip.len() / 2], None).is_err());
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    bomb.write_all(&vec![b' '; 51 << 20]).unwrap();
    assert!(decode_feed(&bomb.finish().unwrap(), None).is_err());
}

#[test]
fn rejects_what_is_not_a_feed() {
    for text in [
        "<html/>",
        "<html><rss><item><link>/a</link></item></rss></html>",
    ] {
        let error = parse_feed(text).unwrap_err();
        assert_eq!(error.to_string(), "its first element is `html`");
    }
    for (text, cause) in [
        ("<rss><channel><item><title>A", "it breaks off"),
        ("<rss><channel>", "it breaks off"),
        ("\n", "it is empty"),
        ("{}", "it is not XML"),
    ] {
        assert_eq!(parse_feed(text).unwrap_err(), FeedError::malformed(cause));
    }
    assert!(items("<rss/>").is_empty());
}

/// Returns a feed of five items, `faulty` in the place of the third.
fn feed_with(faulty: &str) -> String {
    let item = |number: u32| {
        format!(
            "<item>\n<title>Novica {number}</title><link>http://w.test/{number}</link>\
             <description><![CDATA[<p>potok]]></description>\
             <guid isPermaLink=\"false\">a{number}</guid></item>\n"
        )
    };
    let items = [item(1), item(2), faulty.to_owned(), item(4), item(5)].concat();
    format!("<?xml version=\"1.0\"?><rss><channel><title>x</title>{items}</channel></rss>")
}

#[test]
fn a_fault_costs_at_most_its_item() {
    let complete = "<item><title>A</title><link>http://w.test/3</link>\
        <description>b</description><guid isPermaLink=\"false\">c</guid></item>";
    for (from, to) in [
        ("A<", "R&D < B & <b>C<br><"),
        ("A<", "&nbsp;&unknown;\u{1}\u{0}<"),
        ("</title>", ""),
        ("</title>", "</titel>"),
        ("</title>", "</title></b></p>"),
        ("<title>", "<title"),
        ("</description>", ""),
        ("<description>", ""),
        ("<description>", "<description><![CDATA["),
        ("<description>", "<description><!-- "),
        ("b</desc", "<p>b<ul><li></p></desc"),
        ("\"false\"", "false"),
        ("\"false\"", "\"false"),
        ("</guid>", ""),
        ("</item>", ""),
        ("</item>", "</itme>"),
        ("<item>", "<item <item>"),
        ("<item>", "</p><item>"),
    ] {
        assert!(complete.contains(from));
        let feed = feed_with(&complete.replacen(from, to, 1));
        let expected: Vec<String> = (1..6).map(|n| format!("http://w.test/{n}")).collect();
        assert_eq!(urls(&feed), expected, "{to}");
    }
    for (from, to) in [
        ("<item>", ""),
        ("<link>http", "<link"),
        ("<title>", "<title lang=sl a=\"b>"),
    ] {
        let feed = feed_with(&complete.replacen(from, to, 1));
        let mut expected: Vec<String> = (1..6).map(|n| format!("http://w.test/{n}")).collect();
        expected.remove(2);
        assert_eq!(urls(&feed), expected, "{to}");
    }
}

#[test]
fn what_precedes_the_feed_does_not_count() {
    for start in [
        "\n\n",
        "\u{feff} ",
        "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/a.php</b> on line <b>3</b><br />\n",
        "PHP Notice: a < b\n",
        "<!-- cached --><!DOCTYPE rss [<!ENTITY a \"b\">]>",
    ] {
        let feed = format!("{start}{}", feed_with(""));
        assert_eq!(urls(&feed).len(), 4, "{start}");
    }
}

#[test]
fn links_may_be_left_open() {
    let feed = "<feed><entry><link rel=self href=x><author><name>A</name></author>\
        <link href=http://w.test/1><category term=a><title>A</title></entry></feed>";
    assert_eq!(urls(feed), ["http://w.test/1"]);
}

#[test]
fn parts_of_an_item_are_apart_from_others() {
    let feed = "<rss><channel><image><title>no</title><link>http://w.test/no</link></image>\
        <item><media:group><media:title>no</media:title></media:group><title>Brez konca\
        <link>http://w.test/1</link><source><title>no</title><link>http://w.test/n</link></source>\
        <description><p>Dva<p>mlina</description></item></channel></rss>";
    let address = "http://w.test/".parse().unwrap();
    let hit = parse_feed(feed).unwrap().into_hits(&address).0.remove(0);
    assert_eq!(
        (hit.url.as_str(), hit.title.as_deref()),
        ("http://w.test/1", Some("Brez konca"))
    );
    assert_eq!(hit.snippet.as_deref(), Some("Dva mlina"));
}

#[test]
fn highlights_of_xapian_omega_are_no_part_of_the_snippet() {
    // As the template `opensearch` of Omega 1.4 writes it.
    let feed = r#"<rss version="2.0"><channel><item><title></title><link>http://w.test/</link>
        <description>&amp;lt;strong&amp;gt;Lep&amp;lt;/strong&amp;gt; d'an, Čapek &amp;amp; sin: a &amp;lt; b,
        3 &amp;gt; 2, &amp;quot;AT&amp;amp;amp;T&amp;quot;...</description></item></channel></rss>"#;
    let (hits, _) = parse_feed(feed)
        .unwrap()
        .into_hits(&"http://w.test/".parse().unwrap());
    assert_eq!(hits[0].title, None);
    let snippet = r#"Lep d'an, Čapek & sin: a < b, 3 > 2, "AT&amp;T"..."#;
    assert_eq!(hits[0].snippet.as_deref(), Some(snippet));
}

proptest! {
    #[test]
    fn a_cut_feed_has_the_items_before(cut in 0_usize..900) {
        let feed = feed_with("<item><link>http://w.test/3</link></item>");
        let cut = cut.min(feed.len());
        let address = "http://w.test/".parse().unwrap();
        let complete = feed[..cut].matches("</link>").count();
        match parse_feed(&feed[..cut]) {
            Ok(feed) => {
                let (hits, _) = feed.into_hits(&address);
                let urls: Vec<String> = hits.into_iter().map(|hit| hit.url).collect();
                let expected: Vec<String> = (1..=complete).map(|n| format!("http://w.test/{n}")).collect();
                prop_assert_eq!(urls, expected);
            }
            Err(_) => prop_assert_eq!(complete, 0),
        }
    }

    #[test]
    fn any_change_of_one_item_costs_at_most_that_item(
        at in 0_usize..150,
        length in 0_usize..12,
        inserted in "[<>&\"'/!\\[\\]a-c \u{1}-]{0,6}",
    ) {
        let mut item = "<item><title>A &amp; B</title><link>http://w.test/3</link>\
            <description><![CDATA[b]]></description><guid isPermaLink=\"false\">c</guid></item>"
            .to_owned();
        let at = at.min(item.len());
        item.replace_range(at..(at + length).min(item.len()), &inserted);
        let urls = urls(&feed_with(&item));
        for number in [1, 2, 4, 5] {
            let url = format!("http://w.test/{number}");
            prop_assert!(urls.contains(&url), "{}: {:?}", item, urls);
        }
    }
}
