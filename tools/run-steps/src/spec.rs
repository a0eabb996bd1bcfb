//! The kinds of pipelines: their options and help, from the tables in `spec/`.
//!
//! An entry of a table is `--name VALUE = default (mark, …)`, followed by its help, indented. Without
//! a value it is a flag; without help it is the one of `common.txt`. The marks are the check of its
//! values, and where it belongs. Other lines are headings of `--help`.

use crate::checks::{Check, any, check_named};
use crate::printed;
use anyhow::{Context, Result, bail};
use std::iter::once;

/// How often an option is given, and with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Without a value. As a setting it is `yes`.
    Flag,
    /// Once, with a value. Given again, the last value counts.
    Value,
    /// Several times, with a value each.
    Repeated,
    /// With one or more values, up to the next option.
    Many,
}

/// An option of a pipeline.
pub struct OptionSpec {
    pub name: &'static str,
    /// The heading of `--help`.
    pub heading: &'static str,
    /// The placeholder of the value in `--help`.
    pub value: &'static str,
    pub arity: Arity,
    /// The value of a run for which none is given; empty for none.
    pub default: &'static str,
    pub check: Check,
    /// Whether the option is a setting of the run, stored in `run.conf`.
    pub is_stored: bool,
    /// Whether `--resume` accepts another value.
    pub is_changeable: bool,
    /// Whether only a new run has the option, although it is not stored.
    pub is_initial: bool,
    /// Whether `-h` shows the option, too, which is for what a first call needs.
    pub is_common: bool,
    pub help: String,
}

/// Returns whether a text can be a setting: the file of settings has one in a line, and shows all of
/// it to a reader.
pub fn is_storable(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() || c == '\u{fffd}')
}

impl OptionSpec {
    /// Checks the value of an option.
    pub fn check_value(&self, value: &str) -> Result<String, String> {
        if value.contains('\n') {
            return Err("must be one line".into());
        }
        if value.is_empty() {
            return Err("a value is missing".into());
        }
        if !is_storable(value) {
            return Err("has a control character, or is not UTF-8".into());
        }
        (self.check)(value)?;
        Ok(value.to_owned())
    }
}

/// A kind of pipeline.
pub struct PipelineSpec {
    /// The first argument of `run-steps`.
    pub kind: &'static str,
    pub about: &'static str,
    /// Usage lines after the name of the pipeline.
    pub usage: &'static str,
    /// Sections of `--help` after the options.
    pub notes: &'static str,
    options: Vec<OptionSpec>,
    /// Options that this kind does not offer; they are settings all the same.
    withheld: &'static [&'static str],
    /// Settings that are no options.
    internal: &'static [&'static str],
}

/// The names of all kinds.
pub const KINDS: [&str; 8] = [
    "corpus",
    "autocor",
    "news",
    "crawl",
    "review",
    "cluster",
    "dedup-at-scale",
    "searxng",
];

/// Returns the name of the pipeline that resumes the runs of a kind.
pub fn pipeline_of(kind: &'static str) -> &'static str {
    match kind {
        "corpus" | "autocor" => "corpus-builder",
        "news" => "special-domain",
        "crawl" => "focused-crawl",
        kind => kind,
    }
}

const COMMON: &str = include_str!("spec/common.txt");
const CORPUS: &str = include_str!("spec/corpus-options.txt");

/// Returns the kind of this name, if there is one.
///
/// # Errors
/// Fails if a table is invalid.
pub fn load(kind: &str) -> Result<Option<PipelineSpec>> {
    let (kind, tables, notes) = match kind {
        "corpus" => (
            "corpus",
            vec![CORPUS],
            include_str!("spec/corpus-notes.txt"),
        ),
        "autocor" => (
            "autocor",
            vec![include_str!("spec/languages.txt"), CORPUS],
            include_str!("spec/autocor-notes.txt"),
        ),
        "news" => (
            "news",
            vec![include_str!("spec/news-options.txt")],
            include_str!("spec/news-notes.txt"),
        ),
        "crawl" => (
            "crawl",
            vec![include_str!("spec/crawl-options.txt")],
            include_str!("spec/crawl-notes.txt"),
        ),
        "review" => (
            "review",
            vec![include_str!("spec/review-options.txt")],
            include_str!("spec/review-notes.txt"),
        ),
        "cluster" => (
            "cluster",
            vec![include_str!("spec/cluster-options.txt")],
            include_str!("spec/cluster-notes.txt"),
        ),
        "dedup-at-scale" => (
            "dedup-at-scale",
            vec![include_str!("spec/dedup-options.txt")],
            include_str!("spec/dedup-notes.txt"),
        ),
        "searxng" => (
            "searxng",
            vec![include_str!("spec/searxng-options.txt")],
            include_str!("spec/searxng-notes.txt"),
        ),
        _ => return Ok(None),
    };
    let common = parse_table(COMMON, &[])?;
    let mut options = Vec::new();
    for table in tables {
        options.extend(parse_table(table, &common)?);
    }
    for option in options.iter_mut().filter(|o| o.name == printed::PAPER) {
        option.help += &printed::describe(kind);
    }
    let (about, rest) = notes.split_once("\n\n").context("notes without a title")?;
    let (usage, notes) = rest.split_once("\n\n").context("notes without a usage")?;
    let withheld: &[&str] = match kind {
        "autocor" => &["target", "versus", "prune"],
        _ => &[],
    };
    let internal: &[&str] = match kind {
        "news" => &["target"],
        "review" | "cluster" | "dedup-at-scale" | "searxng" => &[],
        _ => &["folder"],
    };
    Ok(Some(PipelineSpec {
        kind,
        about,
        usage,
        notes,
        options,
        withheld,
        internal,
    }))
}

impl PipelineSpec {
    /// Whether it works on the shards of a corpus, by an engine of a cluster.
    pub fn is_for_shards(&self) -> bool {
        matches!(self.kind, "cluster" | "dedup-at-scale")
    }

    /// Whether documents of classes are collected by queries.
    pub fn is_corpus(&self) -> bool {
        matches!(self.kind, "corpus" | "autocor")
    }

    /// The options of the command line.
    pub fn options(&self) -> impl Iterator<Item = &OptionSpec> {
        self.options
            .iter()
            .filter(|option| !self.withheld.contains(&option.name))
    }

    /// The setting of this name, if the pipeline has one that is an option.
    pub fn setting(&self, name: &str) -> Option<&OptionSpec> {
        self.options
            .iter()
            .find(|option| option.name == name && option.is_stored)
    }

    /// The names of settings with one value.
    pub fn single_settings(&self) -> impl Iterator<Item = &'static str> {
        let is_single = |option: &&OptionSpec| matches!(option.arity, Arity::Value | Arity::Flag);
        let options = self.options.iter().filter(|option| option.is_stored);
        options
            .filter(is_single)
            .map(|option| option.name)
            .chain(self.internal.iter().copied())
    }

    /// The names of settings with several values: initial documents, and options.
    pub fn list_settings(&self) -> impl Iterator<Item = &'static str> {
        let is_list = |option: &&OptionSpec| matches!(option.arity, Arity::Repeated | Arity::Many);
        let options = self.options.iter().filter(|option| option.is_stored);
        once("init").chain(options.filter(is_list).map(|option| option.name))
    }
}

