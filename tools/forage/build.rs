//! Tells the program which commit and which language model it is built from, and what the tools do.

use std::fs;
use std::path::Path;
use std::process::Command;

const MODEL: &str = "../../lib/langid/model/evidence.bin";

fn main() -> Result<(), std::io::Error> {
    write_descriptions()?;
    let model = blake3::hash(&fs::read(MODEL)?).to_hex();
    let mut build = format!("model {}", &model[..8]);
    // A copy of the sources need not be a checkout.
    if let Some(commit) = git(&["rev-parse", "--short=8", "HEAD"]) {
        build = format!("commit {commit}, {build}");
    }
    println!("cargo:rustc-env=FORAGE_BUILD={build}");
    println!("cargo:rerun-if-changed={MODEL}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    Ok(())
}

/// Writes the descriptions of all tools, without this one, as a table of name and description.
fn write_descriptions() -> Result<(), std::io::Error> {
    let mut table = String::new();
    for tool in fs::read_dir("..")? {
        let manifest = tool?.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap_or_default();
        let value = |key: &str| {
            let mut values = text.lines().filter_map(|line| line.strip_prefix(key));
            values.next().unwrap_or_default().trim_matches('"')
        };
        if value("name = ") != env!("CARGO_PKG_NAME") {
            table += &format!("{}\t{}\n", value("name = "), value("description = "));
        }
        println!("cargo:rerun-if-changed={}", manifest.display());
    }
    let folder = std::env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("descriptions.tsv"), table)
}

/// Returns what git prints, if it succeeds.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().into())
}
