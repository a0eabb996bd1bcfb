//! A run: its folder, settings, script and messages.

use crate::child;
use crate::command_line::CommandLine;
use crate::console::{Console, shell_quote};
use crate::files;
use crate::pipeline::Pipeline;
use crate::settings::{Settings, is_storable};
use crate::tools::{self, Line, line};
use anyhow::{Result, bail, ensure};
use forage_cli::Politeness;
use forage_record::time::format_rfc3339;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// What all parts of this program know of the run.
pub struct Run {
    pub pipeline: &'static Pipeline,
    pub line: CommandLine,
    pub settings: Settings,
    pub console: Console,
    /// The folder, as the user named it. A trial has another one.
    pub folder: String,
    /// Whether the script is run by bash.
    pub is_bash: bool,
    /// Whether the run can be resumed only with `--trust`.
    pub needs_trust: bool,
    /// The time before which what was asked is asked again (`--refresh`), the same in all steps of
    /// this session.
    pub refresh: Option<SystemTime>,
}

impl Run {
    /// Returns the path of a file of the run, as a tool gets it.
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// Returns the path of a file of the run.
    pub fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.folder).join(name)
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> PathBuf {
        self.path("journal.jsonl")
    }

    /// Returns whether the run is only tried, in a temporary folder if it is new.
    pub fn is_trial(&self) -> bool {
        self.line.has("check") || self.line.has("dry-run")
    }

    /// Returns whether a run that exists is only tried, and so stays as it is.
    pub fn is_trial_of_existing(&self) -> bool {
        self.is_trial() && self.line.is_resumed
    }

    /// Returns whether the user trusts the folder.
    pub fn trusts(&self) -> bool {
        self.line.has("trust")
    }

    /// Returns whether the folder can be resumed only with `--trust`.
    pub fn is_refused_without_trust(&self) -> bool {
        files::check_links(self.folder.as_ref(), false).is_err()
            || Settings::read(&self.path("run.conf"), self.pipeline, false).is_err()
    }

    /// How the user continues the run.
    pub fn resumption(&self) -> String {
        let trust = if self.needs_trust { " --trust" } else { "" };
        format!("--resume {}{trust}", shell_quote(&self.folder))
    }

    /// The command that counts records in the statistics and the journal.
    pub fn stats(&self) -> Line {
        let mut stats = line(
            "update-stats --stats {} --journal {}",
            [&self.file("stats.db"), &self.file("journal.jsonl")],
        );
        stats.extend(self.settings.options(&["ascii-folding"]));
        stats
    }

    /// The command that asks engines, without the options of a step.
    pub fn search(&self, engines: &[String]) -> Line {
        let mut search = line("search", []);
        search.extend(engines.iter().map(|engine| format!("--engine={engine}")));
        let patience = self.settings.get("patience").replace("none", "0");
        search.push(format!("--patience={patience}"));
        search.extend(self.quiet());
        search.extend(self.settings.options(&["contact"]));
        search.extend(self.refresh());
        search.extend(self.settings.options_of::<search::Pace>());
        search
    }

    /// The option of a tool that reads records of the user.
    pub fn text_field(&self) -> Option<String> {
        let name = self.line.value("text-field");
        (!name.is_empty()).then(|| format!("--text-field={name}"))
    }

    /// The option of a tool that asks again for what is old.
    pub fn refresh(&self) -> Option<String> {
        let before = self.refresh.map(format_rfc3339);
        before.map(|before| format!("--refresh={before}"))
    }

    /// The option of a tool in a quiet run.
    pub fn quiet(&self) -> Option<String> {
        self.console.is_quiet.then(|| "--quiet".into())
    }

    /// Writes the arguments of the tools that the script reads, one per line.
    pub fn write_args(&self, name: &str, args: &[String]) -> Result<()> {
        if self.is_trial_of_existing() {
            return Ok(());
        }
        if let Some(argument) = args.iter().find(|argument| argument.contains('\n')) {
            bail!("{}: has a line feed", argument.escape_debug());
        }
        let lines: String = args
            .iter()
            .map(|argument| format!("{argument}\n"))
            .collect();
        files::replace(&self.path("args").join(name), lines.as_bytes())
    }

    /// Calls a function of the script.
    pub fn call(&self, phase: &Phase, input: &[u8]) -> Result<Outcome> {
        let mut command = self.script_command(phase);
        let (status, output) = child::run(&mut command, input)?;
        Ok(Outcome {
            code: status.code().unwrap_or(2),
            output,
        })
    }

    /// Calls a function of the script, and returns its messages with its output.
    pub fn call_silently(&self, phase: &Phase) -> Result<(Outcome, String)> {
        let (status, output, printed) = child::run_silently(&mut self.script_command(phase))?;
        let code = status.code().unwrap_or(2);
        Ok((Outcome { code, output }, printed))
    }

    fn script_command(&self, phase: &Phase) -> Command {
        let script = &self.line.script;
        let mut command = if self.is_bash {
            // Without `env` in between, which takes a millisecond.
            let mut bash = Command::new("bash");
            bash.arg(script);
            bash
        } else {
            // A name without a folder would be searched on the PATH.
            let is_name = script.parent() == Some(Path::new(""));
            Command::new(if is_name {
                Path::new(".").join(script)
            } else {
                script.clone()
            })
        };
        command.arg(phase.name).args(&phase.args);
        command.stdout(match phase.output {
            PhaseOutput::Read => Stdio::piped(),
            PhaseOutput::Shown => Stdio::inherit(),
            PhaseOutput::Dropped => Stdio::null(),
        });
        command
            .env("RUN", &self.folder)
            .env("FORAGE_RUN", &self.folder)
            .envs(phase.variables.iter().cloned());
        let verbosity = match (self.console.is_quiet, self.console.has_status_line) {
            (true, _) => "--quiet",
            (false, true) => "",
            (false, false) => "--verbose",
        };
        command.env("VERBOSITY", verbosity);
        if self.console.has_status_line {
            command.env(forage_cli::STATUS_LINE, "1");
        }
        command.env("QUIET", if self.console.is_quiet { "1" } else { "" });
        command
    }
}

