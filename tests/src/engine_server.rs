//! A search engine on loopback: real HTTP, answers by the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request, as it came.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body, if there was one.
    pub body: String,
}

/// An answer to give.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status code and reason.
    pub status: &'static str,
    /// Headers beside those that every answer has.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// A running server; ends with the test's process.
#[derive(Debug)]
pub struct EngineServer {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Answer {
    /// A success with this body.
    pub fn ok(body: impl Into<String>) -> Answer {
        Answer::status("200 OK", body)
    }

    /// An answer of this status.
    pub fn status(status: &'static str, body: impl Into<String>) -> Answer {
        Answer {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}

impl EngineServer {
    /// Starts a server that answers so; its second argument is how many requests came before.
    pub fn start(answer: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> EngineServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = format!("http://{}", listener.local_addr().expect("a bound port"));
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                // What a client that goes away early does to its connection is no failure of the
                // test.
                std::thread::spawn(move || {
                    serve(stream, &log, |asked, before| answer(asked, before))
                });
            }
        });
        EngineServer { address, asked }
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked
            .lock()
            .expect("no thread panicked with it")
            .clone()
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Asked>>,
    answer: impl Fn(&Asked, usize) -> Answer,
) -> Option<()> {
    let asked = read(&mut BufReader::new(stream.try_clone().ok()?))?;
    let before = {
        let mut log = log.lock().ok()?;
        log.push(asked.clone());
        log.len() - 1
    };
    let Answer {
        status,
        headers,
        body,
    } = answer(&asked, before);
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

fn read(stream: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut parts = line.split(' ').map(String::from);
    let mut asked = Asked {
        method: parts.next()?,
        target: parts.next()?,
        ..Asked::default()
    };
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        asked
            .headers
            .push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = asked
        .header("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    stream.take(length).read_to_string(&mut asked.body).ok()?;
    Some(asked)
}
