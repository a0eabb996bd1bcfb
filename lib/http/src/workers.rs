//! Worker threads for processor-bound work, which must not block the event loop.

use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Jobs that may wait for each thread: enough to keep it busy, and few enough to bound their
/// memory.
const WAITING_JOBS_PER_THREAD: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

/// A pool of worker threads.
pub(crate) struct Workers {
    jobs: Mutex<Sender<(Job, Option<OwnedSemaphorePermit>)>>,
    /// One permit for each job that runs or waits.
    permits: Arc<Semaphore>,
}

impl Workers {
    /// Starts worker threads. They end when the pool is dropped and all jobs are done.
    ///
    /// # Errors
    /// Fails if the system cannot start a thread.
    pub fn start(threads: usize) -> std::io::Result<Workers> {
        let (jobs, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = receiver.clone();
            std::thread::Builder::new()
                .name("read".into())
                .spawn(move || run_jobs(&receiver))?;
        }
        Ok(Workers {
            jobs: Mutex::new(jobs),
            permits: Arc::new(Semaphore::new(threads * (1 + WAITING_JOBS_PER_THREAD))),
        })
    }

    /// Passes a job to the threads; waits while there are too many.
    pub async fn submit(&self, job: Job) {
        // The semaphore is never closed.
        let permit = self.permits.clone().acquire_owned().await.ok();
        let jobs = self.jobs.lock();
        let _ = jobs.send((job, permit));
    }
}

fn run_jobs(receiver: &Mutex<Receiver<(Job, Option<OwnedSemaphorePermit>)>>) {
    loop {
        let received = receiver.lock().recv();
        let Ok((job, permit)) = received else { return };
        // The panic hook has reported a panic, and whoever waits for the job finds it dropped.
        let _ = catch_unwind(AssertUnwindSafe(job));
        drop(permit);
    }
}

#[cfg(test)]
mod tests {
    use super::Workers;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn a_panic_in_a_job_does_not_affect_later_jobs() {
        let workers = Workers::start(1).unwrap();
        let (sender, receiver) = channel();
        workers.submit(Box::new(|| panic!("a test"))).await;
        workers
            .submit(Box::new(move || sender.send(1).unwrap()))
            .await;
        assert_eq!(receiver.recv(), Ok(1));
    }
}
