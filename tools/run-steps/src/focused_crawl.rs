//! The loop of focused-crawl.

mod initial;
mod seeds;

use crate::files::{check_readable, count_lines, format_counts, label_of, visit_lines_with};
use crate::initial::with_copies;
use crate::pipeline::PAPER;
use crate::run::{
    Run, absolute_engine, bare_fetch_command, fetch_command, require_contact, require_settings,
    set_filter_folder, try_filter, user_filter,
};
use crate::session::{Loop, Schedule, Session, TriedEngine, read_initial_records};
use crate::tools::{self, Line, line};
use crate::totals::{Totals, has_limit};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A run that follows links.
#[derive(Default)]
pub struct FocusedCrawl {
    core: Vec<String>,
    seeds: String,
    scope: Line,
    in_links: Line,
    filter: Line,
    /// The filter without the profile.
    unprofiled: Line,
    schedule: Option<Schedule>,
}

impl Loop for FocusedCrawl {
    fn check(&mut self, run: &mut Run) -> Result<()> {
        tools::require(
            "frontier fetch-extract dedup topic-profile topic-filter search update-stats corpus-export",
        )?;
        self.core = run.line.values("core").to_vec();
        self.seeds = run.line.value("seeds").to_owned();
        if run.line.is_resumed {
            if !run.settings.is_set("filter") {
                require_settings(run, &["init"])?;
            }
        } else {
            self.check_files(run)?;
        }
        check_combinations(run)?;
        self.check_frontier(run)?;
        check_profile(run)?;
        tools::output(&bare_fetch_command(run))?;
        self.set_in_links(run)
    }

    fn start(&mut self, run: &mut Run) -> Result<()> {
        set_filter_folder(run)?;
        self.copy_initial_files(run)?;
        make_profile(run)
    }

    fn set_up(&mut self, run: &mut Run) -> Result<()> {
        if let Some(interval) = run.settings.number("variable-part") {
            self.schedule = Some(Schedule::Every(interval, 0));
        }
        self.set_filter(run);
        let mut fetch = fetch_command(run, &line("--links", []));
        fetch.remove(0);
        run.write_args("fetch-extract", &fetch)?;
        run.write_args("filter", &self.filter)?;
        run.write_args("in-links", self.in_links.get(1..).unwrap_or_default())?;
        run.write_args("frontier", &self.scope)?;
        run.write_args("choice", &run.settings.options_of::<frontier::Choice>())?;
        run.write_args("learn", &learning_options(run))
    }

    fn describe(&self, run: &Run) -> Result<String> {
        let core = read_initial_records(run)?;
        let documents = core.lines().filter(|line| !line.is_empty()).count();
        let core = match documents {
            0 => String::new(),
            _ => format!("core: {documents} documents; "),
        };
        let seeds = count_lines(&run.path("init/seeds.jsonl"))?;
        Ok(format!("{core}seeds: {seeds} URLs"))
    }

    /// The engine of in-links, if there is one.
    fn engines(&self, run: &Run) -> Vec<TriedEngine> {
        let given = run.settings.get("in-links");
        if given.is_empty() {
            return Vec::new();
        }
        vec![TriedEngine {
            option: "in-links",
            given: given.into(),
            command: run.search(&[given.into()]),
            word: None,
        }]
    }

    fn fetch(&self, run: &Run) -> Option<Line> {
        Some(fetch_command(run, &line("--links", [])))
    }

    fn try_pages(&self, session: &Session) -> Result<String> {
        seeds::try_seeds(
            &session.run,
            &fetch_command(&session.run, &line("--links", [])),
        )
    }

    fn try_step(&self, session: &Session) -> Result<()> {
        let mut filter = self.filter.clone();
        if !session.run.settings.is_set("filter") {
            // What it says of the thresholds was said when they were fitted.
            filter.push("--quiet".into());
        }
        try_filter(&session.run, &filter)
    }

    fn targets(&self, run: &Run) -> Vec<String> {
        vec![run.settings.get("target").to_owned()]
    }

    fn step_size(&self, run: &Run, totals: &Totals) -> u64 {
        let left = |limit| totals.left(limit, &run.settings);
        let batch = run.settings.number("batch").unwrap_or(1);
        batch.min(left("docs")).min(left("pages"))
    }

    fn has_stateful_filter(&self) -> bool {
        !self.unprofiled.is_empty()
    }

