//! The learner of bootstrapped profiles.

use super::counted_document::{CountedDocument, learn_common_words, split_halves};
use super::drift::{self, Drift};
use super::margins::{self, AcceptedDocument, FOLDS};
use forage_langid::{Identifier, LanguageCode, NoLettersError, Profile, Scratch};

/// Maximum number of times that documents below the rejection threshold are removed from the
/// sample. Once the first of them are removed, others may fall below it. Set by judgement, not
/// measured.
const MAX_CLEANING_ROUNDS: usize = 4;

/// A retrieved document.
#[derive(Debug, Clone)]
pub(crate) struct RetrievedDocument {
    /// The text.
    pub(crate) text: String,
    /// The host; the number of documents per host is limited in a sample.
    pub(crate) host: String,
}

/// Bootstraps the profile of a language.
#[derive(Debug)]
pub(crate) struct Bootstrapper {
    /// Has the profiles of all other languages.
    others: Identifier,
    code: LanguageCode,
    name: String,
    initial: Vec<CountedDocument>,
}

impl Bootstrapper {
    /// Starts with the initial documents of a language, which `others` must not have.
    pub(crate) fn new(
        others: Identifier,
        code: LanguageCode,
        name: &str,
        initial: &[String],
    ) -> Self {
        let initial = initial.iter().map(|text| CountedDocument::from_text(text));
        Bootstrapper {
            others,
            code,
            name: name.to_owned(),
            initial: initial.collect(),
        }
    }

    /// Learns a profile from the initial documents and from those of `documents` that `previous`
    /// accepts with a sufficient margin.
    ///
    /// Returns the profile to use from now on: the new one, or `previous` if
    /// [`Drift::fallback_reason`] is set; and the comparison of the new one with the first.
    ///
    /// The result depends only on the arguments: equal ones give an equal profile. Reads each
    /// document a few times, but only its beginning.
    ///
    /// # Errors
    /// Fails if no profile can be learned from the initial documents.
    pub(crate) fn learn_next(
        &self,
        previous: &Profile,
        documents: &[RetrievedDocument],
    ) -> anyhow::Result<(Profile, Drift)> {
        let first = self.learn_profile(&self.initial.iter().collect::<Vec<_>>())?;
        let texts = documents.iter().map(|document| &document.text);
        let counted: Vec<CountedDocument> = texts
            .map(|text| CountedDocument::from_beginning(text))
            .collect();
        let accepted = self.find_accepted(previous, documents, &counted)?;
        let has_sample = previous.rejection_threshold > 0.0;
        let min_margin = match has_sample {
            true => margins::min_margin(&accepted),
            false => {
                let expected = self.expected_margin()?;
                margins::min_initial_margin(&accepted, expected, documents.len())
            }
        };
        let selected = margins::select_documents(&accepted, min_margin).into_iter();
        let initial = self.initial.len();
        let sample = self
            .initial
            .iter()
            .chain(selected.map(|index| &counted[index]));
        let (sample, margins) = self.clean_sample(sample.collect())?;
        let mut profile = self.learn_profile(&sample)?;
        profile.rejection_threshold = margins::estimate_rejection_threshold(&margins);
        let agreeing = self.count_accepted(&first, &sample[initial..])?;
        let drift = Drift {
            documents: documents.len(),
            accepted: accepted.len(),
            sample_documents: sample.len() - initial,
            sample_words: profile.vocabulary().len(),
            rejection_threshold: profile.rejection_threshold,
            median_margin: margins::quantile(&margins, 0.5),
            initial_margin: margins::quantile(&margins[..initial], 0.5),
            agreement: agreeing as f64 / (sample.len() - initial).max(1) as f64,
            distance: drift::relative_distance(&first, &profile),
            nearest: self.others.nearest_languages(&first).first().copied(),
            fallback_reason: None,
        }
        .with_fallback_reason();
        if drift.fallback_reason.is_some() {
            profile = previous.clone();
        }
        Ok((profile, drift))
    }

