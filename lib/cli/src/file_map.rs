//! Files as items of the ordered map: as documents, with one line of output per file (`--files`),
//! and as pages, each of which is one record.

use crate::file_problem::FileProblem;
use crate::file_report::FileReport;
use crate::file_walk::{FileWalk, IS_A_FOLDER, WalkedKind, WalkedPath};
use crate::given_file::open_stream;
use crate::input::Input;
use crate::io::Io;
use crate::ordered_map::{MapLimits, ResultConsumer, map_in_order};
use crate::output::Output;
use crate::plain_text_check::describe_other_content;
use crate::progress::Progress;
use crate::record_texts::{RecordTexts, TextLoss};
use crate::rejected_line::INTERNAL_ERROR;
use crate::source::{ItemSource, OnPause};
use crate::special_file::find_refusal;
use crate::tsv::push_escaped;
use forage_content::media::decode_plain_text;
use forage_content::{ContentKind, PageFormat, read_text};
use forage_record::Record;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The way in which a tool reads files as documents.
#[derive(Debug, Clone, Copy)]
pub struct FileReading {
    /// The command that reads the records of pages, for the remedy in a warning.
    pub command: &'static str,
    /// True if a part of a file stands for all of it: the beginning of one that is longer than
    /// `--max-line` or cut, or the records that can be read. If not, such a file is left unread.
    pub accepts_part: bool,
}

/// The answer for a file, and the number of bytes that were read of it.
type ReadAnswer<R> = (FileAnswer<R>, usize);

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

impl<R> FileAnswer<R> {
    fn unreadable(cause: impl ToString) -> FileAnswer<R> {
        FileAnswer::Failed(FileProblem::Unreadable, cause.to_string())
    }
}

/// The files of a walk.
struct WalkSource<W>(W);

impl<W: Iterator<Item = WalkedPath> + Send + 'static> ItemSource for WalkSource<W> {
    type Item = WalkedPath;

    fn next_item(&mut self, _: &mut OnPause<'_>) -> anyhow::Result<Option<WalkedPath>> {
        Ok(self.0.next())
    }

    fn bytes_read(&self) -> u64 {
        0
    }
}

impl Io {
    /// Passes the text of each file, in parallel, to `convert`, and the results, in order, to
    /// `to_fields`, which returns the fields of the output after the path, separated by tabs.
    ///
    /// Reads at most `--max-line` bytes of a file, decompressed and in any encoding, and warns
    /// about a longer one. Of a file of records, the texts are read, and what has none is reported;
    /// a text is read without the markup of the format of another program. A file that is neither
    /// is passed as `None`, with a warning that names a command for it, and so is one that is not
    /// read completely, if the tool does not accept a part; binary files in folders are left out
    /// and counted. A file whose text is not read completely is reported and sets the exit code to
    /// 1; the others are processed. A folder without text files is reported.
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
        let walk = FileWalk::new(&input.files, input.recursive);
        let read = |walked: &WalkedPath| read_document(walked, input.max_line, reading, &convert);
        self.map_walk(input, walk, workers, read, |path, answer, out| {
            let mut line = Vec::new();
            push_escaped(&mut line, path.as_os_str().as_bytes());
            line.push(b'\t');
            line.extend_from_slice(to_fields(path, answer)?.as_bytes());
            line.push(b'\n');
            out.write_serialised(&line, 1);
            Ok(())
        })
    }

    /// Converts each file of `input` to a record with `to_record`, on `workers` threads, and writes
    /// the records in the order of the files. `-` is standard input.
    ///
    /// A file that cannot be read, or for which `to_record` fails, is reported and sets the exit
    /// code to 1; the others are processed.
    ///
    /// # Errors
    /// Fails if no file can be read, with `--strict` if one cannot be read, or if the output fails.
    pub fn convert_files(
        &mut self,
        input: &Input,
        workers: usize,
        to_record: impl Fn(&Path, Vec<u8>) -> anyhow::Result<Record> + Sync,
    ) -> anyhow::Result<()> {
        let files = input.files.clone().into_iter().map(|path| WalkedPath {
            path,
            is_named: true,
            kind: WalkedKind::File,
        });
        let read = |walked: &WalkedPath| read_record(&walked.path, &to_record);
        self.map_walk(input, files, workers, read, |_, record, out| {
            out.write_record(&record);
            Ok(())
        })
    }

    /// Passes each file of a walk, in parallel, to `read`, and the answers, in order, to `write`.
    /// Files without an answer are reported.
    fn map_walk<R: Send>(
        &mut self,
        input: &Input,
        walk: impl Iterator<Item = WalkedPath> + Send + 'static,
        workers: usize,
        read: impl Fn(&WalkedPath) -> ReadAnswer<R> + Sync,
        write: impl FnMut(&Path, R, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut writer = FileWriter {
            progress: Progress::new(input, self.messages.tool()).counting("files"),
            io: self,
            is_strict: input.strict,
            report: FileReport::default(),
            found: 0,
            write,
        };
        // A panic, whose cause the panic hook has reported, affects one file only.
        let read = |walked: WalkedPath| {
            let answer = catch_unwind(AssertUnwindSafe(|| read(&walked)))
                .unwrap_or_else(|_| (FileAnswer::unreadable(INTERNAL_ERROR), 0));
            (walked, answer)
        };
        let limits = MapLimits::of_files(workers);
        let source = WalkSource(walk);
        map_in_order(
            source,
            workers,
            limits,
            &mut writer,
            &|| (),
            |(), walked| walked.into_iter().map(read).collect(),
        )?;
        writer.finish()
    }
}

