//! Responses of search engines: JSON, XML and feeds.

use super::{Target, shape_of, shape_of_error};
use forage_engines::{
    ApiKey, EngineError, EngineQuery, EngineRequest, EngineResponse, EngineSpec, HttpClient,
};

/// Responses of all engines. The first line has the prefix of the engine and the status.
pub const REPLIES: Target = Target {
    dictionary: &[
        "searxng 200\n",
        "mediawiki 200\n",
        "brave 200\n",
        "mojeek 200\n",
        "marginalia 200\n",
        "opensearch 200\n",
        "quickwit 200\n",
        "solr 200\n",
        "yacy 200\n",
        "gdelt 200\n",
        "description 200\n",
        "feed 200\n",
        "sitemap 200\n",
        "429",
        "500",
        "{",
        "}",
        "[",
        "]",
        "null",
        "\"\"",
        "{\"",
        "\":",
        "\"url\":\"http://a.test/\"",
        "\"title\":",
        "\"total\":",
        "\\ud800",
        "\\u0000",
        "<rss>",
        "<channel>",
        "<item>",
        "<entry>",
        "<link>",
        "<link href='http://a.test/'/>",
        "<urlset>",
        "<sitemapindex>",
        "<url>",
        "<loc>",
        "<xhtml:link hreflang='de' href='http://a.test/'/>",
        "<title>",
        "<description>",
        "<![CDATA[",
        "]]>",
        "&lt;b&gt;",
        "&#0;",
        "&x;",
        "<?xml version='1.0'?>",
        "<!DOCTYPE x [<!ENTITY y 'z'>]>",
        "xmlns:a='http://www.w3.org/2005/Atom'",
        "<Url template='",
        "{searchTerms}",
        "{startPage?}",
        "{count}",
        "{startIndex}",
        "type='text/html'",
        "opensearch:totalResults",
        "<b>",
        "&amp;",
        "%",
    ],
    max_bytes: 128 << 10,
    test_inputs: 10000,
    ..Target::new(
        "replies",
        "responses of all engines on the web, feeds",
        run_replies,
    )
};

/// Specs of the engines, by their prefixes.
const SPECS: [(&str, &str); 13] = [
    ("searxng", "searxng:http://e.test/"),
    ("mediawiki", "mediawiki:http://e.test/"),
    ("brave", "brave:http://e.test/"),
    ("mojeek", "mojeek:http://e.test/"),
    ("marginalia", "marginalia:http://e.test/"),
    ("opensearch", "opensearch:http://e.test/i"),
    ("quickwit", "quickwit:http://e.test/i"),
    ("solr", "solr:http://e.test/solr/i"),
    ("yacy", "yacy:http://e.test/"),
    ("gdelt", "gdelt:http://e.test/"),
    ("description", "description:http://e.test/osd.xml"),
    ("feed", "feed:http://e.test/?q={query}"),
    ("sitemap", "sitemap:http://e.test/s.xml"),
];

/// Opens an engine that gets the same response to each request.
fn run_replies(input: &[u8]) -> u64 {
    let end = input
        .iter()
        .position(|b| *b == b'\n')
        .unwrap_or(input.len());
    let line = String::from_utf8_lossy(&input[..end]);
    let (prefix, status) = line.split_once(' ').unwrap_or((&line, "200"));
    let known = SPECS.iter().find(|(name, _)| *name == prefix);
    let Some((_, spec)) = known else { return 0 };
    let response = EngineResponse {
        status: status.trim().parse().unwrap_or(200),
        body: input.get(end + 1..).unwrap_or_default().to_vec(),
        ..EngineResponse::default()
    };
    let mut calls = 0;
    let http: HttpClient = Box::new(move |_: &EngineRequest| {
        calls += 1;
        assert!(calls < 50, "an engine repeats its request without end");
        Ok(response.clone())
    });
    let spec: EngineSpec = spec.parse().expect("the spec is valid");
    let mut engine = match spec.open(http, |_| ApiKey::new("secret")) {
        Ok(engine) => engine,
        Err(error) => return shape_of_error(error),
    };
    let pages = [1, 2].map(|number| {
        let query = EngineQuery::new(&["voda", "hladna reka"], &["gora"]);
        engine.request_page(&query, number, 10)
    });
    let in_links = EngineQuery::default().with_links_to(Some("http://a.test/"));
    let links = engine.request_page(&in_links, 1, 10);
    let shapes = pages.iter().chain([&links]).map(|page| match page {
        Ok(page) => shape_of(
            "hits",
            &[
                page.hits.len(),
                usize::from(page.has_more),
                page.missing.len(),
                page.files.len(),
            ],
        ),
        Err(EngineError::Incomplete { .. }) => 1,
        Err(error) => shape_of_error(error),
    });
    super::hash(&(prefix, shapes.collect::<Vec<_>>()))
}
