//! What a run brought: figures computed from its journal, drawings, and a page of them.
//!
//! * [`RunData`] counts the records of a journal in one pass. Its memory does not grow with the
//!   journal, except for a few bytes per query: frequent keys are counted exactly, rare ones only
//!   until there are too many (`count`), lines are thinned (`timeline`), and of a large run, a random
//!   sample of documents is in the table (`rows`).
//! * `chart` draws: lines, bars, columns, ranges and arcs. `yields`, `contents` and `sources` make
//!   the figures,
//!   each with its numbers in a table.
//! * [`render_page`] puts them into one HTML file. Everything of a record is escaped, a policy of
//!   the
//!   page keeps all scripts but its own from running, and equal input gives equal bytes.
//! * [`TextFolder`] writes the texts beside the page.

mod chart;
mod contents;
mod convergence;
mod count;
mod figure;
mod html;
mod page;
mod rows;
mod run_data;
mod sources;
mod texts;
mod timeline;
mod vocabulary;
mod yields;

pub use page::{FIRST_LINE, render_page};
pub use rows::MAX_ROWS;
pub use run_data::RunData;
pub use texts::{TEXTS_FOLDER, TextFolder};
