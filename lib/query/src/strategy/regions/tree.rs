//! The regions that were cut so far, and how many documents are in each.
//!
//! A node is a region; its two children are the documents without and with a word. Leaves were
//! asked for, or wait.

use super::sample::{Sample, Signed, Word, share};
use super::set::Set;
use forage_record::MoreHits;

/// The population at first, before anything is known: large, so that early regions are rather too
/// small, which costs part of a page, than too large, which leaves hits behind that no page shows.
const POPULATION: f64 = 10_000.0;
/// By how much the population is more than repeated hits say: engines show the same few documents
/// for many words.
const FAVOURITES: f64 = 3.0;
/// Repeated hits that the first guess of the population counts for.
const REPEATS: f64 = 0.05;
/// Documents that it counts for, when regions were asked to their end.
const POPULATION_WEIGHT: f64 = 100.0;

/// Documents that a word's share over all counts for against its share in a region.
pub(super) const SHARE_WEIGHT: f64 = 10.0;
/// Documents that the estimate of a region around counts for against true sizes within it.
const SCALE_WEIGHT: f64 = 20.0;
/// Documents of the target that the ratio expected of a region counts for against the one that was
/// met in it.
pub(super) const RATIO_WEIGHT: f64 = 5.0;
/// Documents of other classes for one of the target, before anything is known.
const RATIO: f64 = 0.5;

/// How many documents a region has for each that was shown, where the engine shows no more of it.
const HIDDEN: f64 = 2.0;

/// Most words on either side of a query.
pub(super) const MOST: usize = 10;

/// A region.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The signed words that make it.
    pub path: Vec<Signed>,
    /// Its halves, without and with a word, where it was cut.
    pub halves: Option<[usize; 2]>,
    /// The word that it was cut by.
    word: Option<u32>,
    /// The query that asked for it.
    pub asked: Option<usize>,
    /// Collected documents of the target that are in it.
    pub target: Set,
    /// Collected documents of other classes that are in it.
    pub other: Set,
    /// Documents of other classes that come with one of the target, as expected.
    pub ratio: f64,
    parent: usize,
    /// Its share of the target's documents, by the shares of its words.
    share: f64,
    /// Documents in regions within it that were asked to their end, and the shares of these.
    exact: f64,
    exact_share: f64,
    /// By what true sizes around it differ from those that the shares say.
    scale: f64,
}

/// All regions.
pub(super) struct Tree<'a> {
    pub sample: &'a Sample<'a>,
    pub nodes: Vec<Node>,
    /// Documents of the target that the engine can reach, as estimated.
    pub population: f64,
    /// What a document of another class costs, in documents of the target.
    pub cost: f64,
}

impl<'a> Tree<'a> {
    /// The regions that follow from the queries that were asked.
    pub fn grow(sample: &'a Sample<'a>, cost: f64) -> Self {
        let root = Node {
            target: Set::all(sample.known.target.len()),
            other: Set::all(sample.known.other.len()),
            ratio: RATIO,
            share: 1.0,
            scale: 1.0,
            ..Node::default()
        };
        let mut tree = Tree {
            sample,
            nodes: vec![root],
            population: 0.0,
            cost,
        };
        for (at, asked) in sample
            .known
            .asked
            .iter()
            .enumerate()
            .filter(|(_, asked)| !asked.is_exploration)
        {
            if let Some(node) = tree.follow(&asked.path) {
                tree.nodes[node].asked = Some(at);
            }
        }
        tree.measure();
        tree
    }

    /// The node of a path, cutting where nobody cut yet; `None` for a path of another tree.
    fn follow(&mut self, path: &[Signed]) -> Option<usize> {
        let mut at = 0;
        for signed in path {
            if self.nodes[at].word.is_none() {
                self.cut(at, self.sample.word(signed.term)?);
            }
            let halves = self.nodes[at]
                .halves
                .filter(|_| self.nodes[at].word == Some(signed.term))?;
            at = halves[usize::from(signed.is_included)];
        }
        Some(at)
    }