/// A call of a function of the script.
#[derive(Default)]
pub struct Phase {
    pub name: &'static str,
    pub args: Line,
    pub variables: Vec<(&'static str, String)>,
    pub output: PhaseOutput,
}

/// What becomes of the standard output of a phase.
#[derive(Default)]
pub enum PhaseOutput {
    /// It is read, so it has to fit in memory.
    #[default]
    Read,
    /// It is that of the pipeline.
    Shown,
    Dropped,
}

/// How a function of the script has ended.
pub struct Outcome {
    pub code: i32,
    pub output: Vec<u8>,
}

impl Outcome {
    /// Returns whether the phase has succeeded.
    pub fn is_success(&self) -> bool {
        self.code == 0
    }

    /// Returns the output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// Returns an engine, with the path of an embedded index made absolute, so that the run can be
/// resumed from any folder.
pub fn absolute_engine(option: &str, engine: &str) -> Result<String> {
    let Some(folder) = engine.strip_prefix("index:") else {
        return Ok(engine.into());
    };
    match files::absolute(folder).filter(|path| Path::new(path).is_dir()) {
        Some(path) if is_storable(&path) => Ok(format!("index:{path}")),
        Some(_) => bail!("the name of a folder in run.conf cannot have a control character"),
        None => bail!("--{option} {engine}: no such folder"),
    }
}

/// Refuses the settings of a resumed run that lack one of these.
pub fn require_settings(run: &Run, names: &[&str]) -> Result<()> {
    let lacks = |name: &&&str| !run.settings.is_set(name) && run.settings.list(name).is_empty();
    match names.iter().find(lacks) {
        Some(name) => bail!(
            "{}: has no {name}=; the file is damaged",
            run.file("run.conf")
        ),
        None => Ok(()),
    }
}

/// Refuses a start without required options.
pub fn require_options(options: &[(&str, bool)]) -> Result<()> {
    let missing = options.iter().filter(|(_, is_given)| !is_given);
    let missing: Vec<&str> = missing.map(|(option, _)| *option).collect();
    match missing[..] {
        [] => Ok(()),
        [option] => bail!("{option} is required; see --help"),
        _ => bail!("{} are required; see --help", missing.join(", ")),
    }
}

/// Checks that someone can be contacted, before an engine is called and paid.
pub fn require_contact(run: &Run, fetched: &str) -> Result<()> {
    if run.settings.is_set("contact") {
        return Ok(());
    }
    let is_in_environment = forage_cli::contact_of_environment()?.is_some();
    ensure!(
        is_in_environment || run.settings.is_set("connect-to"),
        "--contact MAIL is required, or FORAGE_CONTACT; it is sent to the servers that \
         {fetched} are fetched from"
    );
    Ok(())
}

/// Returns the command that fetches pages. A run that exists is tried without its files.
pub fn fetch_command(run: &Run, extra: &[String]) -> Line {
    let mut fetch = bare_fetch_command(run);
    if !run.is_trial_of_existing() {
        for (option, file) in [("--warc", "pages.warc.gz"), ("--hosts", "hosts.db")] {
            fetch.extend([option.into(), run.file(file)]);
        }
    }
    fetch.extend(extra.iter().cloned());
    fetch
}

/// Returns the command that fetches pages, without files of the run.
pub fn bare_fetch_command(run: &Run) -> Line {
    let mut fetch = line("fetch-extract", []);
    fetch.extend(run.settings.options_of::<Politeness>());
    fetch.extend(run.refresh());
    if run.settings.get("patience") != "none" {
        fetch.extend(run.settings.options(&["patience"]));
    }
    fetch
}

/// Returns the command of `--filter`. It may use paths relative to the folder in which the run was
/// started.
pub fn user_filter(run: &Run) -> Line {
    let script = "cd -- \"$1\" && eval \"$2\"";
    let (folder, filter) = (run.settings.get("folder"), run.settings.get("filter"));
    line("bash -c {} filter {} {}", [script, folder, filter])
}

/// Sets the folder in which the command of `--filter` is run.
pub fn set_filter_folder(run: &mut Run) -> Result<()> {
    let mut folder = String::new();
    if run.settings.is_set("filter") {
        folder = std::env::current_dir()?.display().to_string();
    }
    if !is_storable(&folder) {
        bail!("the name of a folder in run.conf cannot have a control character");
    }
    run.settings.set("folder", &folder);
    Ok(())
}

/// Checks that the filter works on empty input.
pub fn try_filter(run: &Run, filter: &[String]) -> Result<()> {
    let (status, _) = tools::run(filter)?;
    let option = if run.settings.is_set("filter") {
        "--filter: "
    } else {
        ""
    };
    if !status.success() {
        bail!("{option}the filter fails even on empty input");
    }
    Ok(())
}
