use super::{Index, IndexError, Writer};
use crate::{Document, Engine, EngineError, SignedTerms};
use std::path::Path;

fn write(folder: &Path, documents: &[(&str, &str)]) {
    let mut writer = Writer::open(folder).unwrap();
    for (url, text) in documents {
        let document = Document {
            id: format!("id of {url}"),
            title: Some(format!("title of {url}")),
            text: text.to_string(),
        };
        writer.add(url, &document).unwrap();
    }
    writer.finish().unwrap();
}

fn terms(include: &[&str], exclude: &[&str]) -> SignedTerms {
    SignedTerms::new(include, exclude)
}

fn ask(folder: &Path, include: &[&str], exclude: &[&str]) -> Result<Vec<String>, EngineError> {
    let page = Index::open(folder)
        .unwrap()
        .page(&terms(include, exclude), 1, 10)?;
    Ok(page.hits.into_iter().map(|hit| hit.url).collect())
}

fn check(folder: &Path, include: &[&str], exclude: &[&str], expected: &[&str]) {
    assert_eq!(
        ask(folder, include, exclude).unwrap(),
        expected,
        "+{include:?} -{exclude:?}"
    );
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn index(documents: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = folder();
    write(dir.path(), documents);
    dir
}

const FEW: [(&str, &str); 4] = [
    ("http://a.test/", "Danes je lep dan."),
    ("http://b.test/", "Danes je dež, jutri bo lep dan."),
    ("http://c.test/", "Dobar dan, danas je lepo."),
    ("http://d.test/", "The day is nice."),
];

#[test]
fn every_inclusion_term_must_and_no_exclusion_term_may_occur() {
    let dir = index(&FEW);
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
fn a_query_of_exclusion_terms_alone_gives_the_others_by_url() {
    let dir = index(&FEW);
    check(
        dir.path(),
        &[],
        &["jutri", "the"],
        &["http://a.test/", "http://c.test/"],
    );
}

#[test]
fn several_words_are_a_phrase_on_either_side() {
    let dir = index(&FEW);
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

/// URLs of the documents that are like one, page by page of two.
fn like(folder: &Path, url: &str, query: &SignedTerms) -> Result<Vec<Vec<String>>, EngineError> {
    let mut index = Index::open(folder).unwrap();
    let query = query.clone().like_page(Some(url));
    let mut pages = Vec::new();
    for number in 1.. {
        let page = index.page(&query, number, 2)?;
        pages.push(page.hits.into_iter().map(|hit| hit.url).collect());
        if !page.more {
            break;
        }
    }
    Ok(pages)
}

#[test]
fn pages_like_one_share_its_telling_words_and_leave_it_out() {
    let more = [
        ("http://e.test/", "Jutri bo dež."),
        ("http://f.test/", "Dan na dan."),
    ];
    let dir = index(&[&FEW[..], &more].concat());
    // Two words that few others have, then three and two that more have, then one.
    let found = like(dir.path(), "http://b.test/", &SignedTerms::default()).unwrap();
    assert_eq!(
        found.concat(),
        [
            "http://e.test/",
            "http://a.test/",
            "http://c.test/",
            "http://f.test/"
        ]
    );
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    let found = like(dir.path(), "http://b.test/", &terms(&["dan"], &["danes"])).unwrap();
    assert_eq!(found.concat(), ["http://c.test/", "http://f.test/"]);
    // None of its words is anywhere else.
    assert_eq!(
        like(dir.path(), "http://d.test/", &SignedTerms::default())
            .unwrap()
            .concat(),
        [""; 0]
    );
}

#[test]
fn equal_pages_like_one_are_ordered_by_url_however_the_index_came_about() {
    let urls: Vec<String> = (0..9)
        .map(|n| format!("http://{}.test/", (n * 7) % 9))
        .collect();
    let documents: Vec<(&str, &str)> = urls
        .iter()
        .map(|url| (url.as_str(), "Danes je lep dan."))
        .collect();
    let documents = [&documents[..], &FEW[3..]].concat();
    let (whole, pieces) = (index(&documents), folder());
    documents
        .chunks(4)
        .for_each(|piece| write(pieces.path(), piece));
    let mut sorted = urls.clone();
    sorted.sort_unstable();
    sorted.retain(|url| url != "http://4.test/");
    for dir in [&whole, &pieces] {
        assert_eq!(
            like(dir.path(), "http://4.test/", &SignedTerms::default())
                .unwrap()
                .concat(),
            sorted
        );
    }
}

#[test]
fn a_page_that_the_index_does_not_have_can_not_be_asked_for_those_like_it() {
    let dir = index(&FEW);
    let error = like(dir.path(), "http://none.test/", &SignedTerms::default()).unwrap_err();
    assert!(
        matches!(error, EngineError::Refused(why) if why.starts_with("http://none.test/: is not in index:"))
    );
}

#[test]
fn a_query_that_no_document_can_answer_is_refused() {
    let dir = index(&FEW);
    assert!(
        matches!(ask(dir.path(), &[], &[]), Err(EngineError::Refused(message)) if message == "the query has no terms")
    );
    assert!(
        matches!(ask(dir.path(), &["2001"], &[]), Err(EngineError::Refused(message)) if message.contains("`2001`"))
    );
    check(dir.path(), &["the"], &["2001"], &["http://d.test/"]);
}

#[test]
fn equal_scores_are_ordered_by_url_over_pages_however_the_index_came_about() {
    let urls: Vec<String> = (0..25)
        .map(|n| format!("http://{:02}.test/", (n * 7) % 25))
        .collect();
    let documents: Vec<(&str, &str)> = urls
        .iter()
        .map(|url| (url.as_str(), "Danes je lep dan."))
        .collect();
    let (whole, pieces) = (index(&documents), folder());
    documents
        .chunks(7)
        .for_each(|piece| write(pieces.path(), piece));
    let mut sorted = urls.clone();
    sorted.sort_unstable();
    for dir in [&whole, &pieces] {
        let mut index = Index::open(dir.path()).unwrap();
        let mut found = Vec::new();
        for (number, more) in [(1, true), (2, true), (3, false), (4, false)] {
            let page = index.page(&terms(&["dan"], &[]), number, 10).unwrap();
            assert_eq!(page.more, more, "page {number}");
            found.extend(page.hits.into_iter().map(|hit| hit.url));
        }
        assert_eq!(found, sorted);
    }
}

#[test]
fn a_rarer_term_in_a_shorter_text_ranks_higher() {
    let dir = index(&[
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
fn a_known_url_is_replaced_and_nothing_of_the_old_one_counts() {
    let changed = index(&FEW);
    write(
        changed.path(),
        &[
            ("http://d.test/", "Dan je lep."),
            ("http://e.test/", "dan"),
            ("http://e.test/", "noč"),
        ],
    );
    let fresh = index(&[
        FEW[0],
        FEW[1],
        FEW[2],
        ("http://d.test/", "Dan je lep."),
        ("http://e.test/", "noč"),
    ]);
    check(changed.path(), &["the"], &[], &[]);
    for include in [["dan"], ["je"], ["noč"]] {
        assert_eq!(
            ask(changed.path(), &include, &[]),
            ask(fresh.path(), &include, &[]),
            "{include:?}"
        );
    }
    let index = Index::open(changed.path()).unwrap();
    let documents = index
        .segments
        .iter()
        .map(|segment| segment.reader.num_docs());
    assert_eq!(documents.collect::<Vec<_>>(), [5]);
}

#[test]
fn gives_the_document_behind_a_url() {
    let dir = index(&FEW);
    let mut index = Index::open(dir.path()).unwrap();
    let document = index.document("http://a.test/").unwrap().unwrap();
    assert_eq!(document.text, "Danes je lep dan.");
    assert_eq!(
        (document.id.as_str(), document.title.as_deref()),
        ("id of http://a.test/", Some("title of http://a.test/"))
    );
    assert_eq!(index.document("http://none.test/"), Ok(None));
}

#[test]
fn a_reader_is_not_disturbed_by_a_writer_and_a_second_writer_is_told() {
    let dir = index(&FEW);
    let mut before = Index::open(dir.path()).unwrap();
    let mut writer = Writer::open(dir.path()).unwrap();
    assert!(matches!(Writer::open(dir.path()), Err(IndexError::Busy(_))));
    writer
        .add(
            "http://a.test/",
            &Document {
                text: "noč".into(),
                ..Document::default()
            },
        )
        .unwrap();
    check(dir.path(), &["noč"], &[], &[]);
    writer.finish().unwrap();
    check(dir.path(), &["noč"], &[], &["http://a.test/"]);
    assert_eq!(
        before
            .page(&terms(&["danes"], &[]), 1, 10)
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
fn a_folder_without_an_index_of_ours_is_refused_and_left_as_it_is() {
    let dir = folder();
    assert!(matches!(
        Index::open(&dir.path().join("none")),
        Err(IndexError::Missing(_))
    ));
    assert!(matches!(
        Index::open(dir.path()),
        Err(IndexError::Missing(_))
    ));
    std::fs::write(dir.path().join("letter.txt"), "dear sir").unwrap();
    assert!(matches!(
        Index::open(dir.path()),
        Err(IndexError::Foreign(_))
    ));
    assert!(matches!(
        Writer::open(dir.path()),
        Err(IndexError::Foreign(_))
    ));
    assert!(matches!(
        Index::open(&dir.path().join("letter.txt")),
        Err(IndexError::Foreign(_))
    ));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_is_an_error_and_no_panic() {
    let dir = index(&FEW);
    std::fs::write(dir.path().join("meta.json"), "{").unwrap();
    assert!(Index::open(dir.path()).is_err());
    let other = folder();
    tantivy::Index::create_in_dir(other.path(), tantivy::schema::Schema::builder().build())
        .unwrap();
    assert!(matches!(
        Index::open(other.path()),
        Err(IndexError::Foreign(_))
    ));
}

#[test]
fn an_empty_index_answers_that_there_is_nothing() {
    let dir = index(&[]);
    check(dir.path(), &["dan"], &[], &[]);
    check(dir.path(), &[], &["dan"], &[]);
}
