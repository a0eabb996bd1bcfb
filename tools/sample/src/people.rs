//! The people who judge, each with a file of verdicts.

use anyhow::Context;
use forage_cli::{Input, Io};
use forage_review::{Agreement, DocumentKey, Judgements};
use forage_run::Event;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The verdicts by person.
pub struct People {
    names: Vec<String>,
    judgements: Vec<Judgements>,
}

/// How far people agree; nothing is written for one person.
#[derive(Serialize)]
pub struct PeopleReport {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agreement: Vec<Agreement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disagreements: Option<Vec<Disagreement>>,
}

/// A document with different verdicts.
#[derive(Debug, Serialize)]
pub struct Disagreement {
    id: String,
    url: Option<String>,
    verdicts: BTreeMap<String, &'static str>,
}

impl People {
    /// Reads the files of verdicts. A malformed line stops the tool, because it may be about any
    /// document.
    pub fn read(files: &[PathBuf], io: &mut Io) -> anyhow::Result<People> {
        let mut people = People {
            names: names_of(files),
            judgements: Vec::new(),
        };
        for file in files {
            let mut judgements = Judgements::new();
            let input = Input {
                strict: true,
                ..Input::from_files(vec![file.clone()])
            };
            io.for_each_line(&input, |line, _| judgements.add_line(&line))
                .context("--judgements")?;
            people.judgements.push(judgements);
        }
        Ok(people)
    }

    /// Returns the verdicts of all.
    pub fn combined(&self) -> Judgements {
        Judgements::combine(&self.judgements)
    }

    /// Returns the verdicts on a document, if they differ.
    pub fn disagreement(&self, event: &Event) -> Option<Disagreement> {
        if self.judgements.len() < 2 {
            return None;
        }
        let id = DocumentKey::identity_of(event);
        let key = DocumentKey::new(&id);
        let verdicts: BTreeMap<String, &'static str> = self
            .names
            .iter()
            .zip(&self.judgements)
            .filter_map(|(name, judged)| Some((name.clone(), judged.verdict(key)?.name())))
            .collect();
        let mut names = verdicts.values();
        let first = names.next()?;
        names.any(|name| name != first).then(|| Disagreement {
            id,
            url: event.url().map(Into::into),
            verdicts,
        })
    }

    /// Creates the report. Of a document with several records the last one counts.
    pub fn report(&self, disagreements: Vec<Disagreement>) -> PeopleReport {
        let mut agreement = Vec::new();
        for (second, name) in self.names.iter().enumerate() {
            for (first, earlier) in self.names[..second].iter().enumerate() {
                let judgements = [&self.judgements[first], &self.judgements[second]];
                agreement.push(Agreement::new([earlier, name], judgements));
            }
        }
        let mut last: Vec<Disagreement> = Vec::new();
        for disagreement in disagreements {
            last.retain(|earlier| earlier.id != disagreement.id);
            last.push(disagreement);
        }
        PeopleReport {
            agreement,
            disagreements: (self.names.len() > 1).then_some(last),
        }
    }
}

/// Returns the names of people: those of their files without the extension and, if all remain
/// distinct, without `judgements-`, which `review --as` puts before them.
fn names_of(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| {
        let stem = Path::new(file).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    let short = |file: &PathBuf| {
        let stem = stem(file);
        stem.strip_prefix("judgements-")
            .map_or(stem.clone(), str::to_owned)
    };
    let mut names: Vec<String> = files.iter().map(short).collect();
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    if distinct.len() < names.len() {
        names = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
    }
    names
}
