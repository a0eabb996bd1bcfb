//! Which language a text is in.
//!
//! The text's n-grams are ranked as a profile's are. Going through them once, an inverted index of all profiles gives
//! for each profile how much less than the maximum its distance is. Only profiles in the text's script compete; of
//! several profiles of one language the nearest speaks for it.

use crate::code::Code;
use crate::distance::Savings;
use crate::method::Method;
use crate::model::{Known, Model, ModelError};
use crate::ngram::{Counts, NGram};
use crate::profile::{MISSING, Profile, SIZE};
use crate::score::{is_like, scores};
use crate::script::Script;
use crate::words::Words;
use std::cmp::Reverse;

/// Languages in [`Identification::top`].
const TOP: usize = 5;

/// Nearest profiles among which the nearest languages are sought; the language with the most has 23.
const NEAREST: usize = 128;

/// N-gram counts that a reused buffer may keep.
const KEPT: usize = 1 << 18;

/// What a text was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// The language, or [`Code::UNDETERMINED`] for a text without letters and one that resembles no known language.
    pub code: Code,
    /// The script of most letters; Han with kana is `Jpan`.
    pub script: Script,
    /// Probability that `code` is right, 0 to 1, estimated from how far apart the nearest languages are; 0 for
    /// [`Code::UNDETERMINED`]. How it was calibrated stands at [`crate::SHARPNESS`].
    pub score: f64,
    /// How much farther the runner-up is, 0 to 1: difference of the distances, divided by the greatest possible one.
    pub margin: f64,
    /// The nearest languages, at most five, nearest first, with their probabilities.
    pub top: Vec<(Code, f64)>,
}

/// A code that no profile has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no profile of the language {0}; see --list for those that are known")]
pub struct UnknownLanguage(pub Code);

/// Finds the language of texts.
#[derive(Debug, Clone)]
pub struct Identifier {
    models: Vec<Loaded>,
    method: Method,
}

/// A model, and what of it takes part.
#[derive(Debug, Clone)]
struct Loaded {
    model: Model,
    classes: Vec<Class>,
}

#[derive(Debug, Clone, Copy)]
struct Class {
    code: Code,
    script: Script,
    competes: bool,
}

/// Buffers that one thread reuses from text to text.
#[derive(Debug)]
pub struct Scratch {
    words: Words,
    counts: Counts,
    ranked: Vec<(NGram, u64)>,
    savings: Savings,
    near: Vec<Candidate>,
}

/// How much less than the maximum the distance to a profile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    saved: Reverse<u32>,
    code: Code,
}

impl Scratch {
    /// Empty buffers.
    pub fn new() -> Self {
        let (counts, savings) = (Counts::default(), Savings::default());
        Self { words: Words::new(), counts, ranked: Vec::new(), savings, near: Vec::new() }
    }

