//! Keys with values, sorted by key in bounded memory.
//!
//! [`Sorter`] holds entries in memory up to a limit, then writes them, sorted, to a temporary file
//! ([`SortedParts`]). All parts are in one file, so that their number is not limited by that of
//! open files, and are merged at the end, each through a buffer of its own.

mod parts;
mod sorter;

pub use parts::SortedParts;
pub use sorter::Sorter;
