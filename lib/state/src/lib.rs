//! How a tool opens the SQLite file that holds its state.
//!
//! Every state file of Forage is one SQLite database in WAL mode, written by one tool and readable
//! by all (and by the `sqlite3` shell). A file says what it is by `application_id` and in which
//! version by `user_version`, so that a foreign file, another tool's file or one of a newer Forage
//! is refused before anything in it is touched. Who opens it to write holds a lock on it until it
//! is closed: what a tool remembers of it between commits stays true.
//!
//! Durability: what was committed survives a kill, and a power failure, as each commit is synced
//! (measured: below 1 ms on an SSD).
//!
//! A file whose WAL was copied into it ([`StateFile::merge_wal`]) is complete by itself. A tool settles
//! its file when it ends normally; only in a step of a pipeline, where it is started again at once,
//! does it leave that to the end of the run.
//!
//! A projection of the journal (a duplicate index, the URLs handed out) also records the last step
//! that it contains ([`StateFile::last_step`]), so that one that lacks steps of the journal is noticed
//! and rebuilt.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::fs::{File, TryLockError};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a state file is: who it belongs to, and how to make an empty one.
#[derive(Debug, Clone, Copy)]
pub struct StateFileKind {
    /// SQLite's `application_id`: four ASCII letters read as a big-endian number.
    pub application_id: i32,
    /// SQLite's `user_version`: raised when `schema` changes its meaning.
    pub version: i32,
    /// The oldest version that is still opened.
    pub oldest_version: i32,
    /// What the file is called in messages, as in "term statistics".
    pub name: &'static str,
    /// The statements that make an empty file, one text for each owner of tables.
    pub schema: &'static [&'static str],
}

/// Makes the table in which a projection of the journal keeps the last step that it contains, where
/// there is none.
///
/// Rows: none before the first step was taken in, one after it. Step 0 stands for the initial
/// documents.
pub const LAST_STEP_TABLE: &str = "CREATE TABLE IF NOT EXISTS last_step (only INTEGER PRIMARY KEY CHECK (only = 1), step INTEGER NOT NULL);";

/// The `application_id` of four ASCII letters.
pub const fn application_id(letters: [u8; 4]) -> i32 {
    i32::from_be_bytes(letters)
}

