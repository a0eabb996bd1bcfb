use super::{EmbeddedIndex, EmbeddedIndexError, EmbeddedIndexWriter, MergedIndex};
use crate::{Engine, EngineDocument, EngineError, EngineQuery, EngineResult};
use forage_text::SEGMENTATION_VERSION;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn add_documents(folder: &Path, documents: &[(&str, &str)]) {
    let mut writer = EmbeddedIndexWriter::open(folder).unwrap();
    for (url, text) in documents {
        let document = EngineDocument {
            id: format!("id of {url}"),
            title: Some(format!("title of {url}")),
            text: text.to_string(),
        };
        writer.add(url, &document, &[]).unwrap();
    }
    writer.finish().unwrap();
}

fn query(include: &[&str], exclude: &[&str]) -> EngineQuery {
    EngineQuery::new(include, exclude)
}

fn search(folder: &Path, include: &[&str], exclude: &[&str]) -> EngineResult<Vec<String>> {
    let page =
        EmbeddedIndex::open(folder)
            .unwrap()
            .request_page(&query(include, exclude), 1, 10)?;
    Ok(page.hits.into_iter().map(|hit| hit.url).collect())
}

fn check(folder: &Path, include: &[&str], exclude: &[&str], expected: &[&str]) {
    assert_eq!(
        search(folder, include, exclude).unwrap(),
        expected,
        "+{include:?} -{exclude:?}"
    );
}

fn new_folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn new_index(documents: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = new_folder();
    add_documents(dir.path(), documents);
    dir
}

const DOCUMENTS: [(&str, &str); 4] = [
    ("http://a.test/", "Danes je lep dan."),
    ("http://b.test/", "Danes je dež, jutri bo lep dan."),
    ("http://c.test/", "Dobar dan, danas je lepo."),
    ("http://d.test/", "The day is nice."),
];

#[test]
fn matches_documents_with_all_inclusion_terms_and_no_exclusion_term() {
    let dir = new_index(&DOCUMENTS);
    check(
        dir.path(),
        &["dan", "danes"],
        &[],
        &["http://a.test/", "http://b.test/"],
    );
    check(
        dir.path(),
        &["dan", "danes"],
        &["jutri"],
        &["http://a.test/"],
    );
    check(dir.path(), &["dan", "day"], &[], &[]);
    check(dir.path(), &["DAN"], &["danes"], &["http://c.test/"]);
}

#[test]
fn a_variant_matches_as_its_term_does() {
    let dir = new_index(&DOCUMENTS);
    let json = r#"{"include":["danes","dan"],"exclude":["vreme"],
        "variants":{"danes":["danas"],"vreme":["jutri"]}}"#;
    let query = EngineQuery::from(&serde_json::from_str(json).unwrap());
    let mut index = EmbeddedIndex::open(dir.path()).unwrap();
    let page = index.request_page(&query, 1, 10).unwrap();
    let mut urls: Vec<&str> = page.hits.iter().map(|hit| &*hit.url).collect();
    urls.sort_unstable();
    assert_eq!(urls, ["http://a.test/", "http://c.test/"]);
}

#[test]
fn exclusion_terms_alone_match_the_other_documents_by_url() {
    let dir = new_index(&DOCUMENTS);
    check(
        dir.path(),
        &[],
        &["jutri", "the"],
        &["http://a.test/", "http://c.test/"],
    );
}

#[test]
fn a_term_of_several_words_is_a_phrase() {
    let dir = new_index(&DOCUMENTS);
    check(
        dir.path(),
        &["lep dan"],
        &[],
        &["http://a.test/", "http://b.test/"],
    );
    check(dir.path(), &["dan lep"], &[], &[]);
    check(
        dir.path(),
        &["dan"],
        &["je lep"],
        &["http://c.test/", "http://b.test/"],
    );
}

/// Returns all documents with their URLs.
fn documents(index: &EmbeddedIndex) -> Result<Vec<(String, EngineDocument)>, EmbeddedIndexError> {
    let mut documents = Vec::new();
    index.for_each_document(|url, document| {
        documents.push((url.to_owned(), document));
        Ok::<_, EmbeddedIndexError>(())
    })?;
    Ok(documents)
}

/// Returns the URLs of the documents similar to the one at `url`, as pages of two hits.
fn search_similar(folder: &Path, url: &str, query: &EngineQuery) -> EngineResult<Vec<Vec<String>>> {
    let mut index = EmbeddedIndex::open(folder).unwrap();
    let query = query.clone().with_like_url(Some(url));
    let mut pages = Vec::new();
    for number in 1.. {
        let page = index.request_page(&query, number, 2)?;
        pages.push(page.hits.into_iter().map(|hit| hit.url).collect());
        if !page.has_more {
            break;
        }
    }
    Ok(pages)
}

