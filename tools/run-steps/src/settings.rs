//! The settings of a run: lines `key=value` of its `run.conf`.
//!
//! A run folder may come from somebody else, so its settings are data: no value is a program, but
//! for the command of the filter, which is run only if it consists of our own filters, or if the
//! user trusts the folder.

use crate::own_filter::is_own_command;
use crate::pipeline::{Pipeline, SettingNames, has_word, name_of};
use crate::pipelines::PIPELINES;
use crate::tools::Line;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Arg, Command};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The key of the command of the filter.
const FILTER: &str = "filter";

/// Settings by name, and lists of values by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
    lists: BTreeMap<String, Vec<String>>,
}

impl Settings {
    /// Returns a setting; empty if it is not set.
    pub fn get(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// Returns whether a setting has a value.
    pub fn is_set(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }

    /// Returns whether one of these settings, separated by blanks, has a value.
    pub fn is_any_set(&self, names: &str) -> bool {
        names.split(' ').any(|name| self.is_set(name))
    }

    /// Refuses a setting together with one of others, which are separated by blanks.
    pub fn refuse_together(&self, name: &str, others: &str, message: &'static str) -> Result<()> {
        ensure!(!self.is_set(name) || !self.is_any_set(others), message);
        Ok(())
    }

    /// Returns a setting that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name).parse().ok()
    }

    /// Sets a value; an empty one for none.
    pub fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.into(), value.into());
    }

    /// Returns the values of a list.
    pub fn list(&self, name: &str) -> &[String] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the values of a list, to be changed.
    pub fn list_mut(&mut self, name: &str) -> &mut Vec<String> {
        self.lists.entry(name.into()).or_default()
    }

    /// Keeps the settings whose names satisfy a condition.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.values.retain(|name, _| is_kept(name));
        self.lists
            .retain(|name, values| is_kept(name) && !values.is_empty());
    }

    /// Returns the settings of a new run: the given ones, and the defaults of the others.
    pub fn with_defaults(&self, pipeline: &Pipeline) -> Settings {
        let mut settings = self.clone();
        for name in pipeline.settings().single {
            if !settings.is_set(&name) {
                let default = pipeline.defaults.iter().find(|(option, _)| *option == name);
                settings.set(&name, default.map_or("", |(_, value)| value));
            }
        }
        settings
    }

    /// Removes settings of a new run that a run has, too. Files, which the run has copied, cannot
    /// be compared.
    pub fn remove_equal(&mut self, own: &Settings, pipeline: &Pipeline) {
        let is_compared = |name: &str| {
            !has_word("hosts-allow hosts-deny profile versus", name)
                && !pipeline.is_changeable(name)
        };
        let values = self.values.iter();
        let other = values.filter(|(name, value)| is_compared(name) && own.get(name) != **value);
        let other: Vec<String> = other.map(|(name, _)| name.clone()).collect();
        self.retain(|name| pipeline.is_changeable(name) || other.iter().any(|n| n == name));
    }

    /// Replaces settings by those that are given for a resumed run.
    ///
    /// # Errors
    /// Fails if a given setting belongs to a new run.
    pub fn replace_by(&mut self, given: &Settings, pipeline: &Pipeline, run: &str) -> Result<()> {
        for name in given.values.keys().chain(given.lists.keys()) {
            let is_changeable = pipeline.is_changeable(name);
            if !is_changeable {
                bail!("--{name} belongs to a new run; {run} has its own");
            }
        }
        self.values.extend(given.values.clone());
        self.lists.extend(given.lists.clone());
        Ok(())
    }

    /// Returns the options of a tool, of a group of its arguments, that are set.
    pub fn options_of<Group: clap::Args>(&self) -> Line {
        let group = Group::augment_args(Command::new(""));
        let names = group.get_arguments().map(name_of);
        names.flat_map(|name| self.options(&[name])).collect()
    }

    /// Returns options with the settings of these names, if they are set.
    pub fn options(&self, names: &[&str]) -> Line {
        let mut line = Line::new();
        for name in names {
            match self.get(name) {
                "" => {}
                // Of a flag.
                "yes" => line.push(format!("--{name}")),
                // It may begin with a hyphen.
                value => line.push(format!("--{name}={value}")),
            }
            let values = self.list(name).iter();
            line.extend(values.map(|value| format!("--{name}={value}")));
        }
        line
    }

    /// Reads a file of settings.
    ///
    /// # Errors
    /// Fails if a line is not a setting of this pipeline, or, unless `trusts` is set, if the filter
    /// is a command other than our own filters.
    pub fn read(path: &Path, pipeline: &Pipeline, trusts: bool) -> Result<Settings> {
        let file = path.display();
        let text = std::fs::read(path).with_context(|| file.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let names = pipeline.settings();
        let mut settings = Settings::default();
        for (line, number) in text.lines().zip(1..) {
            let (key, value) = line.split_once('=').unwrap_or((line, "\0"));
            let renamed = pipeline.renamed.iter().find(|(old, _)| *old == key);
            let key = renamed.map_or(key, |(_, name)| name);
            if key == FILTER && !trusts && !is_own_command(value) {
                bail!(
                    "{file}:{number}: `{value}` would be run as a command; if you trust this \
                     folder, resume it with --trust"
                );
            }
            if !settings.add(key, value, &names) {
                if let Some(name) = other_pipeline(&text, pipeline) {
                    let run = path.parent().unwrap_or(path).display();
                    bail!("{run}: is a run of {name}; resume it by {name} --resume {run}");
                }
                bail!(
                    "{file}:{number}: is not a setting; the file is damaged, or of another version"
                );
            }
        }
        settings.check(pipeline).with_context(|| file.to_string())?;
        Ok(settings)
    }

    /// Adds a line of a file; returns whether it is a setting.
    fn add(&mut self, key: &str, value: &str, names: &SettingNames) -> bool {
        let is_list = names.lists.iter().any(|name| name == key);
        if !is_storable(value) {
            return false;
        } else if names.single.iter().any(|name| name == key) {
            self.set(key, value);
        } else if is_list && (key != "init" || is_initial_document(value)) {
            self.list_mut(key).push(value.into());
        } else {
            // An option of an earlier version that was not given.
            return value.is_empty() && !key.is_empty() && key.bytes().all(is_option_letter);
        }
        true
    }

    /// Checks the values that are set, as the command line does.
    pub fn check(&self, pipeline: &Pipeline) -> Result<()> {
        let command = pipeline.command(pipeline.name).no_binary_name(true);
        let names: Vec<&String> = self.values.keys().chain(self.lists.keys()).collect();
        let options: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        let options = names.into_iter().filter(|name| options.contains(&&***name));
        let line: Line = options.flat_map(|name| self.options(&[name])).collect();
        let command = command.clone().mut_args(|arg| arg.required(false));
        let parsed = command.try_get_matches_from(line).map(drop);
        parsed.map_err(|e| anyhow!(forage_cli::describe_usage_error(&e)))
    }

    /// Writes the settings, atomically.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        let lists = self.lists.iter();
        let lists = lists.flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        for (name, value) in self.values.iter().chain(lists) {
            writeln!(text, "{name}={value}")?;
        }
        crate::files::replace(path, text.as_bytes())
    }
}

