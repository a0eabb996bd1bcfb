//! The sentences of the closed web, by language.
//!
//! Each language-model crate of Lingua (Peter M. Stahl, Apache-2.0) contains up to a thousand
//! sentences for tests of language identification, from the Leipzig Corpora Collection. Only these
//! are linked, because the models are constants that this program does not use. French and Spanish
//! are excluded because their sentences are mojibake, and Malay because most of its sentences are
//! Indonesian.

use forage_text::normalise;
use include_dir::Dir;
use std::collections::BTreeSet;

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

/// A language of the closed web.
#[derive(Debug)]
pub struct Language {
    /// ISO 639-3 code.
    pub code: &'static str,
    /// Codes of the classes whose terms a query for this language excludes first: English, which is
    /// on pages in all languages, and up to three languages of the web that are related to this one
    /// or share its script, other than Latin.
    pub contrast: &'static [&'static str],
    testdata: &'static Dir<'static>,
}

/// Declares the languages: code, contrast classes, sentences.
macro_rules! languages {
    ($($code:ident [$($contrast:ident)+] $testdata:path;)+) => {
        &[$(Language {
            code: stringify!($code),
            contrast: &[$(stringify!($contrast)),+],
            testdata: &$testdata,
        }),+]
    };
}

/// The languages of the closed web, by code.
pub static LANGUAGES: &[Language] = languages! {
    ara [eng fas urd] lingua_arabic_language_model::ARABIC_TESTDATA_DIRECTORY;
    ben [eng] lingua_bengali_language_model::BENGALI_TESTDATA_DIRECTORY;
    bos [eng hrv slv srp] lingua_bosnian_language_model::BOSNIAN_TESTDATA_DIRECTORY;
    ces [eng pol slk] lingua_czech_language_model::CZECH_TESTDATA_DIRECTORY;
    deu [eng nld] lingua_german_language_model::GERMAN_TESTDATA_DIRECTORY;
    ell [eng] lingua_greek_language_model::GREEK_TESTDATA_DIRECTORY;
    eng [deu nld] lingua_english_language_model::ENGLISH_TESTDATA_DIRECTORY;
    fas [eng ara urd] lingua_persian_language_model::PERSIAN_TESTDATA_DIRECTORY;
    heb [eng] lingua_hebrew_language_model::HEBREW_TESTDATA_DIRECTORY;
    hin [eng mar] lingua_hindi_language_model::HINDI_TESTDATA_DIRECTORY;
    hrv [eng bos slv srp] lingua_croatian_language_model::CROATIAN_TESTDATA_DIRECTORY;
    hun [eng deu ron] lingua_hungarian_language_model::HUNGARIAN_TESTDATA_DIRECTORY;
    ind [eng tgl vie] lingua_indonesian_language_model::INDONESIAN_TESTDATA_DIRECTORY;
    ita [eng por ron] lingua_italian_language_model::ITALIAN_TESTDATA_DIRECTORY;
    jpn [eng zho] lingua_japanese_language_model::JAPANESE_TESTDATA_DIRECTORY;
    kat [eng] lingua_georgian_language_model::GEORGIAN_TESTDATA_DIRECTORY;
    kor [eng] lingua_korean_language_model::KOREAN_TESTDATA_DIRECTORY;
    mar [eng hin] lingua_marathi_language_model::MARATHI_TESTDATA_DIRECTORY;
    mkd [eng rus srp] lingua_macedonian_language_model::MACEDONIAN_TESTDATA_DIRECTORY;
    nld [eng deu] lingua_dutch_language_model::DUTCH_TESTDATA_DIRECTORY;
    pol [eng ces slk] lingua_polish_language_model::POLISH_TESTDATA_DIRECTORY;
    por [eng ita ron] lingua_portuguese_language_model::PORTUGUESE_TESTDATA_DIRECTORY;
    ron [eng ita por] lingua_romanian_language_model::ROMANIAN_TESTDATA_DIRECTORY;
    rus [eng mkd srp] lingua_russian_language_model::RUSSIAN_TESTDATA_DIRECTORY;
    slk [eng ces pol] lingua_slovak_language_model::SLOVAK_TESTDATA_DIRECTORY;
    slv [eng ces hrv srp] lingua_slovene_language_model::SLOVENE_TESTDATA_DIRECTORY;
    srp [eng mkd rus] lingua_serbian_language_model::SERBIAN_TESTDATA_DIRECTORY;
    tam [eng] lingua_tamil_language_model::TAMIL_TESTDATA_DIRECTORY;
    tgl [eng ind] lingua_tagalog_language_model::TAGALOG_TESTDATA_DIRECTORY;
    tha [eng] lingua_thai_language_model::THAI_TESTDATA_DIRECTORY;
    tur [eng deu hun] lingua_turkish_language_model::TURKISH_TESTDATA_DIRECTORY;
    urd [eng ara fas] lingua_urdu_language_model::URDU_TESTDATA_DIRECTORY;
    vie [eng ind] lingua_vietnamese_language_model::VIETNAMESE_TESTDATA_DIRECTORY;
    zho [eng jpn] lingua_chinese_language_model::CHINESE_TESTDATA_DIRECTORY;
};

