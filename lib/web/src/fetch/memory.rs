//! What is remembered of hosts from one run to the next: when each may be asked again, its robots.txt, and
//! what it reserves.
//!
//! A pipeline starts the tool anew for each step. Without this, a host could be asked by two runs in the same moment,
//! and would be asked for its robots.txt each time. Times are of the clock, as runs share no other.

use super::robots::Rules;
use super::tdm::Reserved;
use crate::SetupError;
use forage_state::{Kind, State, application_id};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file of hosts.
const HOSTS: Kind = Kind {
    application_id: application_id(*b"FoHo"),
    version: 1,
    name: "hosts",
    schema: "
        -- When a host may be asked again, in milliseconds since 1970.
        CREATE TABLE host (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
        -- What robots.txt of an origin says to us: its HTTP status, and its rules where that is a success.
        CREATE TABLE robots (origin TEXT PRIMARY KEY, read INTEGER NOT NULL, status INTEGER NOT NULL, rules TEXT)
            WITHOUT ROWID;
        -- What tdmrep.json of an origin reserves; NULL where there is none.
        CREATE TABLE tdm (origin TEXT PRIMARY KEY, read INTEGER NOT NULL, rules TEXT) WITHOUT ROWID;
    ",
};
/// What was learned is made durable when this time is over, and at the end.
const COMMIT_EVERY: Duration = Duration::from_secs(1);
/// A clock that was set back must not silence a host for years.
const LONGEST: Duration = Duration::from_mins(10);

/// The memory of hosts. May be shared by threads.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    open: OnceLock<Result<Mutex<Open>, String>>,
}

#[derive(Debug)]
pub(super) struct Open {
    state: State,
    committed: Instant,
}

impl Memory {
    /// A memory in this file, which is opened, or made, when it is first needed.
    pub fn new(path: &Path) -> Arc<Memory> {
        Arc::new(Memory { path: path.to_owned(), open: OnceLock::new() })
    }

    /// Opens the file.
    ///
    /// # Errors
    /// When it is another file, or can't be opened.
    pub(super) fn open(&self) -> Result<&Mutex<Open>, SetupError> {
        let open = self.open.get_or_init(|| {
            let state = forage_state::open(&self.path, &HOSTS).map_err(|e| e.to_string())?;
            Ok(Mutex::new(Open { state, committed: Instant::now() }))
        });
        open.as_ref().map_err(|e| SetupError::Memory(e.clone()))
    }

    /// How long a host is to be left alone from now on.
    pub(super) fn pause(&self, host: &str) -> Duration {
        let Some(open) = self.lock() else { return Duration::ZERO };
        let next = open.state.query_row("SELECT next FROM host WHERE name = ?", [host], |row| row.get(0));
        let next = next.ok().and_then(|milliseconds: i64| u64::try_from(milliseconds).ok()).unwrap_or_default();
        Duration::from_millis(next.saturating_sub(now())).min(LONGEST)
    }

    /// Notes that a host is to be left alone for so long.
    pub(super) fn note_pause(&self, host: &str, pause: Duration) {
        let next = now().saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
        self.write("INSERT OR REPLACE INTO host VALUES (?, ?)", (host, i64::try_from(next).unwrap_or(i64::MAX)));
    }

