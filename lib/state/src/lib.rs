//! State files: SQLite databases in which tools keep state between runs.
//!
//! Every state file of Forage is one SQLite database in WAL mode, written by one tool and readable
//! by all, including the `sqlite3` shell. `application_id` identifies the kind of file and
//! `user_version` its version, so that a foreign file, a file of another tool and a file of a newer
//! Forage are refused before anything is changed. The writer holds an exclusive lock until it
//! closes the file, so that data that it caches between commits stays valid.
//!
//! Durability: committed data survives a kill and a power failure, because each commit is synced
//! (measured at below 1 ms on an SSD). A tool may set `synchronous` to a lower level for state
//! whose loss costs little.
//!
//! After the WAL was merged ([`StateFile::merge_wal`]), the database file is complete on its own. A
//! tool merges the WAL when it ends normally. Within a pipeline, where a process of the next step
//! opens the file again, the WAL is merged at the end of the run only, and before that copied into
//! the database when it has grown: a process that lives for one step must not sync twice.
//!
//! Each page of a file has a checksum (`checksum`), so that a change of its content by a disk, or
//! by hand, is detected when the page is read; [`check_file`] reads all.
//!
//! A projection of the journal, such as the duplicate index or the URLs that were returned, also
//! records the last step that it contains ([`StateFile::last_step`]), so that a projection that
//! lacks steps of the journal is detected and rebuilt.

mod checksum;
mod count;
mod error;
mod lock;
mod replace;
mod step_file;
mod wal;

pub use checksum::renew_checksums;
pub use count::{MAX_COUNT, read_count};
pub use error::{StateError, describe_sqlite_error};
pub use lock::lock;
pub use replace::replace;
pub use step_file::{StepFile, sqlite_step};

use checksum::check_pages;
use error::{damage, describe_open_failure, older_error, open_error};
use lock::LOCK_WAIT;
use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A kind of state file: its identification, and the schema of an empty one.
#[derive(Debug, Clone, Copy)]
pub struct StateFileKind {
    /// The `application_id` of SQLite: four ASCII letters, read as a big-endian number.
    pub application_id: i32,
    /// The `user_version` of SQLite. It increases when `schema` changes its meaning.
    pub version: i32,
    /// A description of the content for messages, such as "term statistics".
    pub name: &'static str,
    /// The SQL that creates an empty file, one script for each owner of tables. One of its own may
    /// set the size of the pages.
    pub schema: &'static [&'static str],
    /// The SQL that upgrades a file in place: for each of the versions before `version`, in order,
    /// the scripts that lead to the next version. An older file is refused.
    pub upgrades: &'static [&'static [&'static str]],
}

impl StateFileKind {
    /// Returns the scripts that upgrade a file of version `found`; `None` if it is too old.
    fn upgrades_from(&self, found: i32) -> Option<&'static [&'static [&'static str]]> {
        let missing = usize::try_from(self.version.checked_sub(found)?).ok()?;
        let first = self.upgrades.len().checked_sub(missing)?;
        Some(&self.upgrades[first..])
    }
}

/// SQL that creates the table for the last step that a projection of the journal contains, unless
/// it exists.
///
/// The table is empty before the first step, and has one row after it. Step 0 is the initial
/// documents.
pub const LAST_STEP_TABLE: &str = "CREATE TABLE IF NOT EXISTS last_step \
    (only INTEGER PRIMARY KEY CHECK (only = 1), step INTEGER NOT NULL);";

/// Returns the `application_id` of four ASCII letters.
pub const fn application_id(letters: [u8; 4]) -> i32 {
    i32::from_be_bytes(letters)
}

/// An open state file.
#[derive(Debug)]
pub struct StateFile {
    connection: Connection,
    /// The path that was passed to [`open`]; empty for an in-memory database.
    path: PathBuf,
    /// Dropped after the connection, because closing any handle of the file releases SQLite's own
    /// locks on it.
    _lock: Option<File>,
}

