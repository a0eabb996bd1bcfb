//! Files as documents (`--files`): the ordered parallel map over whole files, with one line of
//! output per file.

use crate::args::{FileArgs, Input};
use crate::file_report::{FileProblem, FileReport};
use crate::file_walk::{FileWalk, WalkedKind, WalkedPath};
use crate::io::Io;
use crate::produce::run_in_order;
use crate::progress::Progress;
use crate::rejected_line::INTERNAL_ERROR;
use crate::tsv::push_escaped;
use forage_media::{FileKind, PageFormat, decode_plain_text};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The result of a file.
struct FileResult<R> {
    path: PathBuf,
    /// True if the user named the path, false if it was found in a folder.
    is_named: bool,
    bytes: u64,
    answer: FileAnswer<R>,
}

enum FileAnswer<R> {
    /// The answer for a file.
    Answer(R),
    /// The answer for a file whose text is not read, with the warning.
    Unread(R, FileProblem, String),
    /// The file was found in a folder and is left out.
    LeftOut,
    /// The file cannot be read.
    Failed(FileProblem, String),
    /// The end of a named folder.
    FolderEnd,
}

impl Io {
    /// Passes the text of each file, in parallel, to `convert`, and the results, in order, to
    /// `to_fields`, which returns the fields of the output after the path, separated by tabs.
    ///
    /// Reads at most `--max-line` bytes of a file, in any encoding. A file that is not plain text
    /// is passed as `None`, with a warning that names a command for it, which ends with `command`;
    /// binary files in folders are left out. A file whose text is not read is reported and sets the
    /// exit code to 1; the others are processed. A folder without text files is reported.
    ///
    /// # Errors
    /// Fails if no file can be read, with `--strict` if one cannot be read, or if the output or
    /// `to_fields` fails.
    pub fn map_files<R: Send>(
        &mut self,
        (input, files): (&Input, &FileArgs),
        workers: usize,
        command: &str,
        convert: impl Fn(Option<&str>) -> R + Sync,
        mut to_fields: impl FnMut(&Path, R) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let mut walk = FileWalk::new(&input.files, files.recursive);
        let mut report = FileReport::default();
        let mut progress = Progress::new(input, self.messages.tool()).counting("files");
        // Files since the end of the last folder that were found, not named.
        let mut found = 0;
        run_in_order(
            workers,
            || Ok(walk.next()),
            |walked| read_document(walked, input.max_line, command, &convert),
            |result| {
                let result = result?;
                self.count_found(&result, &mut found, &mut report);
                self.write_file_result(result, input, &mut report, &mut to_fields)?;
                progress.update(report.bytes, report.answers, report.failures());
                self.out.flush_if_full()
            },
        )?;
        progress.finish(report.bytes, report.answers, report.failures());
        self.out.flush()?;
        report.finish(self)
    }

    /// Counts the files that were found in a folder, and reports a folder without any.
    fn count_found<R>(&self, result: &FileResult<R>, found: &mut u64, report: &mut FileReport) {
        match result.answer {
            FileAnswer::LeftOut => {}
            FileAnswer::FolderEnd if *found == 0 => {
                let message = format_args!(
                    "{}: has no text file; hidden and binary files and symbolic links are left out",
                    result.path.display()
                );
                report.report(FileProblem::EmptyFolder, message, &self.messages);
            }
            FileAnswer::FolderEnd => *found = 0,
            _ => *found += u64::from(!result.is_named),
        }
    }

