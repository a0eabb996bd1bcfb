//! forage-fuzz: run mutated inputs on the parsers of untrusted input.

use anyhow::Context;
use clap::Parser;
use forage_fuzz::campaign::Campaign;
use forage_fuzz::corpus::save_failure;
use forage_fuzz::panics;
use forage_fuzz::targets::{TARGETS, Target};
use forage_fuzz::watchdog::Watchdog;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

/// Run mutated inputs on the parsers of untrusted input
///
/// Prints a line per target. A failing input is made shorter and saved. Once its cause is fixed, it
/// belongs in tests/fuzz/regressions/TARGET, which the tests run. Exit code 1 if an input failed.
#[derive(Debug, Parser)]
struct Args {
    /// Targets [default: all]
    targets: Vec<String>,

    /// Time for each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,

    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Time from which an input may be slow
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    slow: f64,

    /// Folder for inputs that fail, in a folder per target
    #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
    out: PathBuf,

    /// Run only these inputs, on one target
    #[arg(long, value_name = "FILE", num_args = 1..)]
    replay: Vec<PathBuf>,

    /// Run the target in this process
    #[arg(long, hide = true)]
    in_process: bool,

    /// List the targets
    #[arg(long)]
    list: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let targets = select_targets(&args.targets)?;
    if args.list {
        for target in targets {
            println!("{:15} {}", target.name, target.summary);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let has_failed = match targets[..] {
        [target] if !args.replay.is_empty() => on_thread_of(target, || replay(target, &args))?,
        [target] if args.in_process => on_thread_of(target, || fuzz(target, &args))?,
        _ if !args.replay.is_empty() => anyhow::bail!("--replay takes one target"),
        _ => fuzz_in_processes(&targets, &args)?,
    };
    Ok(ExitCode::from(u8::from(has_failed)))
}

fn select_targets(names: &[String]) -> anyhow::Result<Vec<&'static Target>> {
    if names.is_empty() {
        return Ok(TARGETS.iter().collect());
    }
    names
        .iter()
        .map(|name| {
            let target = TARGETS.iter().find(|target| target.name == name);
            target.with_context(|| format!("{name}: no such target; see --list"))
        })
        .collect()
}

/// Runs work on a thread with the stack that the target has in a tool.
fn on_thread_of<T: Send>(target: &Target, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(target.stack_bytes);
        let running = builder.spawn_scoped(scope, work).expect("a thread starts");
        running.join().expect("the campaign does not panic")
    })
}

/// Runs each target in a process of its own, which a stack overflow ends. Returns `true` if one
/// fails.
fn fuzz_in_processes(targets: &[&Target], args: &Args) -> anyhow::Result<bool> {
    let mut has_failed = false;
    for target in targets {
        let status = Command::new(std::env::current_exe()?)
            .args([target.name, "--in-process"])
            .args(["--seconds", &args.seconds.to_string()])
            .args(["--seed", &args.seed.to_string()])
            .args(["--slow", &args.slow.to_string()])
            .arg("--out")
            .arg(&args.out)
            .status()?;
        if status.code().is_none() {
            let input = std::fs::read(input_file(target, &args.out))?;
            let path = save_failure(&args.out.join(target.name), "crash", &input)?;
            println!("{}: crash: {status}: {}", target.name, path.display());
        }
        has_failed |= !status.success();
    }
    Ok(has_failed)
}

/// Returns the file that has the input that is being run.
fn input_file(target: &Target, out: &Path) -> PathBuf {
    out.join(format!("{}.input", target.name))
}

/// Runs the corpus of a target, and then random inputs until the time is over. Returns `true` if
/// one fails.
fn fuzz(target: &'static Target, args: &Args) -> anyhow::Result<bool> {
    let folder = args.out.join(target.name);
    let path = input_file(target, &args.out);
    let (kept, kept_in) = (path.clone(), folder.clone());
    let watchdog = Watchdog::start(&path, move |bound| {
        let saved = std::fs::read(&kept).and_then(|input| save_failure(&kept_in, bound, &input));
        println!("{}: {bound}: {saved:?}", target.name);
        std::process::exit(1);
    })?;
    let slow_limit = Duration::from_secs_f64(args.slow);
    let mut campaign = Campaign::new(target, args.seed)?.with_limits(watchdog, slow_limit);
    let start = Instant::now();
    let time = Duration::from_secs(args.seconds);
    while start.elapsed() < time || !campaign.has_run_corpus() {
        if let Some((failure, input)) = campaign.run_next() {
            let path = save_failure(&folder, failure.kind(), &input)?;
            println!("{}: {}: {failure}", target.name, path.display());
        }
    }
    report(target, &campaign, start.elapsed());
    Ok(!campaign.failures.is_empty())
}

fn report(target: &Target, campaign: &Campaign, time: Duration) {
    let times = &campaign.times;
    let slow = campaign.failures.iter().filter(|f| f.kind() == "slow");
    let slow = slow.count();
    let panics = campaign.failures.len() - slow;
    let (longest, bytes) = times.slowest;
    println!(
        "{:15} {:>8} inputs {:>7.0}/s {:>5} shapes {panics} panics {slow} slow; \
         median under {} us, slowest {:.0} ms ({bytes} bytes)",
        target.name,
        times.count(),
        times.count() as f64 / time.as_secs_f64(),
        campaign.shapes(),
        times.median().as_micros(),
        longest.as_secs_f64() * 1000.0,
    );
}

/// Runs the inputs of `--replay`. Returns `true` if one fails.
fn replay(target: &Target, args: &Args) -> anyhow::Result<bool> {
    let mut has_failed = false;
    for path in &args.replay {
        let input = std::fs::read(path).with_context(|| path.display().to_string())?;
        let start = Instant::now();
        let result = panics::catch(|| (target.run)(&input));
        let time = start.elapsed().as_secs_f64();
        match result {
            Ok(shape) => println!("{}: {time:.3} s, shape {shape:016x}", path.display()),
            Err(panic) => {
                has_failed |= !target.is_expected(&panic);
                let (location, message) = (panic.location, panic.message);
                println!("{}: {time:.3} s, {location}: {message}", path.display());
            }
        }
    }
    Ok(has_failed)
}
