//! Texts in several spellings.

use super::{Spelling, read};
use crate::{normalise, terms};
use proptest::prelude::*;
use std::borrow::Cow;

/// Checks that all texts have the same terms.
fn check(texts: &[&str]) {
    let words = |text: &str| terms(text).iter().map(str::to_owned).collect::<Vec<_>>();
    for text in texts {
        assert_eq!(words(text), words(texts[0]), "{text}");
    }
}

#[test]
fn spellings_of_a_text_have_the_same_terms() {
    check(&[
        "Copiii învață și se joacă în curtea școlii. Mașina trece prin față.",
        "Copiii învaţă şi se joacă în curtea şcolii. Maşina trece prin faţă.",
    ]);
    check(&[
        "Masina este noua si maşina mea, şi",
        "Masina este noua si mașina mea, și",
    ]);
    check(&[
        "Çocuk şarkı söylüyor, şimdi güzel",
        "Çocuk șarkı söylüyor, șimdi güzel",
    ]);
    check(&[
        "нана хӀусамехь ю. ХӀара книга хаза ю. ЙоӀ цӀахь ю.",
        "нана х|усамехь ю. Х|ара книга хаза ю. Йо| ц|ахь ю.",
        "нана х1усамехь ю. Х1ара книга хаза ю. Йо1 ц1ахь ю.",
        "нана хIусамехь ю. ХIара книга хаза ю. ЙоI цIахь ю.",
        "нана хlусамехь ю. Хlара книга хаза ю. Йоl цlахь ю.",
        "нана хІусамехь ю. ХІара книга хаза ю. ЙоІ цІахь ю.",
    ]);
    check(&["Мæ мад хæдзары ис", "Мӕ мад хӕдзары ис"]);
    check(&[
        "Сьогодні діти співають і йдуть",
        "Сьогоднi дiти спiвають i йдуть",
    ]);
    check(&[
        "Hôm nay trời đẹp, Đứa bé đi",
        "Hôm nay trời ðẹp, Ðứa bé ði",
        "Hôm nay trời đẹp, Ɖứa bé đi",
    ]);
    check(&["ပဲခူး ဝန်ကြီး", "ပဲခူး ၀န်ကြီး"]);
    check(&["ខ្ញុំទៅសាលារៀន", "ខ្ញំុទៅសាលារៀន"]);
    check(&["ໝາແລະໜູ", "ຫມາແລະຫນູ"]);
    check(&["کتێبی ئەو", "كتێبي ئەو", "کتێبی ئه\u{200c}و"]);
    check(&["این گربه کتاب یک", "اين گربه كتاب يك"]);
    check(&["یہ ہے", "یه هے"]);
    check(&[
        "ἀπὸ τὸν ἄνθρωπον καὶ τοῦ κόσμου",
        "από τον άνθρωπον και του κόσμου",
    ]);
    check(&["അവൻ", "അവന്\u{200d}"]);
    check(&["উৎসব", "উত্\u{200d}সব"]);
    check(&["आम", "अाम"]);
    check(&[
        "finance office",
        "ﬁnance oﬃce",
        "ｆｉｎａｎｃｅ office",
        "𝐟𝐢𝐧𝐚𝐧𝐜𝐞 office",
    ]);
    check(&["人口", "⼈⼝"]);
    check(&["וואס זיי ייד", "װאס זײ ײד"]);
    check(&["գիրք եւ գրիչ", "գիրք և գրիչ"]);
    check(&["น้ำมาก", "นำ้มาก", "นํ้ามาก"]);
    check(&["ນ້ຳຫຼາຍ", "ນໍ້າຫລາຍ", "ນ້ໍາຫລາຍ"]);
    check(&["ɔkɔɔ hɔ mɛn", "ͻkͻͻ hͻ mεn"]);
    check(&["ӳсет тӑрӑх ҫул", "ÿсет тăрăх çул", "ӱсет тӑрӑх ҫул"]);
    check(&["ស្ត្រីភក្តិ", "ស្រ្តីភក្ដិ"]);
    check(&["എന്റെ", "എൻ്റെ", "എന്\u{200d}റെ"]);
    check(&["col·legi", "coŀlegi"]);
    check(&["Ẹ kú ọjọ́", "E\u{329} kú o\u{329}jọ́"]);
    check(&["aԥсуа бызшәа ҵ", "aҧсуа бызшәа ҵ"]);
}

#[test]
fn letters_that_are_no_others_are_kept() {
    for (text, expected) in [
        ("Şimdi şarkı güzel", "şimdi şarkı güzel"),
        ("Þetta er góður maður æ", "þetta er góður maður"),
        ("دا ښه کتاب دی او هغه يې", "دا ښه کتاب دی او هغه يې"),
        (
            "В книге дом1 и лес2, в 1а классе",
            "книге дом1 лес2 1а классе",
        ),
        ("Главная|Новости|Контакты", "главная новости контакты"),
        ("в SQL есть x и y", "sql есть"),
        ("Діти і хата, ініціатива", "діти хата ініціатива"),
        ("ἓν ή ή", "εν"),
        ("Ӱмыр кӱлеш йӧра", "ӱмыр кӱлеш йӧра"),
        ("ഹെന്റി അവൻ റോഡ്", "ഹെന്റി അവൻ റോഡ്"),
    ] {
        let terms = terms(text);
        assert_eq!(terms.iter().collect::<Vec<_>>().join(" "), expected);
    }
}

#[test]
fn places_of_a_read_text_are_those_of_the_original() {
    let text = "Йо| ц|ахь ю, х|ума";
    let read = Spelling::of_text(text).read(text);
    assert_eq!(read.as_str(), "Йоӏ цӏахь ю, хӏума");
    let place = |word: &str| {
        let start = read.as_str().find(word).unwrap_or_default();
        &text[read.original(start..start + word.len())]
    };
    assert_eq!(place("Йоӏ"), "Йо|");
    assert_eq!(place("цӏахь"), "ц|ахь");
    assert_eq!(place("ю"), "ю");
    assert_eq!(place("хӏума"), "х|ума");
    assert_eq!(place("ума"), "х|ума");
}

#[test]
fn a_text_without_other_spellings_is_borrowed() {
    for text in [
        "",
        "Danes je lep dan",
        "ağaç şimdi",
        "Сегодня день",
        "ภาษาไทยน้ำ",
        "हिन्दी",
        "العربية كتاب",
        "မြန်မာ",
    ] {
        assert!(matches!(read(text), Cow::Borrowed(_)), "{text}");
        assert!(Spelling::of_text(text).is_plain(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_with_places_in_order(
        text in "\\PC{0,40}|[aæсеoіIl1|!Ӏхкт ьа]{0,20}|[ຫນມາຣ່ີ ]{0,12}|[អា្កំុេី ]{0,12}|[\u{1000}-\u{1049} ]{0,12}|[كيیکگأهێ\u{200c} ]{0,12}|[ἀ-ᾼα-ω \u{300}\u{342}]{0,12}"
    ) {
        let text = normalise(&text);
        let read = Spelling::of_text(&text).read(&text);
        prop_assert_eq!(normalise(read.as_str()), read.as_str());
        let mut start = 0;
        for (at, c) in read.as_str().char_indices() {
            let place = read.original(at..at + c.len_utf8());
            prop_assert!(start <= place.start && place.start <= place.end);
            prop_assert!(text.get(place.clone()).is_some());
            start = place.start;
        }
    }
}
