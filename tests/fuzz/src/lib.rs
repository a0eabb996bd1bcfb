//! Fuzzing of the parsers of untrusted input: web pages and other bodies, responses of engines,
//! archives, records, and files that a user may edit or a disk may damage.
//!
//! No input may cause a panic, take quadratic time, or exhaust the memory; an error is a correct
//! result. [`targets`] lists the parsers, each with a function that reads one input. [`mutation`]
//! derives inputs from seeds, which are in the folder `seeds` or made by the target. [`campaign`]
//! runs inputs and keeps those that a parser answers in a new way, which takes the place of
//! coverage feedback: the compiler instruments code only on its nightly channel. [`minimise`]
//! shortens an input that fails, and [`watchdog`] bounds time and memory.
//!
//! Everything but the time that is available depends on the seed of the random choices alone.

pub mod campaign;
pub mod corpus;
pub mod minimise;
pub mod mutation;
pub mod panics;
pub mod statistics;
pub mod targets;
pub mod watchdog;
