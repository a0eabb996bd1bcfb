//! Serves the page and its session on loopback.

use crate::response;
use crate::session::{Progress, ReviewSession};
use anyhow::Context;
use forage_loopback::{MalformedRequest, Request, Response, serve_connections};
use forage_review::Verdict;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Connections that are served at the same time; further ones are closed. A browser opens six.
const MAX_CONNECTIONS: usize = 32;
/// Random bytes of the token in the URL: 128 bits cannot be guessed.
const TOKEN_BYTES: usize = 16;

const PAGE: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/review.css");
const SCRIPT: &str = include_str!("page/review.js");

/// A server of one review.
#[derive(Debug)]
pub struct ReviewServer {
    address: SocketAddr,
    token: String,
    finished: Receiver<()>,
}

/// What the threads of the server share.
#[derive(Debug)]
struct Shared {
    session: Mutex<ReviewSession>,
    address: SocketAddr,
    /// The path of the page: the token between slashes.
    root: String,
    finish: Sender<()>,
}

/// The body of a request that judges a document.
#[derive(Deserialize)]
struct JudgeRequest {
    number: usize,
    verdict: String,
}

/// The state of the review, when the page is opened.
#[derive(Serialize)]
struct FullState {
    verdicts: Vec<Option<&'static str>>,
    progress: Progress,
}

/// The result of a verdict, or of undoing one.
#[derive(Serialize)]
struct ChangedVerdict {
    /// The document; `null` if nothing can be undone.
    number: Option<usize>,
    /// Its verdict now.
    verdict: Option<&'static str>,
    progress: Progress,
}

impl ReviewServer {
    /// Starts to serve a review on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// Fails if no port is free, or the system has no random numbers.
    pub fn start(session: ReviewSession) -> anyhow::Result<ReviewServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("127.0.0.1")?;
        let address = listener.local_addr().context("127.0.0.1")?;
        let token = random_token()?;
        let (finish, finished) = channel();
        let shared = Shared {
            session: Mutex::new(session),
            address,
            root: format!("/{token}/"),
            finish,
        };
        std::thread::Builder::new()
            .name("review".into())
            .spawn(move || {
                serve_connections(&listener, MAX_CONNECTIONS, move |request, stream| {
                    shared.serve_request(request, stream);
                });
            })
            .context("thread of the server")?;
        Ok(ReviewServer {
            address,
            token,
            finished,
        })
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Waits until the user finishes the review on the page.
    pub fn wait(&self) {
        // The sender lives as long as the server.
        let _ = self.finished.recv();
    }
}

impl Shared {
    /// Writes the response to a request. A browser that is gone is no error.
    fn serve_request(&self, request: Result<Request, MalformedRequest>, stream: &mut TcpStream) {
        let (response, is_last) = request.map_or_else(
            |_| {
                (
                    response::error("400 Bad Request", "malformed request"),
                    false,
                )
            },
            |request| self.answer(&request),
        );
        let _ = response.write(stream);
        if is_last {
            let _ = self.finish.send(());
        }
    }

    /// Returns the response to a request, and `true` if it ends the review.
    fn answer(&self, request: &Request) -> (Response, bool) {
        // Another host name that resolves to this address is an attack (DNS rebinding).
        if request.host.as_deref() != Some(&self.address.to_string()) {
            return (
                response::error("421 Misdirected Request", "wrong host"),
                false,
            );
        }
        let Some(path) = request.path.strip_prefix(&self.root) else {
            return (response::error("404 Not Found", "not found"), false);
        };
        match request.method.as_str() {
            "GET" => (self.answer_get(path), false),
            "POST" if !self.is_from_page(request) => (
                response::error("403 Forbidden", "not sent by the page"),
                false,
            ),
            "POST" if path == "finish" => (response::json(&true), true),
            "POST" => (self.answer_post(path, &request.body), false),
            _ => (
                response::error("405 Method Not Allowed", "use GET or POST"),
                false,
            ),
        }
    }

    /// Returns `true` if a request that changes the review comes from the page itself. A form of
    /// another page cannot send JSON, and a script of another page sends its origin.
    fn is_from_page(&self, request: &Request) -> bool {
        let is_own = |origin: &String| *origin == format!("http://{}", self.address);
        request.content_type.as_deref() == Some("application/json")
            && request.origin.as_ref().is_none_or(is_own)
    }

    fn answer_get(&self, path: &str) -> Response {
        match path {
            "" => self.with_session(|session| {
                let question = html_escape::encode_text(session.first_question());
                let page = PAGE.replace("{{question}}", &question);
                Ok(response::file("text/html; charset=utf-8", &page))
            }),
            "review.css" => response::file("text/css; charset=utf-8", STYLE),
            "review.js" => response::file("text/javascript; charset=utf-8", SCRIPT),
            "state" => self.with_session(|session| {
                Ok(response::json(&FullState {
                    verdicts: session.verdict_names(),
                    progress: session.progress(),
                }))
            }),
            _ => match path.strip_prefix("document/").map(str::parse) {
                Some(Ok(number)) => self.with_session(|session| {
                    Ok(session
                        .document_json(number)?
                        .map_or_else(not_found, response::json_bytes))
                }),
                _ => not_found(),
            },
        }
    }

