//! `pipelines/cluster` on the engines of this machine: GNU parallel, and Slurm and Spark with the
//! daemons of `tests/engines`, where they are installed.

use forage_tests::closed_web::pipeline_command;
use forage_tests::{ToolOutput, is_installed, project_root, run_command, temp_folder};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Shards in a folder, and the outputs of a command over them.
struct Corpus {
    dir: tempfile::TempDir,
}

impl Corpus {
    /// Writes shards whose names need quoting, plain and compressed; one is empty, one does not end
    /// with a line feed.
    fn new() -> Corpus {
        let corpus = Corpus { dir: temp_folder() };
        fs::create_dir(corpus.dir.path().join("in")).unwrap();
        corpus.write("plain 'a\" $x.jsonl", b"{\"n\":1}\n{\"n\":2}\n");
        corpus.write("line\nfeed.jsonl", b"{\"n\":3}\n{\"n\":4}");
        corpus.write("empty.jsonl", b"");
        corpus.write("one.jsonl.gz", &compressed("gzip", b"{\"n\":5}\n"));
        let frames = ["{\"n\":6}\n", "{\"n\":7}\n"];
        let frames = frames.map(|frame| compressed("zstd", frame.as_bytes()));
        corpus.write("two frames.jsonl.zst", &frames.concat());
        corpus
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.dir.path().join("in").join(name), content).unwrap();
    }

    fn out(&self) -> PathBuf {
        self.dir.path().join("out put")
    }

    fn command(&self, engine: &str, more: &[&str], command: &str) -> Command {
        let (shards, out) = (self.dir.path().join("in/*"), self.out());
        let fixed = ["--on", engine, "--in", shards.to_str().unwrap(), "--out"];
        let args = [&fixed[..], &[out.to_str().unwrap()], more, &["--", command]].concat();
        let mut cluster = pipeline_command("cluster", &args);
        cluster.current_dir(self.dir.path());
        cluster
    }

    fn run(&self, engine: &str, command: &str) -> ToolOutput {
        run_command(self.command(engine, &[], command), "")
    }

    /// The names and contents of all that is in the folder of the outputs.
    fn outputs(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.out()).into_iter().flatten().flatten();
        entries
            .map(|entry| {
                let content = fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), content)
            })
            .collect()
    }

    fn all_records(&self) -> String {
        let mut lines: Vec<String> = self.outputs().into_values().collect();
        lines.sort();
        lines.concat()
    }

    fn has_partial_files(&self) -> bool {
        let log = fs::read_dir(self.dir.path().join("out put.log")).unwrap();
        log.flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("partial"))
    }

    fn clear(&self) {
        let _ = fs::remove_dir_all(self.out());
        let _ = fs::remove_dir_all(self.dir.path().join("out put.log"));
    }
}

fn compressed(program: &str, content: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    child.wait_with_output().unwrap().stdout
}

const ALL_RECORDS: &str =
    "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n{\"n\":6}\n{\"n\":7}\n";

