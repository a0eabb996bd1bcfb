//! Child processes, and the signals that end them.
//!
//! Children stay in the process group of the pipeline, so that Ctrl-C, Ctrl-Z and reading from the
//! terminal work as in any shell. A signal that only this process receives is passed on to all
//! processes below it.

use crate::exit_code::{COULD_NOT_RUN, STOPPED};
use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the thread of the signals and the main thread share.
struct State {
    child: Option<u32>,
    is_interrupted: bool,
    /// Whether an interrupted run writes its results.
    is_finishing: bool,
    /// Whether a second signal has asked to end at once.
    must_exit: bool,
}

static STATE: Mutex<State> = Mutex::new(State {
    child: None,
    is_interrupted: false,
    is_finishing: false,
    must_exit: false,
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The cause has been printed by a tool, or is a signal.
#[derive(Debug, thiserror::Error)]
#[error("a tool has failed")]
pub struct Reported;

/// Handles signals from now on: the first one ends the present child, and the next one the program.
/// Signals that the process was started to ignore stay ignored.
pub fn watch_signals() -> Result<()> {
    let ignored = forage_cli::ignored_signals();
    let watched = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let watched = watched.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(watched)?;
    let handle = move || signals.forever().for_each(handle_signal);
    let thread = std::thread::Builder::new().name("signals".into());
    Ok(thread.spawn(handle).map(drop)?)
}

fn handle_signal(signal: i32) {
    /// The time in which tools end that have received Ctrl-C themselves, and the main thread.
    const GRACE: Duration = Duration::from_secs(1);
    let mut state = state();
    let is_second = std::mem::replace(&mut state.is_interrupted, true);
    state.must_exit |= is_second;
    let child = state.child;
    drop(state);
    if let Some(child) = child {
        // Ctrl-C has probably reached the child as well, which then writes what it has.
        if signal == SIGINT && is_in_foreground() && !is_second {
            std::thread::spawn(move || {
                std::thread::sleep(GRACE);
                if self::state().child == Some(child) {
                    end_tree(child);
                }
            });
        } else {
            end_tree(child);
        }
    }
    if is_second {
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            std::process::exit(match self::state().is_finishing {
                true => STOPPED.into(),
                false => COULD_NOT_RUN.into(),
            });
        });
    }
}

/// Lets an interrupted run write its results.
pub fn finish_after_interruption() {
    state().is_finishing = true;
}

/// Returns whether a signal has asked the run to stop.
pub fn is_interrupted() -> bool {
    state().is_interrupted
}

/// Returns whether a signal has asked the run to stop, after a child has failed. A signal to all
/// processes of a group may reach the child first.
pub fn is_interrupted_after_failure() -> bool {
    const SIGNAL_DELAY: Duration = Duration::from_millis(50);
    if !is_interrupted() {
        std::thread::sleep(SIGNAL_DELAY);
    }
    is_interrupted()
}

/// Returns whether this process is in the foreground of its terminal.
fn is_in_foreground() -> bool {
    let terminal = File::open("/dev/tty");
    terminal.is_ok_and(|terminal| {
        rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == rustix::process::getpgrp())
    })
}

/// Sends SIGTERM to a process and all processes below it.
fn end_tree(root: u32) {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (process, parent) in list_processes() {
        children.entry(parent).or_default().push(process);
    }
    let mut tree = vec![root];
    let mut at = 0;
    while let Some(process) = tree.get(at) {
        let below = children.remove(process).unwrap_or_default();
        tree.extend(below);
        at += 1;
    }
    for process in tree {
        // A process that has just ended cannot be found.
        if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

/// Returns all processes with their parents.
fn list_processes() -> Vec<(u32, u32)> {
    if let Ok(entries) = fs::read_dir("/proc") {
        let entries = entries.flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let processes: Vec<(u32, u32)> = ids.filter_map(|id| Some((id, parent_of(id)?))).collect();
        if !processes.is_empty() {
            return processes;
        }
    }
    let ps = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
    let text = ps.map(|ps| String::from_utf8_lossy(&ps.stdout).into_owned());
    let pair = |line: &str| {
        let mut fields = line.split_whitespace().map(|field| field.parse().ok());
        Some((fields.next()??, fields.next()??))
    };
    text.unwrap_or_default().lines().filter_map(pair).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    let fields = status.rsplit(')').next()?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// Runs a command with `input`, and returns its status and its standard output, if that is a pipe.
///
/// # Errors
/// Fails if the command cannot be run, or a signal has asked the run to stop.
pub fn run(command: &mut Command, input: &[u8]) -> Result<(ExitStatus, Vec<u8>)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let stdin = if input.is_empty() {
        Stdio::null()
    } else {
        // A file, so that a command that does not read its input cannot block.
        let mut file = tempfile::tempfile().context("a temporary file")?;
        file.write_all(input).context("a temporary file")?;
        std::io::Seek::rewind(&mut file)?;
        Stdio::from(file)
    };
    command.stdin(stdin);
    let mut child = {
        let mut state = state();
        if state.is_interrupted && !state.is_finishing || state.must_exit {
            bail!(Reported);
        }
        let child = command.spawn().map_err(|e| match e.kind() {
            ErrorKind::PermissionDenied => anyhow!("{name}: is not executable; use chmod +x"),
            _ => anyhow!("{name}: {e}"),
        })?;
        state.child = Some(child.id());
        child
    };
    let mut output = Vec::new();
    let stdout = child.stdout.take();
    let read = stdout.map(|mut stdout| stdout.read_to_end(&mut output));
    let status = child.wait().with_context(|| name.clone())?;
    state().child = None;
    read.transpose().with_context(|| name)?;
    Ok((status, output))
}

/// Runs a command without input, and returns its status, its standard output and its messages.
///
/// # Errors
/// Fails if the command cannot be run, or a signal has asked the run to stop.
pub fn run_silently(command: &mut Command) -> Result<(ExitStatus, Vec<u8>, String)> {
    let messages = tempfile::NamedTempFile::new().context("a temporary file")?;
    command.stderr(messages.reopen().context("a temporary file")?);
    let (status, output) = run(command, b"")?;
    let printed = fs::read(messages.path()).context("a temporary file")?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    Ok((status, output, printed))
}