    fn answer_post(&self, path: &str, body: &[u8]) -> Response {
        match path {
            "verdict" => {
                let judged = serde_json::from_slice::<JudgeRequest>(body)
                    .ok()
                    .and_then(|judged| Some((judged.number, Verdict::parse(&judged.verdict)?)));
                let Some((number, verdict)) = judged else {
                    return response::error("400 Bad Request", "not a verdict");
                };
                self.with_session(|session| {
                    if !session.judge(number, verdict)? {
                        return Ok(not_found());
                    }
                    Ok(response::json(&ChangedVerdict {
                        number: Some(number),
                        verdict: Some(verdict.name()),
                        progress: session.progress(),
                    }))
                })
            }
            "undo" => self.with_session(|session| {
                let number = session.undo()?;
                Ok(response::json(&ChangedVerdict {
                    number,
                    verdict: number.and_then(|number| session.verdict_names()[number]),
                    progress: session.progress(),
                }))
            }),
            _ => not_found(),
        }
    }

    /// Calls `work` with the session. A failure is shown on the page.
    fn with_session(
        &self,
        work: impl FnOnce(&mut ReviewSession) -> anyhow::Result<Response>,
    ) -> Response {
        let mut session = self.session.lock();
        work(&mut session)
            .unwrap_or_else(|e| response::error("500 Internal Server Error", &format!("{e:#}")))
    }
}

fn not_found() -> Response {
    response::error("404 Not Found", "not found")
}

/// Returns random hexadecimal digits from the system.
fn random_token() -> anyhow::Result<String> {
    const SOURCE: &str = "/dev/urandom";
    let mut bytes = [0; TOKEN_BYTES];
    File::open(SOURCE)
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context(SOURCE)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::ReviewServer;
    use crate::session::ReviewSession;
    use forage_record::Record;
    use forage_review::AcceptanceRule;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Starts a server with one document. The folder has the verdicts.
    fn start() -> (ReviewServer, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let rule = AcceptanceRule { limit: 0.75 };
        let mut session = ReviewSession::open(&dir.path().join("j.tsv"), rule).unwrap();
        let json = br#"{"text":"x","sample":{"id":"a","group":"vsm","size":5,"drawn":true,
            "question":"Is it about R&D <b>?"}}"#;
        session
            .add_document(&Record::parse(json.to_vec()).unwrap())
            .unwrap();
        (ReviewServer::start(session).unwrap(), dir)
    }

    fn send(server: &ReviewServer, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let request = request
            .replace("HOST", &server.address.to_string())
            .replace("TOKEN", &server.token);
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    fn post(path: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        format!(
            "POST /TOKEN/{path} HTTP/1.1\r\nHost: HOST\r\nContent-Length: {length}\r\n\
             {headers}\r\n{body}"
        )
    }

    const JSON: &str = "Content-Type: application/json\r\n";
    const YES: &str = r#"{"number":0,"verdict":"yes"}"#;

    #[test]
    fn serves_the_page_to_those_who_know_the_token() {
        let (server, _dir) = start();
        let page = send(&server, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.contains("Content-Security-Policy: default-src 'none'"));
        assert!(page.contains("Is it about R&amp;D &lt;b&gt;?"), "{page}");
        for (request, status) in [
            ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
            ("GET /0/state HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
            ("GET /TOKEN/../x HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
            (
                "GET /TOKEN/document/1 HTTP/1.1\r\nHost: HOST\r\n\r\n",
                "404",
            ),
            ("GET /TOKEN/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "421"),
            ("GET /TOKEN/ HTTP/1.1\r\n\r\n", "421"),
            ("PUT /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n", "405"),
            ("nonsense\r\n\r\n", "400"),
        ] {
            let response = send(&server, request);
            assert!(
                response.starts_with(&format!("HTTP/1.1 {status} ")),
                "{request}{response}"
            );
        }
    }

    #[test]
    fn verdicts_are_accepted_from_the_page_only() {
        let (server, dir) = start();
        for (request, status) in [
            (post("verdict", "", YES), "403"),
            (post("verdict", "Content-Type: text/plain\r\n", YES), "403"),
            (
                post(
                    "verdict",
                    &format!("{JSON}Origin: http://evil.test\r\n"),
                    YES,
                ),
                "403",
            ),
            (
                post("verdict", JSON, r#"{"number":0,"verdict":"maybe"}"#),
                "400",
            ),
            (
                post("verdict", JSON, r#"{"number":-1,"verdict":"yes"}"#),
                "400",
            ),
            (
                post("verdict", JSON, r#"{"number":1,"verdict":"yes"}"#),
                "404",
            ),
        ] {
            let response = send(&server, &request);
            assert!(
                response.starts_with(&format!("HTTP/1.1 {status} ")),
                "{request}{response}"
            );
        }
        let file = dir.path().join("j.tsv");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
        let origin = format!("{JSON}Origin: http://HOST\r\n");
        assert!(send(&server, &post("verdict", &origin, YES)).starts_with("HTTP/1.1 200 "));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\tyes\n");
        let undone = send(&server, &post("undo", JSON, ""));
        assert!(undone.contains(r#""number":0,"verdict":null"#), "{undone}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
        send(&server, &post("finish", JSON, ""));
        server.wait();
    }
}
