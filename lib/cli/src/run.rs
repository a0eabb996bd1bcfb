//! The main function of all tools: parses arguments, and handles errors, panics and exit codes.

use crate::exit_code::{INCOMPLETE, SIGNAL_BASE, STOPPED};
use crate::generate;
use crate::interrupt::Interrupted;
use crate::io::Io;
use crate::messages::{Messages, Verbosity, escape_control_characters};
use crate::option_file::expand_option_files;
use crate::output::{OutputError, exit_after_writing};
use crate::plural::format_count;
use crate::record_format::{RecordFormat, RecordOutput};
use crate::rejected_line::{describe_commas, describe_unpaired_surrogates};
use crate::results::{ToolFields, format_alternatives};
use crate::skipped_lines::InputAdvice;
use crate::text_field::set_text_field;
use crate::usage_error::{describe_invalid_utf8, describe_usage_error, replace_suggestion};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches};
use forage_record::field;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// The shared options that `-h` shows.
const SHARED_OPTIONS: [&str; 5] = ["files", "as_documents", "recursive", "text_field", "tsv"];

/// The arguments of a tool.
pub trait Tool: clap::Parser {
    /// The name of the tool.
    const NAME: &'static str;

    /// The input fields of the tool; `text` for most tools. A record needs at least one of them.
    /// Empty for a tool that does not depend on certain fields.
    const INPUT_FIELDS: &'static [&'static str] = &[field::TEXT];

    /// The options that `-h` shows besides those of all tools; all if there are none. They are what
    /// a first call needs, and fit a screen; `--help` shows all.
    const COMMON_OPTIONS: &'static [&'static str] = &[];

    /// The input fields with these arguments, for a tool with several modes.
    fn input_fields(&self) -> &'static [&'static str] {
        Self::INPUT_FIELDS
    }

    /// The field that the tool adds with these arguments. Records that are passed on without it are
    /// reported. Empty for a tool that adds none.
    fn output_field(&self) -> &'static str {
        ""
    }

    /// Other fields by which a record has the result already.
    fn done_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// Advice for input that is not records, for a tool that can read it; otherwise the message
    /// says how to make records.
    fn input_advice(&self) -> InputAdvice {
        InputAdvice::default()
    }

    /// The table of a tool whose columns are not those that the user requests.
    fn own_table(&self) -> Option<&RecordOutput> {
        None
    }
}

/// The arguments of a tool, and those of them that are for this crate.
struct ParsedArgs<A> {
    args: A,
    verbosity: Verbosity,
    output: Option<RecordOutput>,
}

impl<A: Tool> ParsedArgs<A> {
    /// Converts the arguments. `writes_records` says that the tool has the options of
    /// [`RecordOutput`].
    fn from_matches(matches: &ArgMatches, writes_records: bool) -> Result<Self, clap::Error> {
        // Records are also read from files that are no input.
        if let Ok(Some(name)) = matches.try_get_one::<String>("text_field") {
            set_text_field(name);
        }
        let output = writes_records.then(|| RecordOutput::from_arg_matches(matches));
        Ok(ParsedArgs {
            args: A::from_arg_matches(matches)?,
            verbosity: Verbosity::from_arg_matches(matches)?,
            output: output.transpose()?,
        })
    }
}

/// Runs a tool: parses its arguments, calls `run`, and converts the result to an exit code.
///
/// - 0: all input was processed, or the reader of the output closed the pipe.
/// - 1: some lines were not records, or a requested check failed.
/// - 2: the tool could not start, or had to stop.
/// - 128 plus the number of a signal: the signal ended the tool, after it wrote the finished
///   records.
pub fn main<A: Tool>(run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>) -> ExitCode {
    set_panic_hook(A::NAME);
    // The panic hook has reported the cause.
    catch_unwind(AssertUnwindSafe(|| run_tool(run))).unwrap_or(ExitCode::from(STOPPED))
}

