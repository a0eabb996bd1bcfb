//! A run: its journal, what is derived from it, and how it is resumed after a kill.
//!
//! * `Journal` is `journal.jsonl`: every finished record, in order. It is the truth; all other
//!   state of a run is a *projection* of it and can be rebuilt from it.
//! * [`Event`] is one record as the projections see it.
//! * [`Projection`] is state derived from events; [`StoredProjection`] one that is kept in a file
//!   between steps.
//! * [`Ledger`] appends records to the journal and applies them to the projections of `stats.db`,
//!   in one transaction that also records how much of the journal they contain. Opening it repairs
//!   what a killed run left half done.
//! * [`RunTotals`] counts what the run cost and brought.

mod event;
mod identity;
mod journal;
mod ledger;
mod projection;
mod recognise;
mod repair;
mod totals;

pub use event::{Event, OldSchemaError};
pub use identity::{like_query_id, query_id};
pub use journal::JournalError;
pub use ledger::{LEDGER_SCHEMA, Ledger, LedgerError};
pub use projection::{BoxError, Projection, StoredProjection};
pub use totals::{FROM_OTHER_TARGETS, RunTotals, read_total, read_totals};
