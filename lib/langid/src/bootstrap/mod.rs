//! A profile for a language that no model knows, grown from one document and from what it brought.
//!
//! The first profile is all words of the initial documents. Later ones are learned from documents
//! that the profile before accepted, under a margin rule ([`rule`]): what is only just nearest to
//! the language teaches nothing. Each says how far ahead of all other languages a text must be
//! ([`Profile::rejection_threshold`]), found by leaving documents out in turn: so relatives that no model
//! knows, which are nearest to this language for want of their own, stay out.
//!
//! Self-training can drift into a neighbour. Three things hold it: the initial documents are always
//! among those that teach; words that a single document has are left out as soon as there are
//! enough others; and what was learned is measured against the first profile ([`drift`]) and
//! refused when it has left it. That a filter may be trained on the fly and bootstrapped is future
//! work of R. Ghani, R. Jones and D. Mladenić (2005); the rules here are ours.

pub mod drift;
pub mod rule;
mod words;

use crate::classes::ModelError;
use crate::code::LanguageCode;
use crate::identify::{Identifier, Scratch};
use crate::profile::{NoLettersError, Profile};
use drift::Drift;
use rule::{Candidate, FOLDS};
use words::Counted;

/// Words of initial documents that are too few to begin with.
pub const MIN_INITIAL_WORDS: u64 = 20;

/// How often documents are looked for that the others do not recognise: without the first of them
/// more may be found.
const ROUNDS: usize = 4;

