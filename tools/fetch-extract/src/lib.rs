//! fetch-extract: fetches the page of each record's URL and extracts its main text.
mod annotate;
mod archives;
mod args;
mod local_names;
mod outcome;
mod requested_pages;
mod resume;
mod site_rules;
mod url_sources;

pub use args::Extraction;

use annotate::{PageAnnotator, ResultWriter};
use anyhow::Context;
use args::Args;
use forage_cli::{Io, Jobs, ResumeOptions, contact_of_environment};
use forage_http::page_url::Partition;
use forage_http::{Fetcher, HostStore, OutageReporter, Settings, resolve_connect_to};
use forage_page::{ExtractionOptions, set_pdf_reader};
use forage_record::{Record, field};
use forage_run::TakenDownList;
use forage_warc::{ArchiveWriter, RevisitIndex};
use forage_web::robots::is_url_allowed;
use local_names::LocalNames;
use resume::EarlierOutput;
use site_rules::{UnmatchedRuleWarnings, read_rules};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use url::Url;

/// Advice after an interruption, if the output is a file.
const ADVICE_FOR_FILE: &str = "resume with --resume FILE, where FILE is the output so far";

/// Advice after an interruption, if the output is a pipe: the pipeline decides how to resume.
const ADVICE_FOR_PIPE: &str = "records that were not written can be fetched again";

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if args.read_pdf {
        return read_pdf(io);
    }
    // Without the path of this program, PDFs are read in this process.
    if let Ok(program) = std::env::current_exe() {
        set_pdf_reader(vec![program.into(), "--read-pdf".into()]);
    }
    if let Some([file, agent, url]) = args.robots_check.as_deref() {
        check_robots(Path::new(file), agent, url, io)
    } else if let Some(pages) = &args.html {
        let results = new_result_writer(&args, None, io)?;
        let names = LocalNames::new(pages)?;
        let pages = args.input.with_files(args.input.list_files(pages)?);
        io.convert_files(&pages, worker_threads(&args), |path, body| {
            results.record_from_file(&names.url(path)?, &body)
        })
    } else if let Some(archives) = &args.from_warc {
        archives::write_records(
            &args.input.with_files(args.input.list_files(archives)?),
            &args,
            worker_threads(&args),
            &new_result_writer(&args, None, io)?,
            io,
        )
    } else {
        fetch_records(&args, io)
    }
}

/// Fetches the page of each record of the input.
fn fetch_records(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let input = url_sources::to_input(args)?;
    let mut earlier_output = EarlierOutput::from_option(args.resume.as_deref(), io)?;
    // Created or repaired first, as --earlier may name the same archive.
    let archive = open_archive(args, io)?;
    let revisits = Arc::new(read_revisit_index(args, io)?);
    let recovered = match &archive {
        Some(archive) => earlier_output.recover_pages(archive, args.max_bytes, &revisits, io)?,
        None => None,
    };
    let archive = archive.map(|archive| archive.with_revisit_index(revisits.clone()));
    let results = ResultWriter {
        revisits,
        ..new_result_writer(args, archive, io)?
    };
    let settings = fetcher_settings(args, results.revisits.clone(), io)?;
    let workers = settings.worker_threads;
    let annotator = PageAnnotator {
        fetcher: Arc::new(Fetcher::new(settings)?),
        force: args.force,
        refresh: args.refresh.refresh,
        warc: args.warc.clone(),
        keep_html: args.keep_html,
        results: Arc::new(results),
        requested: Arc::default(),
        recovered,
    };
    let partition = args.partition;
    let is_file = std::fs::metadata("/dev/stdout").is_ok_and(|output| output.is_file());
    let resume = ResumeOptions {
        skip: Box::new(move |line: &[u8]| {
            is_of_other_partition(partition, line) || earlier_output.match_line(line)
        }),
        advice: if is_file {
            ADVICE_FOR_FILE
        } else {
            ADVICE_FOR_PIPE
        },
    };
    let annotated = io.annotate_deferred(&input, workers, resume, |record| {
        annotator.annotate_record(record)
    });
    annotator.results.close_archive();
    annotated
}

