//! The classes of a corpus, and their initial documents.

use super::Corpus;
use super::strategy::choose_default_strategy;
use crate::initial::{Codes, Init, check_inits};
use crate::known::expand_known;
use crate::run::{Run, require_options};
use crate::session::{Loop, Schedule};
use crate::tools::{self, line};
use anyhow::{Result, bail, ensure};
use langid::MethodArgs;
use std::collections::{BTreeMap, BTreeSet};

/// The number of documents from which a bootstrapped filter learns for the first time.
const FIRST_LEVEL: u64 = 10;

impl Corpus {
    /// Checks the classes and the initial documents of a new run, and chooses the default strategy.
    pub(super) fn check_new(&mut self, run: &mut Run) -> Result<()> {
        let is_autocor = run.pipeline.name == "autocor";
        if is_autocor {
            require_options(&[("--targets CLASSES", !run.line.value("targets").is_empty())])?;
        } else {
            let settings = &run.settings;
            require_options(&[
                ("--target", settings.is_set("target")),
                ("--engine", settings.is_set("engine")),
            ])?;
        }
        self.read_inits(run)?;
        if is_autocor {
            set_autocor_classes(run)?;
        }
        self.resolve_classes(run)?;
        let (needed, others) = match is_autocor {
            true => ("document of each language", run.line.value("others")),
            false => (
                "document or word list of each class",
                run.settings.get("versus"),
            ),
        };
        let others = self
            .codes
            .relabel(if others == "all" { "" } else { others });
        if is_autocor {
            self.check_distinct(run)?;
        }
        let targets = self.targets(run);
        let classes = targets.iter().map(String::as_str).chain(others.split(','));
        for class in classes.filter(|class| !class.is_empty()) {
            if !self.inits.iter().any(|init| init.class == class) {
                let typed = self.codes.typed(class);
                bail!("--init {typed}=FILE is required: at least one {needed}");
            }
        }
        require_options(&[("--engine", run.settings.is_set("engine"))])?;
        let engine = run.settings.get("engine");
        if let Some(site) = engine.strip_prefix("sitemap:") {
            let target = run.settings.get("target");
            bail!(
                "--engine {engine}: lists pages and answers no queries; collect them with \
                 `sites --target {target} --sites {site}`"
            );
        }
        check_inits(&self.inits)?;
        self.check_classes(run)?;
        expand_known(run)?;
        choose_default_strategy(run);
        Ok(())
    }

    /// Reads the initial documents in the settings.
    pub(super) fn read_inits(&mut self, run: &Run) -> Result<()> {
        let inits = run.settings.list("init").iter();
        self.inits = inits.map(|init| Init::parse(init)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Refuses a language of autocor that is given twice, perhaps by two codes.
    pub(super) fn check_distinct(&self, run: &Run) -> Result<()> {
        let mut first: BTreeMap<&str, &str> = BTreeMap::new();
        let lists = [run.line.value("targets"), run.line.value("others")];
        for class in lists.into_iter().flat_map(|list| list.split(',')) {
            let earlier = first.insert(self.codes.label(class), class);
            if let Some(earlier) = earlier.filter(|_| !class.is_empty()) {
                let alias = match earlier == class {
                    true => String::new(),
                    false => format!(", as {earlier}"),
                };
                bail!("{class}: is given twice in --targets and --others{alias}");
            }
        }
        Ok(())
    }

    pub(super) fn uses_langid(&self, run: &Run) -> bool {
        !run.settings.is_set("filter") && !run.settings.get("classifier").starts_with("run")
    }

    /// Resolves the codes of classes, where langid labels the documents.
    pub(super) fn resolve_classes(&mut self, run: &mut Run) -> Result<()> {
        if !self.uses_langid(run) {
            return Ok(());
        }
        let settings = &run.settings;
        let versus = Some(settings.get("versus")).filter(|versus| *versus != "all");
        let (target, others) = (settings.get("target"), run.line.value("others"));
        let lists = [target, versus.unwrap_or_default(), others].into_iter();
        let inits = self.inits.iter().map(|init| init.class.as_str());
        let codes = lists.flat_map(|list| list.split(',')).chain(inits);
        let codes = codes.filter(|code| !code.is_empty()).map(str::to_owned);
        let codes: BTreeSet<String> = codes.collect();
        self.codes = Codes::resolve(&codes, |message| run.console.inform(message))?;
        let target = self.codes.relabel(run.settings.get("target"));
        if let Some(versus) = versus.map(|versus| self.codes.relabel(versus)) {
            run.settings.set("versus", &versus);
        }
        run.settings.set("target", &target);
        for init in &mut self.inits {
            init.class = self.codes.label(&init.class).to_owned();
        }
        Ok(())
    }

    /// Sets the options of langid, and the classes without a profile in it.
    pub(super) fn check_classes(&mut self, run: &Run) -> Result<()> {
        let settings = &run.settings;
        if settings.is_set("filter") {
            return Ok(());
        }
        let mut method = settings.clone();
        method.set("method", settings.get("langid-method"));
        self.langid_options = method.options_of::<MethodArgs>();
        let mut list = line("langid --list", []);
        list.extend(self.langid_options.iter().cloned());
        let list = tools::output(&list)?;
        let known = list.lines().filter_map(|line| line.split('\t').next());
        let known: BTreeSet<&str> = known.collect();
        let classes: BTreeSet<&String> = self.inits.iter().map(|init| &init.class).collect();
        for class in classes {
            ensure!(
                class.len() == 3 && class.bytes().all(|byte| byte.is_ascii_lowercase()),
                "{class}: langid labels a language with its ISO 639-3 code of three letters, as in \
                 slv"
            );
            // With --classifier run, every class is learned from the run.
            if settings.get("classifier").starts_with("run") || known.contains(class.as_str()) {
                continue;
            }
            tools::require("ngram-profile")?;
            match settings.is_set("bootstrap-filter") {
                true => self.bootstrapped.push(class.clone()),
                false => self.learned.push(class.clone()),
            }
        }
        ensure!(
            !settings.is_set("bootstrap-filter") || !self.bootstrapped.is_empty(),
            "--bootstrap-filter: langid knows {} and all classes of --init; the option is for a \
             language that langid does not know",
            self.codes.typed(settings.get("target"))
        );
        self.schedule = (!self.bootstrapped.is_empty()).then_some(Schedule::Doubling(FIRST_LEVEL));
        Ok(())
    }
}

/// Sets the settings of corpus-builder from those of autocor.
fn set_autocor_classes(run: &mut Run) -> Result<()> {
    let (targets, others) = (run.line.value("targets"), run.line.value("others"));
    run.settings.set("target", targets);
    if run.line.value("contrast") == "others" {
        if others.is_empty() {
            bail!("--contrast others: there are none; --others CLASSES is required");
        }
        run.settings.set("versus", others);
    }
    if !run.line.has("no-prune") {
        run.settings.set("prune", "common,navigation");
    }
    Ok(())
}
