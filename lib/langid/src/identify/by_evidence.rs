//! Identification by evidence: the language that most words and n-grams of a text favour.

use super::prior::{self, WHOLE};
#[cfg(feature = "tools")]
use super::reject::{self, RejectFeatures};
use super::reject::{ClassEvidence, EvidenceSummary};
use super::{Identifier, LoadedClass, LoadedModel, MAX_CANDIDATES, Scratch};
use crate::code::LanguageCode;
use crate::evidence::sums::{EvidenceSums, EvidenceTable, MAX_EVIDENCE};
use crate::evidence::{PRIOR_WEIGHT, STEPS_PER_NAT};
use crate::script::Script;

/// Number of classes that are compared together, so that the compiler can use SIMD instructions.
const GROUP_SIZE: usize = 16;

/// The classes of a model that compete in texts of one script.
#[derive(Debug, Clone)]
pub(crate) struct ScriptCandidates {
    script: Script,
    /// Number of the first class, a multiple of [`GROUP_SIZE`].
    start: usize,
    /// The prior evidence of each class from `start` on, in whole groups; [`EXCLUDED_PRIOR`] for a
    /// class that does not compete.
    priors: Vec<i32>,
    /// What is written in the language of each class; see [`prior`]. 0 for those that do not
    /// compete.
    written: Vec<i32>,
}

/// The prior of a class that does not compete. Its sum with any evidence is negative, since that is
/// less than [`MAX_EVIDENCE`].
const EXCLUDED_PRIOR: i32 = -(MAX_EVIDENCE as i32);

/// Returns the competing classes for each script that a class has.
pub(crate) fn candidates_by_script(classes: &[LoadedClass]) -> Vec<ScriptCandidates> {
    let mut scripts: Vec<Script> = classes
        .iter()
        .map(|class| class.script)
        .chain([Script::HAN, Script::JAPANESE])
        .collect();
    scripts.sort_unstable();
    scripts.dedup();
    scripts
        .into_iter()
        .map(|script| candidates_in_script(script, classes))
        .collect()
}

fn candidates_in_script(script: Script, classes: &[LoadedClass]) -> ScriptCandidates {
    let competes = |class: &LoadedClass| class.competes && class.script.is_compatible_with(script);
    let start = classes.iter().position(competes).unwrap_or(0) / GROUP_SIZE * GROUP_SIZE;
    let end = classes
        .iter()
        .rposition(competes)
        .map_or(start, |last| last + 1);
    let length = (end - start).next_multiple_of(GROUP_SIZE);
    let of_competing = |value: fn(&LoadedClass) -> i32, otherwise: i32| {
        let values = classes[start..end].iter().map(|class| {
            if competes(class) {
                value(class)
            } else {
                otherwise
            }
        });
        let mut values: Vec<i32> = values.collect();
        values.resize(length, otherwise);
        values
    };
    ScriptCandidates {
        script,
        start,
        priors: of_competing(|class| sample_evidence(class.sample_tokens), EXCLUDED_PRIOR),
        written: of_competing(|class| class.written, 0),
    }
}

/// Returns the evidence of a class before any text is read. It grows with the size of its sample:
/// rare words of a small sample are less certain.
fn sample_evidence(sample_tokens: u64) -> i32 {
    let log_size = libm::log(sample_tokens.max(1) as f64);
    1 + (PRIOR_WEIGHT * log_size * STEPS_PER_NAT).round() as i32
}

impl Identifier {
    /// Returns what the reject option and the score of `text` depend on, or `None` if no class has
    /// evidence. For `fit-reject-model` (`tests/lab/tools/langid-model`).
    #[cfg(feature = "tools")]
    pub fn compute_reject_features(
        &self,
        scratch: &mut Scratch,
        text: &str,
    ) -> Option<RejectFeatures> {
        let text = forage_text::normalise(text);
        let summary = self.summarise_evidence(scratch, &forage_text::remove_addresses(&text));
        Some(RejectFeatures {
            script: summary.script,
            code: summary.best.first()?.class.code,
            values: reject::compute_features(&summary)?,
            words: summary.sums.words,
            deficits: reject::deficits(&summary.best).collect(),
        })
    }

