//! The block elements that Readability keeps (Arc90, 2010; Mozilla's `Readability.js`): its decision
//! on each block is one of the features of the model.
//!
//! Readability finds the element with the highest score, adds those beside it that look like it, and
//! removes what is full of links or has the name of something else. It repeats this with milder
//! settings until the text is long enough. Here it works on the outline, so that it knows no
//! pictures and no fields; the names (`hints`) and the constants are Readability's.

use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::outline::{BlockElement, Outline};

/// Number of characters of a text with which the first attempt is enough.
const ENOUGH: usize = 500;
/// Smallest size of a block that adds points.
const MIN_BLOCK_SIZE: usize = 25;
/// Numbers by which points are divided for the elements around a block, the innermost first.
const DIVIDERS: [f32; 5] = [1.0, 2.0, 6.0, 9.0, 12.0];
/// Number of elements with the highest scores that are compared.
const CANDIDATES: usize = 5;
/// Share of the highest score from which an element is an alternative to the best, and number of
/// alternatives that an element around it must contain to be the best instead.
const ALTERNATIVE_SHARE: f32 = 0.75;
const MIN_ALTERNATIVES: usize = 3;
/// Points for a name that is typical of text, which are subtracted for one that is not.
const NAME_POINTS: f32 = 25.0;
/// Commas in an element that is kept, whatever its links.
const MANY_COMMAS: usize = 10;
/// Cells in a table of data that is kept, whatever its links.
const MANY_CELLS: usize = 10;

/// Returns for each block element if Readability keeps it: none if it finds no text.
pub(crate) fn elements_kept_by_readability(outline: &Outline) -> Vec<bool> {
    let mut best = (0, vec![false; outline.elements.len()]);
    let blocks = outline.blocks.iter();
    let commas: Vec<usize> = blocks.map(|block| count_commas(&block.text)).collect();
    for (strips, weighs_names, cleans) in [
        (true, true, true),
        (false, true, true),
        (false, false, true),
        (false, false, false),
    ] {
        let attempt = Attempt::new(outline, &commas, strips, weighs_names);
        let (size, kept) = attempt.keep(cleans);
        if size > best.0 {
            best = (size, kept);
        }
        if best.0 >= ENOUGH {
            break;
        }
    }
    best.1
}

/// What is in an element, without what is removed from it.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    size: usize,
    characters: usize,
    linked: usize,
    commas: usize,
    paragraphs: usize,
    items: usize,
    cells: usize,
    tables: usize,
    in_lists: usize,
    in_headings: usize,
    has_code: bool,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.size += other.size;
        self.characters += other.characters;
        self.linked += other.linked;
        self.commas += other.commas;
        self.paragraphs += other.paragraphs;
        self.items += other.items;
        self.cells += other.cells;
        self.tables += other.tables;
        self.in_lists += other.in_lists;
        self.in_headings += other.in_headings;
        self.has_code |= other.has_code;
    }

    fn link_density(&self) -> f32 {
        self.linked as f32 / self.size.max(1) as f32
    }
}

/// One attempt to find the text.
struct Attempt<'a> {
    elements: &'a [BlockElement],
    weighs_names: bool,
    /// True for the elements that were removed at first.
    removed: Vec<bool>,
    /// What is in the blocks of each element, without those of other elements.
    own: Vec<Totals>,
    /// What is in each element.
    totals: Vec<Totals>,
    scores: Vec<f32>,
}

