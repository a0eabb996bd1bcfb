//! The records that travel through Forage's pipes: the one place where their fields are spelt.
//!
//! A record is one JSON object on one line. Each tool adds the key that is named after it and
//! passes on what it does not own byte for byte, so [`Record`] keeps the line as it came and only
//! notes what is to be added, replaced or left out. The typed views ([`Step`], [`Query`], [`Hit`],
//! [`Fetch`], [`Dedup`], [`LangId`], [`RecordError`]) are what one tool reads or writes of it. The form
//! of every field is published in `man/forage-records.5` and `man/record.schema.json`.

pub mod field;
mod line;
mod views;

pub use line::{BadField, Record, RecordParseError};
pub use views::{
    Dedup, DedupStatus, ErrorKind, Fetch, Hit, HitOutcome, LangId, Link, MoreHits, Query,
    QueryStrategy, RecordError, RecoveryOffsets, SelectionMethods, Step, WarcLocation,
};

/// Version of the record schema: raised when a field changes its name, type or meaning.
pub const SCHEMA_VERSION: u32 = 2;
