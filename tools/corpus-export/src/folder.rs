//! A folder with a file per document, which appears under its name, complete, at the end.

use crate::corpus_format::{
    Document, Format, Part, UniqueNames, document_markdown, document_text, file_name_of,
};
use crate::layout::base_name;
use crate::metadata_table::write_table_row;
use crate::new_folder::NewFolder;
use anyhow::Context;
use forage_cli::PendingFile;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The table of metadata in the folder.
const TABLE: &str = "documents.tsv";

/// A folder of documents that is being written beside its final place.
#[derive(Debug)]
pub struct DocumentFolder {
    folder: NewFolder,
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
        let folder = NewFolder::create(path, force, is_export)?;
        let mut table = PendingFile::create(&folder.temporary.path().join(TABLE), false)?;
        write_table_row("file", None, &mut table)?;
        Ok(DocumentFolder {
            folder,
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
            let path = self.folder.temporary.path().join(&folder);
            fs::create_dir_all(&path)
                .with_context(|| self.folder.path.join(&folder).display().to_string())?;
            self.folders.insert(folder.clone());
        }
        let name = self.names.name(&file_name_of(&document.id));
        let place = folder.join(format!("{name}.{}", format.extension()));
        let content = match format {
            Format::Markdown => document_markdown(document),
            _ => document_text(document),
        };
        fs::write(self.folder.temporary.path().join(&place), content)
            .with_context(|| self.folder.path.join(&place).display().to_string())?;
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
        self.table.commit()?;
        if let Some(card) = card {
            fs::write(self.folder.temporary.path().join("README.md"), card)
                .with_context(|| self.folder.path.display().to_string())?;
        }
        self.folder.commit()
    }
}

/// Returns `true` if a folder was written by an export with a file per document.
fn is_export(folder: &Path) -> bool {
    let table = fs::read_to_string(folder.join(TABLE)).unwrap_or_default();
    table.starts_with("file\tid\turl\t")
}
