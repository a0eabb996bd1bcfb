//! Damaged frontiers: an error, or a loss of what was damaged, but never a panic or a loop.

use forage_record::Record;
use forage_run::{Event, StepProjection};
use frontier::state_file::{BatchRequest, CrawlScope, Frontier, LinkOrder};
use std::path::Path;

/// Creates a frontier with a page of step 1 and its two links, and damages it.
fn damaged_frontier(path: &Path, statement: &str) -> Frontier {
    let mut frontier = Frontier::open(path, CrawlScope::default()).expect("a new file");
    let page = r#"{"url":"http://a.test/","text":"t","step":{"number":1,"target":"x"},
        "topic":{"score":0.5},"links":[{"url":"http://a.test/b","text":"b"},
        {"url":"http://c.test/?d=e","text":"d"}]}"#
        .replace('\n', "");
    let page = Record::parse(page.into()).expect("a record");
    frontier
        .apply_judged(&Event::from_record(&page))
        .expect("the page is applied");
    frontier.advance_to(1);
    frontier.commit().expect("the file is written");
    frontier.merge_wal().expect("the file is written");
    drop(frontier);
    let file = rusqlite::Connection::open(path).expect("a database");
    file.execute_batch(statement)
        .expect("the statement is valid");
    drop(file);
    forage_state::renew_checksums(path).expect("the file is written");
    let damaged = Frontier::open(path, CrawlScope::default());
    damaged.expect("the damage is not in the structure")
}

#[test]
fn a_step_is_removed_although_its_urls_are_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frontier.db");
    let mut frontier = damaged_frontier(&path, "UPDATE url SET url = ''");
    frontier.remove_from(1).unwrap();
    frontier.commit().unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    let urls: i64 = file
        .query_row("SELECT count(*) FROM url", [], |row| row.get(0))
        .unwrap();
    assert_eq!(urls, 0);
}

#[test]
fn impossible_counts_are_errors() {
    for statement in [
        "UPDATE waiting SET sum = -9223372036854775807 - 1, parents = 1",
        "UPDATE waiting SET greatest = 9223372036854775807",
        "UPDATE waiting SET parents = -1",
        "UPDATE host SET dead = 9223372036854775807",
        "UPDATE counter SET given = 9223372036854775807",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut frontier = damaged_frontier(&dir.path().join("frontier.db"), statement);
        let batch = frontier.take_batch(&BatchRequest {
            count: 5,
            per_host: None,
            step: 2,
            order: LinkOrder::Best,
        });
        assert!(batch.is_err() || statement.contains("sum"), "{statement}");
    }
}
