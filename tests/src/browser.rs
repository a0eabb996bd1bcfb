//! A headless browser, driven over the WebDriver protocol (W3C) by chromedriver.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The time after which a condition that does not become true fails a test.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(60);

/// How often the driver is started: it ends if another process has the port that it has chosen, for
/// one of its two protocols.
const DRIVER_STARTS: usize = 20;

/// A browser with one window. It ends with the value.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    /// The output of the driver, which would end at a closed pipe.
    _output: BufReader<ChildStdout>,
    address: String,
    session: String,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Panics
    /// If chromedriver or a browser is not installed.
    pub fn start() -> Browser {
        let mut starts = (0..DRIVER_STARTS).filter_map(|_| start_driver());
        let (driver, output, port) = starts.next().expect("the port of the driver");
        let mut browser = Browser {
            driver,
            _output: output,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
        };
        // Tests may run as root, where the browser has no sandbox, and open local pages only.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "timeouts": {"script": SCRIPT_TIMEOUT.as_millis() as u64},
        }}});
        let started = browser.call("POST", "/session", &capabilities);
        browser.session = format!("/session/{}", started["sessionId"].as_str().expect("an id"));
        browser
    }

    /// Opens a URL and waits until the page is loaded.
    pub fn open(&self, url: &str) {
        self.command("/url", &json!({ "url": url }));
    }

    /// Presses and releases a key, given by its character in WebDriver.
    pub fn press_key(&self, key: &str) {
        let actions = [
            json!({"type": "keyDown", "value": key}),
            json!({"type": "keyUp", "value": key}),
        ];
        self.command(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// Returns the value of a JavaScript expression.
    pub fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression};");
        self.command("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until a JavaScript expression is true. It is evaluated at each change of the page.
    pub fn wait_for(&self, condition: &str) {
        let script = format!(
            "const done = arguments[0];
            const observer = new MutationObserver(check);
            function check() {{ if ({condition}) {{ observer.disconnect(); done(true); }} }}
            observer.observe(document, {{
                subtree: true, childList: true, characterData: true, attributes: true
            }});
            check();"
        );
        self.command("/execute/async", &json!({"script": script, "args": []}));
    }

    /// Returns a picture of the window, as PNG in base64.
    pub fn screenshot(&self) -> String {
        let path = format!("{}/screenshot", self.session);
        let picture = self.call("GET", &path, &Value::Null);
        picture.as_str().expect("a picture").to_owned()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}{path}", self.session), body)
    }

    /// Sends a command to the driver, and returns its value.
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(&self.address).expect("a connection to the driver");
        // Longer than any command takes, so that a driver that hangs fails the test.
        stream
            .set_read_timeout(Some(2 * SCRIPT_TIMEOUT))
            .expect("a time limit");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .expect("the command is sent");
        // The driver does not close the connection.
        let mut response = BufReader::new(stream);
        let mut header = String::new();
        while !header.ends_with("\r\n\r\n") {
            let read = response.read_line(&mut header).expect("a response in time");
            assert!(read > 0, "{path}: no response");
        }
        let length = header.to_ascii_lowercase();
        let length = length.split("content-length:").nth(1).expect("a length");
        let length = length.lines().next().and_then(|n| n.trim().parse().ok());
        let mut body = vec![0; length.expect("a number")];
        response.read_exact(&mut body).expect("a body");
        let body = String::from_utf8_lossy(&body);
        assert!(header.starts_with("HTTP/1.1 200"), "{path}: {body}");
        let mut answer: Value = serde_json::from_str(&body).expect("JSON");
        answer["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser itself would outlive its driver. After a failed test, a failure here must not
        // hide the first one.
        if !self.session.is_empty() {
            let close = || self.call("DELETE", &self.session, &Value::Null);
            let _ = catch_unwind(AssertUnwindSafe(close));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts the driver. Returns it, its output after the port, and the port; `None` if it has ended.
fn start_driver() -> Option<(Child, BufReader<ChildStdout>, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver is not installed; run tests/install-needs");
    let mut output = BufReader::new(driver.stdout.take().expect("a pipe"));
    let mut lines = output.by_ref().lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let port = line.split("successfully on port ").nth(1)?;
        port.trim_end_matches('.').parse().ok()
    });
    if port.is_none() {
        driver.wait().expect("the driver has ended");
    }
    Some((driver, output, port?))
}