impl<'a> Attempt<'a> {
    /// `commas` are the numbers of commas in the blocks.
    fn new(
        outline: &'a Outline,
        commas: &[usize],
        strips: bool,
        weighs_names: bool,
    ) -> Attempt<'a> {
        let elements = outline.elements.as_slice();
        let mut removed = vec![false; elements.len()];
        for (number, element) in elements.iter().enumerate() {
            removed[number] =
                removed[element.parent] || is_hidden(element) || strips && is_unlikely(element);
        }
        let mut own = vec![Totals::default(); elements.len()];
        for (block, &commas) in outline.blocks.iter().zip(commas) {
            let element = &elements[block.element];
            own[block.element].add(Totals {
                size: block.size,
                characters: block.text.chars().count(),
                linked: block.linked,
                commas,
                in_headings: if element.heading_level > 0 {
                    block.size
                } else {
                    0
                },
                ..Totals::default()
            });
        }
        let mut attempt = Attempt {
            elements,
            weighs_names,
            removed,
            own,
            totals: Vec::new(),
            scores: vec![0.0; elements.len()],
        };
        attempt.totals = attempt.sum(&mut |number, _| attempt.removed[number]);
        attempt.add_scores(outline, commas);
        attempt
    }

    /// Returns what is in each element, without the elements for which `is_removed` is true, given
    /// what is in them.
    fn sum(&self, is_removed: &mut dyn FnMut(usize, &Totals) -> bool) -> Vec<Totals> {
        let mut totals = self.own.clone();
        for number in (1..self.elements.len()).rev() {
            let element = &self.elements[number];
            let own = &mut totals[number];
            match element.kind {
                ElementKind::Paragraph => own.paragraphs += 1,
                ElementKind::Item => own.items += 1,
                ElementKind::Cell => own.cells += 1,
                ElementKind::Table => own.tables += 1,
                ElementKind::List => own.in_lists = own.size,
                ElementKind::Pre => own.has_code = true,
                _ => {}
            }
            let own = *own;
            if is_removed(number, &own) {
                totals[number] = Totals::default();
            } else {
                totals[element.parent].add(own);
            }
        }
        totals
    }

    /// Returns the points for the names of an element.
    fn name_points(&self, element: &BlockElement) -> f32 {
        if !self.weighs_names {
            return 0.0;
        }
        let is_negative = element.hints.has_any(MarkupHints::NEGATIVE);
        let is_positive = element.hints.has_any(MarkupHints::POSITIVE);
        NAME_POINTS * (f32::from(is_positive) - f32::from(is_negative))
    }

    fn add_scores(&mut self, outline: &Outline, commas: &[usize]) {
        let mut is_scored = vec![false; self.elements.len()];
        for (block, commas) in outline.blocks.iter().zip(commas) {
            let element = &self.elements[block.element];
            let is_paragraph = matches!(
                element.kind,
                ElementKind::Paragraph | ElementKind::Other | ElementKind::Cell | ElementKind::Pre
            ) || element.heading_level > 1;
            if block.size < MIN_BLOCK_SIZE || self.removed[block.element] || !is_paragraph {
                continue;
            }
            let is_alone = element.end_block - element.first_block == 1;
            let points = (2 + commas + (block.size / 100).min(3)) as f32;
            let mut around = if is_alone {
                element.parent
            } else {
                block.element
            };
            for divider in DIVIDERS {
                if around == 0 {
                    break;
                }
                if !is_scored[around] {
                    is_scored[around] = true;
                    let element = &self.elements[around];
                    self.scores[around] = kind_points(element) + self.name_points(element);
                }
                self.scores[around] += points / divider;
                around = self.elements[around].parent;
            }
        }
        for (score, totals) in self.scores.iter_mut().zip(&self.totals) {
            *score = score.max(0.0) * (1.0 - totals.link_density());
        }
    }

    /// Returns the element that contains the text.
    fn find_best(&self) -> usize {
        let mut order: Vec<usize> = (0..self.scores.len()).collect();
        let count = CANDIDATES.min(order.len());
        let descending =
            |a: &usize, b: &usize| self.scores[*b].total_cmp(&self.scores[*a]).then(a.cmp(b));
        if count < order.len() {
            order.select_nth_unstable_by(count, descending);
        }
        order.truncate(count);
        order.sort_by(descending);
        let mut best = order.first().copied().unwrap_or(0);
        let highest = self.scores[best];
        if highest == 0.0 {
            return 0;
        }
        let alternatives: Vec<usize> = order[1..]
            .iter()
            .copied()
            .filter(|&number| self.scores[number] >= ALTERNATIVE_SHARE * highest)
            .collect();
        let around_alternatives = self.around(best).find(|&number| {
            let contains = |&&other: &&usize| self.around(other).any(|around| around == number);
            alternatives.iter().filter(contains).count() >= MIN_ALTERNATIVES
        });
        best = around_alternatives.unwrap_or(best);
        let mut last = self.scores[best];
        let lowest = last / 3.0;
        for number in self.around(best) {
            let score = self.scores[number];
            if score == 0.0 {
                continue;
            }
            if score < lowest {
                break;
            }
            if score > last {
                best = number;
                break;
            }
            last = score;
        }
        best
    }

    /// Iterates over the elements around an element, without the page and its body.
    fn around(&self, number: usize) -> impl Iterator<Item = usize> {
        let parent = |number: &usize| Some(self.elements[*number].parent);
        std::iter::successors(Some(self.elements[number].parent), parent)
            .take_while(|&number| self.elements[number].parent != 0)
    }

    /// Returns the number of characters that are kept, and for each element if it is.
    fn keep(&self, cleans: bool) -> (usize, Vec<bool>) {
        let best = self.find_best();
        let parent = self.elements[best].parent;
        let lowest = (self.scores[best] * 0.2).max(10.0);
        let is_beside = |number: usize| {
            let (element, best_element) = (&self.elements[number], &self.elements[best]);
            let is_similar = element.tag_class_hash == best_element.tag_class_hash;
            let bonus = if is_similar {
                self.scores[best] * 0.2
            } else {
                0.0
            };
            let score = self.scores[number];
            let totals = &self.totals[number];
            let is_text = element.kind == ElementKind::Paragraph
                && totals.size > 80
                && totals.link_density() < 0.25;
            score > 0.0 && score + bonus >= lowest || score == 0.0 && is_text
        };
        let mut is_cleaned = self.removed.clone();
        self.sum(&mut |number, totals| {
            let element = &self.elements[number];
            is_cleaned[number] |=
                is_never_text(element) || cleans && self.is_clutter(element, totals);
            is_cleaned[number]
        });
        let mut kept = vec![false; self.elements.len()];
        let mut size = 0;
        for (number, element) in self.elements.iter().enumerate() {
            let is_beside_best = || best > 0 && element.parent == parent && is_beside(number);
            let is_in_text = number == best || kept[element.parent] || is_beside_best();
            kept[number] = is_in_text && !is_cleaned[number];
            if kept[number] {
                size += self.own[number].characters;
            }
        }
        (size, kept)
    }

    /// Returns `true` for an element that is more likely a menu, a form or an advertisement than a part
    /// of the text.
    fn is_clutter(&self, element: &BlockElement, totals: &Totals) -> bool {
        let name_points = self.name_points(element);
        match element.kind {
            ElementKind::Heading => return element.heading_level < 3 && name_points < 0.0,
            ElementKind::Other | ElementKind::List | ElementKind::Form => {}
            // A table without tables in it is one of data, unless it is small.
            ElementKind::Table if totals.tables > 1 || totals.cells <= MANY_CELLS => {}
            _ => return false,
        }
        if name_points < 0.0 {
            return !totals.has_code;
        }
        if totals.commas >= MANY_COMMAS {
            return false;
        }
        let density = totals.link_density();
        if element.kind == ElementKind::List || totals.in_lists as f32 > 0.9 * totals.size as f32 {
            return name_points > 0.0 && density > 0.5;
        }
        let is_label = totals.size < MIN_BLOCK_SIZE
            && totals.linked > 0
            && (totals.in_headings as f32) < 0.9 * totals.size as f32;
        let most = if name_points > 0.0 { 0.5 } else { 0.2 };
        totals.items > totals.paragraphs + 100 || is_label || density > most
    }
}