/// Returns `true` for the line of a record that another process fetches. A line that is no record
/// is reported by each.
fn is_of_other_partition(partition: Option<Partition>, line: &[u8]) -> bool {
    let Some(partition) = partition else {
        return false;
    };
    Record::parse(line.to_vec()).is_ok_and(|record| {
        let url = record.string(field::URL).ok().flatten();
        !partition.contains_url(&url.unwrap_or_default())
    })
}

/// Returns the settings of the fetcher that the flags give.
fn fetcher_settings(args: &Args, revisits: Arc<RevisitIndex>, io: &Io) -> anyhow::Result<Settings> {
    Ok(Settings {
        contact: match &args.politeness.contact.contact {
            Some(contact) => Some(contact.clone()),
            None => contact_of_environment()?,
        },
        connect_to: args
            .politeness
            .connect_to
            .as_deref()
            .map(resolve_connect_to)
            .transpose()
            .context("--connect-to")?,
        allow_private: args.allow_private,
        delay: args.politeness.delay,
        timeout: args.politeness.timeout,
        retries: args.retries,
        max_bytes: args.max_bytes,
        connections: args.jobs.get(),
        worker_threads: worker_threads(args),
        archived_pages: Some(revisits),
        host_store: args.hosts.as_deref().map(HostStore::new),
        patience: args.patience,
        outage_reporter: Some(outage_reporter(io)),
        refresh_finder: Some(|url, content_type, head| {
            forage_page::redirect_target(head, content_type, url)
        }),
        partition: args.partition,
        fetch_tdm_files: args.politeness.respect_optout,
    })
}

/// Returns the function that reports outages of the network, also with `--quiet`: the tool may wait
/// for long.
fn outage_reporter(io: &Io) -> OutageReporter {
    let messages = io.messages.clone();
    OutageReporter(Arc::new(move |message: &str| messages.error(message)))
}

/// Returns the number of threads that extract pages: at most one per core, as the work is
/// CPU-bound.
fn worker_threads(args: &Args) -> usize {
    args.jobs.get().min(Jobs { jobs: None }.thread_count())
}

/// Opens the archive of `--warc` for appending.
fn open_archive(args: &Args, io: &Io) -> anyhow::Result<Option<ArchiveWriter>> {
    let Some(path) = &args.warc else {
        return Ok(None);
    };
    let archive =
        ArchiveWriter::open(path).with_context(|| format!("--warc {}", path.display()))?;
    if archive.truncated_bytes() > 0 {
        io.messages.debug(format_args!(
            "{}: removed {} bytes of an incomplete record",
            path.display(),
            archive.truncated_bytes()
        ));
    }
    Ok(Some(archive))
}

/// Indexes the archives of `--earlier`, whose payloads need not be sent or archived again.
fn read_revisit_index(args: &Args, io: &Io) -> anyhow::Result<RevisitIndex> {
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

/// Returns the result writer that the flags give.
fn new_result_writer(
    args: &Args,
    archive: Option<ArchiveWriter>,
    io: &Io,
) -> anyhow::Result<ResultWriter> {
    Ok(ResultWriter {
        options: Arc::new(ExtractionOptions {
            rules: read_rules(&args.extraction.rules)?,
            extractor: args.extraction.extractor.into(),
            comments: args.comments,
            format: args.text_format(),
            structure: args.structure,
        }),
        warnings: UnmatchedRuleWarnings::new(io.messages.clone()),
        links: args.links,
        max_bytes: args.max_bytes,
        respect_optout: args.politeness.respect_optout,
        taken_down: TakenDownList::beside(args.hosts.as_deref().or(args.warc.as_deref()))?,
        archive,
        revisits: Arc::default(),
    })
}

/// Writes the text of the PDF on standard input, as the sandboxed subprocess of this program.
fn read_pdf(io: &mut Io) -> anyhow::Result<()> {
    let mut body = Vec::new();
    io.copy_stdin(&mut body).context("standard input")?;
    io.out.write_line(&forage_page::read_pdf(&body)?);
    Ok(())
}

fn check_robots(path: &Path, agent: &str, url: &str, io: &mut Io) -> anyhow::Result<()> {
    // An empty URL means the root of a host, as in the parsers that webmasters test with.
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
