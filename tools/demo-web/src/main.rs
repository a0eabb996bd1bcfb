//! demo-web: print the pages of a small closed web, made of sentences that come with crates.
//!
//! Not one of the pipeline's tools: a source of real text in many languages, so that the pipeline
//! can be tried without a network and without text in the repository.

mod args;
mod sentences;
mod web;

use args::{Args, Part};
use forage_cli::Io;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    match args.part.unwrap_or(Part::Docs) {
        Part::Docs => {
            for page in web::pages() {
                io.out.write_line(&serde_json::to_string(&page)?);
            }
        }
        Part::Seed { language } => io.out.write_line(&web::initial_text(language)),
        Part::Truth => {
            for page in web::pages() {
                io.out
                    .write_line(&format!("{}\t{}", page.url, page.language));
            }
        }
    }
    Ok(())
}
