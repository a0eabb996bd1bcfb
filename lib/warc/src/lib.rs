//! Web archives: fetch results in files of WARC 1.1 (ISO 28500:2017), with gzip by record.
//!
//! [`ArchiveWriter`] writes fetch results and [`ArchiveReader`] reads them back, so that a page of
//! an archive becomes a record by the same code as a fetched one. [`RevisitIndex`] finds pages and
//! payloads of earlier archives, so that they are not sent or archived again; [`RecoveredPages`]
//! are those that an interrupted run has archived. An interrupted response is archived as far as it
//! was received, with the message of the failure, so that reading it gives the same error;
//! truncated records of other tools have no message and are read as far as they go, and so are
//! records that are cut. A record with a wrong length is read up to the next one.
//!
//! - `record_format` serializes records. `http_message` parses the HTTP responses in them.
//! - `record_source` finds the records of a file, of any writer and also of damaged files; below it
//!   are `record`, `record_stream`, `zstd_frame` and `peek_reader`.
//! - `payload_index` finds the payloads that records refer to. `repair` truncates an incomplete
//!   record at the end of an archive whose writer was killed. `removal` removes pages.
//!
//! Not here: sockets, and parsing of pages.

mod damage;
mod date;
mod http_message;
mod payload_index;
mod peek_reader;
mod reader;
mod record;
mod record_format;
mod record_source;
mod record_stream;
mod recovered_pages;
mod removal;
mod repair;
mod revisit_index;
mod writer;
mod zstd_frame;

pub use damage::{ArchiveDamage, RecordDefects};
pub use reader::{ArchiveReader, ArchivedPage};
pub use recovered_pages::RecoveredPages;
pub use removal::copy_without_pages;
pub use revisit_index::RevisitIndex;
pub use writer::ArchiveWriter;
