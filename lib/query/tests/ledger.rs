//! The ledger: its counts, and its repair after a kill at any byte of the journal.

#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap

use forage_query::{
    Statistics, StatisticsError, build_report, open_ledger, rebuild_if_earlier, rebuild_ledger,
};
use forage_record::Record;
use forage_run::Ledger;
use forage_text::SEGMENTATION_VERSION;
use std::fs;
use std::path::{Path, PathBuf};

fn parse_record(json: &str) -> Record {
    Record::parse(json.as_bytes().to_vec()).unwrap()
}

const METHOD: &str = r#""method":{"include":"or:1","exclude":"tf:1"}"#;

/// Returns the records of a run with initial documents and `steps` steps, some of which have two
/// records, a duplicate, an error, or no hit.
fn run_records(steps: u64) -> Vec<String> {
    let mut lines = vec![
        r#"{"text":"dober dan lepa ura","label":"slv"}"#.to_owned(),
        r#"{"text":"the good day and hour","label":"eng"}"#.to_owned(),
    ];
    for step in 1..=steps {
        let learner =
            [r#""learner":"ltm/ii/no-result=2""#, r#""learner":"lta/dd""#][step as usize % 2];
        let strategy = format!(r#""strategy":{{"name":"learned",{learner},{METHOD}}}"#);
        let query = format!(
            r#""query":{{"id":"q{}","include":["dan"],"exclude":["the"],{strategy}}}"#,
            step % 3
        );
        let mut push = |last: bool, outcome: &str, rest: &str| {
            let outcome = if outcome.is_empty() {
                String::new()
            } else {
                format!(r#","outcome":"{outcome}""#)
            };
            let step = format!(r#""step":{{"number":{step},"target":"slv","last":{last}}}"#);
            let hit = format!(
                r#""hit":{{"engine":"x","calls":{}{outcome}}}"#,
                u8::from(last)
            );
            lines.push(format!("{{{query},{step},{hit}{rest}}}"));
        };
        match step % 5 {
            0 => push(true, "exhausted", ""),
            1 => {
                let new =
                    format!(r#","text":"dan {step} je","label":"slv","dedup":{{"status":"new"}}"#);
                push(false, "hit", &new);
                push(
                    true,
                    "hit",
                    &format!(r#","text":"day {step} is","label":"eng""#),
                );
            }
            2 => push(
                true,
                "hit",
                r#","text":"dan je","label":"slv","dedup":{"status":"near"}"#,
            ),
            3 => push(
                true,
                "hit",
                r#","error":{"tool":"fetch-extract","kind":"dns","message":"x"}"#,
            ),
            _ => push(
                true,
                "",
                r#","error":{"tool":"search","kind":"engine-down","message":"x"}"#,
            ),
        }
    }
    lines
}

/// Applies and commits records.
fn commit_records(ledger: &mut Ledger, lines: &[String]) {
    for line in lines {
        ledger.apply(&parse_record(line)).unwrap();
    }
    ledger.commit().unwrap();
}

/// Returns the report of a ledger as JSON.
fn report_json(ledger: &Ledger) -> String {
    serde_json::to_string(&build_report(&Statistics::from_ledger(ledger), &[]).unwrap()).unwrap()
}

/// Runs without a kill. Returns the report and the journal.
fn run_uninterrupted(dir: &Path, lines: &[String]) -> (String, Vec<u8>) {
    let (stats, journal) = (dir.join("whole.db"), dir.join("whole.jsonl"));
    let mut ledger = open_ledger(&stats, Some(&journal), None).unwrap();
    commit_records(&mut ledger, lines);
    (report_json(&ledger), fs::read(journal).unwrap())
}

#[test]
fn counts_records_by_outcome_label_and_duplicate_status() {
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = open_ledger(&dir.path().join("s.db"), None, None).unwrap();
    commit_records(&mut ledger, &run_records(10));
    let report = build_report(&Statistics::from_ledger(&ledger), &[]).unwrap();
    let total = &report.total;
    assert_eq!((total.steps, total.queries, total.calls), (10, 3, 10));
    assert_eq!(
        (total.documents, total.relevant, total.duplicates),
        (6, 2, 2)
    );
    assert_eq!((total.empty, total.exhausted), (0, 2));
    assert_eq!(total.errors.get("dns"), Some(&2));
    assert_eq!(total.pos_docs, Some(0.3333));
    // Duplicates are not counted, initial documents are: 1 + 2.
    assert_eq!(
        (
            report.classes["slv"].counts.documents,
            report.classes["eng"].counts.documents
        ),
        (3, 3)
    );
}

/// Returns the probability of a value of a learner in the report.
fn learned_probability(ledger: &Ledger, learner: &str, parameter: &str, value: &str) -> f64 {
    let report =
        serde_json::to_value(build_report(&Statistics::from_ledger(ledger), &[]).unwrap()).unwrap();
    report["learners"]["slv"][learner][parameter][value]
        .as_f64()
        .unwrap()
}

#[test]
fn rewards_each_learner_for_its_own_queries() {
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = open_ledger(&dir.path().join("s.db"), None, None).unwrap();
    commit_records(&mut ledger, &run_records(10));
    let share = |score: f64, others: f64| (score / (score + others) * 1e4).round() / 1e4;
    // Odd steps have the learner `lta`. Step 1 has a success and a failure, 5 no hit, 7 a
    // duplicate; 3 and 9 are errors. So `or` has 1 + 1 successes and 1 + 3 failures, and the other
    // three methods have a score of 1/2 each.
    assert_eq!(
        learned_probability(&ledger, "lta/dd", "include-method", "or"),
        share(1.0 / 3.0, 1.5)
    );
    // Its only success had length 1; the lengths of other methods are unchanged.
    let of_length_1 = |method: &str| {
        learned_probability(&ledger, "lta/dd", &format!("include-length:{method}"), "1")
    };
    assert!(of_length_1("or") > of_length_1("tf") && of_length_1("tf") == of_length_1("ptf"));
    // Even steps have the learner `ltm`. Step 2 has a duplicate, 6 a success and a failure, 10 no
    // hit, which counts twice; 4 and 8 are errors.
    let beta: f64 = 0.5;
    let score = beta * (1.0 / beta) * beta * beta * beta;
    assert_eq!(
        learned_probability(&ledger, "ltm/ii/no-result=2", "include-method", "or"),
        share(score, 3.0)
    );
}

#[test]
fn a_run_killed_after_any_byte_of_the_journal_has_the_same_result_as_without_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let all = run_records(7);
    let (expected, journal) = run_uninterrupted(dir.path(), &all);
    for applied in [0, 3, 6] {
        for cut in (0..=journal.len()).step_by(37).chain([journal.len()]) {
            let (stats, path) = (
                dir.path().join(format!("{applied}-{cut}.db")),
                dir.path().join(format!("{applied}-{cut}.jsonl")),
            );
            let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
            commit_records(&mut ledger, &all[..applied]);
            drop(ledger);
            // The journal has lines that the statistics lack, or lacks lines that they have.
            fs::write(&path, &journal[..cut]).unwrap();
            if applied > 0 && cut < 64 {
                // Too few bytes are left to identify the journal. It may be another file, so the
                // statistics are not changed.
                assert!(open_ledger(&stats, Some(&path), Some(u64::MAX)).is_err());
                continue;
            }
            let ledger = open_ledger(&stats, Some(&path), Some(u64::MAX)).unwrap();
            let next = ledger.next_step();
            drop(ledger);
            if applied == 0 && cut > 0 && next == 0 {
                // Nothing tells initial documents from a file of somebody else.
                let left = fs::read(&path).unwrap();
                let kept = String::from_utf8_lossy(&journal[..cut]);
                assert!(kept.contains("\"step\":") || left.starts_with(&journal[..cut]));
                fs::remove_file(&path).unwrap();
                fs::remove_file(&stats).unwrap();
            }
            let mut ledger = open_ledger(&stats, Some(&path), Some(next)).unwrap();
            let step = |line: &String| {
                line.split("\"number\":").nth(1).map_or(0, |rest| {
                    rest.split(',').next().unwrap().parse::<u64>().unwrap()
                })
            };
            let rest: Vec<String> = all
                .iter()
                .filter(|line| step(line) >= next)
                .cloned()
                .collect();
            commit_records(&mut ledger, &rest);
            assert_eq!(
                report_json(&ledger),
                expected,
                "applied {applied}, cut {cut}, next {next}"
            );
            assert_eq!(fs::read(&path).unwrap(), journal);
        }
    }
}

#[test]
fn going_back_to_a_step_and_rebuilding_have_the_same_result() {
    let dir = tempfile::tempdir().unwrap();
    let all = run_records(9);
    let (expected, _) = run_uninterrupted(dir.path(), &all);
    let (stats, path) = (dir.path().join("whole.db"), dir.path().join("whole.jsonl"));
    let mut ledger = open_ledger(&stats, Some(&path), Some(4)).unwrap();
    assert_eq!(ledger.next_step(), 4);
    commit_records(&mut ledger, &all[6..]);
    assert_eq!(report_json(&ledger), expected);
    let rebuilt = rebuild_ledger(&dir.path().join("new.db"), &path, false).unwrap();
    assert_eq!(report_json(&rebuilt), expected);
}

#[test]
fn a_record_that_cannot_be_counted_is_not_in_the_journal_either() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    let all = run_records(2);
    commit_records(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &all[..2],
    );
    let before = fs::read(&path).unwrap();
    let sql = |statement: &str| {
        rusqlite::Connection::open(&stats)
            .unwrap()
            .execute_batch(statement)
            .unwrap();
        forage_state::renew_checksums(&stats).unwrap();
    };
    sql("CREATE TRIGGER full BEFORE INSERT ON tally BEGIN SELECT RAISE(ABORT, 'full'); END");
    let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
    ledger.apply(&parse_record(&all[2])).unwrap();
    assert!(ledger.commit().is_err());
    drop(ledger);
    assert_eq!(fs::read(&path).unwrap(), before);
    sql("DROP TRIGGER full");
    // The caller repeats the same input.
    commit_records(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &all[2..],
    );
    let (expected, journal) = run_uninterrupted(dir.path(), &all);
    assert_eq!(
        report_json(&open_ledger(&stats, None, None).unwrap()),
        expected
    );
    assert_eq!(fs::read(&path).unwrap(), journal);
}

#[test]
fn refuses_a_different_journal() {
    let dir = tempfile::tempdir().unwrap();
    run_uninterrupted(dir.path(), &run_records(3));
    let (stats, path) = (dir.path().join("whole.db"), dir.path().join("whole.jsonl"));
    let text = fs::read_to_string(&path).unwrap().replace("dober", "lepši");
    fs::write(&path, text).unwrap();
    let error = open_ledger(&stats, Some(&path), None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("--rebuild"), "{error}");
}

#[test]
fn a_mistyped_journal_changes_neither_the_statistics_nor_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = run_uninterrupted(dir.path(), &run_records(3));
    let (stats, other) = (dir.path().join("whole.db"), dir.path().join("other.jsonl"));
    for text in ["", "{\"a\":1}\n", "dear sir"] {
        fs::write(&other, text).unwrap();
        for from_step in [None, Some(2), Some(u64::MAX)] {
            assert!(
                open_ledger(&stats, Some(&other), from_step).is_err(),
                "{text:?}"
            );
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), text);
    }
    assert_eq!(
        report_json(&open_ledger(&stats, None, None).unwrap()),
        expected
    );
    // A text without any record is not a journal, and is not truncated.
    fs::write(&other, "dear sir").unwrap();
    assert!(open_ledger(&dir.path().join("new.db"), Some(&other), None).is_err());
    assert_eq!(fs::read_to_string(&other).unwrap(), "dear sir");
}

#[test]
fn a_journal_without_its_last_line_feed_keeps_its_last_record() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    fs::write(&path, "{\"a\":1}\n{\"text\":\"dan\",\"label\":\"slv\"}").unwrap();
    let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
    commit_records(&mut ledger, &[r#"{"b":2}"#.to_owned()]);
    assert_eq!(
        build_report(&Statistics::from_ledger(&ledger), &[])
            .unwrap()
            .classes["slv"]
            .counts
            .documents,
        1
    );
    let text = "{\"a\":1}\n{\"text\":\"dan\",\"label\":\"slv\"}\n{\"b\":2}\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_number_above_2_to_the_53_counts_as_absent() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    let step = r#""step":{"number":9223372036854775808,"target":"slv","last":true}"#;
    let hit = r#""hit":{"engine":"e","calls":18446744073709551615}"#;
    let huge = format!(r#"{{{step},{hit},"text":"je da","label":"slv"}}"#);
    commit_records(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &[huge],
    );
    let ledger = open_ledger(&stats, Some(&path), None).unwrap();
    assert_eq!((ledger.next_step(), ledger.totals().total("calls")), (0, 0));
}

/// The version of an empty file of statistics with terms of another segmentation version.
fn version_with_segmentation(segmentation: u32) -> u32 {
    let dir = tempfile::tempdir().unwrap();
    let stats = dir.path().join("stats.db");
    drop(open_ledger(&stats, None, None).unwrap());
    let version: u32 = rusqlite::Connection::open(&stats)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    version - SEGMENTATION_VERSION + segmentation
}

/// Sets the version of a file of statistics whose WAL was merged, and returns its bytes.
fn set_version(stats: &Path, version: u32) -> Vec<u8> {
    let db = rusqlite::Connection::open(stats).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
    drop(db);
    fs::read(stats).unwrap()
}

/// A run of four steps with complete files: paths of the statistics and the journal, and the
/// report.
fn finished_run(dir: &Path) -> (PathBuf, PathBuf, String) {
    let (stats, journal) = (dir.join("stats.db"), dir.join("journal.jsonl"));
    let mut ledger = open_ledger(&stats, Some(&journal), None).unwrap();
    commit_records(&mut ledger, &run_records(4));
    ledger.merge_wal().unwrap();
    (stats, journal, report_json(&ledger))
}

#[test]
fn refuses_terms_of_another_segmentation_version_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, journal, _) = finished_run(dir.path());
    let next = SEGMENTATION_VERSION + 1;
    for (version, found) in [
        // A file of an earlier schema, without a segmentation version.
        (7, 1),
        (version_with_segmentation(1), 1),
        (version_with_segmentation(next), next),
    ] {
        let bytes = set_version(&stats, version);
        for error in [
            Statistics::open_read_only(&stats).err().unwrap(),
            open_ledger(&stats, None, None).err().unwrap(),
            open_ledger(&stats, Some(&journal), Some(2)).err().unwrap(),
        ] {
            let message = error.to_string();
            assert!(
                message.contains(&format!(
                    "stats.db: has terms of segmentation version {found}, but this program has \
                     version {SEGMENTATION_VERSION}; "
                )) && message.contains("--rebuild JOURNAL"),
                "{message}"
            );
        }
        assert_eq!(fs::read(&stats).unwrap(), bytes);
    }
}

#[test]
fn statistics_of_an_earlier_segmentation_version_are_rebuilt_from_their_journal_only() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, journal, report) = finished_run(dir.path());
    assert_eq!(rebuild_if_earlier(&stats, &journal, false).unwrap(), None);
    // Only the statistics of an earlier version.
    let next = version_with_segmentation(SEGMENTATION_VERSION + 1);
    let bytes = set_version(&stats, next);
    assert_eq!(rebuild_if_earlier(&stats, &journal, false).unwrap(), None);
    assert_eq!(fs::read(&stats).unwrap(), bytes);
    // Only from the journal that they were derived from.
    let bytes = set_version(&stats, version_with_segmentation(1));
    let other = dir.path().join("other.jsonl");
    assert_eq!(rebuild_if_earlier(&stats, &other, false).unwrap(), None);
    fs::write(&other, run_records(9).join("\n").replace("dober", "lepši")).unwrap();
    assert_eq!(rebuild_if_earlier(&stats, &other, false).unwrap(), None);
    assert_eq!(fs::read(&stats).unwrap(), bytes);
    // An unfinished line is left to the repair that follows.
    let complete = fs::read(&journal).unwrap();
    fs::write(&journal, [&complete[..], b"{\"te"].concat()).unwrap();
    assert_eq!(
        rebuild_if_earlier(&stats, &journal, false).unwrap(),
        Some(1)
    );
    let ledger = open_ledger(&stats, Some(&journal), Some(u64::MAX)).unwrap();
    assert_eq!((report_json(&ledger), ledger.next_step()), (report, 5));
    assert_eq!(fs::read(&journal).unwrap(), complete);
}