    /// Ranks the n-grams of `text`; returns its script.
    fn rank(&mut self, text: &str) -> Script {
        self.words.clear();
        self.words.read(text, 1);
        let script = self.words.script();
        self.words.count_ngrams(script, &mut self.counts);
        self.counts.take_ranked(SIZE, &mut self.ranked);
        self.counts.shrink(KEPT);
        script
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Identifier {
    /// Knows the languages of the model that comes with the program.
    pub fn builtin() -> Self {
        Self::new(Model::builtin())
    }

    /// Knows the languages of `model`.
    pub fn new(model: Model) -> Self {
        Self { models: vec![Loaded::new(model)], method: Method::default() }
    }

    /// Adds profiles; they compete with those known before on equal terms.
    ///
    /// # Errors
    /// If they are more than a model can hold.
    pub fn add(&mut self, profiles: &[Profile]) -> Result<(), ModelError> {
        if !profiles.is_empty() {
            self.models.push(Loaded::new(Model::pack(profiles)?));
        }
        Ok(())
    }

    /// Chooses the method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Lets only these languages compete.
    ///
    /// # Errors
    /// If one is not known; nothing is changed then.
    pub fn only(&mut self, codes: &[Code]) -> Result<(), UnknownLanguage> {
        self.check(codes)?;
        self.classes_mut().for_each(|class| class.competes &= codes.contains(&class.code));
        Ok(())
    }

    /// Forgets these languages.
    ///
    /// # Errors
    /// If one is not known; nothing is changed then.
    pub fn without(&mut self, codes: &[Code]) -> Result<(), UnknownLanguage> {
        self.check(codes)?;
        self.classes_mut().for_each(|class| class.competes &= !codes.contains(&class.code));
        Ok(())
    }

    fn check(&self, codes: &[Code]) -> Result<(), UnknownLanguage> {
        let is_known = |code: &Code| self.models.iter().any(|m| m.classes.iter().any(|class| class.code == *code));
        codes.iter().find(|code| !is_known(code)).map_or(Ok(()), |code| Err(UnknownLanguage(*code)))
    }

    fn classes_mut(&mut self) -> impl Iterator<Item = &mut Class> {
        self.models.iter_mut().flat_map(|m| &mut m.classes)
    }

    /// The profiles that compete.
    pub fn known(&self) -> impl Iterator<Item = Known<'_>> {
        let profiles = |m: &'_ Loaded| m.classes.iter().map(|class| class.competes).collect::<Vec<_>>();
        self.models.iter().flat_map(move |m| m.model.profiles().zip(profiles(m)).filter(|(_, c)| *c).map(|(k, _)| k))
    }

    /// Finds the language of `text`.
    ///
    /// Runs in O(`text.len()`), never fails. For many texts use [`Identifier::identify_with`].
    pub fn identify(&self, text: &str) -> Identification {
        self.identify_with(&mut Scratch::new(), text)
    }

    /// [`Identifier::identify`], with buffers that are used again.
    pub fn identify_with(&self, scratch: &mut Scratch, text: &str) -> Identification {
        match self.method {
            Method::OutOfPlace => self.by_out_of_place(scratch, text),
        }
    }

    fn by_out_of_place(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let script = scratch.rank(text);
        let length = scratch.ranked.len();
        scratch.near.clear();
        for model in &self.models {
            model.collect(&scratch.ranked, script, &mut scratch.savings, &mut scratch.near);
        }
        let nearest = languages(&mut scratch.near, length);
        match nearest.first() {
            Some((_, distance)) if is_like(*distance, script, length) => decide(script, &nearest, length),
            _ => undetermined(script),
        }
    }

    /// The nearest languages to a profile, nearest first, with their distances as a share of the greatest possible one.
    pub fn nearest(&self, profile: &Profile) -> Vec<(Code, f64)> {
        let (mut savings, mut near) = (Savings::default(), Vec::new());
        for model in &self.models {
            model.collect(profile.ngrams(), profile.script, &mut savings, &mut near);
        }
        languages(&mut near, profile.ngrams().len())
    }
}

impl Loaded {
    fn new(model: Model) -> Self {
        let class = |known: Known<'_>| Class { code: known.code, script: known.script, competes: true };
        let classes = model.profiles().map(class).collect();
        Self { model, classes }
    }

    /// Adds the competing profiles in `script` to `near`.
    fn collect(&self, ranked: &[(NGram, u64)], script: Script, savings: &mut Savings, near: &mut Vec<Candidate>) {
        let savings = savings.of(&self.model, ranked);
        let competing = self.classes.iter().zip(savings).filter(|(class, _)| class.competes && class.script == script);
        near.extend(competing.map(|(class, saved)| Candidate { saved: Reverse(*saved), code: class.code }));
    }
}

/// The nearest languages, nearest first, each once.
fn languages(near: &mut Vec<Candidate>, length: usize) -> Vec<(Code, f64)> {
    if near.len() > NEAREST {
        near.select_nth_unstable(NEAREST);
        near.truncate(NEAREST);
    }
    near.sort_unstable();
    let farthest = (length * MISSING).max(1) as f64;
    let mut languages: Vec<(Code, f64)> = Vec::with_capacity(TOP);
    for Candidate { saved: Reverse(saved), code } in near {
        if languages.len() < TOP && !languages.iter().any(|(known, _)| known == code) {
            languages.push((*code, 1.0 - f64::from(*saved) / farthest));
        }
    }
    languages
}

fn decide(script: Script, nearest: &[(Code, f64)], length: usize) -> Identification {
    let top = scores(nearest, length);
    let (code, score) = top.first().copied().unwrap_or((Code::UNDETERMINED, 0.0));
    let margin = match nearest {
        [(_, first), (_, second), ..] => second - first,
        [(_, first)] => 1.0 - first,
        [] => 0.0,
    };
    Identification { code, script, score, margin, top }
}

fn undetermined(script: Script) -> Identification {
    Identification { code: Code::UNDETERMINED, script, score: 0.0, margin: 0.0, top: Vec::new() }
}
