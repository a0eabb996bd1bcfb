//! Drawing a region at random, with a probability that is known (see [`crate::coverage`]).

use super::sample::{Sample, Signed, Word, share};
use super::set::Set;
use super::tree::{MOST, SHARE_WEIGHT};
use forage_text::Random;

/// Documents of the target that a region is expected to have.
const SIZE: f64 = 20.0;
/// By how much the population is taken to be more than what is known of it.
const UNKNOWN: f64 = 1.5;
/// Least probability of a turn: what is not known may be divided otherwise than what is.
const LEAST: f64 = 0.2;

/// A region that was drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    pub path: Vec<Signed>,
    /// Its probability.
    pub chance: f64,
    /// Whether no document of another class is known to be in it.
    pub is_pure: bool,
}

impl Sample<'_> {
    /// Draws a region that has an inclusion term; `None` where the walk came to one that has none,
    /// or there is no word to divide by.
    pub fn draw(&self, random: &mut Random) -> Option<Drawn> {
        let known = self.known;
        let (mut target, mut other) = (Set::all(known.target.len()), Set::all(known.other.len()));
        let population = UNKNOWN * known.target.len() as f64 * known.weight;
        let mut drawn = Drawn {
            path: Vec::new(),
            chance: 1.0,
            is_pure: false,
        };
        let mut included = 0;
        while included == 0 || population * drawn.chance > SIZE {
            if included >= MOST || drawn.path.len() - included >= MOST {
                break;
            }
            let Some(word) = best_word(self, &drawn.path, &target, &other) else {
                break;
            };
            let share = share(word, &target, word.share, SHARE_WEIGHT).clamp(LEAST, 1.0 - LEAST);
            let is_included = random.next_f64() < share;
            drawn.chance *= if is_included { share } else { 1.0 - share };
            drawn.path.push(Signed {
                term: word.term,
                is_included,
            });
            included += usize::from(is_included);
            (target, other) = (
                target.filter(&word.target, is_included),
                other.filter(&word.other, is_included),
            );
        }
        drawn.is_pure = other.len() == 0.0;
        (included > 0).then_some(drawn)
    }
}

/// The word that halves the target, by documents whose query does not name it, and that few
/// documents of other classes have: what was asked for so far would make its own words look
/// frequent.
fn best_word<'a>(
    sample: &'a Sample,
    path: &[Signed],
    target: &Set,
    other: &Set,
) -> Option<&'a Word> {
    let score = |word: &Word| {
        let share = share(word, target, word.share, SHARE_WEIGHT);
        let others =
            (sample.weigh_with(word, other) + word.other_share) / (sample.weigh(other) + 1.0);
        share.min(1.0 - share) * (1.0 - others.min(1.0))
    };
    let free = sample
        .words
        .iter()
        .filter(|word| path.iter().all(|signed| signed.term != word.term));
    let best = free
        .map(|word| (score(word), word))
        .max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.term.cmp(&x.term)))?;
    (best.0 > 0.0).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::{Drawn, Sample};
    use crate::strategy::regions::{Document, Known};
    use forage_text::Random;
    use std::collections::HashMap;

    /// Documents of the first eight words, each of which every second one has, in all combinations.
    fn known() -> Known {
        let document = |n: u32| {
            let terms: Vec<u32> = (0..8).filter(|bit| n >> bit & 1 == 1).chain([8]).collect();
            Document {
                frequencies: vec![1; terms.len()],
                terms,
                query: None,
            }
        };
        let target = (0..256).map(document).collect();
        Known {
            target,
            weight: 1.0,
            other_weight: 1.0,
            page_size: 10.0,
            pages: 10.0,
            ..Known::default()
        }
    }

    #[test]
    fn regions_are_drawn_as_often_as_they_say_and_each_has_an_inclusion_term() {
        let (known, mut random) = (known(), Random::for_purpose(1, &["draw"]));
        let draws = Sample::new(&known);
        let mut drawn: HashMap<String, (f64, f64)> = HashMap::new();
        let times = 20_000;
        let mut vain = 0.0;
        for _ in 0..times {
            let Some(Drawn { path, chance, .. }) = draws.draw(&mut random) else {
                vain += 1.0;
                continue;
            };
            assert!(path.iter().any(|signed| signed.is_included));
            let (_, count) = drawn.entry(format!("{path:?}")).or_insert((chance, 0.0));
            *count += 1.0;
        }
        assert!(drawn.len() > 10 && vain < 100.0, "{} {vain}", drawn.len());
        for (path, (chance, count)) in drawn {
            let (expected, got) = (chance * f64::from(times), count);
            assert!(
                (got - expected).abs() < 5.0 * expected.sqrt() + 1.0,
                "{path}: {got} of {expected}"
            );
        }
    }

    #[test]
    fn nothing_known_is_no_panic() {
        assert_eq!(
            Sample::new(&Known::default()).draw(&mut Random::for_purpose(1, &["draw"])),
            None
        );
    }
}
