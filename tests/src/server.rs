//! A small HTTP server on loopback that plays many hosts, each answer given by a function of the
//! test.

use crate::events::wait_for;
use crate::{Done, run};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the server writes to a connection, and how.
pub enum Answer {
    /// Status, further headers, body.
    Whole(u16, String, Vec<u8>),
    /// This, and then a byte a tick, for as long as the client listens.
    Drip(&'static [u8]),
    /// A part of the promised body, then the end.
    Broken,
    /// Nothing; the connection is closed.
    Hangup,
}

/// A page in UTF-8.
pub fn html(body: impl AsRef<str>) -> Answer {
    ok("text/html; charset=utf-8", body.as_ref().as_bytes())
}

/// A body of this type.
pub fn ok(media_type: &str, body: &[u8]) -> Answer {
    Answer::Whole(
        200,
        format!("Content-Type: {media_type}\r\n"),
        body.to_vec(),
    )
}

/// A status without much of a body.
pub fn status(code: u16) -> Answer {
    Answer::Whole(
        code,
        "Content-Type: text/html\r\n".into(),
        b"<p>sorry".to_vec(),
    )
}

/// A redirect.
pub fn redirect(to: &str) -> Answer {
    Answer::Whole(302, format!("Location: {to}\r\n"), Vec::new())
}

/// A request as it came: its times, host, path and head.
#[derive(Debug, Clone)]
pub struct Seen {
    /// When it came. On a busy machine that is later than when it was sent, for as long as you
    /// like.
    pub at: Instant,
    /// When the server began to answer. The client can't have had the answer before.
    pub answered: Option<Instant>,
    /// The `Host` header.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// The whole head.
    pub head: String,
}

/// The server; it lives as long as the process.
#[derive(Debug)]
pub struct Server {
    /// Where all hosts are.
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Connections that are open.
    open: Arc<AtomicUsize>,
}

impl Server {
    /// Starts it: `answer` is given host and path.
    pub fn start(answer: impl Fn(&str, &str) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server {
            address,
            seen: Arc::default(),
            open: Arc::default(),
        };
        let (seen, open, answer) = (server.seen.clone(), server.open.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (seen, open, answer) = (seen.clone(), open.clone(), answer.clone());
                open.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    // What a client does to its connection that goes early is no failure of the
                    // test.
                    let _ = serve(&connection, &seen, &*answer);
                    drop(connection);
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// Runs the tool with all connections led here and no delay, unless `args` say otherwise.
    pub fn fetch(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
        let address = self.address.to_string();
        let mut all = vec!["--connect-to", &address];
        if !args.contains(&"--delay") {
            all.extend(["--delay", "0"]);
        }
        all.extend(args);
        run("fetch-extract", all, stdin)
    }

    /// The record that comes of a URL.
    pub fn record(&self, args: &[&str], url: &str) -> Value {
        let done = self.fetch(args, json!({ "url": url }).to_string()).exits(0);
        done.records().pop().unwrap()
    }

    /// All requests that came so far.
    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The shortest time for which a host was left alone between the answer to a request and the
    /// next request.
    ///
    /// It is never measured too short: an answer counts from when it was begun, which is before the
    /// client can have had it, and a request from when it is read. From one arrival to the next
    /// would be no measure, as the first may have been read late.
    pub fn least_pause(&self, host: &str) -> Duration {
        let seen: Vec<Seen> = self
            .requests()
            .into_iter()
            .filter(|seen| seen.host == host)
            .collect();
        let pauses = seen
            .windows(2)
            .map(|pair| pair[1].at - pair[0].answered.expect("all are answered in their turn"));
        pauses.min().expect("two requests")
    }

    /// Waits until all is read that clients have sent which are gone now, and their connections are
    /// closed. No other client may be at work.
    pub fn settle(&self) {
        // Connections are taken up in their order: when this one is closed, those before it have
        // been counted.
        let mut last = TcpStream::connect(self.address).unwrap();
        last.shutdown(Shutdown::Write).unwrap();
        last.read_to_end(&mut Vec::new()).unwrap();
        wait_for("all connections are closed", || {
            self.open.load(Ordering::SeqCst) == 0
        });
    }
}

/// Answers the requests of one connection.
fn serve(
    connection: &TcpStream,
    seen: &Mutex<Vec<Seen>>,
    answer: &dyn Fn(&str, &str) -> Answer,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut to = connection;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match reader.read_line(&mut head) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                // It is TLS that knocks: it gets the answer of a server that does not speak it.
                Err(_) => return to.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
            }
        }
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let host = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("host: ")
                .map(str::to_owned)
        });
        let host = host.unwrap_or_default();
        let number = {
            let (at, host, path) = (Instant::now(), host.clone(), path.clone());
            let mut seen = seen.lock().unwrap();
            seen.push(Seen {
                at,
                answered: None,
                host,
                path,
                head,
            });
            seen.len() - 1
        };
        let answer = answer(&host, &path);
        seen.lock().unwrap()[number].answered = Some(Instant::now());
        match answer {
            Answer::Whole(code, headers, body) => {
                write!(
                    to,
                    "HTTP/1.1 {code} X\r\n{headers}Content-Length: {}\r\n\r\n",
                    body.len()
                )?;
                to.write_all(&body)?;
            }
            Answer::Drip(head) => {
                to.write_all(head)?;
                loop {
                    to.write_all(b"<")?;
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            Answer::Broken => {
                return to.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n<p>Potok");
            }
            Answer::Hangup => return Ok(()),
        }
    }
}
