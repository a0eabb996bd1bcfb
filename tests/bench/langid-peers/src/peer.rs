//! The identifiers: crates, which this program runs as a process of its own, so that their memory is
//! measured, and packages from PyPI, which `peers.py` runs.

use anyhow::Context;
use forage_langid::{Identifier, Scratch};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The answers of an identifier to texts.
pub struct PeerRun {
    /// Name and version of the identifier.
    pub title: String,
    /// Codes of its languages.
    pub codes: Vec<String>,
    /// CPU seconds that one pass over the texts takes.
    pub seconds: f64,
    /// Megabytes of memory that it needs.
    pub megabytes: f64,
    /// The code of each text, empty if the text is not identified.
    pub answers: Vec<String>,
}

/// The identifiers that are crates. forage-langid comes first: the others are compared with it.
pub const CRATES: [&str; 3] = ["forage-langid", "whatlang", "whichlang"];

/// The identifiers that `peers.py` runs; `forage` is the Python module of forage-langid.
pub const PACKAGES: [&str; 9] = [
    "forage",
    "cld2",
    "cld3",
    "eldc",
    "fasttext",
    "heliport",
    "langdetect",
    "lingua",
    "py3langid",
];

/// Passes over the texts are repeated for this time, so that a fast identifier is measured too.
const MEASURING_SECONDS: f64 = 1.0;

/// Runs an identifier on texts.
///
/// # Errors
/// Fails if the package is not installed; Python's message is on standard error.
pub fn run<'a>(
    name: &str,
    python: &str,
    texts: impl ExactSizeIterator<Item = &'a str>,
) -> anyhow::Result<PeerRun> {
    let number = texts.len();
    let mut command = if CRATES.contains(&name) {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--identify", name]);
        command
    } else {
        let mut command = Command::new(python);
        command.args([concat!(env!("CARGO_MANIFEST_DIR"), "/peers.py"), name]);
        command
    };
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| name.to_owned())?;
    let mut input = process.stdin.take().context("standard input is piped")?;
    let lines = texts.collect::<Vec<_>>().join("\n") + "\n";
    // An identifier that is not installed ends without reading the texts; its status tells.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    let output = process.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "{name} is left out: it failed");
    parse_output(&String::from_utf8(output.stdout)?, number).with_context(|| name.to_owned())
}

/// Parses what `peers.py` and [`answer_input`] write.
fn parse_output(output: &str, number: usize) -> anyhow::Result<PeerRun> {
    let mut lines = output.lines();
    let mut next = || lines.next().context("the output is incomplete");
    let title = next()?.to_owned();
    let codes = next()?.split(' ').map(str::to_owned).collect();
    let seconds = next()?.parse()?;
    let megabytes = next()?.parse()?;
    let answers: Vec<String> = lines.map(str::to_owned).collect();
    anyhow::ensure!(answers.len() == number, "not one answer per text");
    Ok(PeerRun {
        title,
        codes,
        seconds,
        megabytes,
        answers,
    })
}

/// Identifies the lines of standard input by one of [`CRATES`] and writes what `peers.py` writes.
///
/// # Errors
/// Fails for an unknown name, and if the texts cannot be read.
pub fn answer_input(name: &str) -> anyhow::Result<()> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let texts: Vec<&str> = input.lines().collect();
    let memory_before = peak_memory()?;
    let (codes, (seconds, answers)) = match name {
        "forage-langid" => {
            let identifier = Identifier::builtin();
            let codes = identifier.classes().map(|class| class.code.to_string());
            let mut scratch = Scratch::default();
            let answers = measure(&texts, |text| {
                Some(identifier.identify_with(&mut scratch, text).code)
            })?;
            (codes.collect::<Vec<_>>(), answers)
        }
        "whatlang" => (
            strings(whatlang::Lang::all().iter().map(|lang| lang.code())),
            measure(&texts, |text| {
                whatlang::detect_lang(text).map(|lang| lang.code())
            })?,
        ),
        "whichlang" => (
            strings(
                whichlang::LANGUAGES
                    .iter()
                    .map(|lang| lang.three_letter_code()),
            ),
            measure(&texts, |text| {
                Some(whichlang::detect_language(text).three_letter_code())
            })?,
        ),
        _ => anyhow::bail!("{name}: unknown identifier"),
    };
    println!("{name} {}", crate_version(name));
    println!("{}", codes.join(" "));
    println!("{seconds}\n{}", peak_memory()? - memory_before);
    for answer in answers {
        println!("{answer}");
    }
    Ok(())
}

fn strings<'a>(codes: impl Iterator<Item = &'a str>) -> Vec<String> {
    codes.map(str::to_owned).collect()
}

/// Returns the CPU seconds of a pass over the texts, the mean of many, as the clock has ticks of
/// milliseconds; and the answers.
fn measure<C: ToString>(
    texts: &[&str],
    mut identify: impl FnMut(&str) -> Option<C>,
) -> anyhow::Result<(f64, Vec<String>)> {
    let start = cpu_seconds()?;
    let mut passes = 0.0;
    loop {
        let answers: Vec<Option<C>> = texts.iter().map(|text| identify(text)).collect();
        passes += 1.0;
        let seconds = cpu_seconds()? - start;
        if seconds >= MEASURING_SECONDS {
            let code = |answer: Option<C>| answer.map(|code| code.to_string()).unwrap_or_default();
            return Ok((seconds / passes, answers.into_iter().map(code).collect()));
        }
    }
}

/// Returns the CPU time of this process, which other processes slow less than they do wall time.
fn cpu_seconds() -> anyhow::Result<f64> {
    let schedule = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = schedule.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e9)
}

/// Returns the most memory that this process has used, in megabytes.
fn peak_memory() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.split("VmHWM:").nth(1).context("no VmHWM")?;
    let kilobytes: f64 = peak
        .split_whitespace()
        .next()
        .context("no VmHWM")?
        .parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}

/// Returns the version of a crate that this program is built with.
fn crate_version(name: &str) -> &'static str {
    include_str!("../Cargo.lock")
        .split("[[package]]")
        .find(|package| package.contains(&format!("name = \"{name}\"\n")))
        .and_then(|package| package.split("version = \"").nth(1)?.split('"').next())
        .unwrap_or_default()
}
