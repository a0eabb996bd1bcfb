//! Archives of what was fetched, in the format that web archives share: WARC 1.1 (ISO 28500:2017),
//! gzip for each record.
//!
//! [`ArchiveWriter`] keeps fetch results, [`ArchiveReader`] gives them back: reading an archive is
//! the same work as fetching, without the network. [`RevisitIndex`] knows what earlier archives
//! keep, so that it need not be sent or kept again, and [`RecoveredPages`] what a run that broke
//! off had archived. `layout` has the records as they are written, `message` the HTTP answers in
//! them, `source` finds records in a file, whoever wrote it and however damaged it is (`record`,
//! `layer`, `frame` and `window` below it), `payloads` where bodies are, and `tail` repairs an
//! archive whose writer was killed.
//!
//! It opens files and no sockets, and reads no page.

mod frame;
mod layer;
mod layout;
mod message;
mod payloads;
mod reader;
mod record;
mod recovered;
mod revisit_index;
mod source;
mod tail;
mod window;
mod writer;

pub use reader::{ArchiveReader, ArchivedPage};
pub use recovered::RecoveredPages;
pub use revisit_index::RevisitIndex;
pub use source::ArchiveDamage;
pub use writer::ArchiveWriter;
