//! The arguments of langid, and what it adds to records. simulate-run adds the same.

mod annotate;
mod args;
mod load;

pub use annotate::{annotate_files, annotate_lines, annotate_record, annotate_records};
pub use args::Args;
pub use load::load_identifier;
