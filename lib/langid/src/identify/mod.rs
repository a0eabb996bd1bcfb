//! The identifier: the classes of its models, those that compete, and the method that it uses.
//!
//! A class is a language in one script. Only classes in the script of the text compete. Of several
//! classes or profiles of one language, the best one counts.

mod by_evidence;
mod by_ranks;
mod candidates;
mod prior;
mod readings;
mod reject;
mod weights;
mod windows;

use crate::classes::LanguageClass;
use crate::code::LanguageCode;
use crate::distance::SimilaritySums;
use crate::evidence::sums::EvidenceSums;
use crate::evidence::table::EvidenceTable;
use crate::evidence::tokenizer::WordTokenizer;
use crate::expectation::Expectation;
use crate::legacy_font::LegacyFont;
use crate::macrolanguage::{collection_members, macrolanguage_members};
use crate::method::Method;
use crate::model::Model;
use crate::model_header::ModelError;
use crate::ngram::{NGram, NGramCounts};
use crate::profile::Profile;
use crate::script::Script;
use crate::words::WordCounts;
use candidates::{ScriptCandidates, candidates_by_script};
pub use prior::{InvalidPrior, Prior};
#[cfg(feature = "tools")]
pub use reject::RejectFeatures;
use std::collections::BTreeSet;

/// Maximum number of languages in [`Identification::top`].
pub(crate) const MAX_CANDIDATES: usize = 5;

/// Minimum probability of [`Identification::alternatives`], as a share of that of the best
/// language.
///
/// Of texts of 20 letters or more, 1 to 5 % have alternatives. On news, prose and messages, the
/// best language is right for 51 to 63 % of these, an alternative for 33 to 44 %; of the texts
/// without alternatives, 98 to 99 % are right (`docs/LANGID.md`).
const MIN_ALTERNATIVE_SHARE: f64 = 2.0 / 3.0;

/// Returns the [`Identification::alternatives`] among the best languages.
fn alternatives(top: &[(LanguageCode, f64)]) -> Vec<LanguageCode> {
    let Some(((_, best), others)) = top.split_first() else {
        return Vec::new();
    };
    let is_likely = |(_, p): &&(LanguageCode, f64)| *p >= best * MIN_ALTERNATIVE_SHARE;
    let likely = others.iter().filter(is_likely);
    likely.map(|(code, _)| *code).collect()
}

/// The result of an identification.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Identification {
    /// The language, or [`LanguageCode::UNDETERMINED`] for a text without letters and for one that
    /// resembles no known language.
    pub code: LanguageCode,
    /// The script of most letters; `Jpan` for Han with kana.
    pub script: Script,
    /// Probability that `code` is right, 0 to 1, estimated from the distance between the best
    /// languages; 0 for [`LanguageCode::UNDETERMINED`].
    pub score: f64,
    /// Distance of the runner-up from the best language, 0 to 1. For the method `evidence`, the
    /// difference of their evidence as a share of the greater; for `out-of-place`, the difference
    /// of their distances as a share of the greatest possible one.
    pub margin: f64,
    /// The best languages with their probabilities, best first; at most five. Of a text that
    /// resembles no known language, the nearest ones, with the probabilities that they would have
    /// if it were in one.
    pub top: Vec<(LanguageCode, f64)>,
    /// The other languages that are about as likely as `code`, from which nothing in the text tells
    /// it apart, best first.
    pub alternatives: Vec<LanguageCode>,
    /// The legacy font for which the text was typed. Its `code` is then
    /// [`LanguageCode::UNDETERMINED`].
    pub font: Option<LegacyFont>,
}

/// A language code that is no label of an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownLanguage {
    /// No model has the code.
    #[error("no label {0} in the model; langid --list shows all labels")]
    NoLabel(LanguageCode),
    /// The code is that of a macrolanguage, several of whose languages are labels.
    #[error("{0} is a macrolanguage; the labels of its languages are {list}", list = join_codes(.1))]
    Macrolanguage(LanguageCode, Vec<LanguageCode>),
    /// The code is that of a group of languages, some of which are labels.
    #[error("{0} is the code of a group of languages, and no label{list}", list = introduce_codes(.1))]
    Collection(LanguageCode, Vec<LanguageCode>),
}

