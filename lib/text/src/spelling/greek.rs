//! Greek in the orthography before 1982, with breathings and three accents.
//!
//! Presidential decree 297/1982 leaves one accent, on words of several syllables and on ή, πού and
//! πώς. A word is compared in that form, so that editions of a text in both orthographies have the
//! same words; the grave accent is only the acute before another word.

use unicode_normalization::UnicodeNormalization;

/// The accent of modern Greek.
const TONOS: char = '\u{301}';

/// Returns `word` in the orthography of today.
pub(super) fn write_monotonic(word: &str) -> String {
    let mut syllables = 0;
    let mut has_vowel = false;
    let mut letters: Vec<char> = Vec::with_capacity(word.len());
    for c in word.nfd() {
        match c {
            // Breathings, iota below, and marks of length.
            '\u{313}' | '\u{314}' | '\u{343}' | '\u{345}' | '\u{304}' | '\u{306}' => continue,
            '\u{300}' | '\u{342}' => letters.push(TONOS),
            _ => letters.push(c),
        }
        let is_vowel = "αεηιουωΑΕΗΙΟΥΩ".contains(c);
        let is_mark = matches!(c, TONOS | '\u{300}' | '\u{342}' | '\u{308}');
        // A diphthong is one syllable.
        syllables += usize::from(is_vowel && !has_vowel || c == '\u{308}');
        has_vowel = is_vowel || is_mark && has_vowel;
    }
    let bare: String = letters.iter().filter(|c| **c != TONOS).collect();
    let keeps_accent = match bare.to_lowercase().as_str() {
        // The article ἡ has no accent, the conjunction ἤ one.
        "η" | "που" | "πωσ" | "πως" => letters.contains(&TONOS),
        _ => syllables > 1,
    };
    match keeps_accent {
        true => letters.into_iter().nfc().collect(),
        false => bare.nfc().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::write_monotonic;

    #[test]
    fn words_are_written_as_today() {
        for (polytonic, monotonic) in [
            ("ἄνθρωπος", "άνθρωπος"),
            ("ἀπὸ", "από"),
            ("τοῦ", "του"),
            ("τοὺς", "τους"),
            ("ἡ", "η"),
            ("ἢ", "ή"),
            ("ποῦ", "πού"),
            ("ᾠδή", "ωδή"),
            ("καὶ", "και"),
            ("προϊόν", "προϊόν"),
            ("Ἑλλάς", "Ελλάς"),
            ("γῆ", "γη"),
        ] {
            assert_eq!(write_monotonic(polytonic), monotonic);
        }
    }
}
