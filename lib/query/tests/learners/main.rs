//! The queries of learners, which follow from the journal alone.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap, too

mod baselines;
mod learner_run;
mod rocchio;
mod samples;
