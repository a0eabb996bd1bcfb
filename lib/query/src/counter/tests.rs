use super::{TermCounter, word_frequencies};
use crate::statistics::Statistics;
use forage_run::StoredProjection;
use forage_text::{document_key, terms};

/// Returns statistics of texts with their classes, committed every `batch` texts.
pub(crate) fn fill_statistics(
    texts: &[(&str, &str)],
    batch: usize,
) -> (tempfile::TempDir, Statistics) {
    let dir = tempfile::tempdir().unwrap();
    let statistics = Statistics::open(&dir.path().join("stats.db")).unwrap();
    let mut counter = TermCounter::default();
    for chunk in texts.chunks(batch) {
        statistics.db.begin().unwrap();
        for (class, text) in chunk {
            let key = document_key("", text);
            let terms = terms(text);
            counter
                .count_words(&statistics.db, class, 1, key, word_frequencies(&terms))
                .unwrap();
        }
        counter.write(&statistics.db).unwrap();
        statistics.db.commit().unwrap();
        if batch == 1 {
            counter = TermCounter::default();
        }
    }
    (dir, statistics)
}

fn dump(statistics: &Statistics) -> Vec<String> {
    let mut all = Vec::new();
    for table in ["class", "term", "count", "document", "document_key"] {
        let mut rows = statistics
            .db
            .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3"))
            .unwrap();
        let columns = rows.column_count();
        let read = |row: &rusqlite::Row| {
            let values: Vec<String> = (0..columns)
                .map(|i| format!("{:?}", row.get_ref(i).unwrap()))
                .collect();
            Ok(format!("{table} {}", values.join(" ")))
        };
        all.extend(rows.query_map([], read).unwrap().map(Result::unwrap));
    }
    all
}

const TEXTS: [(&str, &str); 4] = [
    ("slv", "je da je lep dan"),
    ("eng", "it is a day, da"),
    ("slv", "dan je dan"),
    ("hrv", "lijep dan je"),
];

#[test]
fn counts_terms_by_class_and_over_all_classes() {
    let (_dir, statistics) = fill_statistics(&TEXTS, 4);
    let row = |text: &str| -> (i64, i64, Option<i64>) {
        let sql = "SELECT tf, df, class FROM term WHERE text = ?1";
        statistics
            .db
            .query_row(sql, [text], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap()
    };
    assert_eq!(row("je"), (4, 3, None));
    assert_eq!(row("dan"), (4, 3, None));
    assert_eq!(row("da"), (2, 2, None));
    assert_eq!(row("lep"), (1, 1, Some(1)));
    let slv = &statistics.classes().unwrap()[0];
    assert_eq!(
        (slv.name.as_str(), slv.documents, slv.tokens, slv.terms),
        ("slv", 2, 8, 4)
    );
}

#[test]
fn the_file_does_not_depend_on_how_the_journal_is_split_into_transactions() {
    let (_a, one) = fill_statistics(&TEXTS, 1);
    let (_b, all) = fill_statistics(&TEXTS, 4);
    assert_eq!(dump(&one), dump(&all));
}

#[test]
fn indexes_that_are_made_last_are_those_of_a_small_file() {
    let words: Vec<String> = (0..super::INDEX_LAST_ROWS + 9)
        .map(|n| format!("w{}", n / 2 * 2))
        .chain((0..super::INDEX_LAST_ROWS + 9).map(|n| format!("v{n}")))
        .collect();
    let (first, all) = (words[..99].join(" "), words.join(" "));
    let texts = [("slv", &*first), ("slv", &*all), ("eng", &*all)];
    let (_a, stepwise) = fill_statistics(&texts, 1);
    let (_b, bulk) = fill_statistics(&texts, 3);
    assert_eq!(dump(&stepwise), dump(&bulk));
    let indexes = |statistics: &Statistics| -> Vec<String> {
        let sql = "SELECT name || coalesce(sql, '') FROM sqlite_schema
                   WHERE type = 'index' ORDER BY name";
        let mut rows = statistics.db.prepare(sql).unwrap();
        let rows = rows.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(indexes(&stepwise), indexes(&bulk));
    assert!(indexes(&bulk).len() >= 6);
}
