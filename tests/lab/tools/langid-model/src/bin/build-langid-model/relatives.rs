//! The nearest languages of a class: those that its most frequent words are in if it is not known.

use forage_langid::{ClassSample, Identifier, LanguageCode, Scratch};

/// Number of the most frequent words or n-grams that are compared. Set by judgement, not measured.
const FEATURES: usize = 200;
/// Number of nearest languages.
const NEAREST: usize = 3;

/// Returns the codes of the languages in which the most frequent words of a class, or its n-grams,
/// have the most evidence, nearest first. There are fewer in a script with few languages.
pub fn nearest_languages(sample: &ClassSample, identifier: &Identifier) -> Vec<String> {
    let features = match sample.words.is_empty() {
        true => &sample.ngrams,
        false => &sample.words,
    };
    let mut features: Vec<&(String, f64)> = features.iter().collect();
    features.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let words = features.iter().take(FEATURES);
    let words: Vec<&str> = words.map(|(word, _)| word.trim_matches('_')).collect();
    let text = words.join(" ");
    let mut scratch = Scratch::default();
    let mut others = identifier.clone();
    let mut excluded = sample.code;
    let mut nearest: Vec<LanguageCode> = Vec::new();
    while nearest.len() < NEAREST && others.exclude(&[excluded]).is_ok() {
        // Without the reject option: to the others, the words need not look like a text.
        let Some(features) = others.compute_reject_features(&mut scratch, &text) else {
            break;
        };
        nearest.push(features.code);
        excluded = features.code;
    }
    nearest.iter().map(ToString::to_string).collect()
}
