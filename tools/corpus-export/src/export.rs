//! Passes the documents through the filters to the output, and counts them for the user.

use crate::args::{Args, ReleaseArgs};
use crate::corpus_format::{CardContext, DataCard, Document, Part};
use crate::filter::Filter;
use crate::layout::Layout;
use crate::output::Output;
use crate::release::Release;
use crate::spool::Spool;
use forage_cli::{Io, format_count, quote_for_shell};
use forage_record::Record;
use forage_run::{Event, without_folders};
use forage_step::SelectedDocument;
use forage_text::count_words;
use std::collections::BTreeMap;
use std::path::Path;

/// Why a document is left out that the filters keep.
const REPEATED: &str = "of which all repeats earlier text";
const OF_OTHER_HOST: &str = "with the text of another host";

/// An export in progress.
#[derive(Debug)]
pub struct Export<'a> {
    args: &'a Args,
    filter: Filter<'a>,
    output: Output,
    /// The documents until their parts are known, with --split.
    spool: Option<Spool>,
    classes: BTreeMap<String, ClassCounts>,
    card: DataCard,
    release: Option<Release>,
}

/// Counts of the documents written for a class.
#[derive(Debug, Default)]
struct ClassCounts {
    documents: u64,
    /// Documents retrieved by queries for other targets.
    from_other_targets: u64,
    words: u64,
}

impl<'a> Export<'a> {
    /// Starts an export, with the files of the classes that are given.
    ///
    /// # Errors
    /// Fails if a list cannot be read, or a file cannot be created.
    pub fn new(args: &'a Args, io: &mut Io) -> anyhow::Result<Self> {
        let release = args.release.release.as_ref();
        let release = release
            .map(|name| Release::create(name, args))
            .transpose()?;
        let layout = match &release {
            Some(release) => Layout::Files(release.content().to_owned()),
            None => Layout::new(args)?,
        };
        let split = args.split.split.as_ref();
        let spool = split.map(|shares| Spool::new(&shares.0, args.split.seed.seed, layout.clone()));
        let mut export = Export {
            args,
            filter: Filter::new(&args.filter, io)?,
            output: Output::new(args, layout)?,
            spool: spool.transpose()?,
            classes: BTreeMap::new(),
            card: DataCard::default(),
            release,
        };
        for class in &args.documents.target {
            export.open_class(class)?;
        }
        Ok(export)
    }

    fn open_class(&mut self, class: &str) -> anyhow::Result<()> {
        if !self.classes.contains_key(class) {
            self.classes.insert(class.into(), ClassCounts::default());
        }
        match self.spool {
            Some(_) => Ok(()),
            None => self.output.open(class, None),
        }
    }

