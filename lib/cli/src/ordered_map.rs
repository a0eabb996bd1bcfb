//! The ordered parallel map, by which all tools work in parallel.
//!
//! A reader thread cuts the items of a source into numbered batches, worker threads process them,
//! in any order, and the main thread passes the results to a consumer in the order of the source. A
//! [`Window`] bounds the batches in flight. A batch may also be finished later, by another thread
//! ([`Completion`]).
//!
//! When the input is idle, an incomplete batch is sent, and the consumer learns when no result is
//! waiting, so that a co-process answers line by line.

use crate::source::{ItemSource, OnPause, ReadPause};
use crate::window::Window;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What takes the results of a map, in order.
pub(crate) trait ResultConsumer<R> {
    /// Called when no result is waiting.
    fn wait(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// Takes a result.
    fn consume(&mut self, result: R) -> anyhow::Result<()>;

    /// Called after the results of a batch, which ends at byte `bytes_read` of the source. If
    /// `is_pause`, the source is idle.
    fn end_batch(&mut self, bytes_read: u64, is_pause: bool) -> anyhow::Result<()>;
}

/// The size of batches, and of what is in flight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapLimits {
    /// Items at which a batch is sent.
    pub(crate) batch_items: usize,
    /// Batches from the first one that is not consumed to the last one read.
    pub(crate) batches: usize,
    /// Bytes of the items in these batches.
    pub(crate) bytes: usize,
}

impl MapLimits {
    /// Bytes at which a batch is sent.
    const BATCH_BYTES: usize = 1 << 17;

    /// Returns the limits for many small items.
    pub(crate) fn of_lines(workers: usize) -> MapLimits {
        let batches = 2 * workers + 1;
        MapLimits {
            batch_items: 256,
            batches,
            bytes: batches << 20,
        }
    }

    /// Returns the limits for items that take long, each of which is a batch.
    pub(crate) fn of_files(workers: usize) -> MapLimits {
        MapLimits {
            batch_items: 1,
            batches: 4 * workers,
            bytes: usize::MAX,
        }
    }
}

/// A place in the order of the batches.
#[derive(Debug, Default)]
struct Ticket {
    number: u64,
    /// Bytes that the batch takes in the window.
    bytes: usize,
    /// Bytes of the source up to the end of the batch.
    bytes_read: u64,
    /// True if the source is idle after the batch.
    is_pause: bool,
}

/// Items that are processed together.
struct Batch<T> {
    ticket: Ticket,
    items: Vec<T>,
}

/// The results of a batch; an error stops the map, whatever is in flight.
type Message<R> = anyhow::Result<(Ticket, Vec<R>)>;

/// The obligation to finish a batch.
#[derive(Debug)]
pub(crate) struct Completion<R> {
    ticket: Ticket,
    window: Arc<Window>,
    to_consumer: Arc<Sender<Message<R>>>,
}

impl<R> Completion<R> {
    /// The number of the batch, from 0.
    pub(crate) fn number(&self) -> u64 {
        self.ticket.number
    }

    /// Lets the items of the batch, which are no longer in memory, not count any more.
    pub(crate) fn release_bytes(&mut self) {
        self.window
            .release_bytes(std::mem::take(&mut self.ticket.bytes));
    }

    /// Passes the results on.
    pub(crate) fn finish(self, results: Vec<R>) {
        // An error means that the map has stopped.
        let _ = self.to_consumer.send(Ok((self.ticket, results)));
    }
}

/// A map that has not started.
pub(crate) struct OrderedMap<R> {
    limits: MapLimits,
    to_consumer: Arc<Sender<Message<R>>>,
    results: Receiver<Message<R>>,
}

impl<R: Send + 'static> OrderedMap<R> {
    /// Returns a function that stops the map with an error. It does nothing when all is consumed.
    pub(crate) fn stopper(&self) -> impl FnOnce(anyhow::Error) + Send + use<R> {
        let to_consumer = Arc::downgrade(&self.to_consumer);
        move |e| {
            if let Some(to_consumer) = to_consumer.upgrade() {
                let _ = to_consumer.send(Err(e));
            }
        }
    }
}

impl<R: Send> OrderedMap<R> {
    pub(crate) fn new(limits: MapLimits) -> OrderedMap<R> {
        let (to_consumer, results) = channel();
        OrderedMap {
            limits,
            to_consumer: Arc::new(to_consumer),
            results,
        }
    }

    /// Passes batches of items to `process`, on `workers` threads, and its results to `consumer`,
    /// on this one, in the order of the source, which is returned at its end. `process` must finish
    /// each batch at some time. Its first argument is the scratch space of the thread.
    ///
    /// # Errors
    /// Fails if the source or the consumer does, or the map is stopped.
    pub(crate) fn run<I: ItemSource, S>(
        self,
        source: I,
        workers: usize,
        consumer: &mut impl ResultConsumer<R>,
        new_scratch: &(impl Fn() -> S + Sync),
        process: impl Fn(&mut S, Vec<I::Item>, Completion<R>) + Sync,
    ) -> anyhow::Result<I> {
        let workers = workers.max(1);
        let window = Arc::new(Window::new(self.limits.batches, self.limits.bytes));
        let (to_workers, batches) = channel();
        let queue = || WorkerQueue {
            to_workers: to_workers.clone(),
            workers,
        };
        let sender = BatchSender {
            ticket: Ticket::default(),
            items: Vec::new(),
            queue: queue(),
            window: window.clone(),
            limits: self.limits,
            has_paused: true,
        };
        let reader = std::thread::Builder::new()
            .name("reader".into())
            .spawn(move || sender.send_all(source))?;
        let batches = &Mutex::new(batches);
        let (results, queue) = (self.results, queue());
        let (window, process) = (&window, &process);
        std::thread::scope(|threads| {
            for to_consumer in std::iter::repeat_n(self.to_consumer, workers) {
                threads.spawn(move || {
                    let mut scratch = new_scratch();
                    while let Some(Batch { ticket, items }) = next_batch(batches, window) {
                        let completion = Completion {
                            ticket,
                            window: window.clone(),
                            to_consumer: to_consumer.clone(),
                        };
                        process(&mut scratch, items, completion);
                    }
                });
            }
            let consumed = consume_in_order(&results, window, consumer);
            window.close();
            drop((results, queue));
            consumed
        })?;
        // All is consumed, so the reader has ended. If the map stops with an error, it does not
        // wait for the reader, which may be blocked on input that never arrives.
        reader
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the reader thread panicked")))
    }
}

