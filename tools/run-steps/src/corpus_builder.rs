//! The loop of corpus-builder and autocor.

mod classes;
mod strategy;

use crate::files::parse_record;
use crate::initial::{Codes, Init, check_labels, copy_host_lists, copy_inits, with_copies};
use crate::known::{check_known, index_known};
use crate::run::{
    Run, absolute_engine, fetch_command, require_settings, set_filter_folder, try_filter,
    user_filter,
};
use crate::session::{Loop, Schedule, Session, TriedEngine};
use crate::tools::{self, Line, line};
use crate::totals::Totals;
use crate::unknown_codes::check_unknown;
use anyhow::Result;
use forage_cli::{HostLists, Paging};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A run that collects documents of classes by queries.
#[derive(Default)]
pub struct Corpus {
    inits: Vec<Init>,
    codes: Codes,
    /// The engine as the user gave it.
    given_engine: String,
    /// `search` with its engine.
    engine_command: Line,
    strategy: Line,
    /// Whether the strategy asks for each page of hits itself.
    pages_itself: bool,
    langid_options: Line,
    /// Classes whose profiles are learned from initial documents, as langid has none.
    learned: Vec<String>,
    /// Classes whose profiles are learned from the documents of the run.
    bootstrapped: Vec<String>,
    schedule: Option<Schedule>,
    filter: Line,
}

/// Returns the most frequent word in the initial documents of the target, of four characters or
/// more, as stop words of engines are mostly shorter.
fn frequent_word(run: &Run) -> Option<String> {
    let prefix = format!("{}=", run.settings.get("target"));
    let inits = run.settings.list("init").iter();
    let files = inits
        .filter_map(|init| std::fs::read_to_string(run.path(init.strip_prefix(&prefix)?)).ok());
    let mut counts = BTreeMap::<String, u64>::new();
    for record in files.collect::<String>().lines().map(parse_record) {
        for term in forage_text::terms(record["text"].as_str().unwrap_or_default()).iter() {
            *counts.entry(term.into()).or_default() += u64::from(term.chars().count() >= 4);
        }
    }
    let most_frequent = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most_frequent.map(|(word, _)| word)
}

impl Loop for Corpus {
    fn check(&mut self, run: &mut Run) -> Result<()> {
        tools::require("gen-query search dedup langid update-stats corpus-export")?;
        strategy::check_combinations(run)?;
        if run.line.is_resumed {
            require_settings(run, &["target", "engine", "init"])?;
            self.read_inits(run)?;
            self.check_classes(run)?;
        } else {
            self.check_new(run)?;
        }
        self.set_strategy(run)?;
        self.given_engine = run.settings.get("engine").into();
        let engine = absolute_engine("engine", &self.given_engine)?;
        run.settings.set("engine", &engine);
        Ok(())
    }

    fn start(&mut self, run: &mut Run) -> Result<()> {
        set_filter_folder(run)?;
        copy_inits(run, &self.inits)?;
        copy_host_lists(run, &run.path("init"))?;
        // A list of hosts that cannot be read is refused before the first query.
        let mut search = line("search --engine {} --quiet", [run.settings.get("engine")]);
        search.extend(run.settings.options_of::<HostLists>());
        tools::output(&search)?;
        index_known(run)
    }

    fn set_up(&mut self, run: &mut Run) -> Result<()> {
        self.engine_command = run.search(&[run.settings.get("engine").into()]);
        let langid = [&line("langid", [])[..], &self.langid_options].concat();
        self.set_filter(run)?;
        if run.settings.is_set("filter") {
            try_filter(run, &self.filter)?;
        }
        if run.line.is_resumed {
            check_known(run, &self.search(run), run.is_trial())?;
        } else if self.uses_langid(run) {
            let unknown = [&self.learned[..], &self.bootstrapped].concat();
            check_labels(run, &self.inits, &self.filter, &self.targets(run), &unknown)?;
            check_unknown(run, &self.inits, &unknown, &langid)?;
        }
        let mut dedup = Line::new();
        if !run.settings.list("known").is_empty() {
            dedup = line("--against {}", [&run.file("known.db")]);
        }
        run.write_args("strategy", &self.strategy)?;
        run.write_args("search", &self.search(run)[1..])?;
        let fetch = self.fetch(run);
        if fetch.is_some() {
            tools::require("fetch-extract")?;
        }
        run.write_args("fetch", &fetch.unwrap_or_else(|| line("cat", [])))?;
        run.write_args("dedup", &dedup)?;
        run.write_args("filter", &self.filter)?;
        run.write_args("final-filter", &line("cat", []))?;
        run.write_args("learn", &self.learning_options(run))?;
        run.write_args("update-stats", &run.stats()[5..])
    }

    fn describe(&self, run: &Run) -> Result<String> {
        let inits = run.settings.list("init").iter();
        let classes: BTreeSet<&str> = inits
            .filter_map(|init| Some(init.split_once('=')?.0))
            .collect();
        let classes = Vec::from_iter(classes).join(" ");
        let target = run.settings.get("target");
        Ok(format!(
            "classes: target {target}; initial documents of {classes}"
        ))
    }

    fn engines(&self, run: &Run) -> Vec<TriedEngine> {
        vec![TriedEngine {
            option: "engine",
            given: self.given_engine.clone(),
            command: self.engine_command.clone(),
            word: frequent_word(run),
        }]
    }

