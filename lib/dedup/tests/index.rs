//! Tests of the duplicate index against a comparison of all pairs of documents.

use forage_dedup::{
    DedupDocument, DuplicateIndex, DuplicateIndexError, DuplicateStatus, ResemblanceThreshold,
    ShingleSet,
};
use forage_state::StateError;
use forage_text::Random;
use proptest::prelude::*;
use std::path::PathBuf;

struct TestIndexFile {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn new_index_file() -> TestIndexFile {
    let dir = tempfile::tempdir().expect("a folder for the test");
    let path = dir.path().join("seen.db");
    TestIndexFile { _dir: dir, path }
}

fn threshold(value: f64) -> Option<ResemblanceThreshold> {
    Some(ResemblanceThreshold::new(value).expect("a threshold"))
}

/// Checks the texts from index `first` on. The index of a text is its `id` and its step. A new run
/// begins at each index in `run_starts`.
fn check_texts(
    file: &TestIndexFile,
    min_resemblance: f64,
    texts: &[String],
    first: usize,
    run_starts: &[usize],
) -> Vec<DuplicateStatus> {
    let mut index = DuplicateIndex::open(&file.path, threshold(min_resemblance)).expect("an index");
    let mut statuses = Vec::new();
    for (i, text) in texts.iter().enumerate().skip(first) {
        if run_starts.contains(&i) {
            index.commit().expect("a commit");
            drop(index);
            index = DuplicateIndex::open(&file.path, threshold(min_resemblance)).expect("an index");
        }
        let id = i.to_string();
        statuses.push(
            index
                .check_and_add(DedupDocument {
                    text,
                    id: Some(&id),
                    title: None,
                    step: i as u64,
                })
                .expect("a status"),
        );
    }
    index.commit().expect("a commit");
    statuses
}

/// Returns one word per number, separated by spaces: equal numbers give equal words.
fn words(numbers: impl IntoIterator<Item = u64>) -> String {
    numbers
        .into_iter()
        .map(|n| format!("w{n}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Generates texts that are composed of prefixes of four passages, so that many are
/// near-duplicates.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec((0_u64..4, 0_u64..60), 0..3);
    let text = text.prop_map(|pieces| {
        words(
            pieces
                .into_iter()
                .flat_map(|(passage, end)| passage * 100..passage * 100 + end),
        )
    });
    prop::collection::vec(text, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn reported_duplicates_are_correct(
        texts in texts(),
        min_resemblance in prop::sample::select(vec![0.3, 0.5, 0.9, 1.0]),
    ) {
        let statuses = check_texts(&new_index_file(), min_resemblance, &texts, 0, &[]);
        let mut new: Vec<usize> = Vec::new();
        for (i, status) in statuses.iter().enumerate() {
            let resemblance = |&other: &usize| {
                ShingleSet::from_text(&texts[other]).resemblance(&ShingleSet::from_text(&texts[i]))
            };
            match status {
                DuplicateStatus::New => {
                    prop_assert!(new.iter().all(|&other| texts[other] != texts[i]));
                    new.push(i);
                }
                DuplicateStatus::Exact { of } => {
                    let of: usize = of.as_ref().unwrap().parse().unwrap();
                    prop_assert!(new.contains(&of));
                    prop_assert_eq!(&texts[of], &texts[i]);
                }
                DuplicateStatus::Near { of, resemblance: reported } => {
                    let of: usize = of.as_ref().unwrap().parse().unwrap();
                    prop_assert!(new.contains(&of));
                    prop_assert_eq!(*reported, resemblance(&of));
                    prop_assert!(*reported >= min_resemblance);
                    // No document that was indexed before `of` has the same resemblance.
                    let mut earlier = new.iter().take_while(|&&other| other < of);
                    prop_assert!(earlier.all(|other| resemblance(other) < *reported));
                }
                DuplicateStatus::Title { .. } => prop_assert!(false, "titles are not compared"),
            }
        }
    }

    #[test]
    fn statuses_do_not_depend_on_the_split_into_runs(
        texts in texts(),
        run_starts in prop::collection::vec(1_usize..25, 0..6),
    ) {
        prop_assert_eq!(
            check_texts(&new_index_file(), 0.5, &texts, 0, &run_starts),
            check_texts(&new_index_file(), 0.5, &texts, 0, &[])
        );
    }

    #[test]
    fn removed_steps_get_the_same_statuses_again(texts in texts(), from in 0_usize..25) {
        let from = from.min(texts.len());
        let file = new_index_file();
        let first = check_texts(&file, 0.5, &texts, 0, &[]);
        let mut index = DuplicateIndex::open(&file.path, None).unwrap();
        index.remove_documents_from(from as u64).unwrap();
        index.commit().unwrap();
        drop(index);
        prop_assert_eq!(&check_texts(&file, 0.5, &texts, from, &[]), &first[from..]);
    }
}

#[test]
fn recall_just_above_the_threshold_is_0_999() {
    let file = new_index_file();
    let mut index = DuplicateIndex::open(&file.path, threshold(0.9)).unwrap();
    let mut random = Random::for_purpose(0, &["recall"]);
    let mut found = 0;
    let mut pairs = 0;
    for i in 0..3000 {
        // A text of 100 to 400 shingles, and a near-duplicate that shares as few of them as
        // possible.
        let n = 100 + random.next_below(300);
        let fresh = (n as f64 * 0.1 / 1.9).floor() as u64;
        let first: Vec<u64> = (0..n + 4).map(|k| i * 1000 + k).collect();
        let mut second = first[..(n + 4 - fresh) as usize].to_vec();
        second.extend((0..fresh).map(|k| i * 1000 + 500 + k));
        let (first, second) = (words(first), words(second));
        let resemblance =
            ShingleSet::from_text(&first).resemblance(&ShingleSet::from_text(&second));
        assert!((0.9..0.92).contains(&resemblance), "{resemblance}");
        let id = i.to_string();
        assert_eq!(
            index
                .check_and_add(DedupDocument {
                    text: &first,
                    id: Some(&id),
                    title: None,
                    step: 0
                })
                .unwrap(),
            DuplicateStatus::New
        );
        let status = index
            .check_and_add(DedupDocument {
                text: &second,
                id: None,
                title: None,
                step: 0,
            })
            .unwrap();
        found += u32::from(
            status
                == DuplicateStatus::Near {
                    of: Some(id),
                    resemblance,
                },
        );
        pairs += 1;
    }
    assert!(
        f64::from(found) >= 0.999 * f64::from(pairs),
        "{found} of {pairs}"
    );
}

#[test]
fn texts_without_a_word_are_duplicates_only_if_equal() {
    let texts = ["", "…", " ", "!?", "…"].map(String::from);
    let new = DuplicateStatus::New;
    let of = |id: &str| DuplicateStatus::Exact {
        of: Some(id.into()),
    };
    assert_eq!(
        check_texts(&new_index_file(), 0.9, &texts, 0, &[]),
        [new.clone(), new.clone(), of("0"), new, of("1")]
    );
}

#[test]
fn a_text_in_other_case_is_a_near_duplicate_with_resemblance_1() {
    let texts = ["Danes je lep dan.", "danes je LEP dan!"].map(String::from);
    assert_eq!(
        check_texts(&new_index_file(), 1.0, &texts, 0, &[])[1],
        DuplicateStatus::Near {
            of: Some("0".into()),
            resemblance: 1.0
        }
    );
}

#[test]
fn texts_that_read_the_same_are_exact_duplicates() {
    let groups: [&[&str]; 5] = [
        &[
            "L’acqua di l’isula hè «bona» – è fresca",
            "l'acqua di l'isula hè \"bona\" - è fresca",
            "L`ACQUA DI L`ISULA HÈ “BONA” — È FRESCA",
        ],
        &["چه خبر می\u{200c}گويي ۱۲", "چه خبر میگویی 12"],
        &["זה ספר טוב", "זֶה סֵפֶר טוֹב"],
        &["Ｇｏｏｇｌｅの検索", "googleの検索"],
        &["Сло\u{301}во о полку", "Слово о пол\u{ad}ку"],
    ];
    let texts: Vec<String> = groups
        .iter()
        .flat_map(|g| g.iter().map(ToString::to_string))
        .collect();
    let statuses = check_texts(&new_index_file(), 0.9, &texts, 0, &[]);
    let mut index = 0;
    for group in groups {
        assert_eq!(statuses[index], DuplicateStatus::New, "{}", group[0]);
        for other in 1..group.len() {
            let of = Some(index.to_string());
            assert_eq!(
                statuses[index + other],
                DuplicateStatus::Exact { of },
                "{}",
                group[other]
            );
        }
        index += group.len();
    }
}

#[test]
fn typography_does_not_lower_the_resemblance() {
    let words: Vec<String> = (0..104).map(|i| format!("l'{i}a„b“")).collect();
    let typed = |text: &str| {
        text.replace('\'', "’")
            .replace(['„', '“'], "\"")
            .replace(' ', "\u{a0}")
    };
    let text = words.join(" ");
    let changed = typed(&format!("{text} in še ena"));
    let resemblance = ShingleSet::from_text(&text).resemblance(&ShingleSet::from_text(&changed));
    let plain = ShingleSet::from_text(&format!("{text} in še ena"));
    assert_eq!(
        resemblance,
        ShingleSet::from_text(&text).resemblance(&plain)
    );
}

#[test]
fn an_index_of_an_earlier_version_is_refused_until_it_is_rebuilt() {
    let file = new_index_file();
    check_texts(&file, 0.9, &[words(0..50)], 0, &[]);
    rusqlite::Connection::open(&file.path)
        .unwrap()
        .execute_batch("PRAGMA user_version = 3;")
        .unwrap();
    let error = DuplicateIndex::open(&file.path, None).unwrap_err();
    assert!(
        matches!(
            error,
            DuplicateIndexError::State(StateError::Older { found: 3, .. })
        ),
        "{error}"
    );
    assert!(DuplicateIndex::open_read_only(&file.path, None).is_err());
    let mut index = DuplicateIndex::open_empty(&file.path, None).unwrap();
    index.commit().unwrap();
    drop(index);
    assert!(DuplicateIndex::open(&file.path, None).is_ok());
}

#[test]
fn refers_to_the_document_with_the_highest_resemblance() {
    let texts = [
        words(0..100),
        words(60..160),
        words(45..145),
        words(15..115),
    ];
    let statuses = check_texts(&new_index_file(), 0.3, &texts, 0, &[]);
    let near = |of: &str| DuplicateStatus::Near {
        of: Some(of.into()),
        resemblance: 81.0 / 111.0,
    };
    assert_eq!(
        statuses,
        [
            DuplicateStatus::New,
            DuplicateStatus::New,
            near("1"),
            near("0")
        ]
    );
}

#[test]
fn a_duplicate_of_a_document_without_id_has_no_reference() {
    let file = new_index_file();
    let mut index = DuplicateIndex::open(&file.path, None).unwrap();
    let document = DedupDocument {
        text: "lep dan",
        id: None,
        title: None,
        step: 0,
    };
    assert_eq!(index.check_and_add(document).unwrap(), DuplicateStatus::New);
    assert_eq!(
        index.check_and_add(document).unwrap(),
        DuplicateStatus::Exact { of: None }
    );
}

#[test]
fn keeps_the_threshold_that_it_was_built_for() {
    let file = new_index_file();
    check_texts(&file, 0.8, &[words(0..100)], 0, &[]);
    let error = DuplicateIndex::open(&file.path, threshold(0.7)).unwrap_err();
    assert!(
        matches!(error, DuplicateIndexError::ThresholdTooLow { .. }),
        "{error}"
    );
    // 91 of 101 shingles in common: enough for 0.8, the stored threshold, but not for 0.95.
    let near = words((0..95).chain(200..205));
    let status = |min_resemblance| {
        let mut index = DuplicateIndex::open(&file.path, min_resemblance).unwrap();
        index
            .check_and_add(DedupDocument {
                text: &near,
                id: None,
                title: None,
                step: 0,
            })
            .unwrap()
    };
    assert!(matches!(status(None), DuplicateStatus::Near { .. }));
    assert_eq!(status(threshold(0.95)), DuplicateStatus::New);
}

#[test]
fn uncommitted_documents_are_lost() {
    let file = new_index_file();
    let document = DedupDocument {
        text: "lep dan",
        id: None,
        title: None,
        step: 0,
    };
    for _ in 0..2 {
        let mut index = DuplicateIndex::open(&file.path, None).unwrap();
        assert_eq!(index.check_and_add(document).unwrap(), DuplicateStatus::New);
    }
}

#[test]
fn a_rebuilt_index_contains_only_documents_added_since() {
    let file = new_index_file();
    check_texts(&file, 0.9, &[words(0..50), words(100..150)], 0, &[]);
    let mut index = DuplicateIndex::open_empty(&file.path, threshold(0.5)).unwrap();
    index
        .add_document(DedupDocument {
            text: &words(0..50),
            id: Some("x"),
            title: None,
            step: 3,
        })
        .unwrap();
    index.commit().unwrap();
    drop(index);
    let statuses = check_texts(&file, 0.5, &[words(0..50), words(100..150)], 0, &[]);
    assert_eq!(
        statuses,
        [
            DuplicateStatus::Exact {
                of: Some("x".into())
            },
            DuplicateStatus::New
        ]
    );
}

#[test]
fn a_truncated_or_damaged_file_is_an_error_and_does_not_panic() {
    let file = new_index_file();
    let texts: Vec<String> = (0..60).map(|i| words(i * 1000..i * 1000 + 300)).collect();
    check_texts(&file, 0.9, &texts, 0, &[]);
    rusqlite::Connection::open(&file.path)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let whole = std::fs::read(&file.path).unwrap();
    for share in 1..20 {
        for damage in [false, true] {
            let offset = whole.len() * share / 20;
            let mut bytes = whole.clone();
            if damage {
                bytes[offset..whole.len().min(offset + 5000)].fill(0xA5);
            } else {
                bytes.truncate(offset);
            }
            std::fs::write(&file.path, &bytes).unwrap();
            let _ = std::fs::remove_file(file.path.with_extension("db-wal"));
            let _ = std::fs::remove_file(file.path.with_extension("db-shm"));
            let Ok(mut index) = DuplicateIndex::open(&file.path, None) else {
                continue;
            };
            let near = |text: &String| format!("{text} x");
            let result: Result<Vec<_>, _> = texts
                .iter()
                .map(|text| {
                    index.check_and_add(DedupDocument {
                        text: &near(text),
                        id: None,
                        title: None,
                        step: 0,
                    })
                })
                .collect();
            // Damage in a page that is not read may go unnoticed; a truncated file may not.
            assert!(
                damage || result.is_err(),
                "truncated at {offset} of {}",
                whole.len()
            );
        }
    }
}
