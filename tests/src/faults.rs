//! A web on loopback of as many hosts as one likes, a third of them faulty: the hard pages of the
//! open web.
//!
//! One server plays all hosts, by the `Host` header; names are `h0.test`, `h1.test` …, and those
//! whose number divides by three have a [`Fault`], each kind in its turn. It notes what is asked of
//! each host and when, so that a test can tell whether hosts were treated with care; and it can
//! hold its answers back, so that a test knows how far a client is.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener as Bound};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What is wrong with a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection is reset in the middle of the body.
    Reset,
    /// A byte every 200 ms, without end.
    Drip,
    /// A chunk is shorter than it says.
    ChunkedLie,
    /// The body is shorter than its length.
    Short,
    /// There is no body.
    Empty,
    /// Each page redirects to another one, without end.
    Redirects,
    /// Status 503.
    Overloaded,
    /// The connection is accepted, and nothing is said.
    Silent,
    /// 100 MB of zeros, in 100 kB of gzip.
    Bomb,
    /// The connection is closed at once.
    Closed,
    /// robots.txt has status 500.
    NoRobots,
    /// Status 404.
    Missing,
    /// A thousand nested elements around the text.
    Nested,
    /// A label that names another encoding.
    Mislabelled,
    /// robots.txt forbids all.
    Forbidden,
}

/// All faults in the order in which hosts have them.
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

/// What is wrong with the host of this number, if anything is.
pub fn fault(host: usize) -> Option<Fault> {
    (host.is_multiple_of(3)).then(|| FAULTS[host / 3 % FAULTS.len()])
}

/// The URL of a host's page.
pub fn url(host: usize, page: usize) -> String {
    format!("http://h{host}.test/page/{page}")
}

/// The text that a page has, where it has one.
pub fn text(host: &str, path: &str) -> String {
    format!(
        "Stran {path} na gostitelju {host} pripoveduje o potoku, ki teče skozi vas in napaja polja, travnike in \
         sadovnjake, odkar ljudje pomnijo."
    )
}

/// What was asked of one host.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// How often for each path.
    pub paths: HashMap<String, u32>,
    /// The shortest time from an answer to the next request, where there was an answer. It counts
    /// from when the answer was begun, before the client can have had it, to when the request was
    /// read: it is never measured too short.
    pub least_pause: Option<Duration>,
    /// Whether a request came while another was being answered. Of faulty hosts, whose connections
    /// are given up, that says nothing.
    pub overlapped: bool,
    answered: Option<Instant>,
    under_way: u32,
}

/// The server; it lives as long as the process.
#[derive(Debug, Clone)]
pub struct Web {
    /// Where all hosts are.
    pub address: SocketAddr,
    asked: Arc<Mutex<HashMap<String, Asked>>>,
    /// The number of requests that are answered, the first ones.
    answers: Arc<watch::Sender<u32>>,
    /// Whether hosts that drip or are silent are so for one page alone, and close the connection at
    /// the others.
    is_late_once: bool,
}

impl Web {
    /// Starts it.
    pub fn start() -> Web {
        Web::start_with(false)
    }

    /// Starts one whose hosts that drip or are silent are so for one page alone, and close the
    /// connection at the others. Each costs a client one time limit then, which can be as long as a
    /// busy machine needs for the good pages.
    pub fn late_once() -> Web {
        Web::start_with(true)
    }

