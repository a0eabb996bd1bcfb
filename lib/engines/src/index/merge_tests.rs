//! Merging indexes.

use super::{EmbeddedIndex, EmbeddedIndexError, EmbeddedIndexWriter, MergedIndex};
use crate::{Engine, EngineDocument, EngineQuery};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A document: its URL, text and link.
type Added = (String, String, String);

fn add(folder: &Path, documents: &[Added]) {
    let mut writer = EmbeddedIndexWriter::open(folder).unwrap();
    for (url, text, link) in documents {
        let document = EngineDocument {
            id: format!("id of {url}"),
            title: None,
            text: text.clone(),
        };
        writer
            .add(url, &document, std::slice::from_ref(link))
            .unwrap();
    }
    writer.finish().unwrap();
}

fn new_index(documents: &[Added]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    add(dir.path(), documents);
    dir
}

fn merge(into: &Path, others: &[&Path]) -> (u64, u64) {
    let others = others.iter().map(|other| MergedIndex::open(other).unwrap());
    super::merge_indexes(into, others.collect()).unwrap()
}

fn document(url: &str, text: &str, link: &str) -> Added {
    let page = |name: &str| format!("http://{name}.test/");
    (page(url), text.into(), page(link))
}

/// Returns all that an index says: its documents, the hits of a query, and the pages with a link.
fn content(folder: &Path) -> (Vec<(String, String)>, Vec<String>, Vec<String>) {
    let mut index = EmbeddedIndex::open(folder).unwrap();
    let mut documents = Vec::new();
    let receive = |url: &str, document: EngineDocument| {
        documents.push((url.to_owned(), document.text));
        Ok::<_, EmbeddedIndexError>(())
    };
    index.for_each_document(receive).unwrap();
    let mut hits = |query: &EngineQuery| {
        let page = index.request_page(query, 1, 100);
        let hits = page.into_iter().flat_map(|page| page.hits);
        hits.map(|hit| hit.url).collect()
    };
    let query = EngineQuery::new(&["dan"], &["dež"]);
    let links = EngineQuery::new::<&str>(&[], &[]).with_links_to(Some("http://t.test/"));
    (documents, hits(&query), hits(&links))
}

#[test]
fn a_merged_index_is_that_of_all_documents() {
    let mine = [
        document("a", "lep dan", "t"),
        document("b", "dan in dež", "t"),
    ];
    let yours = [
        document("c", "dober dan danes", "u"),
        document("a", "dan", "u"),
        document("a", "dan dan jutri", "t"),
    ];
    let (a, b) = (new_index(&mine), new_index(&yours));
    let merged = tempfile::tempdir().unwrap();
    assert_eq!(merge(merged.path(), &[a.path(), b.path()]), (0, 3));
    let whole = new_index(&[&mine[..], &yours[..]].concat());
    assert_eq!(content(merged.path()), content(whole.path()));
    assert_eq!(content(merged.path()).2.len(), 2);
    assert_eq!(merge(a.path(), &[b.path()]), (2, 3));
    assert_eq!(content(a.path()), content(whole.path()));
}

#[test]
fn an_index_that_is_written_is_not_merged_into() {
    let (a, b) = (new_index(&[]), new_index(&[document("a", "jutri", "t")]));
    let _writer = EmbeddedIndexWriter::open(a.path()).unwrap();
    let others = vec![MergedIndex::open(b.path()).unwrap()];
    let result = super::merge_indexes(a.path(), others);
    assert!(
        matches!(result, Err(EmbeddedIndexError::Busy(_))),
        "{result:?}"
    );
}

/// Returns the segments in a folder.
fn segment_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "segment"));
    files
}

#[test]
fn what_a_killed_writer_has_left_does_not_matter_and_is_removed() {
    let a = new_index(&[document("a", "dan", "t"), document("b", "dan", "t")]);
    let b = new_index(&[document("a", "jutri", "t")]);
    let before = content(a.path());
    for name in [
        "98.segment",
        "0-99.segment.forage-rebuild",
        ".forage-index.json.new",
    ] {
        std::fs::write(a.path().join(name), "left").unwrap();
    }
    assert_eq!(content(a.path()), before);
    assert_eq!(merge(a.path(), &[b.path()]), (2, 2));
    assert_eq!(content(a.path()).1, ["http://b.test/"]);
    assert_eq!(segment_files(a.path()).len(), 1);
}

