//! Arguments shared by several tools. Each tool flattens the groups that it needs into its own.

use crate::byte_count::parse_positive_byte_count;
use crate::file_walk::list_folder;
use crate::line_source::{LineSource, is_web_url};
use crate::lines::Lines;
use crate::output_guard::is_path_of;
use clap::ArgAction;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Parses the value of a flag that takes a positive integer. `Number` must exclude 0, as
/// [`NonZeroUsize`] does.
///
/// # Errors
/// Fails if `text` is not a `Number`. The messages of the number types are not written for users,
/// so they are replaced.
pub fn parse_positive<Number: FromStr>(text: &str) -> Result<Number, String> {
    text.parse()
        .map_err(|_| "not a positive integer, or too large".into())
}

/// What is wrong with a contact that is none.
pub const NO_CONTACT: &str = "neither a mail address nor the URL of a page, as in me@example.org or \
                              https://example.org/crawler";

/// Parses a contact, which webmasters must be able to use: a mail address, with a name or not, or the
/// URL of a page.
///
/// # Errors
/// Fails if `text` is neither.
pub fn parse_contact(text: &str) -> Result<String, String> {
    let is_address = |word: &str| {
        let word = word.trim_matches(['<', '>', '(', ')', ',']);
        let parts = word.rsplit_once('@');
        parts.is_some_and(|(name, host)| !name.is_empty() && is_domain(host))
    };
    let is_url = is_web_url(text.trim().as_bytes()) && !text.trim().ends_with("//");
    if is_url || text.split_ascii_whitespace().any(is_address) {
        Ok(text.to_owned())
    } else {
        Err(NO_CONTACT.into())
    }
}

/// Returns whether a host has a top-level domain: webmasters cannot write to `me@laptop`.
fn is_domain(host: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    host.contains('.') && host.split('.').all(is_label)
}

/// Returns the contact of the environment variable `FORAGE_CONTACT`; `None` if it is not set or
/// blank.
///
/// # Errors
/// Fails if it is no contact.
pub fn contact_of_environment() -> anyhow::Result<Option<String>> {
    const VARIABLE: &str = "FORAGE_CONTACT";
    let contact = std::env::var(VARIABLE).unwrap_or_default();
    if contact.trim().is_empty() {
        return Ok(None);
    }
    match parse_contact(&contact) {
        Ok(contact) => Ok(Some(contact)),
        Err(cause) => anyhow::bail!("{VARIABLE} {contact:?}: {cause}"),
    }
}

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

    /// Show records and rate: a bar on a terminal, else a line per second
    #[arg(long)]
    pub progress: bool,

    /// The sources of the lines, in place of `files`, for a tool that reads others than files.
    #[arg(skip)]
    pub sources: Option<Vec<LineSource>>,
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
        Input {
            files: vec![file.into()],
            sources: None,
            ..self.clone()
        }
    }
}

/// Arguments of a tool that can read each file as one document.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct FileArgs {
    /// Read each FILE as one document, and write a line per file
    ///
    /// Files are plain text in any encoding, or records, and may be compressed. With --recursive,
    /// binary files are left out. See FILES.
    #[arg(long = "files", conflicts_with_all = ["rejects", "tsv"])]
    pub as_documents: bool,
}

/// Arguments of every tool: how much it writes to standard error.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Verbosity {
    /// Report fatal errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Report details
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// Arguments of a tool whose work on one record is bound by the CPU.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Jobs {
    /// Number of threads [default: available cores]
    ///
    /// The output is the same for any number.
    #[arg(
        short,
        long,
        value_name = "N",
        hide_default_value = true,
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub jobs: Option<NonZeroUsize>,
}

impl Jobs {
    /// Returns the number of threads to use, at most 1024.
    pub fn thread_count(&self) -> usize {
        /// Bounds the memory if `--jobs` is huge.
        const MAX_THREADS: usize = 1024;
        self.jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
            .min(MAX_THREADS)
    }
}

#[cfg(test)]
mod tests {
    use super::parse_contact;

    #[test]
    fn a_contact_is_a_mail_address_or_a_url() {
        for contact in [
            "me@example.org",
            " Ana <ana@example.org>",
            "mailto:me@example.org",
            "https://example.org/bot",
            "HTTP://example.org",
        ] {
            assert!(parse_contact(contact).is_ok(), "{contact}");
        }
        for text in [
            "me",
            "",
            "@",
            "me@",
            "@here",
            "me@laptop",
            "me@example.",
            "me@.org",
            "me@exa_mple.org",
            "http://",
            "me at example.org",
            "example.org",
        ] {
            assert!(parse_contact(text).is_err(), "{text}");
        }
    }
}
