//! Tests of state files.

use super::*;

const KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"Test"),
    version: 2,
    name: "test data",
    schema: &["CREATE TABLE t (x INTEGER);"],
    upgrades: &[&["ALTER TABLE s RENAME TO r;", "ALTER TABLE r RENAME TO t;"]],
};
const KIND_1: StateFileKind = StateFileKind {
    version: 1,
    schema: &["CREATE TABLE s (x INTEGER);"],
    upgrades: &[],
    ..KIND
};

/// Returns a temporary folder, and the path of a state file in it.
fn state_path() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("state.db");
    (dir, path)
}

#[test]
fn creates_a_file_and_reopens_it() {
    let (_dir, path) = state_path();
    open(&path, &KIND)
        .unwrap()
        .execute("INSERT INTO t VALUES (7)", [])
        .unwrap();
    let x: i64 = open_read_only(&path, &KIND)
        .unwrap()
        .query_row("SELECT x FROM t", [], |row| row.get(0))
        .unwrap();
    assert_eq!(x, 7);
}

#[test]
fn refuses_a_foreign_file_and_leaves_it_unchanged() {
    let (_dir, path) = state_path();
    let text = "dear sir, ".repeat(1000);
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(open(&path, &KIND), Err(StateError::Foreign(..))));
    assert!(matches!(
        open_read_only(&path, &KIND),
        Err(StateError::Foreign(..))
    ));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn refuses_the_file_of_another_tool_and_a_newer_version() {
    let (_dir, path) = state_path();
    drop(open(&path, &KIND).unwrap());
    let other = StateFileKind {
        application_id: 5,
        ..KIND
    };
    assert!(matches!(open(&path, &other), Err(StateError::Foreign(..))));
    let older = StateFileKind { version: 1, ..KIND };
    assert!(matches!(
        open(&path, &older),
        Err(StateError::Newer {
            found: 2,
            supported: 1,
            ..
        })
    ));
}

