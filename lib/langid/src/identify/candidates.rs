//! The classes that compete in a text, and those of them with the most evidence.
//!
//! A text has little evidence for most of the 1,700 classes. So the best of a few that are likely
//! to have much are found first, and all others are compared with these by an upper bound of their
//! evidence, many at a time.

use super::LoadedClass;
use super::MAX_CANDIDATES;
use super::prior::WHOLE;
use super::reject::ClassEvidence;
use crate::evidence::lanes::{LANES, lanes_above};
use crate::evidence::sums::MAX_EVIDENCE;
use crate::evidence::table::CLASSES;
use crate::evidence::{PRIOR_WEIGHT, STEPS_PER_NAT};
use crate::script::Script;
use std::collections::BTreeSet;

/// The classes of a model that compete in texts of one script.
#[derive(Debug, Clone)]
pub(crate) struct ScriptCandidates {
    pub(super) script: Script,
    /// Number of the first class.
    start: usize,
    /// The priors of the classes from `start` on, in whole groups.
    priors: Vec<ClassPrior>,
    /// These priors in a text of one word, where they are the greatest.
    max_priors: Vec<i32>,
}

/// The evidence of a class before any text is read.
#[derive(Debug, Clone, Copy)]
struct ClassPrior {
    /// The evidence of the size of the sample; [`EXCLUDED_PRIOR`] for a class that does not
    /// compete.
    sample: i32,
    /// What is written in the language; see [`super::prior`]. 0 for a class that does not compete.
    written: i32,
}

impl ClassPrior {
    const EXCLUDED: ClassPrior = ClassPrior {
        sample: EXCLUDED_PRIOR,
        written: 0,
    };

    /// Returns the prior evidence in a text in which `share` of what is written in a language
    /// counts, in 1/[`WHOLE`].
    #[inline]
    fn evidence(self, share: i32) -> i32 {
        self.sample + self.written * share / (WHOLE * WHOLE)
    }
}

/// The prior of a class that does not compete. Its sum with any evidence is negative, since that is
/// less than [`MAX_EVIDENCE`].
const EXCLUDED_PRIOR: i32 = -(MAX_EVIDENCE as i32);

/// Returns the competing classes for each script that a class has.
pub(crate) fn candidates_by_script(classes: &[LoadedClass]) -> Vec<ScriptCandidates> {
    let scripts = classes.iter().map(|class| class.script);
    let scripts = scripts.chain([Script::HAN, Script::JAPANESE]);
    let scripts: BTreeSet<Script> = scripts.collect();
    let scripts = scripts.into_iter();
    scripts
        .map(|script| candidates_in_script(script, classes))
        .collect()
}

fn candidates_in_script(script: Script, classes: &[LoadedClass]) -> ScriptCandidates {
    let competes = |class: &LoadedClass| class.competes && class.script.is_compatible_with(script);
    let start = classes.iter().position(competes).unwrap_or(0) / LANES * LANES;
    let last = classes.iter().rposition(competes);
    let end = last.map_or(start, |last| last + 1);
    let priors = classes[start..end]
        .iter()
        .map(|class| match competes(class) {
            true => ClassPrior {
                sample: sample_evidence(class.log_sample_tokens),
                written: class.written,
            },
            false => ClassPrior::EXCLUDED,
        });
    let mut priors: Vec<ClassPrior> = priors.collect();
    priors.resize(priors.len().next_multiple_of(LANES), ClassPrior::EXCLUDED);
    ScriptCandidates {
        script,
        start,
        max_priors: priors.iter().map(|prior| prior.evidence(WHOLE)).collect(),
        priors,
    }
}

/// Returns the evidence of a class before any text is read. It grows with the size of its sample:
/// rare words of a small sample are less certain.
fn sample_evidence(log_tokens: f64) -> i32 {
    1 + (PRIOR_WEIGHT * log_tokens * STEPS_PER_NAT).round() as i32
}

/// The classes of a model that compete in a text, with their evidence.
#[derive(Clone, Copy)]
pub(super) struct CompetingClasses<'a, 'b> {
    candidates: &'a ScriptCandidates,
    /// All classes of the model.
    classes: &'a [LoadedClass],
    evidence: &'b [u32; CLASSES],
    /// The share of what is written in a language that counts, in 1/[`WHOLE`].
    share: i32,
}

impl<'a, 'b> CompetingClasses<'a, 'b> {
    pub(super) fn new(
        candidates: &'a ScriptCandidates,
        classes: &'a [LoadedClass],
        evidence: &'b [u32; CLASSES],
        share: i32,
    ) -> Self {
        CompetingClasses {
            candidates,
            classes,
            evidence,
            share,
        }
    }

    /// Returns the classes with their evidence and priors, which are negative for a class that does
    /// not compete.
    pub(super) fn totals(self) -> impl Iterator<Item = (&'a LoadedClass, i32)> {
        (0..self.candidates.priors.len()).filter_map(move |index| self.total(index))
    }

    /// Returns a class, given its number; `None` for most that do not compete.
    pub(super) fn class(self, class: usize) -> Option<(&'a LoadedClass, i32)> {
        self.total(class.checked_sub(self.candidates.start)?)
    }

    /// Returns a class with its evidence and prior, given its index in the priors.
    #[inline]
    fn total(self, index: usize) -> Option<(&'a LoadedClass, i32)> {
        let number = self.candidates.start + index;
        let prior = self.candidates.priors.get(index)?.evidence(self.share);
        let evidence = *self.evidence.get(number)? as i32;
        Some((self.classes.get(number)?, prior + evidence))
    }

