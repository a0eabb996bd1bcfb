//! forage: all tools in one program. Called by the name of a tool, through a link, it is that tool.
//!
//! Most of a tool is what it shares with others: together they take a quarter of the space.

mod link;

use clap::{Arg, ArgMatches, Command, value_parser};
use forage_cli::{Messages, Verbosity, run_program, set_build};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A tool: its name, and its main function.
type Tool = (&'static str, fn() -> ExitCode);

/// The tools in this program: without the feature `all`, those of `make demo`.
const TOOLS: &[Tool] = &[
    #[cfg(feature = "all")]
    ("concordance", concordance::main),
    ("corpus-export", corpus_export::main),
    ("corpus-report", corpus_report::main),
    ("dedup", dedup::main),
    ("demo-web", demo_web::main),
    #[cfg(feature = "all")]
    ("fetch-extract", fetch_extract::main),
    #[cfg(feature = "all")]
    ("frontier", frontier::main),
    ("gen-query", gen_query::main),
    #[cfg(feature = "all")]
    ("keywords", keywords::main),
    ("langid", langid::main),
    #[cfg(feature = "all")]
    ("ngram-profile", ngram_profile::main),
    #[cfg(feature = "all")]
    ("quality", quality::main),
    #[cfg(feature = "all")]
    ("review-page", review_page::main),
    ("run-steps", run_steps::main),
    #[cfg(feature = "all")]
    ("sample", sample::main),
    ("search", search::main),
    #[cfg(feature = "all")]
    ("take-down", take_down::main),
    #[cfg(feature = "all")]
    ("topic-filter", topic_filter::main),
    #[cfg(feature = "all")]
    ("topic-profile", topic_profile::main),
    ("update-stats", update_stats::main),
];

/// The descriptions of the tools: lines of name, tab, description.
const DESCRIPTIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/descriptions.tsv"));
const ABOUT: &str = "Run a tool by its name";
const MORE: &str = "\
`forage langid --help` describes a tool, and `man forage` how they work together. A link to this \
program with the name of a tool is that tool.";

fn main() -> ExitCode {
    set_build(env!("FORAGE_BUILD"));
    let args: Vec<OsString> = std::env::args_os().collect();
    let own_name = args.first().and_then(|path| Path::new(path).file_name());
    if let Some((_, run)) = own_name.and_then(find_tool) {
        return run();
    }
    match args.get(1).map(OsString::as_os_str) {
        // A tool that reads PDFs in a process of its own starts this program by its path.
        #[cfg(feature = "all")]
        Some(option) if option == "--read-pdf" => fetch_extract::main(),
        Some(name) if find_tool(name).is_some() => run_as(name, &args),
        Some(name) if link::is_pipeline(name) => report(format_args!(
            "{0}: is a pipeline, a script of its own: call it as {0}",
            name.display()
        )),
        Some(name) if description(name).is_some() => report(format_args!(
            "{}: is not in this program; build it with `make`",
            name.display()
        )),
        _ => run_program("forage", command(), &args, link_tools),
    }
}

fn find_tool(name: &OsStr) -> Option<&'static Tool> {
    TOOLS.iter().find(|(tool, _)| name == *tool)
}

/// Replaces this process by the tool with `name`, the first argument. Returns if it cannot.
fn run_as(name: &OsStr, args: &[OsString]) -> ExitCode {
    // Where /proc is not mounted, the path of the program is the one that it was called by.
    let program = std::env::current_exe().unwrap_or_else(|_| args[0].clone().into());
    let error = std::process::Command::new(program)
        .arg0(name)
        .args(&args[2..])
        .exec();
    report(error)
}

fn report(error: impl Display) -> ExitCode {
    Messages::new("forage", &Verbosity::default()).error(error);
    ExitCode::from(2)
}

fn link_tools(matches: ArgMatches) -> ExitCode {
    let folder = matches.get_one::<PathBuf>("link");
    match folder.map_or(Ok(()), |folder| link::write_links(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => report(format_args!("{e:#}")),
    }
}

/// Returns the description of a tool, which need not be in this program.
fn description(name: &OsStr) -> Option<&'static str> {
    let mut rows = DESCRIPTIONS.lines().filter_map(|row| row.split_once('\t'));
    rows.find_map(|(tool, description)| (name == tool).then_some(description))
}

/// The command line if the first argument is not the name of a tool.
fn command() -> Command {
    let tools = TOOLS
        .iter()
        .map(|(name, _)| Command::new(*name).about(description(name.as_ref()).unwrap_or_default()));
    Command::new("forage")
        .about(ABOUT)
        .after_help(MORE)
        .arg_required_else_help(true)
        .override_usage("forage TOOL [ARGUMENTS]...\n       forage --link FOLDER")
        .subcommand_help_heading("Tools")
        .arg(
            Arg::new("link")
                .long("link")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("Write links to this program with the names of the tools, and the pipelines, into FOLDER"),
        )
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommands(tools)
}