/// Why a profile can't be grown.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// Too little text, by its number of words.
    #[error(
        "the initial documents have {0} words, too few to begin with; {MIN_INITIAL_WORDS} are needed, 200 are better"
    )]
    TooFewWords(u64),
    /// Text without letters.
    #[error(transparent)]
    NoLetters(#[from] NoLettersError),
    /// Too many classes.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A document that came.
#[derive(Debug, Clone)]
pub struct RetrievedDocument {
    /// Its text.
    pub text: String,
    /// The host that it is from; one may not teach too much.
    pub host: String,
}

/// A profile, and how far it has moved.
#[derive(Debug)]
pub struct BootstrappedProfile {
    /// What is to be used from now on: a new profile, or the former where [`Drift::fallback_reason`] says why.
    pub profile: Profile,
    /// How it compares with the first.
    pub drift: Drift,
}

/// Grows the profile of a language.
#[derive(Debug)]
pub struct Bootstrapper {
    /// Knows the other languages.
    others: Identifier,
    code: LanguageCode,
    name: String,
    initial: Vec<Counted>,
}

impl Bootstrapper {
    /// Begins with the initial documents of a language, which `others` does not know.
    pub fn new(others: Identifier, code: LanguageCode, name: &str, initial: &[String]) -> Self {
        let initial = initial.iter().map(|text| Counted::whole(text)).collect();
        Bootstrapper {
            others,
            code,
            name: name.to_owned(),
            initial,
        }
    }

    /// The profile of the initial documents alone.
    ///
    /// # Errors
    /// If these have too few words, or no letters.
    pub fn first(&self) -> Result<Profile, BootstrapError> {
        let words = self.initial.iter().map(Counted::number).sum();
        if words < MIN_INITIAL_WORDS {
            return Err(BootstrapError::TooFewWords(words));
        }
        Ok(self.profile(&self.initial.iter().collect::<Vec<_>>())?)
    }

    /// The profile of the initial documents and of those of `documents` that `former` is sure of.
    ///
    /// Depends on these alone: equal ones give an equal profile. Reads each document a few times,
    /// but only its beginning.
    ///
    /// # Errors
    /// If the initial documents can't be learned from.
    pub fn learn(
        &self,
        former: &Profile,
        documents: &[RetrievedDocument],
    ) -> Result<BootstrappedProfile, BootstrapError> {
        let first = self.first()?;
        let counted: Vec<Counted> = documents
            .iter()
            .map(|document| Counted::of(&document.text))
            .collect();
        let accepted = self.accepted(former, documents, &counted)?;
        let has_begun = former.rejection_threshold > 0.0;
        let least = if has_begun {
            rule::min_margin(&accepted)
        } else {
            rule::min_initial_margin(&accepted, self.expected()?, documents.len())
        };
        let chosen = rule::select_documents(&accepted, least);
        let initial = self.initial.len();
        let sample = self
            .initial
            .iter()
            .chain(chosen.iter().map(|at| &counted[*at]))
            .collect();
        let (sample, margins) = self.without_doubtful(sample)?;
        let mut profile = self.profile(&sample)?;
        profile.rejection_threshold = rule::estimate_rejection_threshold(&margins);
        let agreeing = self.agreeing(&first, &sample[initial..])?;
        let drift = Drift {
            documents: documents.len(),
            accepted: accepted.len(),
            sample_documents: sample.len() - initial,
            sample_words: profile.vocabulary().len(),
            rejection_threshold: profile.rejection_threshold,
            median_margin: rule::quantile(&margins, 0.5),
            initial_margin: rule::quantile(&margins[..initial], 0.5),
            agreement: agreeing as f64 / (sample.len() - initial).max(1) as f64,
            distance: drift::distance(&first, &profile),
            nearest: self.others.nearest_languages(&first).first().copied(),
            fallback_reason: None,
        }
        .judged();
        let profile = if drift.fallback_reason.is_none() {
            profile
        } else {
            former.clone()
        };
        Ok(BootstrappedProfile { profile, drift })
    }

    /// The margin that each half of the initial documents has by a profile of the other: what a
    /// text of the language may have by a profile of a page. The mean of both; less of a short
    /// text, whose halves share their subject above all.
    fn expected(&self) -> Result<f64, BootstrapError> {
        /// Words of a text that is not short.
        const ENOUGH: f64 = 200.0;
        let words: u64 = self.initial.iter().map(Counted::number).sum();
        let halves = words::halves(&self.initial);
        let mut scratch = Scratch::default();
        let mut sum = 0.0;
        for (one, other) in [(0, 1), (1, 0)] {
            // A half without letters expects nothing.
            let Ok(profile) = self.profile(&[&halves[one]]) else {
                return Ok(0.0);
            };
            let margin =
                self.knowing(&profile)?
                    .compute_lead(&mut scratch, halves[other].text(), self.code);
            sum += margin.unwrap_or(0.0);
        }
        Ok(sum / 2.0 * (words as f64 / ENOUGH).min(1.0))
    }

    /// Which documents a profile accepts, with their margins.
    fn accepted<'a>(
        &self,
        profile: &Profile,
        documents: &'a [RetrievedDocument],
        counted: &[Counted],
    ) -> Result<Vec<Candidate<'a>>, ModelError> {
        let identifier = self.knowing(profile)?;
        let mut scratch = Scratch::default();
        let mut accepted = Vec::new();
        for (at, (document, counted)) in documents.iter().zip(counted).enumerate() {
            if identifier.identify_with(&mut scratch, counted.text()).code == self.code {
                let margin = identifier
                    .compute_lead(&mut scratch, counted.text(), self.code)
                    .unwrap_or(0.0);
                accepted.push(Candidate {
                    at,
                    margin,
                    host: &document.host,
                });
            }
        }
        Ok(accepted)
    }

    fn agreeing(&self, profile: &Profile, documents: &[&Counted]) -> Result<usize, ModelError> {
        let identifier = self.knowing(profile)?;
        let mut scratch = Scratch::default();
        let accepts = |document: &&&Counted| {
            identifier.identify_with(&mut scratch, document.text()).code == self.code
        };
        Ok(documents.iter().filter(accepts).count())
    }

    /// The sample without documents that the others would not recognise, which were taken by
    /// mistake; and the margins of those that are left.
    fn without_doubtful<'a>(
        &self,
        mut sample: Vec<&'a Counted>,
    ) -> Result<(Vec<&'a Counted>, Vec<f64>), BootstrapError> {
        for _ in 0..ROUNDS {
            let margins = self.margins_left_out(&sample)?;
            let least = rule::estimate_rejection_threshold(&margins);
            let is_kept = |at: usize| at < self.initial.len() || margins[at] >= least;
            let kept: Vec<&Counted> = (0..sample.len())
                .filter(|at| is_kept(*at))
                .map(|at| sample[at])
                .collect();
            if kept.len() == sample.len() {
                return Ok((sample, margins));
            }
            sample = kept;
        }
        let margins = self.margins_left_out(&sample)?;
        Ok((sample, margins))
    }

    /// The margin of each document by a profile that was learned from the others: of four fifths of
    /// them, by turns.
    fn margins_left_out(&self, sample: &[&Counted]) -> Result<Vec<f64>, BootstrapError> {
        let mut margins = vec![0.0; sample.len()];
        if sample.len() < 2 {
            return Ok(margins);
        }
        let mut scratch = Scratch::default();
        let folds = FOLDS.min(sample.len());
        for fold in 0..folds {
            let is_out = |at: usize| at % folds == fold;
            let rest: Vec<&Counted> = (0..sample.len())
                .filter(|at| !is_out(*at))
                .map(|at| sample[at])
                .collect();
            let identifier = self.knowing(&self.profile(&rest)?)?;
            for at in (0..sample.len()).filter(|at| is_out(*at)) {
                margins[at] = identifier
                    .compute_lead(&mut scratch, sample[at].text(), self.code)
                    .unwrap_or(0.0);
            }
        }
        Ok(margins)
    }

    fn knowing(&self, profile: &Profile) -> Result<Identifier, ModelError> {
        let mut identifier = self.others.clone();
        identifier.add_profiles(std::slice::from_ref(profile))?;
        Ok(identifier)
    }

    fn profile(&self, sample: &[&Counted]) -> Result<Profile, NoLettersError> {
        let source = format!("bootstrapped from {} documents", sample.len());
        Ok(words::common(sample)
            .finish(self.code, &self.name, &source)?
            .0)
    }
}
