//! Writes the documents to the files of the export, which appear under their names at the end.

use crate::args::Args;
use crate::folder::DocumentFolder;
use crate::layout::{Layout, base_name, formats};
use anyhow::Context;
use forage_cli::{PendingFile, replace_file};
use forage_export::{
    CorpusWriter, Document, Format, FormatOptions, Part, corpus_writer, document_text, registry,
    write_row,
};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files of an export.
#[derive(Debug)]
pub struct Output {
    layout: Layout,
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
    table: Option<LineTable>,
}

/// The table of the documents of a file of plain text.
#[derive(Debug)]
struct LineTable {
    file: PendingFile,
    /// The line after the last one of the text.
    line: u64,
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
            names: args.details.names.into(),
            order: usize::from(args.details.order),
            min_frequency: args.details.min_freq.get(),
            temporary: temporary_folder(&layout),
            title: title_of(&layout),
        };
        let mut output = Output {
            is_bare: args.bare || layout.is_in_run() || is_direct(&layout),
            formats: formats(args),
            options,
            force: args.force,
            files: BTreeMap::new(),
            folder: match &layout {
                Layout::Documents(folder) => Some(DocumentFolder::create(folder, args.force)?),
                _ => None,
            },
            layout,
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
        let has_records = self.formats.contains(&Format::Jsonl);
        let has_table = key.2 == Format::Text && !self.is_bare && !has_records;
        let table = has_table.then(|| LineTable::create(&path, self.force));
        // Files of Parquet have no first line by which an earlier version is recognised.
        let is_earlier = key.2 == Format::Parquet && begins_with(&path, b"PAR1");
        let file = CorpusFile {
            table: table.transpose()?,
            file: PendingFile::create(&path, self.force || is_earlier)?,
            writer: corpus_writer(key.2, &self.options),
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
        for ((_, _, format), file) in self.files {
            let path = file.file.path().to_owned();
            file.file.commit()?;
            file.table.map_or(Ok(()), |table| table.file.commit())?;
            if format == Format::Vertical && !self.is_bare {
                write_registry(&path, self.force)?;
            }
        }
        let Some(card) = card else {
            return Ok(None);
        };
        let path = card_path(&self.layout);
        // A README.md of the user is kept.
        Ok(replace_file(&path, card.as_bytes(), false)
            .err()
            .map(|_| path))
    }

    /// Returns the names of the files, for the card.
    fn names(&self) -> Vec<String> {
        let Some(folder) = &self.folder else {
            let paths = self.files.values().map(|file| file.file.path());
            return paths
                .filter_map(Path::file_name)
                .map(|name| name.to_string_lossy().into())
                .collect();
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
        let files = self.files.iter().rev().filter(is_of_class);
        files
            .enumerate()
            .map(|(index, (_, file))| {
                let path = file.file.path();
                let shown = match index {
                    0 => path,
                    _ => path.file_name().map_or(path, Path::new),
                };
                shown.display().to_string()
            })
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

impl CorpusFile {
    fn add(&mut self, document: &Document) -> anyhow::Result<()> {
        self.writer
            .add(document, &mut self.file)
            .map_err(|e| self.file.to_error(e))?;
        match &mut self.table {
            Some(table) => table.add(document),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.writer
            .finish(&mut self.file)
            .map_err(|e| self.file.to_error(e))
    }
}

impl LineTable {
    /// Creates the table of a text at `path`, with its header.
    fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        let mut file = PendingFile::create(&path.with_extension("documents.tsv"), force)?;
        write_table_row("line", None, &mut file)?;
        Ok(LineTable { file, line: 1 })
    }

    fn add(&mut self, document: &Document) -> anyhow::Result<()> {
        let lines = document_text(document).matches('\n').count() as u64;
        if lines == 0 {
            return Ok(());
        }
        write_table_row(&self.line.to_string(), Some(document), &mut self.file)?;
        // An empty line follows.
        self.line += lines + 1;
        Ok(())
    }
}

/// Writes a row of a table of metadata: where the document is, and its columns; without a document
/// their names.
pub fn write_table_row(
    place: &str,
    document: Option<&Document>,
    file: &mut PendingFile,
) -> anyhow::Result<()> {
    let written = match document {
        Some(document) => {
            let columns = document.columns();
            let cells = columns.iter().map(|(_, value)| value.as_ref());
            write_row(b'\t', std::iter::once(place).chain(cells), file)
        }
        None => write_row(
            b'\t',
            std::iter::once(place).chain(forage_export::COLUMN_NAMES),
            file,
        ),
    };
    written.map_err(|e| file.to_error(e))
}

/// Returns `true` if there is a file with these first bytes.
fn begins_with(path: &Path, magic: &[u8; 4]) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *magic
}

/// Writes the registry file of a vertical file beside it.
fn write_registry(vertical: &Path, force: bool) -> anyhow::Result<()> {
    let name =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let base = name(vertical.file_stem());
    let content = registry(&base, &name(vertical.file_name()));
    replace_file(
        &vertical.with_extension("registry"),
        content.as_bytes(),
        force,
    )
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
