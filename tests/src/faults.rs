//! A web on loopback with any number of hosts, a third of them faulty, as on the open web.
//!
//! One server plays all hosts by the `Host` header. Hosts are named `h0.test`, `h1.test` and so on,
//! and each third one has a [`Fault`], with the kinds in turn. The server records the requests to
//! each host and their times, so that a test can check whether the client was polite. It can also
//! hold its responses back, so that a test controls the progress of the client.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The fault of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection is reset in the middle of the body.
    Reset,
    /// The body continues with a byte every 200 ms, without end.
    Drip,
    /// A chunk is shorter than its declared size.
    ChunkedLie,
    /// The body is shorter than its Content-Length.
    Short,
    /// The body is empty.
    Empty,
    /// Each page redirects to another one without end.
    Redirects,
    /// All pages have status 503.
    Overloaded,
    /// The connection is accepted, but there is no response.
    Silent,
    /// The body is 100 MB of zeros in 100 kB of gzip.
    Bomb,
    /// The connection is closed without a response.
    Closed,
    /// robots.txt has status 500.
    NoRobots,
    /// All pages have status 404.
    Missing,
    /// The text is in a thousand nested elements.
    Nested,
    /// The declared charset is wrong.
    Mislabelled,
    /// robots.txt forbids all pages.
    Forbidden,
}

/// All faults, in the order in which they are assigned to hosts.
pub const FAULTS: [Fault; 15] = [
    Fault::Reset,
    Fault::Drip,
    Fault::ChunkedLie,
    Fault::Short,
    Fault::Empty,
    Fault::Redirects,
    Fault::Overloaded,
    Fault::Silent,
    Fault::Bomb,
    Fault::Closed,
    Fault::NoRobots,
    Fault::Missing,
    Fault::Nested,
    Fault::Mislabelled,
    Fault::Forbidden,
];

/// Returns the fault of the host with this number; `None` for a sound host.
pub fn fault_of_host(host: usize) -> Option<Fault> {
    (host.is_multiple_of(3)).then(|| FAULTS[host / 3 % FAULTS.len()])
}

/// Returns the URL of a page.
pub fn page_url(host: usize, page: usize) -> String {
    format!("http://h{host}.test/page/{page}")
}

/// Returns the text of a page that has one.
pub fn page_text(host: &str, path: &str) -> String {
    format!(
        "Stran {path} na gostitelju {host} pripoveduje o potoku, ki teče skozi vas in napaja polja, \
         travnike in sadovnjake, odkar ljudje pomnijo."
    )
}

/// The requests to one host.
#[derive(Debug, Clone, Default)]
pub struct HostRequests {
    /// The number of requests for each path.
    pub paths: HashMap<String, u32>,
    /// The shortest pause from a response to the next request; `None` without such a pair. It
    /// starts when the server begins to respond, before the client can have the response, and ends
    /// when the request is read, so it is never underestimated.
    pub shortest_pause: Option<Duration>,
    /// True if a request arrived during the response to another one. Means nothing for faulty
    /// hosts, because clients give up their connections.
    pub overlapped: bool,
    responded_at: Option<Instant>,
    in_flight: u32,
}

/// The server. It runs until the process ends.
#[derive(Debug, Clone)]
pub struct FaultWeb {
    /// The address of all hosts.
    pub address: SocketAddr,
    hosts: Arc<Mutex<HashMap<String, HostRequests>>>,
    /// The number of requests, from the first one, that are responded to.
    admitted: Arc<watch::Sender<u32>>,
    /// True if hosts that drip or are silent do so for one page only, and close the connection for
    /// the others.
    is_late_once: bool,
}

impl FaultWeb {
    /// Starts a server.
    pub fn start() -> FaultWeb {
        FaultWeb::start_with(false)
    }

    /// Starts a server whose hosts that drip or are silent do so for one page only, and close the
    /// connection for the others. Each of them then costs a client a single timeout, so that the
    /// timeout can be long enough for the sound pages on a busy machine.
    pub fn late_once() -> FaultWeb {
        FaultWeb::start_with(true)
    }