    /// Cuts a region in two by a word.
    pub fn cut(&mut self, at: usize, word: &Word) {
        let node = &self.nodes[at];
        let with = share(word, &node.target, word.share, SHARE_WEIGHT);
        let others = self.sample.weigh(&node.other);
        let other_with =
            (self.sample.weigh_with(word, &node.other) + 5.0 * word.other_share) / (others + 5.0);
        let half = |is_included: bool| {
            let (part, other_part) = if is_included {
                (with, other_with)
            } else {
                (1.0 - with, 1.0 - other_with)
            };
            let target = node.target.filter(&word.target, is_included);
            let other = node.other.filter(&word.other, is_included);
            // The square root, because words that tell classes apart come together: they say less
            // than by themselves.
            let expected = node.ratio * (other_part / part.max(0.02)).sqrt();
            let met = target.len() * self.sample.known.weight;
            let ratio =
                (self.sample.weigh(&other) + RATIO_WEIGHT * expected) / (met + RATIO_WEIGHT);
            let path = node
                .path
                .iter()
                .copied()
                .chain([Signed {
                    term: word.term,
                    is_included,
                }])
                .collect();
            let share = node.share * part;
            Node {
                path,
                target,
                other,
                ratio,
                parent: at,
                share,
                scale: node.scale,
                ..Node::default()
            }
        };
        let halves = [half(false), half(true)];
        let first = self.nodes.len();
        self.nodes.extend(halves);
        (self.nodes[at].halves, self.nodes[at].word) = (Some([first, first + 1]), Some(word.term));
    }

    /// Estimates the population, and corrects the sizes of regions, by those that were asked to
    /// their end.
    fn measure(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            let asked = node
                .asked
                .and_then(|query| self.sample.known.asked.get(query));
            let collected = node.target.len() * self.sample.known.weight;
            match asked.map(|asked| asked.more) {
                Some(None) => (node.exact, node.exact_share) = (collected, node.share),
                // There are more than were shown: nobody knows how many.
                Some(Some(MoreHits::Hidden)) => {
                    (node.exact, node.exact_share) =
                        (node.exact.max(HIDDEN * collected), node.share);
                }
                Some(Some(MoreHits::Pages)) | None => {}
            }
            let (parent, exact, exact_share) = (node.parent, node.exact, node.exact_share);
            if at > 0 {
                self.nodes[parent].exact += exact;
                self.nodes[parent].exact_share += exact_share;
            }
        }
        let collected = self.sample.known.target.len() as f64 * self.sample.known.weight;
        let guess = self.sample.guess_population();
        let exact = self.nodes[0].exact + POPULATION_WEIGHT;
        // There are more than were collected, surely while little was asked to its end.
        let unasked = (1.0 - self.nodes[0].exact_share).max(0.02);
        let least = collected * (1.0 + unasked);
        self.population =
            (exact / (self.nodes[0].exact_share + POPULATION_WEIGHT / guess)).max(least);
        for at in 1..self.nodes.len() {
            let around = self.nodes[self.nodes[at].parent].scale;
            let node = &mut self.nodes[at];
            let expected = node.exact_share * self.population;
            node.scale = (node.exact + SCALE_WEIGHT * around) / (expected + SCALE_WEIGHT);
        }
    }

    /// Documents of the target in a region, as estimated.
    pub fn size(&self, node: &Node) -> f64 {
        (self.population * node.share * node.scale).max(0.3)
    }
}

impl Sample<'_> {
    /// A first guess of the population, by capture and recapture: how many of the hits of the
    /// queries that scouted had been seen before.
    fn guess_population(&self) -> f64 {
        let known = self.known;
        let (mut pairs, mut repeats) = (POPULATION / FAVOURITES * REPEATS, REPEATS);
        let mut seen = known
            .target
            .iter()
            .filter(|document| document.query.is_none())
            .count() as f64;
        for asked in known.asked.iter().take_while(|asked| asked.is_exploration) {
            let came = (asked.new + asked.bad + asked.left) as f64;
            // Of a page that is not full nobody knows how many hits it had.
            if asked.more.is_some() && asked.calls == 1 {
                let hits = known.page_size;
                pairs += seen * hits;
                repeats += (hits - came).max(0.0);
            }
            seen += asked.new as f64;
        }
        (FAVOURITES * pairs / repeats).min(POPULATION)
    }
}

impl Node {
    /// Whether a document must have a word to be in it.
    pub fn has_inclusion(&self) -> bool {
        self.path.iter().any(|signed| signed.is_included)
    }

    /// Words on the longer side of its query.
    pub fn length(&self) -> usize {
        let included = self.path.iter().filter(|signed| signed.is_included).count();
        included.max(self.path.len() - included)
    }
}
