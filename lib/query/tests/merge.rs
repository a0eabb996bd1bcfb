//! Merged statistics agree with those that were counted in one go.

#![allow(clippy::unwrap_used)]

use forage_query::{
    MergedDocuments, Statistics, StatisticsError, merge_statistics, open_ledger,
    turn_on_ascii_folding,
};
use forage_record::{Record, field};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A document: class, number of its URL, text.
type Document = (&'static str, u8, String);

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let class = prop_oneof![Just("slv"), Just("hrv"), Just("eng")];
    let text = "([abcčšžá]{1,3} ){0,8}";
    prop::collection::vec((class, 0_u8..4, text), 1..30)
}

fn count<'a>(stats: &Path, documents: impl IntoIterator<Item = &'a Document>) {
    let mut ledger = open_ledger(stats, None, None).unwrap();
    for (class, url, text) in documents {
        let mut record = Record::new();
        record.set(field::URL, &format!("http://{url}.test/"));
        record.set(field::TEXT, text);
        record.set(field::LABEL, class);
        ledger.apply(&record).unwrap();
    }
    ledger.commit().unwrap();
    ledger.merge_wal().unwrap();
}

/// Returns the counts of a file, by names and not by ids.
fn counts(stats: &Path) -> Vec<String> {
    let ledger = open_ledger(stats, None, None).unwrap();
    let has_spellings = "SELECT 1 FROM sqlite_schema WHERE name = 'spelling'";
    let has_spellings = ledger
        .store()
        .prepare(has_spellings)
        .unwrap()
        .exists([])
        .unwrap();
    let mut lines = Vec::new();
    for sql in [
        "SELECT name || ' ' || documents || ' ' || tokens || ' ' || terms FROM class",
        "SELECT text || ' ' || tf || ' ' || df || ' ' || coalesce(tf_band, 0) || ' ' ||
           coalesce((SELECT name FROM class WHERE id = term.class), '-') FROM term",
        "SELECT name || ' ' || text || ' ' || c.tf || ' ' || c.df || ' ' || coalesce(c.tf_band, 0)
           FROM count c JOIN class ON class.id = c.class JOIN term ON term.id = c.term",
        "SELECT name || ' ' || hex(key) FROM document_key JOIN class ON class.id = class",
        "SELECT name || ' ' || term.text || ' ' || spelling.text || ' ' || spelling.tf
           FROM spelling JOIN class ON class.id = spelling.class
           JOIN term ON term.id = spelling.term",
    ] {
        if has_spellings || !sql.contains("spelling") {
            let mut rows = ledger.store().prepare(sql).unwrap();
            let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
            lines.extend(rows.map(Result::unwrap));
        }
    }
    lines.sort();
    lines
}

fn merge(stats: &Path, files: &[&Path]) -> MergedDocuments {
    let files: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).collect();
    merge_statistics(stats, &files).unwrap()
}

fn error(stats: &Path, files: &[&Path]) -> StatisticsError {
    let files: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).collect();
    merge_statistics(stats, &files).unwrap_err()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn merged_parts_have_the_counts_of_the_whole_and_the_same_bytes_in_any_order(
        documents in documents(),
        parts in prop::collection::vec(1_u8..8, 30),
        is_folded in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        // Each document once; it may be in several of three parts.
        let documents: Vec<Document> = BTreeSet::from_iter(documents).into_iter().collect();
        let files = ["whole", "0", "1", "2"].map(path);
        for (part, file) in files.iter().enumerate() {
            if is_folded {
                turn_on_ascii_folding(file).unwrap();
            }
            let is_in = |bits: u8| part == 0 || bits >> (part - 1) & 1 == 1;
            count(file, documents.iter().zip(&parts).filter(|(_, bits)| is_in(**bits)).map(|(d, _)| d));
        }
        let [whole, a, b, c] = files.each_ref().map(PathBuf::as_path);
        let merged = merge(&path("abc"), &[a, b, c]);
        prop_assert_eq!(merged.documents, documents.len() as u64);
        prop_assert_eq!(counts(&path("abc")), counts(whole));
        let read = |name: &str| std::fs::read(path(name)).unwrap();
        merge(&path("cba"), &[c, b, a, b]);
        merge(&path("ca"), &[c, a]);
        merge(&path("ca"), &[b]);
        merge(&path("all"), &[whole]);
        merge(&path("all"), &[&path("ca"), a]);
        for other in ["cba", "ca", "all"] {
            prop_assert!(read(other) == read("cba"), "{}", other);
        }
    }
}

#[test]
fn a_document_is_as_often_in_the_result_as_in_the_file_that_has_it_most_often() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let document = ("slv", 1, "dober dan".to_owned());
    let empty = ("slv", 2, "1".to_owned());
    count(&path("twice"), [&document, &document, &empty, &empty]);
    count(&path("once"), [&document, &empty]);
    let expected = MergedDocuments {
        documents: 4,
        shared: 2,
    };
    assert_eq!(
        merge(&path("merged"), &[&path("once"), &path("twice")]),
        expected
    );
    assert_eq!(counts(&path("merged")), counts(&path("twice")));
}

