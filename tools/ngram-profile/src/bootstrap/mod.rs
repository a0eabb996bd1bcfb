//! `--bootstrap`: profiles of languages that the model lacks, from the journal of a run
//! (self-training).
//!
//! The profile of each level depends on the journal up to a number of documents and on the profile
//! of the previous level. Level 0 is learned from the initial documents alone, the next levels when
//! 10, 20, 40 … documents have been retrieved, and the final one from all documents. So a lost
//! folder can be restored exactly, file by file. The labels in the journal are not changed: the
//! corpus of the run has the documents that the final profile accepts.
//!
//! Later profiles are also learned from documents that the previous profile accepted with a
//! sufficient margin ([`margins`]). If their sample is large enough, cross-validation estimates a
//! rejection threshold ([`Profile::rejection_threshold`]). It keeps out texts in related languages
//! that no model has, and for which this language is the nearest. Each profile judges the texts of
//! all documents, whatever their labels, so that an error of an earlier profile is not final.
//!
//! Self-training can drift to a related language. Three rules limit this: the initial documents are
//! always in the sample; words that only one document has are left out as soon as the sample is
//! large enough; and each profile is compared with the first one ([`drift`]) and refused if it is
//! too far from it. R. Ghani, R. Jones and D. Mladenić (2005) name a filter that is trained on the
//! fly and bootstrapped as future work; the rules here are ours (`docs/algorithms.md`,
//! "Bootstrapped filters").

mod bootstrapper;
mod counted_document;
mod drift;
mod margins;

use crate::args::Args;
use crate::pack;
use anyhow::Context;
use bootstrapper::{Bootstrapper, RetrievedDocument};
use drift::Drift;
use forage_cli::{Io, format_count};
use forage_langid::{Identifier, LanguageCode, Profile, ProfileLearner};
use forage_run::{BoxError, Event, Projection};
use forage_text::{for_each_word, normalise};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Minimum number of words in the initial documents. Set by judgement, not measured.
const MIN_INITIAL_WORDS: u64 = 20;

/// Number of retrieved documents at level 1; each further level has twice as many. Set by
/// judgement, not measured.
const FIRST_LEVEL_DOCUMENTS: usize = 10;

/// The name of level 0, which has no retrieved documents.
const INITIAL_LEVEL: &str = "000000000";

/// The name of the final level, which has all documents.
const FINAL_LEVEL: &str = "last";

