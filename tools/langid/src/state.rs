//! `--state`: identification among the classes of a run, by profiles that are learned from it.

use crate::state_file::ClassProfiles;
use crate::{Args, annotate_record};
use forage_cli::{CommitOrder, Io, Output, Stage};
use forage_langid::{Identifier, Scratch};
use forage_record::Record;
use forage_run::Event;
use forage_step::RebuildRequest;
use std::path::Path;

/// Rebuilds the profiles, or labels the documents of steps.
pub(crate) fn run(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    match (&args.step.rebuild, args.step.from_step) {
        (Some(journal), _) => rebuild_profiles(args, path, journal, io),
        (None, Some(step)) => label_steps(args, path, step, io),
        (None, None) => anyhow::bail!("--state requires --from-step or --rebuild"),
    }
}

/// Rebuilds the profiles from a journal; with `--if-behind`, only if they lack a step.
fn rebuild_profiles(args: &Args, path: &Path, journal: &Path, io: &mut Io) -> anyhow::Result<()> {
    let request = RebuildRequest {
        state: path,
        journal,
        if_behind: args.step.if_behind,
        input: &args.input,
        consequence: "",
    };
    let open = || Ok(Some(ClassProfiles::open(path, args.min_margin)?));
    let open_empty = || Ok(ClassProfiles::open_empty(path, args.min_margin)?);
    forage_step::rebuild(&request, io, open, open_empty)
}

/// Labels the records of steps, and adds them to the profiles.
fn label_steps(args: &Args, path: &Path, from_step: u64, io: &mut Io) -> anyhow::Result<()> {
    let mut profiles = ClassProfiles::open(path, args.min_margin)?;
    profiles.prepare_step(from_step)?;
    profiles.commit()?;
    let identifier = profiles.identifier()?;
    anyhow::ensure!(
        identifier.classes().next().is_some(),
        "{}: has no classes; they are the labels of the initial documents in the journal, which \
         --rebuild reads",
        path.display()
    );
    let mut stage = LabelStage {
        args,
        profiles,
        identifier,
        scratch: Scratch::default(),
    };
    io.run_stage(&args.input, &mut stage)
}

/// Labels each record by the profiles of the steps before its own.
struct LabelStage<'a> {
    args: &'a Args,
    profiles: ClassProfiles,
    identifier: Identifier,
    scratch: Scratch,
}

impl Stage for LabelStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        let step = Event::from_record(&record).step_number();
        if self.profiles.advance_to(step)? {
            self.identifier = self.profiles.identifier()?;
        }
        annotate_record(self.args, &self.identifier, &mut self.scratch, &mut record);
        let event = Event::from_record(&record);
        // A record without a step would be an initial document, which only a journal has.
        if event.step.is_some() {
            self.profiles.apply_event(&event)?;
        }
        out.write_record(&record);
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.profiles.commit()?)
    }

    /// The step of a pipeline is repeated if it is interrupted.
    fn commit_order(&self) -> CommitOrder {
        CommitOrder::BeforeOutput
    }
}