/// Returns `true` for an element that its page does not show.
fn is_hidden(element: &BlockElement) -> bool {
    element
        .hints
        .has_any(MarkupHints::INVISIBLE | MarkupHints::SCRIPTLESS)
}

/// Returns `true` for an element with the name of something else than text, outside of tables and
/// code.
fn is_unlikely(element: &BlockElement) -> bool {
    let apart = ElementKind::Table.set_bit() | ElementKind::Pre.set_bit();
    element.kinds_around & apart == 0
        && element.hints.has_any(MarkupHints::UNLIKELY)
        && !element.hints.has_any(MarkupHints::MAYBE)
}

/// Returns `true` for an element that is removed from the text, whatever is in it.
fn is_never_text(element: &BlockElement) -> bool {
    matches!(
        element.kind,
        ElementKind::Aside | ElementKind::Footer | ElementKind::Control
    )
}

/// Returns the points for the kind of an element.
fn kind_points(element: &BlockElement) -> f32 {
    match element.kind {
        ElementKind::Other => 5.0,
        ElementKind::Pre | ElementKind::Cell | ElementKind::Quote => 3.0,
        ElementKind::List | ElementKind::Item | ElementKind::Definition | ElementKind::Form => -3.0,
        ElementKind::Heading => -5.0,
        _ => 0.0,
    }
}

fn count_commas(text: &str) -> usize {
    let is_comma = |c: &char| matches!(c, ',' | '،' | '﹐' | '︐' | '⹁' | '⸴' | '⸲' | '，');
    text.chars().filter(is_comma).count()
}

#[cfg(test)]
mod tests {
    use super::elements_kept_by_readability;
    use crate::outline::tests::outline_from_html;

    #[test]
    fn keeps_an_article_but_not_a_menu() {
        let text =
            "<p>Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih, ki jih napaja.</p>"
                .repeat(20);
        let html = format!(
            "<div class=menu><ul><li><a href=/>Domov</a></ul></div><article>{text}\
             <ul class=share><li><a href=/>Deli</a></ul></article><div>{text}</div>"
        );
        let page = outline_from_html(&html);
        let kept = elements_kept_by_readability(&page);
        let is_kept = |block: usize| kept[page.blocks[block].element];
        assert_eq!([0, 1, 20, 21].map(is_kept), [false, true, true, false]);
    }

    #[test]
    fn keeps_nothing_of_an_empty_page() {
        let page = outline_from_html("");
        assert!(!elements_kept_by_readability(&page).contains(&true));
    }
}
