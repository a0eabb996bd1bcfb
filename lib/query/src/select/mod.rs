//! Term selection: ranks or draws the k terms of one side of a query (Ghani et al. 2001;
//! `docs/algorithms.md`, "Term selection").
//!
//! A query has two sides. Inclusion terms are indicative of the target, as opposed to the other
//! classes. Exclusion terms are selected in the same way with the classes swapped.
//! [`ClassContrast`] defines the classes of either side.

mod class_contrast;
mod cooccurrence;
mod navigation_words;
mod random_draw;
mod ranking;
mod scores;
mod selected_term;
mod selection_method;
mod selection_spec;
mod term_lookup;

pub use class_contrast::{
    ClassContrast, ContrastClasses, PruneOptions, QuerySide, TermProbability,
};
pub(crate) use random_draw::draw_weighted;
pub use scores::{log_odds_ratio, odds_ratio, rtfidf};
pub use selected_term::SelectedTerm;
pub(crate) use selected_term::TermCounts;
pub use selection_method::SelectionMethod;
pub use selection_spec::{MAX_SIDE_LENGTH, SelectionSpec};
pub(crate) use term_lookup::TermLookup;

use crate::statistics::{Result, Statistics};
use forage_text::Random;

/// Selects the terms of one side of a query; fewer than requested if there are no more.
///
/// The first `offset` ranks are skipped (`docs/algorithms.md`, "Query recovery"); random methods
/// ignore `offset`. Terms in `avoid` are treated as absent. Random draws depend on `random` alone.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn select_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    spec: SelectionSpec,
    offset: u32,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> Result<Vec<SelectedTerm>> {
    if spec.length == 0 {
        return Ok(Vec::new());
    }
    match spec.method {
        method if method.is_deterministic() => {
            ranking::rank_terms(statistics, contrast, spec, offset, avoid)
        }
        SelectionMethod::Co => {
            cooccurrence::draw_cooccurring_terms(statistics, contrast, spec.length, avoid, random)
        }
        _ => random_draw::draw_terms(statistics, contrast, spec, avoid, random),
    }
}
