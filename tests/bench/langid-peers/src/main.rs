//! Language identifiers on the same texts, one after the other, on one thread: `langid-peers
//! FILE...`, files of lines "code, tab, text". For each the speed, and how many texts it tells
//! rightly: of all, and of those in the languages that it knows, with ours kept to the same
//! languages.

use anyhow::Context;
use forage_langid::{LanguageCode, Identifier, Scratch};
use std::collections::BTreeSet;
use std::time::Instant;

/// What an identifier calls a text.
type Tell<'a> = Box<dyn FnMut(&str) -> Option<String> + 'a>;

fn main() -> anyhow::Result<()> {
    let ours = Identifier::builtin();
    let languages = |codes: &[&str]| codes.iter().filter_map(|code| code.parse().ok()).collect::<Vec<LanguageCode>>();
    let whatlang_codes = languages(&whatlang::Lang::all().iter().map(|lang| known(lang.code())).collect::<Vec<_>>());
    let whichlang_codes =
        languages(&whichlang::LANGUAGES.iter().map(|lang| known(lang.three_letter_code())).collect::<Vec<_>>());
    println!(
        "| texts | identifier | languages | MB/s | right, of all % | of its own languages % | ours, kept to them % |"
    );
    println!("|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        let lines = std::fs::read_to_string(&file).with_context(|| file.clone())?;
        let texts: Vec<(&str, &str)> = lines.lines().filter_map(|line| line.split_once('\t')).collect();
        let all: Vec<LanguageCode> = ours.classes().map(|known| known.code).collect();
        let peers: [(&str, &[LanguageCode], Tell<'_>); 3] = [
            ("forage-langid", &all, teller(&ours)),
            ("whatlang", &whatlang_codes, Box::new(|text| Some(known(whatlang::detect_lang(text)?.code()).to_owned()))),
            (
                "whichlang",
                &whichlang_codes,
                Box::new(|text| Some(known(whichlang::detect_language(text).three_letter_code()).to_owned())),
            ),
        ];
        for (name, codes, tell) in peers {
            report(&file, &texts, name, codes, tell)?;
        }
    }
    Ok(())
}

/// The code that the texts have for a language that a peer calls so.
fn known(code: &str) -> &str {
    match code {
        "cmn" => "zho",
        "est" => "ekk",
        "lav" => "lvs",
        "aze" => "azj",
        "nor" => "nob",
        other => other,
    }
}

fn teller<'a>(identifier: &'a Identifier) -> Tell<'a> {
    let mut scratch = Scratch::default();
    Box::new(move |text| Some(identifier.identify_with(&mut scratch, text).code.to_string()))
}

fn report(file: &str, texts: &[(&str, &str)], name: &str, codes: &[LanguageCode], mut tell: Tell<'_>) -> anyhow::Result<()> {
    let own: BTreeSet<&str> = codes.iter().map(LanguageCode::as_str).collect();
    let start = Instant::now();
    let told: Vec<Option<String>> = texts.iter().map(|(_, text)| tell(text)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let is_right = |code: &str, told: &Option<String>| told.as_deref() == Some(known(code));
    let mut kept = Identifier::builtin();
    kept.restrict_to(codes)?;
    let mut tell_kept = teller(&kept);
    let (mut right, mut of_own, mut right_own, mut ours) = (0.0, 0.0, 0.0, 0.0);
    for ((code, text), told) in texts.iter().zip(&told) {
        let value = f64::from(u8::from(is_right(code, told)));
        right += value;
        if own.contains(known(code)) {
            of_own += 1.0;
            right_own += value;
            ours += f64::from(u8::from(is_right(code, &tell_kept(text))));
        }
    }
    println!(
        "| {} | {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
        file.rsplit('/').next().unwrap_or(file),
        own.len(),
        bytes as f64 / 1e6 / seconds,
        right / texts.len() as f64 * 100.0,
        right_own / of_own * 100.0,
        ours / of_own * 100.0,
    );
    Ok(())
}
