//! The readings of a text: as it is written, in the spelling that its words are compared in
//! ([`Spelling`]), without optional marks, and each script apart.
//!
//! Of the readings as it is written and as it is spelt elsewhere, the one with more evidence
//! counts. A text with the vowel marks of scripture or of a dictionary has the words of its
//! language in another spelling. Of its two readings, the one with more known words counts: in
//! Yiddish the points are letters, and its words are known with them. In Latin script, accents are
//! letters; only a text in no known language is read without them.
//!
//! In a text in several scripts, the words of the others agree on no language of the first, and are
//! read apart. If most letters are Latin, these may be names of products or code in a text in
//! another script; then the words in that script decide.

use super::reject::{self, EvidenceSummary};
use super::windows::sample_windows;
use super::{Identification, Identifier, Scratch};
use crate::code::LanguageCode;
use crate::evidence::noise::{MIN_LISTED_WORDS, TextProperties, WINDOW_BYTES, is_noise};
use crate::script::Script;
use forage_text::{Spelling, normalise, remove_accents, remove_addresses, remove_optional_marks};
use std::borrow::Cow;

/// The share of letters, one in so many, from which a text counts as one in several scripts. Set by
/// judgement, not measured.
const MIN_SHARE_OF_OTHER_SCRIPTS: u64 = 10;

/// Minimum evidence per letter, in nats, of Latin words that are a text rather than names.
///
/// Of 708 sentences in 59 languages between which names of products were inserted, 92 % are
/// identified, of 1,500 sentences in Latin script with a quotation in another script 95 %; with 0.8
/// nats, 92 % and 84 %.
const MIN_LATIN_NATS_PER_LETTER: f64 = 0.55;

/// Minimum share of its words, one in so many, in the script that decides in place of Latin. Set by
/// judgement, not measured.
const MIN_SHARE_OF_WORDS: u64 = 4;

/// Minimum score of a text that is read without its accents: in an unknown language, they may be
/// letters or tones.
///
/// Of 7,858 sentences in 54 languages that were left out, 82 are accepted without a minimum, 19
/// with it.
const MIN_SCORE_WITHOUT_ACCENTS: f64 = 0.9;

/// Minimum score of a text that is clearly in a language other than English. Set by judgement, not
/// measured.
const MIN_SCORE_NOT_ENGLISH: f64 = 0.9;

/// Minimum score and margin of the windows of a text that are read instead of the whole.
const MIN_CLEAR_SCORE: f64 = 0.88;
/// See [`MIN_CLEAR_SCORE`].
const MIN_CLEAR_MARGIN: f64 = 0.1;

/// Maximum number of letters per optional mark of a text that is written with them. Set by
/// judgement, not measured.
const MAX_LETTERS_PER_MARK: usize = 4;

/// Maximum score of a text that is written with optional marks, for each known word per word.
///
/// Few classes have such marks (one of the Arabic script: Kanuri), so that all n-grams favour them
/// in any language. Of 111 sentences of Kanuri, half have more than .36 known words per word; two
/// in Hausa and Wolof have .19 and .12.
const MAX_SCORE_PER_KNOWN_WORD: f64 = 2.0;

/// The result for one reading of a text.
struct Reading {
    identification: Identification,
    /// Evidence of the best language, in nats.
    nats: f64,
    known_words: u32,
    /// Known words per word.
    known_share: f64,
    properties: TextProperties,
    /// Likely number of words.
    words: u64,
    /// True if the text is in several scripts.
    is_mixed: bool,
}

impl Reading {
    fn is_accepted(&self) -> bool {
        self.identification.code != LanguageCode::UNDETERMINED
    }

    /// Returns `true` if this reading of windows of `text` is enough: more of it would hardly
    /// change the language.
    fn is_clear(&self, text: &str) -> bool {
        let Identification { score, margin, .. } = self.identification;
        !self.is_mixed
            && score >= MIN_CLEAR_SCORE
            && margin >= MIN_CLEAR_MARGIN
            && !is_noise(text, self.properties)
    }

    /// Limits the score by the known words; see [`MAX_SCORE_PER_KNOWN_WORD`].
    fn limit_score_by_words(&mut self) {
        let limit = MAX_SCORE_PER_KNOWN_WORD * self.known_share;
        let Identification { score, top, .. } = &mut self.identification;
        *score = score.min(limit);
        top.iter_mut()
            .for_each(|(_, score)| *score = score.min(limit));
    }

    fn nats_per_letter(&self) -> f64 {
        self.nats / self.properties.letters.max(1) as f64
    }
}

