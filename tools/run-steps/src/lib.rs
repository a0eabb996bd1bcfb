//! run-steps: repeat the steps of a pipeline until a limit is reached, and resume them after a
//! kill.
//!
//! A pipeline is a script with functions for the phases of a run. It passes its command line to
//! this program, which owns the life of the run: options and their checks, the folder and its lock,
//! initial documents, limits, progress, signals, resumption and the end. This program calls the
//! script with the name of a phase: `init`, then `query` and `step` in turn, and `results` and
//! `settle` at the end. The arguments of the tools are in `RUN/args`, so that a phase can also be
//! called by hand.

// What only some pipelines use stays in the program without them.
#![cfg_attr(not(feature = "subjects"), allow(dead_code, unused_imports))]

mod child;
mod cluster;
mod command_line;
mod console;
mod corpus_builder;
mod exit_code;
mod files;
#[cfg(feature = "subjects")]
mod focused_crawl;
mod folder;
mod folder_kind;
mod initial;
mod known;
mod own_filter;
mod pipeline;
mod pipelines;
mod rebuild;
#[cfg(feature = "subjects")]
mod review;
mod run;
mod session;
mod settings;
#[cfg(feature = "subjects")]
mod sites;
#[cfg(feature = "subjects")]
mod special_domain;
mod tools;
mod totals;
mod unknown_codes;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use command_line::{CommandLine, repeated_options};
use console::Console;
use pipeline::Pipeline;
use pipelines::PIPELINES;
use run::Run;
use settings::Settings;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tools::Reported;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // [PIPELINE] --of SCRIPT, and the arguments of the user.
    let at = 1 + usize::from(args.get(1).is_some_and(|name| name != "--of"));
    let pipeline = match at {
        1 => PIPELINES.first().copied(),
        _ => pipelines::find(&args[1].to_string_lossy()),
    };
    let script = args.get(at + 1).filter(|_| args[at] == "--of");
    match (pipeline, script) {
        (Some(pipeline), Some(script)) => {
            run_pipeline(pipeline, Path::new(script), &args[at + 2..])
        }
        _ => forage_cli::run_program("run-steps", own_command(), &args, |matches| {
            let console = Console::new("run-steps", false);
            if let Some(runs) = matches.get_many::<PathBuf>("rebuild") {
                let failed = runs.filter(|run| match rebuild::rebuild(run) {
                    Ok(()) => false,
                    Err(error) => {
                        report(&console, &error);
                        console.say(format_args!("{}: is not rebuilt; resume it", run.display()));
                        true
                    }
                });
                return ExitCode::from(if failed.count() > 0 { 2 } else { 0 });
            }
            console.say(format_args!(
                "a pipeline calls it, as run-steps [PIPELINE] --of SCRIPT, with a PIPELINE of {}; \
                 see --help",
                pipelines::list()
            ));
            ExitCode::from(2)
        }),
    }
}

/// The definition of the own command line, which users read to write a pipeline.
fn own_command() -> clap::Command {
    clap::Command::new("run-steps")
        .about("Repeat the steps of a pipeline until a limit is reached, and resume them")
        .override_usage("run-steps [PIPELINE] --of SCRIPT [arguments of the pipeline]")
        .arg(clap::Arg::new("PIPELINE").help(format!(
            "The pipeline whose options the script has: {} [default: corpus-builder]",
            pipelines::list()
        )))
        .arg(
            clap::Arg::new("of")
                .long("of")
                .value_name("SCRIPT")
                .help("The script, with its functions"),
        )
        .arg(
            clap::Arg::new("rebuild")
                .long("rebuild")
                .value_name("RUN")
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Only derive state files and results of runs from their journals again"),
        )
        .after_long_help(include_str!("sections/run-steps.txt"))
}

fn run_pipeline(pipeline: &'static Pipeline, script: &Path, args: &[OsString]) -> ExitCode {
    let name = script.file_name().unwrap_or(pipeline.name.as_ref());
    // It is needed until the end of the program.
    let name: &'static str = name.to_string_lossy().into_owned().leak();
    let args: Vec<OsString> = std::iter::once(name.into())
        .chain(args.iter().cloned())
        .collect();
    let mut command = pipeline.command(name);
    if args.iter().any(|arg| arg == "-h") {
        // It fits a screen.
        command = command.mut_args(|arg| arg.help_heading(None));
    }
    let repeated = repeated_options(&command, &args);
    forage_cli::run_program(name, command, &args, |matches| {
        let console = Console::new(name, matches.get_flag("quiet"));
        for option in repeated {
            console.inform(format_args!(
                "--{option}: is given several times; the last one counts"
            ));
        }
        let exit = run(pipeline, name, script, &matches);
        exit.unwrap_or_else(|error| report(&console, &error))
    })
}

/// Reports why the program could not run.
fn report(console: &Console, error: &anyhow::Error) -> ExitCode {
    if !error.is::<Reported>() {
        console.say(format_args!("{error:#}"));
    }
    ExitCode::from(2)
}

fn run(
    pipeline: &'static Pipeline,
    name: &'static str,
    script: &Path,
    matches: &ArgMatches,
) -> Result<ExitCode> {
    child::watch_signals()?;
    let is_bash = is_bash(script);
    if is_bash {
        check_bash()?;
    }
    let line = CommandLine::new(pipeline, script, matches)?;
    let run = Run {
        pipeline,
        console: Console::new(name, line.has("quiet")).with_status_line(!line.has("verbose")),
        folder: line.folder.clone(),
        settings: Settings::default(),
        is_bash,
        needs_trust: false,
        refresh: None,
        line,
    };
    match pipeline.name {
        #[cfg(feature = "subjects")]
        "review" => review::run(run),
        "cluster" | "dedup-at-scale" => cluster::run(&run),
        name => session::run(run, new_loop(name)),
    }
}

/// Returns the loop of a pipeline.
fn new_loop(pipeline: &str) -> Box<dyn session::Loop> {
    match pipeline {
        #[cfg(feature = "subjects")]
        "special-domain" => Box::<special_domain::SpecialDomain>::default(),
        #[cfg(feature = "subjects")]
        "focused-crawl" => Box::<focused_crawl::FocusedCrawl>::default(),
        #[cfg(feature = "subjects")]
        "sites" => Box::<sites::Sites>::default(),
        _ => Box::<corpus_builder::Corpus>::default(),
    }
}

/// Returns whether a script is run by the bash on the PATH.
fn is_bash(script: &Path) -> bool {
    let text = std::fs::read(script).unwrap_or_default();
    text.starts_with(b"#!/usr/bin/env bash\n")
}

/// Checks that bash is not older than that which the tests have been run with. An earlier one lacks
/// what the pipelines use.
fn check_bash() -> Result<()> {
    let check =
        r#"printf %s "$BASH_VERSION"; ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))"#;
    let bash = Command::new("bash")
        .args(["-c", check])
        .output()
        .context("bash")?;
    let version = String::from_utf8_lossy(&bash.stdout);
    if !bash.status.success() {
        bail!("bash {version} is too old; install bash 4.4 or later");
    }
    Ok(())
}
