//! Files that become records: saved pages, each of which is one record.

use crate::args::Input;
use crate::file_problem::FileProblem;
use crate::file_report::FileReport;
use crate::file_walk::IS_A_FOLDER;
use crate::io::Io;
use crate::produce::run_in_order;
use crate::progress::Progress;
use crate::special_file::find_refusal;
use forage_record::Record;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The reason why a file does not become a record.
type FileFailure = (FileProblem, String);

impl Io {
    /// Converts each file to a record with `to_record`, on `workers` threads, and writes the
    /// records in the order of the files. `-` is standard input.
    ///
    /// A file that cannot be read, or for which `to_record` fails, is reported and sets the exit
    /// code to 1; the others are processed.
    ///
    /// # Errors
    /// Fails if no file can be read, with `--strict` if one cannot be read, if the output fails, or
    /// if `to_record` panics.
    pub fn convert_files(
        &mut self,
        input: &Input,
        paths: &[PathBuf],
        workers: usize,
        to_record: impl Fn(&Path, Vec<u8>) -> anyhow::Result<Record> + Sync,
    ) -> anyhow::Result<()> {
        let mut unread = paths.iter();
        let mut report = FileReport::default();
        let tool = self.messages.tool();
        let mut progress = Progress::of_files(input.progress, paths, tool).counting("files");
        let bytes_read = AtomicU64::new(0);
        run_in_order(
            workers,
            || Ok(unread.next()),
            |path| (path, convert_file(path, &bytes_read, &to_record)),
            |converted| {
                let (path, converted) = converted?;
                match converted {
                    Ok(record) => {
                        self.out.write_record(&record);
                        report.answers += 1;
                    }
                    Err((problem, cause)) => {
                        // Records before the failure are written before it is reported.
                        self.out.flush()?;
                        let message = format!("{}: {cause}", path.display());
                        anyhow::ensure!(!input.strict, message);
                        report.report(problem, message, &self.messages);
                    }
                }
                let bytes = bytes_read.load(Ordering::Relaxed);
                progress.update(bytes, report.answers, report.failures());
                self.out.flush_if_full()
            },
        )?;
        let bytes = bytes_read.load(Ordering::Relaxed);
        progress.finish(bytes, report.answers, report.failures());
        self.out.flush()?;
        report.finish(self)
    }
}

fn convert_file(
    path: &Path,
    bytes_read: &AtomicU64,
    to_record: &impl Fn(&Path, Vec<u8>) -> anyhow::Result<Record>,
) -> Result<Record, FileFailure> {
    let to_record = |body: Vec<u8>| {
        bytes_read.fetch_add(body.len() as u64, Ordering::Relaxed);
        to_record(path, body)
    };
    if path.as_os_str() == "-" {
        let mut body = Vec::new();
        return std::io::stdin()
            .lock()
            .read_to_end(&mut body)
            .map_err(anyhow::Error::new)
            .and_then(|_| to_record(body))
            .map_err(|e| (FileProblem::Unreadable, e.to_string()));
    }
    if let Some(cause) = find_refusal(path) {
        return Err((FileProblem::NotRegular, cause.into()));
    }
    if path.is_dir() {
        return Err((FileProblem::Unreadable, IS_A_FOLDER.into()));
    }
    std::fs::read(path)
        .map_err(anyhow::Error::new)
        .and_then(to_record)
        .map_err(|e| (FileProblem::Unreadable, e.to_string()))
}
