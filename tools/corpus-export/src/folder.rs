//! A folder with a file per document, which appears under its name, complete, at the end.

use crate::corpus_format::{
    Document, Format, Part, UniqueNames, document_markdown, document_text, file_name_of,
};
use crate::layout::base_name;
use crate::metadata_table::write_table_row;
use anyhow::Context;
use forage_cli::PendingFile;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The table of metadata in the folder.
const TABLE: &str = "documents.tsv";

/// A folder of documents that is being written beside its final place.
#[derive(Debug)]
pub struct DocumentFolder {
    path: PathBuf,
    temporary: TempDir,
    table: PendingFile,
    names: UniqueNames,
    /// The folders of classes that exist.
    folders: BTreeSet<PathBuf>,
}

impl DocumentFolder {
    /// Starts a folder that will appear at `path`. It may be there if it is empty; with `force`,
    /// also if it is an earlier export, which is then replaced as a whole.
    ///
    /// # Errors
    /// Fails if it cannot be written, or must not be replaced.
    pub fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        // Of a link, the folder to which it leads.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.components().collect());
        check_replaceable(&path, force)?;
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = tempfile::Builder::new()
            .prefix(&format!(".{name}.forage-new"))
            .tempdir_in(parent)
            .with_context(|| path.display().to_string())?;
        let mut table = PendingFile::create(&temporary.path().join(TABLE), false)?;
        write_table_row("file", None, &mut table)?;
        Ok(DocumentFolder {
            path,
            temporary,
            table,
            names: UniqueNames::default(),
            folders: BTreeSet::new(),
        })
    }

    /// Writes the file of a document, in the folder of its part and class.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn add(
        &mut self,
        document: &Document,
        part: Option<Part>,
        format: Format,
    ) -> anyhow::Result<()> {
        let folder = part.map_or(PathBuf::new(), |part| part.name().into());
        let folder = folder.join(base_name(document.label, None));
        if !self.folders.contains(&folder) {
            let path = self.temporary.path().join(&folder);
            fs::create_dir_all(&path)
                .with_context(|| self.path.join(&folder).display().to_string())?;
            self.folders.insert(folder.clone());
        }
        let name = self.names.name(&file_name_of(&document.id));
        let place = folder.join(format!("{name}.{}", format.extension()));
        let content = match format {
            Format::Markdown => document_markdown(document),
            _ => document_text(document),
        };
        fs::write(self.temporary.path().join(&place), content)
            .with_context(|| self.path.join(&place).display().to_string())?;
        write_table_row(&place.to_string_lossy(), Some(document), &mut self.table)
    }

    /// Returns the names of the files, as a pattern per folder.
    pub fn names(&self, format: Format) -> Vec<String> {
        let folders = self.folders.iter();
        let patterns =
            folders.map(|folder| format!("{}/*.{}", folder.display(), format.extension()));
        patterns.chain([TABLE.to_owned()]).collect()
    }

    /// Makes the folder appear at its path, with a data card.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or the folder cannot be moved.
    pub fn commit(self, card: Option<&str>) -> anyhow::Result<()> {
        let shown = self.path.display().to_string();
        self.table.commit()?;
        if let Some(card) = card {
            fs::write(self.temporary.path().join("README.md"), card)
                .with_context(|| shown.clone())?;
        }
        make_readable(self.temporary.path()).with_context(|| shown.clone())?;
        let new = self.temporary.keep();
        let replaced = self
            .path
            .is_dir()
            .then(|| self.path.with_extension("forage-old"));
        if let Some(old) = &replaced {
            fs::rename(&self.path, old).with_context(|| shown.clone())?;
        }
        fs::rename(&new, &self.path).with_context(|| shown.clone())?;
        replaced.map_or(Ok(()), fs::remove_dir_all).context(shown)
    }
}

/// Gives the folder the permissions of other new folders: a temporary one is private.
fn make_readable(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(".mode");
    fs::create_dir(&probe)?;
    let permissions = fs::metadata(&probe)?.permissions();
    fs::remove_dir(&probe)?;
    fs::set_permissions(folder, permissions)
}

/// Checks that a folder is missing or empty, or with `force` an earlier export.
fn check_replaceable(path: &Path, force: bool) -> anyhow::Result<()> {
    let shown = path.display();
    let mut entries = match fs::read_dir(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| shown.to_string())?,
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let table = fs::read_to_string(path.join(TABLE)).unwrap_or_default();
    let is_export = table.starts_with("file\tid\turl\t");
    anyhow::ensure!(
        is_export,
        "{shown}: is not empty, and no earlier export; name another folder"
    );
    anyhow::ensure!(
        force,
        "{shown}: is an earlier export, and is not replaced without --force"
    );
    Ok(())
}