/// What any engine does: all outputs, only missing ones again, and failures by name.
fn check_engine(engine: &str) {
    let corpus = Corpus::new();
    // A relative file, quotes and a line feed in the command.
    fs::write(corpus.dir.path().join("keep all"), ". as $r |\n$r").unwrap();
    let command = "jq -c --from-file 'keep all' |\ncat";
    let first = corpus.run(engine, command).expect_exit(0);
    assert!(first.stderr.contains("5 of 5 shards"), "{}", first.stderr);
    assert!(
        first.stderr.contains("records in, 7 out"),
        "{}",
        first.stderr
    );
    let names: Vec<String> = corpus.outputs().into_keys().collect();
    let plain = "plain 'a\" $x.jsonl";
    let expected = [
        "empty.jsonl",
        "line\nfeed.jsonl",
        "one.jsonl",
        plain,
        "two frames.jsonl",
    ];
    assert_eq!(names, expected, "{engine}");
    assert_eq!(corpus.all_records(), ALL_RECORDS, "{engine}");

    let modified = |name: &str| {
        fs::metadata(corpus.out().join(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before: Vec<SystemTime> = expected.map(modified).into();
    fs::remove_file(corpus.out().join("one.jsonl")).unwrap();
    corpus.run(engine, command).expect_exit(0);
    assert_eq!(corpus.all_records(), ALL_RECORDS, "{engine}");
    for (name, before) in expected.iter().zip(before) {
        assert_eq!(
            modified(name) == before,
            *name != "one.jsonl",
            "{engine}: {name}"
        );
    }

    corpus.clear();
    let poison = "jq -c 'if .n == 1 then error(\"poison\") else . end'";
    let failed = corpus.run(engine, poison).expect_exit(1);
    assert!(
        failed.stderr.contains("x.jsonl: failed"),
        "{}",
        failed.stderr
    );
    assert!(
        failed.stderr.contains("(at <stdin>:1): poison"),
        "{}",
        failed.stderr
    );
    assert!(failed.stderr.contains("4 of 5 shards"), "{}", failed.stderr);
    assert_eq!(corpus.outputs().len(), 4, "{engine}");
    corpus.run(engine, "jq -c .").expect_exit(0);
    assert_eq!(corpus.all_records(), ALL_RECORDS, "{engine}");

    corpus.clear();
    let mut partitions = corpus.command(
        engine,
        &["--partitions", "2", "--quiet"],
        "no-such-tool -x | cat",
    );
    partitions.env("LC_ALL", "C");
    let failed = run_command(partitions, "").expect_exit(1);
    assert!(
        failed.stderr.contains("no-such-tool: no such program on"),
        "{}",
        failed.stderr
    );
    assert!(corpus.outputs().is_empty(), "{engine}");
    assert!(!corpus.has_partial_files(), "{engine}");
}

#[test]
fn gnu_parallel_does_each_shard_once() {
    if is_installed("parallel") {
        check_engine("parallel");
    }
}

/// The daemons of `tests/engines`; those that this test has started are ended with it.
struct Daemons {
    are_own: bool,
}

impl Daemons {
    fn call(action: &str) -> bool {
        let mut command = Command::new(project_root().join("tests/engines"));
        command
            .arg(action)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Daemons {
    fn drop(&mut self) {
        if self.are_own {
            Daemons::call("down");
        }
    }
}

#[test]
fn slurm_and_spark_do_each_shard_once() {
    if !["munged", "slurmctld", "slurmd", "sbatch"]
        .map(is_installed)
        .into_iter()
        .all(|is| is)
    {
        return;
    }
    let daemons = Daemons {
        are_own: !Path::new("/run/forage-engines").exists(),
    };
    if !Daemons::call("up") {
        eprintln!("NOT TESTED: tests/engines up has failed; it needs root");
        return;
    }
    check_engine("slurm");
    check_held_tasks();
    if project_root().join("target/python/spark/pyspark").is_dir() && is_installed("java") {
        check_engine("spark");
    } else {
        eprintln!("NOT TESTED: Spark is not installed");
    }
    drop(daemons);
}

/// A task that Slurm holds never runs: it counts as failed, and the others are done. The node has
/// four processors, so one of five tasks is pending.
fn check_held_tasks() {
    let corpus = Corpus::new();
    let cluster = start(corpus.command("slurm", &[], "cat; until [ -e go ]; do sleep 0.1; done"));
    let held = "squeue --me --noheader --states=PENDING --array --format=%i | head -1";
    let held = format!("id=$({held}) && [ -n \"$id\" ] && scontrol hold \"$id\"");
    let hold = || {
        Command::new("bash")
            .args(["-c", &held])
            .status()
            .unwrap()
            .success()
    };
    wait_until("a task is held", hold);
    fs::write(corpus.dir.path().join("go"), "").unwrap();
    let ended = cluster.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("4 of 5 shards"), "{said}");
}

fn start(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for a condition; the limit is only there to end a test that has failed.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !condition() {
        assert!(Instant::now() < limit, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_alive(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state
        .rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// Starts a command of which each shard waits for the file `go`, and returns the processes of its
/// tasks.
fn start_blocked(corpus: &Corpus) -> (Child, Vec<String>) {
    let blocked = "cat; echo $$ >>pids; until [ -e go ]; do sleep 0.1; done";
    let child = start(corpus.command("parallel", &["--partitions", "2"], blocked));
    let pids = corpus.dir.path().join("pids");
    let read = || fs::read_to_string(&pids).unwrap_or_default();
    wait_until("a task has begun", || read().ends_with('\n'));
    let tasks = read().lines().map(str::to_owned).collect();
    (child, tasks)
}

#[test]
fn a_killed_caller_leaves_nothing_half_written() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    let (mut caller, _) = start_blocked(&corpus);
    caller.kill().unwrap();
    caller.wait().unwrap();
    assert!(corpus.outputs().is_empty());
    fs::write(corpus.dir.path().join("go"), "").unwrap();
    corpus.run("parallel", "cat").expect_exit(0);
    let complete = || corpus.outputs().len() == 5;
    assert!(complete());
    assert!(corpus.outputs()["two frames.jsonl"].ends_with("7}\n"));
}

#[test]
fn a_signal_ends_the_tasks() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    let (mut caller, tasks) = start_blocked(&corpus);
    let terminated = Command::new("kill").arg(caller.id().to_string()).status();
    assert!(terminated.unwrap().success());
    assert_eq!(caller.wait().unwrap().code(), Some(2));
    wait_until("the tasks have ended", || {
        !tasks.iter().any(|task| is_alive(task))
    });
    assert!(corpus.outputs().is_empty());
    assert!(!corpus.has_partial_files());
}

#[test]
fn a_killed_task_fails_alone() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    let kill = "cat; [ ! -e kill ] || { rm kill; kill -9 $PPID; }";
    fs::write(corpus.dir.path().join("kill"), "").unwrap();
    let mut command = corpus.command("parallel", &[], kill);
    command.env("PARALLEL", "--jobs 1");
    let failed = run_command(command, "").expect_exit(1);
    assert!(failed.stderr.contains("4 of 5 shards"), "{}", failed.stderr);
    corpus.run("parallel", kill).expect_exit(0);
}

#[test]
fn a_command_that_does_not_do_all_of_its_work_fails() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    corpus.write("long.jsonl", "{\"n\":0}\n".repeat(100_000).as_bytes());
    for (command, cause) in [
        ("false | cat", "exit status 1"),
        ("head -n 1", "has not read all of the shard"),
        ("true", "has not read all of the shard"),
        ("cat; kill -9 $$", "exit status 137"),
        ("cat |", "syntax error"),
        ("langid --no-such-flag", "--no-such-flag"),
    ] {
        corpus.clear();
        let failed = corpus.run("parallel", command).expect_exit(1);
        assert!(
            failed.stderr.contains("long.jsonl: failed"),
            "{}",
            failed.stderr
        );
        assert!(
            failed.stderr.contains(cause),
            "{command}: {}",
            failed.stderr
        );
        assert!(!corpus.outputs().contains_key("long.jsonl"), "{command}");
    }
}

#[test]
fn a_damaged_shard_fails() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    let whole = compressed("gzip", "{\"n\":0}\n".repeat(1000).as_bytes());
    corpus.write("torn.jsonl.gz", &whole[..whole.len() / 2]);
    let frame = compressed("zstd", "{\"n\":0}\n".repeat(1000).as_bytes());
    corpus.write("torn.ndjson.zst", &frame[..frame.len() / 2]);
    let failed = corpus.run("parallel", "cat").expect_exit(1);
    assert!(failed.stderr.contains("5 of 7 shards"), "{}", failed.stderr);
    assert_eq!(corpus.outputs().len(), 5);
}

#[test]
fn a_warc_file_is_given_as_it_is() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus { dir: temp_folder() };
    fs::create_dir(corpus.dir.path().join("in")).unwrap();
    corpus.write("a.warc.gz", &compressed("gzip", b"WARC/1.0\r\n"));
    let command = "head -c 2 | od -A n -t x1; cat >/dev/null";
    corpus.run("parallel", command).expect_exit(0);
    assert_eq!(corpus.outputs()["a.jsonl"], " 1f 8b\n");
    let counts = fs::read_to_string(corpus.dir.path().join("out put.log/counts.tsv")).unwrap();
    assert_eq!(counts, "a.jsonl\t-\t1\n");
}

#[test]
fn another_engine_is_a_program_with_numbered_tasks() {
    let corpus = Corpus::new();
    let engine = corpus.dir.path().join("engine");
    let script = "#!/bin/bash\nfor ((i = 0; i < ${!#}; i++)); do \"$@\" \"$i\"; done\n";
    fs::write(&engine, script).unwrap();
    let executable = Command::new("chmod").arg("+x").arg(&engine).status();
    assert!(executable.unwrap().success());
    run_command(
        corpus.command("./engine", &["--partitions", "3"], "cat"),
        "",
    )
    .expect_exit(0);
    assert_eq!(corpus.outputs().len(), 5);
    // Nothing would be done; or a part, as after a correction of the command for a shard that
    // failed.
    let changed = run_command(corpus.command("./engine", &[], "jq ."), "").expect_exit(2);
    assert!(changed.stderr.contains("all outputs are there, of another"));
    let (name, _) = corpus.outputs().pop_first().unwrap();
    fs::remove_file(corpus.out().join(name)).unwrap();
    let changed = run_command(corpus.command("./engine", &[], "jq ."), "").expect_exit(0);
    assert!(
        changed.stderr.contains("outputs of another command"),
        "{}",
        changed.stderr
    );

    // An engine that runs no task.
    corpus.clear();
    fs::write(&engine, "#!/bin/sh\necho no nodes >&2; exit 1\n").unwrap();
    let failed = run_command(corpus.command("./engine", &[], "cat"), "").expect_exit(2);
    assert!(
        failed.stderr.contains("no task has begun"),
        "{}",
        failed.stderr
    );
    assert!(failed.stderr.contains("no nodes"), "{}", failed.stderr);
}

fn write_engine(corpus: &Corpus, script: &str) {
    let engine = corpus.dir.path().join("engine");
    fs::write(&engine, format!("#!/bin/bash\n{script}\n")).unwrap();
    let executable = Command::new("chmod").arg("+x").arg(&engine).status();
    assert!(executable.unwrap().success());
}

/// As task-spooler and `sbatch` without `--wait` do.
#[test]
fn tasks_of_a_program_that_returns_before_them_are_awaited() {
    let corpus = Corpus::new();
    for code in [0, 7] {
        corpus.clear();
        let begin = "for ((i = 0; i < ${!#}; i++)); do setsid \"$@\" \"$i\" & done; sleep 0.2";
        write_engine(&corpus, &format!("{begin}; exit {code}"));
        let output = corpus.run("./engine", "sleep 2; cat").expect_exit(0);
        assert_eq!(corpus.all_records(), ALL_RECORDS);
        let said = "has returned before 5 of its 5 tasks have ended";
        assert!(output.stderr.contains(said), "{}", output.stderr);
    }
    // One that runs nothing, and does not say so, is not waited for.
    corpus.clear();
    write_engine(&corpus, "exit 0");
    let output = corpus.run("./engine", "cat").expect_exit(2);
    let said = "has not done 5 of 5 tasks; it must return when all have ended";
    assert!(output.stderr.contains(said), "{}", output.stderr);
}

#[test]
fn a_program_that_ignores_signals_is_killed_with_its_children() {
    let corpus = Corpus::new();
    write_engine(
        &corpus,
        "trap '' TERM INT; echo $$ >pids; while true; do sleep 1; done",
    );
    let caller = start(corpus.command("./engine", &[], "cat"));
    let pids = || fs::read_to_string(corpus.dir.path().join("pids")).unwrap_or_default();
    wait_until("the program has begun", || pids().ends_with('\n'));
    let terminated = Command::new("kill").arg(caller.id().to_string()).status();
    assert!(terminated.unwrap().success());
    let output = caller.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!is_alive(pids().trim()));
    let said = String::from_utf8(output.stderr).unwrap();
    // What bash says of processes that are killed.
    assert!(
        !said.contains("Killed") && !said.contains(": line "),
        "{said}"
    );
}

/// GNU parallel 20221122 would keep what tasks say until they end.
#[test]
fn options_of_parallel_that_hold_back_output_are_ignored() {
    if !is_installed("parallel") {
        return;
    }
    let corpus = Corpus::new();
    let mut command = corpus.command("parallel", &[], "cat");
    command.env("PARALLEL", "--line-buffer --group --jobs 2 --lb");
    run_command(command, "").expect_exit(0);
    assert_eq!(corpus.all_records(), ALL_RECORDS);
}

#[test]
fn what_cannot_run_is_refused() {
    let corpus = Corpus::new();
    let refuse = |args: &[&str], cause: &str| {
        let mut command = pipeline_command("cluster", args);
        command.current_dir(corpus.dir.path());
        let refused = run_command(command, "").expect_exit(2);
        assert!(
            refused.stderr.contains(cause),
            "{args:?}: {}",
            refused.stderr
        );
    };
    let start = ["--on", "/bin/true", "--in"];
    let with = |rest: &[&'static str]| [&start, rest].concat();
    refuse(
        &with(&["none/*", "--out", "o", "--", "cat"]),
        "no such file",
    );
    refuse(&with(&["in", "--out", "o", "--", "cat"]), "no such file");
    refuse(
        &with(&["in/*", "--out", "in", "--", "cat"]),
        "is in the folder of the outputs",
    );
    refuse(&with(&["in/*", "--out", "o"]), "COMMAND");
    refuse(
        &with(&["in/*", "--out", "o", "--", "jq", "."]),
        "COMMAND is one argument: quote it",
    );
    fs::create_dir(corpus.dir.path().join("o.log")).unwrap();
    let lock = fs::File::create(corpus.dir.path().join("o.log/lock")).unwrap();
    lock.lock().unwrap();
    refuse(
        &with(&["in/*", "--out", "o", "--", "cat"]),
        "another cluster is writing it",
    );
    drop(lock);
    refuse(&with(&["in/*", "--", "cat"]), "--out is required");
    refuse(
        &with(&["in/*", "--out", "o", "--partitions", "0", "--", "cat"]),
        "at least 1",
    );
    refuse(
        &["--on", "k8s", "--in", "in/*", "--out", "o", "--", "cat"],
        "expected slurm",
    );
    refuse(
        &["--on", "./none", "--in", "in/*", "--out", "o", "--", "cat"],
        "is missing",
    );
    corpus.write("one.jsonl", b"");
    refuse(
        &with(&["in/*", "--out", "o", "--", "cat"]),
        "have the same output one.jsonl",
    );
    assert!(!corpus.dir.path().join("o").exists());
}