    /// Writes the line of a file, or reports that there is none.
    fn write_file_result<R>(
        &mut self,
        result: FileResult<R>,
        input: &Input,
        report: &mut FileReport,
        to_fields: &mut impl FnMut(&Path, R) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let path = &result.path;
        report.bytes += result.bytes;
        let answer = match result.answer {
            FileAnswer::LeftOut | FileAnswer::FolderEnd => return Ok(()),
            FileAnswer::Failed(problem, cause) => {
                self.out.flush()?;
                let message = format!("{}: {cause}", path.display());
                anyhow::ensure!(!input.strict, message);
                report.report(problem, message, &self.messages);
                return Ok(());
            }
            FileAnswer::Unread(answer, problem, warning) => {
                self.out.flush()?;
                report.report(problem, warning, &self.messages);
                answer
            }
            FileAnswer::Answer(answer) => answer,
        };
        let mut line = Vec::new();
        push_escaped(&mut line, path.as_os_str().as_bytes());
        line.push(b'\t');
        line.extend_from_slice(to_fields(path, answer)?.as_bytes());
        line.push(b'\n');
        self.out.write_serialised(&line, 1);
        report.answers += 1;
        Ok(())
    }
}

/// Reads and converts a file. A panic affects this file only.
fn read_document<R>(
    walked: WalkedPath,
    max_bytes: usize,
    command: &str,
    convert: &(impl Fn(Option<&str>) -> R + Sync),
) -> FileResult<R> {
    let WalkedPath {
        path,
        is_named,
        kind,
    } = walked;
    let read = match kind {
        WalkedKind::File => read_beginning(&path, max_bytes)
            .map_err(|e| FileAnswer::Failed(FileProblem::Unreadable, e.to_string())),
        WalkedKind::Failure(problem, cause) => Err(FileAnswer::Failed(problem, cause)),
        WalkedKind::FolderEnd => Err(FileAnswer::FolderEnd),
    };
    let bytes = read.as_ref().map_or(0, |body| body.len() as u64);
    let answer = match read {
        Err(answer) => answer,
        Ok(body) => catch_unwind(AssertUnwindSafe(|| {
            convert_body(&path, body, is_named, command, convert)
        }))
        // The panic hook has reported the cause.
        .unwrap_or_else(|_| FileAnswer::Failed(FileProblem::Unreadable, INTERNAL_ERROR.into())),
    };
    FileResult {
        path,
        is_named,
        bytes,
        answer,
    }
}

fn convert_body<R>(
    path: &Path,
    body: Vec<u8>,
    is_named: bool,
    command: &str,
    convert: &impl Fn(Option<&str>) -> R,
) -> FileAnswer<R> {
    let name = path.display();
    let format = match FileKind::detect(&body) {
        FileKind::PlainText => {
            let (text, _) = decode_plain_text(&body);
            drop(body);
            return FileAnswer::Answer(convert(Some(&text)));
        }
        FileKind::Document(PageFormat::Gzip | PageFormat::Zip) | FileKind::Binary if !is_named => {
            return FileAnswer::LeftOut;
        }
        FileKind::Binary => {
            let warning = format!("{name}: is binary data, not text");
            return FileAnswer::Unread(convert(None), FileProblem::Binary, warning);
        }
        FileKind::Document(format) => format.name(),
    };
    let warning = format!(
        "{name}: is {format}, not plain text; use fetch-extract --html {} | {command}",
        quote_for_shell(path)
    );
    FileAnswer::Unread(convert(None), FileProblem::NotPlainText, warning)
}

/// Reads a file, or its first `max_bytes` bytes; `-` is standard input.
fn read_beginning(path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let limit = max_bytes as u64;
    if path.as_os_str() == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut body)?;
    } else {
        File::open(path)?.take(limit).read_to_end(&mut body)?;
    }
    Ok(body)
}

/// Returns a path as one word of a shell command; `FILE` for standard input.
fn quote_for_shell(path: &Path) -> String {
    let path = match path.display().to_string() {
        stdin if stdin == "-" => "FILE".into(),
        path => path,
    };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if path.chars().all(is_plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quote_for_shell;
    use std::path::Path;

    #[test]
    fn paths_are_quoted_for_the_shell() {
        assert_eq!(quote_for_shell(Path::new("a/č-1.html")), "a/č-1.html");
        assert_eq!(quote_for_shell(Path::new("a b's")), r"'a b'\''s'");
        assert_eq!(quote_for_shell(Path::new("-")), "FILE");
    }
}
