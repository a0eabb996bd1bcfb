//! Where bodies were met, for the records that refer to them instead of keeping them again.

use crate::layout::{digest, field};
use crate::message;
use crate::record::RawRecord;
use crate::source::{Place, RecordSource};
use forage_http::{Exchange, FetchError};
use http::header::CONTENT_ENCODING;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names of bodies whose place is remembered, of all archives together; some 50 bytes each.
const REMEMBERED: usize = 1_800_000;

/// The archives that were read, and the places of bodies in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Payloads {
    files: Vec<PathBuf>,
    /// The first record with a body, by the hash of what names it.
    places: HashMap<[u8; 16], InFile>,
    /// Archives that were read before, and may have what these lack.
    pub earlier: Option<Arc<Payloads>>,
}

/// Where a record is: the number of its archive, and the place in that.
pub(crate) type InFile = (u32, Place);

impl Payloads {
    /// Goes on with another archive.
    pub fn open(&mut self, path: &Path) {
        self.files.push(path.to_owned());
    }

    /// The archive that was opened last.
    pub fn file(&self) -> Option<&Path> {
        self.files.last().map(PathBuf::as_path)
    }

    /// The place in the archive that was opened last.
    pub fn here(&self, place: Place) -> InFile {
        (
            u32::try_from(self.files.len().saturating_sub(1)).unwrap_or(u32::MAX),
            place,
        )
    }

    /// Remembers a record that has a body: by its digest, as records that refer to it say that, and
    /// by its id.
    pub fn remember(&mut self, raw: &RawRecord, place: Place) {
        let here = self.here(place);
        for name in [field::PAYLOAD_DIGEST, field::ID]
            .into_iter()
            .filter_map(|name| raw.field(name))
        {
            if self.places.len() < REMEMBERED {
                self.places.entry(key(name)).or_insert(here);
            }
        }
    }

    /// The record with this body or id, if it was met; or why it can't be had.
    pub fn named(&self, name: &str, most: u64) -> Option<Result<RawRecord, String>> {
        match self.places.get(&key(name)) {
            Some(place) => Some(self.record(*place, most)),
            None => self.earlier.as_ref()?.named(name, most),
        }
    }

    /// The record at a place, or why it can't be had.
    pub fn record(&self, (file, place): InFile, most: u64) -> Result<RawRecord, String> {
        let path = self
            .files
            .get(file as usize)
            .ok_or("its archive is not known")?;
        let found =
            RecordSource::open_at(path, place).and_then(|mut source| source.record_here(most));
        found
            .map_err(|e| e.to_string())?
            .ok_or_else(|| "it is gone".into())
    }

    /// The answer that a record keeps, be it that it refers to the body.
    ///
    /// # Errors
    /// When it is none, or the body is not to be found.
    pub fn exchange(&self, raw: &RawRecord, url: &str, most: u64) -> Result<Exchange, FetchError> {
        let block = raw.block.as_deref().unwrap_or_default();
        if raw.is_of_type("revisit") {
            self.revisit(raw, url, block, most)
        } else {
            message::kept(raw, url, block)
        }
    }

    /// An answer whose body was kept before. Some writers keep no head in it, or one that says that
    /// nothing has changed (304): then that, too, is the one that was kept before.
    fn revisit(
        &self,
        raw: &RawRecord,
        url: &str,
        block: &[u8],
        most: u64,
    ) -> Result<Exchange, FetchError> {
        // As there is no body, some leave the empty line out.
        let own = message::answer(url, &[block, b"\r\n\r\n"].concat());
        if let Err(e @ FetchError::BadUrl(_)) = own {
            return Err(e);
        }
        let original = || {
            self.original(raw, url, most)
                .map_err(|cause| lost(raw, &cause))
        };
        let own = own.ok().filter(|own| own.status != 304);
        let Some(mut own) = own else {
            return original();
        };
        // Of what is no success the body is no matter.
        if (200..300).contains(&own.status) {
            let mut original = original()?;
            own.body = original.body;
            // Both say how it is coded. Some writers name bodies by what they are when they are
            // unpacked: then it is coded as that one says, as it is that one's.
            let is_named_as_sent = raw
                .field(field::PAYLOAD_DIGEST)
                .is_some_and(|name| name == digest(&own.body));
            if !is_named_as_sent {
                own.headers.remove(CONTENT_ENCODING);
                own.headers.extend(
                    original
                        .headers
                        .remove(CONTENT_ENCODING)
                        .map(|coding| (CONTENT_ENCODING, coding)),
                );
            }
        }
        Ok(own)
    }

    /// The answer that a revisit refers to, as if it had come from `url`, or why it can't be had.
    fn original(&self, revisit: &RawRecord, url: &str, most: u64) -> Result<Exchange, String> {
        let names = [field::PAYLOAD_DIGEST, field::REFERS_TO].map(|name| revisit.field(name));
        let mut names = names.into_iter().flatten().peekable();
        let Some(first) = names.peek().copied() else {
            return Err("it is not told which".into());
        };
        let raw = names.find_map(|name| self.named(name, most));
        let raw = raw.ok_or_else(|| format!("{first} did not come before"))??;
        let block = raw.block.as_deref().ok_or("it is too large")?;
        message::kept(&raw, url, block).map_err(|e| e.to_string())
    }
}

/// A hash that stands for a URL or a digest.
pub(crate) fn key(text: &str) -> [u8; 16] {
    blake3::hash(text.as_bytes()).as_bytes().as_chunks().0[0]
}

/// A revisit without the page that it refers to; it names that, where it can be looked for.
fn lost(revisit: &RawRecord, cause: &str) -> FetchError {
    let named = [field::REFERS_TO_TARGET, field::REFERS_TO_DATE].map(|name| revisit.field(name));
    let original = match named {
        [Some(url), Some(date)] => format!("; it was kept of {url} at {date}"),
        _ => String::new(),
    };
    let told = format!("the archive lacks the page's body: {cause}{original}");
    FetchError::BadBody(told.replace(char::is_control, " "))
}
