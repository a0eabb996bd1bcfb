//! demo-web: print the pages of a small closed web, composed of sentences from published crates, or
//! the articles of a small news web, composed from templates; or serve a web of linked pages with
//! both.
//!
//! This is not a tool of the pipeline. It provides real text in many languages, so that the
//! pipeline can be tried without a network and without text in the repository. It is a program of
//! its own, so that no tool has its dependencies.

mod args;
mod linked;
mod news;
mod sentences;
mod web;

use args::{Args, DemoCommand, LinkedCommand};
use forage_cli::Io;
use linked::{LinkedWeb, LinkedWebServer};
use news::NewsLanguage;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    match args.command.unwrap_or(DemoCommand::Docs) {
        DemoCommand::Docs => {
            for page in web::generate_pages() {
                io.out.write_line(&serde_json::to_string(&page)?);
            }
        }
        DemoCommand::Seed { language } => io.out.write_line(&web::generate_initial_text(language)),
        DemoCommand::Contrast { language } => {
            for code in &language.contrast {
                io.out.write_line(code);
            }
        }
        DemoCommand::News {
            language,
            labels,
            sample,
        } => print_news(language, labels, sample.as_deref(), io)?,
        DemoCommand::Linked(command) => run_linked(&command, io)?,
        DemoCommand::Truth => {
            for page in web::generate_pages() {
                io.out
                    .write_line(&format!("{}\t{}", page.url, page.language));
            }
        }
    }
    Ok(())
}

/// Prints the news web, or the sample article of a subject.
fn print_news(
    language: NewsLanguage,
    labels: bool,
    sample: Option<&str>,
    io: &mut Io,
) -> anyhow::Result<()> {
    if let Some(subject) = sample {
        io.out
            .write_line(&news::generate_sample(language, subject)?);
        return Ok(());
    }
    for article in news::generate_articles(language) {
        let line = if labels {
            serde_json::to_string(&article)?
        } else {
            serde_json::to_string(&article.page)?
        };
        io.out.write_line(&line);
    }
    Ok(())
}

/// Serves the linked web, or prints what belongs to it.
fn run_linked(command: &LinkedCommand, io: &mut Io) -> anyhow::Result<()> {
    match command {
        LinkedCommand::Serve { listen } => {
            let web = LinkedWeb::generate();
            let server = LinkedWebServer::listen(*listen)?;
            io.out.write_line(&server.address.to_string());
            // A script waits for this line.
            io.out.flush()?;
            server.run(web);
        }
        LinkedCommand::Core { subject } => {
            for page in linked::generate_core(subject)? {
                io.out.write_line(&serde_json::to_string(&page)?);
            }
        }
        LinkedCommand::Seeds => {
            for url in linked::seeds() {
                io.out.write_line(&url);
            }
        }
        LinkedCommand::Truth => {
            for (url, subject, language) in LinkedWeb::generate().truth() {
                io.out.write_line(&format!("{url}\t{subject}\t{language}"));
            }
        }
    }
    Ok(())
}
