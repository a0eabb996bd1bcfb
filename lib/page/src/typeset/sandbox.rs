//! Sandboxed subprocesses for the readers of hostile formats, which can be made to run forever, to
//! exhaust the memory, or to overflow their stack. A thread cannot be protected from that.
//!
//! Each subprocess runs under limits of `ulimit`, which hold even if this process is killed, and in
//! its own process group, which is killed at the time limit.

use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Time limit per document; a usual one takes well under a second. Set by judgement, not measured.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// The shell script that sets the limits: CPU time in seconds, and memory in KiB, on systems that
/// support that limit. Set by judgement, not measured.
const ULIMIT_SCRIPT: &str = "ulimit -t 30; ulimit -v 524288 2>/dev/null; exec \"$@\"";
/// The exit code of the shell if the program is not found.
const EXIT_NOT_FOUND: i32 = 127;
/// Maximum number of bytes of standard error to read.
const MAX_STDERR_BYTES: u64 = 64 << 10;
/// Interval of the checks if a program that has closed its output has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The reason why a sandboxed subprocess has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// The program is not installed.
    #[error("it is not installed")]
    NotFound,
    /// The program cannot be started, or its pipes fail.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The time limit was exceeded.
    #[error("timed out after {} s", TIME_LIMIT.as_secs())]
    TimedOut,
    /// The output exceeds this limit, in bytes.
    #[error("more than {0} bytes of text")]
    TooLarge(u64),
    /// The program failed, with this last line of its standard error.
    #[error("{0}")]
    Failed(String),
}

/// Runs a program on `input`, and returns its output, up to `max_output` bytes.
///
/// # Errors
/// Fails if the program cannot be run, fails, exceeds the time limit, or writes more.
pub(crate) fn run_sandboxed(
    program: &[&OsStr],
    input: &[u8],
    max_output: u64,
) -> Result<Vec<u8>, SandboxError> {
    run_with_time_limit(program, input, max_output, TIME_LIMIT)
}

fn run_with_time_limit(
    program: &[&OsStr],
    input: &[u8],
    max_output: u64,
    time_limit: Duration,
) -> Result<Vec<u8>, SandboxError> {
    let mut command = Command::new("sh");
    command
        .args(["-c", ULIMIT_SCRIPT, "sh"])
        .args(program)
        .process_group(0);
    // Ghostscript's own sandbox permits all in the folder for temporary files: an empty one, which
    // is removed with what it leaves behind. The sandbox cannot be weakened by the environment.
    let folder = tempfile::tempdir()?;
    command.current_dir(&folder).env("GS_OPTIONS", "-dSAFER");
    command.envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, folder.path())));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let deadline = Instant::now() + time_limit;
    let result = communicate(&mut child, input, max_output, deadline);
    if !matches!(
        result,
        Ok(ProcessOutput {
            status: Some(_),
            ..
        })
    ) {
        kill(&mut child);
    }
    let ProcessOutput {
        stdout,
        stderr,
        status,
    } = result?;
    match status {
        None => Err(SandboxError::TimedOut),
        Some(status) if status.code() == Some(EXIT_NOT_FOUND) => Err(SandboxError::NotFound),
        Some(status) if status.success() => Ok(stdout),
        // Ended by a signal; its standard error is of no use to a user.
        Some(status) if status.code().is_none() => {
            Err(SandboxError::Failed("its reader crashed".into()))
        }
        Some(_) => Err(SandboxError::Failed(last_message(&stderr))),
    }
}

/// The output of a subprocess.
struct ProcessOutput {
    stdout: Vec<u8>,
    /// Standard error, if the process failed.
    stderr: Vec<u8>,
    /// `None` if the process has not ended by the deadline.
    status: Option<ExitStatus>,
}

/// Writes the input of a subprocess, and reads its output until the deadline.
fn communicate(
    child: &mut Child,
    input: &[u8],
    max_output: u64,
    deadline: Instant,
) -> Result<ProcessOutput, SandboxError> {
    let stdout = read_in_background(child.stdout.take(), max_output.saturating_add(1))?;
    let stderr = read_in_background(child.stderr.take(), MAX_STDERR_BYTES)?;
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // On its own thread, as the program may write before it has read all input, and need not read
    // all.
    Builder::new().spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)))?;
    let stdout = stdout
        .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        .map_err(|_| SandboxError::TimedOut)?;
    if stdout.len() as u64 > max_output {
        return Err(SandboxError::TooLarge(max_output));
    }
    let mut status = child.try_wait()?;
    while status.is_none() && Instant::now() < deadline {
        std::thread::sleep(POLL_INTERVAL);
        status = child.try_wait()?;
    }
    // The standard error of a failed program is awaited until the deadline, as it may be late on a
    // busy machine. A grandchild may hold the pipe open even longer.
    let has_failed = status.is_some_and(|status| !status.success());
    let remaining = deadline
        .saturating_duration_since(Instant::now())
        .max(POLL_INTERVAL);
    let stderr = if has_failed {
        stderr.recv_timeout(remaining).unwrap_or_default()
    } else {
        Vec::new()
    };
    Ok(ProcessOutput {
        stdout,
        stderr,
        status,
    })
}