/// Why a state file could not be opened or used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// There is no such file of this kind, and the tool only reads it.
    #[error("{}: there is no such file of {}", .0.display(), .1)]
    Missing(PathBuf, &'static str),
    /// The file is SQLite's, or somebody's, but not of this kind.
    #[error("{}: is not a file of {}; it was left as it is; move it away to have one made", .0.display(), .1)]
    Foreign(PathBuf, &'static str),
    /// The file was written by a newer Forage.
    #[error("{}: is {name} of version {found}, this program knows versions up to {known}; use a newer Forage", .path.display())]
    Newer {
        /// The file that was named.
        path: PathBuf,
        /// What it is.
        name: &'static str,
        /// Its version.
        found: i32,
        /// The newest version that this program knows.
        known: i32,
    },
    /// Another process writes it.
    #[error("{}: another process is at work on it; wait until that has ended", .0.display())]
    InUse(PathBuf),
    /// Opening, reading or writing the file failed, as SQLite says.
    #[error("{}: {}", .0.display(), describe_sqlite_error(.1))]
    Sql(PathBuf, #[source] rusqlite::Error),
    /// The file was written by an older Forage.
    #[error("{}: is {name} of version {found}, which this program no longer reads; move it away and make it anew from the journal", .path.display())]
    Older {
        /// The file that was named.
        path: PathBuf,
        /// What it is.
        name: &'static str,
        /// Its version.
        found: i32,
    },
    /// Locking the file failed, as the system says.
    #[error("{}: can't be locked: {}", .0.display(), .1)]
    Lock(PathBuf, #[source] std::io::Error),
}

/// What SQLite said, once and without its numbers; for a damaged file with what to do.
pub fn describe_sqlite_error(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => match code.code {
            rusqlite::ErrorCode::DatabaseCorrupt => {
                "is damaged; move it away and make it anew from the journal".into()
            }
            _ => message.clone().unwrap_or_else(|| error.to_string()),
        },
        _ => error.to_string(),
    }
}

/// A state file that is open.
#[derive(Debug)]
pub struct StateFile {
    connection: Connection,
    /// As it was given; empty for a state in memory.
    path: PathBuf,
    /// Goes after the connection: closing any handle of the file lets go of SQLite's own locks on
    /// it.
    _lock: Option<File>,
}

impl StateFile {
    /// A state that ends with the process.
    ///
    /// # Errors
    /// When SQLite has no memory.
    pub fn in_memory(kind: &StateFileKind) -> rusqlite::Result<StateFile> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&kind.schema.concat())?;
        Ok(StateFile {
            connection,
            path: PathBuf::new(),
            _lock: None,
        })
    }

    /// The file's name; empty for one in memory.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Names the file in an error of SQLite's.
    pub fn sqlite_error(&self, source: rusqlite::Error) -> StateError {
        StateError::Sql(self.path.clone(), source)
    }

    /// Removes all rows of all tables, in a transaction of its own.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn clear(&self) -> rusqlite::Result<()> {
        self.begin()?;
        let tables =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let tables = self
            .prepare(tables)?
            .query_map([], |row| row.get(0))?
            .collect::<Result<Vec<String>, _>>()?;
        for table in tables {
            self.execute_batch(&format!("DELETE FROM \"{table}\""))?;
        }
        self.commit()
    }

    /// Begins a transaction that writes, unless one is open.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn begin(&self) -> rusqlite::Result<()> {
        if self.is_autocommit() {
            self.execute_batch("BEGIN IMMEDIATE")
        } else {
            Ok(())
        }
    }

    /// Ends the open transaction, if there is one; after it all that was written survives a kill.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn commit(&self) -> rusqlite::Result<()> {
        if self.is_autocommit() {
            return Ok(());
        }
        self.execute_batch("COMMIT")?;
        if self
            .connection
            .path()
            .is_some_and(|path| wal_bytes(path) > WAL_BYTES)
        {
            self.checkpoint()
        } else {
            Ok(())
        }
    }

    /// Gives up the open transaction, if there is one.
    pub fn roll_back(&self) {
        if !self.is_autocommit() {
            let _ = self.execute_batch("ROLLBACK");
        }
    }

    /// Copies the WAL into the database, so that the one file holds all that was committed, and
    /// gives the WAL up, so that the file can be read where nothing can be written. A reader that
    /// still needs the WAL keeps it there; that is no failure. [`open`] brings it back. What was
    /// not committed is given up.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn merge_wal(&self) -> rusqlite::Result<()> {
        self.roll_back();
        self.checkpoint()?;
        self.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        match self.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())) {
            Err(busy) if busy.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                Ok(())
            }
            settled => settled,
        }
    }

    /// A reader that still needs the WAL is no failure: SQLite reports it in the row, which is not
    /// looked at, and the next commit tries again.
    fn checkpoint(&self) -> rusqlite::Result<()> {
        self.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// The last step of the journal that this projection contains; `None` where it contains nothing
    /// of a journal.
    ///
    /// # Errors
    /// When the file can't be read, or it lacks [`LAST_STEP_TABLE`].
    pub fn last_step(&self) -> rusqlite::Result<Option<u64>> {
        self.prepare_cached("SELECT step FROM last_step")?
            .query_row([], |row| row.get(0))
            .optional()
    }

    /// Records the last step that the projection contains, in the open transaction; `None` where it
    /// contains nothing.
    ///
    /// # Errors
    /// When the file can't be written, or it lacks [`LAST_STEP_TABLE`].
    pub fn set_last_step(&self, step: Option<u64>) -> rusqlite::Result<()> {
        match step.map(|step| i64::try_from(step).unwrap_or(i64::MAX)) {
            Some(step) => self
                .prepare_cached("INSERT OR REPLACE INTO last_step VALUES (1, ?)")?
                .execute([step]),
            None => self.execute("DELETE FROM last_step", []),
        }
        .map(drop)
    }
}