    fn schedule(&mut self) -> Option<&mut Schedule> {
        self.schedule.as_mut()
    }

    fn use_profiles(&mut self, run: &Run, profiles: Vec<String>, _is_final: bool) -> Result<()> {
        let profile = profiles.last().map_or("", String::as_str);
        self.filter = self.unprofiled.clone();
        self.filter.extend(line("--profile {}", [profile]));
        run.write_args("filter", &self.filter)
    }

    fn engine(&self) -> Option<Line> {
        None
    }

    fn count_pages(&self, run: &Run) -> Result<u64> {
        let mut frontier = line("frontier --report --state {}", [&run.file("frontier.db")]);
        frontier.extend(self.scope.iter().cloned());
        let report: Value = serde_json::from_str(&tools::output(&frontier)?)?;
        report["given"]
            .as_u64()
            .context("the frontier cannot be read")
    }

    fn advice(&self, _run: &Run) -> String {
        "more seeds may find more".into()
    }

    /// Reports what a user may want to change, if the filter has accepted nothing.
    fn report_end(&self, run: &Run, totals: &Totals) {
        let journal = run.journal();
        if totals.docs > 0 && totals.relevant == 0 {
            let labels = count_labels(&journal);
            let target = run.settings.get("target");
            run.console.say(match run.settings.is_set("filter") {
                true => format!(
                    "no document has the label {target} (--target); the filter gave: {labels}"
                ),
                false => {
                    "no document is relevant; --recognise 0.9 accepts more, or a larger core".into()
                }
            });
        }
    }
}

/// Writes the five most frequent labels of the documents of steps.
fn count_labels(journal: &Path) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    visit_lines_with(journal, "\"step\":", |record| {
        if let Some(label) = label_of(&record) {
            *counts.entry(label).or_default() += 1;
        }
    });
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(5);
    match counts.is_empty() {
        true => "none".into(),
        false => format_counts(counts),
    }
}

fn check_combinations(run: &mut Run) -> Result<()> {
    require_contact(run, "pages")?;
    let settings = &mut run.settings;
    if !has_limit(settings) {
        settings.set("pages", "1000");
    }
    settings.refuse_together(
        "filter",
        "profile thresholds recognise directory variable-part",
        "\
        --profile, --thresholds, --recognise, --directory and --variable-part are for \
        topic-filter, which --filter replaces",
    )?;
    let message = "--lang: a profile names its language; remove --lang";
    settings.refuse_together("lang", "profile", message)?;
    let message = "--thresholds and --recognise: give one of them";
    settings.refuse_together("thresholds", "recognise", message)
}

/// Checks the profile that the user gives.
fn check_profile(run: &Run) -> Result<()> {
    if run.settings.is_set("profile") && !run.line.is_resumed {
        let mut read = line("topic-filter --thresholds {}", [ANY_THRESHOLDS]);
        read.extend(run.settings.options(&["profile"]));
        tools::output(&read)?;
    }
    Ok(())
}

/// The option with which topic-filter judges as the paper prints it.
fn printed_rules(run: &Run) -> Option<String> {
    run.settings.is_set(PAPER).then(|| "--paper".into())
}

/// The options with which topic-profile adds a variable part.
fn learning_options(run: &Run) -> Line {
    let profile = run.file("init/filter.tsv");
    let (folder, interval) = (run.file("filter"), run.settings.get("variable-part"));
    let mut options = line(
        "--update {} --profile {} --every {}",
        [&folder, &profile, interval],
    );
    options.extend(run.settings.options(&["seed"]));
    options.extend(run.quiet());
    options
}

/// Proposes the profile, unless there is one, and writes the scores of the core by it, to which the
/// thresholds are fitted, unless they are given.
fn make_profile(run: &mut Run) -> Result<()> {
    if run.settings.is_set("filter") {
        return Ok(());
    }
    let (profile, core) = (run.file("init/filter.tsv"), run.file("init/core.jsonl"));
    if !Path::new(&profile).is_file() {
        let mut propose = line("topic-profile --out {}", [&profile]);
        propose.extend(run.settings.options_of::<topic_profile::LanguageArgs>());
        propose.extend(run.quiet());
        propose.push(core.clone());
        tools::output(&propose)?;
    }
    if run.settings.is_set("thresholds") {
        return Ok(());
    }
    let template = "topic-filter --quiet --force --profile {} --thresholds {} {}";
    let mut judge = line(template, [&profile, ANY_THRESHOLDS, &core]);
    judge.extend(printed_rules(run));
    let scores = scores_of_core(&tools::output(&judge)?)?;
    std::fs::write(run.file(CORE_SCORES), scores)?;
    let mut fit = line("topic-filter --print-thresholds --profile {}", [&profile]);
    fit.extend(core_fit(run));
    fit.extend(printed_rules(run));
    fit.extend(run.quiet());
    tools::output(&fit).map(drop)
}

