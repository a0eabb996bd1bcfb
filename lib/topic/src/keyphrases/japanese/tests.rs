//! Tests with IPADIC, as built by `make dictionary`.

use super::*;
use proptest::prelude::*;
use std::sync::OnceLock;

/// Returns the tagger with IPADIC. A test without it fails.
fn tagger() -> &'static JapaneseTagger {
    static TAGGER: OnceLock<JapaneseTagger> = OnceLock::new();
    TAGGER.get_or_init(|| {
        let built = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/dictionary/ipadic.dic"
        );
        let path = std::env::var_os("FORAGE_DICTIONARY").unwrap_or_else(|| built.into());
        JapaneseTagger::open(Path::new(&path)).unwrap_or_else(|error| {
            panic!("{error}: these tests need the Japanese dictionary: run `make dictionary`")
        })
    })
}

/// Returns the words of `text` as `word/N`, `word/A`, or the word alone, separated by blanks.
fn tags(text: &str) -> String {
    let mut tags = Vec::new();
    tagger().tag_words(text, &mut |word| {
        let part = match word.part {
            PartOfSpeech::Noun => "/N",
            PartOfSpeech::Adjective => "/A",
            PartOfSpeech::Other => "",
        };
        tags.push(format!("{}{part}", &text[word.range]));
    });
    tags.join(" ")
}

/// Returns the stems of the nouns and adjectives of `text`, separated by blanks.
fn stems(text: &str) -> String {
    let mut stems = Vec::new();
    tagger().tag_words(text, &mut |word| {
        if word.part != PartOfSpeech::Other {
            stems.push(word.stem.into_owned());
        }
    });
    stems.join(" ")
}

#[test]
fn compounds_and_adjectives_in_i_are_noun_phrases() {
    assert_eq!(
        tags("自然言語処理は難しい問題です。"),
        "自然/N 言語/N 処理/N は 難しい/A 問題/N です 。"
    );
    assert_eq!(tags("問題は難しい。"), "問題/N は 難しい 。");
    assert_eq!(tags("山の高さ"), "山/N の 高/N さ/N");
}

#[test]
fn adjectives_in_na_and_adverbs_are_no_nouns() {
    assert_eq!(
        tags("宮城県沖で大規模な地震が発生した。"),
        "宮城/N 県/N 沖/N で 大 規模 な 地震/N が 発生/N し た 。"
    );
    assert_eq!(tags("経済的な理由"), "経済 的 な 理由/N");
    assert_eq!(tags("経済的影響"), "経済/N 的/N 影響/N");
    assert_eq!(tags("問題は重要だ。"), "問題/N は 重要 だ 。");
    assert_eq!(tags("地震なので"), "地震/N な ので");
}

#[test]
fn numbers_dates_pronouns_and_formal_nouns_are_no_nouns() {
    assert_eq!(tags("2005年"), "2005 年");
    assert_eq!(tags("これは私のことです。"), "これ は 私 の こと です 。");
    assert_eq!(tags("行って、食べた。"), "行っ て 、 食べ た 。");
    assert_eq!(tags("田中さん"), "田中/N さん");
    assert_eq!(tags("7月の月"), "7 月 の 月/N");
    assert_eq!(tags("同容疑者は各国で"), "同 容疑/N 者/N は 各国/N で");
    assert_eq!(tags("※☆。"), "※ ☆ 。");
}

#[test]
fn names_with_latin_letters_or_an_interpunct_are_whole() {
    assert_eq!(
        tags("Google ChromeとMP3プレーヤー"),
        "Google/N Chrome/N と MP3/N プレーヤー/N"
    );
    assert_eq!(tags("バラク・オバマ氏"), "バラク・/N オバマ/N 氏");
    assert_eq!(tags("東京　大阪"), "東京/N 　 大阪/N");
    assert_eq!(tags("東京\n大阪"), "東京/N \n 大阪/N");
}

#[test]
fn stems_are_base_forms_in_one_spelling() {
    assert_eq!(stems("コンピューターのＩＢＭ"), "コンピュータ ibm");
    assert_eq!(stems("美しき国"), "美しい 国");
    assert_eq!(stems("バラク・オバマ"), "バラク オバマ");
}

#[test]
fn a_long_text_without_sentences_is_analysed() {
    let text = "あ".repeat(100_000);
    let mut end = 0;
    tagger().tag_words(&text, &mut |word| {
        assert_eq!(word.range.start, end);
        end = word.range.end;
    });
    assert_eq!(end, text.len());
}

proptest! {
    #[test]
    fn words_are_in_order_and_cover_all_but_blanks(text in "[あ-んア-ン・ー一-龠a-zA-Z0-9 　。、\\n\\PC]{0,60}") {
        let mut end = 0;
        let mut gaps = String::new();
        tagger().tag_words(&text, &mut |word| {
            assert!(word.range.start >= end && word.range.end > word.range.start);
            gaps.push_str(&text[end..word.range.start]);
            end = word.range.end;
        });
        gaps.push_str(&text[end..]);
        prop_assert!(gaps.trim().is_empty());
    }
}

#[test]
fn what_is_no_dictionary_is_an_error() {
    let open = |bytes: &[u8]| JapaneseTagger::of_bytes(bytes.to_vec()).map(|_| ());
    assert!(matches!(open(b""), Err(DictionaryError::Foreign)));
    assert!(matches!(
        open(b"VibratoTokenizer"),
        Err(DictionaryError::Foreign)
    ));
    assert!(matches!(
        open(b"forage ipadic 99"),
        Err(DictionaryError::OtherVersion)
    ));
    assert!(matches!(open(format::MAGIC), Err(DictionaryError::Damaged)));
}

#[test]
fn a_device_or_folder_is_no_dictionary() {
    for path in ["/dev/zero", "/"] {
        let error = JapaneseTagger::open(Path::new(path)).unwrap_err();
        let message = format!("{path}: is not a regular file");
        assert_eq!(error.to_string(), message);
    }
}
