//! `--update`: profiles with a variable part, from the documents that a crawl has recommended.
//!
//! The profile of each level depends on the permanent part and on the journal up to a number of
//! recommended documents. So a lost folder can be restored exactly, file by file.

use crate::args::Args;
use crate::general_text;
use anyhow::Context;
use forage_cli::{Io, Messages, format_count};
use forage_run::Event;
use forage_text::Random;
use forage_topic::profile::{
    CoreStatistics, EntryKind, GeneralText, ProfileScorer, TopicProfile, VariablePart,
};
use forage_web::page_url::host_of;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Median similarity of recommended documents to the permanent part, relative to that of the core,
/// below which a warning is written. It was .53 in the crawl that drifted, and .61 or more in two
/// others (BENCHMARKS.md, "Focused crawling").
const LOW_SIMILARITY: f64 = 0.6;

/// Writes the profiles that the journal has documents for and that are missing in the folder, the
/// drift of all of them to `drift.jsonl`, and the path of the last one to standard output.
pub(crate) fn run(args: &Args, folder: &Path, io: &mut Io) -> anyhow::Result<()> {
    let path = args.profile.as_deref();
    let path = path.context("--update: requires --profile")?;
    let file = fs::read(path).with_context(|| path.display().to_string())?;
    let permanent = TopicProfile::parse(&file)
        .map_err(|e| anyhow::anyhow!(e.in_file(&path.display().to_string())))?;
    let general = general_text::read(args, &mut CoreStatistics::new(permanent.language), io)?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut levels = Levels {
        folder,
        batch_size: args.every.get(),
        seed: args.seed.seed,
        scorer: ProfileScorer::new(&permanent),
        permanent,
        general,
        core: Vec::new(),
        batch: Vec::new(),
        step: 0,
        recommended: 0,
        last: path.into(),
        drift: Vec::new(),
        messages: io.messages.clone(),
    };
    io.for_each_record(&args.input, |record| {
        levels.add(&Event::from_journal(&record)?)
    })?;
    levels.end_step()?;
    forage_cli::replace_file(&folder.join("drift.jsonl"), &levels.drift, true)?;
    io.out.write_line(&levels.last.display().to_string());
    Ok(())
}

/// A document that was recommended.
struct RecommendedDocument {
    host: String,
    text: String,
}

/// The profiles in a folder, by the number of recommended documents: `000000500.tsv`, with its
/// drift in `000000500.json`.
struct Levels<'a> {
    folder: &'a Path,
    /// Number of recommended documents of a level.
    batch_size: usize,
    seed: u64,
    permanent: TopicProfile,
    scorer: ProfileScorer,
    general: GeneralText,
    /// Similarities of the initial documents to the permanent part.
    core: Vec<f64>,
    /// The documents recommended since the last level.
    batch: Vec<RecommendedDocument>,
    /// The last step.
    step: u64,
    /// Number of documents recommended so far.
    recommended: usize,
    /// Path of the last profile.
    last: PathBuf,
    /// The lines of `drift.jsonl`.
    drift: Vec<u8>,
    messages: Messages,
}