    /// What robots.txt says, and how long ago it was read.
    pub(super) fn robots(&self, origin: &str) -> Option<(Rules, Duration)> {
        let open = self.lock()?;
        let query = "SELECT read, status, rules FROM robots WHERE origin = ?";
        let found = open.state.query_row(query, [origin], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, u16>(1)?, row.get::<_, Option<String>>(2)?))
        });
        let (read, status, rules) = found.ok()?;
        let age = now().saturating_sub(u64::try_from(read).ok()?);
        let rules = match rules {
            Some(rules) => Rules::of_file(rules.as_bytes()),
            None => Rules::of_status(status),
        };
        Some((rules, Duration::from_millis(age)))
    }

    /// Notes what robots.txt says. That a host could not be reached is nothing that it says.
    pub(super) fn note_robots(&self, origin: &str, rules: &Rules) {
        let (status, text) = match rules {
            Rules::Everything => (404, None),
            Rules::Nothing(status) => (*status, None),
            Rules::Read(robots) => (200, Some(robots.to_text())),
            Rules::Unreachable(_) => return,
        };
        let read = i64::try_from(now()).unwrap_or(i64::MAX);
        self.write("INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)", (origin, read, status, text));
    }

    /// What tdmrep.json reserves, and how long ago it was read.
    pub(super) fn reserved(&self, origin: &str) -> Option<(Reserved, Duration)> {
        let open = self.lock()?;
        let query = "SELECT read, rules FROM tdm WHERE origin = ?";
        let found = open.state.query_row(query, [origin], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)));
        let (read, rules): (i64, Option<String>) = found.ok()?;
        let age = now().saturating_sub(u64::try_from(read).ok()?);
        Some((rules.map_or(Reserved::Nothing, |rules| Reserved::read(rules.as_bytes())), Duration::from_millis(age)))
    }

    /// Notes what tdmrep.json reserves, where that is known.
    pub(super) fn note_reserved(&self, origin: &str, reserved: &Reserved) {
        let text = match reserved {
            Reserved::Read(reservations) => Some(reservations.to_text()),
            Reserved::Nothing => None,
            Reserved::Unknown => return,
        };
        let read = i64::try_from(now()).unwrap_or(i64::MAX);
        self.write("INSERT OR REPLACE INTO tdm VALUES (?, ?, ?)", (origin, read, text));
    }

    /// Writes a row. What can't be written is forgotten: it costs a request, and no page.
    fn write(&self, statement: &str, row: impl rusqlite::Params) {
        let Some(mut open) = self.lock() else { return };
        let _ = open.state.begin().and_then(|()| open.state.prepare_cached(statement)?.execute(row));
        if open.committed.elapsed() > COMMIT_EVERY {
            open.committed = Instant::now();
            let _ = open.state.commit();
        }
    }

    /// Makes durable what was learned, if there was anything to learn.
    pub(super) fn commit(&self) {
        if let Some(Ok(open)) = self.open.get() {
            let _ = open.lock().unwrap_or_else(PoisonError::into_inner).state.commit();
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Open>> {
        Some(self.open().ok()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.commit();
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::fetch::robots::Rules;
    use crate::fetch::tdm::Reserved;
    use std::time::Duration;

    #[test]
    fn nothing_is_made_before_it_is_needed_and_no_other_file_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        drop(Memory::new(&path));
        assert!(!path.exists());
        std::fs::write(&path, "something else").unwrap();
        assert!(Memory::new(&path).open().is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "something else");
    }

    #[test]
    fn what_one_run_has_learned_the_next_one_knows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts.db");
        let rules = Rules::of_file(b"User-agent: *\nDisallow: /x*y$\nAllow: /\xc5\xa1\nCrawl-delay: 2.5");
        let reserved = Reserved::read(br#"[{"location":"/x*$","tdm-reservation":1}]"#);
        {
            let memory = Memory::new(&path);
            memory.note_pause("a.test", Duration::from_secs(9));
            memory.note_robots("http://a.test", &rules);
            memory.note_robots("http://b.test", &Rules::Nothing(503));
            memory.note_reserved("http://a.test", &reserved);
            memory.note_reserved("http://b.test", &Reserved::Nothing);
        }
        let memory = Memory::new(&path);
        let pause = memory.pause("a.test");
        assert!(pause > Duration::from_secs(5) && pause <= Duration::from_secs(9), "{pause:?}");
        assert_eq!(memory.pause("b.test"), Duration::ZERO);
        assert_eq!(memory.robots("http://a.test").unwrap().0, rules);
        assert_eq!(memory.robots("http://b.test").unwrap().0, Rules::Nothing(503));
        assert!(memory.robots("http://c.test").is_none() && memory.reserved("http://c.test").is_none());
        assert_eq!(memory.reserved("http://a.test").unwrap().0, reserved);
        assert_eq!(memory.reserved("http://b.test").unwrap().0, Reserved::Nothing);
    }
}
