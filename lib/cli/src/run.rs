//! From `main` to an exit code.

use crate::args::Verbosity;
use crate::exit::{BY_SIGNAL, LEFT_OUT, STOPPED};
use crate::generate::{self, VERSION};
use crate::interrupt::Interrupted;
use crate::io::Io;
use crate::output::OutputError;
use crate::speech::{Messages, escape_control_characters};
use clap::Command;
use forage_record::field;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// A tool's arguments.
pub trait Tool: clap::Parser {
    /// The tool's name.
    const NAME: &'static str;

    /// The fields of which its work on a record needs one; most tools work on texts. If records
    /// came and none had any of them, that is said at the end. None where there are other things to
    /// do.
    const INPUT_FIELDS: &'static [&'static str] = &[field::TEXT];

    /// How much it says.
    fn verbosity(&self) -> &Verbosity;
}

/// Runs a tool: reads its arguments, calls `run`, and turns the result into an exit code.
///
/// 0: all input was read and answered. 1: some lines were not records, or a check failed. 2: the
/// tool could not run, or had to stop. 128 and a signal's number: that ended it, and what was done
/// is out. Standard output closed by its reader is no failure.
pub fn main<A: Tool>(run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>) -> ExitCode {
    report_panics(A::NAME);
    // the panic hook has said what there is to say.
    catch_unwind(AssertUnwindSafe(|| start(run))).unwrap_or(ExitCode::from(STOPPED))
}

fn start<A: Tool>(run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>) -> ExitCode {
    let mut command = A::command()
        .term_width(80)
        .name(A::NAME)
        .bin_name(A::NAME)
        .version(VERSION);
    if let Some(exit) = generate::asked(&mut command, A::NAME) {
        return exit;
    }
    let args = match parse::<A>(&mut command) {
        Ok(args) => args,
        Err(e) => return show(e.format(&mut command), A::NAME),
    };
    let messages = Messages::new(A::NAME, args.verbosity());
    with_io(args, messages.clone(), run).unwrap_or_else(|e| {
        messages.error(describe(&e));
        let signal = e
            .downcast_ref()
            .map(|e: &Interrupted| e.signal.unsigned_abs() as u8);
        ExitCode::from(signal.map_or(STOPPED, |signal| BY_SIGNAL.saturating_add(signal)))
    })
}

/// Reads the arguments. What a terminal obeys is escaped in them where they are shown, line ends
/// too, which could not be told from those of the message afterwards.
fn parse<A: Tool>(command: &mut Command) -> Result<A, clap::Error> {
    let mut parse = |args: Vec<OsString>| {
        let found = command.try_get_matches_from_mut(args)?;
        A::from_arg_matches(&found)
    };
    let args: Vec<OsString> = std::env::args_os().collect();
    let shown = args
        .iter()
        .map(|arg| OsString::from(&*escape_control_characters(&arg.to_string_lossy())))
        .collect();
    parse(args).map_err(|e| parse(shown).err().unwrap_or(e))
}

/// Shows the help or version that was asked for, or what is wrong with the arguments.
fn show(e: clap::Error, tool: &'static str) -> ExitCode {
    if !e.use_stderr() {
        let _ = e.print();
        return ExitCode::SUCCESS;
    }
    // In a pipe of seven tools, a message says whose it is.
    let text = e.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    Messages::new(tool, &Verbosity::default()).usage(text.trim_end());
    ExitCode::from(STOPPED)
}

fn with_io<A: Tool>(
    args: A,
    messages: Messages,
    run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let mut io = Io::new(messages, A::INPUT_FIELDS)?;
    let ran = run(args, &mut io).and_then(|()| io.out.flush());
    match ran {
        Err(e) if is_closed_pipe(&e) => Ok(ExitCode::SUCCESS),
        Err(e) => Err(e),
        Ok(()) if io.left_out > 0 || io.has_failed_check => Ok(ExitCode::from(LEFT_OUT)),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

fn is_closed_pipe(e: &anyhow::Error) -> bool {
    e.chain()
        .any(|cause| matches!(cause.downcast_ref(), Some(OutputError::Closed)))
}

/// The chain of causes on one line, each said once.
fn describe(e: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in e.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
    }
    text
}

/// A panic is our defect: it is said on one line, in the form of every other message.
fn report_panics(tool: &'static str) {
    let messages = Messages::new(tool, &Verbosity::default());
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map(|at| format!("{}:{}", at.file(), at.line()))
            .unwrap_or_default();
        let cause = panic.payload_as_str().unwrap_or("unknown cause");
        messages.error(format_args!(
            "a defect of this tool, at {place}: {cause}; please report it"
        ));
    }));
}
