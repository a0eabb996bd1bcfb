//! Thresholds as the paper tunes them.

use super::scores::{MetricScores, Thresholds};

/// Returns thresholds by which the share `recognised` of a core, above 0 and at most 1, has a vote,
/// where only that of the whole document differs between subjects, and that of a passage, which is
/// half of it (Kluev 2000, section 4, step 4, and table 2). `core` has the scores of the core's
/// documents.
pub fn fit_printed_thresholds(core: &[MetricScores], recognised: f64) -> Thresholds {
    let goal = recognised * core.len() as f64;
    let with_vsm = |vsm: f64| Thresholds {
        term: 0.5,
        pair: 0.1,
        triple: 0.08,
        vsm,
        passage: 0.5 * vsm,
    };
    // More documents reach lower thresholds; at 1, those that the shares alone recognise have a
    // vote.
    let reached = core
        .iter()
        .flat_map(|scores| [scores.vsm, 2.0 * scores.passage]);
    let candidates = reached.filter(|vsm| *vsm > 0.0).chain([1.0]);
    let distance = |thresholds: &Thresholds| {
        let votes = core.iter().map(|scores| thresholds.votes(scores));
        let recognised = votes.filter(|votes| votes.is_recommended()).count();
        (recognised as f64 - goal).abs()
    };
    let by_distance = |a: &Thresholds, b: &Thresholds| {
        let order = distance(a).total_cmp(&distance(b));
        // Of equally good ones, the strictest.
        order.then(b.vsm.total_cmp(&a.vsm))
    };
    let best = candidates.map(with_vsm).min_by(by_distance);
    best.unwrap_or_else(|| with_vsm(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_of_the_document_alone_recognises_the_share() {
        let core: Vec<MetricScores> = (1..=100)
            .map(|rank| MetricScores {
                term: if rank <= 10 { 0.5 } else { 0.4 },
                vsm: 1.0 / f64::from(rank),
                passage: 0.5 / f64::from(rank + 1),
                ..MetricScores::default()
            })
            .collect();
        let thresholds = fit_printed_thresholds(&core, 0.65);
        assert_eq!(
            (thresholds.vsm, thresholds.passage),
            (1.0 / 65.0, 0.5 / 65.0)
        );
        assert_eq!(
            (thresholds.term, thresholds.pair, thresholds.triple),
            (0.5, 0.1, 0.08)
        );
        // The terms alone recognise more than this.
        assert_eq!(fit_printed_thresholds(&core, 0.05).vsm, 1.0);
        assert_eq!(fit_printed_thresholds(&[], 0.65).vsm, 1.0);
    }
}