#[test]
fn upgrades_an_earlier_version_in_place() {
    let (_dir, path) = state_path();
    let old = open(&path, &KIND_1).unwrap();
    old.execute("INSERT INTO s VALUES (7)", []).unwrap();
    drop(old);
    // A reader does not upgrade.
    assert!(matches!(
        open_read_only(&path, &KIND),
        Err(StateError::Older { found: 1, .. })
    ));
    for _ in 0..2 {
        let x: i64 = open(&path, &KIND)
            .unwrap()
            .query_row("SELECT x FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(x, 7);
    }
}

#[test]
fn a_version_without_upgrade_is_refused_and_a_failed_upgrade_changes_nothing() {
    let (_dir, path) = state_path();
    let old = open(&path, &KIND_1).unwrap();
    drop(old);
    let later = StateFileKind {
        version: 3,
        upgrades: &[&["SELECT 1;"]],
        ..KIND
    };
    assert!(matches!(
        open(&path, &later),
        Err(StateError::Older { found: 1, .. })
    ));
    let failing = StateFileKind {
        upgrades: &[&["DROP TABLE s;", "DROP TABLE missing;"]],
        ..KIND
    };
    assert!(matches!(open(&path, &failing), Err(StateError::Sql(..))));
    open(&path, &KIND_1)
        .unwrap()
        .execute("INSERT INTO s VALUES (7)", [])
        .unwrap();
}

#[test]
fn replaces_a_file_of_any_version_only_when_the_new_one_is_complete() {
    let (dir, path) = state_path();
    let link = dir.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let old = open(&path, &KIND_1).unwrap();
    old.execute("INSERT INTO s VALUES (7)", []).unwrap();
    // A kill leaves a WAL.
    drop(old);
    assert!(file_names(&dir).contains(&"state.db-wal".to_owned()));
    let failure = replace(&link, &KIND, |new| {
        new.execute("INSERT INTO t VALUES (8)", []).unwrap();
        Err::<(), _>(StateError::InUse(PathBuf::new(), None))
    });
    assert!(failure.is_err() && open_read_only(&path, &KIND_1).is_ok());
    replace(&link, &KIND, |new| {
        new.execute("INSERT INTO t VALUES (9)", []).unwrap();
        new.merge_wal().unwrap();
        Ok::<_, StateError>(())
    })
    .unwrap();
    let x: i64 = open_read_only(&link, &KIND)
        .unwrap()
        .query_row("SELECT x FROM t", [], |row| row.get(0))
        .unwrap();
    let mut files = file_names(&dir);
    files.sort_unstable();
    assert_eq!(
        (x, files),
        (9, vec!["link.db".to_owned(), "state.db".into()])
    );
}

#[test]
fn a_second_writer_is_refused_until_the_first_closes_the_file() {
    let (_dir, path) = state_path();
    let first = open(&path, &KIND).unwrap();
    assert!(matches!(
        open(&path, &KIND),
        Err(StateError::InUse(_, Some(_)))
    ));
    assert!(open_read_only(&path, &KIND).is_ok());
    drop(first);
    assert!(open(&path, &KIND).is_ok());
}

#[test]
fn a_file_with_a_merged_wal_is_complete() {
    let (dir, path) = state_path();
    let state = open(&path, &KIND).unwrap();
    state.execute("INSERT INTO t VALUES (7)", []).unwrap();
    let wal = || {
        dir.path()
            .join("state.db-wal")
            .metadata()
            .map_or(0, |wal| wal.len())
    };
    assert!(wal() > 0);
    state.merge_wal().unwrap();
    drop(state);
    assert!(!dir.path().join("state.db-wal").exists());
    // Reading creates no other files either.
    let x: i64 = open_read_only(&path, &KIND)
        .unwrap()
        .query_row("SELECT x FROM t", [], |row| row.get(0))
        .unwrap();
    assert_eq!((x, file_names(&dir)), (7, vec!["state.db".to_owned()]));
}

#[test]
fn merging_the_wal_does_not_wait_for_readers() {
    let (_dir, path) = state_path();
    let state = open(&path, &KIND).unwrap();
    state.execute("INSERT INTO t VALUES (7)", []).unwrap();
    let reader = open_read_only(&path, &KIND).unwrap();
    let mut rows = reader.prepare("SELECT x FROM t").unwrap();
    let mut rows = rows.query([]).unwrap();
    assert!(rows.next().unwrap().is_some());
    state.busy_timeout(std::time::Duration::ZERO).unwrap();
    state.merge_wal().unwrap();
}

fn file_names(dir: &tempfile::TempDir) -> Vec<String> {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_projection_stores_the_last_step_that_it_contains() {
    let state = StateFile::in_memory(&KIND).unwrap();
    state.execute_batch(LAST_STEP_TABLE).unwrap();
    assert_eq!(state.last_step().unwrap(), None);
    for step in [Some(0), Some(7), None, Some(3)] {
        state.set_last_step(step).unwrap();
        assert_eq!(state.last_step().unwrap(), step);
    }
    assert!(lacks_steps_before(None, 1) && lacks_steps_before(Some(2), 4));
    assert!(
        !lacks_steps_before(Some(0), 1)
            && !lacks_steps_before(Some(3), 4)
            && !lacks_steps_before(Some(9), 4)
    );
}

#[test]
fn a_missing_file_cannot_be_opened_read_only() {
    let (_dir, path) = state_path();
    assert!(matches!(
        open_read_only(&path, &KIND),
        Err(StateError::Missing(..))
    ));
}

/// Returns the contents of the files of a database: the database, and its WAL if there is one.
fn contents(path: &Path) -> Vec<Option<Vec<u8>>> {
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    [path, &wal].map(|path| std::fs::read(path).ok()).into()
}

#[test]
fn a_file_that_is_refused_keeps_its_wal() {
    let (dir, path) = state_path();
    let source = dir.path().join("source.db");
    let db = Connection::open(&source).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
         CREATE TABLE other (x); INSERT INTO other VALUES (1);",
    )
    .unwrap();
    for suffix in ["", "-wal"] {
        let copy = PathBuf::from(format!("{}{suffix}", path.display()));
        std::fs::copy(format!("{}{suffix}", source.display()), copy).unwrap();
    }
    let before = contents(&path);
    assert!(before[1].as_ref().is_some_and(|wal| !wal.is_empty()));
    assert!(open_read_only(&path, &KIND).is_err());
    assert!(open(&path, &KIND).is_err());
    assert!(contents(&path) == before, "the files have changed");
}

#[test]
fn a_damaged_version_number_is_refused() {
    let (_dir, path) = state_path();
    let db = open(&path, &KIND).unwrap();
    for version in [i32::MIN, -1, i32::MAX] {
        db.pragma_update(None, "user_version", version).unwrap();
        assert!(open_read_only(&path, &KIND).is_err(), "{version}");
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode_and_no_other_file_is_removed() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, path) = state_path();
    drop(open(&path, &KIND).unwrap());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let other = dir.path().join("state.db.new");
    std::fs::write(&other, "of the user").unwrap();
    replace(&path, &KIND, |file| {
        drop(file);
        Ok::<_, StateError>(())
    })
    .unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "of the user");
}

