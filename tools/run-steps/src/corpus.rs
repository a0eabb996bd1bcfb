//! The loop of corpus-builder and autocor.

use crate::initial::{Codes, Init, check_inits, check_labels, copy_host_list, copy_inits};
use crate::known::{check_known, expand_known, index_known};
use crate::run::{
    Run, absolute_engine, fetch_command, require_contact, require_options, set_filter_folder,
    try_filter, user_filter,
};
use crate::session::{Loop, Schedule, Session, ensure_success};
use crate::tools::{self, Line, line};
use crate::totals::{Totals, has_limit};
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

/// The number of documents from which a bootstrapped filter learns for the first time.
const FIRST_LEVEL: u64 = 10;

/// A run that collects documents of classes by queries.
#[derive(Default)]
pub struct Corpus {
    inits: Vec<Init>,
    codes: Codes,
    /// The engine as the user gave it.
    pub given_engine: String,
    /// `search` with its engine.
    pub engine_command: Line,
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

impl Loop for Corpus {
    fn check(&mut self, run: &mut Run) -> Result<()> {
        tools::require(&[
            "gen-query",
            "search",
            "dedup",
            "langid",
            "update-stats",
            "corpus-export",
        ])?;
        check_combinations(run)?;
        if run.line.is_resumed {
            let settings = &run.settings;
            let is_complete = settings.is_set("target")
                && settings.is_set("engine")
                && !settings.list("init").is_empty();
            if !is_complete {
                bail!(
                    "{}: has no target=, engine= or init=; the file is damaged",
                    run.file("run.conf")
                );
            }
            for init in run.settings.list("init") {
                self.inits.push(Init::parse(init)?);
            }
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
        for option in ["hosts-allow", "hosts-deny"] {
            copy_host_list(run, option)?;
        }
        // A list of hosts that cannot be read is refused before the first query.
        let mut search = line(["search", "--engine", run.settings.get("engine"), "--quiet"]);
        run.append_options(&["hosts-allow", "hosts-deny"], &mut search);
        tools::output(&search)?;
        index_known(run)
    }

    fn set_up(&mut self, run: &mut Run) -> Result<()> {
        self.set_engine_command(run);
        self.set_filter(run)?;
        if run.settings.is_set("filter") {
            try_filter(run, &self.filter)?;
        }
        let is_trial = run.line.has("check") || run.line.has("dry-run");
        if run.line.is_resumed {
            check_known(run, &self.search(run), is_trial)?;
        } else if self.uses_langid(run) {
            let unknown = [&self.learned[..], &self.bootstrapped].concat();
            check_labels(run, &self.inits, &self.filter, &self.targets(run), &unknown)?;
        }
        if is_trial && run.line.is_resumed {
            return Ok(());
        }
        let mut dedup = Line::new();
        if !run.settings.list("known").is_empty() {
            dedup = line(["--against", &run.file("known.db")]);
        }
        let mut strategy = self.strategy.clone();
        run.append_options(&["seed"], &mut strategy);
        run.write_args("gen-query", &strategy)?;
        run.write_args("search", &self.search(run)[1..])?;
        run.write_args("fetch", &self.fetch(run)?)?;
        run.write_args("dedup", &dedup)?;
        run.write_args("filter", &self.filter)?;
        run.write_args("final-filter", &line(["cat"]))?;
        run.write_args("learn", &self.learning_options(run))?;
        run.write_args("update-stats", &run.stats()[5..])
    }

    fn try_out(&mut self, session: &mut Session) -> Result<Option<ExitCode>> {
        let line = &session.run.line;
        if line.has("check") {
            crate::trial::check_run(&session.run, self)?;
        } else if line.has("dry-run") {
            if line.is_resumed {
                bail!("--dry-run shows the first query of a new run");
            }
            crate::trial::show_first_queries(session, self)?;
        } else {
            return Ok(None);
        }
        Ok(Some(ExitCode::SUCCESS))
    }

    fn init_options(&self, run: &Run) -> Line {
        if !run.settings.is_set("seeds-per-round") {
            return Line::new();
        }
        // A round is one step of each target.
        let mut options = line(["--round", &self.targets(run).len().to_string()]);
        run.append_options(&["seeds-per-round", "seed"], &mut options);
        options
    }

    fn try_step(&self, session: &Session) -> Result<()> {
        // Messages about an exhausted target are dropped here; the loop repeats them.
        let (outcome, messages) = session.run.call_silently(&session.query_phase(self, 0))?;
        if !outcome.is_success() {
            crate::console::print_error_text(&messages);
        }
        ensure_success(&outcome)?;
        tools::output(&self.search(&session.run))?;
        Ok(())
    }

    fn targets(&self, run: &Run) -> Vec<String> {
        run.settings
            .get("target")
            .split(',')
            .map(str::to_owned)
            .collect()
    }

    /// A batch, or what is left of the limits. The words that are left are as many documents as the
    /// mean length of those in the corpus says, and at least one.
    fn step_size(&self, run: &Run, totals: &Totals) -> u64 {
        let settings = &run.settings;
        let batch = settings
            .number("batch")
            .or_else(|| settings.number("page-size"));
        let left = totals
            .left("docs", settings)
            .min(totals.left("relevant", settings));
        let size = batch.unwrap_or(1).min(left);
        if !settings.is_set("words") || totals.collected == 0 || totals.words == 0 {
            return size;
        }
        let mean = totals.words.div_ceil(totals.collected);
        size.min(totals.left("words", settings).div_ceil(mean))
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
        let mut filter = line(["langid"]);
        filter.extend(self.langid_options.iter().cloned());
        for profile in profiles {
            filter.extend(["--profile".into(), profile]);
        }
        if is_final {
            // The last profile labels all documents again.
            filter.extend(line(["--force", "--quiet"]));
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
        if ["hosts-allow", "hosts-deny", "per-host"]
            .iter()
            .any(|option| settings.is_set(option))
        {
            advice += "; hits that --hosts-allow, --hosts-deny and --per-host exclude were skipped";
        }
        advice
    }
}

/// Refuses options that exclude each other, and sets the default limit.
fn check_combinations(run: &mut Run) -> Result<()> {
    let line = &run.line;
    let trials = ["--check", "--dry-run", "--check-arguments"];
    let given: Vec<&str> = trials
        .into_iter()
        .filter(|trial| line.has(&trial[2..]))
        .collect();
    if given.len() > 1 {
        bail!("give one of {}", given.join(", "));
    }
    let settings = &mut run.settings;
    if !has_limit(settings) && !settings.is_set("until-coverage") {
        settings.set("docs", "1000");
    }
    let is_any_set = |names: &[&str]| names.iter().any(|name| settings.is_set(name));
    if settings.is_set("learn") && is_any_set(&["include", "exclude"]) {
        bail!("--include and --exclude cannot be combined with --learn, which chooses the terms");
    }
    if !settings.is_set("learn") && is_any_set(&["lengths", "no-result-penalty", "beta"]) {
        bail!("--lengths, --no-result-penalty and --beta are for --learn ml, lta, ltm and fm");
    }
    let langid_options = ["bootstrap-filter", "without", "langid-method"];
    if settings.is_set("filter") && is_any_set(&langid_options) {
        bail!(
            "--bootstrap-filter, --without and --langid-method are options for langid, which \
             --filter replaces"
        );
    }
    if settings.is_set("langid-method") && settings.is_set("bootstrap-filter") {
        bail!("--langid-method and --bootstrap-filter cannot be combined");
    }
    if settings.get("classifier").starts_with("run")
        && is_any_set(&["filter", "bootstrap-filter", "without", "langid-method"])
    {
        bail!(
            "--filter, --bootstrap-filter, --without and --langid-method cannot be combined with \
             --classifier run"
        );
    }
    Ok(())
}

impl Corpus {
    /// Checks the classes and the initial documents of a new run, and chooses the default strategy.
    fn check_new(&mut self, run: &mut Run) -> Result<()> {
        let is_autocor = run.spec.kind == "autocor";
        if is_autocor {
            require_options(&[("--targets CLASSES", !run.line.value("targets").is_empty())])?;
        } else {
            let settings = &run.settings;
            require_options(&[
                ("--target", settings.is_set("target")),
                ("--engine", settings.is_set("engine")),
            ])?;
        }
        for init in run.settings.list("init") {
            self.inits.push(Init::parse(init)?);
        }
        if is_autocor {
            set_autocor_classes(run)?;
        }
        self.resolve_classes(run)?;
        let kind = if is_autocor {
            "each language"
        } else {
            "each class"
        };
        let form = if is_autocor {
            "document"
        } else {
            "document or word list"
        };
        let versus = run.settings.get("versus");
        let others = if is_autocor {
            run.line.value("others")
        } else {
            versus
        };
        let others = self
            .codes
            .relabel(if others == "all" { "" } else { others });
        let targets = self.targets(run);
        let classes: Vec<&str> = targets
            .iter()
            .map(String::as_str)
            .chain(others.split(','))
            .collect();
        if is_autocor {
            self.check_distinct(run)?;
        }
        for class in classes.into_iter().filter(|class| !class.is_empty()) {
            if !self.inits.iter().any(|init| init.class == class) {
                let typed = self.codes.typed(class);
                bail!("--init {typed}=FILE is required: at least one {form} of {kind}");
            }
        }
        require_options(&[("--engine", run.settings.is_set("engine"))])?;
        check_inits(&self.inits)?;
        self.check_classes(run)?;
        expand_known(run)?;
        choose_default_strategy(run);
        Ok(())
    }

    /// Refuses a language of autocor that is given twice, perhaps by two codes.
    fn check_distinct(&self, run: &Run) -> Result<()> {
        let mut first: BTreeMap<&str, &str> = BTreeMap::new();
        let lists = [run.line.value("targets"), run.line.value("others")];
        for class in lists.into_iter().flat_map(|list| list.split(',')) {
            let earlier = first.insert(self.codes.label(class), class);
            if let Some(earlier) = earlier.filter(|_| !class.is_empty()) {
                let alias = if earlier == class {
                    String::new()
                } else {
                    format!(", as {earlier}")
                };
                bail!("{class}: is given twice in --targets and --others{alias}");
            }
        }
        Ok(())
    }

    fn uses_langid(&self, run: &Run) -> bool {
        !run.settings.is_set("filter") && !run.settings.get("classifier").starts_with("run")
    }

    /// Resolves the codes of classes, where langid labels the documents.
    fn resolve_classes(&mut self, run: &mut Run) -> Result<()> {
        if !self.uses_langid(run) {
            return Ok(());
        }
        let settings = &run.settings;
        let versus = Some(settings.get("versus")).filter(|versus| *versus != "all");
        let lists = [
            settings.get("target"),
            versus.unwrap_or_default(),
            run.line.value("others"),
        ];
        let inits = self.inits.iter().map(|init| init.class.as_str());
        let codes = lists
            .into_iter()
            .flat_map(|list| list.split(','))
            .chain(inits);
        let codes: BTreeSet<String> = codes
            .filter(|code| !code.is_empty())
            .map(str::to_owned)
            .collect();
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
    fn check_classes(&mut self, run: &Run) -> Result<()> {
        let settings = &run.settings;
        if settings.is_set("filter") {
            return Ok(());
        }
        run.append_options(&["without"], &mut self.langid_options);
        if settings.is_set("langid-method") {
            self.langid_options
                .extend(line(["--method", settings.get("langid-method")]));
        }
        let mut list = line(["langid", "--list"]);
        list.extend(self.langid_options.iter().cloned());
        let list = tools::output(&list)?;
        let known: BTreeSet<&str> = list
            .lines()
            .filter_map(|line| line.split('\t').next())
            .collect();
        let classes: BTreeSet<&String> = self.inits.iter().map(|init| &init.class).collect();
        for class in classes {
            if class.len() != 3 || !class.bytes().all(|byte| byte.is_ascii_lowercase()) {
                bail!(
                    "{class}: langid labels a language with its ISO 639-3 code of three letters, as \
                     in slv"
                );
            }
            // With --classifier run, every class is learned from the run.
            if settings.get("classifier").starts_with("run") || known.contains(class.as_str()) {
                continue;
            }
            tools::require(&["ngram-profile"])?;
            match settings.is_set("bootstrap-filter") {
                true => self.bootstrapped.push(class.clone()),
                false => self.learned.push(class.clone()),
            }
        }
        if settings.is_set("bootstrap-filter") && self.bootstrapped.is_empty() {
            bail!(
                "--bootstrap-filter: langid knows {} and all classes of --init; the option is for a \
                 language that langid does not know",
                self.codes.typed(settings.get("target"))
            );
        }
        self.schedule = (!self.bootstrapped.is_empty()).then_some(Schedule::Doubling(FIRST_LEVEL));
        Ok(())
    }

    /// Sets the options of gen-query. Misspelt options, and capabilities that the engine lacks, are
    /// reported before any file is written.
    fn set_strategy(&mut self, run: &Run) -> Result<()> {
        let settings = &run.settings;
        let mut strategy = Line::new();
        run.append_options(
            &["page-size", "max-pages", "batch", "recovery", "learn"],
            &mut strategy,
        );
        if !settings.is_set("learn") {
            for option in ["include", "exclude"] {
                let method = Some(settings.get(option)).filter(|method| !method.is_empty());
                strategy.extend([format!("--{option}"), method.unwrap_or("or:3").into()]);
            }
        }
        let options = [
            "lengths",
            "no-result-penalty",
            "beta",
            "prune",
            "until-coverage",
            "probability",
            "versus",
        ];
        run.append_options(&options, &mut strategy);
        let engine = settings.get("engine");
        let can = tools::output(&line(["search", "--engine", engine, "--capabilities"]))?;
        strategy.extend(["--engine-can".into(), can.trim().into()]);
        let mut check = line(["gen-query"]);
        check.extend(strategy.iter().cloned());
        check.push("--capabilities".into());
        let (code, needs, messages) = tools::run_silently(&check)?;
        if code != 0 {
            bail!("{}", strategy_error(run, &messages));
        }
        if !engine.starts_with("index:") {
            require_contact(run, "pages")?;
        }
        self.pages_itself = needs.split_whitespace().any(|need| need == "pages-itself");
        self.strategy = strategy;
        Ok(())
    }

    fn set_engine_command(&mut self, run: &Run) {
        let settings = &run.settings;
        let patience = settings.get("patience").replace("none", "0");
        self.engine_command = line([
            "search",
            "--engine",
            settings.get("engine"),
            "--patience",
            &patience,
        ]);
        self.engine_command.extend(run.quiet());
        run.append_options(&["contact", "rate"], &mut self.engine_command);
    }

    /// The command that retrieves hits, without the options of a step.
    fn search(&self, run: &Run) -> Line {
        let settings = &run.settings;
        let mut search = self.engine_command.clone();
        for option in ["hosts-allow", "hosts-deny"]
            .into_iter()
            .filter(|name| settings.is_set(name))
        {
            search.extend([format!("--{option}"), run.file(&format!("init/{option}"))]);
        }
        run.append_options(&["per-host"], &mut search);
        for file in settings.list("known") {
            search.extend(["--known".into(), file.clone()]);
        }
        if !settings.get("engine").starts_with("index:") {
            // An engine that fails may say that there are no hits.
            search.extend(line(["--max-empty", "20"]));
        }
        run.append_options(&["page-size", "max-pages"], &mut search);
        search.extend(self.pages_itself.then(|| "--by-page".into()));
        search
    }

    /// The command that fetches the hits.
    pub fn fetch(&self, run: &Run) -> Result<Line> {
        if run.settings.get("engine").starts_with("index:") {
            return Ok(line(["cat"])); // an embedded index has the texts
        }
        tools::require(&["fetch-extract"])?;
        // Words of navigation links are learned from the links of the pages.
        let is_learned = run
            .settings
            .get("prune")
            .split(',')
            .any(|terms| terms == "navigation");
        let links = if is_learned {
            line(["--links"])
        } else {
            Line::new()
        };
        fetch_command(run, &links)
    }

    /// Sets the filter, which writes the class of each record to `label`. A class without a profile
    /// in langid is learned from its initial documents; with `--bootstrap-filter`, from the documents
    /// that the run collects. With `--classifier run`, all classes are learned from both, and langid
    /// knows no others.
    fn set_filter(&mut self, run: &Run) -> Result<()> {
        if run.settings.is_set("filter") {
            self.filter = user_filter(run);
            return Ok(());
        }
        let classifier = run.settings.get("classifier");
        if classifier.starts_with("run") {
            self.filter = line(["langid", "--state", &run.file("profiles.db")]);
            if let Some(margin) = classifier.strip_prefix("run:") {
                self.filter.extend(line(["--min-margin", margin]));
            }
            return Ok(());
        }
        for class in &self.learned {
            let profile = run.file(&format!("init/{class}.profile"));
            if !Path::new(&profile).is_file() {
                let mut learn = line([
                    "ngram-profile",
                    "--quiet",
                    "--lang",
                    class,
                    "--out",
                    &profile,
                ]);
                let inits = run
                    .settings
                    .list("init")
                    .iter()
                    .filter_map(|init| init.split_once('='));
                learn.extend(
                    inits
                        .filter(|(of, _)| of == class)
                        .map(|(_, file)| run.file(file)),
                );
                tools::output(&learn)?;
            }
            self.langid_options.extend(line(["--profile", &profile]));
        }
        self.filter = line(["langid"]);
        self.filter.extend(self.langid_options.iter().cloned());
        Ok(())
    }

    /// The options with which ngram-profile learns a bootstrapped filter.
    fn learning_options(&self, run: &Run) -> Line {
        let mut options = line([
            "--lang",
            &self.bootstrapped.join(","),
            "--bootstrap",
            &run.file("filter"),
        ]);
        options.extend(self.langid_options.iter().cloned());
        options.extend(run.quiet());
        options
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

/// Lets `--learn auto` choose the queries of a new run on the web whose options do not say how,
/// because calls to an engine are what it costs, and fetches a page of hits at once. An embedded
/// index has the papers' loop.
fn choose_default_strategy(run: &mut Run) {
    let settings = &mut run.settings;
    let options = [
        "learn",
        "include",
        "exclude",
        "prune",
        "probability",
        "lengths",
        "no-result-penalty",
        "beta",
    ];
    let is_chosen = options.iter().any(|option| settings.is_set(option));
    let is_automatic = !settings.get("engine").starts_with("index:") && !is_chosen;
    if is_automatic {
        settings.set("learn", "auto");
    }
    if !settings.is_set("batch") {
        settings.set("batch", if is_automatic { "10" } else { "1" });
    }
    // The first hits of fixed queries are in the earlier corpus, which has often been collected with
    // the same ones.
    if !settings.is_set("learn") && !settings.list("known").is_empty() {
        run.console.inform(
            "--known with fixed queries: most of their hits may be in the earlier corpus, and cost \
             calls; recommended: --learn auto",
        );
    }
}

/// Writes the cause for which gen-query refuses its options, without its usage.
fn strategy_error(run: &Run, messages: &str) -> String {
    let is_cause = |line: &&str| {
        !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more information")
    };
    let lines: Vec<&str> = messages
        .lines()
        .filter(is_cause)
        .map(|line| line.strip_prefix("gen-query: ").unwrap_or(line).trim())
        .collect();
    let place = if run.line.is_resumed {
        run.file("run.conf") + ": "
    } else {
        String::new()
    };
    format!("{place}{}", lines.join("; "))
}