/// Returns the choice of codes, if there are any.
fn introduce_codes(codes: &[LanguageCode]) -> String {
    match codes {
        [] => String::new(),
        codes => format!("; choose one of its languages: {}", join_codes(codes)),
    }
}

/// Returns codes as an enumeration in a sentence.
fn join_codes(codes: &[LanguageCode]) -> String {
    let names: Vec<&str> = codes.iter().map(LanguageCode::as_str).collect();
    names.join(", ")
}

/// Identifies the language of texts.
#[derive(Debug, Clone)]
pub struct Identifier {
    pub(crate) models: Vec<LoadedModel>,
    method: Method,
    prior: Prior,
    /// True if the user named the languages that compete: the text is in one of these.
    pub(crate) is_closed_set: bool,
    /// Rejection thresholds of profiles; see [`Profile::rejection_threshold`].
    pub(crate) rejection_thresholds: Vec<(LanguageCode, f64)>,
}

/// A model, and which of its classes compete.
#[derive(Debug, Clone)]
pub(crate) struct LoadedModel {
    pub(crate) model: Model,
    /// The classes of the evidence part, by number.
    pub(crate) evidence_classes: Vec<LoadedClass>,
    /// The classes of the evidence part that compete, by script of the text.
    pub(crate) candidates: Vec<ScriptCandidates>,
    /// True for each class of the evidence part that is excluded; empty if none is.
    excluded: Vec<bool>,
    /// The profiles of the rank part, by number.
    pub(crate) rank_classes: Vec<LoadedClass>,
}

/// A class of a loaded model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadedClass {
    pub(crate) code: LanguageCode,
    pub(crate) script: Script,
    pub(crate) competes: bool,
    /// True if the user added a profile or model of the language to the built-in model.
    pub(crate) is_user_added: bool,
    /// Logarithm of the expected evidence of its texts, in nats per letter; see
    /// [`Expectation`].
    pub(crate) log_expected_evidence: f64,
    /// Expected agreement of its texts.
    pub(crate) expected_agreement: f64,
    /// Logarithm of the size of the sample in tokens.
    pub(crate) log_sample_tokens: f64,
    /// Evidence of what is written in the language; see [`Prior`].
    pub(crate) written: i32,
}

/// Buffers that one thread reuses from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) tokenizer: WordTokenizer,
    pub(crate) sums: EvidenceSums,
    pub(crate) words: WordCounts,
    pub(crate) counts: NGramCounts,
    pub(crate) ranked: Vec<(NGram, u64)>,
    pub(crate) similarities: SimilaritySums,
    /// Windows of the text.
    pub(crate) sample: String,
}

impl Identifier {
    /// Returns an identifier with the built-in model.
    pub fn builtin() -> Self {
        Self::new(Model::builtin())
    }

    /// Returns an identifier with `model`.
    pub fn new(model: Model) -> Self {
        let prior = Prior::default();
        Self {
            models: vec![LoadedModel::new(model, &prior)],
            method: Method::default(),
            prior,
            is_closed_set: false,
            rejection_thresholds: Vec::new(),
        }
    }

    /// Sets how much is expected to be written in each language, for the method `evidence`.
    #[must_use]
    pub fn with_prior(mut self, prior: Prior) -> Self {
        for loaded in &mut self.models {
            for class in &mut loaded.evidence_classes {
                class.written = prior.evidence(class.code);
            }
            loaded.candidates = candidates_by_script(&loaded.evidence_classes);
        }
        self.prior = prior;
        self
    }

    /// Adds profiles, which compete with the existing classes on equal terms. If one has a
    /// rejection threshold ([`Profile::rejection_threshold`]), texts in its language with a smaller
    /// lead are rejected.
    ///
    /// # Errors
    /// Fails if there are more profiles than a model can hold.
    pub fn add_profiles(&mut self, profiles: &[Profile]) -> Result<(), ModelError> {
        if !profiles.is_empty() {
            self.add_model(Model::from_profiles(profiles)?);
        }
        let thresholds = profiles.iter().map(|p| (p.code, p.rejection_threshold));
        let thresholds = thresholds.filter(|(_, threshold)| *threshold > 0.0);
        self.rejection_thresholds.extend(thresholds);
        Ok(())
    }