impl Levels<'_> {
    /// Adds the next record of the journal.
    fn add(&mut self, event: &Event) -> anyhow::Result<()> {
        if event.step_number() != self.step {
            self.end_step()?;
            self.step = event.step_number();
        }
        if event.step.is_none() && event.is_document {
            self.core.push(self.scorer.score(&event.text()).vsm);
        } else if event.is_relevant() {
            let url = event.final_url();
            self.recommended += 1;
            self.batch.push(RecommendedDocument {
                host: url.and_then(|url| host_of(&url)).unwrap_or_default(),
                text: event.text().into_owned(),
            });
        }
        Ok(())
    }

    /// Ends a step: writes a profile, if the number of recommended documents has reached the next
    /// multiple of the size of a level.
    fn end_step(&mut self) -> anyhow::Result<()> {
        let before = self.recommended - self.batch.len();
        if self.recommended / self.batch_size > before / self.batch_size {
            let batch = std::mem::take(&mut self.batch);
            self.end_level(&batch)?;
        }
        Ok(())
    }

    fn end_level(&mut self, batch: &[RecommendedDocument]) -> anyhow::Result<()> {
        let level = format!("{:09}", self.recommended);
        let path = self.folder.join(format!("{level}.tsv"));
        let drift_path = path.with_extension("json");
        if !is_complete(&path, &drift_path) {
            let mut random = Random::for_purpose(self.seed, &["variable part", &level]);
            let mut documents = CoreStatistics::new(self.permanent.language);
            for document in batch {
                documents.add_document(&document.host, &document.text);
            }
            let part =
                documents.draw_variable_part(&self.permanent, &mut self.general, &mut random);
            let drift = self.measure_drift(batch, &documents, &part);
            drift.report(&self.messages);
            forage_cli::replace_file(&path, self.profile_text(&part).as_bytes(), true)?;
            // The drift is written last: a level with it is complete.
            forage_cli::replace_file(&drift_path, drift.to_line().as_bytes(), true)?;
        }
        let drift = fs::read(&drift_path).with_context(|| drift_path.display().to_string())?;
        self.drift.extend(drift);
        self.last = path;
        Ok(())
    }

    /// Returns the text of the profile with a variable part.
    fn profile_text(&self, part: &VariablePart) -> String {
        let variable = TopicProfile {
            language: self.permanent.language,
            entries: part.entries.clone(),
        };
        let (permanent, variable) = (self.permanent.to_text(), variable.to_text());
        // Both begin with the language.
        let entries = variable.split_once('\n').map_or("", |(_, entries)| entries);
        format!(
            "{permanent}# variable part: {} documents\n{entries}",
            self.recommended
        )
    }

    fn measure_drift(
        &mut self,
        batch: &[RecommendedDocument],
        documents: &CoreStatistics,
        part: &VariablePart,
    ) -> Drift {
        let scores = batch
            .iter()
            .map(|document| self.scorer.score(&document.text).vsm);
        let similarities = scores.collect();
        let count = |kind| {
            part.entries
                .iter()
                .filter(|entry| entry.kind == kind)
                .count()
        };
        Drift {
            recommended: self.recommended,
            documents: batch.len(),
            hosts: documents.host_count(),
            similarity: median(similarities),
            core_similarity: median(self.core.clone()),
            shared_terms: part.shared_terms,
            entries: EntryKind::ALL.map(count),
        }
    }
}

/// Returns `true` if the files of a level can be read. Damaged ones are written again.
fn is_complete(profile: &Path, drift: &Path) -> bool {
    let is_profile = |file: Vec<u8>| TopicProfile::parse(&file).is_ok() && file.ends_with(b"\n");
    let is_drift = |file: Vec<u8>| serde_json::from_slice::<Value>(&file).is_ok();
    fs::read(profile).is_ok_and(is_profile) && fs::read(drift).is_ok_and(is_drift)
}

/// How far the documents of a level are from the permanent part.
struct Drift {
    /// Number of documents recommended so far, and since the last level.
    recommended: usize,
    documents: usize,
    /// Number of hosts of these documents.
    hosts: usize,
    /// Median cosine of these documents with the terms of the permanent part.
    similarity: f64,
    /// That of the initial documents.
    core_similarity: f64,
    /// Share of the terms that these documents would have as a core that are in the permanent part.
    shared_terms: f64,
    /// Entries of the variable part, by class.
    entries: [usize; 3],
}

impl Drift {
    /// Returns a line of `drift.jsonl`.
    fn to_line(&self) -> String {
        // To four decimals, as in the output of langid.
        let round = |number: f64| (number * 1e4).round() / 1e4;
        let [terms, pairs, triples] = self.entries;
        let line = json!({
            "recommended": self.recommended,
            "documents": self.documents,
            "hosts": self.hosts,
            "similarity": round(self.similarity),
            "core_similarity": round(self.core_similarity),
            "shared_terms": round(self.shared_terms),
            "terms": terms,
            "pairs": pairs,
            "triples": triples,
        });
        format!("{line}\n")
    }

    fn report(&self, messages: &Messages) {
        let [terms, pairs, triples] = self.entries;
        messages.info(format_args!(
            "new variable part from {} of {}: {}, {} and {}; their median similarity to the \
             permanent part is {:.3} (core: {:.3}); {:.0} % of their best terms are in it",
            format_count(self.documents, "recommended document"),
            format_count(self.hosts, "host"),
            format_count(terms, "term"),
            format_count(pairs, "pair"),
            format_count(triples, "triple"),
            self.similarity,
            self.core_similarity,
            self.shared_terms * 100.0,
        ));
        if self.similarity < LOW_SIMILARITY * self.core_similarity {
            messages.warn(format_args!(
                "the recommended documents have drifted from the core: check a sample of them, \
                 and raise the thresholds or edit the profile"
            ));
        }
    }
}

/// Returns the median, of an even number of values the lower one; 0 if there is none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).copied().unwrap_or(0.0)
}
