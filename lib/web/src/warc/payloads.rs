//! Where bodies were met, for the records that refer to them instead of keeping them again.

use super::earlier::key;
use super::form::field;
use super::http;
use super::record::Raw;
use super::source::{Place, Source};
use crate::fetch::visit::Exchange;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Names of bodies whose place is remembered, of all archives together; some 50 bytes each.
const REMEMBERED: usize = 1_800_000;

/// The archives that were read, and the places of bodies in them.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    files: Vec<PathBuf>,
    /// Archive and place of the first record with a body, by the hash of what names it.
    places: HashMap<[u8; 16], (u32, Place)>,
}

impl Payloads {
    /// Goes on with another archive.
    pub fn open(&mut self, path: &Path) {
        self.files.push(path.to_owned());
    }

    /// The archive that was opened last.
    pub fn file(&self) -> Option<&Path> {
        self.files.last().map(PathBuf::as_path)
    }

    /// Remembers a record that has a body: by its digest, as records that refer to it say that, and by its id.
    pub fn note(&mut self, raw: &Raw, place: Place) {
        let Ok(file) = u32::try_from(self.files.len().saturating_sub(1)) else { return };
        for name in [field::PAYLOAD_DIGEST, field::ID].into_iter().filter_map(|name| raw.field(name)) {
            if self.places.len() < REMEMBERED {
                self.places.entry(key(name)).or_insert((file, place));
            }
        }
    }

    /// The answer that a revisit refers to, as if it had come from `url`, or why it can't be had.
    pub fn original(&self, revisit: &Raw, url: &str, most: u64) -> Result<Exchange, String> {
        let names = [field::PAYLOAD_DIGEST, field::REFERS_TO].map(|name| revisit.field(name));
        let mut names = names.into_iter().flatten().peekable();
        let Some(first) = names.peek().copied() else { return Err("it is not told which".into()) };
        let place = names.find_map(|name| self.places.get(&key(name)));
        let (file, place) = place.ok_or_else(|| format!("{first} did not come before"))?;
        let path = self.files.get(*file as usize).ok_or("its archive is not known")?;
        let found = Source::open_at(path, *place).and_then(|mut source| source.record_here(most));
        let raw = found.map_err(|e| e.to_string())?.ok_or("it is gone")?;
        let block = raw.block.as_deref().ok_or("it is too large")?;
        http::kept(&raw, url, block).map_err(|e| e.to_string())
    }
}
