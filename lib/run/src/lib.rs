//! A run: its journal, the projections derived from it, and repair after a kill.
//!
//! * `Journal` is `journal.jsonl`: every finished record, in order. It is the source of truth. All
//!   other state of a run is a *projection* of it and can be rebuilt from it.
//! * [`Event`] is one record of the journal, as the projections see it.
//! * [`Projection`] is state derived from events. A [`ProjectionFile`] has a file of its own, and a
//!   [`StoredProjection`] tables in `stats.db`.
//! * [`Ledger`] appends records to the journal and applies them to the projections of `stats.db`,
//!   in one transaction that also records how much of the journal they contain. Opening it repairs
//!   what a killed run left incomplete.
//! * [`DocumentSelection`] says which documents make up the corpora of a run, and the class of
//!   each.
//! * [`Versions`] says which versions of pages that were asked for again are no longer in them.
//! * [`TakenDownList`] says which documents never come back.
//! * [`RunTotals`] counts the cost and the yield of a run.

mod documents;
mod event;
mod journal;
mod journal_check;
mod ledger;
mod local_path;
mod presence;
mod projection;
mod query_identity;
mod repair;
mod taken_down;
mod totals;
mod versions;

pub use documents::{DocumentSelection, DocumentSource, NotSelected};
pub use event::{Event, OldSchemaError, final_url, is_journal_record};
pub use journal::JournalError;
pub use ledger::{LEDGER_SCHEMA, Ledger, LedgerError};
pub use local_path::without_folders;
pub use presence::Presence;
pub use projection::{BoxError, Projection, ProjectionFile, StepProjection, StoredProjection};
pub use query_identity::{like_query_id, query_id};
pub use taken_down::{
    PENDING_TAKE_DOWN, TAKEN_DOWN, TakenDownList, has_pending_take_down, taken_down_entry,
    tombstone,
};
pub use totals::{FROM_OTHER_TARGETS, RunTotals, WORDS, read_total, read_totals};
pub use versions::Versions;
