//! `--bootstrap`: the profiles of languages that are not known, from the journal of a run
//! (self-training).
//!
//! The profile of each level rests on the journal up to a number of documents and on the profile of
//! the level before: level 0 is the initial documents alone, the next ones are learned when 10, 20,
//! 40 … documents have been retrieved, the final one from all of them. So a folder that was lost is
//! made again, file by file the same.

use crate::args::Args;
use crate::pack;
use anyhow::Context;
use forage_cli::Io;
use forage_langid::bootstrap::drift::Drift;
use forage_langid::bootstrap::{
    BootstrapError, BootstrappedProfile, Bootstrapper, MIN_INITIAL_WORDS, RetrievedDocument,
};
use forage_langid::{Identifier, LanguageCode, Profile, ProfileLearner};
use forage_run::{BoxError, Event, Projection};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Documents at the first level that learns from what was retrieved; each further one has twice as
/// many.
const FIRST_LEVEL: usize = 10;

/// Learns the levels that the journal calls for and the folder lacks; writes the drift of all
/// levels to `drift.jsonl`, and on standard output the files of the profiles to use.
pub(crate) fn run(args: &Args, folder: &Path, io: &mut Io) -> anyhow::Result<()> {
    let mut journal = Journal::default();
    io.for_each_record(&args.input, |record| {
        journal
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut levels = Levels {
        args,
        folder,
        journal,
        last: "000000000".into(),
    };
    levels.learn_initial()?;
    let retrieved = levels.journal.steps.len();
    let sizes = std::iter::successors(Some(FIRST_LEVEL), |size| Some(2 * size));
    let sizes: Vec<usize> = sizes.take_while(|size| *size <= retrieved).collect();
    for &size in &sizes {
        levels.learn(&format!("{size:09}"), size, io)?;
    }
    levels.remove_final()?;
    if args.final_level && sizes.last() != Some(&retrieved) {
        levels.learn(FINAL, retrieved, io)?;
    }
    levels.write_drift()?;
    for code in &args.lang {
        io.out
            .write_line(&levels.profile(*code, &levels.last).display().to_string());
    }
    Ok(())
}

/// The name of the level that rests on all documents.
const FINAL: &str = "last";

/// The profiles of a folder, by language and level: `bcl-000000040.profile`, beside its drift in
/// `bcl-000000040.json`.
struct Levels<'a> {
    args: &'a Args,
    folder: &'a Path,
    journal: Journal,
    /// The last level that was learned.
    last: String,
}

impl Levels<'_> {
    fn profile(&self, code: LanguageCode, level: &str) -> PathBuf {
        self.folder.join(format!("{code}-{level}.profile"))
    }

    /// Learns level 0 from the initial documents.
    fn learn_initial(&self) -> anyhow::Result<()> {
        for &code in &self.args.lang {
            let out = self.profile(code, &self.last);
            if out.exists() {
                continue;
            }
            let mut learner = ProfileLearner::default();
            self.journal
                .initial_of(code)?
                .iter()
                .for_each(|text| learner.add_text(text));
            let builtin = Identifier::builtin();
            let name = builtin
                .classes()
                .find(|known| known.code == code)
                .map_or("", |known| known.name);
            let (profile, sample) = learner
                .finish(code, name, "initial documents")
                .context("nothing to learn from")?;
            if sample.words < MIN_INITIAL_WORDS {
                return Err(BootstrapError::TooFewWords(sample.words)).context(code);
            }
            forage_cli::replace_file(&out, profile.to_text().as_bytes())?;
        }
        Ok(())
    }

    /// Learns a level from the first `count` documents and the profiles of the level before.
    fn learn(&mut self, level: &str, count: usize, io: &mut Io) -> anyhow::Result<()> {
        let (documents, retrieved) = self.journal.documents_up_to(count);
        for &code in &self.args.lang {
            let drift_file = self.profile(code, level).with_extension("json");
            if drift_file.exists() {
                continue;
            }
            let former = pack::read(&self.profile(code, &self.last))?;
            let others = self.others(code)?;
            let bootstrap =
                Bootstrapper::new(others, code, &former.name, self.journal.initial_of(code)?);
            let BootstrappedProfile { profile, drift } = bootstrap
                .learn(&former, &documents)
                .context("--bootstrap")?;
            forage_cli::replace_file(&self.profile(code, level), profile.to_text().as_bytes())?;
            // Last: with it the level is complete.
            forage_cli::replace_file(
                &drift_file,
                format!("{}\n", line(code, retrieved, &drift)).as_bytes(),
            )?;
            tell(code, &drift, io);
        }
        self.last = level.into();
        Ok(())
    }

    /// All languages that are known but this one and those that are not to be; the other unknown
    /// ones by their profiles of the last level.
    fn others(&self, code: LanguageCode) -> anyhow::Result<Identifier> {
        let mut identifier = Identifier::builtin();
        identifier
            .exclude(&self.args.without)
            .context("--without")?;
        if identifier.classes().any(|known| known.code == code) {
            identifier.exclude(&[code])?;
        }
        let unknown = self.args.lang.iter().filter(|&&other| other != code);
        let paths = self
            .args
            .profiles
            .iter()
            .cloned()
            .chain(unknown.map(|&other| self.profile(other, &self.last)));
        let profiles: Vec<Profile> = paths
            .map(|path| pack::read(&path))
            .collect::<anyhow::Result<_>>()?;
        identifier.add_profiles(&profiles)?;
        Ok(identifier)
    }

    /// Removes the final level of a run that was continued, and what a killed process left.
    fn remove_final(&self) -> anyhow::Result<()> {
        for entry in fs::read_dir(self.folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains(&format!("-{FINAL}.")) || name.starts_with(".tmp") {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
        Ok(())
    }

    /// Writes the drift of all levels into one file, by language and level.
    fn write_drift(&self) -> anyhow::Result<()> {
        let files: BTreeSet<PathBuf> = fs::read_dir(self.folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<anyhow::Result<_>>()?;
        let mut drift = Vec::new();
        for file in files.iter().filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "json")
        }) {
            drift.extend(fs::read(file).with_context(|| file.display().to_string())?);
        }
        forage_cli::replace_file(&self.folder.join("drift.jsonl"), &drift)
    }
}

