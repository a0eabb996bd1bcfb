//! The ledger: what is counted, and how it is made whole after a kill at any place.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap, too

use forage_query::{Statistics, build_report, open_ledger, rebuild_ledger};
use forage_record::Record;
use forage_run::Ledger;
use std::fs;
use std::path::Path;

fn record(json: &str) -> Record {
    Record::parse(json.as_bytes().to_vec()).unwrap()
}

const METHOD: &str = r#""method":{"include":"or:1","exclude":"tf:1"}"#;

/// A run of initial documents and `steps` steps, some of which bring two records, a duplicate, an
/// error, or nothing.
fn lines(steps: u64) -> Vec<String> {
    let mut lines = vec![
        r#"{"text":"dober dan lepa ura","label":"slv"}"#.to_owned(),
        r#"{"text":"the good day and hour","label":"eng"}"#.to_owned(),
    ];
    for step in 1..=steps {
        let learner =
            [r#""learner":"ltm/ii/no-result=2""#, r#""learner":"lta/dd""#][step as usize % 2];
        let query = format!(
            r#""query":{{"id":"q{}","include":["dan"],"exclude":["the"],"strategy":{{"name":"learned",{learner},{METHOD}}}}}"#,
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

fn take(ledger: &mut Ledger, lines: &[String]) {
    for line in lines {
        ledger.apply(&record(line)).unwrap();
    }
    ledger.commit().unwrap();
}

fn figures(ledger: &Ledger) -> String {
    serde_json::to_string(&build_report(&Statistics::from_ledger(ledger), &[]).unwrap()).unwrap()
}

fn whole(dir: &Path, lines: &[String]) -> (String, Vec<u8>) {
    let (stats, journal) = (dir.join("whole.db"), dir.join("whole.jsonl"));
    let mut ledger = open_ledger(&stats, Some(&journal), None).unwrap();
    take(&mut ledger, lines);
    (figures(&ledger), fs::read(journal).unwrap())
}

#[test]
fn counts_as_the_design_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = open_ledger(&dir.path().join("s.db"), None, None).unwrap();
    take(&mut ledger, &lines(10));
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

/// A probability that a learner gives a value, as the report shows it.
fn learned(ledger: &Ledger, learner: &str, parameter: &str, value: &str) -> f64 {
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
    take(&mut ledger, &lines(10));
    let share = |score: f64, others: f64| (score / (score + others) * 1e4).round() / 1e4;
    // The odd steps are lta's. 1 brought a success and a failure, 5 nothing, 7 a duplicate; 3 and 9
    // were errors. So `or` has 1 + 1 successes and 1 + 3 failures, and the other three stand at 1/2
    // each.
    assert_eq!(
        learned(&ledger, "lta/dd", "include-method", "or"),
        share(1.0 / 3.0, 1.5)
    );
    // Its only success had length 1; lengths by another method are as at first.
    let at = |method: &str| learned(&ledger, "lta/dd", &format!("include-length:{method}"), "1");
    assert!(at("or") > at("tf") && at("tf") == at("ptf"));
    // The even steps are ltm's. 2 brought a duplicate, 6 a success and a failure, 10 nothing, which
    // counts twice; 4 and 8 were errors.
    let score = 0.9 * 1.1 * 0.9 * 0.9 * 0.9;
    assert_eq!(
        learned(&ledger, "ltm/ii/no-result=2", "include-method", "or"),
        share(score, 3.0)
    );
}

#[test]
fn a_run_killed_after_any_byte_of_the_journal_ends_as_if_it_had_not_been() {
    let dir = tempfile::tempdir().unwrap();
    let all = lines(7);
    let (expected, journal) = whole(dir.path(), &all);
    for folded in [0, 3, 6] {
        for cut in (0..=journal.len()).step_by(37).chain([journal.len()]) {
            let (stats, path) = (
                dir.path().join(format!("{folded}-{cut}.db")),
                dir.path().join(format!("{folded}-{cut}.jsonl")),
            );
            let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
            take(&mut ledger, &all[..folded]);
            drop(ledger);
            // The journal was written further than the statistics, or lost what they have.
            fs::write(&path, &journal[..cut]).unwrap();
            if folded > 0 && cut < 64 {
                // Too little is left to know it by: it may be another file, and the statistics stay
                // as they are.
                assert!(open_ledger(&stats, Some(&path), Some(u64::MAX)).is_err());
                continue;
            }
            let ledger = open_ledger(&stats, Some(&path), Some(u64::MAX)).unwrap();
            let next = ledger.next_step();
            drop(ledger);
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
            take(&mut ledger, &rest);
            assert_eq!(
                figures(&ledger),
                expected,
                "folded {folded}, cut {cut}, next {next}"
            );
            assert_eq!(fs::read(&path).unwrap(), journal);
        }
    }
}

#[test]
fn goes_back_to_any_step_and_rebuilds_alike() {
    let dir = tempfile::tempdir().unwrap();
    let all = lines(9);
    let (expected, _) = whole(dir.path(), &all);
    let (stats, path) = (dir.path().join("whole.db"), dir.path().join("whole.jsonl"));
    let mut ledger = open_ledger(&stats, Some(&path), Some(4)).unwrap();
    assert_eq!(ledger.next_step(), 4);
    take(&mut ledger, &all[6..]);
    assert_eq!(figures(&ledger), expected);
    let rebuilt = rebuild_ledger(&dir.path().join("new.db"), &path).unwrap();
    assert_eq!(figures(&rebuilt), expected);
}

#[test]
fn a_record_that_the_statistics_could_not_take_is_not_in_the_journal_either() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    let all = lines(2);
    take(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &all[..2],
    );
    let before = fs::read(&path).unwrap();
    let sql = |statement: &str| {
        rusqlite::Connection::open(&stats)
            .unwrap()
            .execute_batch(statement)
            .unwrap()
    };
    sql("CREATE TRIGGER full BEFORE INSERT ON tally BEGIN SELECT RAISE(ABORT, 'full'); END");
    let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
    ledger.apply(&record(&all[2])).unwrap();
    assert!(ledger.commit().is_err());
    drop(ledger);
    assert_eq!(fs::read(&path).unwrap(), before);
    sql("DROP TRIGGER full");
    // The same input again.
    take(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &all[2..],
    );
    let (expected, journal) = whole(dir.path(), &all);
    assert_eq!(figures(&open_ledger(&stats, None, None).unwrap()), expected);
    assert_eq!(fs::read(&path).unwrap(), journal);
}

#[test]
fn refuses_a_journal_that_is_another() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &lines(3));
    let (stats, path) = (dir.path().join("whole.db"), dir.path().join("whole.jsonl"));
    let text = fs::read_to_string(&path).unwrap().replace("dober", "lepši");
    fs::write(&path, text).unwrap();
    let error = open_ledger(&stats, Some(&path), None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("--rebuild"), "{error}");
}

#[test]
fn a_mistyped_journal_leaves_statistics_and_file_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let (expected, _) = whole(dir.path(), &lines(3));
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
    assert_eq!(figures(&open_ledger(&stats, None, None).unwrap()), expected);
    // Nothing is recognised of a text that never was a journal: it is not cut.
    fs::write(&other, "dear sir").unwrap();
    assert!(open_ledger(&dir.path().join("new.db"), Some(&other), None).is_err());
    assert_eq!(fs::read_to_string(&other).unwrap(), "dear sir");
}

#[test]
fn a_journal_whose_last_line_feed_was_left_out_keeps_its_last_record() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    fs::write(&path, "{\"a\":1}\n{\"text\":\"dan\",\"label\":\"slv\"}").unwrap();
    let mut ledger = open_ledger(&stats, Some(&path), None).unwrap();
    take(&mut ledger, &[r#"{"b":2}"#.to_owned()]);
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
fn a_number_beyond_what_json_holds_exactly_is_no_number() {
    let dir = tempfile::tempdir().unwrap();
    let (stats, path) = (dir.path().join("s.db"), dir.path().join("j.jsonl"));
    let huge = r#"{"step":{"number":9223372036854775808,"target":"slv","last":true},"hit":{"engine":"e","calls":18446744073709551615},"text":"je da","label":"slv"}"#;
    take(
        &mut open_ledger(&stats, Some(&path), None).unwrap(),
        &[huge.to_owned()],
    );
    let ledger = open_ledger(&stats, Some(&path), None).unwrap();
    assert_eq!((ledger.next_step(), ledger.totals().total("calls")), (0, 0));
}