/// Writes the answers for files, and reports the others.
struct FileWriter<'a, W> {
    io: &'a mut Io,
    is_strict: bool,
    report: FileReport,
    progress: Progress,
    /// Files since the end of the last folder that were found, not named.
    found: u64,
    write: W,
}

impl<R, W> ResultConsumer<(WalkedPath, ReadAnswer<R>)> for FileWriter<'_, W>
where
    W: FnMut(&Path, R, &mut Output) -> anyhow::Result<()>,
{
    fn wait(&mut self) -> anyhow::Result<()> {
        self.io.out.flush()
    }

    fn consume(
        &mut self,
        (walked, (answer, bytes)): (WalkedPath, ReadAnswer<R>),
    ) -> anyhow::Result<()> {
        let WalkedPath { path, is_named, .. } = walked;
        self.report.bytes += bytes as u64;
        self.found += match answer {
            FileAnswer::FolderEnd | FileAnswer::LeftOut => 0,
            _ => u64::from(!is_named),
        };
        match answer {
            FileAnswer::LeftOut => self.report.left_out += 1,
            FileAnswer::FolderEnd => self.end_folder(&path),
            FileAnswer::Failed(problem, cause) => {
                self.io.out.flush()?;
                let message = format!("{}: {cause}", path.display());
                anyhow::ensure!(!self.is_strict, message);
                self.report.report(problem, message, &self.io.messages);
            }
            FileAnswer::Doubtful(answer, problem, warning) => {
                self.io.out.flush()?;
                anyhow::ensure!(!(self.is_strict && problem.is_damage()), warning);
                self.report.report(problem, warning, &self.io.messages);
                self.write_answer(&path, answer)?;
            }
            FileAnswer::Answer(answer) => self.write_answer(&path, answer)?,
        }
        self.io.out.flush_if_full()
    }

    fn end_batch(&mut self, _: u64, _: bool) -> anyhow::Result<()> {
        let report = &self.report;
        self.progress
            .update(report.bytes, report.answers, report.failures());
        Ok(())
    }
}

impl<W> FileWriter<'_, W> {
    fn write_answer<R>(&mut self, path: &Path, answer: R) -> anyhow::Result<()>
    where
        W: FnMut(&Path, R, &mut Output) -> anyhow::Result<()>,
    {
        self.report.answers += 1;
        (self.write)(path, answer, &mut self.io.out)
    }

    /// Reports a folder in which no file was found.
    fn end_folder(&mut self, path: &Path) {
        if std::mem::take(&mut self.found) == 0 {
            let message = format_args!(
                "{}: has no text file; hidden and binary files, links and pipes are left out",
                path.display()
            );
            self.report
                .report(FileProblem::EmptyFolder, message, &self.io.messages);
        }
    }

    fn finish(mut self) -> anyhow::Result<()> {
        let report = &mut self.report;
        self.progress
            .finish(report.bytes, report.answers, report.failures());
        self.io.out.flush()?;
        report.finish(self.io)
    }
}

/// Reads a saved page, and converts it to a record.
fn read_record(
    path: &Path,
    to_record: &impl Fn(&Path, Vec<u8>) -> anyhow::Result<Record>,
) -> ReadAnswer<Record> {
    let is_stdin = path.as_os_str() == "-";
    if let Some(cause) = find_refusal(path).filter(|_| !is_stdin) {
        return (FileAnswer::Failed(FileProblem::NotRegular, cause.into()), 0);
    }
    if path.is_dir() && !is_stdin {
        return (FileAnswer::unreadable(IS_A_FOLDER), 0);
    }
    let mut body = Vec::new();
    let read = match is_stdin {
        true => io::stdin().lock().read_to_end(&mut body),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut body)),
    };
    if let Err(e) = read {
        return (FileAnswer::unreadable(e), 0);
    }
    let bytes = body.len();
    let record = to_record(path, body);
    (
        record.map_or_else(FileAnswer::unreadable, FileAnswer::Answer),
        bytes,
    )
}

/// Reads a file as a document, and converts its text.
fn read_document<R>(
    walked: &WalkedPath,
    max_bytes: usize,
    reading: FileReading,
    convert: &(impl Fn(Option<&str>) -> R + Sync),
) -> ReadAnswer<R> {
    let path = &walked.path;
    let beginning = match &walked.kind {
        WalkedKind::File => read_beginning(path, max_bytes),
        WalkedKind::Failure(problem, cause) => {
            return (FileAnswer::Failed(*problem, cause.clone()), 0);
        }
        WalkedKind::FolderEnd => return (FileAnswer::FolderEnd, 0),
    };
    match beginning {
        Ok(beginning) => {
            let bytes = beginning.body.len();
            let answer = convert_beginning(path, beginning, walked.is_named, reading, convert);
            (answer, bytes)
        }
        Err(e) => (FileAnswer::unreadable(e), 0),
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
            ContentKind::Document(_) | ContentKind::Unread(_) if is_named || !is_archive => {
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
        _ => match read_text(&decode_plain_text(&body).0) {
            Ok(text) => (Some(text), TextLoss::default()),
            Err(e) => return unread(FileProblem::NotPlainText, format!("{name}: {e}")),
        },
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
