//! Text that is twice on a page, such as the beginning of an article that is also in a box for
//! readers without a subscription, or a version for small screens.

use crate::outline::Outline;
use std::collections::HashMap;

/// Smallest share of the selected text that a repetition has. Of the pages of `BENCHMARKS.md`, "Text
/// twice", nine are better with .2 and none worse; with .15 and less, lists and examples that repeat
/// themselves are cut.
const MIN_SHARE: f32 = 0.2;
/// Smallest number of blocks of a repetition. Set by judgement: a refrain is one block.
const MIN_BLOCKS: usize = 2;
/// Smallest size of a repetition, so that the rows of a short list are kept. Set by judgement, not
/// measured.
const MIN_SIZE: usize = 100;

/// Deselects each run of selected blocks that repeats an earlier one, if it is a large part of the
/// text.
pub(crate) fn deselect_repetitions(outline: &Outline, selected: &mut [bool]) {
    let blocks: Vec<usize> = (0..selected.len())
        .filter(|&block| selected[block])
        .collect();
    let text = |index: usize| outline.blocks[blocks[index]].text.as_str();
    let size = |index: usize| outline.blocks[blocks[index]].size;
    let total: usize = (0..blocks.len()).map(size).sum();
    let mut first_with_text: HashMap<&str, usize> = HashMap::new();
    let mut index = 0;
    while index < blocks.len() {
        let earlier = *first_with_text.entry(text(index)).or_insert(index);
        let length = (earlier..index)
            .zip(index..blocks.len())
            .take_while(|&(earlier, later)| text(earlier) == text(later))
            .count();
        let run = index..index + length;
        let run_size: usize = run.clone().map(size).sum();
        let is_large = run_size >= MIN_SIZE && run_size as f32 >= MIN_SHARE * total as f32;
        // One text many times is a refrain, or rows.
        let is_varied = run.clone().any(|index| text(index) != text(run.start));
        if length >= MIN_BLOCKS && is_varied && is_large {
            run.for_each(|index| selected[blocks[index]] = false);
        }
        index += length.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::deselect_repetitions;
    use crate::outline::tests::outline_from_html;

    /// Returns the first words of the blocks that remain if all were selected.
    fn remaining(html: &str) -> String {
        let outline = outline_from_html(html);
        let mut selected = vec![true; outline.blocks.len()];
        deselect_repetitions(&outline, &mut selected);
        let blocks = outline.blocks.iter().zip(selected);
        let kept = blocks.filter(|(_, is_selected)| *is_selected);
        kept.map(|(block, _)| block.text.split(' ').next().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn paragraph(name: &str) -> String {
        format!("<p>{name} {}", "word ".repeat(30))
    }

    #[test]
    fn a_text_that_is_twice_is_kept_once() {
        let [a, b, c] = ["a", "b", "c"].map(paragraph);
        assert_eq!(remaining(&format!("{a}{b}{a}{b}{c}")), "a b c");
        assert_eq!(remaining(&format!("{a}{b}{c}{a}{b}{c}")), "a b c");
        assert_eq!(remaining(&format!("{a}{b}{a}{b}{a}{b}")), "a b");
        assert_eq!(
            remaining(&format!("{c}{a}{b}<p>Title{a}{b}")),
            "c a b Title"
        );
    }

    #[test]
    fn a_refrain_and_a_small_repetition_are_kept() {
        let [a, b, c] = ["a", "b", "c"].map(paragraph);
        assert_eq!(remaining(&format!("{a}{b}{a}{c}")), "a b a c");
        assert_eq!(remaining(&a.repeat(6)), "a a a a a a");
        let long = ["d", "e", "f", "g", "h", "i", "j", "k", "l"]
            .map(paragraph)
            .concat();
        assert_eq!(
            remaining(&format!("{a}{b}{long}{a}{b}")),
            "a b d e f g h i j k l a b"
        );
        assert_eq!(remaining("<p>1 in<p>2 out<p>1 in<p>2 out"), "1 2 1 2");
        assert_eq!(remaining(""), "");
    }
}
