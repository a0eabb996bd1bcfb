//! Pure functions on text: tokenisation into terms, Unicode normalisation, document identifiers,
//! and pseudo-random numbers that are the same on every machine.
//!
//! Nothing here reads a file, a clock or the environment.

mod id;
mod random;
mod scripts;
mod terms;

pub use id::document_id;
pub use random::Random;
pub use scripts::{SEGMENTATION_VERSION, contains_unspaced_script};
pub use terms::{Terms, normalise, terms};
