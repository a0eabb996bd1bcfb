//! draw-documents: draw documents of given classes and lengths at random.

mod args;
mod checksum;

use anyhow::Context;
use args::Args;
use checksum::posix_checksum;
use forage_cli::{Input, Io, Messages, format_count};
use forage_experiment::TrueClasses;
use forage_record::{Record, field};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        !args.input.files.is_empty(),
        "no input files; standard input is not supported, because the input is read twice"
    );
    for file in &args.input.files {
        let is_special =
            file.as_os_str() == "-" || file.metadata().is_ok_and(|metadata| !metadata.is_file());
        anyhow::ensure!(
            !is_special,
            "{}: not a regular file; the input is read twice",
            file.display()
        );
    }
    let candidates = find_candidates(&args, io)?;
    let files = draw_documents(&args, &candidates, &io.messages)?;
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    if files.is_empty() {
        return Ok(());
    }
    let drawn: HashSet<&str> = files.iter().flat_map(DrawnFile::urls).collect();
    let mut documents: HashMap<String, Document> = HashMap::new();
    io.for_each_record(&args.input, |record| {
        // The first document of a URL counts.
        if let Some((url, text)) = read_document(&record)
            && drawn.contains(&*url)
        {
            documents.entry(url).or_insert_with(|| {
                let mut line = Vec::new();
                record.write(&mut line);
                Document { text, line }
            });
        }
        Ok(())
    })?;
    files
        .iter()
        .try_for_each(|file| file.write(&documents, &io.messages))
}

/// A drawn document, and the line of its record.
struct Document {
    text: String,
    line: Vec<u8>,
}

/// A file of the output, with the URLs of its documents.
struct DrawnFile {
    path: PathBuf,
    urls: Vec<String>,
}

impl DrawnFile {
    fn urls(&self) -> impl Iterator<Item = &str> {
        self.urls.iter().map(String::as_str)
    }

    /// Writes the text of the document, or the records of several.
    fn write(
        &self,
        documents: &HashMap<String, Document>,
        messages: &Messages,
    ) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        for (url, document) in self.urls().filter_map(|url| documents.get_key_value(url)) {
            match self.urls.len() {
                1 => bytes.extend_from_slice(format!("{}\n", document.text).as_bytes()),
                _ => bytes.extend_from_slice(&document.line),
            }
            messages.info_unprefixed(format_args!(
                "{}: {} of {url}",
                self.path.display(),
                format_count(count_words(&document.text), "word"),
            ));
        }
        forage_cli::replace_file(&self.path, &bytes, true)?;
        Ok(())
    }
}

/// The URLs of the documents of each class that have the right length, and the number of documents
/// of each class in the truth.
struct Candidates {
    urls: BTreeMap<String, BTreeSet<String>>,
    truth: TrueClasses,
}

/// Reads the candidates.
fn find_candidates(args: &Args, io: &mut Io) -> anyhow::Result<Candidates> {
    let mut truth = TrueClasses::default();
    let lines = Input {
        strict: true,
        ..Input::from_files(vec![args.truth.clone()])
    };
    io.for_each_line(&lines, |line, _| truth.add_line(&line))
        .context("--truth")?;
    let mut lengths: HashMap<String, usize> = HashMap::new();
    io.for_each_record(&args.input, |record| {
        if let Some((url, text)) = read_document(&record) {
            lengths.entry(url).or_insert_with(|| count_words(&text));
        }
        Ok(())
    })?;
    let mut urls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (url, words) in lengths {
        if let Some(class) = truth.class(&url).filter(|_| args.words.contains(&words)) {
            urls.entry(class.into()).or_default().insert(url);
        }
    }
    Ok(Candidates { urls, truth })
}

impl Candidates {
    /// Returns the candidates of a class.
    ///
    /// # Errors
    /// Fails if there are too few.
    fn of_class(&self, class: &str, args: &Args) -> anyhow::Result<Vec<&str>> {
        let truth = args.truth.display();
        anyhow::ensure!(
            self.truth.documents_of_class(class) > 0,
            "{truth}: has no class {class}"
        );
        let urls: Vec<&str> = self
            .urls
            .get(class)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let (from, to) = args.words.clone().into_inner();
        anyhow::ensure!(
            !urls.is_empty(),
            "no document of {class} has {from}-{to} words"
        );
        anyhow::ensure!(
            urls.len() >= args.number.get() as usize,
            "only {} of {class} with {from}-{to} words; --number {} is more",
            format_count(urls.len(), "document"),
            args.number
        );
        Ok(urls)
    }
}

/// Draws the documents of each class and seed, for the files that do not exist.
fn draw_documents(
    args: &Args,
    candidates: &Candidates,
    messages: &Messages,
) -> anyhow::Result<Vec<DrawnFile>> {
    let extension = if args.number.get() > 1 {
        "jsonl"
    } else {
        "txt"
    };
    let mut files = Vec::new();
    for class in args.class.iter().collect::<BTreeSet<_>>() {
        let urls = candidates.of_class(class, args)?;
        for seed in &args.seed {
            let path = args.out.join(format!("{class}-{seed}.{extension}"));
            if path.exists() {
                messages.info_unprefixed(format_args!("{}: exists; kept", path.display()));
            } else {
                let urls = draw_urls(urls.clone(), &format!("{class} {seed}"), args.number.get());
                files.push(DrawnFile { path, urls });
            }
        }
    }
    Ok(files)
}

/// Draws URLs without replacement, by checksums of `name`, and of `name` with the number of the
/// draw.
fn draw_urls(mut urls: Vec<&str>, name: &str, number: u32) -> Vec<String> {
    (1..=number)
        .map(|draw| match draw {
            1 => posix_checksum(name.as_bytes()),
            _ => posix_checksum(format!("{name} {draw}").as_bytes()),
        })
        .map_while(|checksum| {
            let index = (checksum as usize).checked_rem(urls.len())?;
            Some(urls.remove(index).to_owned())
        })
        .collect()
}

/// Returns the URL and text of a document; `None` if the record lacks one of them.
fn read_document(record: &Record) -> Option<(String, String)> {
    let url = record.string(field::URL).ok().flatten()?;
    Some((url.into_owned(), record.text().ok().flatten()?.into_owned()))
}

/// Returns the number of words, which are separated by spaces and line feeds.
fn count_words(text: &str) -> usize {
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| line.split(' ').count())
        .sum()
}
