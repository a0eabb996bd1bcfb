//! Tests of the identifier against the definition of the distance, against libexttextcat, and on
//! arbitrary input.

use forage_langid::{
    Identifier, LanguageCode, MISSING_NGRAM_COST, Model, NGram, PROFILE_SIZE, Profile,
    ProfileLearner, UnknownLanguage,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn learn(code: &str, text: &str) -> Profile {
    let mut learner = ProfileLearner::default();
    learner.add_text(text);
    learner
        .finish(code.parse().expect("a code"), "", "")
        .expect("letters")
        .0
}

fn ranked(profile: &Profile) -> Vec<NGram> {
    profile.ngrams().iter().map(|(ngram, _)| *ngram).collect()
}

/// Returns the out-of-place distance of `document` from `language` by its definition, Cavnar &
/// Trenkle (1994), section 3.2 and figure 3: the sum of rank displacements.
fn out_of_place_distance(document: &[NGram], language: &[NGram]) -> usize {
    let rank = |ngram| language.iter().position(|other| other == ngram);
    let cost = |(place, ngram)| rank(ngram).map_or(MISSING_NGRAM_COST, |rank| rank.abs_diff(place));
    document.iter().enumerate().map(cost).sum()
}

/// `sample-slv.libexttextcat.lm` is the output of `fp_Create` and `fp_Print` of Debian's
/// libexttextcat 3.4 for `sample-slv.txt`. It does not order n-grams of equal count, so ranks are
/// compared up to ties.
#[test]
fn ranks_equal_those_of_libexttextcat() {
    let profile = learn("slv", include_str!("data/sample-slv.txt"));
    let counts: BTreeMap<NGram, u64> = profile.ngrams().iter().copied().collect();
    let expected: Vec<NGram> = include_str!("data/sample-slv.libexttextcat.lm")
        .lines()
        .map(|l| NGram::parse(l).unwrap())
        .collect();
    assert_eq!(expected.len(), PROFILE_SIZE);
    let rarest = profile.ngrams().last().unwrap().1;
    let count = |ngram: &NGram| counts.get(ngram).copied().unwrap_or(rarest);
    let actual: Vec<u64> = profile.ngrams().iter().map(|(_, count)| *count).collect();
    assert_eq!(expected.iter().map(count).collect::<Vec<_>>(), actual);
}

#[test]
fn the_index_computes_the_distances_of_the_definition() {
    let texts = [
        (
            "slv",
            "Danes je lep dan, zato bomo šli na sprehod do jezera in se potem vrnili domov.",
        ),
        (
            "eng",
            "Today is a fine day, so we shall walk to the lake and then come back home.",
        ),
        (
            "ces",
            "Dnes je krásný den, proto půjdeme na procházku k jezeru a pak se vrátíme domů.",
        ),
    ];
    let profiles = texts.map(|(code, text)| learn(code, text));
    let identifier = Identifier::new(Model::from_profiles(&profiles).unwrap());
    let document = learn("und", "Jutri bo lep dan in šli bomo do jezera, tam je mir.");
    let mut expected: Vec<(usize, LanguageCode)> = profiles
        .iter()
        .map(|p| {
            (
                out_of_place_distance(&ranked(&document), &ranked(p)),
                p.code,
            )
        })
        .collect();
    expected.sort_unstable();
    let max_distance = (document.ngrams().len() * MISSING_NGRAM_COST) as f64;
    let nearest = identifier.nearest_languages(&document);
    assert_eq!(nearest.len(), 3);
    for ((code, distance), (steps, expected)) in nearest.iter().zip(expected) {
        assert_eq!(*code, expected);
        assert!((distance * max_distance - steps as f64).abs() < 1e-6);
    }
}

#[test]
fn a_megabyte_of_one_letter_is_undetermined() {
    for letter in ["a", "ж", "字", "a "] {
        let result = Identifier::builtin().identify(&letter.repeat(1_000_000));
        assert_eq!(result.code, LanguageCode::UNDETERMINED, "{letter}");
    }
}

#[test]
fn noise_is_undetermined() {
    let identifier = Identifier::builtin();
    for text in [
        "",
        "12 345 678",
        "😀 ‼ → …",
        "xkqzv bwjhg pfmxd qqrtk zlvwp nhgtx jkdbs vwqzx mnbvc hjklp qwrtz xcvbn pldkf zmqjx \
         wvutq kjhgf",
        "ÐœÐ¾ÑÐºÐ²Ð° ÑÑ‚Ð¾Ð»Ð¸Ñ†Ð° Ð Ð¾ÑÑÐ¸Ð¸",
    ] {
        assert_eq!(
            identifier.identify(text).code,
            LanguageCode::UNDETERMINED,
            "{text}"
        );
    }
}

/// Unicode CLDR names Mongolian as a language of the script, and the model has Manchu alone. The
/// text is the first article of the Declaration.
#[test]
fn a_text_in_a_language_that_the_model_lacks_in_its_script_is_undetermined() {
    let mut identifier = Identifier::builtin();
    let mongolian = "ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ ᠡᠷᠬᠡ ᠴᠢᠯᠥᠭᠡ ᠲᠡᠢ᠂ ᠠᠳᠠᠯᠢᠬᠠᠨ ᠨᠡᠷ᠎ᠡ ᠲᠥᠷᠥ ᠲᠡᠢ᠂ ᠢᠵᠢᠯ ᠡᠷᠬᠡ \
                     ᠲᠡᠢ ᠪᠠᠢᠠᠭ᠃ ᠣᠶᠤᠨ ᠤᠬᠠᠭᠠᠨ᠂ ᠨᠠᠨᠳᠢᠨ ᠴᠢᠨᠠᠷ ᠵᠠᠶᠠᠭᠠᠰᠠᠨ ᠬᠦᠮᠦᠨ ᠬᠡᠭᠴᠢ ᠥᠭᠡᠷ᠎ᠡ ᠬᠣᠭᠣᠷᠣᠨᠳᠣ᠎ᠨ \
                     ᠠᠬᠠᠨ ᠳᠡᠭᠦᠦ ᠢᠨ ᠦᠵᠢᠯ ᠰᠠᠨᠠᠭᠠ ᠥᠠᠷ ᠬᠠᠷᠢᠴᠠᠬᠥ ᠤᠴᠢᠷ ᠲᠠᠢ᠃";
    let manchu = "ᡝᡵᡝ ᠪᡳᡨᡥᡝ ᠪᡝ ᡥᡡᠯᠠᡵᠠ ᠨᡳᠶᠠᠯᠮᠠ ᡩᡝ ᠠᠯᠠᠮᡝ ᠪᡳ ᠰᡳᠮᠪᡝ ᡨᠠᠴᡳᠪᡠᡵᡝ ᠰᡝᠮᡝ ᡤᡡᠨᡳᡥᠠ ᠮᠠᠨᠵᡠ ᡤᡳᠰᡠᠨ \
                  ᡳ ᡠᠵᡠᡳ ᡩᡝᠪᡨᡝᠯᡳᠨ";
    let nearest = identifier.identify(mongolian);
    assert_eq!(nearest.code, LanguageCode::UNDETERMINED);
    assert_eq!(nearest.top[0].0.as_str(), "mnc");
    assert_eq!(identifier.identify(manchu).code.as_str(), "mnc");
    // The user may say that there is nothing else.
    identifier.restrict_to(&["mnc".parse().unwrap()]).unwrap();
    assert_eq!(identifier.identify(mongolian).code.as_str(), "mnc");
}

/// iso-639-3_Retirements.tab of 2026-07: kzj is dtp, eml was split into egl and rgn, and kxu into
/// dwk and uki.
#[test]
fn retired_codes_are_no_labels() {
    let mut identifier = Identifier::builtin();
    let labels: Vec<String> = identifier.classes().map(|c| c.code.to_string()).collect();
    for retired in ["kzj", "eml", "kxu", "und"] {
        assert!(!labels.iter().any(|label| label == retired), "{retired}");
    }
    for label in ["dtp", "egl", "rgn", "zgh", "tzm"] {
        assert!(labels.iter().any(|other| other == label), "{label}");
    }
    assert!(identifier.classes().all(|class| !class.name.is_empty()));
    let code = |code: &str| code.parse().unwrap();
    let split = identifier.restrict_to(&[code("eml")]).unwrap_err();
    let languages = vec![code("egl"), code("rgn")];
    assert_eq!(split, UnknownLanguage::Collection(code("eml"), languages));
    assert!(identifier.restrict_to(&[code("und")]).is_err());
    identifier.restrict_to(&[code("kzj")]).unwrap();
    assert!(
        identifier
            .classes()
            .all(|class| class.code.as_str() == "dtp")
    );
}

#[test]
fn identifies_languages_in_many_scripts() {
    let identifier = Identifier::builtin();
    for (code, script, text) in [
        (
            "slv",
            "Latn",
            "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice.",
        ),
        (
            "tgl",
            "Latn",
            "Ang lahat ng tao'y isinilang na malaya at pantay-pantay sa karangalan.",
        ),
        (
            "ceb",
            "Latn",
            "Ang tanang katawhan gipakatawo nga adunay kagawasan ug managsama sa kabililhon. Sila \
             gigasahan sa salabutan ug tanlag ug mag-ilhanay isip managsoon sa usa'g usa diha sa \
             diwa sa ospiritu.",
        ),
        (
            "rus",
            "Cyrl",
            "Все люди рождаются свободными и равными в своём достоинстве и правах.",
        ),
        (
            "ell",
            "Grek",
            "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
        ),
        (
            "jpn",
            "Jpan",
            "すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。",
        ),
        (
            "zho",
            "Hani",
            "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。",
        ),
        (
            "kor",
            "Hang",
            "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
        ),
        (
            "tha",
            "Thai",
            "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
        ),
        (
            "heb",
            "Hebr",
            "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
        ),
    ] {
        let result = identifier.identify(text);
        assert_eq!(
            (result.code.as_str(), result.script.as_str()),
            (code, script)
        );
    }
}

#[test]
fn a_profile_of_one_document_competes_with_the_built_in_model() {
    let mut identifier = Identifier::builtin();
    // Eight lines are too few to distinguish the language from close relatives; a document of 2 kB
    // would be sufficient.
    identifier
        .restrict_to(&["eng", "deu", "hun", "ita", "tgl"].map(|code| code.parse().unwrap()))
        .unwrap();
    identifier
        .add_profiles(&[learn("slv", include_str!("data/sample-slv.txt"))])
        .unwrap();
    let result = identifier.identify(
        "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice, ker so \
         obdarjeni z razumom.",
    );
    assert_eq!(result.code.as_str(), "slv");
}

#[test]
fn restricts_the_languages_and_rejects_unknown_codes() {
    let mut identifier = Identifier::builtin();
    let codes = ["slv", "hrv"].map(|c| c.parse().unwrap());
    identifier.restrict_to(&codes).unwrap();
    assert!(identifier.classes().all(|k| codes.contains(&k.code)));
    assert!(identifier.restrict_to(&["qqq".parse().unwrap()]).is_err());
    assert!(identifier.exclude(&["qqq".parse().unwrap()]).is_err());
}

proptest! {
    #[test]
    fn any_text_has_a_valid_result(
        text in "\\PC*|[a-zščž \u{300}-\u{30f}\u{0}-\u{1f}'’\u{10400}-\u{10410}ぁ-ん漢字]{0,200}"
    ) {
        let result = Identifier::builtin().identify(&text);
        prop_assert!((0.0..=1.0).contains(&result.score) && (0.0..=1.0).contains(&result.margin));
        prop_assert!(result.top.len() <= 5);
    }

    #[test]
    fn the_distance_of_a_profile_from_itself_is_zero(text in "[a-zščž ]{0,300}q") {
        let profile = learn("slv", &text);
        let ngrams = ranked(&profile);
        prop_assert_eq!(out_of_place_distance(&ngrams, &ngrams), 0);
        let model = Model::from_profiles(std::slice::from_ref(&profile)).unwrap();
        let identifier = Identifier::new(model);
        prop_assert_eq!(identifier.nearest_languages(&profile)[0].1, 0.0);
    }

    #[test]
    fn damaged_bytes_cause_no_panic(index in 0usize..20_000, byte: u8, cut in 0usize..20_000) {
        let profile = learn("slv", include_str!("data/sample-slv.txt"));
        let text = profile.to_text().into_bytes();
        let model = Model::from_profiles(&[profile]).unwrap().to_bytes();
        for bytes in [text, model] {
            let mut damaged = bytes.clone();
            damaged[index % bytes.len()] = byte;
            damaged.truncate(1 + cut % bytes.len());
            if damaged != bytes {
                let _ = Profile::from_text(&damaged);
                let _ = Model::from_bytes(&damaged);
            }
        }
    }
}
