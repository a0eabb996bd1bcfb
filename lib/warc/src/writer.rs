//! Writing: each fetch result is one write to the end of the file, so that an archive is whole up
//! to the last one that is in it, whenever the writer is killed.

use crate::layout::{self, info, record_id};
use crate::{RevisitIndex, tail};
use forage_http::time::now_rfc3339;
use forage_http::{Exchange, FetchResult, RecordReference};
use forage_record::WarcLocation;
use forage_state::StateError;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Payloads that are remembered, so that the same one is kept once; some 200 bytes each.
const REMEMBERED: usize = 200_000;
/// Smaller payloads are kept again: a reference to one would be longer.
const LEAST_PAYLOAD: usize = 256;

const IN_USE: &str = "another process is at work on it; wait until that has ended";

/// An archive that is written to. May be shared by threads.
#[derive(Debug)]
pub struct ArchiveWriter {
    path: PathBuf,
    /// What other archives keep, or this one before.
    revisits: Arc<RevisitIndex>,
    /// Nothing once it is closed.
    state: Mutex<Option<OpenArchive>>,
    /// Of a record that was not whole, at the end of what was there.
    cut: u64,
}

#[derive(Debug)]
struct OpenArchive {
    file: File,
    /// Where the next record will begin.
    end: u64,
    /// Records in it, for their ids.
    records: u64,
    /// Payloads that it holds, by digest.
    known: HashMap<String, RecordReference>,
    /// Places would be wrong if another process wrote, too.
    _lock: File,
}

impl ArchiveWriter {
    /// An archive to add to; it is made where there is none. A record at its end that is not whole
    /// is cut off.
    ///
    /// # Errors
    /// When it can't be opened, read or written, is no archive, or another process writes it.
    pub fn open(path: &Path) -> io::Result<ArchiveWriter> {
        let (state, cut) = OpenArchive::open(path)?;
        Ok(ArchiveWriter {
            path: path.to_owned(),
            revisits: Arc::default(),
            state: Mutex::new(Some(state)),
            cut,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of a record that was not whole, which were cut off when the archive was opened.
    pub const fn truncated_bytes(&self) -> u64 {
        self.cut
    }

    /// The same archive, which does not keep again what `revisits` has.
    pub fn with_revisit_index(self, revisits: Arc<RevisitIndex>) -> ArchiveWriter {
        ArchiveWriter { revisits, ..self }
    }

    /// Waits until what is being written is whole; after that nothing more is kept.
    pub fn close(&self) {
        *self.state() = None;
    }

    fn state(&self) -> MutexGuard<'_, Option<OpenArchive>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a fetch result. Returns where its last answer is, which is the page.
    ///
    /// # Errors
    /// When it can't be written, or is closed.
    pub fn write_result(&self, result: &FetchResult) -> io::Result<WarcLocation> {
        let mut state = self.state();
        let Some(state) = &mut *state else {
            return Err(io::Error::other("the archive is closed"));
        };
        let first = result
            .exchanges()
            .next()
            .map_or("", |exchange| exchange.url.as_str());
        let (mut bytes, mut place) = (Vec::new(), state.end);
        for exchange in result.exchanges() {
            let requested = if exchange.url.as_str() == first {
                result.requested_url.as_str()
            } else {
                exchange.url.as_str()
            };
            place = state.end + bytes.len() as u64;
            state.write(exchange, requested, &self.revisits, &mut bytes);
        }
        if let Err(e) = state.file.write_all(&bytes) {
            // The disk is full, it may be: what was written of it is no record.
            let _ = state.file.set_len(state.end);
            return Err(e);
        }
        state.end += bytes.len() as u64;
        Ok(WarcLocation {
            file: self.path.to_string_lossy().into_owned(),
            offset: place,
        })
    }
}

impl OpenArchive {
    /// The archive, and how much was cut off of it.
    fn open(path: &Path) -> io::Result<(OpenArchive, u64)> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let _lock = forage_state::lock(path).map_err(|e| match e {
            StateError::InUse(_) => io::Error::other(IN_USE),
            e => io::Error::other(e),
        })?;
        let cut = tail::mend(&mut file)?;
        let mut end = file.seek(SeekFrom::End(0))?;
        if end == 0 {
            let first = info(&now_rfc3339(), &path.to_string_lossy());
            file.write_all(&first)?;
            end = first.len() as u64;
        }
        Ok((
            OpenArchive {
                file,
                end,
                records: 0,
                known: HashMap::new(),
                _lock,
            },
            cut,
        ))
    }

    /// Writes the records of an exchange to `bytes`.
    fn write(
        &mut self,
        exchange: &Exchange,
        requested: &str,
        revisits: &RevisitIndex,
        bytes: &mut Vec<u8>,
    ) {
        let payload = layout::digest(&exchange.body);
        let (url, at) = (exchange.url.as_str(), exchange.date.as_str());
        self.records += 1;
        let number = self.end + self.records;
        let id = record_id(&[
            b"response",
            url.as_bytes(),
            at.as_bytes(),
            &number.to_le_bytes(),
        ]);
        let may_refer = exchange.truncated.is_none() && exchange.body.len() >= LEAST_PAYLOAD;
        let known = || {
            self.known
                .get(&payload)
                .cloned()
                .or_else(|| revisits.find_payload(&payload))
        };
        let original = exchange
            .refers_to
            .clone()
            .or_else(|| known().filter(|_| may_refer));
        bytes.extend(layout::response(
            exchange,
            &id,
            &payload,
            requested,
            original.as_ref(),
        ));
        bytes.extend(layout::request(exchange, &id));
        if original.is_none() && may_refer {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(
                payload,
                RecordReference {
                    id,
                    target_uri: url.to_owned(),
                    date: at.to_owned(),
                },
            );
        }
    }
}
