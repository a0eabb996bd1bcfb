//! From a URL to a response: politely, within limits, to the end of its redirects.
//!
//! [`Fetcher`] takes URLs at once and tells of each page when it has come. Behind it: `target` has the URL as it is
//! fetched, `queue` keeps the pages that wait by host, `session` follows one page to its end (`soft` notes
//! where that looks like none), `hosts` keeps turns and
//! delays and gives up dead hosts, `memory` what later runs should know of them, `robots` asks for permission, `tdm` for
//! reservations, both once for each origin (`cache`), `address`
//! and `resolve` see to it that only the open web is connected to, `transport` makes one exchange, `room` bounds the
//! memory of bodies under way, and `readers` do the work on pages that have come. The event loop comes to life with the
//! first page that is fetched, a client for HTTPS with the first HTTPS page, so that a run that only passes records on
//! pays for neither.

mod address;
mod cache;
mod cookies;
mod decode;
mod failure;
mod headers;
mod hosts;
mod memory;
mod queue;
mod readers;
mod resolve;
pub(crate) mod robots;
pub(crate) mod room;
mod session;
pub(crate) mod soft;
pub(crate) mod target;
mod tdm;
pub(crate) mod trail;
pub(crate) mod transport;
pub(crate) mod visit;

pub use memory::Memory;
pub use queue::Job;
pub use soft::Soft;
pub use transport::rfc3339;
pub use visit::{Response, Visit};

use crate::warc::Earlier;
use crate::{FetchError, SetupError};
use address::Policy;
use queue::Queue;
use readers::Readers;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use session::Session;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use url::Url;

/// Threads of the event loop; the work on a page is done on others.
const LOOP_THREADS: usize = 2;
/// Threads that look up names for each connection, and at most: the system's resolver takes a thread for as long as it
/// waits, which is up to half a minute for a name whose servers are silent, long after the request was given up. They
/// come as they are needed, and must not be so few that live hosts wait for dead ones.
const LOOK_UPS_PER_CONNECTION: usize = 3;
const MOST_LOOK_UPS: usize = 4096;
/// Files that are open beside connections.
const SPARE_FILES: u64 = 64;

/// How pages are fetched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whom a webmaster may write to: an address of mail or of a page, told in the user agent. Without one the open web
    /// is not fetched from.
    pub contact: Option<String>,
    /// Where all connections go, whatever the URL's host and port, which stay in the request.
    pub connect_to: Option<Vec<SocketAddr>>,
    /// Whether addresses that are not of the open web may be connected to: this machine, its network.
    pub allow_private: bool,
    /// Time between the end of a request to a host and the next one to it. Zero takes away pauses altogether, also
    /// those that a host asks for. Requests to one host never overlap.
    pub delay: Duration,
    /// Time for one request, from the connection to the last byte.
    pub timeout: Duration,
    /// Further tries of a request whose failure may pass.
    pub retries: u32,
    /// Largest body, as sent and decompressed.
    pub max_bytes: u64,
    /// Connections that may be open at once.
    pub connections: usize,
    /// Threads that work on pages that have come.
    pub readers: usize,
    /// Pages that are asked for only if they have changed.
    pub earlier: Arc<Earlier>,
    /// What earlier runs knew of hosts.
    pub memory: Option<Arc<Memory>>,
    /// Whether each host is asked for its `/.well-known/tdmrep.json`, which costs one request more.
    pub reservations: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            contact: None,
            connect_to: None,
            allow_private: false,
            delay: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            retries: 2,
            max_bytes: 16 << 20,
            connections: 1024,
            readers: 1,
            earlier: Arc::default(),
            memory: None,
            reservations: false,
        }
    }
}

impl Settings {
    /// What is told to be connected to in place of all hosts is meant, whatever it is.
    fn policy(&self) -> Policy {
        Policy { private: self.allow_private, public: self.contact.is_some() || self.connect_to.is_some() }
    }

    /// Whether nothing can be fetched but what needs no contact, and none of that is allowed either.
    fn is_closed(&self) -> bool {
        self.contact.is_none() && self.connect_to.is_none() && !self.allow_private
    }
}

/// The addresses of `HOST:PORT`, for [`Settings::connect_to`].
///
/// # Errors
/// When it has another form, or the host has no address.
pub fn connect_to(place: &str) -> Result<Vec<SocketAddr>, SetupError> {
    let wrong = |cause: String| SetupError::ConnectTo { place: place.to_owned(), cause };
    let addresses: Vec<SocketAddr> = place.to_socket_addrs().map_err(|e| wrong(e.to_string()))?.collect();
    if addresses.is_empty() { Err(wrong("it has no address".into())) } else { Ok(addresses) }
}

