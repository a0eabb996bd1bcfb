//! What the baselines [`crate::like`] and [`crate::seedfinder`] know, as parts of the fold. Each looks at the records of
//! its own queries alone, so that other runs pay nothing for them.

use crate::event::Event;
use crate::like::LikeQueue;
use crate::seedfinder::Seeds;
use crate::statistics::Statistics;
use forage_record::{Hit, Query, Record, field};

/// What came since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    queue: LikeQueue,
    seeds: Seeds,
}

impl Baselines {
    /// Takes a record of a query.
    pub fn fold(
        &mut self,
        from: &Statistics,
        query: &Query,
        hit: Option<&Hit>,
        event: &Event,
        record: &Record,
    ) -> rusqlite::Result<()> {
        let url = || record.string(field::URL).ok().flatten().map(|url| url.into_owned());
        self.queue.fold(query, hit, event, url);
        let text = || record.text().ok().flatten().unwrap_or_default();
        self.seeds.fold(from, query, hit, event, text)
    }

    /// Writes what came, within the caller's transaction.
    pub fn write(&mut self, to: &Statistics) -> rusqlite::Result<()> {
        self.queue.write(to)?;
        self.seeds.write(to)
    }

    /// Forgets what is not written.
    pub fn discard(&mut self) {
        self.queue.discard();
        self.seeds.discard();
    }
}
