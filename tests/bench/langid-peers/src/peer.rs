//! The identifiers: forage-langid, crates, and packages from PyPI, which `peers.py` runs.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Scratch};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The answers of an identifier to texts.
pub struct PeerRun {
    /// Name and version of the identifier.
    pub title: String,
    /// Codes of its languages.
    pub codes: Vec<String>,
    /// Seconds that one pass over the texts takes.
    pub seconds: f64,
    /// Megabytes of memory that it needs; `None` if it runs in this process.
    pub megabytes: Option<f64>,
    /// The code of each text, empty if the text is not identified.
    pub answers: Vec<String>,
}

/// The functions that run the identifiers other than forage-langid that are crates.
pub const CRATES: [fn(&[&str]) -> PeerRun; 2] = [run_whatlang, run_whichlang];

/// The identifiers that `peers.py` runs.
pub const PYTHON_PEERS: [&str; 8] = [
    "cld2",
    "cld3",
    "eldc",
    "fasttext",
    "heliport",
    "langdetect",
    "lingua",
    "py3langid",
];

/// Those that are compared in Python: its module of forage-langid, and the most used ones.
pub const IN_PYTHON: [&str; 5] = ["forage", "cld2", "cld3", "fasttext", "lingua"];

/// Passes over the texts are repeated for this time, so that a fast identifier is measured too.
const MEASURING_TIME: Duration = Duration::from_secs(1);

/// Runs forage-langid.
pub fn run_forage(texts: &[&str]) -> PeerRun {
    let identifier = Identifier::builtin();
    let codes: BTreeSet<String> = identifier
        .classes()
        .map(|class| class.code.to_string())
        .collect();
    let mut scratch = Scratch::default();
    let (seconds, answers) = measure(texts, |text| {
        Some(
            identifier
                .identify_with(&mut scratch, text)
                .code
                .to_string(),
        )
    });
    PeerRun {
        title: "forage-langid".to_owned(),
        codes: codes.into_iter().collect(),
        seconds,
        megabytes: None,
        answers,
    }
}

/// Returns forage-langid with those of these languages as candidates that it knows.
///
/// # Errors
/// Fails if a language is unknown, which it is not.
pub fn restricted_forage(codes: &BTreeSet<LanguageCode>) -> anyhow::Result<Identifier> {
    let mut identifier = Identifier::builtin();
    let known: BTreeSet<LanguageCode> = identifier.classes().map(|class| class.code).collect();
    let candidates: Vec<LanguageCode> = codes.intersection(&known).copied().collect();
    identifier.restrict_to(&candidates)?;
    Ok(identifier)
}

fn run_whatlang(texts: &[&str]) -> PeerRun {
    let codes = whatlang::Lang::all().iter().map(|lang| lang.code());
    run_crate("whatlang", codes, texts, |text| {
        whatlang::detect_lang(text).map(|lang| lang.code())
    })
}

fn run_whichlang(texts: &[&str]) -> PeerRun {
    let codes = whichlang::LANGUAGES
        .iter()
        .map(|lang| lang.three_letter_code());
    run_crate("whichlang", codes, texts, |text| {
        Some(whichlang::detect_language(text).three_letter_code())
    })
}

fn run_crate<'a>(
    name: &str,
    codes: impl Iterator<Item = &'a str>,
    texts: &[&str],
    identify: impl Fn(&str) -> Option<&'static str>,
) -> PeerRun {
    let (seconds, answers) = measure(texts, |text| identify(text).map(str::to_owned));
    PeerRun {
        title: format!("{name} {}", crate_version(name)),
        codes: codes.map(str::to_owned).collect(),
        seconds,
        megabytes: None,
        answers,
    }
}

/// Runs one of [`PYTHON_PEERS`] with this Python.
///
/// # Errors
/// Fails if the package is not installed; Python's message is on standard error.
pub fn run_python(name: &str, python: &str, texts: &[&str]) -> anyhow::Result<PeerRun> {
    let mut process = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers.py"))
        .arg(name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| python.to_owned())?;
    let mut input = process.stdin.take().context("standard input is piped")?;
    // An identifier that is not installed ends without reading the texts; its status tells.
    let _ = input.write_all((texts.join("\n") + "\n").as_bytes());
    drop(input);
    let output = process.wait_with_output()?;
    anyhow::ensure!(
        output.status.success(),
        "{name} is left out: peers.py failed"
    );
    let output = String::from_utf8(output.stdout)?;
    let mut lines = output.lines();
    let mut next = || lines.next().context("peers.py: the output is incomplete");
    let title = next()?.to_owned();
    let codes = next()?.split(' ').map(str::to_owned).collect();
    let seconds = next()?.parse()?;
    let megabytes = Some(next()?.parse()?);
    let answers: Vec<String> = lines.map(str::to_owned).collect();
    anyhow::ensure!(
        answers.len() == texts.len(),
        "{name}: not one answer per text"
    );
    Ok(PeerRun {
        title,
        codes,
        seconds,
        megabytes,
        answers,
    })
}

/// Returns the seconds of the fastest pass over the texts, and the answers.
fn measure(texts: &[&str], mut identify: impl FnMut(&str) -> Option<String>) -> (f64, Vec<String>) {
    let start = Instant::now();
    let mut fastest = f64::INFINITY;
    loop {
        let pass = Instant::now();
        let answers = texts
            .iter()
            .map(|text| identify(text).unwrap_or_default())
            .collect();
        fastest = fastest.min(pass.elapsed().as_secs_f64());
        if start.elapsed() >= MEASURING_TIME {
            return (fastest, answers);
        }
    }
}

/// Returns the version of a crate that this program is built with.
fn crate_version(name: &str) -> &'static str {
    include_str!("../Cargo.lock")
        .split("[[package]]")
        .find(|package| package.contains(&format!("name = \"{name}\"\n")))
        .and_then(|package| package.split("version = \"").nth(1)?.split('"').next())
        .unwrap_or_default()
}
