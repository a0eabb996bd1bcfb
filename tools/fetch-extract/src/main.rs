//! fetch-extract: fetch the page of each record's URL and keep its main text.
mod annotate;
mod args;

use annotate::Annotator;
use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_record::Record;
use forage_web::{Fetcher, Settings, allows, document, fetch::connect_to};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some([file, agent, url]) = args.robots_check.as_deref() {
        check_robots(Path::new(file), agent, url, io)
    } else if let Some(page) = &args.html {
        extract_file(page, args.links, io)
    } else {
        let annotator = Annotator {
            fetcher: Fetcher::new(settings(&args)?)?,
            force: args.force,
            keep_html: args.keep_html,
            links: args.links,
        };
        io.annotate_waiting(
            &args.input,
            args.jobs.get(),
            || (),
            |(), record| {
                annotator.serve(record);
                Ok(())
            },
        )
    }
}

/// How pages are fetched, by the flags.
fn settings(args: &Args) -> anyhow::Result<Settings> {
    let seconds = |flag: &str, value: f64| Duration::try_from_secs_f64(value).with_context(|| flag.to_owned());
    Ok(Settings {
        contact: args.contact.clone().or_else(|| std::env::var("FORAGE_CONTACT").ok()),
        connect_to: args.connect_to.as_deref().map(connect_to).transpose().context("--connect-to")?,
        delay: seconds("--delay", args.delay)?,
        timeout: seconds("--timeout", args.timeout)?,
        max_bytes: args.max_bytes,
    })
}

/// A record of a page that lies in a file.
fn extract_file(path: &Path, links: bool, io: &mut Io) -> anyhow::Result<()> {
    let body = std::fs::read(path).with_context(|| path.display().to_string())?;
    let mut record = Record::new();
    annotate::put(&mut record, document::from_bytes(&body, None, None), links);
    io.out.record(&record);
    Ok(())
}

fn check_robots(path: &Path, agent: &str, url: &str, io: &mut Io) -> anyhow::Result<()> {
    let robots = std::fs::read(path).with_context(|| path.display().to_string())?;
    let answer = if allows(&String::from_utf8_lossy(&robots), agent, url) { "allow" } else { "disallow" };
    io.out.line(answer);
    Ok(())
}
