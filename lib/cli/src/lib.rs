//! What every Forage tool does, in one place: arguments, streaming, errors, exit codes, progress,
//! man pages.
//!
//! A tool is a function from its arguments and an [`Io`]; [`main`] does the rest. Records come in
//! through [`Io::annotate`] (each record by itself, in parallel, order kept),
//! [`Io::annotate_deferred`] (the same for work that waits) or [`Io::run_stage`] (a tool with state, which
//! is committed before anything that rests on it is written), or lines through [`Io::for_each_line`]; a
//! tool that is a source of records goes through [`Io::produce_records`]. No tool has a loop over lines, a
//! thread or an exit code of its own, and nothing but this crate touches stdin, stdout, stderr or
//! the process.

mod annotate;
mod args;
mod bad_line;
mod exit;
mod generate;
mod interrupt;
mod io;
mod later;
mod lines;
mod missed;
mod output;
mod plural;
mod produce;
mod progress;
mod put;
mod rejects;
mod run;
mod sections;
mod speech;
mod spool;
mod starts;
mod window;
mod writer;

pub use args::{Input, Jobs, Verbosity, parse_positive};
pub use io::{CommitOrder, Io, Stage};
pub use later::{Annotation, PendingRecord, ResumeOptions};
pub use output::Output;
pub use plural::format_count;
pub use put::{PendingFile, replace_file};
pub use run::{Tool, main};
pub use speech::Messages;
