//! Which hits were given, as a fold of the journal.

use forage_cli::{Output, Stage};
use forage_engines::HitCache;
use forage_record::{Hit, Query, Record, field};

/// Notes the URL of each hit of a journal as given, in one transaction.
pub struct Fold {
    cache: HitCache,
    is_whole: bool,
}

impl Fold {
    /// A fold into `cache`, whose own notes of what was given are dropped; the pages of engines in it stay.
    pub fn new(mut cache: HitCache) -> anyhow::Result<Fold> {
        cache.forget_seen()?;
        Ok(Fold { cache, is_whole: false })
    }
}

impl Stage for Fold {
    fn record(&mut self, record: Record, _: &mut Output) -> anyhow::Result<()> {
        // What is not as it should be was no hit that this tool gave.
        let is_hit = record.view::<Hit>(field::HIT).is_ok_and(|hit| hit.is_some());
        if let (true, Ok(Some(url)), Ok(Some(query))) =
            (is_hit, record.string(field::URL), record.view::<Query>(field::QUERY))
        {
            self.cache.see(&url, query.step)?;
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        if self.is_whole { Ok(self.cache.commit()?) } else { Ok(()) }
    }

    fn end(&mut self, _: &mut Output) -> anyhow::Result<()> {
        self.is_whole = true;
        Ok(())
    }
}