impl StateFile {
    /// Opens an in-memory database, which is lost when it is closed.
    ///
    /// # Errors
    /// Fails if SQLite is out of memory.
    pub fn in_memory(kind: &StateFileKind) -> rusqlite::Result<StateFile> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&kind.schema.concat())?;
        Ok(StateFile {
            connection,
            path: PathBuf::new(),
            _lock: None,
        })
    }

    /// Returns the path of the file for messages; empty for an in-memory database.
    pub fn display_path(&self) -> String {
        self.path.display().to_string()
    }

    /// Adds the path of the file to an SQLite error.
    pub fn sqlite_error(&self, source: rusqlite::Error) -> StateError {
        StateError::Sql(self.path.clone(), source)
    }

    /// Returns `true` if the file has a table, which may be created when it is needed.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn has_table(&self, name: &str) -> rusqlite::Result<bool> {
        self.has_row(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [name],
        )
    }

    /// Returns `true` if a query has a row. As with all queries here, its statement is cached.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn has_row(&self, sql: &str, params: impl Params) -> rusqlite::Result<bool> {
        self.prepare_cached(sql)?.exists(params)
    }

    /// Returns what `read` makes of the first row of a query; `None` if it has none.
    ///
    /// # Errors
    /// Fails if the file or the row cannot be read.
    pub fn find_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.read_row(sql, params, read).optional()
    }

    /// Returns what `read` makes of the first row of a query.
    ///
    /// # Errors
    /// Fails if there is none, or the file or the row cannot be read.
    pub fn read_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.prepare_cached(sql)?.query_row(params, read)
    }

    /// Returns the first column of the first row of a query; `None` if it has no row.
    ///
    /// # Errors
    /// As [`StateFile::find_row`].
    pub fn find_value<T: FromSql>(
        &self,
        sql: &str,
        params: impl Params,
    ) -> rusqlite::Result<Option<T>> {
        self.find_row(sql, params, |row| row.get(0))
    }

    /// Returns what `read` makes of each row of a query.
    ///
    /// # Errors
    /// Fails if the file or a row cannot be read.
    pub fn read_rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.prepare_cached(sql)?.query_map(params, read)?.collect()
    }

    /// Executes a statement, and returns the number of rows that it has changed.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn execute_cached(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        self.prepare_cached(sql)?.execute(params)
    }

    /// Executes a statement as [`StateFile::execute_cached`] does.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write_cached(&self, sql: &str, params: impl Params) -> rusqlite::Result<()> {
        self.execute_cached(sql, params).map(drop)
    }

    /// Deletes all rows of all tables in one transaction.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn clear(&self) -> rusqlite::Result<()> {
        self.begin()?;
        self.delete_rows(&[])?;
        self.commit()
    }

    /// Deletes all rows of all tables but those of `kept`.
    fn delete_rows(&self, kept: &[&str]) -> rusqlite::Result<()> {
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut tables: Vec<String> = self.read_rows(sql, [], |row| row.get(0))?;
        tables.retain(|table| !kept.contains(&table.as_str()));
        tables
            .iter()
            .try_for_each(|table| self.execute_batch(&format!("DELETE FROM \"{table}\"")))
    }

    /// Begins a write transaction, unless one is open.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn begin(&self) -> rusqlite::Result<()> {
        if self.is_autocommit() {
            self.execute_batch("BEGIN IMMEDIATE")
        } else {
            Ok(())
        }
    }

    /// Commits the open transaction, if there is one. The committed data survives a kill.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
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

    /// Rolls back the open transaction, if there is one.
    pub fn roll_back(&self) {
        if !self.is_autocommit() {
            let _ = self.execute_batch("ROLLBACK");
        }
    }

    /// Checkpoints the WAL and leaves WAL mode, so that the database file contains all committed
    /// data and can be read on a read-only file system. Rolls back an open transaction.
    ///
    /// If a reader still needs the WAL, the WAL is kept, which is not an error. [`open`] restores
    /// WAL mode.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn merge_wal(&self) -> rusqlite::Result<()> {
        self.roll_back();
        self.checkpoint()?;
        self.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        match self.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())) {
            Err(busy) if busy.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                Ok(())
            }
            result => result,
        }
    }

    /// Copies the WAL into the database and truncates it.
    ///
    /// A reader that still needs the WAL prevents this, which is not an error: SQLite reports it in
    /// the result row, which is ignored, and the next commit tries again.
    fn checkpoint(&self) -> rusqlite::Result<()> {
        self.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// Returns the last step of the journal that this projection contains; `None` if it contains no
    /// part of a journal.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or lacks [`LAST_STEP_TABLE`].
    pub fn last_step(&self) -> rusqlite::Result<Option<u64>> {
        self.find_value("SELECT step FROM last_step", [])
    }

    /// Sets the last step that the projection contains, in the open transaction; `None` if it
    /// contains none.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or lacks [`LAST_STEP_TABLE`].
    pub fn set_last_step(&self, step: Option<u64>) -> rusqlite::Result<()> {
        match step.map(sqlite_step) {
            Some(step) => self
                .prepare_cached("INSERT OR REPLACE INTO last_step VALUES (1, ?)")?
                .execute([step]),
            None => self.execute("DELETE FROM last_step", []),
        }
        .map(drop)
    }

    /// Commits the open transaction, if there is one, and `last` as the last step that the file
    /// contains. The file has [`LAST_STEP_TABLE`].
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    pub fn commit_at_step(&self, last: Option<u64>) -> rusqlite::Result<()> {
        if self.last_step()? != last {
            self.begin()?;
            self.set_last_step(last)?;
        }
        self.commit()
    }
}