    /// Filters and writes a document.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn add(&mut self, selected: &SelectedDocument) -> anyhow::Result<()> {
        let document = self.document(selected.event, selected.class);
        if let Some(cause) = self.filter.find_cause(&document, selected.event) {
            self.leave_out(&document, &cause);
            return Ok(());
        }
        let Some(record) = self.filter.remove_paragraphs(selected.event)? else {
            return self.add_kept(selected.event, document);
        };
        let event = Event::from_record(&record);
        let document = self.document(&event, selected.class);
        if document.text.is_empty() {
            self.filter.count(REPEATED);
            self.leave_out(&document, REPEATED);
            return Ok(());
        }
        self.add_kept(&event, document)
    }

    /// Returns the document of a record; that of a release without folders of this machine.
    fn document<'e>(&self, event: &'e Event, class: &'e str) -> Document<'e> {
        let document = Document::from_event(event, class);
        match self.release {
            Some(_) => document.without_folders(),
            None => document,
        }
    }

    /// Notes why a document is not in a release.
    fn leave_out(&mut self, document: &Document, reason: &str) {
        if let Some(release) = &mut self.release {
            release.leave_out(document, reason);
        }
    }

    fn add_kept(&mut self, event: &Event, document: Document) -> anyhow::Result<()> {
        if let Some(spool) = &mut self.spool {
            if !spool.add(&document)? {
                self.filter.count(OF_OTHER_HOST);
                self.leave_out(&document, OF_OTHER_HOST);
            }
            return Ok(());
        }
        self.write(event, &document, None)
    }

    fn write(
        &mut self,
        event: &Event,
        document: &Document,
        part: Option<Part>,
    ) -> anyhow::Result<()> {
        self.output.add(document, part)?;
        if let Some(release) = &mut self.release {
            release.add(document)?;
        }
        let words = count_words(&document.text);
        if !self.output.is_bare() {
            self.card.add(document, words);
        }
        let counts = self.classes.entry(document.label.into()).or_default();
        counts.documents += 1;
        counts.from_other_targets += u64::from(event.step.is_some() && !event.is_relevant());
        counts.words += words;
        Ok(())
    }

    /// Makes the files appear under their names, also those of `classes` without a document.
    /// Reports the size of each corpus.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(mut self, classes: &[String], io: &Io) -> anyhow::Result<()> {
        classes
            .iter()
            .try_for_each(|class| self.open_class(class))?;
        let mut notes = Vec::new();
        if let Some(mut spool) = self.spool.take() {
            let split = spool.assign();
            for &part in split.parts() {
                self.output.open("", Some(part))?;
            }
            spool.for_each(|record: &Record, part| {
                let event = Event::from_record(record);
                let class = event.label.clone().unwrap_or_default();
                let document = self.document(&event, &class);
                self.write(&event, &document, Some(part))
            })?;
            notes = describe_parts(&split.sizes());
        }
        let left_out = self.filter.describe();
        if !left_out.is_empty() {
            let message = format!("left out: {}", left_out.join(", "));
            io.messages.info(message);
        }
        let long = self.output.long_values();
        if long > 0 {
            io.messages.warn(format_args!(
                "{} of vertical, longer than CWB reads: tokens were split, attributes cut",
                format_count(long, "value")
            ));
        }
        let mut lines = self.describe_classes();
        lines.extend(notes.iter().cloned());
        let changes = self.release.as_mut().map(Release::compare).transpose()?;
        notes.extend(changes.flatten().inspect(|line| lines.push(line.clone())));
        let data_files = self.output.data_files();
        let (args, card, release) = (self.args, self.card, self.release);
        let title = release
            .as_ref()
            .map(|release| card.release_title(&release.name));
        let front_matter = release
            .as_ref()
            .map(|release| card.front_matter(&release.name, &data_files));
        let kept = self.output.finish(|name, files| {
            card.render(&CardContext {
                title: title.unwrap_or_else(|| name.into()),
                front_matter,
                files,
                command: command(args),
                left_out,
                notes,
                runs: runs(args),
            })
        })?;
        if let Some(release) = release {
            release.finish(&card, &data_files)?;
        }
        if let Some(path) = kept {
            io.messages.warn(format_args!(
                "{}: is not a data card of an earlier export, and was left as it is",
                path.display()
            ));
        }
        for line in lines {
            io.messages.info_unprefixed(line);
        }
        Ok(())
    }

    /// Returns lines with the size of each corpus.
    fn describe_classes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (class, counts) in &self.classes {
            let prefix = match class.as_str() {
                "" => String::new(),
                class => format!("{class}: "),
            };
            lines.push(format!(
                "{prefix}{}, {} in {}",
                format_count(counts.documents, "document"),
                format_count(counts.words, "word"),
                self.output.format_paths(class)
            ));
            if counts.from_other_targets > 0 {
                let documents = format_count(counts.from_other_targets, "document");
                lines.push(format!(
                    "{prefix}{documents} retrieved by queries for other targets"
                ));
            }
        }
        if lines.is_empty() {
            lines.push(format!("no documents for {}", self.args.out.display()));
        }
        lines
    }
}

/// Returns lines with the sizes of parts.
fn describe_parts(sizes: &[(Part, u64, u64)]) -> Vec<String> {
    let total: u64 = sizes.iter().map(|(_, _, documents)| documents).sum();
    let describe = |&(part, hosts, documents): &(Part, u64, u64)| {
        let share = 100.0 * documents as f64 / total.max(1) as f64;
        format!(
            "{}: {} of {} ({share:.1} %)",
            part.name(),
            format_count(documents, "document"),
            format_count(hosts, "host")
        )
    };
    sizes.iter().map(describe).collect()
}

/// Returns the command of this process, for a shell; that of a release without folders of this
/// machine.
fn command(args: &Args) -> String {
    let ReleaseArgs { release, previous } = &args.release;
    let places = [Some(&args.out), previous.as_ref()].into_iter().flatten();
    let places: Vec<_> = places.map(|place| place.to_string_lossy()).collect();
    let shorten = |word: &str| {
        let option = places.iter().find_map(|place| word.strip_suffix(&**place));
        match option.filter(|option| option.is_empty() || option.ends_with('=')) {
            Some(option) => format!("{option}FOLDER"),
            None => without_folders(word),
        }
    };
    let words = std::env::args_os().skip(1).map(|argument| {
        let word = argument.to_string_lossy();
        match &*word {
            "-" => "-".to_owned(),
            word if release.is_some() => quote_for_shell(&shorten(word)),
            word => quote_for_shell(word),
        }
    });
    let words: Vec<String> = words.collect();
    format!("corpus-export {}", words.join(" "))
}

/// Returns the settings of the runs of the input. Those that only concern the user are left out.
fn runs(args: &Args) -> Vec<(String, Vec<String>)> {
    const PRIVATE: [&str; 3] = ["contact=", "connect-to=", "init="];
    let is_shown =
        |line: &&str| !line.ends_with('=') && !PRIVATE.iter().any(|start| line.starts_with(start));
    let settings = |run: &Path| {
        let text = std::fs::read_to_string(run.join("run.conf")).ok()?;
        let shown = text.lines().filter(is_shown);
        let lines = shown.map(|line| match line.split_once('=') {
            Some((key, value)) => format!("{key}={}", without_folders(value)),
            None => line.to_owned(),
        });
        let name = run.file_name().unwrap_or(run.as_os_str());
        Some((name.to_string_lossy().into(), lines.collect()))
    };
    let files = args.documents.input.files.iter();
    files.filter_map(|path| settings(path)).collect()
}
