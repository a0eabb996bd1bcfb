//! How the queries of a corpus are chosen.

use super::Corpus;
use crate::run::{Run, require_contact};
use crate::tools::{self, line};
use crate::totals::has_limit;
use anyhow::{Result, bail, ensure};

/// Refuses options that exclude each other, and sets the default limit.
pub(super) fn check_combinations(run: &mut Run) -> Result<()> {
    let line = &run.line;
    let mut given = vec!["--check", "--dry-run", "--check-arguments"];
    given.retain(|trial| line.has(&trial[2..]));
    ensure!(given.len() <= 1, "give one of {}", given.join(", "));
    let settings = &mut run.settings;
    if !has_limit(settings) && !settings.is_set("until-coverage") {
        settings.set("docs", "1000");
    }
    let message =
        "--include and --exclude cannot be combined with --learn, which chooses the terms";
    settings.refuse_together("learn", "include exclude", message)?;
    if !settings.is_set("learn") && settings.is_any_set("lengths no-result-penalty beta") {
        bail!("--lengths, --no-result-penalty and --beta are for --learn ml, lta, ltm and fm");
    }
    let message = "--bootstrap-filter, --without and --langid-method are options for langid, which \
                   --filter replaces";
    settings.refuse_together("filter", "bootstrap-filter without langid-method", message)?;
    let message = "--langid-method and --bootstrap-filter cannot be combined";
    settings.refuse_together("langid-method", "bootstrap-filter", message)?;
    ensure!(
        !settings.get("classifier").starts_with("run")
            || !settings.is_any_set("filter bootstrap-filter without langid-method"),
        "--filter, --bootstrap-filter, --without and --langid-method cannot be combined with \
         --classifier run"
    );
    Ok(())
}

impl Corpus {
    /// Sets the options of gen-query. Misspelt options, and capabilities that the engine lacks, are
    /// reported before any file is written.
    pub(super) fn set_strategy(&mut self, run: &Run) -> Result<()> {
        let settings = &run.settings;
        let mut given = settings.clone();
        for side in ["include", "exclude"] {
            if !settings.is_set("learn") && !settings.is_set(side) {
                given.set(side, "or:3");
            }
        }
        let mut strategy = given.options_of::<gen_query::QueryArgs>();
        strategy.extend(given.options_of::<gen_query::Contrast>());
        let engine = settings.get("engine");
        strategy.extend(["--engine".into(), engine.into()]);
        let mut check = line("gen-query --check", []);
        check.extend(strategy.iter().cloned());
        let (code, _, messages) = tools::run_silently(&check)?;
        ensure!(code == 0, "{}", strategy_error(run, &messages));
        if !engine.starts_with("index:") {
            require_contact(run, "pages")?;
        }
        // These decide after each page of hits whether to call the engine again.
        self.pages_itself = matches!(settings.get("learn"), "auto" | "seedfinder");
        self.strategy = strategy;
        Ok(())
    }
}

/// Lets `--learn auto` choose the queries of a new run on the web whose options do not say how,
/// because calls to an engine are what it costs, and fetches a page of hits at once. An embedded
/// index has the papers' loop.
pub(super) fn choose_default_strategy(run: &mut Run) {
    let settings = &mut run.settings;
    let options = "learn include exclude prune probability lengths no-result-penalty beta";
    let is_chosen = settings.is_any_set(options);
    let is_automatic = !settings.get("engine").starts_with("index:") && !is_chosen;
    if is_automatic {
        settings.set("learn", "auto");
    }
    if !settings.is_set("batch") {
        settings.set("batch", if is_automatic { "10" } else { "1" });
    }
    // The first hits of fixed queries are in the earlier corpus, which has often been collected
    // with the same ones.
    if !settings.is_set("learn") && !settings.list("known").is_empty() {
        run.console.inform(
            "--known with fixed queries: most of their hits may be in the earlier corpus, and cost \
             calls; recommended: --learn auto",
        );
    }
}

/// Writes the cause for which gen-query refuses its options, without its name.
fn strategy_error(run: &Run, messages: &str) -> String {
    let cause = |line| {
        let line = str::strip_prefix(line, "gen-query: ").unwrap_or(line);
        line.strip_suffix("; see gen-query --help").unwrap_or(line)
    };
    let causes = messages.lines().map(cause).collect::<Vec<_>>().join("; ");
    match run.line.is_resumed {
        true => format!("{}: {causes}", run.file("run.conf")),
        false => causes,
    }
}
