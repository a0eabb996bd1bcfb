//! sample: draw documents for people to judge, and pass on what their judgements accept.

mod args;
mod people;

pub use args::{Acceptance, Drawing};

use anyhow::Context;
use args::Args;
use foldhash::{HashMap, HashMapExt};
use forage_cli::{Input, Io, SecondPass, UsedRecords, format_count, why_no_document};
use forage_record::{Sample, field};
use forage_review::{
    AcceptanceRule, ChosenRecord, DocumentKey, Group, Grouping, Judgements, Population, Questions,
    ReviewReport, SampleSizes, Verdict,
};
use forage_run::Event;
use people::{Disagreement, People, PeopleReport};
use serde::Serialize;
use std::process::ExitCode;

/// The report with the questions and the agreement of people.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    review: ReviewReport,
    questions: Vec<AskedQuestion>,
    #[serde(flatten)]
    people: PeopleReport,
}

/// What was asked about the documents of a class, and the answers.
#[derive(Serialize)]
struct AskedQuestion {
    class: String,
    is_language: bool,
    /// True for a language that `langid` knows without a profile.
    is_known: bool,
    question: String,
    yes: u64,
    no: u64,
    /// Of these, those that the filter of the run accepted.
    accepted_yes: u64,
    accepted_no: u64,
}

/// The documents of the input.
struct Documents {
    population: Population,
    questions: Questions,
    /// The classes of the documents with their labels at the end of the run; `None` if these are
    /// those of the records.
    labels: Option<HashMap<DocumentKey, String>>,
    /// The numbers of the initial documents, with their classes.
    initial: Vec<(u64, String)>,
    disagreements: Vec<Disagreement>,
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let people = People::read(&args.judgements, io)?;
    let (documents, input) = read_documents(&args, &people, io)?;
    if args.judgements.is_empty() {
        return write_sample(&args, &documents, input, io);
    }
    let (population, judgements) = (&documents.population, people.combined());
    let rule = AcceptanceRule {
        limit: args.acceptance.limit,
    };
    if let (Some(verdict), Some(class)) = (args.verdict, &args.class) {
        let judged = documents.with_verdict(&judgements, class, verdict);
        return io.read_second_pass(input, judged, |record, out| out.write_record(&record));
    }
    warn_of_unjudged(population, &judgements, io);
    if args.report {
        let report = Report {
            review: ReviewReport::new(population, &judgements, rule),
            questions: documents.asked(&judgements),
            people: people.report(documents.disagreements),
        };
        io.out.write_line(&serde_json::to_string(&report)?);
        return Ok(());
    }
    let accepted = population.accepted_records(&judgements, rule);
    io.read_second_pass(input, accepted, |record, out| out.write_record(&record))
}

/// Reads all documents.
fn read_documents<'a>(
    args: &'a Args,
    people: &People,
    io: &mut Io,
) -> anyhow::Result<(Documents, SecondPass<'a>)> {
    let mut documents = Documents {
        population: Population::new(args.drawing.by.clone()),
        questions: Questions::default(),
        labels: read_labels(args, io)?,
        initial: Vec::new(),
        disagreements: Vec::new(),
    };
    let mut used = UsedRecords::default();
    let mut wrong_types = 0;
    let mut example = None;
    let input = io.read_first_pass(&args.input, |number, record| {
        let event = if args.journal {
            Event::from_journal(record)?
        } else {
            Event::from_record(record)
        };
        if args.journal && event.step.is_none() {
            documents.add_initial(number, &event);
            return Ok(());
        }
        used.count(why_no_document(record));
        if let Err(e) = documents.add(number, &event, people) {
            wrong_types += 1;
            example.get_or_insert(e);
        }
        Ok(())
    })?;
    used.report("drawn from", &io.messages);
    if let Some(e) = example {
        let records = format_count(wrong_types, "record");
        io.messages.warn(format_args!("{records} left out: {e}"));
    }
    documents.population.finish();
    warn_if_all_rejected(&documents.population, args, io);
    Ok((documents, input))
}

/// Reads the labels that the documents have at the end of a run.
fn read_labels(args: &Args, io: &mut Io) -> anyhow::Result<Option<HashMap<DocumentKey, String>>> {
    if args.corpus.is_empty() {
        return Ok(None);
    }
    let mut labels = HashMap::new();
    io.for_each_record(&Input::from_files(args.corpus.clone()), |record| {
        let event = Event::from_record(&record);
        if let Some(label) = &event.label {
            labels.insert(DocumentKey::of(&event), label.clone());
        }
        Ok(())
    })
    .context("--corpus")?;
    Ok(Some(labels))
}

impl Documents {
    fn add_initial(&mut self, number: u64, event: &Event) {
        if let Some(label) = event.label.clone() {
            self.initial.push((number, label));
            self.questions.add_initial(event);
        }
    }

