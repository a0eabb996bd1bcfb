//! The ordered parallel map over items that a tool reads itself, such as the pages of an archive.

use crate::io::Io;
use crate::progress::Progress;
use forage_record::Record;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

/// The files that a tool reads itself.
#[derive(Debug)]
pub struct ItemSource<'a> {
    /// Their paths.
    pub files: &'a [PathBuf],
    /// True if the progress is to be shown.
    pub shows_progress: bool,
    /// The number of bytes of them that were read so far.
    pub bytes_read: &'a AtomicU64,
}

/// Queued items per worker: enough to keep it busy, few enough to bound the memory.
const ITEMS_PER_WORKER: usize = 2;

impl Io {
    /// Converts each item that `next_item` returns to a record, on `workers` threads, and writes
    /// the records in the order of the items, until `next_item` returns `None`.
    ///
    /// # Errors
    /// Fails if the output, `next_item` or `to_record` does, or if that panics. Records of the items
    /// before the failure are written.
    pub fn produce_records<T: Send>(
        &mut self,
        source: &ItemSource<'_>,
        workers: usize,
        next_item: impl FnMut() -> anyhow::Result<Option<T>> + Send,
        to_record: impl Fn(T) -> anyhow::Result<Record> + Sync,
    ) -> anyhow::Result<()> {
        let tool = self.messages.tool();
        let mut progress = Progress::of_files(source.shows_progress, source.files, tool);
        let bytes_read = || source.bytes_read.load(Ordering::Relaxed);
        run_in_order(workers, next_item, to_record, |record| {
            match record.flatten() {
                Ok(record) => self.out.write_record(&record),
                Err(e) => {
                    // Records before the failure are written before it is reported.
                    self.out.flush()?;
                    return Err(e);
                }
            }
            progress.update(bytes_read(), self.out.records(), 0);
            self.out.flush_if_full()
        })?;
        progress.finish(bytes_read(), self.out.records(), 0);
        Ok(())
    }
}

/// Converts each item that `next_item` returns, on `workers` threads, and passes the results to
/// `write` in the order of the items, until `next_item` returns `None`.
///
/// # Errors
/// Fails if `write` does, which is passed the failure of `next_item` and of a conversion that
/// panics.
pub(crate) fn run_in_order<T: Send, R: Send>(
    workers: usize,
    mut next_item: impl FnMut() -> anyhow::Result<Option<T>> + Send,
    convert: impl Fn(T) -> R + Sync,
    mut write: impl FnMut(anyhow::Result<R>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let workers = workers.max(1);
    let (to_workers, items) = sync_channel(workers * ITEMS_PER_WORKER);
    // Each item has its own channel for its result. The writer receives these channels in the
    // order of the items. Their bounded queue limits the results in memory when the output is
    // read slowly.
    let (to_writer, results) = sync_channel(workers * ITEMS_PER_WORKER);
    let items = Mutex::new(items);
    let receive_item = || items.lock().unwrap_or_else(PoisonError::into_inner).recv();
    std::thread::scope(|threads| {
        threads.spawn(move || {
            while let Some(item) = next_item().transpose() {
                let (result_sender, result) = channel();
                // After a failure no further item is read.
                let is_last = item.is_err();
                let is_open = to_writer.send(result).is_ok();
                if !is_open || to_workers.send((item, result_sender)).is_err() || is_last {
                    return;
                }
            }
        });
        for _ in 0..workers {
            threads.spawn(|| {
                while let Ok((item, result_sender)) = receive_item() {
                    let result = item.and_then(|item| {
                        // The panic hook has reported the cause.
                        catch_unwind(AssertUnwindSafe(|| convert(item)))
                            .map_err(|_| anyhow::anyhow!("internal error"))
                    });
                    let _ = result_sender.send(result);
                }
            });
        }
        let written = write_results(results, &mut write);
        // When the writer has stopped, the reader stops too, and the queued items are dropped.
        while receive_item().is_ok() {}
        written
    })
}

fn write_results<R>(
    results: Receiver<Receiver<anyhow::Result<R>>>,
    write: &mut impl FnMut(anyhow::Result<R>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    results
        .iter()
        .filter_map(|result| result.recv().ok())
        .try_for_each(write)
}
