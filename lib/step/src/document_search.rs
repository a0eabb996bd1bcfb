//! A search through the documents of runs and files, most of which are of no use and are not parsed.

use crate::documents::{DocumentArgs, warn_of_later_labels};
use crate::repeats::RepeatFilter;
use forage_cli::{Io, Output};
use forage_record::Record;
use forage_run::{DocumentSelection, DocumentSource, Event};
use std::path::Path;

impl DocumentArgs {
    /// Passes each selected document that may be of use through `work`, on `jobs` threads, and its
    /// result to `consume`, in the order of the input.
    ///
    /// The documents are those of [`DocumentArgs::for_each_document`]. `may_match` sees the line of
    /// a record, and says whether it is of use.
    ///
    /// # Errors
    /// Fails if an input cannot be read, or `consume` fails; also if the targets of a journal on
    /// standard input are not given.
    pub fn search_documents<R: Send>(
        &self,
        io: &mut Io,
        jobs: usize,
        may_match: impl Fn(&[u8]) -> bool + Sync,
        work: impl Fn(&Event) -> Option<R> + Sync,
        mut consume: impl FnMut(R, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let files = match self.input.files.as_slice() {
            [] => &[Path::new("-").to_path_buf()],
            files => files,
        };
        let mut repeats = (files.len() > 1).then(RepeatFilter::default);
        let mut targets = self.target.clone();
        let messages = io.messages.clone();
        for path in files {
            let source = DocumentSource::open(path)?;
            warn_of_later_labels(&source, "searched", &messages);
            let is_journal = self.journal || source.is_run;
            if self.target.is_empty() && is_journal {
                targets.extend(match source.targets.is_empty() {
                    true => self.read_targets(&source, io)?,
                    false => source.targets,
                });
            }
            // The class of a record is that by these targets, whichever records were seen before.
            let mut selection =
                DocumentSelection::new(if is_journal { &targets } else { &self.target });
            selection.start_input(is_journal, &[]);
            let has_repeats = repeats.is_some();
            let search = |record: Record| {
                let event = Event::from_record(&record);
                selection.clone().class_of(&event).ok()?;
                let result = work(&event)?;
                drop(event);
                Some((has_repeats.then_some(record), result))
            };
            let input = self.input.with_file(&source.file);
            io.search_records(&input, jobs, &may_match, search, |(record, result), out| {
                let is_repeat = match (&mut repeats, &record) {
                    (Some(repeats), Some(record)) => {
                        repeats.is_repeat(&Event::from_record(record), &messages)
                    }
                    _ => false,
                };
                if is_repeat {
                    Ok(())
                } else {
                    consume(result, out)
                }
            })?;
            if let Some(repeats) = &mut repeats {
                repeats.finish_input(path, &messages);
            }
        }
        Ok(())
    }

    /// Returns the targets of the steps of a journal.
    fn read_targets(&self, source: &DocumentSource, io: &mut Io) -> anyhow::Result<Vec<String>> {
        anyhow::ensure!(
            source.file != Path::new("-"),
            "--journal: the targets of a journal on standard input are unknown; use --target"
        );
        let mut selection = DocumentSelection::default();
        selection.start_input(true, &[]);
        io.for_each_record(&self.input.with_file(&source.file), |record| {
            let _ = selection.class_of(&Event::from_journal(&record)?);
            Ok(())
        })?;
        Ok(selection.classes().map(str::to_owned).collect())
    }
}
