//! The arguments of langid, and what it adds to records. simulate-run adds the same.

mod annotate;
mod args;
mod check_labels;
mod facts;
mod list;
mod load;
mod resolve;
mod similar_names;
mod state;
pub mod state_file;
mod tool;

pub use annotate::{annotate_files, annotate_lines, annotate_record, annotate_records};
pub use args::{Args, MethodArgs};
pub use load::load_identifier;
pub use tool::main;
