//! The report where no template is given.

use forage_experiment::{Axis, Results};
use std::fmt::Write;

/// Where tables have a column, besides the limit (ALGORITHMS §6).
const REPORTED: [u64; 5] = [100, 300, 600, 1000, 3000];

/// A template with a table and a figure for each count that the runs were limited by; by calls, if by none.
pub(crate) fn template(results: &Results) -> String {
    let mut text = String::from("# Experiment\n\n{{runs}} runs of {{settings}} settings; targets: {{targets}}.\n");
    text.push_str("Means over targets and seeds; in brackets and as bands the range of the seeds.\n");
    let limits: Vec<(Axis, u64)> =
        Axis::ALL.into_iter().filter_map(|axis| Some((axis, limit(results, axis)?))).collect();
    for (axis, most) in if limits.is_empty() { vec![(Axis::Calls, furthest(results))] } else { limits } {
        let _ = write!(text, "\n{}", section(axis, most));
    }
    text
}

fn section(axis: Axis, most: u64) -> String {
    let mut numbers: Vec<u64> = REPORTED.into_iter().filter(|&number| number < most).collect();
    numbers.push(most);
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let (share, numbers) = (axis.share(), numbers.join(","));
    let second = if axis == Axis::Documents { "" } else { " PosDocs" };
    format!(
        "## By {}\n\n![Relevant documents by {axis}]({{{{figure {axis} relevant by {axis}={most}}}}})\n\n\
         {{{{table {axis}={numbers} {share}{second} sorted}}}}\n\n\
         Of each target:\n\n{{{{by-target {axis}={most} {share} sorted}}}}\n",
        axis.label()
    )
}

/// The limit that most lines can reach: the least of all.
fn limit(results: &Results, axis: Axis) -> Option<u64> {
    results.runs().iter().filter_map(|run| run.limits.of(axis)).min()
}

/// How far all runs came.
fn furthest(results: &Results) -> u64 {
    let ends = results.runs().iter().filter_map(|run| run.points.last()).map(|point| Axis::Calls.of(point));
    ends.min().unwrap_or_default()
}
