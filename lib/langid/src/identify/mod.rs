//! Which language a text is in: what is known, what of it takes part, and by which method it is
//! asked.
//!
//! Only classes in the text's script compete; of several classes or profiles of one language the
//! best speaks for it.

mod by_evidence;
mod by_ranks;
mod verdict;
mod weights;

use crate::classes::{LanguageClass, ModelError};
use crate::code::LanguageCode;
use crate::distance::Savings;
use crate::evidence::score::{Sums, Table};
use crate::evidence::tokens::Tokens;
use crate::method::Method;
use crate::model::Model;
use crate::ngram::{Counts, NGram};
use crate::profile::Profile;
use crate::script::Script;
use crate::words::Words;
use by_evidence::{Field, fields};

/// Languages in [`Identification::top`].
pub(crate) const TOP: usize = 5;

/// What a text was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// The language, or [`LanguageCode::UNDETERMINED`] for a text without letters and one that resembles no
    /// known language.
    pub code: LanguageCode,
    /// The script of most letters; Han with kana is `Jpan`.
    pub script: Script,
    /// Probability that `code` is right, 0 to 1, estimated from how far apart the best languages
    /// are; 0 for [`LanguageCode::UNDETERMINED`].
    pub score: f64,
    /// How far the runner-up is behind, 0 to 1: its evidence as a part of the best one's, taken
    /// from 1; by the method out-of-place the difference of the distances, divided by the greatest
    /// possible one.
    pub margin: f64,
    /// The best languages, at most five, best first, with their probabilities.
    pub top: Vec<(LanguageCode, f64)>,
}

/// A code that no profile has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no profile of the language {0}; see --list for those that are known")]
pub struct UnknownLanguage(pub LanguageCode);

/// Finds the language of texts.
#[derive(Debug, Clone)]
pub struct Identifier {
    pub(crate) models: Vec<Loaded>,
    method: Method,
    /// Whether the text is in one of the languages that compete: somebody who names them knows.
    pub(crate) is_closed: bool,
    /// The margins that profiles ask for; see [`Profile::rejection_threshold`].
    pub(crate) rejection_thresholds: Vec<(LanguageCode, f64)>,
}

/// A model, and what of it takes part.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) model: Model,
    /// The classes of the evidence, by number.
    pub(crate) weighed: Vec<Class>,
    /// Which of these compete in a text, by its script.
    pub(crate) fields: Vec<Field>,
    /// Those that are forgotten; empty where there are none.
    forgotten: Vec<bool>,
    /// The profiles of the ranks, by number.
    pub(crate) ranked: Vec<Class>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    pub(crate) code: LanguageCode,
    pub(crate) script: Script,
    pub(crate) competes: bool,
    /// Whether the user taught the language, besides those that come with the program.
    pub(crate) is_taught: bool,
    /// What is typical of its texts; see `evidence::typical`.
    pub(crate) typical: u8,
    pub(crate) words: u64,
}

/// Buffers that one thread reuses from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) tokens: Tokens,
    pub(crate) sums: Sums,
    /// The most evidence in each group of classes.
    pub(crate) maxima: Vec<i32>,
    pub(crate) words: Words,
    pub(crate) counts: Counts,
    pub(crate) ranked: Vec<(NGram, u64)>,
    pub(crate) savings: Savings,
}

impl Identifier {
    /// Knows the languages of the model that comes with the program.
    pub fn builtin() -> Self {
        Self::new(Model::builtin())
    }

    /// Knows the languages of `model`.
    pub fn new(model: Model) -> Self {
        Self {
            models: vec![Loaded::new(model)],
            method: Method::default(),
            is_closed: false,
            rejection_thresholds: Vec::new(),
        }
    }

    /// Adds profiles; they compete with those known before on equal terms, but that a text of which
    /// one says that it asks for a margin ([`Profile::rejection_threshold`]) is in no language with less.
    ///
    /// # Errors
    /// If they are more than a model can hold.
    pub fn add_profiles(&mut self, profiles: &[Profile]) -> Result<(), ModelError> {
        if !profiles.is_empty() {
            self.add_model(Model::from_profiles(profiles)?);
        }
        let asking = profiles
            .iter()
            .filter(|profile| profile.rejection_threshold > 0.0);
        self.rejection_thresholds
            .extend(asking.map(|profile| (profile.code, profile.rejection_threshold)));
        Ok(())
    }

