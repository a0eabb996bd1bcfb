//! The ordered parallel map over what a tool reads by itself: an archive, and not lines.

use crate::io::Io;
use crate::output::Output;
use forage_record::Record;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Items that wait for each worker: enough for it never to be idle, and a bound for what they hold.
const WAITING: usize = 2;

impl Io {
    /// Makes a record of each item that `next` gives, until there is none, on `workers` threads,
    /// and puts them out in their order: for a tool that is a source.
    ///
    /// # Errors
    /// When output fails, or `next` does; what it gave before is written.
    pub fn produce_records<T: Send>(
        &mut self,
        workers: usize,
        mut next: impl FnMut() -> anyhow::Result<Option<T>> + Send,
        make: impl Fn(T) -> Record + Sync,
    ) -> anyhow::Result<()> {
        let workers = workers.max(1);
        let (to_workers, items) = sync_channel(workers * WAITING);
        // Each item has a channel of its own for its record; the writer gets these in their order.
        // No more are begun than these hold, so that an output that is read slowly does not fill
        // the memory.
        let (to_writer, made) = sync_channel(workers * WAITING);
        let items = Mutex::new(items);
        let take_item = || items.lock().unwrap_or_else(PoisonError::into_inner).recv();
        std::thread::scope(|threads| {
            threads.spawn(move || {
                while let Some(item) = next().transpose() {
                    let (answer, answered) = channel();
                    // A failure is the last of them.
                    let is_last = item.is_err();
                    let is_wanted = to_writer.send(answered).is_ok();
                    if !is_wanted || to_workers.send((item, answer)).is_err() || is_last {
                        return;
                    }
                }
            });
            for _ in 0..workers {
                threads.spawn(|| {
                    while let Ok((item, answer)) = take_item() {
                        let record = item.and_then(|item| {
                            // The panic hook has said what there is to say.
                            let made = catch_unwind(AssertUnwindSafe(|| make(item)));
                            made.map_err(|_| anyhow::anyhow!("a defect of this tool was met"))
                        });
                        let _ = answer.send(record);
                    }
                });
            }
            let written = write(&mut self.out, made);
            // When the writer has stopped, so does the reader, and nobody wants what still waits.
            while take_item().is_ok() {}
            written
        })
    }
}

fn write(out: &mut Output, made: Receiver<Receiver<anyhow::Result<Record>>>) -> anyhow::Result<()> {
    for record in made.iter().filter_map(|answered| answered.recv().ok()) {
        match record {
            Ok(record) => out.write_record(&record),
            Err(e) => {
                // What came before the failure is out before it is told of.
                out.flush()?;
                return Err(e);
            }
        }
        out.flush_if_full()?;
    }
    Ok(())
}
