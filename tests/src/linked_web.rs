//! The linked web of demo-web, served on loopback.

use crate::tool_path;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server of the linked web, which ends with this value.
#[derive(Debug)]
pub struct LinkedWeb {
    /// The process of the server.
    pub process: Child,
    /// Its address and port.
    pub address: String,
}

impl LinkedWeb {
    /// Starts the server.
    ///
    /// # Panics
    /// Panics if it does not start.
    #[must_use]
    pub fn start() -> LinkedWeb {
        let mut process = Command::new(tool_path("demo-web"))
            .args(["linked", "serve"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = process.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        LinkedWeb {
            process,
            address: address.trim_end().into(),
        }
    }
}

impl Drop for LinkedWeb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
