//! Pages that wait, host by host.
//!
//! Each host with pages has a driver, a task that fetches them one after the other. So a page costs
//! no more than its URL while it waits, and all hosts are served at once, whatever the order in
//! which their pages came. When a page is fetched, what is to be done with it is done by `readers`,
//! as it takes the processor.

use crate::FetchError;
use crate::fetch_result::FetchResult;
use crate::page_url;
use crate::readers::Readers;
use crate::session::Session;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use url::Url;

/// Drivers at work at once; each holds some kB. Hosts beyond these wait until one has no pages
/// left.
const MOST_DRIVERS: usize = 8192;

/// What is done with a page when it has come, or not.
pub(crate) type Done = Box<dyn FnOnce(Result<FetchResult, FetchError>) + Send>;

/// A page that is to be fetched.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The URL as it was given.
    pub(crate) requested: String,
    pub(crate) url: Url,
}

impl PageRequest {
    /// The URL as it is fetched, in one spelling for one page.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

/// The queues of all hosts.
pub(crate) struct Queue {
    session: Arc<Session>,
    readers: Readers,
    drivers: Semaphore,
    /// Of hosts that have a driver.
    waiting: Mutex<HashMap<String, VecDeque<(PageRequest, Done)>>>,
}

impl Queue {
    pub fn new(session: Arc<Session>, readers: Readers) -> Self {
        Queue {
            session,
            readers,
            drivers: Semaphore::new(MOST_DRIVERS),
            waiting: Mutex::default(),
        }
    }

    /// Adds a page.
    pub fn push(self: &Arc<Self>, runtime: &Handle, job: PageRequest, done: Done) {
        let host = page_url::host(&job.url);
        let mut waiting = self.waiting();
        if let Some(jobs) = waiting.get_mut(&host) {
            jobs.push_back((job, done));
            return;
        }
        waiting.insert(host.clone(), VecDeque::from([(job, done)]));
        drop(waiting);
        runtime.spawn(self.clone().drive(host));
    }

    /// Fetches a host's pages until there are none.
    async fn drive(self: Arc<Self>, host: String) {
        // It is never closed.
        let _permit = self.drivers.acquire().await.ok();
        while let Some((PageRequest { requested, url }, done)) = self.next(&host) {
            let session = self.session.clone();
            // On a task of its own, so that a defect costs one page and not the host.
            let fetching = tokio::spawn(async move { session.fetch(requested, url).await });
            let result = fetching
                .await
                .unwrap_or_else(|e| Err(FetchError::Internal(e.to_string())));
            self.readers.give(Box::new(move || done(result))).await;
        }
    }

    /// The host's next page. Where there is none the host is struck out: then it has no driver any
    /// more.
    fn next(&self, host: &str) -> Option<(PageRequest, Done)> {
        let mut waiting = self.waiting();
        let job = waiting.get_mut(host).and_then(VecDeque::pop_front);
        if job.is_none() {
            waiting.remove(host);
        }
        job
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, VecDeque<(PageRequest, Done)>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