    /// Returns the lead of `code` over all other languages in `text`: the difference of its
    /// evidence and that of the best other language, as a share of the greater, -1 to 1. It is
    /// negative if another language has more evidence. Returns `None` if no language has evidence.
    ///
    /// If `code` is the identified language, this is [`crate::Identification::margin`], except that the
    /// latter ignores runners-up with less than half of the evidence.
    #[cfg(feature = "tools")]
    pub fn compute_lead(
        &self,
        scratch: &mut Scratch,
        text: &str,
        code: LanguageCode,
    ) -> Option<f64> {
        let text = forage_text::normalise(text);
        let text = forage_text::remove_addresses(&text);
        let script = self.summarise_evidence(scratch, &text).script;
        self.lead_in_sums(&scratch.sums, script, code)
    }

    fn lead_in_sums(&self, sums: &EvidenceSums, script: Script, code: LanguageCode) -> Option<f64> {
        let mut own = 0;
        let mut other = 0;
        let share = prior::share_by_length(sums.words);
        for (loaded, evidence) in self.models.iter().zip(&sums.evidence) {
            let Some(candidates) = loaded.candidates_for(script) else {
                continue;
            };
            let classes = loaded.evidence_classes[candidates.start..]
                .iter()
                .zip(&candidates.priors)
                .zip(&candidates.written)
                .zip(&evidence[candidates.start..]);
            for (((class, prior), written), evidence) in classes {
                let greatest = if class.code == code {
                    &mut own
                } else {
                    &mut other
                };
                *greatest =
                    (*greatest).max(prior + written * share / (WHOLE * WHOLE) + *evidence as i32);
            }
        }
        let greater = own.max(other);
        (greater > 0).then(|| f64::from(own - other) / f64::from(greater))
    }

    /// Sums up the evidence of a text without addresses, which is in normal form C, and finds the best classes.
    pub(super) fn summarise_evidence<'a>(
        &'a self,
        scratch: &'a mut Scratch,
        text: &str,
    ) -> EvidenceSummary<'a> {
        let Scratch {
            tokenizer,
            sums,
            maxima,
            ..
        } = scratch;
        match self.models.as_slice() {
            [model] => sums.compute(&[model.table()], tokenizer, text),
            models => {
                let tables: Vec<EvidenceTable<'_>> =
                    models.iter().map(LoadedModel::table).collect();
                sums.compute(&tables, tokenizer, text);
            }
        }
        let script = tokenizer.script();
        let best = if sums.greatest > 0 {
            self.find_best_classes(sums, maxima, script)
        } else {
            Vec::new()
        };
        EvidenceSummary {
            script,
            letters: tokenizer.number_of_letters(),
            sums,
            best,
            is_closed_set: self.is_closed_set,
        }
    }

    /// Returns `true` if the best language has no rejection threshold or reaches it.
    pub(super) fn reaches_threshold(&self, summary: &EvidenceSummary<'_>) -> bool {
        let best = summary.best.first().map(|best| best.class.code);
        let threshold = self
            .rejection_thresholds
            .iter()
            .find(|(code, _)| Some(*code) == best);
        threshold.is_none_or(|(code, threshold)| {
            self.lead_in_sums(summary.sums, summary.script, *code)
                .is_some_and(|lead| lead >= *threshold)
        })
    }

    /// Returns the languages with the most evidence, best first, each once; none with less than
    /// half of the greatest evidence.
    ///
    /// `maxima` is a buffer for the greatest evidence in each group of classes. Only groups whose
    /// maximum is large enough are searched.
    fn find_best_classes<'a>(
        &'a self,
        sums: &EvidenceSums,
        maxima: &mut Vec<i32>,
        script: Script,
    ) -> Vec<ClassEvidence<'a>> {
        let share = prior::share_by_length(sums.words);
        let totals = |group: ClassGroup<'_>| group_totals(group, share);
        let models = || {
            self.models
                .iter()
                .zip(&sums.evidence)
                .filter_map(|(loaded, evidence)| {
                    let candidates = loaded.candidates_for(script)?;
                    let evidence = evidence[candidates.start..].as_chunks::<GROUP_SIZE>().0;
                    let priors = candidates.priors.as_chunks::<GROUP_SIZE>().0;
                    let written = candidates.written.as_chunks::<GROUP_SIZE>().0;
                    let groups = priors.iter().zip(written).zip(evidence);
                    Some((groups, &loaded.evidence_classes[candidates.start..]))
                })
        };
        maxima.clear();
        for (groups, _) in models() {
            maxima.extend(groups.map(|group| totals(group).into_iter().fold(0, i32::max)));
        }
        let mut bound = maxima.iter().copied().max().unwrap_or(0) / 2;
        let mut best: Vec<ClassEvidence<'_>> = Vec::with_capacity(MAX_CANDIDATES + 1);
        let mut maxima = maxima.as_slice();
        for (groups, classes) in models() {
            let (own, others) = maxima.split_at(groups.len());
            maxima = others;
            // Most groups are skipped, so that this loop has nothing but their maxima.
            for (index, maximum) in own.iter().enumerate() {
                if *maximum > bound
                    && let Some(group) = groups.clone().nth(index)
                {
                    let classes = &classes[index * GROUP_SIZE..];
                    insert_classes_above(bound, totals(group), classes, &mut best);
                    let last = best.get(MAX_CANDIDATES - 1);
                    bound = last.map_or(bound, |last| last.evidence as i32);
                }
            }
        }
        best
    }
}