/// Passes batches of items through `process`, which returns their results, as [`OrderedMap::run`]
/// does.
///
/// # Errors
/// Fails if the source or the consumer does.
pub(crate) fn map_in_order<I: ItemSource, S, R: Send>(
    source: I,
    workers: usize,
    limits: MapLimits,
    consumer: &mut impl ResultConsumer<R>,
    new_scratch: &(impl Fn() -> S + Sync),
    process: impl Fn(&mut S, Vec<I::Item>) -> Vec<R> + Sync,
) -> anyhow::Result<I> {
    let process = |scratch: &mut S, items, completion: Completion<R>| {
        completion.finish(process(scratch, items));
    };
    OrderedMap::new(limits).run(source, workers, consumer, new_scratch, process)
}

/// The way of batches to the workers, which end when a handle of it is dropped.
struct WorkerQueue<T> {
    to_workers: Sender<Option<Batch<T>>>,
    workers: usize,
}

impl<T> Drop for WorkerQueue<T> {
    fn drop(&mut self) {
        for _ in 0..self.workers {
            let _ = self.to_workers.send(None);
        }
    }
}

/// The batch that is being filled, and its way to the workers.
struct BatchSender<T> {
    ticket: Ticket,
    items: Vec<T>,
    queue: WorkerQueue<T>,
    window: Arc<Window>,
    limits: MapLimits,
    /// True if the last batch that was sent ended with a pause.
    has_paused: bool,
}

impl<T> BatchSender<T> {
    /// Cuts a source into batches and sends them to the workers. Returns the source at its end.
    fn send_all<I: ItemSource<Item = T>>(mut self, mut source: I) -> anyhow::Result<I> {
        loop {
            let on_pause: &mut OnPause = &mut |pause| self.handle_pause(pause);
            let next = source.next_item(on_pause);
            let Ok(Some(item)) = next else {
                // The items before a failure, such as that of a truncated archive, are processed.
                self.send(false);
                return next.map(|_| source);
            };
            self.ticket.bytes_read = source.bytes_read();
            self.ticket.bytes += I::item_bytes(&item);
            self.items.push(item);
            let is_full = self.ticket.bytes >= MapLimits::BATCH_BYTES
                || self.items.len() >= self.limits.batch_items;
            if is_full && !self.send(false) {
                return Ok(source);
            }
        }
    }

    /// Sends the incomplete batch when the source is idle. Before a long line is saved, also waits
    /// until all batches are consumed.
    fn handle_pause(&mut self, pause: ReadPause) -> anyhow::Result<()> {
        let is_open = self.send(true);
        anyhow::ensure!(
            pause == ReadPause::Idle || is_open && self.window.wait_until_empty(),
            "the output is closed"
        );
        Ok(())
    }

    /// Sends the batch unless it is empty; one that is empty too, if the source is idle, and the
    /// last batch does not say so. Returns `false` if the map has stopped.
    fn send(&mut self, is_pause: bool) -> bool {
        if self.items.is_empty() && (!is_pause || self.has_paused) {
            return true;
        }
        self.has_paused = is_pause;
        if !self.window.enter(self.ticket.bytes) {
            return false;
        }
        let next = Ticket {
            number: self.ticket.number + 1,
            bytes_read: self.ticket.bytes_read,
            ..Ticket::default()
        };
        let batch = Batch {
            ticket: Ticket {
                is_pause,
                ..std::mem::replace(&mut self.ticket, next)
            },
            items: std::mem::take(&mut self.items),
        };
        self.queue.to_workers.send(Some(batch)).is_ok()
    }
}

/// Returns the next batch for a worker; `None` if there are no more, or the map has stopped.
fn next_batch<T>(batches: &Mutex<Receiver<Option<Batch<T>>>>, window: &Window) -> Option<Batch<T>> {
    let batches = batches.lock();
    batches.recv().ok()?.filter(|_| !window.is_closed())
}

/// Passes the results of finished batches to the consumer in order. A result that comes early waits
/// here.
fn consume_in_order<R>(
    results: &Receiver<Message<R>>,
    window: &Window,
    consumer: &mut impl ResultConsumer<R>,
) -> anyhow::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    loop {
        let received = match results.try_recv() {
            Ok(message) => Ok(message),
            Err(_) => {
                consumer.wait()?;
                results.recv()
            }
        };
        let Ok(message) = received else {
            return Ok(());
        };
        let (ticket, batch) = message?;
        waiting.insert(ticket.number, (ticket, batch));
        while let Some((ticket, batch)) = waiting.remove(&next) {
            next += 1;
            batch
                .into_iter()
                .try_for_each(|result| consumer.consume(result))?;
            consumer.end_batch(ticket.bytes_read, ticket.is_pause)?;
            window.leave(ticket.bytes);
        }
    }
}