impl Identifier {
    /// Identifies a text by its windows, if these are clearly in one language and script, otherwise
    /// by the whole of it.
    pub(super) fn identify_by_evidence(&self, scratch: &mut Scratch, text: &str) -> Identification {
        // Rejection thresholds are those of whole texts.
        if self.rejection_thresholds.is_empty() {
            let mut sample = std::mem::take(&mut scratch.sample);
            let by_windows = sample_windows(text, &mut sample)
                .then(|| self.read_all(scratch, &sample))
                .filter(|reading| reading.is_clear(text));
            scratch.sample = sample;
            if let Some(reading) = by_windows {
                return reading.identification;
            }
        }
        self.read_all(scratch, text).identification
    }

    /// Identifies a text by the whole of it.
    pub(super) fn identify_whole_by_evidence(
        &self,
        scratch: &mut Scratch,
        text: &str,
    ) -> Identification {
        self.read_all(scratch, text).identification
    }

    /// Returns the result for the reading of the text that counts.
    fn read_all(&self, scratch: &mut Scratch, text: &str) -> Reading {
        let text = normalise(text);
        let mut text = remove_addresses(&text);
        let mut reading = self.read(scratch, &text);
        if let Cow::Owned(respelled_text) = Spelling::of_text(&text).read(&text).into_text() {
            let respelled = self.read(scratch, &respelled_text);
            // A class may know the spelling itself, such as Greek with breathings.
            if !reading.is_accepted() || respelled.nats >= reading.nats {
                (reading, text) = (respelled, Cow::Owned(respelled_text));
            }
        }
        let script = reading.identification.script;
        let is_mixed = scratch
            .tokenizer
            .has_several_scripts(script, MIN_SHARE_OF_OTHER_SCRIPTS);
        if scratch.tokenizer.has_optional_marks()
            && let Cow::Owned(bare_text) = remove_optional_marks(&text)
        {
            let bare = self.read(scratch, &bare_text);
            // A language that has other marks as well is written with them.
            if bare.known_words > reading.known_words && !scratch.tokenizer.has_marks() {
                (reading, text) = (bare, Cow::Owned(bare_text));
            } else if text.len() - bare_text.len() >= bare_text.len() / MAX_LETTERS_PER_MARK {
                reading.limit_score_by_words();
            }
        }
        if is_mixed {
            reading = self.read_scripts(scratch, &text, reading);
            reading.is_mixed = true;
        }
        if !reading.is_accepted() && script == Script::LATIN {
            reading = self.read_without_accents(scratch, &text).unwrap_or(reading);
        }
        reading
    }

    /// Returns the result for a text without the accents of dictionaries and scripture, which
    /// no class knows; `None` if it has none, or is still in no known language.
    fn read_without_accents(&self, scratch: &mut Scratch, text: &str) -> Option<Reading> {
        [false, true].into_iter().find_map(|lengths| {
            let Cow::Owned(bare) = remove_accents(text, lengths) else {
                return None;
            };
            let reading = self.read(scratch, &bare);
            let is_clear = reading.identification.score >= MIN_SCORE_WITHOUT_ACCENTS;
            Some(reading).filter(|reading| reading.is_accepted() && is_clear)
        })
    }

    /// Returns the result for a text in several scripts, given that for the whole of it.
    fn read_scripts(&self, scratch: &mut Scratch, text: &str, whole: Reading) -> Reading {
        let first = whole.identification.script;
        if first != Script::LATIN && whole.is_accepted() {
            return whole;
        }
        scratch.tokenizer.count_letters(text);
        let scripts = scratch.tokenizer.scripts();
        let apart = self.read_script(scratch, text, first);
        if first == Script::LATIN && apart.nats_per_letter() < MIN_LATIN_NATS_PER_LETTER {
            let others = scripts.into_iter().filter(|script| *script != first);
            for other in others {
                let other = self.read_script(scratch, text, other);
                let all_words = apart.words + other.words;
                if other.is_accepted() && other.words * MIN_SHARE_OF_WORDS >= all_words {
                    return other;
                }
            }
        }
        if whole.is_accepted() { whole } else { apart }
    }

    fn read_script(&self, scratch: &mut Scratch, text: &str, script: Script) -> Reading {
        let text = scratch.tokenizer.keep_script(text, script);
        self.read(scratch, &text)
    }

