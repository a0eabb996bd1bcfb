//! Files as documents (`--files`): the ordered parallel map over whole files, with one line of
//! output per file.

use crate::args::Input;
use crate::file_problem::FileProblem;
use crate::file_report::FileReport;
use crate::file_walk::{FileWalk, WalkedKind, WalkedPath};
use crate::given_file::open_stream;
use crate::io::Io;
use crate::plain_text_check::describe_other_content;
use crate::produce::run_in_order;
use crate::progress::Progress;
use crate::record_texts::{RecordTexts, TextLoss};
use crate::rejected_line::INTERNAL_ERROR;
use crate::tsv::push_escaped;
use forage_content::media::decode_plain_text;
use forage_content::{ContentKind, PageFormat};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The way in which a tool reads files as documents.
#[derive(Debug, Clone, Copy)]
pub struct FileReading {
    /// The command that reads the records of pages, for the remedy in a warning.
    pub command: &'static str,
    /// True if a part of a file stands for all of it: the beginning of one that is longer than
    /// `--max-line` or cut, or the records that can be read. If not, such a file is left unread.
    pub accepts_part: bool,
}

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
    /// The answer for a file whose text is not read, or not completely, with the warning.
    Doubtful(R, FileProblem, String),
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
    /// Reads at most `--max-line` bytes of a file, decompressed and in any encoding, and warns about a
    /// longer one. Of a file of records, the texts are read, and what has none is reported. A file
    /// that is neither is passed as `None`, with a warning that names a command for it, and so is one
    /// that is not read completely, if the tool does not accept a part; binary files in folders are
    /// left out and counted. A file whose text is not read completely is reported and sets the exit
    /// code to 1; the others are processed. A folder without text files is reported.
    ///
    /// # Errors
    /// Fails if no file can be read, with `--strict` if one cannot be read, or if the output or
    /// `to_fields` fails.
    pub fn map_files<R: Send>(
        &mut self,
        input: &Input,
        workers: usize,
        reading: FileReading,
        convert: impl Fn(Option<&str>) -> R + Sync,
        mut to_fields: impl FnMut(&Path, R) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let mut walk = FileWalk::new(&input.files, input.recursive);
        let mut report = FileReport::default();
        let mut progress = Progress::new(input, self.messages.tool()).counting("files");
        // Files since the end of the last folder that were found, not named.
        let mut found = 0;
        run_in_order(
            workers,
            || Ok(walk.next()),
            |walked| read_document(walked, input.max_line, reading, &convert),
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
            FileAnswer::LeftOut => report.left_out += 1,
            FileAnswer::FolderEnd if *found == 0 => {
                let message = format_args!(
                    "{}: has no text file; hidden and binary files, links and pipes are left out",
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
            FileAnswer::Doubtful(answer, problem, warning) => {
                self.out.flush()?;
                anyhow::ensure!(!(input.strict && problem.is_damage()), warning);
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
    reading: FileReading,
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
    let bytes = read.as_ref().map_or(0, |read| read.body.len() as u64);
    let answer = match read {
        Err(answer) => answer,
        Ok(read) => catch_unwind(AssertUnwindSafe(|| {
            convert_beginning(&path, read, is_named, reading, convert)
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

fn convert_beginning<R>(
    path: &Path,
    FileBeginning {
        body,
        kind,
        max_bytes,
        damage,
    }: FileBeginning,
    is_named: bool,
    reading: FileReading,
    convert: &impl Fn(Option<&str>) -> R,
) -> FileAnswer<R> {
    let name = path.display().to_string();
    let unread = |problem, warning| FileAnswer::Doubtful(convert(None), problem, warning);
    if let Some(warning) = describe_other_content(&name, kind, reading.command) {
        let is_archive = kind == ContentKind::Document(PageFormat::Zip);
        return match kind {
            ContentKind::Binary if is_named => unread(FileProblem::Binary, warning),
            ContentKind::Document(_) if is_named || !is_archive => {
                unread(FileProblem::NotPlainText, warning)
            }
            _ => FileAnswer::LeftOut,
        };
    }
    let longer = max_bytes.map(|max| format!("{name}: is longer than --max-line {max}"));
    if let (Some(longer), false) = (&longer, reading.accepts_part) {
        let warning = format!("{longer} and is not read; raise --max-line");
        return unread(FileProblem::TooLong, warning);
    }
    let (text, loss) = match kind {
        ContentKind::Records => {
            let texts = RecordTexts::read(&body, longer.is_some());
            (texts.join(), texts.loss)
        }
        _ => (Some(decode_plain_text(&body).0), TextLoss::default()),
    };
    drop(body);
    let damage = damage.map(|cause| format!("cannot be read to its end: {cause}"));
    let lost = damage.or_else(|| loss.describe());
    let problem = match loss.is_damage() || lost.is_some() && !reading.accepts_part {
        true => FileProblem::Incomplete,
        false => FileProblem::WithoutText,
    };
    match (text, lost) {
        (Some(text), Some(lost)) if reading.accepts_part => {
            let warning = format!("{name}: {lost}; the rest is read");
            FileAnswer::Doubtful(convert(Some(&text)), problem, warning)
        }
        (_, Some(lost)) => unread(
            FileProblem::Incomplete,
            format!("{name}: {lost}; the file is not read"),
        ),
        (None, None) => unread(
            FileProblem::NotPlainText,
            format!("{name}: has records, but none with a text"),
        ),
        (Some(text), None) => match longer {
            None => FileAnswer::Answer(convert(Some(&text))),
            Some(longer) => {
                let warning = format!("{longer}; only its beginning is read");
                FileAnswer::Doubtful(convert(Some(&text)), FileProblem::Cut, warning)
            }
        },
    }
}

/// The content of a file, or its beginning.
struct FileBeginning {
    /// Its decompressed bytes; the lines of records.
    body: Vec<u8>,
    kind: ContentKind,
    /// The limit, if the file is longer.
    max_bytes: Option<usize>,
    /// Why the rest cannot be read, as that of a cut gzip.
    damage: Option<String>,
}

/// Reads a file, or its first `max_bytes` bytes; `-` is standard input.
fn read_beginning(path: &Path, max_bytes: usize) -> io::Result<FileBeginning> {
    let mut body = Vec::new();
    let mut damage = None;
    let mut kind = ContentKind::Text;
    // One byte more shows that the file is longer.
    let limit = (max_bytes as u64).saturating_add(1);
    let read = open_stream(path).and_then(|content| {
        kind = content.kind();
        let reader = match kind {
            ContentKind::Records => content.into_lines(),
            _ => content.into_bytes(),
        };
        reader.take(limit).read_to_end(&mut body)
    });
    match read {
        Err(e) if is_damage(&e) => damage = Some(e.to_string()),
        read => drop(read?),
    }
    let is_longer = body.len() > max_bytes;
    body.truncate(max_bytes);
    Ok(FileBeginning {
        body,
        kind,
        max_bytes: is_longer.then_some(max_bytes),
        damage,
    })
}

/// Returns `true` if an error is one of compressed data, not of reading them.
fn is_damage(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
    )
}
