//! Numbers of what the frontier contains.

use crate::state_file::frontier::Frontier;
use crate::state_file::hosts::DEAD_LINKS;
use crate::state_file::scope::LeftOut;
use crate::state_file::store;
use forage_state::{StateError, StateFile};
use rusqlite::Result;
use serde::Serialize;
use std::collections::BTreeMap;

/// The content of a frontier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FrontierReport {
    /// URLs that wait to be given.
    pub waiting: u64,
    /// URLs that were given.
    pub given: u64,
    /// Pages of which the links count.
    pub judged: u64,
    /// Seeds, given or not.
    pub seeds: u64,
    /// Hosts of all URLs.
    pub hosts: u64,
    /// Hosts that are backed off.
    pub backed_off: u64,
    /// Links that led nowhere.
    pub dead_links: u64,
    /// Links that were left out, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// The last step of which a URL was given or judged; 0 if there is none.
    pub last_step: u64,
}

impl Frontier {
    /// Counts the content of the frontier, by reading all of it.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn report(&mut self) -> std::result::Result<FrontierReport, StateError> {
        self.run(|db, cache| {
            cache.write(db)?;
            count(db)
        })
    }
}

fn count(db: &StateFile) -> Result<FrontierReport> {
    let number = |sql: &str| -> Result<u64> {
        Ok(db
            .query_row(sql, [], |row| row.get::<_, Option<u64>>(0))?
            .unwrap_or(0))
    };
    let given = store::given_count(db)?;
    let mut left_out = BTreeMap::new();
    for name in LeftOut::NAMES {
        left_out.insert(name, number(&format!("SELECT sum({name}) FROM page"))?);
    }
    Ok(FrontierReport {
        waiting: number("SELECT count(*) FROM waiting")?,
        given: u64::try_from(given).unwrap_or(0),
        judged: number("SELECT count(*) FROM page WHERE links IS NOT NULL")?,
        seeds: number(
            "SELECT count(*) FROM url LEFT JOIN waiting USING (id) LEFT JOIN given USING (id) \
             WHERE url.step = 0 AND coalesce(waiting.depth, given.depth) = 0",
        )?,
        hosts: number("SELECT count(*) FROM host")?,
        backed_off: number(&format!(
            "SELECT count(*) FROM host WHERE streak >= {DEAD_LINKS} AND resume > {given}"
        ))?,
        dead_links: number("SELECT sum(dead) FROM host")?,
        left_out,
        last_step: store::last_begun_step(db)?,
    })
}