fn parse_table(table: &'static str, common: &[OptionSpec]) -> Result<Vec<OptionSpec>> {
    let mut options: Vec<OptionSpec> = Vec::new();
    let mut heading = "";
    for line in table.lines().filter(|line| !line.is_empty()) {
        if let Some(entry) = line.strip_prefix("--") {
            options.push(parse_entry(entry, heading).with_context(|| line.to_owned())?);
        } else if let Some(help) = line.strip_prefix("  ") {
            let option = options.last_mut().context("help without an option")?;
            let space = if option.help.is_empty() { "" } else { " " };
            option.help += &format!("{space}{help}");
        } else {
            heading = line;
        }
    }
    for option in options.iter_mut().filter(|option| option.help.is_empty()) {
        let definition = common.iter().find(|common| common.name == option.name);
        let definition = definition.with_context(|| format!("--{}: no help", option.name))?;
        let (heading, help) = (option.heading, definition.help.clone());
        *option = OptionSpec {
            heading,
            help,
            is_common: option.is_common || definition.is_common,
            ..*definition
        };
    }
    Ok(options)
}

fn parse_entry(entry: &'static str, heading: &'static str) -> Result<OptionSpec> {
    let (entry, marks) = match entry
        .strip_suffix(')')
        .and_then(|entry| entry.rsplit_once(" ("))
    {
        Some((entry, marks)) => (entry, marks),
        None => (entry, ""),
    };
    let (entry, default) = entry.split_once(" = ").unwrap_or((entry, ""));
    let (name, value) = entry.split_once(' ').unwrap_or((entry, ""));
    let mut option = OptionSpec {
        name,
        heading,
        value,
        arity: if value.is_empty() {
            Arity::Flag
        } else {
            Arity::Value
        },
        default,
        check: any,
        is_stored: true,
        is_changeable: false,
        is_initial: false,
        is_common: false,
        help: String::new(),
    };
    for mark in marks.split(", ").filter(|mark| !mark.is_empty()) {
        match mark {
            "repeated" => option.arity = Arity::Repeated,
            "many" => option.arity = Arity::Many,
            "common" => option.is_common = true,
            "changeable" => option.is_changeable = true,
            "unstored" => option.is_stored = false,
            "initial" => (option.is_stored, option.is_initial) = (false, true),
            _ => match check_named(mark) {
                Some(check) => option.check = check,
                None => bail!("no such mark: {mark}"),
            },
        }
    }
    Ok(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_tables_are_valid() {
        for kind in KINDS {
            let spec = load(kind).unwrap().unwrap();
            let mut names = BTreeSet::new();
            for option in spec.options() {
                assert!(names.insert(option.name), "{kind}: {}", option.name);
                assert!(option.default.is_empty() || (option.check)(option.default).is_ok());
                assert!(!option.heading.is_empty(), "{kind}: {}", option.name);
            }
            assert!(names.contains("quiet"));
        }
        assert!(load("other").unwrap().is_none());
    }

    #[test]
    fn an_entry_has_marks_and_a_default() {
        let table =
            "Limits\n--docs N = 5 (number, changeable)\n  documents\n  retrieved\n--force\n  do\n";
        let options = parse_table(table, &[]).unwrap();
        let docs = &options[0];
        assert_eq!((docs.name, docs.value, docs.default), ("docs", "N", "5"));
        assert!(docs.is_changeable && docs.is_stored && (docs.check)("x").is_err());
        assert_eq!(
            (docs.help.as_str(), docs.heading),
            ("documents retrieved", "Limits")
        );
        assert_eq!(options[1].arity, Arity::Flag);
        for wrong in ["--docs N (nonsense)\n  x\n", "--docs\n", "  help\n"] {
            assert!(parse_table(wrong, &[]).is_err(), "{wrong}");
        }
    }
}
