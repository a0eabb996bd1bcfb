//! Writes the documents to the files of the export, which appear under their names at the end.

use crate::args::Args;
use crate::corpus_format::{
    CorpusWriter, DataFile, Document, Format, FormatOptions, Part, corpus_writer, registry,
};
use crate::folder::DocumentFolder;
use crate::layout::{Layout, base_name, formats};
use crate::metadata_table::LineTable;
use anyhow::Context;
use forage_cli::{PendingFile, replace_file};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files of an export.
#[derive(Debug)]
pub struct Output {
    layout: Layout,
    /// The path as the user gives it.
    out: PathBuf,
    formats: Vec<Format>,
    options: FormatOptions,
    force: bool,
    /// True if nothing is written beside the files.
    is_bare: bool,
    /// By class, part and format. The class is empty if a file has all classes.
    files: BTreeMap<(String, Option<Part>, Format), CorpusFile>,
    /// The folder of files per document, until it appears.
    folder: Option<DocumentFolder>,
}

/// A file with documents in one format.
#[derive(Debug)]
struct CorpusFile {
    file: PendingFile,
    writer: Box<dyn CorpusWriter>,
    documents: u64,
    table: Option<LineTable>,
    /// The registry of a vertical file.
    registry: Option<PendingFile>,
}

impl Output {
    /// Creates the folder, and the file if there is only one.
    ///
    /// # Errors
    /// Fails if they cannot be created.
    pub fn new(args: &Args, layout: Layout) -> anyhow::Result<Self> {
        if let Layout::Files(folder) = &layout {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let options = FormatOptions {
            names: args.details.names,
            is_release: args.release.release.is_some(),
            order: usize::from(args.details.order),
            min_frequency: args.details.min_freq.get(),
            temporary: temporary_folder(&layout),
            title: match &args.release.release {
                Some(release) => format!("Text corpus, release {release}"),
                None => title_of(&layout),
            },
        };
        let mut output = Output {
            is_bare: !options.is_release && (args.bare || layout.is_in_run() || is_direct(&layout)),
            formats: formats(args),
            options,
            force: args.force,
            files: BTreeMap::new(),
            folder: match &layout {
                Layout::Documents(folder) => Some(DocumentFolder::create(folder, args.force)?),
                _ => None,
            },
            layout,
            out: args.out.clone(),
        };
        if let Layout::File(path) = output.layout.clone() {
            let format = output.formats[0];
            output.open_file(path, (String::new(), None, format))?;
        }
        Ok(output)
    }

    /// Returns `true` if no data card is written.
    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Creates the files of a class or a part, if the layout has any.
    ///
    /// # Errors
    /// Fails if a file cannot be created.
    pub fn open(&mut self, class: &str, part: Option<Part>) -> anyhow::Result<()> {
        let Layout::Files(folder) = &self.layout else {
            return Ok(());
        };
        let base = base_name(class, part);
        let paths = self.formats.iter().map(|&format| {
            (
                format,
                folder.join(format!("{base}.{}", format.extension())),
            )
        });
        for (format, path) in paths.collect::<Vec<_>>() {
            let key = (self.key_class(class, part), part, format);
            if !self.files.contains_key(&key) {
                self.open_file(path, key)?;
            }
        }
        Ok(())
    }

    /// Returns the class of the key of a file.
    fn key_class(&self, class: &str, part: Option<Part>) -> String {
        match (&self.layout, part) {
            (Layout::Files(_), None) => class.into(),
            _ => String::new(),
        }
    }

    fn open_file(
        &mut self,
        path: PathBuf,
        key: (String, Option<Part>, Format),
    ) -> anyhow::Result<()> {
        let writer = corpus_writer(key.2, &self.options)
            .with_context(|| format!("--format {}", key.2.extension()))?;
        let has_records = self.formats.contains(&Format::Jsonl);
        let has_table = key.2 == Format::Text && !self.is_bare && !has_records;
        let table = has_table.then(|| LineTable::create(&path, self.force));
        // Files of Parquet have no first line by which an earlier version is recognised.
        let is_earlier = key.2 == Format::Parquet && begins_with(&path, b"PAR1");
        let has_registry = key.2 == Format::Vertical && !self.is_bare;
        let registry = has_registry.then(|| create_registry(&path, self.force));
        let file = CorpusFile {
            table: table.transpose()?,
            registry: registry.transpose()?,
            file: PendingFile::create(&path, self.force || is_earlier)?,
            writer,
            documents: 0,
        };
        self.files.insert(key, file);
        Ok(())
    }

    /// Writes a document to the files of its class, or of its part.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn add(&mut self, document: &Document, part: Option<Part>) -> anyhow::Result<()> {
        self.open(document.label, part)?;
        if let Some(folder) = &mut self.folder {
            return folder.add(document, part, self.formats[0]);
        }
        let class = self.key_class(document.label, part);
        for &format in &self.formats {
            if let Some(file) = self.files.get_mut(&(class.clone(), part, format)) {
                file.add(document)?;
            }
        }
        Ok(())
    }