    /// Adds a model; its classes compete with those known before on equal terms.
    ///
    /// Besides the languages that come with the program, those of `model` are expected: less is
    /// asked of a text to be taken for one of them, whichever class it is then nearest to.
    pub fn add_model(&mut self, model: Model) {
        let besides = self
            .models
            .first()
            .is_some_and(|first| first.model.evidence.is_builtin());
        self.models.push(Loaded::new(model));
        let Some((added, _)) = self.models.split_last().filter(|_| besides) else {
            return;
        };
        let taught: Vec<LanguageCode> = added.weighed.iter().map(|class| class.code).collect();
        let classes = self
            .models
            .iter_mut()
            .flat_map(|loaded| &mut loaded.weighed);
        classes.for_each(|class| class.is_taught |= taught.contains(&class.code));
    }

    /// Chooses the method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Lets only these languages compete. A text is taken to be in one of them, unless it is in
    /// none at all.
    ///
    /// # Errors
    /// If one is not known; nothing is changed then.
    pub fn restrict_to(&mut self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        self.check(codes)?;
        self.let_compete(|code| codes.contains(&code));
        self.is_closed = true;
        Ok(())
    }

    /// Forgets these languages.
    ///
    /// # Errors
    /// If one is not known; nothing is changed then.
    pub fn exclude(&mut self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        self.check(codes)?;
        self.let_compete(|code| !codes.contains(&code));
        for loaded in &mut self.models {
            let is_forgotten = |class: &Class| codes.contains(&class.code);
            let before = std::mem::take(&mut loaded.forgotten);
            if !before.is_empty() || loaded.weighed.iter().any(is_forgotten) {
                let before = before.into_iter().chain(std::iter::repeat(false));
                loaded.forgotten = loaded
                    .weighed
                    .iter()
                    .zip(before)
                    .map(|(class, was)| was || is_forgotten(class))
                    .collect();
            }
        }
        Ok(())
    }

    fn check<'a>(&'a self, codes: &[LanguageCode]) -> Result<(), UnknownLanguage> {
        let classes_of = |loaded: &'a Loaded| loaded.weighed.iter().chain(&loaded.ranked);
        let classes = || self.models.iter().flat_map(classes_of);
        let is_known = |code: &LanguageCode| classes().any(|class| class.code == *code);
        codes
            .iter()
            .find(|code| !is_known(code))
            .map_or(Ok(()), |code| Err(UnknownLanguage(*code)))
    }

    fn let_compete(&mut self, may: impl Fn(LanguageCode) -> bool) {
        for Loaded {
            weighed,
            fields,
            ranked,
            ..
        } in &mut self.models
        {
            weighed
                .iter_mut()
                .chain(ranked)
                .for_each(|class| class.competes &= may(class.code));
            *fields = self::fields(weighed);
        }
    }

    /// What competes, by the method that was chosen.
    pub fn classes(&self) -> impl Iterator<Item = LanguageClass<'_>> {
        self.models.iter().flat_map(move |loaded| {
            let (known, classes): (Vec<LanguageClass<'_>>, _) = match self.method {
                Method::Evidence => (
                    loaded
                        .model
                        .evidence
                        .classes()
                        .map(|(known, _)| known)
                        .collect(),
                    &loaded.weighed,
                ),
                Method::OutOfPlace => (loaded.model.ranks.profiles().collect(), &loaded.ranked),
            };
            known
                .into_iter()
                .zip(classes)
                .filter(|(_, class)| class.competes)
                .map(|(known, _)| known)
        })
    }

    /// Finds the language of `text`.
    ///
    /// Runs in O(`text.len()`), never fails. For many texts use [`Identifier::identify_with`].
    pub fn identify(&self, text: &str) -> Identification {
        self.identify_with(&mut Scratch::default(), text)
    }

    /// [`Identifier::identify`], with buffers that are used again.
    pub fn identify_with(&self, scratch: &mut Scratch, text: &str) -> Identification {
        match self.method {
            Method::Evidence => self.by_evidence(scratch, text),
            Method::OutOfPlace => self.by_out_of_place(scratch, text),
        }
    }
}

impl Loaded {
    fn new(model: Model) -> Self {
        let class = |(
            LanguageClass {
                code,
                script,
                words,
                ..
            },
            typical,
        ): (LanguageClass<'_>, u8)| Class {
            code,
            script,
            competes: true,
            is_taught: false,
            typical,
            words,
        };
        let weighed: Vec<Class> = model.evidence.classes().map(class).collect();
        let ranked = model
            .ranks
            .profiles()
            .map(|known| class((known, 0)))
            .collect();
        let fields = fields(&weighed);
        Self {
            model,
            weighed,
            fields,
            forgotten: Vec::new(),
            ranked,
        }
    }

    /// The table of words and n-grams, without what is forgotten.
    pub(crate) fn table(&self) -> Table<'_> {
        self.model.evidence.table(&self.forgotten)
    }
}

pub(crate) fn undetermined(script: Script) -> Identification {
    Identification {
        code: LanguageCode::UNDETERMINED,
        script,
        score: 0.0,
        margin: 0.0,
        top: Vec::new(),
    }
}
