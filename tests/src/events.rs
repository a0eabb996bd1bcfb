//! Waiting for events. No test sleeps for a fixed time and hopes that an event has happened.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest wait for an event. A correct program produces the event much earlier even on a busy
/// machine; this only prevents a test of a broken one from running forever.
pub const TIMEOUT: Duration = Duration::from_secs(600);

/// Waits until `condition` returns `true`; `event` describes it.
///
/// # Panics
/// Panics after [`TIMEOUT`].
#[track_caller]
pub fn wait_for(event: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < TIMEOUT,
            "timeout while waiting for this event: {event}"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Blocks forever, for a server that never responds.
pub fn block_forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Holds the responses of a server back until the test admits them. A new gate is open.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Arrivals at the gate so far.
    arrived: usize,
    /// Arrivals that may still pass; `None` if the gate is open.
    passes: Option<usize>,
}

impl Gate {
    /// Admits `passes` from now on, and holds the others.
    pub fn admit(&self, passes: usize) {
        self.lock().passes = Some(passes);
        self.changed.notify_all();
    }

    /// Admits all.
    pub fn open(&self) {
        self.lock().passes = None;
        self.changed.notify_all();
    }

    /// Waits until the caller is admitted.
    pub fn wait(&self) {
        self.wait_behind(0);
    }

    /// Waits until the caller is admitted and, unless the gate is open, until `others` have arrived
    /// after it.
    pub fn wait_behind(&self, others: usize) {
        let mut state = self.lock();
        state.arrived += 1;
        self.changed.notify_all();
        let required = state.arrived + others;
        let is_held = |state: &mut GateState| {
            state
                .passes
                .is_some_and(|passes| passes == 0 || state.arrived < required)
        };
        let waited = self.changed.wait_while(state, is_held);
        if let Some(passes) = &mut waited.unwrap_or_else(PoisonError::into_inner).passes {
            *passes -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes calls of a tool by `command` block forever if `condition` is true, a shell command that
/// can examine the arguments. Writes a wrapper to `dir` and puts it first in the PATH of the
/// command; other calls run the tool.
pub fn block_calls(command: &mut Command, dir: &Path, tool: &str, condition: &str) {
    let script = format!(
        "#!/bin/sh\nif {condition}; then\n  exec sleep 2147483647\nfi\nexec '{}' \"$@\"\n",
        crate::tool_path(tool).display()
    );
    std::fs::create_dir_all(dir).expect("the folder is created");
    // Another process writes the file. If this one had it open for writing, a process that another
    // test starts at the same moment could inherit the descriptor, and the file could not be run.
    let mut install = Command::new("sh");
    install
        .args(["-c", r#"cat >"$0" && chmod 755 "$0""#])
        .arg(dir.join(tool));
    crate::run_command(install, script).expect_exit(0);
    let command_path = command
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then(|| value.map(ToOwned::to_owned))?);
    let path = command_path
        .or_else(|| std::env::var_os("PATH"))
        .unwrap_or_default();
    let folders = std::iter::once(dir.to_path_buf()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).expect("a PATH"));
}

/// Makes child processes receive SIGINT, even if this process was started to ignore it, as shells
/// start background jobs.
///
/// A child inherits an ignored signal, but not a handled one. SIGINT still ends this process.
pub fn restore_sigint_for_children() {
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, always)
        .expect("a handler");
}

/// Returns the running processes of a process group; none if the system has no `/proc`.
pub fn running_processes(group: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_running = |id: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The fields after the name, which may contain anything: state, parent, group.
        let fields: Vec<&str> = status
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let [state, _, process_group, ..] = fields.as_slice() else {
            return false;
        };
        *process_group == group.to_string() && !matches!(*state, "Z" | "X")
    };
    ids.filter(is_running).collect()
}
