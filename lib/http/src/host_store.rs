//! The host store: what is remembered of hosts from one run to the next: when each may be asked
//! again, whether it fails, its robots.txt, and what it reserves.
//!
//! A pipeline starts the tool anew for each step. Without this, a host could be asked by two runs
//! in the same moment, would be asked for its robots.txt each time, and a dead one would be waited
//! for by each. Times are of the clock, as runs share no other. It is a cache: one of an earlier
//! version is made anew, a damaged one may be deleted.

use crate::cache::Held;
use crate::rules::Rules;
use crate::tdm::Reserved;
use crate::{FetchError, SetupError};
use forage_record::ErrorKind;
use forage_state::{StateError, StateFile, StateFileKind, application_id};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Row};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const HOSTS: StateFileKind = StateFileKind {
    application_id: application_id(*b"FoHo"),
    version: 2,
    oldest_version: 1,
    name: "hosts",
    schema: &["
        -- Times are in milliseconds since 1970. When a host may be asked again, its failures in a row; until when it is
        -- left alone altogether, and why: the kind of the error, and what it says.
        CREATE TABLE host (name TEXT PRIMARY KEY, next INTEGER NOT NULL, failures INTEGER NOT NULL,
            closed INTEGER, kind TEXT, told TEXT) WITHOUT ROWID;
        -- What robots.txt of an origin says to us: its HTTP status, and its rules where that is a success; status 0 where
        -- no answer came in time, with what that was told as. It holds for so many milliseconds.
        CREATE TABLE robots (origin TEXT PRIMARY KEY, read INTEGER NOT NULL, holds INTEGER NOT NULL,
            status INTEGER NOT NULL, said TEXT) WITHOUT ROWID;
        -- What tdmrep.json of an origin reserves; NULL where there is none.
        CREATE TABLE tdm (origin TEXT PRIMARY KEY, read INTEGER NOT NULL, rules TEXT) WITHOUT ROWID;
    "],
};
/// The status of a robots.txt for which no answer came.
const UNREACHABLE: u16 = 0;
/// For how long a host can have itself backed off with `Retry-After`, at most.
pub(crate) const LONGEST_CLOSED: Duration = Duration::from_hours(24);
/// A clock that was set back must not silence a host for years.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// What is known of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostState {
    /// How long it is to be left alone between two requests, from now on.
    pub pause: Duration,
    /// Failed requests in a row.
    pub failures: u32,
    /// For how long it is not asked at all, and why.
    pub closed: Option<(Duration, FetchError)>,
}

/// The store of hosts. May be shared by threads.
#[derive(Debug)]
pub struct HostStore {
    path: PathBuf,
    /// Nothing in it when it was closed.
    open: OnceLock<Result<Mutex<Option<StateFile>>, String>>,
}

impl HostStore {
    /// A store in this file, which is opened, or made, when it is first needed.
    pub fn new(path: &Path) -> Arc<HostStore> {
        Arc::new(HostStore {
            path: path.to_owned(),
            open: OnceLock::new(),
        })
    }

    /// Opens the file.
    ///
    /// # Errors
    /// When it is another file, or can't be opened.
    pub(crate) fn open(&self) -> Result<(), SetupError> {
        self.opened()
            .map(drop)
            .map_err(|e| SetupError::HostStore(e.clone()))
    }

    fn opened(&self) -> Result<&Mutex<Option<StateFile>>, &String> {
        self.open
            .get_or_init(|| open_file(&self.path).map(|state| Mutex::new(Some(state))))
            .as_ref()
    }

    /// What is known of a host, if anything is.
    pub(crate) fn host(&self, name: &str) -> Option<HostState> {
        self.with(|state| past(state, name).ok())??
    }

    /// Notes what is known of a host, so that it holds also when this process is killed the next
    /// moment.
    pub(crate) fn save_host(&self, name: &str, past: &HostState) {
        let at = |pause: Duration| milliseconds(now() + pause);
        let (next, closed) = (at(past.pause), past.closed.as_ref());
        let until = closed.map(|(pause, _)| at(*pause));
        let kind = closed.and_then(|(_, why)| serde_json::to_string(&why.kind()).ok());
        let told = closed.map(|(_, why)| why.to_string());
        let row = (name, next, past.failures, until, kind, told);
        self.write("INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?)", row);
    }