/// Returns `true` if a projection whose last step is `last` lacks a step before `next`, because it
/// was restored from an older copy or lost its WAL.
pub fn lacks_steps_before(last: Option<u64>, next: u64) -> bool {
    last.is_none_or(|last| last.saturating_add(1) < next)
}

/// Returns the size of the WAL of the database at `path` in bytes; 0 if there is none.
fn wal_bytes(path: &str) -> u64 {
    std::fs::metadata(format!("{path}-wal")).map_or(0, |wal| wal.len())
}

impl Deref for StateFile {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// Size of the WAL in bytes above which a commit copies it into the database. The limit is low
/// because each process that opens the file reads the whole WAL, and a pipeline starts thousands of
/// processes.
const WAL_BYTES: u64 = 2 << 20;

/// Opens `path` for reading and writing; creates the file if it does not exist.
///
/// # Errors
/// Fails if the file is of another kind or an unsupported version, in use, or cannot be opened or
/// created.
pub fn open(path: &Path, kind: &StateFileKind) -> Result<StateFile, StateError> {
    let to_error = |source| open_error(path, kind, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(to_error)?;
    check_pages(&db);
    keep_wal_on_close(&db).map_err(to_error)?;
    db.busy_timeout(LOCK_WAIT).map_err(to_error)?;
    let version = check_version(&db, path, kind)?;
    if version.is_none() {
        create_schema(&mut db, kind).map_err(to_error)?;
    }
    set_pragmas(&db).map_err(to_error)?;
    let lock = lock(path)?;
    // A file whose WAL was merged is not in WAL mode.
    db.pragma_update(None, "journal_mode", "WAL")
        .map_err(to_error)?;
    if version.is_some_and(|version| version < kind.version) {
        upgrade(&db, kind).map_err(to_error)?;
    }
    Ok(StateFile {
        connection: db,
        path: path.into(),
        _lock: Some(lock),
    })
}

/// Opens `path` for reading only.
///
/// # Errors
/// Fails if the file does not exist, is of another kind or an unsupported version, has changed
/// since it was closed, or cannot be opened. A writer that holds the lock is no failure.
pub fn open_read_only(path: &Path, kind: &StateFileKind) -> Result<StateFile, StateError> {
    let to_error = |source| open_error(path, kind, source);
    if !path.exists() {
        return Err(StateError::Missing(path.into(), kind.name));
    }
    // SQLite opens a folder for reading, and fails later.
    if path.is_dir() {
        return Err(StateError::CannotOpen(
            path.into(),
            describe_open_failure(path),
        ));
    }
    // In WAL mode a reader writes the shared-memory file, so write access is tried first.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)
        .or_else(|_| {
            Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )
        })
        .map_err(to_error)?;
    check_pages(&db);
    keep_wal_on_close(&db).map_err(to_error)?;
    db.busy_timeout(LOCK_WAIT).map_err(to_error)?;
    match check_version(&db, path, kind)? {
        None => return Err(StateError::Foreign(path.into(), kind.name)),
        // Only the tool that writes the file upgrades it.
        Some(found) if found < kind.version => return Err(older_error(path, kind, found)),
        Some(_) => {}
    }
    // If the writer merged the WAL, the reader must not leave an empty one behind.
    let is_merged = db.path().is_some_and(|path| wal_bytes(path) == 0);
    set_pragmas(&db).map_err(to_error)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_merged)
        .map_err(to_error)?;
    db.pragma_update(None, "query_only", true)
        .map_err(to_error)?;
    Ok(StateFile {
        connection: db,
        path: path.into(),
        _lock: None,
    })
}