#[test]
fn the_same_text_of_another_url_or_class_is_another_document() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let text = || "dober dan".to_owned();
    count(&path("a"), [&("slv", 1, text())]);
    count(&path("b"), [&("slv", 2, text()), &("hrv", 1, text())]);
    let merged = merge(&path("merged"), &[&path("a"), &path("b")]);
    assert_eq!((merged.documents, merged.shared), (3, 0));
}

#[test]
fn files_that_cannot_be_merged_are_named_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let document = ("slv", 1, "dober dan".to_owned());
    count(&path("good"), [&document]);
    std::fs::write(path("letter"), "this is no database\n".repeat(99)).unwrap();
    turn_on_ascii_folding(&path("folded")).unwrap();
    count(&path("folded"), [&document]);
    count(&path("keyless"), [&document]);
    let ledger = open_ledger(&path("keyless"), None, None).unwrap();
    ledger
        .store()
        .execute_batch("DROP TABLE document_key")
        .unwrap();
    ledger.merge_wal().unwrap();
    drop(ledger);
    count(&path("earlier"), [&document]);
    let ledger = open_ledger(&path("earlier"), None, None).unwrap();
    ledger
        .store()
        .execute_batch("PRAGMA user_version = 702")
        .unwrap();
    ledger.merge_wal().unwrap();
    drop(ledger);
    for (name, target) in [("slovene", "slv"), ("czech", "ces")] {
        let mut ledger = open_ledger(&path(name), None, None).unwrap();
        let step = format!(
            r#"{{"text":"a b","label":"slv","step":{{"number":1,"target":"{target}","last":true}}}}"#
        );
        ledger
            .apply(&Record::parse(step.into_bytes()).unwrap())
            .unwrap();
        ledger.commit().unwrap();
        ledger.merge_wal().unwrap();
    }
    for (bad, others) in [
        ("letter", ["good"].as_slice()),
        ("missing", &["good"]),
        ("folded", &["good"]),
        ("keyless", &["good"]),
        ("earlier", &["good"]),
        ("czech", &["good", "slovene"]),
    ] {
        let files: Vec<PathBuf> = others.iter().chain([&bad]).map(|name| path(name)).collect();
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let message = error(&path("merged"), &files).to_string();
        assert!(
            message.starts_with(path(bad).to_str().unwrap()),
            "{message}"
        );
        assert!(
            !path("merged").exists() && !path("merged.forage-rebuild").exists(),
            "{bad}"
        );
    }
    let whole = std::fs::read(path("good")).unwrap();
    for at in (5_000..whole.len()).step_by(4_096) {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        std::fs::write(path("damaged"), changed).unwrap();
        let message = error(&path("merged"), &[&path("slovene"), &path("damaged")]).to_string();
        let place = format!("{}: is damaged", path("damaged").display());
        assert!(message.starts_with(&place), "{at}: {message}");
    }
    let journal = path("journal.jsonl");
    drop(open_ledger(&path("run"), Some(&journal), None).unwrap());
    std::fs::write(&journal, "{\"text\":\"dober dan\",\"label\":\"slv\"}\n").unwrap();
    drop(open_ledger(&path("run"), Some(&journal), None).unwrap());
    let before = counts(&path("run"));
    let message = error(&path("run"), &[&path("good")]).to_string();
    assert!(message.contains("belongs to a journal"), "{message}");
    assert_eq!(counts(&path("run")), before);
    // A run may be merged with others into a new file.
    assert_eq!(
        merge(&path("new"), &[&path("run"), &path("good")]).documents,
        2
    );
    // Its documents would be counted again from the journal of one of them.
    let before = counts(&path("new"));
    let again = open_ledger(&path("new"), Some(&journal), None).unwrap_err();
    assert!(again.to_string().contains("is not the journal"), "{again}");
    assert_eq!(counts(&path("new")), before);
    open_ledger(&path("new"), Some(&path("other.jsonl")), None).unwrap();
}

#[test]
fn the_history_of_a_run_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let mut ledger = open_ledger(&path("run"), None, None).unwrap();
    let record = r#"{"text":"dober dan","label":"slv","step":{"number":7,"target":"slv"},
        "query":{"id":"x","include":["dan"],"exclude":[]},"hit":{"calls":1}}"#;
    ledger
        .apply(&Record::parse(record.into()).unwrap())
        .unwrap();
    ledger.commit().unwrap();
    drop(ledger);
    merge(&path("merged"), &[&path("run")]);
    let ledger = open_ledger(&path("merged"), None, None).unwrap();
    assert_eq!((ledger.next_step(), ledger.totals().total("calls")), (0, 0));
    for table in ["query", "tally", "query_log"] {
        let sql = format!("SELECT 1 FROM {table}");
        assert!(
            !ledger.store().prepare(&sql).unwrap().exists([]).unwrap(),
            "{table}"
        );
    }
    assert_eq!(
        Statistics::from_ledger(&ledger).classes().unwrap()[0].documents,
        1
    );
}