#[test]
fn more_like_this_ranks_other_documents_by_shared_rare_words() {
    let more = [
        ("http://e.test/", "Jutri bo dež."),
        ("http://f.test/", "Dan na dan."),
    ];
    let dir = new_index(&[&DOCUMENTS[..], &more].concat());
    // In descending order of score: documents that share three rare words, four and two more
    // frequent ones, and one.
    let pages = search_similar(dir.path(), "http://b.test/", &EngineQuery::default()).unwrap();
    assert_eq!(
        pages.concat(),
        [
            "http://e.test/",
            "http://a.test/",
            "http://c.test/",
            "http://f.test/"
        ]
    );
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    let pages = search_similar(dir.path(), "http://b.test/", &query(&["dan"], &["danes"])).unwrap();
    assert_eq!(pages.concat(), ["http://c.test/", "http://f.test/"]);
    // No other document shares a word with it.
    assert_eq!(
        search_similar(dir.path(), "http://d.test/", &EngineQuery::default())
            .unwrap()
            .concat(),
        [""; 0]
    );
}

#[test]
fn equally_similar_documents_are_ordered_by_url_for_any_segments() {
    let urls: Vec<String> = (0..9)
        .map(|n| format!("http://{}.test/", (n * 7) % 9))
        .collect();
    let documents: Vec<(&str, &str)> = urls
        .iter()
        .map(|url| (url.as_str(), "Danes je lep dan."))
        .collect();
    let documents = [&documents[..], &DOCUMENTS[3..]].concat();
    let one_segment = new_index(&documents);
    let several_segments = new_folder();
    documents
        .chunks(4)
        .for_each(|chunk| add_documents(several_segments.path(), chunk));
    let mut sorted = urls.clone();
    sorted.sort_unstable();
    sorted.retain(|url| url != "http://4.test/");
    for dir in [&one_segment, &several_segments] {
        assert_eq!(
            search_similar(dir.path(), "http://4.test/", &EngineQuery::default())
                .unwrap()
                .concat(),
            sorted
        );
    }
}

#[track_caller]
fn assert_refused(error: EngineError, message_start: &str) {
    let EngineError::Refused(message) = &error else {
        panic!("{error:?}")
    };
    assert!(message.starts_with(message_start), "{message}");
}

#[test]
fn more_like_this_refuses_a_document_that_is_not_in_the_index() {
    let dir = new_index(&DOCUMENTS);
    let error =
        search_similar(dir.path(), "http://none.test/", &EngineQuery::default()).unwrap_err();
    assert_refused(error, "http://none.test/: is not in index:");
}

#[test]
fn refuses_a_query_that_no_document_can_match() {
    let dir = new_index(&DOCUMENTS);
    let error = search(dir.path(), &[], &[]).unwrap_err();
    assert_eq!(error, EngineError::Refused("the query has no terms".into()));
    let error = search(dir.path(), &["2001"], &[]).unwrap_err();
    assert_refused(error, "`2001`");
    check(dir.path(), &["the"], &["2001"], &["http://d.test/"]);
}

#[test]
fn equal_scores_are_ordered_by_url_across_pages_for_any_segments() {
    let urls: Vec<String> = (0..25)
        .map(|n| format!("http://{:02}.test/", (n * 7) % 25))
        .collect();
    let documents: Vec<(&str, &str)> = urls
        .iter()
        .map(|url| (url.as_str(), "Danes je lep dan."))
        .collect();
    let one_segment = new_index(&documents);
    let several_segments = new_folder();
    documents
        .chunks(7)
        .for_each(|chunk| add_documents(several_segments.path(), chunk));
    let mut sorted = urls.clone();
    sorted.sort_unstable();
    for dir in [&one_segment, &several_segments] {
        let mut index = EmbeddedIndex::open(dir.path()).unwrap();
        let mut urls_found = Vec::new();
        for (number, has_more) in [(1, true), (2, true), (3, false), (4, false)] {
            let page = index
                .request_page(&query(&["dan"], &[]), number, 10)
                .unwrap();
            assert_eq!(page.has_more, has_more, "page {number}");
            urls_found.extend(page.hits.into_iter().map(|hit| hit.url));
        }
        assert_eq!(urls_found, sorted);
    }
}

#[test]
fn shorter_texts_with_the_term_rank_higher() {
    let dir = new_index(&[
        ("http://a.test/", "dan in noč in dan in še več"),
        ("http://b.test/", "dan in noč"),
        ("http://c.test/", "noč"),
    ]);
    check(
        dir.path(),
        &["noč"],
        &[],
        &["http://c.test/", "http://b.test/", "http://a.test/"],
    );
}

