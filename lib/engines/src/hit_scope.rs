//! The hits that may be returned at all: on allowed hosts, a limited number per host, and none that
//! an earlier corpus has.
//!
//! The numbers per host and the known URLs are in `hits.db`, so that they hold for all steps of a
//! run, and a repeated step returns the same hits.

use crate::{HitCache, HitCacheError};
use forage_web::page_url::{HostList, normalise_url, page_key};
use std::collections::HashMap;
use url::Url;

/// The tables of known URLs, which only files that use them have: the URLs, and the files that they
/// were read from, each with a stamp that changes with its content.
const KNOWN_URL_TABLES: &str = "
    CREATE TABLE IF NOT EXISTS known_url (url TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS known_file (name TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
";

/// The hits that may be returned. The default is all.
#[derive(Debug, Clone, Default)]
pub struct HitScope {
    /// The hosts, with their subdomains, from which hits are returned; `None`: all.
    pub allowed: Option<HostList>,
    /// Hosts, with their subdomains, from which no hit is returned.
    pub denied: HostList,
    /// Maximum number of hits that are returned per host and run.
    pub max_per_host: Option<u64>,
    /// True if the URLs of [`HitCache::add_known_file`] are not returned.
    pub excludes_known: bool,
}

/// Hits per host that were selected for the present reply.
pub(crate) type HitsByHost = HashMap<String, u64>;

impl HitScope {
    /// Returns `true` if a hit may be returned, after those of earlier replies and `selected`.
    pub(crate) fn admits(
        &self,
        url: &str,
        selected: &HitsByHost,
        cache: &HitCache,
    ) -> Result<bool, HitCacheError> {
        if self.excludes_known && cache.is_known(url)? {
            return Ok(false);
        }
        let Ok(parsed) = Url::parse(url) else {
            return Ok(true);
        };
        let host = parsed.host_str().unwrap_or_default();
        let is_allowed = self.allowed.as_ref().is_none_or(|list| list.contains(host));
        if !is_allowed || self.denied.contains(host) {
            return Ok(false);
        }
        let Some(max) = self.max_per_host else {
            return Ok(true);
        };
        let authority = parsed.authority();
        let in_reply = selected.get(authority).copied().unwrap_or(0);
        Ok(in_reply < max && in_reply + cache.count_returned_from(authority)? < max)
    }

    /// Returns `true` if hits of some hosts are not returned, whatever was returned before.
    pub(crate) fn limits_hosts(&self) -> bool {
        self.allowed.is_some() || !self.denied.is_empty()
    }

    /// Counts a selected hit for [`HitScope::admits`].
    pub(crate) fn count_selected(&self, url: &str, selected: &mut HitsByHost) {
        if self.max_per_host.is_some()
            && let Ok(url) = Url::parse(url)
        {
            *selected.entry(url.authority().to_owned()).or_default() += 1;
        }
    }
}

impl HitCache {
    /// Adds the URLs of a file to the known ones, with the next commit, unless they were added from
    /// it before. `stamp` changes with the content of the file. `add_urls` calls its argument with
    /// each URL.
    ///
    /// # Errors
    /// Fails if `add_urls` does, or the cache cannot be written.
    pub fn add_known_file<E: From<HitCacheError>>(
        &mut self,
        name: &str,
        stamp: &str,
        add_urls: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), HitCacheError>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.known_file_stamp(name)?.as_deref() == Some(stamp) {
            return Ok(());
        }
        self.db.begin().map_err(HitCacheError::from)?;
        add_urls(&mut |url| self.add_known_url(url))?;
        Ok(self.set_known_file_stamp(name, stamp)?)
    }

    /// Returns `true` if the URLs of a file were added to the known ones.
    ///
    /// # Errors
    /// Fails if the cache cannot be read.
    pub fn has_known_file(&self, name: &str) -> Result<bool, HitCacheError> {
        Ok(self.known_file_stamp(name)?.is_some())
    }

    fn known_file_stamp(&self, name: &str) -> Result<Option<String>, HitCacheError> {
        self.db.execute_batch(KNOWN_URL_TABLES)?;
        let select = "SELECT stamp FROM known_file WHERE name = ?";
        Ok(self.db.find_value(select, [name])?)
    }

    fn set_known_file_stamp(&self, name: &str, stamp: &str) -> Result<(), HitCacheError> {
        let insert = "INSERT OR REPLACE INTO known_file (name, stamp) VALUES (?, ?)";
        self.db.execute(insert, [name, stamp])?;
        Ok(())
    }

    fn add_known_url(&self, url: &str) -> Result<(), HitCacheError> {
        let insert = "INSERT OR IGNORE INTO known_url (url) VALUES (?)";
        self.db.execute_cached(insert, [page_key(url)])?;
        Ok(())
    }

    fn is_known(&self, url: &str) -> Result<bool, HitCacheError> {
        // Earlier versions stored the normalised URL, with its escapes as they were spelt.
        let spelt = normalise_url(url).map_or_else(|_| url.to_owned(), String::from);
        let select = "SELECT 1 FROM known_url WHERE url IN (?, ?)";
        Ok(self.db.has_row(select, [page_key(url), spelt])?)
    }

    /// Returns the number of returned URLs with this host and port.
    fn count_returned_from(&self, authority: &str) -> Result<u64, HitCacheError> {
        // `0` is the character after `/`: a range of the primary key.
        let select = "SELECT count(*) FROM returned_url
                      WHERE url = ?1 OR (url >= ?1 || '/' AND url < ?1 || '0')";
        let mut count = 0;
        for scheme in ["http", "https"] {
            let origin = format!("{scheme}://{authority}");
            let stored: u64 = self
                .db
                .prepare_cached(select)?
                .query_row([&origin], |row| row.get(0))?;
            count += stored + self.count_uncommitted_from(&origin);
        }
        Ok(count)
    }

    /// Returns the number of URLs with this origin that were returned since the last commit.
    fn count_uncommitted_from(&self, origin: &str) -> u64 {
        let is_from = |url: &&String| {
            let rest = url.strip_prefix(origin);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.returned.keys().filter(is_from).count() as u64
    }
}