    /// What robots.txt says, and how long ago it was read.
    pub(crate) fn robots(&self, origin: &str) -> Option<(Rules, Duration)> {
        let query = "SELECT read, holds, status, said FROM robots WHERE origin = ?";
        let found = self.row(query, origin, |row| {
            Ok((
                time(row, 0)?,
                time(row, 1)?,
                row.get::<_, u16>(2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        });
        let (read, holds, status, said) = found?;
        let rules = match (status, said) {
            (UNREACHABLE, said) => Rules::Unreachable(FetchError::Repeated {
                kind: ErrorKind::Timeout,
                message: said.unwrap_or_default(),
            }),
            (_, Some(rules)) => Rules::from_file(rules.as_bytes()),
            (status, None) => Rules::from_status(status, Some(holds)),
        };
        Some((rules, now().saturating_sub(read)))
    }

    /// Notes what robots.txt says. Where the host could not be reached that is nothing that it
    /// says; but one that answers nothing at all costs each run as much time as this one.
    pub(crate) fn save_robots(&self, origin: &str, rules: &Rules) {
        let (status, said) = match rules {
            Rules::Everything => (404, None),
            Rules::Nothing { status, .. } => (*status, None),
            Rules::Read(robots) => (200, Some(robots.to_text())),
            Rules::Unreachable(e @ FetchError::Timeout(_)) => (UNREACHABLE, Some(e.to_string())),
            Rules::Unreachable(_) => return,
        };
        let (read, holds) = (milliseconds(now()), milliseconds(rules.holds_for()));
        let row = (origin, read, holds, status, said);
        self.write("INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?, ?)", row);
    }

    /// What tdmrep.json reserves, and how long ago it was read.
    pub(crate) fn reserved(&self, origin: &str) -> Option<(Reserved, Duration)> {
        let query = "SELECT read, rules FROM tdm WHERE origin = ?";
        let (read, rules) = self.row(query, origin, |row| {
            Ok((time(row, 0)?, row.get::<_, Option<String>>(1)?))
        })?;
        let reserved = rules.map_or(Reserved::Nothing, |rules| Reserved::read(rules.as_bytes()));
        Some((reserved, now().saturating_sub(read)))
    }

    /// Notes what tdmrep.json reserves, where that is known.
    pub(crate) fn save_reservations(&self, origin: &str, reserved: &Reserved) {
        let text = match reserved {
            Reserved::Read(reservations) => Some(reservations.to_text()),
            Reserved::Nothing => None,
            Reserved::Unknown => return,
        };
        let read = milliseconds(now());
        self.write(
            "INSERT OR REPLACE INTO tdm VALUES (?, ?, ?)",
            (origin, read, text),
        );
    }

    /// Writes a row for good. What can't be written is forgotten: it costs a request, and no page.
    fn write(&self, statement: &str, row: impl rusqlite::Params) {
        self.with(|state| {
            let _ = state
                .begin()
                .and_then(|()| state.prepare_cached(statement)?.execute(row));
            let _ = state.commit();
        });
    }

    /// Leaves the file alone, without those that SQLite has beside it. A run lasts long enough for
    /// that, and at its end tasks may still know the store, so that it is not dropped. What they
    /// would note is forgotten.
    pub(crate) fn close(&self) {
        if let Some(Ok(open)) = self.open.get()
            && let Some(state) = open.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            let _ = state.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
    }

    /// What another process would read of a host.
    #[cfg(test)]
    pub(crate) fn committed(&self, name: &str) -> Option<HostState> {
        past(
            &*forage_state::open_read_only(&self.path, &HOSTS).ok()?,
            name,
        )
        .ok()?
    }

    /// What the query's only parameter finds, if it finds something that can be read.
    fn row<T>(
        &self,
        query: &str,
        name: &str,
        read: impl Fn(&Row) -> rusqlite::Result<T>,
    ) -> Option<T> {
        self.with(|state| state.query_row(query, [name], |row| read(row)).ok())?
    }

    /// Does something with the file, where it can be opened and is not closed.
    fn with<T>(&self, work: impl FnOnce(&StateFile) -> T) -> Option<T> {
        self.opened()
            .ok()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(work)
    }
}

impl Drop for HostStore {
    fn drop(&mut self) {
        self.close();
    }
}

/// Opens the file, or makes it. What an earlier version wrote is forgotten: it took hosts that had
/// too much to do for hosts that allow everything.
fn open_file(path: &Path) -> Result<StateFile, String> {
    let state = forage_state::open(path, &HOSTS).map_err(|e| match &e {
        StateError::Sql(_, source) => told(path, source),
        _ => e.to_string(),
    })?;
    prepare(&state).map_err(|e| told(path, &e))?;
    Ok(state)
}

fn prepare(db: &Connection) -> rusqlite::Result<()> {
    // A kill takes nothing of what was committed; what a power failure takes is learned again.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i32 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version < HOSTS.version {
        let again =
            "DROP TABLE IF EXISTS host; DROP TABLE IF EXISTS robots; DROP TABLE IF EXISTS tdm;";
        db.execute_batch(&format!(
            "BEGIN IMMEDIATE; {again} {} PRAGMA user_version = {version}; COMMIT;",
            HOSTS.schema.concat(),
            version = HOSTS.version
        ))?;
    }
    // What is damaged is told of here, and not passed over with each host.
    past(db, "")?;
    Ok(())
}

/// What is wrong with the file. A cache is not worth mending.
fn told(path: &Path, error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => {
            format!(
                "{}: is damaged; delete it, and hosts are learned anew",
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

/// What is known of a host, if anything is.
fn past(db: &Connection, name: &str) -> rusqlite::Result<Option<HostState>> {
    let mut query =
        db.prepare_cached("SELECT next, failures, closed, kind, told FROM host WHERE name = ?")?;
    let from_now = |time: Duration| time.saturating_sub(now());
    let past = query.query_row([name], |row| {
        let closed = row
            .get::<_, Option<i64>>(2)?
            .map(|_| time(row, 2))
            .transpose()?
            .map(from_now);
        let kind = row
            .get::<_, Option<String>>(3)?
            .and_then(|kind| serde_json::from_str(&kind).ok());
        let why = kind
            .zip(row.get(4)?)
            .map(|(kind, message)| FetchError::Repeated { kind, message });
        let closed = closed
            .map(|pause| pause.min(LONGEST_CLOSED))
            .filter(|pause| !pause.is_zero())
            .zip(why);
        Ok(HostState {
            pause: from_now(time(row, 0)?).min(LONGEST_PAUSE),
            failures: row.get(1)?,
            closed,
        })
    });
    rusqlite::OptionalExtension::optional(past)
}

fn time(row: &Row, column: usize) -> rusqlite::Result<Duration> {
    Ok(Duration::from_millis(
        u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default(),
    ))
}

/// A time as it stands in a row.
fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Time since 1970.
fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{HostState, HostStore};
    use crate::FetchError;
    use crate::rules::Rules;
    use crate::tdm::Reserved;
    use forage_record::ErrorKind;
    use std::time::Duration;

    #[test]
    fn nothing_is_made_before_it_is_needed_and_no_other_file_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        drop(HostStore::new(&path));
        assert!(!path.exists());
        std::fs::write(&path, "something else").unwrap();
        assert!(HostStore::new(&path).open().is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "something else");
    }

    #[test]
    fn what_one_run_has_learned_the_next_one_knows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        let rules =
            Rules::from_file(b"User-agent: *\nDisallow: /x*y$\nAllow: /\xc5\xa1\nCrawl-delay: 2.5");
        let busy = Rules::Nothing {
            status: 429,
            holds: Duration::from_secs(77),
        };
        let dead = FetchError::Repeated {
            kind: ErrorKind::Dns,
            message: "no address".into(),
        };
        let reserved = Reserved::read(br#"[{"location":"/x*$","tdm-reservation":1}]"#);
        {
            let store = HostStore::new(&path);
            store.save_host(
                "a.test",
                &HostState {
                    pause: Duration::from_secs(590),
                    ..HostState::default()
                },
            );
            store.save_host(
                "dead.test",
                &HostState {
                    closed: Some((Duration::from_secs(590), dead.clone())),
                    ..HostState::default()
                },
            );
            store.save_robots("http://a.test", &rules);
            store.save_robots("http://b.test", &busy);
            store.save_robots(
                "http://hung.test",
                &Rules::Unreachable(FetchError::Timeout(Duration::from_secs(3))),
            );
            store.save_robots(
                "http://refused.test",
                &Rules::Unreachable(FetchError::Connect("refused".into())),
            );
            store.save_reservations("http://a.test", &reserved);
            store.save_reservations("http://b.test", &Reserved::Nothing);
        }
        let store = HostStore::new(&path);
        let pause = store.host("a.test").unwrap().pause;
        // However busy the machine is, not all of it is over.
        assert!(
            pause > Duration::from_secs(100) && pause <= Duration::from_secs(590),
            "{pause:?}"
        );
        assert_eq!(store.host("b.test"), None);
        assert_eq!(store.host("dead.test").unwrap().closed.unwrap().1, dead);
        assert_eq!(store.robots("http://a.test").unwrap().0, rules);
        assert_eq!(store.robots("http://b.test").unwrap().0, busy);
        let Some((Rules::Unreachable(hung), _)) = store.robots("http://hung.test") else {
            panic!()
        };
        assert_eq!(
            (hung.kind(), hung.to_string()),
            (ErrorKind::Timeout, "no complete answer within 3 s".into())
        );
        assert!(
            store.robots("http://refused.test").is_none(),
            "it costs no time to ask again"
        );
        assert!(
            store.robots("http://c.test").is_none() && store.reserved("http://c.test").is_none()
        );
        assert_eq!(store.reserved("http://a.test").unwrap().0, reserved);
        assert_eq!(
            store.reserved("http://b.test").unwrap().0,
            Reserved::Nothing
        );
    }

    #[test]
    fn a_file_of_an_earlier_version_is_made_anew_and_a_damaged_one_may_be_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        let old = "CREATE TABLE host (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE robots (x); CREATE TABLE tdm (x); PRAGMA user_version = 1;";
        let old = format!(
            "{old} PRAGMA application_id = {}",
            super::HOSTS.application_id
        );
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(&old)
            .unwrap();
        for _ in 0..2 {
            let store = HostStore::new(&path);
            store.save_host(
                "a.test",
                &HostState {
                    failures: 2,
                    ..HostState::default()
                },
            );
            assert_eq!(store.host("a.test").unwrap().failures, 2);
        }
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[100..].fill(0x5A);
        std::fs::write(&path, bytes).unwrap();
        let told = HostStore::new(&path).open().unwrap_err().to_string();
        assert!(
            told.contains("damaged; delete it") && !told.contains("journal"),
            "{told}"
        );
    }
}
