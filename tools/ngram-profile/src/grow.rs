//! `--bootstrap`: the profile of a language that is not known, from the journal of a run.

use crate::args::Args;
use crate::pack;
use anyhow::Context;
use forage_cli::Io;
use forage_langid::bootstrap::drift::Drift;
use forage_langid::bootstrap::{Bootstrap, Document, Learned};
use forage_langid::{Code, Identifier, Profile};
use forage_run::{BoxError, Event, Projection};
use serde::Serialize;

/// Learns from a journal, writes the profile that is to be used, and tells how far it has moved.
pub(crate) fn profile(args: &Args, code: Code, io: &mut Io) -> anyhow::Result<()> {
    let former = pack::read(args.former.as_deref().context("--former is needed")?)?;
    let mut journal = Journal::new(code, args.documents);
    io.fold(&args.input, |record| journal.apply(&Event::from_record(&record)).map_err(anyhow::Error::from_boxed))?;
    anyhow::ensure!(
        !journal.initial.is_empty(),
        "no initial document of {code} in the journal: with that label, and no step"
    );
    let others = others(args, code)?;
    let bootstrap = Bootstrap::new(others, code, &former.name, &journal.initial);
    let Learned { profile, drift } = bootstrap.learn(&former, &journal.documents).context("--bootstrap")?;
    forage_cli::put_file(&args.out, profile.to_text().as_bytes())?;
    io.out.line(&serde_json::to_string(&line(code, journal.came, &drift)).context("the drift")?);
    tell(code, &drift, io);
    Ok(())
}

/// All languages that are known but this one and those that are not to be.
fn others(args: &Args, code: Code) -> anyhow::Result<Identifier> {
    let mut identifier = Identifier::builtin();
    identifier.without(&args.without).context("--without")?;
    if identifier.known().any(|known| known.code == code) {
        identifier.without(&[code])?;
    }
    let profiles: Vec<Profile> = args.profiles.iter().map(|path| pack::read(path)).collect::<anyhow::Result<_>>()?;
    identifier.add(&profiles)?;
    Ok(identifier)
}

/// What is learned from, as it comes.
#[derive(Debug)]
struct Journal {
    label: String,
    /// Documents with which it is read no further than their step.
    limit: u64,
    initial: Vec<String>,
    documents: Vec<Document>,
    /// Documents of queries so far, twins too.
    came: u64,
    /// The step in which the limit was reached.
    last_step: Option<u64>,
}

impl Projection for Journal {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        match &event.step {
            _ if !event.is_document => {}
            None if event.label.as_deref() == Some(&self.label) => self.initial.push(event.text().into_owned()),
            Some(step) if self.is_open(step.number) => {
                self.came += 1;
                if self.came >= self.limit {
                    self.last_step = Some(step.number);
                }
                if !event.is_duplicate() {
                    let host = host(&event.url().unwrap_or_default()).to_owned();
                    self.documents.push(Document { text: event.text().into_owned(), host });
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Journal {
    fn new(code: Code, limit: Option<u64>) -> Self {
        let (initial, documents) = (Vec::new(), Vec::new());
        Journal {
            label: code.to_string(),
            limit: limit.unwrap_or(u64::MAX),
            initial,
            documents,
            came: 0,
            last_step: None,
        }
    }

    fn is_open(&self, step: u64) -> bool {
        self.came < self.limit || self.last_step == Some(step)
    }
}

/// The host of an absolute URL; all of what is none.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// What is written of the drift.
#[derive(Debug, Serialize)]
struct Line<'a> {
    lang: String,
    documents: u64,
    accepted: usize,
    taught: usize,
    words: usize,
    least_margin: f64,
    median_margin: f64,
    initial_margin: f64,
    agreement: f64,
    distance: f64,
    nearest: Option<(String, f64)>,
    kept: Option<&'a str>,
}

fn line(code: Code, documents: u64, drift: &Drift) -> Line<'_> {
    /// To four decimals, as langid does.
    fn round(number: f64) -> f64 {
        (number * 1e4).round() / 1e4
    }
    let Drift { accepted, taught, words, .. } = *drift;
    Line {
        lang: code.to_string(),
        documents,
        accepted,
        taught,
        words,
        least_margin: round(drift.least_margin),
        median_margin: round(drift.median_margin),
        initial_margin: round(drift.initial_margin),
        agreement: round(drift.agreement),
        distance: round(drift.distance),
        nearest: drift.nearest.map(|(code, distance)| (code.to_string(), round(distance))),
        kept: drift.kept.map(|kept| kept.name()),
    }
}

/// Says what was learned, and what that has moved.
fn tell(code: Code, drift: &Drift, io: &Io) {
    let Drift { documents, accepted, taught, least_margin, median_margin, initial_margin, agreement, distance, .. } =
        drift;
    let nearest = drift.nearest.map_or(String::new(), |(code, distance)| format!(", {code} at {distance:.3}"));
    io.say.info(format_args!(
        "{code}: of {documents} documents {accepted} accepted, {taught} taught; margin {median_margin:.3}, at least \
         {least_margin:.3}, initial {initial_margin:.3}; moved by {distance:.3}{nearest}; the first profile agrees with \
         {:.0} %",
        agreement * 100.0
    ));
    /// Agreement that is too little to be passed over in silence.
    const LITTLE: f64 = 0.25;
    if *agreement < LITTLE && drift.kept.is_none() {
        io.say.warn(format_args!(
            "{code}: the first profile accepts little of this; look whether a relative has taken over (a longer initial \
             document is better)"
        ));
    }
    if let Some(kept) = drift.kept {
        io.say.warn(format_args!("{code}: the former profile is kept: {kept}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_record::Record;

    fn take(limit: u64, lines: &[&str]) -> Journal {
        let mut journal = Journal::new("bcl".parse().unwrap(), Some(limit));
        for line in lines {
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
    fn initial_documents_and_what_came_are_told_apart_and_twins_left_out() {
        let journal = take(u64::MAX, &LINES);
        assert_eq!(journal.initial, ["an initial one"]);
        let documents: Vec<(&str, &str)> = journal.documents.iter().map(|d| (&*d.text, &*d.host)).collect();
        assert_eq!(documents, [("one", "a.test"), ("three", "b.test"), ("four", "d.test")]);
        assert_eq!(journal.came, 4);
    }

    #[test]
    fn the_journal_is_read_to_the_end_of_a_step() {
        for limit in [1, 2, 3] {
            assert_eq!(take(limit, &LINES).came, 3, "{limit}");
        }
        assert_eq!(take(4, &LINES).came, 4);
        assert_eq!(take(0, &LINES).came, 0);
    }
}