impl LoadedModel {
    /// Returns the competing classes for texts in `script`.
    fn candidates_for(&self, script: Script) -> Option<&ScriptCandidates> {
        let index = self
            .candidates
            .binary_search_by_key(&script, |candidates| candidates.script);
        self.candidates.get(index.ok()?)
    }
}

/// The priors, what is written in the languages, and the evidence of a group of classes.
type ClassGroup<'a> = (
    (&'a [i32; GROUP_SIZE], &'a [i32; GROUP_SIZE]),
    &'a [u32; GROUP_SIZE],
);

/// Returns the sums of priors and evidence, where `share` of what is written in a language counts,
/// in 1/[`WHOLE`].
#[inline]
fn group_totals(((priors, written), evidence): ClassGroup<'_>, share: i32) -> [i32; GROUP_SIZE] {
    std::array::from_fn(|index| {
        priors[index] + written[index] * share / (WHOLE * WHOLE) + evidence[index] as i32
    })
}

/// Inserts the classes of a group with more evidence than `bound` into the list of the best
/// languages.
fn insert_classes_above<'a>(
    bound: i32,
    totals: [i32; GROUP_SIZE],
    classes: &'a [LoadedClass],
    best: &mut Vec<ClassEvidence<'a>>,
) {
    for (class, total) in classes.iter().zip(totals) {
        if total > bound {
            let evidence = total as u32;
            insert_sorted(best, ClassEvidence { class, evidence });
        }
    }
}

/// Inserts a class into the list of the best languages, which is sorted by evidence. Equal ones
/// keep the order of insertion.
fn insert_sorted<'a>(best: &mut Vec<ClassEvidence<'a>>, added: ClassEvidence<'a>) {
    let bound = best.get(MAX_CANDIDATES - 1).map_or(0, |last| last.evidence);
    if added.evidence <= bound {
        return;
    }
    if let Some(index) = best
        .iter()
        .position(|other| other.class.code == added.class.code)
    {
        if best[index].evidence >= added.evidence {
            return;
        }
        best.remove(index);
    }
    let index = best.partition_point(|other| other.evidence >= added.evidence);
    best.insert(index, added);
    best.truncate(MAX_CANDIDATES);
}