#[test]
fn a_replaced_document_no_longer_affects_matches_or_scores() {
    let changed = new_index(&DOCUMENTS);
    add_documents(
        changed.path(),
        &[
            ("http://d.test/", "Dan je lep."),
            ("http://e.test/", "dan"),
            ("http://e.test/", "noč"),
        ],
    );
    let fresh = new_index(&[
        DOCUMENTS[0],
        DOCUMENTS[1],
        DOCUMENTS[2],
        ("http://d.test/", "Dan je lep."),
        ("http://e.test/", "noč"),
    ]);
    check(changed.path(), &["the"], &[], &[]);
    for include in [["dan"], ["je"], ["noč"]] {
        assert_eq!(
            search(changed.path(), &include, &[]),
            search(fresh.path(), &include, &[]),
            "{include:?}"
        );
    }
    let index = EmbeddedIndex::open(changed.path()).unwrap();
    let documents = index.segments.iter().map(|segment| segment.lengths.len());
    assert_eq!(documents.collect::<Vec<_>>(), [5]);
}

#[test]
fn returns_the_document_with_a_url() {
    let dir = new_index(&DOCUMENTS);
    let mut index = EmbeddedIndex::open(dir.path()).unwrap();
    let document = index.document("http://a.test/").unwrap().unwrap();
    assert_eq!(document.text, "Danes je lep dan.");
    assert_eq!(
        (document.id.as_str(), document.title.as_deref()),
        ("id of http://a.test/", Some("title of http://a.test/"))
    );
    assert_eq!(index.document("http://none.test/"), Ok(None));
}

#[test]
fn readers_keep_their_snapshot_and_a_second_writer_is_refused() {
    let dir = new_index(&DOCUMENTS);
    let mut before = EmbeddedIndex::open(dir.path()).unwrap();
    let mut writer = EmbeddedIndexWriter::open(dir.path()).unwrap();
    assert!(matches!(
        EmbeddedIndexWriter::open(dir.path()),
        Err(EmbeddedIndexError::Busy(_))
    ));
    writer
        .add(
            "http://a.test/",
            &EngineDocument {
                text: "noč".into(),
                ..EngineDocument::default()
            },
            &[],
        )
        .unwrap();
    check(dir.path(), &["noč"], &[], &[]);
    writer.finish().unwrap();
    check(dir.path(), &["noč"], &[], &["http://a.test/"]);
    assert_eq!(
        before
            .request_page(&query(&["danes"], &[]), 1, 10)
            .unwrap()
            .hits
            .len(),
        2
    );
    assert_eq!(
        before.document("http://a.test/").unwrap().unwrap().text,
        "Danes je lep dan."
    );
}

