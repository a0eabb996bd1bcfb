//! Text in, values out: terms, normal forms, and randomness that is the same on every machine.
//!
//! Nothing here reads a file, a clock or the environment.

mod id;
mod random;
mod terms;

pub use id::document_id;
pub use random::Random;
pub use terms::{Terms, normalise, terms};
