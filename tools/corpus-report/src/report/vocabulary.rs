//! The words of the classes of a run.

use crate::report::convergence::Convergence;
use crate::report::count::{BoundedCounts, DistinctCount};
use forage_text::{for_each_word, normalise};
use std::collections::BTreeMap;

/// Most words of a target, and of any other class, that are counted. Set by judgement: a word among
/// the hundred commonest is never dropped.
const MAX_WORDS: usize = 100_000;
const MAX_CONTRAST_WORDS: usize = 20_000;
/// Fewest words of a class with which frequencies are compared. Set by judgement: fewer have no
/// frequencies worth a look.
const MIN_CONTRAST_TOKENS: u64 = 3_000;
/// Most other classes. Further ones are not counted.
const MAX_CLASSES: usize = 40;

/// The words of a class.
#[derive(Debug)]
pub struct Vocabulary {
    /// Number of words.
    pub tokens: u64,
    /// Distinct words, case aside; counted for targets only.
    pub types: DistinctCount,
    /// Words in lower case.
    pub words: BoundedCounts<u64>,
    /// Of targets only.
    pub convergence: Convergence,
}

/// The words of all classes.
#[derive(Debug, Default)]
pub struct Vocabularies {
    classes: BTreeMap<String, Vocabulary>,
}

impl Vocabularies {
    /// Counts the words of a document of a class, and returns their number.
    pub fn add(&mut self, class: &str, is_target: bool, text: &str) -> u64 {
        let is_new = !self.classes.contains_key(class);
        let mut skipped = None;
        let vocabulary = if is_new && !is_target && self.classes.len() >= MAX_CLASSES {
            skipped.insert(Vocabulary::new(1))
        } else {
            let max_words = [MAX_CONTRAST_WORDS, MAX_WORDS][usize::from(is_target)];
            self.classes
                .entry(class.to_owned())
                .or_insert_with(|| Vocabulary::new(max_words))
        };
        let before = vocabulary.tokens;
        let mut lower = String::new();
        for_each_word(&normalise(text), |word| {
            vocabulary.tokens += 1;
            lower_case(word, &mut lower);
            let is_first = vocabulary.words.update(&lower, |count| *count += 1);
            // A word that is counted is known.
            if is_target && is_first {
                vocabulary.types.insert(lower.as_str());
            }
        });
        if is_target {
            vocabulary
                .convergence
                .add(vocabulary.tokens, &vocabulary.words);
        }
        vocabulary.tokens - before
    }

    /// Returns the words of a class.
    pub fn get(&self, class: &str) -> Option<&Vocabulary> {
        self.classes.get(class)
    }

    /// Returns the class with most words besides `target`; `None` if they are too few.
    pub fn contrast(&self, target: &str) -> Option<(&str, &Vocabulary)> {
        let others = self.classes.iter().filter(|(class, _)| *class != target);
        others
            .filter(|(class, words)| {
                !class.is_empty() && *class != "und" && words.tokens >= MIN_CONTRAST_TOKENS
            })
            .max_by(|a, b| a.1.tokens.cmp(&b.1.tokens).then(b.0.cmp(a.0)))
            .map(|(class, words)| (class.as_str(), words))
    }
}

impl Vocabulary {
    fn new(max_words: usize) -> Self {
        Vocabulary {
            tokens: 0,
            types: DistinctCount::default(),
            words: BoundedCounts::new(max_words),
            convergence: Convergence::default(),
        }
    }

    /// Returns the frequency of a word per million words.
    pub fn per_million(&self, word: &str) -> f64 {
        let count = self.words.get(word).copied().unwrap_or(0);
        count as f64 * 1e6 / self.tokens.max(1) as f64
    }
}

/// Writes a word in lower case to a buffer.
fn lower_case(word: &str, lower: &mut String) {
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
mod tests {
    use super::Vocabularies;
    use forage_text::count_words;

    #[test]
    fn words_are_counted_by_class_case_aside() {
        let mut all = Vocabularies::default();
        assert_eq!(all.add("slv", true, "Čaj in kava. čaj! 42"), 5);
        // An address is no word, as in the counts of update-stats.
        let text = "Vozni red: www.jpp.si, info@jpp.si";
        assert_eq!(all.add("hrv", false, text), count_words(text));
        all.add("eng", false, "Tea and coffee");
        let slv = all.get("slv").unwrap();
        assert_eq!((slv.tokens, slv.types.count()), (5, 4));
        assert_eq!(slv.words.top(1, |n| *n), [("čaj", &2)]);
        assert_eq!(slv.per_million("čaj"), 4e5);
        assert_eq!(slv.words.get("42"), Some(&1));
        assert!(all.contrast("slv").is_none());
        all.add("eng", false, &"tea ".repeat(2_997));
        assert_eq!(all.contrast("slv").map(|(c, _)| c), Some("eng"));
    }
}