/// Learns the levels that the journal allows and that are missing in the folder. Writes the drift
/// of all levels to `drift.jsonl`, and the paths of the profiles to use to standard output.
pub(crate) fn run(args: &Args, folder: &Path, io: &mut Io) -> anyhow::Result<()> {
    let mut journal = DocumentProjection::default();
    io.for_each_record(&args.input, |record| {
        journal
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut levels = FilterLevels {
        args,
        folder,
        journal,
        last: INITIAL_LEVEL.into(),
    };
    levels.learn_initial_level()?;
    let retrieved = levels.journal.steps.len();
    let sizes = std::iter::successors(Some(FIRST_LEVEL_DOCUMENTS), |size| Some(2 * size));
    let sizes: Vec<usize> = sizes.take_while(|size| *size <= retrieved).collect();
    for &size in &sizes {
        levels.learn_level(&format!("{size:09}"), size, io)?;
    }
    levels.remove_final_level()?;
    if args.final_level && sizes.last() != Some(&retrieved) {
        levels.learn_level(FINAL_LEVEL, retrieved, io)?;
    }
    levels.write_drift()?;
    for code in &args.lang {
        let path = levels.profile_path(*code, &levels.last);
        io.out.write_line(&path.display().to_string());
    }
    Ok(())
}

/// The profiles in a folder, by language and level: `bcl-000000040.profile`, with its drift in
/// `bcl-000000040.json`.
struct FilterLevels<'a> {
    args: &'a Args,
    folder: &'a Path,
    journal: DocumentProjection,
    /// The last level that exists.
    last: String,
}

impl FilterLevels<'_> {
    fn profile_path(&self, code: LanguageCode, level: &str) -> PathBuf {
        self.folder.join(format!("{code}-{level}.profile"))
    }

    /// Learns level 0 from the initial documents.
    fn learn_initial_level(&self) -> anyhow::Result<()> {
        for &code in &self.args.lang {
            let path = self.profile_path(code, &self.last);
            if path.exists() {
                continue;
            }
            let mut learner = ProfileLearner::default();
            let mut words = 0;
            for text in self.journal.initial_documents(code)? {
                for_each_word(&normalise(text), |_| words += 1);
                learner.add_text(text);
            }
            let builtin = Identifier::builtin();
            let name = crate::name_of(code, &builtin);
            let learned = learner.finish(code, name, "initial documents");
            let (profile, _) = learned.context("nothing to learn from")?;
            anyhow::ensure!(
                words >= MIN_INITIAL_WORDS,
                "{code}: the initial documents have {words} words, which is too few; \
                 {MIN_INITIAL_WORDS} are required, 200 or more recommended"
            );
            forage_cli::replace_file(&path, profile.to_text().as_bytes(), true)?;
        }
        Ok(())
    }

    /// Learns a level from the first `count` documents and the profiles of the previous level.
    fn learn_level(&mut self, level: &str, count: usize, io: &mut Io) -> anyhow::Result<()> {
        let (documents, retrieved) = self.journal.documents_up_to(count);
        for &code in &self.args.lang {
            let profile_path = self.profile_path(code, level);
            let drift_path = profile_path.with_extension("json");
            if drift_path.exists() {
                continue;
            }
            let previous = pack::read_profile(&self.profile_path(code, &self.last))?;
            let others = self.load_other_languages(code)?;
            let initial = self.journal.initial_documents(code)?;
            let bootstrapper = Bootstrapper::new(others, code, &previous.name, initial);
            let learned = bootstrapper.learn_next(&previous, &documents);
            let (profile, drift) = learned.context("--bootstrap")?;
            forage_cli::replace_file(&profile_path, profile.to_text().as_bytes(), true)?;
            // The drift is written last: a level with it is complete.
            let drift_line = format!("{}\n", drift_to_json(code, retrieved, &drift));
            forage_cli::replace_file(&drift_path, drift_line.as_bytes(), true)?;
            report_drift(code, &drift, io);
        }
        self.last = level.into();
        Ok(())
    }

    /// Returns an identifier with all languages of the model except this one and those of
    /// --without, the languages of --profile, and the last profiles of the other languages of
    /// --lang.
    fn load_other_languages(&self, code: LanguageCode) -> anyhow::Result<Identifier> {
        let mut identifier = Identifier::builtin();
        let without = &self.args.without;
        identifier.exclude(without).context("--without")?;
        if identifier.classes().any(|class| class.code == code) {
            identifier.exclude(&[code])?;
        }
        let others = self.args.lang.iter().filter(|other| **other != code);
        let bootstrapped = others.map(|other| self.profile_path(*other, &self.last));
        let paths = self.args.profiles.iter().cloned().chain(bootstrapped);
        let profiles = paths.map(|path| pack::read_profile(&path));
        let profiles: Vec<Profile> = profiles.collect::<anyhow::Result<_>>()?;
        identifier.add_profiles(&profiles)?;
        Ok(identifier)
    }

    /// Removes the final level of a run that was continued, and temporary files of a killed
    /// process.
    fn remove_final_level(&self) -> anyhow::Result<()> {
        for entry in fs::read_dir(self.folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains(&format!("-{FINAL_LEVEL}.")) || name.starts_with(".tmp") {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
        Ok(())
    }

    /// Writes the drift of all levels into one file, by language and level.
    fn write_drift(&self) -> anyhow::Result<()> {
        let mut drift = Vec::new();
        for file in pack::list_files(self.folder, "json")? {
            drift.extend(fs::read(&file).with_context(|| file.display().to_string())?);
        }
        forage_cli::replace_file(&self.folder.join("drift.jsonl"), &drift, true)
    }
}

/// The documents of a journal, as a projection.
#[derive(Debug, Default)]
struct DocumentProjection {
    /// Initial documents by label.
    initial: BTreeMap<String, Vec<String>>,
    /// The step of each retrieved document, including duplicates.
    steps: Vec<u64>,
    /// The retrieved documents that are not duplicates, with their steps.
    documents: Vec<(u64, RetrievedDocument)>,
}

impl Projection for DocumentProjection {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        match &event.step {
            _ if !event.is_document || event.is_retry => {}
            None => {
                let label = event.label.clone().unwrap_or_default();
                let documents = self.initial.entry(label).or_default();
                documents.push(event.text().into_owned());
            }
            Some(step) => {
                self.steps.push(step.number);
                if !event.is_duplicate() {
                    let host = host_of(&event.url().unwrap_or_default()).to_owned();
                    let text = event.text().into_owned();
                    let document = RetrievedDocument { text, host };
                    self.documents.push((step.number, document));
                }
            }
        }
        Ok(())
    }
}

impl DocumentProjection {
    fn initial_documents(&self, code: LanguageCode) -> anyhow::Result<&[String]> {
        let initial = self.initial.get(code.as_str());
        initial.map(Vec::as_slice).with_context(|| format!(
            "the journal has no initial document of {code}: one with this label and without a step"
        ))
    }

    /// Returns the documents up to the end of the step in which the number of retrieved documents
    /// reached `count`, and the number retrieved up to there.
    fn documents_up_to(&self, count: usize) -> (Vec<RetrievedDocument>, usize) {
        let last = count.checked_sub(1).and_then(|index| self.steps.get(index));
        let last = last.copied().unwrap_or(0);
        let documents = self.documents.iter().filter(|(step, _)| *step <= last);
        let documents = documents.map(|(_, document)| document.clone()).collect();
        let retrieved = self.steps.iter().filter(|step| **step <= last).count();
        (documents, retrieved)
    }
}

/// Returns the host of an absolute URL.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Returns a line of `drift.jsonl`.
fn drift_to_json(code: LanguageCode, documents: usize, drift: &Drift) -> Value {
    // To four decimals, as in the output of langid.
    let round = |number: f64| (number * 1e4).round() / 1e4;
    json!({
        "lang": code.to_string(),
        "documents": documents,
        "accepted": drift.accepted,
        "sample_documents": drift.sample_documents,
        "sample_words": drift.sample_words,
        "rejection_threshold": round(drift.rejection_threshold),
        "median_margin": round(drift.median_margin),
        "initial_margin": round(drift.initial_margin),
        "agreement": round(drift.agreement),
        "distance": round(drift.distance),
        "nearest": drift.nearest.map(|(code, distance)| (code.to_string(), round(distance))),
        "fallback_reason": drift.fallback_reason.map(|reason| reason.name()),
    })
}

/// Reports the sample of a new profile and its drift.
fn report_drift(code: LanguageCode, drift: &Drift, io: &Io) {
    /// Agreement below which a warning is written. Set by judgement, not measured.
    const LOW_AGREEMENT: f64 = 0.25;
    let Drift {
        documents,
        accepted,
        sample_documents,
        rejection_threshold,
        median_margin,
        initial_margin,
        agreement,
        distance,
        ..
    } = drift;
    let nearest = drift.nearest.map_or(String::new(), |(code, distance)| {
        format!(", {code} {distance:.3}")
    });
    io.messages.info(format_args!(
        "{code}: {}, {accepted} accepted, {sample_documents} in the sample; margin: median \
         {median_margin:.3}, threshold {rejection_threshold:.3}, initial documents \
         {initial_margin:.3}; distance from the first profile {distance:.3}{nearest}; the first \
         profile accepts {:.0} % of the sample",
        format_count(*documents, "document"),
        agreement * 100.0
    ));
    match drift.fallback_reason {
        Some(reason) => io.messages.warn(format_args!(
            "{code}: the previous profile stays in use: {reason}"
        )),
        None if *agreement < LOW_AGREEMENT => io.messages.warn(format_args!(
            "{code}: the first profile rejects most of the sample; check if the filter has drifted \
             to a related language; a longer initial document makes that less likely"
        )),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_record::Record;

    fn journal() -> DocumentProjection {
        let mut journal = DocumentProjection::default();
        for line in LINES {
            let record = Record::parse(line.as_bytes().to_vec()).unwrap();
            journal.apply(&Event::from_record(&record)).unwrap();
        }
        journal
    }

    const LINES: [&str; 7] = [
        r#"{"text":"an initial one","label":"bcl"}"#,
        r#"{"text":"of another language","label":"eng"}"#,
        r#"{"step":{"number":1},"url":"http://a.test/x","text":"one","label":"und"}"#,
        concat!(
            r#"{"step":{"number":1},"url":"http://a.test/y","text":"two","label":"bcl","#,
            r#""dedup":{"status":"near","of":"1"}}"#
        ),
        r#"{"step":{"number":1},"url":"http://b.test/","text":"three","label":"bcl"}"#,
        concat!(
            r#"{"step":{"number":2},"url":"http://c.test/","#,
            r#""error":{"tool":"fetch-extract","kind":"timeout","message":""}}"#
        ),
        r#"{"step":{"number":3},"url":"http://d.test?q","text":"four","label":"bcl"}"#,
    ];

    #[test]
    fn separates_initial_from_retrieved_documents_and_skips_duplicates() {
        let journal = journal();
        assert_eq!(
            journal.initial_documents("bcl".parse().unwrap()).unwrap(),
            ["an initial one"]
        );
        let (documents, retrieved) = journal.documents_up_to(4);
        let documents: Vec<(&str, &str)> = documents.iter().map(|d| (&*d.text, &*d.host)).collect();
        assert_eq!(
            documents,
            [("one", "a.test"), ("three", "b.test"), ("four", "d.test")]
        );
        assert_eq!(retrieved, 4);
    }

    #[test]
    fn a_level_consists_of_whole_steps() {
        for count in [1, 2, 3] {
            assert_eq!(journal().documents_up_to(count).1, 3, "{count}");
        }
        assert_eq!(journal().documents_up_to(4).1, 4);
    }
}
