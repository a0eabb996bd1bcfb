//! The ordered parallel map over what a tool reads by itself: an archive, and not lines.

use crate::output::Output;
use forage_record::Record;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Items that wait for each worker: enough for it never to be idle, and a bound for what they hold.
const WAITING: usize = 2;

/// What a worker gives to the writer.
type Made = (u64, anyhow::Result<Record>);

/// Makes a record of each item of `next`, until there is none, on `workers` threads, and puts them out in order.
pub(crate) fn run<T: Send>(
    out: &mut Output,
    workers: usize,
    next: impl FnMut() -> anyhow::Result<Option<T>> + Send,
    make: impl Fn(T) -> Record + Sync,
) -> anyhow::Result<()> {
    let places = workers.max(1) * WAITING;
    let (to_workers, items) = sync_channel(places);
    let (to_writer, made) = sync_channel(places);
    let items = Mutex::new(Some(items));
    std::thread::scope(|threads| {
        threads.spawn(move || read(next, &to_workers));
        for to_writer in std::iter::repeat_n(to_writer, workers.max(1)) {
            threads.spawn(|| work(&items, to_writer, &make));
        }
        let written = write(out, &made);
        // When the writer has stopped, so do those that wait for it.
        drop(made);
        drop(items.lock().unwrap_or_else(PoisonError::into_inner).take());
        written
    })
}

/// Numbers the items; a failure is the last of them.
fn read<T>(mut next: impl FnMut() -> anyhow::Result<Option<T>>, to_workers: &SyncSender<(u64, anyhow::Result<T>)>) {
    for number in 0.. {
        let item = next().transpose();
        let Some(item) = item else { return };
        let is_last = item.is_err();
        if to_workers.send((number, item)).is_err() || is_last {
            return;
        }
    }
}

/// Items on their way to the workers; none when nobody wants more.
type Items<T> = Mutex<Option<Receiver<(u64, anyhow::Result<T>)>>>;

fn work<T>(items: &Items<T>, to_writer: SyncSender<Made>, make: &impl Fn(T) -> Record) {
    loop {
        let item = match &*items.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(items) => items.recv(),
            None => return,
        };
        let Ok((number, item)) = item else { return };
        let record = item.and_then(|item| {
            // The panic hook has said what there is to say.
            catch_unwind(AssertUnwindSafe(|| make(item))).map_err(|_| anyhow::anyhow!("a defect of this tool was met"))
        });
        if to_writer.send((number, record)).is_err() {
            return;
        }
    }
}

fn write(out: &mut Output, made: &Receiver<Made>) -> anyhow::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok((number, record)) = made.recv() {
        waiting.insert(number, record);
        while let Some(record) = waiting.remove(&next) {
            next += 1;
            match record {
                Ok(record) => out.record(&record),
                Err(e) => {
                    // What came before the failure is out before it is told of.
                    out.flush()?;
                    return Err(e);
                }
            }
        }
        out.spill()?;
    }
    Ok(())
}
