//! The language that most of the words and n-grams of a text speak for.

use super::verdict::{self, Candidate, FEATURES, Findings};
use super::{Class, Identification, Identifier, Loaded, Scratch, TOP, undetermined};
use crate::code::LanguageCode;
use crate::evidence::score::{MOST, Sums, Table};
use crate::evidence::spoilt::{About, is_spoilt};
use crate::evidence::{PRIOR, STEPS};
use crate::script::Script;

/// Classes that are looked at together.
const GROUP: usize = 16;

/// The classes of a model that compete in texts of a script.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    script: Script,
    /// The first class that may compete.
    start: usize,
    /// For each class from there on, in whole groups, what it has without any evidence, or [`OUT`].
    priors: Vec<i32>,
}

/// What a class has that does not compete: with any evidence less than 0. See [`MOST`].
const OUT: i32 = -(MOST as i32);

/// The fields of all scripts that classes have.
pub(crate) fn fields(classes: &[Class]) -> Vec<Field> {
    let mut scripts: Vec<Script> = classes
        .iter()
        .map(|class| class.script)
        .chain([Script::HAN, Script::JAPANESE])
        .collect();
    scripts.sort_unstable();
    scripts.dedup();
    let priors: Vec<i32> = classes.iter().map(|class| prior(class.words)).collect();
    let field = |script: Script| {
        let competes = |class: &Class| class.competes && class.script.is_like(script);
        let start = classes.iter().position(competes).unwrap_or(0) / GROUP * GROUP;
        let end = classes
            .iter()
            .rposition(competes)
            .map_or(start, |last| last + 1);
        let both = classes[start..end].iter().zip(&priors[start..end]);
        let mut of_script: Vec<i32> = both
            .map(|(class, prior)| if competes(class) { *prior } else { OUT })
            .collect();
        of_script.resize((end - start).next_multiple_of(GROUP), OUT);
        Field {
            script,
            start,
            priors: of_script,
        }
    };
    scripts.into_iter().map(field).collect()
}

/// What speaks for a class before the text is read: languages of which much is written are met more
/// often.
fn prior(words: u64) -> i32 {
    1 + (PRIOR * libm::log(words.max(1) as f64) * STEPS).round() as i32
}

impl Identifier {
    pub(crate) fn by_evidence(&self, scratch: &mut Scratch, text: &str) -> Identification {
        let text = forage_text::normalise(text);
        let found = self.findings(scratch, &text);
        let about = About {
            letters: found.letters,
            script: found.script,
            agreement: verdict::agreement(&found),
        };
        if verdict::is_language(&found) && self.leads_enough(&found) && !is_spoilt(&text, about) {
            verdict::answer(&found)
        } else {
            undetermined(found.script)
        }
    }

    /// What the verdict on `text` is made from, and its script; nothing where no class has
    /// evidence. For the example that fits the verdict's weights.
    #[doc(hidden)]
    pub fn compute_reject_features(
        &self,
        scratch: &mut Scratch,
        text: &str,
    ) -> Option<(Script, [f64; FEATURES])> {
        let found = self.findings(scratch, &forage_text::normalise(text));
        verdict::features(&found).map(|features| (found.script, features))
    }

    /// How far ahead of all other languages `code` is in `text`: the difference of its evidence and
    /// that of the best other one, as a part of the greater, -1 to 1; below 0 another is ahead.
    /// Nothing where neither has evidence.
    ///
    /// Where `code` is the answer this is [`Identification::margin`], but for runners-up with less
    /// than half of the evidence, which are none there.
    pub fn compute_lead(
        &self,
        scratch: &mut Scratch,
        text: &str,
        code: LanguageCode,
    ) -> Option<f64> {
        let script = self.findings(scratch, &forage_text::normalise(text)).script;
        self.lead_of(&scratch.sums, script, code)
    }

    pub(crate) fn lead_of(&self, sums: &Sums, script: Script, code: LanguageCode) -> Option<f64> {
        let (mut own, mut other) = (0, 0);
        for (loaded, evidence) in self.models.iter().zip(&sums.evidence) {
            let Some(field) = loaded.fields.iter().find(|field| field.script == script) else {
                continue;
            };
            let classes = loaded.weighed[field.start..]
                .iter()
                .zip(&field.priors)
                .zip(&evidence[field.start..]);
            for ((class, prior), evidence) in classes {
                let most = if class.code == code {
                    &mut own
                } else {
                    &mut other
                };
                *most = (*most).max(prior + *evidence as i32);
            }
        }
        let greater = own.max(other);
        (greater > 0).then(|| f64::from(own - other) / f64::from(greater))
    }

