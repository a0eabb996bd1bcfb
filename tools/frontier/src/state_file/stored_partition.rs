//! The partition of the web that a file holds the URLs of.

use forage_state::{StateError, StateFile};
use forage_web::page_url::Partition;
use rusqlite::Result;

/// The table of the partition; without a row, the file holds the whole web.
pub(crate) const SCHEMA: &str = "
        CREATE TABLE partition (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            number INTEGER NOT NULL,
            count INTEGER NOT NULL
        );
        ";

/// Checks that a file is of this partition. An empty file becomes one.
///
/// # Errors
/// Fails if it is of another one, or cannot be read or written.
pub(crate) fn check(file: &StateFile, partition: Option<Partition>) -> Result<(), StateError> {
    let sqlite_error = |e| file.sqlite_error(e);
    let stored = read(file).map_err(sqlite_error)?;
    if stored == partition {
        return Ok(());
    }
    match (stored, partition) {
        (None, Some(partition)) if is_empty(file).map_err(sqlite_error)? => {
            write(file, partition).map_err(sqlite_error)
        }
        (stored, _) => Err(StateError::Mismatch(
            file.display_path().into(),
            match stored {
                Some(stored) => format!("was made with --partition {stored}, which must be given"),
                None => "was made without --partition".into(),
            },
        )),
    }
}

fn read(db: &StateFile) -> Result<Option<Partition>> {
    let sql = "SELECT number, count FROM partition";
    let row: Option<(u32, u32)> = db.find_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // Impossible numbers can only be damage.
    row.map(|(number, count)| {
        Partition::new(number, count)
            .ok_or(rusqlite::Error::IntegralValueOutOfRange(0, number.into()))
    })
    .transpose()
}

fn is_empty(db: &StateFile) -> Result<bool> {
    let has_rows = "SELECT 1 FROM url UNION ALL SELECT 1 FROM last_step";
    Ok(!db.prepare(has_rows)?.exists([])?)
}

fn write(db: &StateFile, partition: Partition) -> Result<()> {
    let sql = "INSERT INTO partition VALUES (1, ?, ?)";
    db.write_cached(sql, [partition.number(), partition.count()])
}

#[cfg(test)]
mod tests {
    use crate::state_file::{CrawlScope, Frontier};
    use forage_run::StepProjection;
    use rusqlite::Connection;
    use std::path::Path;

    fn scope(partition: Option<&str>) -> CrawlScope {
        CrawlScope {
            partition: partition.map(|text| text.parse().unwrap()),
            ..CrawlScope::default()
        }
    }

    fn open(path: &Path, partition: Option<&str>) -> Result<Frontier, String> {
        Frontier::open(path, scope(partition)).map_err(|e| e.to_string())
    }

    /// Opens a frontier, adds seeds, and closes it.
    fn add_seeds(path: &Path, partition: Option<&str>) {
        let mut frontier = open(path, partition).unwrap();
        for host in 0..9 {
            let url = format!("http://h{host}.test/");
            assert_eq!(frontier.add_seed(&url).unwrap(), Ok(true));
        }
        frontier.commit().unwrap();
        frontier.merge_wal().unwrap();
    }

    #[test]
    fn a_file_is_of_one_partition() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier.db");
        add_seeds(&path, Some("3/10"));
        for other in [None, Some("4/10"), Some("3/11")] {
            let error = open(&path, other).unwrap_err();
            assert!(
                error.ends_with("frontier.db: was made with --partition 3/10, which must be given")
            );
        }
        let mut emptied = Frontier::open_empty(&path, scope(Some("3/10"))).unwrap();
        emptied.commit().unwrap();
        drop(emptied);
        assert!(open(&path, Some("4/10")).is_err());
        open(&path, Some("3/10")).unwrap();
    }

    #[test]
    fn a_file_without_a_partition_gets_one_while_it_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier.db");
        open(&path, None).unwrap();
        open(&path, Some("3/10")).unwrap();
        assert!(open(&path, None).is_err());
        let path = dir.path().join("whole.db");
        add_seeds(&path, None);
        let error = open(&path, Some("3/10")).unwrap_err();
        assert!(
            error.ends_with("whole.db: was made without --partition"),
            "{error}"
        );
    }

    #[test]
    fn a_file_of_version_2_is_of_the_whole_web() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier.db");
        add_seeds(&path, None);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("DROP TABLE partition; PRAGMA user_version = 2;")
            .unwrap();
        drop(db);
        forage_state::renew_checksums(&path).unwrap();
        assert!(open(&path, Some("3/10")).is_err());
        assert_eq!(open(&path, None).unwrap().report().unwrap().waiting, 9);
    }

    #[test]
    fn impossible_numbers_are_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier.db");
        add_seeds(&path, Some("3/10"));
        let db = Connection::open(&path).unwrap();
        db.execute("UPDATE partition SET number = 11", []).unwrap();
        drop(db);
        forage_state::renew_checksums(&path).unwrap();
        assert!(open(&path, Some("3/10")).is_err());
    }
}
