//! Threads that do what takes the processor: the event loop must not wait for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Jobs that may wait for each thread: enough for it never to be idle, and a bound for what they
/// hold.
const WAITING: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

pub(crate) struct Readers {
    jobs: Mutex<Sender<(Job, Option<OwnedSemaphorePermit>)>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    /// Starts so many threads; they end when this is dropped and all is done.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn start(threads: usize) -> std::io::Result<Readers> {
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let waiting = waiting.clone();
            std::thread::Builder::new()
                .name("read".into())
                .spawn(move || work(&waiting))?;
        }
        Ok(Readers {
            jobs: Mutex::new(jobs),
            permits: Arc::new(Semaphore::new(threads * (1 + WAITING))),
        })
    }

    /// Gives a job to a thread, when there is a place for it.
    pub async fn give(&self, job: Job) {
        // It is never closed.
        let permit = self.permits.clone().acquire_owned().await.ok();
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = jobs.send((job, permit));
    }
}

fn work(waiting: &Mutex<Receiver<(Job, Option<OwnedSemaphorePermit>)>>) {
    loop {
        let next = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok((job, permit)) = next else { return };
        // The panic hook has said what there is to say, and whoever waits for the job sees that it
        // is gone.
        let _ = catch_unwind(AssertUnwindSafe(job));
        drop(permit);
    }
}

#[cfg(test)]
mod tests {
    use super::Readers;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn a_job_that_panics_does_not_stop_the_others() {
        let readers = Readers::start(1).unwrap();
        let (done, waiting) = channel();
        readers.give(Box::new(|| panic!("a test"))).await;
        readers.give(Box::new(move || done.send(1).unwrap())).await;
        assert_eq!(waiting.recv(), Ok(1));
    }
}
