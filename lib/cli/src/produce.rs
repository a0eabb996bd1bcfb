//! The ordered parallel map over items that a tool reads itself, such as the pages of an archive.

use crate::io::Io;
use crate::output::Output;
use forage_record::Record;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Queued items per worker: enough to keep it busy, few enough to bound the memory. Set by
/// judgement, not measured.
const ITEMS_PER_WORKER: usize = 2;

impl Io {
    /// Converts each item that `next_item` returns to a record, on `workers` threads, and writes
    /// the records in the order of the items, until `next_item` returns `None`.
    ///
    /// # Errors
    /// Fails if the output or `next_item` does, or if `to_record` panics. Records of the items
    /// before the failure are written.
    pub fn produce_records<T: Send>(
        &mut self,
        workers: usize,
        mut next_item: impl FnMut() -> anyhow::Result<Option<T>> + Send,
        to_record: impl Fn(T) -> Record + Sync,
    ) -> anyhow::Result<()> {
        let workers = workers.max(1);
        let (to_workers, items) = sync_channel(workers * ITEMS_PER_WORKER);
        // Each item has its own channel for its record. The writer receives these channels in the
        // order of the items. Their bounded queue limits the records in memory when the output is
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
                        let record = item.and_then(|item| {
                            // The panic hook has reported the cause.
                            catch_unwind(AssertUnwindSafe(|| to_record(item)))
                                .map_err(|_| anyhow::anyhow!("internal error"))
                        });
                        let _ = result_sender.send(record);
                    }
                });
            }
            let written = write_records(&mut self.out, results);
            // When the writer has stopped, the reader stops too, and the queued items are dropped.
            while receive_item().is_ok() {}
            written
        })
    }
}

fn write_records(
    out: &mut Output,
    results: Receiver<Receiver<anyhow::Result<Record>>>,
) -> anyhow::Result<()> {
    for record in results.iter().filter_map(|result| result.recv().ok()) {
        match record {
            Ok(record) => out.write_record(&record),
            Err(e) => {
                // Records before the failure are written before it is reported.
                out.flush()?;
                return Err(e);
            }
        }
        out.flush_if_full()?;
    }
    Ok(())
}
