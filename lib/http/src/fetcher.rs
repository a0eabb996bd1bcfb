//! The fetcher: accepts requests for pages at any time, and calls back for each when it is
//! complete.
//!
//! The event loop is started for the first page that is fetched, so that a run that only passes
//! records on does not pay for it.

use crate::address::AddressPolicy;
use crate::fetch_result::FetchResult;
use crate::fetch_session::FetchSession;
use crate::host_queues::{HostQueues, PageRequest};
use crate::page_url;
use crate::settings::Settings;
use crate::workers::Workers;
use crate::{FetchError, SetupError};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Runtime;

/// Threads of the event loop. Pages are processed by others.
const EVENT_LOOP_THREADS: usize = 2;
/// Fetches pages. It can be shared by threads; dropping it cancels unfinished pages.
pub struct Fetcher {
    session: Arc<FetchSession>,
    event_loop: OnceLock<Result<EventLoop, String>>,
}

/// The running event loop, and the pages that it fetches.
struct EventLoop {
    queues: Arc<HostQueues>,
    /// `None` once the fetcher is being dropped.
    runtime: Option<Runtime>,
}

impl Fetcher {
    /// Returns a fetcher. It opens no file and no connection yet.
    ///
    /// # Errors
    /// Fails if the contact contains characters that are not allowed in a header.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let contact = settings
            .contact
            .as_deref()
            .map(str::trim)
            .filter(|contact| !contact.is_empty());
        let settings = Settings {
            contact: contact.map(str::to_owned),
            ..settings
        };
        Ok(Fetcher {
            session: Arc::new(FetchSession::new(settings)?),
            event_loop: OnceLock::new(),
        })
    }

    /// Checks and normalises the URL of a page to fetch.
    ///
    /// # Errors
    /// Fails if nothing can be fetched: the page is on the open web and there is no contact, or the
    /// host store cannot be opened. The inner error is one of this page alone.
    pub fn prepare_request(
        &self,
        url: &str,
    ) -> Result<Result<PageRequest, FetchError>, SetupError> {
        let settings = &self.session.settings;
        let policy = settings.address_policy();
        // A missing contact is reported once for the run, and not for each page.
        let policy = AddressPolicy {
            allows_public: policy.allows_public || settings.allows_nothing(),
            ..policy
        };
        let checked =
            page_url::normalise_url(url).and_then(|url| policy.check_host(&url).map(|()| url));
        if checked.is_ok() && settings.allows_nothing() {
            return Err(SetupError::NoContact);
        }
        if let (Ok(_), Some(store)) = (&checked, &settings.host_store) {
            store.open()?;
        }
        Ok(checked.map(|normalised| PageRequest {
            requested_url: url.to_owned(),
            url: normalised,
        }))
    }

    /// Starts to fetch a page and returns without waiting for it. Robots.txt is checked and the
    /// host's delay is respected for the page and for each redirect.
    ///
    /// `callback` is called on another thread when the page is complete or has failed, and at once
    /// on this thread if the event loop cannot be started. If the fetcher is dropped before that,
    /// `callback` is dropped without a call.
    pub fn submit(
        &self,
        request: PageRequest,
        callback: impl FnOnce(Result<FetchResult, FetchError>) + Send + 'static,
    ) {
        match self
            .event_loop
            .get_or_init(|| self.start().map_err(|e| e.to_string()))
        {
            Ok(EventLoop {
                queues,
                runtime: Some(runtime),
            }) => queues.push(runtime.handle(), request, Box::new(callback)),
            Ok(_) => {}
            Err(e) => callback(Err(FetchError::Internal(e.clone()))),
        }
    }

    /// Starts the event loop and the workers.
    fn start(&self) -> std::io::Result<EventLoop> {
        let worker_threads = self.session.settings.worker_threads;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(EVENT_LOOP_THREADS)
            .max_blocking_threads(self.session.lookup_threads)
            .thread_name("fetch")
            .enable_all()
            .build()?;
        let queues = Arc::new(HostQueues::new(
            self.session.clone(),
            Workers::start(worker_threads.max(1))?,
        ));
        Ok(EventLoop {
            queues,
            runtime: Some(runtime),
        })
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        if let Some(store) = &self.session.settings.host_store {
            store.close();
        }
        if let Some(Ok(EventLoop { runtime, .. })) = self.event_loop.get_mut()
            && let Some(runtime) = runtime.take()
        {
            // Not waited for: a name look-up can block for long.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fetcher;
    use crate::{FetchError, Settings, SetupError};
    use std::sync::mpsc::channel;

    fn fetch_error(settings: Settings, url: &str) -> Result<FetchError, SetupError> {
        let fetcher = Fetcher::new(settings).unwrap();
        let request = match fetcher.prepare_request(url)? {
            Ok(request) => request,
            Err(e) => return Ok(e),
        };
        let (sender, receiver) = channel();
        fetcher.submit(request, move |result| {
            sender.send(result.map(|_| "a page").unwrap_err()).unwrap()
        });
        Ok(receiver.recv().unwrap())
    }

    #[test]
    fn the_open_web_requires_a_contact() {
        for url in ["http://a.test/", "http://8.8.8.8/"] {
            assert!(
                matches!(
                    fetch_error(Settings::default(), url),
                    Err(SetupError::NoContact)
                ),
                "{url}"
            );
        }
        let contact = Some("  ".to_owned());
        assert!(
            fetch_error(
                Settings {
                    contact,
                    ..Settings::default()
                },
                "http://a.test/"
            )
            .is_err()
        );
        let private = Settings {
            allow_private: true,
            ..Settings::default()
        };
        assert!(matches!(
            fetch_error(private, "http://8.8.8.8/"),
            Ok(FetchError::Forbidden(_))
        ));
    }

    #[test]
    fn private_addresses_and_other_schemes_are_errors_of_the_page() {
        let contact = Settings {
            contact: Some("a@b.test".into()),
            ..Settings::default()
        };
        for settings in [Settings::default(), contact] {
            let error = |url| fetch_error(settings.clone(), url).unwrap();
            assert!(matches!(
                error("http://127.0.0.1:1/"),
                FetchError::Forbidden(_)
            ));
            assert!(matches!(
                error("http://localhost/"),
                FetchError::Forbidden(_)
            ));
            assert!(matches!(error("file:///etc/passwd"), FetchError::BadUrl(_)));
        }
    }

    #[test]
    fn rejects_a_contact_with_line_breaks() {
        let settings = Settings {
            contact: Some("a\r\nb".into()),
            ..Settings::default()
        };
        assert!(Fetcher::new(settings).is_err());
    }
}