    fn fetch(&self, run: &Run) -> Option<Line> {
        if run.settings.get("engine").starts_with("index:") {
            return None; // an embedded index has the texts
        }
        // Words of navigation links are learned from the links of the pages.
        let mut pruned = run.settings.get("prune").split(',');
        let is_learned = pruned.any(|terms| terms == "navigation");
        let links = is_learned.then(|| "--links".to_owned());
        Some(fetch_command(run, links.as_slice()))
    }

    fn init_options(&self, run: &Run) -> Line {
        if !run.settings.is_set("seeds-per-round") {
            return Line::new();
        }
        // A round is one step of each target.
        let mut options = line("--round {}", [&self.targets(run).len().to_string()]);
        options.extend(run.settings.options(&["seeds-per-round", "seed"]));
        options
    }

    fn try_step(&self, session: &Session) -> Result<()> {
        session.try_query(self, &self.search(&session.run))
    }

    fn targets(&self, run: &Run) -> Vec<String> {
        let targets = run.settings.get("target").split(',');
        targets.map(str::to_owned).collect()
    }

    /// A batch, or what is left of the limits. The words that are left are as many documents as the
    /// mean length of those in the corpus says, and at least one.
    fn step_size(&self, run: &Run, totals: &Totals) -> u64 {
        let settings = &run.settings;
        let left = |limit| totals.left(limit, settings);
        let batch = settings.number("batch").or(settings.number("page-size"));
        let size = batch.unwrap_or(1).min(left("docs")).min(left("relevant"));
        if !settings.is_set("words") || totals.collected == 0 || totals.words == 0 {
            return size;
        }
        let mean = totals.words.div_ceil(totals.collected);
        size.min(left("words").div_ceil(mean))
    }

    fn has_stateful_filter(&self) -> bool {
        self.filter.get(1).is_some_and(|option| option == "--state")
    }

    fn schedule(&mut self) -> Option<&mut Schedule> {
        self.schedule.as_mut()
    }

    fn learning_message(&self, totals: &Totals) -> Option<String> {
        let classes = self.bootstrapped.join(",");
        Some(format!(
            "learning the filter of {classes} from {} documents",
            totals.docs
        ))
    }

    fn use_profiles(&mut self, run: &Run, profiles: Vec<String>, is_final: bool) -> Result<()> {
        let mut filter = line("langid", []);
        filter.extend(self.langid_options.iter().cloned());
        for profile in profiles {
            filter.extend(["--profile".into(), profile]);
        }
        if is_final {
            // The last profile labels all documents again.
            filter.extend(line("--force --quiet", []));
            return run.write_args("final-filter", &filter);
        }
        run.write_args("filter", &filter)
    }

    fn learns_finally(&self) -> bool {
        true
    }

    fn engine(&self) -> Option<Line> {
        Some(self.engine_command.clone())
    }

    fn advice(&self, run: &Run) -> String {
        let settings = &run.settings;
        let mut advice = match settings.is_set("learn") {
            false => "more initial documents, or a new run with --learn auto, may find more",
            true => "more initial documents, or another engine, may find more",
        }
        .to_owned();
        if settings.is_any_set("hosts-allow hosts-deny per-host") {
            advice += "; hits that --hosts-allow, --hosts-deny and --per-host exclude were skipped";
        }
        advice
    }
}

impl Corpus {
    /// The command that retrieves hits, without the options of a step.
    fn search(&self, run: &Run) -> Line {
        let mut search = self.engine_command.clone();
        search.extend(with_copies(run).options_of::<search::Scope>());
        if !run.settings.get("engine").starts_with("index:") {
            // An engine that fails may say that there are no hits.
            search.extend(line("--max-empty 20", []));
        }
        search.extend(run.settings.options_of::<Paging>());
        search.extend(self.pages_itself.then(|| "--by-page".into()));
        search
    }

    /// Sets the filter, which writes the class of each record to `label`. A class without a profile
    /// in langid is learned from its initial documents; with `--bootstrap-filter`, from the
    /// documents that the run collects. With `--classifier run`, all classes are learned from both,
    /// and langid knows no others.
    fn set_filter(&mut self, run: &Run) -> Result<()> {
        if run.settings.is_set("filter") {
            self.filter = user_filter(run);
            return Ok(());
        }
        let classifier = run.settings.get("classifier");
        if classifier.starts_with("run") {
            self.filter = line("langid --state {}", [&run.file("profiles.db")]);
            if let Some(margin) = classifier.strip_prefix("run:") {
                self.filter.extend(line("--min-margin {}", [margin]));
            }
            return Ok(());
        }
        for class in &self.learned {
            let profile = run.file(&format!("init/{class}.profile"));
            if !Path::new(&profile).is_file() {
                let mut learn = line(
                    "ngram-profile --quiet --lang {} --out {}",
                    [class, &profile],
                );
                let inits = run.settings.list("init").iter();
                let inits = inits.filter_map(|init| init.split_once('='));
                let own = inits.filter(|(of, _)| of == class);
                learn.extend(own.map(|(_, file)| run.file(file)));
                tools::output(&learn)?;
            }
            self.langid_options.extend(line("--profile {}", [&profile]));
        }
        self.filter = line("langid", []);
        self.filter.extend(self.langid_options.iter().cloned());
        Ok(())
    }

    /// The options with which ngram-profile learns a bootstrapped filter.
    fn learning_options(&self, run: &Run) -> Line {
        let mut options = line(
            "--lang {} --bootstrap {}",
            [&self.bootstrapped.join(","), &run.file("filter")],
        );
        options.extend(self.langid_options.iter().cloned());
        options.extend(run.quiet());
        options
    }
}
