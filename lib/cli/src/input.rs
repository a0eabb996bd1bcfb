//! The input of a tool: its files, and how they are read.

use crate::byte_count::parse_positive_byte_count;
use crate::file_walk::list_folder;
use crate::line_source::LineSource;
use crate::lines::{Lines, TextUse};
use crate::output_guard::is_path_of;
use std::path::{Path, PathBuf};

/// Arguments of a tool that reads records.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Input files; `-` or none: standard input
    ///
    /// They are read as one stream, and may be compressed by gzip or zstd. A file of records may be
    /// a JSON array, too.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Read the files in folders
    ///
    /// They are sorted by name in each folder. Hidden files and symbolic links are left out unless
    /// they are named.
    #[arg(short, long)]
    pub recursive: bool,

    /// Maximum length of a line in bytes; longer lines are skipped
    ///
    /// A suffix K, M or G stands for a power of 1024.
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "32M",
        value_parser = parse_positive_byte_count::<usize>
    )]
    pub max_line: usize,

    /// Field of the text, which is renamed to `text`
    #[arg(long, value_name = "NAME")]
    pub text_field: Option<String>,

    /// Write skipped lines to this file, which must be new or empty
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,

    /// Stop at the first line that is not a record (exit code 2)
    #[arg(long)]
    pub strict: bool,

    /// Show records and rate: one line on a terminal, else a line per second
    #[arg(long)]
    pub progress: bool,

    /// The sources of the lines, in place of `files`, for a tool that reads others than files.
    #[arg(skip)]
    pub sources: Option<Vec<LineSource>>,

    /// What a file of text is.
    #[arg(skip)]
    pub text_use: TextUse,
}

impl Input {
    /// Creates an input of `files`, with the default value of each flag.
    pub fn from_files(files: Vec<PathBuf>) -> Input {
        Input {
            files,
            recursive: false,
            max_line: 32 << 20,
            text_field: None,
            rejects: None,
            strict: false,
            progress: false,
            sources: None,
            text_use: TextUse::Lines,
        }
    }

    /// Returns the sources of the lines: standard input if nothing is named.
    ///
    /// # Errors
    /// Fails if a folder cannot be read, or has no file.
    pub(crate) fn line_sources(&self) -> anyhow::Result<Vec<LineSource>> {
        Ok(match &self.sources {
            Some(sources) => sources.clone(),
            None if self.files.is_empty() => vec![LineSource::File("-".into())],
            None => self
                .list_files(&self.files)?
                .into_iter()
                .map(LineSource::File)
                .collect(),
        })
    }

    /// Returns `paths`, and with `--recursive` the files in a folder instead of it.
    ///
    /// # Errors
    /// Fails if a folder cannot be read, or has no file.
    pub fn list_files(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let is_expanded = |path: &PathBuf| self.recursive && path.is_dir();
        let mut files = Vec::new();
        for path in paths {
            match is_expanded(path) {
                true => files.extend(list_folder(path)?),
                false => files.push(path.clone()),
            }
        }
        Ok(files)
    }

    /// Returns the name of the file of the input that is the file at `path`, too, under any path or
    /// link, if there is one.
    pub fn find_file(&self, path: &Path) -> Option<String> {
        // A folder that cannot be read is reported when the input is opened.
        let sources = self.line_sources().unwrap_or_default();
        Lines::find_file(&sources, |file| is_path_of(path, file))
    }

    /// Returns an input of one file, with the flags of this one.
    pub fn with_file(&self, file: &Path) -> Input {
        self.with_files(vec![file.into()])
    }

    /// Returns this input, in which files of text are used so.
    pub fn with_text_use(&self, text_use: TextUse) -> Input {
        Input {
            text_use,
            ..self.clone()
        }
    }

    /// Returns an input of these files, with the flags of this one.
    pub fn with_files(&self, files: Vec<PathBuf>) -> Input {
        Input {
            files,
            sources: None,
            ..self.clone()
        }
    }
}
