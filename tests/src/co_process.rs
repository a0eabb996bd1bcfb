//! Tools that run beside a test and answer line by line.

use crate::events::TIMEOUT;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;

/// A running tool with open input. A tool that does not answer fails the test.
#[derive(Debug)]
pub struct CoProcess {
    child: Child,
    stdin: ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl CoProcess {
    /// Starts a tool.
    ///
    /// # Panics
    /// Panics if it cannot be started.
    pub fn start(mut command: Command) -> CoProcess {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        CoProcess {
            stdin: child.stdin.take().unwrap(),
            child,
            lines,
        }
    }

    /// Writes a line to the tool, and returns the one with which it answers.
    ///
    /// # Panics
    /// Panics if it has ended, or does not answer within [`TIMEOUT`].
    pub fn ask(&mut self, line: &str) -> String {
        writeln!(self.stdin, "{line}").unwrap();
        let answer = self.lines.recv_timeout(TIMEOUT);
        answer.expect("a line while the input is open")
    }

    /// Ends the input of the tool, and waits for its end.
    ///
    /// # Panics
    /// Panics if it fails.
    pub fn end(mut self) {
        drop(self.stdin);
        assert!(self.child.wait().unwrap().success());
    }
}