#[test]
fn refuses_a_folder_without_an_index_of_forage_and_changes_nothing() {
    let dir = new_folder();
    assert!(matches!(
        EmbeddedIndex::open(&dir.path().join("none")),
        Err(EmbeddedIndexError::Missing(_))
    ));
    assert!(matches!(
        EmbeddedIndex::open(dir.path()),
        Err(EmbeddedIndexError::Missing(_))
    ));
    std::fs::write(dir.path().join("letter.txt"), "dear sir").unwrap();
    assert!(matches!(
        EmbeddedIndex::open(dir.path()),
        Err(EmbeddedIndexError::Foreign(_))
    ));
    assert!(matches!(
        EmbeddedIndexWriter::open(dir.path()),
        Err(EmbeddedIndexError::Foreign(_))
    ));
    assert!(matches!(
        EmbeddedIndex::open(&dir.path().join("letter.txt")),
        Err(EmbeddedIndexError::Foreign(_))
    ));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// Changes the manifest of an index.
fn replace_in_manifest(folder: &Path, from: &str, to: &str) {
    let file = folder.join("forage-index.json");
    let manifest = std::fs::read_to_string(&file).unwrap();
    assert!(manifest.contains(from), "{manifest}");
    std::fs::write(&file, manifest.replace(from, to)).unwrap();
}

/// Makes an index one with terms of another segmentation version.
fn set_segmentation_version(folder: &Path, version: u32) {
    let segmentation = |version| format!("\"segmentation\":{version}");
    let current = segmentation(SEGMENTATION_VERSION);
    replace_in_manifest(folder, &current, &segmentation(version));
}

/// Returns the names and contents of the files in a folder.
fn read_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

#[test]
fn refuses_terms_of_another_segmentation_version_and_changes_nothing() {
    for version in [1, SEGMENTATION_VERSION + 1] {
        let dir = new_index(&DOCUMENTS);
        set_segmentation_version(dir.path(), version);
        let before = read_files(dir.path());
        for error in [
            EmbeddedIndex::open(dir.path()).err().unwrap(),
            EmbeddedIndexWriter::open(dir.path()).err().unwrap(),
        ] {
            let folder = dir.path().display();
            let message = error.to_string();
            let start = format!(
                "{folder}: has terms of segmentation version {version}, but this program has \
                 version {SEGMENTATION_VERSION}; "
            );
            let remedy = format!("`search --engine index:{folder} --dump | search");
            assert!(
                message.starts_with(&start) && message.contains(&remedy),
                "{message}"
            );
        }
        assert_eq!(read_files(dir.path()), before);
    }
}

#[test]
fn returns_all_documents_by_url_whatever_the_segmentation_version() {
    let dir = new_index(&DOCUMENTS[1..]);
    add_documents(
        dir.path(),
        &[DOCUMENTS[0], ("http://c.test/", "Changed text.")],
    );
    set_segmentation_version(dir.path(), 1);
    let index = EmbeddedIndex::open_for_documents(dir.path()).unwrap();
    let documents = documents(&index).unwrap();
    let texts: Vec<(&str, &str)> = documents
        .iter()
        .map(|(url, document)| (url.as_str(), document.text.as_str()))
        .collect();
    let changed = ("http://c.test/", "Changed text.");
    assert_eq!(texts, [DOCUMENTS[0], DOCUMENTS[1], changed, DOCUMENTS[3]]);
    assert_eq!(documents[0].1.id, "id of http://a.test/");
    assert!(EmbeddedIndex::open_for_documents(new_folder().path()).is_err());
}

#[test]
fn a_damaged_index_is_an_error_and_does_not_panic() {
    let error = |folder: &Path| EmbeddedIndex::open(folder).err().unwrap().to_string();
    let dir = new_index(&DOCUMENTS);
    replace_in_manifest(dir.path(), "\"format\":1", "\"format\":2");
    assert!(error(dir.path()).ends_with("later version of Forage (format 2); use that version"));
    for manifest in ["{", "{}", "[]", ""] {
        std::fs::write(dir.path().join("forage-index.json"), manifest).unwrap();
        assert!(error(dir.path()).ends_with("forage-index.json is damaged"));
        assert!(EmbeddedIndexWriter::open(dir.path()).is_err());
    }
}

#[test]
fn any_changed_byte_is_an_error_or_does_not_matter_and_never_panics() {
    let dir = new_index(&DOCUMENTS);
    let intact = documents(&EmbeddedIndex::open(dir.path()).unwrap()).unwrap();
    let name = EmbeddedIndex::open(dir.path()).unwrap().segments[0]
        .name
        .clone();
    let file = dir.path().join(name);
    let bytes = std::fs::read(&file).unwrap();
    // All of the header, and places in each page.
    for place in (0..100).chain((100..bytes.len()).step_by(37)) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        std::fs::write(&file, &changed).unwrap();
        if let Ok(mut index) = EmbeddedIndex::open(dir.path()) {
            for query in [query(&["lep dan"], &["danas"]), query(&[], &["jutri je"])] {
                let _ = index.request_page(&query, 1, 10);
            }
            assert!(
                documents(&index).is_ok_and(|d| d == intact) || place >= 100,
                "{place}"
            );
        }
    }
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = MergedIndex::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
}

#[test]
fn an_index_of_an_earlier_version_is_refused_and_not_changed() {
    // As Forage with tantivy 0.27.0 wrote it, shortened.
    let meta = r#"{"segments":[],"schema":[{"name":"text","type":"text","options":{"indexing":
        {"record":"position","fieldnorms":true,"tokenizer":"forage-terms-3"}}}],"opstamp":2}"#;
    let dir = new_folder();
    std::fs::write(dir.path().join("meta.json"), meta).unwrap();
    let before = read_files(dir.path());
    for error in [
        EmbeddedIndex::open_for_documents(dir.path()).err().unwrap(),
        EmbeddedIndexWriter::open(dir.path()).err().unwrap(),
        MergedIndex::open(dir.path()).err().unwrap(),
    ] {
        let message = error.to_string();
        assert!(
            message.contains("is an index of an earlier version of Forage"),
            "{message}"
        );
    }
    assert_eq!(read_files(dir.path()), before);
    let other = meta.replace("forage-terms-3", "default");
    std::fs::write(dir.path().join("meta.json"), other).unwrap();
    assert!(matches!(
        EmbeddedIndex::open(dir.path()),
        Err(EmbeddedIndexError::Foreign(_))
    ));
}

#[test]
fn an_empty_index_has_no_hits() {
    let dir = new_index(&[]);
    check(dir.path(), &["dan"], &[], &[]);
    check(dir.path(), &[], &["dan"], &[]);
}