    /// Adds the classes whose evidence exceeds the bound to the best ones.
    pub(super) fn search(self, best: &mut BestClasses<'a>) {
        let priors = self.candidates.max_priors.as_chunks::<LANES>().0;
        let evidence = self.evidence[self.candidates.start..]
            .as_chunks::<LANES>()
            .0;
        for (index, (priors, evidence)) in priors.iter().zip(evidence).enumerate() {
            // Few groups have such a class.
            let mut above = lanes_above(best.bound, priors, evidence);
            while above != 0 {
                let offset = above.trailing_zeros() as usize;
                above &= above - 1;
                if let Some(class) = self.total(index * LANES + offset) {
                    best.add(class);
                }
            }
        }
    }
}

/// The languages with the most evidence, each once, at most [`MAX_CANDIDATES`].
#[derive(Default)]
pub(super) struct BestClasses<'a> {
    /// Classes with less or equal evidence are not among the best.
    bound: i32,
    /// Sorted by evidence. Equal ones keep the order in which they were added.
    best: Vec<ClassEvidence<'a>>,
}

impl<'a> BestClasses<'a> {
    /// Sets the bound by some classes, all of which are added later.
    pub(super) fn set_bound(&mut self, classes: impl Iterator<Item = (&'a LoadedClass, i32)>) {
        classes.for_each(|class| self.add(class));
        let evidence = |rank: usize| self.best.get(rank).map_or(0, |class| class.evidence as i32);
        self.bound = i32::max(evidence(0) / 2, evidence(MAX_CANDIDATES - 1) - 1);
        self.best.clear();
    }

    /// Adds a class if it is one of the best.
    #[inline]
    fn add(&mut self, (class, evidence): (&'a LoadedClass, i32)) {
        if evidence > self.bound {
            let evidence = evidence as u32;
            insert_sorted(&mut self.best, ClassEvidence { class, evidence });
            let last = self.best.get(MAX_CANDIDATES - 1);
            self.bound = last.map_or(self.bound, |last| last.evidence as i32);
        }
    }

    /// Returns the best classes; none with less than half of the greatest evidence.
    pub(super) fn finish(self) -> Vec<ClassEvidence<'a>> {
        let mut best = self.best;
        let greatest = best.first().map_or(0, |best| best.evidence);
        best.retain(|class| class.evidence > greatest / 2);
        best
    }
}

/// Inserts a class into the list of the best languages, which is sorted by evidence. Equal ones
/// keep the order of insertion.
fn insert_sorted<'a>(best: &mut Vec<ClassEvidence<'a>>, added: ClassEvidence<'a>) {
    let bound = best.get(MAX_CANDIDATES - 1).map_or(0, |last| last.evidence);
    if added.evidence <= bound {
        return;
    }
    let has_code = |other: &ClassEvidence<'a>| other.class.code == added.class.code;
    if let Some(index) = best.iter().position(has_code) {
        if best[index].evidence >= added.evidence {
            return;
        }
        best.remove(index);
    }
    let index = best.partition_point(|other| other.evidence >= added.evidence);
    best.insert(index, added);
    best.truncate(MAX_CANDIDATES);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::LanguageCode;
    use proptest::prelude::*;

    /// Returns the class with this number: of 40 languages in two scripts.
    fn class(number: usize) -> LoadedClass {
        let letter = |index: usize| char::from(b'a' + index as u8);
        let code = format!("q{}{}", letter(number % 2), letter(number / 2 % 20));
        LoadedClass {
            code: code.parse().unwrap(),
            script: Script::new(["Latn", "Cyrl"][usize::from(number.is_multiple_of(7))]).unwrap(),
            competes: !number.is_multiple_of(11),
            is_user_added: false,
            log_expected_evidence: 0.0,
            expected_agreement: 1.0,
            log_sample_tokens: (number % 13) as f64,
            written: (number % 5) as i32 * WHOLE,
        }
    }

    proptest! {
        #[test]
        fn the_best_classes_are_those_of_a_sorted_list(
            evidence in prop::collection::vec(prop_oneof![4 => Just(0), 1 => 0u32..90], 100),
            leaders in prop::collection::vec(0usize..100, 0..20),
            share in 0..=WHOLE,
        ) {
            let classes: Vec<LoadedClass> = (0..evidence.len()).map(class).collect();
            let mut all = [0; CLASSES];
            all[..evidence.len()].copy_from_slice(&evidence);
            let candidates = candidates_by_script(&classes);
            let latin = candidates.iter().find(|c| c.script == Script::LATIN).unwrap();
            let competing = CompetingClasses::new(latin, &classes, &all, share);

            let mut sorted: Vec<(LanguageCode, i32)> =
                competing.totals().map(|(class, total)| (class.code, total)).collect();
            sorted.sort_by_key(|(_, total)| -total);
            let mut expected: Vec<(LanguageCode, i32)> = Vec::new();
            for (code, total) in sorted.iter().filter(|(_, total)| *total > sorted[0].1 / 2) {
                if expected.iter().all(|(other, _)| other != code) {
                    expected.push((*code, *total));
                }
            }
            expected.truncate(MAX_CANDIDATES);

            let mut best = BestClasses::default();
            best.set_bound(leaders.iter().filter_map(|class| competing.class(*class)));
            competing.search(&mut best);
            let found = best.finish();
            let found = found.iter().map(|best| (best.class.code, best.evidence as i32));
            prop_assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}