#[test]
fn a_damaged_index_is_refused() {
    let a = new_index(&[document("a", "dan", "t")]);
    let segment = &segment_files(a.path())[0];
    let mut bytes = std::fs::read(segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(segment, bytes).unwrap();
    let error = MergedIndex::open(a.path()).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
}

#[test]
fn a_segment_that_was_merged_leaves_no_files() {
    let a = new_index(&[document("a", "dan", "t")]);
    for name in ["b", "c", "d"] {
        add(a.path(), &[document(name, "dan", "t")]);
    }
    assert_eq!(segment_files(a.path()).len(), 1);
}

/// Returns documents whose lists have several rows.
fn many_documents(numbers: std::ops::Range<u32>) -> Vec<Added> {
    let text = |n: u32| {
        let words = (0..n % 5 + 1).map(|k| format!("dan w{} je dan", n * 7 + k));
        words.collect::<Vec<_>>().join(" ")
    };
    let numbered = |n: u32| {
        document(
            &format!("page-{n:05}"),
            &text(n),
            ["t", "u"][n as usize % 2],
        )
    };
    numbers.map(numbered).collect()
}

#[test]
fn many_documents_are_found_and_merged() {
    let whole = new_index(&many_documents(0..3000));
    let a = new_index(&many_documents(0..1300));
    let b = new_index(&many_documents(1000..3000));
    let merged = tempfile::tempdir().unwrap();
    assert_eq!(merge(merged.path(), &[a.path(), b.path()]), (0, 3000));
    assert_eq!(content(merged.path()), content(whole.path()));
    for folder in [whole.path(), merged.path()] {
        let mut index = EmbeddedIndex::open(folder).unwrap();
        for n in [0, 1, 127, 128, 1299, 2999] {
            let query = EngineQuery::new(&[format!("w{} je dan", n * 7)], &[]);
            let page = index.request_page(&query, 1, 10).unwrap();
            let url = format!("http://page-{n:05}.test/");
            assert!(page.hits.iter().any(|hit| hit.url == url), "{n}");
            assert!(index.document(&url).unwrap().is_some(), "{n}");
        }
    }
}

#[test]
fn a_large_segment_stays_if_none_of_its_documents_is_replaced() {
    let index = new_index(&many_documents(0..1000));
    let large = segment_files(index.path());
    add(index.path(), &many_documents(2000..2003));
    assert_eq!(segment_files(index.path()).len(), 2);
    assert!(large[0].exists());
    add(index.path(), &[document("page-00500", "jutri", "t")]);
    assert_eq!(segment_files(index.path()).len(), 1);
    assert!(!large[0].exists());
    let documents = content(index.path()).0;
    assert_eq!(documents.len(), 1003);
    assert_eq!(
        documents[500],
        ("http://page-00500.test/".into(), "jutri".into())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn the_order_of_adding_and_merging_is_that_of_the_documents(
        parts in prop::collection::vec(
            prop::collection::vec((0..6_u8, "(dan|dež|jutri|lep)( (dan|lep|in)){0,3}", 0..2_u8), 1..6),
            1..4,
        )
    ) {
        let documents = |part: &Vec<(u8, String, u8)>| -> Vec<Added> {
            let links = ["t", "u"];
            let added = |(url, text, link): &(u8, String, u8)| {
                document(&format!("p{url}"), text, links[usize::from(*link)])
            };
            part.iter().map(added).collect()
        };
        let parts: Vec<_> = parts.iter().map(documents).collect();
        let indexes: Vec<_> = parts.iter().map(|part| new_index(part)).collect();
        let merged = tempfile::tempdir().unwrap();
        let paths: Vec<_> = indexes.iter().map(TempDir::path).collect();
        merge(merged.path(), &paths);
        let whole = new_index(&parts.concat());
        prop_assert_eq!(content(merged.path()), content(whole.path()));
    }
}
