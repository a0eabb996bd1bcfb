//! Sandboxed subprocesses for the readers of hostile formats, which can be made to run for ever, to
//! take all memory, or to overflow their stack: no thread can be kept from that.
//!
//! Each runs under the limits of `ulimit`, which bind it though this process be killed, and in a
//! group of its own, which is killed when its time is up.

use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Time for one document; a usual one takes well below a second.
const MOST_TIME: Duration = Duration::from_secs(30);
/// The shell sets the limits: processor time in seconds, and memory, where the system has such a
/// limit, in KiB.
const LIMITED: &str = "ulimit -t 30; ulimit -v 524288 2>/dev/null; exec \"$@\"";
/// The shell's exit code for a program that it does not find.
const NOT_FOUND: i32 = 127;
/// Bytes of complaints that are read.
const MOST_SAID: u64 = 64 << 10;
/// How often it is looked whether a program has ended that has nothing more to say.
const TICK: Duration = Duration::from_millis(2);

/// Why a sandboxed subprocess gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// It is not installed.
    #[error("it is not installed")]
    NotFound,
    /// It could not be started or spoken to.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It takes too long.
    #[error("not done after {} s", MOST_TIME.as_secs())]
    Late,
    /// It answers more than is wanted.
    #[error("more than {0} bytes of text")]
    TooLarge(u64),
    /// It failed, and this is the last thing that it said.
    #[error("{0}")]
    Failed(String),
}

/// Runs a program on `input`; what it answers, up to `most` bytes.
///
/// # Errors
/// When it can't be run, fails, takes too long, or answers more.
pub(crate) fn run(program: &[&OsStr], input: &[u8], most: u64) -> Result<Vec<u8>, SandboxError> {
    run_for(program, input, most, MOST_TIME)
}

fn run_for(
    program: &[&OsStr],
    input: &[u8],
    most: u64,
    time: Duration,
) -> Result<Vec<u8>, SandboxError> {
    let mut command = Command::new("sh");
    command
        .args(["-c", LIMITED, "sh"])
        .args(program)
        .process_group(0);
    // What it leaves lying about is not left in the user's folder; nothing from outside can loosen
    // its own limits.
    command
        .current_dir(std::env::temp_dir())
        .env("GS_OPTIONS", "-dSAFER");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let end = Instant::now() + time;
    let result = converse(&mut child, input, most, end);
    if !matches!(result, Ok((_, _, Some(_)))) {
        kill(&mut child);
    }
    let (answer, said, status) = result?;
    match status {
        None => Err(SandboxError::Late),
        Some(status) if status.code() == Some(NOT_FOUND) => Err(SandboxError::NotFound),
        Some(status) if status.success() => Ok(answer),
        // A signal ended it; what it said then is of no use to anybody.
        Some(status) if status.code().is_none() => {
            Err(SandboxError::Failed("its reader broke down".into()))
        }
        Some(_) => Err(SandboxError::Failed(last_word(&said))),
    }
}

/// What a program answered, what it complained of, and how it ended; `None` where it goes on.
type Told = (Vec<u8>, Vec<u8>, Option<ExitStatus>);

fn converse(
    child: &mut Child,
    input: &[u8],
    most: u64,
    end: Instant,
) -> Result<Told, SandboxError> {
    let answer = listen(child.stdout.take(), most.saturating_add(1));
    let said = listen(child.stderr.take(), MOST_SAID);
    let (to, input) = (child.stdin.take(), input.to_owned());
    // Written aside, as the program may answer before it has read all, and may not want all.
    std::thread::spawn(move || to.map(|mut to| to.write_all(&input)));
    let answer = answer
        .recv_timeout(end.saturating_duration_since(Instant::now()))
        .map_err(|_| SandboxError::Late)?;
    if answer.len() as u64 > most {
        return Err(SandboxError::TooLarge(most));
    }
    let mut status = child.try_wait()?;
    while status.is_none() && Instant::now() < end {
        std::thread::sleep(TICK);
        status = child.try_wait()?;
    }
    // What a program says that failed is waited for as long as the program is, as on a busy machine
    // it comes late. A grandchild may hold the pipe for longer.
    let has_failed = status.is_some_and(|status| !status.success());
    let left = end.saturating_duration_since(Instant::now()).max(TICK);
    let said = if has_failed {
        said.recv_timeout(left).unwrap_or_default()
    } else {
        Vec::new()
    };
    Ok((answer, said, status))
}

/// Reads a pipe to its end, or to so many bytes, aside.
fn listen(pipe: Option<impl Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is what there is.
        let _ = pipe.map(|pipe| pipe.take(most).read_to_end(&mut bytes));
        let _ = done.send(bytes);
    });
    waiting
}

fn kill(child: &mut Child) {
    // It may be gone by now.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// The last line of complaints, without the name of who complains.
fn last_word(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let line = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = line.map(|line| {
        line.split_once(": ")
            .map_or(line, |(_, rest)| rest)
            .replace(char::is_control, " ")
    });
    line.unwrap_or_else(|| "its reader failed".into())
}

#[cfg(test)]
mod tests {
    use super::{SandboxError, run, run_for};
    use std::ffi::OsStr;
    use std::time::{Duration, Instant};

    /// It only keeps a test of broken code from running for ever.
    const PATIENCE: Duration = Duration::from_secs(300);

    fn sh(script: &str, input: &[u8], most: u64) -> Result<String, SandboxError> {
        let program = ["sh", "-c", script].map(OsStr::new);
        run(&program, input, most).map(|answer| String::from_utf8(answer).unwrap())
    }

    #[test]
    fn a_program_answers_or_says_why_not() {
        assert_eq!(
            sh("tr a b", &b"a".repeat(300_000), 1 << 20).unwrap(),
            "b".repeat(300_000)
        );
        assert_eq!(
            sh("echo done", &b"a".repeat(300_000), 99).unwrap(),
            "done\n",
            "it need not read all"
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
            "its reader broke down"
        );
        assert!(matches!(
            run(&[OsStr::new("/none/such")], b"", 9),
            Err(SandboxError::NotFound)
        ));
    }

    #[test]
    fn one_that_takes_too_long_is_killed_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("started");
        let script = format!(
            "sleep 600 & echo $! >{0}.new; mv {0}.new {0}; sleep 600",
            path.display()
        );
        let program = ["sh", "-c", &script].map(OsStr::new);
        let start = Instant::now();
        // On a busy machine it may take longer until it has started something.
        for time in [200, 2000, 20_000].map(Duration::from_millis) {
            assert!(matches!(
                run_for(&program, b"", 9, time),
                Err(SandboxError::Late)
            ));
            if path.exists() {
                break;
            }
        }
        assert!(start.elapsed() < PATIENCE, "it ends before the programs do");
        wait_for_end(std::fs::read_to_string(path).unwrap().trim());
    }

    #[test]
    fn one_that_says_too_much_is_stopped_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("started");
        let script = format!("yes >/dev/null & echo $! >{}; yes", path.display());
        assert!(matches!(
            sh(&script, b"", 1000),
            Err(SandboxError::TooLarge(1000))
        ));
        wait_for_end(std::fs::read_to_string(path).unwrap().trim());
    }

    /// Waits until a process is gone, as far as the system tells.
    fn wait_for_end(id: &str) {
        let start = Instant::now();
        // After the name stands the state. One that is dead may wait for a parent that asks for it.
        let lives = || {
            let told = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            told.rsplit(')')
                .next()
                .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with(['Z', 'X']))
        };
        while lives() {
            assert!(start.elapsed() < PATIENCE, "process {id} lives on");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
