//! Texts of pages, as all tools after the extraction read them.

use super::{Target, choice, shape_of};
use forage_dedup::ShingleSet;
use forage_extract::plain_text_paragraphs;
use forage_langid::{Identifier, LanguageCode, Method, Model};
use forage_record::KeywordsMethod;
use forage_text::{count_words, for_each_word, normalise, terms};
use forage_topic::keyphrases::{Article, KeyphraseExtractor};
use std::sync::LazyLock;

/// Segmentation, identification of the language, keyphrases and shingles.
pub const TEXT: Target = Target {
    dictionary: &[
        "the ",
        "earthquake ",
        "is ",
        "日本",
        "の",
        "ไทย",
        "ລາວ",
        "ខ្មែរ",
        "မြန်",
        "한국",
        "שלום",
        "İ",
        "ﬁ",
        "e\u{301}",
        "'",
        "'s",
        "-",
        "\u{AD}",
        ". ",
        "!",
        "3.14",
        "1,000",
        "a@b.test",
        "http://a.test/",
        "U.S.",
        "NATO",
        "\n\n",
        "\t",
    ],
    max_bytes: 128 << 10,
    test_inputs: 1000,
    ..Target::new(
        "text",
        "segmentation, langid, keyphrases, shingles of texts",
        run_text,
    )
};

static IDENTIFIERS: LazyLock<[Identifier; 2]> = LazyLock::new(|| {
    [Method::Evidence, Method::OutOfPlace]
        .map(|method| Identifier::new(Model::builtin()).with_method(method))
});

fn run_text(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let identified = IDENTIFIERS[choice(input, 2)].identify(&text);
    let normal = normalise(&text);
    let mut words = 0;
    for_each_word(&normal, |_| words += 1);
    assert_eq!(count_words(&text), words, "words are counted in two ways");
    assert_eq!(
        normalise(&normal),
        normal,
        "normalisation is not idempotent"
    );
    let code: LanguageCode = ["eng", "jpn", "slv"][choice(input, 3)]
        .parse()
        .expect("a code");
    let article = Article {
        title: text.lines().next(),
        text: &text,
    };
    let method = [KeywordsMethod::NounPhrases, KeywordsMethod::Statistical][choice(input, 2)];
    let phrases = KeyphraseExtractor::default().extract(article, code, method);
    let shingles = ShingleSet::from_text(&text);
    let paragraphs = plain_text_paragraphs(&text).len();
    let kind = format!("{:?}", identified)
        .chars()
        .take(40)
        .collect::<String>();
    shape_of(
        &kind,
        &[
            words as usize,
            terms(&text).len(),
            phrases.len(),
            shingles.len(),
            paragraphs,
        ],
    )
}
