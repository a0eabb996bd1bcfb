//! Which hits were given, as a fold of the journal.

use forage_cli::{Input, Io};
use forage_engines::HitCache;
use forage_record::{Hit, Query, Record, field};

/// Notes the URL of each hit of a journal as given, in one transaction: until the last is read, the file is as it was.
/// The pages of engines in it stay.
pub fn run(mut cache: HitCache, journal: &Input, io: &mut Io) -> anyhow::Result<()> {
    cache.forget_seen()?;
    cache.advance_to(0);
    io.fold(journal, |record| see(&record, &mut cache))?;
    cache.commit()?;
    Ok(cache.settle()?)
}

fn see(record: &Record, cache: &mut HitCache) -> anyhow::Result<()> {
    let Ok(Some(query)) = record.view::<Query>(field::QUERY) else { return Ok(()) };
    cache.advance_to(query.step);
    // What is not as it should be was no hit that this tool gave.
    let is_hit = record.view::<Hit>(field::HIT).is_ok_and(|hit| hit.is_some());
    if let (true, Ok(Some(url))) = (is_hit, record.string(field::URL)) {
        cache.restore_seen(&url, query.step)?;
    }
    Ok(())
}
