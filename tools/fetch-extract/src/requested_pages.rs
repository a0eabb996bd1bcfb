//! Pages that this run has asked for: each is fetched once, however many records name it.
//!
//! Who names a page that is under way waits for it with the first one. What came is remembered for
//! those who name it later, the latest pages up to so many bytes; after that it is asked for again.

use crate::outcome::PageOutcome;
use forage_cli::PendingRecord;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Bytes of what came that are remembered; each page takes some kB, so that there are not too many
/// either.
const MOST_BYTES: usize = 16 << 20;

/// The pages that were asked for, by their URL as it is fetched.
#[derive(Debug, Default)]
pub struct RequestedPages(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    pages: HashMap<Url, PageState>,
    /// Those that have come, the first to be forgotten first.
    came: VecDeque<Url>,
    bytes: usize,
}

#[derive(Debug)]
enum PageState {
    /// Records that wait for it.
    UnderWay(Vec<PendingRecord>),
    Came(Arc<PageOutcome>),
}

/// What becomes of a record that names a page.
pub enum Admission {
    /// The page must be fetched; the record waits with the others.
    Fetch(Turn),
    /// It waits for a page that is under way.
    Wait,
    /// The page came before.
    Answer(PendingRecord, Arc<PageOutcome>),
}

impl RequestedPages {
    /// A record names a page.
    pub fn admit(self: &Arc<Self>, url: &Url, pending: PendingRecord) -> Admission {
        let mut pages = self.pages();
        match pages.pages.get_mut(url) {
            Some(PageState::UnderWay(waiting)) => {
                waiting.push(pending);
                Admission::Wait
            }
            Some(PageState::Came(outcome)) => Admission::Answer(pending, outcome.clone()),
            None => {
                pages
                    .pages
                    .insert(url.clone(), PageState::UnderWay(vec![pending]));
                Admission::Fetch(Turn {
                    requested: self.clone(),
                    url: url.clone(),
                    is_done: false,
                })
            }
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    /// Takes the records that wait for a page.
    fn take(&mut self, url: &Url) -> Vec<PendingRecord> {
        let page = self.pages.remove(url);
        if let Some(PageState::UnderWay(waiting)) = page {
            waiting
        } else {
            Vec::new()
        }
    }

    fn remember(&mut self, url: Url, outcome: Arc<PageOutcome>) {
        self.bytes += bytes(&url, &outcome);
        self.pages.insert(url.clone(), PageState::Came(outcome));
        self.came.push_back(url);
        while self.bytes > MOST_BYTES {
            let Some(oldest) = self.came.pop_front() else {
                return;
            };
            if let Some(PageState::Came(outcome)) = self.pages.remove(&oldest) {
                self.bytes -= bytes(&oldest, &outcome);
            }
        }
    }
}

/// Memory that a page takes, in bytes, roughly.
fn bytes(url: &Url, outcome: &PageOutcome) -> usize {
    2 * (url.as_str().len() + size_of::<Url>()) + outcome.bytes()
}

/// The duty to fetch a page, for all records that wait for it. They get an error if it is dropped.
#[derive(Debug)]
pub struct Turn {
    requested: Arc<RequestedPages>,
    url: Url,
    /// Whether it is done; then another may have the same duty by now.
    is_done: bool,
}

impl Turn {
    /// The page has come, or what kept it away is known. Gives back the records that wait for it.
    pub fn end(mut self, outcome: &Arc<PageOutcome>) -> Vec<PendingRecord> {
        self.is_done = true;
        let mut pages = self.requested.pages();
        let waiting = pages.take(&self.url);
        pages.remember(self.url.clone(), outcome.clone());
        waiting
    }

    /// Stops the tool.
    pub fn stop(mut self, cause: anyhow::Error) {
        self.is_done = true;
        let waiting = self.requested.pages().take(&self.url);
        if let Some(first) = waiting.into_iter().next() {
            first.abort(cause);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_done {
            // Not within the lock: records are written when they are dropped.
            let waiting = self.requested.pages().take(&self.url);
            drop(waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, Pages};
    use crate::outcome::PageOutcome;
    use forage_http::FetchError;
    use std::sync::Arc;
    use url::Url;

    #[test]
    fn what_is_remembered_is_bounded() {
        let url = |number: usize| Url::parse(&format!("http://a.test/{number}")).unwrap();
        let small = Arc::new(PageOutcome::failed(FetchError::Status(404)));
        let mut pages = Pages::default();
        let many = 50_000;
        (0..many).for_each(|number| pages.remember(url(number), small.clone()));
        assert!(
            pages.bytes <= MOST_BYTES
                && pages.pages.len() == pages.came.len()
                && pages.came.len() < many / 2
        );
        assert!(
            !pages.pages.contains_key(&url(0)) && pages.pages.contains_key(&url(many - 1)),
            "the oldest go first"
        );
        let large = Arc::new(PageOutcome::failed(FetchError::BadUrl(
            "x".repeat(MOST_BYTES / 2),
        )));
        (0..9).for_each(|number| pages.remember(url(number), large.clone()));
        assert!(
            pages.bytes <= MOST_BYTES && pages.pages.len() == 1,
            "{}",
            pages.bytes
        );
        pages.remember(
            url(0),
            Arc::new(PageOutcome::failed(FetchError::BadUrl(
                "x".repeat(MOST_BYTES),
            ))),
        );
        assert_eq!(
            (pages.pages.len(), pages.bytes),
            (0, 0),
            "what is larger is not remembered"
        );
    }
}
