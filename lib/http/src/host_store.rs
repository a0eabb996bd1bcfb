//! The host store: a SQLite file with the state of hosts that outlives a run. It holds, for each
//! host, the time of the next request, its failures and its back-off; and for each origin, its
//! robots.txt and the reservations of its tdmrep.json.
//!
//! A pipeline starts the tool anew for each step. Without the store, consecutive runs would violate
//! the delay between requests, fetch each robots.txt again, and wait for the same dead hosts. Times
//! are of the system clock, the only clock that runs share. The store is a cache: a file of an
//! earlier version keeps at most its hosts, and a damaged one can be deleted.

use crate::origin_cache::Cacheable;
use crate::robots_rules::RobotsRules;
use crate::tdm_reservations::TdmReservations;
use crate::{FetchError, SetupError};
use forage_record::ErrorKind;
use forage_state::{StateError, StateFile, StateFileKind, application_id};
use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

const HOST_STORE: StateFileKind = StateFileKind {
    application_id: application_id(*b"FoHo"),
    version: 3,
    name: "hosts",
    schema: &[HOST_TABLE, ORIGIN_TABLES],
    upgrades: &[
        &[DROP_VERSION_1, HOST_TABLE_OF_VERSION_2],
        &[RENAME_HOST_COLUMNS, ORIGIN_TABLES],
    ],
};

/// The time of the next request to a host, and its failed requests in a row. While a host is backed
/// off, `backed_off_until` is not NULL, and the error has the reason. Times are in milliseconds
/// since 1970.
const HOST_TABLE: &str = include_str!("host_table.sql");

/// The robots.txt of each origin: its HTTP status, and its rules for this robot if that is 2xx;
/// status 0 stands for a timeout, with its error message. The rules of its tdmrep.json; NULL if
/// there is no file. Ages are in milliseconds.
const ORIGIN_TABLES: &str = include_str!("origin_tables.sql");

/// Version 1 stored overloaded hosts as hosts that allow everything; nothing of it is kept.
const DROP_VERSION_1: &str = "DROP TABLE host; DROP TABLE robots; DROP TABLE tdm;";
const HOST_TABLE_OF_VERSION_2: &str = "
    CREATE TABLE host (
        name TEXT PRIMARY KEY, next INTEGER NOT NULL, failures INTEGER NOT NULL,
        closed INTEGER, kind TEXT, told TEXT
    ) WITHOUT ROWID;
";
/// The back-off times of version 2 still hold; its files of origins are fetched again.
const RENAME_HOST_COLUMNS: &str = "
    ALTER TABLE host RENAME COLUMN next TO next_request_at;
    ALTER TABLE host RENAME COLUMN closed TO backed_off_until;
    ALTER TABLE host RENAME COLUMN kind TO error_kind;
    ALTER TABLE host RENAME COLUMN told TO error_message;
    DROP TABLE IF EXISTS robots;
    DROP TABLE IF EXISTS tdm;
";
/// The status in the store of a robots.txt whose request timed out.
const TIMEOUT_STATUS: u16 = 0;
/// Longest back-off that a host can request with `Retry-After`. Set by judgement, not measured.
pub(crate) const MAX_BACK_OFF: Duration = Duration::from_hours(24);
/// Longest stored delay before the next request that is respected: a system clock that was set back
/// must not block a host for longer.
const MAX_STORED_DELAY: Duration = Duration::from_mins(10);

/// The state of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostState {
    /// The time from now until the next request.
    pub delay: Duration,
    /// Failed requests in a row.
    pub failures: u32,
    /// The time from now until the back-off ends, and its reason.
    pub back_off: Option<(Duration, FetchError)>,
}

/// A handle to the host store. It can be shared by threads.
#[derive(Debug)]
pub struct HostStore {
    path: PathBuf,
    /// The open file, or why it could not be opened; `None` inside once it is closed.
    file: OnceLock<Result<Mutex<Option<StateFile>>, String>>,
}

impl HostStore {
    /// Returns a handle to the store in the file at `path`. The file is opened, or created, when it
    /// is first used.
    pub fn new(path: &Path) -> Arc<HostStore> {
        Arc::new(HostStore {
            path: path.to_owned(),
            file: OnceLock::new(),
        })
    }

    /// Opens the file.
    ///
    /// # Errors
    /// Fails if the file is not a host store, or cannot be opened.
    pub(crate) fn open(&self) -> Result<(), SetupError> {
        self.file()
            .map(drop)
            .map_err(|e| SetupError::HostStore(e.clone()))
    }

    fn file(&self) -> Result<&Mutex<Option<StateFile>>, &String> {
        self.file
            .get_or_init(|| open_file(&self.path).map(|file| Mutex::new(Some(file))))
            .as_ref()
    }

