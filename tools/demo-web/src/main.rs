//! demo-web: print the pages of a small closed web, composed of sentences from published crates, or
//! the articles of a small news web, composed from templates.
//!
//! This is not a tool of the pipeline. It provides real text in many languages, so that the
//! pipeline can be tried without a network and without text in the repository.

mod args;
mod news;
mod sentences;
mod web;

use args::{Args, DemoCommand};
use forage_cli::Io;
use news::NewsLanguage;
use std::process::ExitCode;

fn main() -> ExitCode {
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
            for code in language.contrast {
                io.out.write_line(code);
            }
        }
        DemoCommand::News {
            language,
            labels,
            sample,
        } => print_news(language, labels, sample.as_deref(), io)?,
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
