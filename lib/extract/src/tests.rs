use super::{ExtractedPage, ExtractionOptions, STACK_BYTES};

fn extract(html: &str, url: Option<&str>) -> ExtractedPage {
    extract_with(html, url, &ExtractionOptions::default())
}

/// Extracts a page on a thread with a stack of [`STACK_BYTES`].
pub(crate) fn extract_with(
    html: &str,
    url: Option<&str>,
    options: &ExtractionOptions,
) -> ExtractedPage {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    std::thread::scope(|scope| {
        thread
            .spawn_scoped(scope, || super::extract_page(html.to_owned(), url, options))
            .unwrap()
            .join()
            .unwrap()
    })
}

const ARTICLE: &str = "<html lang=sl-SI><head><title>Potok – Novice</title>\
     <meta name=robots content='NoIndex, noai'>
    <link rel=license href=/licenca></head><body><nav><ul><li><a href=/>Domov</a>\
     <li><a href=/o>O nas</a></ul></nav>
    <article><h1>Potok</h1><p>Prvi odstavek govori o potoku, ki teče skozi vas in napaja \
     polja, travnike in
    sadovnjake, odkar ljudje pomnijo.</p><p>Drugi odstavek pove, \
     da je voda v njem\u{1} c\u{30C}ista, zato v njem
    živijo postrvi, raki in mnoge druge živali, ki jih drugod ni več.</p></article>
    <footer>Vse pravice pridržane</footer></body></html>";

#[test]
fn keeps_the_main_text_and_drops_the_menu() {
    let page = extract(ARTICLE, Some("https://vas.test/novice/potok"));
    let lines: Vec<&str> = page.text.lines().collect();
    assert!(
        page.text.contains("Prvi odstavek") && page.text.contains("v njem čista, zato"),
        "{}",
        page.text
    );
    assert!(
        !page.text.contains("Domov") && !page.text.contains("pravice"),
        "{}",
        page.text
    );
    assert!(
        lines.iter().any(|line| line.starts_with("Drugi")),
        "{lines:?}"
    );
    assert_eq!(page.title.as_deref(), Some("Potok"));
}

#[test]
fn extracts_metadata_and_links() {
    let page = extract(ARTICLE, Some("https://vas.test/novice/potok"));
    assert_eq!(page.fetch.html_lang.as_deref(), Some("sl-SI"));
    assert_eq!(page.robots, ["noindex", "noai"]);
    assert_eq!(
        page.fetch.licence.as_deref(),
        Some("https://vas.test/licenca")
    );
    let links: Vec<_> = page
        .links
        .iter()
        .map(|link| (link.url.as_str(), link.text.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            ("https://vas.test/", "Domov"),
            ("https://vas.test/o", "O nas")
        ]
    );
}

#[test]
fn reads_who_wrote_a_page_and_where() {
    let graph = r#"{"@graph":[{"@type":"NewsArticle","headline":"Potok","author":{"@id":"/#ana"},
        "publisher":{"@id":"/#n"},"dateModified":"2024-03-07","articleSection":["Kraji"],
        "keywords":"mlini, reke"},{"@type":"Person","@id":"/#ana","name":"Ana Zgled"},
        {"@type":"WebSite","@id":"/#n","name":"Novice"}]}"#;
    let in_meta = "<meta name=author content='Ana Zgled'><meta property=og:site_name content=Novice>\
        <meta property=article:modified_time content=2024-03-07><meta name=keywords \
        content='mlini,reke'><meta property=article:section content=Kraji>";
    let head = "<title>Potok</title><link rel=alternate hreflang=de href=/de>\
        <link rel=alternate hreflang=x-default href=/>\
        <link rel=alternate type=application/rss+xml href=/rss>";
    let in_json_ld = format!("<script type=application/ld+json>{graph}</script>");
    for declared in [in_json_ld.as_str(), in_meta] {
        let page = extract(
            &format!("{head}{declared}<p>Voda."),
            Some("https://a.test/1"),
        );
        assert_eq!(page.fetch.author, ["Ana Zgled"], "{declared}");
        assert_eq!(page.fetch.site.as_deref(), Some("Novice"), "{declared}");
        assert_eq!(page.fetch.section.as_deref(), Some("Kraji"), "{declared}");
        assert_eq!(page.fetch.tags, ["mlini", "reke"], "{declared}");
        assert_eq!(
            page.fetch.modified.as_deref(),
            Some("2024-03-07"),
            "{declared}"
        );
        let alternates: Vec<_> = page.fetch.alternates.iter().collect();
        assert_eq!(
            alternates,
            [(&"de".to_owned(), &"https://a.test/de".to_owned())]
        );
    }
    let links =
        "<p>Voda <a rel=author href=/ana>Ana Zgled</a> <a rel='tag nofollow' href=/m>mlini</a>";
    let page = extract(links, Some("https://a.test/1"));
    assert_eq!(
        (page.fetch.author, page.fetch.tags),
        (vec!["Ana Zgled".to_owned()], vec!["mlini".to_owned()])
    );
}

