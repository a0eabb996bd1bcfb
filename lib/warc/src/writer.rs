//! Writing of archives. Each fetch result is one write at the end of the file, so that an archive
//! is complete up to its last result, even if the writer is killed.
//!
//! A payload that several URLs have is written once by a writer. One that an earlier writer has
//! written is found only in the archives that the caller names ([`RevisitIndex`]), because a
//! pipeline starts a process per step, and each would have to read the whole archive.

use crate::record_format::{
    labelled_digest, record_id, request_record, response_record, warcinfo_record,
};
use crate::{RevisitIndex, repair};
use forage_http::{Exchange, FetchResult, RecordReference};
use forage_record::WarcLocation;
use forage_record::time::now_rfc3339;
use forage_state::StateError;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// Maximum number of remembered payloads, each of which is archived once, of about 200 bytes each;
/// beyond it all are forgotten.
const MAX_PAYLOADS: usize = 200_000;
/// Smallest payload that is replaced by a reference to an equal one: a reference needs about as
/// many bytes.
const MIN_REFERENCED_BYTES: usize = 256;

const IN_USE: &str = "another process is writing it; wait until it has finished";

/// An archive that is being written. It can be shared by threads.
#[derive(Debug)]
pub struct ArchiveWriter {
    path: PathBuf,
    /// Payloads of earlier archives, which may include this one.
    revisits: Arc<RevisitIndex>,
    /// `None` once the archive is closed.
    archive: Mutex<Option<OpenArchive>>,
    truncated_bytes: u64,
}

#[derive(Debug)]
struct OpenArchive {
    file: File,
    /// The position of the next record.
    end: u64,
    /// Number of exchanges written since the archive was opened. With `opened`, it makes record IDs
    /// unique.
    exchanges: u64,
    /// The process and the time at which it opened the archive.
    opened: (u32, Duration),
    /// The records with payloads that were written, by payload digest.
    payloads: HashMap<String, RecordReference>,
    /// Positions would be wrong if another process wrote to the file.
    _lock: File,
}

impl ArchiveWriter {
    /// Opens an archive to append to it, or creates it. An incomplete record at its end is
    /// truncated.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, read or written, is not an archive, or is being written
    /// by another process.
    pub fn open(path: &Path) -> io::Result<ArchiveWriter> {
        let (archive, truncated_bytes) = OpenArchive::open(path)?;
        Ok(ArchiveWriter {
            path: path.to_owned(),
            revisits: Arc::default(),
            archive: Mutex::new(Some(archive)),
            truncated_bytes,
        })
    }

    /// Returns the path of the archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes of an incomplete record that were removed when the archive was
    /// opened.
    pub const fn truncated_bytes(&self) -> u64 {
        self.truncated_bytes
    }

    /// Adds an index of payloads that are not written again.
    pub fn with_revisit_index(self, revisits: Arc<RevisitIndex>) -> ArchiveWriter {
        ArchiveWriter { revisits, ..self }
    }

    /// Closes the archive after a write that is under way. Later writes fail.
    pub fn close(&self) {
        *self.archive.lock() = None;
    }

    /// Writes a fetch result. Returns the location of its final response.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or the archive is closed.
    pub fn write_result(&self, result: &FetchResult) -> io::Result<WarcLocation> {
        let mut archive = self.archive.lock();
        let Some(archive) = &mut *archive else {
            return Err(io::Error::other("the archive is closed"));
        };
        let first_url = result
            .exchanges()
            .next()
            .map_or("", |exchange| exchange.url.as_str());
        let mut bytes = Vec::new();
        let mut offset = archive.end;
        for exchange in result.exchanges() {
            let requested_url = if exchange.url.as_str() == first_url {
                result.requested_url.as_str()
            } else {
                exchange.url.as_str()
            };
            offset = archive.end + bytes.len() as u64;
            archive.serialise_exchange(exchange, requested_url, &self.revisits, &mut bytes);
        }
        if let Err(e) = archive.file.write_all(&bytes) {
            // The disk may be full: removes the incomplete record.
            let _ = archive.file.set_len(archive.end);
            return Err(e);
        }
        archive.end += bytes.len() as u64;
        Ok(WarcLocation {
            file: self.path.to_string_lossy().into_owned(),
            offset,
        })
    }
}

impl OpenArchive {
    /// Opens or creates an archive. Also returns the number of bytes of an incomplete record that
    /// were removed.
    fn open(path: &Path) -> io::Result<(OpenArchive, u64)> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let _lock = forage_state::lock(path).map_err(|e| match e {
            StateError::InUse(..) => io::Error::other(IN_USE),
            e => io::Error::other(e),
        })?;
        let truncated_bytes = repair::truncate_incomplete_record(&mut file)?;
        let mut end = file.seek(SeekFrom::End(0))?;
        if end == 0 {
            let warcinfo = warcinfo_record(&now_rfc3339(), &path.to_string_lossy());
            file.write_all(&warcinfo)?;
            end = warcinfo.len() as u64;
        }
        let archive = OpenArchive {
            file,
            end,
            exchanges: 0,
            opened: (process::id(), UNIX_EPOCH.elapsed().unwrap_or_default()),
            payloads: HashMap::new(),
            _lock,
        };
        Ok((archive, truncated_bytes))
    }

    /// Appends the records of an exchange to `bytes`.
    fn serialise_exchange(
        &mut self,
        exchange: &Exchange,
        requested_url: &str,
        revisits: &RevisitIndex,
        bytes: &mut Vec<u8>,
    ) {
        let digest = labelled_digest(&exchange.body);
        let url = exchange.url.as_str();
        let date = exchange.date.as_str();
        self.exchanges += 1;
        let number = format!("{:?} {}", self.opened, self.exchanges);
        let id = record_id(&[
            b"response",
            url.as_bytes(),
            date.as_bytes(),
            number.as_bytes(),
        ]);
        let may_be_referenced =
            exchange.truncated.is_none() && exchange.body.len() >= MIN_REFERENCED_BYTES;
        let refers_to = exchange.refers_to.clone().or_else(|| {
            // Tested first: finding a payload may read an earlier archive.
            let archived = may_be_referenced.then(|| self.payloads.get(&digest).cloned());
            archived?.or_else(|| revisits.find_payload(&digest))
        });
        bytes.extend(response_record(
            exchange,
            &id,
            &digest,
            requested_url,
            refers_to.as_ref(),
        ));
        bytes.extend(request_record(exchange, &id));
        if refers_to.is_none() && may_be_referenced {
            if self.payloads.len() >= MAX_PAYLOADS {
                self.payloads.clear();
            }
            let reference = RecordReference {
                id,
                target_uri: url.to_owned(),
                date: date.to_owned(),
            };
            self.payloads.insert(digest, reference);
        }
    }
}
