//! The choice of the next query.

use super::sample::{Asked, Known, Sample, Signed, Word, share};
use super::tree::{MOST, Node, RATIO_WEIGHT, SHARE_WEIGHT, Tree};
use forage_record::MoreHits;
use std::collections::HashSet;

/// Queries that scout.
const SCOUTS: usize = 8;
/// What a document of another class costs, in documents of the target: it must be fetched and
/// looked at, too.
pub(super) const COST: f64 = 8.0;
/// The same for regions that are mixed with other classes, which come last.
pub(super) const COST_OF_MIXED: f64 = 2.0;
/// A query is asked on while its last page was worth this share of its hits.
const ENOUGH: f64 = 0.5;
/// Hits that are paid for are taken while the documents of the target among those that came, with
/// these added to them before anything came, outweigh the others and the one that the next may be.
/// A call that was made is not given up for one bad hit, or for two.
const TRUST: f64 = 8.0;
const NEXT_BAD: f64 = 1.0;
/// A region of more documents than this share of those that the engine shows is cut.
const SIZE: f64 = 0.5;
/// Documents of other classes for one of the target, at which a region is cut by a word that tells
/// them apart.
const IMPURE: f64 = 0.05;
/// As many make it not worth asking for at all.
const BAD: f64 = 0.3;
/// By how much a document of another class makes a word worse to tell the target by.
const TELLING: f64 = 10.0;
/// A region that promises less is left alone.
const LEAST: f64 = 0.5;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionChoice {
    /// Ask a query once more that was asked before: its place in [`Known::asked`].
    Again(usize),
    /// Look around: ask for this word.
    Explore(u32),
    /// Ask for a region.
    Region(Vec<Signed>),
}

/// What is expected of a region.
struct Expected {
    /// New documents of the target a call, those of other classes taken off at their cost.
    worth: f64,
    /// Documents that match.
    matches: f64,
}

/// Chooses the next query, once the last one does not go on, where a document of another class
/// costs `cost` of the target; `None` when nothing is left that promises anything.
pub fn next(known: &Known, cost: f64) -> Option<RegionChoice> {
    if known.target.is_empty() || known.page_size < 1.0 || known.pages < 1.0 {
        return None;
    }
    let sample = Sample::new(known);
    if known.asked.len() < SCOUTS
        && let Some(word) = scout(&sample)
    {
        return Some(RegionChoice::Explore(word));
    }
    best_region(Tree::grow(&sample, cost))
}

/// The region that promises most.
fn best_region(mut tree: Tree) -> Option<RegionChoice> {
    let mut waiting: Vec<(f64, usize)> = (0..tree.nodes.len())
        .filter_map(|at| Some((tree.promise(at)?, at)))
        .collect();
    waiting.retain(|(worth, _)| *worth >= LEAST);
    waiting.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    waiting.into_iter().find_map(|(_, at)| tree.ask_within(at))
}

/// Whether the query that was asked last is asked once more: hits that are paid for are taken
/// unless they are of other classes, a further page while the last one was good.
pub fn should_continue(last: &Asked, page_size: f64) -> bool {
    if last.left > 0 {
        return last.new as f64 + TRUST > COST * (last.bad as f64 + NEXT_BAD);
    }
    last.more == Some(MoreHits::Pages)
        && !last.is_exploration
        && last.worth(COST) >= ENOUGH * page_size
}

impl Asked {
    /// What its last page was worth.
    fn worth(&self, cost: f64) -> f64 {
        self.new as f64 - cost * self.bad as f64
    }
}

/// The word that tells the target best: in many of its documents, in few others, p · ln(p/q); of
/// equal ones, which at first are all words of the one document, the most frequent one.
fn scout(sample: &Sample) -> Option<u32> {
    let known = sample.known;
    let asked: HashSet<u32> = known
        .asked
        .iter()
        .flat_map(|asked| &asked.path)
        .map(|signed| signed.term)
        .collect();
    let telling = |word: &&Word| {
        let p = (word.target.len() + 0.5) / (known.target.len() as f64 + 1.0);
        let q = (word.other.len() + 0.5) / (known.other.len() as f64 + 1.0);
        p * libm::log(p / q)
    };
    let free = sample
        .words
        .iter()
        .filter(|word| !asked.contains(&word.term));
    let best = free.max_by(|a, b| {
        telling(a)
            .total_cmp(&telling(b))
            .then(a.occurrences.cmp(&b.occurrences))
            .then(b.term.cmp(&a.term))
    })?;
    Some(best.term)
}

impl<'a> Tree<'a> {
    /// What asking in a region promises; `None` for one that was cut or asked to its end.
    fn promise(&self, at: usize) -> Option<f64> {
        let node = &self.nodes[at];
        if node.halves.is_some() {
            return None;
        }
        match node.asked.map(|query| &self.sample.known.asked[query]) {
            None => Some(self.expected(node).worth),
            Some(asked) if asked.more == Some(MoreHits::Pages) => {
                Some(self.expected_further(node, asked))
            }
            Some(asked) => {
                (asked.more == Some(MoreHits::Hidden)).then(|| self.expected(node).worth)
            }
        }
    }