/// Whether a projection whose last step is `last` lacks a step before `next`: it was put back from
/// an older copy, or lost what its WAL held.
pub fn lacks_steps_before(last: Option<u64>, next: u64) -> bool {
    last.is_none_or(|last| last.saturating_add(1) < next)
}

/// Bytes of the WAL beside the database at `path`; 0 where there is none.
fn wal_bytes(path: &str) -> u64 {
    std::fs::metadata(format!("{path}-wal")).map_or(0, |wal| wal.len())
}

impl Deref for StateFile {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// How long a tool waits for another that holds the file's lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
const LOCK_POLL: Duration = Duration::from_millis(2);

/// Bytes of the WAL after which a commit copies it into the database. The WAL is read whole by each
/// process that opens the file, a short-lived tool thousands of times, so it is kept small.
const WAL_BYTES: u64 = 2 << 20;

/// Opens `path` to read and write; makes the file when there is none.
///
/// # Errors
/// When the file is of another kind or a newer version, or can't be opened or made.
pub fn open(path: &Path, kind: &StateFileKind) -> Result<StateFile, StateError> {
    let fail = |source| open_error(path, kind, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(fail)?;
    db.busy_timeout(LOCK_WAIT).map_err(fail)?;
    if is_empty(&db, path, kind)? {
        create(&mut db, kind).map_err(fail)?;
    }
    tune(&db).map_err(fail)?;
    let lock = lock(path)?;
    // A file that was settled has none.
    db.pragma_update(None, "journal_mode", "WAL")
        .map_err(fail)?;
    Ok(StateFile {
        connection: db,
        path: path.into(),
        _lock: Some(lock),
    })
}

/// Locks a file that is there, against other processes, until what is returned is dropped. Waits
/// for a moment: the tool of the step before may be just about to end.
///
/// # Errors
/// When another process has it, or it can't be locked.
pub fn lock(path: &Path) -> Result<File, StateError> {
    let fail = |source| StateError::Lock(path.into(), source);
    let file = File::open(path).map_err(fail)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_POLL)
            }
            Err(TryLockError::WouldBlock) => return Err(StateError::InUse(path.into())),
            Err(TryLockError::Error(source)) => return Err(fail(source)),
        }
    }
}

/// Opens `path` only to read.
///
/// # Errors
/// As [`open`], and when there is no such file.
pub fn open_read_only(path: &Path, kind: &StateFileKind) -> Result<StateFile, StateError> {
    let fail = |source| open_error(path, kind, source);
    if !path.exists() {
        return Err(StateError::Missing(path.into(), kind.name));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)
        .or_else(|_| {
            Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )
        })
        .map_err(fail)?;
    db.busy_timeout(LOCK_WAIT).map_err(fail)?;
    if is_empty(&db, path, kind)? {
        return Err(StateError::Foreign(path.into(), kind.name));
    }
    // Beside a file that its writer settled, a reader leaves no empty WAL behind.
    let is_settled = db.path().is_some_and(|path| wal_bytes(path) == 0);
    tune(&db).map_err(fail)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_settled)
        .map_err(fail)?;
    db.pragma_update(None, "query_only", true).map_err(fail)?;
    Ok(StateFile {
        connection: db,
        path: path.into(),
        _lock: None,
    })
}

