//! Bounds on time and memory, which a target cannot exceed without ending the process.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time of an input. Set by judgement.
const MAX_TIME: Duration = Duration::from_secs(60);
/// Greatest growth of the memory of the process, in bytes. Set by judgement.
const MAX_GROWTH: u64 = 1 << 30;
/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(20);
/// Bytes of a page of memory.
const PAGE_BYTES: u64 = 4096;

/// The input that is being run. It is in a file, too, which remains if the process dies.
#[derive(Debug)]
pub struct Watchdog {
    file: File,
    path: PathBuf,
    started: Mutex<Option<Instant>>,
}

impl Watchdog {
    /// Starts to watch. `path` is the file for the input. If an input exceeds a bound, `fail` is
    /// called with the bound; it should end the process.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn start(path: &Path, fail: impl Fn(&str) + Send + 'static) -> io::Result<Arc<Watchdog>> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let watchdog = Arc::new(Watchdog {
            file: File::create(path)?,
            path: path.to_owned(),
            started: Mutex::new(None),
        });
        let watched = watchdog.clone();
        let initial = resident_bytes();
        thread::spawn(move || {
            loop {
                thread::sleep(INTERVAL);
                let started = *watched.lock();
                let is_late = started.is_some_and(|time| time.elapsed() > MAX_TIME);
                if is_late {
                    fail("hang");
                } else if started.is_some() && resident_bytes() > initial + MAX_GROWTH {
                    fail("memory");
                }
            }
        });
        Ok(watchdog)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an input.
    pub fn begin(&self, input: &[u8]) {
        // A failure costs only the input of a crash.
        let _ = self.file.set_len(input.len() as u64);
        let _ = self.file.write_all_at(input, 0);
        *self.lock() = Some(Instant::now());
    }

    /// Ends the input.
    pub fn end(&self) {
        *self.lock() = None;
    }

    /// Returns the file that has the input.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the memory of this process in bytes; 0 on systems that have no `/proc`.
fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|field| field.parse().ok());
    pages.unwrap_or(0_u64) * PAGE_BYTES
}
