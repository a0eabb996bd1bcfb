//! The fetcher: takes URLs at once and calls back for each page when it has come.
//!
//! The event loop comes to life with the first page that is fetched, so that a run that only passes
//! records on does not pay for it.

use crate::address::Policy;
use crate::fetch_result::FetchResult;
use crate::page_url;
use crate::queue::{PageRequest, Queue};
use crate::readers::Readers;
use crate::session::Session;
use crate::settings::Settings;
use crate::{FetchError, SetupError};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Runtime;

/// Threads of the event loop; the work on a page is done on others.
const LOOP_THREADS: usize = 2;
/// Threads that look up names for each connection, and at most: the system's resolver takes a
/// thread for as long as it waits, which is up to half a minute for a name whose servers are
/// silent, long after the request was given up. They come as they are needed, and must not be so
/// few that live hosts wait for dead ones.
const LOOK_UPS_PER_CONNECTION: usize = 3;
const MOST_LOOK_UPS: usize = 4096;
/// Files that are open beside connections.
const SPARE_FILES: u64 = 64;

/// Fetches pages. May be shared by threads; dropping it ends what is under way.
pub struct Fetcher {
    session: Arc<Session>,
    running: OnceLock<Result<Running, String>>,
}

/// The event loop, and what it works on.
struct Running {
    queue: Arc<Queue>,
    /// Taken when the fetcher goes.
    runtime: Option<Runtime>,
}

impl Fetcher {
    /// A fetcher; nothing is opened yet.
    ///
    /// # Errors
    /// When the contact can't stand in a header.
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
            session: Arc::new(Session::new(settings)?),
            running: OnceLock::new(),
        })
    }

    /// Looks at a URL before it is fetched.
    ///
    /// # Errors
    /// When the page is of the open web and there is no contact, or the host store can't be opened:
    /// that is no failure of this page alone. What is one is the inner error.
    pub fn prepare_request(
        &self,
        url: &str,
    ) -> Result<Result<PageRequest, FetchError>, SetupError> {
        let settings = &self.session.settings;
        let policy = settings.policy();
        // That there is no contact is told of once, and not of each page.
        let policy = Policy {
            public: policy.public || settings.is_closed(),
            ..policy
        };
        let found =
            page_url::normalize_url(url).and_then(|url| policy.check_host(&url).map(|()| url));
        if found.is_ok() && settings.is_closed() {
            return Err(SetupError::NoContact);
        }
        if let (Ok(_), Some(store)) = (&found, &settings.host_store) {
            store.open()?;
        }
        Ok(found.map(|target| PageRequest {
            requested: url.to_owned(),
            url: target,
        }))
    }

    /// Fetches a page: asks robots.txt, waits for the host's turn, follows redirects (asking and
    /// waiting again for each). Returns at once; `done` is called on another thread when the page
    /// has come, or what kept it away is known. It is dropped without a call when the fetcher goes
    /// before that.
    pub fn submit(
        &self,
        request: PageRequest,
        done: impl FnOnce(Result<FetchResult, FetchError>) + Send + 'static,
    ) {
        match self
            .running
            .get_or_init(|| self.start().map_err(|e| e.to_string()))
        {
            Ok(Running {
                queue,
                runtime: Some(runtime),
            }) => queue.push(runtime.handle(), request, Box::new(done)),
            Ok(_) => {}
            Err(e) => done(Err(FetchError::Internal(e.clone()))),
        }
    }

    fn start(&self) -> std::io::Result<Running> {
        let Settings {
            connections,
            worker_threads,
            ..
        } = self.session.settings;
        allow_files(connections);
        let look_ups = connections
            .saturating_mul(LOOK_UPS_PER_CONNECTION)
            .clamp(1, MOST_LOOK_UPS);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(LOOP_THREADS)
            .max_blocking_threads(look_ups)
            .thread_name("fetch")
            .enable_all()
            .build()?;
        let queue = Arc::new(Queue::new(
            self.session.clone(),
            Readers::start(worker_threads.max(1))?,
        ));
        Ok(Running {
            queue,
            runtime: Some(runtime),
        })
    }
}

/// Lets the process have as many files open as connections need, as far as the system allows: the
/// usual limit, 1,024, is there for old programs alone.
fn allow_files(connections: usize) {
    let needed = (connections as u64)
        .saturating_mul(2)
        .saturating_add(SPARE_FILES);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < needed) {
        let current = Some(maximum.map_or(needed, |most| most.min(needed)));
        // With fewer files some connections fail, and say so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        if let Some(store) = &self.session.settings.host_store {
            store.close();
        }
        if let Some(Ok(Running { runtime, .. })) = self.running.get_mut()
            && let Some(runtime) = runtime.take()
        {
            // A look-up of a name may hang for long.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fetcher;
    use crate::{FetchError, Settings, SetupError};
    use std::sync::mpsc::channel;

    fn fetch(settings: Settings, url: &str) -> Result<FetchError, SetupError> {
        let fetcher = Fetcher::new(settings).unwrap();
        let job = match fetcher.prepare_request(url)? {
            Ok(job) => job,
            Err(e) => return Ok(e),
        };
        let (told, waiting) = channel();
        fetcher.submit(job, move |result| {
            told.send(result.map(|_| "a page").unwrap_err()).unwrap()
        });
        Ok(waiting.recv().unwrap())
    }

    #[test]
    fn without_a_contact_nothing_of_the_open_web_is_fetched() {
        for url in ["http://a.test/", "http://8.8.8.8/"] {
            assert!(
                matches!(fetch(Settings::default(), url), Err(SetupError::NoContact)),
                "{url}"
            );
        }
        let contact = Some("  ".to_owned());
        assert!(
            fetch(
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
            fetch(private, "http://8.8.8.8/"),
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
            let error = |url| fetch(settings.clone(), url).unwrap();
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
    fn a_contact_that_breaks_the_header_is_refused() {
        let settings = Settings {
            contact: Some("a\r\nb".into()),
            ..Settings::default()
        };
        assert!(Fetcher::new(settings).is_err());
    }
}
