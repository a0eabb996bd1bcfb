//! Whether the hits of a page that were not returned yet are worth their cost.

/// Cost of a nonrelevant document, in relevant documents: it must be fetched and classified, too.
/// Larger values make the strategy avoid regions that are not almost free of other classes.
pub(crate) const NONRELEVANT_COST: f64 = 8.0;
/// Cost of a nonrelevant document as a last resort, when no region is worth a call at
/// [`NONRELEVANT_COST`]. It admits regions in which the target is mixed with other classes; larger
/// values admit fewer of them.
pub(crate) const LAST_RESORT_COST: f64 = 2.0;

/// Unseen hits of a page are used while the relevant documents among the hits used, plus this many,
/// outweigh the nonrelevant ones plus [`EXPECTED_NONRELEVANT`], each at [`NONRELEVANT_COST`]. It
/// is a credit for hits that cost no further call; larger values use up more pages.
const UNSEEN_HIT_CREDIT: f64 = 8.0;

/// The number of nonrelevant documents that the next unseen hit is expected to add. Larger values
/// abandon a page sooner.
const EXPECTED_NONRELEVANT: f64 = 1.0;

/// Returns `true` if the unseen hits of a page are used, given the documents of the page so far and
/// the cost of a nonrelevant one.
pub(crate) fn should_use_unseen_hits(
    page_relevant: u64,
    page_nonrelevant: u64,
    nonrelevant_cost: f64,
) -> bool {
    page_relevant as f64 + UNSEEN_HIT_CREDIT
        >= nonrelevant_cost * (page_nonrelevant as f64 + EXPECTED_NONRELEVANT)
}
