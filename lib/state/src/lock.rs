//! The lock by which one process at a time writes a file.

use crate::StateError;
use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest wait for the lock of another process.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Time between two attempts to lock the file.
const LOCK_POLL: Duration = Duration::from_millis(2);

/// Locks an existing file against other processes until the returned handle is dropped.
///
/// Waits up to 5 s for the lock, because the process of the previous step may be about to end.
///
/// # Errors
/// Fails if another process holds the lock, or the file cannot be locked.
pub fn lock(path: &Path) -> Result<File, StateError> {
    let to_error = |source| StateError::Lock(path.into(), source);
    let file = File::open(path).map_err(to_error)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_POLL)
            }
            Err(TryLockError::WouldBlock) => {
                return Err(StateError::InUse(path.into(), lock_holder(&file)));
            }
            Err(TryLockError::Error(source)) => return Err(to_error(source)),
        }
    }
}

/// Returns the number of the process that has locked a file, on Linux.
fn lock_holder(file: &File) -> Option<u32> {
    let inode = format!(":{}", file.metadata().ok()?.ino());
    // A line may be missing while other processes lock files.
    (0..10).find_map(|_| find_lock(&std::fs::read_to_string("/proc/locks").ok()?, &inode))
}

/// Returns the process in a line such as `1: FLOCK  ADVISORY  WRITE 4242 fe:00:1234 0 EOF`, of the
/// file whose identity ends with `inode`.
fn find_lock(locks: &str, inode: &str) -> Option<u32> {
    let mut locks = locks
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let lock = locks.find(|lock| {
        lock.get(1) == Some(&"FLOCK") && lock.get(5).is_some_and(|id| id.ends_with(inode))
    })?;
    lock.get(4)?.parse().ok()
}
