//! Measures what a run over HTTP takes beside the time that it waits for answers: `loop-overhead [DOCUMENTS]`.
//!
//! Of the pause between two requests to a host a server can't tell how much was waited, and how much went by with other
//! work. So it is a millisecond here.

use forage_tests::closed_web::{calls, documents, done, journal, new_run, steps, web};
use forage_tests::open_web::OpenWeb;
use forage_tests::{bin, folder};
use std::io::{Write, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "50".into());
    let (dir, open) = (folder(), OpenWeb::start());
    web();
    let out = dir.path().join("run");
    let args = open.args();
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["--docs", &wanted, "--quiet"]).collect();
    let mut run = new_run(&out, &args);
    hurry(&mut run, &dir.path().join("bin"))?;
    let start = Instant::now();
    done(run).exits(0);
    let (took, waited) = (start.elapsed(), open.waited());
    let journal = journal(&out);
    let documents = documents(&journal).len();
    writeln!(
        stdout(),
        "{documents} documents in {} steps and {} calls: {:.1} s, of which {:.1} s waiting; {:.0} ms a document beside it",
        steps(&journal).len(),
        calls(&journal),
        took.as_secs_f64(),
        waited.as_secs_f64(),
        took.saturating_sub(waited).as_secs_f64() * 1e3 / documents as f64
    )
}

/// Has the run's fetch-extract pause for a millisecond, by a program of that name in `dir`.
fn hurry(run: &mut Command, dir: &Path) -> std::io::Result<()> {
    let program = dir.join("fetch-extract");
    std::fs::create_dir(dir)?;
    std::fs::write(&program, format!("#!/bin/sh\nexec '{}' --delay 0.001 \"$@\"\n", bin("fetch-extract").display()))?;
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755))?;
    let tools = run.get_envs().find_map(|(name, value)| value.filter(|_| name == "PATH")).unwrap_or_default();
    let path = std::env::join_paths([dir.to_owned()].into_iter().chain(std::env::split_paths(tools)));
    run.env("PATH", path.map_err(std::io::Error::other)?);
    Ok(())
}