    fn add(
        &mut self,
        number: u64,
        event: &Event,
        people: &People,
    ) -> Result<(), forage_record::BadField> {
        let label = match &self.labels {
            Some(labels) => labels.get(&DocumentKey::of(event)).map(String::as_str),
            None => event.label.as_deref(),
        };
        if self.population.add_record(number, event, label)? {
            if let Some(label) = label {
                self.questions.add_document(event, label);
            }
            self.disagreements.extend(people.disagreement(event));
        }
        Ok(())
    }

    /// Returns the numbers of the records of `class` with a verdict, and, with yes, of its initial
    /// documents.
    fn with_verdict(&self, judgements: &Judgements, class: &str, verdict: Verdict) -> Vec<u64> {
        let judged = self.population.judged_records(judgements, class, verdict);
        let initial = self.initial.iter();
        let initial = initial
            .filter(|(_, label)| label == class && verdict == Verdict::Relevant)
            .map(|&(number, _)| number);
        let mut numbers: Vec<u64> = initial.chain(judged).collect();
        numbers.sort_unstable();
        numbers
    }

    fn asked(&self, judgements: &Judgements) -> Vec<AskedQuestion> {
        let classes = self.population.classes(judgements).into_iter();
        let asked = classes.map(|(class, all, accepted)| {
            let question = self.questions.about(class);
            AskedQuestion {
                class: class.into(),
                is_language: question.is_language,
                is_known: question.is_known,
                question: question.text,
                yes: all.relevant,
                no: all.judged - all.relevant,
                accepted_yes: accepted.relevant,
                accepted_no: accepted.judged - accepted.relevant,
            }
        });
        asked.collect()
    }
}

/// Warns if no document has the field of the grouping: nothing can be drawn or accepted.
fn warn_if_all_rejected(population: &Population, args: &Args, io: &Io) {
    if population.is_empty() || !population.is_rejected() {
        return;
    }
    match &args.drawing.by {
        Grouping::ByFields(grouping) => io.messages.warn(format_args!(
            "no document has a value in `{}`, so all are in the group `rejected`",
            grouping.fields()
        )),
        Grouping::ByTarget => io
            .messages
            .warn("no document has the label of a target, so all are in groups of rejected ones"),
    }
}

fn write_sample(
    args: &Args,
    documents: &Documents,
    input: SecondPass<'_>,
    io: &mut Io,
) -> anyhow::Result<()> {
    let (population, size) = (&documents.population, args.size());
    let by_number = matches!(args.drawing.by, Grouping::ByTarget) && args.drawing.number.is_some();
    let rejected = args.drawing.rejected.map(forage_review::SampleSize::Share);
    let sizes = SampleSizes {
        groups: size,
        undoubted: args.all_groups.then_some(size),
        rejected: rejected.or(by_number.then_some(size)),
    };
    let drawn = population.draw(&sizes, args.drawing.seed.seed);
    io.messages.debug(format_args!(
        "{} of {} drawn, seed {}",
        drawn.len(),
        format_count(population.len() as u64, "document"),
        args.drawing.seed.seed
    ));
    let mut questions: HashMap<&str, String> = HashMap::new();
    for class in drawn.iter().filter_map(|chosen| chosen.class) {
        let question = || documents.questions.about(class).text;
        questions.entry(class).or_insert_with(question);
    }
    let numbers: Vec<u64> = drawn.iter().map(|chosen| chosen.number).collect();
    let mut drawn = drawn.into_iter();
    io.read_second_pass(input, numbers, |mut record, out| {
        if let Some(ChosenRecord {
            group, size, class, ..
        }) = drawn.next()
        {
            let sample = Sample {
                id: DocumentKey::identity_of(&Event::from_record(&record)),
                group: group.name().into(),
                size,
                class: class.map(str::to_owned),
                question: class.and_then(|class| questions.get(class).cloned()),
                drawn: true,
            };
            record.set(field::SAMPLE, &sample);
            out.write_record(&record);
        }
    })
}

/// Warns of groups that nobody has judged, and of judgements without a document.
fn warn_of_unjudged(population: &Population, judgements: &Judgements, io: &Io) {
    for (group, tally) in population.tallies(judgements) {
        if matches!(group, Group::Judged(_)) && tally.judged == 0 {
            io.messages.warn(format_args!(
                "{}: none of {} is judged, so none is accepted",
                group.name(),
                format_count(tally.documents, "document")
            ));
        }
    }
    let unknown = judgements.len() - population.judged(judgements);
    if unknown > 0 {
        io.messages.warn(format_args!(
            "{} without a document in the input",
            format_count(unknown as u64, "judgement")
        ));
    }
}
