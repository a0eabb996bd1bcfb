//! A search through the documents of runs and files, most of which are of no use and are not
//! parsed.

use crate::documents::{DocumentArgs, list_taken_down, warn_of_later_labels};
use crate::repeats::RepeatFilter;
use forage_cli::{Io, Output, TextUse};
use forage_record::Record;
use forage_run::{DocumentSelection, DocumentSource, Event};
use memchr::memmem;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The classes that were given, and which of them lines name. These are not parsed: a class is only
/// known to have no document if no line names it.
struct NamedClasses<'a> {
    /// Each class, what finds it in JSON, and whether a line has it.
    classes: Vec<(&'a str, memmem::Finder<'static>, AtomicBool)>,
}

impl<'a> NamedClasses<'a> {
    fn new(classes: &'a [String]) -> Self {
        let classes = classes.iter().map(|class| {
            let json = format!("\"{class}\"");
            let finder = memmem::Finder::new(&json).into_owned();
            (class.as_str(), finder, AtomicBool::new(false))
        });
        NamedClasses {
            classes: classes.collect(),
        }
    }

    fn note(&self, line: &[u8]) {
        for (_, finder, is_named) in &self.classes {
            if !is_named.load(Ordering::Relaxed) && finder.find(line).is_some() {
                is_named.store(true, Ordering::Relaxed);
            }
        }
    }

    fn missing(&self) -> impl Iterator<Item = &'a str> {
        let classes = self.classes.iter();
        classes.filter_map(|(class, _, is_named)| {
            (!is_named.load(Ordering::Relaxed)).then_some(*class)
        })
    }
}

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
        let mut files = self.list_files()?;
        if files.is_empty() {
            files.push("-".into());
        }
        let taken_down = list_taken_down(&files)?;
        let mut repeats = (files.len() > 1).then(RepeatFilter::default);
        let mut targets = self.target.clone();
        let messages = io.messages.clone();
        let named = NamedClasses::new(&self.target);
        let may_match = |line: &[u8]| {
            named.note(line);
            may_match(line)
        };
        let (sources, versions) = self.open_sources(&files)?;
        for ((path, source), versions) in files.iter().zip(sources).zip(versions) {
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
            selection.select_versions(versions);
            let has_repeats = repeats.is_some();
            let search = |record: Record| {
                let event = Event::from_record(&record);
                selection.clone().class_of(&event).ok()?;
                if taken_down.find(&event).is_some() {
                    return None;
                }
                let result = work(&event)?;
                drop(event);
                Some((has_repeats.then_some(record), result))
            };
            let input = self.input.with_file(&source.file);
            let input = input.with_text_use(TextUse::Document);
            io.search_records(&input, jobs, may_match, search, |(record, result), out| {
                let compared = repeats.as_mut().zip(record);
                if compared.is_some_and(|(repeats, record)| {
                    repeats.is_repeat(&Event::from_record(&record), &messages)
                }) {
                    return Ok(());
                }
                consume(result, out)
            })?;
            if let Some(repeats) = &mut repeats {
                repeats.finish_input(path, &messages);
            }
        }
        for class in named.missing() {
            messages.warn(format_args!("--target {class}: no document has this class"));
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