fn run_tool<A: Tool>(run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let command = hide_rare_options(A::command(), A::COMMON_OPTIONS);
    let command = command.bin_name(A::NAME).version(generate::version());
    // Derived arguments are a group of the name of their struct.
    let mut groups = command.get_groups();
    let writes_records = groups.any(|group| group.get_id() == "RecordOutput");
    drop(groups);
    let convert = |matches: &ArgMatches| ParsedArgs::<A>::from_matches(matches, writes_records);
    let parsed = match parse(A::NAME, command, &args, convert) {
        Ok(parsed) => parsed,
        Err(exit) => return exit,
    };
    let messages = Messages::new(A::NAME, &parsed.verbosity);
    with_io(parsed, messages.clone(), run).unwrap_or_else(|e| {
        messages.error(format_error_chain(&e));
        let signal = e
            .downcast_ref()
            .map(|e: &Interrupted| e.signal.unsigned_abs() as u8);
        ExitCode::from(signal.map_or(STOPPED, |signal| SIGNAL_BASE.saturating_add(signal)))
    })
}

/// Leaves all options but `common` and the shared ones out of `-h`, if there are any `common`.
fn hide_rare_options(command: Command, common: &[&str]) -> Command {
    if common.is_empty() {
        return command;
    }
    command.mut_args(|arg| {
        let id = arg.get_id().as_str();
        let is_common = common.contains(&id) || SHARED_OPTIONS.contains(&id);
        arg.hide_short_help(!is_common)
    })
}

