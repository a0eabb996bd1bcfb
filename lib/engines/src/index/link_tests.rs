//! In-link queries to the embedded index.

use super::{EmbeddedIndex, EmbeddedIndexWriter};
use crate::{Engine, EngineDocument, EngineError, EngineQuery, EngineResult};
use std::path::Path;

/// Adds documents with the URLs that they link to.
fn add_documents(folder: &Path, documents: &[(&str, &str, &[&str])]) {
    let mut writer = EmbeddedIndexWriter::open(folder).unwrap();
    for (url, text, links) in documents {
        let document = EngineDocument {
            text: text.to_string(),
            ..EngineDocument::default()
        };
        let links = super::link_targets(&[url], links.iter().copied());
        writer.add(url, &document, &links).unwrap();
    }
    writer.finish().unwrap();
}

fn in_links(folder: &Path, query: EngineQuery, url: &str) -> EngineResult<Vec<String>> {
    let page = EmbeddedIndex::open(folder).unwrap().request_page(
        &query.with_links_to(Some(url)),
        1,
        10,
    )?;
    Ok(page.hits.into_iter().map(|hit| hit.url).collect())
}

const DOCUMENTS: [(&str, &str, &[&str]); 4] = [
    (
        "http://c.test/",
        "lep dan",
        &["http://t.test/#x", "http://c.test/"],
    ),
    (
        "http://a.test/",
        "jutri",
        &["http://t.test/", "http://u.test/"],
    ),
    (
        "http://b.test/",
        "lep dan jutri",
        &["http://t.test/?utm_medium=m"],
    ),
    ("http://d.test/", "http t test", &["http://t.test/other"]),
];

#[test]
fn finds_the_documents_that_link_to_a_page_in_any_spelling() {
    let dir = tempfile::tempdir().unwrap();
    let documents: [(&str, &str, &[&str]); 2] = [
        ("http://a.test/", "dan", &["http://t.test/%7Ea/%d8"]),
        ("http://b.test/", "dan", &["http://t.test/~a/%D8"]),
    ];
    add_documents(dir.path(), &documents);
    for url in ["http://t.test/~a/%d8", "http://t.test/%7ea/%D8"] {
        let found = in_links(dir.path(), EngineQuery::new::<&str>(&[], &[]), url).unwrap();
        assert_eq!(found, ["http://a.test/", "http://b.test/"], "{url}");
    }
}

#[test]
fn finds_the_documents_that_link_to_a_page_by_url() {
    let dir = tempfile::tempdir().unwrap();
    add_documents(dir.path(), &DOCUMENTS);
    let find = |include: &[&str], exclude: &[&str], url| {
        in_links(dir.path(), EngineQuery::new(include, exclude), url).unwrap()
    };
    assert_eq!(
        find(&[], &[], "http://t.test"),
        ["http://a.test/", "http://b.test/", "http://c.test/"]
    );
    assert_eq!(find(&[], &[], "http://u.test/#end"), ["http://a.test/"]);
    // Neither links of a page to itself count, nor a link to another page of the host.
    assert_eq!(find(&[], &[], "http://c.test/"), [""; 0]);
    assert_eq!(
        find(&["dan"], &["jutri"], "http://t.test/"),
        ["http://c.test/"]
    );
}

#[test]
fn the_links_of_a_replaced_document_are_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    add_documents(dir.path(), &DOCUMENTS);
    add_documents(
        dir.path(),
        &[("http://a.test/", "jutri", &["http://v.test/"])],
    );
    let find = |url| in_links(dir.path(), EngineQuery::default(), url).unwrap();
    assert_eq!(find("http://t.test/"), ["http://b.test/", "http://c.test/"]);
    assert_eq!(find("http://v.test/"), ["http://a.test/"]);
}

#[test]
fn an_index_without_links_refuses_in_link_queries() {
    let dir = tempfile::tempdir().unwrap();
    add_documents(dir.path(), &[("http://a.test/", "dan", &[])]);
    let refusal = in_links(dir.path(), EngineQuery::default(), "http://t.test/").unwrap_err();
    assert!(
        matches!(&refusal, EngineError::Refused(m) if m.contains("has no document with links")),
        "{refusal}"
    );
    assert_eq!(
        EmbeddedIndex::open(dir.path()).unwrap().check_in_links(),
        Err(refusal)
    );
}
