//! Dynamic passages: windows that move through a document (Kluev 2000, section 4).

use super::term_vector::{StemFrequencies, TermWeights};
use super::words::ContentWord;

/// Length of a passage, in characters (Kluev 2000, section 4).
const PASSAGE_LENGTH: u32 = 200;

/// Distance between the beginnings of two passages, in characters (Kluev 2000, section 4).
const PASSAGE_STEP: u32 = 50;

/// Returns the greatest cosine of a passage with the terms of a profile. A word belongs to the
/// passages in which it begins. `length` is that of the document, in characters.
///
/// `frequencies` must be empty, and is empty afterwards.
pub(crate) fn best_passage(
    document: &[ContentWord],
    length: u32,
    terms: &TermWeights,
    frequencies: &mut StemFrequencies,
) -> f64 {
    let last_start = last_passage_start(length);
    let mut best: f64 = 0.0;
    let mut first = 0;
    // Positions of terms, without which a passage has a cosine of 0.
    let mut term_starts = document
        .iter()
        .filter(|word| terms.of(word.stem) > 0.0)
        .map(|word| word.start)
        .peekable();
    let mut start = 0;
    loop {
        while term_starts.next_if(|term| *term < start).is_some() {}
        let Some(next_term) = term_starts.peek() else {
            return best;
        };
        // Passages that end before the next term are skipped.
        let missing = (next_term + 1).saturating_sub(start + PASSAGE_LENGTH);
        start += missing.div_ceil(PASSAGE_STEP) * PASSAGE_STEP;
        if start > last_start {
            return best;
        }
        first += document[first..].partition_point(|word| word.start < start);
        let words = &document[first..];
        let words = &words[..words.partition_point(|word| word.start < start + PASSAGE_LENGTH)];
        for word in words {
            frequencies.add(word.stem);
        }
        let (product, squared_norm) = frequencies.take_products(terms, |_| ());
        best = best.max(terms.cosine(product, squared_norm));
        start += PASSAGE_STEP;
    }
}

/// Returns the start of the last passage: the first that reaches the end of the document.
fn last_passage_start(length: u32) -> u32 {
    length
        .saturating_sub(PASSAGE_LENGTH)
        .div_ceil(PASSAGE_STEP)
        .saturating_mul(PASSAGE_STEP)
        .min(u32::MAX - PASSAGE_LENGTH - PASSAGE_STEP)
}

#[cfg(test)]
mod tests {
    use crate::profile::{ProfileScorer, TopicProfile};

    fn passage_score(text: &str) -> f64 {
        let profile = TopicProfile::parse(b"term\tgraph\t1\nterm\ttree\t1\n").unwrap();
        ProfileScorer::new(&profile).score(text).passage
    }

    #[test]
    fn a_short_document_is_one_passage() {
        let expected = 2.0 / (3f64.sqrt() * 2f64.sqrt());
        assert!((passage_score("graph house tree") - expected).abs() < 1e-12);
    }

    #[test]
    fn a_dense_passage_of_a_long_document_is_found() {
        let filler = "and the house ".repeat(100);
        let dense = passage_score(&format!("{filler}graph tree {filler}"));
        let spread = passage_score(&format!("{filler}graph {filler}tree"));
        assert!(dense > 1.2 * spread && spread > 0.0, "{dense} {spread}");
    }

    /// Returns the score by the definition, without skipping passages.
    fn slow_passage_score(text: &str) -> f64 {
        let length = text.chars().count();
        let mut best: f64 = 0.0;
        let mut start = 0;
        loop {
            // Words that begin in the passage, and no other part of a word.
            let inside = text
                .split_inclusive(' ')
                .scan(0, |position, word| {
                    let begin = *position;
                    *position += word.chars().count();
                    Some((begin, word))
                })
                .filter(|(begin, _)| (start..start + 200).contains(begin))
                .map(|(_, word)| word)
                .collect::<String>();
            let profile = TopicProfile::parse(b"term\tgraph\t1\nterm\ttree\t1\n").unwrap();
            best = best.max(ProfileScorer::new(&profile).score(&inside).vsm);
            start += 50;
            if start + 150 >= length.max(200) {
                return best;
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn passages_that_are_skipped_do_not_matter(words in proptest::collection::vec(0..12usize, 1..200)) {
            const VOCABULARY: [&str; 12] = [
                "graph", "tree", "häuser", "river", "mountain", "valley", "bridge", "castle",
                "village", "meadow", "orchard", "3",
            ];
            let text: Vec<&str> = words.iter().map(|number| VOCABULARY[*number]).collect();
            let text = text.join(" ");
            let difference = passage_score(&text) - slow_passage_score(&text);
            proptest::prop_assert!(difference.abs() < 1e-12, "{text}");
        }
    }
}