#[test]
fn statistics_with_documents_that_the_journal_lacks_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, journal, _) = finished_run(dir.path());
    let mut ledger = open_ledger(&stats, None, None).unwrap();
    commit_records(&mut ledger, &run_records(0));
    ledger.merge_wal().unwrap();
    drop(ledger);
    let bytes = set_version(&stats, version_with_segmentation(1));
    let error = rebuild_if_earlier(&stats, &journal, false).unwrap_err();
    assert!(
        matches!(error, StatisticsError::MissingDocuments { .. }),
        "{error}"
    );
    assert_eq!(fs::read(&stats).unwrap(), bytes);
    // Also without any documents of the journal.
    fs::remove_file(&stats).unwrap();
    let mut ledger = open_ledger(&stats, None, None).unwrap();
    commit_records(&mut ledger, &run_records(0));
    ledger.merge_wal().unwrap();
    drop(ledger);
    let bytes = set_version(&stats, version_with_segmentation(1));
    assert_eq!(rebuild_if_earlier(&stats, &journal, false).unwrap(), None);
    assert_eq!(fs::read(&stats).unwrap(), bytes);
}

#[test]
fn an_explicit_rebuild_replaces_statistics_of_any_earlier_or_other_version() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, journal, report) = finished_run(dir.path());
    let next = version_with_segmentation(SEGMENTATION_VERSION + 1);
    for version in [3, 7, version_with_segmentation(1), next] {
        let bytes = set_version(&stats, version);
        assert!(rebuild_ledger(&stats, &dir.path().join("none"), false).is_err());
        assert_eq!(fs::read(&stats).unwrap(), bytes);
        let ledger = rebuild_ledger(&stats, &journal, false).unwrap();
        assert_eq!(report_json(&ledger), report);
        ledger.merge_wal().unwrap();
    }
    // A file of the next schema is not replaced.
    set_version(&stats, version_with_segmentation(0) + 100);
    assert!(rebuild_ledger(&stats, &journal, false).is_err());
}
