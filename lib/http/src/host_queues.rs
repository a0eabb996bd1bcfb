//! Queues of waiting pages, one for each host.
//!
//! Each host with waiting pages has a task that fetches them in sequence. So a waiting page costs
//! only the memory of its URL, and all hosts are fetched from concurrently, whatever the order of
//! their pages. A fetched page is passed to `workers`, as processing it takes processor time.

use crate::FetchError;
use crate::fetch_result::FetchResult;
use crate::fetch_session::FetchSession;
use crate::page_url;
use crate::workers::Workers;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use url::Url;

/// Maximum number of hosts that are fetched from concurrently, with some kB of memory each. Further
/// hosts wait until the queue of one is empty.
const MAX_ACTIVE_HOSTS: usize = 8192;

/// The function that is called with the result of a page.
pub(crate) type PageCallback = Box<dyn FnOnce(Result<FetchResult, FetchError>) + Send>;

/// A request to fetch a page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The URL as given.
    pub(crate) requested_url: String,
    /// The normalised URL.
    pub(crate) url: Url,
}

impl PageRequest {
    /// Returns the normalised URL, which is the same for all spellings of a page.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

/// The pages of a host, in the order of their requests.
type HostQueue = VecDeque<(PageRequest, PageCallback)>;

/// The queues of all hosts.
pub(crate) struct HostQueues {
    session: Arc<FetchSession>,
    workers: Workers,
    active_hosts: Semaphore,
    /// The queues of hosts that have a task.
    queues: Mutex<HashMap<String, HostQueue>>,
}

impl HostQueues {
    pub fn new(session: Arc<FetchSession>, workers: Workers) -> Self {
        HostQueues {
            session,
            workers,
            active_hosts: Semaphore::new(MAX_ACTIVE_HOSTS),
            queues: Mutex::default(),
        }
    }

    /// Adds a page to the queue of its host, and starts a task for the host if it has none.
    pub fn push(self: &Arc<Self>, runtime: &Handle, request: PageRequest, callback: PageCallback) {
        let host = page_url::host_key(&request.url);
        let mut queues = self.queues.lock();
        if let Some(queue) = queues.get_mut(&host) {
            queue.push_back((request, callback));
            return;
        }
        queues.insert(host.clone(), VecDeque::from([(request, callback)]));
        drop(queues);
        runtime.spawn(self.clone().fetch_pages(host));
    }

    /// Fetches the pages of a host until its queue is empty.
    async fn fetch_pages(self: Arc<Self>, host: String) {
        // The semaphore is never closed.
        let _permit = self.active_hosts.acquire().await.ok();
        while let Some((PageRequest { requested_url, url }, callback)) = self.pop(&host) {
            let session = self.session.clone();
            // Each page has a task of its own, so that a panic costs one page and not the host.
            let task = tokio::spawn(async move { session.fetch_page(requested_url, url).await });
            let result = task
                .await
                .unwrap_or_else(|e| Err(FetchError::Internal(e.to_string())));
            self.workers
                .submit(Box::new(move || callback(result)))
                .await;
        }
    }

    /// Returns the next page of a host. If there is none, removes the queue: the task of the host
    /// ends.
    fn pop(&self, host: &str) -> Option<(PageRequest, PageCallback)> {
        let mut queues = self.queues.lock();
        let next = queues.get_mut(host).and_then(VecDeque::pop_front);
        if next.is_none() {
            queues.remove(host);
        }
        next
    }
}