/// Reads all pages of a state file that hold content, to detect damage that a step, which reads few
/// of them, would meet late or never. A file that is missing or no database, or that another
/// process uses, is left to [`open`] to report. Takes 3 ms per MB.
///
/// # Errors
/// Fails if a page is damaged.
pub fn check_file(path: &Path) -> Result<(), StateError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(db) = Connection::open_with_flags(path, flags) else {
        return Ok(());
    };
    check_pages(&db);
    let check = || {
        keep_wal_on_close(&db)?;
        db.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
    };
    match check() {
        Ok(verdict) if verdict != "ok" => Err(damage(path)),
        Ok(_) if has_dropped_commits(&db, path) => Err(damage(path)),
        Err(e) if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt) => {
            Err(StateError::Sql(path.into(), e))
        }
        _ => Ok(()),
    }
}

/// Returns `true` if SQLite has dropped commits from the WAL, and nobody is writing it. The
/// connection has read the file.
fn has_dropped_commits(db: &Connection, path: &Path) -> bool {
    if !wal::has_dropped_commits(db, path) {
        return false;
    }
    match db.execute_batch("BEGIN IMMEDIATE") {
        Ok(()) => {
            let has_dropped = wal::has_dropped_commits(db, path);
            let _ = db.execute_batch("ROLLBACK");
            has_dropped
        }
        Err(e) => e.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly),
    }
}

/// Returns the version of the file; `None` if it is empty. Does not change it.
///
/// # Errors
/// Fails if it is neither empty nor of this kind and a supported version, or has lost commits.
fn check_version(
    db: &Connection,
    path: &Path,
    kind: &StateFileKind,
) -> Result<Option<i32>, StateError> {
    let to_error = |source| open_error(path, kind, source);
    // All values are of one moment, as another process may be creating the file.
    let transaction = db.unchecked_transaction().map_err(to_error)?;
    let id: i32 = transaction
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(to_error)?;
    let found = user_version(&transaction).map_err(to_error)?;
    let tables: i64 = transaction
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(to_error)?;
    drop(transaction);
    if has_dropped_commits(db, path) {
        return Err(damage(path));
    }
    match (id, tables) {
        (0, 0) => Ok(None),
        (id, _) if id != kind.application_id => Err(StateError::Foreign(path.into(), kind.name)),
        _ if found > kind.version => Err(StateError::Newer {
            path: path.into(),
            name: kind.name,
            found,
            supported: kind.version,
        }),
        _ if kind.upgrades_from(found).is_none() => Err(older_error(path, kind, found)),
        _ => Ok(Some(found)),
    }
}

fn user_version(db: &Connection) -> rusqlite::Result<i32> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Upgrades a locked file to the version of `kind` in one transaction.
fn upgrade(db: &Connection, kind: &StateFileKind) -> rusqlite::Result<()> {
    // Read again: another process may have upgraded the file before this one locked it.
    let scripts = kind.upgrades_from(user_version(db)?).unwrap_or_default();
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT;",
        scripts.concat().concat(),
        kind.version
    ))
}

/// Creates the schema in one transaction, so that a kill leaves either nothing or all of it.
fn create_schema(db: &mut Connection, kind: &StateFileKind) -> rusqlite::Result<()> {
    // The size of the pages is fixed with the first one.
    if let Some(pragma) = kind
        .schema
        .iter()
        .find(|sql| sql.starts_with("PRAGMA page_size"))
    {
        db.execute_batch(pragma)?;
    }
    db.pragma_update(None, "journal_mode", "WAL")?;
    let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        transaction.execute_batch(&kind.schema.concat())?;
        transaction.pragma_update(None, "application_id", kind.application_id)?;
        transaction.pragma_update(None, "user_version", kind.version)?;
    }
    transaction.commit()
}

/// Sets the pragmas of a connection.
fn set_pragmas(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    db.pragma_update(None, "cache_size", -16_384)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    keep_wal_on_close(db)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Leaves the WAL as it is when the connection is closed: a file that is refused must not change,
/// and a checkpoint on close would sync twice, which is too slow for a tool that is started once
/// per step.
fn keep_wal_on_close(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map(drop)
}

#[cfg(test)]
mod tests;