/// Writes a file whose WAL was merged, and returns its path.
fn merged_file() -> (tempfile::TempDir, PathBuf) {
    let (dir, path) = state_path();
    let file = open(&path, &KIND).unwrap();
    file.execute("INSERT INTO t VALUES (7)", []).unwrap();
    file.merge_wal().unwrap();
    (dir, path)
}

/// Reads all pages of a file, and returns the sum of its values.
fn read_all(path: &Path) -> Result<i64, StateError> {
    let file = open_read_only(path, &KIND)?;
    let read = || {
        file.query_row("PRAGMA quick_check", [], |_| Ok(()))?;
        file.query_row("SELECT sum(x) FROM t", [], |row| row.get(0))
    };
    read().map_err(|e| file.sqlite_error(e))
}

/// Changes bits of a byte of a file.
fn flip(path: &Path, bytes: &[u8], at: usize, bits: u8) {
    let mut changed = bytes.to_vec();
    changed[at] ^= bits;
    std::fs::write(path, &changed).unwrap();
}

#[test]
fn a_flipped_bit_is_detected_or_changes_nothing() {
    let (_dir, path) = state_path();
    let file = open(&path, &KIND).unwrap();
    file.execute_batch(
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
         INSERT INTO t SELECT x FROM n",
    )
    .unwrap();
    file.merge_wal().unwrap();
    drop(file);
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 30_000);
    let sum = read_all(&path).unwrap();
    let mut damaged = Vec::from_iter((0..bytes.len()).step_by(97).map(|at| (at, 4)));
    // The number of reserved bytes.
    damaged.extend((0..8).map(|bit| (20, 1 << bit)));
    for (at, bits) in damaged {
        flip(&path, &bytes, at, bits);
        if at > 4096 {
            assert!(check_file(&path).is_err_and(|e| e.is_damage()), "{at}");
        }
        match read_all(&path) {
            Ok(read) => assert!((24..100).contains(&at) && read == sum, "{at}: {read}"),
            Err(error) => assert!(error.is_damage() || at < 100, "{at}: {error}"),
        }
    }
    // One that is opened to be written, too; it is left as it is.
    for at in [200, 5_000] {
        flip(&path, &bytes, at, 4);
        let changed = std::fs::read(&path).unwrap();
        let read = open(&path, &KIND).and_then(|file| {
            let sum: rusqlite::Result<i64> =
                file.query_row("SELECT sum(x) FROM t", [], |row| row.get(0));
            sum.map_err(|e| file.sqlite_error(e))
        });
        let error = read.unwrap_err().to_string();
        assert!(error.contains("is damaged"), "{at}: {error}");
        assert!(
            std::fs::read(&path).unwrap()[4096..] == changed[4096..],
            "{at}"
        );
    }
    std::fs::write(&path, &bytes).unwrap();
    check_file(&path).unwrap();
    assert_eq!(read_all(&path).unwrap(), sum);
}

#[test]
fn a_flipped_bit_in_the_wal_is_detected_or_changes_nothing() {
    let (dir, path) = state_path();
    let wal = dir.path().join("state.db-wal");
    let file = open(&path, &KIND).unwrap();
    for x in 1..=20 {
        file.execute("INSERT INTO t VALUES (?1)", [x]).unwrap();
    }
    drop(file);
    let bytes = std::fs::read(&wal).unwrap();
    assert!(bytes.len() > 20 * 4096);
    let sum = read_all(&path).unwrap();
    for at in (0..32).chain((32..bytes.len()).step_by(1_009)) {
        flip(&wal, &bytes, at, 16);
        for read in [
            read_all(&path),
            check_file(&path).map(|()| sum),
            open(&path, &KIND).map(|_| sum),
        ] {
            match read {
                Ok(read) => assert_eq!(read, sum, "{at}"),
                Err(error) => assert!(error.is_damage(), "{at}: {error}"),
            }
        }
    }
    std::fs::write(&wal, &bytes).unwrap();
    assert_eq!(read_all(&path).unwrap(), sum);
    // What a power failure during a commit leaves, found after the machine was started again.
    let times = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    let older = |changed_at: usize| {
        flip(&wal, &bytes, changed_at, 1);
        File::options()
            .write(true)
            .open(&wal)
            .unwrap()
            .set_times(times)
            .unwrap();
        read_all(&path)
    };
    assert_eq!(older(bytes.len() - 9).unwrap(), sum - 20);
    assert!(older(bytes.len() / 2).unwrap_err().is_damage());
}