/// Whether the file is empty; fails where it is neither that nor of this kind. It is not changed.
fn is_empty(db: &Connection, path: &Path, kind: &StateFileKind) -> Result<bool, StateError> {
    let fail = |source| open_error(path, kind, source);
    let number =
        |pragma: &str| db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i32>(0));
    let id = number("application_id").map_err(fail)?;
    let found = number("user_version").map_err(fail)?;
    let tables: i64 = db
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(fail)?;
    match (id, tables) {
        (0, 0) => Ok(true),
        (id, _) if id != kind.application_id => Err(StateError::Foreign(path.into(), kind.name)),
        _ if found > kind.version => Err(StateError::Newer {
            path: path.into(),
            name: kind.name,
            found,
            known: kind.version,
        }),
        _ if found < kind.oldest_version => Err(StateError::Older {
            path: path.into(),
            name: kind.name,
            found,
        }),
        _ => Ok(false),
    }
}

/// Makes an empty file in one transaction, so that a kill leaves either nothing or all of it.
fn create(db: &mut Connection, kind: &StateFileKind) -> rusqlite::Result<()> {
    db.pragma_update(None, "journal_mode", "WAL")?;
    let make = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let tables: i64 = make.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        make.execute_batch(&kind.schema.concat())?;
        make.pragma_update(None, "application_id", kind.application_id)?;
        make.pragma_update(None, "user_version", kind.version)?;
    }
    make.commit()
}

fn tune(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    db.pragma_update(None, "cache_size", -16_384)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    // Closing would copy the WAL and sync twice; a tool that lives for one record must not pay that
    // each time.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn open_error(path: &Path, kind: &StateFileKind, source: rusqlite::Error) -> StateError {
    match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => StateError::Foreign(path.into(), kind.name),
        _ => StateError::Sql(path.into(), source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: StateFileKind = StateFileKind {
        application_id: application_id(*b"Test"),
        version: 2,
        oldest_version: 1,
        name: "test data",
        schema: &["CREATE TABLE t (x INTEGER);"],
    };

    /// A folder, and the path of a state file in it.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("a folder for the test");
        let path = dir.path().join("state.db");
        (dir, path)
    }

    #[test]
    fn makes_a_file_and_opens_it_again() {
        let (_dir, path) = folder();
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
    fn refuses_a_foreign_file_and_leaves_it_as_it_is() {
        let (_dir, path) = folder();
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
    fn refuses_another_tools_file_and_a_newer_version() {
        let (_dir, path) = folder();
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
                known: 1,
                ..
            })
        ));
    }

    #[test]
    fn a_second_writer_is_told_to_wait() {
        let (_dir, path) = folder();
        let first = open(&path, &KIND).unwrap();
        assert!(matches!(open(&path, &KIND), Err(StateError::InUse(_))));
        assert!(open_read_only(&path, &KIND).is_ok());
        drop(first);
        assert!(open(&path, &KIND).is_ok());
    }

    #[test]
    fn a_settled_file_is_complete_without_its_wal() {
        let (dir, path) = folder();
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
        // Nor does a reader leave anything beside it.
        let x: i64 = open_read_only(&path, &KIND)
            .unwrap()
            .query_row("SELECT x FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!((x, fs_names(&dir)), (7, vec!["state.db".to_owned()]));
    }

    #[test]
    fn settling_waits_for_no_reader() {
        let (_dir, path) = folder();
        let state = open(&path, &KIND).unwrap();
        state.execute("INSERT INTO t VALUES (7)", []).unwrap();
        let reader = open_read_only(&path, &KIND).unwrap();
        let mut rows = reader.prepare("SELECT x FROM t").unwrap();
        let mut rows = rows.query([]).unwrap();
        assert!(rows.next().unwrap().is_some());
        state.busy_timeout(Duration::ZERO).unwrap();
        state.merge_wal().unwrap();
    }

    fn fs_names(dir: &tempfile::TempDir) -> Vec<String> {
        std::fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn a_projection_knows_the_last_step_that_it_contains() {
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
    fn says_that_a_file_to_read_is_missing() {
        let (_dir, path) = folder();
        assert!(matches!(
            open_read_only(&path, &KIND),
            Err(StateError::Missing(..))
        ));
    }
}
