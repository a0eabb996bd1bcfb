//! The initial documents of update-stats. simulate-run reads the same ones.

mod args;
mod initial_documents;
mod run_messages;
mod tool;

pub use args::Counting;
pub use initial_documents::{
    InitialFile, SeedRounds, count_initial_documents, read_initial_documents,
};
pub use tool::main;
