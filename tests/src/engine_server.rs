//! A search engine on loopback with real HTTP. A function of the test returns the responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A received request.
#[derive(Debug, Clone, Default)]
pub struct EngineRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body; empty if there is none.
    pub body: String,
}

/// A response of the engine.
#[derive(Debug, Clone)]
pub struct EngineResponse {
    /// Status code and reason; empty if there is no response.
    pub status: &'static str,
    /// Headers in addition to those that every response has.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// A running server. It runs until the process ends.
#[derive(Debug)]
pub struct EngineServer {
    /// The URL of the server, `http://127.0.0.1:PORT`.
    pub address: String,
    requests: Arc<Mutex<Vec<EngineRequest>>>,
}

impl EngineRequest {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }
}

impl EngineResponse {
    /// Returns a success with this body.
    pub fn ok(body: impl Into<Vec<u8>>) -> EngineResponse {
        EngineResponse::status("200 OK", body)
    }

    /// Returns no response: the connection is closed.
    pub fn hang_up() -> EngineResponse {
        EngineResponse::status("", "")
    }

    /// Returns a response with this status and body.
    pub fn status(status: &'static str, body: impl Into<Vec<u8>>) -> EngineResponse {
        EngineResponse {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> EngineResponse {
        self.headers.push((name, value.into()));
        self
    }
}

impl EngineServer {
    /// Starts a server. `respond` receives each request and the number of requests before it.
    pub fn start(
        respond: impl Fn(&EngineRequest, usize) -> EngineResponse + Send + Sync + 'static,
    ) -> EngineServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = format!("http://{}", listener.local_addr().expect("a bound port"));
        let requests = Arc::<Mutex<Vec<EngineRequest>>>::default();
        let log = Arc::clone(&requests);
        let respond = Arc::new(respond);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                let respond = Arc::clone(&respond);
                // A client may close its connection early, which is no failure of the test.
                std::thread::spawn(move || {
                    serve_request(stream, &log, |request, previous| respond(request, previous))
                });
            }
        });
        EngineServer { address, requests }
    }

    /// Returns all requests received so far.
    pub fn requests(&self) -> Vec<EngineRequest> {
        self.requests
            .lock()
            .expect("no thread panicked with it")
            .clone()
    }
}

fn serve_request(
    mut stream: TcpStream,
    log: &Mutex<Vec<EngineRequest>>,
    respond: impl Fn(&EngineRequest, usize) -> EngineResponse,
) -> Option<()> {
    let request = read_request(&mut BufReader::new(stream.try_clone().ok()?))?;
    let previous = {
        let mut log = log.lock().ok()?;
        log.push(request.clone());
        log.len() - 1
    };
    let EngineResponse {
        status,
        headers,
        body,
    } = respond(&request, previous);
    if status.is_empty() {
        return None;
    }
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let length = body.len();
    let header_block = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream
        .write_all(&[header_block.as_bytes(), &body].concat())
        .ok()
}

fn read_request(stream: &mut impl BufRead) -> Option<EngineRequest> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut parts = line.split(' ').map(String::from);
    let mut request = EngineRequest {
        method: parts.next()?,
        target: parts.next()?,
        ..EngineRequest::default()
    };
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        request
            .headers
            .push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = request
        .header("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    stream.take(length).read_to_string(&mut request.body).ok()?;
    Some(request)
}