/// Returns whether a text can be a setting: the file of settings has one in a line, and shows all
/// of it to a reader.
pub fn is_storable(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() || c == '\u{fffd}')
}

/// Checks that a value of an option can be a setting.
pub fn check_storable(option: &str, value: &str) -> Result<()> {
    match value {
        "" => bail!("--{option}: a value is missing"),
        value if value.contains('\n') => bail!("--{option}: must be one line"),
        value if is_storable(value) => Ok(()),
        _ => bail!("--{option}: has a control character, or is not UTF-8"),
    }
}

/// Returns whether a text can be the name of a file: it has letters, digits and - _ . only, and
/// neither is hidden nor looks like an option.
pub fn is_file_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(is_plain)
}

fn is_option_letter(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'-'
}

/// Returns another pipeline, which a text has the settings of.
fn other_pipeline(text: &str, own: &Pipeline) -> Option<&'static str> {
    let keys = text.lines().filter_map(|line| line.split('=').next());
    let keys: Vec<&str> = keys.collect();
    let has_settings = |pipeline: &Pipeline| {
        let names = pipeline.settings();
        let names = names.single.iter().chain(&names.lists);
        keys.iter().all(|key| names.clone().any(|name| name == key))
    };
    let mut others = PIPELINES.iter().filter(|_| !has_settings(own));
    others
        .find(|pipeline| has_settings(pipeline))
        .map(|pipeline| pipeline.name)
}

/// Returns `true` for a class and a file in the folder `init` of the run.
fn is_initial_document(value: &str) -> bool {
    let names = value.split_once("=init/");
    names.is_some_and(|(class, file)| is_file_name(class) && is_file_name(file))
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::pipelines::find;
    use std::path::Path;

    fn read(text: &str, trusts: bool) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.conf");
        std::fs::write(&path, text).unwrap();
        Settings::read(&path, find("corpus-builder").unwrap(), trusts).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn reads_known_settings_only() {
        let text = "docs=5\nengine=index:/a b\nfilter=\ntarget=slv\ninit=slv=init/0-slv.jsonl\n";
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.conf");
        read(text, false).unwrap().write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        for line in [
            "x$(touch a)=1",
            "x[$(touch a)]=1",
            "docs",
            "",
            "other=1",
            "out=x",
            "init=slv=/etc/passwd",
            "init=slv=init/../../a",
            "init=$(touch a)=init/a",
            "target=a\u{1b}[2J",
        ] {
            let error = read(&format!("docs=1\n{line}\ntarget=slv"), true).unwrap_err();
            assert!(error.contains(":2: is not a setting"), "{line}: {error}");
        }
        assert!(
            Settings::read(
                Path::new("/no/file"),
                find("corpus-builder").unwrap(),
                false
            )
            .is_err()
        );
        assert!(
            read("docs=x\n", true)
                .unwrap_err()
                .ends_with("invalid value 'x' for '--docs <N>': is not a number")
        );
    }

    #[test]
    fn a_foreign_command_needs_trust() {
        let text = "docs=1\nfilter=touch a; cat\n";
        let error = read(text, false).unwrap_err();
        assert!(error.contains(":2: `touch a; cat`") && error.ends_with("--trust"));
        assert!(read(text, true).is_ok());
    }
}
