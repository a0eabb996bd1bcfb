//! The initial documents of update-stats. simulate-run reads the same ones.

mod initial_documents;

pub use initial_documents::{
    InitialFile, SeedRounds, count_initial_documents, read_initial_documents,
};