    /// Identifies a text without addresses, in normal form C, as it is.
    fn read(&self, scratch: &mut Scratch, text: &str) -> Reading {
        let summary = self.summarise_evidence(scratch, text);
        let is_known = reject::is_accepted(&summary) && self.reaches_threshold(&summary);
        let identification = match is_known {
            true => reject::build_identification(&summary),
            false => reject::build_rejection(&summary),
        };
        let properties = TextProperties {
            letters: summary.letters,
            script: summary.script,
            agreement: reject::agreement(&summary),
            has_short_words: summary.sums.words >= MIN_LISTED_WORDS
                && summary.letters <= 2 * u64::from(summary.sums.words),
            // The score of a long text is near 1 in any case.
            is_not_english: text.len() <= WINDOW_BYTES
                && identification.score >= MIN_SCORE_NOT_ENGLISH
                && identification.code.as_str() != "eng",
        };
        Reading {
            nats: reject::best_nats(&summary),
            known_words: summary.sums.known,
            known_share: f64::from(summary.sums.known) / f64::from(summary.sums.words.max(1)),
            properties,
            words: likely_words(&summary),
            is_mixed: false,
            identification: match is_known && is_noise(text, properties) {
                true => reject::build_rejection(&summary),
                false => identification,
            },
        }
    }
}

/// Returns the likely number of words of a text in one script: without blanks, that of its letters
/// divided by the usual length of a word.
fn likely_words(summary: &EvidenceSummary<'_>) -> u64 {
    match &summary.script.to_bytes() {
        b"Hani" | b"Jpan" | b"Hira" | b"Kana" => summary.letters.div_ceil(2),
        b"Thai" | b"Laoo" | b"Khmr" | b"Mymr" => summary.letters.div_ceil(4),
        // Single letters are no words.
        _ => u64::from(summary.sums.words).min(summary.letters.div_ceil(3)),
    }
}

#[cfg(test)]
mod tests {
    use crate::Identifier;