    /// Completes the files, and makes them appear under their names. `card` is written beside them.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(
        mut self,
        card: impl FnOnce(&str, Vec<String>) -> String,
    ) -> anyhow::Result<Option<PathBuf>> {
        let names = self.names();
        for file in self.files.values_mut() {
            file.finish()?;
        }
        let card = (!self.is_bare).then(|| card(&self.options.title, names));
        if let Some(folder) = self.folder {
            folder.commit(card.as_deref())?;
            return Ok(None);
        }
        let files = self.files.into_values().flat_map(CorpusFile::into_files);
        let mut files: Vec<PendingFile> = files.collect();
        files.iter_mut().try_for_each(PendingFile::complete)?;
        files.into_iter().try_for_each(PendingFile::commit)?;
        let Some(card) = card else {
            return Ok(None);
        };
        let path = card_path(&self.layout);
        // A README.md of the user is kept.
        Ok(replace_file(&path, card.as_bytes(), false)
            .err()
            .map(|_| path))
    }

    /// Returns the number of tokens and values that were split or cut.
    pub fn long_values(&self) -> u64 {
        let files = self.files.values();
        files.map(|file| file.writer.long_values()).sum()
    }

    /// Returns the files of documents.
    pub fn data_files(&self) -> Vec<DataFile> {
        let files = self
            .files
            .iter()
            .map(|((class, part, format), file)| DataFile {
                name: file_name(file.file.path()),
                base: base_name(class, *part),
                part: *part,
                format: *format,
                documents: file.documents,
            });
        files.collect()
    }

    /// Returns the names of the files, for the card.
    fn names(&self) -> Vec<String> {
        let Some(folder) = &self.folder else {
            let paths = self.files.values().map(|file| file.file.path());
            return paths.map(file_name).collect();
        };
        folder.names(self.formats[0])
    }

    /// Formats the paths of the files of a class. Only the first one includes the folder.
    pub fn format_paths(&self, class: &str) -> String {
        if self.folder.is_some() {
            return self.layout.folder().join("").display().to_string();
        }
        let is_of_class = |(key, _): &(&(String, Option<Part>, Format), _)| {
            let (of_class, part, _) = key;
            *of_class == self.key_class(class, *part)
        };
        let mut files: Vec<_> = self.files.iter().filter(is_of_class).collect();
        files.sort_by_key(|((_, part, format), _)| (*part, Reverse(*format)));
        files
            .into_iter()
            .enumerate()
            .map(|(index, (_, file))| {
                let path = file.file.path();
                match index {
                    0 if self.options.is_release => {
                        self.out.join(file_name(path)).display().to_string()
                    }
                    0 => path.display().to_string(),
                    _ => file_name(path),
                }
            })
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

impl CorpusFile {
    fn add(&mut self, document: &Document) -> anyhow::Result<()> {
        self.documents += 1;
        self.writer
            .add(document, &mut self.file)
            .map_err(|e| self.file.to_error(e))?;
        match &mut self.table {
            Some(table) => table.add(document),
            None => Ok(()),
        }
    }

    /// Returns the file, and those beside it.
    fn into_files(self) -> impl Iterator<Item = PendingFile> {
        let table = self.table.map(|table| table.file);
        [Some(self.file), table, self.registry]
            .into_iter()
            .flatten()
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.writer
            .finish(&mut self.file)
            .map_err(|e| self.file.to_error(e))
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into()
}

/// Returns `true` if there is a file with these first bytes.
fn begins_with(path: &Path, magic: &[u8; 4]) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *magic
}

/// Creates the registry file of a vertical file beside it.
fn create_registry(vertical: &Path, force: bool) -> anyhow::Result<PendingFile> {
    let content = registry(
        &file_name(&vertical.with_extension("")),
        &file_name(vertical),
    );
    let mut file = PendingFile::create(&vertical.with_extension("registry"), force)?;
    file.append(content.as_bytes())?;
    Ok(file)
}

/// Returns the path of the data card.
fn card_path(layout: &Layout) -> PathBuf {
    match layout {
        Layout::File(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{name}.README.md"))
        }
        Layout::Files(folder) | Layout::Documents(folder) => folder.join("README.md"),
    }
}

/// Returns `true` for an output that is no regular file.
fn is_direct(layout: &Layout) -> bool {
    let Layout::File(path) = layout else {
        return false;
    };
    fs::metadata(path).is_ok_and(|file| !file.is_file())
        || path.starts_with("/dev")
        || path.starts_with("/proc")
}

/// Returns the folder for temporary files: that of the output, which has room for it.
fn temporary_folder(layout: &Layout) -> PathBuf {
    match (is_direct(layout), layout) {
        (true, _) => std::env::temp_dir(),
        (_, Layout::Documents(folder)) => match folder.parent() {
            Some(parent) if parent != Path::new("") => parent.into(),
            _ => ".".into(),
        },
        _ => layout.folder().into(),
    }
}

/// Returns the title of the corpus: the name of the output.
fn title_of(layout: &Layout) -> String {
    let path = match layout {
        Layout::File(path) => path.with_extension(""),
        _ => fs::canonicalize(layout.folder()).unwrap_or_else(|_| layout.folder().into()),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match &*name {
        "" | "stdout" => "Web corpus".into(),
        name => name.into(),
    }
}