    fn start_with(is_late_once: bool) -> Web {
        let bound = Bound::bind("127.0.0.1:0").expect("a port");
        bound.set_nonblocking(true).expect("a socket");
        let address = bound.local_addr().expect("an address");
        let web = Web {
            address,
            asked: Arc::default(),
            answers: Arc::new(watch::Sender::new(u32::MAX)),
            is_late_once,
        };
        let served = web.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("an event loop");
            runtime.block_on(served.accept(bound));
        });
        web
    }

    /// What was asked, by host.
    pub fn asked(&self) -> HashMap<String, Asked> {
        self.lock().clone()
    }

    /// The number of requests that came.
    pub fn requests(&self) -> u32 {
        self.lock().values().map(Asked::requests).sum()
    }

    /// Answers so many requests in all, counted from the first one, and holds the others until more
    /// are allowed.
    pub fn answer(&self, requests: u32) {
        self.answers.send_replace(requests);
    }

    /// Answers all requests.
    pub fn answer_all(&self) {
        self.answer(u32::MAX);
    }

    async fn accept(self, bound: Bound) {
        let listener = TcpListener::from_std(bound).expect("a socket");
        loop {
            // A connection that is gone again is no matter.
            if let Ok((connection, _)) = listener.accept().await {
                let web = self.clone();
                tokio::spawn(async move { web.serve(connection).await });
            }
        }
    }

    async fn serve(self, connection: TcpStream) -> std::io::Result<()> {
        connection.set_nodelay(true)?;
        let mut connection = BufReader::new(connection);
        loop {
            let Some((host, path)) = request(&mut connection).await? else {
                return Ok(());
            };
            let number = self.begin(&host, &path);
            // The sender lives as long as this.
            let _ = self
                .answers
                .subscribe()
                .wait_for(|answers| number <= *answers)
                .await;
            let goes_on = match self.answered(&host, &path) {
                true => answer(&mut connection, &host, &path).await,
                false => Ok(false),
            };
            self.lock().entry(host).or_default().under_way -= 1;
            if !goes_on? {
                return Ok(());
            }
        }
    }

    /// Notes a request; its number, from 1.
    fn begin(&self, host: &str, path: &str) -> u32 {
        let now = Instant::now();
        let mut asked = self.lock();
        let host = asked.entry(host.to_owned()).or_default();
        *host.paths.entry(path.to_owned()).or_default() += 1;
        let pause = host.answered.take().map(|answered| now - answered);
        host.least_pause = [host.least_pause, pause].into_iter().flatten().min();
        host.overlapped |= host.under_way > 0;
        host.under_way += 1;
        asked.values().map(Asked::requests).sum()
    }

    /// Notes that the host answers, which a silent one doesn't; whether it does more than close the
    /// connection.
    fn answered(&self, host: &str, path: &str) -> bool {
        let mut asked = self.lock();
        let known = asked.entry(host.to_owned()).or_default();
        let pages: u32 = known
            .paths
            .iter()
            .filter(|(path, _)| *path != ROBOTS)
            .map(|(_, times)| times)
            .sum();
        let fault = fault_of(host).filter(|_| path != ROBOTS);
        let is_closed =
            self.is_late_once && pages > 1 && matches!(fault, Some(Fault::Drip | Fault::Silent));
        known.answered = (is_closed || fault != Some(Fault::Silent)).then(Instant::now);
        !is_closed
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    /// The number of requests.
    fn requests(&self) -> u32 {
        self.paths.values().sum()
    }
}

const ROBOTS: &str = "/robots.txt";

/// What is wrong with the host of this name, if anything is.
pub fn fault_of(host: &str) -> Option<Fault> {
    fault(
        host.strip_prefix('h')?
            .strip_suffix(".test")?
            .parse()
            .ok()?,
    )
}

/// Host and path of the next request.
async fn request(
    connection: &mut BufReader<TcpStream>,
) -> std::io::Result<Option<(String, String)>> {
    let (mut host, mut path, mut line) = (String::new(), String::new(), String::new());
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

/// Answers; whether the connection goes on.
async fn answer(to: &mut BufReader<TcpStream>, host: &str, path: &str) -> std::io::Result<bool> {
    let fault = fault_of(host);
    let page = format!(
        "<html lang=sl><title>Potok</title><p>{}</p></html>",
        text(host, path)
    );
    match (fault, path == ROBOTS) {
        (Some(Fault::Closed), _) => return Ok(false),
        (Some(Fault::NoRobots), true) => whole(to, "500 Oh", "", b"").await?,
        (Some(Fault::Forbidden), true) => {
            whole(to, "200 OK", "", b"User-agent: *\nDisallow: /page\n").await?
        }
        (_, true) | (Some(Fault::Missing), _) => whole(to, "404 Gone", "", b"none").await?,
        (Some(Fault::Overloaded), _) => whole(to, "503 Busy", "", b"later").await?,
        (Some(Fault::Empty), _) => whole(to, "200 OK", "", b"").await?,
        (Some(Fault::Redirects), _) => {
            whole(to, "302 On", &format!("Location: {path}x\r\n"), b"").await?
        }
        (Some(Fault::Nested), _) => {
            let nested = format!("{}{page}", "<div>".repeat(1000));
            whole(to, "200 OK", HTML, nested.as_bytes()).await?;
        }
        (Some(Fault::Mislabelled), _) => {
            whole(
                to,
                "200 OK",
                "Content-Type: text/html; charset=iso-8859-1\r\n",
                page.as_bytes(),
            )
            .await?;
        }
        (Some(Fault::Bomb), _) => {
            let coding = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
            whole(to, "200 OK", coding, crate::gzip::bomb()).await?;
        }
        (Some(fault), _) => return broken(to, fault, &page).await.map(|()| false),
        (None, _) => whole(to, "200 OK", HTML, page.as_bytes()).await?,
    }
    Ok(true)
}

const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

async fn whole(
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

/// An answer that never comes to its end.
async fn broken(to: &mut BufReader<TcpStream>, fault: Fault, page: &str) -> std::io::Result<()> {
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
