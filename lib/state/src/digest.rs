//! A digest at the end of a state file at rest, by which a change of its content is detected.
//!
//! SQLite detects damage of the structure of a file, and not of the values in it: a flipped bit
//! changes a count, and every result that is derived from it. A tool that ends normally appends the
//! digest behind the last page, where SQLite does not read; the next one that opens the file checks
//! and removes it. A file without it, as after a kill, is not checked.

use crate::StateError;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The mark before the digest.
const MARK: &[u8; 16] = b"\nforage blake3: ";
/// Length of the mark and the digest.
const FOOTER_BYTES: u64 = 48;
/// Largest file with a digest: hashing it takes about 0.1 s.
const MAX_BYTES: u64 = 256 << 20;

/// Appends the digest of a database that is closed, or open without a WAL. A failure is ignored:
/// the file is then not checked.
pub(crate) fn append(path: &Path) {
    let append = || {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        let mut length = file.metadata()?.len();
        // What was written since may be in no digest.
        if read_footer(&mut file, length)?.is_some() {
            length -= FOOTER_BYTES;
            file.set_len(length)?;
        }
        if length == 0 || length > MAX_BYTES {
            return Ok(());
        }
        let footer = [&MARK[..], &hash(&mut file, length)?[..]].concat();
        // A part of it would be no mark.
        file.write_all(&footer)
            .or_else(|_: io::Error| file.set_len(length))
    };
    let _: io::Result<()> = append();
}

/// Removes the digest of a file, if it has one, before the file is written by other means than this
/// crate.
///
/// # Errors
/// Fails if the file cannot be read or written.
pub fn remove_digest(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    match read_footer(&mut file, length)? {
        Some(_) => file.set_len(length - FOOTER_BYTES),
        None => Ok(()),
    }
}

/// Checks the digest of a file that is to be read, if it has one. A writer may open the file at the
/// same time: it removes the digest first.
///
/// # Errors
/// Fails if the content has changed since the digest was appended.
pub(crate) fn check_for_reading(path: &Path) -> Result<(), StateError> {
    // The reader reports a file that cannot be opened.
    let Ok(file) = File::open(path) else {
        return Ok(());
    };
    check(path, &file).map(drop).or_else(|error| {
        let length = file.metadata().map_or(0, |file| file.len());
        match read_footer(&mut &file, length) {
            Ok(Some(_)) => Err(error),
            _ => Ok(()),
        }
    })
}

/// Checks the digest of a file, if it has one, and removes it. `lock` is the handle by which the
/// caller has locked the file: closing another one would release the locks of SQLite, which holds
/// none while there is a digest.
pub(crate) fn check_and_remove(path: &Path, lock: &File) -> Result<(), StateError> {
    if let Some(length) = check(path, lock)? {
        let file = OpenOptions::new().write(true).open(path);
        let removed = file.and_then(|file| file.set_len(length));
        removed.map_err(|e| StateError::CannotOpen(path.into(), e.to_string()))?;
    }
    Ok(())
}

/// Returns the length of the database of a file with a digest, after checking it; `None` if it has
/// none.
fn check(path: &Path, mut file: &File) -> Result<Option<u64>, StateError> {
    let mut read = || {
        let length = file.metadata()?.len();
        let Some(digest) = read_footer(&mut file, length)? else {
            return Ok(None);
        };
        let length = length - FOOTER_BYTES;
        Ok(Some((length, hash(&mut file, length)? == digest)))
    };
    match read().map_err(|e: io::Error| StateError::CannotOpen(path.into(), e.to_string()))? {
        Some((_, false)) => Err(StateError::Damaged(path.into())),
        Some((length, true)) => Ok(Some(length)),
        None => Ok(None),
    }
}

fn read_footer(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<[u8; 32]>> {
    let Some(start) = length.checked_sub(FOOTER_BYTES) else {
        return Ok(None);
    };
    let mut footer = [0; FOOTER_BYTES as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut footer)?;
    let (mark, digest) = footer.split_at(MARK.len());
    Ok(digest.try_into().ok().filter(|_| mark == MARK))
}

fn hash(file: &mut (impl Read + Seek), length: u64) -> io::Result<[u8; 32]> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(length))?;
    Ok(hasher.finalize().into())
}
