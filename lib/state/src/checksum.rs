//! Checksums of the pages of a state file, by which a change of its content is detected.
//!
//! SQLite detects damage of the structure of a file, and not of the values in it: a flipped bit
//! changes a count, and every result that is derived from it. Therefore each page ends with a
//! checksum, in the bytes that SQLite reserves there for extensions, as with its own extension
//! `cksumvfs`. It is written and checked together with its page, so that a step pays for the pages
//! that it reads, and nothing is read that no result depends on. SQLite checks the pages in the WAL
//! itself.
//!
//! A checksum of zero is none: SQLite's own programs copy a WAL into the file without checksums,
//! also if they only read it. A file of an earlier version has no reserved bytes, and is not
//! checked.

use rusqlite::Connection;
use rusqlite::ffi::{
    self, SQLITE_CORRUPT, SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_RESERVE_BYTES, SQLITE_OK,
    sqlite3_file, sqlite3_int64, sqlite3_io_methods,
};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Length of a checksum.
const CHECKSUM_BYTES: usize = 8;
/// Offset of the number of reserved bytes in the first page.
const RESERVED_AT: usize = 20;
/// The parts of the first page that SQLite checks itself, or whose values are refused: the journal
/// mode, and the header with the version of the file, which its owner may change by another
/// program.
const UNCHECKED: [Range<usize>; 2] = [18..20, 24..100];
/// The first bytes of a database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Smallest page of SQLite. Other reads are of a part of the first page.
const MIN_PAGE_BYTES: usize = 512;

/// The methods of the file of a connection, with checksums.
#[repr(C)]
pub(crate) struct CheckedMethods {
    /// First, because SQLite has a pointer to it.
    methods: sqlite3_io_methods,
    original: *const sqlite3_io_methods,
    /// True if the pages of the file have checksums.
    has_checksums: Cell<bool>,
    /// The pages of the map of the file that were checked, a bit each. SQLite asks for a page of it
    /// again and again.
    checked_pages: RefCell<Vec<u64>>,
}

/// Makes a connection that has read nothing yet write and check checksums.
#[allow(unsafe_code)]
pub(crate) fn check_pages(db: &Connection) {
    let mut file: *mut sqlite3_file = std::ptr::null_mut();
    let mut reserved = CHECKSUM_BYTES as c_int;
    // SAFETY: the handle is open; the operations take a pointer to a pointer and to an integer. The
    // file belongs to the connection, and has methods if it is open.
    unsafe {
        let control = |operation, argument: *mut c_void| {
            ffi::sqlite3_file_control(db.handle(), c"main".as_ptr(), operation, argument)
        };
        let found = control(SQLITE_FCNTL_FILE_POINTER, (&raw mut file).cast());
        // Of a new file; an existing one keeps what it has.
        control(SQLITE_FCNTL_RESERVE_BYTES, (&raw mut reserved).cast());
        if found != SQLITE_OK || file.is_null() || (*file).pMethods.is_null() {
            return;
        }
        let original = (*file).pMethods;
        // Some 200 bytes for each file that the process opens, which must outlive the connection.
        let checked = Box::leak(Box::new(CheckedMethods {
            methods: sqlite3_io_methods {
                xRead: Some(read_checked),
                xWrite: Some(write_checked),
                xFetch: (*original).xFetch.and(Some(fetch_checked)),
                xDeviceCharacteristics: Some(device_characteristics),
                ..*original
            },
            original,
            has_checksums: Cell::new(false),
            checked_pages: RefCell::default(),
        }));
        (*file).pMethods = (&raw const *checked).cast();
    }
}

/// Returns the methods of [`check_pages`].
///
/// # Safety
/// The file has these methods.
#[allow(unsafe_code)]
unsafe fn methods_of<'a>(file: *mut sqlite3_file) -> &'a CheckedMethods {
    // SAFETY: `methods` is the first field of `CheckedMethods`.
    unsafe { &*(*file).pMethods.cast::<CheckedMethods>() }
}

impl CheckedMethods {
    /// Returns `true` if these bytes are a page with a checksum.
    fn is_checked_page(&self, bytes: &[u8], offset: sqlite3_int64) -> bool {
        if offset == 0
            && let Some(has_checksums) = has_checksums(bytes)
        {
            self.has_checksums.set(has_checksums);
        }
        is_page(bytes) && self.has_checksums.get()
    }

    /// Returns `true` if a page that was read is intact, or has no checksum.
    fn is_intact(&self, page: &[u8], offset: sqlite3_int64) -> bool {
        if !self.is_checked_page(page, offset) {
            return !has_lost_its_mark(page, offset);
        }
        let found = &page[page.len() - CHECKSUM_BYTES..];
        found == [0; CHECKSUM_BYTES] || found == checksum(page, offset)
    }

