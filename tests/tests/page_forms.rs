//! fetch-extract with pages in other forms than that of a plain article in HTML: the same text and
//! date whatever the form.

use forage_tests::{run_tool, temp_folder};
use serde_json::{Value, json};

const SENTENCES: [&str; 4] = [
    "Potok teče skozi vas in poganja mlin, ki stoji tam že več kot dvesto let.",
    "Pozimi voda pogosto zamrzne, zato mlinar takrat počiva in popravlja kolesa.",
    "Spomladi se potok razlije čez travnike in prinese s seboj veliko mulja in kamenja.",
    "Otroci iz šole hodijo tja gledat žabe, ki se oglašajo že v začetku marca.",
];

/// Returns the record of a page in a file with this name.
fn extract(name: &str, page: &str) -> Value {
    let folder = temp_folder();
    let path = folder.path().join(name);
    std::fs::write(&path, page).unwrap();
    let output = run_tool("fetch-extract", ["--html".as_ref(), path.as_os_str()], "");
    output.expect_exit(0).records().pop().unwrap()
}

#[test]
fn the_text_is_the_same_in_any_form() {
    let paragraphs: String = SENTENCES
        .map(|sentence| format!("<p>{sentence}</p>"))
        .concat();
    let head = "<!DOCTYPE html><html lang=sl><meta charset=utf-8><title>Potok</title>";
    let menu = "<nav><a href=/>Domov</a> <a href=/o>O nas</a></nav>";
    let data = json!({"props": {"article": {"title": "Potok", "body": paragraphs}}});
    let body =
        json!({"@type": "Article", "headline": "Potok", "articleBody": SENTENCES.join("\n")});
    let xml = "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'>";
    for (name, page) in [
        (
            "page.html",
            format!("{head}{menu}<main>{paragraphs}</main>"),
        ),
        (
            "shadow.html",
            format!("{head}{menu}<x-a><template shadowrootmode=open>{paragraphs}</template></x-a>"),
        ),
        (
            "state.html",
            format!(
                "{head}<div id=root></div><script id=__NEXT_DATA__ type=application/json>{data}</script>"
            ),
        ),
        (
            "json-ld.html",
            format!(
                "{head}{menu}<script type=application/ld+json>//<![CDATA[\n{body};\n//]]></script>"
            ),
        ),
        (
            "page.xhtml",
            format!(
                "{xml}<head><script src='a.js'/><title/></head><body>{paragraphs}</body></html>"
            ),
        ),
    ] {
        let record = extract(name, &page);
        assert_eq!(record["text"], json!(SENTENCES.join("\n")), "{name}");
    }
}

#[test]
fn the_date_is_that_of_the_article_in_any_form() {
    let body = SENTENCES
        .map(|sentence| format!("<p>{sentence}</p>"))
        .concat();
    let related = json!({"@type": "ItemList", "itemListElement": [
        {"@type": "NewsArticle", "headline": "Star", "datePublished": "2019-01-01"}]});
    for (date, source) in [
        ("<meta name=citation_date content=20240305>", "meta"),
        ("<meta name=dc.date content='5. 3. 2024'>", "meta"),
        (
            "<meta property='article:published_time' content='Tue, 05 Mar 2024 10:00:00 +0100'>",
            "meta",
        ),
        ("<meta name=pubdate content='05/03/2024'>", "meta"),
        ("<div itemprop=datePublished>5.3.2024</div>", "element"),
        ("<time datetime=2024-03-05>v torek</time>", "element"),
        (
            "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"datePublished\":\"2024-03-05\"}</script>",
            "json-ld",
        ),
    ] {
        let record = extract(
            "page.html",
            &format!(
                "<html lang=sl><meta charset=utf-8><title>Potok</title>\
                 <script type=application/ld+json>{related}</script>\
                 <main><h1>Potok</h1>{date}{body}</main>"
            ),
        );
        let published = record["fetch"]["published"].as_str().unwrap_or_default();
        assert!(published.starts_with("2024-03-05"), "{date}: {published}");
        assert_eq!(record["fetch"]["published_source"], source, "{date}");
    }
}