    /// What the words of a text, which is in normal form C, say.
    fn findings<'a>(&'a self, scratch: &'a mut Scratch, text: &str) -> Findings<'a> {
        let Scratch {
            tokens,
            sums,
            maxima,
            ..
        } = scratch;
        match self.models.as_slice() {
            [one] => sums.add_up(&[one.table()], tokens, text),
            all => {
                let tables: Vec<Table<'_>> = all.iter().map(Loaded::table).collect();
                sums.add_up(&tables, tokens, text);
            }
        }
        let script = tokens.script();
        let best = if sums.greatest > 0 {
            self.best(sums, maxima, script)
        } else {
            Vec::new()
        };
        let letters = tokens.number_of_letters();
        Findings {
            script,
            letters,
            sums,
            best,
            is_closed: self.is_closed,
        }
    }

    /// Whether the best language has the lead that its profile asks for, if it asks for one.
    fn leads_enough(&self, found: &Findings<'_>) -> bool {
        let code = found.best.first().map(|best| best.class.code);
        let asked = self
            .rejection_thresholds
            .iter()
            .find(|(asking, _)| Some(*asking) == code);
        asked.is_none_or(|(code, least)| {
            self.lead_of(found.sums, found.script, *code)
                .is_some_and(|lead| lead >= *least)
        })
    }

    /// The languages with the most evidence, most first, each once; none with less than half of the
    /// most. `maxima` is room for the most in each group of classes: few groups need a second look.
    fn best<'a>(
        &'a self,
        sums: &Sums,
        maxima: &mut Vec<i32>,
        script: Script,
    ) -> Vec<Candidate<'a>> {
        let fields = || {
            self.models
                .iter()
                .zip(&sums.evidence)
                .filter_map(|(loaded, evidence)| {
                    let field = loaded.fields.iter().find(|field| field.script == script)?;
                    let evidence = evidence[field.start..].as_chunks::<GROUP>().0;
                    let groups = field.priors.as_chunks::<GROUP>().0.iter().zip(evidence);
                    Some((groups, &loaded.weighed[field.start..]))
                })
        };
        maxima.clear();
        maxima.extend(fields().flat_map(|(groups, _)| groups.map(greatest)));
        let most = maxima.iter().copied().max().unwrap_or(0);
        let mut best: Vec<Candidate<'_>> = Vec::with_capacity(TOP + 1);
        let groups = fields().flat_map(|(groups, classes)| groups.zip(classes.chunks(GROUP)));
        for ((group, classes), maximum) in groups.zip(maxima) {
            let least = best
                .get(TOP - 1)
                .map_or(most / 2, |least| least.evidence as i32);
            if *maximum > least {
                let above = classes
                    .iter()
                    .zip(totals(group))
                    .filter(|(_, total)| *total > least);
                above.for_each(|(class, total)| {
                    insert(
                        &mut best,
                        Candidate {
                            class,
                            evidence: total as u32,
                        },
                    )
                });
            }
        }
        best
    }
}

/// The priors and the evidence of some classes.
type Group<'a> = (&'a [i32; GROUP], &'a [u32; GROUP]);

/// Both together.
#[inline]
fn totals((priors, evidence): Group<'_>) -> [i32; GROUP] {
    std::array::from_fn(|at| priors[at] + evidence[at] as i32)
}

#[inline]
fn greatest(group: Group<'_>) -> i32 {
    totals(group).into_iter().fold(0, i32::max)
}

/// Keeps the best languages sorted; equal ones in the order in which they come.
fn insert<'a>(best: &mut Vec<Candidate<'a>>, more: Candidate<'a>) {
    if more.evidence <= best.get(TOP - 1).map_or(0, |least| least.evidence) {
        return;
    }
    if let Some(at) = best
        .iter()
        .position(|known| known.class.code == more.class.code)
    {
        if best[at].evidence >= more.evidence {
            return;
        }
        best.remove(at);
    }
    let at = best.partition_point(|other| other.evidence >= more.evidence);
    best.insert(at, more);
    best.truncate(TOP);
}