/// Fetches pages. May be shared by threads; dropping it ends what is under way.
pub struct Fetcher {
    settings: Settings,
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
        let contact = settings.contact.as_deref().map(str::trim).filter(|contact| !contact.is_empty());
        let settings = Settings { contact: contact.map(str::to_owned), ..settings };
        let session = Arc::new(Session::new(&settings)?);
        Ok(Fetcher { settings, session, running: OnceLock::new() })
    }

    /// Looks at a URL before it is fetched.
    ///
    /// # Errors
    /// When the page is of the open web and there is no contact, or the memory of hosts can't be opened: that is no
    /// failure of this page alone. What is one is the inner error.
    pub fn admit(&self, url: &str) -> Result<Result<Job, FetchError>, SetupError> {
        let found = target::parse(url).and_then(|url| self.permit(&url).map(|()| url));
        if found.is_ok() && self.settings.is_closed() {
            return Err(SetupError::NoContact);
        }
        if let (Ok(_), Some(memory)) = (&found, &self.settings.memory) {
            memory.open()?;
        }
        Ok(found.map(|target| Job { asked: url.to_owned(), url: target }))
    }

    /// Fetches a page: asks robots.txt, waits for the host's turn, follows redirects (asking and waiting again for
    /// each). Returns at once; `done` is called on another thread when the page has come, or what kept it away is
    /// known. It is dropped without a call when the fetcher goes before that.
    pub fn submit(&self, job: Job, done: impl FnOnce(Result<Visit, FetchError>) + Send + 'static) {
        match self.running.get_or_init(|| self.start().map_err(|e| e.to_string())) {
            Ok(Running { queue, runtime: Some(runtime) }) => queue.push(runtime.handle(), job, Box::new(done)),
            Ok(_) => {}
            Err(e) => done(Err(FetchError::Internal(e.clone()))),
        }
    }

    /// Whether a URL's host may be asked. That there is no contact is told of once, and not of each page.
    fn permit(&self, url: &Url) -> Result<(), FetchError> {
        let policy = self.settings.policy();
        Policy { public: policy.public || self.settings.is_closed(), ..policy }.check_host(url)
    }

    fn start(&self) -> std::io::Result<Running> {
        allow_files(self.settings.connections);
        let look_ups = self.settings.connections.saturating_mul(LOOK_UPS_PER_CONNECTION).clamp(1, MOST_LOOK_UPS);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(LOOP_THREADS)
            .max_blocking_threads(look_ups)
            .thread_name("fetch")
            .enable_all()
            .build()?;
        let queue = Arc::new(Queue::new(self.session.clone(), Readers::start(self.settings.readers.max(1))?));
        Ok(Running { queue, runtime: Some(runtime) })
    }
}

/// Lets the process have as many files open as connections need, as far as the system allows: the usual limit, 1,024,
/// is there for old programs alone.
fn allow_files(connections: usize) {
    let needed = (connections as u64).saturating_mul(2).saturating_add(SPARE_FILES);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < needed) {
        let current = Some(maximum.map_or(needed, |most| most.min(needed)));
        // With fewer files some connections fail, and say so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        if let Some(memory) = &self.settings.memory {
            memory.close();
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
    use super::{Fetcher, Settings};
    use crate::{FetchError, SetupError};
    use std::sync::mpsc::channel;

    fn fetch(settings: Settings, url: &str) -> Result<FetchError, SetupError> {
        let fetcher = Fetcher::new(settings).unwrap();
        let job = match fetcher.admit(url)? {
            Ok(job) => job,
            Err(e) => return Ok(e),
        };
        let (told, waiting) = channel();
        fetcher.submit(job, move |result| told.send(result.map(|_| "a page").unwrap_err()).unwrap());
        Ok(waiting.recv().unwrap())
    }

    #[test]
    fn without_a_contact_nothing_of_the_open_web_is_fetched() {
        for url in ["http://a.test/", "http://8.8.8.8/"] {
            assert!(matches!(fetch(Settings::default(), url), Err(SetupError::NoContact)), "{url}");
        }
        let contact = Some("  ".to_owned());
        assert!(fetch(Settings { contact, ..Settings::default() }, "http://a.test/").is_err());
        let private = Settings { allow_private: true, ..Settings::default() };
        assert!(matches!(fetch(private, "http://8.8.8.8/"), Ok(FetchError::Forbidden(_))));
    }

    #[test]
    fn private_addresses_and_other_schemes_are_errors_of_the_page() {
        let contact = Settings { contact: Some("a@b.test".into()), ..Settings::default() };
        for settings in [Settings::default(), contact] {
            let error = |url| fetch(settings.clone(), url).unwrap();
            assert!(matches!(error("http://127.0.0.1:1/"), FetchError::Forbidden(_)));
            assert!(matches!(error("http://localhost/"), FetchError::Forbidden(_)));
            assert!(matches!(error("file:///etc/passwd"), FetchError::BadUrl(_)));
        }
    }

    #[test]
    fn a_contact_that_breaks_the_header_is_refused() {
        let settings = Settings { contact: Some("a\r\nb".into()), ..Settings::default() };
        assert!(Fetcher::new(settings).is_err());
    }
}