#[test]
fn values_that_fill_several_pages_are_checked() {
    let (_dir, path) = merged_file();
    let file = open(&path, &KIND).unwrap();
    file.execute("UPDATE t SET x = ?1", ["long".repeat(9_000)])
        .unwrap();
    file.merge_wal().unwrap();
    drop(file);
    let read = || {
        let file = open_read_only(&path, &KIND).unwrap();
        let value: rusqlite::Result<String> =
            file.query_row("SELECT x FROM t", [], |row| row.get(0));
        value.map_err(|e| file.sqlite_error(e))
    };
    assert_eq!(read().unwrap().len(), 36_000);
    let bytes = std::fs::read(&path).unwrap();
    for at in (9_000..bytes.len()).step_by(3_000) {
        flip(&path, &bytes, at, 1);
        assert!(check_file(&path).is_err(), "{at}");
        assert!(read().is_err_and(|error| error.is_damage()), "{at}");
    }
}

#[test]
fn pages_are_checked_after_a_kill_and_after_a_checkpoint() {
    let (_dir, path) = merged_file();
    let file = open(&path, &KIND).unwrap();
    for x in 0..2_000 {
        file.execute("INSERT INTO t VALUES (?1)", [x]).unwrap();
    }
    file.checkpoint().unwrap();
    drop(file);
    assert!(wal_bytes(&path.display().to_string()) == 0);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(read_all(&path).unwrap(), 7 + 1_999 * 1_000);
    flip(&path, &bytes, bytes.len() - 700, 4);
    assert!(read_all(&path).unwrap_err().is_damage());
}

#[test]
fn a_file_of_an_earlier_version_has_no_checksums() {
    let (_dir, path) = state_path();
    let db = Connection::open(&path).unwrap();
    let schema = format!(
        "{} PRAGMA application_id = {}; PRAGMA user_version = {}; INSERT INTO t VALUES (7);",
        KIND.schema.concat(),
        KIND.application_id,
        KIND.version
    );
    db.execute_batch(&schema).unwrap();
    drop(db);
    // With the digest of one.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(b"\nforage blake3: 0123456789abcdef0123456789abcdef");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(read_all(&path).unwrap(), 7);
    let file = open(&path, &KIND).unwrap();
    file.execute("INSERT INTO t VALUES (8)", []).unwrap();
    file.merge_wal().unwrap();
    drop(file);
    assert_eq!(read_all(&path).unwrap(), 15);
}

#[test]
fn a_file_whose_wal_another_program_has_merged_can_be_read() {
    let (_dir, path) = merged_file();
    let file = open(&path, &KIND).unwrap();
    file.execute("UPDATE t SET x = 8", []).unwrap();
    drop(file);
    let db = Connection::open(&path).unwrap();
    let x: i64 = db
        .query_row("SELECT x FROM t", [], |row| row.get(0))
        .unwrap();
    db.close().unwrap();
    assert_eq!((x, wal_bytes(&path.display().to_string())), (8, 0));
    assert_eq!(read_all(&path).unwrap(), 8);
}

#[test]
fn checksums_are_renewed_after_a_file_was_written_by_other_means() {
    let (_dir, path) = merged_file();
    let db = Connection::open(&path).unwrap();
    db.execute("UPDATE t SET x = 8", []).unwrap();
    drop(db);
    assert!(read_all(&path).unwrap_err().is_damage());
    renew_checksums(&path).unwrap();
    assert_eq!(read_all(&path).unwrap(), 8);
}

#[test]
fn a_file_that_another_connection_creates_is_never_foreign() {
    let (dir, _) = state_path();
    for round in 0..300 {
        let path = dir.path().join(format!("{round}.db"));
        let connect = || {
            let db = Connection::open(&path).unwrap();
            db.busy_timeout(LOCK_WAIT).unwrap();
            db
        };
        let reader = connect();
        std::thread::scope(|threads| {
            threads.spawn(|| create_schema(&mut connect(), &KIND).unwrap());
            while check_version(&reader, &path, &KIND).unwrap().is_none() {}
        });
    }
}