/// Reads a pipe on its own thread, to its end or up to `limit` bytes.
///
/// # Errors
/// Fails if the thread cannot be started.
fn read_in_background(
    pipe: Option<impl Read + Send + 'static>,
    limit: u64,
) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // Bytes before an error are returned.
        let _ = pipe.map(|pipe| pipe.take(limit).read_to_end(&mut bytes));
        let _ = sender.send(bytes);
    })?;
    Ok(receiver)
}

fn kill(child: &mut Child) {
    // Fails if the process has already ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// Returns the last line of standard error, without the name of the program.
fn last_message(stderr: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let line = stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = line.map(|line| {
        line.split_once(": ")
            .map_or(line, |(_, rest)| rest)
            .replace(char::is_control, " ")
    });
    line.unwrap_or_else(|| "its reader failed".into())
}

#[cfg(test)]
mod tests {
    use super::{SandboxError, run_sandboxed, run_with_time_limit};
    use std::ffi::OsStr;
    use std::time::{Duration, Instant};

    /// Time limit of a test if the code is broken.
    const TEST_TIME_LIMIT: Duration = Duration::from_secs(300);

    fn sh(script: &str, input: &[u8], max_output: u64) -> Result<String, SandboxError> {
        let program = ["sh", "-c", script].map(OsStr::new);
        run_sandboxed(&program, input, max_output).map(|output| String::from_utf8(output).unwrap())
    }

    #[test]
    fn returns_the_output_or_the_reason_for_the_failure() {
        assert_eq!(
            sh("tr a b", &b"a".repeat(300_000), 1 << 20).unwrap(),
            "b".repeat(300_000)
        );
        assert_eq!(
            sh("echo done", &b"a".repeat(300_000), 99).unwrap(),
            "done\n",
            "the program need not read all input"
        );
        assert_eq!(
            sh("echo x: why >&2; exit 3", b"", 9)
                .unwrap_err()
                .to_string(),
            "why"
        );
        assert_eq!(
            sh("echo x: why >&2; kill -9 $$", b"", 9)
                .unwrap_err()
                .to_string(),
            "its reader crashed"
        );
        assert!(matches!(
            run_sandboxed(&[OsStr::new("/none/such")], b"", 9),
            Err(SandboxError::NotFound)
        ));
    }

    #[test]
    fn kills_a_slow_program_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("started");
        let script = format!(
            "sleep 600 & echo $! >{0}.new; mv {0}.new {0}; sleep 600",
            path.display()
        );
        let program = ["sh", "-c", &script].map(OsStr::new);
        let start = Instant::now();
        // On a busy machine it may take longer until it has started its child.
        for time_limit in [200, 2000, 20_000].map(Duration::from_millis) {
            assert!(matches!(
                run_with_time_limit(&program, b"", 9, time_limit),
                Err(SandboxError::TimedOut)
            ));
            if path.exists() {
                break;
            }
        }
        assert!(
            start.elapsed() < TEST_TIME_LIMIT,
            "returns before the programs end"
        );
        wait_for_end(std::fs::read_to_string(path).unwrap().trim());
    }

    #[test]
    fn kills_a_program_with_too_much_output_and_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("started");
        let script = format!("yes >/dev/null & echo $! >{}; yes", path.display());
        assert!(matches!(
            sh(&script, b"", 1000),
            Err(SandboxError::TooLarge(1000))
        ));
        wait_for_end(std::fs::read_to_string(path).unwrap().trim());
    }

    /// Waits until a process has ended, according to `/proc`.
    fn wait_for_end(id: &str) {
        let start = Instant::now();
        // The state follows the name. A dead process may remain as a zombie (`Z`).
        let is_alive = || {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.rsplit(')')
                .next()
                .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with(['Z', 'X']))
        };
        while is_alive() {
            assert!(
                start.elapsed() < TEST_TIME_LIMIT,
                "process {id} is still running"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