    /// Adds a model, whose classes compete with the existing ones on equal terms.
    ///
    /// If the first model is the built-in one, the languages of `model` are taken to be expected:
    /// the reject option is less strict for them, whichever class of the language is the best.
    pub fn add_model(&mut self, model: Model) {
        let first = self.models.first();
        let has_builtin = first.is_some_and(|first| first.model.evidence.is_builtin());
        self.models.push(LoadedModel::new(model, &self.prior));
        let Some((added, _)) = self.models.split_last().filter(|_| has_builtin) else {
            return;
        };
        let codes = added.evidence_classes.iter().map(|class| class.code);
        let codes: Vec<LanguageCode> = codes.collect();
        let models = self.models.iter_mut();
        let classes = models.flat_map(|loaded| &mut loaded.evidence_classes);
        classes.for_each(|class| class.is_user_added |= codes.contains(&class.code));
    }

    /// Sets the method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Restricts the candidates to these languages. A text is taken to be in one of them, unless it
    /// is not natural language.
    ///
    /// # Errors
    /// Fails if a language is unknown. The identifier then remains unchanged.
    pub fn restrict_to(&mut self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        self.check_codes(codes)?;
        self.restrict_candidates(|code| codes.contains(&code));
        self.is_closed_set = true;
        Ok(())
    }

    /// Removes these languages, as if the models did not have them.
    ///
    /// # Errors
    /// Fails if a language is unknown. The identifier then remains unchanged.
    pub fn exclude(&mut self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        self.check_codes(codes)?;
        self.restrict_candidates(|code| !codes.contains(&code));
        for loaded in &mut self.models {
            let is_excluded = |class: &LoadedClass| codes.contains(&class.code);
            let previous = std::mem::take(&mut loaded.excluded);
            if !previous.is_empty() || loaded.evidence_classes.iter().any(is_excluded) {
                let previous = previous.into_iter().chain(std::iter::repeat(false));
                let classes = loaded.evidence_classes.iter().zip(previous);
                let excluded = classes.map(|(class, previous)| previous || is_excluded(class));
                loaded.excluded = excluded.collect();
            }
        }
        Ok(())
    }

    fn check_codes(&self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        codes.iter().try_for_each(|code| self.check_code(*code))
    }

    /// Checks that a code is a label, of a language that may be excluded.
    ///
    /// # Errors
    /// Fails if it is none. If it is a macrolanguage, the error has the labels of its languages.
    pub fn check_code<'a>(&'a self, code: LanguageCode) -> Result<(), UnknownLanguage> {
        let classes_of =
            |loaded: &'a LoadedModel| loaded.evidence_classes.iter().chain(&loaded.rank_classes);
        let classes = self.models.iter().flat_map(classes_of);
        let labels = classes.map(|class| class.code);
        let labels: BTreeSet<LanguageCode> = labels
            .filter(|code| *code != LanguageCode::UNDETERMINED)
            .collect();
        if labels.contains(&code) {
            return Ok(());
        }
        let members = macrolanguage_members().filter(|(whole, _)| *whole == code);
        let members = members.map(|(_, member)| member);
        let members: BTreeSet<_> = members.filter(|member| labels.contains(member)).collect();
        if !members.is_empty() {
            let members = members.into_iter().collect();
            return Err(UnknownLanguage::Macrolanguage(code, members));
        }
        Err(match collection_members(code) {
            Some(mut members) => {
                members.retain(|member| labels.contains(member));
                UnknownLanguage::Collection(code, members)
            }
            None => UnknownLanguage::NoLabel(code),
        })
    }

    /// Removes the languages for which `may_compete` returns `false` from the candidates.
    fn restrict_candidates(&mut self, may_compete: impl Fn(LanguageCode) -> bool) {
        for loaded in &mut self.models {
            let classes = loaded.evidence_classes.iter_mut();
            let classes = classes.chain(&mut loaded.rank_classes);
            classes.for_each(|class| class.competes &= may_compete(class.code));
            loaded.candidates = candidates_by_script(&loaded.evidence_classes);
        }
    }

    /// Returns the classes that compete, for the method of the identifier.
    pub fn classes(&self) -> impl Iterator<Item = LanguageClass<'_>> {
        self.models.iter().flat_map(move |loaded| {
            let evidence = loaded.model.evidence.classes().map(|(class, _)| class);
            let (descriptions, classes): (Vec<LanguageClass<'_>>, _) = match self.method {
                Method::Evidence => (evidence.collect(), &loaded.evidence_classes),
                Method::OutOfPlace => {
                    let profiles = loaded.model.ranks.profiles();
                    (profiles.collect(), &loaded.rank_classes)
                }
            };
            let descriptions = descriptions.into_iter().zip(classes);
            let competing = descriptions.filter(|(_, class)| class.competes);
            competing.map(|(description, _)| description)
        })
    }

    /// Identifies the language of `text`.
    ///
    /// Of a long text, eight windows are read, and the whole text only if these are not clearly in
    /// one language. Runs in O(`text.len()`), never fails. For many texts use
    /// [`Identifier::identify_with`].
    pub fn identify(&self, text: &str) -> Identification {
        self.identify_with(&mut Scratch::default(), text)
    }

    /// Identifies the language of `text` as [`Identifier::identify`] does, with reused buffers.
    pub fn identify_with(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let identification = match self.method {
            Method::Evidence => self.identify_by_evidence(scratch, text),
            Method::OutOfPlace => self.identify_by_ranks(scratch, text),
        };
        detect_font(text, identification)
    }

    /// Identifies the language of the whole of `text`, not of windows.
    pub(crate) fn identify_whole(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let identification = match self.method {
            Method::Evidence => self.identify_whole_by_evidence(scratch, text),
            Method::OutOfPlace => self.identify_by_ranks(scratch, text),
        };
        detect_font(text, identification)
    }
}

