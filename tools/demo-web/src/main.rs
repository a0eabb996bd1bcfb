//! demo-web: print the pages of a small closed web, composed of sentences from published crates.
//!
//! This is not a tool of the pipeline. It provides real text in many languages, so that the
//! pipeline can be tried without a network and without text in the repository.

mod args;
mod sentences;
mod web;

use args::{Args, DemoCommand};
use forage_cli::Io;
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
        DemoCommand::Truth => {
            for page in web::generate_pages() {
                io.out
                    .write_line(&format!("{}\t{}", page.url, page.language));
            }
        }
    }
    Ok(())
}
