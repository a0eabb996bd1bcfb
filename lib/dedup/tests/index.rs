//! Properties of the index, checked against comparing every document with every other.

use forage_dedup::{Document, Index, IndexError, Shingles, Threshold, Verdict};
use forage_text::Random;
use proptest::prelude::*;
use std::path::PathBuf;

struct Place {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder for the test");
    let path = dir.path().join("seen.db");
    Place { _dir: dir, path }
}

fn threshold(value: f64) -> Option<Threshold> {
    Some(Threshold::new(value).expect("a threshold"))
}

/// Judges texts as documents `0`, `1` … of steps 0, 1 …, in runs that end before the positions in
/// `cuts`.
fn judge(
    place: &Place,
    least: f64,
    texts: &[String],
    first: usize,
    cuts: &[usize],
) -> Vec<Verdict> {
    let mut index = Index::open(&place.path, threshold(least)).expect("an index");
    let mut verdicts = Vec::new();
    for (i, text) in texts.iter().enumerate().skip(first) {
        if cuts.contains(&i) {
            index.commit().expect("a commit");
            drop(index);
            index = Index::open(&place.path, threshold(least)).expect("an index");
        }
        let id = i.to_string();
        verdicts.push(
            index
                .judge(Document {
                    text,
                    id: Some(&id),
                    step: i as u64,
                })
                .expect("a verdict"),
        );
    }
    index.commit().expect("a commit");
    verdicts
}

