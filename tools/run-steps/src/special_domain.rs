//! The loop of special-domain.

use crate::files::{self, check_readable};
use crate::initial::fill_folder;
use crate::pipeline::PAPER;
use crate::run::{
    Run, absolute_engine, fetch_command, require_contact, require_options, require_settings,
};
use crate::session::{Loop, Session, TriedEngine, read_initial_records};
use crate::tools::{self, Line, line};
use crate::totals::{Totals, has_limit};
use anyhow::{Context, Result, anyhow, bail, ensure};
use fetch_extract::Extraction;
use forage_cli::Paging;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use topic_filter::SimilarityArgs;

/// The label of the articles that are collected.
const TARGET: &str = "on-topic";

/// A run that collects articles by the similarity to samples.
#[derive(Default)]
pub struct SpecialDomain {
    samples: Vec<String>,
    filter: Line,
}

impl Loop for SpecialDomain {
    fn check(&mut self, run: &mut Run) -> Result<()> {
        tools::require(
            "gen-query search fetch-extract dedup keywords topic-filter langid update-stats corpus-export",
        )?;
        self.samples = run.line.values("sample").to_vec();
        if run.line.is_resumed {
            self.check_resumption(run)?;
        } else {
            run.settings.set("target", TARGET);
            require_options(&[
                ("--sample", !self.samples.is_empty()),
                ("--engine", !run.settings.list("engine").is_empty()),
            ])?;
            for sample in self.samples.iter().filter(|sample| !is_address(sample)) {
                check_readable("--sample ", sample)?;
            }
        }
        if !has_limit(&run.settings) {
            run.settings.set("calls", "150");
        }
        let mut engines = run.settings.list("engine").to_vec();
        for engine in &mut engines {
            // With embedded indexes, which have the texts, nothing is fetched.
            if !engine.starts_with("index:") {
                require_contact(run, "articles")?;
            }
            *engine = absolute_engine("engine", engine)?;
        }
        *run.settings.list_mut("engine") = engines;
        check_rules(run)?;
        self.check_strategy(run)
    }

    fn start(&mut self, run: &mut Run) -> Result<()> {
        let rules = run.settings.get("rules");
        if !matches!(rules, "" | "news") {
            fs::copy(rules, run.path("rules.toml")).with_context(|| format!("--rules {rules}"))?;
        }
        self.copy_samples(run)
    }

    fn set_up(&mut self, run: &mut Run) -> Result<()> {
        let topic = run.file("topic.db");
        let mut final_filter = line("cat", []);
        if is_by_samples(run) {
            self.filter = line("topic-filter --state {}", [&topic]);
            let similarity = run.settings.options_of::<SimilarityArgs>();
            self.filter.extend(similarity);
        } else {
            self.filter = line("topic-filter --feedback {}", [&topic]);
            // The last model, learned from all articles, decides about all of them.
            final_filter.clone_from(&self.filter);
            final_filter.extend(line("--final --quiet", []));
            final_filter.extend(run.settings.options(&["threshold"]));
        }
        let fetch = self.fetch(run).unwrap_or_else(|| line("cat", []));
        run.write_args("fetch", &fetch)?;
        run.write_args("search", &self.search(run)[1..])?;
        run.write_args("keywords", &keyword_options(run))?;
        run.write_args("filter", &self.filter)?;
        run.write_args("final-filter", &final_filter)?;
        let mut strategy = paging(run);
        strategy.push(format!("--batch={}", run.settings.get("page-size")));
        strategy.extend(run.settings.options(&["seed", "engine"]));
        if run.settings.is_set(PAPER) {
            // A query that returns nothing new is not sent again with fewer keyphrases.
            strategy.extend(line("--recovery none", []));
        }
        run.write_args("strategy", &strategy)?;
        // Regions contrast the collection with rejected articles, so the first articles are
        // collected by relevance feedback.
        let hits = run.settings.number("page-size").unwrap_or(1);
        let first_docs = if learner(run) == "auto" { 5 * hits } else { 0 };
        run.write_args(
            "learner",
            &line("{} {}", [learner(run), &first_docs.to_string()]),
        )
    }

    fn try_step(&self, session: &Session) -> Result<()> {
        session.try_query(self, &self.search(&session.run))
    }

