//! fetch-extract: fetch the page of each record's URL and keep its main text.
mod annotate;
mod archives;
mod args;
mod outcome;
mod requested_pages;
mod resume;

use annotate::{Annotator, ResultWriter};
use anyhow::Context;
use args::Args;
use forage_cli::{Io, Jobs, ResumeOptions};
use forage_http::{Fetcher, HostStore, Settings, resolve_connect_to};
use forage_page::read_pdfs_by;
use forage_robots::is_url_allowed;
use forage_warc::{ArchiveWriter, RevisitIndex};
use resume::Written;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use url::Url;

/// What to do after an interruption.
const RESUME: &str = "go on with --resume OUT.jsonl, where that is the output so far";

/// The same where the output is a pipe, of which nothing is known: in a pipeline it is another that
/// continues the run.
const RESUME_OF_PIPE: &str = "records that were not written can be fetched again";

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if args.read_pdf {
        return read_pdf(io);
    }
    // Where this program is not to be found, PDFs are read in this process.
    if let Ok(program) = std::env::current_exe() {
        read_pdfs_by(vec![program.into(), "--read-pdf".into()]);
    }
    if let Some([file, agent, url]) = args.robots_check.as_deref() {
        check_robots(Path::new(file), agent, url, io)
    } else if let Some(pages) = &args.html {
        read_files(pages, readers(&args), &result_writer(&args, None), io)
    } else if let Some(archives) = &args.from_warc {
        archives::read(
            archives,
            &args,
            readers(&args),
            &result_writer(&args, None),
            io,
        )
    } else {
        let mut written = args
            .resume
            .as_deref()
            .map(|path| Written::read(path, io))
            .transpose()?
            .unwrap_or_default();
        // Made or mended first, as it may be an earlier one, too.
        let archive = archive(&args, io)?;
        let revisits = Arc::new(revisit_index(&args, io)?);
        let recover =
            |archive: &ArchiveWriter| written.unwritten(archive, args.max_bytes, &revisits, io);
        let recovered = archive.as_ref().map(recover).transpose()?.flatten();
        let archive = archive.map(|archive| archive.with_revisit_index(revisits.clone()));
        let settings = settings(&args, revisits)?;
        let workers = settings.worker_threads;
        let annotator = Annotator {
            fetcher: Arc::new(Fetcher::new(settings)?),
            force: args.force,
            keep_html: args.keep_html,
            results: Arc::new(result_writer(&args, archive)),
            requested: Arc::default(),
            recovered,
        };
        let is_file = std::fs::metadata("/dev/stdout").is_ok_and(|output| output.is_file());
        let advice = if is_file { RESUME } else { RESUME_OF_PIPE };
        let resume = ResumeOptions {
            skip: Box::new(move |line: &[u8]| written.takes(line)),
            advice,
        };
        let annotated = io.annotate_deferred(&args.input, workers, resume, |record| {
            annotator.begin(record)
        });
        annotator.results.close();
        annotated
    }
}

/// How pages are fetched, by the flags.
fn settings(args: &Args, revisits: Arc<RevisitIndex>) -> anyhow::Result<Settings> {
    Ok(Settings {
        contact: args
            .contact
            .clone()
            .or_else(|| std::env::var("FORAGE_CONTACT").ok()),
        connect_to: args
            .connect_to
            .as_deref()
            .map(resolve_connect_to)
            .transpose()
            .context("--connect-to")?,
        allow_private: args.allow_private,
        delay: args.delay,
        timeout: args.timeout,
        retries: args.retries,
        max_bytes: args.max_bytes,
        connections: args.jobs.get(),
        worker_threads: readers(args),
        archived_pages: Some(revisits),
        host_store: args.hosts.as_deref().map(HostStore::new),
        fetch_tdm_files: args.respect_optout,
    })
}

/// Threads for the work on pages, which takes the processor.
fn readers(args: &Args) -> usize {
    args.jobs.get().min(Jobs { jobs: None }.thread_count())
}

/// The archive that is added to.
fn archive(args: &Args, io: &Io) -> anyhow::Result<Option<ArchiveWriter>> {
    let Some(path) = &args.warc else {
        return Ok(None);
    };
    let archive =
        ArchiveWriter::open(path).with_context(|| format!("--warc {}", path.display()))?;
    if archive.truncated_bytes() > 0 {
        io.messages.debug(format_args!(
            "{}: {} bytes of a torn record were cut off",
            path.display(),
            archive.truncated_bytes()
        ));
    }
    Ok(Some(archive))
}

/// What need not be sent or kept again.
fn revisit_index(args: &Args, io: &Io) -> anyhow::Result<RevisitIndex> {
    let mut revisits = RevisitIndex::new(args.max_bytes);
    for path in &args.earlier {
        for damage in revisits
            .add_archive(path)
            .with_context(|| format!("--earlier {}", path.display()))?
        {
            io.messages
                .warn(format_args!("{}: {damage}", path.display()));
        }
    }
    Ok(revisits)
}

/// How records are made of pages, by the flags.
fn result_writer(args: &Args, archive: Option<ArchiveWriter>) -> ResultWriter {
    ResultWriter {
        links: args.links,
        max_bytes: args.max_bytes,
        respect_optout: args.respect_optout,
        archive,
    }
}

/// The records of pages that lie in files.
fn read_files(
    pages: &[PathBuf],
    jobs: usize,
    results: &ResultWriter,
    io: &mut Io,
) -> anyhow::Result<()> {
    let mut pages = pages.iter();
    let next = || {
        let read = |path: &PathBuf| {
            let name = || path.display().to_string();
            Ok((
                file_url(path).with_context(name)?,
                std::fs::read(path).with_context(name)?,
            ))
        };
        pages.next().map(read).transpose()
    };
    io.produce_records(jobs, next, |(url, body)| results.of_file(&url, &body))
}

fn file_url(path: &Path) -> std::io::Result<Url> {
    let wrong = |()| std::io::Error::other("no URL can be made of its path");
    Url::from_file_path(std::path::absolute(path)?).map_err(wrong)
}

/// Reads a PDF for another process of this program.
fn read_pdf(io: &mut Io) -> anyhow::Result<()> {
    let mut body = Vec::new();
    io.copy_stdin(&mut body).context("standard input")?;
    io.out.write_line(&forage_page::read_pdf(&body)?);
    Ok(())
}

fn check_robots(path: &Path, agent: &str, url: &str, io: &mut Io) -> anyhow::Result<()> {
    // None at all is the root of a host, as the parsers take it that webmasters test with.
    if !url.is_empty() {
        Url::parse(url)
            .with_context(|| format!("--robots-check: {url:?} is not an absolute URL"))?;
    }
    let robots = std::fs::read(path).with_context(|| path.display().to_string())?;
    if is_url_allowed(&robots, agent, url) {
        io.out.write_line("allow");
    } else {
        io.out.write_line("disallow");
        io.fail_check();
    }
    Ok(())
}