/// Returns the result for a text, which is in no language if it was typed for a legacy font.
fn detect_font(text: &str, identification: Identification) -> Identification {
    match LegacyFont::detect(text, identification.script) {
        None => identification,
        font => Identification {
            font,
            ..undetermined(identification.script)
        },
    }
}

impl LoadedModel {
    fn new(model: Model, prior: &Prior) -> Self {
        let load = |class, expected| LoadedClass::new(&class, expected, prior);
        let evidence = model.evidence.classes();
        let evidence_classes: Vec<LoadedClass> = evidence
            .map(|(class, expected)| load(class, expected))
            .collect();
        let ranks = model.ranks.profiles();
        let rank_classes = ranks
            .map(|class| load(class, Expectation::default()))
            .collect();
        Self {
            model,
            candidates: candidates_by_script(&evidence_classes),
            evidence_classes,
            excluded: Vec::new(),
            rank_classes,
        }
    }

    /// Returns the evidence table without the excluded classes.
    pub(crate) fn table(&self) -> EvidenceTable<'_> {
        self.model.evidence.table(&self.excluded)
    }
}

impl LoadedClass {
    fn new(class: &LanguageClass<'_>, expected: Expectation, prior: &Prior) -> Self {
        Self {
            code: class.code,
            script: class.script,
            competes: class.code != LanguageCode::UNDETERMINED,
            is_user_added: false,
            log_expected_evidence: libm::log(expected.nats_per_letter()),
            expected_agreement: expected.agreement(),
            log_sample_tokens: libm::log(class.sample_tokens.max(1) as f64),
            written: prior.evidence(class.code),
        }
    }
}

/// Returns the result for a text in the first of the best languages.
fn identified(script: Script, top: Vec<(LanguageCode, f64)>, margin: f64) -> Identification {
    let first = top.first().copied();
    let (code, score) = first.unwrap_or((LanguageCode::UNDETERMINED, 0.0));
    Identification {
        code,
        script,
        score,
        margin,
        alternatives: alternatives(&top),
        top,
        font: None,
    }
}

/// Returns the result for a text in no known language.
pub(crate) fn undetermined(script: Script) -> Identification {
    Identification {
        code: LanguageCode::UNDETERMINED,
        script,
        score: 0.0,
        margin: 0.0,
        top: Vec::new(),
        alternatives: Vec::new(),
        font: None,
    }
}