    fn describe(&self, run: &Run) -> Result<String> {
        let records = read_initial_records(run)?;
        let samples: Vec<Value> = records.lines().map(files::parse_record).collect();
        let languages = samples.iter().filter_map(|sample| sample["label"].as_str());
        let languages: BTreeSet<&str> = languages.collect();
        let first = samples.first().context("init/samples.jsonl: is empty")?;
        let keyphrase = phrase(&first["keywords"][0]).unwrap_or_default();
        let (count, languages) = (samples.len(), Vec::from_iter(languages).join(" "));
        Ok(format!(
            "samples: {count} in {languages}; best keyphrase of the first: {keyphrase}"
        ))
    }

    fn engines(&self, run: &Run) -> Vec<TriedEngine> {
        let word = search_word(run);
        let engines = run.settings.list("engine").iter();
        engines
            .map(|engine| TriedEngine {
                option: "engine",
                given: engine.clone(),
                command: run.search(std::slice::from_ref(engine)),
                word: word.clone(),
            })
            .collect()
    }

    /// Embedded indexes have the texts, so nothing is fetched if there are no other engines.
    fn fetch(&self, run: &Run) -> Option<Line> {
        let is_on_web = |engine: &String| !engine.starts_with("index:");
        let is_fetched = run.settings.list("engine").iter().any(is_on_web);
        is_fetched.then(|| fetch_command(run, &extraction_options(run)))
    }

    fn targets(&self, run: &Run) -> Vec<String> {
        vec![run.settings.get("target").to_owned()]
    }

    fn step_size(&self, run: &Run, totals: &Totals) -> u64 {
        let engines = run.settings.list("engine").len() as u64;
        let hits = run.settings.number("page-size").unwrap_or(1);
        let left = totals.left("docs", &run.settings);
        left.min(engines.saturating_mul(hits))
    }

    fn has_stateful_filter(&self) -> bool {
        true
    }

    fn engine(&self) -> Option<Line> {
        Some(Line::new())
    }

    fn advice(&self, _run: &Run) -> String {
        "a new run with more samples, or with engines that have more articles in their language, may \
         find more"
            .into()
    }
}

/// Returns the best keyphrase of the samples that is one word.
fn search_word(run: &Run) -> Option<String> {
    let is_word = |phrase: &&str| phrase.chars().all(char::is_alphanumeric);
    let records = read_initial_records(run).ok()?;
    records.lines().find_map(|sample| {
        let sample = files::parse_record(sample);
        let phrases = sample["keywords"].as_array()?.iter();
        let word = phrases.filter_map(phrase).find(is_word);
        word.map(str::to_owned)
    })
}

/// Returns the phrase of an item of `keywords`, which may be in the form of schema 3.
fn phrase(item: &Value) -> Option<&str> {
    item["phrase"].as_str().or_else(|| item[0].as_str())
}

fn is_address(sample: &str) -> bool {
    sample.starts_with("http://") || sample.starts_with("https://")
}

fn learner(run: &Run) -> &str {
    match run.settings.get("learn") {
        "" => "rocchio",
        learn => learn,
    }
}

/// Returns whether each collected article is a sample in turn, as in the paper.
fn is_by_samples(run: &Run) -> bool {
    learner(run) == "samples"
}

/// Returns the options of the pages of hits; of a sample, the first page is asked for.
fn paging(run: &Run) -> Line {
    let mut settings = run.settings.clone();
    if is_by_samples(run) {
        settings.set("max-pages", "1");
    }
    settings.options_of::<Paging>()
}

fn keyword_options(run: &Run) -> Line {
    run.settings.options_of::<keywords::LanguageArgs>()
}

/// Returns the options of fetch-extract by which it finds an article. A run has a copy of a file of
/// rules, so that it can be repeated; `news` is built in.
fn extraction_options(run: &Run) -> Line {
    let mut settings = run.settings.clone();
    if !matches!(settings.get("rules"), "" | "news") {
        settings.set("rules", &run.file("rules.toml"));
    }
    settings.options_of::<Extraction>()
}