    fn start_with(is_late_once: bool) -> FaultWeb {
        let listener = StdListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("an address");
        let web = FaultWeb {
            address,
            hosts: Arc::default(),
            admitted: Arc::new(watch::Sender::new(u32::MAX)),
            is_late_once,
        };
        let served = web.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("an event loop");
            runtime.block_on(served.accept(listener));
        });
        web
    }

    /// Returns the requests to each host so far.
    pub fn requests_by_host(&self) -> HashMap<String, HostRequests> {
        self.lock().clone()
    }

    /// Returns the number of requests so far.
    pub fn count_requests(&self) -> u32 {
        self.lock().values().map(HostRequests::count).sum()
    }

    /// Responds to the first `requests` requests, counted from the start, and holds the others
    /// until more are admitted.
    pub fn answer_first(&self, requests: u32) {
        self.admitted.send_replace(requests);
    }

    /// Responds to all requests.
    pub fn answer_all(&self) {
        self.answer_first(u32::MAX);
    }

    async fn accept(self, listener: StdListener) {
        let listener = TcpListener::from_std(listener).expect("a socket");
        loop {
            // An error means that the client has closed the connection already.
            if let Ok((connection, _)) = listener.accept().await {
                let web = self.clone();
                tokio::spawn(async move { web.serve_connection(connection).await });
            }
        }
    }

    async fn serve_connection(self, connection: TcpStream) -> std::io::Result<()> {
        connection.set_nodelay(true)?;
        let mut connection = BufReader::new(connection);
        loop {
            let Some((host, path)) = read_request(&mut connection).await? else {
                return Ok(());
            };
            let number = self.record_request(&host, &path);
            // Cannot fail, because `self` holds the sender.
            let _ = self
                .admitted
                .subscribe()
                .wait_for(|admitted| number <= *admitted)
                .await;
            let stays_open = match self.record_response(&host, &path) {
                true => respond(&mut connection, &host, &path).await,
                false => Ok(false),
            };
            self.lock().entry(host).or_default().in_flight -= 1;
            if !stays_open? {
                return Ok(());
            }
        }
    }

    /// Records a request, and returns its number, from 1.
    fn record_request(&self, host: &str, path: &str) -> u32 {
        let now = Instant::now();
        let mut hosts = self.lock();
        let host = hosts.entry(host.to_owned()).or_default();
        *host.paths.entry(path.to_owned()).or_default() += 1;
        let pause = host
            .responded_at
            .take()
            .map(|responded_at| now - responded_at);
        host.shortest_pause = [host.shortest_pause, pause].into_iter().flatten().min();
        host.overlapped |= host.in_flight > 0;
        host.in_flight += 1;
        hosts.values().map(HostRequests::count).sum()
    }

    /// Records that the host begins to respond, unless it is silent. Returns `false` if it only
    /// closes the connection.
    fn record_response(&self, host: &str, path: &str) -> bool {
        let mut hosts = self.lock();
        let requests = hosts.entry(host.to_owned()).or_default();
        let pages: u32 = requests
            .paths
            .iter()
            .filter(|(path, _)| *path != ROBOTS)
            .map(|(_, times)| times)
            .sum();
        let fault = fault_of_name(host).filter(|_| path != ROBOTS);
        let is_closed =
            self.is_late_once && pages > 1 && matches!(fault, Some(Fault::Drip | Fault::Silent));
        requests.responded_at = (is_closed || fault != Some(Fault::Silent)).then(Instant::now);
        !is_closed
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, HostRequests>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostRequests {
    fn count(&self) -> u32 {
        self.paths.values().sum()
    }
}

const ROBOTS: &str = "/robots.txt";

/// Returns the fault of the host with this name; `None` for a sound host.
pub fn fault_of_name(host: &str) -> Option<Fault> {
    fault_of_host(
        host.strip_prefix('h')?
            .strip_suffix(".test")?
            .parse()
            .ok()?,
    )
}

/// Reads the next request, and returns its host and path; `None` at the end of the connection.
async fn read_request(
    connection: &mut BufReader<TcpStream>,
) -> std::io::Result<Option<(String, String)>> {
    let mut host = String::new();
    let mut path = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if connection.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            return Ok(Some((host, path)));
        }
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        } else if let Some((_, value)) = line
            .split_once(':')
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            value.trim().clone_into(&mut host);
        }
    }
}

/// Sends the response to a request. Returns `true` if the connection stays open.
async fn respond(to: &mut BufReader<TcpStream>, host: &str, path: &str) -> std::io::Result<bool> {
    let fault = fault_of_name(host);
    let page = format!(
        "<html lang=sl><title>Potok</title><p>{}</p></html>",
        page_text(host, path)
    );
    match (fault, path == ROBOTS) {
        (Some(Fault::Closed), _) => return Ok(false),
        (Some(Fault::NoRobots), true) => send_response(to, "500 Oh", "", b"").await?,
        (Some(Fault::Forbidden), true) => {
            send_response(to, "200 OK", "", b"User-agent: *\nDisallow: /page\n").await?
        }
        (_, true) | (Some(Fault::Missing), _) => send_response(to, "404 Gone", "", b"none").await?,
        (Some(Fault::Overloaded), _) => send_response(to, "503 Busy", "", b"later").await?,
        (Some(Fault::Empty), _) => send_response(to, "200 OK", "", b"").await?,
        (Some(Fault::Redirects), _) => {
            send_response(to, "302 On", &format!("Location: {path}x\r\n"), b"").await?
        }
        (Some(Fault::Nested), _) => {
            let nested = format!("{}{page}", "<div>".repeat(1000));
            send_response(to, "200 OK", HTML, nested.as_bytes()).await?;
        }
        (Some(Fault::Mislabelled), _) => {
            send_response(
                to,
                "200 OK",
                "Content-Type: text/html; charset=iso-8859-1\r\n",
                page.as_bytes(),
            )
            .await?;
        }
        (Some(Fault::Bomb), _) => {
            let coding = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
            send_response(to, "200 OK", coding, crate::gzip::bomb()).await?;
        }
        (Some(fault), _) => return send_broken_response(to, fault, &page).await.map(|()| false),
        (None, _) => send_response(to, "200 OK", HTML, page.as_bytes()).await?,
    }
    Ok(true)
}

const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

async fn send_response(
    to: &mut BufReader<TcpStream>,
    status: &str,
    headers: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    to.write_all(&[head.as_bytes(), body].concat()).await
}

/// Starts a response and never completes it.
async fn send_broken_response(
    to: &mut BufReader<TcpStream>,
    fault: Fault,
    page: &str,
) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\n{HTML}");
    let start = match fault {
        Fault::ChunkedLie => {
            format!("{head}Transfer-Encoding: chunked\r\n\r\nffff\r\n{page}\r\n0\r\n\r\n")
        }
        Fault::Silent => String::new(),
        _ => format!("{head}Content-Length: 99999\r\n\r\n{page}"),
    };
    to.write_all(start.as_bytes()).await?;
    match fault {
        Fault::Reset => to.get_ref().set_zero_linger()?,
        Fault::Silent => std::future::pending().await,
        Fault::Drip => loop {
            to.write_all(b"x").await?;
            tokio::time::sleep(Duration::from_millis(200)).await;
        },
        _ => {}
    }
    Ok(())
}
