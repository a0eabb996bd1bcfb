//! Code shared by all Forage tools: arguments, streaming, messages, exit codes, progress, man
//! pages.
//!
//! A tool is a function of its arguments and an [`Io`]; [`main`] does the rest. What is done in
//! parallel goes through one ordered map (`ordered_map`), of lines, files or other items
//! ([`ItemSource`]). A tool processes its input in one of these ways:
//!
//! - [`Io::annotate`]: each record independently, in parallel, with the order kept;
//! - [`Io::annotate_deferred`]: the same for work that waits, such as downloads;
//! - [`Io::map_lines`]: each line of plain text independently, in parallel, with the order kept;
//! - [`Io::map_files`]: each file as one document, in parallel, with the order kept;
//! - [`Io::convert_files`]: each file as one record, in parallel, with the order kept;
//! - [`Io::run_stage`]: a tool with state, which is committed together with its output;
//! - [`Io::for_each_record`]: a tool that writes no output per record;
//! - [`Io::read_first_pass`]: a tool that chooses records when it has seen all of them;
//! - [`Io::search_records`]: a search, in parallel, that parses few of the records;
//! - [`Io::for_each_line`]: lines that need not be records;
//! - [`Io::for_each_given`]: records or lines of text, by the content of each file;
//! - [`Io::produce_records`]: a source that reads no records, such as an archive.
//!
//! No tool has its own loop over lines, threads or exit codes. Only this crate uses stdin, stdout,
//! stderr and the process.

mod annotate;
mod args;
mod byte_count;
mod deferred;
mod exit_code;
mod file_map;
mod file_problem;
mod file_report;
mod file_walk;
mod generate;
mod given_file;
mod input;
mod interrupt;
mod io;
mod limited_warnings;
mod line_source;
mod lines;
mod man_sections;
mod messages;
mod option_file;
mod ordered_map;
mod output;
mod output_guard;
mod pending_file;
mod plain_text_check;
mod plural;
mod progress;
mod record_format;
mod record_texts;
mod rejected_line;
mod rejects;
mod results;
mod run;
mod shared_options;
mod skipped_lines;
mod source;
mod special_file;
mod spool;
mod stage;
mod start_queue;
mod status_line;
mod table_header;
mod text_document;
mod text_field;
mod tsv;
mod two_passes;
mod usage_error;
mod window;
mod writer;

pub use args::{
    FileArgs, Jobs, NO_CONTACT, contact_of_environment, parse_contact, parse_positive, parse_share,
};
pub use byte_count::parse_positive_byte_count;
pub use deferred::{Annotation, PendingRecord, ResumeOptions};
pub use file_map::FileReading;
pub use forage_content::{Content, ContentKind, PageFormat};
pub use generate::set_build;
pub use given_file::{GivenFile, open_given_file, read_given_file, read_text_file};
pub use input::Input;
pub use interrupt::ignored_signals;
pub use io::{GivenLine, Io};
pub use line_source::{ConvertLine, LineSource, ListLineError, is_web_url};
pub use lines::{LineLocation, TextUse};
pub use messages::{Messages, Verbosity};
pub use output::Output;
pub use pending_file::{PendingFile, replace_file};
pub use plain_text_check::quote_for_shell;
pub use plural::format_count;
pub use record_format::RecordOutput;
pub use rejected_line::absorb_bad_field;
pub use results::{UsedRecords, why_no_document};
pub use run::{Tool, main, run_program};
pub use shared_options::{
    Contact, HostLists, Paging, Politeness, Refresh, Seed, parse_age, parse_seconds,
};
pub use skipped_lines::InputAdvice;
pub use source::{ItemSource, OnPause, ReadPause};
pub use stage::{CommitOrder, Stage};
pub use status_line::{STATUS_LINE, can_replace_line, show_status};
pub use tsv::escape_tsv;
pub use two_passes::SecondPass;
pub use usage_error::describe_usage_error;
