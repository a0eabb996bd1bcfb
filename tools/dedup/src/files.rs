//! `--files`: duplicates among files, with one line per file.

use crate::args::Args;
use forage_cli::{FileReading, Io, escape_tsv};
use forage_dedup::{DedupDocument, DuplicateIndex, DuplicateStatus};
use std::path::Path;

/// The status of a file that is not plain text, too long, or cannot be read completely, and was not
/// compared.
const UNREAD: &str = "unread\t\t";

/// Writes a line for each file: path, status, path of the first one, and resemblance. The index is
/// in memory unless --index names one.
pub(crate) fn mark_files(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut index = crate::open_index(args)?;
    // In one transaction: if the output breaks off, no file is remembered.
    io.map_files(
        &args.input,
        args.jobs.thread_count(),
        FileReading {
            command: "dedup",
            // Two files with the same beginning are not duplicates.
            accepts_part: false,
        },
        |text| text.map(str::to_owned),
        |path, text| {
            let Some(text) = text else {
                return Ok(UNREAD.to_owned());
            };
            let status = check_file(&mut index, path, &text)?;
            Ok(format_status(status))
        },
    )?;
    index.commit()?;
    Ok(index.merge_wal()?)
}

/// Compares a file with the earlier ones. Its `id` in the index is its path.
fn check_file(
    index: &mut DuplicateIndex,
    path: &Path,
    text: &str,
) -> anyhow::Result<DuplicateStatus> {
    Ok(index.check_and_add(DedupDocument {
        text,
        id: Some(&path.to_string_lossy()),
        ..DedupDocument::default()
    })?)
}

/// Returns the fields status, path of the first one, and resemblance.
fn format_status(status: DuplicateStatus) -> String {
    let format = |status: &str, of: Option<String>, resemblance: String| {
        let of = escape_tsv(&of.unwrap_or_default());
        format!("{status}\t{of}\t{resemblance}")
    };
    match status {
        DuplicateStatus::New => format("new", None, String::new()),
        DuplicateStatus::Exact { of } => format("exact", of, "1".into()),
        DuplicateStatus::Near { of, resemblance } => {
            // More decimals would not be significant.
            format("near", of, ((resemblance * 1e4).round() / 1e4).to_string())
        }
        DuplicateStatus::Title { of } => format("title", of, String::new()),
    }
}