/// Checks the options of fetch-extract, which reads no input here and so contacts nobody.
fn check_rules(run: &Run) -> Result<()> {
    let contact = match run.settings.get("contact") {
        "" => "check@example.org",
        mail => mail,
    };
    let mut check = line("fetch-extract --contact {}", [contact]);
    check.extend(match run.line.is_resumed {
        true => extraction_options(run),
        false => run.settings.options_of::<Extraction>(),
    });
    check.extend(run.settings.options(&["connect-to"]));
    tools::output(&check).map(drop)
}

impl SpecialDomain {
    fn check_resumption(&self, run: &Run) -> Result<()> {
        // The threshold of the last model decides about corpus/ only.
        ensure!(
            !is_by_samples(run) || !run.line.settings.is_set("threshold"),
            "--threshold belongs to a new run; {} has its own",
            run.folder
        );
        require_settings(run, &["engine", "init"])
    }

    /// Checks the options of the tools. Misspelt ones are reported before any file is written.
    fn check_strategy(&mut self, run: &Run) -> Result<()> {
        let mut search = line("search", []);
        search.extend(run.settings.options(&["engine", "rate"]));
        tools::output(&search)?;
        let measure = run.settings.get("measure");
        ensure!(
            measure.is_empty() || is_by_samples(run),
            "--measure is for --learn samples; other strategies learn the similarity from the \
             articles"
        );
        tools::output(&[line("keywords", []), keyword_options(run)].concat()).map(drop)
    }

    /// The command that retrieves hits, without the options of a step.
    fn search(&self, run: &Run) -> Line {
        let mut search = run.search(run.settings.list("engine"));
        search.extend(paging(run));
        search.extend((!is_by_samples(run)).then(|| "--by-page".into()));
        search
    }

    /// Writes the records of all samples, with language and keyphrases, to RUN/init.
    fn copy_samples(&self, run: &mut Run) -> Result<()> {
        fill_folder(run, |new| {
            let mut samples = String::new();
            for sample in &self.samples {
                let has_records = !is_address(sample)
                    && files::has_records(sample).with_context(|| format!("--sample {sample}"))?;
                let records = read_sample(run, sample, has_records)?;
                check_sample(sample, &records, has_records)?;
                samples += &records;
            }
            Ok(fs::write(new.join("samples.jsonl"), samples)?)
        })?;
        *run.settings.list_mut("init") = vec![format!("{TARGET}=init/samples.jsonl")];
        Ok(())
    }
}

/// Returns the records of a sample, with language and keyphrases: of a file in any format that
/// fetch-extract reads, of a file that has records, or of a page on the web.
fn read_sample(run: &Run, sample: &str, has_records: bool) -> Result<String> {
    let mut input = String::new();
    let mut langid = line("langid", []);
    let mut commands = Vec::new();
    if has_records {
        langid.extend(run.text_field());
        langid.extend(line("-- {}", [sample]));
    } else if is_address(sample) {
        input = format!("{}\n", serde_json::json!({ "url": sample }));
        commands.push(fetch_command(run, &extraction_options(run)));
    } else {
        let read = line("fetch-extract --html={}", [sample]);
        commands.push([read, extraction_options(run)].concat());
    }
    commands.extend([
        langid,
        [line("keywords", []), keyword_options(run)].concat(),
    ]);
    let mut records = input.into_bytes();
    for command in commands {
        records = tools::filter(&command, &records)
            .map_err(|_| anyhow!("--sample {sample}: cannot be read"))?;
    }
    ensure!(!records.is_empty(), "--sample {sample}: has no record");
    Ok(String::from_utf8_lossy(&records).into_owned())
}

/// Checks the records of a sample, of a file that has records or of one document.
fn check_sample(sample: &str, records: &str, has_records: bool) -> Result<()> {
    for (record, number) in records.lines().zip(1..) {
        let place = match has_records {
            true => format!("{sample}:{number}"),
            false => sample.to_owned(),
        };
        let record = files::parse_record(record);
        if let Some(message) = record["error"]["message"].as_str() {
            bail!("--sample {place}: {message}");
        }
        if record["keywords"].as_array().is_none_or(Vec::is_empty) {
            bail!("--sample {place}: has no keyphrases, so nothing can be searched for");
        }
    }
    Ok(())
}
