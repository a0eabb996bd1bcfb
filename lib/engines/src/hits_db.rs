//! The tables of `hits.db`, and the upgrade of earlier versions. `cache` gives them their meaning.

use forage_state::StateFileKind;

pub(crate) const HITS_DB: StateFileKind = StateFileKind {
    application_id: forage_state::application_id(*b"FgHt"),
    version: 4,
    name: "cached hits",
    schema: &["
        -- A query to an engine: its canonical form, one line per term with its sign, sorted.
        CREATE TABLE query (
            id INTEGER PRIMARY KEY,
            engine TEXT NOT NULL,
            page_size INTEGER NOT NULL,
            terms TEXT NOT NULL,
            UNIQUE (engine, page_size, terms)
        );
        -- A page of hits of a query, as JSON; the step that paid for it, whether that step has
        -- reported the call, and whether the engine has a further page.
        CREATE TABLE page (
            query INTEGER NOT NULL REFERENCES query (id),
            number INTEGER NOT NULL,
            step INTEGER NOT NULL,
            call_reported INTEGER NOT NULL DEFAULT 0,
            has_more INTEGER NOT NULL,
            hits TEXT NOT NULL,
            -- Whether the page may be requested once more, and the names of the parts of the engine
            -- whose hits are missing, as JSON.
            provisional INTEGER NOT NULL DEFAULT 0,
            missing TEXT NOT NULL DEFAULT '[]',
            -- When it was requested, in seconds since 1970; 0 if an earlier version stored it.
            at INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (query, number)
        );
        CREATE INDEX page_by_step ON page (step);
        -- URLs that were returned, and the step that returned each first.
        CREATE TABLE returned_url (url TEXT PRIMARY KEY, step INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX returned_url_by_step ON returned_url (step);
        -- Times are in milliseconds since 1970. They are stored so that intervals and back-offs
        -- also hold between processes.
        CREATE TABLE last_call (server TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
        -- Engines that asked to wait: the time before which they must not be called, and the
        -- message of the failure.
        CREATE TABLE backoff (
            engine TEXT PRIMARY KEY,
            retry_at_ms INTEGER NOT NULL,
            message TEXT NOT NULL
        ) WITHOUT ROWID;
        -- Messages that are given once per run.
        CREATE TABLE note (text TEXT PRIMARY KEY) WITHOUT ROWID;
    "],
    upgrades: &[&[UPGRADE_FROM_1], &[UPGRADE_FROM_2], &[UPGRADE_FROM_3]],
};

/// Renames the tables and columns of version 1. Files of the earliest releases
/// of version 1 have neither `call` nor `hold`.
const UPGRADE_FROM_1: &str = "
    CREATE TABLE IF NOT EXISTS call (engine TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS hold (
        engine TEXT PRIMARY KEY, until_ms INTEGER NOT NULL, said TEXT NOT NULL
    ) WITHOUT ROWID;
    ALTER TABLE page RENAME COLUMN charged TO call_reported;
    ALTER TABLE page RENAME COLUMN more TO has_more;
    ALTER TABLE seen RENAME TO returned_url;
    DROP INDEX seen_by_step;
    CREATE INDEX returned_url_by_step ON returned_url (step);
    ALTER TABLE call RENAME TO last_call;
    ALTER TABLE hold RENAME TO backoff;
    ALTER TABLE backoff RENAME COLUMN until_ms TO retry_at_ms;
    ALTER TABLE backoff RENAME COLUMN said TO message;
";

/// Adds what version 2 did not record, and names the servers of calls, which were engines.
const UPGRADE_FROM_2: &str = "
    ALTER TABLE last_call RENAME COLUMN engine TO server;
    ALTER TABLE page ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE page ADD COLUMN missing TEXT NOT NULL DEFAULT '[]';
    CREATE TABLE note (text TEXT PRIMARY KEY) WITHOUT ROWID;
";

/// Adds the times of pages.
const UPGRADE_FROM_3: &str = "ALTER TABLE page ADD COLUMN at INTEGER NOT NULL DEFAULT 0;";

#[cfg(test)]
mod tests {
    use super::HITS_DB;
    use crate::cache::{CachedPage, HitCache};
    use crate::{EngineHit, HitPage};
    use forage_run::ProjectionFile;
    use rusqlite::Connection;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// The tables of version 1, without those that were added later.
    const SCHEMA_1: &str = "
        CREATE TABLE query (
            id INTEGER PRIMARY KEY, engine TEXT NOT NULL, page_size INTEGER NOT NULL,
            terms TEXT NOT NULL, UNIQUE (engine, page_size, terms)
        );
        CREATE TABLE page (
            query INTEGER NOT NULL REFERENCES query (id), number INTEGER NOT NULL,
            step INTEGER NOT NULL, charged INTEGER NOT NULL DEFAULT 0, more INTEGER NOT NULL,
            hits TEXT NOT NULL, PRIMARY KEY (query, number)
        );
        CREATE INDEX page_by_step ON page (step);
        CREATE TABLE seen (url TEXT PRIMARY KEY, step INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX seen_by_step ON seen (step);
    ";

    /// The tables that later files of version 1 have.
    const LATER_SCHEMA_1: &str = "
        CREATE TABLE call (engine TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE hold (
            engine TEXT PRIMARY KEY, until_ms INTEGER NOT NULL, said TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE last_step (
            only INTEGER PRIMARY KEY CHECK (only = 1), step INTEGER NOT NULL
        );
    ";

    fn write_file_of_version_1(path: &Path, statements: &[&str]) {
        let id = HITS_DB.application_id;
        let db = Connection::open(path).unwrap();
        db.execute_batch(&statements.concat()).unwrap();
        db.execute_batch(&format!(
            "PRAGMA application_id = {id}; PRAGMA user_version = 1;"
        ))
        .unwrap();
    }

    /// Returns the version, the tables with their columns, and the indexes of a file.
    fn layout(path: &Path) -> Vec<String> {
        let db = Connection::open(path).unwrap();
        let select = "
            SELECT 'version ' || user_version FROM pragma_user_version
            UNION ALL
            SELECT s.type || ' ' || s.name || ' ' || c.name || ' ' || c.type
            FROM sqlite_schema AS s, pragma_table_info(s.name) AS c WHERE s.type = 'table'
            UNION ALL
            SELECT type || ' ' || name || ' ' || tbl_name FROM sqlite_schema WHERE type = 'index'
            ORDER BY 1";
        let mut select = db.prepare(select).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn upgrades_a_file_of_version_1_without_loss() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let rows = r#"
            INSERT INTO query VALUES (7, 'e:', 10, '+a');
            INSERT INTO page VALUES (7, 1, 3, 1, 1, '[{"url":"u","title":"T"}]');
            INSERT INTO page VALUES (7, 2, 4, 0, 0, '{"hits":[{"url":"v"}],"total":2}');
            INSERT INTO seen VALUES ('u', 3);
            INSERT INTO call VALUES ('e:', 1700000000123);
            INSERT INTO hold VALUES ('e:', 1700000000456, 'wait');
            INSERT INTO last_step VALUES (1, 4);
        "#;
        write_file_of_version_1(&path, &[SCHEMA_1, LATER_SCHEMA_1, rows]);
        // Opened twice: the second time, there is nothing to upgrade.
        for _ in 0..2 {
            let mut cache = HitCache::open(&path).unwrap();
            assert_eq!(cache.query_id("e:", 10, "+a").unwrap(), 7);
            assert_eq!(
                cache.page(7, 1).unwrap(),
                Some(CachedPage {
                    page: HitPage {
                        hits: vec![EngineHit {
                            url: "u".into(),
                            title: Some("T".into()),
                            ..EngineHit::default()
                        }],
                        has_more: true,
                        ..HitPage::default()
                    },
                    step: 3,
                    is_call_reported: true,
                    is_provisional: false,
                    missing: Vec::new(),
                })
            );
            let second = cache.page(7, 2).unwrap().unwrap();
            assert_eq!((second.step, second.is_call_reported), (4, false));
            assert_eq!(second.page.counts.total, Some(2));
            assert!(!second.page.has_more);
            assert!(cache.is_returned("u").unwrap() && !cache.is_returned("v").unwrap());
            let time = |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
            assert_eq!(
                cache.last_call("e:").unwrap(),
                Some(time(1_700_000_000_123))
            );
            assert_eq!(
                cache.backoff("e:").unwrap(),
                Some((time(1_700_000_000_456), "wait".into()))
            );
            assert!(!cache.lacks_steps_before(5) && cache.lacks_steps_before(6));
            cache.merge_wal().unwrap();
        }
        let new = dir.path().join("new.db");
        HitCache::open(&new).unwrap().merge_wal().unwrap();
        assert_eq!(layout(&path), layout(&new));
    }

    #[test]
    fn upgrades_a_file_of_version_1_that_lacks_later_tables() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let rows = "INSERT INTO seen VALUES ('u', 3);";
        write_file_of_version_1(&path, &[SCHEMA_1, rows]);
        let mut cache = HitCache::open(&path).unwrap();
        assert!(cache.is_returned("u").unwrap());
        assert_eq!(cache.last_call("e:").unwrap(), None);
        assert_eq!(cache.backoff("e:").unwrap(), None);
        cache.merge_wal().unwrap();
        drop(cache);
        let new = dir.path().join("new.db");
        HitCache::open(&new).unwrap().merge_wal().unwrap();
        assert_eq!(layout(&path), layout(&new));
    }
}
