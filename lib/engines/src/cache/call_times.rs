//! The times of calls and back-offs, which are stored so that they also hold between processes.

use super::{HitCache, HitCacheError};
use rusqlite::params;
use std::time::{Duration, SystemTime};

impl HitCache {
    /// Returns the time of the last call to a server, if it is known.
    pub(crate) fn last_call(&self, server: &str) -> Result<Option<SystemTime>, HitCacheError> {
        let select = "SELECT at_ms FROM last_call WHERE server = ?";
        let at_ms: Option<u64> = self.db.find_value(select, [server])?;
        Ok(at_ms.and_then(from_milliseconds))
    }

    /// Records durably that a server is called at a time.
    pub(crate) fn record_call(
        &mut self,
        server: &str,
        at: SystemTime,
    ) -> Result<(), HitCacheError> {
        self.db.begin()?;
        let insert = "INSERT OR REPLACE INTO last_call (server, at_ms) VALUES (?, ?)";
        self.db
            .execute_cached(insert, params![server, to_milliseconds(at)])?;
        Ok(self.db.commit()?)
    }

    /// Returns the time before which an engine must not be called, which may be over, and the
    /// message of the failure.
    pub(crate) fn backoff(
        &self,
        engine: &str,
    ) -> Result<Option<(SystemTime, String)>, HitCacheError> {
        let select = "SELECT retry_at_ms, message FROM backoff WHERE engine = ?";
        let row = self.db.find_row(select, [engine], |row| {
            Ok((row.get::<_, u64>(0)?, row.get(1)?))
        })?;
        Ok(row.and_then(|(retry_at, message)| Some((from_milliseconds(retry_at)?, message))))
    }

    /// Records durably that an engine must not be called before `retry_at`.
    pub(crate) fn record_backoff(
        &mut self,
        engine: &str,
        retry_at: SystemTime,
        message: &str,
    ) -> Result<(), HitCacheError> {
        self.db.begin()?;
        let insert =
            "INSERT OR REPLACE INTO backoff (engine, retry_at_ms, message) VALUES (?, ?, ?)";
        self.db
            .execute_cached(insert, params![engine, to_milliseconds(retry_at), message])?;
        Ok(self.db.commit()?)
    }
}

/// Returns the milliseconds from the start of 1970 to `time`.
fn to_milliseconds(time: SystemTime) -> u64 {
    let since_epoch = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(0)
}

/// Returns the time that is `milliseconds` after the start of 1970; `None` if it cannot be
/// represented.
fn from_milliseconds(milliseconds: u64) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::HitCache;
    use std::time::{Duration, SystemTime};

    #[test]
    fn last_call_and_backoff_are_durable() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hits.db");
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        let mut cache = HitCache::open(&path).unwrap();
        cache.record_call("e:", time).unwrap();
        cache.record_backoff("e:", time, "wait").unwrap();
        drop(cache);
        let cache = HitCache::open(&path).unwrap();
        assert_eq!(
            (
                cache.last_call("e:").unwrap(),
                cache.last_call("f:").unwrap()
            ),
            (Some(time), None)
        );
        assert_eq!(
            (cache.backoff("e:").unwrap(), cache.backoff("f:").unwrap()),
            (Some((time, "wait".into())), None)
        );
    }
}
