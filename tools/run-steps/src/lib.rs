//! run-steps: repeat the steps of a pipeline until a limit is reached, and resume them after a kill.
//!
//! A pipeline is a script with functions for the phases of a run. It passes its command line to this
//! program, which owns the life of the run: options and their checks, the folder and its lock,
//! initial documents, limits, progress, signals, resumption and the end. This program calls the
//! script with the name of a phase: `init`, then `query` and `step` in turn, and `results` and
//! `settle` at the end. The arguments of the tools are in `RUN/args`, so that a phase can also be
//! called by hand.

mod checks;
mod child;
mod cli;
mod cluster;
mod console;
mod corpus;
mod crawl;
mod exit_code;
mod files;
mod folder;
mod folder_kind;
mod initial;
mod known;
mod news;
mod own_filter;
mod printed;
mod review;
mod run;
mod searxng;
mod session;
mod settings;
mod spec;
mod tools;
mod totals;
mod unknown_codes;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use console::Console;
use run::Run;
use settings::Settings;
use spec::PipelineSpec;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use tools::Reported;

/// The oldest bash that the tests have been run with. An earlier one lacks what the pipelines use.
const OLDEST_BASH: (u32, u32) = (4, 4);

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // [KIND] --of SCRIPT, and the arguments of the user.
    let at = 1 + usize::from(args.get(1).is_some_and(|kind| kind != "--of"));
    let kind = match at {
        1 => "corpus".into(),
        _ => args[1].to_string_lossy(),
    };
    let script = args.get(at + 1).filter(|_| args[at] == "--of");
    match (spec::load(&kind), script) {
        // It is needed until the end of the program.
        (Ok(Some(spec)), Some(script)) => run_pipeline(
            Box::leak(Box::new(spec)),
            Path::new(script),
            &args[at + 2..],
        ),
        _ => {
            let run = |_| {
                Console::new("run-steps", false).say(format_args!(
                    "a pipeline calls it, as run-steps [KIND] --of SCRIPT, with a KIND of {}; see \
                     --help",
                    spec::KINDS.join(", ")
                ));
                ExitCode::from(2)
            };
            forage_cli::run_program("run-steps", cli::own_command(), &args, run)
        }
    }
}

fn run_pipeline(spec: &'static PipelineSpec, script: &Path, args: &[OsString]) -> ExitCode {
    let name = script
        .file_name()
        .map_or(spec.kind.into(), |name| name.to_string_lossy());
    let name: &'static str = name.into_owned().leak();
    let args: Vec<OsString> = std::iter::once(name.into())
        .chain(args.iter().cloned())
        .collect();
    let command = match args.iter().any(|arg| arg == "-h") {
        true => cli::short_command(spec, name),
        false => cli::command(spec, name),
    };
    forage_cli::run_program(name, command, &args, |matches| {
        let console = Console::new(name, matches.get_flag("quiet"));
        for option in cli::repeated_options(spec, &args) {
            console.inform(format_args!(
                "--{option}: is given several times; the last one counts"
            ));
        }
        run(spec, name, script, matches).unwrap_or_else(|error| {
            if !error.is::<Reported>() {
                console.say(format_args!("{error:#}"));
            }
            ExitCode::from(2)
        })
    })
}

fn run(
    spec: &'static PipelineSpec,
    name: &'static str,
    script: &Path,
    matches: ArgMatches,
) -> Result<ExitCode> {
    if spec.is_for_shards() {
        check_bash()?;
        return cluster::run(spec, &cli::CommandLine::new(spec, script, matches)?);
    }
    if spec.kind == "searxng" {
        check_bash()?;
        return searxng::run(&cli::CommandLine::new(spec, script, matches)?);
    }
    child::watch_signals()?;
    let is_bash = is_bash(script);
    if is_bash {
        check_bash()?;
    }
    let line = cli::CommandLine::new(spec, script, matches)?;
    let run = Run {
        spec,
        console: Console::new(name, line.has("quiet")).with_status_line(!line.has("verbose")),
        folder: line.folder.clone(),
        settings: Settings::default(),
        is_bash,
        needs_trust: false,
        line,
    };
    match spec.kind {
        "review" => review::run(run),
        "news" => session::run(run, Box::<news::News>::default()),
        "crawl" => session::run(run, Box::<crawl::Crawl>::default()),
        _ => session::run(run, Box::<corpus::Corpus>::default()),
    }
}

/// Returns whether a script is run by the bash on the PATH.
fn is_bash(script: &Path) -> bool {
    let text = std::fs::read(script).unwrap_or_default();
    text.starts_with(b"#!/usr/bin/env bash\n")
}

/// Checks that bash is not too old.
fn check_bash() -> Result<()> {
    let print = r#"printf %s "${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} $BASH_VERSION""#;
    let output = Command::new("bash")
        .args(["-c", print])
        .output()
        .context("bash")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let fields: Vec<&str> = text.split(' ').collect();
    let [major, minor, version] = fields[..] else {
        return Ok(());
    };
    if let (Ok(major), Ok(minor)) = (major.parse(), minor.parse())
        && (major, minor) < OLDEST_BASH
    {
        let (major, minor) = OLDEST_BASH;
        bail!("bash {version} is too old; install bash {major}.{minor} or later");
    }
    Ok(())
}