    /// What asking for a region would bring.
    fn expected(&self, node: &Node) -> Expected {
        let seen = node.target.len() * self.sample.known.weight;
        let seen_other = node.other.len() * self.sample.known.other_weight;
        let size = self.size(node);
        let unseen = (size - seen).max(0.05 * size);
        // A region that is not pure enough is not asked for as it stands: what can be cut from it
        // is what counts.
        let bad = if node.has_inclusion() {
            unseen * node.ratio.min(IMPURE)
        } else {
            0.0
        };
        let matches = seen + unseen + seen_other + bad;
        let Known {
            page_size, pages, ..
        } = *self.sample.known;
        let pages = libm::ceil(matches / page_size).clamp(1.0, pages);
        let shown = (page_size * pages / matches).min(1.0);
        let worth = (unseen - self.cost * bad) * shown / pages;
        Expected { worth, matches }
    }

    /// What a further page of a region would be worth: what was not seen of it lies behind the
    /// pages that came.
    fn expected_further(&self, node: &Node, asked: &Asked) -> f64 {
        let Expected { matches, .. } = self.expected(node);
        let unseen = (self.size(node) - node.target.len() * self.sample.known.weight)
            .max(0.05 * self.size(node));
        let behind = (matches - asked.calls as f64 * self.sample.known.page_size)
            .max(unseen)
            .max(1.0);
        let page = behind.min(self.sample.known.page_size);
        (unseen / behind * page * (1.0 - self.cost * node.ratio)).max(asked.worth(self.cost))
    }

    /// The query for a region, or for the best part of it that is small and pure enough.
    fn ask_within(&mut self, start: usize) -> Option<RegionChoice> {
        if let Some(query) = self.nodes[start]
            .asked
            .filter(|&query| self.sample.known.asked[query].more == Some(MoreHits::Pages))
        {
            return Some(RegionChoice::Again(query));
        }
        let mut at = start;
        loop {
            let node = &self.nodes[at];
            let expected = self.expected(node);
            let shown = self.sample.known.page_size * self.sample.known.pages;
            let is_new = node.has_inclusion() && node.asked.is_none();
            let is_fit = is_new && node.ratio < IMPURE && expected.matches <= SIZE * shown;
            if is_fit || node.length() >= MOST {
                return (is_new && (is_fit || node.ratio < BAD) && expected.worth >= LEAST)
                    .then(|| RegionChoice::Region(node.path.clone()));
            }
            let word = self.best_cut(node)?;
            self.cut(at, word);
            let [without, with] = self.nodes[at].halves?;
            let worth = |half: usize| self.expected(&self.nodes[half]).worth;
            let takes_without = self.nodes[without].has_inclusion() && worth(without) > worth(with);
            at = if takes_without { without } else { with };
        }
    }

    /// The word to cut a region by: one that tells the target apart where the region needs it, else
    /// one that halves it.
    fn best_cut(&self, node: &Node) -> Option<&'a Word> {
        let sample: &'a Sample<'a> = self.sample;
        let is_free = |word: &&Word| node.path.iter().all(|signed| signed.term != word.term);
        let tells = !node.has_inclusion() || node.ratio >= IMPURE;
        let score = |word: &Word| {
            if tells {
                self.telling(node, word)
            } else {
                halving(node, word)
            }
        };
        let scored = sample
            .words
            .iter()
            .filter(is_free)
            .map(|word| (score(word), word));
        let best = scored.max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.term.cmp(&x.term)))?;
        Some(best.1)
    }

    /// How well a word tells the target's documents of a region from the others: the share of them
    /// on the purer side, less the more others are there.
    fn telling(&self, node: &Node, word: &Word) -> f64 {
        let sample = self.sample;
        let all = node.target.len() * sample.known.weight;
        let with = node.target.common(&word.target) * sample.known.weight;
        let others = sample.weigh(&node.other);
        let others_with = sample.weigh_with(word, &node.other);
        let pure = |target: f64, other: f64, share: f64| {
            let ratio = (other + RATIO_WEIGHT * node.ratio.max(0.05)) / (target + RATIO_WEIGHT);
            share / (1.0 + TELLING * ratio)
        };
        let share = share(word, &node.target, word.share, SHARE_WEIGHT);
        let plus = pure(with, others_with, share);
        if !node.has_inclusion() {
            return plus;
        }
        let minus = pure(all - with, others - others_with, 1.0 - share);
        plus.max(minus) + 0.1 * plus.min(minus)
    }
}

/// How near to a half of a region's documents have the word.
fn halving(node: &Node, word: &Word) -> f64 {
    -(share(word, &node.target, word.share, SHARE_WEIGHT) - 0.5).abs()
}
