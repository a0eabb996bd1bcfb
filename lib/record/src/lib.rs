//! Records, the JSON lines that all Forage tools read and write, and the names of their fields.
//!
//! A record is one JSON object on one line. A tool adds its own fields, and passes fields that it
//! does not own through byte for byte. [`Record`] therefore keeps the original line, and stores
//! only the fields that are added, replaced or removed. The typed views ([`Step`], [`Query`],
//! [`Hit`], [`Fetch`], [`Dedup`], [`LangId`], [`RecordError`]) are the parts of a record that one
//! tool reads or writes. `man/forage-records.5` and `man/record.schema.json` define all fields.

pub mod field;
mod field_path;
mod json_text;
mod keyphrase;
mod lang_id;
mod line;
mod links;
pub mod path;
mod record_error;
mod structure;
mod surrogates;
pub mod time;
mod views;

pub use field_path::{FieldPath, FieldPathError};
pub use keyphrase::{Keyphrase, KeywordsMethod};
pub use lang_id::{LangId, LanguageScore};
pub use line::{BadField, Record, RecordParseError};
pub use links::{InLink, OutLink};
pub use record_error::{ErrorKind, RecordError};
pub use structure::{PartKind, StructurePart};
pub use surrogates::replace_unpaired_surrogates;
pub use views::{
    Comment, Dedup, DedupStatus, Fetch, FrontierEntry, Hit, HitOutcome, Link, MoreHits, Previous,
    Query, QueryStrategy, RecoveryOffsets, RepeatedParagraph, Sample, SelectionMethods, SiteRule,
    Step, Topic, WarcLocation,
};

/// Version of the record schema. It increases when a field changes its name, type or meaning.
pub const SCHEMA_VERSION: u32 = 4;
