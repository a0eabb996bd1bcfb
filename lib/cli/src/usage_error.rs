//! Remedies for errors in the arguments. For an unknown option, clap suggests options that are
//! spelt only remotely alike, and to pass the option as a value, which no tool of ours needs. It
//! does not say which argument is not UTF-8.

use crate::messages::escape_control_characters;
use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};

/// Replaces the suggestion of clap in an error about an unknown option.
pub(crate) fn replace_suggestion(error: &mut clap::Error, command: &mut Command) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let tip = find_remedy(option, command);
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip {
        let tip = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tip));
    }
    // The usage contained the suggested option.
    let usage = command.render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
}

/// Returns the message about the first argument that is not UTF-8 and must be, if there is one.
/// `is_utf8_error` is true if parsing these arguments fails because one is not UTF-8.
///
/// The name of a file may have any bytes, so each such argument is tried with the others converted.
pub(crate) fn describe_invalid_utf8(
    args: &[OsString],
    mut is_utf8_error: impl FnMut(Vec<OsString>) -> bool,
) -> Option<String> {
    let lossy = |arg: &OsStr| arg.to_string_lossy().into_owned();
    let converted: Vec<OsString> = args.iter().map(|arg| lossy(arg).into()).collect();
    let is_cause = |&index: &usize| {
        let mut tried = converted.clone();
        tried[index] = args[index].clone();
        args[index].to_str().is_none() && is_utf8_error(tried)
    };
    let index = (1..args.len()).find(is_cause)?;
    let option = lossy(&args[index - 1]);
    let option = if option.starts_with('-') && !option.contains('=') {
        format!("{option} ")
    } else {
        String::new()
    };
    let arg = escape_control_characters(&lossy(&args[index])).into_owned();
    Some(format!(
        "{option}{arg}: is not UTF-8; if it names a file, rename it\n"
    ))
}

/// Returns the message of an error in arguments on one line, without the usage.
pub fn describe_usage_error(error: &clap::Error) -> String {
    let text = error.to_string();
    // In a pipeline, the message must name its tool.
    join_lines(text.strip_prefix("error: ").unwrap_or(&text))
}

fn join_lines(message: &str) -> String {
    let mut joined = String::new();
    let is_rest = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more");
    let lines = message.lines().map(str::trim);
    let lines = lines.take_while(|line| !is_rest(line));
    for line in lines.filter(|line| !line.is_empty()) {
        joined += match line {
            _ if joined.is_empty() => "",
            _ if joined.ends_with(':') || line.starts_with('[') => " ",
            _ if line.starts_with("tip:") => "; ",
            _ => ", ",
        };
        joined += line;
    }
    joined
}

/// Returns the advice for an unknown option, if there is any.
fn find_remedy(option: &str, command: &Command) -> Option<String> {
    let name = option.strip_prefix("--")?;
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .filter_map(|arg| arg.get_long())
        .filter(|known| is_similar(name, known))
        .min_by_key(|known| strsim::osa_distance(name, known))
        .map(|known| format!("a similar option is '--{known}'"))
}

/// Returns `true` if `name` is probably a misspelling of `known`: one edit, or two in a long name.
fn is_similar(name: &str, known: &str) -> bool {
    /// Length of a name that may have two edits.
    const LONG_NAME: usize = 8;
    let max_edits = if known.len() >= LONG_NAME { 2 } else { 1 };
    // Options of two letters resemble all others of that length.
    known.len() > 2 && strsim::osa_distance(name, known) <= max_edits
}

#[cfg(test)]
mod tests {
    use super::{find_remedy, join_lines};
    use clap::{Arg, Command};

    #[test]
    fn a_message_of_several_lines_becomes_one_without_the_usage() {
        for (message, joined) in [
            (
                "unexpected argument '--modle' found\n\n  tip: a similar option is '--model'\n\n\
                 Usage: tool [FILE]...\n\nFor more information, try '--help'.\n",
                "unexpected argument '--modle' found; tip: a similar option is '--model'",
            ),
            (
                "the following required arguments were not provided:\n  --stats <FILE>\n  --step <N>\n",
                "the following required arguments were not provided: --stats <FILE>, --step <N>",
            ),
            (
                "invalid value 'x' for '--sort <ORDER>'\n  [possible values: right, left]\n",
                "invalid value 'x' for '--sort <ORDER>' [possible values: right, left]",
            ),
        ] {
            assert_eq!(join_lines(message), joined);
        }
    }

    #[test]
    fn only_close_spellings_are_suggested() {
        let command = Command::new("tool").args(
            ["jobs", "model", "threshold", "top", "rules", "without"]
                .map(|name| Arg::new(name).long(name)),
        );
        for (option, expected) in [
            ("--modle", "'--model'"),
            ("--treshold", "'--threshold'"),
            ("--witout", "'--without'"),
        ] {
            let remedy = find_remedy(option, &command).unwrap();
            assert!(remedy.contains(expected), "{option}: {remedy}");
        }
        for option in ["--url", "--lang", "--encoding", "--threads", "-x"] {
            assert_eq!(find_remedy(option, &command), None);
        }
    }
}