/// Words from `from` on: equal numbers are equal words.
fn words(numbers: impl IntoIterator<Item = u64>) -> String {
    numbers
        .into_iter()
        .map(|n| format!("w{n}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Texts that are cut and joined from few passages, so that many resemble each other.
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
    fn what_is_told_is_true(texts in texts(), least in prop::sample::select(vec![0.3, 0.5, 0.9, 1.0])) {
        let verdicts = judge(&place(), least, &texts, 0, &[]);
        let mut new: Vec<usize> = Vec::new();
        for (i, verdict) in verdicts.iter().enumerate() {
            let resemblance = |&other: &usize| Shingles::of(&texts[other]).resemblance(&Shingles::of(&texts[i]));
            match verdict {
                Verdict::New => {
                    prop_assert!(new.iter().all(|&other| texts[other] != texts[i]));
                    new.push(i);
                }
                Verdict::Exact { of } => {
                    let of: usize = of.as_ref().unwrap().parse().unwrap();
                    prop_assert!(new.contains(&of));
                    prop_assert_eq!(&texts[of], &texts[i]);
                }
                Verdict::Near { of, resemblance: told } => {
                    let of: usize = of.as_ref().unwrap().parse().unwrap();
                    prop_assert!(new.contains(&of));
                    prop_assert_eq!(*told, resemblance(&of));
                    prop_assert!(*told >= least);
                    // Nothing that was indexed before it resembles as much.
                    prop_assert!(new.iter().take_while(|&&other| other < of).all(|other| resemblance(other) < *told));
                }
            }
        }
    }

    #[test]
    fn verdicts_do_not_depend_on_the_runs(texts in texts(), cuts in prop::collection::vec(1_usize..25, 0..6)) {
        prop_assert_eq!(judge(&place(), 0.5, &texts, 0, &cuts), judge(&place(), 0.5, &texts, 0, &[]));
    }

    #[test]
    fn steps_that_were_forgotten_are_judged_alike_again(texts in texts(), from in 0_usize..25) {
        let from = from.min(texts.len());
        let place = place();
        let first = judge(&place, 0.5, &texts, 0, &[]);
        let mut index = Index::open(&place.path, None).unwrap();
        index.forget_documents_from(from as u64).unwrap();
        index.commit().unwrap();
        drop(index);
        prop_assert_eq!(&judge(&place, 0.5, &texts, from, &[]), &first[from..]);
    }
}

#[test]
fn recall_just_above_the_threshold_is_0_999() {
    let place = place();
    let mut index = Index::open(&place.path, threshold(0.9)).unwrap();
    let mut random = Random::for_purpose(0, &["recall"]);
    let (mut found, mut pairs) = (0, 0);
    for i in 0..3000 {
        // A text of 100 to 400 shingles, and one that shares as few of them as the threshold lets
        // it.
        let n = 100 + random.next_below(300);
        let fresh = (n as f64 * 0.1 / 1.9).floor() as u64;
        let first: Vec<u64> = (0..n + 4).map(|k| i * 1000 + k).collect();
        let mut second = first[..(n + 4 - fresh) as usize].to_vec();
        second.extend((0..fresh).map(|k| i * 1000 + 500 + k));
        let (first, second) = (words(first), words(second));
        let resemblance = Shingles::of(&first).resemblance(&Shingles::of(&second));
        assert!((0.9..0.92).contains(&resemblance), "{resemblance}");
        let id = i.to_string();
        assert_eq!(
            index
                .judge(Document {
                    text: &first,
                    id: Some(&id),
                    step: 0
                })
                .unwrap(),
            Verdict::New
        );
        let verdict = index
            .judge(Document {
                text: &second,
                id: None,
                step: 0,
            })
            .unwrap();
        found += u32::from(
            verdict
                == Verdict::Near {
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
fn texts_without_a_word_are_twins_only_when_equal() {
    let texts = ["", "…", " ", "!?", "…"].map(String::from);
    let new = Verdict::New;
    let of = |id: &str| Verdict::Exact {
        of: Some(id.into()),
    };
    assert_eq!(
        judge(&place(), 0.9, &texts, 0, &[]),
        [new.clone(), new.clone(), of("0"), new, of("1")]
    );
}

#[test]
fn a_text_in_other_case_is_near_with_resemblance_1() {
    let texts = ["Danes je lep dan.", "danes je LEP dan!"].map(String::from);
    assert_eq!(
        judge(&place(), 1.0, &texts, 0, &[])[1],
        Verdict::Near {
            of: Some("0".into()),
            resemblance: 1.0
        }
    );
}

#[test]
fn names_the_one_that_resembles_most() {
    let texts = [
        words(0..100),
        words(60..160),
        words(45..145),
        words(15..115),
    ];
    let verdicts = judge(&place(), 0.3, &texts, 0, &[]);
    let near = |of: &str| Verdict::Near {
        of: Some(of.into()),
        resemblance: 81.0 / 111.0,
    };
    assert_eq!(verdicts, [Verdict::New, Verdict::New, near("1"), near("0")]);
}

#[test]
fn a_document_without_id_is_a_twin_of_none_that_can_be_named() {
    let place = place();
    let mut index = Index::open(&place.path, None).unwrap();
    let document = Document {
        text: "lep dan",
        id: None,
        step: 0,
    };
    assert_eq!(index.judge(document).unwrap(), Verdict::New);
    assert_eq!(index.judge(document).unwrap(), Verdict::Exact { of: None });
}

#[test]
fn keeps_the_threshold_that_it_was_built_for() {
    let place = place();
    judge(&place, 0.8, &[words(0..100)], 0, &[]);
    let refused = Index::open(&place.path, threshold(0.7)).unwrap_err();
    assert!(
        matches!(refused, IndexError::ThresholdTooLow { .. }),
        "{refused}"
    );
    // 91 of 101 shingles in common: enough for 0.8, which the index remembers, and not for 0.95.
    let near = words((0..95).chain(200..205));
    let verdict = |least| {
        let mut index = Index::open(&place.path, least).unwrap();
        index
            .judge(Document {
                text: &near,
                id: None,
                step: 0,
            })
            .unwrap()
    };
    assert!(matches!(verdict(None), Verdict::Near { .. }));
    assert_eq!(verdict(threshold(0.95)), Verdict::New);
}

#[test]
fn what_is_not_committed_is_not_remembered() {
    let place = place();
    let document = Document {
        text: "lep dan",
        id: None,
        step: 0,
    };
    for _ in 0..2 {
        let mut index = Index::open(&place.path, None).unwrap();
        assert_eq!(index.judge(document).unwrap(), Verdict::New);
    }
}

#[test]
fn an_index_that_is_built_afresh_holds_only_what_was_added_since() {
    let place = place();
    judge(&place, 0.9, &[words(0..50), words(100..150)], 0, &[]);
    let mut index = Index::open_afresh(&place.path, threshold(0.5)).unwrap();
    index
        .add(Document {
            text: &words(0..50),
            id: Some("x"),
            step: 3,
        })
        .unwrap();
    index.commit().unwrap();
    drop(index);
    let verdicts = judge(&place, 0.5, &[words(0..50), words(100..150)], 0, &[]);
    assert_eq!(
        verdicts,
        [
            Verdict::Exact {
                of: Some("x".into())
            },
            Verdict::New
        ]
    );
}

#[test]
fn a_truncated_or_damaged_file_is_an_error_and_no_panic() {
    let place = place();
    let texts: Vec<String> = (0..60).map(|i| words(i * 1000..i * 1000 + 300)).collect();
    judge(&place, 0.9, &texts, 0, &[]);
    rusqlite::Connection::open(&place.path)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let whole = std::fs::read(&place.path).unwrap();
    for share in 1..20 {
        for damage in [false, true] {
            let at = whole.len() * share / 20;
            let mut bytes = whole.clone();
            if damage {
                bytes[at..whole.len().min(at + 5000)].fill(0xA5);
            } else {
                bytes.truncate(at);
            }
            std::fs::write(&place.path, &bytes).unwrap();
            let _ = std::fs::remove_file(place.path.with_extension("db-wal"));
            let _ = std::fs::remove_file(place.path.with_extension("db-shm"));
            let Ok(mut index) = Index::open(&place.path, None) else {
                continue;
            };
            let near = |text: &String| format!("{text} x");
            let judged: Result<Vec<_>, _> = texts
                .iter()
                .map(|text| {
                    index.judge(Document {
                        text: &near(text),
                        id: None,
                        step: 0,
                    })
                })
                .collect();
            // Damage in a page that is not needed may pass unseen; a file cut short may not.
            assert!(damage || judged.is_err(), "cut at {at} of {}", whole.len());
        }
    }
}
