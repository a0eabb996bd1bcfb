//! The agreement of people who have judged the same documents.

use crate::judgements::{Judgements, Verdict};
use serde::Serialize;

/// The agreement of two people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Their names.
    pub people: [String; 2],
    /// The documents that both have judged.
    pub documents: u64,
    /// Those on which they agree.
    pub agreed: u64,
    /// The share of these; `None` if there is no document.
    pub agreement: Option<f64>,
    /// Cohen's kappa (1960): how much more they agree than by chance, relative to the most that is
    /// possible. `None` if both have given one and the same verdict only, or there is no document.
    pub kappa: Option<f64>,
}

impl Agreement {
    /// Compares the verdicts of two people.
    pub fn new(people: [&str; 2], judgements: [&Judgements; 2]) -> Agreement {
        // By the verdicts of the first and the second person.
        let mut counts = [[0_u64; 2]; 2];
        for (key, first) in judgements[0].iter() {
            if let Some(second) = judgements[1].verdict(key) {
                let index = |verdict| usize::from(verdict == Verdict::Relevant);
                counts[index(first)][index(second)] += 1;
            }
        }
        let [[both_no, only_second], [only_first, both_yes]] = counts;
        let agreed = both_no + both_yes;
        let documents = agreed + only_first + only_second;
        let of_all = |count: u64| count as f64 / documents as f64;
        let agreement = (documents > 0).then(|| of_all(agreed));
        let by_chance = of_all(both_yes + only_first) * of_all(both_yes + only_second)
            + of_all(both_no + only_first) * of_all(both_no + only_second);
        let is_varied = agreed < documents || (both_no > 0 && both_yes > 0);
        let kappa = agreement.filter(|_| is_varied);
        let round = |value: f64| (value * 1e4).round() / 1e4;
        Agreement {
            people: people.map(str::to_owned),
            documents,
            agreed,
            agreement: agreement.map(round),
            kappa: kappa.map(|agreement| round((agreement - by_chance) / (1.0 - by_chance))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Agreement;
    use crate::judgements::Judgements;
    use proptest::prelude::*;

    fn judgements(verdicts: impl IntoIterator<Item = (usize, bool)>) -> Judgements {
        let mut judgements = Judgements::new();
        for (id, is_relevant) in verdicts {
            let verdict = if is_relevant { "yes" } else { "no" };
            let line = format!("{id}\t{verdict}");
            judgements.add_line(line.as_bytes()).unwrap();
        }
        judgements
    }

    fn compare(first: &[bool], second: &[bool]) -> Agreement {
        let judge = |verdicts: &[bool]| judgements(verdicts.iter().copied().enumerate());
        Agreement::new(["a", "b"], [&judge(first), &judge(second)])
    }

    /// Verdicts of which the first `n` of each kind are as in the table.
    fn table(yes_yes: usize, yes_no: usize, no_yes: usize, no_no: usize) -> Agreement {
        let cells = [
            (yes_yes, true, true),
            (yes_no, true, false),
            (no_yes, false, true),
            (no_no, false, false),
        ];
        let all = || {
            cells
                .iter()
                .flat_map(|&(n, a, b)| std::iter::repeat_n((a, b), n))
        };
        let (first, second): (Vec<bool>, Vec<bool>) = all().unzip();
        compare(&first, &second)
    }

    #[test]
    fn kappa_is_that_of_textbooks() {
        // 20 yes, 15 no, 5 and 10 different: agreement 0.7, by chance 0.5.
        let agreement = table(20, 5, 10, 15);
        assert_eq!((agreement.documents, agreement.agreed), (50, 35));
        assert_eq!(
            (agreement.agreement, agreement.kappa),
            (Some(0.7), Some(0.4))
        );
        // One person never says no.
        assert_eq!(table(9, 0, 1, 0).kappa, Some(0.0));
    }

    #[test]
    fn kappa_is_undefined_if_there_is_nothing_to_distinguish() {
        assert_eq!(table(7, 0, 0, 0).kappa, None);
        assert_eq!(table(7, 0, 0, 0).agreement, Some(1.0));
        let none = table(0, 0, 0, 0);
        assert_eq!(
            (none.documents, none.agreement, none.kappa),
            (0, None, None)
        );
    }

    #[test]
    fn only_documents_that_both_judged_count() {
        let first = judgements([(1, true), (2, true), (3, false)]);
        let second = judgements([(2, true), (3, false), (4, false)]);
        let agreement = Agreement::new(["a", "b"], [&first, &second]);
        assert_eq!((agreement.documents, agreement.kappa), (2, Some(1.0)));
    }

    proptest! {
        #[test]
        fn kappa_is_symmetric_and_at_most_the_agreement(
            verdicts in prop::collection::vec((any::<bool>(), any::<bool>()), 0..40)
        ) {
            let (first, second): (Vec<bool>, Vec<bool>) = verdicts.into_iter().unzip();
            let agreement = compare(&first, &second);
            prop_assert_eq!(agreement.kappa, compare(&second, &first).kappa);
            if let (Some(kappa), Some(raw)) = (agreement.kappa, agreement.agreement) {
                prop_assert!(kappa <= raw + 1e-4 && (-1.0..=1.0).contains(&kappa));
            }
        }
    }
}