impl Language {
    /// Returns the usable sentences, in the alphabetic order of the crate, and without those that
    /// differ from another one by their Unicode normalisation only.
    pub fn sentences(&self) -> Vec<&'static str> {
        let text = self
            .testdata
            .get_file("sentences.txt")
            .and_then(|file| file.contents_utf8());
        let mut seen = BTreeSet::new();
        text.unwrap_or_default()
            .lines()
            .map(str::trim)
            .filter(|sentence| self.is_usable(sentence))
            .filter(|sentence| seen.insert(normalise(sentence)))
            .collect()
    }

    /// Returns `true` if a sentence is long enough, and in the language and its encoding.
    fn is_usable(&self, sentence: &str) -> bool {
        self.is_long_enough(sentence)
            && !has_encoding_damage(sentence)
            && self.is_in_language(sentence)
    }

    // The segmentation of `forage_text` would give words, but another version of it other pages.
    fn is_long_enough(&self, sentence: &str) -> bool {
        if UNSPACED.contains(&self.code) {
            count_letters(sentence) >= MIN_UNSPACED_LETTERS
        } else {
            sentence.split_whitespace().count() >= MIN_WORDS
        }
    }

    /// Returns `false` for Turkish mojibake, and for Urdu sentences of which most letters are
    /// Latin: HTTP headers and English menus.
    fn is_in_language(&self, sentence: &str) -> bool {
        match self.code {
            "tur" => !sentence.contains(TURKISH_MOJIBAKE),
            "urd" => {
                let latin = sentence.chars().filter(char::is_ascii_alphabetic).count();
                latin * 2 < count_letters(sentence)
            }
            _ => true,
        }
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
    use super::LANGUAGES;

    #[test]
    fn each_language_has_enough_sentences() {
        for language in LANGUAGES {
            let minimum = match language.code {
                "jpn" => 410,
                "zho" => 720,
                "tur" => 750,
                _ => 930,
            };
            let count = language.sentences().len();
            assert!(
                (minimum..=1000).contains(&count),
                "{}: {count}",
                language.code
            );
        }
    }

    #[test]
    fn languages_are_sorted_by_code() {
        assert!(LANGUAGES.is_sorted_by_key(|language| language.code));
    }

    #[test]
    fn contrast_classes_are_other_languages_of_the_web_and_include_english() {
        for language in LANGUAGES {
            let codes = language.contrast;
            assert!(codes.len() <= 4, "{codes:?}");
            assert!(language.code == "eng" || codes[0] == "eng", "{codes:?}");
            for code in codes {
                assert!(*code != language.code && LANGUAGES.iter().any(|l| l.code == *code));
            }
        }
    }

    fn is_usable(code: &str, sentence: &str) -> bool {
        let language = LANGUAGES.iter().find(|language| language.code == code);
        language.unwrap().is_usable(sentence)
    }

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