    /// Returns the margin that the initial documents lead to expect for a text in the language: the
    /// mean of the margins of each half of them by a profile of the other half.
    ///
    /// It is reduced for a short text, whose halves mainly share their subject.
    fn expected_margin(&self) -> anyhow::Result<f64> {
        /// Minimum number of words of a text that is not short. Set by judgement, not measured.
        const SUFFICIENT_WORDS: f64 = 200.0;
        let words: u64 = self.initial.iter().map(CountedDocument::token_count).sum();
        let halves = split_halves(&self.initial);
        let mut scratch = Scratch::default();
        let mut sum = 0.0;
        for (one, other) in [(0, 1), (1, 0)] {
            // A half without letters gives no expectation.
            let Ok(profile) = self.learn_profile(&[&halves[one]]) else {
                return Ok(0.0);
            };
            let identifier = self.identifier_with(&profile)?;
            let margin = identifier.compute_lead(&mut scratch, halves[other].text(), self.code);
            sum += margin.unwrap_or(0.0);
        }
        Ok(sum / 2.0 * (words as f64 / SUFFICIENT_WORDS).min(1.0))
    }

    /// Returns the documents that a profile accepts, with their margins.
    fn find_accepted<'a>(
        &self,
        profile: &Profile,
        documents: &'a [RetrievedDocument],
        counted: &[CountedDocument],
    ) -> anyhow::Result<Vec<AcceptedDocument<'a>>> {
        let identifier = self.identifier_with(profile)?;
        let mut scratch = Scratch::default();
        let mut accepted = Vec::new();
        for (index, (document, counted)) in documents.iter().zip(counted).enumerate() {
            if identifier.identify_with(&mut scratch, counted.text()).code == self.code {
                let margin = identifier.compute_lead(&mut scratch, counted.text(), self.code);
                accepted.push(AcceptedDocument {
                    index,
                    margin: margin.unwrap_or(0.0),
                    host: &document.host,
                });
            }
        }
        Ok(accepted)
    }

    /// Returns the number of documents that a profile accepts.
    fn count_accepted(
        &self,
        profile: &Profile,
        documents: &[&CountedDocument],
    ) -> anyhow::Result<usize> {
        let identifier = self.identifier_with(profile)?;
        let mut scratch = Scratch::default();
        let accepts = |document: &&&CountedDocument| {
            identifier.identify_with(&mut scratch, document.text()).code == self.code
        };
        Ok(documents.iter().filter(accepts).count())
    }

    /// Removes documents that a profile of the others rejects, since they are probably in another
    /// language. Returns the remaining sample and its margins. Initial documents are never removed.
    fn clean_sample<'a>(
        &self,
        mut sample: Vec<&'a CountedDocument>,
    ) -> anyhow::Result<(Vec<&'a CountedDocument>, Vec<f64>)> {
        for _ in 0..MAX_CLEANING_ROUNDS {
            let margins = self.cross_validate_margins(&sample)?;
            let threshold = margins::estimate_rejection_threshold(&margins);
            let is_kept = |index: usize| index < self.initial.len() || margins[index] >= threshold;
            let kept = (0..sample.len()).filter(|index| is_kept(*index));
            let kept: Vec<&CountedDocument> = kept.map(|index| sample[index]).collect();
            if kept.len() == sample.len() {
                return Ok((sample, margins));
            }
            sample = kept;
        }
        let margins = self.cross_validate_margins(&sample)?;
        Ok((sample, margins))
    }

    /// Returns the margin of each document by a profile that was learned without it:
    /// cross-validation with [`FOLDS`] folds.
    fn cross_validate_margins(&self, sample: &[&CountedDocument]) -> anyhow::Result<Vec<f64>> {
        let mut margins = vec![0.0; sample.len()];
        if sample.len() < 2 {
            return Ok(margins);
        }
        let mut scratch = Scratch::default();
        let folds = FOLDS.min(sample.len());
        for fold in 0..folds {
            let is_held_out = |index: usize| index % folds == fold;
            let rest = (0..sample.len()).filter(|index| !is_held_out(*index));
            let rest: Vec<&CountedDocument> = rest.map(|index| sample[index]).collect();
            let identifier = self.identifier_with(&self.learn_profile(&rest)?)?;
            for index in (0..sample.len()).filter(|index| is_held_out(*index)) {
                let text = sample[index].text();
                let margin = identifier.compute_lead(&mut scratch, text, self.code);
                margins[index] = margin.unwrap_or(0.0);
            }
        }
        Ok(margins)
    }

    /// Returns an identifier with all other languages and this profile.
    fn identifier_with(&self, profile: &Profile) -> anyhow::Result<Identifier> {
        let mut identifier = self.others.clone();
        identifier.add_profiles(std::slice::from_ref(profile))?;
        Ok(identifier)
    }

    fn learn_profile(&self, sample: &[&CountedDocument]) -> Result<Profile, NoLettersError> {
        let source = format!("bootstrapped from {} documents", sample.len());
        let learner = learn_common_words(sample);
        Ok(learner.finish(self.code, &self.name, &source)?.0)
    }
}
