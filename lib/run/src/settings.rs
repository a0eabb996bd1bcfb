//! The settings of a run: lines `key=value` of its `run.conf`.
//!
//! A run folder may come from somebody else, so its settings are data: no value is a program, but
//! for the command of the filter, which is run only if it consists of our own filters, or if the
//! user trusts the folder.

use std::path::Path;

/// The commands that a stored filter may run: they read records and write records.
const FILTERS: [&str; 3] = ["langid", "topic-filter", "keywords"];
/// Options of these with which they would write to files of any name.
const WRITING_OPTIONS: [&str; 4] = ["--rejects", "--state", "--feedback", "--generate"];
/// Options of these whose value may be the next word. Any other word could name a file whose records
/// the run would search for.
const VALUE_OPTIONS: [&str; 12] = [
    "--lang",
    "--only",
    "--without",
    "--method",
    "--min-margin",
    "--profile",
    "--fit",
    "--recognise",
    "--samples",
    "--thresholds",
    "--labels",
    "--only-label",
];
/// The key of an initial document, `init=CLASS=init/FILE`; a run has several.
const INIT: &str = "init";
/// Further keys that a run may have several times.
const LISTS: [&str; 2] = ["engine", "known"];
/// The key of the command of the filter.
const FILTER: &str = "filter";

/// Why a file of settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("{0}: {1}")]
    Unreadable(String, std::io::Error),
    /// A line is no setting of this pipeline. Fields: the file, and the number of the line.
    #[error("{0}:{1}: is not a setting; the file is damaged, or of another version")]
    NotASetting(String, usize),
    /// The filter is a command that the run folder brings. Fields: the file, the number of the
    /// line, and the command.
    #[error(
        "{0}:{1}: `{2}` would be run as a command; if you trust this folder, resume it with --trust"
    )]
    UntrustedCommand(String, usize, String),
}

/// Reads a file of settings, and returns its lines. `names` are the settings of the pipeline.
///
/// # Errors
/// Fails if a line is not a setting, or, unless `trusts` is set, if the filter is a command other
/// than our own filters.
pub fn read_settings(
    path: &Path,
    names: &[String],
    trusts: bool,
) -> Result<Vec<String>, SettingsError> {
    let file = path.display().to_string();
    let text = std::fs::read(path).map_err(|e| SettingsError::Unreadable(file.clone(), e))?;
    let text = String::from_utf8_lossy(&text);
    let mut settings = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        match line.split_once('=') {
            Some((FILTER, command)) if !trusts && !is_own_command(command) => {
                let command = command.to_owned();
                return Err(SettingsError::UntrustedCommand(file, number, command));
            }
            Some((key, value)) if is_setting(key, value, names) => settings.push(line.to_owned()),
            _ => return Err(SettingsError::NotASetting(file, number)),
        }
    }
    Ok(settings)
}

fn is_setting(key: &str, value: &str, names: &[String]) -> bool {
    let is_known = names.iter().any(|name| name == key);
    let is_text = !value.contains(|c: char| c.is_control() || c == '\u{fffd}');
    is_text && (is_known || LISTS.contains(&key) || key == INIT && is_initial_document(value))
}

/// Returns `true` for a class and a file in the folder `init` of the run.
fn is_initial_document(value: &str) -> bool {
    let is_name = |text: &str| {
        !text.starts_with(['-', '.'])
            && !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    value
        .split_once("=init/")
        .is_some_and(|(class, file)| is_name(class) && is_name(file))
}

/// Returns `true` for a command that consists of our own filters, without a file of records, an
/// output, or anything that a shell would expand or redirect.
fn is_own_command(command: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " |_./,:=%+@-".contains(c);
    let is_own = |filter: &str| {
        let words: Vec<&str> = filter.split_whitespace().collect();
        let writes = |word: &str| {
            WRITING_OPTIONS
                .iter()
                .any(|option| word.starts_with(option))
        };
        let is_option = |word: &str| word.starts_with('-') && word.len() > 1 && !writes(word);
        words.first().is_some_and(|name| FILTERS.contains(name))
            && words.windows(2).all(|pair| {
                is_option(pair[1]) || VALUE_OPTIONS.contains(&pair[0]) && !pair[1].starts_with('-')
            })
    };
    command.is_empty() || command.chars().all(is_plain) && command.split('|').all(is_own)
}

#[cfg(test)]
mod tests {
    use super::{SettingsError, is_own_command, read_settings};
    use std::path::Path;

    fn read(text: &str, trusts: bool) -> Result<Vec<String>, SettingsError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.conf");
        std::fs::write(&path, text).unwrap();
        let names = ["docs", "filter", "target"].map(String::from);
        read_settings(&path, &names, trusts)
    }

    #[test]
    fn reads_known_settings_only() {
        let text = "docs=5\ntarget=slv\ninit=slv=init/0-slv.jsonl\nengine=index:/a b\nfilter=\n";
        assert_eq!(read(text, false).unwrap().join("\n") + "\n", text);
        for line in [
            "x$(touch a)=1",
            "x[$(touch a)]=1",
            "docs",
            "",
            "other=1",
            "init=slv=/etc/passwd",
            "init=slv=init/../../a",
            "init=$(touch a)=init/a",
            "target=a\u{1b}[2J",
        ] {
            let error = read(&format!("docs=1\n{line}\ntarget=slv"), true).unwrap_err();
            assert!(error.to_string().contains(":2: is not a setting"), "{line}");
        }
        assert!(read_settings(Path::new("/no/file"), &[], false).is_err());
    }

    #[test]
    fn a_foreign_command_needs_trust() {
        let text = "docs=1\nfilter=touch a; cat\n";
        let error = read(text, false).unwrap_err().to_string();
        assert!(error.contains(":2: `touch a; cat`") && error.ends_with("--trust"));
        assert_eq!(read(text, true).unwrap().len(), 2);
    }

    #[test]
    fn our_own_filters_are_recognised() {
        for command in [
            "",
            "langid",
            "langid --paragraphs",
            "langid | topic-filter --quiet --only-label slv --profile f.tsv --fit core.jsonl",
        ] {
            assert!(is_own_command(command), "{command}");
        }
        for command in [
            "touch a",
            "langid; touch a",
            "langid > a",
            "langid $(touch a)",
            "langid `touch a`",
            "langid & touch a",
            "langid || touch a",
            "langid\ntouch a",
            "./langid",
            "PATH=/tmp langid",
            "langid --rejects a",
            "topic-filter --state=a",
            "langid docs.jsonl -",
            "langid -q docs.jsonl",
            "langid --paragraphs /dev/stdin",
            "topic-filter --profile f.tsv core.jsonl",
            "langid |",
            "jq .",
        ] {
            assert!(!is_own_command(command), "{command}");
        }
    }
}