/// The scores of the core, in the folder of the run.
const CORE_SCORES: &str = "init/core-scores.jsonl";

/// Thresholds for a call in which they do not matter.
const ANY_THRESHOLDS: &str = "vsm=1,term=1,pair=1,triple=1";

/// Returns the records of a core with their scores alone.
fn scores_of_core(records: &str) -> Result<String> {
    let mut lines = String::new();
    for record in records.lines() {
        let record: Value = serde_json::from_str(record)?;
        if let Some(scores) = record["topic"].get("scores") {
            let scores = serde_json::json!({"topic": {"scores": scores}});
            lines.push_str(&format!("{scores}\n"));
        }
    }
    Ok(lines)
}

/// The options by which topic-filter fits the thresholds to the core.
fn core_fit(run: &Run) -> Line {
    let mut fit = line("--fit {}", [&run.file(CORE_SCORES)]);
    fit.extend(run.settings.options(&["recognise"]));
    fit
}

impl FocusedCrawl {
    fn check_files(&self, run: &Run) -> Result<()> {
        if self.seeds.is_empty() {
            bail!("--seeds FILE is required: URLs from which the crawl starts; see --help");
        }
        if self.core.is_empty() && !run.settings.is_set("filter") {
            bail!("--core FILE is required: documents on the subject, 100 or more; see --help");
        }
        for file in &self.core {
            if Path::new(file).is_dir() {
                bail!("--core {file}: is a folder; name its files, as in {file}/*");
            }
            check_readable("--core ", file)?;
        }
        check_readable("", &self.seeds)?;
        match run.settings.get("profile") {
            "" => Ok(()),
            profile => check_readable("", profile),
        }
    }

    /// Sets the options of the frontier. Misspelt ones are reported before any file is written.
    fn check_frontier(&mut self, run: &Run) -> Result<()> {
        self.scope = with_copies(run).options_of::<frontier::Scope>();
        // A resumed run has copies only.
        let given = match run.line.is_resumed {
            true => self.scope.clone(),
            false => run.settings.options_of::<frontier::Scope>(),
        };
        let empty = tempfile::tempdir()?;
        let state = empty.path().join("frontier.db").display().to_string();
        let mut frontier = line("frontier --state {} --next 1", [&state]);
        frontier.extend(run.settings.options_of::<frontier::Choice>());
        frontier.extend(given);
        tools::output(&frontier).map(drop)
    }

    /// Sets the command that adds the in-links of relevant pages; none without `--in-links`. An
    /// engine that does not know in-links is refused here: without input, none is called.
    fn set_in_links(&mut self, run: &mut Run) -> Result<()> {
        if matches!(run.settings.get("in-links"), "" | "none") {
            run.settings.set("in-links", "");
            return Ok(());
        }
        let engine = absolute_engine("in-links", run.settings.get("in-links"))?;
        run.settings.set("in-links", &engine);
        let target = run.settings.get("target");
        self.in_links = line(
            "search --in-links --engine {} --target {}",
            [&engine, target],
        );
        self.in_links.extend(run.settings.options(&["contact"]));
        self.in_links.extend(run.quiet());
        tools::output(&self.in_links).map(drop)
    }

    /// Sets the filter, which writes the class of each record to `label`.
    fn set_filter(&mut self, run: &Run) {
        if run.settings.is_set("filter") {
            self.filter = user_filter(run);
            return;
        }
        let settings = &run.settings;
        let labels = format!("{},off-topic", settings.get("target"));
        let mut filter = line(
            "topic-filter --labels {} --state {}",
            [&labels, &run.file("sites.db")],
        );
        filter.extend(settings.options(&["thresholds", "directory"]));
        if !settings.is_set("thresholds") {
            filter.extend(core_fit(run));
        }
        filter.extend(printed_rules(run));
        self.unprofiled.clone_from(&filter);
        filter.extend(line("--profile {}", [&run.file("init/filter.tsv")]));
        self.filter = filter;
    }
}