/// What is learned from, as a projection of the journal.
#[derive(Debug, Default)]
struct Journal {
    /// Initial documents by label.
    initial: BTreeMap<String, Vec<String>>,
    /// The step of each document that was retrieved, duplicates among them.
    steps: Vec<u64>,
    /// Those that are no duplicates, with their steps.
    documents: Vec<(u64, RetrievedDocument)>,
}

impl Projection for Journal {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        match &event.step {
            _ if !event.is_document => {}
            None => {
                let label = event.label.clone().unwrap_or_default();
                self.initial
                    .entry(label)
                    .or_default()
                    .push(event.text().into_owned());
            }
            Some(step) => {
                self.steps.push(step.number);
                if !event.is_duplicate() {
                    let host = host(&event.url().unwrap_or_default()).to_owned();
                    self.documents.push((
                        step.number,
                        RetrievedDocument {
                            text: event.text().into_owned(),
                            host,
                        },
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Journal {
    fn initial_of(&self, code: LanguageCode) -> anyhow::Result<&[String]> {
        let initial = self.initial.get(&code.to_string()).context(format!(
            "no initial document of {code} in the journal: with that label, and no step"
        ))?;
        Ok(initial)
    }

    /// The documents up to the end of the step with which `count` had been retrieved, and how many
    /// had been then.
    fn documents_up_to(&self, count: usize) -> (Vec<RetrievedDocument>, usize) {
        let last_step = count
            .checked_sub(1)
            .and_then(|at| self.steps.get(at))
            .copied()
            .unwrap_or(0);
        let documents = self.documents.iter().filter(|(step, _)| *step <= last_step);
        let retrieved = self.steps.iter().filter(|step| **step <= last_step).count();
        (
            documents.map(|(_, document)| document.clone()).collect(),
            retrieved,
        )
    }
}

/// The host of an absolute URL; all of what is none.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// What is written of the drift.
fn line(code: LanguageCode, documents: usize, drift: &Drift) -> Value {
    // To four decimals, as langid does.
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
        "fallback_reason": drift.fallback_reason.map(|fallback_reason| fallback_reason.name()),
    })
}

/// Says what was learned, and what that has moved.
fn tell(code: LanguageCode, drift: &Drift, io: &Io) {
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
        format!(", {code} at {distance:.3}")
    });
    io.messages.info(format_args!(
        "{code}: of {documents} documents {accepted} accepted, {sample_documents} in the sample; margin {median_margin:.3}, at least \
         {rejection_threshold:.3}, initial {initial_margin:.3}; moved by {distance:.3}{nearest}; the first profile agrees with \
         {:.0} %",
        agreement * 100.0
    ));
    /// Agreement that is too little to be passed over in silence.
    const LITTLE: f64 = 0.25;
    if *agreement < LITTLE && drift.fallback_reason.is_none() {
        io.messages.warn(format_args!(
            "{code}: the first profile accepts little of this; look whether a relative has taken over (a longer initial \
             document is better)"
        ));
    }
    if let Some(fallback_reason) = drift.fallback_reason {
        io.messages.warn(format_args!(
            "{code}: the previous profile stays in use: {fallback_reason}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_record::Record;

    fn journal() -> Journal {
        let mut journal = Journal::default();
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
        r#"{"step":{"number":1},"url":"http://a.test/y","text":"two","label":"bcl","dedup":{"status":"near","of":"1"}}"#,
        r#"{"step":{"number":1},"url":"http://b.test/","text":"three","label":"bcl"}"#,
        r#"{"step":{"number":2},"url":"http://c.test/","error":{"tool":"fetch-extract","kind":"timeout","message":""}}"#,
        r#"{"step":{"number":3},"url":"http://d.test?q","text":"four","label":"bcl"}"#,
    ];

    #[test]
    fn initial_documents_and_retrieved_ones_are_kept_apart_and_duplicates_left_out() {
        let journal = journal();
        assert_eq!(
            journal.initial_of("bcl".parse().unwrap()).unwrap(),
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
    fn a_level_rests_on_whole_steps() {
        for count in [1, 2, 3] {
            assert_eq!(journal().documents_up_to(count).1, 3, "{count}");
        }
        assert_eq!(journal().documents_up_to(4).1, 4);
    }
}
