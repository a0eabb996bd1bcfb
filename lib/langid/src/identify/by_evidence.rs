//! Identification by evidence: the language that most words and n-grams of a text favour.

use super::candidates::{BestClasses, CompetingClasses, ScriptCandidates};
use super::prior;
#[cfg(feature = "tools")]
use super::reject::{self, RejectFeatures};
use super::reject::{ClassEvidence, EvidenceSummary};
use super::{Identifier, LoadedModel, Scratch};
use crate::code::LanguageCode;
use crate::evidence::sums::EvidenceSums;
use crate::evidence::table::EvidenceTable;
use crate::script::Script;

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
    /// If `code` is the identified language, this is [`crate::Identification::margin`], except that
    /// the latter ignores runners-up with less than half of the evidence.
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
        let (mut own, mut other) = (0, 0);
        for competing in self.competing_classes(sums, script) {
            for (class, total) in competing.totals() {
                match class.code == code {
                    true => own = total.max(own),
                    false => other = total.max(other),
                }
            }
        }
        let greater = own.max(other);
        (greater > 0).then(|| f64::from(own - other) / f64::from(greater))
    }

    /// Sums up the evidence of a text without addresses, which is in normal form C, and finds the
    /// best classes.
    pub(super) fn summarise_evidence<'a>(
        &'a self,
        scratch: &'a mut Scratch,
        text: &str,
    ) -> EvidenceSummary<'a> {
        let Scratch {
            tokenizer, sums, ..
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
        let best = match sums.greatest {
            0 => Vec::new(),
            _ => self.find_best_classes(sums, script),
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
        let mut thresholds = self.rejection_thresholds.iter();
        let threshold = thresholds.find(|(code, _)| Some(*code) == best);
        threshold.is_none_or(|(code, threshold)| {
            let lead = self.lead_in_sums(summary.sums, summary.script, *code);
            lead.is_some_and(|lead| lead >= *threshold)
        })
    }

    /// Returns the languages with the most evidence, best first, each once; none with less than
    /// half of the greatest evidence.
    fn find_best_classes<'a>(
        &'a self,
        sums: &EvidenceSums,
        script: Script,
    ) -> Vec<ClassEvidence<'a>> {
        let mut best = BestClasses::default();
        let models = || self.competing_classes(sums, script);
        if let Some(first) = models().next() {
            best.set_bound(sums.leaders().filter_map(|class| first.class(class)));
        }
        models().for_each(|competing| competing.search(&mut best));
        best.finish()
    }

    /// Returns the classes of each model that compete in a text in `script`.
    fn competing_classes<'a, 'b>(
        &'a self,
        sums: &'b EvidenceSums,
        script: Script,
    ) -> impl Iterator<Item = CompetingClasses<'a, 'b>> {
        let share = prior::share_by_length(sums.words);
        let models = self.models.iter().zip(&sums.evidence);
        models.filter_map(move |(loaded, evidence)| {
            let candidates = loaded.candidates_for(script)?;
            let classes = &loaded.evidence_classes;
            Some(CompetingClasses::new(candidates, classes, evidence, share))
        })
    }
}

impl LoadedModel {
    /// Returns the competing classes for texts in `script`.
    fn candidates_for(&self, script: Script) -> Option<&ScriptCandidates> {
        let candidates = &self.candidates;
        let index = candidates.binary_search_by_key(&script, |candidates| candidates.script);
        candidates.get(index.ok()?)
    }
}
