//! The language that most of the words and n-grams of a text speak for.

use crate::code::Code;
use crate::evidence::score::{Sums, Table};
use crate::evidence::verdict::{self, Findings, Trust};
use crate::evidence::{PRIOR, STEPS};
use crate::identify::{Class, Identification, Identifier, Loaded, Scratch, TOP, undetermined};
use crate::model::Model;
use crate::script::Script;

/// Classes that are looked at together.
const GROUP: usize = 16;

/// The classes of a model that compete in texts of a script.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    script: Script,
    /// The first class that may compete.
    start: usize,
    /// For each class from there on, in whole groups, what it has without any evidence, plus one; 0 where it does not compete.
    priors: Vec<u32>,
}

/// The fields of all scripts that classes have.
pub(crate) fn fields(model: &Model, classes: &[Class]) -> Vec<Field> {
    let mut scripts: Vec<Script> =
        classes.iter().map(|class| class.script).chain([Script::HAN, Script::JAPANESE]).collect();
    scripts.sort_unstable();
    scripts.dedup();
    let priors: Vec<u32> = model.evidence.classes().map(|known| prior(known.words)).collect();
    let field = |script: Script| {
        let competes = |class: &Class| class.competes && is_of(class.script, script);
        let start = classes.iter().position(competes).unwrap_or(0) / GROUP * GROUP;
        let end = classes.iter().rposition(competes).map_or(start, |last| last + 1);
        let both = classes[start..end].iter().zip(&priors[start..end]);
        let mut of_script: Vec<u32> = both.map(|(class, prior)| if competes(class) { *prior } else { 0 }).collect();
        of_script.resize((end - start).next_multiple_of(GROUP), 0);
        Field { script, start, priors: of_script }
    };
    scripts.into_iter().map(field).collect()
}

/// What speaks for a class before the text is read: languages of which much is written are met more often.
fn prior(words: u64) -> u32 {
    1 + (PRIOR * libm::log(words.max(1) as f64) * STEPS).round() as u32
}

/// Whether texts in `script` may be of a class in `class`.
fn is_of(class: Script, script: Script) -> bool {
    class == script || [class, script].iter().all(|script| [Script::HAN, Script::JAPANESE].contains(script))
}

impl Identifier {
    pub(crate) fn by_evidence(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let Scratch { tokens, sums, .. } = scratch;
        let text = forage_text::normalise(text);
        match self.models.as_slice() {
            [one] => sums.add_up(&[one.table()], tokens, &text),
            all => {
                let tables: Vec<Table<'_>> = all.iter().map(Loaded::table).collect();
                sums.add_up(&tables, tokens, &text);
            }
        }
        let script = tokens.script();
        let best = if sums.greatest > 0 { self.best(sums, script) } else { Vec::new() };
        let is_language = best.first().is_some_and(|(code, evidence)| {
            let is_taught =
                self.models.iter().skip(1).flat_map(|taught| &taught.weighed).any(|class| class.code == *code);
            let trust = match (self.is_closed, is_taught) {
                (true, _) => Trust::Closed,
                (false, true) => Trust::Taught,
                (false, false) => Trust::Known,
            };
            let letters = tokens.letters();
            verdict::is_language(&Findings { script, letters, sums, evidence: *evidence, trust })
        });
        let letters = tokens.letters();
        let is_spoilt = || {
            verdict::is_monotonous(&text, letters)
                || verdict::is_garbled(&text, letters)
                || verdict::is_unspeakable(&text, script)
        };
        if is_language && !is_spoilt() { verdict::answer(script, &best, sums.words) } else { undetermined(script) }
    }

    /// The languages with the most evidence, most first, each once; none with less than half of the most.
    fn best(&self, sums: &Sums, script: Script) -> Vec<(Code, u32)> {
        let fields = || {
            self.models.iter().zip(&sums.evidence).filter_map(|(loaded, evidence)| {
                let field = loaded.fields.iter().find(|field| field.script == script)?;
                let evidence = evidence[field.start..].as_chunks::<GROUP>().0;
                Some((&loaded.weighed[field.start..], field.priors.as_chunks::<GROUP>().0, evidence))
            })
        };
        let most = fields().map(|(_, priors, evidence)| greatest(priors, evidence)).max().unwrap_or(0);
        let mut best: Vec<(Code, u32)> = Vec::with_capacity(TOP + 1);
        for (classes, priors, evidence) in fields() {
            for ((priors, evidence), classes) in priors.iter().zip(evidence).zip(classes.chunks(GROUP)) {
                let totals = totals(priors, evidence);
                let least = best.get(TOP - 1).map_or(most / 2, |(_, least)| *least);
                if totals.iter().fold(0, |most, total| most.max(*total)) > least {
                    let above = classes.iter().zip(totals).filter(|(_, total)| *total > least);
                    above.for_each(|(class, total)| insert(&mut best, class.code, total));
                }
            }
        }
        best
    }
}

/// The priors and the evidence together; 0 for classes that do not compete.
#[inline]
fn totals(priors: &[u32; GROUP], evidence: &[u32; GROUP]) -> [u32; GROUP] {
    std::array::from_fn(|at| if priors[at] == 0 { 0 } else { priors[at] + evidence[at] })
}

fn greatest(priors: &[[u32; GROUP]], evidence: &[[u32; GROUP]]) -> u32 {
    let mut most = [0; GROUP];
    for (priors, evidence) in priors.iter().zip(evidence) {
        let totals = totals(priors, evidence);
        most = std::array::from_fn(|at| most[at].max(totals[at]));
    }
    most.into_iter().max().unwrap_or(0)
}

/// Keeps the best languages sorted; equal ones in the order in which they come.
fn insert(best: &mut Vec<(Code, u32)>, code: Code, evidence: u32) {
    if evidence <= best.get(TOP - 1).map_or(0, |(_, least)| *least) {
        return;
    }
    if let Some(at) = best.iter().position(|(known, _)| *known == code) {
        if best[at].1 >= evidence {
            return;
        }
        best.remove(at);
    }
    let at = best.partition_point(|(_, other)| *other >= evidence);
    best.insert(at, (code, evidence));
    best.truncate(TOP);
}
