//! Waiting for events: no test sleeps for a while and hopes that something has come about by then.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an event is waited for that never fails to come where all is well, on however busy a
/// machine. It only keeps a test of broken code from running for ever.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until `has_come` is true.
///
/// # Panics
/// When it is not for as long as [`PATIENCE`].
#[track_caller]
pub fn wait_for(what: &str, mut has_come: impl FnMut() -> bool) {
    let start = Instant::now();
    while !has_come() {
        assert!(
            start.elapsed() < PATIENCE,
            "waited in vain for this: {what}"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Never returns: for a server that never answers.
pub fn never() -> ! {
    loop {
        std::thread::park();
    }
}

/// What holds the answers of a server back, until the test lets them through. It begins open.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many came to the gate so far.
    came: usize,
    /// How many may still pass; any number where it is open.
    passes: Option<usize>,
}

impl Gate {
    /// Lets so many through from now on, and holds the others.
    pub fn admit(&self, passes: usize) {
        self.lock().passes = Some(passes);
        self.changed.notify_all();
    }

    /// Lets all through.
    pub fn open(&self) {
        self.lock().passes = None;
        self.changed.notify_all();
    }

    /// Waits to be let through.
    pub fn pass(&self) {
        self.pass_behind(0);
    }

    /// Waits to be let through, and, unless the gate is open, until so many others have come after
    /// this one.
    pub fn pass_behind(&self, others: usize) {
        let mut state = self.lock();
        state.came += 1;
        self.changed.notify_all();
        let least = state.came + others;
        let is_held = |state: &mut State| {
            state
                .passes
                .is_some_and(|passes| passes == 0 || state.came < least)
        };
        let waited = self.changed.wait_while(state, is_held);
        if let Some(passes) = &mut waited.unwrap_or_else(PoisonError::into_inner).passes {
            *passes -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a stand-in for a tool first on a command's PATH, which lies in `dir`. It holds calls for
/// ever of which `condition` is true, a line of the shell that may look at the arguments; others go
/// to the tool.
pub fn hold_calls(command: &mut Command, dir: &Path, tool: &str, condition: &str) {
    let script = format!(
        "#!/bin/sh\nif {condition}; then\n  exec sleep 2147483647\nfi\nexec '{}' \"$@\"\n",
        crate::bin(tool).display()
    );
    std::fs::create_dir_all(dir).expect("the folder can be made");
    // By a process of its own: a file that this one had open to write could be in the hands of a
    // process that another test is just about to start, and could not be run.
    let mut install = Command::new("sh");
    install
        .args(["-c", r#"cat >"$0" && chmod 755 "$0""#])
        .arg(dir.join(tool));
    crate::finish(install, script).exits(0);
    let own = command
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then(|| value.map(ToOwned::to_owned))?);
    let path = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let all = std::iter::once(dir.to_path_buf()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(all).expect("a PATH"));
}

/// Lets the programs that this process starts be interrupted, though it may have been started to
/// ignore SIGINT, as a shell starts jobs in the background: a signal that is ignored stays so in a
/// child, one that is handled does not. This process itself still ends by it.
pub fn let_children_be_interrupted() {
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, always)
        .expect("a handler");
}

/// The living processes of a group, where the system tells.
pub fn living(group: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let belongs = |id: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // After the name, which may hold anything: state, parent, group.
        let fields: Vec<&str> = status
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        matches!(fields.as_slice(), [state, _, of, ..] if *of == group.to_string() && !matches!(*state, "Z" | "X"))
    };
    ids.filter(belongs).collect()
}