    /// Returns the stored state of a host.
    pub(crate) fn load_host(&self, name: &str) -> Option<HostState> {
        self.with_file(|file| select_host(file, name).ok())??
    }

    /// Stores the state of a host. It survives a kill of this process.
    pub(crate) fn save_host(&self, name: &str, state: &HostState) {
        let timestamp = |delay: Duration| to_milliseconds(now() + delay);
        let back_off = state.back_off.as_ref();
        let row = (
            name,
            timestamp(state.delay),
            state.failures,
            back_off.map(|(time_left, _)| timestamp(*time_left)),
            back_off.and_then(|(_, reason)| serde_json::to_string(&reason.kind()).ok()),
            back_off.map(|(_, reason)| reason.to_string()),
        );
        self.write("INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?)", row);
    }

    /// Returns the stored robots.txt rules of an origin, and their age.
    pub(crate) fn load_robots_rules(&self, origin: &str) -> Option<(RobotsRules, Duration)> {
        let query = "SELECT fetched_at, max_age, status, rules, error_message
            FROM robots WHERE origin = ?";
        let (fetched_at, max_age, status, rules, error_message) =
            self.query_row(query, origin, |row| {
                Ok((
                    get_duration(row, 0)?,
                    get_duration(row, 1)?,
                    row.get::<_, u16>(2)?,
                    row.get::<_, Option<String>>(3)?,
                    row.get::<_, Option<String>>(4)?,
                ))
            })?;
        let rules = match (status, rules) {
            (TIMEOUT_STATUS, _) => RobotsRules::Unreachable(FetchError::Repeated {
                kind: ErrorKind::Timeout,
                message: error_message.unwrap_or_default(),
            }),
            (_, Some(rules)) => RobotsRules::from_file(rules.as_bytes()),
            (status, None) => RobotsRules::from_status(status, Some(max_age)),
        };
        Some((rules, now().saturating_sub(fetched_at)))
    }

    /// Stores the robots.txt rules of an origin. A failure is not stored, except for a timeout: it
    /// would cost the next run as much time as this one.
    pub(crate) fn save_robots_rules(&self, origin: &str, rules: &RobotsRules) {
        let (status, text, error_message) = match rules {
            RobotsRules::AllowAll => (404, None, None),
            RobotsRules::DisallowAll { status, .. } => (*status, None, None),
            RobotsRules::File(robots) => (200, Some(robots.to_text()), None),
            RobotsRules::Unreachable(e @ FetchError::Timeout(..)) => {
                (TIMEOUT_STATUS, None, Some(e.to_string()))
            }
            RobotsRules::Unreachable(_) => return,
        };
        let fetched_at = to_milliseconds(now());
        let max_age = to_milliseconds(rules.max_age());
        self.write(
            "INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?, ?, ?)",
            (origin, fetched_at, max_age, status, text, error_message),
        );
    }

    /// Returns the origins that were the last to respond to the request for their robots.txt.
    pub(crate) fn load_live_origins(&self, count: usize) -> Vec<String> {
        // Status 0 stands for a timeout.
        let select = "SELECT origin FROM robots WHERE status <> 0
            ORDER BY fetched_at DESC, origin LIMIT ?1";
        self.query_names(select, count)
    }

    /// Returns hosts whose last request failed.
    pub(crate) fn load_failing_hosts(&self, count: usize) -> Vec<String> {
        let select = "SELECT name FROM host WHERE failures > 0 LIMIT ?1";
        self.query_names(select, count)
    }

