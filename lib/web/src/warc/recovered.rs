//! Pages that a broken-off run has archived without having written their records: these waited for a slow host before
//! them. The run that goes on takes them from the archive, and asks nobody again.

use super::ArchiveError;
use super::earlier::key;
use super::read::{Kept, Reader};
use super::source::{Damage, Place};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Pages of an archive that may be taken, each once. May be shared by threads.
#[derive(Debug)]
pub struct Recovered(Mutex<State>);

#[derive(Debug)]
struct State {
    reader: Reader,
    /// Where visits begin, in their order, by the hash of the URL that was asked for.
    places: HashMap<[u8; 16], VecDeque<Place>>,
}

impl Recovered {
    /// Looks through an archive for pages that came at `since` (RFC 3339 in UTC, to the second) or later, but for those
    /// whose place is in `written`. Bodies of more than `max_bytes` are not read.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(path: &Path, since: &str, written: &HashSet<u64>, max_bytes: u64) -> Result<Recovered, ArchiveError> {
        let (mut reader, mut places) = (Reader::new(max_bytes), HashMap::<_, VecDeque<Place>>::new());
        reader.open(path)?;
        while let Some(kept) = reader.page()? {
            let is_new = kept.visit.as_ref().is_ok_and(|visit| visit.last.at.as_str() >= since);
            if is_new && !written.contains(&kept.place.offset) {
                places.entry(key(&kept.url)).or_default().push_back(kept.start);
            }
        }
        Ok(Recovered(Mutex::new(State { reader, places })))
    }

    /// What of the archive could not be read.
    pub fn damage(&self) -> Vec<Damage> {
        self.state().reader.damage()
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.state().places.values().map(VecDeque::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.state().places.is_empty()
    }

    /// The first page of this URL that was not taken, if there is one.
    pub fn take(&self, url: &str) -> Option<Kept> {
        let mut state = self.state();
        let start = state.places.get_mut(&key(url))?.pop_front()?;
        state.reader.seek(start).ok()?;
        state.reader.page().ok()?.filter(|kept| kept.url == url)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
