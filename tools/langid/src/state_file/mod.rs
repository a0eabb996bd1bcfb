//! `profiles.db`: the n-gram profiles of the classes of a run, a projection of its journal
//! (Dimalen & Roxas 2007, section 2: the classifier learns from the documents that the run has
//! collected).
//!
//! [`ClassProfiles`] has one profile per class and script. Records are applied in order, whether
//! they come from `langid` or from a journal, so that a file that grew during a run and one that
//! was rebuilt are equal. `store` has the tables.

mod class_profiles;
mod store;

pub use class_profiles::{ClassProfiles, ClassProfilesError};