    /// The same for a page of the map of the file, which is checked once.
    fn is_intact_in_map(&self, page: &[u8], offset: sqlite3_int64) -> bool {
        let number = offset.cast_unsigned() as usize / page.len().max(1);
        let (word, bit) = (number / 64, 1 << (number % 64));
        let mut checked_pages = self.checked_pages.borrow_mut();
        if checked_pages.len() <= word {
            checked_pages.resize(word + 1, 0);
        }
        if checked_pages[word] & bit == 0 && self.is_intact(page, offset) {
            checked_pages[word] |= bit;
        }
        checked_pages[word] & bit != 0
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn read_checked(
    file: *mut sqlite3_file,
    bytes: *mut c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes its own file, and a buffer of this length, which is filled.
    unsafe {
        let checked = methods_of(file);
        let Some(read) = (*checked.original).xRead else {
            return ffi::SQLITE_IOERR_READ;
        };
        let result = read(file, bytes, length, offset);
        if result != SQLITE_OK {
            return result;
        }
        let page = std::slice::from_raw_parts_mut(bytes.cast::<u8>(), length as usize);
        if !checked.is_intact(page, offset) {
            return SQLITE_CORRUPT;
        }
        if checked.is_checked_page(page, offset) {
            // A checksum in the WAL would be that of the page before its change.
            let end = page.len() - CHECKSUM_BYTES;
            page[end..].fill(0);
        }
        SQLITE_OK
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn fetch_checked(
    file: *mut sqlite3_file,
    offset: sqlite3_int64,
    length: c_int,
    page: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes its own file, and a pointer that is set to bytes of this length, or to
    // null.
    unsafe {
        let checked = methods_of(file);
        let Some(fetch) = (*checked.original).xFetch else {
            return ffi::SQLITE_IOERR_MMAP;
        };
        let result = fetch(file, offset, length, page);
        if result != SQLITE_OK || (*page).is_null() {
            return result;
        }
        let bytes = std::slice::from_raw_parts((*page).cast::<u8>(), length as usize);
        if checked.is_intact_in_map(bytes, offset) {
            return SQLITE_OK;
        }
        if let Some(release) = (*checked.original).xUnfetch {
            release(file, offset, *page);
        }
        *page = std::ptr::null_mut();
        SQLITE_CORRUPT
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn write_checked(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes its own file, and a buffer of this length.
    unsafe {
        let checked = methods_of(file);
        let Some(write) = (*checked.original).xWrite else {
            return ffi::SQLITE_IOERR_WRITE;
        };
        let page = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
        if !checked.is_checked_page(page, offset) {
            return write(file, bytes, length, offset);
        }
        let page = with_checksum(page, offset);
        write(file, page.as_ptr().cast(), length, offset)
    }
}

/// Makes SQLite read whole pages only, also where it needs a part of one.
#[allow(unsafe_code)]
unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes its own file.
    let original = unsafe { (*methods_of(file).original).xDeviceCharacteristics };
    // SAFETY: the same.
    let all = original.map_or(0, |original| unsafe { original(file) });
    all & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}

/// Returns `true` if these bytes have the length of a page.
fn is_page(bytes: &[u8]) -> bool {
    bytes.len() >= MIN_PAGE_BYTES && bytes.len().is_power_of_two()
}

/// Returns whether the pages of a file have checksums, from its first bytes; `None` if they are not
/// those of a database.
fn has_checksums(start: &[u8]) -> Option<bool> {
    let reserved = start.starts_with(MAGIC).then(|| start.get(RESERVED_AT))??;
    Some(usize::from(*reserved) == CHECKSUM_BYTES)
}

/// Returns `true` if these bytes are a first page with a checksum, and with another number of
/// reserved bytes: without this, one bit would turn all checksums off.
fn has_lost_its_mark(page: &[u8], offset: i64) -> bool {
    if offset != 0 || !is_page(page) {
        return false;
    }
    let mut page = page.to_vec();
    page[RESERVED_AT] = CHECKSUM_BYTES as u8;
    page.ends_with(&checksum(&page, offset))
}

/// Returns the checksum of the page at an offset of the file.
fn checksum(page: &[u8], offset: i64) -> [u8; CHECKSUM_BYTES] {
    let mut content = Cow::Borrowed(&page[..page.len() - CHECKSUM_BYTES]);
    if offset == 0 {
        let content = content.to_mut();
        UNCHECKED
            .into_iter()
            .for_each(|range| content[range].fill(0));
    }
    let checksum = xxh3_64_with_seed(&content, offset.cast_unsigned());
    checksum.max(1).to_le_bytes()
}

fn with_checksum(page: &[u8], offset: i64) -> Vec<u8> {
    let checksum = checksum(page, offset);
    let mut page = page.to_vec();
    let end = page.len() - CHECKSUM_BYTES;
    page[end..].copy_from_slice(&checksum);
    page
}

/// Makes the checksums of a file those of its content, after it was written by other means than
/// this crate. It must not be open.
///
/// # Errors
/// Fails if the file cannot be read or written.
pub fn renew_checksums(path: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(path)?;
    if has_checksums(&bytes) != Some(true) {
        return Ok(());
    }
    // 1 is 65,536.
    let size = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 1 << 16,
        size => usize::from(size),
    };
    if size < MIN_PAGE_BYTES {
        return Ok(());
    }
    let pages = bytes.chunks(size).zip((0..).step_by(size));
    let renewed = pages.flat_map(|(page, offset)| match page.len() == size {
        true => with_checksum(page, offset),
        false => page.to_vec(),
    });
    std::fs::write(path, renewed.collect::<Vec<u8>>())
}
