//! Pairs of keyphrases that share words, for the partial cosine.

use super::vector::KeyphraseVector;
use std::cmp::Ordering;

/// Two keyphrases that match, wholly or in part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhraseMatch {
    /// The number of the keyphrase in the sample's vector.
    pub in_sample: usize,
    /// The number of the keyphrase in the article's vector.
    pub in_article: usize,
    /// The resemblance of the two, above 0: 1 if they are equal, otherwise Dice's coefficient of
    /// their words.
    pub resemblance: f64,
}

/// Returns the partial matches of keyphrases of `sample` and `article` that are in no match of
/// `equal` (Bracewell, Ren & Kuroiwa 2007, figure 4).
///
/// Each remaining keyphrase of the sample, in descending order of scores, takes the remaining
/// keyphrase of the article with the greatest resemblance, which is Dice's coefficient of their
/// words, if it is above 0. The paper leaves ties open: of equal scores or resemblances, the higher
/// score, and then the phrase that is first by code point, has precedence.
///
/// The result is that of a comparison of all pairs. Only pairs that share a word are compared.
pub(super) fn partial_matches(
    sample: &KeyphraseVector,
    article: &KeyphraseVector,
    equal: &[PhraseMatch],
) -> Vec<PhraseMatch> {
    let mut is_matched = vec![false; sample.len()];
    let mut is_used = vec![false; article.len()];
    for pair in equal {
        is_matched[pair.in_sample] = true;
        is_used[pair.in_article] = true;
    }
    let mut order: Vec<usize> = (0..sample.len()).filter(|n| !is_matched[*n]).collect();
    order.sort_by(|a, b| by_precedence(sample, *a, *b));
    let same_word = shared_words(sample, article);
    // For each keyphrase of the article, the words that it shares with the current one.
    let mut shared = vec![0_usize; article.len()];
    let mut candidates = Vec::new();
    let mut matches = Vec::new();
    for in_sample in order {
        let words = sample.words_of_keyphrase(in_sample);
        for word in words.iter().filter_map(|word| same_word[*word]) {
            for &candidate in article.keyphrases_with_word(word) {
                if !is_used[candidate] {
                    if shared[candidate] == 0 {
                        candidates.push(candidate);
                    }
                    shared[candidate] += 1;
                }
            }
        }
        let resemblance = |candidate: usize| {
            let sizes = words.len() + article.words_of_keyphrase(candidate).len();
            2.0 * shared[candidate] as f64 / sizes as f64
        };
        let best = candidates.iter().copied().min_by(|a, b| {
            (resemblance(*b).total_cmp(&resemblance(*a)))
                .then_with(|| by_precedence(article, *a, *b))
        });
        if let Some(in_article) = best {
            is_used[in_article] = true;
            matches.push(PhraseMatch {
                in_sample,
                in_article,
                resemblance: resemblance(in_article),
            });
        }
        for candidate in candidates.drain(..) {
            shared[candidate] = 0;
        }
    }
    matches
}

/// Compares two keyphrases of a vector: the higher score first, then by code point.
fn by_precedence(vector: &KeyphraseVector, a: usize, b: usize) -> Ordering {
    let [x, y] = [a, b].map(|number| &vector.keyphrases()[number]);
    (y.score.total_cmp(&x.score))
        .then_with(|| x.phrase.cmp(&y.phrase))
        .then(a.cmp(&b))
}

/// Returns for each word of `a` its number in `b`, if it is there.
fn shared_words(a: &KeyphraseVector, b: &KeyphraseVector) -> Vec<Option<usize>> {
    let mut others = b.words().enumerate().peekable();
    a.words()
        .map(|word| {
            while others.next_if(|(_, other)| *other < word).is_some() {}
            others
                .next_if(|(_, other)| *other == word)
                .map(|(number, _)| number)
        })
        .collect()
}
