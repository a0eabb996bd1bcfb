//! A small HTTP server on loopback that plays many hosts. A function of the test returns the
//! responses.

use crate::events::wait_for;
use crate::{ToolOutput, run_tool};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A response of the server, and the way in which it is sent.
pub enum HostResponse {
    /// A complete response: status, additional header lines, body.
    Complete(u16, String, Vec<u8>),
    /// These bytes, and then one byte every 50 ms until the client closes the connection.
    Drip(&'static [u8]),
    /// These bytes, then the end of the connection.
    Raw(Vec<u8>),
    /// No response; the connection is closed.
    Hangup,
}

/// Returns an HTML page in UTF-8.
pub fn html(body: impl AsRef<str>) -> HostResponse {
    ok("text/html; charset=utf-8", body.as_ref().as_bytes())
}

/// Returns a body of this media type with status 200.
pub fn ok(media_type: &str, body: &[u8]) -> HostResponse {
    HostResponse::Complete(
        200,
        format!("Content-Type: {media_type}\r\n"),
        body.to_vec(),
    )
}

/// Returns a short body with this status.
pub fn status(code: u16) -> HostResponse {
    HostResponse::Complete(
        code,
        "Content-Type: text/html\r\n".into(),
        b"<p>sorry".to_vec(),
    )
}

/// Returns a part of the declared body, then the end of the connection.
pub fn broken() -> HostResponse {
    HostResponse::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n<p>Potok".into())
}

/// Returns a redirect to this URL.
pub fn redirect(to: &str) -> HostResponse {
    HostResponse::Complete(302, format!("Location: {to}\r\n"), Vec::new())
}

/// A received request.
#[derive(Debug, Clone)]
pub struct HostRequest {
    /// The time at which the server read the request. On a busy machine this can be much later than
    /// the time at which it was sent.
    pub received_at: Instant,
    /// The time at which the server began to respond. The client cannot have had the response
    /// earlier.
    pub responded_at: Option<Instant>,
    /// The `Host` header.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// The complete header block.
    pub header_block: String,
}

/// A running server. It runs until the process ends.
#[derive(Debug)]
pub struct HostServer {
    /// The address of all hosts.
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<HostRequest>>>,
    open_connections: Arc<AtomicUsize>,
}

impl HostServer {
    /// Starts a server. `respond` receives the host and the path of each request.
    pub fn start(
        respond: impl Fn(&str, &str) -> HostResponse + Send + Sync + 'static,
    ) -> HostServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = HostServer {
            address,
            requests: Arc::default(),
            open_connections: Arc::default(),
        };
        let requests = server.requests.clone();
        let open_connections = server.open_connections.clone();
        let respond = Arc::new(respond);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let requests = requests.clone();
                let open_connections = open_connections.clone();
                let respond = respond.clone();
                open_connections.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    // A client may close its connection early, which is no failure of the test.
                    let _ = serve_connection(&connection, &requests, &*respond);
                    drop(connection);
                    open_connections.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// Runs `fetch-extract` with all connections going to this server, and without a delay unless
    /// `args` contain one.
    pub fn fetch(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> ToolOutput {
        let address = self.address.to_string();
        let mut all_args = vec!["--connect-to", &address];
        if !args.contains(&"--delay") {
            all_args.extend(["--delay", "0"]);
        }
        all_args.extend(args);
        run_tool("fetch-extract", all_args, stdin)
    }

    /// Fetches one URL and returns its record.
    pub fn fetch_record(&self, args: &[&str], url: &str) -> Value {
        let output = self
            .fetch(args, json!({ "url": url }).to_string())
            .expect_exit(0);
        output.records().pop().unwrap()
    }

    /// Returns all requests received so far.
    pub fn requests(&self) -> Vec<HostRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the shortest pause of a host between the response to a request and the next request.
    ///
    /// The pause is never underestimated: it starts when the server begins to respond, before the
    /// client can have the response, and ends when the next request is read. The time between the
    /// arrivals of two requests would be no measure, because the first may have been read late.
    pub fn shortest_pause(&self, host: &str) -> Duration {
        let requests: Vec<HostRequest> = self
            .requests()
            .into_iter()
            .filter(|request| request.host == host)
            .collect();
        let pauses = requests.windows(2).map(|pair| {
            let responded_at = pair[0].responded_at.expect("a response to each request");
            pair[1].received_at - responded_at
        });
        pauses.min().expect("two requests")
    }

    /// Waits until the server has read all data of clients that have ended, and their connections
    /// are closed. No client may be running.
    pub fn wait_until_idle(&self) {
        // Connections are accepted in order: when this one is closed, all earlier ones have been
        // counted.
        let mut last = TcpStream::connect(self.address).unwrap();
        last.shutdown(Shutdown::Write).unwrap();
        last.read_to_end(&mut Vec::new()).unwrap();
        wait_for("all connections are closed", || {
            self.open_connections.load(Ordering::SeqCst) == 0
        });
    }
}

/// Responds to the requests of one connection.
fn serve_connection(
    connection: &TcpStream,
    requests: &Mutex<Vec<HostRequest>>,
    respond: &dyn Fn(&str, &str) -> HostResponse,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut writer = connection;
    loop {
        let mut header_block = String::new();
        while !header_block.ends_with("\r\n\r\n") {
            match reader.read_line(&mut header_block) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                // The bytes are a TLS handshake: respond as a server without TLS does.
                Err(_) => return writer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
            }
        }
        let path = header_block
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        let host = header_block.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("host: ")
                .map(str::to_owned)
        });
        let host = host.unwrap_or_default();
        let index = {
            let received_at = Instant::now();
            let mut requests = requests.lock().unwrap();
            requests.push(HostRequest {
                received_at,
                responded_at: None,
                host: host.clone(),
                path: path.clone(),
                header_block,
            });
            requests.len() - 1
        };
        let response = respond(&host, &path);
        requests.lock().unwrap()[index].responded_at = Some(Instant::now());
        match response {
            HostResponse::Complete(code, headers, body) => {
                write!(
                    writer,
                    "HTTP/1.1 {code} X\r\n{headers}Content-Length: {}\r\n\r\n",
                    body.len()
                )?;
                writer.write_all(&body)?;
            }
            HostResponse::Drip(start) => {
                writer.write_all(start)?;
                loop {
                    writer.write_all(b"<")?;
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            HostResponse::Raw(bytes) => return writer.write_all(&bytes),
            HostResponse::Hangup => return Ok(()),
        }
    }
}