#[test]
fn uses_all_text_of_a_page_without_an_article() {
    let page = extract("<title>x</title>Kratko besedilo", None);
    assert_eq!(page.text, "Kratko besedilo");
    assert_eq!(extract("", None).text, "");
}

#[test]
fn reads_the_text_inside_50_000_nested_elements() {
    for tag in [
        "<div>",
        "<b>",
        "<span></i>",
        "<ul><li>",
        "<table><tr><td>",
        "<p><b id=x>",
    ] {
        let page = extract(&format!("<body>{}dno", tag.repeat(50_000)), None);
        assert_eq!(page.text, "dno", "{tag}");
    }
}

#[test]
fn reads_a_page_of_the_largest_allowed_depth() {
    let page = extract(
        &format!(
            "<body>{}dno",
            "<div>".repeat(super::tree_limits::MAX_DEPTH - 5)
        ),
        None,
    );
    assert_eq!(page.text, "dno");
}

#[test]
fn reads_the_text_if_end_tags_close_nothing() {
    for tags in [
        "<div><table></div></table>",
        "<div><!--</div>-->",
        "<div><script></div></script>",
        "<span a='</span>'>",
        "<span/>",
    ] {
        let page = extract(&format!("<body>{}<p>dno", tags.repeat(2000)), None);
        assert_eq!(page.text, "dno", "{tags}");
    }
}

#[test]
fn reads_the_text_if_each_paragraph_reopens_elements() {
    let attributes: String = (0..900).map(|n| format!(" a{n}=1")).collect();
    let page = format!("<p><b{attributes}>{}dno", "x</p><p>".repeat(1500));
    assert!(extract(&page, None).text.ends_with("x\ndno"));
}

#[test]
fn extracts_date_licence_and_canonical_address() {
    let page = extract(
        "<link rel=canonical href=/a>\
         <meta property='article:published_time' content='2024-03-05T10:00:00+01:00'>
         <p>Besedilo. <a href='https://creativecommons.org/licenses/by/4.0/'>CC</a>",
        Some("https://vas.test/a?b=c"),
    );
    assert_eq!(page.fetch.canonical.as_deref(), Some("https://vas.test/a"));
    assert_eq!(
        page.fetch.published.as_deref(),
        Some("2024-03-05T10:00:00+01:00")
    );
    assert_eq!(
        page.fetch.licence.as_deref(),
        Some("https://creativecommons.org/licenses/by/4.0/")
    );
}

#[test]
fn drops_the_site_name_from_the_title() {
    let title = |html: &str| extract(html, None).title;
    assert_eq!(
        title("<title>Potok | Novice</title><h1>Potok</h1>x").as_deref(),
        Some("Potok")
    );
    assert_eq!(
        title("<title>Potok | Novice</title><h1>Meni</h1>x").as_deref(),
        Some("Potok | Novice")
    );
    // The first heading may be the name of the site.
    let blog = "<title>Novice: Potok je zamrznil</title><h1>Novice</h1><h3>Potok je zamrznil</h3>x";
    assert_eq!(title(blog).as_deref(), Some("Potok je zamrznil"));
    assert_eq!(
        title("<meta property='og:title' content='Potok'>x").as_deref(),
        Some("Potok")
    );
}

#[test]
fn reads_a_page_with_too_many_tags_without_a_tree() {
    let page = extract(&"<p>beseda</p>".repeat(200_000), None);
    assert_eq!(page.text.lines().count(), 200_000);
}

#[test]
fn keeps_a_book_to_its_end() {
    let sentences = [
        "Potok teče skozi vas in poganja mlin. ",
        "Ko pozimi zamrzne, led poči šele marca, in takrat so otroci na mostu. ",
        "Mlinar je star, a še vedno vsako jutro odpre zapornico, počaka in posluša. ",
        "»Kaj pa voda?« ga vprašajo; on pa molči, kakor je molčal njegov oče. ",
        "Zvečer je tiho. ",
    ];
    let paragraph = |n: usize| {
        (0..3 + n * n % 4)
            .map(|k| sentences[(n + k * k) % 5])
            .collect::<String>()
    };
    for (open, close) in [("<p>", "</p>"), ("<div>", "</div>"), ("", "<br><br>")] {
        let text: String = (0..900)
            .map(|n| format!("{open}{} Tako je {n}.{close}\n", paragraph(n)))
            .collect();
        let menu = "<ul>".to_owned() + &"<li><a href=/x>Na vrh</a>".repeat(20) + "</ul>";
        let html = format!(
            "<title>Potok</title><nav>{menu}</nav><h1>Potok</h1>{text}\
             <footer>© Založba</footer>"
        );
        let page = extract(&html, None);
        let kept = page.text.matches("Tako je ").count();
        assert!(kept > 850, "{open}: {kept} of 900");
        assert!(!page.text.contains("Na vrh"), "{open}");
    }
}
