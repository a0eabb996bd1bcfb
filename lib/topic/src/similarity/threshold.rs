//! Default thresholds of the partial cosine.

use super::vector::KeyphraseVector;
use forage_text::contains_unspaced_script;

/// The threshold for English (Bracewell, Ren & Kuroiwa 2007, section VII.A: F0.25 .94).
const ENGLISH: f64 = 0.20;
/// The threshold for Japanese (the same section: F0.25 .80).
const JAPANESE: f64 = 0.10;

/// Returns the threshold over which an article is on the topic of a sample, by partial cosine,
/// unless the user gives another one.
///
/// It is 0.20 for English and 0.10 for Japanese, as measured in the paper. For a sample in another
/// language, or in one that is not known (`code`, ISO 639-3, as in `langid.code`), it is that of
/// Japanese if most of its keyphrases are in a script without blanks between words, and otherwise
/// that of English: the share of keyphrases that two articles have in common depends on the number
/// of words that a phrase is divided into. Set by judgement, not measured.
pub fn default_threshold(code: Option<&str>, sample: &KeyphraseVector) -> f64 {
    match code {
        Some("eng") => ENGLISH,
        Some("jpn") => JAPANESE,
        _ if is_mostly_unspaced(sample) => JAPANESE,
        _ => ENGLISH,
    }
}

/// Returns `true` if more than half of the keyphrases are in scripts without blanks between words.
fn is_mostly_unspaced(vector: &KeyphraseVector) -> bool {
    let unspaced = vector
        .keyphrases()
        .iter()
        .filter(|keyphrase| contains_unspaced_script(&keyphrase.phrase));
    2 * unspaced.count() > vector.len()
}

#[cfg(test)]
mod tests {
    use super::default_threshold;
    use crate::similarity::KeyphraseVector;
    use forage_record::Keyphrase;

    fn vector(phrases: &[&str]) -> KeyphraseVector {
        let keyphrase = |phrase: &&str| Keyphrase {
            phrase: (*phrase).into(),
            score: 1.0,
            key: (*phrase).into(),
        };
        KeyphraseVector::new(phrases.iter().map(keyphrase).collect())
    }

    #[test]
    fn depends_on_the_language_and_otherwise_on_the_script() {
        let latin = vector(&["oil price", "opec"]);
        let han = vector(&["石油价格", "opec", "石油"]);
        assert_eq!(default_threshold(Some("eng"), &latin), 0.20);
        assert_eq!(default_threshold(Some("jpn"), &latin), 0.10);
        assert_eq!(default_threshold(Some("zho"), &han), 0.10);
        assert_eq!(default_threshold(None, &han), 0.10);
        assert_eq!(default_threshold(Some("slv"), &latin), 0.20);
        assert_eq!(default_threshold(None, &vector(&[])), 0.20);
    }
}
