//! Merging indexes.

use super::{EmbeddedIndex, EmbeddedIndexError, EmbeddedIndexWriter, MergedIndex};
use crate::{Engine, EngineDocument, EngineQuery};
use proptest::prelude::*;
use std::path::Path;
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
    super::merge_indexes(into, &others.collect::<Vec<_>>()).unwrap()
}

fn document(url: &str, text: &str, link: &str) -> Added {
    let page = |name: &str| format!("http://{name}.test/");
    (page(url), text.into(), page(link))
}

/// Returns all that an index says: its documents, the hits of a query, and the pages with a link.
fn content(folder: &Path) -> (Vec<(String, String)>, Vec<String>, Vec<String>) {
    let mut index = EmbeddedIndex::open(folder).unwrap();
    let documents = index.documents().unwrap().map(|document| {
        let (url, document) = document.unwrap();
        (url, document.text)
    });
    let documents = documents.collect();
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
fn replaced_documents_of_a_killed_writer_stay_replaced() {
    let a = new_index(&[document("a", "dan", "t"), document("b", "dan", "t")]);
    // Committed, but killed before the segments were merged.
    let mut writer = EmbeddedIndexWriter::open(a.path()).unwrap();
    let text = EngineDocument {
        text: "jutri".into(),
        ..EngineDocument::default()
    };
    writer.add("http://a.test/", &text, &[]).unwrap();
    writer.writer.commit().unwrap();
    drop(writer);
    let merged = tempfile::tempdir().unwrap();
    merge(merged.path(), &[a.path()]);
    assert_eq!(content(merged.path()), content(a.path()));
    assert_eq!(content(merged.path()).1, ["http://b.test/"]);
}

#[test]
fn an_index_that_is_written_is_not_merged_into() {
    let (a, b) = (new_index(&[]), new_index(&[document("a", "jutri", "t")]));
    let _writer = EmbeddedIndexWriter::open(a.path()).unwrap();
    let others = [MergedIndex::open(b.path()).unwrap()];
    let result = super::merge_indexes(a.path(), &others);
    assert!(
        matches!(result, Err(EmbeddedIndexError::Busy(_))),
        "{result:?}"
    );
}

#[test]
fn what_a_killed_merge_has_left_does_not_matter() {
    let a = new_index(&[document("a", "dan", "t"), document("b", "dan", "t")]);
    let b = new_index(&[document("a", "jutri", "t")]);
    let meta = a.path().join("meta.json");
    let before = std::fs::read(&meta).unwrap();
    let others = [MergedIndex::open(b.path()).unwrap()];
    super::merge::add_segments(&super::writer::open_or_create(a.path()).unwrap(), &others).unwrap();
    assert_eq!(content(a.path()).1, ["http://b.test/"]);
    // Killed before the index was replaced.
    std::fs::write(&meta, before).unwrap();
    assert_eq!(content(a.path()).1, ["http://a.test/", "http://b.test/"]);
    assert_eq!(merge(a.path(), &[b.path()]), (2, 2));
    assert_eq!(content(a.path()).1, ["http://b.test/"]);
}

#[test]
fn a_damaged_index_is_refused() {
    let a = new_index(&[document("a", "dan", "t")]);
    let files = std::fs::read_dir(a.path()).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    let store = paths.find(|path| path.extension().is_some_and(|e| e == "store"));
    let store = store.unwrap();
    let mut bytes = std::fs::read(&store).unwrap();
    bytes[3] ^= 1;
    std::fs::write(&store, bytes).unwrap();
    let error = MergedIndex::open(a.path()).unwrap_err().to_string();
    assert!(error.ends_with(".store is damaged"), "{error}");
}

#[test]
fn a_segment_that_was_merged_leaves_no_files() {
    let a = new_index(&[document("a", "dan", "t")]);
    for name in ["b", "c", "d"] {
        add(a.path(), &[document(name, "dan", "t")]);
    }
    let files = std::fs::read_dir(a.path()).unwrap();
    let stores = files.filter(|file| {
        let path = file.as_ref().unwrap().path();
        path.extension().is_some_and(|e| e == "store")
    });
    assert_eq!(stores.count(), 1);
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
