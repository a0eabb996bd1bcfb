//! Detection of commits in a WAL that SQLite drops.
//!
//! SQLite reads a WAL up to the first frame whose checksum is wrong, because the frames behind it
//! are of a commit that a power failure interrupted. A changed bit ends the reading in the same
//! way, and all commits behind it are dropped without a word. But a commit is synced before the
//! next one begins, so that a power failure leaves at most one that cannot be read; and a kill
//! leaves none, as the frame that commits is written last.

use rusqlite::Connection;
use rusqlite::ffi::{self, SQLITE_FCNTL_FILE_POINTER, SQLITE_OK, sqlite3_file};
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const WAL_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// Of the header of the WAL index, up to the salts.
const INDEX_BYTES: usize = 40;
/// A part of the WAL index that is mapped at a time.
const INDEX_REGION_BYTES: c_int = 32_768;

/// Returns `true` if the WAL of the database at `path`, which the connection has read, contains
/// commits that SQLite has dropped, and no power failure explains it. Nobody may be writing it.
pub(crate) fn has_dropped_commits(db: &Connection, path: &Path) -> bool {
    let explained = match is_older_than_the_last_start(path) {
        true => 1,
        false => 0,
    };
    dropped_commits(db, path).is_some_and(|dropped| dropped > explained)
}

/// Returns the number of commits, up to 2, behind the frames that SQLite has read; `None` if there
/// is no WAL, or it is not in use.
fn dropped_commits(db: &Connection, path: &Path) -> Option<usize> {
    let wal = File::open(sibling(path, "-wal")).ok()?;
    let header: [u8; WAL_HEADER_BYTES] = read(&wal, 0)?;
    // The length in the header may be damaged.
    let page_bytes = db.query_row("PRAGMA page_size", [], |row| row.get::<_, u32>(0));
    let frame_bytes = u64::from(page_bytes.ok()?) + FRAME_HEADER_BYTES as u64;
    let frame_at = |frame: u64| WAL_HEADER_BYTES as u64 + frame * frame_bytes;
    let frame_header = |frame| read::<FRAME_HEADER_BYTES>(&wal, frame_at(frame));
    let mode = db.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
    let index = mode
        .is_ok_and(|mode| mode == "wal")
        .then(|| index_header(db))??;
    let frames_read = u32::from_ne_bytes(index[16..20].try_into().ok()?);
    // The frames of an earlier use of the WAL have other salts.
    let salts = match frames_read {
        0 if has_valid_checksum(&header) => header[16..24].to_vec(),
        0 => frame_header(0)?[8..16].to_vec(),
        _ => index[32..40].to_vec(),
    };
    let bytes = wal.metadata().ok()?.len();
    let dropped = (u64::from(frames_read)..)
        .take_while(|frame| frame_at(frame + 1) <= bytes)
        .filter_map(frame_header)
        .filter(|frame| frame[4..8] != [0; 4] && frame[8..16] == salts);
    Some(dropped.take(2).count())
}

/// Returns the header of the WAL index that a connection has mapped. A handle of its own would
/// release the locks of SQLite when it is closed.
#[allow(unsafe_code)]
fn index_header(db: &Connection) -> Option<[u8; INDEX_BYTES]> {
    let mut file: *mut sqlite3_file = std::ptr::null_mut();
    let mut index: *mut c_void = std::ptr::null_mut();
    // SAFETY: the handle is open, and the operation takes a pointer to a pointer. The file belongs
    // to the connection; its first region of the index, if it is mapped, has this length.
    unsafe {
        let name = c"main".as_ptr();
        let pointer = (&raw mut file).cast();
        ffi::sqlite3_file_control(db.handle(), name, SQLITE_FCNTL_FILE_POINTER, pointer);
        let map = file.as_ref()?.pMethods.as_ref()?.xShmMap?;
        let extend: c_int = 0;
        let result = map(file, 0, INDEX_REGION_BYTES, extend, &raw mut index);
        (result == SQLITE_OK && !index.is_null()).then(|| index.cast::<[u8; INDEX_BYTES]>().read())
    }
}

/// Returns whether the header of a WAL has the checksum that SQLite gives it.
fn has_valid_checksum(header: &[u8; WAL_HEADER_BYTES]) -> bool {
    let little_endian = header[3] & 1 == 0;
    let words = header.chunks_exact(4).map(|word| {
        let word = [word[0], word[1], word[2], word[3]];
        match little_endian {
            true => u32::from_le_bytes(word),
            false => u32::from_be_bytes(word),
        }
    });
    let (mut even, mut odd) = (0_u32, 0_u32);
    for (position, word) in words.take(6).enumerate() {
        match position % 2 {
            0 => even = even.wrapping_add(word).wrapping_add(odd),
            _ => odd = odd.wrapping_add(word).wrapping_add(even),
        }
    }
    header[24..] == [even.to_be_bytes(), odd.to_be_bytes()].concat()
}

/// Returns `true` if the WAL was last written before this machine was started, or the system does
/// not tell: a power failure may have followed.
fn is_older_than_the_last_start(path: &Path) -> bool {
    let uptime = std::fs::read_to_string("/proc/uptime")
        .ok()
        .and_then(|line| {
            let seconds = line.split_whitespace().next()?.parse().ok()?;
            Duration::try_from_secs_f64(seconds).ok()
        });
    let written = sibling(path, "-wal")
        .metadata()
        .and_then(|wal| wal.modified());
    let started = uptime.and_then(|uptime| SystemTime::now().checked_sub(uptime));
    match (written, started) {
        (Ok(written), Some(started)) => written < started,
        _ => true,
    }
}

fn read<const LENGTH: usize>(file: &File, offset: u64) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