    /// Runs a query for at most `count` names. Returns none if it fails.
    fn query_names(&self, select: &str, count: usize) -> Vec<String> {
        self.with_file(|file| {
            let mut select = file.prepare_cached(select)?;
            let rows = select.query_map([count], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        })
        .and_then(Result::ok)
        .unwrap_or_default()
    }

    /// Returns the stored reservations of an origin, and their age.
    pub(crate) fn load_reservations(&self, origin: &str) -> Option<(TdmReservations, Duration)> {
        let query = "SELECT fetched_at, rules FROM tdm WHERE origin = ?";
        let (fetched_at, rules) = self.query_row(query, origin, |row| {
            Ok((get_duration(row, 0)?, row.get::<_, Option<String>>(1)?))
        })?;
        let reservations = rules.map_or(TdmReservations::NoFile, |rules| {
            TdmReservations::from_file(rules.as_bytes())
        });
        Some((reservations, now().saturating_sub(fetched_at)))
    }

    /// Stores the reservations of an origin, if they are known.
    pub(crate) fn save_reservations(&self, origin: &str, reservations: &TdmReservations) {
        let text = match reservations {
            TdmReservations::File(reservations) => Some(reservations.to_text()),
            TdmReservations::NoFile => None,
            TdmReservations::Unknown => return,
        };
        let fetched_at = to_milliseconds(now());
        self.write(
            "INSERT OR REPLACE INTO tdm VALUES (?, ?, ?)",
            (origin, fetched_at, text),
        );
    }

    /// Writes and commits a row. A failure is ignored: it costs a request, and no page.
    fn write(&self, statement: &str, row: impl rusqlite::Params) {
        self.with_file(|file| {
            let _ = file
                .begin()
                .and_then(|()| file.prepare_cached(statement)?.execute(row));
            let _ = file.commit();
        });
    }

    /// Closes the file and removes SQLite's auxiliary files. Later writes are ignored: when a run
    /// ends, unfinished tasks may still hold the store, so that it is not dropped.
    pub(crate) fn close(&self) {
        if let Some(Ok(file)) = self.file.get()
            && let Some(file) = file.lock().take()
        {
            let _ = file.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
    }

    /// Returns the state of a host as another process would read it.
    #[cfg(test)]
    pub(crate) fn load_committed_host(&self, name: &str) -> Option<HostState> {
        let file = forage_state::open_read_only(&self.path, &HOST_STORE).ok()?;
        select_host(&file, name).ok()?
    }

    /// Runs a query with one parameter. Returns `None` if it finds no row, or fails.
    fn query_row<T>(
        &self,
        query: &str,
        parameter: &str,
        read: impl Fn(&Row) -> rusqlite::Result<T>,
    ) -> Option<T> {
        self.with_file(|file| file.query_row(query, [parameter], |row| read(row)).ok())?
    }

    /// Calls `f` with the file; returns `None` if it cannot be opened or is closed.
    fn with_file<T>(&self, f: impl FnOnce(&StateFile) -> T) -> Option<T> {
        self.file().ok()?.lock().as_ref().map(f)
    }
}

impl Drop for HostStore {
    fn drop(&mut self) {
        self.close();
    }
}

/// Opens or creates the file.
fn open_file(path: &Path) -> Result<StateFile, String> {
    let file = forage_state::open(path, &HOST_STORE).map_err(|e| match &e {
        StateError::Sql(_, source) => describe_error(path, source),
        _ => e.to_string(),
    })?;
    prepare_file(&file).map_err(|e| describe_error(path, &e))?;
    Ok(file)
}

/// Sets the durability of the file, and reads from it to detect damage.
fn prepare_file(db: &Connection) -> rusqlite::Result<()> {
    // Commits survive a kill of the process. A power failure may lose some, which costs requests.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    // Reports damage here, and not for each host.
    select_host(db, "")?;
    Ok(())
}

/// Returns the error message for a file that cannot be used. A damaged one is not repaired, as it
/// is only a cache.
fn describe_error(path: &Path, error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => {
            format!(
                "{}: is damaged; delete it to start with an empty host store",
                path.display()
            )
        }
        _ => format!(
            "{}: {}",
            path.display(),
            forage_state::describe_sqlite_error(error)
        ),
    }
}

/// Returns the state of a host, if it has a row.
fn select_host(db: &Connection, name: &str) -> rusqlite::Result<Option<HostState>> {
    let mut query = db.prepare_cached(
        "SELECT next_request_at, failures, backed_off_until, error_kind, error_message
            FROM host WHERE name = ?",
    )?;
    let time_until = |timestamp: Duration| timestamp.saturating_sub(now());
    let state = query.query_row([name], |row| {
        let back_off = row
            .get::<_, Option<i64>>(2)?
            .map(|_| get_duration(row, 2))
            .transpose()?
            .map(time_until);
        let kind = row
            .get::<_, Option<String>>(3)?
            .and_then(|kind| serde_json::from_str(&kind).ok());
        let reason = kind
            .zip(row.get(4)?)
            .map(|(kind, message)| FetchError::Repeated { kind, message });
        Ok(HostState {
            delay: time_until(get_duration(row, 0)?).min(MAX_STORED_DELAY),
            failures: row.get(1)?,
            back_off: back_off
                .map(|time_left| time_left.min(MAX_BACK_OFF))
                .filter(|time_left| !time_left.is_zero())
                .zip(reason),
        })
    });
    state.optional()
}

/// Returns a column with milliseconds; negative values count as 0.
fn get_duration(row: &Row, column: usize) -> rusqlite::Result<Duration> {
    Ok(Duration::from_millis(
        u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default(),
    ))
}

fn to_milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the time since 1970.
fn now() -> Duration {
    forage_record::time::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