    /// Checks the language and the script of texts.
    fn check(expected: &str, texts: &[&str]) {
        let identifier = Identifier::builtin();
        for text in texts {
            let result = identifier.identify(text);
            let found = format!("{} {}", result.code, result.script);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn optional_marks_do_not_change_the_language() {
        check("heb Hebr", &["בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ"]);
        check(
            "ara Arab",
            &[
                "الْحَمْدُ لِلَّهِ رَبِّ الْعَالَمِينَ وَالصَّلَاةُ عَلَى نَبِيِّهِ",
                "ذهبنا الـيوم إلى الـحديقة مع الأطفـــال",
            ],
        );
        check(
            "rus Cyrl",
            &["Мы пошли́ на о́зеро и ве́чером верну́лись домо́й по ста́рой доро́ге"],
        );
        // The points of Yiddish are letters.
        check(
            "yid Hebr",
            &["אַלע מענטשן ווערן געבוירן פֿרײַ און גלײַך אין כּבֿוד און רעכט"],
        );
    }

    #[test]
    fn accents_of_a_dictionary_do_not_hide_the_language() {
        check(
            "lit Latn",
            &[
                "Praė̃jusią savaĩtę káimo gyvéntojai susiriñko pasikalbė́ti apiẽ sẽno malū̃no ãteitį",
                "Võs tik prasidė́jo pavãsaris, vaikaĩ išė̃jo į̃ mìšką riñkti žibùčių",
            ],
        );
    }

    #[test]
    fn presentation_forms_are_read_as_letters() {
        check(
            "ara Arab",
            &["ﻓﻲ ﺍﻷﺳﺒﻮﻉ ﺍﻟﻤﺎﺿﻲ ﺍﺟﺘﻤﻊ ﺳﻜﺎﻥ ﺍﻟﻘﺮﻳﺔ ﻟﻠﺤﺪﻳﺚ ﻋﻦ ﻣﺴﺘﻘﺒﻞ"],
        );
        check(
            "eng Latn",
            &["Ｔｈｅ ｍｉｌｌ ｓｔａｎｄｓ ｂｙ ｔｈｅ ｒｉｖｅｒ ｂｅｈｉｎｄ ｔｈｅ ｈｏｕｓｅ"],
        );
        check(
            "jpn Jpan",
            &["ｶﾒﾗｦ買ｲﾏｼﾀ｡ﾄﾃﾓ良ｲ写真ｶﾞ撮ﾚﾏｽ｡昨日ﾊ公園ﾃﾞ撮ﾘﾏｼﾀ｡"],
        );
    }

    #[test]
    fn names_in_latin_letters_do_not_decide() {
        check(
            "jpn Jpan",
            &["Visual Studio CodeでPythonとDjangoの環境を作るにはPyCharm Professionalも使えます"],
        );
        check(
            "ell Grek",
            &["Εγκατάσταση του Microsoft Office 365 και του Adobe Photoshop σε Windows Server"],
        );
        check(
            "ara Arab",
            &["تحميل تطبيق Facebook Messenger و WhatsApp على هاتف Samsung Galaxy Note"],
        );
        check(
            "kat Geor",
            &["როგორ დავაყენოთ Google Chrome და Mozilla Firefox ახალ MacBook Pro კომპიუტერზე"],
        );
        check(
            "tam Taml",
            &["Samsung Galaxy Ultra மற்றும் Apple iPhone Pro Max விலை இந்தியாவில் குறைந்தது"],
        );
    }

    #[test]
    fn a_text_in_latin_script_with_quotations_keeps_its_language() {
        check(
            "eng Latn",
            &[
                "The Russian proverb «Без труда не вытащишь и рыбку из пруда» means that nothing comes without effort.",
                "The Japanese title of the film, 千と千尋の神隠し, means that Sen and Chihiro were spirited away.",
            ],
        );
        check(
            "deu Latn",
            &["Das griechische Wort φιλοσοφία bedeutet Liebe zur Weisheit und ist sehr alt."],
        );
    }

    #[test]
    fn a_long_text_has_the_language_of_its_windows() {
        let menu = "Home About us Contact Privacy policy Terms of use Sign in ".repeat(4);
        let body = "Danes je lep dan, zato bomo šli na sprehod do jezera. Zvečer se vrnemo domov. ";
        let code = "if (open->script != 0) { self.close(open, each); } ".repeat(60);
        check("slv Latn", &[&format!("{menu}\n{}", body.repeat(40))]);
        check("und Latn", &[&code, &format!("{code}{body}{code}")]);
        let text = format!("{}{}", body.repeat(20), "Мы пошли на озеро. ".repeat(20));
        let identifier = Identifier::builtin();
        let scratch = &mut crate::Scratch::default();
        assert_eq!(
            identifier.identify(&text),
            identifier.identify_whole(scratch, &text),
            "a text in two scripts is read as a whole"
        );
    }

    #[test]
    fn marks_of_transcripts_hide_no_language() {
        check(
            "slv Latn",
            &[
                "# potem smo { šli |r odšli } na veliko jezero //= { zvečer || ponoči } < pa # domov //",
            ],
        );
        check(
            "und Latn",
            &["int { get |r set } { do || null } main //= { sum || min } < str //"],
        );
    }

    #[test]
    fn letters_that_look_alike_hide_no_language() {
        check(
            "aka Latn",
            &["Agodie bεn mu na Virat Kohli agye mu din kεseε paa?"],
        );
        check(
            "azj Latn",
            &["Bu kənddə yаşаyan adamlаr оnu yaхşı tаnıyırdılar"],
        );
    }

    #[test]
    fn a_class_without_rivals_needs_words() {
        // Lists of letters, each of which is a word of some language.
        check(
            "und Cyrl",
            &["А Б В Г Д Е Ж З И Й К Л М", "Аа Бб Вв Гг Дд Ее Жж Зз Ии"],
        );
        check(
            "und Thai",
            &["ก ข ค ง จ ฉ ช ซ ฌ ญ ฎ ฏ", "ก.ข.ค.ง.จ.ฉ.ช.ซ.ญ.ด.ต.ถ.ท.น."],
        );
        check("zho Hani", &["我 们 今 天 去 学 校 上 课 很 高 兴"]);
        // Ladino.
        check(
            "und Hebr",
            &[
                "איל קאמינו די לה מונטאנייה איס לארגו אי לוס קאבאייוס קאמינאן דיספאסייו קון לוס איג׳וס",
            ],
        );
        // Swahili and Kanuri, with vowel marks.
        let score = |text: &str| Identifier::builtin().identify(text).score;
        assert!(score("وَتُ وٗتٖ وَمٖزَالِوَ هُرُ، هَدِ نَ هَاكِ زَاوْ نِ سَاوَ. وٗتٖ وَمٖجَالِوَ أَكِلِ نَ ضَمِيرِ") < 0.5);
        assert!(
            score(
                "دُلُوُلَآ مَنَ سُرُ كٗنْدُيِنْ سُتُلُيِنْ مَ بَيَنْجِنْ، كُوُ مَنَ شِمَدٗ وَلْتٗ كٗنْدٗدُرُ تٗكْكِنْ اَوُ شِرُو كٗندُ اِلْمُبِي غُلْتِنْدٗ فَنْدُرُ."
            ) > 0.5
        );
    }

    #[test]
    fn a_text_of_addresses_only_is_undetermined() {
        check(
            "und Zyyy",
            &[
                "jane.doe@example.com",
                "info@company.com, sales@company.co.uk; john.smith@mail.example.org",
                "www.example.org/news/today example.com https://example.net/the/house/of/the/people",
            ],
        );
    }
}
