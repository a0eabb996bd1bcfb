//! Writes the sentences of demo-web: `export-demo-sentences FOLDER`.
//!
//! Each language-model crate of Lingua (Peter M. Stahl, Apache-2.0) contains up to a thousand
//! sentences for tests of language identification, from the Leipzig Corpora Collection. FOLDER holds
//! the unpacked crates, `lingua-*-language-model-1.3.0`. French and Spanish are excluded because
//! their sentences are mojibake, and Malay because most of its sentences are Indonesian.
//!
//! Of each language, the usable sentences are written, in the alphabetic order of the crate, and
//! without those that differ from another one by their Unicode normalisation only.

use anyhow::Context;
use forage_text::normalise;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// Minimum words of a sentence; shorter ones are fragments.
const MIN_WORDS: usize = 3;

/// Languages that are written without blanks between words.
const UNSPACED: [&str; 3] = ["jpn", "tha", "zho"];

/// Minimum letters of a sentence in these languages, instead of [`MIN_WORDS`]: three words of Thai
/// have about twelve letters, of Japanese seven. It excludes six sentences of Thai and one of
/// Japanese.
const MIN_UNSPACED_LETTERS: usize = 10;

/// Letters that Turkish does not have: ı, ş and ğ in windows-1254, decoded as windows-1252. A
/// quarter of the Turkish sentences has them.
const TURKISH_MOJIBAKE: [char; 6] = ['ý', 'þ', 'ð', 'Ý', 'Þ', 'Ð'];

/// The languages: ISO 639-3 code, and name in the crates.
const LANGUAGES: [(&str, &str); 34] = [
    ("ara", "arabic"),
    ("ben", "bengali"),
    ("bos", "bosnian"),
    ("ces", "czech"),
    ("deu", "german"),
    ("ell", "greek"),
    ("eng", "english"),
    ("fas", "persian"),
    ("heb", "hebrew"),
    ("hin", "hindi"),
    ("hrv", "croatian"),
    ("hun", "hungarian"),
    ("ind", "indonesian"),
    ("ita", "italian"),
    ("jpn", "japanese"),
    ("kat", "georgian"),
    ("kor", "korean"),
    ("mar", "marathi"),
    ("mkd", "macedonian"),
    ("nld", "dutch"),
    ("pol", "polish"),
    ("por", "portuguese"),
    ("ron", "romanian"),
    ("rus", "russian"),
    ("slk", "slovak"),
    ("slv", "slovene"),
    ("srp", "serbian"),
    ("tam", "tamil"),
    ("tgl", "tagalog"),
    ("tha", "thai"),
    ("tur", "turkish"),
    ("urd", "urdu"),
    ("vie", "vietnamese"),
    ("zho", "chinese"),
];

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.context("usage: export-demo-sentences FOLDER")?;
    for (code, name) in LANGUAGES {
        let file = Path::new(&folder)
            .join(format!("lingua-{name}-language-model-1.3.0"))
            .join("testdata/sentences.txt");
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let sentences = select_sentences(code, &text).join("\n");
        writeln!(std::io::stdout(), "{code}\n{sentences}\n")?;
    }
    Ok(())
}

/// Returns the usable sentences of a language, without repetitions.
fn select_sentences<'a>(code: &str, text: &'a str) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    text.lines()
        .map(str::trim)
        .filter(|sentence| is_usable(code, sentence))
        .filter(|sentence| seen.insert(normalise(sentence)))
        .collect()
}

/// Returns `true` if a sentence is long enough, and in the language and its encoding.
fn is_usable(code: &str, sentence: &str) -> bool {
    is_long_enough(code, sentence)
        && !has_encoding_damage(sentence)
        && is_in_language(code, sentence)
}

// The segmentation of `forage_text` would give words, but another version of it other pages.
fn is_long_enough(code: &str, sentence: &str) -> bool {
    if UNSPACED.contains(&code) {
        count_letters(sentence) >= MIN_UNSPACED_LETTERS
    } else {
        sentence.split_whitespace().count() >= MIN_WORDS
    }
}

/// Returns `false` for Turkish mojibake, and for Urdu sentences of which most letters are
/// Latin: HTTP headers and English menus.
fn is_in_language(code: &str, sentence: &str) -> bool {
    match code {
        "tur" => !sentence.contains(TURKISH_MOJIBAKE),
        "urd" => {
            let latin = sentence.chars().filter(char::is_ascii_alphabetic).count();
            latin * 2 < count_letters(sentence)
        }
        _ => true,
    }
}

/// Returns the number of letters, with the vowel signs that Unicode counts as alphabetic.
fn count_letters(sentence: &str) -> usize {
    sentence.chars().filter(|c| c.is_alphabetic()).count()
}

/// Returns `true` for a sentence with control characters, which are letters decoded with the wrong
/// charset, soft hyphens, zero-width spaces, direction marks, private-use characters, the
/// replacement character, or joiners after a letter of a script that does not use them.
fn has_encoding_damage(sentence: &str) -> bool {
    let mut previous = ' ';
    sentence.chars().any(|c| {
        let is_damage = match c {
            '\u{200c}' | '\u{200d}' => !uses_joiners(previous),
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' | '\u{fffd}' => true,
            '\u{e000}'..='\u{f8ff}' => true,
            _ => c.is_control(),
        };
        previous = c;
        is_damage
    })
}

/// Returns `true` for the letters of Arabic and the Indic scripts, whose orthographies use joiners
/// (Unicode Standard 16.0, sections 9.2 and 12.1).
fn uses_joiners(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{77f}' | '\u{900}'..='\u{dff}')
}

#[cfg(test)]
mod tests {
    use super::is_usable;

    #[test]
    fn short_and_damaged_sentences_are_not_usable() {
        assert!(is_usable("slv", "Danes je lepo."));
        assert!(!is_usable("slv", "Res je."));
        assert!(!is_usable("pol", "Dzi\u{99} jest pi\u{85}kny dzie\u{84}."));
        assert!(!is_usable("slv", "Danes je le\u{ad}po."));
        assert!(!is_usable("slv", "Danes je le\u{200c}po."));
        assert!(!is_usable("tha", "วันนี้อากาศดีม\u{f70b}าก"));
    }

    #[test]
    fn sentences_without_blanks_are_measured_by_their_letters() {
        assert!(is_usable("jpn", "今日はとても天気がいいです。"));
        assert!(is_usable("tha", "วันนี้อากาศดีมาก"));
        assert!(!is_usable("jpn", "今日は 天気 ！"));
    }

    #[test]
    fn joiners_of_persian_and_hindi_are_not_damage() {
        assert!(is_usable("fas", "او کتاب می\u{200c}خواند."));
        assert!(is_usable("hin", "यह शक\u{94d}\u{200d}ति है।"));
    }

    #[test]
    fn turkish_mojibake_and_english_menus_in_urdu_are_not_usable() {
        assert!(is_usable("tur", "Bugün hava çok güzel, ışıklı."));
        assert!(!is_usable("tur", "Bugün hava çok güzel, ýþýklý."));
        assert!(is_usable("urd", "آج موسم BBC اچھا ہے۔"));
        assert!(!is_usable("urd", "Read More Politics Latest News آج موسم"));
    }
}
