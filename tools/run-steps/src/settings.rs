//! The settings of a run: lines `key=value` of its `run.conf`.
//!
//! A run folder may come from somebody else, so its settings are data: no value is a program, but
//! for the command of the filter, which is run only if it consists of our own filters, or if the
//! user trusts the folder.

use crate::own_filter::is_own_command;
use crate::spec::{self, KINDS, PipelineSpec, is_storable};
use anyhow::{Context, Result, anyhow, bail};
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

    /// Returns the settings of a new run: the given ones, and the defaults of the others.
    pub fn with_defaults(&self, spec: &PipelineSpec) -> Settings {
        let mut settings = self.clone();
        for (name, option) in spec
            .single_settings()
            .map(|name| (name, spec.setting(name)))
        {
            if !settings.is_set(name) {
                settings.set(name, option.map_or("", |option| option.default));
            }
        }
        settings
    }

    /// Replaces settings by those that are given for a resumed run.
    ///
    /// # Errors
    /// Fails if a given setting belongs to a new run.
    pub fn replace_by(&mut self, given: &Settings, spec: &PipelineSpec, run: &str) -> Result<()> {
        let given_lists = given.lists.iter().filter(|(_, values)| !values.is_empty());
        for name in given
            .values
            .keys()
            .chain(given_lists.clone().map(|(name, _)| name))
        {
            if !spec
                .setting(name)
                .is_some_and(|option| option.is_changeable)
            {
                bail!("--{name} belongs to a new run; {run} has its own");
            }
        }
        self.values.extend(given.values.clone());
        self.lists
            .extend(given_lists.map(|(name, values)| (name.clone(), values.clone())));
        Ok(())
    }

    /// Reads a file of settings.
    ///
    /// # Errors
    /// Fails if a line is not a setting of this pipeline, or, unless `trusts` is set, if the filter
    /// is a command other than our own filters.
    pub fn read(path: &Path, spec: &PipelineSpec, trusts: bool) -> Result<Settings> {
        let file = path.display();
        let text = std::fs::read(path).with_context(|| file.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let mut settings = Settings::default();
        for (line, number) in text.lines().zip(1..) {
            let (key, value) = line.split_once('=').unwrap_or((line, "\0"));
            if key == FILTER && !trusts && !is_own_command(value) {
                bail!(
                    "{file}:{number}: `{value}` would be run as a command; if you trust this \
                     folder, resume it with --trust"
                );
            }
            if settings.add(key, value, spec).is_none() {
                if let Some(kind) = other_kind(path, spec) {
                    let run = path.parent().unwrap_or(path).display();
                    bail!("{run}: is a run of {kind}; resume it by {kind} --resume {run}");
                }
                bail!(
                    "{file}:{number}: is not a setting; the file is damaged, or of another version"
                );
            }
        }
        settings.check(spec).with_context(|| file.to_string())?;
        Ok(settings)
    }

    /// Adds a line of a file; returns `None` if it is not a setting.
    fn add(&mut self, key: &str, value: &str, spec: &PipelineSpec) -> Option<()> {
        if !is_storable(value) {
            return None;
        }
        if spec.single_settings().any(|name| name == key) {
            self.set(key, value);
        } else if spec.list_settings().any(|name| name == key)
            && (key != "init" || is_initial_document(value))
        {
            self.list_mut(key).push(value.into());
        } else {
            return None;
        }
        Some(())
    }

    /// Checks the values that are set.
    fn check(&self, spec: &PipelineSpec) -> Result<()> {
        for (name, value) in self.values.iter().filter(|(_, value)| !value.is_empty()) {
            if let Some(option) = spec.setting(name) {
                option
                    .check_value(value)
                    .map_err(|e| anyhow!("--{name} {value}: {e}"))?;
            }
        }
        Ok(())
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

/// Returns the pipeline, of another kind than `spec`, that a file has the settings of.
fn other_kind(path: &Path, spec: &PipelineSpec) -> Option<&'static str> {
    let keys: Vec<String> = std::fs::read_to_string(path)
        .ok()?
        .lines()
        .map(|line| line.split('=').next().unwrap_or_default().to_owned())
        .collect();
    let own: Vec<&str> = spec.single_settings().chain(spec.list_settings()).collect();
    if keys.iter().all(|key| own.contains(&key.as_str())) {
        return None;
    }
    KINDS
        .into_iter()
        .filter(|kind| *kind != spec.kind)
        .find(|kind| {
            let other = spec::load(kind).ok().flatten();
            other.is_some_and(|other| {
                let mut names: Vec<&str> = other.single_settings().collect();
                names.extend(other.list_settings());
                keys.iter().all(|key| names.contains(&key.as_str()))
            })
        })
        .map(spec::pipeline_of)
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

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::spec::load;
    use std::path::Path;

    fn read(text: &str, trusts: bool) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.conf");
        std::fs::write(&path, text).unwrap();
        Settings::read(&path, &load("corpus").unwrap().unwrap(), trusts)
            .map_err(|e| format!("{e:#}"))
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
                &load("corpus").unwrap().unwrap(),
                false
            )
            .is_err()
        );
        assert!(
            read("docs=x\n", true)
                .unwrap_err()
                .ends_with("--docs x: is not a number")
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
