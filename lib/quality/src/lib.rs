//! Measures by which text that is no prose is recognised in any language.

mod host_lines;
mod line;
mod measures;
mod repetition;
mod rules;
mod share;
mod usual;

pub use host_lines::HostLines;
pub use measures::{DistinctLine, Figures, Measures};
pub use rules::{Quality, Reason};
pub use usual::UsualShares;
