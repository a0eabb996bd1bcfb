//! Keyphrases of articles, and the similarity of articles by their keyphrases (Bracewell, Ren &
//! Kuroiwa 2007; `docs/algorithms.md`, "Special-domain collections").

pub mod feedback;
mod general_words;
pub mod keyphrases;
mod numbering;
pub mod profile;
pub mod samples;
pub mod similarity;