/// Runs a program that does not process records: parses `args`, of which the first is its name, and
/// calls `run`. Help, man page, completions, messages and panics are those of a tool.
pub fn run_program(
    name: &'static str,
    command: Command,
    args: &[OsString],
    run: impl FnOnce(ArgMatches) -> ExitCode,
) -> ExitCode {
    set_panic_hook(name);
    let command = command.version(generate::version());
    let run = || match parse(name, command, args, |matches| Ok(matches.clone())) {
        Ok(matches) => run(matches),
        Err(exit) => exit,
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(ExitCode::from(STOPPED))
}

/// Parses arguments. Returns an exit code after a request for help or for what is generated, and
/// after an error.
fn parse<A>(
    name: &'static str,
    command: Command,
    args: &[OsString],
    convert: impl Fn(&ArgMatches) -> Result<A, clap::Error>,
) -> Result<A, ExitCode> {
    let mut command = command.term_width(80).name(name);
    if let Some(exit) = generate::run_if_requested(&mut command, name, args) {
        return Err(exit);
    }
    let checked = forage_record::time::check_clock();
    let args = checked
        .and_then(|()| expand_option_files(args))
        .map_err(|cause| {
            Messages::new(name, &Verbosity::default()).error(cause);
            ExitCode::from(STOPPED)
        })?;
    parse_args(&mut command, &args, convert)
        .map_err(|e| show_clap_error(e.format(&mut command), name, &mut command))
}

/// Parses the arguments. If that fails, parses them again with control characters escaped, so that
/// the error message shows them escaped. In the finished message, line feeds of an argument could
/// not be distinguished from its own.
fn parse_args<A>(
    command: &mut Command,
    args: &[OsString],
    convert: impl Fn(&ArgMatches) -> Result<A, clap::Error>,
) -> Result<A, clap::Error> {
    let mut parse = |args: &[OsString]| convert(&command.try_get_matches_from_mut(args)?);
    let escaped: Vec<OsString> = args
        .iter()
        .map(|arg| OsString::from(&*escape_control_characters(&arg.to_string_lossy())))
        .collect();
    parse(args).map_err(|e| {
        let is_utf8_error = |args: Vec<OsString>| {
            let error = parse(&args).err();
            error.is_some_and(|error| error.kind() == ErrorKind::InvalidUtf8)
        };
        match describe_invalid_utf8(args, is_utf8_error) {
            Some(message) => clap::Error::raw(ErrorKind::InvalidUtf8, message),
            None => parse(&escaped).err().unwrap_or(e),
        }
    })
}

/// Shows the requested help or version, or an error in the arguments.
fn show_clap_error(mut e: clap::Error, tool: &'static str, command: &mut Command) -> ExitCode {
    if !e.use_stderr() {
        let printed = e.print().and_then(|()| io::stdout().flush());
        return exit_after_writing(printed, tool);
    }
    replace_suggestion(&mut e, command);
    let text = describe_usage_error(&e);
    let messages = Messages::new(tool, &Verbosity::default());
    match e.kind() {
        // Its message has the remedy.
        ErrorKind::InvalidUtf8 => messages.error(text),
        _ => messages.error(format_args!("{text}; see {tool} --help")),
    }
    ExitCode::from(STOPPED)
}

fn with_io<A: Tool>(
    ParsedArgs { args, output, .. }: ParsedArgs<A>,
    messages: Messages,
    run: impl FnOnce(A, &mut Io) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let fields = ToolFields {
        input: args.input_fields(),
        output: args.output_field(),
        done: args.done_fields(),
    };
    let format = RecordFormat::new(args.own_table().or(output.as_ref()), fields);
    let fail_above = output.and_then(|output| output.fail_above);
    let mut io = Io::new(messages, fields, args.input_advice(), format)?;
    let result = run(args, &mut io).and_then(|()| finish_output(&mut io));
    let is_closed = result.as_ref().is_err_and(is_closed_pipe);
    if !is_closed {
        io.skipped.finish(&io.messages);
        for warning in [describe_unpaired_surrogates(), describe_commas()] {
            warning
                .into_iter()
                .for_each(|warning| io.messages.warn(warning));
        }
    }
    if result.is_ok() {
        io.out.format().results().report(&io.messages);
    }
    let has_failed = result.is_ok() && fail_above.is_some_and(|limit| report_failures(&io, limit));
    match result {
        Err(_) if is_closed => Ok(ExitCode::SUCCESS),
        Err(e) => Err(e),
        Ok(()) if io.skipped.total() > 0 || io.has_failed_check || has_failed => {
            Ok(ExitCode::from(INCOMPLETE))
        }
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// Reports that the share of the records without a result is above `limit`; returns `false` if it
/// is not.
fn report_failures(io: &Io, limit: f64) -> bool {
    let failures = io.out.format().results().failures_above(limit);
    if let Some((failed, written)) = failures {
        let records = format_count(written, "record");
        io.messages.error(format_args!(
            "{failed} of {records} without a result, more than --fail-above {limit} permits"
        ));
    }
    failures.is_some()
}

/// Writes the rest of the output.
fn finish_output(io: &mut Io) -> anyhow::Result<()> {
    if !io.out.finish()? {
        io.messages
            .warn("--tsv is ignored, because this output is not records");
    } else if io.out.records() > 0 {
        let formulas = io.out.format().formulas();
        if formulas > 0 {
            io.messages.warn(format_args!(
                "--tsv: a spreadsheet may read {} as formulas or quotations; --defuse-formulas makes them \
                 text",
                format_count(formulas, "cell")
            ));
        }
        let missing = io.out.format().missing_fields();
        if !missing.is_empty() {
            io.messages.warn(format_args!(
                "--tsv: no record has {}; the names of fields are in forage-records(5)",
                format_alternatives(&missing)
            ));
        }
    }
    Ok(())
}

fn is_closed_pipe(e: &anyhow::Error) -> bool {
    e.chain()
        .any(|cause| matches!(cause.downcast_ref(), Some(OutputError::Closed)))
}

/// Formats the chain of causes on one line. Omits a cause that an outer message contains.
fn format_error_chain(e: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in e.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
    }
    text
}

/// Sets a panic hook that reports a panic, which is always a bug, on one line, in the form of the
/// other messages.
fn set_panic_hook(tool: &'static str) {
    let messages = Messages::new(tool, &Verbosity::default());
    std::panic::set_hook(Box::new(move |panic| {
        let location = panic
            .location()
            .map(|location| format!("{}:{}", location.file(), location.line()))
            .unwrap_or_default();
        let cause = panic.payload_as_str().unwrap_or("unknown cause");
        messages.error(format_args!(
            "internal error at {location}: {cause}; please report it"
        ));
    }));
}
